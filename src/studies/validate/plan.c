/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rounds of `assay validate`: every event in turn gets the next of its wishes, as long as they
 * fit its share of the budget. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/wishes.h"
#include "studies/validate/plan.h"

/* ----------------------------------------------------------------------------------------------
 * What would be worth knowing of one event, the most important first: the ladder of the specimen
 * that counts it best, code that must not move it, other specimens, other ways, other cores. */

#define LADDER_TOP   UINT64_C(1000000)
#define FIRST_RUNGS  UINT64_C(1000) /* the ladder up to here comes before everything else */
#define LONG_N       UINT64_C(1000000)
#define CLOSE_ENOUGH 10u /* bisection ends when two N differ by less than this part */

/* One point that would be worth measuring. */
struct validate_wish {
    size_t specimen, way, cpu; /* indices */
    uint64_t n;
    bool with_interrupts;
    bool ladder; /* a rung of the primary specimen */
};
struct validate_wishes {
    struct validate_wish *list; /* the most important first */
    size_t count;
};

struct wishing {
    const struct validate_study *study;
    const struct validate_subject *subject;
    struct validate_wishes *wishes;
    size_t primary;
};

static const struct catalogue_truth *truth_of(const struct validate_study *study, size_t specimen,
                                              const char *class)
{
    const struct catalogue_specimen *known = study->specimens[specimen].known;
    for (size_t i = 0; class && i < known->truth_count; i++)
        if (strcmp(known->truths[i].class, class) == 0)
            return &known->truths[i];
    return NULL;
}

/* Does more work mean more counts? */
static bool grows(const struct catalogue_truth *truth)
{
    return truth && (truth->each > 0 || (strcmp(truth->grade, "bounded") == 0 &&
                                         truth->high_each > 0 && truth->each >= 0));
}

/* Smaller is better. A lower limit of 0 can never be missed, so it comes last. */
static unsigned rank_of(const struct validate_study *study, size_t specimen,
                        const struct catalogue_truth *truth)
{
    unsigned grade = strcmp(truth->grade, "proven") == 0    ? 0
                     : strcmp(truth->grade, "bounded") == 0 ? 1
                                                            : 2;
    unsigned parameters = *study->specimens[specimen].known->parameters != 0;
    unsigned fixed = truth->each <= 0, odd = truth->base != 0 || truth->each != 1;
    return 32 * grade + 8 * fixed + 4 * parameters + odd;
}

size_t validate_primary(const struct validate_study *study, const char *class)
{
    size_t best = VALIDATE_NO_SPECIMEN;
    unsigned best_rank = 0;
    for (size_t i = 0; i < study->specimen_count; i++) {
        const struct catalogue_truth *truth = truth_of(study, i, class);
        if (!grows(truth))
            continue;
        unsigned rank = rank_of(study, i, truth);
        if (best == VALIDATE_NO_SPECIMEN || rank < best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

static void add(struct wishing *wishing, struct validate_wish wish)
{
    const struct catalogue_specimen *known = wishing->study->specimens[wish.specimen].known;
    struct validate_wishes *wishes = wishing->wishes;
    if (wish.n < known->min_n)
        wish.n = known->min_n;
    if (wish.n > known->max_n)
        wish.n = known->max_n;
    for (size_t i = 0; i < wishes->count; i++) {
        const struct validate_wish *other = &wishes->list[i];
        if (other->specimen == wish.specimen && other->n == wish.n && other->way == wish.way &&
            other->cpu == wish.cpu && other->with_interrupts == wish.with_interrupts)
            return;
    }
    *memory_add(wishes->list, wishes->count) = wish;
}

static void add_rungs(struct wishing *wishing, uint64_t from, uint64_t to)
{
    for (uint64_t n = 1; n <= to; n *= 10)
        if (n >= from)
            add(wishing,
                (struct validate_wish){.specimen = wishing->primary, .n = n, .ladder = true});
}

/* Between the N that reads 0 and the one that does not: powers of two apart at first, then three
 * points a round. */
static void add_bisection(struct wishing *wishing)
{
    uint64_t low = wishing->subject->zero_to, high = wishing->subject->counts_from;
    if (!low || high <= low + low / CLOSE_ENOUGH)
        return;
    for (uint64_t n = low; n <= high / 2; n *= 2)
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = n});
    for (uint64_t part = 1; high / 2 <= low && part <= 3; part++)
        add(wishing, (struct validate_wish){.specimen = wishing->primary,
                                            .n = low + (high - low) * part / 4});
}

/* Every other specimen whose count of the class grows; those whose memory has to be made ready
 * (they take parameters) come last. */
static void add_others(struct wishing *wishing, uint64_t n)
{
    const struct validate_study *study = wishing->study;
    for (int with_parameters = 0; with_parameters < 2; with_parameters++)
        for (size_t i = 0; i < study->specimen_count; i++)
            if (i != wishing->primary && grows(truth_of(study, i, wishing->subject->class)) &&
                (*study->specimens[i].known->parameters != 0) == with_parameters)
                add(wishing, (struct validate_wish){.specimen = i, .n = n});
}

/* Code that does much of something else and none of this: it must not be counted. */
static void add_still(struct wishing *wishing, const char *name, uint64_t n)
{
    const struct validate_study *study = wishing->study;
    for (size_t i = 0; i < study->specimen_count; i++) {
        const struct catalogue_truth *truth = truth_of(study, i, wishing->subject->class);
        if (strcmp(study->specimens[i].known->name, name) == 0 && truth && !grows(truth))
            add(wishing, (struct validate_wish){.specimen = i, .n = n});
    }
}

static void add_other_ways(struct wishing *wishing)
{
    for (size_t way = 1; way < wishing->subject->way_count; way++)
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = 100, .way = way});
    for (size_t cpu = 1; cpu < wishing->subject->cpu_count; cpu++) {
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = 100, .cpu = cpu});
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = 1000, .cpu = cpu});
    }
}

static void add_interrupts(struct wishing *wishing)
{
    if (!wishing->study->interrupts || !wishing->subject->interrupts)
        return;
    for (uint64_t n = LADDER_TOP / 100; n <= LONG_N; n *= 10)
        add(wishing,
            (struct validate_wish){.specimen = wishing->primary, .n = n, .with_interrupts = true});
}

static void add_diagnosis(struct wishing *wishing)
{
    if (!wishing->subject->user_code)
        return;
    add_still(wishing, "getppid", 10);
    add_still(wishing, "pages", 10);
    add_still(wishing, "getppid", 1000);
    add_still(wishing, "pages", 1000);
}

static struct validate_wishes wish_list(const struct validate_study *study,
                                        const struct validate_subject *subject)
{
    struct validate_wishes wishes = {0};
    struct wishing wishing = {.study = study,
                              .subject = subject,
                              .wishes = &wishes,
                              .primary = validate_primary(study, subject->class)};
    if (wishing.primary == VALIDATE_NO_SPECIMEN)
        return wishes;
    add_bisection(&wishing);
    add_rungs(&wishing, 1, FIRST_RUNGS);
    if (!subject->brief || subject->deviates) {
        add_still(&wishing, "loop", 10);
        add_others(&wishing, 10);
        add_diagnosis(&wishing);
        if (subject->deviates) {
            /* What only one specimen does is blamed from three points of it at least. */
            add_others(&wishing, 100);
            add_others(&wishing, 1000);
            add_interrupts(&wishing);
        }
        add_still(&wishing, "loop", 1000);
        add_other_ways(&wishing);
        add_rungs(&wishing, FIRST_RUNGS, LADDER_TOP / 10);
        add_others(&wishing, 1000);
        add_interrupts(&wishing);
        add_rungs(&wishing, LADDER_TOP, LADDER_TOP);
        if (subject->deviates || study->full)
            add_others(&wishing, 100000);
    }
    return wishes;
}

/* ----------------------------------------------------------------------------------------------
 * What a visit will take, from what visits took so far. A visit is a process, whose price the null
 * cell shows, and runs, whose price grows with N. */

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

/* Where a specimen's chain begins; 0: there is no such cell. */
static size_t validate_last_of_specimen(const struct validate_plan *plan, size_t specimen)
{
    return plan->last_of_specimen ? plan->last_of_specimen[specimen] : 0;
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

/* What a visit will take, from what others took; false: nobody knows. */
static bool validate_visit_cost(const struct validate_study *study,
                                const struct validate_plan *plan, size_t subject,
                                const struct validate_wish *wish, uint32_t runs, uint64_t *ns)
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
    const struct validate_subject *event = &study->subjects[subject];
    size_t primary = validate_primary(study, event->class);
    const struct validate_about *about = NULL;
    if (primary == VALIDATE_NO_SPECIMEN)
        return false;
    struct validate_wishes wishes = wish_list(study, event);
    uint64_t top = 0;
    for (size_t i = 0; i < wishes.count; i++)
        if (wishes.list[i].ladder && wishes.list[i].n > top)
            top = wishes.list[i].n;
    memory_give_back(wishes.list);
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

/* --- the rounds --- */

#define MANY_RUNS        100u /* of a point */
#define FEW_RUNS         20u  /* where they are dear */
#define LADDER_PROCESSES 4u
#define OTHER_PROCESSES  2u
#define REST_PARTS       4u /* of the rest, one point takes at most such a part */
#define DEAR             4u /* many runs must fit this part of what a point may take */

/* --- the arrays of a plan --- */

/* Room for what is known of `count` cells, and the chains. */
static void make_room(const struct validate_study *study, struct validate_plan *plan, size_t count)
{
    plan->about = memory_resize(plan->about, count, sizeof(*plan->about));
    if (!plan->last_of_subject)
        plan->last_of_subject = memory_new(study->subject_count, sizeof(size_t));
    if (!plan->last_of_specimen)
        plan->last_of_specimen = memory_new(study->specimen_count, sizeof(size_t));
}

/* Says what is known of cell `at`, and puts it into the chains. */
static void set_about(const struct validate_study *study, struct validate_plan *plan, size_t at,
                      const struct validate_about *about)
{
    struct validate_about *own = &plan->about[at];
    *own = *about;
    if (about->subject < study->subject_count) {
        own->before_of_subject = plan->last_of_subject[about->subject];
        plan->last_of_subject[about->subject] = at + 1;
    }
    if (about->specimen < study->specimen_count) {
        own->before_of_specimen = plan->last_of_specimen[about->specimen];
        plan->last_of_specimen[about->specimen] = at + 1;
    }
}

static void append(const struct validate_study *study, struct validate_plan *plan,
                   const struct cell *cell, const struct validate_about *about)
{
    size_t at = plan->count;
    plan_append(&plan->cells, &plan->count, cell);
    make_room(study, plan, plan->count);
    set_about(study, plan, at, about);
}

size_t validate_last_of_subject(const struct validate_plan *plan, size_t subject)
{
    return plan->last_of_subject ? plan->last_of_subject[subject] : 0;
}

static size_t find_subject(const struct validate_study *study, const char *name)
{
    size_t i = 0;
    while (i < study->subject_count && strcmp(study->subjects[i].name, name) != 0)
        i++;
    return i;
}

/* The one with these parameters; else, since a geometry that was measured again changes them, the
 * one of that name. */
static size_t find_specimen(const struct validate_study *study, const char *name)
{
    size_t length = strcspn(name, "/");
    for (size_t i = 0; i < study->specimen_count; i++)
        if (strcmp(study->specimens[i].name, name) == 0)
            return i;
    for (size_t i = 0; i < study->specimen_count; i++) {
        const char *known = study->specimens[i].known->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return i;
    }
    return VALIDATE_NO_SPECIMEN;
}

int validate_adopt(const struct validate_study *study, struct validate_plan *plan,
                   const struct cell *cell, uint32_t processes)
{
    struct validate_about about = {.subject = find_subject(study, cell->events[0]),
                                   .specimen = plan_is_overhead_cell(cell)
                                                   ? VALIDATE_NO_SPECIMEN
                                                   : find_specimen(study, cell->specimen),
                                   .processes = processes};
    uint32_t id = cell->id;
    append(study, plan, cell, &about);
    plan->cells[plan->count - 1].id = id;
    return 0;
}

void validate_next_core(struct validate_subject *subject)
{
    int32_t first = subject->cpus[0];
    memmove(subject->cpus, subject->cpus + 1, (subject->cpu_count - 1) * sizeof(first));
    subject->cpus[subject->cpu_count - 1] = first;
}

/* --- one wish --- */

static bool is_of_way(const struct cell *cell, const struct validate_subject *event,
                      const struct validate_wish *wish)
{
    const struct validate_way *way = &event->ways[wish->way];
    return cell->cpu == event->cpus[wish->cpu] && (cell->counters > 1) == wish->with_interrupts &&
           cell->pattern == way->pattern && strcmp(cell->path, way->path) == 0 &&
           strcmp(cell->opt, way->opt) == 0 && strcmp(cell->link, way->link) == 0;
}

/* Already in the plan? */
static bool validate_is_planned(const struct validate_study *study,
                                const struct validate_plan *plan, size_t subject,
                                const struct validate_wish *wish)
{
    const struct validate_subject *event = &study->subjects[subject];
    for (size_t i = validate_last_of_subject(plan, subject); i;
         i = plan->about[i - 1].before_of_subject) {
        const struct cell *cell = &plan->cells[i - 1];
        if (plan->about[i - 1].specimen == wish->specimen && cell->n == wish->n &&
            is_of_way(cell, event, wish))
            return true;
    }
    return false;
}

static void make_cell(const struct validate_study *study, size_t subject,
                      const struct validate_wish *wish, uint32_t runs, struct cell *cell)
{
    const struct validate_subject *event = &study->subjects[subject];
    const struct validate_way *way = &event->ways[wish->way];
    bool both = wish->with_interrupts;
    const struct cell like = {
        .events = {(char *)event->name, both ? (char *)study->interrupts : NULL},
        .counters = both ? 2 : 1,
        .path = (char *)way->path,
        .pattern = way->pattern,
        .specimen = (char *)study->specimens[wish->specimen].name,
        .n = wish->n,
        .opt = (char *)way->opt,
        .link = (char *)way->link,
        .runs = runs,
        .separate = both,
        .cpu = event->cpus[wish->cpu]};
    *cell = plan_copy(&like);
}

/* How a point is spread over processes. */
struct spread {
    uint32_t processes, runs; /* runs of each process */
    uint64_t ns;              /* of all processes */
};

/* No more processes than runs. */
static void spread_runs(uint32_t runs, uint32_t processes, struct spread *spread)
{
    spread->processes = processes < runs ? processes : runs;
    spread->runs = (runs + spread->processes - 1) / spread->processes;
}

static bool was_seen(const struct validate_plan *plan, size_t specimen)
{
    for (size_t i = validate_last_of_specimen(plan, specimen); i;
         i = plan->about[i - 1].before_of_specimen)
        if (plan->about[i - 1].visits)
            return true;
    return false;
}

/* Many runs where they cost little, few where they are dear; false: nobody knows what they cost. */
static bool spread_of(const struct validate_study *study, const struct validate_plan *plan,
                      size_t subject, const struct validate_wish *wish, uint64_t most,
                      struct spread *spread)
{
    const struct validate_subject *event = &study->subjects[subject];
    /* A source counts the same whichever process it runs. */
    uint32_t processes = wish->ladder && !event->runs ? LADDER_PROCESSES : OTHER_PROCESSES;
    uint32_t many = study->runs ? study->runs : MANY_RUNS;
    uint32_t few = study->runs ? study->runs : FEW_RUNS;
    uint64_t visit;
    if (event->runs)
        *spread = (struct spread){.processes = processes, .runs = event->runs};
    else
        spread_runs(many, processes, spread);
    if (!validate_visit_cost(study, plan, subject, wish, spread->runs, &visit))
        return false;
    spread->ns = spread->processes * visit;
    bool untried =
        *study->specimens[wish->specimen].known->parameters && !was_seen(plan, wish->specimen);
    if (study->full || (spread->ns <= most / DEAR && !untried))
        return true;
    if (!event->runs)
        spread_runs(few, OTHER_PROCESSES, spread);
    validate_visit_cost(study, plan, subject, wish, spread->runs, &visit);
    spread->ns = spread->processes * visit;
    return true;
}

/* --- a round --- */

static int take(const struct validate_study *study, size_t subject,
                const struct validate_wish *wish, const struct spread *spread,
                struct validate_plan *plan)
{
    struct cell cell;
    struct validate_about about = {
        .subject = subject, .specimen = wish->specimen, .processes = spread->processes};
    make_cell(study, subject, wish, spread->runs, &cell);
    append(study, plan, &cell, &about);
    return 0;
}

static bool was_visited(const struct validate_plan *plan, size_t subject)
{
    for (size_t i = validate_last_of_subject(plan, subject); i;
         i = plan->about[i - 1].before_of_subject)
        if (plan->about[i - 1].visits)
            return true;
    return false;
}

/* Specimens that nobody ran yet may be dear. Before anything is known of what a process costs,
 * only the ladder is asked for; those whose memory has to be made ready wait for a round in which
 * no other is new. */
static bool must_wait(const struct validate_study *study, const struct validate_plan *plan,
                      const struct validate_wish *wish, bool any_visited, bool *any_new)
{
    if (!any_visited)
        return !wish->ladder;
    if (was_seen(plan, wish->specimen))
        return false;
    if (*study->specimens[wish->specimen].known->parameters && *any_new)
        return true;
    *any_new = true;
    return false;
}

/* What the null cell of that wish's way will take; 0 where the plan has it already. */
static uint64_t null_cost(const struct validate_study *study, const struct validate_plan *plan,
                          size_t subject, const struct validate_wish *wish)
{
    const struct validate_subject *event = &study->subjects[subject];
    uint64_t process = 0;
    for (size_t i = validate_last_of_subject(plan, subject); i;
         i = plan->about[i - 1].before_of_subject)
        if (is_of_way(&plan->cells[i - 1], event, wish))
            return 0;
    validate_visit_cost(study, plan, subject, wish, 0, &process);
    return process * (event->runs ? OTHER_PROCESSES : LADDER_PROCESSES);
}

/* The subject's wishes that fit; what is left of its allowance is returned in *allowance. */
static int take_wishes(const struct validate_study *study, const struct validate_round *round,
                       size_t subject, uint64_t *allowance, struct validate_plan *plan)
{
    struct validate_wishes wishes = wish_list(study, &study->subjects[subject]);
    int error = 0;
    bool any_visited = was_visited(plan, subject), any_new = false;
    for (size_t i = 0; i < wishes.count && error == 0; i++) {
        struct spread spread;
        const struct validate_wish *wish = &wishes.list[i];
        uint64_t most = round->point_ns < *allowance ? round->point_ns : *allowance;
        if (round->share == SHARE_DEAR && !wish->ladder)
            continue;
        if (validate_is_planned(study, plan, subject, wish) ||
            !spread_of(study, plan, subject, wish, most, &spread))
            continue;
        uint64_t null_ns = null_cost(study, plan, subject, wish);
        bool fits = spread.ns <= most && (!any_visited || spread.ns + null_ns <= *allowance);
        if ((!study->full && !fits) || must_wait(study, plan, wish, any_visited, &any_new))
            continue;
        spread.ns += null_ns;
        error = take(study, subject, wish, &spread, plan);
        *allowance -= spread.ns < *allowance ? spread.ns : *allowance;
    }
    memory_give_back(wishes.list);
    return error;
}

static bool has_wishes(const struct validate_study *study, const struct validate_plan *plan,
                       size_t subject)
{
    struct validate_wishes wishes = wish_list(study, &study->subjects[subject]);
    bool any = false;
    for (size_t i = 0; i < wishes.count && !any; i++)
        any = !validate_is_planned(study, plan, subject, &wishes.list[i]);
    memory_give_back(wishes.list);
    return any;
}

/* Null cells for the ways that this round began. They are as cheap as a process can be, and what
 * they say is subtracted from everything: they get as many runs as any point. */
static int add_nulls(const struct validate_study *study, struct validate_plan *plan)
{
    size_t before = plan->count;
    int error = 0;
    plan_overhead_cells(&plan->cells, &plan->count);
    make_room(study, plan, plan->count);
    for (size_t i = before; i < plan->count; i++) {
        struct cell *cell = &plan->cells[i];
        size_t subject = find_subject(study, cell->events[0]);
        bool source = subject < study->subject_count && study->subjects[subject].runs;
        struct spread spread = {.processes = OTHER_PROCESSES, .runs = cell->runs};
        if (!source)
            spread_runs(study->runs ? study->runs : MANY_RUNS, LADDER_PROCESSES, &spread);
        const struct validate_about about = {
            .subject = subject, .specimen = VALIDATE_NO_SPECIMEN, .processes = spread.processes};
        set_about(study, plan, i, &about);
        cell->runs = spread.runs;
    }
    return error;
}

int validate_next(const struct validate_study *study, const struct validate_round *round,
                  struct validate_plan *plan)
{
    size_t active = 0, first = plan->count;
    int error = 0;
    for (size_t i = 0; i < study->subject_count; i++)
        active += has_wishes(study, plan, i);
    uint64_t left = round->budget_ns;
    struct validate_round own = *round;
    if (round->share == SHARE_REST && own.point_ns > left / REST_PARTS)
        own.point_ns = left / REST_PARTS; /* many cheap points before a dear one */
    if (round->share == SHARE_DEAR)
        own.point_ns = left / 2;
    if (round->share == SHARE_FIRST) {
        active = first ? 0 : active;
        own.point_ns = left = UINT64_MAX;
    }
    for (size_t i = 0; i < study->subject_count && active && error == 0; i++) {
        uint64_t share = round->share >= SHARE_REST    ? left / 2
                         : round->share == SHARE_WHOLE ? round->budget_ns / active
                                                       : round->budget_ns / active / 2;
        uint64_t allowance = share;
        error = take_wishes(study, &own, i, &allowance, plan);
        left -= share - allowance;
        if (round->share == SHARE_FIRST && plan->count)
            break;
    }
    return error == 0 && plan->count > first ? add_nulls(study, plan) : error;
}
