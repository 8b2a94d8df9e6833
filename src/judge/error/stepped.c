/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the CPU counts against what was stepped, cell by cell. A difference that is the same
 * everywhere is the CPU's own edge of the window; one that is not is an error of one of the two. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/error/replicates.h"
#include "studies/error/study.h"
#include "stats/spread.h"

static void compare(const struct error_row *row, struct error_agreement *agreement, int64_t *errors,
                    int64_t *scratch)
{
    size_t times;
    agreement->row = row;
    agreement->runs = error_usual_runs(row->cell, errors);
    error_sort(errors, agreement->runs, scratch);
    int64_t usual = error_most_frequent(errors, agreement->runs, &agreement->agreeing);
    agreement->difference = error_minus(usual, row->stepped);
    size_t firsts = error_first_runs(row->cell, errors);
    error_sort(errors, firsts, scratch);
    agreement->first_difference =
        error_minus(error_most_frequent(errors, firsts, &times), row->stepped_first);
}

static uint64_t distance(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* The most frequent difference; of several the one nearest to 0, then the positive one. */
static int64_t edge_of(const int64_t *sorted, size_t count)
{
    size_t most;
    int64_t edge = error_most_frequent(sorted, count, &most);
    for (size_t i = 0, length = 0; i < count; i++) {
        length = i && sorted[i] == sorted[i - 1] ? length + 1 : 1;
        if (length == most && distance(sorted[i]) <= distance(edge))
            edge = sorted[i];
    }
    return edge;
}

/* Another CPU has another edge. */
static void find_edge(struct error_stepped *stepped, uint32_t machine, int64_t *differences,
                      int64_t *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < stepped->comparable; i++)
        if (stepped->list[i].row->cell->machine == machine)
            differences[count++] = stepped->list[i].difference;
    if (!count)
        return;
    error_sort(differences, count, scratch);
    int64_t edge = edge_of(differences, count);
    for (size_t i = 0; i < stepped->comparable; i++) {
        struct error_agreement *agreement = &stepped->list[i];
        if (agreement->row->cell->machine != machine)
            continue;
        agreement->edge = edge;
        stepped->equal += agreement->difference == edge;
    }
}

int error_judge_stepped(const struct error_case *file, struct error_report *report)
{
    struct error_stepped *stepped = &report->stepped;
    size_t most = 0;
    for (size_t i = 0; i < file->cell_count; i++)
        most = file->cells[i].runs > most ? file->cells[i].runs : most;
    most = report->row_count > most ? report->row_count : most;
    AUTO_FREE int64_t *errors = calloc(most + 1, sizeof(*errors));
    AUTO_FREE int64_t *scratch = calloc(most + 1, sizeof(*scratch));
    stepped->list = calloc(report->row_count + 1, sizeof(*stepped->list));
    if (!errors || !scratch || !stepped->list)
        return -ENOMEM;
    uint32_t machines = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        if (!row->has_stepped)
            continue;
        compare(row, &stepped->list[stepped->comparable++], errors, scratch);
        machines = row->cell->machine >= machines ? row->cell->machine + 1 : machines;
    }
    for (uint32_t machine = 0; machine < machines; machine++)
        find_edge(stepped, machine, errors, scratch);
    stepped->edge = stepped->list[0].edge;
    return 0;
}
