/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making wishes for `assay overhead`: from calls that belong together to a tour in several
 * orders. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "study/overhead-order.h"
#include "studies/overhead/plan.h"
#include "study/word-list.h"

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

static bool grow_calls(struct wished_calls *calls)
{
    void *names = reallocarray(calls->names, calls->count + 1, sizeof(*calls->names));
    if (names)
        calls->names = names;
    void *operations =
        reallocarray(calls->operations, calls->count + 1, sizeof(*calls->operations));
    if (operations)
        calls->operations = operations;
    void *thens = reallocarray(calls->thens, calls->count + 1, sizeof(*calls->thens));
    if (thens)
        calls->thens = thens;
    calls->failed |= !names || !operations || !thens;
    return !calls->failed;
}

void wished_calls_add(struct wished_calls *calls, const struct catalogue_operation *operation,
                      uint32_t times)
{
    if (!grow_calls(calls))
        return;
    char *name = calls->names[calls->count];
    int length = snprintf(name, TOUR_NAME, "%s.%s", operation->path, operation->kind);
    if (length < 0 || length >= TOUR_NAME)
        return; /* no tour can call it */
    if (times > 1)
        snprintf(name + length, sizeof(*calls->names) - (size_t)length, "*%u", times);
    calls->thens[calls->count] = NULL;
    calls->operations[calls->count++] = operation;
}

void wished_calls_add_pair(struct wished_calls *calls, const struct catalogue_operation *first,
                           const struct catalogue_operation *then)
{
    size_t before = calls->count;
    wished_calls_add(calls, first, 1);
    if (calls->count > before)
        calls->thens[before] = then;
}

void wished_calls_add_timer(const struct overhead_study *study, struct wished_calls *calls)
{
    const struct catalogue *catalogue = study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (overhead_is_timer(&catalogue->operations[i]))
            wished_calls_add(calls, &catalogue->operations[i], 1);
}

void wished_calls_free(struct wished_calls *calls)
{
    free(calls->names);
    free(calls->operations);
    free(calls->thens);
    *calls = (struct wished_calls){0};
}

/* --- a wish --- */

static struct overhead_wish *add_wish(struct overhead_wisher *wisher,
                                      const struct wished_tour *tour, uint32_t circuits)
{
    struct overhead_plan *plan = wisher->plan;
    struct overhead_wish *grown =
        reallocarray(plan->wishes, plan->wish_count + 1, sizeof(*plan->wishes));
    if (!grown)
        return NULL;
    plan->wishes = grown;
    struct overhead_wish *wish = &grown[plan->wish_count++];
    *wish = (struct overhead_wish){.stage = tour->stage,
                                   .circuits = calloc(circuits, sizeof(*wish->circuits)),
                                   .processes = tour->processes,
                                   .least = tour->least < tour->processes ? tour->least
                                                                          : tour->processes};
    return wish->circuits ? wish : NULL;
}

/* One order of the calls, which the cell then owns. */
static int add_circuit(struct overhead_wisher *wisher, const struct wished_tour *tour,
                       struct overhead_wish *wish, char *calls, size_t length)
{
    const struct overhead_meters *meters = wisher->meters;
    struct cell *cell = &wish->circuits[wish->circuit_count++];
    *cell = (struct cell){.counters = meters->count,
                          .path = strdup("tour"),
                          .pattern = PATTERN_RR,
                          .specimen = strdup("null"),
                          .opt = strdup("O2"),
                          .link = strdup(tour->link),
                          .runs = (uint32_t)length * tour->passes,
                          .separate = tour->separate,
                          .cpu = wisher->study->cpu,
                          .tour = {.calls = calls,
                                   .counted = strdup(wisher->study->counted),
                                   .open = tour->open,
                                   .cold = tour->cold}};
    bool whole = cell->path && cell->specimen && cell->opt && cell->link && cell->tour.counted;
    for (uint32_t i = 0; i < meters->count; i++) {
        cell->events[i] = strdup(meters->events[i]);
        whole &= cell->events[i] != NULL;
    }
    return whole ? 0 : -ENOMEM;
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
        hash = hash_word(hash_word(hash, calls->names[i]),
                         calls->thens[i] ? calls->thens[i]->kind : "");
    return hash;
}

static enum order_effect effect_of(const struct catalogue_operation *operation)
{
    return overhead_effect_is(operation, "starts")  ? ORDER_STARTS
           : overhead_effect_is(operation, "stops") ? ORDER_STOPS
                                                    : ORDER_KEEPS;
}

static enum order_when when_of(const struct wished_calls *calls, size_t index)
{
    const struct catalogue_operation *operation = calls->operations[index];
    if (calls->running && overhead_effect_is(operation, "keeps") && !overhead_is_timer(operation))
        return ORDER_RUNNING;
    return strcmp(operation->when, "running") == 0   ? ORDER_RUNNING
           : strcmp(operation->when, "stopped") == 0 ? ORDER_STOPPED
                                                     : ORDER_ANY;
}

/* The path's name fits, and so does its kind: it is among the calls as well. */
static const char *then_of(const struct wished_calls *calls, size_t index)
{
    for (size_t i = 0; calls->thens[index] && i < calls->count; i++)
        if (calls->operations[i] == calls->thens[index])
            return calls->names[i];
    return NULL;
}

static struct order_call *list_of(const struct wished_calls *calls)
{
    struct order_call *list = calloc(calls->count + 1, sizeof(*list));
    for (size_t i = 0; list && i < calls->count; i++)
        list[i] = (struct order_call){calls->names[i], effect_of(calls->operations[i]),
                                      when_of(calls, i), then_of(calls, i)};
    return list;
}

void overhead_wish_pairs(struct overhead_wisher *wisher, const struct wished_tour *tour,
                         const struct wished_calls *calls)
{
    AUTO_FREE struct order_call *list = list_of(calls);
    uint32_t orders = tour->circuits < tour->processes ? tour->circuits : tour->processes;
    if (wisher->error < 0)
        return;
    struct overhead_wish *wish = list && !calls->failed ? add_wish(wisher, tour, orders) : NULL;
    if (!wish)
        wisher->error = -ENOMEM;
    for (uint32_t i = 0; i < orders && wisher->error == 0; i++) {
        char *order = NULL;
        size_t length = 0;
        wisher->error = overhead_order(list, calls->count, seed_of(wisher, tour, calls, i), &order,
                                       &length, wisher->failure);
        if (wisher->error == 0)
            wisher->error = add_circuit(wisher, tour, wish, order, length);
    }
}

/* "a,b" and "c,c" are "a,b,c,c"; NULL: out of memory. Frees the order. */
static char *with_end(char *order, const struct wished_calls *end)
{
    AUTO_TEXT struct text all = {0};
    text_puts(&all, order);
    for (size_t i = 0; i < end->count; i++)
        text_printf(&all, ",%s", end->names[i]);
    free(order);
    return text_take(&all);
}

/* count!, as far as that matters. */
static uint32_t count_orders(size_t count, uint32_t most)
{
    uint32_t orders = 1;
    for (size_t i = 2; i <= count && orders < most; i++)
        orders *= (uint32_t)i;
    return orders < most ? orders : most;
}

void overhead_wish_permutations(struct overhead_wisher *wisher, const struct wished_tour *tour,
                                const struct wished_calls *calls, const struct wished_calls *end)
{
    AUTO_FREE struct order_call *list = list_of(calls);
    uint32_t most = tour->circuits < tour->processes ? tour->circuits : tour->processes;
    uint32_t orders = count_orders(calls->count, most);
    if (wisher->error < 0)
        return;
    bool whole = list && !calls->failed && !end->failed;
    struct overhead_wish *wish = whole ? add_wish(wisher, tour, orders) : NULL;
    if (!wish)
        wisher->error = -ENOMEM;
    for (uint32_t i = 0; i < orders && wisher->error == 0; i++) {
        char *order = NULL;
        wisher->error = overhead_permutation(list, calls->count, i, &order, wisher->failure);
        if (wisher->error < 0)
            return;
        order = with_end(order, end);
        wisher->error =
            order ? add_circuit(wisher, tour, wish, order, calls->count + end->count) : -ENOMEM;
    }
}

void overhead_wish_row(struct overhead_wisher *wisher, const struct wished_tour *tour,
                       const struct wished_calls *calls)
{
    AUTO_TEXT struct text order = {0};
    if (wisher->error < 0)
        return;
    for (size_t i = 0; i < calls->count; i++)
        text_printf(&order, "%s%s", i ? "," : "", calls->names[i]);
    struct overhead_wish *wish = order.failed || calls->failed ? NULL : add_wish(wisher, tour, 1);
    char *row = wish ? text_take(&order) : NULL;
    wisher->error = row ? add_circuit(wisher, tour, wish, row, calls->count) : -ENOMEM;
}
