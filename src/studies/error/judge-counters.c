/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What further counters add: for each event, path and pattern the error by their number, at one -O
 * level and link and in one layout, so that nothing else differs between the points. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/error/replicates.h"
#include "stats/least-squares.h"
#include "studies/error/judge.h"

/* A stretch of ways that share event, machine, path, pattern and layout, and the -O level and link
 * at which its numbers of counters are compared. */
struct sweep {
    const struct error_ways *ways;
    size_t begin, end;
    const char *opt, *link;
};

static bool takes(const struct sweep *sweep, size_t i)
{
    const struct error_cell *cell = sweep->ways->list[i].cell;
    return sweep->ways->list[i].usual && cell->counters >= 1 &&
           cell->counters <= CELL_MAX_COUNTERS && strcmp(cell->opt, sweep->opt) == 0 &&
           strcmp(cell->link, sweep->link) == 0;
}

/* Different numbers of counters; ways are sorted by it. */
static size_t points_of(const struct sweep *sweep)
{
    size_t points = 0;
    uint32_t last = 0;
    for (size_t i = sweep->begin; i < sweep->end; i++) {
        uint32_t counters = sweep->ways->list[i].cell->counters;
        if (takes(sweep, i) && counters != last) {
            points++;
            last = counters;
        }
    }
    return points;
}

/* Where most numbers of counters were measured; of several at -O2, then the first by name. */
static size_t choose(struct sweep *sweep)
{
    struct sweep best = *sweep;
    size_t most = 0;
    bool usual = false;
    for (size_t i = sweep->begin; i < sweep->end; i++) {
        sweep->opt = sweep->ways->list[i].cell->opt;
        sweep->link = sweep->ways->list[i].cell->link;
        if (most && strcmp(sweep->opt, best.opt) == 0 && strcmp(sweep->link, best.link) == 0)
            continue;
        size_t points = points_of(sweep);
        bool is_usual = strcmp(sweep->opt, "O2") == 0;
        if (points > most || (points && points == most && is_usual && !usual)) {
            best = *sweep;
            most = points;
            usual = is_usual;
        }
    }
    *sweep = best;
    return most;
}

static void fill_points(const struct sweep *sweep, struct error_pool *pool,
                        struct error_by_counters *by)
{
    for (size_t i = sweep->begin; i < sweep->end;) {
        size_t next = error_ways_end(sweep->ways, i, WAY_COUNTERS);
        uint32_t counters = sweep->ways->list[i].cell->counters;
        for (; i < next; i++)
            if (takes(sweep, i))
                error_pool_add(pool, sweep->ways->list[i].cell);
        if (!pool->count)
            continue;
        by->counters[by->points] = counters;
        by->medians[by->points] = error_pool_median(pool, &by->mins[by->points]);
        by->points++;
    }
}

/* Process medians of the sweep as rows: a constant, the number of counters. */
enum { WIDTH = 2 };
struct rows {
    double *columns, *y;
    size_t count;
};

static void rows_release(struct rows *rows)
{
    free(rows->columns);
    free(rows->y);
}

static int gather(const struct sweep *sweep, struct error_pool *pool, struct rows *rows)
{
    size_t processes = 0;
    for (size_t i = sweep->begin; i < sweep->end; i++)
        processes += takes(sweep, i) ? sweep->ways->list[i].cell->processes : 0;
    rows->columns = calloc((processes + 1) * WIDTH, sizeof(*rows->columns));
    rows->y = calloc(processes + 1, sizeof(*rows->y));
    if (!rows->columns || !rows->y)
        return -ENOMEM;
    for (size_t i = sweep->begin; i < sweep->end; i++) {
        const struct error_cell *cell = sweep->ways->list[i].cell;
        size_t count =
            takes(sweep, i) ? error_process_medians(cell, pool->medians, pool->scratch) : 0;
        for (size_t j = 0; j < count; j++) {
            double *row = rows->columns + rows->count * WIDTH;
            row[0] = 1;
            row[1] = cell->counters;
            rows->y[rows->count++] = pool->medians[j];
        }
    }
    return 0;
}

/* Exact errors lie on their line but for rounding: that is neither a slope nor a spread. */
static double without_dust(double figure, const struct rows *rows)
{
    double largest = 0;
    for (size_t i = 0; i < rows->count; i++)
        largest = fmax(largest, fabs(rows->y[i]));
    return fabs(figure) < 1e-12 * largest ? 0 : figure;
}

static int fit_slope(const struct sweep *sweep, struct error_pool *pool,
                     struct error_by_counters *by)
{
    __attribute__((cleanup(rows_release))) struct rows rows = {0};
    by->slope = NAN;
    by->low = -INFINITY;
    by->high = INFINITY;
    int error = gather(sweep, pool, &rows);
    if (error)
        return error;
    struct coefficient coefficients[WIDTH];
    struct design design = {rows.columns, rows.count, WIDTH, rows.y, NULL};
    struct least_squares fit;
    error = least_squares(&design, true, &fit, coefficients, NULL);
    const struct coefficient *slope = &coefficients[WIDTH - 1];
    if (error || slope->aliased)
        return error == -ENOMEM ? error : 0;
    by->slope = without_dust(slope->value, &rows);
    by->low = by->slope - without_dust(slope->value - slope->low, &rows);
    by->high = by->slope + without_dust(slope->high - slope->value, &rows);
    return 0;
}

static int judge_sweep(struct sweep *sweep, struct error_pool *pool, struct error_report *report)
{
    if (choose(sweep) < 2)
        return 0;
    struct error_by_counters *by = &report->by_counters[report->by_counters_count++];
    const struct error_cell *cell = sweep->ways->list[sweep->begin].cell;
    *by = (struct error_by_counters){.machine = cell->machine,
                                     .event = cell->event,
                                     .path = cell->path,
                                     .mode = cell->mode,
                                     .pattern = cell->pattern,
                                     .stepped = cell->part == PART_STEPPED,
                                     .separate = cell->separate};
    if (by->stepped)
        by->mode = COUNT_USER;
    fill_points(sweep, pool, by);
    return fit_slope(sweep, pool, by);
}

int error_judge_counters(const struct error_case *file, struct error_report *report)
{
    AUTO_ERROR_WAYS struct error_ways ways;
    AUTO_ERROR_POOL struct error_pool pool = {0};
    int error = error_ways_of(file, &ways);
    if (!error)
        error = error_pool_open(&ways, &pool);
    if (error)
        return error;
    report->by_counters = calloc(ways.count + 1, sizeof(*report->by_counters));
    report->choices = calloc(ways.count + 1, sizeof(*report->choices));
    if (!report->by_counters || !report->choices)
        return -ENOMEM;
    for (size_t begin = 0, next; begin < ways.count && !error; begin = next) {
        next = error_ways_end(&ways, begin, WAY_LAYOUT);
        struct sweep sweep = {.ways = &ways, .begin = begin, .end = next};
        error = judge_sweep(&sweep, &pool, report);
        error_judge_choices(&ways, begin, next, &pool, report);
    }
    return error;
}
