/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict on every clock, and the fault that explains it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/trust.h"

/* Of several faults the one that explains most: those before explain what those behind show. */
static const enum clock_fault precedence[] = {
    FAULT_WRAPS,
    FAULT_STOPS_DURING_SLEEP,
    FAULT_JUMPS_BETWEEN_CPUS,
    FAULT_COUNTS_OTHER_THREADS,
    FAULT_WRONG_RATE,
    FAULT_STEPS_BACKWARDS,
    FAULT_VARIES_WITH_FREQUENCY,
    FAULT_SCATTERS,
    FAULT_COARSE_STEPS,
};

static enum clock_fault main_fault(uint32_t faults)
{
    for (size_t i = 0; i < sizeof(precedence) / sizeof(*precedence); i++)
        if (faults & (1u << precedence[i]))
            return precedence[i];
    return FAULT_NONE;
}

/* CPU time that one thread began and another ended means nothing, so nor does how far it is off. */
static void find_worst_row(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    double worst = -1;
    bool of_thread = trial->file->clocks[trial->clock].role != ROLE_WALL;
    verdict->worst_row = -1;
    verdict->worst_ratio = NAN;
    for (size_t i = 0; i < trial->report->row_count; i++) {
        const struct clock_row *row = &trial->report->rows[i];
        if (row->clock != trial->clock || (of_thread && row->handover))
            continue;
        double ratio =
            fabs(row->ratio_min - 1) > fabs(row->ratio_max - 1) ? row->ratio_min : row->ratio_max;
        if (fabs(ratio - 1) > worst) {
            worst = fabs(ratio - 1);
            verdict->worst_row = (int32_t)i;
            verdict->worst_ratio = ratio;
        }
    }
}

/* A reading takes its time and tells no more than its step: both a hundred times over. */
static double shortest(const struct clock_trial *trial, const struct clock_verdict *verdict)
{
    const struct clock_cost *cost = &trial->report->costs[trial->clock];
    const struct clock_granularity *granularity = &trial->report->granularities[trial->clock];
    bool usable = verdict->fault == FAULT_NONE || verdict->fault == FAULT_COARSE_STEPS;
    double step = trial->told_ns;
    if (granularity->known && granularity->resolution_ns > step)
        step = granularity->resolution_ns;
    if (!usable || !(step > 0))
        return NAN;
    return 100 * (step + (cost->known && cost->ns > 0 ? cost->ns : 0)) * 1e-3;
}

bool was_confirmed(const struct clock_trial *trial)
{
    const struct clocks_report *report = trial->report;
    int32_t reference = report->reference.clock;
    if (confirming_rate(trial))
        return true;
    return reference >= 0 && trial->count &&
           clocks_independent(trial->file, trial->clock, (uint32_t)reference);
}

static int judge_clock(struct clock_trial *trial, const bool *left_out, size_t reference_faults,
                       struct clock_verdict *verdict)
{
    bool wall = trial->file->clocks[trial->clock].role == ROLE_WALL;
    bool is_reference = trial->report->reference.clock == (int32_t)trial->clock;
    int error = trial_gather(trial, left_out);
    if (error)
        return error;
    verdict->faults = wall ? wall_faults(trial) : cpu_time_faults(trial);
    if (is_reference && reference_faults)
        verdict->faults |= 1u << FAULT_SCATTERS;
    verdict->fault = main_fault(verdict->faults);
    verdict->trust = verdict->faults                               ? TRUST_NOT_DEPENDABLE
                     : !wall                                       ? TRUST_CPU_TIME_ONLY
                     : was_confirmed(trial) && !trial_lacks(trial) ? TRUST_DEPENDABLE
                                                                   : TRUST_NOT_FALSIFIABLE;
    find_worst_row(trial, verdict);
    verdict->shortest_us = shortest(trial, verdict);
    return 0;
}

/* What agrees with the reference and is made of another counter vouches for it as much as the other
 * way round. */
static void confirm_reference(const struct clocks_case *file, struct clocks_report *report)
{
    int32_t reference = report->reference.clock;
    if (reference < 0 || report->verdicts[reference].trust != TRUST_NOT_FALSIFIABLE)
        return;
    struct clock_trial trial = {.file = file, .report = report, .clock = (uint32_t)reference};
    if (trial_lacks(&trial))
        return;
    for (uint32_t clock = 0; clock < file->clock_count; clock++)
        if (file->clocks[clock].role == ROLE_WALL &&
            report->verdicts[clock].trust == TRUST_DEPENDABLE &&
            report->verdicts[clock].worst_row >= 0 &&
            clocks_independent(file, clock, (uint32_t)reference))
            report->verdicts[reference].trust = TRUST_DEPENDABLE;
}

static int explain_all(const struct clocks_case *file, struct clocks_report *report,
                       const bool *left_out)
{
    int error = 0;
    for (uint32_t clock = 0; clock < file->clock_count && error == 0; clock++) {
        if (!clock_is_candidate(&file->clocks[clock]))
            continue;
        struct clock_trial trial = {.file = file, .report = report, .clock = clock};
        error = trial_gather(&trial, left_out);
        if (error == 0)
            explain_trust(&trial, &report->verdicts[clock]);
        trial_release(&trial);
    }
    return error;
}

int clocks_judge_trust(const struct clocks_case *file, struct clocks_report *report)
{
    size_t reference_faults = 0;
    bool *left_out = find_reference_faults(file, report, &reference_faults);
    int error = left_out ? 0 : -ENOMEM;
    for (uint32_t clock = 0; clock < file->clock_count && error == 0; clock++) {
        struct clock_verdict *verdict = &report->verdicts[clock];
        *verdict = (struct clock_verdict){.trust = TRUST_NOT_FALSIFIABLE,
                                          .worst_row = -1,
                                          .worst_ratio = NAN,
                                          .shortest_us = NAN};
        if (!clock_is_candidate(&file->clocks[clock]))
            continue;
        struct clock_trial trial = {.file = file, .report = report, .clock = clock};
        error = judge_clock(&trial, left_out, reference_faults, verdict);
        trial_release(&trial);
    }
    if (error == 0) {
        confirm_reference(file, report);
        error = explain_all(file, report, left_out);
    }
    free(left_out);
    return error;
}
