/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a visit will take, from what visits took so far. A visit is a process, whose price the null
 * cell shows, and runs, whose price grows with N. */
#include <stdlib.h>
#include <string.h>

#include "studies/validate/plan.h"

#define FIRST_LOOK  UINT64_C(10)      /* N at which a specimen may be tried unseen */
#define FAR         UINT64_C(1000)    /* no price holds for an N so many times larger */
#define USUAL_VISIT UINT64_C(8000000) /* ns of a process before one was seen */
/* A run takes about so many times what it spends in its window: specimens make ready and clean up.
 */
#define HIDDEN 4u /* a part of a process's price that runs may take without being noticed */
#define AROUND 2u

/* Of all visits so far. */
static uint64_t mean_cost(const struct validate_plan *plan)
{
    uint64_t sum = 0, visits = 0;
    for (size_t i = 0; i < plan->count; i++) {
        sum += plan->about[i].wall_ns;
        visits += plan->about[i].visits;
    }
    return visits ? sum / visits : USUAL_VISIT;
}

/* Of the event's cheapest cell, which is its null cell or close to it. */
static uint64_t process_cost(const struct validate_plan *plan, size_t subject)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = validate_last_of_subject(plan, subject); i;
         i = plan->about[i - 1].before_of_subject) {
        const struct validate_about *about = &plan->about[i - 1];
        if (about->visits && about->wall_ns / about->visits < least)
            least = about->wall_ns / about->visits;
    }
    return least != UINT64_MAX ? least : mean_cost(plan);
}

/* The cell to learn from: of the same event where there is one, and of the largest N that is not
 * larger. */
static bool better(const struct validate_plan *plan, size_t subject, uint64_t n, size_t i,
                   size_t best)
{
    if (best == plan->count)
        return true;
    bool own = plan->about[i].subject == subject, best_own = plan->about[best].subject == subject;
    if (own != best_own)
        return own;
    uint64_t here = plan->cells[i].n, there = plan->cells[best].n;
    if ((here <= n) != (there <= n))
        return here <= n;
    return here <= n ? here > there : here < there;
}

static size_t seen_before(const struct validate_plan *plan, size_t subject,
                          const struct validate_wish *wish)
{
    size_t best = plan->count;
    for (size_t i = validate_last_of_specimen(plan, wish->specimen); i;
         i = plan->about[i - 1].before_of_specimen)
        if (plan->about[i - 1].visits && plan->about[i - 1].runs &&
            better(plan, subject, wish->n, i - 1, best))
            best = i - 1;
    return best;
}

/* Is it told by more than chance what the runs took? Below twice the price of a process it is not.
 */
static bool is_told(const struct validate_about *about, uint64_t process_ns)
{
    return about->wall_ns / about->visits > 2 * process_ns;
}

/* One run of that cell, without its share of the process. */
static double run_cost(const struct validate_about *about, uint64_t process_ns)
{
    double runs = (double)about->runs / about->visits;
    if (is_told(about, process_ns))
        return ((double)about->wall_ns / about->visits - (double)process_ns) / runs;
    if (about->inside_ns)
        return AROUND * (double)about->inside_ns / (double)about->runs;
    return (double)process_ns / HIDDEN / runs;
}

void validate_adopt_cost(struct validate_plan *plan, size_t cell, uint32_t visits, uint64_t runs,
                         uint64_t inside_ns)
{
    struct validate_about *about = &plan->about[cell];
    about->visits = visits;
    about->runs = runs;
    about->inside_ns = inside_ns;
    about->wall_ns = visits * USUAL_VISIT + AROUND * inside_ns;
}

/* What one unit of N executes, as far as that is known; at least 1. */
static double work_of(const struct validate_study *study, size_t specimen)
{
    const struct catalogue_specimen *known = study->specimens[specimen].known;
    for (size_t i = 0; i < known->truth_count; i++)
        if (strcmp(known->truths[i].class, "instructions") == 0 && known->truths[i].each > 1)
            return (double)known->truths[i].each;
    return 1;
}

/* A specimen that nobody ran yet: by what the event's own ladder costs for as much work. Sources
 * pay for every instruction. */
static double unseen_cost(const struct validate_study *study, const struct validate_plan *plan,
                          size_t subject, const struct validate_wish *wish, uint64_t process_ns)
{
    size_t primary = validate_primary(study, study->subjects[subject].class);
    const struct validate_wish ladder = {.specimen = primary, .n = wish->n};
    if (primary == VALIDATE_NO_SPECIMEN)
        return 0;
    size_t seen = seen_before(plan, subject, &ladder);
    if (seen == plan->count || plan->about[seen].subject != subject || !plan->cells[seen].n)
        return 0;
    double more = (double)wish->n / (double)plan->cells[seen].n;
    return run_cost(&plan->about[seen], process_ns) * more * work_of(study, wish->specimen) /
           work_of(study, primary);
}

bool validate_visit_cost(const struct validate_study *study, const struct validate_plan *plan,
                         size_t subject, const struct validate_wish *wish, uint32_t runs,
                         uint64_t *ns)
{
    const struct catalogue_specimen *known = study->specimens[wish->specimen].known;
    uint64_t process = process_cost(plan, subject);
    size_t seen = seen_before(plan, subject, wish);
    bool unseen = seen == plan->count;
    uint64_t n = unseen ? 0 : plan->cells[seen].n;
    uint64_t look = known->min_n > FIRST_LOOK ? known->min_n : FIRST_LOOK;
    if (unseen ? wish->n > look : wish->n / FAR > n)
        return false;
    double run = unseen ? unseen_cost(study, plan, subject, wish, process)
                        : run_cost(&plan->about[seen], process);
    double more = n ? (double)wish->n / (double)n : 1;
    double cost = (double)process + runs * run * more;
    *ns = cost < 1e18 ? (uint64_t)cost : UINT64_MAX / 4;
    return true;
}

/* The rung of the ladder that was measured highest. */
static const struct cell *highest(const struct validate_plan *plan, size_t subject, size_t primary,
                                  const struct validate_about **about)
{
    const struct cell *best = NULL;
    for (size_t i = 0; i < plan->count; i++) {
        const struct cell *cell = &plan->cells[i];
        if (plan->about[i].subject != subject || plan->about[i].specimen != primary ||
            cell->counters != 1 || !plan->about[i].runs || (best && cell->n <= best->n))
            continue;
        best = cell;
        *about = &plan->about[i];
    }
    return best;
}

bool validate_cap(const struct validate_study *study, const struct validate_plan *plan,
                  size_t subject, struct validate_cap *cap)
{
    struct validate_wishes wishes;
    const struct validate_subject *event = &study->subjects[subject];
    size_t primary = validate_primary(study, event->class);
    const struct validate_about *about = NULL;
    if (primary == VALIDATE_NO_SPECIMEN || validate_wish_list(study, event, &wishes) < 0)
        return false;
    uint64_t top = 0;
    for (size_t i = 0; i < wishes.count; i++)
        if (wishes.list[i].ladder && wishes.list[i].n > top)
            top = wishes.list[i].n;
    free(wishes.list);
    const struct cell *cell = highest(plan, subject, primary, &about);
    if (!cell || cell->n >= top)
        return false;
    *cap = (struct validate_cap){
        .subject = subject, .specimen = study->specimens[primary].name, .n = cell->n, .top = top};
    uint64_t process = process_cost(plan, subject);
    if (cell->n && (about->inside_ns || is_told(about, process)))
        cap->hit_ns = run_cost(about, process) / (double)cell->n;
    return true;
}
