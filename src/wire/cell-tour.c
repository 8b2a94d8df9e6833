/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tour of a cell: what makes one whole, asked by the wire of what it got, by the store of what
 * it is given and of what it finds in itself. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/cell.h"
#include "wire/tour.h"

static bool is(const char *word, const char *wanted)
{
    return word && strcmp(word, wanted) == 0;
}

static int check_absence(const struct cell *cell, struct failure *failure)
{
    const struct cell_tour *tour = &cell->tour;
    if (tour->counted || tour->open || tour->cold)
        return fail_with(failure, -EINVAL, "cell %" PRIu32 " is part of a tour, but has no calls",
                         cell->id);
    if (is(cell->path, "tour"))
        return fail_with(failure, -EINVAL, "cell %" PRIu32 " has path 'tour', but no calls",
                         cell->id);
    return 0;
}

int cell_check_tour(const struct cell *cell, struct failure *failure)
{
    const struct cell_tour *tour = &cell->tour;
    if (!tour->calls)
        return check_absence(cell, failure);
    if (!is(cell->path, "tour") || cell->pattern != PATTERN_RR || !is(cell->specimen, "null") ||
        cell->n != 0)
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " has calls, so its path, pattern, specimen and n must be "
                         "tour, rr, null and 0",
                         cell->id);
    if (!tour->counted || !*tour->counted)
        return fail_with(failure, -EINVAL,
                         "the tour of cell %" PRIu32 " does not name the event 'counted' by its "
                         "calls",
                         cell->id);
    if (tour->open < 1 || tour->open > CELL_MAX_COUNTERS)
        return fail_with(failure, -EINVAL,
                         "the tour of cell %" PRIu32 " must have from 1 to %d counters 'open', but "
                         "has %" PRIu32,
                         cell->id, CELL_MAX_COUNTERS, tour->open);
    AUTO_FREE struct tour_call *calls = NULL;
    size_t length;
    int error = tour_parse(tour->calls, &calls, &length, failure);
    if (error)
        return error;
    if (cell->runs % length != 0)
        return fail_with(failure, -EINVAL,
                         "the tour of cell %" PRIu32 " has %" PRIu32 " runs, which its %zu calls "
                         "do not divide: every pass makes each call once",
                         cell->id, cell->runs, length);
    return 0;
}

uint32_t cell_tour_length(const struct cell_tour *tour)
{
    uint32_t length = tour->calls != NULL;
    for (const char *at = tour->calls; at && *at; at++)
        length += *at == ',';
    return length;
}

bool cell_same_tour(const struct cell *left, const struct cell *right)
{
    const struct cell_tour *a = &left->tour, *b = &right->tour;
    if (!a->calls || !b->calls)
        return !a->calls && !b->calls;
    return strcmp(a->calls, b->calls) == 0 && strcmp(a->counted, b->counted) == 0 &&
           a->open == b->open && a->cold == b->cold;
}
