/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the error grows with duration: for each event, path and pattern a line of error against N. */
#include "judge/error/duration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

bool shows_duration(const struct error_cell *cell)
{
    bool counts_work = cell->mode == COUNT_USER || cell->mode == COUNT_BOTH;
    return cell->part == PART_DURATION && cell->runs > 0 && (cell->has_truth || !counts_work);
}

bool same_intercept(const struct error_cell *left, const struct error_cell *right)
{
    return error_same_way(left, right) && strcmp(left->others, right->others) == 0 &&
           strcmp(left->specimen, right->specimen) == 0;
}

int duration_points(const struct error_cell *const *cells, size_t count, run_figure *figure,
                    struct slope_point **points)
{
    *points = calloc(count ? count : 1, sizeof **points);
    if (!*points)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        size_t way = 0;
        while (way < i && !same_intercept(cells[way], cells[i]))
            way++;
        (*points)[i] = (struct slope_point){
            .n = (double)cells[i]->n, .way = way, .y = process_mean_of(cells[i], figure)};
    }
    return 0;
}

static bool same_slope(const struct error_cell *left, const struct error_cell *right)
{
    return left->machine == right->machine && left->pattern == right->pattern &&
           strcmp(left->event, right->event) == 0 && strcmp(left->path, right->path) == 0;
}

/* The errors of all later runs, when they are the same. */
static bool constant_error(const struct error_cell *cell, int64_t *error)
{
    *error = error_of(cell, later_runs(cell, 0));
    for (size_t process = 0; process < cell->processes; process++)
        for (size_t run = later_runs(cell, process); run < cell->begins[process + 1]; run++)
            if (error_of(cell, run) != *error)
                return false;
    return true;
}

/* The first cell with this one's intercept, and the first such with another N. */
static const struct error_cell *fellow(const struct error_cell *const *cells, size_t count,
                                       const struct error_cell *cell, bool other_n)
{
    for (size_t i = 0; i < count; i++)
        if (same_intercept(cells[i], cell) && (!other_n || cells[i]->n != cell->n))
            return cells[i];
    return NULL;
}

/* Does the cell lie on the line through `from` with the slope rise / step? In whole numbers: a
 * rounded slope would leave something of it. */
static bool lies_on(const struct error_cell *cell, const struct error_cell *from, __int128 rise,
                    __int128 step)
{
    int64_t error, begin;
    return constant_error(cell, &error) && constant_error(from, &begin) &&
           ((__int128)error - begin) * step == rise * ((__int128)cell->n - (__int128)from->n);
}

/* No run deviates from the line, and there are more of them than a line can be laid through. */
static bool is_exact(const struct error_cell *const *cells, size_t count, double *slope)
{
    const struct error_cell *from = NULL, *to = NULL;
    size_t runs = 0, ways = 0;
    for (size_t i = 0; i < count; i++) {
        const struct error_cell *other = fellow(cells, count, cells[i], true);
        if (other && !to) {
            from = cells[i];
            to = other;
        }
        runs += cells[i]->runs;
        ways += fellow(cells, count, cells[i], false) == cells[i];
    }
    int64_t begin, end;
    if (!to || runs <= ways + 1 || !constant_error(from, &begin) || !constant_error(to, &end))
        return false;
    __int128 rise = (__int128)end - begin, step = (__int128)to->n - (__int128)from->n;
    for (size_t i = 0; i < count; i++)
        if (!lies_on(cells[i], fellow(cells, count, cells[i], false), rise, step))
            return false;
    *slope = rise ? (double)rise / (double)step : 0; /* not -0 */
    return true;
}

static void describe(const struct error_cell *const *cells, size_t count, struct error_slope *row)
{
    row->machine = cells[0]->machine;
    row->event = cells[0]->event;
    row->path = cells[0]->path;
    row->mode = cells[0]->mode;
    row->pattern = cells[0]->pattern;
    for (size_t i = 0; i < count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = cells[j]->n != cells[i]->n;
        row->points += is_new;
        row->longest = cells[i]->n > row->longest ? cells[i]->n : row->longest;
    }
}

/* False: nothing can be said, since N does not vary. */
static int fit(const struct error_cell *const *cells, size_t count, struct error_slope *row,
               bool *known)
{
    AUTO_FREE struct slope_point *points = NULL;
    int error = duration_points(cells, count, error_of_run, &points);
    if (error)
        return error;
    describe(cells, count, row);
    for (size_t i = 0; i < count; i++)
        row->runs += points[i].y.runs;
    struct slope_line line = slope_of(points, count);
    *known = line.known;
    row->intercept = line.intercept;
    row->exact = line.known && is_exact(cells, count, &line.slope);
    row->slope = row->low = row->high = line.slope;
    if (row->exact)
        row->intercept = points[0].y.mean - line.slope * points[0].n;
    if (!row->exact) {
        row->low = line.low;
        row->high = line.high;
        row->detectable = line.detectable;
    }
    return 0;
}

/* Those of the same slope; with further counters only where none counts alone, since what is
 * counted along may add to every interrupt. */
static size_t gather(const struct error_cell *const *cells, size_t count, size_t first, bool *taken,
                     const struct error_cell **group)
{
    bool alone = false;
    for (size_t i = first; i < count; i++)
        alone = alone || (cells[i]->counters == 1 && same_slope(cells[i], cells[first]));
    size_t members = 0;
    for (size_t i = first; i < count; i++) {
        if (taken[i] || !same_slope(cells[i], cells[first]))
            continue;
        taken[i] = true;
        if (!alone || cells[i]->counters == 1)
            group[members++] = cells[i];
    }
    return members;
}

static int judge_slopes(const struct error_case *file, struct error_report *report)
{
    size_t room = file->cell_count ? file->cell_count : 1, count = 0;
    AUTO_FREE const struct error_cell **cells = calloc(room, sizeof *cells);
    AUTO_FREE const struct error_cell **group = calloc(room, sizeof *group);
    AUTO_FREE bool *taken = calloc(room, sizeof *taken);
    if (!cells || !group || !taken)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++)
        if (shows_duration(&file->cells[i]))
            cells[count++] = &file->cells[i];
    report->slopes = calloc(count ? count : 1, sizeof *report->slopes);
    if (!report->slopes)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (taken[i])
            continue;
        struct error_slope row = {0};
        bool known = false;
        int error = fit(group, gather(cells, count, i, taken, group), &row, &known);
        if (error)
            return error;
        if (known)
            report->slopes[report->slope_count++] = row;
    }
    return 0;
}

int error_judge_duration(const struct error_case *file, uint64_t seed, struct error_report *report)
{
    (void)seed; /* nothing is resampled: intervals come from processes as replicates */
    int error = judge_slopes(file, report);
    if (error == 0)
        error = error_judge_sizes(file, report);
    if (error == 0)
        error = error_judge_ticks(file, report);
    return error;
}
