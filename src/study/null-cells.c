/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The null cells of a plan: the overhead of a way of measuring is measured in processes of its
 * own, never fitted from the cells it is subtracted from. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "study/plan.h"

static bool same_events(const struct cell *left, const struct cell *right)
{
    if (left->counters != right->counters)
        return false;
    for (uint32_t i = 0; i < left->counters; i++) {
        if (strcmp(left->events[i], right->events[i]) != 0)
            return false;
    }
    return true;
}

bool plan_same_way(const struct cell *left, const struct cell *right)
{
    return strcmp(left->path, right->path) == 0 && left->pattern == right->pattern &&
           strcmp(left->opt, right->opt) == 0 && strcmp(left->link, right->link) == 0 &&
           left->separate == right->separate && left->cpu == right->cpu &&
           same_events(left, right) && cell_same_tour(left, right) &&
           cell_same_watch(left, right) && cell_same_command(left, right);
}

bool plan_is_overhead_cell(const struct cell *cell)
{
    return strcmp(cell->specimen, "null") == 0 && cell->n == 0;
}

static bool has_overhead_cell(const struct cell *cells, size_t count, const struct cell *cell)
{
    for (size_t i = 0; i < count; i++) {
        if (plan_is_overhead_cell(&cells[i]) && plan_same_way(&cells[i], cell))
            return true;
    }
    return false;
}

/* A copy of like that runs nothing. */
static int make_null(struct cell *null, const struct cell *like)
{
    int error = cell_copy(null, like);
    if (error < 0)
        return error;
    free(null->specimen);
    null->specimen = strdup("null");
    null->n = 0;
    if (null->specimen)
        return 0;
    cell_release(null);
    return -ENOMEM;
}

int plan_overhead_cells(struct cell **cells, size_t *count)
{
    size_t asked = *count;
    for (size_t i = 0; i < asked; i++) {
        if (has_overhead_cell(*cells, *count, &(*cells)[i]))
            continue;
        struct cell null = {0};
        int error = make_null(&null, &(*cells)[i]);
        if (error < 0)
            return error;
        error = plan_append(cells, count, &null);
        if (error < 0) {
            cell_release(&null);
            return error;
        }
    }
    return 0;
}
