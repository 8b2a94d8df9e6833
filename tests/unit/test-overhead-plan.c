/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which tours `assay overhead` wishes for, on machines that are made up. */
#include "base/memory.h"
#include "case.h"
#include "overhead-offers.h"

TEST(every_tour_is_whole)
{
    const struct overhead_study studies[] = {plain_machine(), emulated_machine()};
    for (size_t i = 0; i < 2; i++) {
        struct wishes plan = wished(&studies[i]);
        assert_true(plan.count > 20);
        for (size_t j = 0; j < plan.count; j++)
            for (size_t k = 0; k < plan.list[j].cell_count; k++) {
                const struct cell *cell = &plan.list[j].cells[k];
                struct failure failure = {0};
                assert_int_equal(cell_check_tour(cell, &failure), 0);
                assert_int_equal(cell->runs % length_of(cell), 0);
                assert_string_equal(cell->tour.counted, studies[i].counted);
                assert_int_equal(cell->cpu, 1);
                assert_int_equal(cell->counters, studies[i].meters->count);
                /* What a tour needs to know of itself. */
                assert_true(calls(cell, "timer.nothing"));
                assert_true(calls(cell, "timer.gauge"));
            }
    }
}

/* How many tours there are of a kind, and how long the first is. */
TEST(every_kind_of_tour_is_there)
{
    static const struct {
        struct looked_for wanted;
        size_t count, length; /* length 0: any */
    } kinds[] = {
        /* nothing, gauge, perf-read, perf-syscall, perf-user, assay; lazily PAPI's two */
        {{.stage = OVERHEAD_READS}, 3, 36},
        {{.stage = OVERHEAD_READS, .link = "lazy", .call = "papi-low.accum"}, 1, 49},
        /* A page that was read once is no longer cold. */
        {{.stage = OVERHEAD_READS, .call = "perf-user-cold.read"}, 0, 0},
        /* Running two reads, two of the timer, two stops, and two that a read follows; as many
         * stopped. Each of the 16 stands eight times, and so do two reads. No mapped page, with
         * which starting and stopping cost more. */
        {{.stage = OVERHEAD_SWITCHES, .without = "perf-user.read"}, 3, 16 * 8 + 2 * 8},
        {{.stage = OVERHEAD_SINGLES, .call = "papi-low.start", .without = "perf-read"}, 2, 0},
        {{.stage = OVERHEAD_SINGLES, .call = "papi-high.begin"}, 2, 0},
        {{.stage = OVERHEAD_SINGLES, .call = "assay.start"}, 1, 0},
        /* It calls no library: how it is linked does not matter. */
        {{.stage = OVERHEAD_SINGLES, .call = "perf-prctl.start", .without = "perf-read"}, 1, 0},
        {{.stage = OVERHEAD_COLD, .call = "perf-read.start"}, 3, 0},
        {{.stage = OVERHEAD_COLD, .call = "perf-read.read", .without = "perf-read.start"},
         3,
         2 + 32 + 3},
        {{.stage = OVERHEAD_COLD, .call = "perf-syscall.start"}, 1, 0},
        {{.stage = OVERHEAD_COLD, .call = "perf-user-cold.read"}, 1, 0},
        {{.stage = OVERHEAD_COLD, .call = "papi-high.begin"}, 2, 0},
        /* One path switches; pages are read in tours of their own. */
        {{.stage = OVERHEAD_EVENTS, .call = "perf-read.start"}, 16, 0},
        {{.stage = OVERHEAD_EVENTS, .call = "perf-read.start", .open = 8}, 2, 0},
        {{.stage = OVERHEAD_EVENTS, .call = "perf-read.start", .without = "perf-syscall"}, 16, 0},
        {{.stage = OVERHEAD_EVENTS, .call = "perf-user.read", .without = "perf-read"}, 16, 0},
        {{.stage = OVERHEAD_REPEATS}, 5, 0},
        {{.stage = OVERHEAD_REPEATS, .call = "perf-read.read*32"}, 1, 64},
        /* libassay with one counter is a tour of its own already; it makes the calls of others, so
         * a few numbers do. */
        {{.stage = OVERHEAD_EVENTS, .call = "assay.start", .open = 1}, 1, 0},
        {{.stage = OVERHEAD_EVENTS, .call = "assay.start", .open = 2}, 2, 0},
        {{.stage = OVERHEAD_EVENTS, .call = "assay.start", .open = 3}, 0, 0},
    };
    PLAN(study, plan);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        assert_int_equal(count_of(&plan, kinds[i].wanted), kinds[i].count);
        if (kinds[i].length)
            assert_int_equal(length_of(&first_of(&plan, kinds[i].wanted)->cells[0]),
                             kinds[i].length);
    }
    study.most_open = 4;
    plan = wished(&study);
    assert_int_equal(
        count_of(&plan, LOOKED_FOR(.stage = OVERHEAD_EVENTS, .call = "perf-read.start")), 8);
}

/* What a read costs depends on whether the counters run. */
TEST(reads_while_counters_run_or_right_after_a_stop)
{
    PLAN(study, plan);
    size_t after_stops = 0;
    for (size_t i = 0; i < plan.count; i++) {
        struct tour_call *list = NULL;
        size_t count = 0;
        struct failure failure = {0};
        if (plan.list[i].stage == OVERHEAD_COLD)
            continue;
        assert_int_equal(tour_parse(cell_of_wish(&plan, i)->tour.calls, &list, &count, &failure),
                         0);
#define KIND(call, kind) (strcmp(strchr(list[call].operation, '.') + 1, kind) == 0)
        bool running = !KIND(0, "start") && !KIND(0, "begin");
        for (size_t j = 0; j < count; j++) {
            bool stopped = j && KIND(j - 1, "stop");
            assert_true(!KIND(j, "read") || running || stopped);
            after_stops += KIND(j, "read") && stopped;
            running = KIND(j, "start") || KIND(j, "begin") ||
                      (running && !KIND(j, "stop") && !KIND(j, "end"));
        }
        free(list);
    }
    assert_true(after_stops > 100);
}

/* A run that goes on must find its orders again, whatever else is wished for by then. */
TEST(orders_of_one_tour_differ)
{
    static const char *const paths[] = {"perf-prctl"};
    const struct looked_for wanted = {.stage = OVERHEAD_SINGLES, .call = "perf-prctl.start"};
    struct overhead_study study = plain_machine();
    struct wishes plan = wished(&study);
    const struct wish *wish = first_of(&plan, wanted);
    study.paths = paths;
    study.path_count = 1;
    struct wishes again = wished(&study);
    study.seed++;
    struct wishes other = wished(&study);
    assert_true(wish->cell_count > 1);
    for (size_t i = 0; i < wish->cell_count; i++) {
        const char *order = wish->cells[i].tour.calls;
        assert_string_equal(order, first_of(&again, wanted)->cells[i].tour.calls);
        assert_string_not_equal(order, first_of(&other, wanted)->cells[i].tour.calls);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(order, wish->cells[j].tour.calls);
    }
}

TEST(first_calls_come_first)
{
    static const char begins[] =
        "timer.nothing,timer.nothing,perf-read.start,perf-read.read,perf-read.stop,perf-read.start";
    PLAN(study, plan);
    const struct wish *first =
        first_of(&plan, LOOKED_FOR(.stage = OVERHEAD_COLD, .call = "perf-read.start"));
    assert_memory_equal(first->cells[0].tour.calls, begins, strlen(begins));
    for (size_t i = 0; i < plan.count; i++) {
        const struct wish *wish = &plan.list[i];
        const struct cell *cell = &wish->cells[0];
        bool cold = wish->stage == OVERHEAD_COLD;
        /* Every pair of calls has a thousand runs; of cold ones a process is one replicate. The
         * gauge would warm what is not to be warm: it comes last. */
        if (wish->stage <= OVERHEAD_SINGLES)
            assert_true(cell->runs / length_of(cell) * wish->processes >= 1024);
        assert_int_equal(cell->tour.cold, cold);
        if (!cold)
            continue;
        assert_true(wish->least >= 200 && wish->processes >= wish->least);
        assert_true(cell->runs == length_of(cell) && wish->cell_count == 1);
        assert_string_equal(strstr(cell->tour.calls, ",timer.gauge"),
                            ",timer.gauge,timer.gauge,timer.gauge");
    }
}

TEST(commands_are_called_in_every_order)
{
    PLAN(study, plan);
    const struct wish *wish = first_of(&plan, LOOKED_FOR(.stage = OVERHEAD_COMMANDS));
    assert_int_equal(wish->cell_count, 6);
    for (size_t i = 0; i < wish->cell_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(wish->cells[i].tour.calls, wish->cells[j].tour.calls);
    study.uncounted = true; /* without counters commands remain */
    plan = wished(&study);
    assert_true(plan.count == 1 && plan.list[0].stage == OVERHEAD_COMMANDS);
}

TEST(an_emulated_machine_gets_few_processes)
{
    struct overhead_study study = emulated_machine();
    struct wishes plan = wished(&study);
    for (size_t i = 0; i < plan.count; i++) {
        const struct wish *wish = &plan.list[i];
        assert_int_equal(wish->processes, wish->stage == OVERHEAD_COLD ? 12 : 9);
        assert_int_equal(wish->least, wish->stage == OVERHEAD_COLD ? 9 : 3);
        assert_string_equal(wish->cells[0].events[1], "instructions:k");
    }
    /* A counter is of one process: it does not see a command. */
    assert_int_equal(count_of(&plan, LOOKED_FOR(.stage = OVERHEAD_COMMANDS)), 0);
}

TEST(only_what_was_asked_for_is_called)
{
    struct overhead_study study = plain_machine();
    static const char *const paths[] = {"papi-low", "perf-syscall"};
    study.paths = paths;
    study.path_count = 2;
    study.processes = 4;
    struct wishes plan = wished(&study);
    assert_true(plan.count > 5);
    for (size_t i = 0; i < plan.count; i++) {
        const struct wish *wish = &plan.list[i];
        const struct cell *cell = &wish->cells[0];
        assert_true(calls(cell, "papi-low.") || calls(cell, "perf-syscall."));
        assert_false(calls(cell, "perf-read.") || calls(cell, "assay.") || calls(cell, "command."));
        assert_true(wish->processes == 4 && wish->least == 4 && wish->cell_count <= 4);
    }
}

/* --- what a budget leaves out (the rest of this: test-wishes.c) --- */

/* Makes the visits that are planned, each for `price`. */
static void visit(struct wishes *plan, uint64_t price)
{
    struct visit *visits = NULL;
    size_t count = 0;
    wishes_visits(plan, 1, 1, &visits, &count);
    for (size_t i = 0; i < count && price; i++)
        wishes_learn(plan, visits[i].cell, price, 0, 1);
    memory_give_back(visits);
}

/* The least for the most important ones, and no process for the rest: fewer say nothing. */
TEST(a_small_budget_leaves_out_the_least_important)
{
    const uint64_t price = 10000000, budget = 500 * price;
    uint64_t goals = 0;
    size_t left_out = 0;
    PLAN(study, plan);
    for (wishes_look(&plan, UINT64_MAX, false); wishes_want(&plan);
         wishes_look(&plan, UINT64_MAX, false))
        visit(&plan, price);
    wishes_settle(&plan, budget);
    for (size_t i = 0; i < plan.count; i++) {
        const struct wish *wish = &plan.list[i];
        assert_true(wish->goal == 1 || wish->goal >= wish->least);
        assert_false(wish->stage <= OVERHEAD_SWITCHES && wish->goal == 1);
        left_out += wish->goal == 1;
        goals += wish->goal;
    }
    assert_true(left_out && (goals - plan.count) * price <= budget);
}

/* Five counters do not fit: six are not even tried, neither now nor later. */
TEST(more_counters_wait_for_fewer)
{
    PLAN(study, plan);
    for (int look = 0; look < 6; look++) {
        wishes_look(&plan, UINT64_MAX, false);
        visit(&plan, 0);
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
