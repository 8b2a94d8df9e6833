/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What readings cost: planted costs are found and lie in the interval, whatever the timing clock
 * costs itself, with preempted blocks, and with processes that shared their core. */
#include <math.h>
/* cmocka needs the four above before it. */

#include "clocks-shapes.h"

enum { SEEDS = 1000 };

static void row(const char *clock, const char *timer, uint32_t processes)
{
    WATCHED(processes, 20, .kind = WATCH_ROW, .length = 64, .columns = {clock, timer});
}

static void begin(uint64_t seed)
{
    built_begin(&world, seed, 2);
    built_usual_clocks(&world);
    world.jitter = 0.1;
}

static const struct clock_cost *cost_of(const char *name)
{
    return &report.costs[clocks_index(&world.file, name)];
}

TEST(a_cost_is_what_a_reading_takes_less_the_timing)
{
    built_begin(&world, 1, 2);
    built_usual_clocks(&world);
    built_find(&world, "tsc")->cost_ns = 200; /* so dear that 64 readings would show it */
    row("tsc", "tsc", 5);
    row("monotonic", "tsc", 5);
    row("task-clock", "tsc", 5);
    shapes_judge();
    assert_true(cost_of("tsc")->known);
    assert_float_equal(cost_of("tsc")->ticks, 520, .2);
    assert_float_equal(cost_of("tsc")->ns, 200, .1);
    assert_float_equal(cost_of("monotonic")->ticks, 65, .2);
    assert_float_equal(cost_of("monotonic")->ns, 25, .1);
    assert_float_equal(cost_of("task-clock")->ns, 400, .1);
    assert_int_equal(cost_of("task-clock")->blocks, 100);
    assert_false(cost_of("realtime")->known);
    assert_true(isnan(cost_of("realtime")->ns));
}

/* Where reading the counter is forbidden, nothing quick can time. */
TEST(without_ticks_there_are_nanoseconds)
{
    begin(2);
    built_clock(&world, &(struct built_clock){.name = "monotonic-raw-syscall",
                                              .way = "syscall",
                                              .hz = 1000000000,
                                              .cost_ns = 300});
    row("monotonic-raw-syscall", "monotonic-raw-syscall", 3);
    row("thread-cputime", "monotonic-raw-syscall", 3);
    shapes_judge();
    const struct clock_cost *cost = cost_of("thread-cputime");
    assert_true(cost->known && isnan(cost->ticks) && isnan(cost->low) && isnan(cost->high));
    assert_float_equal(cost->ns, 250 * 1.05, 2);
}

TEST(one_process_has_no_interval)
{
    begin(3);
    row("tsc", "tsc", 1);
    shapes_judge();
    const struct clock_cost *cost = cost_of("tsc");
    assert_true(cost->known && isfinite(cost->ticks) && isnan(cost->low) && isnan(cost->high));
}

struct tally {
    int held;
    double worst; /* relative */
};

/* Eight processes, `shared` of which ran on a core that others used as well: 20 % dearer. */
static struct tally tally_of(uint32_t shared, double preempted)
{
    const double truth = 25 * 1.05 * 2.6;
    const struct built_watch blocks = {
        .kind = WATCH_ROW, .length = 64, .columns = {"monotonic", "tsc"}};
    struct tally tally = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        begin(seed);
        world.look_preempted = preempted;
        world.preempted_ns = 1e6;
        row("tsc", "tsc", 8);
        size_t index = shapes_watch(blocks, 8 - shared, 20);
        built_find(&world, "monotonic")->cost_ns = 30;
        for (uint32_t i = 0; i < shared; i++)
            built_visit(&world, index, 20);
        shapes_judge();
        const struct clock_cost *cost = cost_of("monotonic");
        tally.held += cost->low <= truth && truth <= cost->high;
        tally.worst = fmax(tally.worst, fabs(cost->ticks / truth - 1));
    }
    print_message("# held in %d of %d, off by %.2f %% at most\n", tally.held, SEEDS,
                  100 * tally.worst);
    return tally;
}

TEST(planted_costs_lie_in_their_intervals)
{
    struct tally tally = tally_of(0, 1e-4);
    assert_true(tally.held >= 0.93 * SEEDS);
    assert_true(tally.worst < 0.01);
}

TEST(shared_cores_and_preemption_do_not_move_a_cost)
{
    assert_true(tally_of(3, 2e-3).worst < 0.01);
}

TEST(preempted_blocks_do_not_count_where_there_are_others)
{
    begin(5);
    world.jitter = 0;
    size_t index = WATCHED(3, 10, .kind = WATCH_ROW, .length = 64, .columns = {"tsc", "tsc"});
    struct clock_watch *watch = &world.file.watches[index];
    for (size_t look = 0; look < 30; look++)
        if (look % 10 >= 3) {
            watch->values[look * ROW_COLUMNS + ROW_AFTER] += 1000000;
            watch->accounts[look].involuntary = 1;
        }
    shapes_judge();
    assert_float_equal(cost_of("tsc")->ticks, 31.2, .1);
    assert_int_equal(cost_of("tsc")->blocks, 9);
}
