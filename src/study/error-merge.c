/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One machine measured more than once: cells with the same factors in several stores become one,
 * whose processes are those of all. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "study/error-loading.h"

static int compare_words(const struct error_cell *left, const struct error_cell *right)
{
    int order = strcmp(left->event, right->event);
    if (!order)
        order = strcmp(left->specimen, right->specimen);
    if (!order)
        order = strcmp(left->path, right->path);
    if (!order)
        order = strcmp(left->opt, right->opt);
    if (!order)
        order = strcmp(left->link, right->link);
    return order ? order : strcmp(left->others, right->others);
}

#define COMPARE(field) ((left->field > right->field) - (left->field < right->field))

/* By everything but the runs. */
static int compare_factors(const void *one, const void *other)
{
    const struct error_cell *left = one, *right = other;
    const int orders[] = {
        COMPARE(machine),  COMPARE(n),        COMPARE(part),      COMPARE(pattern),
        COMPARE(counters), COMPARE(separate), COMPARE(has_truth), COMPARE(truth),
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (orders[i])
            return orders[i];
    return compare_words(left, right);
}

/* Appends to numbers of `count` the `added` others, where both are there. */
static bool append(void *numbers, size_t count, const void *others, size_t added)
{
    uint64_t **list = numbers;
    _Static_assert(sizeof(int64_t) == sizeof(double), "counts and times are moved the same way");
    if (!others || !added)
        return true;
    uint64_t *larger = reallocarray(*list, count + added, sizeof(*larger));
    if (!larger)
        return false;
    *list = larger;
    memcpy(larger + count, others, added * sizeof(*larger));
    return true;
}

static bool append_processes(struct error_cell *into, const struct error_cell *from)
{
    size_t *larger =
        reallocarray(into->begins, into->processes + from->processes + 1, sizeof(*larger));
    if (!larger)
        return false;
    into->begins = larger;
    for (size_t i = 0; i <= from->processes; i++)
        larger[into->processes + i] = into->runs + from->begins[i];
    return true;
}

/* False: out of memory, and the cell is as it was but for room. */
static bool join(struct error_cell *into, struct error_cell *from)
{
    if (!append(&into->values, into->runs, from->values, from->runs) ||
        !append(&into->enabled, into->runs, from->enabled, from->runs) ||
        !append(&into->running, into->runs, from->running, from->runs) ||
        !append(&into->interrupts, into->runs, from->interrupts, from->runs) ||
        !append_processes(into, from))
        return false;
    into->runs += from->runs;
    into->processes += from->processes;
    into->unscheduled += from->unscheduled;
    into->multiplexed += from->multiplexed;
    into->disturbed += from->disturbed;
    if (!into->failed) {
        into->error = from->error;
        into->reason = from->reason;
        from->reason = NULL;
    }
    into->failed += from->failed;
    return true;
}

/* Frees what was joined, by a case that holds nothing else. */
static void drop(struct error_cell *cell)
{
    struct error_case rest = {0};
    struct error_cell *place = error_case_add_cell(&rest);
    if (!place)
        return; /* nobody looks at it any more */
    *place = *cell;
    error_case_release(&rest);
}

static void keep_nothing(void *cell)
{
    (void)cell; /* the tree's entries are the case's cells */
}

int error_merge_cells(struct error_case *file, size_t first)
{
    void *earlier = NULL;
    size_t kept = first;
    int result = 0;
    for (size_t i = 0; i < first && result == 0; i++)
        if (!tsearch(&file->cells[i], &earlier, compare_factors))
            result = -ENOMEM;
    for (size_t i = first; i < file->cell_count; i++) {
        struct error_cell *cell = &file->cells[i];
        struct error_cell *const *found =
            result == 0 ? tfind(cell, &earlier, compare_factors) : NULL;
        if (found && !join(*found, cell))
            result = -ENOMEM;
        if (found && result == 0)
            drop(cell);
        else
            file->cells[kept++] = *cell;
    }
    file->cell_count = kept;
    tdestroy(earlier, keep_nothing);
    return result;
}
