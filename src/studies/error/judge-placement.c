/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop at many places: by event, those that count time first. */
#include "judge/error/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool counts_time(const struct error_cell *cell)
{
    static const char *const classes[] = {"cycles", "ref-cycles", "bus-cycles", "ticks"};
    static const char *const clocks[] = {"task-clock", "cpu-clock"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes && cell->class; i++)
        if (strcmp(cell->class, classes[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (strcmp(cell->base, clocks[i]) == 0)
            return true;
    return false;
}

/* Of one row: the same event on the same machine. Time first, else by the names. */
static int compare_events(const struct error_cell *left, const struct error_cell *right)
{
    bool left_time = counts_time(left), right_time = counts_time(right);
    if (left_time != right_time)
        return left_time ? -1 : 1;
    if (left->machine != right->machine)
        return left->machine < right->machine ? -1 : 1;
    return strcmp(left->event, right->event);
}

/* Placed ones before inline ones, and each by path, longest loop first, offset. */
static int compare_cells(const void *left, const void *right)
{
    const struct error_cell *a = *(const cell_pointer *)left, *b = *(const cell_pointer *)right;
    int order = compare_events(a, b);
    if (order)
        return order;
    if ((a->offset < 0) != (b->offset < 0))
        return a->offset < 0 ? 1 : -1;
    order = strcmp(a->path, b->path);
    if (order)
        return order;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Where those end that are measured as the first: one path, which adds its own to every run, and
 * one N, the largest, over which that is spread. */
static size_t alike(const cell_pointer *cells, size_t count)
{
    size_t end = 0;
    while (end < count && cells[end]->n == cells[0]->n &&
           strcmp(cells[end]->path, cells[0]->path) == 0)
        end++;
    return end;
}

/* The stretch of one path and N that has the most cells. */
static size_t widest(const cell_pointer *cells, size_t count, size_t *begin)
{
    size_t most = 0;
    for (size_t at = 0, length; at < count; at += length) {
        length = alike(cells + at, count - at);
        if (length > most) {
            most = length;
            *begin = at;
        }
    }
    return most;
}

static int judge_event(const cell_pointer *cells, size_t count, uint64_t seed,
                       struct error_report *report)
{
    size_t placed = 0, begin = 0;
    while (placed < count && cells[placed]->offset >= 0)
        placed++;
    struct error_placement row = {
        .event = cells[0]->event, .machine = cells[0]->machine, .is_time = counts_time(cells[0])};
    size_t wide = widest(cells, placed, &begin);
    int error = judge_places(cells + begin, wide, seed, report, &row);
    if (error)
        return error;
    begin = 0;
    wide = widest(cells + placed, count - placed, &begin);
    error = judge_windows(cells + placed + begin, wide, seed, &row);
    if (error == 0 && (row.places || row.has_windows))
        report->placements[report->placement_count++] = row;
    return error;
}

int error_judge_placement(const struct error_case *file, uint64_t seed, struct error_report *report)
{
    size_t room = file->cell_count ? file->cell_count : 1, count = 0;
    AUTO_FREE cell_pointer *cells = calloc(room, sizeof *cells);
    if (!cells)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++)
        if (file->cells[i].part == PART_PLACEMENT && file->cells[i].runs)
            cells[count++] = &file->cells[i];
    qsort(cells, count, sizeof *cells, compare_cells);
    report->places = calloc(count ? count : 1, sizeof *report->places);
    report->placements = calloc(count ? count : 1, sizeof *report->placements);
    if (!report->places || !report->placements)
        return -ENOMEM;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && compare_events(cells[end], cells[begin]) == 0;)
            end++;
        int error = judge_event(cells + begin, end - begin, seed, report);
        if (error)
            return error;
    }
    return 0;
}
