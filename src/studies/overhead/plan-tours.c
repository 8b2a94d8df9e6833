/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The warm tours that `assay overhead` wishes for: reads side by side, the switches of every
 * instrument, more counters, several reads in one span. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"
#include "stats/random.h"
#include "studies/overhead/plan.h"
#include "wire/tour.h"

/* ----------------------------------------------------------------------------------------------
 * Draws a closed walk that uses every pair of calls once. A tree of last steps towards the first
 * call, drawn by a walk that forgets its loops, and the other steps of every call in random order:
 * that gives each walk the same chance (de Bruijn, van Aardenne-Ehrenfest, Smith, Tutte; Wilson).
 */

enum state { STOPPED, RUNNING, STATES };

/* A call in the state in which it is made. */
struct node {
    const char *call, *then;
    enum state needs, leaves;
};

/* Nodes in which a walk may go on in state s stand in a row: from[s] … from[s + 1] - 1. */
struct graph {
    struct node *nodes;
    size_t count, from[STATES + 1];
};

/* --- what can be called in which state --- */

static bool may_be_called(const struct order_call *call, enum state state)
{
    if (call->when != ORDER_ANY)
        return (call->when == ORDER_RUNNING) == (state == RUNNING);
    /* A start makes sense in what is stopped. */
    return call->effect == ORDER_KEEPS || (call->effect == ORDER_STOPS) == (state == RUNNING);
}

static size_t count_effect(const struct order_call *list, size_t count, enum order_effect effect)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += list[i].effect == effect;
    return found;
}

static bool is_name(const char *call)
{
    return *call && strlen(call) < TOUR_NAME && !strchr(call, ',');
}

static bool is_same(const struct order_call *left, const struct order_call *right)
{
    const char *first = left->then ? left->then : "", *second = right->then ? right->then : "";
    return strcmp(left->call, right->call) == 0 && strcmp(first, second) == 0;
}

static int check_call(const struct order_call *list, size_t index, bool switched,
                      struct failure *failure)
{
    const struct order_call *call = &list[index];
    if (!is_name(call->call) || (call->then && !is_name(call->then)))
        return fail_with(failure, -EINVAL, "'%.80s' is no name of a call",
                         is_name(call->call) ? call->then : call->call);
    for (size_t i = 0; i < index; i++)
        if (is_same(&list[i], call))
            return fail_with(failure, -EINVAL, "%s is to be called twice", call->call);
    if ((call->effect == ORDER_STARTS && call->when == ORDER_RUNNING) ||
        (call->effect == ORDER_STOPS && call->when == ORDER_STOPPED))
        return fail_with(failure, -EINVAL, "%s leads to the state that it needs", call->call);
    if (!switched && call->when == ORDER_STOPPED)
        return fail_with(failure, -EINVAL, "%s needs a stop, and nothing stops", call->call);
    return 0;
}

static int check(const struct order_call *list, size_t count, struct failure *failure)
{
    size_t starts = count_effect(list, count, ORDER_STARTS);
    size_t stops = count_effect(list, count, ORDER_STOPS);
    int error = 0;
    if (!count)
        return fail_with(failure, -EINVAL, "there is nothing to call");
    if (count > TOUR_MOST_CALLS)
        return fail_with(failure, -E2BIG, "%zu calls have more pairs than a tour holds", count);
    if (!starts != !stops)
        return fail_with(failure, -EINVAL, "a tour cannot %s what it never %s",
                         starts ? "start again" : "stop again", starts ? "stops" : "starts");
    for (size_t i = 0; i < count && error == 0; i++)
        error = check_call(list, i, starts != 0, failure);
    return error;
}

/* --- the graph --- */

static void add(struct graph *graph, const struct order_call *call, enum state needs)
{
    enum state leaves = call->effect == ORDER_KEEPS    ? needs
                        : call->effect == ORDER_STARTS ? RUNNING
                                                       : STOPPED;
    graph->nodes[graph->count++] = (struct node){call->call, call->then, needs, leaves};
}

/* All calls of the state; of its switches `switches`, the first ones again where they are fewer. */
static void add_state(struct graph *graph, const struct order_call *list, size_t count,
                      enum state state, size_t switches)
{
    graph->from[state] = graph->count;
    for (size_t i = 0; i < count; i++)
        if (list[i].effect == ORDER_KEEPS && may_be_called(&list[i], state))
            add(graph, &list[i], state);
    for (size_t i = 0, added = 0; added < switches; i = (i + 1) % count)
        if (list[i].effect != ORDER_KEEPS && may_be_called(&list[i], state)) {
            add(graph, &list[i], state);
            added++;
        }
    graph->from[state + 1] = graph->count;
}

static size_t keepers(const struct order_call *list, size_t count, enum state state)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += list[i].effect == ORDER_KEEPS && may_be_called(&list[i], state);
    return found;
}

static const struct order_call filler = {.call = ORDER_FILLER};

/* Both states get as many keepers as the larger one has, and as many switches lead from each to
 * the other: then as many steps lead to every node as from it. */
static void build(struct graph *graph, const struct order_call *list, size_t count)
{
    size_t starts = count_effect(list, count, ORDER_STARTS);
    size_t stops = count_effect(list, count, ORDER_STOPS);
    size_t switches = starts > stops ? starts : stops;
    size_t most = keepers(list, count, RUNNING), stopped = keepers(list, count, STOPPED);
    if (switches && stopped > most)
        most = stopped;
    graph->nodes = memory_new(2 * (most + switches) + 1, sizeof(*graph->nodes));
    for (enum state state = STOPPED; state < STATES; state++) {
        if (state == STOPPED && !switches)
            continue;
        add_state(graph, list, count, state, switches);
        while (graph->count - graph->from[state] < most + switches)
            add(graph, &filler, state);
        graph->from[state + 1] = graph->count;
    }
}

static size_t degree(const struct graph *graph, size_t node)
{
    enum state state = graph->nodes[node].leaves;
    return graph->from[state + 1] - graph->from[state];
}

static size_t step(const struct graph *graph, size_t node, size_t choice)
{
    return graph->from[graph->nodes[node].leaves] + choice;
}

/* --- the walk --- */

/* The steps of one node, in the order in which they are taken; the root has no last one. */
static void draw_steps(const struct graph *graph, size_t node, size_t root, size_t last,
                       struct random *random, size_t *steps)
{
    size_t count = degree(graph, node);
    for (size_t i = 0; i < count; i++)
        steps[i] = i;
    size_t free_steps = count;
    if (node != root) {
        free_steps--;
        steps[last] = free_steps;
        steps[free_steps] = last;
    }
    for (size_t left = free_steps; left > 1; left--) {
        size_t chosen = (size_t)random_below(random, left), kept = steps[left - 1];
        steps[left - 1] = steps[chosen];
        steps[chosen] = kept;
    }
}

/* Where a tour begins: with a switch if there is one, because that tells in which state. */
static size_t draw_root(const struct graph *graph, struct random *random)
{
    bool switched = graph->from[STOPPED] < graph->from[RUNNING];
    size_t root;
    do
        root = (size_t)random_below(random, graph->count);
    while (switched && graph->nodes[root].needs == graph->nodes[root].leaves);
    return root;
}

/* Every node has the same degree. */
static void walk(const struct graph *graph, struct random *random, struct text *out)
{
    size_t each = degree(graph, 0), root = draw_root(graph, random);
    AUTO_MEMORY size_t *last = memory_new(graph->count, sizeof(*last));
    AUTO_MEMORY size_t *steps = memory_new(graph->count * each, sizeof(*steps));
    AUTO_MEMORY size_t *taken = memory_new(graph->count, sizeof(*taken));
    /* Which step each node takes last: together they lead from everywhere to the root. */
    AUTO_MEMORY bool *reached = memory_new(graph->count, sizeof(*reached));
    reached[root] = true;
    for (size_t i = 0; i < graph->count; i++) {
        for (size_t j = i; !reached[j]; j = step(graph, j, last[j]))
            last[j] = (size_t)random_below(random, degree(graph, j));
        for (size_t j = i; !reached[j]; j = step(graph, j, last[j]))
            reached[j] = true;
    }
    for (size_t node = 0; node < graph->count; node++)
        draw_steps(graph, node, root, last[node], random, steps + node * each);
    size_t at = root;
    for (size_t made = 0; made < graph->count * each; made++) {
        const struct node *node = &graph->nodes[at];
        text_printf(out, "%s%s", made ? "," : "", node->call);
        if (node->then)
            text_printf(out, ",%s", node->then);
        at = step(graph, at, steps[at * each + taken[at]++]);
    }
}

int overhead_order(const struct order_call *list, size_t count, uint64_t seed, char **calls,
                   size_t *length, struct failure *failure)
{
    struct text out = {0};
    struct graph graph = {0};
    struct random random;
    int error = check(list, count, failure);
    if (error < 0)
        return error;
    build(&graph, list, count);
    AUTO_MEMORY struct node *nodes = graph.nodes;
    /* Every node is called as often as it has steps. */
    *length = 0;
    for (size_t i = 0; i < graph.count; i++)
        *length += (nodes[i].then ? 2 : 1) * degree(&graph, 0);
    if (*length > TOUR_MOST_CALLS)
        return fail_with(failure, -E2BIG, "%zu calls have more pairs than a tour holds (%u)", count,
                         TOUR_MOST_CALLS);
    random_seed(&random, seed);
    walk(&graph, &random, &out);
    *calls = memory_text(&out);
    return 0;
}

/* --- each once --- */

int overhead_permutation(const struct order_call *list, size_t count, size_t index, char **calls,
                         struct failure *failure)
{
    AUTO_TEXT struct text out = {0};
    AUTO_MEMORY size_t *order = memory_new(count + 1, sizeof(*order));
    int error = check(list, count, failure);
    if (error < 0)
        return error;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    /* The digits of the index say which of those that are left comes next. */
    for (size_t at = 0; at < count; at++) {
        size_t left = count - at, chosen = at + index % left, kept = order[chosen];
        memmove(order + at + 1, order + at, (chosen - at) * sizeof(*order));
        order[at] = kept;
        index /= left;
        text_printf(&out, "%s%s", at ? "," : "", list[kept].call);
    }
    if (index)
        return fail_with(failure, -EINVAL, "%zu calls have fewer orders", count);
    *calls = memory_text(&out);
    return 0;
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
                wished_calls_add(calls, operation, 1);
    }
}

/* --- first calls --- */

static void wish_switches(struct overhead_wisher *wisher, const char *path, const char *link)
{
    static const char *const effects[] = {"starts", "keeps", "stops"};
    struct wished_tour tour = overhead_cold_tour(wisher->study, link);
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
                if (strcmp(operation->path, path) == 0 &&
                    overhead_effect_is(operation, effects[i]) &&
                    overhead_uses(wisher->study, operation, link))
                    wished_calls_add(&calls, operation, 1);
            }
            found[i] = calls.count - before;
        }
    add_timer(wisher->study, "gauge", GAUGES, &calls);
    if (found[0] && found[2])
        overhead_wish_row(wisher, &tour, &calls);
}

static bool is_first_of_path(const struct catalogue *catalogue, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(catalogue->operations[i].path, catalogue->operations[index].path) == 0)
            return false;
    return true;
}

/* How a library is linked matters for its first call; who calls none is measured once. */
static void wish_first(struct overhead_wisher *wisher, size_t index, const char *link)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    const struct catalogue_operation *operation = &catalogue->operations[index];
    if (!overhead_uses(wisher->study, operation, link) || overhead_is_command(operation))
        return;
    if (is_first_of_path(catalogue, index))
        wish_switches(wisher, operation->path, link);
    if (strcmp(operation->kind, "read") == 0) {
        struct wished_tour own = overhead_cold_tour(wisher->study, link);
        struct wished_calls again = {0};
        add_timer(wisher->study, "nothing", NOTHINGS, &again);
        for (uint32_t read = 0; read < READS; read++)
            wished_calls_add(&again, operation, 1);
        add_timer(wisher->study, "gauge", GAUGES, &again);
        overhead_wish_row(wisher, &own, &again);
    }
}

static void wish_cold(struct overhead_wisher *wisher, bool bare)
{
    static const char *const links[] = {"static", "lazy", "bind-now"};
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
        for (size_t j = 0; j < catalogue->operation_count; j++) {
            const struct catalogue_operation *operation = &catalogue->operations[j];
            char usual[WORD_LIST_WORD];
            word_list_prefer(operation->links, "static", usual);
            if (overhead_is_bare(operation) == bare &&
                (operation->binds || strcmp(usual, links[i]) == 0))
                wish_first(wisher, j, links[i]);
        }
}

void overhead_wish_bare_cold(struct overhead_wisher *wisher)
{
    wish_cold(wisher, true);
}

void overhead_wish_cold(struct overhead_wisher *wisher)
{
    wish_cold(wisher, false);
}

/* --- whole commands --- */

/* A command takes as long as thousands of other calls, and a pass of all pairs would hardly ever be
 * undisturbed: in each order of the tour a command stands once, and all orders together have every
 * pair. The gauge comes last and repeatedly, because it is cold itself after a command. */
void overhead_wish_commands(struct overhead_wisher *wisher)
{
    const struct overhead_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    struct wished_tour tour = overhead_command_tour(study, "static");
    struct wished_calls calls = {0}, end = {0};
    if (!overhead_tells_time(wisher->meters))
        return; /* counters are of one process */
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (overhead_is_command(&catalogue->operations[i]) &&
            overhead_uses(study, &catalogue->operations[i], tour.link))
            wished_calls_add(&calls, &catalogue->operations[i], 1);
    if (calls.count) {
        add_timer(study, "nothing", 1, &calls);
        add_timer(study, "gauge", GAUGES, &end);
        overhead_wish_permutations(wisher, &tour, &calls, &end);
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
    return overhead_effect_is(operation, "keeps") && !operation->alone &&
           !overhead_is_command(operation) && overhead_is_warm(operation) &&
           strcmp(operation->when, "stopped") != 0;
}

void overhead_wish_reads(struct overhead_wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < LINKS; i++) {
        struct wished_tour tour = overhead_main_tour(wisher->study, OVERHEAD_READS, links[i]);
        struct wished_calls calls = {0};
        for (size_t j = 0; j < catalogue->operation_count; j++)
            if (reads(&catalogue->operations[j]) &&
                overhead_uses(wisher->study, &catalogue->operations[j], links[i]))
                wished_calls_add(&calls, &catalogue->operations[j], 1);
        if (calls.count && is_usual(&calls, links[i])) {
            wished_calls_add_timer(wisher->study, &calls);
            overhead_wish_pairs(wisher, &tour, &calls);
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
static void add_instrument(const struct overhead_wisher *wisher, const char *instrument,
                           const char *path, const char *link, struct wished_calls *calls)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (strcmp(operation->instrument, instrument) == 0 && overhead_is_warm(operation) &&
            overhead_uses(wisher->study, operation, link) && !*operation->page &&
            (!path || strcmp(operation->path, path) == 0))
            wished_calls_add(calls, operation, 1);
    }
}

/* What a read costs depends on whether the counters run, so that it is read while they do; and once
 * right after each stop, as programs do that start, stop and read. */
static void add_reads_after_stops(struct wished_calls *calls)
{
    size_t count = calls->count;
    calls->running = true;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count && overhead_effect_is(calls->list[i].operation, "stops"); j++)
            if (strcmp(calls->list[i].operation->path, calls->list[j].operation->path) == 0 &&
                strcmp(calls->list[j].operation->kind, "read") == 0 &&
                strcmp(calls->list[j].operation->when, "running") != 0)
                wished_calls_add_pair(calls, calls->list[i].operation, calls->list[j].operation);
}

static bool has_effect(const struct wished_calls *calls, const char *effect)
{
    for (size_t i = 0; i < calls->count; i++)
        if (overhead_effect_is(calls->list[i].operation, effect))
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
        if (!overhead_effect_is(operation, "starts"))
            continue;
        if (first && strcmp(first, operation->path) != 0)
            return true;
        first = operation->path;
    }
    return false;
}

void overhead_wish_instruments(struct overhead_wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (int shared = 1; shared >= 0; shared--)
        for (size_t link = 0; link < LINKS; link++)
            for (size_t i = 0; i < catalogue->operation_count; i++)
                if ((!overhead_is_timer(&catalogue->operations[i]) &&
                     !overhead_is_command(&catalogue->operations[i])) &&
                    is_first_of_instrument(catalogue, i)) {
                    struct wished_calls calls = {0};
                    add_instrument(wisher, catalogue->operations[i].instrument, NULL, links[link],
                                   &calls);
                    if (is_switched(&calls) && is_usual(&calls, links[link]) &&
                        has_several_switches(&calls) == shared) {
                        struct wished_tour tour = overhead_main_tour(
                            wisher->study, shared ? OVERHEAD_SWITCHES : OVERHEAD_SINGLES,
                            links[link]);
                        add_reads_after_stops(&calls);
                        wished_calls_add_timer(wisher->study, &calls);
                        overhead_wish_pairs(wisher, &tour, &calls);
                    }
                }
}

/* --- more counters --- */

/* The path by which it is switched: one that calls a library, if there is one. */
static const char *switching_path(const struct wished_calls *calls)
{
    const char *path = NULL;
    for (size_t i = 0; i < calls->count; i++)
        if (overhead_effect_is(calls->list[i].operation, "starts") &&
            (!path || calls->list[i].operation->binds))
            path = calls->list[i].operation->path;
    return path;
}

static struct wished_tour counters_tour(const struct overhead_wisher *wisher, uint32_t open,
                                        bool separate)
{
    struct wished_tour tour = overhead_sweep_tour(wisher->study, OVERHEAD_EVENTS, links[0]);
    tour.open = open;
    tour.separate = separate;
    return tour;
}

/* Reads by mapped pages: nothing is switched beside them. */
static void wish_pages(struct overhead_wisher *wisher, const char *instrument, uint32_t open,
                       bool separate)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    struct wished_calls calls = {0};
    struct wished_tour tour = counters_tour(wisher, open, separate);
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (*operation->page && strcmp(operation->instrument, instrument) == 0 &&
            overhead_is_warm(operation) && overhead_uses(wisher->study, operation, tour.link))
            wished_calls_add(&calls, operation, 1);
    }
    if (calls.count) {
        wished_calls_add_timer(wisher->study, &calls);
        overhead_wish_pairs(wisher, &tour, &calls);
    }
}

static void wish_counters(struct overhead_wisher *wisher, const char *instrument, uint32_t open,
                          bool separate)
{
    struct wished_calls all = {0}, calls = {0};
    struct wished_tour tour = counters_tour(wisher, open, separate);
    add_instrument(wisher, instrument, NULL, tour.link, &all);
    if (is_switched(&all)) {
        add_instrument(wisher, instrument, switching_path(&all), tour.link, &calls);
        add_reads_after_stops(&calls);
        wished_calls_add_timer(wisher->study, &calls);
        overhead_wish_pairs(wisher, &tour, &calls);
    }
}

static uint32_t most_counters(const struct overhead_study *study)
{
    uint32_t usual = study->full ? FULL_MOST_OPEN : MOST_OPEN;
    return study->most_open && study->most_open < usual ? study->most_open : usual;
}

static void wish_both_layouts(struct overhead_wisher *wisher, const char *instrument, uint32_t open)
{
    wish_counters(wisher, instrument, open, false);
    wish_counters(wisher, instrument, open, true);
    wish_pages(wisher, instrument, open, false);
    wish_pages(wisher, instrument, open, true);
}

void overhead_wish_events(struct overhead_wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (overhead_is_bare(&catalogue->operations[i]) && is_first_of_instrument(catalogue, i))
            for (uint32_t open = 1; open <= most_counters(wisher->study); open++)
                wish_both_layouts(wisher, catalogue->operations[i].instrument, open);
}

/* libassay makes the calls of others: a few numbers do. PAPI counts an event once in a set, and
 * what stands alone is switched as a whole: neither takes copies. */
void overhead_wish_more_events(struct overhead_wisher *wisher)
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

void overhead_wish_repeats(struct overhead_wisher *wisher)
{
    static const uint32_t times[] = {1, 2, 4, 8, 16, 32};
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        const char *link = usual_link(operation);
        struct wished_tour tour = overhead_sweep_tour(wisher->study, OVERHEAD_REPEATS, link);
        struct wished_calls calls = {0};
        if (!reads(operation) || strcmp(operation->kind, "read") != 0 ||
            !overhead_uses(wisher->study, operation, link))
            continue;
        for (size_t j = 0; j < sizeof(times) / sizeof(*times); j++)
            wished_calls_add(&calls, operation, times[j]);
        wished_calls_add_timer(wisher->study, &calls);
        overhead_wish_pairs(wisher, &tour, &calls);
    }
}
