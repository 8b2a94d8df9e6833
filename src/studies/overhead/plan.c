/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay overhead`: which tours a budget holds, and the order of their visits. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"
#include "engine/wishes.h"
#include "studies/overhead/plan.h"

/* ----------------------------------------------------------------------------------------------
 * Making wishes for `assay overhead`: from calls that belong together to a tour in several orders.
 */

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

static struct overhead_wish *add_wish(struct overhead_wisher *wisher,
                                      const struct wished_tour *tour, uint32_t circuits)
{
    struct overhead_wish *wish = memory_add(wisher->plan->wishes, wisher->plan->wish_count);
    *wish = (struct overhead_wish){.stage = tour->stage,
                                   .circuits = memory_new(circuits, sizeof(*wish->circuits)),
                                   .processes = tour->processes,
                                   .least = tour->least < tour->processes ? tour->least
                                                                          : tour->processes};
    return wish;
}

/* One order of the calls, which the cell then owns. */
static void add_circuit(struct overhead_wisher *wisher, const struct wished_tour *tour,
                        struct overhead_wish *wish, char *calls, size_t length)
{
    const struct overhead_meters *meters = wisher->meters;
    struct cell *cell = &wish->circuits[wish->circuit_count++];
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
    struct overhead_wish *wish = add_wish(wisher, tour, orders);
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
    struct overhead_wish *wish = add_wish(wisher, tour, orders);
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
    add_circuit(wisher, tour, add_wish(wisher, tour, 1), memory_text(&order), calls->count);
}

/* ----------------------------------------------------------------------------------------------
 * What a visit of `assay overhead` will take: what those of its tour took, else what is assumed of
 * such tours, times how wrong that was of others. */

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

static uint64_t assumed_price(const struct overhead_study *study, const struct overhead_wish *wish)
{
    const struct cell *cell = &wish->circuits[0];
    size_t i = 0;
    while (!strstr(cell->tour.calls, assumed[i].calls))
        i++;
    return (assumed[i].ns + cell->runs * CALL_NS) * (study->emulated ? EMULATED : 1);
}

void overhead_plan_learn(struct overhead_plan *plan, uint32_t cell, uint64_t ns)
{
    if (cell < 1 || cell > plan->count || plan->about[cell - 1].wish == OVERHEAD_NO_WISH)
        return;
    struct overhead_wish *wish = &plan->wishes[plan->about[cell - 1].wish];
    wish->visits++;
    wish->ns += ns;
}

static double slowness(const struct overhead_study *study, const struct overhead_plan *plan)
{
    double paid = 0, expected = 0;
    for (size_t i = 0; i < plan->wish_count; i++) {
        const struct overhead_wish *wish = &plan->wishes[i];
        paid += (double)wish->ns;
        expected += (double)wish->visits * (double)assumed_price(study, wish);
    }
    return expected > 0 && paid > 0 ? paid / expected : 1;
}

uint64_t overhead_plan_price(const struct overhead_study *study, const struct overhead_plan *plan,
                             const struct overhead_wish *wish)
{
    if (wish->visits)
        return wish->ns / wish->visits;
    return (uint64_t)(slowness(study, plan) * (double)assumed_price(study, wish));
}

/* --- the plan --- */

#define SURELY_FIT 4u /* counters */
#define GIVE_UP    5u /* failures after which a tour gets no further visit */

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

static bool same_cell(const struct cell *left, const struct cell *right)
{
    return plan_same_way(left, right) && left->runs == right->runs &&
           strcmp(left->specimen, right->specimen) == 0 && left->n == right->n;
}

int overhead_plan_wish(const struct overhead_study *study, struct overhead_plan *plan,
                       struct failure *failure)
{
    struct overhead_wisher wisher = {.study = study, .plan = plan, .failure = failure};
    for (size_t i = 0; i < study->meters_count; i++) {
        wisher.meters = &study->meters[i];
        for (size_t j = 0; j < sizeof(wishers) / sizeof(*wishers); j++)
            if (!study->uncounted || wishers[j] == overhead_wish_commands)
                wishers[j](&wisher);
    }
    if (wisher.error == 0) {
        /* One counter of a sweep may be what another stage measures anyway, in the same orders. */
        size_t kept = 0;
        for (size_t i = 0; i < plan->wish_count; i++) {
            bool repeated = false;
            for (size_t j = 0; j < kept && !repeated; j++)
                repeated = same_cell(&plan->wishes[i].circuits[0], &plan->wishes[j].circuits[0]);
            if (!repeated)
                plan->wishes[kept++] = plan->wishes[i];
        }
        plan->wish_count = kept;
        /* Who does not fit with so many counters does not with more: those beyond what every CPU
         * has are tried one after the other. */
        for (size_t i = 0; i < plan->wish_count; i++) {
            const struct cell *cell = &plan->wishes[i].circuits[0];
            uint32_t most = 0;
            plan->wishes[i].after = OVERHEAD_NO_WISH;
            for (size_t j = 0; j < plan->wish_count && cell->tour.open > SURELY_FIT; j++) {
                const struct cell *other = &plan->wishes[j].circuits[0];
                /* The same with fewer counters, whoever calls: how many fit is the machine's to
                 * say. */
                if (!(other->tour.open < cell->tour.open && other->separate == cell->separate &&
                      strcmp(other->link, cell->link) == 0 &&
                      strcmp(other->events[0], cell->events[0]) == 0) ||
                    other->tour.open <= most)
                    continue;
                plan->wishes[i].after = j;
                most = other->tour.open;
            }
        }
    }
    return wisher.error;
}

/* --- the cells of a plan --- */

static size_t wish_of(const struct overhead_plan *plan, const struct cell *cell)
{
    for (size_t i = 0; i < plan->wish_count; i++)
        for (size_t j = 0; j < plan->wishes[i].circuit_count; j++)
            if (same_cell(&plan->wishes[i].circuits[j], cell))
                return i;
    return OVERHEAD_NO_WISH;
}

static void append(struct overhead_plan *plan, const struct cell *cell, struct overhead_about about)
{
    const struct cell copy = plan_copy(cell);
    size_t count = plan->count;
    *memory_add(plan->about, count) = about;
    plan_append(&plan->cells, &plan->count, &copy);
}

void overhead_plan_adopt(struct overhead_plan *plan, const struct cell *cell, uint32_t planned,
                         uint32_t failed)
{
    append(
        plan, cell,
        (struct overhead_about){.wish = wish_of(plan, cell), .planned = planned, .failed = failed});
}

static uint32_t count_visits(const struct overhead_plan *plan, size_t wish, bool failed)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].wish == wish)
            sum += failed ? plan->about[i].failed : plan->about[i].planned;
    return sum;
}

uint32_t overhead_plan_processes(const struct overhead_plan *plan, size_t wish)
{
    return count_visits(plan, wish, false) - count_visits(plan, wish, true);
}

bool overhead_plan_is_failing(const struct overhead_plan *plan, size_t wish)
{
    uint32_t failed = count_visits(plan, wish, true);
    return failed && (failed >= GIVE_UP || failed == count_visits(plan, wish, false));
}

bool overhead_plan_is_due(const struct overhead_plan *plan, size_t wish)
{
    size_t after = plan->wishes[wish].after;
    return after == OVERHEAD_NO_WISH || overhead_plan_processes(plan, after) > 0;
}

/* --- goals --- */

static uint64_t cost_of(uint64_t price, uint32_t visits)
{
    uint64_t cost;
    return __builtin_mul_overflow(price, (uint64_t)visits, &cost) ? UINT64_MAX : cost;
}

static uint64_t less(uint64_t ns, uint64_t cost)
{
    return ns == UINT64_MAX ? ns : cost < ns ? ns - cost : 0;
}

void overhead_plan_look(const struct overhead_study *study, struct overhead_plan *plan, uint64_t ns)
{
    for (size_t i = 0; i < plan->wish_count; i++) {
        struct overhead_wish *wish = &plan->wishes[i];
        uint64_t price = overhead_plan_price(study, plan, wish);
        wish->goal = count_visits(plan, i, false);
        /* The most important one is measured whatever it costs: else nothing would be. */
        if (wish->goal || (price > ns && i > 0) || !overhead_plan_is_due(plan, i))
            continue;
        wish->goal = 1;
        ns = less(ns, price);
    }
}

/* Every tour the least that says something. What is left of ns. */
static uint64_t settle_least(const struct overhead_study *study, struct overhead_plan *plan,
                             uint64_t ns)
{
    for (size_t i = 0; i < plan->wish_count; i++) {
        struct overhead_wish *wish = &plan->wishes[i];
        uint32_t planned = count_visits(plan, i, false);
        wish->goal = planned;
        if (overhead_plan_is_failing(plan, i) || planned >= wish->least ||
            !overhead_plan_is_due(plan, i))
            continue;
        uint64_t cost = cost_of(overhead_plan_price(study, plan, wish), wish->least - planned);
        if (cost > ns && i > 0)
            continue;
        wish->goal = wish->least;
        ns = less(ns, cost);
    }
    return ns;
}

/* How many more the tour would have, if it cost nothing. */
static uint32_t room_of(const struct overhead_plan *plan, size_t index)
{
    const struct overhead_wish *wish = &plan->wishes[index];
    bool grows = wish->goal >= wish->least && wish->goal < wish->processes &&
                 !overhead_plan_is_failing(plan, index);
    return grows ? wish->processes - wish->goal : 0;
}

void overhead_plan_settle(const struct overhead_study *study, struct overhead_plan *plan,
                          uint64_t ns)
{
    double wanted = 0, left = (double)settle_least(study, plan, ns);
    for (size_t i = 0; i < plan->wish_count; i++)
        wanted +=
            (double)room_of(plan, i) * (double)overhead_plan_price(study, plan, &plan->wishes[i]);
    double share = wanted > left ? left / wanted : 1;
    for (size_t i = 0; i < plan->wish_count; i++)
        plan->wishes[i].goal += (uint32_t)(share * (double)room_of(plan, i));
}

static uint32_t lacking(const struct overhead_plan *plan, size_t wish)
{
    uint32_t planned = count_visits(plan, wish, false);
    return plan->wishes[wish].goal > planned ? plan->wishes[wish].goal - planned : 0;
}

bool overhead_plan_wants(const struct overhead_plan *plan)
{
    for (size_t i = 0; i < plan->wish_count; i++)
        if (lacking(plan, i))
            return true;
    return false;
}

/* --- the order --- */

/* Index of the circuit's cell, which is appended where it is not there yet. */
static size_t cell_of(struct overhead_plan *plan, size_t wish, const struct cell *circuit)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].wish == wish && same_cell(&plan->cells[i], circuit))
            return i;
    append(plan, circuit, (struct overhead_about){.wish = wish});
    return plan->count - 1;
}

void overhead_plan_visits(struct overhead_plan *plan, uint32_t portions, uint64_t seed,
                          struct visit **visits, size_t *count)
{
    for (size_t i = 0; i < plan->count; i++)
        plan->about[i].drawn = 0;
    for (size_t i = 0; i < plan->wish_count; i++) {
        uint32_t wanted = lacking(plan, i);
        wanted = wanted / portions + (wanted % portions != 0);
        for (uint32_t made = 0; made < wanted; made++) {
            /* One visit more, of the circuit that has the fewest. */
            size_t best = 0;
            uint32_t fewest = UINT32_MAX;
            for (size_t j = 0; j < plan->wishes[i].circuit_count && fewest; j++) {
                size_t candidate = cell_of(plan, i, &plan->wishes[i].circuits[j]);
                if (plan->about[candidate].planned < fewest) {
                    best = candidate;
                    fewest = plan->about[candidate].planned;
                }
            }
            plan->about[best].planned++;
            plan->about[best].drawn++;
        }
    }
    AUTO_MEMORY uint32_t *portion = memory_new(plan->count + 1, sizeof(*portion));
    for (size_t i = 0; i < plan->count; i++)
        portion[i] = plan->about[i].drawn;
    plan_rounds(plan->cells, plan->count, portion, seed, visits, count);
    /* Ids count from 1 in the order of the plan; processes go on where they were. */
    for (size_t i = 0; i < *count; i++) {
        size_t cell = (*visits)[i].cell - 1;
        (*visits)[i].process += plan->about[cell].planned - portion[cell];
    }
}
