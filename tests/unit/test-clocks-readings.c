/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Readings of intervals, and the builder whose watches they are taken from. */
#include "clocks-shapes.h"

TEST(an_exact_clock_agrees_with_another_within_their_bounds)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        disturbed_world(seed, 4);
        built_plan(&world, 1, false);
        uint32_t raw = index_of("monotonic-raw");
        uint32_t tsc = index_of("tsc");
        for (size_t i = 0; i < world.file.watch_count; i++) {
            const struct clock_watch *watch = &world.file.watches[i];
            assert_int_equal(watch_intervals(watch), 6 * watch->threads);
            for (size_t j = 0; j < watch_intervals(watch); j++) {
                struct interval_reading one = watch_interval(watch, j, raw);
                struct interval_reading other = watch_interval(watch, j, tsc);
                double off = fabs(one.elapsed - other.elapsed / 2.6);
                double bound = one.bound + other.bound / 2.6 + 2;
                if (off > bound)
                    fail_msg("seed %lu, watch %zu, interval %zu: off by %g ns, bound %g",
                             (unsigned long)seed, i, j, off, bound);
                assert_true(one.elapsed > 0.9e3 * (double)watch->length);
            }
        }
    }
}

/* A watch of one interval with these readings of its clocks. */
#define HELD(columns_, ...)                                                                        \
    uint32_t clocks[] = {0, 1};                                                                    \
    uint64_t values[] = {__VA_ARGS__};                                                             \
    size_t begins[] = {0, 6};                                                                      \
    const struct clock_watch watch = {.kind = WATCH_INTERVAL,                                      \
                                      .threads = 1,                                                \
                                      .columns = (columns_),                                       \
                                      .clocks = clocks,                                            \
                                      .processes = 1,                                              \
                                      .begins = begins,                                            \
                                      .values = values}

/* The first pair turns after column 1, the second before column 0: the same must serve both. The
 * third look of the begin and the first of the end are slow. */
TEST(all_clocks_of_a_side_use_the_same_pair)
{
    HELD(2, 100, 110, 130, 120, 200, 400, 1000, 1200, 1230, 1220, 1240, 1250);
    static const double naive[] = {900, 1090};
    for (uint32_t clock = 0; clock < 2; clock++) {
        const struct interval_reading read = watch_interval(&watch, 0, clock);
        assert_float_equal(read.elapsed, 1120, 1e-9);
        assert_float_equal(read.naive, naive[clock], 1e-9);
        assert_float_equal(read.bound, 20, 1e-9);
    }
}

/* An interruption between the two clocks in the last look: the pair before it has none of it,
 * though the pair behind is a hundred times narrower for the first clock by nature. */
TEST(two_clocks_use_the_pair_without_the_interruption)
{
    HELD(2, 0, 10, 200, 190, 202, 212, 20000000, 20000010, 20000200, 20000190, 20000202, 20015212);
    struct interval_reading both[2];
    watch_interval_of_two(&watch, 0, 0, 1, both);
    assert_float_equal(both[0].elapsed, both[1].elapsed, 1e-9);
    assert_true(both[0].bound + both[1].bound < 1000);
    /* A clock that did not move over one of the sides has no time of its looks. */
    values[2] = values[4] = values[0];
    watch_interval_of_two(&watch, 0, 0, 1, both);
    assert_true(isfinite(both[0].elapsed) && isfinite(both[1].elapsed));
}

TEST(differences_are_taken_over_the_end_of_64_bits)
{
    HELD(1, UINT64_MAX - 9, UINT64_MAX - 7, UINT64_MAX - 5, 90, 92, 94);
    assert_float_equal(watch_interval(&watch, 0, 0).elapsed, 100, 1e-9);
    for (size_t i = 3; i < 6; i++)
        values[i] = UINT64_MAX - 1000 + 2 * i;
    assert_true(watch_interval(&watch, 0, 0).elapsed < 0);
}
