/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From stores to the case that the judge gets; and what reports, runs and comparisons say of it. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/loading.h"
#include "engine/told.h"
#include "output/field.h"
#include "studies/overhead/parts.h"

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
static void merge_tours(struct overhead_case *file, size_t first)
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
 * From a store to the case. */

struct load {
    struct store *store;
    struct overhead_case *file;
    struct failure *failure;
    uint32_t machine;
    struct stored_event *events; /* names and classes alone */
    size_t event_count;
};

/* --- the calls of tours, in the order of the visits: run r of a process is call r modulo the
 * length of its tour --- */

/* Exact as a double; no span is as long, and sums of such stay far from overflowing. */
#define FURTHEST (INT64_C(1) << 53)

/* There is always room for the end of the last process, which is where its next call goes. */
static int begin_process(void *context, size_t place, uint32_t process)
{
    struct overhead_tour *tour = &((const struct load *)context)->file->tours[place];
    size_t last = tour->processes++;
    (void)process;
    tour->begins = memory_room(tour->begins, last + 1, sizeof(*tour->begins));
    tour->begins[last + 1] = tour->begins[last];
    tour->passes = memory_room(tour->passes, last, sizeof(*tour->passes));
    return 0;
}

static int take_run(void *context, const struct read_run *run)
{
    struct overhead_tour *tour = &((const struct load *)context)->file->tours[run->place];
    size_t call = tour->begins[tour->processes]++;
    tour->values = memory_room(tour->values, call, run->counters * sizeof(*tour->values));
    tour->accounts = memory_room(tour->accounts, call, sizeof(*tour->accounts));
    tour->accounts[call] = run->account;
    /* Differences wrap below zero. */
    for (uint32_t meter = 0; meter < run->counters; meter++) {
        int64_t span = (int64_t)run->values[meter];
        tour->values[call * run->counters + meter] = span > FURTHEST    ? FURTHEST
                                                     : span < -FURTHEST ? -FURTHEST
                                                                        : span;
    }
    return 0;
}

/* What is beyond the last whole pass goes, and a process that has none. */
static int end_process(void *context, size_t place, uint32_t process)
{
    struct overhead_tour *tour = &((const struct load *)context)->file->tours[place];
    size_t last = tour->processes - 1;
    size_t whole = (tour->begins[last + 1] - tour->begins[last]) / tour->length;
    (void)process;
    tour->passes[last] = (uint32_t)whole;
    tour->begins[last + 1] = tour->begins[last] + whole * tour->length;
    tour->processes -= !whole;
    return 0;
}

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
    struct overhead_machine *machine = memory_add(load->file->machines, load->file->machine_count);
    *machine = (struct overhead_machine){.name = loading_machine_name(facts),
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

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct load *load = context;
    const struct cell *cell = &stored->cell;
    if (!cell->tour.calls)
        return 0;
    *place = load->file->tour_count;
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

int overhead_load(struct store *store, struct overhead_case *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &load,
                            .cell = take_cell,
                            .begin = begin_process,
                            .run = take_run,
                            .end = end_process,
                            .counter_word = "meter"};
    const size_t first = file->tour_count;
    int error = take_machine(&load);
    if (error == 0)
        error = store_each_operation(store, take_operation, &load, failure);
    if (error == 0)
        error = store_each_event(store, take_event, &load, failure);
    if (error == 0)
        error = reader_read(&reader);
    if (error == 0)
        merge_tours(file, first);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * What reports and runs say of what calls cost. */

/* The advice, as it is. */
static void lead(const void *kept, struct lead *sentences)
{
    const struct overhead_report *report = &((const struct overhead_run *)kept)->report;
    for (size_t i = 0; i < report->advice_count; i++)
        told_say_reasons(sentences, &report->advice[i].text);
}

static struct value advice_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct overhead_report *report = &((const struct overhead_run *)item)->report;
    return value_text(index < report->advice_count ? reasons_text(&report->advice[index].text)
                                                   : NULL);
}

static const struct field line = {"calls", VALUES(FIELD_TEXT, advice_at),
                                  "the advice of `assay overhead`", .nullable = true};

static void put_line(const void *kept, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &((const struct overhead_run *)kept)->report;
    if (report->advice_count)
        told_put_line("calls", reasons_text(&report->advice[0].text), 2, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * Calls of tours as quantities: what each operation costs in a process, apart for those that
 * follow themselves and those that follow another; of a cold tour the first call of each. */

enum follows { FOLLOWS_OTHER, FOLLOWS_ITSELF, FOLLOWS_NOTHING, FOLLOWS_COUNT };
static const char *const follow_words[FOLLOWS_COUNT] = {"warm, after another call",
                                                        "warm, after itself", "first call"};

struct touring {
    const struct compared *compared;
    const struct overhead_case *file;
    const struct overhead_tour *tour;
    double *values; /* room for the calls of any process */
};

/* Which of the three is call `call` of a process; FOLLOWS_COUNT: none of them. */
static enum follows follows(const struct overhead_tour *tour, size_t call)
{
    const size_t place = call % tour->length;
    const uint32_t operation = tour->calls[place];
    if (tour->cold) {
        for (size_t i = 0; i < call && i < tour->length; i++)
            if (tour->calls[i] == operation)
                return FOLLOWS_COUNT;
        return call < tour->length ? FOLLOWS_NOTHING : FOLLOWS_COUNT;
    }
    if (!call)
        return FOLLOWS_COUNT;
    const size_t before = place ? place - 1 : tour->length - 1;
    return tour->calls[before] == operation ? FOLLOWS_ITSELF : FOLLOWS_OTHER;
}

/* The median of each process. */
static void tours_add_processes(const struct touring *touring, uint32_t operation, uint32_t meter,
                                enum follows kind)
{
    const struct overhead_tour *tour = touring->tour;
    struct compare_quantity *quantity = NULL;
    for (size_t process = 0; process < tour->processes; process++) {
        const size_t begin = tour->begins[process], calls = tour->begins[process + 1] - begin;
        size_t count = 0;
        for (size_t call = 0; call < calls; call++)
            if (tour->calls[call % tour->length] == operation &&
                tour->times[call % tour->length] == 1 && follows(tour, call) == kind)
                touring->values[count++] =
                    (double)tour->values[(begin + call) * tour->meter_count + meter];
        if (!count)
            continue;
        if (!quantity) {
            AUTO_TEXT struct text factors = {0};
            text_printf(&factors, "%s, %s, %u counter%s of %s%s", follow_words[kind], tour->link,
                        tour->open, tour->open == 1 ? "" : "s", tour->counted,
                        tour->separate ? ", one by one" : "");
            struct compare_quantity like = {.event = tour->meters[meter].event,
                                            .subject = touring->file->operations[operation].name,
                                            .factors = factors.bytes};
            compared_classify(tour->meters[meter].event, &like);
            quantity = compared_quantity(touring->compared, &like);
        }

        compared_median(touring->compared, quantity, touring->values, count);
    }
}

static bool seen_before(const struct overhead_tour *tour, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (tour->calls[i] == tour->calls[place])
            return true;
    return false;
}

static void add_tour(struct touring *touring)
{
    const struct overhead_tour *tour = touring->tour;
    size_t most = 0;
    for (size_t i = 0; i < tour->processes; i++)
        most = tour->begins[i + 1] - tour->begins[i] > most ? tour->begins[i + 1] - tour->begins[i]
                                                            : most;
    AUTO_MEMORY double *values = memory_new(most, sizeof(*values));
    touring->values = values;
    for (size_t place = 0; place < tour->length; place++) {
        if (seen_before(tour, place))
            continue;
        for (uint32_t meter = 0; meter < tour->meter_count; meter++)
            for (int kind = 0; kind < FOLLOWS_COUNT; kind++)
                if ((kind == FOLLOWS_NOTHING) == tour->cold)
                    tours_add_processes(touring, tour->calls[place], meter, (enum follows)kind);
    }
}

static int load(struct store *store, const struct compared *compared, struct failure *failure)
{
    struct overhead_case file = {0};
    int error = overhead_load(store, &file, failure);
    for (size_t i = 0; error == 0 && i < file.tour_count; i++)
        add_tour(&(struct touring){.compared = compared, .file = &file, .tour = &file.tours[i]});
    return error;
}

const struct study_told overhead_told = {
    .title = "What the calls of measuring cost",
    .lead = lead,
    .line = {&line, 3, put_line},
    .part = {.turn = 4, 20, 120, 160, 3, 20, .rank = 2},
    .compared = {.load = load, .timed = true},
};
