/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of the operating system alone while a loop runs that never calls it, by the loop's length:
 * all of them are interrupts and the edges of the window (the paper's Figure 9). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/error/duration.h"
#include "stats/spread.h"

typedef const struct error_cell *cell_pointer;

/* By machine, event and path: the cells of one line of the figure. */
static int compare_lines(const struct error_cell *left, const struct error_cell *right)
{
    if (left->machine != right->machine)
        return left->machine < right->machine ? -1 : 1;
    int order = strcmp(left->event, right->event);
    return order ? order : strcmp(left->path, right->path);
}

static int by_line_and_n(const void *left, const void *right)
{
    const struct error_cell *a = *(const cell_pointer *)left, *b = *(const cell_pointer *)right;
    int order = compare_lines(a, b);
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* Appends the later runs of a cell. */
static void take(const struct error_cell *cell, int64_t *values, struct error_by_size *row)
{
    for (size_t process = 0; process < cell->processes; process++)
        for (size_t run = later_runs(cell, process); run < cell->begins[process + 1]; run++) {
            values[row->runs++] = error_of(cell, run);
            row->mean += (double)error_of(cell, run);
            row->interrupts += run_interrupts(cell, run);
        }
}

/* The cells of one N. */
static int add_row(const cell_pointer *cells, size_t count, bool only_counted,
                   struct error_report *report)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        runs += only_counted && !cells[i]->interrupts ? 0 : cells[i]->runs;
    if (!runs)
        return 0;
    AUTO_FREE int64_t *values = calloc(runs, sizeof *values);
    AUTO_FREE int64_t *scratch = calloc(runs, sizeof *scratch);
    if (!values || !scratch)
        return -ENOMEM;
    struct error_by_size row = {.machine = cells[0]->machine,
                                .event = cells[0]->event,
                                .path = cells[0]->path,
                                .n = cells[0]->n};
    for (size_t i = 0; i < count; i++)
        if (!only_counted || cells[i]->interrupts)
            take(cells[i], values, &row);
    row.mean /= (double)row.runs;
    row.interrupts /= (double)row.runs;
    error_sort(values, row.runs, scratch);
    row.spread = error_spread_of(values, row.runs);
    report->by_size[report->by_size_count++] = row;
    return 0;
}

/* Where interrupts were counted along in some cells of the line, only those are shown: counting
 * them adds to each, and two kinds of cells would make one crooked line. */
static int add_line(const cell_pointer *cells, size_t count, struct error_report *report)
{
    bool counted = false;
    for (size_t i = 0; i < count; i++)
        counted = counted || cells[i]->interrupts;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && cells[end]->n == cells[begin]->n;)
            end++;
        int error = add_row(cells + begin, end - begin, counted, report);
        if (error)
            return error;
    }
    return 0;
}

int error_judge_sizes(const struct error_case *file, struct error_report *report)
{
    size_t count = 0;
    AUTO_FREE cell_pointer *cells = calloc(file->cell_count ? file->cell_count : 1, sizeof *cells);
    if (!cells)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++)
        if (file->cells[i].mode == COUNT_KERNEL && shows_duration(&file->cells[i]))
            cells[count++] = &file->cells[i];
    qsort(cells, count, sizeof *cells, by_line_and_n);
    report->by_size = calloc(count ? count : 1, sizeof *report->by_size);
    if (!report->by_size)
        return -ENOMEM;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && compare_lines(cells[end], cells[begin]) == 0;)
            end++;
        int error = add_line(cells + begin, end - begin, report);
        if (error)
            return error;
    }
    return 0;
}
