/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One clock by itself: the steps in which it goes, what it counts in, what a reading costs,
 * whether it goes back. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * The quantum in which a clock counts: a quick clock moves between any two readings, so its
 * smallest step is how long readings take; but all its steps are multiples of what it counts in.
 * That is the largest number of which they all are multiples, up to rounding. */

/* Fewer different distances fit some number by chance. */
#define FEWEST_LENGTHS 6
/* Longer ones, in ticks, would need too many trials. */
#define LONGEST 131072.0
/* Rounding to whole ticks makes all numbers below this fit. */
#define LEAST_QUANTUM 4.0
/* A smallest step below this is told better by what steps differ by than by what fits. */
#define FEW_TICKS 8.0
/* Nor is a finer part of the longest looked for. */
#define FINEST_PART 16384.0
/* A distance fits that is off by a tick and so much of the quantum; so many of a hundred need not.
 * Lengths weigh alike, however often each was seen: most are one and the same. */
#define FIT_TICKS 1.0
#define FIT_SHARE (1.0 / 32)
#define MISFITS   5
/* Of more lengths some are tried, from the shortest to the longest: a hundred thousand trials of
 * every distance would take longer than measuring did. */
#define MOST_LENGTHS 256u
/* Of a cycle of the longest, from one number that is tried to the next. */
#define TRIAL_CYCLE (1.0 / 16)

/* Of the smallest step that was seen; farther away it would have been seen by itself. */
#define MOST_PARTS 6
/* Distances of more steps say nothing of one where the clock is steered. */
#define MOST_STEPS 64.0
/* Different distances above the smallest, without which a part of it fits by chance. */
#define FEWEST_OTHERS 3

/* Is it of another length than the one before, beyond rounding? */
static bool is_new(const double *sorted, size_t index)
{
    return index == 0 || sorted[index] - sorted[index - 1] > FIT_TICKS;
}

static size_t lengths_of(const double *sorted, size_t count)
{
    size_t lengths = 0;
    for (size_t i = 0; i < count; i++)
        lengths += is_new(sorted, i);
    return lengths;
}

/* Every different length once, or one of several that follow each other; how many there are. */
static size_t take_lengths(const double *sorted, size_t count, size_t all,
                           double lengths[MOST_LENGTHS])
{
    size_t taken = 0, seen = 0, every = (all + MOST_LENGTHS - 1) / MOST_LENGTHS;
    for (size_t i = 0; i < count; i++)
        if (is_new(sorted, i) && seen++ % every == 0)
            lengths[taken++] = sorted[i];
    return taken;
}

static bool fits(double quantum, const double *lengths, size_t count)
{
    size_t misfits = 0;
    double most = FIT_TICKS + FIT_SHARE * quantum;
    for (size_t i = 0; i < count && 100 * misfits <= MISFITS * count; i++)
        misfits += fabs(lengths[i] - quantum * round(lengths[i] / quantum)) > most;
    return 100 * misfits <= MISFITS * count;
}

/* By least squares through all that fit. */
static double refined(double quantum, const double *steps, size_t count)
{
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double times = round(steps[i] / quantum);
        if (fabs(steps[i] - quantum * times) > FIT_TICKS + FIT_SHARE * quantum)
            continue;
        products += steps[i] * times;
        squares += times * times;
    }
    return squares > 0 ? products / squares : quantum;
}

/* Where no number fits, the clock tells apart what distances differ by. */
static double smallest_difference(const double *sorted, size_t count, double smallest)
{
    double least = smallest;
    for (size_t i = 1; i < count; i++)
        if (sorted[i] > sorted[i - 1])
            least = fmin(least, sorted[i] - sorted[i - 1]);
    return least;
}

/* Of distances between readings, rising and above 0: ticks, never more than `smallest`; it need not
 * be a whole number, as clocks are scaled and rounded. Where too few distances are known, or too
 * much alike, `smallest` itself. */
static double quantum_of(const double *sorted, size_t count, double smallest)
{
    while (count > 0 && sorted[count - 1] > LONGEST)
        count--;
    double lengths[MOST_LENGTHS];
    size_t all = lengths_of(sorted, count);
    if (smallest <= FEW_TICKS)
        return smallest_difference(sorted, count, smallest);
    if (all < FEWEST_LENGTHS)
        return smallest;
    size_t taken = take_lengths(sorted, count, all, lengths);
    double longest = sorted[count - 1], quantum = smallest;
    double least = fmax(LEAST_QUANTUM, longest / FINEST_PART);
    while (quantum >= least) {
        if (fits(quantum, lengths, taken))
            return fmin(refined(quantum, lengths, taken), smallest);
        quantum *= 1 - TRIAL_CYCLE * quantum / longest;
    }
    return smallest_difference(sorted, count, smallest);
}

/* The same of a clock that stands still for long: its smallest step, or a small part of that where
 * too few steps were seen by themselves. 0: no such number, its steps differ. */
static double quantum_of_steps(const double *sorted, size_t count, double smallest)
{
    double lengths[MOST_LENGTHS];
    while (count > 0 && sorted[count - 1] > MOST_STEPS * smallest)
        count--;
    if (!count || smallest <= FEW_TICKS)
        return 0;
    size_t taken = take_lengths(sorted, count, lengths_of(sorted, count), lengths);
    smallest = fmin(smallest, sorted[0]);
    for (int parts = 1; parts <= MOST_PARTS && (parts == 1 || taken > FEWEST_OTHERS); parts++)
        if (fits(smallest / parts, lengths, taken))
            return smallest / parts;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What a reading costs: blocks of readings of a clock, timed by a quick one around them, less what
 * reading that one costs itself (kind "row"). */

static bool is_row_of(const struct clock_watch *watch, uint32_t clock)
{
    return watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS && watch->length > 0 &&
           watch->clocks[ROW_FIRST] == clock && watch->processes > 0;
}

/* Ticks of the timing clock from before the block to after it. NaN: it went back. */
static double block_ticks(const struct clock_watch *watch, size_t look)
{
    const uint64_t *row = watch->values + look * watch->columns;
    int64_t ticks = (int64_t)(row[ROW_AFTER] - row[ROW_BEFORE]);
    return ticks < 0 ? NAN : (double)ticks;
}

/* Was nothing of the process quiet? Then blocks with a switch are all there is. */
static bool all_preempted(const struct clock_watch *watch, size_t process)
{
    for (size_t look = watch->begins[process]; look < watch->begins[process + 1]; look++)
        if (!watch->accounts || !watch->accounts[look].involuntary)
            return false;
    return true;
}

/* Blocks of one row, for each reading: (ticks - own) / (length + extra). */
static void collect(const struct clock_watch *watch, size_t first_process, double own, double extra,
                    struct replicate_list *list)
{
    for (size_t process = 0; process < watch->processes; process++) {
        bool any = all_preempted(watch, process);
        for (size_t look = watch->begins[process]; look < watch->begins[process + 1]; look++) {
            if (!any && watch->accounts && watch->accounts[look].involuntary)
                continue;
            double each = (block_ticks(watch, look) - own) / ((double)watch->length + extra);
            replicate_add(list, first_process + process, each);
        }
    }
}

/* All rows of X that the same clock timed. own: ticks that one reading of that clock costs. */
static struct overhead_median median_of_rows(const struct clocks_case *file, uint32_t clock,
                                             uint32_t timer, double own, size_t *blocks)
{
    struct replicate_list list = {0};
    size_t processes = 0;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (!is_row_of(watch, clock) || watch->clocks[ROW_BEFORE] != timer)
            continue;
        /* A block of the timing clock itself is that many readings and one more. */
        collect(watch, processes, clock == timer ? 0 : own, clock == timer, &list);
        processes += watch->processes;
    }
    *blocks = list.count;
    return replicate_median(&list);
}

/* What times the rows of a clock: ticks before nanoseconds; -1: it has no row. */
static int32_t timer_of(const struct clocks_case *file, uint32_t clock)
{
    int32_t found = -1;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (!is_row_of(watch, clock))
            continue;
        uint32_t timer = watch->clocks[ROW_BEFORE];
        if (strcmp(file->clocks[timer].way, "instruction") == 0)
            return (int32_t)timer;
        found = (int32_t)timer;
    }
    return found;
}

/* Costs are not below nothing, however wide the interval; one process alone has none. */
static double limit(double value)
{
    return isfinite(value) ? fmax(value, 0) : NAN;
}

static void judge_cost(const struct clocks_case *file, const struct clocks_report *report,
                       uint32_t clock, struct clock_cost *cost)
{
    *cost = (struct clock_cost){.ticks = NAN, .low = NAN, .high = NAN, .ns = NAN};
    int32_t timer = timer_of(file, clock);
    if (timer < 0)
        return;
    size_t blocks;
    const double own = median_of_rows(file, (uint32_t)timer, (uint32_t)timer, 0, &blocks).median;
    const struct overhead_median median =
        median_of_rows(file, clock, (uint32_t)timer, isnan(own) ? 0 : own, &blocks);
    if (isnan(median.median))
        return;
    const struct clock_scale *scale = &report->scales[timer];
    cost->known = true;
    cost->blocks = blocks;
    cost->ns = scale->known ? limit(median.median) * scale->ns_per_tick : NAN;
    if (strcmp(file->clocks[timer].way, "instruction") != 0)
        return;
    cost->ticks = limit(median.median);
    cost->low = limit(median.low);
    cost->high = limit(median.high);
}

void clocks_judge_costs(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->clock_count; i++)
        judge_cost(file, report, (uint32_t)i, &report->costs[i]);
}

/* ----------------------------------------------------------------------------------------------
 * Whether a clock goes back: in one thread, by all readings that follow each other there, and
 * across CPUs, by looks in the order of causes. A counter that begins anew is not a step back. */

/* A counter of fewer bits wraps so often that nobody calls it a clock. */
#define FEWEST_BITS 8

struct account_of_clock {
    struct clock_monotonic *monotonic;
    uint64_t largest;
    double period;  /* 0: first round, in which all that is below the one before counts */
    uint64_t maybe; /* of a counter that wraps surely elsewhere, these are no steps back */
    double maybe_worst;
};

static void count(const struct stretch *stretch, void *context)
{
    struct account_of_clock *account = context;
    struct clock_monotonic *monotonic = account->monotonic;
    monotonic->readings += stretch->readings;
    if (stretch->largest > account->largest)
        account->largest = stretch->largest;
    if (!stretch->backward)
        return;
    enum wraps wraps = account->period > 0 ? stretch_wraps(stretch, account->period) : WRAPS_NOT;
    if (wraps == WRAPS_SURELY) {
        monotonic->wraps += stretch->backward;
    } else if (wraps == WRAPS_MAYBE) {
        account->maybe += stretch->backward;
        account->maybe_worst = fmax(account->maybe_worst, stretch->worst);
    } else {
        monotonic->backward += stretch->backward;
        monotonic->worst_ticks = fmax(monotonic->worst_ticks, stretch->worst);
    }
}

/* A counter that was seen to wrap showed values up to its period and never beyond. */
static double period_of(uint64_t largest)
{
    int bits = largest ? 64 - __builtin_clzll(largest) : 0;
    return bits < FEWEST_BITS ? 0 : ldexp(1, bits);
}

static void judge_thread(const struct clocks_case *file, const struct clocks_report *report,
                         uint32_t clock, struct clock_monotonic *monotonic)
{
    struct account_of_clock account = {.monotonic = monotonic};
    visit_stretches(file, report, clock, count, &account);
    if (monotonic->backward > 0) {
        *monotonic = (struct clock_monotonic){0};
        account.period = period_of(account.largest);
        visit_stretches(file, report, clock, count, &account);
    }
    monotonic->known = monotonic->readings > 0;
    monotonic->wrapped = monotonic->wraps > 0;
    if (!monotonic->wrapped) {
        monotonic->backward += account.maybe;
        monotonic->worst_ticks = fmax(monotonic->worst_ticks, account.maybe_worst);
    }
    monotonic->wrap_ticks = monotonic->wrapped ? account.period : 0;
}

/* By how much a look shows less than one before it in the order of causes; 0: by nothing. */
static double worst_of_trip(const struct clock_monotonic *monotonic, const uint64_t *first,
                            uint32_t columns)
{
    double there = ticks_between(monotonic, first[0], first[columns]);
    double back = ticks_between(monotonic, first[columns], first[2 * (size_t)columns]);
    return fmax(0, fmax(-there, -back));
}

static void judge_trips(const struct clocks_case *file, const struct clocks_report *report,
                        const struct clock_watch *watch, uint32_t clock, int column)
{
    struct clock_monotonic *monotonic = &report->monotonic[clock];
    size_t looks = watch->begins[watch->processes];
    for (size_t look = 0; look + WATCH_TRIP_LOOKS <= looks; look += WATCH_TRIP_LOOKS) {
        if (trip_is_lost(file, report, clock, watch, look))
            continue;
        const uint64_t *first = watch->values + look * watch->columns + column;
        double worst = worst_of_trip(monotonic, first, watch->columns);
        monotonic->trips++;
        monotonic->cross_backward += worst > 0;
        monotonic->cross_worst_ticks = fmax(monotonic->cross_worst_ticks, worst);
    }
}

/* Has an earlier watch of the clock the same two CPUs? */
static bool is_known_pair(const struct clocks_case *file, size_t index, uint32_t clock)
{
    const struct clock_watch *watch = &file->watches[index];
    for (size_t i = 0; i < index; i++) {
        const struct clock_watch *other = &file->watches[i];
        bool same = (other->cpu == watch->cpu && other->partner == watch->partner) ||
                    (other->cpu == watch->partner && other->partner == watch->cpu);
        if (other->kind == WATCH_TRIPS && other->processes > 0 && same &&
            watch_column(other, clock) >= 0)
            return true;
    }
    return false;
}

/* Time of a CPU or of a thread has no order across threads. */
static void judge_across(const struct clocks_case *file, const struct clocks_report *report,
                         uint32_t clock)
{
    struct clock_monotonic *monotonic = &report->monotonic[clock];
    if (file->clocks[clock].role != ROLE_WALL)
        return;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        int column = watch_column(watch, clock);
        if (watch->kind != WATCH_TRIPS || watch->processes == 0 || column < 0)
            continue;
        monotonic->cross_known = true;
        monotonic->pairs += !is_known_pair(file, i, clock);
        judge_trips(file, report, watch, clock, column);
    }
}

void clocks_judge_monotonicity(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->clock_count; i++) {
        if (!clock_is_candidate(&file->clocks[i]))
            continue;
        judge_thread(file, report, (uint32_t)i, &report->monotonic[i]);
        judge_across(file, report, (uint32_t)i);
    }
}

/* ----------------------------------------------------------------------------------------------
 * In which steps a clock goes: the readings that differ from the one before (kind "steps"), or,
 * where there are none, how far it got over blocks of readings (kind "row"). What it counts in
 * shows in the distances between any of its readings, of whatever watch. */

/* It stands still when a step takes so many readings. */
#define STILL_READINGS 4.0
/* Distances between looks that are kept: more would tell no more. */
#define MOST_WAYS 4096u

struct numbers {
    double *list;
    size_t count;
};

static void add(struct numbers *numbers, double value)
{
    *memory_add(numbers->list, numbers->count) = value;
}

/* NaN of nothing. Sorts. */
static double median_of(struct numbers *numbers)
{
    if (!numbers->count)
        return NAN;
    sort_values(numbers->list, numbers->count);
    return quantile(numbers->list, numbers->count, .5);
}

/* What was seen of one clock. */
struct seen_steps {
    struct numbers steps; /* ticks, upwards only */
    struct numbers ways;  /* ticks from any reading to a later one: steps and blocks */
    struct numbers waits; /* ns between the ends of two steps, by the clock beside it */
    double iteration_ns;  /* what a reading costs there, and the one beside it; NaN */
    struct numbers paces; /* rows: ticks a reading, of blocks in which it went on */
    size_t still, blocks; /* rows: blocks of several readings in which it did not, of all */
    double least_block;   /* rows: ticks, the shortest way that it went in a block; infinite */
};

static void see_steps(const struct clocks_report *report, const struct clock_watch *watch,
                      struct seen_steps *seen)
{
    const struct clock_scale *beside = &report->scales[watch->clocks[1]];
    const struct clock_cost *own = &report->costs[watch->clocks[0]];
    const struct clock_cost *other = &report->costs[watch->clocks[1]];
    if (own->known && other->known)
        seen->iteration_ns = own->ns + other->ns;
    for (size_t process = 0; process < watch->processes; process++)
        for (size_t look = watch->begins[process] + 1; look < watch->begins[process + 1]; look++) {
            const uint64_t *now = watch->values + look * watch->columns;
            const uint64_t *before = now - watch->columns;
            int64_t step = (int64_t)(now[0] - before[0]), wait = (int64_t)(now[1] - before[1]);
            if (step > 0) {
                add(&seen->steps, (double)step);
                add(&seen->ways, (double)step);
            }
            if (beside->known && wait > 0)
                add(&seen->waits, (double)wait * beside->ns_per_tick);
        }
}

static void see_row(const struct clock_watch *watch, struct seen_steps *seen)
{
    if (watch->length < (uint64_t)STILL_READINGS)
        return;
    for (size_t look = 0; look < watch->begins[watch->processes]; look++) {
        const uint64_t *row = watch->values + look * watch->columns;
        int64_t way = (int64_t)(row[ROW_LAST] - row[ROW_FIRST]);
        if (way < 0 || row[ROW_BACKWARD] > 0)
            continue;
        seen->blocks++;
        seen->still += way == 0;
        if (way == 0)
            continue;
        seen->least_block = fmin(seen->least_block, (double)way);
        add(&seen->ways, (double)way);
        add(&seen->paces, (double)way / (double)(watch->length - 1));
    }
}

/* Between looks of one thread, which follow each other. */
static void see_looks(const struct clock_watch *watch, uint32_t column, struct seen_steps *seen)
{
    const uint32_t group = watch_group(watch->kind, watch->threads);
    const uint32_t side = watch->kind == WATCH_INTERVAL ? WATCH_INTERVAL_LOOKS : WATCH_TRIP_LOOKS;
    const uint32_t apart = watch->kind == WATCH_INTERVAL ? 1 : 2;
    const size_t looks = watch->begins[watch->processes];
    for (size_t look = apart; look < looks && seen->ways.count < MOST_WAYS; look++) {
        if (look % group % side < apart)
            continue;
        const uint64_t *now = watch->values + look * watch->columns + column;
        int64_t way = (int64_t)(*now - *(now - (size_t)apart * watch->columns));
        if (way > 0)
            add(&seen->ways, (double)way);
    }
}

static void see_all_looks(const struct clocks_case *file, uint32_t clock, struct seen_steps *seen)
{
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        int column = watch_column(watch, clock);
        if (column >= 0 && watch->processes && !watch->moves && !watch->handover &&
            (watch->kind == WATCH_INTERVAL || watch->kind == WATCH_TRIPS))
            see_looks(watch, (uint32_t)column, seen);
    }
}

static void see(const struct clocks_case *file, const struct clocks_report *report, uint32_t clock,
                struct seen_steps *seen)
{
    seen->iteration_ns = NAN;
    seen->least_block = INFINITY;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->processes == 0 || watch->columns == 0 || watch->clocks[0] != clock)
            continue;
        if (watch->kind == WATCH_STEPS && watch->columns == 2)
            see_steps(report, watch, seen);
        else if (watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS)
            see_row(watch, seen);
    }
    see_all_looks(file, clock, seen);
}

/* By what a step takes in readings; where that cannot be told, by blocks without any. */
static bool stands_still(struct seen_steps *seen)
{
    double wait = median_of(&seen->waits);
    if (isfinite(wait) && seen->iteration_ns > 0)
        return wait >= STILL_READINGS * seen->iteration_ns;
    return 2 * seen->still > seen->blocks;
}

/* What all distances are multiples of: at most the smallest step. */
static void find_quantum(struct seen_steps *seen, struct clock_granularity *granularity)
{
    double smallest = granularity->step_ticks;
    sort_values(seen->ways.list, seen->ways.count);
    granularity->quantum_ticks = quantum_of_steps(seen->ways.list, seen->ways.count, smallest);
    granularity->regular = granularity->quantum_ticks > 0;
    if (!granularity->regular)
        granularity->quantum_ticks = quantum_of(seen->ways.list, seen->ways.count, smallest);
}

/* A program that makes a machine takes another time for a reading in every loop, so that only the
 * distances tell there. */
static bool is_coarse(struct seen_steps *seen, const struct clock_scale *scale, bool emulated,
                      const struct clock_granularity *granularity)
{
    if (!stands_still(seen))
        return false;
    bool told =
        emulated && scale->known && seen->iteration_ns > 0 && 2 * seen->still <= seen->blocks;
    return !told ||
           granularity->quantum_ticks * scale->ns_per_tick >= STILL_READINGS * seen->iteration_ns;
}

static void judge(struct seen_steps *seen, const struct clock_scale *scale, bool emulated,
                  struct clock_granularity *granularity)
{
    granularity->coarse = stands_still(seen);
    granularity->steps = seen->steps.count;
    if (seen->steps.count > 0) {
        granularity->usual_ticks = median_of(&seen->steps);
        /* What it went in a block is one step at least. */
        granularity->step_ticks = fmin(seen->steps.list[0], seen->least_block);
        find_quantum(seen, granularity);
        granularity->coarse = is_coarse(seen, scale, emulated, granularity);
    } else if (granularity->coarse && isfinite(seen->least_block)) {
        granularity->usual_ticks = granularity->step_ticks = seen->least_block;
        find_quantum(seen, granularity);
    } else if (seen->paces.count > 0) {
        granularity->usual_ticks = median_of(&seen->paces);
        granularity->step_ticks = granularity->quantum_ticks = seen->paces.list[0];
    } else {
        return;
    }
    granularity->known = true;
    /* Who waited for somebody saw longer steps, several at once: no fault of a clock whose steps
     * are all alike. */
    bool by_steps = granularity->coarse && !granularity->regular;
    if (scale->known)
        granularity->resolution_ns =
            (by_steps ? granularity->usual_ticks : granularity->quantum_ticks) * scale->ns_per_tick;
}

void clocks_judge_granularity(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->clock_count; i++) {
        struct seen_steps seen = {0};
        report->granularities[i] = (struct clock_granularity){
            .step_ticks = NAN, .usual_ticks = NAN, .quantum_ticks = NAN, .resolution_ns = NAN};
        see(file, report, (uint32_t)i, &seen);
        judge(&seen, &report->scales[i], file->emulated, &report->granularities[i]);
    }
}
