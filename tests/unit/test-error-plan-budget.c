/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a budget leaves out of the plan of `assay error`, and in which order it visits, on machines
 * that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "error-machines.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/* --- what a budget leaves out --- */

/* Every visit costs `price`; what the stage would take, in ns. */
static uint64_t planned_cost(const struct error_plan *plan, uint64_t price)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->count; i++)
        sum += price * plan->about[i].wanted;
    return sum;
}

static void teach(const struct error_study *study, struct error_plan *plan, uint64_t price)
{
    struct error_wishes wishes = wished(study, STAGE_CROSSING);
    for (size_t i = 0; i < wishes.count; i++)
        error_price_learn(study, &plan->prices, &wishes.list[i].cell, price);
    for (size_t i = 0; i < plan->prices.count; i++) /* wishes do not live on */
        for (size_t j = 0; j < catalogue.path_count; j++)
            if (strcmp(plan->prices.list[i].path, paths[j].name) == 0)
                plan->prices.list[i].path = paths[j].name;
}

static void drops_the_least_important_cells_and_no_processes(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    size_t left_out = 0;
    teach(&study, &plan, 10 * MS);
    left_out = error_plan_stage(&study, STAGE_CROSSING, 20 * SECOND, &plan);
    assert_true(planned_cost(&plan, 10 * MS) <= 20 * SECOND);
    assert_true(planned_cost(&plan, 10 * MS) > 19 * SECOND);
    assert_true(left_out > 0);
    size_t usual = 0;
    for (size_t i = 0; i < plan.count; i++) {
        bool stepped = strcmp(plan.cells[i].events[0], "step/instructions/") == 0;
        assert_int_equal(plan.about[i].wanted, stepped ? 2 : 20);
        usual += strcmp(plan.cells[i].opt, "O2") == 0 && strcmp(plan.cells[i].link, "static") == 0;
    }
    /* All ways at the usual level and link come first: stepped, two events crossed, one other. */
    assert_int_equal(usual, 16 + 8 + 13 + 13);
}

static void plans_everything_without_a_limit(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    size_t left_out = 1;
    left_out = error_plan_stage(&study, STAGE_CROSSING, UINT64_MAX, &plan);
    assert_int_equal(left_out, 0);
    assert_true(plan.count > 400);
}

static void takes_what_is_dear_for_dear(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_prices prices = {0};
    struct error_wishes wishes = wished(&study, STAGE_CROSSING);
    const struct cell *stepped = &wishes.list[0].cell, *other = NULL;
    for (size_t i = 0; i < wishes.count && !other; i++)
        if (strcmp(wishes.list[i].cell.events[0], "task-clock") == 0)
            other = &wishes.list[i].cell;
    uint64_t unseen = error_price(&study, &prices, other);
    for (int i = 0; i < 10; i++)
        error_price_learn(&study, &prices, stepped, 10 * error_price(&study, &prices, stepped) / 9);
    /* Another class that nobody has seen: visits are a little dearer here than was thought. */
    assert_true(error_price(&study, &prices, other) > unseen);
    error_price_learn(&study, &prices, other, 77 * MS);
    assert_int_equal(error_price(&study, &prices, other), 77 * MS);
}

/* A tracepoint makes whoever opens it wait, so it comes late, without company, at its own price. */
static void leaves_what_waits_for_the_end(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_event events[5];
    memcpy(events, plain_events, sizeof(plain_events));
    events[4] = (struct error_event){
        .name = "raw_syscalls:sys_enter", .kind = "tracepoint", .class = "page-faults"};
    study.events = events;
    study.event_count = 5;
    struct error_wishes wishes = wished(&study, STAGE_CROSSING);
    struct error_prices prices = {0};
    const struct cell *waiting = NULL, *usual = &wishes.list[0].cell;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cell;
        bool waits = strcmp(cell->events[0], "raw_syscalls:sys_enter") == 0;
        assert_false(waiting && !waits && strcmp(cell->events[0], "page-faults") != 0);
        if (waits) {
            waiting = cell;
            assert_string_equal(cell->opt, "O2");
            assert_string_equal(cell->link, "static");
        }
    }
    assert_non_null(waiting);
    error_price_learn(&study, &prices, waiting, 90 * MS);
    assert_int_equal(error_price(&study, &prices, waiting), 90 * MS);
    assert_true(error_price(&study, &prices, usual) < 50 * MS);
    wishes = wished(&study, STAGE_COUNTERS);
    for (size_t i = 0; i < wishes.count; i++)
        for (uint32_t j = 0; j < wishes.list[i].cell.counters; j++)
            assert_string_not_equal(wishes.list[i].cell.events[j], "raw_syscalls:sys_enter");
    const struct looked_for ladder = {.event = "raw_syscalls:sys_enter"};
    assert_int_equal(count_of(&study, STAGE_DURATION, ladder), 7); /* on one path */
}

static void gives_a_cell_that_failed_no_further_process(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    size_t left_out = 0;
    struct visit *visits = NULL;
    size_t count = 0;
    left_out = error_plan_stage(&study, STAGE_COUNTERS, UINT64_MAX, &plan);
    error_plan_visits(&plan, 1, 1, &visits, &count);
    assert_int_equal(count, plan.count);
    memory_give_back(visits);
    plan.about[3].failed = 1;
    left_out = error_plan_settle(&study, STAGE_COUNTERS, UINT64_MAX, &plan);
    assert_int_equal(left_out, 0);
    error_plan_visits(&plan, UINT32_MAX, 2, &visits, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_not_equal(visits[i].cell, plan.cells[3].id);
        assert_true(visits[i].process >= 1 && visits[i].process < 20);
    }
    memory_give_back(visits);
    /* Asked again, it is not wanted again. */
    left_out = error_plan_stage(&study, STAGE_COUNTERS, UINT64_MAX, &plan);
    error_plan_visits(&plan, UINT32_MAX, 3, &visits, &count);
    assert_int_equal(count, 0);
    memory_give_back(visits);
}

static void looks_at_every_price_first(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    error_plan_pilot(&study, STAGE_CROSSING, &plan);
    /* perf-read, perf-syscall, papi-low, papi-high: counted and stepped; perf-user: stepped. */
    assert_int_equal(plan.count, 9);
    assert_false(error_plan_is_past(&plan, STAGE_CROSSING));
}

/* --- the order --- */

static struct visit *order_of(uint64_t seed, struct error_plan *plan, size_t *count)
{
    struct error_study study = plain_machine();
    struct visit *visits = NULL;
    error_plan_stage(&study, STAGE_CROSSING, UINT64_MAX, plan);
    error_plan_visits(plan, UINT32_MAX, seed, &visits, count);
    return visits;
}

static void the_same_seed_gives_the_same_order(void **state)
{
    (void)state;
    struct error_plan plans[3] = {0};
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
static void neither_events_nor_paths_stand_together(void **state)
{
    (void)state;
    struct error_plan plan = {0};
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
static void rounds_are_even(void **state)
{
    (void)state;
    struct error_plan plan = {0};
    size_t count;
    struct visit *visits = order_of(10, &plan, &count);
    uint32_t round = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(visits[i].process >= round);
        round = visits[i].process;
    }
    memory_give_back(visits);
}

static void a_stored_plan_goes_on_where_it_was(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0}, taken = {0};
    size_t count = 0;
    struct visit *visits = NULL;
    error_plan_stage(&study, STAGE_DURATION, UINT64_MAX, &plan);
    error_plan_visits(&plan, 1, 1, &visits, &count);
    memory_give_back(visits);
    for (size_t i = 0; i < plan.count; i++)
        error_plan_adopt(&study, &taken, &plan.cells[i], 1, 0);
    assert_true(error_plan_is_past(&taken, STAGE_CROSSING));
    assert_false(error_plan_is_past(&taken, STAGE_DURATION));
    error_plan_stage(&study, STAGE_DURATION, UINT64_MAX, &taken);
    assert_int_equal(taken.count, plan.count);
    error_plan_visits(&taken, UINT32_MAX, 2, &visits, &count);
    assert_false(error_plan_wants(&taken));
    for (size_t i = 0; i < count; i++)
        assert_true(visits[i].process >= 1);
    memory_give_back(visits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_the_least_important_cells_and_no_processes),
        cmocka_unit_test(plans_everything_without_a_limit),
        cmocka_unit_test(takes_what_is_dear_for_dear),
        cmocka_unit_test(leaves_what_waits_for_the_end),
        cmocka_unit_test(gives_a_cell_that_failed_no_further_process),
        cmocka_unit_test(looks_at_every_price_first),
        cmocka_unit_test(the_same_seed_gives_the_same_order),
        cmocka_unit_test(neither_events_nor_paths_stand_together),
        cmocka_unit_test(rounds_are_even),
        cmocka_unit_test(a_stored_plan_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
