/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of a tour's calls: every pair that makes sense once in a pass, nothing that does not,
 * closed, and drawn evenly. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "studies/overhead/parts.h"
#include "wire/cell.h"

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
#define MOST        4096
#define CALL(name, effect_, when_)                                                                 \
    {                                                                                              \
        .call = (name), .effect = (effect_), .when = (when_)                                       \
    }

static const struct order_call reads[] = {
    CALL("timer.nothing", ORDER_KEEPS, ORDER_ANY),
    CALL("timer.gauge", ORDER_KEEPS, ORDER_ANY),
    CALL("perf-read.read", ORDER_KEEPS, ORDER_ANY),
    CALL("perf-syscall.read", ORDER_KEEPS, ORDER_ANY),
    CALL("papi-low.accum", ORDER_KEEPS, ORDER_RUNNING),
};
static const struct order_call switches[] = {
    CALL("timer.nothing", ORDER_KEEPS, ORDER_ANY),
    CALL("timer.gauge", ORDER_KEEPS, ORDER_ANY),
    CALL("perf-read.read", ORDER_KEEPS, ORDER_ANY),
    CALL("perf-read.start", ORDER_STARTS, ORDER_STOPPED),
    CALL("perf-read.stop", ORDER_STOPS, ORDER_RUNNING),
    CALL("perf-syscall.start", ORDER_STARTS, ORDER_ANY),
    CALL("perf-syscall.stop", ORDER_STOPS, ORDER_ANY),
    CALL("papi-low.accum", ORDER_KEEPS, ORDER_RUNNING),
};

/* A walk as its words. */
struct walk {
    char *text;
    size_t length;
    char *words[MOST];
};

static struct walk draw(const struct order_call *list, size_t count, uint64_t seed)
{
    struct walk walk = {0};
    struct failure failure = {0};
    assert_int_equal(overhead_order(list, count, seed, &walk.text, &walk.length, &failure), 0);
    size_t words = 0;
    char *rest = walk.text;
    for (char *word; (word = strsep(&rest, ",")) && words < MOST; words++)
        walk.words[words] = word;
    assert_int_equal(words, walk.length);
    return walk;
}

/* How often the pair stands in a pass, the last call before the first of the next pass included. */
static size_t times(const struct walk *walk, const char *first, const char *second)
{
    size_t found = 0;
    for (size_t i = 0; i < walk->length; i++)
        found += strcmp(walk->words[i], first) == 0 &&
                 strcmp(walk->words[(i + 1) % walk->length], second) == 0;
    return found;
}

static const struct order_call *find(const char *call)
{
    for (size_t i = 0; i < COUNT(switches); i++)
        if (strcmp(switches[i].call, call) == 0)
            return &switches[i];
    return NULL;
}

/* Goes through two passes: what the state must be is known once something was switched. */
static void check_states(const struct walk *walk)
{
    const struct order_call *first = find(walk->words[0]);
    assert_int_not_equal(first->effect, ORDER_KEEPS);
    bool running = first->effect == ORDER_STOPS;
    for (size_t i = 0; i < 2 * walk->length; i++) {
        const struct order_call *call = find(walk->words[i % walk->length]);
        assert_non_null(call);
        if (call->effect != ORDER_KEEPS)
            assert_true(running == (call->effect == ORDER_STOPS));
        if (call->when != ORDER_ANY)
            assert_true(running == (call->when == ORDER_RUNNING));
        running = call->effect == ORDER_STARTS || (running && call->effect != ORDER_STOPS);
    }
}

TEST(switches_only_what_can_be_switched)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct walk walk = draw(switches, COUNT(switches), seed);
        check_states(&walk);
    }
}

TEST(draws_the_same_from_the_same_seed_alone)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct walk one = draw(switches, COUNT(switches), 1),
                    other = draw(switches, COUNT(switches), seed);
        size_t same = 0;
        for (size_t i = 0; i < one.length; i++)
            same += strcmp(one.words[i], other.words[i]) == 0;
        assert_int_equal(same == one.length, seed == 1);
    }
}

/* Three calls have 24 closed walks when where they begin does not matter: by the theorem of de
 * Bruijn, van Aardenne-Ehrenfest, Smith and Tutte 3 trees times (2!)^3. Each must come about as
 * often as any other. */
TEST(draws_all_walks_evenly)
{
    static const struct order_call three[] = {CALL("a.a", ORDER_KEEPS, ORDER_ANY),
                                              CALL("b.b", ORDER_KEEPS, ORDER_ANY),
                                              CALL("c.c", ORDER_KEEPS, ORDER_ANY)};
    enum { DRAWS = 24 * 400, LENGTH = 9 };
    char seen[64][LENGTH + 1];
    size_t often[64] = {0}, kinds = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct walk walk = draw(three, COUNT(three), seed);
        /* Begins with "aa", which stands in every walk once. */
        size_t begin = 0, kind = 0;
        while (walk.words[begin][0] != 'a' || walk.words[(begin + 1) % LENGTH][0] != 'a')
            begin++;
        char turned[LENGTH + 1] = {0};
        for (size_t i = 0; i < LENGTH; i++)
            turned[i] = walk.words[(begin + i) % LENGTH][0];
        while (kind < kinds && strcmp(seen[kind], turned) != 0)
            kind++;
        if (kind == kinds) {
            assert_true(kinds < COUNT(seen));
            memcpy(seen[kinds++], turned, sizeof(turned));
        }
        often[kind]++;
    }
    assert_int_equal(kinds, 24);
    for (size_t i = 0; i < kinds; i++)
        assert_in_range(often[i], 300, 500); /* 400 expected, deviation 20 */
}

/* What else walks are made of: every pair as often as it makes sense. */
TEST(pairs_stand_as_often_as_they_make_sense)
{
    /* Two ways to start and one to stop: that one stands twice. */
    static const struct order_call uneven[] = {CALL("a.start", ORDER_STARTS, ORDER_STOPPED),
                                               CALL("b.start", ORDER_STARTS, ORDER_STOPPED),
                                               CALL("a.stop", ORDER_STOPS, ORDER_RUNNING)};
    /* The read always follows the second stop, and is never made while stopped else. Running: read,
     * stop, stop and read. Stopped: start twice, one filler. */
    static const struct order_call together[] = {
        CALL("a.read", ORDER_KEEPS, ORDER_RUNNING),
        CALL("a.start", ORDER_STARTS, ORDER_STOPPED),
        CALL("a.stop", ORDER_STOPS, ORDER_RUNNING),
        {.call = "a.stop", .effect = ORDER_STOPS, .when = ORDER_RUNNING, .then = "a.read"}};
    /* Calls in a row are calls of their own. */
    static const struct order_call sweep[] = {CALL("a.read", ORDER_KEEPS, ORDER_ANY),
                                              CALL("a.read*8", ORDER_KEEPS, ORDER_ANY)};
    static const struct {
        const struct order_call *list;
        size_t count, length;
        const char *first, *second;
        size_t times;
    } pairs[] = {
        {uneven, 3, 8, "a.start", "a.stop", 2},
        {uneven, 3, 8, "b.start", "a.stop", 2},
        {uneven, 3, 8, "a.stop", "a.start", 2},
        {together, 4, 6 * 3 + 3, "a.stop", "a.read", 3},
        {together, 4, 6 * 3 + 3, "a.stop", "a.start", 2},
        {together, 4, 6 * 3 + 3, "a.stop", ORDER_FILLER, 1},
        {together, 4, 6 * 3 + 3, "a.read", "a.read", 1},
        {together, 4, 6 * 3 + 3, "a.read", "a.start", 2},
        {together, 4, 6 * 3 + 3, "a.read", "a.stop", 2},
        {together, 4, 6 * 3 + 3, "a.start", "a.read", 2},
        {together, 4, 6 * 3 + 3, ORDER_FILLER, "a.read", 0},
        {sweep, 2, 4, "a.read*8", "a.read", 1},
        {reads, 5, 25, "perf-read.read", "perf-read.read", 1},
        {reads, 5, 25, "papi-low.accum", "timer.gauge", 1},
        /* Running: nothing, gauge, read, accum and two stops. Stopped: nothing twice, gauge, read
         * and two starts. Twelve calls in their states, six steps from each. */
        {switches, 8, 12 * 6, "perf-read.start", "perf-read.read", 1},
        {switches, 8, 12 * 6, "perf-read.start", "perf-syscall.stop", 1},
        {switches, 8, 12 * 6, "perf-read.start", "perf-syscall.start", 0},
        {switches, 8, 12 * 6, "perf-syscall.stop", "perf-read.start", 1},
        {switches, 8, 12 * 6, "perf-syscall.stop", "perf-syscall.stop", 0},
        {switches, 8, 12 * 6, "perf-syscall.stop", "papi-low.accum", 0},
        {switches, 8, 12 * 6, "perf-read.start", "papi-low.accum", 1},
        {switches, 8, 12 * 6, "perf-read.read", "perf-read.read", 2},
        {switches, 8, 12 * 6, "timer.nothing", "timer.nothing", 1 + 4},
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct walk walk = draw(pairs[i].list, pairs[i].count, seed);
            assert_int_equal(walk.length, pairs[i].length);
            assert_int_equal(times(&walk, pairs[i].first, pairs[i].second), pairs[i].times);
        }
}

/* Three calls have six orders, which together have each of the six pairs twice. */
TEST(orders_of_calls_once_have_every_pair_equally_often)
{
    struct failure failure = {0};
    size_t found[3][3] = {{0}};
    char *calls = NULL;
    for (size_t index = 0; index < 6; index++) {
        size_t order[3] = {0}, length = 0;
        assert_int_equal(overhead_permutation(reads, 3, index, &calls, &failure), 0);
        char *rest = calls;
        for (char *word; (word = strsep(&rest, ",")); length++)
            for (size_t i = 0; i < 3; i++)
                if (strcmp(reads[i].call, word) == 0)
                    order[length % 3] = i;
        assert_int_equal(length, 3);
        found[order[0]][order[1]]++;
        found[order[1]][order[2]]++;
        calls = NULL;
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(found[i][j], i == j ? 0 : 2);
    assert_int_equal(overhead_permutation(reads, 3, 6, &calls, &failure), -EINVAL);
    assert_int_equal(overhead_permutation(reads, 0, 0, &calls, &failure), -EINVAL);
    assert_null(calls);
    assert_int_equal(overhead_permutation(reads, 1, 0, &calls, &failure), 0);
    assert_string_equal(calls, reads[0].call);
}

TEST(refuses_what_no_walk_can_do)
{
    static const struct order_call only_starts[] = {CALL("a.start", ORDER_STARTS, ORDER_STOPPED),
                                                    CALL("a.read", ORDER_KEEPS, ORDER_ANY)};
    static const struct order_call only_stops[] = {CALL("a.stop", ORDER_STOPS, ORDER_RUNNING)};
    static const struct order_call absurd[] = {CALL("a.start", ORDER_STARTS, ORDER_RUNNING),
                                               CALL("a.stop", ORDER_STOPS, ORDER_RUNNING)};
    static const struct order_call never[] = {CALL("a.read", ORDER_KEEPS, ORDER_STOPPED)};
    static const struct order_call twice[] = {CALL("a.read", ORDER_KEEPS, ORDER_ANY),
                                              CALL("a.read", ORDER_KEEPS, ORDER_ANY)};
    static const struct order_call unnamed[] = {CALL("", ORDER_KEEPS, ORDER_ANY)};
    static const struct order_call two_names[] = {CALL("a.read,b.read", ORDER_KEEPS, ORDER_ANY)};
    static const struct {
        const struct order_call *list;
        size_t count;
        const char *says;
    } wrong[] = {{reads, 0, "nothing to call"},   {only_starts, 2, "never stops"},
                 {only_stops, 1, "never starts"}, {absurd, 2, "the state that it needs"},
                 {never, 1, "nothing stops"},     {twice, 2, "twice"},
                 {unnamed, 1, "no name"},         {two_names, 1, "no name"}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct failure failure = {0};
        char *calls = NULL;
        size_t length = 0;
        assert_int_equal(
            overhead_order(wrong[i].list, wrong[i].count, 1, &calls, &length, &failure), -EINVAL);
        assert_non_null(strstr(failure.text, wrong[i].says));
        assert_null(calls);
    }
}

TEST(refuses_a_tour_that_is_too_long)
{
    static char names[65][16];
    struct order_call many[65];
    struct failure failure = {0};
    char *calls = NULL;
    size_t length = 0;
    for (size_t i = 0; i < COUNT(many); i++) {
        snprintf(names[i], sizeof(names[i]), "call%zu.read", i);
        many[i] = (struct order_call)CALL(names[i], ORDER_KEEPS, ORDER_ANY);
    }
    assert_int_equal(overhead_order(many, 64, 1, &calls, &length, &failure), 0);
    assert_int_equal(length, TOUR_MOST_CALLS);
    calls = NULL;
    assert_int_equal(overhead_order(many, 65, 1, &calls, &length, &failure), -E2BIG);
    assert_null(calls);
}
