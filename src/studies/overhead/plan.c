/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tours that `assay overhead` wishes for, the most important first: how each is made. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"
#include "engine/wishes.h"
#include "studies/overhead/plan.h"

/* ----------------------------------------------------------------------------------------------
 * From calls that belong together to a tour in several orders. */

/* Passes and processes are such that every pair has 1024 runs, and that 30 processes remain where
 * half of them were disturbed. On emulated machines counts hardly vary, and visits are dear. */
#define PASSES             15u
#define FULL_PASSES        30u
#define EMULATED_PASSES    3u
#define MAIN_CIRCUITS      6u
#define MAIN_PROCESSES     96u
#define SWEEP_CIRCUITS     3u
#define SWEEP_PROCESSES    72u
#define COMMAND_PROCESSES  120u /* each has a third of the pairs */
#define LEAST_MAIN         60u
#define LEAST_SWEEP        30u
#define COLD_PROCESSES     360u
#define LEAST_COLD         200u
#define EMULATED_CIRCUITS  3u
#define EMULATED_PROCESSES 9u
#define EMULATED_LEAST     3u
#define EMULATED_COLD      12u
#define EMULATED_COLDEST   9u /* the least of cold ones: one that an interrupt hit is no limit */
#define FULL_TIMES         4u /* as many processes with --full */

bool overhead_tells_time(const struct overhead_meters *meters)
{
    return strncmp(meters->events[0], "clock/", 6) == 0;
}

/* --- operations --- */

bool overhead_is_timer(const struct catalogue_operation *operation)
{
    return strcmp(operation->instrument, "timer") == 0;
}

bool overhead_is_command(const struct catalogue_operation *operation)
{
    return strcmp(operation->instrument, "command") == 0;
}

bool overhead_is_bare(const struct catalogue_operation *operation)
{
    return strcmp(operation->instrument, "perf") == 0;
}

bool overhead_is_warm(const struct catalogue_operation *operation)
{
    return !*operation->page || strcmp(operation->page, "populated") == 0;
}

bool overhead_effect_is(const struct catalogue_operation *operation, const char *effect)
{
    return strcmp(operation->effect, effect) == 0;
}

bool overhead_uses(const struct overhead_study *study, const struct catalogue_operation *operation,
                   const char *link)
{
    if (overhead_is_timer(operation) || !word_list_has(operation->links, link))
        return false;
    for (size_t i = 0; i < study->path_count; i++)
        if (strcmp(study->paths[i], operation->path) == 0)
            return true;
    return study->path_count == 0;
}

/* --- how many --- */

static struct wished_tour warm_tour(const struct overhead_study *study, enum overhead_stage stage,
                                    const char *link, uint32_t circuits, uint32_t processes,
                                    uint32_t least)
{
    struct wished_tour tour = {.stage = stage,
                               .link = link,
                               .open = 1,
                               .passes = study->full ? FULL_PASSES : PASSES,
                               .circuits = circuits,
                               .processes = study->full ? FULL_TIMES * processes : processes,
                               .least = least};
    if (study->emulated) {
        tour.passes = EMULATED_PASSES;
        tour.circuits = EMULATED_CIRCUITS;
        tour.processes = EMULATED_PROCESSES;
        tour.least = EMULATED_LEAST;
    }
    if (study->processes)
        tour.processes = study->processes;
    return tour;
}

struct wished_tour overhead_main_tour(const struct overhead_study *study, enum overhead_stage stage,
                                      const char *link)
{
    return warm_tour(study, stage, link, MAIN_CIRCUITS, MAIN_PROCESSES, LEAST_MAIN);
}

struct wished_tour overhead_sweep_tour(const struct overhead_study *study,
                                       enum overhead_stage stage, const char *link)
{
    return warm_tour(study, stage, link, SWEEP_CIRCUITS, SWEEP_PROCESSES, LEAST_SWEEP);
}

struct wished_tour overhead_command_tour(const struct overhead_study *study, const char *link)
{
    struct wished_tour tour =
        warm_tour(study, OVERHEAD_COMMANDS, link, MAIN_CIRCUITS, COMMAND_PROCESSES, LEAST_MAIN);
    tour.passes = 1;
    return tour;
}

struct wished_tour overhead_cold_tour(const struct overhead_study *study, const char *link)
{
    struct wished_tour tour = warm_tour(study, OVERHEAD_COLD, link, 1, COLD_PROCESSES, LEAST_COLD);
    if (study->emulated && !study->processes)
        tour.processes = EMULATED_COLD;
    tour.circuits = tour.passes = 1;
    if (study->emulated)
        tour.least = EMULATED_COLDEST;
    tour.cold = true;
    return tour;
}

/* --- calls --- */

void wished_calls_add(struct wished_calls *calls, const struct catalogue_operation *operation,
                      uint32_t times)
{
    char name[sizeof(calls->list->name)];
    int length = snprintf(name, TOUR_NAME, "%s.%s", operation->path, operation->kind);
    if (length < 0 || length >= TOUR_NAME)
        return; /* no tour can call it */
    if (times > 1)
        snprintf(name + length, sizeof(name) - (size_t)length, "*%u", times);
    struct wished_call *call = memory_add(calls->list, calls->count);
    memcpy(call->name, name, sizeof(name));
    call->operation = operation;
}

void wished_calls_add_pair(struct wished_calls *calls, const struct catalogue_operation *first,
                           const struct catalogue_operation *then)
{
    size_t before = calls->count;
    wished_calls_add(calls, first, 1);
    if (calls->count > before)
        calls->list[before].then = then;
}

void wished_calls_add_timer(const struct overhead_study *study, struct wished_calls *calls)
{
    const struct catalogue *catalogue = study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (overhead_is_timer(&catalogue->operations[i]))
            wished_calls_add(calls, &catalogue->operations[i], 1);
}

/* --- a wish --- */

static struct wish *add_wish(struct overhead_wisher *wisher, const struct wished_tour *tour)
{
    struct wish *wish = memory_add(wisher->wishes->list, wisher->wishes->count);
    *wish = (struct wish){.stage = tour->stage,
                          .processes = tour->processes,
                          .least = tour->least < tour->processes ? tour->least : tour->processes,
                          .after = NO_WISH};
    return wish;
}

/* One order of the calls, which the cell then owns. */
static void add_circuit(struct overhead_wisher *wisher, const struct wished_tour *tour,
                        struct wish *wish, char *calls, size_t length)
{
    const struct overhead_meters *meters = wisher->meters;
    struct cell *cell = memory_add(wish->cells, wish->cell_count);
    *cell = (struct cell){.counters = meters->count,
                          .path = memory_copy("tour"),
                          .pattern = PATTERN_RR,
                          .specimen = memory_copy("null"),
                          .opt = memory_copy("O2"),
                          .link = memory_copy(tour->link),
                          .runs = (uint32_t)length * tour->passes,
                          .separate = tour->separate,
                          .cpu = wisher->study->cpu,
                          .tour = {.calls = calls,
                                   .counted = memory_copy(wisher->study->counted),
                                   .open = tour->open,
                                   .cold = tour->cold}};
    for (uint32_t i = 0; i < meters->count; i++)
        cell->events[i] = memory_copy(meters->events[i]);
}

static uint64_t hash_word(uint64_t hash, const char *word)
{
    for (; *word; word++)
        hash = (hash ^ (unsigned char)*word) * UINT64_C(0x100000001b3);
    return (hash ^ ',') * UINT64_C(0x100000001b3);
}

/* By what the tour is, not by its place in the list: the order stays the same whatever else is
 * wished for. */
static uint64_t seed_of(const struct overhead_wisher *wisher, const struct wished_tour *tour,
                        const struct wished_calls *calls, uint32_t circuit)
{
    char words[80];
    snprintf(words, sizeof(words), "%u,%d,%u,%llu", tour->open, tour->separate, circuit,
             (unsigned long long)wisher->study->seed);
    uint64_t hash = hash_word(UINT64_C(0xcbf29ce484222325), words);
    hash = hash_word(hash, tour->link);
    for (uint32_t i = 0; i < wisher->meters->count; i++)
        hash = hash_word(hash, wisher->meters->events[i]);
    for (size_t i = 0; i < calls->count; i++)
        hash = hash_word(hash_word(hash, calls->list[i].name),
                         calls->list[i].then ? calls->list[i].then->kind : "");
    return hash;
}

static enum order_when when_of(const struct wished_calls *calls,
                               const struct catalogue_operation *operation)
{
    if (calls->running && overhead_effect_is(operation, "keeps") && !overhead_is_timer(operation))
        return ORDER_RUNNING;
    return strcmp(operation->when, "running") == 0   ? ORDER_RUNNING
           : strcmp(operation->when, "stopped") == 0 ? ORDER_STOPPED
                                                     : ORDER_ANY;
}

static struct order_call *list_of(const struct wished_calls *calls)
{
    struct order_call *list = memory_new(calls->count + 1, sizeof(*list));
    for (size_t i = 0; i < calls->count; i++) {
        const struct wished_call *call = &calls->list[i];
        list[i] = (struct order_call){call->name,
                                      overhead_effect_is(call->operation, "starts")  ? ORDER_STARTS
                                      : overhead_effect_is(call->operation, "stops") ? ORDER_STOPS
                                                                                     : ORDER_KEEPS,
                                      when_of(calls, call->operation), NULL};
        /* The path's name fits, and so does its kind: it is among the calls as well. */
        for (size_t j = 0; call->then && !list[i].then && j < calls->count; j++)
            if (calls->list[j].operation == call->then)
                list[i].then = calls->list[j].name;
    }
    return list;
}

void overhead_wish_pairs(struct overhead_wisher *wisher, const struct wished_tour *tour,
                         const struct wished_calls *calls)
{
    AUTO_MEMORY struct order_call *list = list_of(calls);
    uint32_t orders = tour->circuits < tour->processes ? tour->circuits : tour->processes;
    if (wisher->error < 0)
        return;
    struct wish *wish = add_wish(wisher, tour);
    for (uint32_t i = 0; i < orders && wisher->error == 0; i++) {
        char *order = NULL;
        size_t length = 0;
        wisher->error = overhead_order(list, calls->count, seed_of(wisher, tour, calls, i), &order,
                                       &length, wisher->failure);
        if (wisher->error == 0)
            add_circuit(wisher, tour, wish, order, length);
    }
}

/* count!, as far as that matters. */
static uint32_t count_orders(size_t count, uint32_t most)
{
    uint32_t orders = 1;
    for (size_t i = 2; i <= count && orders < most; i++)
        orders *= (uint32_t)i;
    return orders < most ? orders : most;
}

/* ",a,b" behind what is there. */
static void put_calls(const struct wished_calls *calls, struct text *out)
{
    for (size_t i = 0; i < calls->count; i++)
        text_printf(out, "%s%s", out->length ? "," : "", calls->list[i].name);
}

void overhead_wish_permutations(struct overhead_wisher *wisher, const struct wished_tour *tour,
                                const struct wished_calls *calls, const struct wished_calls *end)
{
    AUTO_MEMORY struct order_call *list = list_of(calls);
    uint32_t most = tour->circuits < tour->processes ? tour->circuits : tour->processes;
    uint32_t orders = count_orders(calls->count, most);
    if (wisher->error < 0)
        return;
    struct wish *wish = add_wish(wisher, tour);
    for (uint32_t i = 0; i < orders; i++) {
        char *order = NULL;
        wisher->error = overhead_permutation(list, calls->count, i, &order, wisher->failure);
        if (wisher->error < 0)
            return;
        struct text all = {0};
        text_puts(&all, order);
        put_calls(end, &all);
        add_circuit(wisher, tour, wish, memory_text(&all), calls->count + end->count);
    }
}

void overhead_wish_row(struct overhead_wisher *wisher, const struct wished_tour *tour,
                       const struct wished_calls *calls)
{
    struct text order = {0};
    if (wisher->error < 0)
        return;
    put_calls(calls, &order);
    add_circuit(wisher, tour, add_wish(wisher, tour), memory_text(&order), calls->count);
}

/* ----------------------------------------------------------------------------------------------
 * What a visit of `assay overhead` is assumed to take, until others were seen. */

#define US       UINT64_C(1000)
#define EMULATED 20u      /* times dearer than here */
#define CALL_NS  (1 * US) /* with its metering and its way to the store */

/* A process that calls any such; the first that stands in the calls counts. */
static const struct {
    const char *calls;
    uint64_t ns;
} assumed[] = {
    {"perf-stat.", 400000 * US}, {"command.", 20000 * US}, {"papi-", 12000 * US},
    {"likwid.", 12000 * US},     {"", 4000 * US},
};

static uint64_t assumed_price(const struct overhead_study *study, const struct cell *cell)
{
    size_t i = 0;
    while (!strstr(cell->tour.calls, assumed[i].calls))
        i++;
    return (assumed[i].ns + cell->runs * CALL_NS) * (study->emulated ? EMULATED : 1);
}

/* --- all of them --- */

#define SURELY_FIT 4u /* counters */

const char *const overhead_stage_names[OVERHEAD_STAGES] = {
    [OVERHEAD_READS] = "reads side by side",
    [OVERHEAD_SWITCHES] = "start, stop and read of shared counters",
    [OVERHEAD_SINGLES] = "start, stop and read of a path alone",
    [OVERHEAD_COLD] = "first calls",
    [OVERHEAD_COMMANDS] = "whole commands",
    [OVERHEAD_EVENTS] = "number of events",
    [OVERHEAD_REPEATS] = "reads in a row",
};

/* The most important first: bare calls in every respect, then what others make of them. */
static overhead_wish_stage *const wishers[] = {
    overhead_wish_reads,  overhead_wish_instruments, overhead_wish_bare_cold,
    overhead_wish_events, overhead_wish_repeats,     overhead_wish_commands,
    overhead_wish_cold,   overhead_wish_more_events,
};

/* One counter of a sweep may be what another stage measures anyway, in the same orders. */
static void drop_repeated(struct wishes *wishes)
{
    size_t kept = 0;
    for (size_t i = 0; i < wishes->count; i++) {
        bool repeated = false;
        for (size_t j = 0; j < kept && !repeated; j++)
            repeated = plan_same_way(&wishes->list[i].cells[0], &wishes->list[j].cells[0]) &&
                       wishes->list[i].cells[0].runs == wishes->list[j].cells[0].runs;
        if (!repeated)
            wishes->list[kept++] = wishes->list[i];
    }
    wishes->count = kept;
}

/* Who does not fit with so many counters does not with more: those beyond what every CPU has are
 * tried one after the other. The same with fewer counters, whoever calls: how many fit is the
 * machine's to say. */
static size_t with_fewer(const struct wishes *wishes, const struct cell *cell)
{
    size_t found = NO_WISH;
    uint32_t most = 0;
    for (size_t i = 0; i < wishes->count && cell->tour.open > SURELY_FIT; i++) {
        const struct cell *other = &wishes->list[i].cells[0];
        if (other->tour.open < cell->tour.open && other->tour.open > most &&
            other->separate == cell->separate && strcmp(other->link, cell->link) == 0 &&
            strcmp(other->events[0], cell->events[0]) == 0) {
            found = i;
            most = other->tour.open;
        }
    }
    return found;
}

int overhead_wish(const struct overhead_study *study, struct wishes *wishes,
                  struct failure *failure)
{
    struct overhead_wisher wisher = {.study = study, .wishes = wishes, .failure = failure};
    for (size_t i = 0; i < study->meters_count; i++) {
        wisher.meters = &study->meters[i];
        for (size_t j = 0; j < sizeof(wishers) / sizeof(*wishers); j++)
            if (!study->uncounted || wishers[j] == overhead_wish_commands)
                wishers[j](&wisher);
    }
    if (wisher.error < 0)
        return wisher.error;
    drop_repeated(wishes);
    for (size_t i = 0; i < wishes->count; i++) {
        struct wish *wish = &wishes->list[i];
        wish->after = with_fewer(wishes, &wish->cells[0]);
        wish->expected_ns = assumed_price(study, &wish->cells[0]);
    }
    return 0;
}
