/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One clock by itself. What readings cost: planted costs lie in their intervals, whatever timing
 * them costs, with preempted blocks, and with processes that shared their core. In which steps it
 * goes: fine ones by the quantum they count in, coarse ones by their usual step. Going back: clean
 * clocks never do, whatever disturbs them; steps back are counted with their size, counters that
 * begin anew are not among them, and jumps between CPUs are found between CPUs only. */
#include "clocks-shapes.h"

static void begin(uint64_t seed, double jitter)
{
    built_begin(&world, seed, 2);
    built_usual_clocks(&world);
    world.jitter = jitter;
}

/* --- cost --- */

enum { SEEDS = 1000 };

static void row(const char *clock, const char *timer, uint32_t processes)
{
    WATCHED(processes, 20, .kind = WATCH_ROW, .length = 64, .columns = {clock, timer});
}

static const struct clock_cost *cost_of(const char *name)
{
    return &report.costs[index_of(name)];
}

TEST(a_cost_is_what_a_reading_takes_less_the_timing)
{
    begin(1, 0);
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
    begin(2, .1);
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
    begin(3, .1);
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
        begin(seed, .1);
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
    begin(5, .1);
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

/* --- steps --- */

static struct clock_granularity judged(const char *name)
{
    shapes_judge();
    return report.granularities[index_of(name)];
}

static void watch_clock(const char *name, const char *timer)
{
    const char *const each[] = {timer, name};
    for (int i = 0; i < 2; i++)
        WATCHED(3, 20, .kind = WATCH_ROW, .length = 64, .columns = {each[i], timer});
    WATCHED(2, 60, .kind = WATCH_STEPS, .columns = {name, timer});
}

static const struct grain {
    const char *clock, *timer;
    double jitter, step_ns;
    bool coarse;
    double low, high; /* of the resolution, ns */
} grains[] = {
    {"monotonic-coarse", "tsc", .3, 4e6, true, 4e6 - 1, 4e6 + 1},
    /* readings take 40 ns and more, and show any number of ns */
    {"monotonic", "tsc", .3, 0, false, 1, 4},
    /* beside a clock that takes 20 times as long, the step of a quick one is not of its making */
    {"monotonic", "thread-cputime", .3, 0, false, 0, 1e3},
    {"monotonic", "tsc", .3, 1000, true, 999.999, 1000.001},
    /* a step takes two readings of 25 ns, a tick 16 */
    {"cntvct", "tsc", .3, 0, false, 0, 17},
    /* quanta below the cost of a reading, none of them a whole number of ticks; the more readings
     * differ, the more they tell */
    {"tsc", "tsc", 1, 5, false, 4.85, 5.15},
    {"tsc", "tsc", 1, 10, false, 9.7, 10.3},
    {"tsc", "tsc", 1, 24.5, false, 23.8, 25.2},
    {"monotonic", "tsc", 1, 5, false, 4.85, 5.15},
    {"monotonic", "tsc", 1, 10, false, 9.7, 10.3},
    {"monotonic", "tsc", 1, 24.5, false, 23.8, 25.2},
    {"task-clock", "tsc", 1, 5, false, 4.85, 5.15},
    {"task-clock", "tsc", 1, 10, false, 9.7, 10.3},
    {"task-clock", "tsc", 1, 24.5, false, 23.8, 25.2},
};

TEST(a_clock_is_as_good_as_what_it_counts_in)
{
    for (size_t i = 0; i < sizeof(grains) / sizeof(*grains); i++) {
        const struct grain *grain = &grains[i];
        begin(7, .3);
        world.jitter = grain->jitter;
        built_clock(&world,
                    &(struct built_clock){
                        .name = "cntvct", .way = "instruction", .hz = 62500000, .cost_ns = 25});
        built_find(&world, grain->clock)->step_ns = grain->step_ns;
        watch_clock(grain->clock, grain->timer);
        const struct clock_granularity found = judged(grain->clock);
        assert_true(found.known && found.coarse == grain->coarse && found.steps == 118);
        assert_true(found.step_ticks <= found.usual_ticks);
        if (found.resolution_ns < grain->low || found.resolution_ns > grain->high)
            fail_msg("%s by %s, %g ns: %g ns", grain->clock, grain->timer, grain->step_ns,
                     found.resolution_ns);
    }
}

/* Who has to wait for a CPU sees two or three steps at once; other readings of the clock tell. */
TEST(steps_that_were_seen_late_are_several_at_once)
{
    begin(7, .3);
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
    begin(7, .3);
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

TEST(what_never_moved_has_no_step)
{
    begin(7, .3);
    size_t index =
        WATCHED(1, 5, .kind = WATCH_ROW, .length = 64, .columns = {"monotonic-coarse", "tsc"});
    struct clock_watch *watch = &world.file.watches[index];
    for (size_t look = 0; look < 5; look++)
        watch->values[look * ROW_COLUMNS + ROW_LAST] =
            watch->values[look * ROW_COLUMNS + ROW_FIRST];
    struct clock_granularity found = judged("monotonic-coarse");
    assert_true(!found.known && found.coarse && isnan(found.resolution_ns));
}

/* --- going back --- */

static void plan_and_judge(void)
{
    built_plan(&world, 1, true);
    shapes_judge();
}

TEST(clocks_without_fault_never_go_back)
{
    for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
        disturbed_world(seed, 3);
        plan_and_judge();
        for (size_t i = 0; i < world.file.clock_count; i++) {
            const struct clock_monotonic *found = &report.monotonic[i];
            if (!clock_is_candidate(&world.file.clocks[i]))
                continue;
            assert_true(found->known && found->readings > 40000);
            assert_int_equal(found->backward + found->cross_backward, 0);
            assert_false(found->wrapped);
            assert_int_equal(found->cross_known, world.file.clocks[i].role == ROLE_WALL);
        }
    }
}

/* tsc at 2.6 GHz wraps at 16 bits every 25 µs, at 24 every 6.5 ms, at 32 every 1.65 s. */
static const struct planted {
    const char *clock;
    struct built_clock lie;
    uint64_t least, most;  /* steps back */
    double worst, largest; /* by so many ticks */
} planted[] = {
    {"tsc", {.glitch_share = 1e-3, .glitch_ns = 5e4}, 11, 199, 129000, 131000},
    {"realtime", {.back_every_ns = 1e9, .back_by_ns = 3e8}, 1, 1000, 1e8, 3e8},
    {"tsc", {.wrap_bits = 16}, 0, 0, 0, 0},
    {"tsc", {.wrap_bits = 24}, 0, 0, 0, 0},
    {"tsc", {.wrap_bits = 32}, 0, 0, 0, 0},
    /* both at once: the wraps are told apart from the glitches */
    {"tsc", {.wrap_bits = 32, .glitch_share = 1e-3, .glitch_ns = 5e4}, 11, 199, 129000, 131000},
    /* just below a power of two, but the clock is far beyond it */
    {"tsc", {.glitch_share = 1e-3, .glitch_ns = (65536 - 40) / 2.6}, 1, 199, 60000, 70000},
};

TEST(steps_back_are_counted_and_wraps_are_none)
{
    for (size_t i = 0; i < sizeof(planted) / sizeof(*planted); i++)
        for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
            const struct planted *plant = &planted[i];
            disturbed_world(seed, 3);
            lie(plant->clock, &plant->lie);
            plan_and_judge();
            const struct clock_monotonic *found = &report.monotonic[index_of(plant->clock)];
            const bool wraps = plant->lie.wrap_bits;
            assert_true(found->wrapped == wraps && (found->wraps > 0) == wraps);
            assert_true(found->wrap_ticks == (wraps ? ldexp(1, (int)plant->lie.wrap_bits) : 0));
            assert_in_range(found->backward, plant->least, plant->most);
            assert_true(found->worst_ticks >= plant->worst && found->worst_ticks <= plant->largest);
            if (!plant->most)
                assert_int_equal(found->cross_backward, 0);
        }
}

TEST(a_row_that_wraps_at_64_bits_has_gone_on)
{
    built_begin(&world, 6, 1);
    built_usual_clocks(&world);
    size_t index = WATCHED(1, 3, .kind = WATCH_ROW, .length = 64, .columns = {"tsc", "monotonic"});
    uint64_t *row = world.file.watches[index].values;
    uint64_t shift = UINT64_MAX - row[ROW_COLUMNS + ROW_FIRST] - 100;
    for (int block = 0; block < 3; block++) {
        row[block * ROW_COLUMNS + ROW_FIRST] += shift;
        row[block * ROW_COLUMNS + ROW_LAST] += shift;
    }
    row[ROW_COLUMNS + ROW_BACKWARD] = 1;
    row[ROW_COLUMNS + ROW_WORST] = UINT64_MAX - 31;
    shapes_judge();
    const struct clock_monotonic *found = &report.monotonic[index_of("tsc")];
    assert_true(found->wrapped);
    assert_int_equal(found->backward, 0);
    assert_float_equal(found->wrap_ticks, 0x1p64, 0);
}
