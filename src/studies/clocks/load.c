/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of clocks: what the machine claims, its clocks, what could not be had,
 * the watches with their factors, then all readings. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"
#include "studies/clocks/parts.h"

/* --- the readings, look by look --- */

struct load {
    struct store *store;
    struct clocks_case *file;
    struct failure *failure;
    size_t *looks; /* [watch_count] taken so far */
};

static int take_process(void *context, size_t place, uint32_t process)
{
    const struct load *load = context;
    struct clock_watch *watch = &load->file->watches[place];
    size_t begins = watch->processes + 1;
    (void)process;
    watch->begins[watch->processes++] = load->looks[place];
    watch->begins = memory_room(watch->begins, begins, sizeof(*watch->begins));
    return 0;
}

/* Values are taken as they are: any 64 bits may be a reading. */
static int take_look(void *context, const struct read_run *run)
{
    const struct load *load = context;
    struct clock_watch *watch = &load->file->watches[run->place];
    size_t look = load->looks[run->place]++;
    watch->accounts = memory_room(watch->accounts, look, sizeof(*watch->accounts));
    watch->values = memory_room(watch->values, look, watch->columns * sizeof(*watch->values));
    watch->accounts[look] = run->account;
    memcpy(&watch->values[look * watch->columns], run->values,
           watch->columns * sizeof(*watch->values));
    return 0;
}

/* What is beyond the last whole group goes, and a process that has none. */
static int end_process(void *context, size_t place, uint32_t process)
{
    const struct load *load = context;
    struct clock_watch *watch = &load->file->watches[place];
    const size_t group = watch_group(watch->kind, watch->threads);
    const size_t begin = watch->begins[watch->processes - 1];
    const size_t whole = (load->looks[place] - begin) / group * group;
    (void)process;
    load->looks[place] = begin + whole;
    watch->processes -= !whole;
    watch->begins[watch->processes] = begin + whole;
    return 0;
}

/* --- the machine --- */

/* The words of `available` but for `current`. */
static char *name_others(const char *available, const char *current)
{
    struct text line = {0};
    for (const char *word = available ? available : ""; *(word += strspn(word, " \t\n"));) {
        const size_t length = strcspn(word, " \t\n");
        if (!current || strlen(current) != length || memcmp(word, current, length) != 0)
            text_printf(&line, "%s%.*s", line.length ? " " : "", (int)length, word);
        word += length;
    }
    return memory_text(&line);
}

static double read_ppm(const char *text)
{
    char *end;
    const double ppm = text ? strtod(text, &end) : NAN;
    return text && end != text && !*end && isfinite(ppm) ? ppm : NAN;
}

static int take_machine(struct load *load)
{
    AUTO_FACTS struct facts facts = {0};
    struct clocks_case *file = load->file;
    int error = store_facts(load->store, &facts, load->failure);
    if (error)
        return error;
    const char *current = facts_get(&facts, "clock.current");
    const char *flags = facts_get(&facts, "clock.flags");
    size_t count;
    core_allowed(&facts, &count);
    file->cpus = (uint32_t)count;
    file->emulated = facts_get(&facts, "emulated") != NULL;
    file->steered_ppm = read_ppm(facts_get(&facts, "clock.steered_ppm"));
    file->machine = loading_machine_name(&facts);
    file->available = name_others(facts_get(&facts, "clock.available"), current);
    file->clocksource = memory_copy(current ? current : "");
    file->flags = memory_copy(flags ? flags : "");
    return 0;
}

/* --- clocks, and what could not be had --- */

static int role_of(const char *kind)
{
    for (int role = 0; role < CLOCK_ROLES; role++)
        if (strcmp(kind, clock_role_names[role]) == 0)
            return role;
    return -1;
}

static int take_clock(void *context, const struct stored_clock *stored)
{
    struct load *load = context;
    const int role = role_of(stored->kind);
    if (role < 0)
        return fail_with(load->failure, -EBADMSG,
                         "the store %.300s has a clock %.80s of the kind '%.40s', which means "
                         "nothing to this assay. Take a copy you trust.",
                         store_path(load->store), stored->name, stored->kind);
    *memory_add(load->file->clocks, load->file->clock_count) =
        (struct clock_known){.name = memory_copy(stored->name),
                             .way = memory_copy(stored->way),
                             .hardware = memory_copy(stored->hardware),
                             .claim = memory_copy(stored->claim),
                             .note = memory_copy(stored->note),
                             .role = (enum clock_role)role,
                             .hz = stored->hz,
                             .resolution_ns = (double)stored->resolution_ps / 1000,
                             .steered = stored->steered,
                             .external = strcmp(stored->hardware, "external") == 0};
    return 0;
}

static int take_absence(void *context, const struct stored_event *event)
{
    struct clocks_case *file = ((const struct load *)context)->file;
    *memory_add(file->absences, file->absence_count) =
        (struct clock_absence){memory_copy(event->name), memory_copy(event->reason), event->error};
    return 0;
}

/* --- watches --- */

/* Do the columns before hold this clock, where its kind has each once? A user's clock may have the
 * name of another. */
static bool is_twice(const struct clock_watch *watch, uint32_t column)
{
    const bool answered = watch->kind == WATCH_OUTSIDE && column == watch->columns - 1;
    if (watch->kind == WATCH_ROW || watch->kind == WATCH_STEPS)
        return false;
    for (uint32_t before = answered ? 1 : 0; before < column; before++)
        if (watch->clocks[before] == watch->clocks[column])
            return true;
    return false;
}

static int take_columns(struct load *load, const struct cell *cell, struct clock_watch *watch)
{
    watch->clocks = memory_new(cell->counters, sizeof(*watch->clocks));
    for (watch->columns = 0; watch->columns < cell->counters; watch->columns++) {
        const uint32_t column = watch->columns;
        struct external_clock named;
        int index = -1;
        if (external_clock_parse(cell->events[column], &named, NULL) >= 0)
            index = clocks_index(load->file, named.name);
        if (index < 0)
            return fail_with(
                load->failure, -EBADMSG,
                "the store %.300s has a watch, cell %u, that reads %.80s, but does not "
                "say what that is. Take a copy you trust.",
                store_path(load->store), cell->id, cell->events[column]);
        watch->clocks[column] = (uint32_t)index;
    }
    for (uint32_t column = 0; column < watch->columns; column++)
        if (is_twice(watch, column))
            return fail_with(load->failure, -EBADMSG,
                             "the store %.300s has a watch, cell %u, with two clocks of the name "
                             "%.80s. Give the one that is yours another name.",
                             store_path(load->store), cell->id,
                             load->file->clocks[watch->clocks[column]].name);
    return 0;
}

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct load *load = context;
    struct clocks_case *file = load->file;
    const struct cell_watch *asked = &stored->cell.watch;
    if (asked->kind == WATCH_NONE)
        return 0;
    const size_t index = file->watch_count;
    load->looks = memory_room(load->looks, index, sizeof(*load->looks));
    struct clock_watch *watch = memory_add(file->watches, file->watch_count);
    *watch = (struct clock_watch){.kind = asked->kind,
                                  .workload = memory_copy(asked->workload ? asked->workload : ""),
                                  .length = asked->length,
                                  .threads = asked->threads,
                                  .moves = asked->moves,
                                  .handover = asked->handover,
                                  .awake = asked->awake,
                                  .partner = asked->partner,
                                  .cpu = stored->cell.cpu,
                                  .begins = memory_new(1, sizeof(*watch->begins)),
                                  .failed = stored->failed,
                                  .error = stored->error};
    if (stored->failed)
        watch->reason = memory_copy(stored->reason ? stored->reason : strerror(stored->error));
    *place = index;
    return take_columns(load, &stored->cell, watch);
}

int clocks_load(struct store *store, struct clocks_case *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &load,
                            .cell = take_cell,
                            .begin = take_process,
                            .run = take_look,
                            .end = end_process,
                            .run_word = "look",
                            .counter_word = "column"};
    *file = (struct clocks_case){.steered_ppm = NAN};
    int error = take_machine(&load);
    if (error == 0)
        error = store_each_clock(store, take_clock, &load, failure);
    if (error == 0)
        error = reader_each_absence(store, take_absence, &load, failure);
    return error == 0 ? reader_read(&reader) : error;
}
