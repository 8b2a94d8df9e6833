/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of a tour's calls: a closed walk that uses every pair of calls once. A tree of last
 * steps towards the first call, drawn by a walk that forgets its loops, and the other steps of
 * every call in random order: that gives each walk the same chance (de Bruijn, van
 * Aardenne-Ehrenfest, Smith, Tutte; Wilson). */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/random.h"
#include "studies/overhead/parts.h"

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
