/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps of clocks: fine ones by the quantum they count in, coarse ones by their usual step, also
 * where only rows were read; and what stands still for as long as readings take is not coarse. */
#include <math.h>
/* cmocka needs the four above before it. */

#include "clocks-shapes.h"

static struct clock_granularity judged(const char *name)
{
    shapes_judge();
    struct clock_granularity granularity = report.granularities[clocks_index(&world.file, name)];
    return granularity;
}

static void begin(void)
{
    built_begin(&world, 7, 2);
    built_usual_clocks(&world);
    world.jitter = 0.3;
}

static void watch_clock(const char *name, const char *timer)
{
    const char *const each[] = {timer, name};
    for (int i = 0; i < 2; i++)
        WATCHED(3, 20, .kind = WATCH_ROW, .length = 64, .columns = {each[i], timer});
    WATCHED(2, 60, .kind = WATCH_STEPS, .columns = {name, timer});
}

TEST(a_coarse_clock_is_as_good_as_its_usual_step)
{
    begin();
    watch_clock("monotonic-coarse", "tsc");
    struct clock_granularity found = judged("monotonic-coarse");
    assert_true(found.known && found.coarse);
    assert_float_equal(found.usual_ticks, 4e6, 1);
    assert_float_equal(found.resolution_ns, 4e6, 1);
    assert_int_equal(found.steps, 118);
}

/* Readings take 40 ns and more, and show any number of ns. */
TEST(a_fine_clock_is_as_good_as_what_it_counts_in)
{
    begin();
    watch_clock("monotonic", "tsc");
    struct clock_granularity found = judged("monotonic");
    assert_true(found.known && !found.coarse);
    assert_true(found.step_ticks >= 30 && found.step_ticks <= found.usual_ticks);
    assert_true(found.usual_ticks < 120);
    assert_true(found.resolution_ns >= 1 && found.resolution_ns < 4);
}

/* Quanta of 5, 10 and 24.5 ns, of which none is a whole number of ticks. */
TEST(quanta_below_the_cost_of_a_reading_are_found)
{
    static const double quanta[] = {5, 10, 24.5};
    static const char *const names[] = {"tsc", "monotonic", "task-clock"};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            begin();
            world.jitter = 1; /* the more readings differ, the more they tell */
            built_find(&world, names[j])->step_ns = quanta[i];
            watch_clock(names[j], "tsc");
            struct clock_granularity found = judged(names[j]);
            assert_false(found.coarse);
            if (fabs(found.resolution_ns - quanta[i]) > .03 * quanta[i])
                fail_msg("%s, %g ns: %g ns", names[j], quanta[i], found.resolution_ns);
        }
}

/* Beside a clock that takes 20 times as long, the step of a quick one is not of its own making. */
TEST(a_slow_clock_beside_it_makes_no_clock_coarse)
{
    begin();
    watch_clock("monotonic", "thread-cputime");
    assert_false(judged("monotonic").coarse);
}

TEST(steps_of_a_microsecond_are_coarse_to_a_quick_reading)
{
    begin();
    built_find(&world, "monotonic")->step_ns = 1000;
    watch_clock("monotonic", "tsc");
    struct clock_granularity found = judged("monotonic");
    assert_true(found.coarse);
    assert_float_equal(found.resolution_ns, 1000, 1e-9);
}

/* Who has to wait for a CPU sees two or three steps at once; other readings of the clock tell. */
TEST(steps_that_were_seen_late_are_several_at_once)
{
    begin();
    watch_clock("monotonic-coarse", "tsc");
    struct clock_watch *steps = &world.file.watches[world.file.watch_count - 1];
    for (size_t look = 1, late = 0; look < steps->begins[steps->processes]; look++)
        steps->values[look * 2] =
            steps->values[(look - 1) * 2] + UINT64_C(4000000) * (late++ % 2 ? 2 : 3);
    WATCHED(2, 12, .kind = WATCH_INTERVAL, .workload = "sleep");
    WATCHED(2, 12, .kind = WATCH_INTERVAL, .workload = "sleep", .length = 50000);
    struct clock_granularity found = judged("monotonic-coarse");
    assert_true(found.coarse && found.regular);
    assert_true(found.usual_ticks >= 8e6);
    assert_float_equal(found.resolution_ns, 4e6, 1);
}

/* Readings of a slow clock are much alike in a loop; those around intervals are not. */
TEST(looks_tell_what_steps_that_are_alike_do_not)
{
    begin();
    built_find(&world, "monotonic")->step_ns = 10;
    built_find(&world, "monotonic")->cost_ns = 300;
    world.jitter = 0;
    watch_clock("monotonic", "tsc");
    assert_true(judged("monotonic").resolution_ns > 100);
    world.jitter = 0.5;
    WATCHED(2, 12, .kind = WATCH_INTERVAL, .workload = "sleep");
    struct clock_granularity found = judged("monotonic");
    assert_false(found.coarse);
    assert_true(fabs(found.resolution_ns - 10) < .5);
}

/* A step takes two readings of 25 ns, a tick 16. */
TEST(ticks_longer_than_a_nanosecond_are_told_one_by_one)
{
    begin();
    built_clock(&world, &(struct built_clock){
                            .name = "cntvct", .way = "instruction", .hz = 62500000, .cost_ns = 25});
    watch_clock("cntvct", "tsc");
    assert_true(judged("cntvct").resolution_ns < 17);
}

TEST(rows_alone_tell_coarse_from_fine)
{
    begin();
    WATCHED(3, 4000, .kind = WATCH_ROW, .length = 64, .columns = {"monotonic-coarse", "tsc"});
    WATCHED(3, 20, .kind = WATCH_ROW, .length = 64, .columns = {"monotonic", "tsc"});
    struct clock_granularity coarse = judged("monotonic-coarse"), fine = judged("monotonic");
    assert_true(coarse.known && coarse.coarse && fine.known && !fine.coarse);
    assert_float_equal(coarse.resolution_ns, 4e6, 1);
    assert_true(fine.resolution_ns > 25 && fine.resolution_ns < 33);
}

TEST(what_never_moved_has_no_step)
{
    begin();
    size_t index =
        WATCHED(1, 5, .kind = WATCH_ROW, .length = 64, .columns = {"monotonic-coarse", "tsc"});
    struct clock_watch *watch = &world.file.watches[index];
    for (size_t look = 0; look < 5; look++)
        watch->values[look * ROW_COLUMNS + ROW_LAST] =
            watch->values[look * ROW_COLUMNS + ROW_FIRST];
    struct clock_granularity found = judged("monotonic-coarse");
    assert_true(!found.known && found.coarse && isnan(found.resolution_ns));
}
