/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of clocks: its parts, one after the other. */
#include <errno.h>
#include <stdlib.h>

#include "studies/clocks/study.h"

const char *const clock_trust_names[CLOCK_TRUSTS] = {
    [TRUST_DEPENDABLE] = "dependable",
    [TRUST_CPU_TIME_ONLY] = "cpu-time only",
    [TRUST_NOT_DEPENDABLE] = "not dependable",
    [TRUST_NOT_FALSIFIABLE] = "not falsifiable here",
};
const char *const clock_fault_names[CLOCK_FAULTS] = {
    [FAULT_NONE] = "none",
    [FAULT_WRONG_RATE] = "wrong-rate",
    [FAULT_STOPS_DURING_SLEEP] = "stops-during-sleep",
    [FAULT_JUMPS_BETWEEN_CPUS] = "jumps-between-cpus",
    [FAULT_STEPS_BACKWARDS] = "steps-backwards",
    [FAULT_WRAPS] = "wraps",
    [FAULT_COARSE_STEPS] = "coarse-steps",
    [FAULT_COUNTS_OTHER_THREADS] = "counts-other-threads",
    [FAULT_VARIES_WITH_FREQUENCY] = "varies-with-frequency",
    [FAULT_SCATTERS] = "scatters",
};

static int allocate(const struct clocks_case *file, struct clocks_report *report)
{
    size_t count = file->clock_count + 1;
    report->scales = calloc(count, sizeof(*report->scales));
    report->costs = calloc(count, sizeof(*report->costs));
    report->granularities = calloc(count, sizeof(*report->granularities));
    report->monotonic = calloc(count, sizeof(*report->monotonic));
    report->offsets = calloc(count, sizeof(*report->offsets));
    report->rates = calloc(count, sizeof(*report->rates));
    report->same = calloc(count, sizeof(*report->same));
    report->verdicts = calloc(count, sizeof(*report->verdicts));
    return report->scales && report->costs && report->granularities && report->monotonic &&
                   report->offsets && report->rates && report->same && report->verdicts
               ? 0
               : -ENOMEM;
}

int clocks_judge(const struct clocks_case *file, uint64_t seed, struct clocks_report *report)
{
    static int (*const parts[])(const struct clocks_case *, struct clocks_report *) = {
        clocks_find_reference,     clocks_find_scales,       clocks_judge_intervals,
        clocks_judge_costs,        clocks_judge_granularity, clocks_judge_monotonicity,
        clocks_judge_pairs,        clocks_judge_rates,       clocks_find_same,
        clocks_judge_disturbances, clocks_judge_trust,       clocks_advise,
    };
    *report = (struct clocks_report){0};
    int error = allocate(file, report);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && error == 0; i++)
        error = parts[i](file, report);
    return error ? error : clocks_judge_findings(file, seed, report);
}

void clocks_report_release(struct clocks_report *report)
{
    free(report->scales);
    free(report->costs);
    free(report->granularities);
    free(report->monotonic);
    free(report->offsets);
    free(report->rates);
    free(report->same);
    free(report->verdicts);
    free(report->rows);
    free(report->pairs);
    free(report->points);
    free(report->advice);
    *report = (struct clocks_report){0};
}
