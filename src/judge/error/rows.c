/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One row a cell: how its errors lie, and what the same window counts when it is stepped. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/error/replicates.h"
#include "studies/error/study.h"
#include "stats/spread.h"

/* errors and scratch: room for cell->runs each. */
static void fill_row(const struct error_cell *cell, struct error_row *row, int64_t *errors,
                     int64_t *scratch)
{
    row->cell = cell;
    for (size_t i = 0; i < cell->runs; i++)
        errors[i] = error_of(cell, i);
    error_sort(errors, cell->runs, scratch);
    row->error = error_spread_of(errors, cell->runs);
    size_t firsts = error_first_runs(cell, errors);
    error_sort(errors, firsts, scratch);
    row->first = firsts ? error_spread_of(errors, firsts) : row->error;
    size_t others = error_later_runs(cell, errors);
    error_sort(errors, others, scratch);
    row->later = others ? error_spread_of(errors, others) : row->first;
}

static void count_cell(const struct error_cell *cell, struct error_report *report)
{
    report->measurements += cell->runs;
    report->cells_measured++;
    size_t processes = error_processes(cell);
    if (cell->part == PART_NULL &&
        (!report->least_processes || processes < report->least_processes))
        report->least_processes = processes;
}

static bool counts_instructions(const struct error_cell *cell)
{
    return strcmp(cell->base, "instructions") == 0 ||
           (cell->class && strcmp(cell->class, "instructions") == 0);
}

/* What stepping can stand beside: user-mode instructions of a null cell. */
static bool is_comparable(const struct error_cell *cell)
{
    return cell->part == PART_NULL && cell->mode == COUNT_USER && counts_instructions(cell);
}

static int by_number(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* Equal exactly where error_same_way holds and specimen and N are the same. */
static int by_window(const struct error_cell *left, const struct error_cell *right)
{
    int difference = strcmp(left->path, right->path);
    if (difference == 0)
        difference = by_number(left->pattern, right->pattern);
    if (difference == 0)
        difference = by_number(left->counters, right->counters);
    if (difference == 0)
        difference = strcmp(left->opt, right->opt);
    if (difference == 0)
        difference = strcmp(left->link, right->link);
    if (difference == 0)
        difference = by_number(left->separate, right->separate);
    if (difference == 0)
        difference = by_number(left->machine, right->machine);
    if (difference == 0)
        difference = strcmp(left->specimen, right->specimen);
    return difference ? difference : by_number(left->n, right->n);
}

static int rows_by_window(const void *left, const void *right)
{
    const struct error_row *const *first = left, *const *second = right;
    int difference = by_window((*first)->cell, (*second)->cell);
    /* Of several stepped cells of one window the first of the case comes first. */
    return difference ? difference : (*first > *second) - (*first < *second);
}

/* The first of the sorted rows whose window is that of the cell. */
static const struct error_row *find_window(const struct error_row *const *sorted, size_t count,
                                           const struct error_cell *cell)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_window(sorted[middle]->cell, cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && by_window(sorted[low]->cell, cell) == 0 ? sorted[low] : NULL;
}

static int link_stepped(struct error_report *report)
{
    AUTO_FREE const struct error_row **stepped = calloc(report->row_count + 1, sizeof(*stepped));
    size_t count = 0;
    if (!stepped)
        return -ENOMEM;
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].cell->part == PART_STEPPED && counts_instructions(report->rows[i].cell))
            stepped[count++] = &report->rows[i];
    qsort(stepped, count, sizeof(*stepped), rows_by_window);
    for (size_t i = 0; i < report->row_count; i++) {
        struct error_row *row = &report->rows[i];
        const struct error_row *exact =
            is_comparable(row->cell) ? find_window(stepped, count, row->cell) : NULL;
        if (!exact)
            continue;
        row->has_stepped = true;
        row->stepped = exact->later.median;
        row->stepped_first = exact->first.median;
        row->stepped_varies =
            exact->later.min != exact->later.max || exact->first.min != exact->first.max;
    }
    return 0;
}

int error_judge_rows(const struct error_case *file, struct error_report *report)
{
    size_t most = 0;
    for (size_t i = 0; i < file->cell_count; i++)
        most = file->cells[i].runs > most ? file->cells[i].runs : most;
    AUTO_FREE int64_t *errors = calloc(most + 1, sizeof(*errors));
    AUTO_FREE int64_t *scratch = calloc(most + 1, sizeof(*scratch));
    report->rows = calloc(file->cell_count + 1, sizeof(*report->rows));
    report->row_count = 0;
    if (!errors || !scratch || !report->rows)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++) {
        if (!file->cells[i].runs)
            continue;
        count_cell(&file->cells[i], report);
        fill_row(&file->cells[i], &report->rows[report->row_count++], errors, scratch);
    }
    return link_stepped(report);
}
