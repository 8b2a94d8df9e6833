/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the machine did: stolen time, suspension, preemption and late sleeps are found with their
 * sizes where they were planted and not where they were not. Advice: every use gets a clock that is
 * fit for it; what is wrong is recommended for nothing. */
#include "base/memory.h"
#include "clocks-shapes.h"

static void begin(uint64_t seed, double jitter)
{
    built_begin(&world, seed, 2);
    built_usual_clocks(&world);
    world.jitter = jitter;
}

static void judged(void)
{
    judge_plan(1, true);
    assert_in_range(report.advice_count, 1, 7);
}

/* The clock advised for it; -1: none is. */
static int32_t advised(enum clocks_purpose purpose)
{
    for (size_t i = 0; i < report.advice_count; i++)
        if (report.advice[i].purpose == purpose)
            return report.advice[i].clock;
    return -1;
}

static bool is_advised(enum clocks_saying code)
{
    for (size_t i = 0; i < report.advice_count; i++)
        if (says(&report.advice[i].text, code))
            return true;
    return false;
}

TEST(every_use_gets_a_clock)
{
    begin(1, .3);
    judged();
    assert_int_equal(advised(PURPOSE_SHORT), clocks_index(&world.file, "tsc"));
    assert_int_equal(advised(PURPOSE_LONG), clocks_index(&world.file, "monotonic"));
    assert_true(advised(PURPOSE_ACROSS) >= 0 && advised(PURPOSE_CPU_TIME) >= 0);
    static const enum clocks_saying codes[] = {CLOCKS_WITHOUT_RATE, CLOCKS_NEVER_FARTHER,
                                               CLOCKS_NONE_FALSIFIABLE, CLOCKS_SLEEPS_LATE};
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
        assert_true(is_advised(codes[i]));
}

/* A counter that jumps between CPUs is the quickest, and of no use. */
TEST(what_is_wrong_is_recommended_for_nothing)
{
    begin(2, .3);
    built_find(&world, "tsc")->cpu_offset_ns = 1e6;
    judged();
    const int32_t tsc = clocks_index(&world.file, "tsc");
    assert_true(advised(PURPOSE_SHORT) >= 0);
    assert_int_not_equal(advised(PURPOSE_SHORT), tsc);
    assert_int_not_equal(advised(PURPOSE_ACROSS), tsc);
}

TEST(an_independent_reference_needs_no_other)
{
    begin(3, .3);
    struct clock_known *raw = &world.file.clocks[clocks_index(&world.file, "monotonic-raw")];
    raw->hardware = memory_copy("hpet");
    judged();
    assert_int_equal(report.verdicts[clocks_index(&world.file, "tsc")].trust, TRUST_DEPENDABLE);
    assert_false(is_advised(CLOCKS_NONE_FALSIFIABLE));
}

TEST(suspension_asks_for_a_clock_that_goes_on)
{
    begin(5, .3);
    world.suspend_share = 0.1;
    judged();
    assert_int_equal(advised(PURPOSE_LONG), clocks_index(&world.file, "boottime"));
}

/* --- what the machine did --- */

TEST(a_quiet_machine_did_nothing)
{
    begin(1, 0);
    judge_plan(1, false);
    const struct clocks_disturbances *seen = &report.disturbances;
    assert_true(seen->stolen_ns == 0 && seen->suspended_ns == 0);
    assert_int_equal(seen->stolen_intervals + seen->suspended_intervals + seen->preempted, 0);
    assert_int_equal(seen->intervals, 6 * 16);
    assert_true(seen->watched_ns > 3.5e9 && seen->watched_ns < 6e9);
    assert_true(seen->overslept_median_ns > 2e4 && seen->overslept_median_ns < 9e4);
    assert_true(seen->overslept_max_ns > seen->overslept_median_ns);
    assert_true(isfinite(seen->awake_median_ns) && seen->awake_max_ns >= seen->awake_median_ns);
    assert_true(says(&seen->idle, CLOCKS_IDLE_CHANGES_NONE));
    assert_true(says(&seen->idle, CLOCKS_AWAKE_ALIKE));
}

TEST(what_disturbed_is_named_with_its_size)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        begin(seed, 0);
        built_disturb(&world);
        world.suspend_share = 0.05;
        judge_plan(2, false);
        const struct clocks_disturbances *seen = &report.disturbances;
        double suspended = 0;
        for (size_t i = 0; i < world.suspend_count; i++)
            suspended += world.suspends[i].ns;
        assert_true(seen->stolen_intervals > 0);
        assert_true(seen->stolen_ns > 0 && seen->stolen_ns <= world.stolen_ns * 1.001);
        assert_int_equal(seen->suspended_intervals, world.suspend_count);
        assert_true(fabs(seen->suspended_ns - suspended) < 1e5);
        assert_true(seen->preempted > 0 && seen->preempted < seen->intervals / 3);
    }
}

TEST(what_cannot_be_read_is_not_nothing)
{
    built_begin(&world, 3, 1);
    built_clock(&world, &(struct built_clock){.name = "monotonic-raw", .hz = 1000000000});
    WATCHED(2, 3, .kind = WATCH_INTERVAL, .workload = "compute");
    judge_all();
    const struct clocks_disturbances *seen = &report.disturbances;
    assert_true(isnan(seen->stolen_ns) && isnan(seen->suspended_ns));
    assert_true(isnan(seen->overslept_median_ns) && isnan(seen->awake_median_ns));
    assert_int_equal(seen->idle.count, 0);
}

static void sleeps(bool awake)
{
    WATCHED(3, 10, .kind = WATCH_INTERVAL, .workload = "sleep", .awake = awake);
}

TEST(idle_states_that_stop_a_clock_are_named)
{
    begin(4, 0);
    built_find(&world, "tsc")->stops_in_sleep = true;
    sleeps(false);
    built_find(&world, "tsc")->stops_in_sleep = false;
    world.overslept_ns = 5e3;
    sleeps(true);
    judge_all();
    const struct clocks_disturbances *seen = &report.disturbances;
    assert_true(says(&seen->idle, CLOCKS_IDLE_MATTERS));
    assert_string_equal(seen->idle.list[0].values[0].text, "tsc");
    assert_true(says(&seen->idle, CLOCKS_IDLE_LATER));
    assert_true(seen->awake_median_ns < 1e4 && seen->overslept_median_ns > 2e4);
}
