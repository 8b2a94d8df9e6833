/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of overhead: its parts, one after the other. */
#include <stdlib.h>

#include "judge/overhead/figures.h"

const char *const meter_unit_names[METER_UNITS] = {
    [METER_TICKS] = "ticks",   [METER_NS] = "ns",         [METER_INSTRUCTIONS] = "instructions",
    [METER_CYCLES] = "cycles", [METER_EVENTS] = "events",
};
const char *const temperature_names[TEMPERATURES] = {
    [TEMPERATURE_WARM] = "warm",
    [TEMPERATURE_COLD] = "cold",
};

int overhead_judge(const struct overhead_case *file, uint64_t seed, struct overhead_report *report)
{
    *report = (struct overhead_report){0};
    int error = overhead_judge_timers(file, report);
    if (error == 0)
        error = overhead_judge_gauges(file, report);
    if (error == 0)
        error = overhead_judge_rows(file, seed, report);
    if (error == 0)
        error = overhead_judge_figures(file, report);
    if (error == 0)
        error = overhead_judge_sweeps(file, seed, report);
    if (error == 0)
        error = overhead_judge_cold(file, seed, report);
    if (error == 0)
        error = overhead_judge_machines(file, seed, report);
    if (error == 0)
        error = overhead_judge_peers(file, seed, report);
    if (error == 0)
        error = overhead_judge_advice(file, report);
    if (error == 0)
        error = overhead_judge_findings(file, seed, report);
    return error;
}

void overhead_report_release(struct overhead_report *report)
{
    free(report->timers);
    free(report->gauges);
    free(report->rows);
    overhead_release_figures(report);
    free(report->slopes);
    free(report->cold);
    free(report->machines);
    free(report->peers);
    free(report->advice);
    *report = (struct overhead_report){0};
}
