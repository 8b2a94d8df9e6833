/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a budget is shared out among wishes, and in which order they are visited. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "case.h"
#include "engine/wishes.h"
#include "tree.h"

#define MS UINT64_C(1000000)

/* Wishes that differ in their number of loops. */
static void add(struct wishes *wishes, uint64_t n, struct wish like)
{
    struct cell cell = {.counters = 1,
                        .events = {strdup("page-faults")},
                        .path = strdup("perf-read"),
                        .specimen = strdup("loop"),
                        .n = n,
                        .opt = strdup("O2"),
                        .link = strdup("static"),
                        .runs = 1,
                        .cpu = -1};
    like.after = NO_WISH;
    wishes_add(wishes, &like, &cell);
}

static struct wishes three(void)
{
    struct wishes wishes = {0};
    add(&wishes, 1, (struct wish){.processes = 10, .least = 4, .expected_ns = 10 * MS});
    add(&wishes, 2, (struct wish){.processes = 10, .least = 4, .expected_ns = 10 * MS});
    add(&wishes, 3, (struct wish){.processes = 10, .least = 4, .expected_ns = 20 * MS});
    return wishes;
}

static size_t draw(struct wishes *wishes, uint32_t portions, uint64_t seed, struct visit **visits)
{
    size_t count = 0;
    wishes_visits(wishes, portions, seed, visits, &count);
    return count;
}

static void assert_drawn(struct wishes *wishes, size_t expected)
{
    struct visit *visits = NULL;
    assert_int_equal(draw(wishes, 1, 1, &visits), expected);
    memory_give_back(visits);
}

static void goals_are(const struct wishes *wishes, uint32_t first, uint32_t second, uint32_t third)
{
    assert_int_equal(wishes->list[0].goal, first);
    assert_int_equal(wishes->list[1].goal, second);
    assert_int_equal(wishes->list[2].goal, third);
}

TEST(a_look_is_one_process_of_each_as_far_as_time_goes)
{
    struct wishes wishes = three();
    wishes_look(&wishes, 40 * MS, false);
    goals_are(&wishes, 1, 1, 1);
    wishes_look(&wishes, 30 * MS, false);
    goals_are(&wishes, 1, 1, 0);
    /* The first whatever it costs. */
    wishes_look(&wishes, 0, false);
    goals_are(&wishes, 1, 0, 0);
}

TEST(first_everybody_gets_the_least_then_all_alike_the_rest)
{
    struct wishes wishes = three();
    wishes_settle(&wishes, 80 * MS);
    goals_are(&wishes, 4, 4, 0);
    wishes_settle(&wishes, 160 * MS);
    goals_are(&wishes, 4, 4, 4);
    /* 120 of 240 ms for the six more that each would have. */
    wishes_settle(&wishes, 280 * MS);
    goals_are(&wishes, 7, 7, 7);
    /* What rounding leaves is not lost: the first two get it. */
    wishes_settle(&wishes, 190 * MS);
    goals_are(&wishes, 5, 5, 4);
    wishes_settle(&wishes, UINT64_MAX);
    goals_are(&wishes, 10, 10, 10);
}

TEST(prices_are_learned)
{
    struct wishes wishes = three();
    wishes_look(&wishes, UINT64_MAX, false);
    assert_drawn(&wishes, 3);
    assert_false(wishes_have_prices(&wishes));
    wishes_learn(&wishes, 1, 100 * MS, 0, 0);
    assert_true(wishes_have_prices(&wishes));
    assert_int_equal(wishes_price(&wishes, &wishes.list[0]), 100 * MS);
    /* Ten times as dear as expected: so are the others, until they are seen. */
    assert_int_equal(wishes_price(&wishes, &wishes.list[2]), 200 * MS);
    wishes_learn(&wishes, 3, 5 * MS, 0, 0);
    assert_int_equal(wishes_price(&wishes, &wishes.list[2]), 5 * MS);
    wishes_learn(&wishes, 99, 5 * MS, 0, 0); /* not ours */
}

TEST(who_fails_gets_no_more)
{
    struct wishes wishes = three();
    struct visit *visits = NULL;
    wishes_look(&wishes, UINT64_MAX, false);
    draw(&wishes, 1, 1, &visits);
    memory_give_back(visits);
    wishes.list[1].failed = 1;
    assert_true(wishes_is_failing(&wishes, 1));
    assert_int_equal(wishes_processes(&wishes, 1), 0);
    wishes_settle(&wishes, UINT64_MAX);
    goals_are(&wishes, 10, 1, 10);
}

TEST(what_ends_is_seen_at_the_beginning_and_at_the_end)
{
    struct wishes wishes = three();
    struct visit *visits = NULL;
    add(&wishes, 4, (struct wish){.processes = 2, .least = 1, .ends = true, .expected_ns = MS});
    wishes_look(&wishes, UINT64_MAX, false);
    assert_drawn(&wishes, 4);
    wishes_settle(&wishes, UINT64_MAX);
    assert_drawn(&wishes, 27);
    assert_int_equal(wishes.list[3].goal, 1);
    wishes_end(&wishes, UINT64_MAX);
    assert_int_equal(draw(&wishes, 1, 1, &visits), 1);
    assert_int_equal(visits[0].cell, 4);
    assert_int_equal(visits[0].process, 1);
    memory_give_back(visits);
    wishes_end(&wishes, UINT64_MAX);
    assert_false(wishes_want(&wishes));
}

TEST(portions_are_equal_and_processes_go_on)
{
    struct wishes wishes = three();
    bool seen[4][10] = {{false}};
    size_t all = 0;
    wishes_settle(&wishes, UINT64_MAX);
    for (uint32_t left = 5; left > 0; left--) {
        struct visit *visits = NULL;
        size_t count = draw(&wishes, left, left, &visits);
        assert_int_equal(count, 6);
        for (size_t i = 0; i < count; i++) {
            assert_true(visits[i].cell >= 1 && visits[i].cell <= 3 && visits[i].process < 10);
            assert_false(seen[visits[i].cell][visits[i].process]);
            seen[visits[i].cell][visits[i].process] = true;
        }
        all += count;
        memory_give_back(visits);
    }
    assert_int_equal(all, 30);
    assert_int_equal(wishes_planned(&wishes), 30);
    assert_false(wishes_want(&wishes));
}

TEST(the_dearest_is_visited_last_and_the_rest_as_it_was_drawn)
{
    struct wishes wishes = {0};
    add(&wishes, 1, (struct wish){.processes = 4, .least = 1, .expected_ns = 900 * MS});
    add(&wishes, 2, (struct wish){.processes = 4, .least = 1, .expected_ns = 10 * MS});
    add(&wishes, 3, (struct wish){.processes = 4, .least = 1, .expected_ns = 10 * MS});
    wishes_settle(&wishes, UINT64_MAX);
    struct visit *visits = NULL, drawn[12];
    assert_int_equal(draw(&wishes, 1, 5, &visits), 12);
    memcpy(drawn, visits, sizeof(drawn));
    wishes_dearest_last(&wishes, visits, 12);
    size_t at = 0;
    for (int dear = 0; dear < 2; dear++)
        for (size_t i = 0; i < 12; i++)
            if ((wishes.about[drawn[i].cell - 1].wish == 0) == dear) {
                assert_int_equal(visits[at].cell, drawn[i].cell);
                assert_int_equal(visits[at++].process, drawn[i].process);
            }
    memory_give_back(visits);
}

TEST(one_price_is_learned_for_all_that_share_it)
{
    struct wishes wishes = {0};
    for (unsigned n = 1; n <= 3; n++)
        add(&wishes, n,
            (struct wish){.processes = 4,
                          .least = 4,
                          .expected_ns = 10 * MS,
                          .runs_ns = n * MS,
                          .price = n < 3 ? 1 : 2});
    wishes_try_prices(&wishes);
    goals_are(&wishes, 1, 0, 1);
    assert_drawn(&wishes, 2);
    const uint32_t first = wishes.about[0].wish == 0 ? 1 : 2;
    wishes_learn(&wishes, first, 7 * MS, MS, 2);
    assert_int_equal(wishes.about[first - 1].inside_ns, MS);
    /* A process takes 6 ms, and the runs of each what they take. */
    assert_int_equal(wishes_price(&wishes, &wishes.list[0]), 7 * MS);
    assert_int_equal(wishes_price(&wishes, &wishes.list[1]), 8 * MS);
    wishes_try_prices(&wishes);
    goals_are(&wishes, 1, 0, 1);
}

TEST(a_stage_has_its_turn_and_takes_whole_wishes)
{
    struct wishes wishes = {0};
    for (unsigned n = 1; n <= 3; n++)
        add(&wishes, n,
            (struct wish){.stage = n < 3, .processes = 4, .least = 4, .expected_ns = 10 * MS});
    wishes.turn = 2;
    wishes_look(&wishes, 79 * MS, true);
    goals_are(&wishes, 1, 0, 0);
    wishes_look(&wishes, 80 * MS, true);
    goals_are(&wishes, 1, 1, 0);
    assert_drawn(&wishes, 2);
    wishes_settle(&wishes, UINT64_MAX);
    goals_are(&wishes, 4, 4, 0);
    wishes.turn = 0;
    wishes_settle(&wishes, UINT64_MAX);
    goals_are(&wishes, 4, 4, 4);
}

/* What a look did not begin is not begun in the time that is left for prices that vary. */
TEST(a_turn_ends_what_it_began)
{
    struct wishes wishes = three();
    wishes.turn = 1;
    wishes_look(&wishes, 80 * MS, true);
    goals_are(&wishes, 1, 1, 0);
    assert_drawn(&wishes, 2);
    wishes_settle(&wishes, 200 * MS);
    assert_true(wishes.list[0].goal >= 4 && wishes.list[1].goal >= 4);
    assert_int_equal(wishes.list[2].goal, 0);
    wishes.turn = 0;
    wishes_settle(&wishes, 200 * MS);
    assert_true(wishes.list[2].goal >= 4);
}

TEST(visits_that_failed_are_no_question_of_time)
{
    static const struct {
        uint32_t planned, failed;
        enum wish_fate fate;
    } cases[] = {{0, 0, WISH_LEFT_OUT}, {3, 0, WISH_CUT},  {3, 1, WISH_CUT},
                 {4, 0, WISH_HELD},     {4, 1, WISH_HELD}, {1, 1, WISH_HELD}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct wishes wishes = three();
        wishes.list[1].planned = cases[i].planned;
        wishes.list[1].failed = cases[i].failed;
        assert_int_equal(wishes_fate(&wishes, 1), cases[i].fate);
        wishes.list[2].after = 1; /* what must come first was not measured, or was */
        assert_int_equal(wishes_fate(&wishes, 2),
                         cases[i].planned > cases[i].failed ? WISH_LEFT_OUT : WISH_HELD);
    }
}

TEST(cells_are_claimed_once_by_the_wish_they_agree_with)
{
    struct wishes wishes = {0};
    struct wishes wanted = three();
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(wishes_add_cell(&wishes, &wanted.list[1].cells[0]), i);
    wishes.about[0].planned = 3;
    wishes_learn(&wishes, 1, 7 * MS, MS, 1);
    wishes_learn(&wishes, 1, 9 * MS, MS, 1);
    add(&wishes, 1, (struct wish){.processes = 10, .least = 4, .expected_ns = MS, .price = 1});
    add(&wishes, 2,
        (struct wish){
            .processes = 10, .least = 4, .expected_ns = MS, .runs_ns = 2 * MS, .price = 1});
    assert_false(wishes_all_claimed(&wishes));
    wishes_claim(&wishes);
    assert_false(wishes_all_claimed(&wishes));
    /* What its visits cost is known then, too, and of all that share its price. */
    assert_int_equal(wishes_price(&wishes, &wishes.list[1]), 8 * MS);
    assert_int_equal(wishes_price(&wishes, &wishes.list[0]), 6 * MS);
    wishes_try_prices(&wishes);
    assert_int_equal(wishes.list[0].goal, 0);
    assert_int_equal(wishes.about[0].wish, 1);
    assert_true(wishes.about[1].wish == NO_WISH);
    assert_int_equal(wishes_processes(&wishes, 0), 0);
    assert_int_equal(wishes_processes(&wishes, 1), 3);
}

/* What goes with a cell may have to be asked of a machine that ends meanwhile. */
static int put_all_but_the_second(void *context, const struct cell *cell, struct failure *failure)
{
    uint32_t *asked = context;
    *asked = cell->id;
    return cell->id == 2 ? fail_with(failure, -EPIPE, "the machine is gone") : 0;
}

static int add_up(void *context, const struct stored_cell *cell)
{
    *(uint32_t *)context += cell->cell.id;
    return 0;
}

TEST(cells_are_stored_with_all_that_goes_with_them_or_not_at_all)
{
    struct tree tree;
    struct store *store = NULL;
    struct failure failure = {0}, again = {0};
    struct wishes wishes = three();
    uint32_t asked = 0, stored = 0;
    const struct facts facts = {0};
    const struct store_run run = {
        .command = "error", .argv = "[]", .facts = &facts, .fingerprint = "0"};
    tree_make(&tree);
    AUTO_FREE char *path = NULL;
    assert_true(asprintf(&path, "%s/run.sqlite", tree.root) > 0);
    assert_int_equal(store_create(&store, path, &run, &failure), 0);
    wishes_add_cell(&wishes, wishes.list[0].cells);
    assert_int_equal(wishes_store(&wishes, store, NULL, 0, NULL, NULL, &failure), 0);
    wishes_add_cell(&wishes, wishes.list[1].cells);
    wishes_add_cell(&wishes, wishes.list[2].cells);
    assert_int_equal(
        wishes_store(&wishes, store, NULL, 0, put_all_but_the_second, &asked, &failure), -EPIPE);
    assert_int_equal(asked, 2);
    assert_string_equal(failure.text, "the machine is gone");
    assert_int_equal(store_commit(store, &again), -EPIPE);
    assert_string_equal(again.text, "the machine is gone");
    store_close(store);
    assert_int_equal(store_open(&store, path, false, &failure), 0);
    assert_int_equal(store_each_cell(store, add_up, &stored, &failure), 0);
    assert_int_equal(stored, 1); /* the first one's id */
    store_close(store);
    tree_remove(&tree);
}

/* A price is tried by a visit, not by one that was made before anybody looked at the clock. */
TEST(a_price_that_nobody_saw_is_tried_by_who_was_not_visited)
{
    struct wishes wishes = {0};
    for (unsigned n = 1; n <= 3; n++)
        add(&wishes, n, (struct wish){.processes = 4, .least = 4, .expected_ns = MS, .price = 1});
    wishes.list[0].planned = 2;
    wishes_try_prices(&wishes);
    goals_are(&wishes, 2, 1, 0);
}
