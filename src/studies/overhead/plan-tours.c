/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tours that `assay overhead` wishes for, the most important first: from calls that belong
 * together to a tour in several orders. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"
#include "studies/overhead/parts.h"

struct wisher {
    const struct overhead_study *study;
    const struct overhead_meters *meters;
    struct wishes *wishes;
    struct failure *failure;
    int error; /* the first failure; nothing is added after it */
};
/* How a tour is made. */
struct wished_tour {
    enum overhead_stage stage;
    const char *link;
    uint32_t open;
    bool separate;
    bool cold;
    uint32_t passes;
    uint32_t circuits, processes, least;
};
/* Calls of a tour, while they are gathered. */
struct wished_call {
    char name[TOUR_NAME + 8]; /* with "*TIMES" */
    const struct catalogue_operation *operation;
    const struct catalogue_operation *then; /* what follows it always; NULL: nothing does */
};
struct wished_calls {
    struct wished_call *list;
    size_t count;
    bool running; /* what makes sense in either state is called while the instrument runs alone */
};

bool overhead_tells_time(const struct overhead_meters *meters)
{
    return strncmp(meters->events[0], "clock/", 6) == 0;
}

/* --- operations --- */

bool overhead_is_timer(const struct catalogue_operation *operation)
{
    return strcmp(operation->instrument, "timer") == 0;
}

static bool is_command(const struct catalogue_operation *operation)
{
    return strcmp(operation->instrument, "command") == 0;
}

/* Does it switch or read counters of its own by calls of its own, as no library does for it? */
static bool is_bare(const struct catalogue_operation *operation)
{
    return strcmp(operation->instrument, "perf") == 0;
}

/* Does its page in a warm tour look as its path says? One that is read once is no longer cold. */
static bool is_warm(const struct catalogue_operation *operation)
{
    return !*operation->page || strcmp(operation->page, "populated") == 0;
}

static bool effect_is(const struct catalogue_operation *operation, const char *effect)
{
    return strcmp(operation->effect, effect) == 0;
}

/* Is its path asked for, and can it be linked like that? The timer's calls are no such. */
static bool uses(const struct overhead_study *study, const struct catalogue_operation *operation,
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

/* Passes and processes are such that every pair has 1024 runs, and that 30 processes remain where
 * half of them were disturbed; each process of commands has a third of the pairs. */
static const struct {
    uint32_t circuits, processes, least;
} sizes[OVERHEAD_STAGES] = {
    [OVERHEAD_READS] = {6, 96, 60},     [OVERHEAD_SWITCHES] = {6, 96, 60},
    [OVERHEAD_SINGLES] = {6, 96, 60},   [OVERHEAD_COLD] = {1, 360, 200},
    [OVERHEAD_COMMANDS] = {6, 120, 60}, [OVERHEAD_EVENTS] = {3, 72, 30},
    [OVERHEAD_REPEATS] = {3, 72, 30},
};
#define PASSES      15u
#define FULL_PASSES 30u
#define FULL_TIMES  4u /* as many processes with --full */
/* On emulated machines counts hardly vary, and visits are dear. */
#define EMULATED_PASSES    3u
#define EMULATED_CIRCUITS  3u
#define EMULATED_PROCESSES 9u
#define EMULATED_LEAST     3u
#define EMULATED_COLD      12u
#define EMULATED_COLDEST   9u /* the least of cold ones: one that an interrupt hit is no limit */

static struct wished_tour make_tour(const struct overhead_study *study, enum overhead_stage stage,
                                    const char *link)
{
    const bool cold = stage == OVERHEAD_COLD;
    struct wished_tour tour = {.stage = stage,
                               .link = link,
                               .open = 1,
                               .cold = cold,
                               .passes = study->full ? FULL_PASSES : PASSES,
                               .circuits = sizes[stage].circuits,
                               .processes = (study->full ? FULL_TIMES : 1) * sizes[stage].processes,
                               .least = sizes[stage].least};
    if (study->emulated) {
        tour.passes = EMULATED_PASSES;
        tour.circuits = cold ? 1 : EMULATED_CIRCUITS;
        tour.processes = cold ? EMULATED_COLD : EMULATED_PROCESSES;
        tour.least = cold ? EMULATED_COLDEST : EMULATED_LEAST;
    }
    if (cold || stage == OVERHEAD_COMMANDS)
        tour.passes = 1;
    if (study->processes)
        tour.processes = study->processes;
    return tour;
}

/* --- calls --- */

static void add_call(struct wished_calls *calls, const struct catalogue_operation *operation,
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

static void add_pair(struct wished_calls *calls, const struct catalogue_operation *first,
                     const struct catalogue_operation *then)
{
    size_t before = calls->count;
    add_call(calls, first, 1);
    if (calls->count > before)
        calls->list[before].then = then;
}

/* The calls of the timer that every warm tour has. */
static void add_timers(const struct overhead_study *study, struct wished_calls *calls)
{
    const struct catalogue *catalogue = study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (overhead_is_timer(&catalogue->operations[i]))
            add_call(calls, &catalogue->operations[i], 1);
}

/* --- a wish --- */

static struct wish *add_wish(struct wisher *wisher, const struct wished_tour *tour)
{
    struct wish *wish = memory_add(wisher->wishes->list, wisher->wishes->count);
    *wish = (struct wish){.stage = tour->stage,
                          .processes = tour->processes,
                          .least = tour->least < tour->processes ? tour->least : tour->processes,
                          .after = NO_WISH};
    return wish;
}

/* One order of the calls, which the cell then owns. */
static void add_circuit(struct wisher *wisher, const struct wished_tour *tour, struct wish *wish,
                        char *calls, size_t length)
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
static uint64_t seed_of(const struct wisher *wisher, const struct wished_tour *tour,
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
    if (calls->running && effect_is(operation, "keeps") && !overhead_is_timer(operation))
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
                                      effect_is(call->operation, "starts")  ? ORDER_STARTS
                                      : effect_is(call->operation, "stops") ? ORDER_STOPS
                                                                            : ORDER_KEEPS,
                                      when_of(calls, call->operation), NULL};
        /* The path's name fits, and so does its kind: it is among the calls as well. */
        for (size_t j = 0; call->then && !list[i].then && j < calls->count; j++)
            if (calls->list[j].operation == call->then)
                list[i].then = calls->list[j].name;
    }
    return list;
}

/* In random orders of all pairs. */
static void wish_pairs(struct wisher *wisher, const struct wished_tour *tour,
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

/* Each once, in all orders up to the number of circuits, and `end` behind them. */
static void wish_permutations(struct wisher *wisher, const struct wished_tour *tour,
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

/* In the order in which they were gathered. */
static void wish_row(struct wisher *wisher, const struct wished_tour *tour,
                     const struct wished_calls *calls)
{
    struct text order = {0};
    if (wisher->error < 0)
        return;
    put_calls(calls, &order);
    add_circuit(wisher, tour, add_wish(wisher, tour), memory_text(&order), calls->count);
}
/* ----------------------------------------------------------------------------------------------
 * The tours of `assay overhead` in which every process counts once: first calls, when nothing was
 * bound or touched before; and whole commands. */

#define ROUNDS   4u  /* of start, reads and stop in a process */
#define READS    32u /* one after the other */
#define NOTHINGS 2u  /* before them: the meter's own code is warm then */
#define GAUGES   3u  /* behind them, where they disturb nothing: the first is cold itself */

static void add_timer(const struct overhead_study *study, const char *kind, uint32_t times,
                      struct wished_calls *calls)
{
    const struct catalogue *catalogue = study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (overhead_is_timer(operation) && strcmp(operation->kind, kind) == 0)
            for (uint32_t time = 0; time < times; time++)
                add_call(calls, operation, 1);
    }
}

/* --- first calls --- */

static void wish_switches(struct wisher *wisher, const char *path, const char *link)
{
    static const char *const effects[] = {"starts", "keeps", "stops"};
    struct wished_tour tour = make_tour(wisher->study, OVERHEAD_COLD, link);
    struct wished_calls calls = {0};
    size_t found[3] = {0};
    add_timer(wisher->study, "nothing", NOTHINGS, &calls);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < 3; i++) {
            /* All calls of the path that have the effect; how many. */
            const struct catalogue *catalogue = wisher->study->catalogue;
            size_t before = calls.count;
            for (size_t j = 0; j < catalogue->operation_count; j++) {
                const struct catalogue_operation *operation = &catalogue->operations[j];
                if (strcmp(operation->path, path) == 0 && effect_is(operation, effects[i]) &&
                    uses(wisher->study, operation, link))
                    add_call(&calls, operation, 1);
            }
            found[i] = calls.count - before;
        }
    add_timer(wisher->study, "gauge", GAUGES, &calls);
    if (found[0] && found[2])
        wish_row(wisher, &tour, &calls);
}

static bool is_first_of_path(const struct catalogue *catalogue, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(catalogue->operations[i].path, catalogue->operations[index].path) == 0)
            return false;
    return true;
}

/* How a library is linked matters for its first call; who calls none is measured once. */
static void wish_first(struct wisher *wisher, size_t index, const char *link)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    const struct catalogue_operation *operation = &catalogue->operations[index];
    if (!uses(wisher->study, operation, link) || is_command(operation))
        return;
    if (is_first_of_path(catalogue, index))
        wish_switches(wisher, operation->path, link);
    if (strcmp(operation->kind, "read") == 0) {
        struct wished_tour own = make_tour(wisher->study, OVERHEAD_COLD, link);
        struct wished_calls again = {0};
        add_timer(wisher->study, "nothing", NOTHINGS, &again);
        for (uint32_t read = 0; read < READS; read++)
            add_call(&again, operation, 1);
        add_timer(wisher->study, "gauge", GAUGES, &again);
        wish_row(wisher, &own, &again);
    }
}

static void wish_colds(struct wisher *wisher, bool bare)
{
    static const char *const links[] = {"static", "lazy", "bind-now"};
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
        for (size_t j = 0; j < catalogue->operation_count; j++) {
            const struct catalogue_operation *operation = &catalogue->operations[j];
            char usual[WORD_LIST_WORD];
            word_list_prefer(operation->links, "static", usual);
            if (is_bare(operation) == bare && (operation->binds || strcmp(usual, links[i]) == 0))
                wish_first(wisher, j, links[i]);
        }
}

static void wish_bare_cold(struct wisher *wisher)
{
    wish_colds(wisher, true);
}

static void wish_cold(struct wisher *wisher)
{
    wish_colds(wisher, false);
}

/* --- whole commands --- */

/* A command takes as long as thousands of other calls, and a pass of all pairs would hardly ever be
 * undisturbed: in each order of the tour a command stands once, and all orders together have every
 * pair. The gauge comes last and repeatedly, because it is cold itself after a command. */
static void wish_commands(struct wisher *wisher)
{
    const struct overhead_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    struct wished_tour tour = make_tour(study, OVERHEAD_COMMANDS, "static");
    struct wished_calls calls = {0}, end = {0};
    if (!overhead_tells_time(wisher->meters))
        return; /* counters are of one process */
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (is_command(&catalogue->operations[i]) &&
            uses(study, &catalogue->operations[i], tour.link))
            add_call(&calls, &catalogue->operations[i], 1);
    if (calls.count) {
        add_timer(study, "nothing", 1, &calls);
        add_timer(study, "gauge", GAUGES, &end);
        wish_permutations(wisher, &tour, &calls, &end);
    }
}

/* --- warm tours --- */

#define MOST_OPEN      8u
#define FULL_MOST_OPEN 16u

/* Dynamic linking last: who has no time should know the plain calls. */
static const char *const links[] = {"static", "lazy", "bind-now"};
#define LINKS (sizeof(links) / sizeof(*links))

static const char *usual_link(const struct catalogue_operation *operation)
{
    for (size_t i = 0; i < LINKS; i++)
        if (word_list_has(operation->links, links[i]))
            return links[i];
    return links[0];
}

/* Nothing of it calls a library: then one link mode tells of all. */
static bool is_usual(const struct wished_calls *calls, const char *link)
{
    for (size_t i = 0; i < calls->count; i++)
        if (calls->list[i].operation->binds || (!overhead_is_timer(calls->list[i].operation) &&
                                                usual_link(calls->list[i].operation) == link))
            return true;
    return false;
}

/* --- reads --- */

static bool reads(const struct catalogue_operation *operation)
{
    return effect_is(operation, "keeps") && !operation->alone && !is_command(operation) &&
           is_warm(operation) && strcmp(operation->when, "stopped") != 0;
}

static void wish_reads(struct wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < LINKS; i++) {
        struct wished_tour tour = make_tour(wisher->study, OVERHEAD_READS, links[i]);
        struct wished_calls calls = {0};
        for (size_t j = 0; j < catalogue->operation_count; j++)
            if (reads(&catalogue->operations[j]) &&
                uses(wisher->study, &catalogue->operations[j], links[i]))
                add_call(&calls, &catalogue->operations[j], 1);
        if (calls.count && is_usual(&calls, links[i])) {
            add_timers(wisher->study, &calls);
            wish_pairs(wisher, &tour, &calls);
        }
    }
}

/* --- instruments: whatever shares counters --- */

static bool is_first_of_instrument(const struct catalogue *catalogue, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(catalogue->operations[i].instrument, catalogue->operations[index].instrument) ==
            0)
            return false;
    return true;
}

/* Calls of the instrument; path: only those of it, NULL: all. Reads by a mapped page are not among
 * them: starting and stopping a counter whose page is mapped costs more, and most programs have
 * none. */
static void add_instrument(const struct wisher *wisher, const char *instrument, const char *path,
                           const char *link, struct wished_calls *calls)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (strcmp(operation->instrument, instrument) == 0 && is_warm(operation) &&
            uses(wisher->study, operation, link) && !*operation->page &&
            (!path || strcmp(operation->path, path) == 0))
            add_call(calls, operation, 1);
    }
}

/* What a read costs depends on whether the counters run, so that it is read while they do; and once
 * right after each stop, as programs do that start, stop and read. */
static void add_reads_after_stops(struct wished_calls *calls)
{
    size_t count = calls->count;
    calls->running = true;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count && effect_is(calls->list[i].operation, "stops"); j++)
            if (strcmp(calls->list[i].operation->path, calls->list[j].operation->path) == 0 &&
                strcmp(calls->list[j].operation->kind, "read") == 0 &&
                strcmp(calls->list[j].operation->when, "running") != 0)
                add_pair(calls, calls->list[i].operation, calls->list[j].operation);
}

static bool has_effect(const struct wished_calls *calls, const char *effect)
{
    for (size_t i = 0; i < calls->count; i++)
        if (effect_is(calls->list[i].operation, effect))
            return true;
    return false;
}

/* A tour needs both: reads alone stand in the tour of reads. */
static bool is_switched(const struct wished_calls *calls)
{
    return has_effect(calls, "starts") && has_effect(calls, "stops");
}

static bool has_several_switches(const struct wished_calls *calls)
{
    const char *first = NULL;
    for (size_t i = 0; i < calls->count; i++) {
        const struct catalogue_operation *operation = calls->list[i].operation;
        if (!effect_is(operation, "starts"))
            continue;
        if (first && strcmp(first, operation->path) != 0)
            return true;
        first = operation->path;
    }
    return false;
}

static void wish_instruments(struct wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (int shared = 1; shared >= 0; shared--)
        for (size_t link = 0; link < LINKS; link++)
            for (size_t i = 0; i < catalogue->operation_count; i++)
                if ((!overhead_is_timer(&catalogue->operations[i]) &&
                     !is_command(&catalogue->operations[i])) &&
                    is_first_of_instrument(catalogue, i)) {
                    struct wished_calls calls = {0};
                    add_instrument(wisher, catalogue->operations[i].instrument, NULL, links[link],
                                   &calls);
                    if (is_switched(&calls) && is_usual(&calls, links[link]) &&
                        has_several_switches(&calls) == shared) {
                        struct wished_tour tour =
                            make_tour(wisher->study, shared ? OVERHEAD_SWITCHES : OVERHEAD_SINGLES,
                                      links[link]);
                        add_reads_after_stops(&calls);
                        add_timers(wisher->study, &calls);
                        wish_pairs(wisher, &tour, &calls);
                    }
                }
}

/* --- more counters --- */

/* The path by which it is switched: one that calls a library, if there is one. */
static const char *switching_path(const struct wished_calls *calls)
{
    const char *path = NULL;
    for (size_t i = 0; i < calls->count; i++)
        if (effect_is(calls->list[i].operation, "starts") &&
            (!path || calls->list[i].operation->binds))
            path = calls->list[i].operation->path;
    return path;
}

static struct wished_tour counters_tour(const struct wisher *wisher, uint32_t open, bool separate)
{
    struct wished_tour tour = make_tour(wisher->study, OVERHEAD_EVENTS, links[0]);
    tour.open = open;
    tour.separate = separate;
    return tour;
}

/* Reads by mapped pages: nothing is switched beside them. */
static void wish_pages(struct wisher *wisher, const char *instrument, uint32_t open, bool separate)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    struct wished_calls calls = {0};
    struct wished_tour tour = counters_tour(wisher, open, separate);
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (*operation->page && strcmp(operation->instrument, instrument) == 0 &&
            is_warm(operation) && uses(wisher->study, operation, tour.link))
            add_call(&calls, operation, 1);
    }
    if (calls.count) {
        add_timers(wisher->study, &calls);
        wish_pairs(wisher, &tour, &calls);
    }
}

static void wish_counters(struct wisher *wisher, const char *instrument, uint32_t open,
                          bool separate)
{
    struct wished_calls all = {0}, calls = {0};
    struct wished_tour tour = counters_tour(wisher, open, separate);
    add_instrument(wisher, instrument, NULL, tour.link, &all);
    if (is_switched(&all)) {
        add_instrument(wisher, instrument, switching_path(&all), tour.link, &calls);
        add_reads_after_stops(&calls);
        add_timers(wisher->study, &calls);
        wish_pairs(wisher, &tour, &calls);
    }
}

static uint32_t most_counters(const struct overhead_study *study)
{
    uint32_t usual = study->full ? FULL_MOST_OPEN : MOST_OPEN;
    return study->most_open && study->most_open < usual ? study->most_open : usual;
}

static void wish_both_layouts(struct wisher *wisher, const char *instrument, uint32_t open)
{
    wish_counters(wisher, instrument, open, false);
    wish_counters(wisher, instrument, open, true);
    wish_pages(wisher, instrument, open, false);
    wish_pages(wisher, instrument, open, true);
}

static void wish_events(struct wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (is_bare(&catalogue->operations[i]) && is_first_of_instrument(catalogue, i))
            for (uint32_t open = 1; open <= most_counters(wisher->study); open++)
                wish_both_layouts(wisher, catalogue->operations[i].instrument, open);
}

/* libassay makes the calls of others: a few numbers do. PAPI counts an event once in a set, and
 * what stands alone is switched as a whole: neither takes copies. */
static void wish_more_events(struct wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (strcmp(catalogue->operations[i].instrument, "assay") == 0 &&
            is_first_of_instrument(catalogue, i))
            for (uint32_t open = 1; open <= most_counters(wisher->study);
                 open += wisher->study->full ? 1 : open)
                wish_both_layouts(wisher, catalogue->operations[i].instrument, open);
}

/* --- several reads in one span --- */

static void wish_repeats(struct wisher *wisher)
{
    static const uint32_t times[] = {1, 2, 4, 8, 16, 32};
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        const char *link = usual_link(operation);
        struct wished_tour tour = make_tour(wisher->study, OVERHEAD_REPEATS, link);
        struct wished_calls calls = {0};
        if (!reads(operation) || strcmp(operation->kind, "read") != 0 ||
            !uses(wisher->study, operation, link))
            continue;
        for (size_t j = 0; j < sizeof(times) / sizeof(*times); j++)
            add_call(&calls, operation, times[j]);
        add_timers(wisher->study, &calls);
        wish_pairs(wisher, &tour, &calls);
    }
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
static void (*const wishers[])(struct wisher *wisher) = {
    wish_reads,   wish_instruments, wish_bare_cold, wish_events,
    wish_repeats, wish_commands,    wish_cold,      wish_more_events,
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
    struct wisher wisher = {.study = study, .wishes = wishes, .failure = failure};
    for (size_t i = 0; i < study->meters_count; i++) {
        wisher.meters = &study->meters[i];
        for (size_t j = 0; j < sizeof(wishers) / sizeof(*wishers); j++)
            if (!study->uncounted || wishers[j] == wish_commands)
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
