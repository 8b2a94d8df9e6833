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
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/error/judge.h"
#include "studies/error/study.h"

/* ----------------------------------------------------------------------------------------------
 * The same number of counters, other events in the further ones, against the event itself repeated
 * in exactly the same ways. Paths that take no event twice have choices and nothing plain. */

/* The plain cells (first … last - 1) that one of the chosen ones was measured the same way as. */
static void add_counterparts(const struct error_ways *ways, size_t plain, size_t plain_end,
                             size_t chosen, size_t chosen_end, struct error_pool *pool)
{
    for (size_t i = plain; i < plain_end; i++) {
        bool counterpart = false;
        for (size_t j = chosen; j < chosen_end && !counterpart; j++)
            counterpart = error_same_way(ways->list[i].cell, ways->list[j].cell);
        if (counterpart)
            error_pool_add(pool, ways->list[i].cell);
    }
}

static void judge_choice(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_choice *choice)
{
    const struct error_cell *cell = ways->list[begin].cell;
    *choice = (struct error_choice){.machine = cell->machine,
                                    .event = cell->event,
                                    .path = cell->path,
                                    .others = cell->others,
                                    .pattern = cell->pattern,
                                    .counters = cell->counters};
    int64_t min;
    for (size_t i = begin; i < end; i++)
        error_pool_add(pool, ways->list[i].cell);
    choice->median = error_pool_median(pool, &min);
}

/* Of one number of counters; a single choice is none. */
static void judge_number(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_report *report)
{
    size_t plain = begin, plain_end = begin;
    int64_t min;
    if (error_ways_end(ways, begin, WAY_OTHERS) == end)
        return;
    for (size_t next; begin < end; begin = next) {
        next = error_ways_end(ways, begin, WAY_OTHERS);
        if (!*ways->list[begin].cell->others) { /* an empty name comes before all others */
            plain_end = next;
            continue;
        }
        struct error_choice *choice = &report->choices[report->choice_count++];
        judge_choice(ways, begin, next, pool, choice);
        add_counterparts(ways, plain, plain_end, begin, next, pool);
        choice->plain = error_pool_median(pool, &min);
    }
}

/* Ways begin … end - 1 share event, path, pattern and layout. Room in report->choices is the
 * caller's. */
static void error_judge_choices(const struct error_ways *ways, size_t begin, size_t end,
                                struct error_pool *pool, struct error_report *report)
{
    for (size_t next; begin < end; begin = next) {
        next = error_ways_end(ways, begin, WAY_COUNTERS);
        judge_number(ways, begin, next, pool, report);
    }
}

/* ----------------------------------------------------------------------------------------------
 * More events than counters: each runs part of the time, and its count is extrapolated. What that
 * is off by, against the truth, for code that does the same all the time and for code with phases.
 */

/* The operating system moves the events on by one so often, unless told otherwise: after as many
 * of these as there are events the turn begins anew. */
static const double ROTATION_NS = 4e6;

/* Steps of one phase: "phases/period=1000/". 1 where none is given, and of other specimens 0. */
static double period_of(const char *specimen)
{
    if (strncmp(specimen, "phases", 6) != 0 || (specimen[6] && specimen[6] != '/'))
        return 0;
    const char *period = strstr(specimen, "period=");
    double steps = period ? strtod(period + strlen("period="), NULL) : 1;
    return steps >= 1 ? steps : 1;
}

/* In percent of the truth, rising. */
static double *percents_of(const struct error_cell *cell)
{
    double *percents = calloc(cell->runs, sizeof *percents);
    for (size_t i = 0; i < cell->runs && percents; i++)
        percents[i] = 100 * (double)error_of(cell, i) / (double)cell->truth;
    if (percents)
        sort_values(percents, cell->runs);
    return percents;
}

static int median_percent(const struct error_cell *cell, double *median)
{
    AUTO_FREE double *percents = percents_of(cell);
    if (!percents)
        return -ENOMEM;
    *median = quantile(percents, cell->runs, 0.5);
    return 0;
}

static bool is_measured(const struct error_cell *cell)
{
    return cell->runs > 0 && cell->has_truth && cell->truth > 0;
}

/* The same code counted alone, all of the time. */
static int single_percent(const struct error_case *file, const struct error_cell *cell,
                          double *percent)
{
    *percent = NAN;
    const struct error_cell *found = NULL;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *other = &file->cells[i];
        bool is_alone = other->counters == 1 && !other->multiplexed && is_measured(other) &&
                        (other->part == PART_MULTIPLEX || other->part == PART_DURATION);
        if (is_alone && other->machine == cell->machine && strcmp(other->event, cell->event) == 0 &&
            strcmp(other->path, cell->path) == 0 && strcmp(other->specimen, cell->specimen) == 0 &&
            other->n == cell->n && (!found || other->pattern == cell->pattern))
            found = other;
    }
    return found ? median_percent(found, percent) : 0;
}

/* The middle of a figure of all runs; NaN where it was not kept. */
static int median_time(const struct error_cell *cell, bool share, double *median)
{
    *median = NAN;
    if (!cell->enabled || !cell->running)
        return 0;
    AUTO_FREE double *figures = calloc(cell->runs, sizeof *figures);
    if (!figures)
        return -ENOMEM;
    for (size_t i = 0; i < cell->runs; i++)
        figures[i] = !share                 ? cell->enabled[i]
                     : cell->enabled[i] > 0 ? cell->running[i] / cell->enabled[i]
                                            : 1;
    sort_values(figures, cell->runs);
    *median = quantile(figures, cell->runs, 0.5);
    return 0;
}

static int add_row(const struct error_case *file, const struct error_cell *cell,
                   struct error_multiplex *row)
{
    double period = period_of(cell->specimen), enabled;
    AUTO_FREE double *percents = percents_of(cell);
    if (!percents)
        return -ENOMEM;
    *row = (struct error_multiplex){
        .machine = cell->machine,
        .event = cell->event,
        .path = cell->path,
        .specimen = cell->specimen,
        .phased = period > 1,
        .counters = cell->counters,
        .median = quantile(percents, cell->runs, 0.5),
        .low = percents[0],
        .high = percents[cell->runs - 1],
        .per_rotation = NAN,
        .runs = cell->runs,
    };
    int error = median_time(cell, true, &row->share);
    if (error == 0)
        error = median_time(cell, false, &enabled);
    /* N steps of work and N calls, in blocks of a period. */
    if (error == 0 && row->phased && enabled > 0)
        row->per_rotation =
            2 * (double)cell->n / period / (enabled / (ROTATION_NS * (double)cell->counters));
    return error ? error : single_percent(file, cell, &row->single);
}

int error_judge_multiplex(const struct error_case *file, struct error_report *report)
{
    report->multiplex = calloc(file->cell_count ? file->cell_count : 1, sizeof *report->multiplex);
    if (!report->multiplex)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (cell->part != PART_MULTIPLEX || cell->counters < 2 || !is_measured(cell))
            continue;
        int error = add_row(file, cell, &report->multiplex[report->multiplex_count]);
        if (error)
            return error;
        report->multiplex_count++;
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What further counters add: for each event, path and pattern the error by their number, at one -O
 * level and link and in one layout, so that nothing else differs between the points. */

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
