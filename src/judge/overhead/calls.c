/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls by cell. How many calls a cell has follows from the tour, so every call has its place
 * before the first one is looked at, and calls of two meters that stand at the same place are the
 * same. */
#include "studies/overhead/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void sorted_release(struct sorted *sorted)
{
    for (size_t i = 0; sorted->tours && i < sorted->count; i++) {
        free(sorted->tours[i].slots);
        free(sorted->tours[i].seen);
        free(sorted->tours[i].filled);
    }
    free(sorted->tours);
}

static int slot_of(const struct sorted_tour *sorted, uint32_t operation, uint32_t times)
{
    for (size_t i = 0; i < sorted->slot_count; i++)
        if (sorted->slots[i].operation == operation && sorted->slots[i].times == times)
            return (int)i;
    return -1;
}

static int find_slots(struct sorted_tour *sorted)
{
    const struct overhead_tour *tour = sorted->tour;
    sorted->slots = calloc(tour->length + 1, sizeof(*sorted->slots));
    if (!sorted->slots)
        return -ENOMEM;
    for (size_t i = 0; i < tour->length; i++) {
        int slot = slot_of(sorted, tour->calls[i], tour->times[i]);
        if (slot < 0) {
            slot = (int)sorted->slot_count++;
            sorted->slots[slot] = (struct slot){tour->calls[i], tour->times[i], 0, 0};
        }
        sorted->slots[slot].occurrences++;
    }
    for (size_t i = 1; i < sorted->slot_count; i++)
        sorted->slots[i].before = sorted->slots[i - 1].before + sorted->slots[i - 1].occurrences;
    return 0;
}

static int sort_tour(const struct overhead_tour *tour, struct sorted_tour *sorted)
{
    sorted->tour = tour;
    size_t calls = tour->processes ? tour->begins[tour->processes] : 0;
    if (find_slots(sorted) < 0)
        return -ENOMEM;
    sorted->seen = calloc(calls * tour->meter_count + 1, sizeof(*sorted->seen));
    sorted->filled = calloc(tour->processes * sorted->slot_count * tour->meter_count + 1,
                            sizeof(*sorted->filled));
    return sorted->seen && sorted->filled ? 0 : -ENOMEM;
}

static size_t cell_of(const struct sorted_tour *sorted, size_t process, size_t slot, size_t meter)
{
    return (process * sorted->slot_count + slot) * sorted->tour->meter_count + meter;
}

/* Where the calls of a cell are: every process has its whole passes, and in these each slot as many
 * calls as it occurs, once for each meter. */
static struct seen *calls_of(const struct sorted_tour *sorted, size_t process, size_t slot,
                             size_t meter)
{
    const struct overhead_tour *tour = sorted->tour;
    const struct slot *of = &sorted->slots[slot];
    return sorted->seen + tour->begins[process] * tour->meter_count +
           tour->passes[process] * (of->before * tour->meter_count + meter * of->occurrences);
}

static int see(void *context, const struct overhead_span *span)
{
    struct sorted_tour *sorted = &((struct sorted *)context)->tours[span->tour];
    int slot = slot_of(sorted, span->operation, span->times);
    if (slot < 0)
        return 0;
    size_t *filled = &sorted->filled[cell_of(sorted, span->process, (size_t)slot, span->meter)];
    if (*filled >= sorted->tour->passes[span->process] * sorted->slots[slot].occurrences)
        return 0;
    struct seen *seen = calls_of(sorted, span->process, (size_t)slot, span->meter) + *filled;
    *seen = (struct seen){
        .cost = span->disturbed ? NAN : span->cost,
        .slot_before = span->predecessor < 0
                           ? -1
                           : slot_of(sorted, (uint32_t)span->predecessor, span->predecessor_times),
        .predecessor = span->predecessor,
        .position = (uint32_t)++ * filled,
        .account = span->account,
    };
    return 0;
}

struct seen *sorted_cell(const struct sorted_tour *sorted, size_t process, size_t slot,
                         size_t meter, size_t *count)
{
    *count = sorted->filled[cell_of(sorted, process, slot, meter)];
    return calls_of(sorted, process, slot, meter);
}

int overhead_sort_calls(const struct overhead_case *file, const struct overhead_report *report,
                        struct sorted *sorted)
{
    *sorted = (struct sorted){.count = file->tour_count};
    sorted->tours = calloc(sorted->count + 1, sizeof(*sorted->tours));
    int error = sorted->tours ? 0 : -ENOMEM;
    for (size_t i = 0; i < sorted->count && !error; i++)
        error = sort_tour(&file->tours[i], &sorted->tours[i]);
    return error ? error : overhead_each_span(file, report, see, sorted);
}
