/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which clock for what, and at which cost: a sentence for each use, with the figures of this report
 * that say so. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "studies/clocks/judge.h"

/* ----------------------------------------------------------------------------------------------
 * Why a clock is trusted or not, in one sentence: what was seen, in which workload, the worst
 * ratio, against which reference, and whether that could be known better. */

/* A time with the unit that suits it. */
static void say_time(struct text *out, double ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {0, "ns"}};
    size_t i = 0;
    while (fabs(ns) < units[i].ns)
        i++;
    text_printf(out, "%.3g %s", ns / (units[i].ns > 0 ? units[i].ns : 1), units[i].unit);
}

static void say_against(struct text *out, const struct clock_trial *trial, uint32_t against)
{
    text_printf(out, "%s, which is %s", trial->file->clocks[against].name,
                clocks_independent(trial->file, trial->clock, against)
                    ? "made of another counter"
                    : "not known to be independent of it");
}

/* Does the row speak of the fault? Where a clock stops during sleep, what it shows to another
 * thread is no measure of that. */
static bool speaks_of(const struct clock_row *row, enum clock_fault fault)
{
    bool alone = row->threads == 1 && !row->moves && !row->handover;
    if (fault == FAULT_STOPS_DURING_SLEEP)
        return alone && strcmp(row->workload, "sleep") == 0;
    if (fault == FAULT_JUMPS_BETWEEN_CPUS)
        return row->moves || row->handover;
    if (fault == FAULT_COUNTS_OTHER_THREADS)
        return row->threads > 1;
    return alone;
}

/* The row with the worst ratio among those that speak of the fault; NULL: none does. */
static const struct clock_row *worst_of(const struct clock_trial *trial, enum clock_fault fault,
                                        double *ratio)
{
    const struct clock_row *worst = NULL;
    for (size_t i = 0; i < trial->report->row_count; i++) {
        const struct clock_row *row = &trial->report->rows[i];
        if (row->clock != trial->clock || !speaks_of(row, fault))
            continue;
        const double extremes[] = {row->ratio_min, row->ratio_max};
        for (size_t j = 0; j < 2; j++)
            if (!worst || fabs(extremes[j] - 1) > fabs(*ratio - 1)) {
                worst = row;
                *ratio = extremes[j];
            }
    }
    return worst;
}

static void say_worst(struct text *out, const struct clock_trial *trial,
                      const struct clock_verdict *verdict)
{
    double ratio = verdict->worst_ratio;
    const struct clock_row *row = worst_of(trial, verdict->fault, &ratio);
    if (!row && verdict->worst_row < 0)
        return;
    if (!row)
        row = &trial->report->rows[verdict->worst_row];
    text_printf(out, "; at worst, over %s of ", row->workload);
    say_time(out, (double)row->requested_us * 1e3);
    if (row->threads > 1)
        text_printf(out, " by %u threads", (unsigned)row->threads);
    if (row->moves)
        text_printf(out, " with %u changes of CPU", (unsigned)row->moves);
    if (row->handover)
        text_printf(out, " handed over");
    text_printf(out, " it showed %.6g times what ", ratio);
    text_printf(out, "%s did", trial->file->clocks[row->reference].name);
    text_printf(out, row->independent ? ", which is made of another counter"
                                      : ", which is not known to be independent of it");
}

static void say_wrong_rate(struct text *out, const struct clock_trial *trial)
{
    const struct clock_rate *rate = wrong_rate(trial);
    if (trial->file->emulated)
        text_printf(out, "its time is made by a program: ");
    if (!rate) {
        double asleep = trial_ratio(trial, tried_sleep, 0.5);
        double running = trial_ratio(trial, tried_running, 0.5);
        if (fabs(asleep - running) > CLOCKS_INTERVAL_PPM * 1e-6)
            text_printf(out,
                        "runs %.4g times as fast as it claims over computation, %.4g times over "
                        "sleep",
                        running, asleep);
        else
            text_printf(out, "runs %.6g times as fast as it claims",
                        trial_ratio(trial, tried_stayed, 0.5));
        return;
    }
    if (fabs(rate->ppm) < 10000)
        text_printf(out, "runs %.4g ppm %s than it claims (%.4g to %.4g)", fabs(rate->ppm),
                    rate->ppm > 0 ? "faster" : "slower", rate->low, rate->high);
    else
        text_printf(out, "runs %.4g times as fast as it claims", 1 + rate->ppm * 1e-6);
    if (rate->stretches && rate->fastest_ppm - rate->slowest_ppm > 10000)
        text_printf(out, ", at times %.3g, at others %.3g", 1 + rate->slowest_ppm * 1e-6,
                    1 + rate->fastest_ppm * 1e-6);
    text_printf(out, ", by ");
    say_against(out, trial, rate->against);
    text_printf(out, ", over %.3g s", rate->span_s);
}

static void say_backwards(struct text *out, const struct clock_trial *trial)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    if (monotonic->backward) {
        text_printf(
            out, "steps backwards: %llu of %llu readings were below the one before, by up to ",
            (unsigned long long)monotonic->backward, (unsigned long long)monotonic->readings);
        say_time(out, monotonic->worst_ticks * trial->report->scales[trial->clock].ns_per_tick);
    } else {
        text_printf(out, "steps backwards: %zu of %zu intervals lack time, the others none",
                    trial->wrong, trial->count);
    }
}

static void say_jumps(struct text *out, const struct clock_trial *trial)
{
    const struct clock_offsets *offsets = &trial->report->offsets[trial->clock];
    text_printf(out, "CPUs disagree");
    if (offsets->known && offsets->worst != 0) {
        text_printf(out, ": CPU %d and CPU %d by ", (int)offsets->cpu, (int)offsets->partner);
        say_time(out, fabs(offsets->offset) * trial->report->scales[trial->clock].ns_per_tick);
    }
    text_printf(out,
                "; wrong are %zu of %zu intervals that ended on another CPU, %zu of %zu others",
                trial_wrong(trial, tried_moved), trial_count(trial, tried_moved),
                trial_wrong(trial, tried_stayed), trial_count(trial, tried_stayed));
}

static void say_fault(struct text *out, const struct clock_trial *trial, enum clock_fault fault)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    switch (fault) {
    case FAULT_WRONG_RATE:
        say_wrong_rate(out, trial);
        break;
    case FAULT_STOPS_DURING_SLEEP:
        text_printf(out,
                    "stops during sleep: right over computation, %.3g times as long over sleep",
                    trial_ratio(trial, tried_sleep, 0.5));
        break;
    case FAULT_JUMPS_BETWEEN_CPUS:
        say_jumps(out, trial);
        break;
    case FAULT_STEPS_BACKWARDS:
        say_backwards(out, trial);
        break;
    case FAULT_WRAPS:
        text_printf(out, "begins anew");
        if (monotonic->wrapped && monotonic->wrap_ticks > 0) {
            text_printf(out, " after 2^%d ticks, every ", (int)lround(log2(monotonic->wrap_ticks)));
            say_time(out, monotonic->wrap_ticks * trial->report->scales[trial->clock].ns_per_tick);
        } else {
            text_printf(out, ": intervals lack whole periods of a power of two");
        }
        break;
    case FAULT_COARSE_STEPS:
        text_printf(out, "moves in steps of ");
        say_time(out, trial->told_ns);
        text_printf(out, ", too coarse to tell 20 ms to 1 %%");
        break;
    case FAULT_COUNTS_OTHER_THREADS:
        text_printf(out, "counts other threads: %.3g times as much where several compute",
                    trial_ratio(trial, tried_threads, 0.5));
        break;
    case FAULT_VARIES_WITH_FREQUENCY:
        text_printf(out, "has no constant rate: between %.4g and %.4g over computation",
                    trial_ratio(trial, tried_running, 0.1), trial_ratio(trial, tried_running, 0.9));
        break;
    case FAULT_SCATTERS:
    case FAULT_NONE:
    case CLOCK_FAULTS:
        text_printf(out, "scatters: %zu of %zu intervals are wrong, and nothing explains it",
                    trial->wrong, trial->count);
        break;
    }
}

/* Did it show what no CPU time can be, where another thread ended the interval? */
static bool fails_handed_over(const struct clock_trial *trial)
{
    for (size_t i = 0; i < trial->report->row_count; i++) {
        const struct clock_row *row = &trial->report->rows[i];
        if (row->clock == trial->clock && row->handover &&
            (row->ratio_min < 0 || row->ratio_max > 1.1))
            return true;
    }
    return false;
}

/* How it did over computation, and what may have been between. */
static void say_computation(struct text *out, const struct clock_trial *trial)
{
    size_t disturbed = 0, computed = trial_count(trial, tried_running);
    for (size_t i = 0; i < trial->count; i++)
        disturbed += tried_running(&trial->list[i]) && trial->list[i].disturbed;
    if (disturbed && disturbed == computed)
        text_printf(
            out,
            "; whether it is right over computation could not be seen: in all %zu others took the "
            "CPU",
            computed);
    else if (disturbed)
        text_printf(out, "; in %zu of %zu computations others took the CPU", disturbed, computed);
}

static void say_cpu_time(struct text *out, const struct clock_trial *trial)
{
    bool cycles = trial->file->clocks[trial->clock].role == ROLE_CYCLES;
    double running = trial_ratio(trial, tried_running, 0.5);
    double asleep = trial_ratio(trial, tried_sleep, 0.5);
    double together = trial_ratio(trial, tried_threads, 0.5);
    if (isnan(running) && isnan(asleep)) {
        text_printf(out, "claims no more than %s", cycles ? "cycles" : "CPU time");
        return;
    }
    text_printf(out, "counts %s only:", cycles ? "cycles of its thread" : "time on a CPU");
    const char *reference = trial->file->clocks[trial->report->reference.clock].name;
    if (isfinite(running))
        text_printf(out, " %.4g times as long as %s over computation", running, reference);
    if (isfinite(asleep))
        text_printf(out, "%s %.3g times over sleep", isfinite(running) ? "," : "", asleep);
    if (together > 1.3)
        text_printf(out, ", and of all threads together: %.3g times where several compute",
                    together);
    say_computation(out, trial);
    if (fails_handed_over(trial))
        text_printf(out, "; useless where another thread ends the interval, as each has its own");
}

static void say_fine(struct text *out, const struct clock_trial *trial,
                     const struct clock_verdict *verdict)
{
    const struct clock_rate *rate = confirming_rate(trial);
    if (verdict->trust == TRUST_DEPENDABLE) {
        text_printf(out, "no interval was off by more than its readings can tell");
        if (rate)
            text_printf(out,
                        ", and its rate is right to %.3g ppm by %s, which is made of another "
                        "counter",
                        fmax(fabs(rate->low), fabs(rate->high)),
                        trial->file->clocks[rate->against].name);
        else
            text_printf(out, ", by a reference that is made of another counter");
        return;
    }
    uint32_t lacks = trial_lacks(trial);
    bool reference = trial->report->reference.clock == (int32_t)trial->clock;
    if ((trial->count || reference) && lacks && was_confirmed(trial))
        text_printf(
            out,
            "no fault was seen, and what is made of another counter agrees, but no %s was watched",
            lacks & LACKS_SLEEP         ? "sleep"
            : lacks & LACKS_COMPUTATION ? "computation"
                                        : "change of CPU");
    else if (!trial->count && !reference)
        text_printf(out, "it was not read around any interval beside a reference");
    else
        text_printf(out,
                    "no fault was seen, but nothing here is made of another counter, so nothing "
                    "could have shown one");
}

void explain_trust(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    AUTO_TEXT struct text why = {0};
    if (verdict->trust == TRUST_NOT_DEPENDABLE) {
        say_fault(&why, trial, verdict->fault);
        if (verdict->fault != FAULT_WRONG_RATE || !wrong_rate(trial))
            say_worst(&why, trial, verdict);
    } else if (verdict->trust == TRUST_CPU_TIME_ONLY) {
        say_cpu_time(&why, trial);
    } else {
        say_fine(&why, trial, verdict);
    }
    snprintf(verdict->why, sizeof(verdict->why), "%s", text_string(&why));
}

/* ----------------------------------------------------------------------------------------------
 * Which clock for what, and at which cost: a sentence for each use, with the figures of this
 * report that say so. */

struct asked {
    const struct clocks_case *file;
    const struct clocks_report *report;
};
/* Which clock it is; what follows its name. -1: none, or nothing is said of any. */
typedef int32_t adviser(const struct asked *asked, struct text *out);

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
           (int32_t)clock != asked->report->reference.outside;
}

static bool has_usable(const struct asked *asked)
{
    for (uint32_t i = 0; i < asked->file->clock_count; i++)
        if (is_usable(asked, i))
            return true;
    return false;
}

/* Was any clock that may be used held against one of another make? */
static bool has_independent(const struct asked *asked)
{
    for (uint32_t clock = 0; clock < asked->file->clock_count; clock++) {
        int32_t reference = asked->report->reference.clock;
        if (!is_usable(asked, clock))
            continue;
        if (reference >= 0 && clocks_independent(asked->file, clock, (uint32_t)reference))
            return true;
        for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
            if (asked->report->rates[clock][i].known && asked->report->rates[clock][i].independent)
                return true;
    }
    return false;
}

/* --- short regions --- */

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

static int32_t advise_short(const struct asked *asked, struct text *out)
{
    int32_t best = best_for_regions(asked, NULL);
    if (best < 0)
        return -1;
    int32_t fenced = fenced_form(asked, best), next = best_without_rate(asked, best);
    char cost[WORDS_TIME], step[WORDS_TIME], one[WORDS_TIME], other[WORDS_TIME];
    double error = region_error(asked, (uint32_t)best);
    text_printf(out,
                ". A reading takes %s and tells %s apart: %s of a region of 1 µs, %s of 100 µs.",
                words_time(asked->report->costs[best].ns, cost),
                words_time(asked->report->granularities[best].resolution_ns, step),
                words_share(error / 1e3, one), words_share(error / 1e5, other));
    if (fenced >= 0)
        text_printf(out, " Where the order of instructions matters: %.30s, %s.",
                    name_of(asked, fenced), words_time(asked->report->costs[fenced].ns, cost));
    if (next >= 0)
        text_printf(out, " Without knowing a rate: %.24s, %s.", name_of(asked, next),
                    words_time(asked->report->costs[next].ns, cost));
    return best;
}

/* --- long intervals --- */

/* " It was never more than 1.2 µs from …", of the clock over intervals. */
static void put_deviation(const struct asked *asked, int32_t clock, struct text *out)
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
    char error[WORDS_TIME], length[WORDS_TIME];
    if (worst)
        text_printf(out, " Over up to %s never more than %s from %.24s.",
                    words_time((double)longest * 1e3, length),
                    words_time(worst->max_error_ns, error),
                    name_of(asked, (int32_t)worst->reference));
}

/* Against a clock that is made elsewhere, if any. */
static void put_rate(const struct asked *asked, int32_t clock, struct text *out)
{
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
        const struct clock_rate *rate = &asked->report->rates[clock][i];
        if (!rate->known || !rate->independent)
            continue;
        text_printf(out, " Against %.24s: %+.1f ppm [%+.1f, %+.1f].",
                    name_of(asked, (int32_t)rate->against), rate->ppm, rate->low, rate->high);
        return;
    }
}

static int32_t advise_long(const struct asked *asked, struct text *out)
{
    int32_t best = best_for_long(asked);
    char cost[WORDS_TIME] = "";
    if (best < 0)
        return -1;
    if (asked->report->costs[best].known && isfinite(asked->report->costs[best].ns))
        words_time(asked->report->costs[best].ns, cost);
    text_printf(out, "%s%s%s.", *cost ? " (" : "", cost, *cost ? " a reading)" : "");
    put_deviation(asked, best, out);
    put_rate(asked, best, out);
    return best;
}

/* --- across CPUs --- */

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

static int32_t advise_across(const struct asked *asked, struct text *out)
{
    const struct clocks_report *report = asked->report;
    int32_t best = best_across(asked);
    if (best < 0)
        return -1;
    char words[WORDS_TIME], cost[WORDS_TIME] = "unknown";
    if (report->costs[best].known && isfinite(report->costs[best].ns))
        words_time(report->costs[best].ns, cost);
    text_printf(out,
                ", at a cost of %s. CPUs differ by less than %s (%zu %s compared), and none was "
                "shown another's future.",
                cost, words_time(apart_ns(asked, (uint32_t)best), words),
                report->offsets[best].pairs, report->offsets[best].pairs == 1 ? "pair" : "pairs");
    return best;
}

/* --- CPU time --- */

static int32_t advise_cpu_time(const struct asked *asked, struct text *out)
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
    if (best < 0)
        return -1;
    char cost[WORDS_TIME] = "an unknown time";
    if (isfinite(least))
        words_time(least, cost);
    text_printf(out, ", %s a reading. It stands still over sleep and waiting.", cost);
    return best;
}

/* --- what could be known and is not --- */

static int32_t advise_falsifying(const struct asked *asked, struct text *out)
{
    const struct clocks_report *report = asked->report;
    for (uint32_t i = 0; i < asked->file->clock_count; i++)
        if (report->verdicts[i].trust == TRUST_DEPENDABLE)
            return -1;
    text_puts(out,
              !has_usable(asked)
                  ? "No clock of this machine is to be trusted for an interval: time from outside, "
                    "by a clock of another machine."
              : has_independent(asked)
                  ? "No clock was confirmed by one that is made of another counter, although there "
                    "is one: watch longer, and all workloads."
                  : "No rate could be falsified here: ask from another machine (assay clocks --via "
                    "ssh:HOST), whose clock then tells, or give this one an RTC or a PTP device.");
    return -1;
}

/* --- what the machine does --- */

static int32_t advise_disturbed(const struct asked *asked, struct text *out)
{
    const struct clocks_disturbances *seen = &asked->report->disturbances;
    char words[WORDS_TIME], worst[WORDS_TIME];
    if (seen->stolen_ns > 0 && seen->watched_ns > 0) {
        text_printf(
            out,
            "The host took %s of the time, and intervals hold it: repeat them, and take the "
            "least or the median.",
            words_share(seen->stolen_ns / seen->watched_ns, words));
        return -1;
    }
    if (!(seen->overslept_median_ns > 0))
        return -1;
    text_printf(
        out,
        "Do not take the length that a sleep was asked for as its length: it ends %s late, at "
        "most %s here. Read a clock before and after.",
        words_time(seen->overslept_median_ns, words), words_time(seen->overslept_max_ns, worst));
    return -1;
}

const char *const clock_use_names[CLOCK_USES] = {[USE_SHORT] = "Short regions",
                                                 [USE_LONG] = "Long intervals",
                                                 [USE_ACROSS] = "Across CPUs and threads",
                                                 [USE_CPU_TIME] = "CPU time"};

void clocks_advise(const struct clocks_case *file, struct clocks_report *report)
{
    enum { ADVISERS = CLOCK_USES + 2 };
    static adviser *const advisers[ADVISERS] = {
        [USE_SHORT] = advise_short,       [USE_LONG] = advise_long, [USE_ACROSS] = advise_across,
        [USE_CPU_TIME] = advise_cpu_time, advise_falsifying,        advise_disturbed};
    struct asked asked = {file, report};
    if (report->looks == 0)
        return;
    report->advice = memory_new(ADVISERS, sizeof(*report->advice));
    for (size_t i = 0; i < ADVISERS; i++) {
        struct clocks_advice *advice = &report->advice[report->advice_count];
        AUTO_TEXT struct text words = {0};
        const int32_t clock = advisers[i](&asked, &words);
        *advice = (struct clocks_advice){.clock = clock, .use = (enum clock_use)i};
        if (clock < 0)
            snprintf(advice->text, sizeof(advice->text), "%s", text_string(&words));
        else
            snprintf(advice->text, sizeof(advice->text), "%s: %.24s%s", clock_use_names[i],
                     name_of(&asked, clock), text_string(&words));
        report->advice_count += words.length > 0;
    }
}
