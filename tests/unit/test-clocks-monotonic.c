/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Going back: clean clocks never do, whatever disturbs them; steps back are counted with their
 * size, counters that begin anew are not among them, and jumps between CPUs are found between CPUs
 * only. */
#include <math.h>
/* cmocka needs the four above before it. */

#include "case.h"
#include "clocks-shapes.h"

static void begin(uint64_t seed)
{
    built_begin(&world, seed, 3);
    built_usual_clocks(&world);
    built_disturb(&world);
}

/* A small plan, judged for one clock. */
static struct clock_monotonic judged(const char *name)
{
    built_plan(&world, 1, true);
    shapes_judge();
    struct clock_monotonic monotonic = report.monotonic[clocks_index(&world.file, name)];
    return monotonic;
}

TEST(clocks_without_fault_never_go_back)
{
    for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
        begin(seed);
        built_plan(&world, 1, true);
        shapes_judge();
        for (size_t i = 0; i < world.file.clock_count; i++) {
            const struct clock_monotonic *found = &report.monotonic[i];
            if (!clock_is_candidate(&world.file.clocks[i]))
                continue;
            assert_true(found->known);
            assert_true(found->readings > 40000);
            assert_int_equal(found->backward, 0);
            assert_int_equal(found->cross_backward, 0);
            assert_false(found->wrapped);
            assert_int_equal(found->cross_known, world.file.clocks[i].role == ROLE_WALL);
        }
    }
}

TEST(single_readings_that_are_low_are_counted)
{
    for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
        begin(seed);
        built_find(&world, "tsc")->glitch_share = 1e-3;
        built_find(&world, "tsc")->glitch_ns = 5e4;
        struct clock_monotonic found = judged("tsc");
        assert_true(found.backward > 10 && found.backward < 200);
        assert_float_equal(found.worst_ticks, 130000, 1000);
        assert_false(found.wrapped);
    }
}

TEST(a_clock_that_is_set_back_has_stepped_back)
{
    for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
        begin(seed);
        built_find(&world, "realtime")->back_every_ns = 1e9;
        built_find(&world, "realtime")->back_by_ns = 3e8;
        struct clock_monotonic found = judged("realtime");
        assert_false(found.wrapped);
        assert_true(found.backward > 0);
        assert_true(found.worst_ticks > 1e8 && found.worst_ticks <= 3e8);
    }
}

TEST(counters_that_begin_anew_do_not_step_back)
{
    /* in ticks of 2.6 GHz: 25 µs, 6.5 ms, 1.65 s */
    static const uint32_t bits[] = {16, 24, 32};
    for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
        for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
            begin(seed);
            built_find(&world, "tsc")->wrap_bits = bits[i];
            struct clock_monotonic found = judged("tsc");
            assert_true(found.wrapped && found.wraps > 0);
            assert_float_equal(found.wrap_ticks, ldexp(1, (int)bits[i]), 0);
            assert_int_equal(found.backward, 0);
            assert_int_equal(found.cross_backward, 0);
        }
}

/* Both at once: the wraps are told apart from the glitches. */
TEST(glitches_of_a_counter_that_wraps_are_steps_back)
{
    begin(4);
    built_find(&world, "tsc")->wrap_bits = 32;
    built_find(&world, "tsc")->glitch_share = 1e-3;
    built_find(&world, "tsc")->glitch_ns = 5e4;
    struct clock_monotonic found = judged("tsc");
    assert_true(found.wrapped && found.wraps > 0);
    assert_true(found.backward > 10);
    assert_float_equal(found.worst_ticks, 130000, 1000);
}

/* Just below a power of two, but the clock is far beyond it. */
TEST(a_step_back_by_nearly_a_power_of_two_is_no_wrap)
{
    begin(5);
    built_find(&world, "tsc")->glitch_share = 1e-3;
    built_find(&world, "tsc")->glitch_ns = (65536 - 40) / 2.6;
    struct clock_monotonic found = judged("tsc");
    assert_false(found.wrapped);
    assert_true(found.backward > 0);
}

TEST(jumps_between_cpus_are_no_steps_back_of_a_thread)
{
    for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
        begin(seed);
        built_find(&world, "tsc")->cpu_offset_ns = seed % 2 ? 3e8 : -3e8;
        struct clock_monotonic found = judged("tsc");
        assert_int_equal(found.backward, 0);
        assert_int_equal(found.cross_backward, found.trips);
        assert_int_equal(found.pairs, 2);
        assert_int_equal(found.trips, 400);
        assert_true(found.cross_worst_ticks > 7e8);
    }
}

TEST(a_row_that_wraps_at_64_bits_has_gone_on)
{
    built_begin(&world, 6, 1);
    built_usual_clocks(&world);
    size_t index = shapes_watch(
        (struct built_watch){.kind = WATCH_ROW, .length = 64, .columns = {"tsc", "monotonic"}}, 1,
        3);
    uint64_t *row = world.file.watches[index].values;
    uint64_t shift = UINT64_MAX - row[ROW_COLUMNS + ROW_FIRST] - 100;
    for (int block = 0; block < 3; block++) {
        row[block * ROW_COLUMNS + ROW_FIRST] += shift;
        row[block * ROW_COLUMNS + ROW_LAST] += shift;
    }
    row[ROW_COLUMNS + ROW_BACKWARD] = 1;
    row[ROW_COLUMNS + ROW_WORST] = UINT64_MAX - 31;
    shapes_judge();
    const struct clock_monotonic *found = &report.monotonic[clocks_index(&world.file, "tsc")];
    assert_true(found->wrapped);
    assert_int_equal(found->backward, 0);
    assert_float_equal(found->wrap_ticks, 0x1p64, 0);
}
