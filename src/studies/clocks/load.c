/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of clocks: what the machine claims, its clocks, what could not be had,
 * the watches with their factors, then all readings. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/text.h"
#include "engine/loading.h"
#include "studies/clocks/plan.h"

/* ----------------------------------------------------------------------------------------------
 * The readings of watches from the samples of a store, in the order of the visits. What a look is,
 * follows from its number alone, so nothing may be missing between two of them. Values are taken
 * as they are: any 64 bits may be a reading. */

/* Where a watch of the case comes from. */
struct clocks_origin {
    uint32_t cell;      /* its id in the store */
    uint32_t runs;      /* planned in each process */
    size_t looks, room; /* taken so far, and room for as many */
    size_t process_room;
};

struct planned {
    struct visit visit;
    bool done;
};

struct taking {
    struct store *store;
    struct clock_watch *watches;
    struct clocks_origin *origins;
    size_t count;
    struct failure *failure;
    struct planned *visits; /* in planned order */
    size_t visit_count, next;
    /* The visit under way. */
    struct clock_watch *watch; /* NULL: none of this study, or it did not end well */
    struct clocks_origin *origin;
    bool began;
    struct visit visit;
    uint32_t run, column; /* the next to come */
};

static int damaged(const struct taking *taking, const struct sample *sample, const char *what)
{
    return fail_with(taking->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u has %s (look %u, column "
                     "%u). Take a copy you trust.",
                     store_path(taking->store), sample->process, sample->cell, what, sample->run,
                     sample->counter);
}

static bool grow(void *list, size_t room, size_t size)
{
    void **at = list;
    void *larger = reallocarray(*at, room, size);
    if (larger)
        *at = larger;
    return larger != NULL;
}

/* --- visits --- */

static int take_visit(void *context, const struct stored_visit *visit)
{
    struct taking *taking = context;
    const size_t count = taking->visit_count;
    if ((count & (count - 1)) == 0 &&
        !grow(&taking->visits, count ? 2 * count : 1, sizeof(*taking->visits)))
        return loading_no_memory(taking->failure);
    taking->visits[taking->visit_count++] =
        (struct planned){visit->visit, visit->state == VISIT_DONE};
    return 0;
}

/* Samples come in the order of the visits; NULL: not these. */
static const struct planned *next_visit(struct taking *taking, const struct sample *sample)
{
    while (taking->next < taking->visit_count) {
        const struct planned *planned = &taking->visits[taking->next++];
        if (planned->visit.cell == sample->cell && planned->visit.process == sample->process)
            return planned;
    }
    return NULL;
}

static int compare_cells(const void *key, const void *entry)
{
    const uint32_t wanted = *(const uint32_t *)key,
                   id = ((const struct clocks_origin *)entry)->cell;
    return (wanted > id) - (wanted < id);
}

static bool open_process(struct clock_watch *watch, struct clocks_origin *origin)
{
    if (watch->processes == origin->process_room) {
        const size_t room = origin->process_room ? 2 * origin->process_room : 8;
        if (!grow(&watch->begins, room + 1, sizeof(*watch->begins)))
            return false;
        origin->process_room = room;
    }
    watch->begins[watch->processes++] = origin->looks;
    return true;
}

/* What is beyond the last whole group goes, and a process that has none. */
static void close_process(struct taking *taking)
{
    struct clock_watch *watch = taking->watch;
    if (!watch)
        return;
    const size_t group = watch_group(watch->kind, watch->threads);
    const size_t begin = watch->begins[watch->processes - 1];
    const size_t whole = (taking->origin->looks - begin) / group;
    taking->origin->looks = begin + whole * group;
    if (!whole)
        watch->processes--;
    taking->watch = NULL;
}

static int open_visit(struct taking *taking, const struct sample *sample)
{
    struct clocks_origin *found =
        bsearch(&sample->cell, taking->origins, taking->count, sizeof(*found), compare_cells);
    const struct planned *planned = next_visit(taking, sample);
    if (!planned)
        return damaged(taking, sample, "readings out of the order of its visit");
    taking->began = true;
    taking->visit = planned->visit;
    taking->run = taking->column = 0;
    if (!found || !planned->done)
        return 0;
    taking->origin = found;
    taking->watch = &taking->watches[found - taking->origins];
    return open_process(taking->watch, found) ? 0 : loading_no_memory(taking->failure);
}

/* --- samples --- */

static bool make_room(struct clock_watch *watch, struct clocks_origin *origin)
{
    if (origin->looks < origin->room)
        return true;
    const size_t room = origin->room ? 2 * origin->room : 64;
    if (!grow(&watch->values, room * watch->columns, sizeof(*watch->values)) ||
        !grow(&watch->accounts, room, sizeof(*watch->accounts)))
        return false;
    origin->room = room;
    return true;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    if (!taking->began || sample->cell != taking->visit.cell ||
        sample->process != taking->visit.process) {
        close_process(taking);
        int error = open_visit(taking, sample);
        if (error)
            return error;
    }
    struct clock_watch *watch = taking->watch;
    struct clocks_origin *origin = taking->origin;
    if (!watch)
        return 0;
    if (sample->run >= origin->runs)
        return damaged(taking, sample, "more looks than were planned");
    if (sample->counter >= watch->columns)
        return damaged(taking, sample, "a reading of a clock that its cell does not have");
    if (sample->run != taking->run || sample->counter != taking->column)
        return damaged(taking, sample, "a gap before this reading, so that its look is not known");
    if (!make_room(watch, origin))
        return loading_no_memory(taking->failure);
    watch->values[origin->looks * watch->columns + sample->counter] = sample->value;
    if (sample->counter == 0)
        watch->accounts[origin->looks] = sample->account;
    if (++taking->column == watch->columns) {
        taking->column = 0;
        taking->run++;
        origin->looks++;
    }
    return 0;
}

/* --- the whole --- */

/* Every watch has an end of its last process, also one that no process made. */
static int settle(struct taking *taking)
{
    for (size_t i = 0; i < taking->count; i++) {
        struct clock_watch *watch = &taking->watches[i];
        if (!watch->begins && !(watch->begins = calloc(1, sizeof(*watch->begins))))
            return loading_no_memory(taking->failure);
        watch->begins[watch->processes] = taking->origins[i].looks;
    }
    return 0;
}

/* Reads the samples of the store once into the watches; origins in rising order of their cells.
 * What is beyond the last whole group of a process is left out, and so is a process without one. */
static int clocks_take_looks(struct store *store, struct clock_watch *watches,
                             struct clocks_origin *origins, size_t count, struct failure *failure)
{
    struct taking taking = {
        .store = store, .watches = watches, .origins = origins, .count = count, .failure = failure};
    int error = store_each_visit(store, take_visit, &taking, failure);
    if (!error)
        error = store_scan_samples(store, take_sample, &taking, failure);
    if (!error)
        close_process(&taking);
    free(taking.visits);
    return error ? error : settle(&taking);
}

/* ----------------------------------------------------------------------------------------------
 * From a store to the case of clocks: what the machine claims, its clocks, what could not be had,
 * the watches with their factors, then all readings. */

struct load {
    struct store *store;
    struct clocks_case *file;
    struct failure *failure;
    struct clocks_origin *origins;
    size_t origin_count;
};

/* --- the machine --- */

/* The words of `available` but for `current`. */
static char *name_others(const char *available, const char *current)
{
    struct text line = {0};
    text_puts(&line, "");
    for (const char *word = available ? available : ""; *(word += strspn(word, " \t\n"));) {
        const size_t length = strcspn(word, " \t\n");
        if (!current || strlen(current) != length || memcmp(word, current, length) != 0)
            text_printf(&line, "%s%.*s", line.length ? " " : "", (int)length, word);
        word += length;
    }
    return text_take(&line);
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
    file->emulated = facts_get(&facts, "emulated") != NULL;
    file->steered_ppm = read_ppm(facts_get(&facts, "clock.steered_ppm"));
    file->machine = loading_machine_name(&facts);
    file->available = name_others(facts_get(&facts, "clock.available"), current);
    if (!file->machine || !file->available || !copy_or_empty(&file->clocksource, current) ||
        !copy_or_empty(&file->flags, facts_get(&facts, "clock.flags")))
        return loading_no_memory(load->failure);
    AUTO_FREE int32_t *cpus = NULL;
    size_t count = 0;
    if (core_allowed(&facts, &cpus, &count) == -ENOMEM)
        return loading_no_memory(load->failure);
    file->cpus = (uint32_t)count;
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
    struct clock_known *clock = clocks_case_add_clock(load->file);
    if (!clock)
        return loading_no_memory(load->failure);
    clock->role = (enum clock_role)role;
    clock->hz = stored->hz;
    clock->resolution_ns = (double)stored->resolution_ps / 1000;
    clock->steered = stored->steered;
    clock->external = strcmp(stored->hardware, "external") == 0;
    return copy_or_empty(&clock->name, stored->name) && copy_or_empty(&clock->way, stored->way) &&
                   copy_or_empty(&clock->hardware, stored->hardware) &&
                   copy_or_empty(&clock->claim, stored->claim) &&
                   copy_or_empty(&clock->note, stored->note)
               ? 0
               : loading_no_memory(load->failure);
}

static int take_absence(void *context, const struct stored_event *event)
{
    struct load *load = context;
    if (!event->error)
        return 0;
    struct clock_absence *absence = clocks_case_add_absence(load->file);
    if (!absence)
        return loading_no_memory(load->failure);
    absence->error = event->error;
    return copy_or_empty(&absence->what, event->name) &&
                   copy_or_empty(&absence->reason,
                                 event->reason ? event->reason : strerror(event->error))
               ? 0
               : loading_no_memory(load->failure);
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
    watch->clocks = calloc(cell->counters, sizeof(*watch->clocks));
    if (!watch->clocks)
        return loading_no_memory(load->failure);
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

static int copy_factors(struct load *load, const struct stored_cell *stored,
                        struct clock_watch *watch)
{
    const struct cell_watch *asked = &stored->cell.watch;
    watch->kind = asked->kind;
    watch->length = asked->length;
    watch->threads = asked->threads;
    watch->moves = asked->moves;
    watch->handover = asked->handover;
    watch->awake = asked->awake;
    watch->partner = asked->partner;
    watch->cpu = stored->cell.cpu;
    watch->failed = stored->failed;
    watch->error = stored->error;
    bool copied = copy_or_empty(&watch->workload, asked->workload);
    if (stored->failed)
        copied = copy_or_empty(&watch->reason,
                               stored->reason ? stored->reason : strerror(stored->error)) &&
                 copied;
    return copied ? 0 : loading_no_memory(load->failure);
}

/* Cells come in rising order of their ids. */
static int take_cell(void *context, const struct stored_cell *stored)
{
    struct load *load = context;
    if (stored->cell.watch.kind == WATCH_NONE)
        return 0;
    struct clock_watch *watch = clocks_case_add_watch(load->file);
    struct clocks_origin *origin =
        watch ? list_add(&load->origins, &load->origin_count, sizeof(*load->origins)) : NULL;
    if (!origin)
        return loading_no_memory(load->failure);
    origin->cell = stored->cell.id;
    origin->runs = stored->cell.runs;
    int error = copy_factors(load, stored, watch);
    return error ? error : take_columns(load, &stored->cell, watch);
}

int clocks_load(struct store *store, struct clocks_case *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    *file = (struct clocks_case){.steered_ppm = NAN};
    int error = take_machine(&load);
    if (!error)
        error = store_each_clock(store, take_clock, &load, failure);
    if (!error)
        error = store_each_event(store, take_absence, &load, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &load, failure);
    if (!error)
        error = clocks_take_looks(store, file->watches, load.origins, load.origin_count, failure);
    free(load.origins);
    return error;
}
