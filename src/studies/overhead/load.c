/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of overhead: its machine, what can be called, what could not be had, the
 * tours with their factors, then all calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
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

static void append(void *list, size_t count, const void *others, size_t added, size_t size)
{
    void **at = list;
    if (!added)
        return;
    *at = memory_resize(*at, count + added, size);
    memcpy((char *)*at + count * size, others, added * size);
}

static void join(struct overhead_tour *into, const struct overhead_tour *from)
{
    size_t calls = into->begins[into->processes], added = from->begins[from->processes];
    append(&into->begins, into->processes, from->begins, from->processes + 1,
           sizeof(*into->begins));
    append(&into->values, calls * into->meter_count, from->values, added * into->meter_count,
           sizeof(*into->values));
    append(&into->accounts, calls, from->accounts, added, sizeof(*into->accounts));
    append(&into->passes, into->processes, from->passes, from->processes, sizeof(*into->passes));
    for (size_t i = 0; i <= from->processes; i++)
        into->begins[into->processes + i] += calls;
    into->processes += from->processes;
    if (!into->failed) {
        into->error = from->error;
        into->reason = from->reason;
    }
    into->failed += from->failed;
    memory_give_back(from->values);
    memory_give_back(from->accounts);
}

/* Tours from `first` on that are the same as earlier ones of their machine join them. */
static void overhead_merge_tours(struct overhead_case *file, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < file->tour_count; i++) {
        struct overhead_tour *tour = &file->tours[i];
        size_t earlier = 0;
        while (earlier < first && !same_tour(&file->tours[earlier], tour))
            earlier++;
        if (earlier < first)
            join(&file->tours[earlier], tour);
        else
            file->tours[kept++] = *tour;
    }
    file->tour_count = kept;
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

/* --- visits --- */

static int take_visit(void *context, const struct stored_visit *visit)
{
    struct taking *taking = context;
    *memory_add(taking->visits, taking->visit_count) =
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

/* There is always room for the end of the last process. */
static void open_process(struct overhead_tour *tour, const struct overhead_origin *origin)
{
    size_t last = tour->processes++, ends = last + 1;
    *memory_add(tour->begins, ends) = 0;
    tour->begins[last] = origin->calls;
    *memory_add(tour->passes, last) = 0;
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
    if (taking->at < taking->count)
        open_process(&taking->tours[taking->at], &taking->origins[taking->at]);
    return 0;
}

/* --- samples --- */

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
    if (origin->calls == origin->room) {
        origin->room = origin->room ? 2 * origin->room : 256;
        tour->values =
            memory_resize(tour->values, origin->room * tour->meter_count, sizeof(*tour->values));
        tour->accounts = memory_resize(tour->accounts, origin->room, sizeof(*tour->accounts));
    }
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
    for (size_t i = 0; i < count; i++)
        tours[i].begins[tours[i].processes] = origins[i].calls;
    return error;
}

/* --- from a store to the case --- */

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

/* "" where there is none. */
static char *copy_of(const char *text)
{
    return memory_copy(text ? text : "");
}

static struct overhead_machine *add_machine(struct load *load, const struct facts *facts,
                                            const char *fingerprint)
{
    AUTO_FREE char *name = loading_machine_name(facts);
    struct overhead_machine *machine = memory_add(load->file->machines, load->file->machine_count);
    *machine = (struct overhead_machine){.name = copy_of(name),
                                         .cpu = copy_of(facts_get(facts, "cpu.model_name")),
                                         .os = copy_of(facts_get(facts, "kernel.release")),
                                         .fingerprint = copy_of(fingerprint),
                                         .emulated = facts_get(facts, "emulated") != NULL};
    return machine;
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
    if (!error) {
        struct overhead_machine *machine = find_machine(load, info.fingerprint);
        if (!machine)
            machine = add_machine(load, &facts, info.fingerprint);
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
    char *name = memory_format("%s.%s", stored->path, stored->kind);
    if (overhead_operation_index(load->file, name) >= 0)
        return 0;
    *memory_add(load->file->operations, load->file->operation_count) =
        (struct overhead_operation){.name = name,
                                    .path = copy_of(stored->path),
                                    .kind = copy_of(stored->kind),
                                    .instrument = copy_of(stored->instrument),
                                    .page = copy_of(stored->page),
                                    .binds = stored->binds,
                                    .note = copy_of(stored->note)};
    return 0;
}

static void add_absence(struct load *load, const char *what, int error, const char *reason)
{
    for (size_t i = 0; i < load->file->absence_count; i++)
        if (strcmp(load->file->absences[i].what, what) == 0 &&
            load->file->absences[i].error == error)
            return;
    *memory_add(load->file->absences, load->file->absence_count) = (struct overhead_absence){
        copy_of(what), memory_copy(reason ? reason : strerror(error)), error};
}

static int take_event(void *context, const struct stored_event *event)
{
    struct load *load = context;
    *memory_add(load->events, load->event_count) =
        (struct stored_event){.name = memory_copy(event->name), .class = copy_of(event->class)};
    if (event->error)
        add_absence(load, event->name, event->error, event->reason);
    return 0;
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
    tour->meters = memory_new(cell->counters + 1, sizeof(*tour->meters));
    for (uint32_t i = 0; i < cell->counters; i++) {
        struct overhead_meter *meter = &tour->meters[tour->meter_count++];
        meter->unit = unit_of(load, cell->events[i], stored->counters[i].class);
        meter->event = copy_of(cell->events[i]);
        meter->mode = copy_of(event_mode(cell->events[i]));
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
    if (error || !count)
        return fail_with(load->failure, -EBADMSG,
                         "the store %.300s has a tour that cannot be read, cell %u: %.300s",
                         store_path(load->store), cell->id, error ? why.text : "no call");
    tour->calls = memory_new(count, sizeof(*tour->calls));
    tour->times = memory_new(count, sizeof(*tour->times));
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

/* The first that is called of an instrument tells what the tour is about. */
static void tell_failed(struct load *load, const struct overhead_tour *tour)
{
    size_t call = 0;
    const struct overhead_operation *operations = load->file->operations;
    while (call + 1 < tour->length &&
           strcmp(operations[tour->calls[call]].instrument, "timer") == 0)
        call++;
    AUTO_MEMORY char *what =
        memory_format("%s, %s, %s%s", operations[tour->calls[call]].path, tour->link,
                      tour->meters[0].event, tour->cold ? ", cold" : "");
    add_absence(load, what, tour->error, tour->reason);
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct load *load = context;
    const struct cell *cell = &stored->cell;
    if (!cell->tour.calls)
        return 0;
    *memory_add(load->origins, load->origin_count) =
        (struct overhead_origin){.cell = cell->id, .runs = cell->runs};
    struct overhead_tour *tour = memory_add(load->file->tours, load->file->tour_count);
    *tour = (struct overhead_tour){.machine = load->machine,
                                   .link = copy_of(cell->link),
                                   .counted = copy_of(cell->tour.counted),
                                   .open = cell->tour.open,
                                   .separate = cell->separate,
                                   .cold = cell->tour.cold,
                                   .begins = memory_new(1, sizeof(*tour->begins)),
                                   .failed = stored->failed,
                                   .error = stored->error};
    if (stored->failed)
        tour->reason = memory_copy(stored->reason ? stored->reason : strerror(stored->error));
    int error = take_meters(load, stored, tour);
    if (!error)
        error = take_calls(load, cell, tour);
    if (!error && stored->failed && !stored->done)
        tell_failed(load, tour);
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
    if (!error)
        overhead_merge_tours(file, load.first_tour);
    return error;
}
