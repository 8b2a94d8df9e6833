/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps cells by id and resolves them once. */
#include "probe/driver/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/driver/commands.h"
#include "probe/driver/tours.h"
#include "probe/driver/watches.h"
#include "probe/harness/job.h"
#include "probe/sources/tool.h"

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
    event_release(&known->counted);
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
    if (cell->tour.calls && strlen(cell->tour.counted) >= JOB_NAME)
        return fail_with(failure, -ENAMETOOLONG, "an event name has at most %d bytes",
                         JOB_NAME - 1);
    return 0;
}

static int resolve_event(struct known_cell *known, const struct event_view *view, const char *name,
                         struct event *event)
{
    int result = event_resolve(view, name, event, &known->failure);
    if (result < 0)
        return known->failure.code = result;
    if (event->target && strlen(event->target) >= JOB_NAME)
        return fail_with(&known->failure, -ENAMETOOLONG, "%s: the path of a file is too long",
                         event->name);
    return 0;
}

static int resolve_events(struct known_cell *known, const struct event_view *view)
{
    int result = 0;
    for (uint32_t index = 0; index < known->cell.counters && result == 0; index++)
        result = resolve_event(known, view, known->cell.events[index], &known->events[index]);
    if (result == 0 && known->cell.tour.calls)
        result = resolve_event(known, view, known->cell.tour.counted, &known->counted);
    return result;
}

static const char *source_name(const struct event *event)
{
    return event->source ? event->source->name : "perf_event";
}

static int refuse_path(struct known_cell *known, const struct offers *offers, const char *source)
{
    AUTO_TEXT struct text paths = {0};
    const char *last = "";
    for (size_t index = 0; index < offers->count; index++) {
        const struct offer *offer = &offers->list[index];
        if (!offer_goes_with(offer, source) || strcmp(offer->path, last) == 0)
            continue;
        last = offer->path;
        if (!strstr(text_string(&paths), last))
            text_printf(&paths, "%s%s", paths.length ? ", " : "", last);
    }
    return fail_with(&known->failure, -ENOTSUP, "path %s cannot count events of %s: that takes %s",
                     known->cell.path, source,
                     paths.length ? text_string(&paths) : "a path this kit does not have");
}

/* The events of a cell are counted by one source, and the path must go with it. */
static int resolve_source(struct known_cell *known, const struct offers *offers)
{
    const struct event *first = &known->events[0];
    for (uint32_t index = 1; index < known->cell.counters; index++) {
        const struct event *other = &known->events[index];
        if (other->source != first->source)
            return fail_with(&known->failure, -EINVAL,
                             "one cell counts with one source, but %s is of %s and %s of %s: "
                             "measure them apart (--each)",
                             first->name, source_name(first), other->name, source_name(other));
    }
    if (first->source && first->source->error)
        return fail_with(&known->failure, -first->source->error, "%s: %s", first->name,
                         first->source->reason);
    if (!offer_goes_with(known->offer, source_name(first)))
        return refuse_path(known, offers, source_name(first));
    known->source =
        first->source ? source_find(first->source->name) : tool_source(known->cell.path);
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
    if (known->cell.watch.kind != WATCH_NONE)
        return watch_resolve(known, kit, offers);
    if (known->cell.command.words)
        return command_resolve(known, view, offers);
    if (known->cell.tour.calls) {
        result = resolve_events(known, view);
        return result < 0 ? result : tour_resolve(known, kit, offers);
    }
    known->offer = offer_for(offers, kit, &known->cell, &known->failure);
    if (!known->offer)
        return known->failure.code;
    known->harness = known->offer->harness;
    known->needs_folder = known->offer->needs_folder;
    result = resolve_events(known, view);
    return result < 0 ? result : resolve_source(known, offers);
}
