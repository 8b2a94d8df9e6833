/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines that are not the usual one, and what may be said of their clocks there: guests that
 * move, sockets that disagree, counters of other makes, loads that never let a thread run, and
 * watches that left something out. */
#include "base/memory.h"
#include "clocks-shapes.h"

#define SEEDS built_seeds(6)

/* No advice names a clock that is not dependable as the one to take: nor as another form of it. */
static void assert_advice(void)
{
    for (size_t i = 0; i < report.advice_count; i++) {
        const struct clocks_advice *advice = &report.advice[i];
        if (advice->clock >= 0)
            assert_int_not_equal(report.verdicts[advice->clock].trust, TRUST_NOT_DEPENDABLE);
        for (size_t j = 0; j < advice->text.count; j++)
            if (advice->text.list[j].words == &clocks_words[CLOCKS_IN_ORDER] ||
                advice->text.list[j].words == &clocks_words[CLOCKS_WITHOUT_RATE])
                assert_int_not_equal(verdict_of(advice->text.list[j].values[0].text)->trust,
                                     TRUST_NOT_DEPENDABLE);
    }
}

/* The counter jumps on all CPUs where a guest is moved; its host keeps kvm-clock right. */
TEST(a_guest_that_moved_shows_in_its_counter_alone)
{
    size_t seen = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 2);
        built_clock(&world, &(struct built_clock){
                                .name = "tsc-fenced", .way = "instruction", .hz = 2600000000});
        static const char *const counters[] = {"tsc", "tsc-fenced"};
        for (size_t i = 0; i < 2; i++) {
            built_find(&world, counters[i])->jump_at_ns = world.now + 3e9;
            built_find(&world, counters[i])->jump_by_ns = seed % 2 ? 3e10 : -3e8;
        }
        judge_plan(1, false);
        seen += verdict_of("tsc")->trust == TRUST_NOT_DEPENDABLE;
        ASSERT_EACH(TRUST_NOT_FALSIFIABLE, FAULT_NONE, "monotonic-raw", "monotonic", "realtime",
                    "boottime");
        assert_advice();
    }
    assert_true(seen >= SEEDS * 6 / 10);
}

/* All clocks are made of the one counter, so no interval shows it: trips do. */
TEST(sockets_that_disagree_are_seen_by_trips)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static const char *const all[] = {"tsc", "monotonic-raw", "monotonic", "realtime",
                                          "boottime"};
        disturbed_world(seed, 2);
        for (size_t i = 0; i < 5; i++)
            built_find(&world, all[i])->cpu_offset_ns = 3e6;
        judge_plan(1, true);
        for (size_t i = 0; i < 5; i++)
            assert_trust(all[i], TRUST_NOT_DEPENDABLE, FAULT_JUMPS_BETWEEN_CPUS);
        assert_advice();
    }
}

static void rename_counter(const char *name, const char *hardware)
{
    for (uint32_t i = 0; i < world.file.clock_count; i++) {
        struct clock_known *clock = &world.file.clocks[i];
        if (clock->role != ROLE_WALL)
            continue;
        clock->hardware = memory_copy(hardware);
        if (strcmp(clock->name, "tsc") == 0) {
            clock->name = memory_copy(name);
        }
    }
}

/* The clocksource is another counter than the CPU's. */
static void by_another_clocksource(uint64_t seed, uint32_t cpus)
{
    disturbed_world(seed, cpus);
    for (uint32_t i = 0; i < world.file.clock_count; i++)
        if (world.file.clocks[i].role == ROLE_WALL &&
            strcmp(world.file.clocks[i].name, "tsc") != 0) {
            world.file.clocks[i].hardware = memory_copy("hpet");
        }
}

static void watch(const char *workload, uint32_t moves)
{
    for (uint64_t length = 20000; length <= 160000; length += 70000)
        built_visit(&world,
                    built_watch(&world, &(struct built_watch){.kind = WATCH_INTERVAL,
                                                              .workload = workload,
                                                              .length = length,
                                                              .moves = moves}),
                    4);
}

TEST(dependable_is_only_who_was_seen_asleep_at_work_and_moved)
{
    static const struct {
        bool sleep, compute, moves;
        uint32_t cpus;
        const char *lacks; /* NULL: nothing */
    } cases[] = {
        {true, true, true, 4, NULL},
        {true, true, false, 1, NULL},
        {false, true, true, 4, "sleep"},
        {true, false, false, 4, "computation"},
        {true, true, false, 4, "change of CPU"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        by_another_clocksource(7 + i, cases[i].cpus);
        if (cases[i].sleep)
            watch("sleep", 0);
        if (cases[i].compute)
            watch("compute", 0);
        if (cases[i].moves)
            watch("compute", 3);
        judge_all();
        static const char *const both[] = {"tsc", "monotonic-raw"};
        for (size_t j = 0; j < 2; j++) {
            assert_trust(both[j], cases[i].lacks ? TRUST_NOT_FALSIFIABLE : TRUST_DEPENDABLE,
                         FAULT_NONE);
            if (cases[i].lacks && j == 0)
                assert_string_equal(verdict_of(both[j])->why.list[0].values[0].text,
                                    cases[i].lacks);
        }
    }
}

/* Where a reading takes microseconds, bounds are wide; what is said to be one counter keeps to the
 * line by far less. */
TEST(one_counter_is_recognized_also_by_slow_readings)
{
    built_begin(&world, 3, 1);
    built_clock(&world,
                &(struct built_clock){
                    .name = "cntvct", .way = "instruction", .hz = 62500000, .cost_ns = 2000});
    built_clock(&world,
                &(struct built_clock){
                    .name = "monotonic-raw", .hz = 1000000000, .cost_ns = 2000, .step_ns = 16});
    rename_counter("cntvct", "arch_sys_counter");
    watch("sleep", 0);
    built_pass(&world, 1e10);
    watch("compute", 0);
    world.file.emulated = true;
    judge_all();
    const struct clock_same *same = &report.same[index_of("monotonic-raw")];
    assert_true(same->bound_ns / same->span_s > 100);
    assert_true(same->known && same->same);
}

TEST(cpu_time_is_not_measured_by_what_another_thread_ended)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        bool busy = seed % 2;
        world.preempted_share = busy ? 1 : 0.1;
        judge_plan(1, false);
        assert_trust("thread-cputime", TRUST_CPU_TIME_ONLY, FAULT_NONE);
        const struct clock_verdict *verdict = verdict_of("thread-cputime");
        assert_true(verdict->worst_row >= 0 && !report.rows[verdict->worst_row].handover);
        assert_true(verdict->worst_ratio >= 0);
        assert_true(says(&verdict->why, CLOCKS_USELESS_ACROSS));
        assert_int_equal(says(&verdict->why, CLOCKS_ALL_DISTURBED), busy);
        assert_false(says(&verdict_of("process-cputime")->why, CLOCKS_USELESS_ACROSS));
    }
}

/* On a machine whose CPUs are all taken a thread may wait without an entry in its account. */
TEST(two_computations_that_look_undisturbed_prove_nothing_against_cpu_time)
{
    disturbed_world(3, 2);
    world.preempted_share = 1;
    world.stolen_share = 0;
    built_plan(&world, 1, false);
    size_t cleared = 0;
    for (size_t i = 0; i < world.file.watch_count && cleared < 2; i++) {
        struct clock_watch *watched = &world.file.watches[i];
        if (watched->kind != WATCH_INTERVAL || strcmp(watched->workload, "compute") != 0 ||
            watched->threads != 1 || watched->moves || watched->handover)
            continue;
        watched->accounts[WATCH_SIDE_LOOKS].involuntary = 0;
        cleared++;
    }
    assert_int_equal(cleared, 2);
    judge_all();
    assert_trust("thread-cputime", TRUST_CPU_TIME_ONLY, FAULT_NONE);
}

/* The tick that moves a coarse clock comes late now and then: an interval lacks a step or two. */
TEST(a_late_tick_is_no_step_back_of_a_coarse_clock)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 2);
        built_plan(&world, 1, true);
        uint32_t coarse = index_of("monotonic-coarse");
        bool late = false;
        for (size_t i = 0; i < world.file.watch_count && !late; i++) {
            struct clock_watch *watched = &world.file.watches[i];
            int column = watch_column(watched, coarse);
            if (watched->kind != WATCH_INTERVAL || column < 0 ||
                strcmp(watched->workload, "compute") != 0)
                continue;
            for (size_t look = WATCH_SIDE_LOOKS; look < WATCH_INTERVAL_LOOKS; look++)
                watched->values[look * watched->columns + (size_t)column] -= 8000000;
            late = true;
        }
        assert_true(late);
        judge_all();
        assert_trust("monotonic-coarse", TRUST_NOT_DEPENDABLE, FAULT_COARSE_STEPS);
    }
}

/* Nobody who takes the CPU makes a thread's time longer than the time itself. */
TEST(cpu_time_that_is_too_much_is_wrong_under_any_load)
{
    disturbed_world(2, 4);
    world.preempted_share = 1;
    world.preempted_ns = 1e5;
    built_find(&world, "thread-cputime")->ppm = 300000;
    judge_plan(1, false);
    assert_trust("thread-cputime", TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE);
}

/* The counter goes on while the machine is suspended, monotonic-raw does not. */
TEST(suspension_is_no_finding_against_the_counter)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 2);
        world.suspend_share = 0.3;
        world.suspend_ns = 5e8;
        judge_plan(1, false);
        assert_true(report.disturbances.suspended_ns > 0);
        for (size_t i = 0; i < 2; i++)
            if (report.findings[i].verdict == FINDING_FAILS)
                fail_msg("%s: %s", report.findings[i].id, reasons_text(&report.findings[i].why));
        assert_trust("tsc", TRUST_NOT_FALSIFIABLE, FAULT_NONE);
    }
}
