/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of a row of one cell. */
#include "judge/overhead/row-figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/spread.h"
#include "judge/overhead/clock.h"
#include "judge/overhead/levels.h"
#include "stats/medians.h"

int row_figures_open(const struct overhead_cells *cells, size_t most, struct row_figures *figures)
{
    *figures = (struct row_figures){.cells = cells};
    figures->sorted = malloc((cells->spans + 1) * sizeof(*figures->sorted));
    figures->by_process = malloc((cells->spans + 1) * sizeof(*figures->by_process));
    figures->scratch = malloc((most + 1) * sizeof(*figures->scratch));
    figures->pooled = malloc((most + 1) * sizeof(*figures->pooled));
    figures->values = malloc((most + 1) * sizeof(*figures->values));
    figures->ordered = malloc((most + 1) * sizeof(*figures->ordered));
    figures->groups = malloc((most + 1) * sizeof(*figures->groups));
    figures->medians = malloc((most + 1) * sizeof(*figures->medians));
    return figures->sorted && figures->by_process && figures->scratch && figures->pooled &&
                   figures->values && figures->ordered && figures->groups && figures->medians
               ? 0
               : -ENOMEM;
}

void row_figures_release(struct row_figures *figures)
{
    free(figures->sorted);
    free(figures->by_process);
    free(figures->scratch);
    free(figures->pooled);
    free(figures->values);
    free(figures->ordered);
    free(figures->groups);
    free(figures->medians);
    *figures = (struct row_figures){0};
}

static double quantile_of(const int64_t *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    double value = (double)sorted[below];
    if (below + 1 < count)
        value += (place - (double)below) * ((double)sorted[below + 1] - value);
    return value;
}

/* A middle between two steps may lie outside of quartiles that are steps. */
void row_keep_order(struct overhead_row *row)
{
    row->q1 = fmin(row->q1, row->median);
    row->q3 = fmax(row->q3, row->median);
}

void row_take_interval(const struct row_figures *figures, struct overhead_row *row)
{
    struct overhead_median median = overhead_median_of(figures->medians, row->processes);
    row->low = fmin(median.low, row->median);
    row->high = fmax(median.high, row->median);
}

void row_count_outliers(const struct row_figures *figures, const struct overhead_cell *cell,
                        double cost, struct overhead_row *row)
{
    double limit = fmax(row->q3 + 3 * (row->q3 - row->q1), 1.5 * row->median) + cost;
    const int64_t *values = figures->cells->values + cell->begin;
    const uint8_t *flags = figures->cells->flags + cell->begin;
    for (size_t i = 0; i < cell->runs; i++)
        if ((double)values[i] > limit) {
            row->outliers++;
            row->outliers_faulted += (flags[i] & SPAN_FAULTED) != 0;
            row->outliers_switched += (flags[i] & SPAN_SWITCHED) != 0;
        }
}

/* Puts the spans of every process in order, and takes their medians. */
static size_t take_medians(struct row_figures *figures, const struct overhead_cell *cell,
                           const struct overhead_timer *timer)
{
    int64_t *values = figures->by_process + cell->begin;
    const uint32_t *groups = figures->cells->groups + cell->begin;
    size_t processes = 0;
    memcpy(values, figures->cells->values + cell->begin, cell->runs * sizeof(*values));
    for (size_t begin = 0, end; begin < cell->runs; begin = end) {
        for (end = begin + 1; end < cell->runs && groups[end] == groups[begin];)
            end++;
        error_sort(values + begin, end - begin, figures->scratch);
        figures->medians[processes++] =
            overhead_middle_by(timer->meter, values + begin, end - begin) - timer->cost;
    }
    return processes;
}

static void take_disturbed(const struct row_figures *figures, const struct overhead_cell *cell,
                           double cost, struct overhead_row *row)
{
    int64_t *sorted = figures->sorted + cell->begin + cell->runs;
    row->disturbed = cell->disturbed;
    row->disturbed_median = NAN;
    if (!cell->disturbed)
        return;
    memcpy(sorted, figures->cells->values + cell->begin + cell->runs,
           cell->disturbed * sizeof(*sorted));
    error_sort(sorted, cell->disturbed, figures->scratch);
    row->disturbed_median = quantile_of(sorted, cell->disturbed, 0.5) - cost;
}

static void take_quantiles(const int64_t *sorted, size_t count, const struct overhead_timer *timer,
                           struct overhead_row *row)
{
    double cost = timer->cost;
    row->min = (double)sorted[0] - cost;
    row->q1 = quantile_of(sorted, count, 0.25) - cost;
    row->median = overhead_middle_by(timer->meter, sorted, count) - cost;
    row->q3 = quantile_of(sorted, count, 0.75) - cost;
    row->p99 = quantile_of(sorted, count, 0.99) - cost;
    row->max = (double)sorted[count - 1] - cost;
}

static int find_levels(struct row_figures *figures, const struct overhead_cell *cell,
                       const struct overhead_timer *timer, struct overhead_row *row)
{
    const int64_t *values = figures->cells->values + cell->begin;
    const int64_t *sorted = figures->sorted + cell->begin;
    for (size_t i = 0; i < cell->runs; i++) {
        figures->values[i] = (double)values[i] - timer->cost;
        figures->ordered[i] = (double)sorted[i] - timer->cost;
    }
    struct level_sample sample = {figures->values, figures->cells->groups + cell->begin,
                                  figures->ordered, cell->runs, timer->resolution};
    int found = overhead_levels_sorted(&sample, row->levels, &row->levels_kind);
    row->level_count = found > 0 ? (size_t)found : 0;
    return found < 0 ? found : 0;
}

int row_of_cell(struct row_figures *figures, const struct overhead_cell *cell,
                const struct overhead_timer *timer, struct overhead_row *row)
{
    int64_t *sorted = figures->sorted + cell->begin;
    row->runs = cell->runs;
    row->faults = cell->faults;
    take_disturbed(figures, cell, timer->cost, row);
    if (!cell->runs)
        return 0;
    memcpy(sorted, figures->cells->values + cell->begin, cell->runs * sizeof(*sorted));
    error_sort(sorted, cell->runs, figures->scratch);
    take_quantiles(sorted, cell->runs, timer, row);
    row_keep_order(row);
    row_count_outliers(figures, cell, timer->cost, row);
    row->processes = take_medians(figures, cell, timer);
    row_take_interval(figures, row);
    return find_levels(figures, cell, timer, row);
}
