/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps cells by id and resolves them once. */
#include "probe/driver/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/job.h"

/* Where id is, or belongs. */
static size_t place_of(const struct cells *cells, uint32_t id)
{
    size_t low = 0, high = cells->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cells->list[middle]->cell.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct known_cell *cells_find(const struct cells *cells, uint32_t id)
{
    size_t place = place_of(cells, id);
    return place < cells->count && cells->list[place]->cell.id == id ? cells->list[place] : NULL;
}

static void known_release(struct known_cell *known)
{
    cell_release(&known->cell);
    for (size_t index = 0; index < CELL_MAX_COUNTERS; index++)
        event_release(&known->events[index]);
    *known = (struct known_cell){0};
}

static int make_room(struct cells *cells)
{
    if (cells->count < cells->capacity)
        return 0;
    size_t capacity = cells->capacity ? 2 * cells->capacity : 64;
    struct known_cell **grown = realloc(cells->list, capacity * sizeof(struct known_cell *));
    if (!grown)
        return -ENOMEM;
    cells->list = grown;
    cells->capacity = capacity;
    return 0;
}

int cells_define(struct cells *cells, struct cell *cell)
{
    struct known_cell *known = cells_find(cells, cell->id);
    if (known) {
        known_release(known);
    } else {
        if (make_room(cells) < 0 || !(known = calloc(1, sizeof(*known))))
            return -ENOMEM;
        size_t place = place_of(cells, cell->id);
        memmove(&cells->list[place + 1], &cells->list[place],
                (cells->count - place) * sizeof(struct known_cell *));
        cells->list[place] = known;
        cells->count++;
    }
    known->cell = *cell;
    *cell = (struct cell){0};
    return 0;
}

void cells_free(struct cells *cells)
{
    for (size_t index = 0; index < cells->count; index++) {
        known_release(cells->list[index]);
        free(cells->list[index]);
    }
    free(cells->list);
    *cells = (struct cells){0};
}

/* The job's fields have fixed sizes; nothing longer can exist, so it is refused by name. */
static int check_lengths(const struct cell *cell, struct failure *failure)
{
    const struct job *job = NULL;
    if (strlen(cell->path) >= sizeof(job->path))
        return fail_with(failure, -ENOENT, "this kit has no path %.64s", cell->path);
    if (strlen(cell->specimen) >= sizeof(job->specimen))
        return fail_with(failure, -ENOENT, "this kit has no specimen %.64s", cell->specimen);
    if (strlen(cell->opt) >= sizeof(job->opt))
        return fail_with(failure, -ENOENT, "there is no level %.64s", cell->opt);
    for (uint32_t index = 0; index < cell->counters; index++)
        if (strlen(cell->events[index]) >= JOB_NAME)
            return fail_with(failure, -ENAMETOOLONG, "an event name has at most %d bytes",
                             JOB_NAME - 1);
    return 0;
}

static int resolve_events(struct known_cell *known, const struct event_view *view)
{
    for (uint32_t index = 0; index < known->cell.counters; index++) {
        struct event *event = &known->events[index];
        int result = event_resolve(view, known->cell.events[index], event, &known->failure);
        if (result < 0)
            return known->failure.code = result;
        if (event->target && strlen(event->target) >= JOB_NAME)
            return fail_with(&known->failure, -ENAMETOOLONG, "%s: the path of a file is too long",
                             event->name);
    }
    return 0;
}

int cell_resolve(struct known_cell *known, const struct event_view *view,
                 const struct probe_kit *kit, const struct offers *offers)
{
    if (known->resolved)
        return known->failure.code;
    known->resolved = true;
    int result = check_lengths(&known->cell, &known->failure);
    if (result < 0)
        return result;
    known->offer = offer_for(offers, kit, &known->cell, &known->failure);
    if (!known->offer)
        return known->failure.code;
    return resolve_events(known, view);
}
