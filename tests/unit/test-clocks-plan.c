/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay clocks` plans on machines that are made up. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "studies/clocks/parts.h"

#define WORD(text) ((char *)(uintptr_t)(text))
#define OFFER(name_, kind_, way_, hardware_, ...)                                                  \
    {                                                                                              \
        .name = WORD(name_), .kind = WORD(kind_), .way = WORD(way_), .hardware = WORD(hardware_),  \
        .claim = WORD(""), .note = WORD(""), __VA_ARGS__                                           \
    }

/* In an order that is none of those in which they must be read. */
static struct catalogue_clock offered[] = {
    OFFER("cpu", "place", "vdso", ""),
    OFFER("tsc", "wall", "instruction", "tsc", .hz = 2400000000),
    OFFER("monotonic-raw", "wall", "vdso", "tsc", .hz = 1000000000),
    OFFER("tsc-fenced", "wall", "instruction", "tsc", .hz = 2400000000),
    OFFER("monotonic", "wall", "vdso", "tsc", .hz = 1000000000, .steered = true),
    OFFER("monotonic-coarse", "wall", "vdso", "tsc", .hz = 1000000000,
          .resolution_ps = UINT64_C(4000000000)),
    OFFER("monotonic-raw-syscall", "wall", "syscall", "tsc", .hz = 1000000000),
    OFFER("thread-cputime", "cpu-time", "syscall", "tsc", .hz = 1000000000),
    OFFER("task-clock", "cpu-time", "read", "tsc", .hz = 1000000000),
    OFFER("steal", "stolen", "read", "", .slow = true),
    OFFER("rtc", "wall", "device", "rtc", .hz = 1, .slow = true),
    OFFER("ptp", "wall", "device", "ptp", .hz = 1000000000, .slow = true),
};
#define OFFERED (sizeof(offered) / sizeof(*offered))

static struct catalogue with_all = {.clocks = offered, .clock_count = OFFERED};
static const int32_t all_cpus[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static struct clocks_scope machine_of(size_t cpus)
{
    return (struct clocks_scope){.catalogue = &with_all,
                                 .cpus = all_cpus,
                                 .cpu_count = cpus,
                                 .cpu = (int32_t)cpus - 1,
                                 .budget = 112000,
                                 .seed = 7};
}

static const struct cell *cell_at(const struct clocks_plan *plan, size_t index)
{
    return &plan->wishes->list[index].cells[0];
}

/* Wishes of a stage; and of them those with this clock in column 0, NULL: any. */
static size_t count_stage(const struct clocks_plan *plan, enum clocks_stage stage,
                          const char *column)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->wishes->count; i++)
        count += plan->wishes->list[i].stage == (unsigned)stage &&
                 (!column || strcmp(cell_at(plan, i)->events[0], column) == 0);
    return count;
}

/* What all wishes would take, in s. */
static double whole_time(const struct clocks_plan *plan)
{
    double sum = 0;
    for (size_t i = 0; i < plan->wishes->count; i++)
        sum += (double)plan->wishes->list[i].processes * (double)plan->wishes->list[i].expected_ns;
    return sum / 1e9;
}

static struct clocks_plan planned(const struct clocks_scope *study)
{
    struct clocks_plan plan;
    struct failure failure = {0};
    assert_int_equal(clocks_plan_make(study, &plan, memory_new(1, sizeof(struct wishes)), &failure),
                     0);
    return plan;
}

TEST(every_cell_is_a_whole_watch)
{
    for (int kind = 0; kind < 4; kind++) {
        struct clocks_scope study = machine_of(4);
        study.quick = kind & 1;
        study.emulated = kind & 2;
        struct clocks_plan plan = planned(&study);
        assert_true(plan.wishes->count > 40);
        for (size_t i = 0; i < plan.wishes->count; i++) {
            struct failure failure = {0};
            const struct wish *wish = &plan.wishes->list[i];
            assert_int_equal(cell_check_watch(cell_at(&plan, i), &failure), 0);
            assert_string_equal(cell_at(&plan, i)->link, "static");
            assert_true(wish->least >= 1 && wish->least <= wish->processes);
            assert_true(wish->expected_ns > 0);
            assert_int_equal(wish->after, NO_WISH);
        }
    }
}

/* The columns of a look, with spaces between. */
static void assert_look(const struct clocks_scope *study, const char *expected)
{
    const char *columns[CELL_MAX_COUNTERS];
    const size_t count = clocks_look(study, columns, CELL_MAX_COUNTERS);
    char look[400] = "";
    for (size_t i = 0; i < count; i++) {
        strcat(look, i ? " " : "");
        strcat(look, columns[i]);
    }
    assert_string_equal(look, expected);
}

TEST(clocks_that_people_bring_along_stand_by_their_pace)
{
    static const struct clocks_own own[] = {
        {.text = "quick=object:./a.so:now", .pace = PACE_QUICK},
        {.text = "glacial=run:date +%s", .pace = PACE_GLACIAL},
    };
    struct clocks_scope study = machine_of(2);
    study.own = own;
    study.own_count = 2;
    assert_look(&study, "steal glacial=run:date +%s ptp quick=object:./a.so:now task-clock "
                        "monotonic-raw-syscall thread-cputime monotonic monotonic-coarse "
                        "tsc-fenced monotonic-raw tsc cpu");
    struct clocks_plan plan = planned(&study);
    for (size_t i = 0; i < plan.wishes->count; i++) {
        bool brought = false;
        for (uint32_t j = 0; j < cell_at(&plan, i)->counters; j++)
            brought |= strchr(cell_at(&plan, i)->events[j], '=') != NULL;
        /* Only a harness that can load an object reads one. */
        assert_string_equal(cell_at(&plan, i)->link, brought ? "lazy" : "static");
    }
    assert_int_equal(count_stage(&plan, CLOCKS_TRIPS, own[0].text), 1);
    assert_int_equal(count_stage(&plan, CLOCKS_TRIPS, own[1].text), 1);
}

TEST(the_paper_has_three_hundred_points)
{
    struct clocks_scope study = machine_of(2);
    struct clocks_plan plan = planned(&study);
    uint32_t points = 0, lengths = 0;
    for (size_t i = 0; i < plan.wishes->count; i++) {
        const struct cell *cell = cell_at(&plan, i);
        const struct cell_watch *watch = &cell->watch;
        if (watch->kind != WATCH_INTERVAL || strcmp(watch->workload, "sleep") != 0 ||
            watch->threads != 1 || watch->moves || watch->handover || watch->awake)
            continue;
        assert_true(watch->length >= 20000 && watch->length <= 160000);
        assert_int_equal(watch->length % 10000, 0);
        assert_true(plan.wishes->list[i].processes > 1);
        assert_int_equal(cell->cpu, study.cpu);
        points += plan.wishes->list[i].processes * cell->runs / WATCH_INTERVAL_LOOKS;
        lengths++;
    }
    assert_int_equal(lengths, 15);
    assert_int_equal(points, 300);
}

TEST(it_fits_into_the_time_it_promises)
{
    struct clocks_scope study = machine_of(2);
    struct clocks_plan plan = planned(&study);
    assert_true(whole_time(&plan) < 105);
    assert_true(whole_time(&plan) > 60);
    study.quick = true;
    study.budget = 14000;
    plan = planned(&study);
    assert_true(whole_time(&plan) < 13);
    /* The same kinds, and five lengths of sleep at least. */
    assert_true(count_stage(&plan, CLOCKS_INTERVALS, NULL) >= 10);
    for (unsigned stage = 0; stage < CLOCKS_FINE; stage++)
        assert_true(count_stage(&plan, (enum clocks_stage)stage, NULL) > 0);
}

TEST(what_cannot_be_watched_is_absent_with_its_reason)
{
    static struct catalogue_clock lonely[] = {OFFER("task-clock", "cpu-time", "read", "tsc")};
    static const struct catalogue poor = {.clocks = lonely, .clock_count = 1}, empty;
    static const struct {
        size_t cpus;
        const struct catalogue *catalogue;
        enum clocks_stage none[3]; /* of which there are no wishes */
        const char *reason;        /* of two kinds of watches; NULL: nothing at all is planned */
    } cases[] = {
        {1, &with_all, {CLOCKS_MOVES, CLOCKS_TRIPS, CLOCKS_TRIPS}, "one CPU"},
        {2, &poor, {CLOCKS_ROWS, CLOCKS_STEPS, CLOCKS_TRIPS}, "can be read"},
        {2, &empty, {CLOCKS_INTERVALS, CLOCKS_ROWS, CLOCKS_TRIPS}, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct clocks_scope study = machine_of(cases[i].cpus);
        study.catalogue = cases[i].catalogue;
        const struct clocks_plan plan = planned(&study);
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(count_stage(&plan, cases[i].none[j], NULL), 0);
        assert_int_equal(count_stage(&plan, CLOCKS_INTERVALS, NULL) > 0, cases[i].reason != NULL);
        assert_int_equal(plan.absence_count, 2);
        for (size_t j = 0; j < plan.absence_count && cases[i].reason; j++) {
            assert_non_null(strstr(plan.absences[j].reason, cases[i].reason));
            assert_int_equal(plan.absences[j].error, ENODEV);
        }
    }
}

TEST(who_names_clocks_gets_them_and_what_judges_them)
{
    static const char *const names[] = {"monotonic"};
    struct clocks_scope study = machine_of(2);
    study.names = names;
    study.name_count = 1;
    assert_look(&study, "steal ptp monotonic monotonic-raw tsc cpu");
    struct clocks_plan plan = planned(&study);
    assert_int_equal(count_stage(&plan, CLOCKS_ROWS, NULL), 1);
    assert_int_equal(count_stage(&plan, CLOCKS_ROWS, "monotonic"), 1);
    assert_int_equal(count_stage(&plan, CLOCKS_TRIPS, "monotonic"), 1);
}

TEST(a_clock_of_seconds_is_watched_at_both_ends_alone)
{
    struct clocks_scope study = machine_of(2);
    struct clocks_plan plan = planned(&study);
    assert_int_equal(count_stage(&plan, CLOCKS_EDGES, "rtc"), 1);
    for (size_t i = 0; i < plan.wishes->count; i++) {
        const struct wish *wish = &plan.wishes->list[i];
        assert_int_equal(wish->ends, wish->stage == CLOCKS_EDGES);
        if (wish->ends) {
            assert_int_equal(wish->processes, 2);
            continue;
        }
        for (uint32_t j = 0; j < wish->cells[0].counters; j++)
            assert_string_not_equal(wish->cells[0].events[j], "rtc");
    }
}

TEST(too_many_clocks_are_refused)
{
    struct clocks_own own[CELL_MAX_COUNTERS];
    struct clocks_scope study = machine_of(2);
    struct clocks_plan plan;
    struct failure failure = {0};
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        own[i] = (struct clocks_own){.text = "mine=run:now"};
    study.own = own;
    study.own_count = CELL_MAX_COUNTERS;
    assert_int_equal(
        clocks_plan_make(&study, &plan, memory_new(1, sizeof(struct wishes)), &failure), -E2BIG);
    assert_non_null(strstr(failure.text, "--clock"));
}

/* --- pairs of CPUs --- */

TEST(of_many_pairs_some_are_drawn_that_hold_every_cpu)
{
    for (size_t count = 3; count <= 16; count++)
        for (size_t most = 0; most < 30; most += 7) {
            struct cpu_pair *pairs = NULL;
            size_t made = 0, all = count * (count - 1) / 2, fewest = (count + 1) / 2;
            size_t wanted = most < fewest ? fewest : most;
            bool seen[16] = {false};
            clocks_pairs(all_cpus, count, most, count + most, &pairs, &made);
            assert_int_equal(made, wanted < all ? wanted : all);
            for (size_t i = 0; i < made; i++) {
                assert_true(pairs[i].cpu < pairs[i].partner);
                seen[pairs[i].cpu] = seen[pairs[i].partner] = true;
                for (size_t j = 0; j < i; j++)
                    assert_false(pairs[i].cpu == pairs[j].cpu &&
                                 pairs[i].partner == pairs[j].partner);
            }
            for (size_t i = 0; i < count; i++)
                assert_true(seen[i]);
        }
}

TEST(a_short_time_holds_fewer_pairs_and_tells_how_many)
{
    struct clocks_scope study = machine_of(16);
    study.quick = true;
    study.budget = 14000;
    struct clocks_plan plan = planned(&study);
    assert_int_equal(plan.all_pairs, 120);
    assert_true(plan.pairs >= 8 && plan.pairs < 120);
    assert_int_equal(count_stage(&plan, CLOCKS_TRIPS, "tsc"), plan.pairs);
}
