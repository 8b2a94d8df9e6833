/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Going back: clean clocks never do, whatever disturbs them; steps back are counted with their
 * size, counters that begin anew are not among them, and jumps between CPUs are found between CPUs
 * only. */
#include "clocks-shapes.h"

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

TEST(jumps_between_cpus_are_no_steps_back_of_a_thread)
{
    for (uint64_t seed = 1; seed <= built_seeds(6); seed++) {
        disturbed_world(seed, 3);
        built_find(&world, "tsc")->cpu_offset_ns = seed % 2 ? 3e8 : -3e8;
        plan_and_judge();
        const struct clock_monotonic *found = &report.monotonic[index_of("tsc")];
        assert_int_equal(found->backward, 0);
        assert_int_equal(found->cross_backward, found->trips);
        assert_true(found->pairs == 2 && found->trips == 400);
        assert_true(found->cross_worst_ticks > 7e8);
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
