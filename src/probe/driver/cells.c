/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of a session, kept by id, and who measures each of them: found out once. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "probe/driver/session.h"
#include "probe/tour/caller.h"

/* --- Cells by id --- */

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

int cells_define(struct cells *cells, struct cell *cell)
{
    struct known_cell *known = cells_find(cells, cell->id);
    if (known) {
        known_release(known);
    } else {
        size_t place = place_of(cells, cell->id), behind = cells->count - place;
        known = calloc(1, sizeof(*known));
        if (!known || !list_add(&cells->list, &cells->count, sizeof(struct known_cell *))) {
            free(known);
            return -ENOMEM;
        }
        memmove(&cells->list[place + 1], &cells->list[place], behind * sizeof(struct known_cell *));
        cells->list[place] = known;
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

/* --- Cells of a window: their events, and the source of these, which must go with the path --- */

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

/* ----------------------------------------------------------------------------------------------
 * Cells of whole programs: who counts them, and whether somebody can. Whether its program exists is
 * no matter of the cell: that is seen when it is executed, and may change from visit to visit. */

/* Whose events the cell has; NULL with a sentence where they are of several. Columns alone are
 * anybody's. */
static const char *source_of(struct known_cell *known)
{
    const struct cell *cell = &known->cell;
    const char *found = "", *of = "";
    for (uint32_t index = 0; index < cell->counters; index++) {
        const char *source = command_source(cell->events[index]);
        if (*source && *found && strcmp(source, found) != 0) {
            fail_with(&known->failure, -EINVAL,
                      "one cell counts with one source, but %s is of %s and %s of %s: measure "
                      "them apart",
                      of, found, cell->events[index], source);
            return NULL;
        }
        if (*source) {
            found = source;
            of = cell->events[index];
        }
    }
    return found;
}

/* Who gives the detail, where no event says who counts. */
static const struct command_counter *counter_for(const struct cell *cell, const char *source)
{
    for (size_t index = 0; !*source && command_counter_registry[index]; index++)
        if (cell->command.detail != DETAIL_NONE &&
            command_counter_registry[index]->details[cell->command.detail])
            return command_counter_registry[index];
    for (size_t index = 0; command_counter_registry[index]; index++)
        if (strcmp(command_counter_registry[index]->source, *source ? source : "perf_event") == 0)
            return command_counter_registry[index];
    return NULL;
}

static int check_counter(struct known_cell *known, const struct offers *offers, const char *source)
{
    const struct cell *cell = &known->cell;
    const struct command_counter *counter = counter_for(cell, source);
    if (!counter)
        return fail_with(&known->failure, -ENOENT, "this kit cannot count commands by %s",
                         *source ? source : "perf_event");
    const struct absence *absence = offers_absence(offers, "counter", counter->source);
    const bool needed = *source || cell->command.detail != DETAIL_NONE;
    if (absence && needed)
        return fail_with(&known->failure, -(absence->error ? absence->error : ENOTSUP),
                         "%s cannot count commands here: %s", absence->name, absence->reason);
    if (cell->command.detail != DETAIL_NONE && !counter->details[cell->command.detail])
        return fail_with(&known->failure, -ENOTSUP, "%s does not give the detail %s of a command",
                         counter->source, command_detail_names[cell->command.detail]);
    known->counter = counter;
    return 0;
}

static const char *class_of(const struct command_counter *counter, const char *event)
{
    const char *class = event + strlen(counter->source) + 1;
    const size_t length = strcspn(class, "/");
    for (const char *const *known = counter->classes; known && *known; known++)
        if (strlen(*known) == length && strncmp(*known, class, length) == 0 &&
            strcmp(class + length, "/") == 0)
            return *known;
    return NULL;
}

static int resolve_class(struct known_cell *known, uint32_t index)
{
    const char *name = known->cell.events[index];
    struct event *event = &known->events[index];
    AUTO_TEXT struct text classes = {0};
    event->kind = EVENT_SOURCE;
    event->attr.type = EVENT_TYPE_NONE;
    event->name = strdup(name);
    event->counts = class_of(known->counter, name);
    if (!event->name)
        return fail_with(&known->failure, -ENOMEM, "out of memory");
    if (event->counts)
        return 0;
    for (const char *const *class = known->counter->classes; class && *class; class ++)
        text_printf(&classes, "%s%s/%s/", classes.length ? ", " : "", known->counter->source,
                    *class);
    return fail_with(&known->failure, -ENOENT, "%s cannot be counted of a command, only: %s", name,
                     text_string(&classes));
}

static int resolve_perf(struct known_cell *known, const struct event_view *view, uint32_t index)
{
    struct event *event = &known->events[index];
    const int result = event_resolve(view, known->cell.events[index], event, &known->failure);
    if (result < 0)
        return known->failure.code = result;
    if (event->own)
        return fail_with(&known->failure, -ENOTSUP,
                         "%s watches the target of a specimen, and a command has none",
                         event->name);
    if (event->source)
        return fail_with(&known->failure, -ENOTSUP, "%s does not count commands",
                         event->source->name);
    return 0;
}

/* Finds the counter of a cell that is a command, and resolves its events: those of perf_event by
 * the view, those of a source by the classes of its counter. Columns run/…/ stay empty events. A
 * sentence in the cell's failure otherwise. */
static int command_resolve(struct known_cell *known, const struct event_view *view,
                           const struct offers *offers)
{
    const struct cell *cell = &known->cell;
    const char *source = source_of(known);
    int result = source ? check_counter(known, offers, source) : known->failure.code;
    for (uint32_t index = 0; index < cell->counters && result == 0; index++) {
        if (run_column(cell->events[index]))
            continue;
        result = known->counter->classes ? resolve_class(known, index)
                                         : resolve_perf(known, view, index);
    }
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * Which harness makes a tour, and whether one can: of those that have all its calls the one with
 * the fewest operations besides, because what it does not link cannot disturb. */

struct search {
    const struct cell *cell;
    const struct probe_kit *kit;
    const struct offers *offers;
    const struct tour_call *calls;
    size_t count;
};

static const struct offered_operation *find_in(const struct offers *offers, size_t harness,
                                               const char *name)
{
    for (size_t index = 0; index < offers->operation_count; index++)
        if (offers->operations[index].harness == harness &&
            operation_is(&offers->operations[index], name))
            return &offers->operations[index];
    return NULL;
}

static bool is_of_link(const struct search *search, size_t harness)
{
    return strcmp(search->kit->harnesses[harness].link, search->cell->link) == 0;
}

static bool suffices(const struct search *search, size_t harness)
{
    for (size_t index = 0; index < search->count; index++)
        if (!find_in(search->offers, harness, search->calls[index].operation))
            return false;
    return true;
}

static size_t size_of(const struct offers *offers, size_t harness)
{
    size_t size = 0;
    for (size_t index = 0; index < offers->operation_count; index++)
        size += offers->operations[index].harness == harness;
    return size;
}

/* The index of the harness, or -1. */
static ptrdiff_t find_tour_harness(const struct search *search)
{
    ptrdiff_t best = -1;
    for (size_t harness = 0; harness < search->kit->harness_count; harness++)
        if (is_of_link(search, harness) && suffices(search, harness) &&
            (best < 0 || size_of(search->offers, harness) < size_of(search->offers, (size_t)best)))
            best = (ptrdiff_t)harness;
    return best;
}

static int explain_call(const struct search *search, const char *name, struct failure *failure)
{
    bool anywhere = false;
    for (size_t harness = 0; harness < search->kit->harness_count; harness++) {
        bool had = find_in(search->offers, harness, name) != NULL;
        if (had && is_of_link(search, harness))
            return 0;
        anywhere |= had;
    }
    const struct absence *absence = offers_absence(search->offers, "operation", name);
    if (anywhere)
        return fail_with(failure, -ENOENT, "%s cannot be called here with link mode %s", name,
                         search->cell->link);
    if (absence)
        return fail_with(failure, -ENOENT, "%s: %s", name, absence->reason);
    return fail_with(failure, -ENOENT, "this kit has no operation %s", name);
}

static int find_tour(struct known_cell *known, const struct search *search)
{
    ptrdiff_t harness = find_tour_harness(search);
    if (harness < 0) {
        for (size_t index = 0; index < search->count; index++) {
            int result = explain_call(search, search->calls[index].operation, &known->failure);
            if (result < 0)
                return result;
        }
        return fail_with(
            &known->failure, -ENOENT,
            "no harness with link mode %s has all the operations of this tour: tour those "
            "of different libraries apart",
            search->cell->link);
    }
    known->harness = (size_t)harness;
    for (size_t index = 0; index < search->count; index++)
        known->needs_folder |=
            find_in(search->offers, known->harness, search->calls[index].operation)->needs_folder;
    return 0;
}

/* The clock alone, or counters of the operating system. */
static int check_meters(struct known_cell *known)
{
    const struct cell *cell = &known->cell;
    for (uint32_t index = 0; index < cell->counters; index++) {
        const struct event *event = &known->events[index];
        if (event->source && strcmp(event->source->name, "clock") != 0)
            return fail_with(&known->failure, -ENOTSUP,
                             "%s cannot meter the calls of a tour: that takes clock/ticks/, or "
                             "counters of the CPU",
                             event->name);
        if (event->source && cell->counters > 1)
            return fail_with(&known->failure, -EINVAL,
                             "%s meters alone: reading other meters as well would be in its spans",
                             event->name);
        if (event->own)
            return fail_with(&known->failure, -ENOTSUP, "%s cannot meter the calls of a tour",
                             event->name);
    }
    if (cell->counters > METERS_MOST)
        return fail_with(&known->failure, -E2BIG, "a tour has at most %d meters at once, not %u",
                         METERS_MOST, cell->counters);
    return 0;
}

/* Finds the harness of the cell's link mode that has every operation of the tour, and says whether
 * the meters and the event of a cell that is a tour can be what they are. A sentence in the cell's
 * failure otherwise. The cell's events are resolved. */
static int tour_resolve(struct known_cell *known, const struct probe_kit *kit,
                        const struct offers *offers)
{
    AUTO_FREE struct tour_call *calls = NULL;
    struct search search = {.cell = &known->cell, .kit = kit, .offers = offers};
    if (strcmp(known->cell.opt, "O2") != 0)
        return fail_with(&known->failure, -ENOENT,
                         "the calls of tours are compiled at -O2, not -%.8s", known->cell.opt);
    int result = tour_parse(known->cell.tour.calls, &calls, &search.count, &known->failure);
    if (result < 0)
        return result;
    search.calls = calls;
    result = find_tour(known, &search);
    if (result == 0)
        result = check_meters(known);
    if (result)
        return result;
    const struct event *counted = &known->counted;
    if (counted->source || counted->own)
        return fail_with(&known->failure, -ENOTSUP,
                         "%s cannot be what the calls of a tour count: that takes an event of the "
                         "operating system",
                         counted->name);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Which harness watches clocks, and whether it can watch those of a cell. Its events are names of
 * clocks, of which perf_event knows nothing: what can be read is what the harnesses said of
 * themselves, and clocks that a person brought along are tried when they are opened. */

#define HARNESS_PREFIX "harness-watch-"

static int find_watch_harness(struct known_cell *known, const struct probe_kit *kit,
                              const struct offers *offers)
{
    const struct cell *cell = &known->cell;
    if (strcmp(cell->opt, "O2") != 0)
        return fail_with(&known->failure, -ENOENT, "watches are compiled at -O2, not -%.8s",
                         cell->opt);
    size_t index = 0;
    while (index < kit->harness_count &&
           !(strncmp(kit->harnesses[index].file, HARNESS_PREFIX, strlen(HARNESS_PREFIX)) == 0 &&
             strcmp(kit->harnesses[index].link, cell->link) == 0))
        index++;
    if (index == kit->harness_count)
        return fail_with(&known->failure, -ENOENT,
                         "this kit has no harness that watches clocks with link mode %.32s",
                         cell->link);
    const struct absence *absence = offers_absence(offers, "harness", kit->harnesses[index].file);
    if (absence)
        return fail_with(&known->failure, -(absence->error ? absence->error : ENOEXEC), "%s: %s",
                         absence->name, absence->reason);
    known->harness = index;
    return 0;
}

static int check_clock(struct known_cell *known, const struct offers *offers, const char *name)
{
    struct external_clock clock;
    int result = external_clock_parse(name, &clock, &known->failure);
    if (result < 0)
        return result;
    if (result > 0) {
        /* A shared object cannot be loaded by a static program. */
        if (clock.way == EXTERNAL_OBJECT && strcmp(known->cell.link, "static") == 0)
            return fail_with(&known->failure, -ENOTSUP,
                             "the clock %s is a shared object, which a static harness cannot load: "
                             "watch it with link mode lazy",
                             clock.name);
        return 0;
    }
    const struct absence *absence = offers_absence(offers, "clock", name);
    if (absence)
        return fail_with(&known->failure, -(absence->error ? absence->error : ENOTSUP),
                         "the clock %s cannot be read here: %s", name, absence->reason);
    if (!clocks_find(offers, name))
        return fail_with(&known->failure, -ENOENT, "this kit has no clock %s", name);
    return 0;
}

/* --- Every kind of cell --- */

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

int cell_resolve(struct known_cell *known, const struct event_view *view,
                 const struct probe_kit *kit, const struct offers *offers)
{
    if (known->resolved)
        return known->failure.code;
    known->resolved = true;
    int result = check_lengths(&known->cell, &known->failure);
    if (result < 0)
        return result;
    if (known->cell.watch.kind != WATCH_NONE) {
        /* Finds the watching harness of the cell's link mode and says whether every clock of the
         * cell can be read by it. A sentence in the cell's failure otherwise. */
        int error = find_watch_harness(known, kit, offers);
        for (uint32_t index = 0; index < known->cell.counters && error == 0; index++)
            error = check_clock(known, offers, known->cell.events[index]);
        return error;
    }
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
    /* The events of a cell are counted by one source, and the path must go with it. */
    if (result < 0)
        return result;
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
    if (!offer_goes_with(known->offer, source_name(first))) {
        const char *source = source_name(first);
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
        return fail_with(&known->failure, -ENOTSUP,
                         "path %s cannot count events of %s: that takes %s", known->cell.path,
                         source,
                         paths.length ? text_string(&paths) : "a path this kit does not have");
    }
    known->source =
        first->source ? source_find(first->source->name) : tool_source(known->cell.path);
    return 0;
}
