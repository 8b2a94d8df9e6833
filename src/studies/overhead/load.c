/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of overhead: its machine, what can be called, what could not be had, the
 * tours with their factors, then all calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/text.h"
#include "engine/loading.h"
#include "studies/overhead/plan.h"

/* ----------------------------------------------------------------------------------------------
 * One machine measured more than once: the same tour in several stores becomes one, whose
 * processes are those of all. */

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

/* Tours from `first` on that are the same as earlier ones of their machine join them. 0 or
 * -ENOMEM. */
static int overhead_merge_tours(struct overhead_case *file, size_t first)
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

/* ----------------------------------------------------------------------------------------------
 * The calls of tours from the samples of a store, in the order of the visits. Run r of a process
 * is call r modulo the length of its tour, so nothing may be missing between two runs. */

/* Exact as a double; no span is as long, and sums of such stay far from overflowing. */
#define FURTHEST (INT64_C(1) << 53)

struct planned {
    struct visit visit;
    bool done;
};

/* Where a tour of the case comes from. */
struct overhead_origin {
    uint32_t cell;      /* its id in the store */
    uint32_t runs;      /* planned in each process */
    size_t calls, room; /* taken so far, and room for as many */
    size_t process_room;
};

struct taking {
    struct store *store;
    struct overhead_tour *tours;
    struct overhead_origin *origins;
    size_t count;
    struct failure *failure;
    struct planned *visits; /* in planned order */
    size_t visit_count, next;
    /* The visit under way. */
    size_t at; /* its tour; count: none of this study, or it did not end well */
    bool began;
    uint32_t cell, process;
    uint32_t run, counter; /* the next to come */
};

static int damaged(const struct taking *taking, const struct sample *sample, const char *what)
{
    return fail_with(
        taking->failure, -EBADMSG,
        "the store %.300s is damaged: process %u of cell %u has %s (run %u, meter %u). "
        "Take a copy you trust.",
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
    size_t count = taking->visit_count;
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
    uint32_t wanted = *(const uint32_t *)key, id = ((const struct overhead_origin *)entry)->cell;
    return (wanted > id) - (wanted < id);
}

static bool open_process(struct overhead_tour *tour, struct overhead_origin *origin)
{
    size_t last = tour->processes;
    if (last == origin->process_room) {
        size_t room = last ? 2 * last : 32;
        if (!grow(&tour->begins, room + 1, sizeof(*tour->begins)) ||
            !grow(&tour->passes, room, sizeof(*tour->passes)))
            return false;
        origin->process_room = room;
    }
    tour->begins[last] = origin->calls;
    tour->passes[last] = 0;
    tour->processes++;
    return true;
}

/* What is beyond the last whole pass goes, and a process that has none. */
static void close_process(struct taking *taking)
{
    if (taking->at == taking->count || !taking->began)
        return;
    struct overhead_tour *tour = &taking->tours[taking->at];
    struct overhead_origin *origin = &taking->origins[taking->at];
    size_t last = tour->processes - 1;
    size_t whole = (origin->calls - tour->begins[last]) / tour->length;
    origin->calls = tour->begins[last] + whole * tour->length;
    tour->passes[last] = (uint32_t)whole;
    tour->begins[tour->processes] = origin->calls;
    if (!whole)
        tour->processes--;
}

static int open_visit(struct taking *taking, const struct sample *sample)
{
    const struct overhead_origin *found =
        bsearch(&sample->cell, taking->origins, taking->count, sizeof(*found), compare_cells);
    const struct planned *planned = next_visit(taking, sample);
    if (!planned)
        return damaged(taking, sample, "samples out of the order of its visit");
    taking->at = found && planned->done ? (size_t)(found - taking->origins) : taking->count;
    taking->began = true;
    taking->cell = sample->cell;
    taking->process = sample->process;
    taking->run = taking->counter = 0;
    if (taking->at == taking->count)
        return 0;
    return open_process(&taking->tours[taking->at], &taking->origins[taking->at])
               ? 0
               : loading_no_memory(taking->failure);
}

/* --- samples --- */

static bool make_room(struct overhead_tour *tour, struct overhead_origin *origin)
{
    if (origin->calls < origin->room)
        return true;
    size_t room = origin->room ? 2 * origin->room : 256;
    if (!grow(&tour->values, room * tour->meter_count, sizeof(*tour->values)) ||
        !grow(&tour->accounts, room, sizeof(*tour->accounts)))
        return false;
    origin->room = room;
    return true;
}

/* Differences wrap below zero. */
static int64_t clamp(uint64_t value)
{
    int64_t span = (int64_t)value;
    if (span > FURTHEST)
        return FURTHEST;
    return span < -FURTHEST ? -FURTHEST : span;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    if (!taking->began || sample->cell != taking->cell || sample->process != taking->process) {
        close_process(taking);
        int error = open_visit(taking, sample);
        if (error)
            return error;
    }
    if (taking->at == taking->count)
        return 0;
    struct overhead_tour *tour = &taking->tours[taking->at];
    struct overhead_origin *origin = &taking->origins[taking->at];
    if (sample->run >= origin->runs)
        return damaged(taking, sample, "more runs than were planned");
    if (sample->counter >= tour->meter_count)
        return damaged(taking, sample, "a value of a meter that its cell does not have");
    if (sample->run != taking->run || sample->counter != taking->counter)
        return damaged(taking, sample, "a gap before this value, so that its call is not known");
    if (!make_room(tour, origin))
        return loading_no_memory(taking->failure);
    tour->values[origin->calls * tour->meter_count + sample->counter] = clamp(sample->value);
    if (sample->counter == 0)
        tour->accounts[origin->calls] = sample->account;
    if (++taking->counter == tour->meter_count) {
        taking->counter = 0;
        taking->run++;
        origin->calls++;
    }
    return 0;
}

/* --- the whole --- */

/* Every tour has an end of its last process, also one that no process made. */
static int settle(struct taking *taking)
{
    for (size_t i = 0; i < taking->count; i++) {
        struct overhead_tour *tour = &taking->tours[i];
        if (!tour->begins && !(tour->begins = calloc(1, sizeof(*tour->begins))))
            return loading_no_memory(taking->failure);
        tour->begins[tour->processes] = taking->origins[i].calls;
    }
    return 0;
}

/* Reads the samples of the store once into the tours; origins in rising order of their cells. A
 * pass that is not whole is left out, and so is a process without a whole one. */
static int overhead_take_runs(struct store *store, struct overhead_tour *tours,
                              struct overhead_origin *origins, size_t count,
                              struct failure *failure)
{
    struct taking taking = {.store = store,
                            .tours = tours,
                            .origins = origins,
                            .count = count,
                            .failure = failure,
                            .at = count};
    int error = store_each_visit(store, take_visit, &taking, failure);
    if (!error)
        error = store_scan_samples(store, take_sample, &taking, failure);
    if (!error)
        close_process(&taking);
    free(taking.visits);
    return error ? error : settle(&taking);
}

/* ----------------------------------------------------------------------------------------------
 * From a store to the case of overhead: its machine, what can be called, what could not be had,
 * the tours with their factors, then all calls. */

struct load {
    struct store *store;
    struct overhead_case *file;
    struct failure *failure;
    uint32_t machine;
    size_t first_tour; /* of this store in the case */
    struct overhead_origin *origins;
    size_t origin_count;
    struct stored_event *events; /* names and classes alone */
    size_t event_count;
};

/* --- the machine --- */

static struct overhead_machine *find_machine(const struct load *load, const char *fingerprint)
{
    for (size_t i = 0; i < load->file->machine_count; i++)
        if (strcmp(load->file->machines[i].fingerprint, fingerprint) == 0)
            return &load->file->machines[i];
    return NULL;
}

static int add_machine(struct load *load, const struct facts *facts, const char *fingerprint)
{
    char *name = loading_machine_name(facts);
    struct overhead_machine *machine = overhead_case_add_machine(load->file);
    if (!machine)
        free(name);
    if (!machine || !name)
        return loading_no_memory(load->failure);
    machine->name = name;
    machine->emulated = facts_get(facts, "emulated") != NULL;
    return copy_or_empty(&machine->cpu, facts_get(facts, "cpu.model_name")) &&
                   copy_or_empty(&machine->os, facts_get(facts, "kernel.release")) &&
                   copy_or_empty(&machine->fingerprint, fingerprint)
               ? 0
               : loading_no_memory(load->failure);
}

static const char other_code[] =
    "they meter and call by different code, so their calls cannot be put together";

static int take_machine(struct load *load)
{
    AUTO_FACTS struct facts facts = {0};
    struct store_info info = {0};
    int error = store_facts(load->store, &facts, load->failure);
    if (!error)
        error = store_info(load->store, &info, load->failure);
    if (!error && !find_machine(load, info.fingerprint))
        error = add_machine(load, &facts, info.fingerprint);
    if (!error) {
        struct overhead_machine *machine = find_machine(load, info.fingerprint);
        load->machine = (uint32_t)(machine - load->file->machines);
        error = loading_same_kit(load->store, info.kit, &machine->kit, other_code, load->failure);
    }
    store_info_release(&info);
    return error;
}

/* --- what can be called, and what could not be had --- */

static int take_operation(void *context, const struct stored_operation *stored)
{
    struct load *load = context;
    struct text line = {0};
    text_printf(&line, "%s.%s", stored->path, stored->kind);
    char *name = text_take(&line);
    if (!name)
        return loading_no_memory(load->failure);
    if (overhead_operation_index(load->file, name) >= 0) {
        free(name);
        return 0;
    }
    struct overhead_operation *operation = overhead_case_add_operation(load->file);
    if (!operation) {
        free(name);
        return loading_no_memory(load->failure);
    }
    operation->name = name;
    operation->binds = stored->binds;
    return copy_or_empty(&operation->path, stored->path) &&
                   copy_or_empty(&operation->kind, stored->kind) &&
                   copy_or_empty(&operation->instrument, stored->instrument) &&
                   copy_or_empty(&operation->page, stored->page) &&
                   copy_or_empty(&operation->note, stored->note)
               ? 0
               : loading_no_memory(load->failure);
}

static int add_absence(struct load *load, const char *what, int error, const char *reason)
{
    for (size_t i = 0; i < load->file->absence_count; i++)
        if (strcmp(load->file->absences[i].what, what) == 0 &&
            load->file->absences[i].error == error)
            return 0;
    struct overhead_absence *absence = overhead_case_add_absence(load->file);
    if (!absence)
        return loading_no_memory(load->failure);
    absence->error = error;
    bool copied = copy_or_empty(&absence->what, what);
    return copy_or_empty(&absence->reason, reason ? reason : strerror(error)) && copied
               ? 0
               : loading_no_memory(load->failure);
}

static int take_event(void *context, const struct stored_event *event)
{
    struct load *load = context;
    struct stored_event *kept = list_add(&load->events, &load->event_count, sizeof(*load->events));
    if (!kept)
        return loading_no_memory(load->failure);
    char *name = strdup(event->name), *class = strdup(event->class ? event->class : "");
    *kept = (struct stored_event){.name = name, .class = class};
    if (!name || !class)
        return loading_no_memory(load->failure);
    return event->error ? add_absence(load, event->name, event->error, event->reason) : 0;
}

static void free_events(struct load *load)
{
    for (size_t i = 0; i < load->event_count; i++) {
        free((char *)(uintptr_t)load->events[i].name);
        free((char *)(uintptr_t)load->events[i].class);
    }
    free(load->events);
}

/* --- meters --- */

static const struct {
    const char *class;
    enum meter_unit unit;
} units[] = {
    {"ticks", METER_TICKS},   {"instructions", METER_INSTRUCTIONS},
    {"cycles", METER_CYCLES}, {"task-clock", METER_NS},
    {"cpu-clock", METER_NS},
};

static enum meter_unit unit_of(const struct load *load, const char *event, const char *class)
{
    if (strcmp(event, "clock/ticks/") == 0)
        return METER_TICKS;
    for (size_t i = 0; !class && i < load->event_count; i++)
        if (strcmp(load->events[i].name, event) == 0)
            class = load->events[i].class;
    for (size_t i = 0; class && i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(units[i].class, class) == 0)
            return units[i].unit;
    return METER_EVENTS;
}

static int take_meters(struct load *load, const struct stored_cell *stored,
                       struct overhead_tour *tour)
{
    const struct cell *cell = &stored->cell;
    tour->meters = calloc(cell->counters + 1, sizeof(*tour->meters));
    if (!tour->meters)
        return loading_no_memory(load->failure);
    for (uint32_t i = 0; i < cell->counters; i++) {
        struct overhead_meter *meter = &tour->meters[tour->meter_count++];
        meter->unit = unit_of(load, cell->events[i], stored->counters[i].class);
        if (!copy_or_empty(&meter->event, cell->events[i]) ||
            !copy_or_empty(&meter->mode, event_mode(cell->events[i])))
            return loading_no_memory(load->failure);
        for (uint32_t other = 0; other < i; other++)
            if (strcmp(cell->events[other], cell->events[i]) == 0)
                return fail_with(load->failure, -EBADMSG,
                                 "the store %.300s is damaged: cell %u meters %.80s twice. Take a "
                                 "copy you trust.",
                                 store_path(load->store), cell->id, cell->events[i]);
    }
    return 0;
}

/* --- tours --- */

static int take_calls(struct load *load, const struct cell *cell, struct overhead_tour *tour)
{
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count = 0;
    struct failure why = {0};
    int error = tour_parse(cell->tour.calls, &calls, &count, &why);
    if (error == -ENOMEM)
        return loading_no_memory(load->failure);
    if (error || !count)
        return fail_with(load->failure, -EBADMSG,
                         "the store %.300s has a tour that cannot be read, cell %u: %.300s",
                         store_path(load->store), cell->id, error ? why.text : "no call");
    tour->calls = calloc(count, sizeof(*tour->calls));
    tour->times = calloc(count, sizeof(*tour->times));
    if (!tour->calls || !tour->times)
        return loading_no_memory(load->failure);
    for (tour->length = 0; tour->length < count; tour->length++) {
        int index = overhead_operation_index(load->file, calls[tour->length].operation);
        if (index < 0)
            return fail_with(load->failure, -EBADMSG,
                             "the store %.300s has a tour, cell %u, that calls %s, but does not "
                             "say what that is. Take a copy you trust.",
                             store_path(load->store), cell->id, calls[tour->length].operation);
        tour->calls[tour->length] = (uint32_t)index;
        tour->times[tour->length] = calls[tour->length].times;
    }
    return 0;
}

static int copy_factors(struct load *load, const struct stored_cell *stored,
                        struct overhead_tour *tour)
{
    const struct cell *cell = &stored->cell;
    tour->machine = load->machine;
    tour->open = cell->tour.open;
    tour->separate = cell->separate;
    tour->cold = cell->tour.cold;
    tour->failed = stored->failed;
    tour->error = stored->error;
    bool copied = copy_or_empty(&tour->link, cell->link);
    copied = copy_or_empty(&tour->counted, cell->tour.counted) && copied;
    if (stored->failed)
        copied = copy_or_empty(&tour->reason,
                               stored->reason ? stored->reason : strerror(stored->error)) &&
                 copied;
    return copied ? 0 : loading_no_memory(load->failure);
}

/* The first that is called of an instrument tells what the tour is about. */
static int tell_failed(struct load *load, const struct overhead_tour *tour)
{
    size_t call = 0;
    const struct overhead_operation *operations = load->file->operations;
    while (call + 1 < tour->length &&
           strcmp(operations[tour->calls[call]].instrument, "timer") == 0)
        call++;
    struct text line = {0};
    text_printf(&line, "%s, %s, %s%s", operations[tour->calls[call]].path, tour->link,
                tour->meters[0].event, tour->cold ? ", cold" : "");
    AUTO_FREE char *what = text_take(&line);
    return what ? add_absence(load, what, tour->error, tour->reason)
                : loading_no_memory(load->failure);
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct load *load = context;
    if (!stored->cell.tour.calls)
        return 0;
    struct overhead_tour *tour = overhead_case_add_tour(load->file);
    struct overhead_origin *origin =
        tour ? list_add(&load->origins, &load->origin_count, sizeof(*load->origins)) : NULL;
    if (!origin)
        return loading_no_memory(load->failure);
    origin->cell = stored->cell.id;
    origin->runs = stored->cell.runs;
    int error = copy_factors(load, stored, tour);
    if (!error)
        error = take_meters(load, stored, tour);
    if (!error)
        error = take_calls(load, &stored->cell, tour);
    if (!error && stored->failed && !stored->done)
        error = tell_failed(load, tour);
    return error;
}

static int compare_origins(const void *left, const void *right)
{
    const struct overhead_origin *one = left, *other = right;
    return (one->cell > other->cell) - (one->cell < other->cell);
}

static int take_runs(struct load *load)
{
    for (size_t i = 1; i < load->origin_count; i++)
        if (compare_origins(&load->origins[i - 1], &load->origins[i]) >= 0)
            return fail_with(load->failure, -EBADMSG,
                             "the store %.300s is damaged: its cells are not in order. Take a copy "
                             "you trust.",
                             store_path(load->store));
    if (!load->origin_count)
        return 0;
    return overhead_take_runs(load->store, &load->file->tours[load->first_tour], load->origins,
                              load->origin_count, load->failure);
}

int overhead_load(struct store *store, struct overhead_case *file, struct failure *failure)
{
    struct load load = {
        .store = store, .file = file, .failure = failure, .first_tour = file->tour_count};
    int error = take_machine(&load);
    if (!error)
        error = store_each_operation(store, take_operation, &load, failure);
    if (!error)
        error = store_each_event(store, take_event, &load, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &load, failure);
    if (!error)
        error = take_runs(&load);
    if (!error && overhead_merge_tours(file, load.first_tour) < 0)
        error = loading_no_memory(failure);
    free_events(&load);
    free(load.origins);
    return error;
}
