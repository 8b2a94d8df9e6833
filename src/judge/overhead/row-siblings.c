/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The row over all predecessors. Each weighs the same however many of its runs are left, so a
 * quantile is where the mean of the cells' distributions reaches a share; it is found by halving
 * the range of values, for the cells are in order already. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/spread.h"
#include "judge/overhead/levels.h"
#include "judge/overhead/row-figures.h"

/* Values in order that weigh as much as any other part. */
struct part {
    const int64_t *sorted;
    size_t count;
};

/* Rounding of a mean of shares. */
static const double SLACK = 1e-12;

static size_t count_up_to(const struct part *part, int64_t limit)
{
    size_t low = 0, high = part->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->sorted[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double share_up_to(const struct part *parts, size_t count, int64_t limit)
{
    double share = 0;
    for (size_t i = 0; i < count; i++)
        share += (double)count_up_to(&parts[i], limit) / (double)parts[i].count;
    return share / (double)count;
}

/* The smallest value up to which at least (above: more than) that share lies. */
static int64_t value_at(const struct part *parts, size_t count, double share, bool above)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t least = parts[i].sorted[0], most = parts[i].sorted[parts[i].count - 1];
        low = least < low ? least : low;
        high = most > high ? most : high;
    }
    double wanted = above ? share + SLACK : share - SLACK;
    while (low < high) {
        int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        if (share_up_to(parts, count, middle) >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double median_of(const struct part *parts, size_t count)
{
    return ((double)value_at(parts, count, 0.5, false) +
            (double)value_at(parts, count, 0.5, true)) /
           2;
}

/* As overhead_middle_by: the mean of what lies within a step of the median. */
static double middle_of(const struct overhead_meter *meter, const struct part *parts, size_t count)
{
    double median = median_of(parts, count), sum = 0, weight = 0;
    for (size_t i = 0; i < count && meter->step > 0; i++)
        for (size_t j = 0; j < parts[i].count; j++)
            if (fabs((double)parts[i].sorted[j] - median) <= meter->step) {
                sum += (double)parts[i].sorted[j] / (double)parts[i].count;
                weight += 1 / (double)parts[i].count;
            }
    return weight > 0 ? sum / weight : median;
}

static void take_quantiles(const struct part *parts, size_t count,
                           const struct overhead_timer *timer, struct overhead_row *row)
{
    double cost = timer->cost;
    row->min = (double)value_at(parts, count, 0, true) - cost;
    row->q1 = (double)value_at(parts, count, 0.25, false) - cost;
    row->median = middle_of(timer->meter, parts, count) - cost;
    row->q3 = (double)value_at(parts, count, 0.75, false) - cost;
    row->p99 = (double)value_at(parts, count, 0.99, false) - cost;
    row->max = (double)value_at(parts, count, 1, false) - cost;
}

/* --- process by process --- */

struct siblings {
    struct row_figures *figures;
    const struct overhead_cell *cells;
    size_t count;
    size_t *taken;      /* [cell]: spans taken so far */
    struct part *parts; /* [cell] */
    size_t runs, processes;
};

/* UINT32_MAX: all are taken. */
static uint32_t next_process(const struct siblings *siblings)
{
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < siblings->count; i++) {
        const struct overhead_cell *cell = &siblings->cells[i];
        if (siblings->taken[i] == cell->runs)
            continue;
        uint32_t group = siblings->figures->cells->groups[cell->begin + siblings->taken[i]];
        next = group < next ? group : next;
    }
    return next;
}

/* Lays the spans of the process of one cell behind the others. */
static void take_part(struct siblings *siblings, size_t index, uint32_t process, size_t *parts)
{
    struct row_figures *figures = siblings->figures;
    const struct overhead_cell *cell = &siblings->cells[index];
    size_t begin = siblings->taken[index], end = begin;
    while (end < cell->runs && figures->cells->groups[cell->begin + end] == process) {
        figures->pooled[siblings->runs] = figures->cells->values[cell->begin + end++];
        figures->groups[siblings->runs++] = process;
    }
    siblings->taken[index] = end;
    if (end > begin)
        siblings->parts[(*parts)++] =
            (struct part){figures->by_process + cell->begin + begin, end - begin};
}

static void take_processes(struct siblings *siblings, const struct overhead_timer *timer)
{
    for (uint32_t process; (process = next_process(siblings)) != UINT32_MAX;) {
        size_t parts = 0;
        for (size_t i = 0; i < siblings->count; i++)
            take_part(siblings, i, process, &parts);
        siblings->figures->medians[siblings->processes++] =
            middle_of(timer->meter, siblings->parts, parts) - timer->cost;
    }
}

/* --- the row --- */

static size_t parts_of(struct siblings *siblings)
{
    size_t parts = 0;
    for (size_t i = 0; i < siblings->count; i++)
        if (siblings->cells[i].runs)
            siblings->parts[parts++] = (struct part){
                siblings->figures->sorted + siblings->cells[i].begin, siblings->cells[i].runs};
    return parts;
}

static void take_disturbed(struct siblings *siblings, double cost, struct overhead_row *row)
{
    size_t parts = 0;
    row->disturbed_median = NAN;
    for (size_t i = 0; i < siblings->count; i++) {
        const struct overhead_cell *cell = &siblings->cells[i];
        row->disturbed += cell->disturbed;
        row->faults += cell->faults;
        if (cell->disturbed)
            siblings->parts[parts++] = (struct part){
                siblings->figures->sorted + cell->begin + cell->runs, cell->disturbed};
    }
    if (parts)
        row->disturbed_median = median_of(siblings->parts, parts) - cost;
}

/* Levels are told by predecessor where fewer runs than this part of what chance would place are off
 * the level on which most runs after the same call are. */
static const double OFF_LEVEL = 1.0 / 3;

/* Runs of one cell that are on another level than most of them. firsts: where levels begin. */
static size_t off_level(const struct part *part, const int64_t *firsts, size_t levels)
{
    size_t most = 0, below = 0;
    for (size_t level = 0; level < levels; level++) {
        size_t end = level + 1 < levels ? count_up_to(part, firsts[level + 1] - 1) : part->count;
        most = end - below > most ? end - below : most;
        below = end;
    }
    return part->count - most;
}

/* pooled: all runs, in order. */
static bool predecessor_decides(const struct siblings *siblings, const struct overhead_row *row)
{
    const struct row_figures *figures = siblings->figures;
    int64_t firsts[OVERHEAD_MOST_LEVELS];
    double largest = 0, runs = (double)siblings->runs;
    size_t first = 0, off = 0;
    for (size_t level = 0; level < row->level_count; level++) {
        firsts[level] = figures->pooled[first < siblings->runs ? first : siblings->runs - 1];
        first += (size_t)lround(row->levels[level].share * runs);
        largest = fmax(largest, row->levels[level].share);
    }
    for (size_t i = 0; i < siblings->count; i++) {
        const struct overhead_cell *cell = &siblings->cells[i];
        struct part part = {figures->sorted + cell->begin, cell->runs};
        off += off_level(&part, firsts, row->level_count);
    }
    return (double)off < OFF_LEVEL * (1 - largest) * runs;
}

static int find_levels(struct siblings *siblings, const struct overhead_timer *timer,
                       struct overhead_row *row)
{
    struct row_figures *figures = siblings->figures;
    for (size_t i = 0; i < siblings->runs; i++)
        figures->values[i] = (double)figures->pooled[i] - timer->cost;
    error_sort(figures->pooled, siblings->runs, figures->scratch);
    for (size_t i = 0; i < siblings->runs; i++)
        figures->ordered[i] = (double)figures->pooled[i] - timer->cost;
    struct level_sample sample = {figures->values, figures->groups, figures->ordered,
                                  siblings->runs, timer->resolution};
    int found = overhead_levels_sorted(&sample, row->levels, &row->levels_kind);
    row->level_count = found > 0 ? (size_t)found : 0;
    if (row->levels_kind != LEVELS_ONE && predecessor_decides(siblings, row))
        row->levels_kind = LEVELS_BY_PREDECESSOR;
    return found < 0 ? found : 0;
}

int row_of_siblings(struct row_figures *figures, const struct overhead_cell *cells, size_t count,
                    const struct overhead_timer *timer, struct overhead_row *row)
{
    AUTO_FREE size_t *taken = calloc(count + 1, sizeof(*taken));
    AUTO_FREE struct part *parts = calloc(count + 1, sizeof(*parts));
    if (!taken || !parts)
        return -ENOMEM;
    struct siblings siblings = {figures, cells, count, taken, parts, 0, 0};
    take_disturbed(&siblings, timer->cost, row);
    size_t usable = parts_of(&siblings);
    if (!usable)
        return 0;
    take_quantiles(parts, usable, timer, row);
    row_keep_order(row);
    for (size_t i = 0; i < count; i++)
        row_count_outliers(figures, &cells[i], timer->cost, row);
    take_processes(&siblings, timer);
    row->runs = siblings.runs;
    row->processes = siblings.processes;
    row_take_interval(figures, row);
    return find_levels(&siblings, timer, row);
}
