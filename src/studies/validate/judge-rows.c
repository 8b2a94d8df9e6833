/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ladders: the points of an event that differ in N only, and the line through their counts. */
#include "judge/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/points.h"
#include "stats/least-squares.h"

static bool belongs(const struct judged_row *row, const struct point *point)
{
    return strcmp(row->specimen, point->specimen) == 0 && strcmp(row->path, point->path) == 0 &&
           strcmp(row->core, point->core) == 0 && row->pattern == point->pattern &&
           row->counters == point->counters;
}

static struct judged_row *row_for(struct judgement *judgement, const struct point *point)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        if (belongs(&judgement->rows[i], point))
            return &judgement->rows[i];
    struct judged_row *grown =
        reallocarray(judgement->rows, judgement->row_count + 1, sizeof(*grown));
    if (!grown)
        return NULL;
    judgement->rows = grown;
    struct judged_row *row = &grown[judgement->row_count++];
    *row = (struct judged_row){.specimen = point->specimen,
                               .path = point->path,
                               .core = point->core,
                               .pattern = point->pattern,
                               .counters = point->counters};
    return row;
}

static struct judged_point *append_point(struct judged_row *row)
{
    struct judged_point *grown =
        reallocarray(row->points, row->point_count + 1, sizeof(*row->points));
    if (!grown)
        return NULL;
    row->points = grown;
    return &grown[row->point_count++];
}

static int by_n(const void *left, const void *right)
{
    const struct point *a = ((const struct judged_point *)left)->point;
    const struct point *b = ((const struct judged_point *)right)->point;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return a < b ? -1 : 1; /* as planned */
}

/* The weakest claim that still binds: proven where any point is. */
static enum truth_grade row_grade(const struct judged_row *row)
{
    static const enum truth_grade best[] = {TRUTH_PROVEN, TRUTH_BOUNDED, TRUTH_MODEL};
    for (size_t i = 0; i < sizeof(best) / sizeof(*best); i++)
        for (size_t j = 0; j < row->point_count; j++) {
            const struct judged_point *judged = &row->points[j];
            enum truth_grade grade =
                judged->against_account ? TRUTH_PROVEN : judged->point->truth.grade;
            if (grade == best[i])
                return grade;
        }
    return TRUTH_NONE;
}

int gather_rows(struct judgement *judgement)
{
    const struct evidence *evidence = judgement->evidence;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        if (point->is_null)
            continue;
        struct judged_row *row = row_for(judgement, point);
        struct judged_point *judged = row ? append_point(row) : NULL;
        if (!judged)
            return -ENOMEM;
        int error = judge_point(evidence, point, judged);
        if (error < 0)
            return error;
        judgement->runs += judged->runs;
        judgement->disturbed += judged->disturbed;
    }
    for (size_t i = 0; i < judgement->row_count; i++) {
        struct judged_row *row = &judgement->rows[i];
        qsort(row->points, row->point_count, sizeof(*row->points), by_n);
        row->grade = row_grade(row);
        int error = fit_row(row);
        if (error < 0)
            return error;
    }
    return 0;
}

/* --- the line --- */

static size_t fitted_runs(const struct judged_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->point_count; i++)
        count += row->points[i].runs;
    return count;
}

/* What the run was to count; of limits nobody knows. */
static bool run_truth(const struct judged_point *judged, const struct evidence_run *run,
                      double *predicted)
{
    const struct truth *truth = &judged->point->truth;
    if (judged->against_account) {
        *predicted = (double)account_switches(&run->account) - (double)judged->usual_switches;
        return true;
    }
    *predicted = (double)truth->low;
    return truth->grade != TRUTH_NONE && truth->low == truth->high;
}

static size_t gather_line(const struct judged_row *row, double *x, double *y)
{
    size_t count = 0;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        for (size_t j = 0; j < judged->point->run_count; j++) {
            const struct evidence_run *run = &judged->point->runs[j];
            wide value;
            if (!run_is_judged(judged, run) || !run_count_of(run, &value) ||
                !run_truth(judged, run, &x[count]))
                continue;
            y[count++] = (double)(value - judged->overhead);
        }
    }
    return count;
}

static bool differ(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return true;
    return false;
}

int fit_row(struct judged_row *row)
{
    size_t most = fitted_runs(row);
    if (most < 3)
        return 0;
    AUTO_FREE double *x = reallocarray(NULL, most, sizeof(*x));
    AUTO_FREE double *y = reallocarray(NULL, most, sizeof(*y));
    if (!x || !y)
        return -ENOMEM;
    size_t count = gather_line(row, x, y);
    if (count < 3 || !differ(x, count))
        return 0;
    struct least_squares fit;
    struct coefficient intercept, slope;
    int error = straight_line(x, y, count, &fit, &intercept, &slope);
    if (error == -ENOMEM)
        return error;
    row->fit.known = error == 0 && !intercept.aliased && !slope.aliased;
    if (!row->fit.known)
        return 0;
    row->fit = (struct judged_fit){true,           intercept.value,    intercept.low,
                                   intercept.high, slope.value,        slope.low,
                                   slope.high,     fit.residual_stdev, fit.r_squared};
    return 0;
}

bool row_matters(const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].outweighs)
            return true;
    return false;
}
