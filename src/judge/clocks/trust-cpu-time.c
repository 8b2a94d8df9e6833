/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The faults of clocks that claim CPU time or cycles: held to what they claim, which is computation
 * by one thread with nobody in between. */
#include <math.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/trust.h"

#define BIT(fault) (1u << (fault))

/* Fewer than these prove nothing: a thread that waits for its turn after a move, or before it was
 * first seen, waits without an entry in any account. */
#define LEAST_QUIET 3

static bool undisturbed(const struct tried_interval *interval)
{
    return tried_running(interval) && !interval->disturbed && !interval->watch->moves;
}

bool counts_sleep(const struct clock_trial *trial)
{
    return trial_ratio(trial, tried_sleep, 0.5) > 0.5;
}

/* Too little in some intervals can be somebody who took the CPU unseen; too little in all of them,
 * or too much in most, is the clock's. */
static bool runs_wrong(const struct clock_trial *trial)
{
    size_t count = 0, quiet = 0, behind = 0, ahead = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        if (!tried_running(tried))
            continue;
        double slack = tried->slack + CLOCKS_CPU_TIME_SHARE * tried->other;
        count++;
        /* nobody who takes the CPU makes it too much */
        ahead += tried->off > slack;
        quiet += undisturbed(tried);
        behind += undisturbed(tried) && tried->off < -slack;
    }
    return (quiet >= LEAST_QUIET && (double)behind >= 0.9 * (double)quiet) || 2 * ahead > count;
}

/* Cycles for each ns, of intervals of all lengths. */
static bool varies(const struct clock_trial *trial)
{
    double low = trial_ratio(trial, undisturbed, 0.1), high = trial_ratio(trial, undisturbed, 0.9);
    return high - low > 2 * CLOCKS_CPU_TIME_SHARE;
}

uint32_t cpu_time_faults(const struct clock_trial *trial)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    uint32_t faults = trial->told_ns > CLOCKS_COARSE_NS ? BIT(FAULT_COARSE_STEPS) : 0;
    bool cycles = trial->file->clocks[trial->clock].role == ROLE_CYCLES;
    if (monotonic->wrapped)
        return faults | BIT(FAULT_WRAPS);
    if (monotonic->known && monotonic->backward)
        return faults | BIT(FAULT_STEPS_BACKWARDS);
    if (cycles && varies(trial))
        return faults | BIT(FAULT_VARIES_WITH_FREQUENCY);
    if (runs_wrong(trial) || (!cycles && counts_sleep(trial)))
        return faults | BIT(FAULT_WRONG_RATE);
    return faults;
}
