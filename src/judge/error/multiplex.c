/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More events than counters: each runs part of the time, and its count is extrapolated. What that
 * is off by, against the truth, for code that does the same all the time and for code with
 * phases. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/error/study.h"
#include "stats/moments.h"

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
