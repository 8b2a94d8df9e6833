/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How counts follow the size of the environment, the place of the stack, random addresses: points
 * of a sweep against what runs at one and the same point differ. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/repeat/limits.h"
#include "judge/repeat/sweep.h"
#include "stats/least-squares.h"
#include "stats/moments.h"

static const struct repeat_cell *cell_of(const struct repeat_case *file,
                                         const struct repeat_report *report, size_t row)
{
    return &file->cells[report->rows[row].cell];
}

static bool is_same_sweep(const struct repeat_case *file, const struct repeat_report *report,
                          size_t one, size_t other)
{
    const struct repeat_cell *left = cell_of(file, report, one);
    const struct repeat_cell *right = cell_of(file, report, other);
    return left->machine == right->machine && left->program == right->program &&
           left->sweep == right->sweep && left->controls == right->controls &&
           strcmp(left->source, right->source) == 0 &&
           strcmp(left->event[report->rows[one].event], right->event[report->rows[other].event]) ==
               0;
}

/* --- figures --- */

static void find_range(const struct swept *swept, struct repeat_sweep *sweep)
{
    sweep->first = UINT64_MAX;
    sweep->lowest = INFINITY;
    sweep->highest = -INFINITY;
    for (size_t i = 0; i < swept->count; i++) {
        const struct swept_point *point = &swept->points[i];
        sweep->first = point->at < sweep->first ? point->at : sweep->first;
        sweep->last = point->at > sweep->last ? point->at : sweep->last;
        sweep->lowest = fmin(sweep->lowest, point->median);
        sweep->highest = fmax(sweep->highest, point->median);
    }
}

/* Medians that lie apart by more than runs at one point do. */
static int find_levels(const struct swept *swept, struct repeat_sweep *sweep)
{
    AUTO_FREE double *medians = malloc(swept->count * sizeof(*medians));
    if (!medians)
        return -ENOMEM;
    for (size_t i = 0; i < swept->count; i++)
        medians[i] = swept->points[i].median;
    sort_values(medians, swept->count);
    const double apart = sweep->within > 0 ? SWEEP_SAME_LEVEL * sweep->within : 0;
    sweep->levels = 1;
    for (size_t i = 1; i < swept->count; i++)
        sweep->levels += medians[i] - medians[i - 1] > apart;
    return 0;
}

static int find_slope(const struct swept *swept, struct repeat_sweep *sweep, double *explained)
{
    AUTO_FREE double *x = malloc((swept->runs + 1) * sizeof(*x));
    AUTO_FREE double *y = malloc((swept->runs + 1) * sizeof(*y));
    struct least_squares fit;
    struct coefficient intercept, slope;
    size_t count = 0;
    sweep->slope = sweep->slope_low = sweep->slope_high = (double)NAN;
    *explained = 0;
    if (!x || !y)
        return -ENOMEM;
    if (sweep->sweep == SWEEP_ASLR || swept->count < 3)
        return 0;
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++) {
            x[count] = (double)(swept->points[i].at - sweep->first);
            y[count++] = swept->points[i].offset + swept->points[i].kept.values[run];
        }
    const int error = straight_line(x, y, count, &fit, &intercept, &slope);
    if (error < 0 || slope.aliased)
        return error == -ENOMEM ? error : 0;
    sweep->slope = slope.value;
    sweep->slope_low = slope.low;
    sweep->slope_high = slope.high;
    *explained = fit.r_squared;
    return 0;
}

static int judge_sweep(const struct swept *swept, uint64_t seed, struct repeat_sweep *sweep)
{
    struct sweep_shape shape = {0};
    find_range(swept, sweep);
    sweep->within = swept_within(swept, sweep->sweep);
    if (swept_matters(swept, sweep->sweep, seed, &sweep->matters) < 0 ||
        find_levels(swept, sweep) < 0 || find_slope(swept, sweep, &shape.straight) < 0)
        return -ENOMEM;
    if (sweep->matters && sweep->sweep != SWEEP_ASLR)
        shape.period = swept_period(swept);
    swept_tell(swept, &shape, sweep);
    return 0;
}

/* --- sweeps of the case --- */

static int gather_point(const struct repeat_case *file, const struct repeat_report *report,
                        size_t row, struct swept *swept)
{
    struct swept_point *point = &swept->points[swept->count];
    if (kept_counts(cell_of(file, report, row), report->rows[row].event, &point->kept) < 0) {
        kept_release(&point->kept);
        return -ENOMEM;
    }
    if (!point->kept.count) {
        kept_release(&point->kept);
        return 0;
    }
    point->at = cell_of(file, report, row)->swept;
    point->median = report->rows[row].usual;
    swept->runs += point->kept.count;
    swept->count++;
    return 0;
}

/* The setting without a sweep that is else the same. */
static int gather_plain(const struct repeat_case *file, const struct repeat_report *report,
                        size_t row, struct swept *swept)
{
    const struct repeat_cell *cell = cell_of(file, report, row);
    const char *event = cell->event[report->rows[row].event];
    const struct repeat_cell *plain =
        repeat_find(file, cell->machine, cell->program, cell->source, cell->controls, event);
    return plain ? kept_counts(plain, (uint32_t)repeat_event(plain, event), &swept->plain) : 0;
}

static int judge_from(const struct repeat_case *file, struct repeat_report *report, size_t row,
                      size_t end)
{
    AUTO_SWEPT struct swept swept = {0};
    const struct repeat_cell *cell = cell_of(file, report, row);
    struct repeat_sweep *sweep = &report->sweeps[report->sweep_count];
    swept.points = calloc(end - row, sizeof(*swept.points));
    if (!swept.points || gather_plain(file, report, row, &swept) < 0)
        return -ENOMEM;
    for (size_t i = row; i < end; i++)
        if (gather_point(file, report, i, &swept) < 0)
            return -ENOMEM;
    if (!swept.count)
        return 0;
    swept_offset(&swept);
    *sweep = (struct repeat_sweep){.machine = cell->machine,
                                   .program = cell->program,
                                   .sweep = cell->sweep,
                                   .points = swept.count};
    snprintf(sweep->source, sizeof(sweep->source), "%s", cell->source);
    snprintf(sweep->event, sizeof(sweep->event), "%s", cell->event[report->rows[row].event]);
    report->sweep_count++;
    return judge_sweep(&swept, row, sweep);
}

int repeat_judge_sensitivity(const struct repeat_case *file, struct repeat_report *report)
{
    report->sweeps = calloc(report->row_count + 1, sizeof(*report->sweeps));
    if (!report->sweeps)
        return -ENOMEM;
    for (size_t row = 0, end; row < report->row_count; row = end) {
        for (end = row + 1; end < report->row_count && is_same_sweep(file, report, row, end);)
            end++;
        if (cell_of(file, report, row)->sweep != SWEEP_NONE &&
            judge_from(file, report, row, end) < 0)
            return -ENOMEM;
    }
    return 0;
}
