/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The faults of a clock that claims to tell time. Each is told by where the intervals are wrong, in
 * which direction, and by what else was seen of the clock. */
#include <math.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/trust.h"

#define BIT(fault) (1u << (fault))
/* Of a coarse clock, steps that may be missing or too many in one of so many intervals. */
#define LATE_STEPS  4
#define LATE_SELDOM 20

/* A counter that begins anew lacks whole periods; who lacks anything else does not wrap. */
static bool lacks_whole_periods(const struct clock_trial *trial)
{
    int bits = 64;
    while (bits > 0 && !(trial->largest >> (bits - 1)))
        bits--;
    if (bits < 8 || bits > 62 || !trial->wrong)
        return false;
    double period = ldexp(1, bits) * trial->report->scales[trial->clock].ns_per_tick;
    size_t explained = 0, telling = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        /* one that wrapped between two looks is bounded by about a period, and tells nothing */
        if (!tried->wrong || period < 10 * tried->slack)
            continue;
        telling++;
        double periods = round(-tried->off / period);
        explained += periods >= 1 && fabs(tried->off + periods * period) <= tried->slack;
    }
    return telling && explained == telling;
}

static bool wraps(const struct clock_trial *trial)
{
    return trial->report->monotonic[trial->clock].wrapped || lacks_whole_periods(trial);
}

/* Of all readings, how many were below the one before? */
static double backward_share(const struct clock_trial *trial)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    return monotonic->known && monotonic->readings
               ? (double)monotonic->backward / (double)monotonic->readings
               : 0;
}

static bool stops_during_sleep(const struct clock_trial *trial)
{
    double asleep = trial_ratio(trial, tried_sleep, 0.5);
    size_t sleeps = trial_count(trial, tried_sleep), runs = trial_count(trial, tried_running);
    return asleep < CLOCKS_STOPPED_RATIO &&
           (double)trial_wrong(trial, tried_sleep) >= 0.8 * (double)sleeps &&
           (double)trial_wrong(trial, tried_running) <= 0.1 * (double)runs;
}

static bool moved_ones_are_wrong(const struct clock_trial *trial)
{
    size_t moved = trial_count(trial, tried_moved), stayed = trial_count(trial, tried_stayed);
    size_t wrong = trial_wrong(trial, tried_moved);
    return wrong >= 2 && (double)wrong >= 0.2 * (double)moved &&
           (double)trial_wrong(trial, tried_stayed) <= 0.02 * (double)stayed;
}

/* Trips that contradict each other within one process show no offset, whatever they show. */
static bool pairs_disagree(const struct clock_trial *trial)
{
    const struct clocks_report *report = trial->report;
    double limit = CLOCKS_OFFSET_NS / report->scales[trial->clock].ns_per_tick;
    for (size_t i = 0; i < report->pair_count; i++) {
        const struct clock_pair *pair = &report->pairs[i];
        if (pair->clock == trial->clock && pair->torn == 0 && pair->low <= pair->high &&
            (pair->low > limit || pair->high < -limit))
            return true;
    }
    return false;
}

static bool counts_other_threads(const struct clock_trial *trial)
{
    double alone = trial_ratio(trial, tried_running, 0.5);
    double together = trial_ratio(trial, tried_threads, 0.5);
    return together > 1.3 && fabs(alone - 1) < 0.05;
}

double rate_limit(const struct clock_trial *trial)
{
    double steered = trial->file->steered_ppm;
    if (!trial->file->clocks[trial->clock].steered)
        return CLOCKS_RATE_PPM;
    return CLOCKS_RATE_PPM + (isnan(steered) ? CLOCKS_MOST_STEERING_PPM
                                             : fmin(fabs(steered), CLOCKS_MOST_STEERING_PPM));
}

/* Wrong as a whole, and in most of its stretches or surely in several of them: a single jump makes
 * only one stretch wrong. */
static bool is_wrong(const struct clock_rate *rate, double limit)
{
    double usual = rate->stretches ? rate->usual_ppm : rate->ppm;
    size_t many = rate->stretches / 4 > 2 ? rate->stretches / 4 : 2;
    if (rate->sure_low > limit)
        return usual > limit || rate->wrong_fast >= many;
    if (rate->sure_high < -limit)
        return usual < -limit || rate->wrong_slow >= many;
    return false;
}

const struct clock_rate *wrong_rate(const struct clock_trial *trial)
{
    const struct clock_rate *rates = trial->report->rates[trial->clock];
    double limit = rate_limit(trial);
    const struct clock_rate *found = NULL;
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
        if (rates[i].known && rates[i].against_claim && is_wrong(&rates[i], limit) &&
            (!found || (rates[i].independent && !found->independent)))
            found = &rates[i];
    return found;
}

const struct clock_rate *confirming_rate(const struct clock_trial *trial)
{
    const struct clock_rate *rates = trial->report->rates[trial->clock];
    double limit = rate_limit(trial);
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
        if (rates[i].known && rates[i].independent && rates[i].against_claim &&
            rates[i].low > -limit && rates[i].high < limit)
            return &rates[i];
    return NULL;
}

/* One rate that all intervals have, or one while it runs and another while it sleeps. */
static bool has_another_rate(const struct clock_trial *trial)
{
    double all = trial_ratio(trial, tried_stayed, 0.5);
    if (trial->wrong && trial_fits(trial, tried_stayed, all) >= 0.9 &&
        (double)trial_wrong(trial, tried_stayed) >= 0.3 * (double)trial_count(trial, tried_stayed))
        return true;
    double asleep = trial_ratio(trial, tried_sleep, 0.5);
    double running = trial_ratio(trial, tried_running, 0.5);
    bool differ = 2 * trial_wrong(trial, tried_sleep) > trial_count(trial, tried_sleep) ||
                  2 * trial_wrong(trial, tried_running) > trial_count(trial, tried_running);
    return differ && asleep > 0 && running > 0 && trial_fits(trial, tried_sleep, asleep) >= 0.9 &&
           trial_fits(trial, tried_running, running) >= 0.9;
}

/* Against the clock around the intervals a wrong rate must be seen in them, where it is large
 * enough; against others it stands for itself. */
static bool runs_wrong(const struct clock_trial *trial)
{
    const struct clock_rate *rate = wrong_rate(trial);
    if (has_another_rate(trial))
        return true;
    if (!rate)
        return false;
    if ((int32_t)rate->against != trial->report->reference.clock)
        return true;
    double median = (trial_ratio(trial, tried_stayed, 0.5) - 1) * 1e6;
    bool same_sign = (median > 0) == (rate->ppm > 0);
    return same_sign && fabs(median) >= CLOCKS_RATE_PPM / 2 &&
           trial_fits(trial, tried_stayed, 1 + rate->ppm * 1e-6) >= 0.9;
}

/* Few intervals are wrong, and nearly all of them too short. */
static bool lost_time_at_once(const struct clock_trial *trial)
{
    size_t behind = 0;
    for (size_t i = 0; i < trial->count; i++)
        behind += trial->list[i].wrong && trial->list[i].off < 0;
    return trial->wrong && 2 * trial->wrong < trial->count &&
           (double)behind >= 0.9 * (double)trial->wrong;
}

/* A clock that goes in steps makes one late now and then, when the tick of the operating system
 * comes late (an idle CPU, a host that took the time): that is no more than its steps being coarse.
 */
static bool steps_came_late(const struct clock_trial *trial)
{
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        if (tried->wrong && fabs(tried->off) > tried->slack + LATE_STEPS * trial->told_ns)
            return false;
    }
    return LATE_SELDOM * trial->wrong <= trial->count;
}

/* Most intervals are wrong by some part of their length, and it never went back. */
static bool varies(const struct clock_trial *trial)
{
    if (2 * trial_wrong(trial, tried_running) <= trial_count(trial, tried_running))
        return false;
    double low = trial_ratio(trial, tried_running, 0.1);
    double high = trial_ratio(trial, tried_running, 0.9);
    return low > 0 && high < 2 && high - low > 2 * CLOCKS_CPU_TIME_SHARE;
}

uint32_t wall_faults(const struct clock_trial *trial)
{
    uint32_t faults = trial->told_ns > CLOCKS_COARSE_NS ? BIT(FAULT_COARSE_STEPS) : 0;
    double backward = backward_share(trial);
    if (wraps(trial))
        return faults | BIT(FAULT_WRAPS);
    if (backward > CLOCKS_SCATTERED_SHARE)
        return faults | BIT(FAULT_SCATTERS);
    bool jumps = moved_ones_are_wrong(trial) || pairs_disagree(trial);
    /* A thread that was moved unasked shows the offset of CPUs as a step back. */
    bool stray = jumps && trial_wrong(trial, tried_stayed) == 0 &&
                 trial->report->monotonic[trial->clock].backward <= 2;
    if (backward > 0 && !stray)
        return faults | BIT(FAULT_STEPS_BACKWARDS);
    if (jumps)
        faults |= BIT(FAULT_JUMPS_BETWEEN_CPUS);
    if (counts_other_threads(trial))
        faults |= BIT(FAULT_COUNTS_OTHER_THREADS);
    if (stops_during_sleep(trial))
        return faults | BIT(FAULT_STOPS_DURING_SLEEP);
    if (runs_wrong(trial))
        return faults | BIT(FAULT_WRONG_RATE);
    if (faults & ~BIT(FAULT_COARSE_STEPS))
        return faults;
    if ((faults & BIT(FAULT_COARSE_STEPS)) && steps_came_late(trial))
        return faults;
    if (lost_time_at_once(trial))
        return faults | BIT(FAULT_STEPS_BACKWARDS);
    if (trial->wrong)
        return faults | BIT(varies(trial) ? FAULT_VARIES_WITH_FREQUENCY : FAULT_SCATTERS);
    return faults;
}
