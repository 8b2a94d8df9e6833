/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tours add to an export: which call a run was, and which one stood before it. Only stores
 * that have tours get these columns; names and values are those of the store's view `timed`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands/export.h"

void tour_walk_end(struct tour_walk *walk)
{
    free(walk->text);
    free(walk->calls);
    *walk = (struct tour_walk){0};
}

int tour_walk_begin(struct tour_walk *walk, const struct cell_tour *tour)
{
    tour_walk_end(walk);
    const uint32_t length = cell_tour_length(tour);
    if (length == 0)
        return 0;
    walk->text = strdup(tour->calls);
    walk->calls = calloc(length, sizeof(*walk->calls));
    if (!walk->text || !walk->calls)
        return -ENOMEM;
    char *rest = walk->text;
    for (walk->length = 0; walk->length < length; walk->length++)
        walk->calls[walk->length] = strsep(&rest, ",");
    return 0;
}

void row_tour(struct export_row *row, const struct cell_tour *tour)
{
    row_text(row, tour->counted);
    if (!tour->calls) {
        row_none(row);
        row_none(row);
        return;
    }
    row_count(row, tour->open);
    row_flag(row, tour->cold);
}

void row_call(struct export_row *row, const struct tour_walk *walk, uint32_t run)
{
    if (walk->length == 0) {
        row_none(row);
        row_none(row);
        row_none(row);
        return;
    }
    row_count(row, run / walk->length);
    row_text(row, walk->calls[run % walk->length]);
    row_text(row, run ? walk->calls[(run - 1) % walk->length] : NULL);
}
