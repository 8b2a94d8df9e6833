/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about kinds of calls: counters read in user code (W1, W3, W4), first calls (W2), start,
 * stop and read (W6), the number of events (W7). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * W7: how start, stop and read grow with the number of events: in a straight line or not, and
 * slower or not where one call serves a whole group. */

/* A power between these two is a straight line: within a fifth of it for eight events. */
#define LEAST_POWER 0.9
#define MOST_POWER  1.1
/* So is what a straight line meets so well at every number of events. */
#define MISS_MOST 0.05
/* Growth below this share of the cost with one event is none. */
#define NO_GROWTH 0.01

static const struct overhead_operation *operation_of(const struct overhead_facts *facts,
                                                     const struct overhead_slope *slope)
{
    return slope->operation < facts->file->operation_count
               ? &facts->file->operations[slope->operation]
               : NULL;
}

/* Calls that use the operating system directly: what others add to them is told with peers. */
static bool concerns(const struct overhead_facts *facts, const struct overhead_slope *slope)
{
    const struct overhead_operation *operation = operation_of(facts, slope);
    if (operation && facts->hides && strcmp(operation->kind, "read") != 0)
        return false;
    return operation && slope->machine == facts->machine && !slope->by_reads &&
           slope->meter->unit == facts->unit && slope->points > 2 &&
           strncmp(operation->path, "perf-", 5) == 0;
}

/* --- a straight line? --- */

/* Is the same known of user and kernel code together? */
static bool has_whole(const struct overhead_facts *facts, const struct overhead_slope *half)
{
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (concerns(facts, slope) && !overhead_has_one_mode(slope->meter) &&
            slope->operation == half->operation && slope->separate == half->separate &&
            strcmp(slope->link, half->link) == 0)
            return true;
    }
    return false;
}

static bool grows(const struct overhead_slope *slope)
{
    return slope->low > 0 && slope->slope > NO_GROWTH * fmax(slope->one, 1);
}

/* Events that share a call may grow more slowly than linearly: the claim says so. */
static enum finding_verdict verdict_of(const struct overhead_slope *slope)
{
    double low = slope->exponent_low, high = slope->exponent_high;
    if (slope->straight && slope->miss <= MISS_MOST)
        return FINDING_HOLDS;
    if (!isfinite(slope->exponent) || !isfinite(low) || !isfinite(high))
        return FINDING_INCONCLUSIVE;
    if (low > MOST_POWER || (high < LEAST_POWER && slope->separate))
        return FINDING_FAILS;
    return (low >= LEAST_POWER || !slope->separate) && high <= MOST_POWER ? FINDING_HOLDS
                                                                          : FINDING_INCONCLUSIVE;
}

/* Among equals those of separate events: where one call serves all, most of its cost is the call.
 */
static bool graver(const struct overhead_slope *one, const struct overhead_slope *other)
{
    enum finding_verdict now = verdict_of(one), before = verdict_of(other);
    if (now != before)
        return verdict_graver(now, before);
    if (one->separate != other->separate)
        return one->separate;
    return fabs(one->exponent - 1) > fabs(other->exponent - 1);
}

struct straightness {
    struct estimate gravest;
    const struct overhead_slope *slope; /* that it is of; NULL: none grows */
    size_t asked;
};

static void say_power(const struct overhead_facts *facts, const struct overhead_slope *slope,
                      struct reasons *why)
{
    enum finding_verdict verdict = verdict_of(slope);
    enum overhead_says says = SAYS_SLOWER;
    if (verdict == FINDING_INCONCLUSIVE)
        says = SAYS_MAYBE_LINEAR;
    else if (verdict == FINDING_FAILS && slope->exponent > 1)
        says = SAYS_FASTER;
    else if (verdict == FINDING_HOLDS && (slope->straight || slope->separate))
        says = SAYS_LINEAR;
    TELL(why, says, operation_of(facts, slope)->name,
         slope->separate ? "separate events" : "a group",
         overhead_same_word(slope->meter->mode, "k") ? "kernel" : NULL, rounded_cost(slope->one),
         meter_unit_names[facts->unit], rounded_cost(slope->most), slope->most_count);
}

/* --- slower as a group? --- */

/* The slope in all modes together. Slopes may be 0 or less: only the three figures are filled. */
static bool add_up(const struct overhead_facts *facts, const struct overhead_slope *like,
                   bool separate, struct cost *sum)
{
    size_t halves = 0;
    *sum = (struct cost){0};
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (!concerns(facts, slope) || slope->separate != separate ||
            slope->operation != like->operation || strcmp(slope->link, like->link) != 0)
            continue;
        if (!overhead_has_one_mode(slope->meter)) {
            *sum = (struct cost){.value = slope->slope, .low = slope->low, .high = slope->high};
            return true;
        }
        sum->value += slope->slope;
        sum->low += slope->low;
        sum->high += slope->high;
        halves++;
    }
    return halves == 2;
}

struct slower {
    struct estimate gravest;
    const struct overhead_slope *slope;
    double group, separate;
};

/* A difference of slopes, as a share of that of separate events: slopes may be 0. */
static bool judge_slower(const struct overhead_facts *facts, const struct overhead_slope *like,
                         struct slower *slower)
{
    struct cost group, apart;
    if (!add_up(facts, like, false, &group) || !add_up(facts, like, true, &apart) ||
        !(apart.low > 0))
        return false;
    double value = group.value / apart.value;
    double down = hypot((group.value - group.low) / apart.value,
                        value * (apart.high - apart.value) / apart.value);
    double up = hypot((group.high - group.value) / apart.value,
                      value * (apart.value - apart.low) / apart.value);
    slower->gravest = estimate_below(value, value - down, value + up, 1);
    slower->slope = like;
    slower->group = group.value;
    slower->separate = apart.value;
    return true;
}

void rule_more_events(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct overhead_facts *facts = context;
    struct reasons *why = &finding->why;
    (void)claim;
    struct straightness straight = {.gravest = {.verdict = FINDING_UNTESTABLE}};
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (!concerns(facts, slope) ||
            (overhead_has_one_mode(slope->meter) && has_whole(facts, slope)))
            continue;
        straight.asked++;
        if (!grows(slope))
            continue;
        if (!straight.slope || graver(slope, straight.slope)) {
            /* For what is detectable. */
            struct estimate power =
                estimate_at_least(slope->exponent, slope->exponent_low, slope->exponent_high, 1);
            power.verdict = verdict_of(slope);
            straight.gravest = power;
            straight.slope = slope;
        }
    }
    struct slower slower = {.gravest = {.verdict = FINDING_UNTESTABLE}};
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *candidate = &facts->report->slopes[i];
        struct slower one;
        /* Reads in user code share nothing: every event has a page of its own. */
        if (!concerns(facts, candidate) || candidate->separate ||
            *operation_of(facts, candidate)->page || !judge_slower(facts, candidate, &one))
            continue;
        if (!slower.slope || verdict_graver(one.gravest.verdict, slower.gravest.verdict) ||
            (one.gravest.verdict == slower.gravest.verdict &&
             one.gravest.value > slower.gravest.value))
            slower = one;
    }
    if (!straight.asked) {
        if (facts->has_unit)
            TELL(why, SAYS_NO_SWEEP);
        say_absent(facts, "perf-read.read", why);
        return;
    }
    if (!straight.slope && !slower.slope) {
        TELL(why, SAYS_NO_GROWTH);
        finding->verdict = FINDING_INCONCLUSIVE;
        return;
    }
    bool by_power =
        straight.slope && !verdict_graver(slower.gravest.verdict, straight.gravest.verdict);
    finding->unit = by_power ? "power of the number of events" : "times";
    estimate_report(by_power ? &straight.gravest : &slower.gravest, finding);
    if (!slower.slope && finding->verdict == FINDING_HOLDS)
        finding->verdict = FINDING_INCONCLUSIVE; /* half of the claim was not asked */
    if (straight.slope)
        say_power(facts, straight.slope, why);
    if (slower.slope)
        TELL(why, SAYS_EACH_FURTHER, rounded_cost(slower.group),
             operation_of(facts, slower.slope)->name, rounded_cost(slower.separate));
    else
        TELL(why, SAYS_NOT_BOTH);
    /* What else here is certainly not straight. */
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *other = &facts->report->slopes[i];
        if (other == straight.slope || !concerns(facts, other) || !grows(other) ||
            (overhead_has_one_mode(other->meter) && has_whole(facts, other)))
            continue;
        if (verdict_of(other) == FINDING_FAILS)
            say_power(facts, other, why);
    }
}

/* ----------------------------------------------------------------------------------------------
 * W2: the first call of a lazily linked program, which looks its function up, against the first
 * call of a static one and against an inline system call. */

/* A large extra: a fifth of the other's first call at least. */
#define LARGE 1.2
/* A call takes a page fault when most of its first calls do. */
#define MOST_FAULT 0.5

struct first_calls {
    const char *name;                        /* for people */
    struct cost lazy, fixed, inlined, bound; /* fixed: static; bound: at start */
    struct cost other;                       /* the cheaper of static and inline */
    bool other_is_inline;
};

static bool cheaper(const struct cost *one, const struct cost *other)
{
    return cost_is_known(one) && (!cost_is_known(other) || one->value < other->value);
}

static const char *name_of(bool is_inline)
{
    return is_inline ? "an inline system call" : "static linking";
}

/* read() decides, as in the paper; start, and later calls, are told beside. */
static struct first_calls first_calls_of(const struct overhead_facts *facts, const char *libc,
                                         const char *direct, const char *name)
{
    struct first_calls first = {.name = name,
                                .lazy = cold_cost(facts, "lazy", libc, 1, NULL),
                                .fixed = cold_cost(facts, "static", libc, 1, NULL),
                                .bound = cold_cost(facts, "bind-now", libc, 1, NULL),
                                .inlined = cold_cost(facts, "lazy", direct, 1, NULL)};
    if (!cost_is_known(&first.inlined))
        first.inlined = cold_cost(facts, NULL, direct, 1, NULL);
    first.other_is_inline = cheaper(&first.inlined, &first.fixed);
    first.other = first.other_is_inline ? first.inlined : first.fixed;
    return first;
}

static bool can_tell(const struct first_calls *first)
{
    return cost_is_known(&first->lazy) && cost_is_known(&first->other);
}

void rule_lazy_linking(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct overhead_facts *facts = context;
    struct reasons *why = &finding->why;
    (void)claim;
    struct first_calls read =
        first_calls_of(facts, "perf-read.read", "perf-syscall.read", "read()");
    struct first_calls start =
        first_calls_of(facts, "perf-read.start", "perf-syscall.start", "start");
    bool by_read = can_tell(&read);
    const struct first_calls *decides = by_read ? &read : &start;
    if (!can_tell(decides)) {
        if (cost_is_known(&read.lazy))
            TELL(why, SAYS_LAZY_ALONE);
        else if (facts->has_unit)
            TELL(why, SAYS_NO_LAZY);
        if (!cost_is_known(&read.lazy))
            say_absent(facts, "perf-read.read", why);
        return;
    }
    struct ratio ratio = ratio_at_least(facts, &decides->lazy, &decides->other, LARGE);
    estimate_report(&ratio.estimate, finding);
    TELL(why, SAYS_LAZY_FIRST, decides->name, rounded_cost(decides->lazy.value),
         meter_unit_names[facts->unit], name_of(decides->other_is_inline),
         rounded_cost(decides->other.value),
         rounded_cost(decides->lazy.value - decides->other.value));
    say_open(facts, &ratio, why);
    /* What was not the cheaper of the two; and what of the extra binding at start saves, too: the
     * lookup itself. The rest is the library's code, touched for the first time. */
    const struct cost *rest = decides->other_is_inline ? &decides->fixed : &decides->inlined;
    if (cost_is_known(rest))
        TELL(why, SAYS_OTHER_FIRST, name_of(!decides->other_is_inline), rounded_cost(rest->value));
    if (cost_is_known(&decides->bound)) {
        TELL(why, SAYS_BOUND_FIRST, rounded_cost(decides->bound.value),
             rounded_cost(fmax(decides->lazy.value - decides->bound.value, 0)));
        if (decides->bound.faults >= MOST_FAULT)
            TELL_ON(why, SENTENCE, SAYS_LIBRARY_FAULTS);
    }
    const char *const calls[] = {by_read ? "perf-read.read" : "perf-read.start"};
    struct cost second = cold_cost(facts, "lazy", calls[0], 2, calls[0]), later;
    if (cost_is_known(&second))
        TELL(why, SAYS_SECOND_LAZY, rounded_cost(second.value),
             warm_costs(facts, "lazy", calls, 1, &later) ? rounded_cost(later.value) : NAN);
    if (!by_read || !can_tell(&start))
        return;
    struct ratio starts = ratio_at_least(facts, &start.lazy, &start.other, LARGE);
    TELL(why, SAYS_FIRST_START, rounded_cost(start.lazy.value), rounded_cost(start.other.value),
         starts.estimate.value);
}

/* ----------------------------------------------------------------------------------------------
 * W1, W3, W4: counters read in user code against plain code that calls the operating system: a
 * whole measurement, and single reads with the counter's page in each of its states. */

/* "Several times": more than twice. */
#define SEVERAL 2.0
/* "No better": not cheaper by a fifth or more. */
#define NO_BETTER 0.8
/* "Far below": less than half. */
#define FAR_BELOW 0.5

#define READ      "perf-read.read"
#define USER_READ "perf-user.read"

/* As plain code is linked, first. */
static const char *const plain_links[] = {"lazy", "bind-now", "static"};
/* Where nothing is bound at the first call, first: what is asked there is the page. */
static const char *const bound_links[] = {"static", "bind-now", "lazy"};
#define LINKS (sizeof(plain_links) / sizeof(plain_links[0]))

/* --- W1 --- */

static void judge_region(const struct overhead_facts *facts, const char *link,
                         const struct cost costs[4], struct finding *finding)
{
    struct cost region = cost_plus(cost_plus(costs[0], costs[1]), costs[2]);
    struct cost two = cost_times(costs[3], 2);
    struct ratio ratio = ratio_at_least(facts, &region, &two, SEVERAL);
    struct ratio single = ratio_at_least(facts, &costs[2], &costs[3], SEVERAL);
    /* At least so much is enough to be several times, and not to be less. */
    if (facts->hides && ratio.estimate.verdict != FINDING_HOLDS)
        ratio.estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&ratio.estimate, finding);
    struct reasons *why = &finding->why;
    if (facts->hides)
        TELL(why, SAYS_HIDDEN);
    TELL(why, SAYS_PLAIN_REGION, link, rounded_cost(region.value), meter_unit_names[facts->unit],
         rounded_cost(two.value));
    TELL(why, SAYS_ONE_READ, single.estimate.value);
    say_open(facts, &ratio, why);
    /* The same calls, each the first of its kind in a process: in the order start, read, stop. */
    struct cost start = cold_cost(facts, link, "perf-read.start", 1, NULL);
    struct cost read = cold_cost(facts, link, READ, 1, "perf-read.start");
    struct cost stop = cold_cost(facts, link, "perf-read.stop", 1, READ);
    struct cost first = cost_plus(cost_plus(start, read), stop);
    if (cost_is_known(&first))
        TELL(why, SAYS_FIRST_REGION, rounded_cost(first.value));
}

void rule_plain_code(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct overhead_facts *facts = context;
    struct reasons *why = &finding->why;
    (void)claim;
    static const char *const calls[] = {"perf-read.start", "perf-read.stop", READ, USER_READ};
    struct cost costs[4];
    for (size_t i = 0; i < LINKS; i++)
        if (warm_costs(facts, plain_links[i], calls, 4, costs)) {
            judge_region(facts, plain_links[i], costs, finding);
            return;
        }
    /* A plan of reads only. */
    for (size_t i = 0; i < LINKS; i++)
        if (warm_costs(facts, plain_links[i], calls + 2, 2, costs)) {
            struct ratio ratio = ratio_at_least(facts, &costs[0], &costs[1], SEVERAL);
            estimate_report(&ratio.estimate, finding);
            TELL(why, SAYS_READS_ALONE, plain_links[i], rounded_cost(costs[0].value),
                 meter_unit_names[facts->unit], rounded_cost(costs[1].value));
            TELL(why, SAYS_NO_SWITCHES);
            say_open(facts, &ratio, why);
            return;
        }
    say_absent(facts, USER_READ, why);
    /* What plain code costs where nothing can be read in user code to compare it with. */
    for (size_t i = 0; i < LINKS; i++)
        if (warm_costs(facts, plain_links[i], calls, 3, costs)) {
            struct cost region = cost_plus(cost_plus(costs[0], costs[1]), costs[2]);
            TELL(why, SAYS_REGION_ALONE, rounded_cost(region.value), meter_unit_names[facts->unit],
                 plain_links[i]);
            return;
        }
}

/* --- W3 --- */

void rule_cold_page(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct overhead_facts *facts = context;
    struct reasons *why = &finding->why;
    (void)claim;
    for (size_t i = 0; i < LINKS; i++) {
        struct cost cold = cold_cost(facts, bound_links[i], "perf-user-cold.read", 1, NULL);
        struct cost call = cold_cost(facts, bound_links[i], READ, 1, NULL);
        if (!cost_is_known(&cold) || !cost_is_known(&call))
            continue;
        struct ratio ratio = ratio_at_least(facts, &cold, &call, NO_BETTER);
        estimate_report(&ratio.estimate, finding);
        TELL(why, SAYS_UNTOUCHED, bound_links[i], rounded_cost(cold.value),
             meter_unit_names[facts->unit], rounded_cost(call.value));
        /* The claim names its cause: without a fault it does not hold, whatever the costs are. */
        enum overhead_says says = SAYS_FAULT;
        if (!(cold.faults >= MOST_FAULT)) {
            says = finding->verdict == FINDING_HOLDS ? SAYS_NOT_FOR_FAULTS : SAYS_NO_FAULT;
            if (finding->verdict == FINDING_HOLDS)
                finding->verdict = FINDING_FAILS;
        } else if (finding->verdict == FINDING_FAILS) {
            says = SAYS_CHEAP_FAULT;
        }
        TELL(why, says);
        say_open(facts, &ratio, why);
        /* read() of a process that has read before. */
        static const char *const calls[] = {READ};
        struct cost warm;
        if (warm_costs(facts, bound_links[i], calls, 1, &warm))
            TELL(why, SAYS_LATER_READ, rounded_cost(warm.value));
        return;
    }
    say_absent(facts, "perf-user-cold.read", why);
}

/* --- W4 --- */

/* One state of the page, in first calls or later ones. */
struct mapped {
    const char *state, *when;
    struct cost user, call;
    struct ratio ratio;
};

static bool mapped_cost(const struct overhead_facts *facts, const char *operation, bool first,
                        struct mapped *mapped)
{
    const char *const calls[] = {operation, READ};
    struct cost costs[2];
    for (size_t i = 0; i < LINKS; i++) {
        if (first) {
            costs[0] = cold_cost(facts, bound_links[i], operation, 1, NULL);
            costs[1] = cold_cost(facts, bound_links[i], READ, 1, NULL);
        } else if (!warm_costs(facts, bound_links[i], calls, 2, costs)) {
            continue;
        }
        if (!cost_is_known(&costs[0]) || !cost_is_known(&costs[1]))
            continue;
        mapped->user = costs[0];
        mapped->call = costs[1];
        mapped->ratio = ratio_below(facts, &costs[0], &costs[1], FAR_BELOW);
        return true;
    }
    return false;
}

static void say_mapped(const struct mapped *mapped, const char *unit, struct reasons *why)
{
    TELL(why, SAYS_MAPPED, mapped->state, mapped->when, rounded_cost(mapped->user.value), unit,
         rounded_cost(mapped->call.value));
}

void rule_mapped_page(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct overhead_facts *facts = context;
    struct reasons *why = &finding->why;
    (void)claim;
    static const char *const states[][2] = {{USER_READ, "populated"},
                                            {"perf-user-touched.read", "touched before"}};
    static const char *const times[] = {"first reads", "later reads"};
    struct mapped all[4];
    size_t count = 0, gravest = 0;
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; i < 2; i++) {
            struct mapped one = {.state = states[i][1], .when = times[!first]};
            if (!mapped_cost(facts, states[i][0], first != 0, &one))
                continue;
            all[count] = one;
            const struct estimate *now = &one.ratio.estimate;
            const struct estimate *before = &all[gravest].ratio.estimate;
            if (count == 0 || verdict_graver(now->verdict, before->verdict) ||
                (now->verdict == before->verdict && now->value > before->value))
                gravest = count;
            count++;
        }
    if (count == 0) {
        say_absent(facts, USER_READ, why);
        return;
    }
    estimate_report(&all[gravest].ratio.estimate, finding);
    say_mapped(&all[gravest], meter_unit_names[facts->unit], why);
    say_open(facts, &all[gravest].ratio, why);
    for (size_t i = 0; i < count; i++)
        if (i != gravest)
            say_mapped(&all[i], NULL, why);
}

/* ----------------------------------------------------------------------------------------------
 * W6: start, stop and read side by side in every variant that calls the operating system, and how
 * much each of the three depends on the variant. */

/* "Dearest", "least": by a hundredth at least. */
#define MORE 1.01

enum { START, STOP, KINDS_READ, KINDS };
static const char *const kind_names[KINDS] = {"start", "stop", "read"};

/* A way to make the three calls. */
struct variant {
    const char *path, *link, *name;
};
static const struct variant variants[] = {
    {"perf-read", "lazy", "libc, lazy"},
    {"perf-read", "bind-now", "libc, bound at start"},
    {"perf-read", "static", "libc, static"},
    {"perf-syscall", "static", "inline"},
};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))
/* What else can only be read: counts for how much reading depends on the variant. */
static const char *const user_reads[] = {"perf-user.read", "perf-user-touched.read",
                                         "perf-user-cold.read"};
#define USER_READS (sizeof(user_reads) / sizeof(user_reads[0]))

/* Warm after the same predecessors; cold as one process calls them: start, read, stop. */
static bool variant_costs(const struct overhead_facts *facts, const struct variant *variant,
                          enum temperature temperature, struct cost costs[KINDS])
{
    char names[KINDS][TOUR_NAME];
    for (int kind = 0; kind < KINDS; kind++)
        snprintf(names[kind], TOUR_NAME, "%s.%s", variant->path, kind_names[kind]);
    const char *const calls[KINDS] = {names[START], names[STOP], names[KINDS_READ]};
    if (temperature == TEMPERATURE_WARM)
        return warm_costs(facts, variant->link, calls, KINDS, costs);
    costs[START] = cold_cost(facts, variant->link, names[START], 1, NULL);
    costs[KINDS_READ] = cold_cost(facts, variant->link, names[KINDS_READ], 1, names[START]);
    costs[STOP] = cold_cost(facts, variant->link, names[STOP], 1, names[KINDS_READ]);
    return cost_is_known(&costs[START]) && cost_is_known(&costs[KINDS_READ]) &&
           cost_is_known(&costs[STOP]);
}

/* --- is start the dearest? --- */

struct dearest {
    struct ratio ratio; /* start over the dearer of the others */
    const struct variant *variant;
    enum temperature temperature;
    struct cost costs[KINDS];
    size_t asked;
    /* First calls that leave it open, or in which another call takes a page fault, do not unsettle
     * what the calls themselves show: which page of a library is touched first is chance. NULL:
     * there are none. */
    const struct variant *open_first, *faulted_first;
    struct cost faulted_costs[KINDS];
};

static void ask_variant(const struct overhead_facts *facts, const struct variant *variant,
                        enum temperature temperature, struct dearest *gravest)
{
    struct cost costs[KINDS];
    if (!variant_costs(facts, variant, temperature, costs))
        return;
    int other = costs[STOP].value > costs[KINDS_READ].value ? STOP : KINDS_READ;
    struct ratio ratio = ratio_at_least(facts, &costs[START], &costs[other], MORE);
    enum finding_verdict now = ratio.estimate.verdict, before = gravest->ratio.estimate.verdict;
    if (temperature == TEMPERATURE_COLD && gravest->asked && now != FINDING_HOLDS) {
        bool faulted = costs[other].faults >= costs[START].faults + MOST_FAULT;
        if (faulted && !gravest->faulted_first) {
            gravest->faulted_first = variant;
            memcpy(gravest->faulted_costs, costs, sizeof(costs));
        }
        if (!faulted && now == FINDING_INCONCLUSIVE)
            gravest->open_first = variant;
        if (faulted || now == FINDING_INCONCLUSIVE)
            return;
    }
    if (!gravest->asked || verdict_graver(now, before) ||
        (now == before && ratio.estimate.value < gravest->ratio.estimate.value)) {
        gravest->ratio = ratio;
        gravest->variant = variant;
        gravest->temperature = temperature;
        memcpy(gravest->costs, costs, sizeof(costs));
    }
    gravest->asked++;
}

static const char *const whens[TEMPERATURES] = {"warm", "first calls"};

static void say_dearest(const struct overhead_facts *facts, const struct dearest *dearest,
                        struct reasons *why)
{
    TELL(why, SAYS_THREE_KINDS, rounded_cost(dearest->costs[START].value),
         rounded_cost(dearest->costs[STOP].value), rounded_cost(dearest->costs[KINDS_READ].value),
         meter_unit_names[facts->unit], dearest->variant->name, whens[dearest->temperature]);
    if (dearest->ratio.estimate.verdict == FINDING_FAILS)
        TELL_ON(why, NONE, SAYS_START_NOT_DEAREST);
    else if (dearest->asked > 1)
        TELL_ON(why, NONE, SAYS_STANDS_OUT_LEAST);
    if (dearest->faulted_first) {
        const struct cost *costs = dearest->faulted_costs;
        int other = costs[STOP].value > costs[KINDS_READ].value ? STOP : KINDS_READ;
        TELL(why, SAYS_FIRST_FAULTS, kind_names[other], dearest->faulted_first->name,
             rounded_cost(costs[other].value), rounded_cost(costs[START].value));
    }
    if (dearest->open_first)
        TELL(why, SAYS_FIRST_OPEN, dearest->open_first->name);
}

/* --- does stop depend least on the variant? --- */

/* The cheapest and the dearest variant of one call. */
struct reach {
    struct cost least, most;
    size_t count;
};

static void widen(struct reach *reach, const struct cost *cost)
{
    if (!cost_is_known(cost))
        return;
    if (!reach->count || cost->value < reach->least.value)
        reach->least = *cost;
    if (!reach->count || cost->value > reach->most.value)
        reach->most = *cost;
    reach->count++;
}

struct dependence {
    struct ratio ratio; /* the smaller factor of start and read over that of stop */
    struct cost factors[KINDS];
    enum temperature temperature;
};

/* First calls where there are, as in the paper: that is where variants differ. */
static struct dependence ask_dependence(const struct overhead_facts *facts)
{
    struct dependence found = {.ratio = {.estimate = {.verdict = FINDING_UNTESTABLE}}};
    for (int i = TEMPERATURES - 1; i >= 0; i--) {
        struct reach reaches[KINDS] = {0};
        enum temperature temperature = (enum temperature)i;
        struct cost costs[KINDS];
        for (size_t j = 0; j < VARIANTS; j++)
            if (variant_costs(facts, &variants[j], temperature, costs))
                for (int kind = 0; kind < KINDS; kind++)
                    widen(&reaches[kind], &costs[kind]);
        for (size_t j = 0; j < USER_READS && reaches[KINDS_READ].count; j++) {
            struct cost cost = {0};
            if (temperature == TEMPERATURE_COLD)
                cost = cold_cost(facts, "static", user_reads[j], 1, NULL);
            else
                warm_costs(facts, "static", &user_reads[j], 1, &cost);
            widen(&reaches[KINDS_READ], &cost);
        }
        if (reaches[STOP].count < 2)
            continue;
        for (int kind = 0; kind < KINDS; kind++) {
            /* How far apart variants are, as a factor, in the form of a cost: so that two can be
             * compared. In thousandths, because a cost below one is none. */
            const double scale = 1000;
            struct ratio apart =
                ratio_at_least(facts, &reaches[kind].most, &reaches[kind].least, MORE);
            size_t fewest = reaches[kind].most.processes < reaches[kind].least.processes
                                ? reaches[kind].most.processes
                                : reaches[kind].least.processes;
            const struct estimate *factor = &apart.estimate;
            found.factors[kind] = (struct cost){.value = scale * factor->value,
                                                .low = scale * factor->low,
                                                .high = scale * factor->high,
                                                .least = scale * factor->value,
                                                .most = scale * factor->value,
                                                .processes = fewest};
        }
        int next =
            found.factors[START].value < found.factors[KINDS_READ].value ? START : KINDS_READ;
        found.ratio = ratio_at_least(facts, &found.factors[next], &found.factors[STOP], MORE);
        found.temperature = (enum temperature)i;
        break;
    }
    return found;
}

static void say_dependence(const struct dependence *dependence, struct reasons *why)
{
    TELL(why, SAYS_VARIANTS, dependence->factors[START].value / 1000,
         dependence->factors[STOP].value / 1000, dependence->factors[KINDS_READ].value / 1000,
         whens[dependence->temperature]);
    if (dependence->ratio.estimate.verdict == FINDING_INCONCLUSIVE)
        TELL_ON(why, NONE, SAYS_TOO_CLOSE);
}

void rule_kinds_of_calls(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct overhead_facts *facts = context;
    struct reasons *why = &finding->why;
    (void)claim;
    struct dearest dearest = {.ratio = {.estimate = {.verdict = FINDING_UNTESTABLE}}};
    for (int temperature = 0; temperature < TEMPERATURES; temperature++)
        for (size_t i = 0; i < VARIANTS; i++)
            ask_variant(facts, &variants[i], (enum temperature)temperature, &dearest);
    if (dearest.asked && facts->hides) {
        TELL(why, SAYS_HIDDEN);
        return;
    }
    if (!dearest.asked) {
        say_absent(facts, "perf-read.start", why);
        return;
    }
    struct dependence dependence = ask_dependence(facts);
    enum finding_verdict by_variant = dependence.ratio.estimate.verdict;
    bool variants_decide = verdict_graver(by_variant, dearest.ratio.estimate.verdict);
    struct ratio *decides = variants_decide ? &dependence.ratio : &dearest.ratio;
    estimate_report(&decides->estimate, finding);
    finding->partly = by_variant == FINDING_UNTESTABLE;
    /* What decides comes first. */
    if (variants_decide)
        say_dependence(&dependence, why);
    say_dearest(facts, &dearest, why);
    if (finding->partly)
        TELL(why, SAYS_ONE_VARIANT);
    else if (!variants_decide)
        say_dependence(&dependence, why);
    say_open(facts, decides, why);
    /* PAPI stops and reads in one, so it is no variant of the same call; told where it differs. */
    static const char *const calls[KINDS] = {"papi-low.start", "papi-low.stop", "papi-low.read"};
    struct cost costs[KINDS];
    if (warm_costs(facts, "lazy", calls, KINDS, costs) && costs[STOP].low > costs[START].high)
        TELL(why, SAYS_PAPI_STOP, rounded_cost(costs[STOP].value),
             rounded_cost(costs[START].value));
}
