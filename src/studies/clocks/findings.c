/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What follows from what the other parts of the judge found: which clock for what, and the claims
 * K1 to K4 of the paper on the fidelity of counters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * Which clock for what, and at which cost, with the figures of this report that say so. */

struct asked {
    const struct clocks_case *file;
    const struct clocks_report *report;
};
/* Which clock it is, and what is said; -1: none, or it is about none. */
typedef int32_t adviser(const struct asked *asked, struct reasons *text);

/* ns of a reading; NaN: not known. */
static double cost_of(const struct asked *asked, int32_t clock)
{
    const struct clock_cost *cost = &asked->report->costs[clock];
    return cost->known ? cost->ns : (double)NAN;
}

static const char *name_of(const struct asked *asked, int32_t clock)
{
    return asked->file->clocks[clock].name;
}

/* May its intervals be believed, as far as anything here could tell? */
static bool is_usable(const struct asked *asked, uint32_t clock)
{
    enum clock_trust trust = asked->report->verdicts[clock].trust;
    return asked->file->clocks[clock].role == ROLE_WALL &&
           (trust == TRUST_DEPENDABLE || trust == TRUST_NOT_FALSIFIABLE) &&
           !asked->report->verdicts[clock].tie && clock_was_measured(asked->report, clock) &&
           (int32_t)clock != asked->report->reference.outside;
}

/* Was it held against one of another make? */
static bool was_held(const struct asked *asked, uint32_t clock)
{
    int32_t reference = asked->report->reference.clock;
    bool held = reference >= 0 && clocks_independent(asked->file, clock, (uint32_t)reference);
    for (size_t i = 0; i < CLOCK_MOST_RATES && !held; i++)
        held = asked->report->rates[clock][i].known && asked->report->rates[clock][i].independent;
    return held;
}

/* ns by which a region can be wrong: one reading is inside it, and its ends are not told better
 * than the resolution. Infinite: unknown. */
static double region_error(const struct asked *asked, uint32_t clock)
{
    const struct clock_cost *cost = &asked->report->costs[clock];
    const struct clock_granularity *granularity = &asked->report->granularities[clock];
    if (!cost->known || !granularity->known || isnan(cost->ns) || isnan(granularity->resolution_ns))
        return INFINITY;
    return cost->ns + granularity->resolution_ns;
}

/* The usable clock with the smallest error, other than one that must be called as `unlike` is. */
static int32_t best_for_regions(const struct asked *asked, const char *unlike)
{
    int32_t best = -1;
    double least = INFINITY;
    for (uint32_t i = 0; i < asked->file->clock_count; i++) {
        double error = region_error(asked, i);
        if (is_usable(asked, i) && error < least &&
            !(unlike && strcmp(asked->file->clocks[i].way, unlike) == 0)) {
            best = (int32_t)i;
            least = error;
        }
    }
    return best;
}

/* A form of the clock that waits for the code before it. */
static int32_t fenced_form(const struct asked *asked, int32_t clock)
{
    char name[64];
    snprintf(name, sizeof(name), "%.40s-fenced", name_of(asked, clock));
    int index = clocks_index(asked->file, name);
    return index >= 0 && is_usable(asked, (uint32_t)index) &&
                   isfinite(region_error(asked, (uint32_t)index))
               ? index
               : -1;
}

/* By habit of programs, best first, where nothing measured tells between them. */
static const char *const for_long[] = {"boottime", "monotonic", "monotonic-raw",
                                       "monotonic-syscall", "monotonic-raw-syscall"};

static int32_t best_for_long(const struct asked *asked)
{
    bool suspended = asked->report->disturbances.suspended_ns > 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = suspended ? 0 : 1; i < sizeof(for_long) / sizeof(*for_long); i++) {
            int index = clocks_index(asked->file, for_long[i]);
            if (index < 0 || !is_usable(asked, (uint32_t)index))
                continue;
            if (round > 0 || asked->report->verdicts[index].trust == TRUST_DEPENDABLE)
                return index;
        }
    return best_for_regions(asked, NULL);
}

/* Costs that differ by less than this are a matter of habit. */
#define AS_CHEAP 1.5

/* One whose ticks are ns, and so need no rate. -1: the best needs none either, or there is none. */
static int32_t best_without_rate(const struct asked *asked, int32_t best)
{
    int32_t cheapest = best_for_regions(asked, asked->file->clocks[best].way);
    int32_t usual = best_for_long(asked);
    bool as_good =
        cheapest >= 0 && usual >= 0 && usual != best &&
        region_error(asked, (uint32_t)usual) <= AS_CHEAP * region_error(asked, (uint32_t)cheapest);
    return as_good ? usual : cheapest;
}

static int32_t advise_short(const struct asked *asked, struct reasons *text)
{
    int32_t best = best_for_regions(asked, NULL);
    if (best < 0)
        return -1;
    int32_t fenced = fenced_form(asked, best), next = best_without_rate(asked, best);
    double error = region_error(asked, (uint32_t)best);
    BECAUSE(text, SENTENCE, CLOCKS_SHORT_REGIONS, name_of(asked, best), cost_of(asked, best),
            asked->report->granularities[best].resolution_ns, 100 * error / 1e3, 100 * error / 1e5);
    if (fenced >= 0)
        BECAUSE(text, SENTENCE, CLOCKS_IN_ORDER, name_of(asked, fenced), cost_of(asked, fenced));
    if (next >= 0)
        BECAUSE(text, SENTENCE, CLOCKS_WITHOUT_RATE, name_of(asked, next), cost_of(asked, next));
    return best;
}

/* How far it was from the reference over intervals. */
static void say_deviation(const struct asked *asked, int32_t clock, struct reasons *text)
{
    const struct clocks_report *report = asked->report;
    const struct clock_row *worst = NULL;
    uint64_t longest = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct clock_row *row = &report->rows[i];
        if (row->clock != (uint32_t)clock || row->reference == row->clock)
            continue;
        longest = row->requested_us > longest ? row->requested_us : longest;
        if (!worst || row->max_error_ns > worst->max_error_ns)
            worst = row;
    }
    if (worst)
        BECAUSE(text, SENTENCE, CLOCKS_NEVER_FARTHER, (double)longest * 1e3, worst->max_error_ns,
                name_of(asked, (int32_t)worst->reference));
}

static int32_t advise_long(const struct asked *asked, struct reasons *text)
{
    int32_t best = best_for_long(asked);
    if (best < 0)
        return -1;
    BECAUSE(text, SENTENCE, CLOCKS_LONG_INTERVALS, name_of(asked, best), cost_of(asked, best));
    say_deviation(asked, best, text);
    /* Against a clock that is made elsewhere, if any. */
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
        const struct clock_rate *rate = &asked->report->rates[best][i];
        if (!rate->known || !rate->independent)
            continue;
        BECAUSE(text, SENTENCE, CLOCKS_RATE_AGAINST, name_of(asked, (int32_t)rate->against),
                rate->ppm, rate->low, rate->high);
        break;
    }
    return best;
}

/* ns that two CPUs may be apart by it; infinite: unknown, or they are. */
static double apart_ns(const struct asked *asked, uint32_t clock)
{
    const struct clocks_report *report = asked->report;
    const struct clock_offsets *offsets = &report->offsets[clock];
    if (!is_usable(asked, clock) || !offsets->known || !report->scales[clock].known ||
        offsets->worst != 0 || report->monotonic[clock].cross_backward > 0)
        return INFINITY;
    return offsets->largest_bound * report->scales[clock].ns_per_tick;
}

/* Bounds are as good as the shortest trip: of clocks that differ by less than this the cheapest. */
#define AS_NEAR 2.0

static int32_t best_across(const struct asked *asked)
{
    int32_t best = -1;
    double least = INFINITY, cheapest = INFINITY;
    for (uint32_t i = 0; i < asked->file->clock_count; i++)
        least = fmin(least, apart_ns(asked, i));
    for (uint32_t i = 0; i < asked->file->clock_count && isfinite(least); i++) {
        double cost = asked->report->costs[i].known ? asked->report->costs[i].ns : INFINITY;
        if (apart_ns(asked, i) <= AS_NEAR * least && (best < 0 || cost < cheapest)) {
            best = (int32_t)i;
            cheapest = cost;
        }
    }
    return best;
}

static int32_t advise_across(const struct asked *asked, struct reasons *text)
{
    int32_t best = best_across(asked);
    if (best >= 0)
        BECAUSE(text, SENTENCE, CLOCKS_ACROSS_CPUS, name_of(asked, best), cost_of(asked, best),
                apart_ns(asked, (uint32_t)best), asked->report->offsets[best].pairs);
    return best;
}

static int32_t advise_cpu_time(const struct asked *asked, struct reasons *text)
{
    const struct clocks_report *report = asked->report;
    int32_t best = -1;
    double least = INFINITY;
    for (uint32_t i = 0; i < asked->file->clock_count; i++) {
        bool right = report->verdicts[i].trust == TRUST_CPU_TIME_ONLY &&
                     asked->file->clocks[i].role == ROLE_CPU_TIME;
        double cost = report->costs[i].known ? report->costs[i].ns : INFINITY;
        if (right && (best < 0 || cost < least)) {
            best = (int32_t)i;
            least = cost;
        }
    }
    if (best >= 0)
        BECAUSE(text, SENTENCE, CLOCKS_FOR_CPU_TIME, name_of(asked, best), least);
    return best;
}

static int32_t advise_falsifying(const struct asked *asked, struct reasons *text)
{
    size_t usable = 0, held = 0, falsified = 0, tied = 0;
    const struct clock_rate *off = NULL;
    const char *first = NULL;
    bool dependable = false;
    for (uint32_t i = 0; i < asked->file->clock_count; i++) {
        const struct clock_verdict *verdict = &asked->report->verdicts[i];
        dependable = dependable || verdict->trust == TRUST_DEPENDABLE;
        usable += is_usable(asked, i);
        held += is_usable(asked, i) && was_held(asked, i);
        tied += verdict->tie != TIE_NONE;
        if (verdict->falsified && !falsified++) {
            off = verdict->falsified;
            first = name_of(asked, (int32_t)i);
        }
    }
    if (off)
        BECAUSE(text, SENTENCE, CLOCKS_FALSIFIED, falsified, name_of(asked, (int32_t)off->against),
                first, 1 + off->ppm * 1e-6);
    if (tied)
        BECAUSE(text, SENTENCE, CLOCKS_WRONG_TOGETHER, tied);
    if (!dependable)
        BECAUSE(text, SENTENCE,
                !usable       ? CLOCKS_NONE_TRUSTED
                : held || off ? CLOCKS_NONE_CONFIRMED
                              : CLOCKS_NONE_FALSIFIABLE);
    return -1;
}

static int32_t advise_disturbed(const struct asked *asked, struct reasons *text)
{
    const struct clocks_disturbances *seen = &asked->report->disturbances;
    if (seen->stolen_ns > 0 && seen->watched_ns > 0)
        BECAUSE(text, SENTENCE, CLOCKS_HOST_TOOK, 100 * seen->stolen_ns / seen->watched_ns);
    else if (seen->overslept_median_ns > 0)
        BECAUSE(text, SENTENCE, CLOCKS_SLEEPS_LATE, seen->overslept_median_ns,
                seen->overslept_max_ns);
    return -1;
}

void clocks_advise(const struct clocks_case *file, struct clocks_report *report)
{
    static adviser *const advisers[] = {
        [PURPOSE_SHORT] = advise_short,     [PURPOSE_LONG] = advise_long,
        [PURPOSE_ACROSS] = advise_across,   [PURPOSE_CPU_TIME] = advise_cpu_time,
        [PURPOSE_ELSE] = advise_falsifying, advise_disturbed,
    };
    enum { ADVISERS = sizeof(advisers) / sizeof(*advisers) };
    struct asked asked = {file, report};
    if (report->looks == 0)
        return;
    report->advice = memory_new(ADVISERS, sizeof(*report->advice));
    for (size_t i = 0; i < ADVISERS; i++) {
        struct clocks_advice advice = {.purpose = i < PURPOSE_ELSE ? (enum clocks_purpose)i
                                                                   : PURPOSE_ELSE};
        advice.clock = advisers[i](&asked, &advice.text);
        if (advice.text.count)
            report->advice[report->advice_count++] = advice;
    }
}

/* ----------------------------------------------------------------------------------------------
 * The claims of the paper on the fidelity of counters: what the other parts of the judge found in,
 * findings out (docs/findings.md). */

#define SAY(finding, code, ...) BECAUSE(&(finding)->why, CLAUSE, code __VA_OPT__(, ) __VA_ARGS__)

/* What a rule looks at. */
struct clocks_facts {
    const struct clocks_case *file;
    const struct clocks_report *report;
    uint64_t seed;
    bool has_counter;
    uint32_t counter; /* the CPU's own, read plainly */
};

/* Counters that user code reads by one instruction. */
static const char *const counters[] = {"tsc", "cntvct", "rdtime"};
#define COUNTERS (sizeof(counters) / sizeof(*counters))

/* Nothing can decide without a counter, or where a program makes it. */
static bool can_tell(const struct clocks_facts *facts, struct finding *finding)
{
    const struct clocks_case *file = facts->file;
    if (file->emulated)
        SAY(finding, CLOCKS_EMULATED);
    if (file->emulated || facts->has_counter)
        return !file->emulated;
    SAY(finding, CLOCKS_NO_COUNTER);
    for (size_t i = 0; i < COUNTERS; i++)
        for (size_t j = 0; j < file->absence_count; j++)
            if (file->absences[j].what && strstr(file->absences[j].what, counters[i])) {
                SAY(finding, CLOCKS_MACHINE_SAYS, file->absences[j].reason);
                return false;
            }
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * The CPU's counter against the reference, over intervals of a kind: what all of them say
 * together, how many are off by themselves, and what agreement is worth. */

/* Two clocks agree to this, beyond what their readings leave open. */
#define AGREE_SHARE 500e-6
/* So many intervals that are off are no accident any more. */
#define OFF_SHARE 0.05

/* Which intervals are asked. */
typedef bool chosen_watch(const struct clock_watch *watch);

struct agreement {
    struct overhead_median ratio; /* counter / reference, over processes; widened by the bounds of
                                     readings */
    size_t intervals, off;        /* off: by more than the bounds of their own readings allow */
    double worst;                 /* ratio of the interval that is farthest off */
    double shortest_us, longest_us;
    bool independent; /* the reference is made of another counter */
};

/* The columns of both clocks; false: the watch does not tell. */
struct columns {
    uint32_t counter, reference;
    double counter_ns, reference_ns; /* a tick */
};

static bool columns_of(const struct clocks_facts *facts, const struct clock_watch *watch,
                       struct columns *columns)
{
    int32_t reference = facts->report->reference.clock;
    if (reference < 0 || (uint32_t)reference == facts->counter)
        return false;
    int own = watch_column(watch, facts->counter);
    int other = watch_column(watch, (uint32_t)reference);
    const struct clock_scale *own_scale = &facts->report->scales[facts->counter];
    const struct clock_scale *other_scale = &facts->report->scales[reference];
    if (own < 0 || other < 0 || !own_scale->known || !other_scale->known)
        return false;
    *columns = (struct columns){(uint32_t)own, (uint32_t)other, own_scale->ns_per_tick,
                                other_scale->ns_per_tick};
    return true;
}

/* One interval by both clocks. */
struct pair {
    double counter, reference; /* ns */
    double bound;              /* ns that the readings leave open */
};

static struct pair pair_at(const struct clock_watch *watch, const struct columns *columns,
                           size_t index)
{
    struct interval_reading both[2];
    watch_interval_of_two(watch, index, columns->counter, columns->reference, both);
    return (struct pair){
        both[0].elapsed * columns->counter_ns, both[1].elapsed * columns->reference_ns,
        both[0].bound * columns->counter_ns + both[1].bound * columns->reference_ns};
}

static size_t process_of(const struct clock_watch *watch, size_t index)
{
    size_t process = 0, look = watch_interval_look(watch, index);
    while (process + 1 < watch->processes && watch->begins[process + 1] <= look)
        process++;
    return process;
}

/* What is gathered over all watches. */
struct gathered {
    struct replicate_list ratios, doubts;
    size_t processes;
    double farthest;
};

/* Clocks may go on or stop while the machine is suspended: nothing is compared over that. */
static void gather(const struct clocks_case *file, const struct clock_watch *watch,
                   const struct columns *columns, struct gathered *all, struct agreement *agreement)
{
    for (size_t i = 0; i < watch_intervals(watch); i++) {
        struct pair pair = pair_at(watch, columns, i);
        size_t process = all->processes + process_of(watch, i);
        if (!(pair.reference > 0) || interval_suspended(file, watch, i))
            continue;
        double ratio = pair.counter / pair.reference;
        replicate_add(&all->ratios, process, ratio);
        replicate_add(&all->doubts, process, pair.bound / pair.reference);
        double off = fabs(pair.counter - pair.reference);
        agreement->intervals++;
        agreement->off += off > pair.bound + AGREE_SHARE * pair.reference;
        if (!(fabs(ratio - 1) <= all->farthest)) {
            all->farthest = fabs(ratio - 1);
            agreement->worst = ratio;
        }
    }
    all->processes += watch->processes;
    agreement->shortest_us = fmin(agreement->shortest_us, (double)watch->length);
    agreement->longest_us = fmax(agreement->longest_us, (double)watch->length);
}

/* Does this watch time what is chosen by both? */
static bool is_compared(const struct clocks_facts *facts, const struct clock_watch *watch,
                        chosen_watch *chosen, struct columns *columns)
{
    return watch->kind == WATCH_INTERVAL && watch->processes > 0 && chosen(watch) &&
           columns_of(facts, watch, columns);
}

/* Intervals 0: nothing was watched, or a rate is unknown. */
static struct agreement agreement_of(const struct clocks_facts *facts, chosen_watch *chosen)
{
    struct gathered all = {.farthest = -1};
    struct agreement agreement = {.shortest_us = INFINITY};
    struct columns columns;
    for (size_t i = 0; i < facts->file->watch_count; i++)
        if (is_compared(facts, &facts->file->watches[i], chosen, &columns))
            gather(facts->file, &facts->file->watches[i], &columns, &all, &agreement);
    if (agreement.intervals > 0) {
        double doubt = replicate_median(&all.doubts).median;
        agreement.ratio = replicate_median(&all.ratios);
        agreement.ratio.low -= doubt;
        agreement.ratio.high += doubt;
        agreement.independent = clocks_independent(facts->file, facts->counter,
                                                   (uint32_t)facts->report->reference.clock);
    }
    return agreement;
}

/* Adds those of one watch: a watch has one length. */
static void add_residuals(const struct clocks_case *file, const struct clock_watch *watch,
                          const struct columns *columns, struct replicate_list *residuals)
{
    size_t count = watch_intervals(watch), used = 0;
    AUTO_MEMORY double *ratios = memory_new(count + 1, sizeof(*ratios));
    for (size_t i = 0; i < count; i++) {
        struct pair pair = pair_at(watch, columns, i);
        if (pair.reference > 0 && !interval_suspended(file, watch, i))
            ratios[used++] = pair.counter / pair.reference;
    }
    if (used < 2)
        return;
    sort_values(ratios, used);
    double median = quantile(ratios, used, .5);
    for (size_t i = 0; i < used && median > 0; i++)
        replicate_add(residuals, residuals->count, ratios[i] / median);
}

/* A ratio by how far it is off 1. */
static struct estimate of_one(double off, double low, double high)
{
    struct estimate estimate = estimate_within(off, low, high, AGREE_SHARE);
    estimate.value += 1;
    estimate.low += 1;
    estimate.high += 1;
    return estimate;
}

/* Refuted, open or confirmed, as all intervals together and each by itself say. */
static struct estimate agreement_estimate(const struct agreement *agreement)
{
    struct overhead_median ratio = agreement->ratio;
    struct estimate estimate = of_one(ratio.median - 1, ratio.low - 1, ratio.high - 1);
    if (share_interval(agreement->off, agreement->intervals, .95).low > OFF_SHARE)
        estimate.verdict = FINDING_FAILS;
    else if (agreement->off > 0 && estimate.verdict == FINDING_HOLDS)
        estimate.verdict = FINDING_INCONCLUSIVE;
    return estimate;
}

/* Appends "tsc shows 1.000002 of monotonic-raw over 300 computations of 20 to 160 ms". */
static void tell_agreement(const struct clocks_facts *facts, const struct agreement *agreement,
                           const char *what, struct finding *finding)
{
    const struct clock_known *counter = &facts->file->clocks[facts->counter];
    const struct clock_known *other = &facts->file->clocks[facts->report->reference.clock];
    const bool apart = agreement->longest_us > agreement->shortest_us;
    SAY(finding, CLOCKS_SHOWS, counter->name, agreement->ratio.median, other->name,
        agreement->intervals, what, apart ? agreement->shortest_us / 1e3 : (double)NAN,
        agreement->longest_us / 1e3);
    if (agreement->off > 0)
        SAY(finding, CLOCKS_SOME_OFF, agreement->off, agreement->worst);
    if (!facts->report->scales[facts->counter].claimed)
        SAY(finding, CLOCKS_RATE_UNCLAIMED);
}

/* Appends that agreement proves nothing, and what could. */
static void tell_same_counter(const struct clocks_facts *facts, struct finding *finding)
{
    const struct clock_known *counter = &facts->file->clocks[facts->counter];
    const struct clock_known *other = &facts->file->clocks[facts->report->reference.clock];
    SAY(finding, CLOCKS_PROVES_NOTHING);
    BECAUSE(&finding->why, SENTENCE, CLOCKS_SAME_COUNTER, other->name, counter->name);
    SAY(finding, CLOCKS_CLOCK_ELSEWHERE);
}

/* The rate against a clock that is made elsewhere, over the whole time; NULL: there is none. */
static const struct clock_rate *outside_rate(const struct clocks_facts *facts)
{
    const struct clock_rate *rates = facts->report->rates[facts->counter];
    const int32_t preferred[] = {facts->report->reference.outside, facts->report->reference.rtc};
    for (size_t i = 0; i < sizeof(preferred) / sizeof(*preferred); i++)
        for (size_t j = 0; j < CLOCK_MOST_RATES; j++)
            if (rates[j].known && rates[j].independent && rates[j].against_claim &&
                preferred[i] >= 0 && rates[j].against == (uint32_t)preferred[i])
                return &rates[j];
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * Computation and sleep (K1, K2): does the counter agree with a clock that is not made of it?
 * Where no such clock was around the intervals, one from outside may tell of the whole time. */

/* "Too low": by this at least. */
#define TOO_LOW 0.99
/* "Scatters": the middle half of equal sleeps spreads by this at least. */
#define SCATTERS 0.01
#define DRAWS    2000
/* Of the time that was watched from outside, less sleep than this tells nothing of sleep. */
#define SLEPT_SHARE 0.01

static bool is_plain(const struct clock_watch *watch)
{
    return watch->threads == 1 && !watch->moves && !watch->handover && !watch->awake;
}

static bool is_computation(const struct clock_watch *watch)
{
    return is_plain(watch) && strcmp(watch->workload, "compute") == 0;
}

static bool is_sleep(const struct clock_watch *watch)
{
    return is_plain(watch) && strcmp(watch->workload, "sleep") == 0;
}

/* Share of the time seen from outside in which `chosen` went on; all threads idle meanwhile. */
static double share_of(const struct clocks_facts *facts, chosen_watch *chosen, double span_s)
{
    double us = 0;
    for (size_t i = 0; i < facts->file->watch_count; i++) {
        const struct clock_watch *watch = &facts->file->watches[i];
        if (watch->kind == WATCH_INTERVAL && watch->processes > 0 && chosen(watch))
            us += (double)watch->length * (double)watch->begins[watch->processes] /
                  WATCH_INTERVAL_LOOKS;
    }
    return span_s > 0 ? us / 1e6 / span_s : 0;
}

static void tell_outside(const struct clocks_facts *facts, const struct clock_rate *rate,
                         double share, const char *what, struct finding *finding)
{
    SAY(finding, CLOCKS_FROM_OUTSIDE, facts->file->clocks[rate->against].name,
        facts->file->clocks[facts->counter].name, rate->ppm, rate->low, rate->high, rate->span_s,
        100 * share, what);
}

static void computation_from_outside(const struct clocks_facts *facts,
                                     const struct clock_rate *rate, struct finding *finding)
{
    double share = share_of(facts, is_computation, rate->span_s);
    struct estimate estimate = of_one(rate->ppm / 1e6, rate->low / 1e6, rate->high / 1e6);
    if (estimate.verdict == FINDING_FAILS || share < SLEPT_SHARE)
        estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&estimate, finding);
    tell_outside(facts, rate, share, "computation", finding);
    if (estimate.verdict == FINDING_INCONCLUSIVE)
        SAY(finding, CLOCKS_WHO_DID_IT, "computation");
}

static void rule_computation(const struct claim *claim, const void *context,
                             struct finding *finding)
{
    const struct clocks_facts *facts = context;
    const struct clock_rate *rate = outside_rate(facts);
    (void)claim;
    if (!can_tell(facts, finding))
        return;
    const struct agreement agreement = agreement_of(facts, is_computation);
    if (!agreement.intervals) {
        SAY(finding, CLOCKS_NOT_TIMED, "computation");
        return;
    }
    struct estimate estimate = agreement_estimate(&agreement);
    if (agreement.independent || estimate.verdict == FINDING_FAILS) {
        estimate_report(&estimate, finding);
        tell_agreement(facts, &agreement, "computations", finding);
    } else if (rate) {
        computation_from_outside(facts, rate, finding);
    } else {
        tell_agreement(facts, &agreement, "computations", finding);
        tell_same_counter(facts, finding);
    }
}

static double middle_half(const double *values, size_t count, void *context)
{
    double sorted[512];
    (void)context;
    /* Evenly spaced ones of more. */
    size_t used = count < 512 ? count : 512;
    for (size_t i = 0; i < used; i++)
        sorted[i] = values[i * count / used];
    sort_values(sorted, used);
    return quantile(sorted, used, .75) - quantile(sorted, used, .25);
}

/* How much sleeps spread, each relative to the median of its length. */
static struct estimate scatter_of(const struct clocks_facts *facts)
{
    struct replicate_list residuals = {0};
    struct interval interval = {0};
    struct columns columns;
    for (size_t i = 0; i < facts->file->watch_count; i++)
        if (is_compared(facts, &facts->file->watches[i], is_sleep, &columns))
            add_residuals(facts->file, &facts->file->watches[i], &columns, &residuals);
    if (bootstrap_interval(residuals.values, residuals.count, middle_half, NULL, DRAWS, .95,
                           facts->seed, &interval) < 0)
        memory_end();
    double value = residuals.count ? middle_half(residuals.values, residuals.count, NULL) : NAN;
    return estimate_at_least(value, interval.low, interval.high, SCATTERS);
}

/* If all that is missing were lost in sleep, its share of the time makes it so much of sleep. */
static void sleep_from_outside(const struct clocks_facts *facts, const struct clock_rate *rate,
                               struct finding *finding)
{
    double share = share_of(facts, is_sleep, rate->span_s);
    if (share < SLEPT_SHARE) {
        tell_outside(facts, rate, share, "sleep", finding);
        SAY(finding, CLOCKS_LITTLE_SLEEP);
        return;
    }
    double each = 1e6 * fmin(share, 1);
    struct estimate estimate =
        estimate_below(1 + rate->ppm / each, 1 + rate->low / each, 1 + rate->high / each, TOO_LOW);
    /* What is too low over the whole time may have been lost elsewhere, and shows no scatter. */
    if (estimate.verdict == FINDING_HOLDS)
        estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&estimate, finding);
    tell_outside(facts, rate, share, "sleep", finding);
    if (estimate.verdict == FINDING_INCONCLUSIVE)
        SAY(finding, CLOCKS_WHO_DID_IT, "sleep");
}

static void sleep_by_reference(const struct clocks_facts *facts, const struct agreement *agreement,
                               const struct estimate *low, const struct estimate *scatter,
                               struct finding *finding)
{
    estimate_report(low, finding);
    if (verdict_graver(scatter->verdict, low->verdict))
        finding->verdict = scatter->verdict;
    tell_agreement(facts, agreement, "sleeps", finding);
    SAY(finding, CLOCKS_SPREAD, 100 * scatter->value);
    if (low->verdict == FINDING_HOLDS && scatter->verdict == FINDING_FAILS)
        SAY(finding, CLOCKS_LOW_BUT_EVEN);
}

static void rule_sleep(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct clocks_facts *facts = context;
    const struct clock_rate *rate = outside_rate(facts);
    (void)claim;
    if (!can_tell(facts, finding))
        return;
    const struct agreement agreement = agreement_of(facts, is_sleep);
    const struct estimate scatter = scatter_of(facts);
    if (!agreement.intervals) {
        SAY(finding, CLOCKS_NOT_TIMED, "sleep");
        return;
    }
    struct overhead_median ratio = agreement.ratio;
    struct estimate low = estimate_below(ratio.median, ratio.low, ratio.high, TOO_LOW);
    if (agreement.independent || low.verdict == FINDING_HOLDS) {
        sleep_by_reference(facts, &agreement, &low, &scatter, finding);
    } else if (rate) {
        sleep_from_outside(facts, rate, finding);
    } else {
        tell_agreement(facts, &agreement, "sleeps", finding);
        tell_same_counter(facts, finding);
        SAY(finding, CLOCKS_TIMER_ALIKE);
    }
}

/* ----------------------------------------------------------------------------------------------
 * Order (K3, K4): does the counter go back in one thread, and is it still to be trusted when
 * threads and CPUs change? What goes back is wrong by itself: that needs no other clock. */

/* With fewer readings one step back in a thousand would stay unseen. */
#define FEWEST_READINGS 3000
#define MILLION         1e6
/* Trips without which an offset is not bound by anything but luck. */
#define FEWEST_TRIPS 30
/* What must not stay unseen: the tolerance of the shortest interval, 20 ms. */
#define OFFSET_NS (20e6 * AGREE_SHARE)

/* Of a million readings. None of N: at most 3 / N, 95 % one-sided; four of five such rows would
 * show 1.6 / N. */
static void report_backward(const struct clock_monotonic *order, struct finding *finding)
{
    const double readings = (double)order->readings;
    const struct interval share =
        share_interval((size_t)order->backward, (size_t)order->readings, .95);
    finding->has_estimate = true;
    finding->estimate = (double)order->backward / readings * MILLION;
    finding->low = share.low * MILLION;
    finding->high = order->backward ? share.high * MILLION : -log(.05) / readings * MILLION;
    finding->detectable = -log(.2) / readings * MILLION;
}

static void rule_one_thread(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct clocks_facts *facts = context;
    (void)claim;
    if (!can_tell(facts, finding))
        return;
    const struct clock_monotonic *order = &facts->report->monotonic[facts->counter];
    const char *name = facts->file->clocks[facts->counter].name;
    if (!order->known) {
        SAY(finding, CLOCKS_NO_READINGS, name);
        return;
    }
    report_backward(order, finding);
    if (order->backward > 0) {
        finding->verdict = FINDING_FAILS;
        SAY(finding, CLOCKS_BELOW, order->backward, order->readings, name, order->worst_ticks);
    } else {
        bool enough = order->readings >= FEWEST_READINGS;
        finding->verdict = enough ? FINDING_HOLDS : FINDING_INCONCLUSIVE;
        SAY(finding, CLOCKS_NONE_BELOW, order->readings, name,
            floor((double)order->readings / -log(.05)));
        if (!enough)
            BECAUSE(&finding->why, NONE, CLOCKS_NOT_RARE);
    }
    if (order->wrapped)
        SAY(finding, CLOCKS_WRAP_IS_NO_STEP, lround(log2(order->wrap_ticks)));
}

static bool changes(const struct clock_watch *watch)
{
    return watch->threads > 1 || watch->moves > 0 || watch->handover;
}

static void tell_offsets(const struct clocks_facts *facts, struct finding *finding)
{
    const struct clock_monotonic *order = &facts->report->monotonic[facts->counter];
    const struct clock_offsets *offsets = &facts->report->offsets[facts->counter];
    const struct clock_scale *scale = &facts->report->scales[facts->counter];
    if (order->cross_backward > 0)
        SAY(finding, CLOCKS_TRIPS_BACK, order->cross_backward, order->trips,
            round(order->cross_worst_ticks), offsets->cpu, offsets->partner, offsets->offset);
    else
        SAY(finding, CLOCKS_TRIPS_AGREE, order->trips, order->pairs, round(offsets->largest_bound),
            scale->known ? offsets->largest_bound * scale->ns_per_tick : (double)NAN);
}

/* By the pair that is farthest apart. */
static enum finding_verdict report_offsets(const struct clocks_facts *facts,
                                           struct finding *finding)
{
    const struct clock_monotonic *order = &facts->report->monotonic[facts->counter];
    const struct clock_offsets *offsets = &facts->report->offsets[facts->counter];
    const struct clock_scale *scale = &facts->report->scales[facts->counter];
    finding->has_estimate = true;
    finding->estimate = offsets->offset;
    finding->low = offsets->offset - offsets->bound;
    finding->high = offsets->offset + offsets->bound;
    finding->detectable = offsets->largest_bound;
    if (order->cross_backward > 0 || offsets->worst != 0)
        return FINDING_FAILS;
    bool bound = scale->known && offsets->largest_bound * scale->ns_per_tick <= OFFSET_NS;
    return bound && order->trips >= FEWEST_TRIPS ? FINDING_HOLDS : FINDING_INCONCLUSIVE;
}

/* Why no two CPUs were compared. */
static void tell_no_trips(const struct clocks_facts *facts, struct finding *finding)
{
    const struct clocks_case *file = facts->file;
    const char *why = NULL;
    for (size_t i = 0; i < file->absence_count && !why; i++)
        if (file->absences[i].what && strstr(file->absences[i].what, "trips"))
            why = file->absences[i].reason;
    for (size_t i = file->watch_count; i-- > 0;)
        if (file->watches[i].kind == WATCH_TRIPS && file->watches[i].reason)
            why = file->watches[i].reason;
    if (file->cpus == 1)
        SAY(finding, CLOCKS_ONE_CPU);
    else if (why)
        SAY(finding, CLOCKS_MACHINE_SAYS, why);
    else
        SAY(finding, CLOCKS_NO_TRIPS);
}

/* Intervals with threads and moves, beside the trips. */
static void judge_intervals(const struct clocks_facts *facts, const struct agreement *agreement,
                            struct finding *finding)
{
    struct estimate estimate = agreement_estimate(agreement);
    if (!agreement->intervals) {
        SAY(finding, CLOCKS_NO_CHANGES);
        if (finding->verdict == FINDING_HOLDS)
            finding->verdict = FINDING_INCONCLUSIVE;
        return;
    }
    bool tells = agreement->independent || estimate.verdict == FINDING_FAILS;
    if (tells && verdict_graver(estimate.verdict, finding->verdict))
        finding->verdict = estimate.verdict;
    tell_agreement(facts, agreement, "intervals with threads or changes of CPU", finding);
    if (!tells)
        SAY(finding, CLOCKS_TRIPS_DECIDE);
}

static void rule_changes(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct clocks_facts *facts = context;
    (void)claim;
    if (!can_tell(facts, finding))
        return;
    const struct agreement agreement = agreement_of(facts, changes);
    if (!facts->report->offsets[facts->counter].known) {
        tell_no_trips(facts, finding);
        struct estimate estimate = agreement_estimate(&agreement);
        if (agreement.intervals && estimate.verdict == FINDING_FAILS) {
            finding->verdict = FINDING_FAILS;
            tell_agreement(facts, &agreement, "intervals with threads or changes of CPU", finding);
        }
        return;
    }
    finding->verdict = report_offsets(facts, finding);
    tell_offsets(facts, finding);
    judge_intervals(facts, &agreement, finding);
}

/* --- the claims as data --- */

static const struct claim claims[CLOCKS_FINDINGS] = {
    {"K1", "over computation, the CPU's counter and a proven clock agree",
     "durations virtually identical over Fibonacci numbers, their spread negligible", "times",
     rule_computation, false, NULL},
    {"K2", "over sleep, the CPU's counter reads too low and scatters",
     "significantly below the requested 20 to 160 ms, and varying (Core 2 Duo, Pentium M)", "times",
     rule_sleep, false, NULL},
    {"K3", "the CPU's counter is monotonic within one thread",
     "confirmed on every platform by repeated readings", "per million readings", rule_one_thread,
     false, NULL},
    {"K4",
     "the CPU's counter stays dependable with several threads and across forced changes of CPU",
     "left to future work", "ticks", rule_changes, false, NULL},
};

static int32_t find_counter(const struct clocks_case *file)
{
    for (size_t i = 0; i < COUNTERS; i++) {
        int index = clocks_index(file, counters[i]);
        if (index >= 0 && !file->clocks[index].external)
            return index;
    }
    return -1;
}

void clocks_judge_findings(const struct clocks_case *file, uint64_t seed,
                           struct clocks_report *report)
{
    const int32_t counter = find_counter(file);
    struct clocks_facts facts = {file, report, seed, counter >= 0,
                                 counter < 0 ? 0 : (uint32_t)counter};
    const struct claiming claiming = {
        .paper = "kuperberg-fidelity", .claims = claims, .count = CLOCKS_FINDINGS, .facts = &facts};
    findings_judge(&claiming, report->findings);
}
