/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One row a cell, and one over all predecessors before those of each. Intervals are by ranks of
 * processes: nothing is drawn. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/overhead/figures.h"
#include "judge/overhead/row-figures.h"

static struct overhead_row describe(const struct overhead_case *file,
                                    const struct overhead_cell *cell,
                                    const struct overhead_timer *timer)
{
    const struct overhead_factors *factors = &cell->factors;
    return (struct overhead_row){
        .machine = factors->machine,
        .operation = factors->operation,
        .predecessor = (int32_t)factors->predecessor - 1,
        .predecessor_times = factors->predecessor_times,
        .variant = overhead_variant(&file->operations[factors->operation], cell->tour->link),
        .link = cell->tour->link,
        .meter = timer->meter,
        .counted = cell->tour->counted,
        .events = factors->events,
        .separate = factors->separate,
        .reads = factors->reads,
        .temperature = (enum temperature)factors->temperature,
        .position = factors->position,
        .min = NAN,
        .q1 = NAN,
        .median = NAN,
        .q3 = NAN,
        .p99 = NAN,
        .max = NAN,
        .low = NAN,
        .high = NAN,
        .disturbed_median = NAN,
    };
}

static size_t siblings_end(const struct overhead_cells *cells, size_t begin)
{
    size_t end = begin + 1;
    while (end < cells->count && overhead_cells_siblings(&cells->list[begin], &cells->list[end]))
        end++;
    return end;
}

/* Spans of the largest stretch of siblings, disturbed ones besides. */
static size_t largest_row(const struct overhead_cells *cells)
{
    size_t most = 0;
    for (size_t begin = 0, end; begin < cells->count; begin = end) {
        size_t spans = 0;
        end = siblings_end(cells, begin);
        for (size_t i = begin; i < end; i++)
            spans += cells->list[i].runs + cells->list[i].disturbed;
        most = spans > most ? spans : most;
    }
    return most;
}

/* Cells begin … end - 1 differ in their predecessor alone. The very first call of a warm process
 * has none, and one run a process, behind the account and not behind a call: where there is more,
 * it has no row and no part in the summary. */
static int judge_siblings(const struct overhead_case *file, struct row_figures *figures,
                          size_t begin, size_t end, struct overhead_report *report)
{
    const struct overhead_cell *cells = figures->cells->list;
    begin += !cells[begin].factors.predecessor &&
             cells[begin].factors.temperature == TEMPERATURE_WARM && end - begin > 1;
    const struct overhead_timer *timer = &report->timers[cells[begin].factors.meter];
    struct overhead_row *summary = &report->rows[report->row_count++];
    *summary = describe(file, &cells[begin], timer);
    summary->all_predecessors = true;
    summary->predecessor = -1;
    summary->predecessor_times = 0;
    for (size_t i = begin; i < end; i++) {
        struct overhead_row *row = &report->rows[report->row_count++];
        *row = describe(file, &cells[i], timer);
        int error = row_of_cell(figures, &cells[i], timer, row);
        if (error)
            return error;
    }
    return row_of_siblings(figures, &cells[begin], end - begin, timer, summary);
}

static void count_all(const struct overhead_case *file, struct overhead_report *report)
{
    for (size_t i = 0; i < file->tour_count; i++) {
        report->processes += file->tours[i].processes;
        if (file->tours[i].processes)
            report->calls += file->tours[i].begins[file->tours[i].processes];
    }
}

static int judge_cells(const struct overhead_case *file, const struct overhead_cells *cells,
                       struct row_figures *figures, struct overhead_report *report)
{
    report->rows = calloc(2 * cells->count + 1, sizeof(*report->rows));
    if (!report->rows)
        return -ENOMEM;
    for (size_t begin = 0, end; begin < cells->count; begin = end) {
        end = siblings_end(cells, begin);
        int error = judge_siblings(file, figures, begin, end, report);
        if (error)
            return error;
    }
    return 0;
}

int overhead_judge_rows(const struct overhead_case *file, uint64_t seed,
                        struct overhead_report *report)
{
    (void)seed;
    AUTO_CELLS struct overhead_cells cells = {0};
    struct row_figures figures = {0};
    count_all(file, report);
    int error = overhead_cells_collect(file, report, &cells);
    if (!error)
        error = row_figures_open(&cells, largest_row(&cells), &figures);
    if (!error)
        error = judge_cells(file, &cells, &figures, report);
    row_figures_release(&figures);
    return error;
}
