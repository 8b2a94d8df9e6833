/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What further counters add: for each event, path and pattern the error by their number, at one -O
 * level and link and in one layout, so that nothing else differs between the points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/error/judge.h"

/* ----------------------------------------------------------------------------------------------
 * The same number of counters, other events in the further ones, against the event itself repeated
 * in exactly the same ways. Paths that take no event twice have choices and nothing plain. */

/* Of one number of counters; a single choice is none. Room in report->choices is the caller's. */
static void judge_number(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_report *report)
{
    size_t plain = begin, plain_end = begin;
    int64_t min;
    if (error_ways_end(ways, begin, WAY_OTHERS) == end)
        return;
    for (size_t next; begin < end; begin = next) {
        const struct error_cell *cell = ways->list[begin].cell;
        next = error_ways_end(ways, begin, WAY_OTHERS);
        if (!*cell->others) { /* an empty name comes before all others */
            plain_end = next;
            continue;
        }
        struct error_choice *choice = &report->choices[report->choice_count++];
        *choice = (struct error_choice){.machine = cell->machine,
                                        .event = cell->event,
                                        .path = cell->path,
                                        .others = cell->others,
                                        .pattern = cell->pattern,
                                        .counters = cell->counters};
        for (size_t i = begin; i < next; i++)
            error_pool_add(pool, ways->list[i].cell);
        choice->median = error_pool_median(pool, &min);
        /* The plain cells that one of the chosen ones was measured the same way as. */
        for (size_t i = plain; i < plain_end; i++) {
            bool counterpart = false;
            for (size_t j = begin; j < next && !counterpart; j++)
                counterpart = error_same_way(ways->list[i].cell, ways->list[j].cell);
            if (counterpart)
                error_pool_add(pool, ways->list[i].cell);
        }
        choice->plain = error_pool_median(pool, &min);
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
    double *percents = memory_new(cell->runs, sizeof(*percents));
    for (size_t i = 0; i < cell->runs; i++)
        percents[i] = 100 * (double)error_of(cell, i) / (double)cell->truth;
    sort_values(percents, cell->runs);
    return percents;
}

static bool is_measured(const struct error_cell *cell)
{
    return cell->runs > 0 && cell->has_truth && cell->truth > 0;
}

/* The same code counted alone, all of the time. */
static double single_percent(const struct error_case *file, const struct error_cell *cell)
{
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
    if (!found)
        return NAN;
    AUTO_MEMORY double *percents = percents_of(found);
    return quantile(percents, found->runs, 0.5);
}

/* The middle of a figure of all runs; NaN where it was not kept. */
static double median_time(const struct error_cell *cell, bool share)
{
    if (!cell->enabled || !cell->running)
        return NAN;
    AUTO_MEMORY double *figures = memory_new(cell->runs, sizeof(*figures));
    for (size_t i = 0; i < cell->runs; i++)
        figures[i] = !share                 ? cell->enabled[i]
                     : cell->enabled[i] > 0 ? cell->running[i] / cell->enabled[i]
                                            : 1;
    sort_values(figures, cell->runs);
    return quantile(figures, cell->runs, 0.5);
}

void error_judge_multiplex(const struct error_case *file, struct error_report *report)
{
    report->multiplex = memory_new(file->cell_count, sizeof(*report->multiplex));
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (cell->part != PART_MULTIPLEX || cell->counters < 2 || !is_measured(cell))
            continue;
        double period = period_of(cell->specimen), enabled = median_time(cell, false);
        AUTO_MEMORY double *percents = percents_of(cell);
        struct error_multiplex *row = &report->multiplex[report->multiplex_count++];
        *row = (struct error_multiplex){
            .machine = cell->machine,
            .event = cell->event,
            .path = cell->path,
            .specimen = cell->specimen,
            .phased = period > 1,
            .counters = cell->counters,
            .share = median_time(cell, true),
            .median = quantile(percents, cell->runs, 0.5),
            .low = percents[0],
            .high = percents[cell->runs - 1],
            .per_rotation = NAN,
            .runs = cell->runs,
            .single = single_percent(file, cell),
        };
        /* N steps of work and N calls, in blocks of a period. */
        if (row->phased && enabled > 0)
            row->per_rotation =
                2 * (double)cell->n / period / (enabled / (ROTATION_NS * (double)cell->counters));
    }
}

/* --- the whole --- */

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

/* Exact errors lie on their line but for rounding: that is neither a slope nor a spread. */
static double without_dust(double figure, double largest)
{
    return fabs(figure) < 1e-12 * largest ? 0 : figure;
}

/* Through process medians as rows: a constant, the number of counters. */
static void fit_slope(const struct sweep *sweep, struct error_by_counters *by)
{
    enum { WIDTH = 2 };
    size_t processes = 0, rows = 0;
    for (size_t i = sweep->begin; i < sweep->end; i++)
        processes += takes(sweep, i) ? sweep->ways->list[i].cell->processes : 0;
    AUTO_MEMORY double *columns = memory_new(processes, WIDTH * sizeof(*columns));
    AUTO_MEMORY double *y = memory_new(processes, sizeof(*y));
    double largest = 0;
    for (size_t i = sweep->begin; i < sweep->end; i++) {
        const struct error_cell *cell = sweep->ways->list[i].cell;
        const size_t end = takes(sweep, i) ? rows + error_process_medians(cell, y + rows) : rows;
        for (; rows < end; rows++) {
            columns[rows * WIDTH] = 1;
            columns[rows * WIDTH + 1] = cell->counters;
            largest = fmax(largest, fabs(y[rows]));
        }
    }
    struct coefficient coefficients[WIDTH];
    struct design design = {columns, rows, WIDTH, y, NULL};
    struct least_squares fit;
    by->slope = NAN;
    by->low = -INFINITY;
    by->high = INFINITY;
    const struct coefficient *slope = &coefficients[WIDTH - 1];
    if (least_squares(&design, true, &fit, coefficients, NULL) || slope->aliased)
        return;
    by->slope = without_dust(slope->value, largest);
    by->low = by->slope - without_dust(slope->value - slope->low, largest);
    by->high = by->slope + without_dust(slope->high - slope->value, largest);
}

static void judge_sweep(struct sweep *sweep, struct error_pool *pool, struct error_report *report)
{
    if (choose(sweep) < 2)
        return;
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
    for (size_t i = sweep->begin; i < sweep->end;) {
        size_t next = error_ways_end(sweep->ways, i, WAY_COUNTERS);
        uint32_t counters = sweep->ways->list[i].cell->counters;
        for (; i < next; i++)
            if (takes(sweep, i))
                error_pool_add(pool, sweep->ways->list[i].cell);
        if (!pool->count)
            continue;
        struct error_point *point = memory_add(by->list, by->points);
        point->counters = counters;
        point->median = error_pool_median(pool, &point->min);
    }
    fit_slope(sweep, by);
}

void error_judge_counters(const struct error_case *file, struct error_report *report)
{
    const struct error_ways ways = error_ways_of(file);
    AUTO_ERROR_POOL struct error_pool pool = {0};
    report->by_counters = memory_new(ways.count, sizeof(*report->by_counters));
    report->choices = memory_new(ways.count, sizeof(*report->choices));
    for (size_t begin = 0, next; begin < ways.count; begin = next) {
        next = error_ways_end(&ways, begin, WAY_LAYOUT);
        struct sweep sweep = {.ways = &ways, .begin = begin, .end = next};
        judge_sweep(&sweep, &pool, report);
        for (size_t number = begin, end; number < next; number = end) {
            end = error_ways_end(&ways, number, WAY_COUNTERS);
            judge_number(&ways, number, end, &pool, report);
        }
    }
}
