/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One machine measured more than once: the same tour in several stores becomes one, whose processes
 * are those of all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "study/overhead-loading.h"

static bool same_meters(const struct overhead_tour *left, const struct overhead_tour *right)
{
    if (left->meter_count != right->meter_count)
        return false;
    for (uint32_t i = 0; i < left->meter_count; i++)
        if (strcmp(left->meters[i].event, right->meters[i].event) != 0)
            return false;
    return true;
}

static bool same_tour(const struct overhead_tour *left, const struct overhead_tour *right)
{
    return left->machine == right->machine && left->open == right->open &&
           left->separate == right->separate && left->cold == right->cold &&
           left->length == right->length && strcmp(left->link, right->link) == 0 &&
           strcmp(left->counted, right->counted) == 0 && same_meters(left, right) &&
           memcmp(left->calls, right->calls, left->length * sizeof(*left->calls)) == 0 &&
           memcmp(left->times, right->times, left->length * sizeof(*left->times)) == 0;
}

static bool append(void *list, size_t count, const void *others, size_t added, size_t size)
{
    void **at = list;
    if (!added)
        return true;
    void *larger = reallocarray(*at, count + added, size);
    if (!larger)
        return false;
    *at = larger;
    memcpy((char *)larger + count * size, others, added * size);
    return true;
}

/* False: out of memory, and the tour is as it was but for room. */
static bool join(struct overhead_tour *into, struct overhead_tour *from)
{
    size_t calls = into->begins[into->processes], added = from->begins[from->processes];
    size_t *begins =
        reallocarray(into->begins, into->processes + from->processes + 1, sizeof(*begins));
    if (!begins)
        return false;
    into->begins = begins;
    if (!append(&into->values, calls * into->meter_count, from->values, added * into->meter_count,
                sizeof(*into->values)) ||
        !append(&into->accounts, calls, from->accounts, added, sizeof(*into->accounts)) ||
        !append(&into->passes, into->processes, from->passes, from->processes,
                sizeof(*into->passes)))
        return false;
    for (size_t i = 0; i <= from->processes; i++)
        begins[into->processes + i] = calls + from->begins[i];
    into->processes += from->processes;
    if (!into->failed) {
        char *none = into->reason;
        into->error = from->error;
        into->reason = from->reason;
        from->reason = none;
    }
    into->failed += from->failed;
    return true;
}

/* Releases what was joined, by a case that holds nothing else. */
static void drop(struct overhead_tour *tour)
{
    struct overhead_case rest = {.tours = malloc(sizeof(*tour)), .tour_count = 1};
    if (!rest.tours)
        return; /* nobody looks at it any more */
    rest.tours[0] = *tour;
    overhead_case_release(&rest);
}

int overhead_merge_tours(struct overhead_case *file, size_t first)
{
    size_t kept = first;
    int result = 0;
    for (size_t i = first; i < file->tour_count; i++) {
        struct overhead_tour *tour = &file->tours[i];
        size_t earlier = 0;
        while (earlier < first && !same_tour(&file->tours[earlier], tour))
            earlier++;
        if (result == 0 && earlier < first && !join(&file->tours[earlier], tour))
            result = -ENOMEM;
        if (result == 0 && earlier < first)
            drop(tour);
        else
            file->tours[kept++] = *tour;
    }
    file->tour_count = kept;
    return result;
}
