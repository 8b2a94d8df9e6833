/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a budget leaves out of the plan of `assay overhead`, and in which order it visits, on
 * machines that are made up. */
#include "base/memory.h"
#include "case.h"
#include "overhead-offers.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

struct drawn {
    struct visit *visits;
    size_t count;
};

static struct drawn draw(struct wishes *plan, uint32_t portions, uint64_t seed)
{
    struct drawn drawn = {0};
    wishes_visits(plan, portions, seed, &drawn.visits, &drawn.count);
    return drawn;
}

/* A first look at everything, where every visit takes `price`. */
static struct wishes looked(const struct overhead_study *study, uint64_t price)
{
    struct wishes plan = wished(study);
    for (;;) {
        wishes_look(&plan, UINT64_MAX, false);
        if (!wishes_want(&plan))
            break;
        struct drawn drawn = draw(&plan, 1, 1);
        for (size_t i = 0; i < drawn.count; i++)
            wishes_learn(&plan, drawn.visits[i].cell, price, 0, 1);
        memory_give_back(drawn.visits);
    }
    assert_int_equal(plan.cell_count, plan.count);
    return plan;
}

static uint64_t goals(const struct wishes *plan)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->count; i++)
        sum += plan->list[i].goal;
    return sum;
}

TEST(without_a_limit_everything_is_wanted)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, MS);
    wishes_settle(&plan, UINT64_MAX);
    for (size_t i = 0; i < plan.count; i++)
        assert_int_equal(plan.list[i].goal, plan.list[i].processes);
}

/* The least for the most important ones, and no process for the rest: fewer say nothing. */
TEST(a_small_budget_leaves_out_the_least_important)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, 10 * MS);
    wishes_settle(&plan, 5 * SECOND);
    bool left_out = false;
    for (size_t i = 0; i < plan.count; i++) {
        const struct wish *wish = &plan.list[i];
        assert_true(wish->goal == 1 || wish->goal >= wish->least);
        left_out |= wish->goal == 1;
        assert_false(wish->stage <= OVERHEAD_SWITCHES && wish->goal == 1);
    }
    assert_true(left_out);
    assert_true((goals(&plan) - plan.count) * 10 * MS <= 5 * SECOND);
}

/* Where everything has the least, what is left raises all alike. */
TEST(what_is_left_goes_to_all_alike)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, MS);
    uint64_t least = 0, most = 0;
    for (size_t i = 0; i < plan.count; i++) {
        least += plan.list[i].least - 1;
        most += plan.list[i].processes - 1;
    }
    wishes_settle(&plan, (least + most) / 2 * MS);
    for (size_t i = 0; i < plan.count; i++) {
        const struct wish *wish = &plan.list[i];
        uint32_t room = wish->processes - wish->least, given = wish->goal - wish->least;
        assert_in_range(given + 2, room / 2, room / 2 + 3);
    }
    assert_in_range(goals(&plan) - plan.count, (least + most) / 2 - plan.count, (least + most) / 2);
}

TEST(the_most_important_tour_is_measured_whatever_it_costs)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = wished(&study);
    wishes_look(&plan, 0, false);
    assert_int_equal(goals(&plan), 1);
    struct drawn drawn = draw(&plan, 1, 1);
    assert_int_equal(drawn.count, 1);
    memory_give_back(drawn.visits);
    wishes_settle(&plan, 0);
    assert_int_equal(plan.list[0].goal, plan.list[0].least);
}

/* What was assumed of a tour is corrected by what others cost. */
TEST(prices_are_learnt)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = wished(&study);
    plan.list[0].goal = 1;
    struct drawn drawn = draw(&plan, 1, 1);
    uint64_t assumed = wishes_price(&plan, &plan.list[0]);
    uint64_t other = wishes_price(&plan, &plan.list[5]);
    wishes_learn(&plan, 1, 3 * assumed, 0, 1);
    assert_int_equal(wishes_price(&plan, &plan.list[0]), 3 * assumed);
    assert_in_range(wishes_price(&plan, &plan.list[5]), 3 * other - 3, 3 * other + 3);
    wishes_learn(&plan, 999, MS, 0, 1); /* of no cell: nothing happens */
    wishes_learn(&plan, 0, MS, 0, 1);
    memory_give_back(drawn.visits);
}

TEST(what_fails_gets_no_more)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, MS);
    size_t failing = plan.about[3].wish;
    plan.list[failing].failed = 1;
    wishes_settle(&plan, UINT64_MAX);
    for (size_t i = 0; i < plan.count; i++)
        assert_int_equal(plan.list[i].goal, i == failing ? 1 : plan.list[i].processes);
    assert_true(wishes_is_failing(&plan, failing));
    assert_int_equal(wishes_processes(&plan, failing), 0);
}

/* Five counters do not fit: six are not even tried, neither now nor later. */
TEST(more_counters_wait_for_fewer)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = wished(&study);
    for (int look = 0; look < 6; look++) {
        wishes_look(&plan, UINT64_MAX, false);
        struct drawn drawn = draw(&plan, 1, 1);
        memory_give_back(drawn.visits);
        for (size_t i = 0; i < plan.count; i++)
            plan.list[i].failed = plan.list[i].cells[0].tour.open == 5 ? plan.list[i].planned : 0;
    }
    wishes_settle(&plan, UINT64_MAX);
    for (size_t i = 0; i < plan.count; i++) {
        uint32_t open = plan.list[i].cells[0].tour.open;
        assert_int_equal(plan.list[i].goal, open > 5 ? 0 : open == 5 ? 1 : plan.list[i].processes);
        assert_int_equal(wishes_is_due(&plan, i), open <= 5);
    }
}

/* One that failed once among many is no failing tour. */
TEST(a_failure_among_many_is_borne)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, MS);
    wishes_settle(&plan, UINT64_MAX);
    struct drawn drawn = draw(&plan, 4, 2);
    plan.list[0].failed = 1;
    assert_false(wishes_is_failing(&plan, 0));
    plan.list[0].failed = 5;
    assert_true(wishes_is_failing(&plan, 0));
    memory_give_back(drawn.visits);
}

/* --- the order of visits --- */

TEST(portions_hold_something_of_every_tour)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, MS);
    wishes_settle(&plan, UINT64_MAX);
    for (uint32_t left = 4; left > 0; left--) {
        uint32_t before[200] = {0};
        for (size_t i = 0; i < plan.count; i++)
            before[i] = wishes_processes(&plan, i);
        struct drawn drawn = draw(&plan, left, left);
        for (size_t i = 0; i < plan.count; i++)
            assert_in_range(wishes_processes(&plan, i) - before[i],
                            (plan.list[i].processes - 1) / 4 - 1,
                            (plan.list[i].processes - 1) / 4 + 1);
        memory_give_back(drawn.visits);
    }
    assert_false(wishes_want(&plan));
}

TEST(processes_are_spread_over_the_orders)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, MS);
    wishes_settle(&plan, UINT64_MAX);
    struct drawn drawn = draw(&plan, 1, 1);
    for (size_t i = 0; i < plan.cell_count; i++) {
        const struct wish *wish = &plan.list[plan.about[i].wish];
        assert_int_equal(plan.about[i].planned, wish->processes / wish->cell_count);
        assert_int_equal(plan.cells[i].id, i + 1);
    }
    memory_give_back(drawn.visits);
}

/* No visit twice, processes of a cell in rising order, cells mixed. */
TEST(visits_come_in_rounds)
{
    struct overhead_study study = plain_machine();
    struct wishes plan = looked(&study, MS);
    wishes_settle(&plan, UINT64_MAX);
    uint32_t next[1000];
    for (size_t i = 0; i < 1000; i++)
        next[i] = i < plan.cell_count ? plan.about[i].planned : 0;
    for (uint32_t left = 3; left > 0; left--) {
        struct drawn drawn = draw(&plan, left, 7 + left);
        size_t changes = 0;
        assert_true(plan.cell_count < 1000);
        for (size_t i = 0; i < drawn.count; i++) {
            size_t cell = drawn.visits[i].cell - 1;
            assert_int_equal(drawn.visits[i].process, next[cell]++);
            changes += i && drawn.visits[i].cell != drawn.visits[i - 1].cell;
        }
        assert_true(changes > drawn.count * 9 / 10);
        memory_give_back(drawn.visits);
    }
}

TEST(the_seed_gives_the_order)
{
    struct overhead_study study = plain_machine();
    struct drawn drawn[3];
    for (size_t i = 0; i < 3; i++) {
        struct wishes plan = wished(&study);
        wishes_look(&plan, UINT64_MAX, false);
        drawn[i] = draw(&plan, 1, i < 2 ? 1 : 2);
    }
    size_t bytes = drawn[0].count * sizeof(struct visit);
    assert_memory_equal(drawn[0].visits, drawn[1].visits, bytes);
    assert_memory_not_equal(drawn[0].visits, drawn[2].visits, bytes);
    for (size_t i = 0; i < 3; i++)
        memory_give_back(drawn[i].visits);
}

/* --- going on --- */

static void take(struct wishes *plan, const struct cell *cell, uint32_t planned, uint32_t failed)
{
    const size_t index = wishes_add_cell(plan, cell);
    plan->about[index].planned = planned;
    plan->about[index].failed = failed;
}

TEST(a_stored_plan_is_taken_over)
{
    struct overhead_study study = plain_machine();
    struct wishes begun = looked(&study, MS), plan = wished(&study);
    for (size_t i = 0; i < begun.cell_count; i++)
        take(&plan, &begun.cells[i], 7, 2);
    struct cell foreign = {0};
    assert_int_equal(cell_copy(&foreign, &begun.cells[0]), 0);
    foreign.tour.open = 31;
    take(&plan, &foreign, 3, 0);
    cell_release(&foreign);
    wishes_claim(&plan);
    assert_int_equal(plan.cell_count, begun.cell_count + 1);
    assert_true(plan.about[begun.cell_count].wish == NO_WISH);
    for (size_t i = 0; i < begun.cell_count; i++) {
        assert_int_equal(plan.about[i].wish, begun.about[i].wish);
        assert_int_equal(wishes_processes(&plan, plan.about[i].wish), 5);
    }
    /* Nothing is looked at again, and no process is planned twice. */
    wishes_look(&plan, UINT64_MAX, false);
    assert_false(wishes_want(&plan));
    wishes_settle(&plan, UINT64_MAX);
    struct drawn drawn = draw(&plan, 1, 1);
    for (size_t i = 0; i < drawn.count; i++)
        if (drawn.visits[i].cell <= begun.cell_count)
            assert_true(drawn.visits[i].process >= 7);
    memory_give_back(drawn.visits);
}
