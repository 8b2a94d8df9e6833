/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a budget leaves out of the plan of `assay error`, and in which order it visits, on machines
 * that are made up. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "error-machines.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/* --- what a budget leaves out --- */

/* A visit of the wish took so long; it must have been planned. */
static void learn(struct wishes *wishes, size_t wish, uint64_t ns)
{
    wishes_learn(wishes, (uint32_t)wishes->list[wish].places[0], ns, 0, 0);
}

/* All visits that lack to the goals, each of which takes so long. */
static void visit(struct wishes *wishes, uint64_t ns)
{
    struct visit *visits = NULL;
    size_t count = 0;
    wishes_visits(wishes, 1, 1, &visits, &count);
    for (size_t i = 0; i < count; i++)
        wishes_learn(wishes, visits[i].cell, ns, 0, 0);
    memory_give_back(visits);
}

TEST(drops_the_least_important_cells_and_no_processes)
{
    struct error_study study = plain_machine();
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    wishes_try_prices(&wishes);
    visit(&wishes, 10 * MS);
    wishes_look(&wishes, 20 * SECOND - 10 * MS * wishes_planned(&wishes), true);
    visit(&wishes, 10 * MS);
    uint64_t spent = 10 * MS * wishes_planned(&wishes), cost = 0;
    wishes_settle(&wishes, 20 * SECOND - spent);
    size_t usual = 0, left_out = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct wish *wish = &wishes.list[i];
        const struct cell *cell = wish->cells;
        bool stepped = strcmp(cell->events[0], "step/instructions/") == 0;
        cost += 10 * MS * wish->goal;
        left_out += !wish->goal;
        assert_true(!wish->goal || wish->goal == (stepped ? 2 : 20));
        usual += wish->goal && strcmp(cell->opt, "O2") == 0 && strcmp(cell->link, "static") == 0;
    }
    assert_true(cost <= 20 * SECOND);
    assert_true(cost > 19 * SECOND);
    assert_true(left_out > 0);
    /* All ways at the usual level and link come first: stepped, two events crossed, one other. */
    assert_int_equal(usual, 16 + 8 + 13 + 13);
}

TEST(plans_everything_without_a_limit)
{
    struct error_study study = plain_machine();
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    wishes_look(&wishes, UINT64_MAX, true);
    visit(&wishes, MS);
    assert_int_equal(wishes.cell_count, wishes.count);
    assert_true(wishes.cell_count > 400);
}

TEST(takes_what_is_dear_for_dear)
{
    struct error_study study = plain_machine();
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    size_t others[2] = {0}, count = 0;
    for (size_t i = 0; i < wishes.count && count < 2; i++)
        if (strcmp(wishes.list[i].cells[0].events[0], "task-clock") == 0)
            others[count++] = i;
    const struct wish *stepped = &wishes.list[0], *other = &wishes.list[others[0]];
    wishes_look(&wishes, UINT64_MAX, true);
    wishes_visits(&wishes, 1, 1, &(struct visit *){NULL}, &count);
    uint64_t unseen = wishes_price(&wishes, other);
    for (int i = 0; i < 10; i++)
        learn(&wishes, 0, 10 * wishes_price(&wishes, stepped) / 9);
    /* Another class that nobody has seen: visits are a little dearer here than was thought. */
    assert_true(wishes_price(&wishes, other) > unseen);
    learn(&wishes, others[0], 77 * MS);
    assert_int_equal(wishes_price(&wishes, other), 77 * MS);
    /* The same path, source and number of counters. */
    assert_int_equal(wishes_price(&wishes, &wishes.list[others[1]]), 77 * MS);
}

/* A tracepoint makes whoever opens it wait, so it comes late, without company, at its own price. */
TEST(leaves_what_waits_for_the_end)
{
    struct error_study study = plain_machine();
    struct error_event events[5];
    memcpy(events, plain_events, sizeof(plain_events));
    events[4] = (struct error_event){
        .name = "raw_syscalls:sys_enter", .kind = "tracepoint", .class = "page-faults"};
    study.events = events;
    study.event_count = 5;
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    size_t waiting = 0, count;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = wishes.list[i].cells;
        bool waits = strcmp(cell->events[0], "raw_syscalls:sys_enter") == 0;
        assert_false(waiting && !waits && strcmp(cell->events[0], "page-faults") != 0);
        if (waits) {
            waiting = i;
            assert_string_equal(cell->opt, "O2");
            assert_string_equal(cell->link, "static");
        }
    }
    assert_true(waiting);
    wishes_look(&wishes, UINT64_MAX, true);
    wishes_visits(&wishes, 1, 1, &(struct visit *){NULL}, &count);
    learn(&wishes, waiting, 90 * MS);
    assert_int_equal(wishes_price(&wishes, &wishes.list[waiting]), 90 * MS);
    assert_true(wishes_price(&wishes, &wishes.list[0]) < 50 * MS);
    wishes = wished(&study, STAGE_COUNTERS);
    for (size_t i = 0; i < wishes.count; i++)
        for (uint32_t j = 0; j < wishes.list[i].cells[0].counters; j++)
            assert_string_not_equal(wishes.list[i].cells[0].events[j], "raw_syscalls:sys_enter");
    const struct looked_for ladder = {.event = "raw_syscalls:sys_enter"};
    assert_int_equal(count_of(&study, STAGE_DURATION, ladder), 7); /* on one path */
}

TEST(gives_a_cell_that_failed_no_further_process)
{
    struct error_study study = plain_machine();
    struct wishes wishes = wished(&study, STAGE_COUNTERS);
    struct visit *visits = NULL;
    size_t count = 0;
    wishes_look(&wishes, UINT64_MAX, true);
    wishes_visits(&wishes, 1, 1, &visits, &count);
    assert_int_equal(count, wishes.count);
    memory_give_back(visits);
    wishes.list[3].failed = 1;
    wishes_settle(&wishes, UINT64_MAX);
    wishes_visits(&wishes, 1, 2, &visits, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_not_equal(visits[i].cell, wishes.list[3].places[0]);
        assert_true(visits[i].process >= 1 && visits[i].process < 20);
    }
    memory_give_back(visits);
    /* Asked again, it is not wanted again. */
    wishes_settle(&wishes, UINT64_MAX);
    assert_false(wishes_want(&wishes));
}

TEST(looks_at_every_price_first)
{
    struct error_study study = plain_machine();
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    wishes_try_prices(&wishes);
    visit(&wishes, MS);
    /* perf-read, perf-syscall, papi-low, papi-high: counted and stepped; perf-user: stepped. */
    assert_int_equal(wishes.cell_count, 9);
}

/* --- the order --- */

static struct visit *order_of(uint64_t seed, struct wishes *wishes, size_t *count)
{
    struct error_study study = plain_machine();
    struct visit *visits = NULL;
    error_wish(&study, STAGE_CROSSING, wishes);
    wishes_settle(wishes, UINT64_MAX);
    wishes_visits(wishes, 1, seed, &visits, count);
    return visits;
}

TEST(the_same_seed_gives_the_same_order)
{
    struct wishes plans[3] = {0};
    size_t counts[3];
    struct visit *first = order_of(7, &plans[0], &counts[0]);
    struct visit *again = order_of(7, &plans[1], &counts[1]);
    struct visit *other = order_of(8, &plans[2], &counts[2]);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[0], counts[2]);
    assert_memory_equal(first, again, counts[0] * sizeof(*first));
    assert_memory_not_equal(first, other, counts[0] * sizeof(*first));
    memory_give_back(first);
    memory_give_back(again);
    memory_give_back(other);
}

/* In random order, neighbours differ nearly always; in an order by events or paths, nearly never.
 */
TEST(neither_events_nor_paths_stand_together)
{
    struct wishes plan = {0};
    size_t count, same_event = 0, same_path = 0;
    struct visit *visits = order_of(9, &plan, &count);
    for (size_t i = 1; i < count; i++) {
        const struct cell *before = &plan.cells[visits[i - 1].cell - 1];
        const struct cell *cell = &plan.cells[visits[i].cell - 1];
        same_event += strcmp(before->events[0], cell->events[0]) == 0;
        same_path += strcmp(before->path, cell->path) == 0;
    }
    assert_true(same_event < count / 2);
    assert_true(same_path < count / 2);
    memory_give_back(visits);
}

/* A run that is cut short has visited every cell about as often. */
TEST(rounds_are_even)
{
    struct wishes plan = {0};
    size_t count;
    struct visit *visits = order_of(10, &plan, &count);
    uint32_t round = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(visits[i].process >= round);
        round = visits[i].process;
    }
    memory_give_back(visits);
}

TEST(a_stored_plan_goes_on_where_it_was)
{
    struct error_study study = plain_machine();
    struct wishes plan = wished(&study, STAGE_DURATION), taken = {0};
    size_t count = 0;
    struct visit *visits = NULL;
    wishes_look(&plan, UINT64_MAX, true);
    visit(&plan, MS);
    for (size_t i = 0; i < plan.cell_count; i++) {
        size_t cell = wishes_add_cell(&taken, &plan.cells[i]);
        taken.about[cell].planned = 1;
    }
    error_wish(&study, STAGE_CROSSING, &taken);
    error_wish(&study, STAGE_DURATION, &taken);
    wishes_claim(&taken);
    taken.turn = STAGE_DURATION + 1;
    wishes_settle(&taken, UINT64_MAX);
    wishes_visits(&taken, 1, 2, &visits, &count);
    assert_int_equal(taken.cell_count, plan.cell_count);
    assert_false(wishes_want(&taken));
    for (size_t i = 0; i < count; i++)
        assert_true(visits[i].process >= 1);
    memory_give_back(visits);
}
