/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of measurement error: its parts, one after the other. */
#include <stdlib.h>

#include "studies/error/study.h"

const char *const error_factor_names[FACTOR_COUNT] = {
    [FACTOR_MACHINE] = "machine",   [FACTOR_PATH] = "path", [FACTOR_PATTERN] = "pattern",
    [FACTOR_COUNTERS] = "counters", [FACTOR_OPT] = "opt",   [FACTOR_LINK] = "link",
};

int error_judge(const struct error_case *file, uint64_t seed, struct error_report *report)
{
    *report = (struct error_report){0};
    int error = error_judge_rows(file, report);
    if (error == 0)
        error = error_judge_stepped(file, report);
    if (error == 0)
        error = error_judge_best(file, report);
    if (error == 0)
        error = error_judge_factors(file, report);
    if (error == 0)
        error = error_judge_counters(file, report);
    if (error == 0)
        error = error_judge_duration(file, seed, report);
    if (error == 0)
        error = error_judge_placement(file, seed, report);
    if (error == 0)
        error = error_judge_multiplex(file, report);
    if (error == 0)
        error = error_judge_advice(file, report);
    if (error == 0)
        error = error_judge_findings(file, report);
    return error;
}

void error_report_release(struct error_report *report)
{
    free(report->rows);
    free(report->stepped.list);
    free(report->best);
    free(report->effects);
    free(report->anovas);
    free(report->by_counters);
    free(report->choices);
    free(report->slopes);
    free(report->by_size);
    free(report->places);
    free(report->placements);
    free(report->multiplex);
    free(report->advice);
    *report = (struct error_report){0};
}
