/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a clock is trusted or not, in one sentence: what was seen, in which workload, the worst
 * ratio, against which reference, and whether that could be known better. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/trust.h"

struct sentence {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *sentence, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence->text + sentence->used, sentence->size - sentence->used, format,
                           arguments);
    va_end(arguments);
    if (length > 0)
        sentence->used += (size_t)length;
    if (sentence->used >= sentence->size)
        sentence->used = sentence->size - 1;
}

/* A time with the unit that suits it. */
static void say_time(struct sentence *sentence, double ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {0, "ns"}};
    size_t i = 0;
    while (fabs(ns) < units[i].ns)
        i++;
    say(sentence, "%.3g %s", ns / (units[i].ns > 0 ? units[i].ns : 1), units[i].unit);
}

static void say_against(struct sentence *sentence, const struct clock_trial *trial,
                        uint32_t against)
{
    say(sentence, "%s, which is %s", trial->file->clocks[against].name,
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

static void say_worst(struct sentence *sentence, const struct clock_trial *trial,
                      const struct clock_verdict *verdict)
{
    double ratio = verdict->worst_ratio;
    const struct clock_row *row = worst_of(trial, verdict->fault, &ratio);
    if (!row && verdict->worst_row < 0)
        return;
    if (!row)
        row = &trial->report->rows[verdict->worst_row];
    say(sentence, "; at worst, over %s of ", row->workload);
    say_time(sentence, (double)row->requested_us * 1e3);
    if (row->threads > 1)
        say(sentence, " by %u threads", (unsigned)row->threads);
    if (row->moves)
        say(sentence, " with %u changes of CPU", (unsigned)row->moves);
    if (row->handover)
        say(sentence, " handed over");
    say(sentence, " it showed %.6g times what ", ratio);
    say(sentence, "%s did", trial->file->clocks[row->reference].name);
    say(sentence, row->independent ? ", which is made of another counter"
                                   : ", which is not known to be independent of it");
}

static void say_wrong_rate(struct sentence *sentence, const struct clock_trial *trial)
{
    const struct clock_rate *rate = wrong_rate(trial);
    if (trial->file->emulated)
        say(sentence, "its time is made by a program: ");
    if (!rate) {
        double asleep = trial_ratio(trial, tried_sleep, 0.5);
        double running = trial_ratio(trial, tried_running, 0.5);
        if (fabs(asleep - running) > CLOCKS_INTERVAL_PPM * 1e-6)
            say(sentence,
                "runs %.4g times as fast as it claims over computation, %.4g times over "
                "sleep",
                running, asleep);
        else
            say(sentence, "runs %.6g times as fast as it claims",
                trial_ratio(trial, tried_stayed, 0.5));
        return;
    }
    if (fabs(rate->ppm) < 10000)
        say(sentence, "runs %.4g ppm %s than it claims (%.4g to %.4g)", fabs(rate->ppm),
            rate->ppm > 0 ? "faster" : "slower", rate->low, rate->high);
    else
        say(sentence, "runs %.4g times as fast as it claims", 1 + rate->ppm * 1e-6);
    if (rate->stretches && rate->fastest_ppm - rate->slowest_ppm > 10000)
        say(sentence, ", at times %.3g, at others %.3g", 1 + rate->slowest_ppm * 1e-6,
            1 + rate->fastest_ppm * 1e-6);
    say(sentence, ", by ");
    say_against(sentence, trial, rate->against);
    say(sentence, ", over %.3g s", rate->span_s);
}

static void say_backwards(struct sentence *sentence, const struct clock_trial *trial)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    if (monotonic->backward) {
        say(sentence, "steps backwards: %llu of %llu readings were below the one before, by up to ",
            (unsigned long long)monotonic->backward, (unsigned long long)monotonic->readings);
        say_time(sentence,
                 monotonic->worst_ticks * trial->report->scales[trial->clock].ns_per_tick);
    } else {
        say(sentence, "steps backwards: %zu of %zu intervals lack time, the others none",
            trial->wrong, trial->count);
    }
}

static void say_jumps(struct sentence *sentence, const struct clock_trial *trial)
{
    const struct clock_offsets *offsets = &trial->report->offsets[trial->clock];
    say(sentence, "CPUs disagree");
    if (offsets->known && offsets->worst != 0) {
        say(sentence, ": CPU %d and CPU %d by ", (int)offsets->cpu, (int)offsets->partner);
        say_time(sentence, fabs(offsets->offset) * trial->report->scales[trial->clock].ns_per_tick);
    }
    say(sentence, "; wrong are %zu of %zu intervals that ended on another CPU, %zu of %zu others",
        trial_wrong(trial, tried_moved), trial_count(trial, tried_moved),
        trial_wrong(trial, tried_stayed), trial_count(trial, tried_stayed));
}

static void say_fault(struct sentence *sentence, const struct clock_trial *trial,
                      enum clock_fault fault)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    switch (fault) {
    case FAULT_WRONG_RATE:
        say_wrong_rate(sentence, trial);
        break;
    case FAULT_STOPS_DURING_SLEEP:
        say(sentence, "stops during sleep: right over computation, %.3g times as long over sleep",
            trial_ratio(trial, tried_sleep, 0.5));
        break;
    case FAULT_JUMPS_BETWEEN_CPUS:
        say_jumps(sentence, trial);
        break;
    case FAULT_STEPS_BACKWARDS:
        say_backwards(sentence, trial);
        break;
    case FAULT_WRAPS:
        say(sentence, "begins anew");
        if (monotonic->wrapped && monotonic->wrap_ticks > 0) {
            say(sentence, " after 2^%d ticks, every ", (int)lround(log2(monotonic->wrap_ticks)));
            say_time(sentence,
                     monotonic->wrap_ticks * trial->report->scales[trial->clock].ns_per_tick);
        } else {
            say(sentence, ": intervals lack whole periods of a power of two");
        }
        break;
    case FAULT_COARSE_STEPS:
        say(sentence, "moves in steps of ");
        say_time(sentence, trial->told_ns);
        say(sentence, ", too coarse to tell 20 ms to 1 %%");
        break;
    case FAULT_COUNTS_OTHER_THREADS:
        say(sentence, "counts other threads: %.3g times as much where several compute",
            trial_ratio(trial, tried_threads, 0.5));
        break;
    case FAULT_VARIES_WITH_FREQUENCY:
        say(sentence, "has no constant rate: between %.4g and %.4g over computation",
            trial_ratio(trial, tried_running, 0.1), trial_ratio(trial, tried_running, 0.9));
        break;
    case FAULT_SCATTERS:
    case FAULT_NONE:
    case CLOCK_FAULTS:
        say(sentence, "scatters: %zu of %zu intervals are wrong, and nothing explains it",
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
static void say_computation(struct sentence *sentence, const struct clock_trial *trial)
{
    size_t disturbed = 0, computed = trial_count(trial, tried_running);
    for (size_t i = 0; i < trial->count; i++)
        disturbed += tried_running(&trial->list[i]) && trial->list[i].disturbed;
    if (disturbed && disturbed == computed)
        say(sentence,
            "; whether it is right over computation could not be seen: in all %zu others took the "
            "CPU",
            computed);
    else if (disturbed)
        say(sentence, "; in %zu of %zu computations others took the CPU", disturbed, computed);
}

static void say_cpu_time(struct sentence *sentence, const struct clock_trial *trial)
{
    bool cycles = trial->file->clocks[trial->clock].role == ROLE_CYCLES;
    double running = trial_ratio(trial, tried_running, 0.5);
    double asleep = trial_ratio(trial, tried_sleep, 0.5);
    double together = trial_ratio(trial, tried_threads, 0.5);
    if (isnan(running) && isnan(asleep)) {
        say(sentence, "claims no more than %s", cycles ? "cycles" : "CPU time");
        return;
    }
    say(sentence, "counts %s only:", cycles ? "cycles of its thread" : "time on a CPU");
    const char *reference = trial->file->clocks[trial->report->reference.clock].name;
    if (isfinite(running))
        say(sentence, " %.4g times as long as %s over computation", running, reference);
    if (isfinite(asleep))
        say(sentence, "%s %.3g times over sleep", isfinite(running) ? "," : "", asleep);
    if (together > 1.3)
        say(sentence, ", and of all threads together: %.3g times where several compute", together);
    say_computation(sentence, trial);
    if (fails_handed_over(trial))
        say(sentence, "; useless where another thread ends the interval, as each has its own");
}

static void say_fine(struct sentence *sentence, const struct clock_trial *trial,
                     const struct clock_verdict *verdict)
{
    const struct clock_rate *rate = confirming_rate(trial);
    if (verdict->trust == TRUST_DEPENDABLE) {
        say(sentence, "no interval was off by more than its readings can tell");
        if (rate)
            say(sentence,
                ", and its rate is right to %.3g ppm by %s, which is made of another "
                "counter",
                fmax(fabs(rate->low), fabs(rate->high)), trial->file->clocks[rate->against].name);
        else
            say(sentence, ", by a reference that is made of another counter");
        return;
    }
    uint32_t lacks = trial_lacks(trial);
    bool reference = trial->report->reference.clock == (int32_t)trial->clock;
    if ((trial->count || reference) && lacks && was_confirmed(trial))
        say(sentence,
            "no fault was seen, and what is made of another counter agrees, but no %s was watched",
            lacks & LACKS_SLEEP         ? "sleep"
            : lacks & LACKS_COMPUTATION ? "computation"
                                        : "change of CPU");
    else if (!trial->count && !reference)
        say(sentence, "it was not read around any interval beside a reference");
    else
        say(sentence, "no fault was seen, but nothing here is made of another counter, so nothing "
                      "could have shown one");
}

void explain_trust(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    struct sentence sentence = {verdict->why, sizeof(verdict->why), 0};
    verdict->why[0] = '\0';
    if (verdict->trust == TRUST_NOT_DEPENDABLE) {
        say_fault(&sentence, trial, verdict->fault);
        if (verdict->fault != FAULT_WRONG_RATE || !wrong_rate(trial))
            say_worst(&sentence, trial, verdict);
    } else if (verdict->trust == TRUST_CPU_TIME_ONLY) {
        say_cpu_time(&sentence, trial);
    } else {
        say_fine(&sentence, trial, verdict);
    }
}
