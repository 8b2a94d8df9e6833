/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What watches add to an export: what kind they are, where a look stands in its watch, and which
 * clock was read. Only stores that have watches get these columns; names and values are those of
 * the store's view `look`. */
#include "commands/export.h"

#include <string.h>

void row_watch(struct export_row *row, const struct cell_watch *watch)
{
    if (watch->kind == WATCH_NONE) {
        for (int column = 0; column < 8; column++)
            row_none(row);
        return;
    }
    row_text(row, watch_kind_names[watch->kind]);
    row_text(row, watch->workload);
    row_count(row, watch->length);
    row_count(row, watch->threads);
    row_count(row, watch->moves);
    row_flag(row, watch->handover);
    row_flag(row, watch->awake);
    if (watch->partner >= 0)
        row_count(row, (uint64_t)watch->partner);
    else
        row_none(row);
}

static const char *part_of(const struct export_watch *watch, uint32_t column)
{
    static const char *const parts[ROW_COLUMNS] = {"first", "last",   "backward",
                                                   "worst", "before", "after"};
    if (watch->watch.kind == WATCH_ROW)
        return column < ROW_COLUMNS ? parts[column] : NULL;
    if (watch->watch.kind != WATCH_OUTSIDE)
        return NULL;
    return column == 0 ? "asked" : column == watch->columns - 1 ? "answered" : NULL;
}

void row_look(struct export_row *row, const struct export_watch *watch, uint32_t run,
              uint32_t column)
{
    if (watch->watch.kind == WATCH_NONE) {
        for (int i = 0; i < 5; i++)
            row_none(row);
        return;
    }
    const uint32_t looks = watch_group(watch->watch.kind, watch->watch.threads);
    const uint32_t own = looks / watch->watch.threads;
    row_count(row, run / looks);
    row_count(row, run % looks / own);
    row_count(row, run % own);
    row_text(row, watch->clocks[column]);
    row_text(row, part_of(watch, column));
}

void export_watch_begin(struct export_watch *watch, const struct cell *cell)
{
    struct external_clock named;
    watch->watch = cell->watch;
    watch->columns = cell->counters;
    for (uint32_t i = 0; i < cell->counters && cell->watch.kind != WATCH_NONE; i++) {
        if (external_clock_parse(cell->events[i], &named, NULL) < 0)
            named.name[0] = '\0'; /* not in a cell that was read */
        memcpy(watch->clocks[i], named.name, sizeof(watch->clocks[i]));
    }
}
