/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rounds of `assay validate`: every event in turn gets the next of its wishes, as long as they
 * fit its share of the budget. */
#include <string.h>

#include "base/memory.h"
#include "studies/validate/plan.h"

/* ----------------------------------------------------------------------------------------------
 * What would be worth knowing of one event, the most important first: the ladder of the specimen
 * that counts it best, code that must not move it, other specimens, other ways, other cores. */

#define LADDER_TOP   UINT64_C(1000000)
#define LONG_NS      300000000.0    /* a window of so long spans many ticks, and much else */
#define LONG_ENOUGH  0.8            /* of it: times vary */
#define FIRST_RUNGS  UINT64_C(1000) /* the ladder up to here comes before everything else */
#define LONG_N       UINT64_C(1000000)
#define CLOSE_ENOUGH 10u /* bisection ends when two N differ by less than this part */

/* One point that would be worth measuring. */
struct validate_wish {
    size_t specimen, way, cpu; /* indices */
    uint64_t n;
    const char *beside; /* the event counted along; NULL: none */
    bool ladder;        /* a rung of the primary specimen */
};
struct validate_wishes {
    struct validate_wish *list; /* the most important first */
    size_t count;
};

struct wishing {
    const struct validate_plan *plan;
    const struct validate_subject *subject;
    struct validate_wishes *wishes;
    size_t primary;
};

static const struct catalogue_truth *truth_of(const struct validate_plan *plan, size_t specimen,
                                              const char *class)
{
    const struct catalogue_specimen *known = plan->specimens[specimen].known;
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
static unsigned rank_of(const struct validate_plan *plan, size_t specimen,
                        const struct catalogue_truth *truth)
{
    unsigned grade = strcmp(truth->grade, "proven") == 0    ? 0
                     : strcmp(truth->grade, "bounded") == 0 ? 1
                                                            : 2;
    unsigned parameters = *plan->specimens[specimen].known->parameters != 0;
    unsigned fixed = truth->each <= 0, odd = truth->base != 0 || truth->each != 1;
    return 32 * grade + 8 * fixed + 4 * parameters + odd;
}

size_t validate_primary(const struct validate_plan *plan, const char *class)
{
    size_t best = VALIDATE_NO_SPECIMEN;
    unsigned best_rank = 0;
    for (size_t i = 0; i < plan->specimen_count; i++) {
        const struct catalogue_truth *truth = truth_of(plan, i, class);
        if (!grows(truth))
            continue;
        unsigned rank = rank_of(plan, i, truth);
        if (best == VALIDATE_NO_SPECIMEN || rank < best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

static bool same_beside(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

static void add(struct wishing *wishing, struct validate_wish wish)
{
    const struct catalogue_specimen *known = wishing->plan->specimens[wish.specimen].known;
    struct validate_wishes *wishes = wishing->wishes;
    if (wish.n < known->min_n)
        wish.n = known->min_n;
    if (wish.n > known->max_n)
        wish.n = known->max_n;
    for (size_t i = 0; i < wishes->count; i++) {
        const struct validate_wish *other = &wishes->list[i];
        if (other->specimen == wish.specimen && other->n == wish.n && other->way == wish.way &&
            other->cpu == wish.cpu && same_beside(other->beside, wish.beside))
            return;
    }
    *memory_add(wishes->list, wishes->count) = wish;
}

static void add_point(struct wishing *wishing, size_t specimen, uint64_t n)
{
    add(wishing, (struct validate_wish){.specimen = specimen, .n = n});
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
        add_point(wishing, wishing->primary, n);
    for (uint64_t part = 1; high / 2 <= low && part <= 3; part++)
        add_point(wishing, wishing->primary, low + (high - low) * part / 4);
}

/* Every other specimen whose count of the class grows; those whose memory has to be made ready
 * (they take parameters) come last. */
static void add_others(struct wishing *wishing, uint64_t n)
{
    const struct validate_plan *plan = wishing->plan;
    for (int with_parameters = 0; with_parameters < 2; with_parameters++)
        for (size_t i = 0; i < plan->specimen_count; i++)
            if (i != wishing->primary && grows(truth_of(plan, i, wishing->subject->class)) &&
                (*plan->specimens[i].known->parameters != 0) == with_parameters)
                add_point(wishing, i, n);
}

/* Code that does much of something else and none of this: it must not be counted. */
static void add_still(struct wishing *wishing, const char *name, uint64_t n)
{
    const struct validate_plan *plan = wishing->plan;
    for (size_t i = 0; i < plan->specimen_count; i++) {
        const struct catalogue_truth *truth = truth_of(plan, i, wishing->subject->class);
        if (strcmp(plan->specimens[i].known->name, name) == 0 && truth && !grows(truth))
            add_point(wishing, i, n);
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
    if (!wishing->plan->interrupts || !wishing->subject->interrupts)
        return;
    for (uint64_t n = LADDER_TOP / 100; n <= LONG_N; n *= 10)
        add(wishing, (struct validate_wish){.specimen = wishing->primary,
                                            .n = n,
                                            .beside = wishing->plan->interrupts});
}

/* --- windows that last: an error that comes with ticks, switches or time shows in these alone ---
 */

static const struct cell *cell_at(const struct validate_plan *plan, size_t at);
static struct wished_cell seen_at(const struct validate_plan *plan, size_t at);
static size_t highest(const struct validate_plan *plan, size_t subject, size_t primary);

/* The N whose window lasts so long, by the longest one seen so far: 1, 2, 3 or 5 with zeros. 0:
 * that one lasted long enough, or none was seen. */
static uint64_t long_n(const struct validate_plan *plan, const struct validate_subject *subject,
                       size_t primary)
{
    static const uint64_t digits[] = {1, 2, 3, 5};
    const size_t best = highest(plan, (size_t)(subject - plan->subjects), primary);
    if (best == plan->count)
        return 0;
    const struct wished_cell seen = seen_at(plan, best);
    const double n = (double)cell_at(plan, best)->n;
    const double window = (double)seen.inside_ns / (double)seen.runs;
    if (!(window > 0) || !(n > 0) || window >= LONG_ENOUGH * LONG_NS)
        return 0;
    const double wanted = n * LONG_NS / window;
    for (uint64_t zeros = 1; zeros <= UINT64_MAX / 100; zeros *= 10)
        for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++)
            if ((double)(digits[i] * zeros) >= wanted)
                return digits[i] * zeros;
    return 0;
}

static void add_long(struct wishing *wishing)
{
    const uint64_t last = long_n(wishing->plan, wishing->subject, wishing->primary);
    for (uint64_t n = 10 * LADDER_TOP; n < last; n *= 10)
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = n, .ladder = true});
    if (last > LADDER_TOP)
        add(wishing,
            (struct validate_wish){.specimen = wishing->primary, .n = last, .ladder = true});
}

/* --- what must not move an event of user code --- */

static void add_named(struct wishing *wishing, const char *name, uint64_t n, const char *beside)
{
    const struct validate_plan *plan = wishing->plan;
    for (size_t i = 0; i < plan->specimen_count; i++)
        if (strcmp(plan->specimens[i].known->name, name) == 0)
            add(wishing, (struct validate_wish){.specimen = i, .n = n, .beside = beside});
}

/* System calls need no truth: the filter shows in the counts themselves, and beside those of the
 * event without its mode. */
static void add_diagnosis(struct wishing *wishing)
{
    const struct validate_subject *subject = wishing->subject;
    static const uint64_t sizes[] = {10, 1000};
    if (!subject->user_code)
        return;
    for (size_t i = 0; i < 2; i++) {
        add_named(wishing, "getppid", sizes[i], NULL);
        add_named(wishing, "pages", sizes[i], NULL);
    }
    for (size_t i = 0; i < 2 && subject->unfiltered; i++)
        add_named(wishing, "getppid", sizes[i], subject->unfiltered);
    for (size_t i = 0; i < 2 && subject->interrupts; i++) {
        add_named(wishing, "ping-pong", sizes[i] / (i ? 10 : 1), NULL);
        add_named(wishing, "migrations", sizes[i] / (i ? 10 : 1), NULL);
    }
}

static struct validate_wishes wish_list(const struct validate_plan *plan,
                                        const struct validate_subject *subject)
{
    struct validate_wishes wishes = {0};
    struct wishing wishing = {.plan = plan,
                              .subject = subject,
                              .wishes = &wishes,
                              .primary = validate_primary(plan, subject->class)};
    if (subject->unjudged || wishing.primary == VALIDATE_NO_SPECIMEN)
        return wishes;
    add_bisection(&wishing);
    add_rungs(&wishing, 1, FIRST_RUNGS);
    if (!subject->brief || subject->deviates) {
        add_still(&wishing, "loop", 10);
        add_diagnosis(&wishing);
        add_others(&wishing, 10);
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
        add_long(&wishing);
        if (subject->deviates || plan->full)
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

static const struct cell *cell_at(const struct validate_plan *plan, size_t at)
{
    return plan->wishes->list[at].cells;
}

const struct validate_subject *validate_subject_at(const struct validate_plan *plan, size_t at)
{
    const size_t subject = at < plan->count ? plan->about[at].subject : plan->subject_count;
    return subject < plan->subject_count ? &plan->subjects[subject] : NULL;
}

static bool is_of_source(const struct validate_plan *plan, size_t at)
{
    const struct validate_subject *subject = validate_subject_at(plan, at);
    return subject && subject->runs;
}

/* What visits of a cell took. The counter of a source is enabled for as long as its process lives,
 * which says nothing of a run. */
static struct wished_cell seen_at(const struct validate_plan *plan, size_t at)
{
    struct wished_cell seen =
        at < plan->wishes->cell_count ? plan->wishes->about[at] : (struct wished_cell){0};
    if (is_of_source(plan, at))
        seen.inside_ns = 0;
    return seen;
}

/* The cells of an event, and of a specimen. */
static struct validate_places places_of(const struct validate_places *all, size_t index)
{
    return all ? all[index] : (struct validate_places){0};
}

size_t validate_cells_of(const struct validate_plan *plan, size_t subject)
{
    return places_of(plan->of_subject, subject).count;
}

/* ns of a visit, from end to end; 0: none was seen. */
static uint64_t mean_of(const struct wished_cell *seen)
{
    return seen->visits ? seen->ns / seen->visits : 0;
}

/* Of all visits so far. */
static uint64_t mean_cost(const struct validate_plan *plan)
{
    uint64_t sum = 0, visits = 0;
    for (size_t i = 0; i < plan->wishes->cell_count; i++) {
        sum += plan->wishes->about[i].ns;
        visits += plan->wishes->about[i].visits;
    }
    return visits ? sum / visits : USUAL_VISIT;
}

/* Of the event's cheapest cell, which is its null cell or close to it. */
static uint64_t process_cost(const struct validate_plan *plan, size_t subject)
{
    const struct validate_places own = places_of(plan->of_subject, subject);
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < own.count; i++) {
        const struct wished_cell seen = seen_at(plan, own.list[i]);
        if (seen.visits && mean_of(&seen) < least)
            least = mean_of(&seen);
    }
    return least != UINT64_MAX ? least : mean_cost(plan);
}

/* The cell to learn from: of the same event where there is one, and of the largest N that is not
 * larger. */
static bool better(const struct validate_plan *plan, size_t subject, uint64_t n, size_t at,
                   size_t best)
{
    if (best == plan->count)
        return true;
    bool own = plan->about[at].subject == subject, best_own = plan->about[best].subject == subject;
    if (own != best_own)
        return own;
    uint64_t here = cell_at(plan, at)->n, there = cell_at(plan, best)->n;
    if ((here <= n) != (there <= n))
        return here <= n;
    return here <= n ? here > there : here < there;
}

static size_t seen_before(const struct validate_plan *plan, size_t subject,
                          const struct validate_wish *wish)
{
    const struct validate_places alike = places_of(plan->of_specimen, wish->specimen);
    size_t best = plan->count;
    for (size_t i = alike.count; i-- > 0;)
        if (seen_at(plan, alike.list[i]).runs &&
            better(plan, subject, wish->n, alike.list[i], best))
            best = alike.list[i];
    return best;
}

/* Is it told by more than chance what the runs took? Below twice the price of a process it is not.
 */
static bool is_told(const struct wished_cell *seen, uint64_t process_ns)
{
    return mean_of(seen) > 2 * process_ns;
}

/* One run of that cell, without its share of the process. */
static double run_cost(const struct validate_plan *plan, size_t at, uint64_t process_ns)
{
    const struct wished_cell seen = seen_at(plan, at);
    double runs = (double)seen.runs / (double)seen.visits;
    if (is_told(&seen, process_ns))
        return ((double)seen.ns / (double)seen.visits - (double)process_ns) / runs;
    if (seen.inside_ns)
        return AROUND * (double)seen.inside_ns / (double)seen.runs;
    return (double)process_ns / HIDDEN / runs;
}

/* What one unit of N executes, as far as that is known; at least 1. */
static double work_of(const struct validate_plan *plan, size_t specimen)
{
    const struct catalogue_truth *truth = truth_of(plan, specimen, "instructions");
    return truth && truth->each > 1 ? (double)truth->each : 1;
}

/* A specimen that nobody ran yet: by what the event's own ladder costs for as much work. Sources
 * pay for every instruction. */
static double unseen_cost(const struct validate_plan *plan, size_t subject,
                          const struct validate_wish *wish, uint64_t process_ns)
{
    size_t primary = validate_primary(plan, plan->subjects[subject].class);
    const struct validate_wish ladder = {.specimen = primary, .n = wish->n};
    if (primary == VALIDATE_NO_SPECIMEN)
        return 0;
    size_t seen = seen_before(plan, subject, &ladder);
    if (seen == plan->count || plan->about[seen].subject != subject || !cell_at(plan, seen)->n)
        return 0;
    double more = (double)wish->n / (double)cell_at(plan, seen)->n;
    return run_cost(plan, seen, process_ns) * more * work_of(plan, wish->specimen) /
           work_of(plan, primary);
}

/* What a visit will take, from what others took; false: nobody knows. */
static bool visit_cost(const struct validate_plan *plan, size_t subject,
                       const struct validate_wish *wish, uint32_t runs, uint64_t *ns)
{
    const struct catalogue_specimen *known = plan->specimens[wish->specimen].known;
    uint64_t process = process_cost(plan, subject);
    size_t seen = seen_before(plan, subject, wish);
    bool unseen = seen == plan->count;
    uint64_t n = unseen ? 0 : cell_at(plan, seen)->n;
    uint64_t look = known->min_n > FIRST_LOOK ? known->min_n : FIRST_LOOK;
    if (unseen ? wish->n > look : wish->n / FAR > n)
        return false;
    double run = unseen ? unseen_cost(plan, subject, wish, process) : run_cost(plan, seen, process);
    double more = n ? (double)wish->n / (double)n : 1;
    double cost = (double)process + runs * run * more;
    *ns = cost < 1e18 ? (uint64_t)cost : UINT64_MAX / 4;
    return true;
}

void validate_learn_stored(struct validate_plan *plan, size_t at, uint64_t inside_ns, uint64_t runs)
{
    const uint64_t inside = is_of_source(plan, at) ? 0 : inside_ns;
    wishes_learn(plan->wishes, (uint32_t)at + 1, USUAL_VISIT + AROUND * inside, inside_ns, runs);
}

/* The rung of the ladder that was measured highest; plan->count: none was. */
static size_t highest(const struct validate_plan *plan, size_t subject, size_t primary)
{
    const struct validate_places own = places_of(plan->of_subject, subject);
    size_t best = plan->count;
    for (size_t i = 0; i < own.count; i++) {
        const size_t at = own.list[i];
        if (plan->about[at].specimen == primary && cell_at(plan, at)->counters == 1 &&
            seen_at(plan, at).runs &&
            (best == plan->count || cell_at(plan, at)->n > cell_at(plan, best)->n))
            best = at;
    }
    return best;
}

bool validate_cap(const struct validate_plan *plan, size_t subject, struct validate_cap *cap)
{
    size_t primary = validate_primary(plan, plan->subjects[subject].class);
    if (primary == VALIDATE_NO_SPECIMEN || plan->subjects[subject].unjudged)
        return false;
    struct validate_wishes wishes = wish_list(plan, &plan->subjects[subject]);
    uint64_t top = 0;
    for (size_t i = 0; i < wishes.count; i++)
        if (wishes.list[i].ladder && wishes.list[i].n > top)
            top = wishes.list[i].n;
    memory_give_back(wishes.list);
    size_t best = highest(plan, subject, primary);
    if (best == plan->count || cell_at(plan, best)->n >= top)
        return false;
    const uint64_t n = cell_at(plan, best)->n, process = process_cost(plan, subject);
    const struct wished_cell seen = seen_at(plan, best);
    *cap = (struct validate_cap){.event = plan->subjects[subject].name,
                                 .specimen = plan->specimens[primary].name,
                                 .n = n,
                                 .top = top};
    if (n && (seen.inside_ns || is_told(&seen, process)))
        cap->hit_ns = run_cost(plan, best, process) / (double)n;
    return true;
}

/* --- the rounds --- */

#define MANY_RUNS        100u               /* of a point */
#define FEW_RUNS         20u                /* where they are expensive */
#define LONG_RUNS        6u                 /* of windows that last … */
#define LASTING_NS       UINT64_C(20000000) /* … so long, or are more than a rung of the ladder */
#define LADDER_PROCESSES 4u
#define OTHER_PROCESSES  2u
#define REST_PARTS       4u /* of the rest, one point takes at most such a part */
#define DEAR             4u /* many runs must fit this part of what a point may take */

/* Wishes for all processes of a cell at once. What is not known is last in the lists. */
static void append(struct validate_plan *plan, size_t subject, size_t specimen, uint32_t processes,
                   const struct cell *like)
{
    const size_t at = plan->count;
    const struct wish wish = {
        .processes = processes, .least = processes, .after = NO_WISH, .at_once = true};
    struct cell cell = *like;
    if (!plan->of_subject) {
        plan->of_subject = memory_new(plan->subject_count + 1, sizeof(*plan->of_subject));
        plan->of_specimen = memory_new(plan->specimen_count + 1, sizeof(*plan->of_specimen));
    }
    struct validate_places *of_subject = &plan->of_subject[subject];
    struct validate_places *of_specimen =
        &plan->of_specimen[specimen == VALIDATE_NO_SPECIMEN ? plan->specimen_count : specimen];
    *memory_add(plan->about, plan->count) = (struct validate_about){subject, specimen};
    *memory_add(of_subject->list, of_subject->count) = at;
    *memory_add(of_specimen->list, of_specimen->count) = at;
    wishes_add(plan->wishes, &wish, &cell);
}

static size_t find_subject(const struct validate_plan *plan, const char *name)
{
    size_t i = 0;
    while (i < plan->subject_count && strcmp(plan->subjects[i].name, name) != 0)
        i++;
    return i;
}

/* The one with these parameters; else, since a geometry that was measured again changes them, the
 * one of that name. */
static size_t find_specimen(const struct validate_plan *plan, const char *name)
{
    size_t length = strcspn(name, "/");
    for (size_t i = 0; i < plan->specimen_count; i++)
        if (strcmp(plan->specimens[i].name, name) == 0)
            return i;
    for (size_t i = 0; i < plan->specimen_count; i++) {
        const char *known = plan->specimens[i].known->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return i;
    }
    return VALIDATE_NO_SPECIMEN;
}

/* How a point is spread over processes. */
struct spread {
    uint32_t processes, runs; /* runs of each process */
    uint64_t ns;              /* of all processes */
};

static void spread_runs(uint32_t runs, uint32_t processes, struct spread *spread)
{
    spread->processes = processes < runs ? processes : runs;
    spread->runs = (runs + spread->processes - 1) / spread->processes;
}

/* Where a run was ended before all visits of a cell were in the store: how many there are to be, by
 * how its runs were spread. */
static uint32_t wanted_processes(const struct validate_plan *plan, size_t subject,
                                 const struct cell *cell)
{
    const uint32_t runs = plan->runs ? plan->runs : MANY_RUNS;
    struct spread spread;
    if (subject < plan->subject_count && plan->subjects[subject].unjudged)
        return 1; /* validate_look */
    if (subject < plan->subject_count && plan->subjects[subject].runs)
        return OTHER_PROCESSES;
    spread_runs(runs, LADDER_PROCESSES, &spread);
    if (spread.runs != cell->runs)
        spread_runs(runs, OTHER_PROCESSES, &spread);
    return spread.processes;
}

void validate_adopt(struct validate_plan *plan)
{
    for (size_t i = 0; i < plan->wishes->cell_count; i++) {
        const struct cell *cell = &plan->wishes->cells[i];
        size_t specimen = plan_is_overhead_cell(cell) ? VALIDATE_NO_SPECIMEN
                                                      : find_specimen(plan, cell->specimen);
        const size_t subject = find_subject(plan, cell->events[0]);
        const uint32_t planned = plan->wishes->about[i].planned;
        const uint32_t wanted = wanted_processes(plan, subject, cell);
        append(plan, subject, specimen, planned < wanted ? wanted : planned, cell);
    }
    wishes_claim(plan->wishes);
}

void validate_next_core(struct validate_subject *subject)
{
    int32_t first = subject->cpus[0];
    memmove(subject->cpus, subject->cpus + 1, (subject->cpu_count - 1) * sizeof(first));
    subject->cpus[subject->cpu_count - 1] = first;
}

static void surprise(const struct judgement *judgement, struct validate_subject *subject,
                     const char *primary)
{
    enum verdict verdict = judgement->verdict;
    enum cause cause = judgement->cause;
    bool amiss = verdict_is_of_counts(verdict) && cause != CAUSE_NONE &&
                 cause != CAUSE_INTERFACE_OVERHEAD && cause != CAUSE_MODE_NOT_APPLICABLE;
    subject->deviates = verdict == VERDICT_NOISY || verdict == VERDICT_BIASED || amiss;
    if (verdict == VERDICT_UNSCHEDULED)
        validate_next_core(subject);
    subject->zero_to = subject->counts_from = 0;
    const struct judged_row *row = NULL;
    for (size_t i = 0; i < judgement->row_count && !row; i++)
        if (strcmp(judgement->rows[i].specimen, primary) == 0 &&
            strcmp(judgement->rows[i].path, subject->ways[0].path) == 0)
            row = &judgement->rows[i];
    /* The largest N that reads zero although its truth is not, and the smallest above that counts.
     */
    for (size_t i = 0; row && i < row->point_count && !subject->counts_from; i++) {
        const struct judged_point *point = &row->points[i];
        if (!point->runs || point->point->truth.low <= 0)
            continue;
        if (point->is_zero)
            subject->zero_to = point->point->n;
        else if (subject->zero_to)
            subject->counts_from = point->point->n;
    }
    if (!subject->counts_from)
        subject->zero_to = 0;
}

void validate_surprises(struct validate_plan *plan, const struct judgements *judgements)
{
    for (size_t i = 0; i < plan->subject_count; i++) {
        struct validate_subject *subject = &plan->subjects[i];
        size_t primary = validate_primary(plan, subject->class);
        for (size_t j = 0; j < judgements->count && !subject->unjudged; j++)
            if (strcmp(judgements->list[j].evidence->event, subject->name) == 0)
                surprise(&judgements->list[j], subject, plan->specimens[primary].name);
    }
}

/* --- one wish --- */

static bool is_of_way(const struct cell *cell, const struct validate_subject *event,
                      const struct validate_wish *wish)
{
    const struct validate_way *way = &event->ways[wish->way];
    return cell->cpu == event->cpus[wish->cpu] &&
           same_beside(cell->counters > 1 ? cell->events[1] : NULL, wish->beside) &&
           cell->pattern == way->pattern && strcmp(cell->path, way->path) == 0 &&
           strcmp(cell->opt, way->opt) == 0 && strcmp(cell->link, way->link) == 0;
}

/* Is a cell of the wish's way already in the plan; where asked, the wish itself? */
static bool is_planned(const struct validate_plan *plan, size_t subject,
                       const struct validate_wish *wish, bool itself)
{
    const struct validate_places own = places_of(plan->of_subject, subject);
    for (size_t i = 0; i < own.count; i++)
        if (is_of_way(cell_at(plan, own.list[i]), &plan->subjects[subject], wish) &&
            (!itself || (plan->about[own.list[i]].specimen == wish->specimen &&
                         cell_at(plan, own.list[i])->n == wish->n)))
            return true;
    return false;
}

/* Was any of these cells visited? */
static bool was_visited(const struct validate_plan *plan, struct validate_places places)
{
    for (size_t i = 0; i < places.count; i++)
        if (seen_at(plan, places.list[i]).visits)
            return true;
    return false;
}

/* Many runs where they cost little, few where they are dear; false: nobody knows what they cost. */
static bool spread_of(const struct validate_plan *plan, size_t subject,
                      const struct validate_wish *wish, uint64_t most, struct spread *spread)
{
    const struct validate_subject *event = &plan->subjects[subject];
    /* A source counts the same whichever process it runs. */
    uint32_t processes = wish->ladder && !event->runs ? LADDER_PROCESSES : OTHER_PROCESSES;
    uint64_t visit;
    if (event->runs)
        *spread = (struct spread){.processes = processes, .runs = event->runs};
    else
        spread_runs(plan->runs ? plan->runs : MANY_RUNS, processes, spread);
    if (!visit_cost(plan, subject, wish, spread->runs, &visit))
        return false;
    spread->ns = spread->processes * visit;
    const uint64_t process = process_cost(plan, subject);
    const uint64_t run = visit > process ? (visit - process) / spread->runs : 0;
    const bool rung = wish->ladder && !event->runs, beyond = rung && wish->n > LADDER_TOP;
    bool untried = *plan->specimens[wish->specimen].known->parameters &&
                   !was_visited(plan, places_of(plan->of_specimen, wish->specimen));
    if (!beyond && (plan->full || (spread->ns <= most / DEAR && !untried)))
        return true;
    if (!event->runs)
        spread_runs(plan->runs ? plan->runs : FEW_RUNS, OTHER_PROCESSES, spread);
    visit_cost(plan, subject, wish, spread->runs, &visit);
    spread->ns = spread->processes * visit;
    /* Windows that last are there for what comes with time: a few of them show it. */
    if (beyond || (rung && run >= LASTING_NS && spread->ns > most)) {
        spread_runs(LONG_RUNS, OTHER_PROCESSES, spread);
        visit_cost(plan, subject, wish, spread->runs, &visit);
        spread->ns = spread->processes * visit;
    }
    return true;
}

/* --- a round --- */

static void take(struct validate_plan *plan, size_t subject, const struct validate_wish *wish,
                 const struct spread *spread)
{
    const struct validate_subject *event = &plan->subjects[subject];
    const struct validate_way *way = &event->ways[wish->way];
    const bool both = wish->beside != NULL;
    const struct cell cell = {.events = {(char *)event->name, (char *)wish->beside},
                              .counters = both ? 2 : 1,
                              .path = (char *)way->path,
                              .pattern = way->pattern,
                              .specimen = (char *)plan->specimens[wish->specimen].name,
                              .n = wish->n,
                              .opt = (char *)way->opt,
                              .link = (char *)way->link,
                              .runs = spread->runs,
                              .separate = both,
                              .cpu = event->cpus[wish->cpu]};
    append(plan, subject, wish->specimen, spread->processes, &cell);
}

/* Specimens that nobody ran yet may be dear. Before anything is known of what a process costs,
 * only the ladder is asked for; those whose memory has to be made ready wait for a round in which
 * no other is new. */
static bool must_wait(const struct validate_plan *plan, const struct validate_wish *wish,
                      bool any_visited, bool *any_new)
{
    if (!any_visited)
        return !wish->ladder;
    if (was_visited(plan, places_of(plan->of_specimen, wish->specimen)))
        return false;
    if (*plan->specimens[wish->specimen].known->parameters && *any_new)
        return true;
    *any_new = true;
    return false;
}

/* What the null cell of that wish's way will take; 0 where the plan has it already. */
static uint64_t null_cost(const struct validate_plan *plan, size_t subject,
                          const struct validate_wish *wish)
{
    uint64_t process = 0;
    if (is_planned(plan, subject, wish, false))
        return 0;
    visit_cost(plan, subject, wish, 0, &process);
    return process * (plan->subjects[subject].runs ? OTHER_PROCESSES : LADDER_PROCESSES);
}

/* The subject's wishes that fit; what is left of its allowance is returned. */
static uint64_t take_wishes(struct validate_plan *plan, const struct validate_round *round,
                            size_t subject, uint64_t allowance)
{
    struct validate_wishes wishes = wish_list(plan, &plan->subjects[subject]);
    bool any_visited = was_visited(plan, places_of(plan->of_subject, subject)), any_new = false;
    for (size_t i = 0; i < wishes.count; i++) {
        struct spread spread;
        const struct validate_wish *wish = &wishes.list[i];
        uint64_t most = round->point_ns < allowance ? round->point_ns : allowance;
        if ((round->share == SHARE_DEAR && !wish->ladder) ||
            is_planned(plan, subject, wish, true) || !spread_of(plan, subject, wish, most, &spread))
            continue;
        uint64_t null_ns = null_cost(plan, subject, wish);
        bool fits = spread.ns <= most && (!any_visited || spread.ns + null_ns <= allowance);
        if ((!plan->full && !fits) || must_wait(plan, wish, any_visited, &any_new))
            continue;
        spread.ns += null_ns;
        take(plan, subject, wish, &spread);
        allowance -= spread.ns < allowance ? spread.ns : allowance;
    }
    memory_give_back(wishes.list);
    return allowance;
}

uint64_t validate_wanting(const struct validate_plan *plan, size_t subject)
{
    struct validate_wishes wishes = wish_list(plan, &plan->subjects[subject]);
    uint64_t sum = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct validate_wish *wish = &wishes.list[i];
        struct spread spread = {.ns = OTHER_PROCESSES * process_cost(plan, subject)};
        if (wish->n > FIRST_RUNGS || is_planned(plan, subject, wish, true))
            continue;
        spread_of(plan, subject, wish, UINT64_MAX, &spread);
        sum += spread.ns + null_cost(plan, subject, wish);
    }
    memory_give_back(wishes.list);
    return plan->subjects[subject].deviates ? sum : 0;
}

static bool has_wishes(const struct validate_plan *plan, size_t subject)
{
    struct validate_wishes wishes = wish_list(plan, &plan->subjects[subject]);
    bool any = false;
    for (size_t i = 0; i < wishes.count && !any; i++)
        any = !is_planned(plan, subject, &wishes.list[i], true);
    memory_give_back(wishes.list);
    return any;
}

/* Null cells for the ways that this round, which began at cell `first`, began. They are as cheap as
 * a process can be, and what they say is subtracted from everything: they get as many runs as any
 * point. */
static void add_nulls(struct validate_plan *plan, size_t first)
{
    const size_t end = plan->count;
    for (size_t at = first; at < end; at++) {
        const size_t subject = plan->about[at].subject;
        const struct validate_places own = plan->of_subject[subject];
        struct cell null = *cell_at(plan, at);
        struct spread spread = {.processes = OTHER_PROCESSES, .runs = null.runs};
        bool there = false;
        for (size_t i = 0; i < own.count && !there; i++)
            there = plan_is_overhead_cell(cell_at(plan, own.list[i])) &&
                    plan_same_way(cell_at(plan, own.list[i]), &null);
        if (there)
            continue;
        if (!plan->subjects[subject].runs)
            spread_runs(plan->runs ? plan->runs : MANY_RUNS, LADDER_PROCESSES, &spread);
        null.specimen = (char *)"null";
        null.n = 0;
        null.runs = spread.runs;
        append(plan, subject, VALIDATE_NO_SPECIMEN, spread.processes, &null);
    }
}

bool validate_next(struct validate_plan *plan, const struct validate_round *round)
{
    size_t active = 0, first = plan->count;
    for (size_t i = 0; i < plan->subject_count; i++)
        active += has_wishes(plan, i);
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
    for (size_t i = 0; i < plan->subject_count && active; i++) {
        uint64_t share = round->share >= SHARE_REST    ? left / 2
                         : round->share == SHARE_WHOLE ? round->budget_ns / active
                                                       : round->budget_ns / active / 2;
        left -= share - take_wishes(plan, &own, i, share);
        if (round->share == SHARE_FIRST && plan->count)
            break;
    }
    add_nulls(plan, first);
    return plan->count > first;
}

/* ----------------------------------------------------------------------------------------------
 * Whether events that nothing judges count anything at all. */

#define LOOK_RUNS 3u

/* The cheapest first. */
static const struct {
    const char *specimen;
    uint64_t n;
    bool beside; /* the event without its mode: does the mode work? */
} looks[] = {
    {"loop", 100000, false},   {"pages", 1000, false},        {"random-branches", 10000, false},
    {"getppid", 1000, false},  {"getppid", 10, true},         {"getppid", 1000, true},
    {"ping-pong", 100, false}, {"fadd-double", 10000, false}, {"llc-chase", 1000, false}};

static bool is_unjudged(const struct validate_subject *subject)
{
    return subject && subject->unjudged;
}

/* What a look takes; at code that nobody ran yet as much as at the loop. Where the loop was seen at
 * an N too small to tell it is no look, as long as that is so. */
static uint64_t look_cost(const struct validate_plan *plan, size_t subject,
                          const struct validate_wish *wish)
{
    struct validate_wish like = *wish;
    uint64_t ns;
    if (visit_cost(plan, subject, &like, LOOK_RUNS, &ns))
        return ns;
    like.specimen = find_specimen(plan, "loop");
    if (like.specimen == VALIDATE_NO_SPECIMEN || seen_before(plan, subject, &like) == plan->count)
        return process_cost(plan, subject);
    return visit_cost(plan, subject, &like, LOOK_RUNS, &ns) ? ns : UINT64_MAX;
}

bool validate_look(struct validate_plan *plan, uint64_t budget_ns)
{
    const size_t first = plan->count;
    uint64_t taken = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (is_unjudged(validate_subject_at(plan, i)))
            taken += process_cost(plan, plan->about[i].subject);
    /* Before anything is known of what a process costs, only the first. */
    for (size_t i = 0; i < (first ? sizeof(looks) / sizeof(*looks) : 1); i++) {
        size_t specimen = find_specimen(plan, looks[i].specimen);
        for (size_t j = 0; j < plan->subject_count && specimen != VALIDATE_NO_SPECIMEN; j++) {
            const char *beside = looks[i].beside ? plan->subjects[j].unfiltered : NULL;
            const struct validate_wish wish = {
                .specimen = specimen, .n = looks[i].n, .beside = beside};
            const struct spread spread = {.processes = 1, .runs = LOOK_RUNS};
            const uint64_t price = look_cost(plan, j, &wish);
            if (!plan->subjects[j].unjudged || (looks[i].beside && !beside) ||
                is_planned(plan, j, &wish, true) || price > budget_ns || taken > budget_ns - price)
                continue;
            taken += price;
            take(plan, j, &wish, &spread);
        }
    }
    return plan->count > first;
}
