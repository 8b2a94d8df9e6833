/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All parts in order. */
#include "studies/repeat/study.h"

#include <stdlib.h>
#include <string.h>

int repeat_judge(const struct repeat_case *file, uint64_t seed, struct repeat_report *report)
{
    memset(report, 0, sizeof(*report));
    int error = repeat_judge_variation(file, report);
    if (!error)
        error = repeat_judge_contributions(file, report);
    if (!error)
        error = repeat_adjust(file, report);
    if (!error)
        error = repeat_judge_controls(file, seed, report);
    if (!error)
        error = repeat_judge_sensitivity(file, report);
    if (!error)
        error = repeat_find_causes(file, report);
    if (!error)
        error = repeat_align(file, report);
    if (!error)
        error = repeat_rank_events(file, report);
    if (!error)
        error = repeat_judge_findings(file, seed, report);
    return error;
}

void repeat_report_release(struct repeat_report *report)
{
    free(report->rows);
    free(report->effects);
    free(report->sweeps);
    free(report->seen);
    free(report->alignments);
    free(report->contributions);
    free(report->ranks);
    memset(report, 0, sizeof(*report));
}
