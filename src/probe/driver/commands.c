/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The way of a command to its counter. Whether its program exists is no matter of the cell: that is
 * seen when it is executed, and may change from visit to visit. */
#include "probe/driver/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/job.h"

#define REASON_BYTES 1024
#define KIND         "counter"

static const struct command_counter *find_counter(const char *source)
{
    for (size_t index = 0; command_counter_registry[index]; index++)
        if (strcmp(command_counter_registry[index]->source, source) == 0)
            return command_counter_registry[index];
    return NULL;
}

static const struct absence *absence_of(const struct offers *offers, const char *source)
{
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, KIND) == 0 &&
            strcmp(offers->absences[index].name, source) == 0)
            return &offers->absences[index];
    return NULL;
}

int commands_collect(struct offers *offers, const struct probe_kit *kit, struct failure *failure)
{
    for (size_t index = 0; command_counter_registry[index]; index++) {
        const struct command_counter *counter = command_counter_registry[index];
        char reason[REASON_BYTES] = "";
        const int result =
            counter->usable ? counter->usable(kit->folder, reason, sizeof(reason)) : 0;
        if (result < 0 && offers_add_absence(offers, KIND, counter->source, -result, reason) < 0)
            return fail_with(failure, -ENOMEM, "out of memory");
    }
    return 0;
}

static void send_counter(struct wire_writer *writer, const struct command_counter *counter)
{
    AUTO_TEXT struct text classes = {0}, details = {0};
    for (const char *const *class = counter->classes; class && *class; class ++)
        catalogue_add_word(&classes, *class);
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (counter->details[detail])
            catalogue_add_word(&details, command_detail_names[detail]);
    wire_begin(writer, "counter");
    wire_put_string(writer, "source", counter->source);
    wire_put_string(writer, "classes", text_string(&classes));
    wire_put_string(writer, "details", text_string(&details));
    wire_put_string(writer, "note", counter->note ? counter->note : "");
    wire_end(writer);
}

void commands_send(struct wire_writer *writer, const struct offers *offers)
{
    for (size_t index = 0; command_counter_registry[index]; index++)
        if (!absence_of(offers, command_counter_registry[index]->source))
            send_counter(writer, command_counter_registry[index]);
}

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
    return find_counter(*source ? source : "perf_event");
}

static int check_counter(struct known_cell *known, const struct offers *offers, const char *source)
{
    const struct cell *cell = &known->cell;
    const struct command_counter *counter = counter_for(cell, source);
    if (!counter)
        return fail_with(&known->failure, -ENOENT, "this kit cannot count commands by %s",
                         *source ? source : "perf_event");
    const struct absence *absence = absence_of(offers, counter->source);
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

int command_resolve(struct known_cell *known, const struct event_view *view,
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
