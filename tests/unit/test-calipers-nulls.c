/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What counts of empty regions come to, against values worked out by hand. */
#include <math.h>

#include "case.h"
#include "lib/calipers.h"

static bool near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * (1 + fabs(expected));
}

TEST(roots_are_those_of_the_mathematical_library)
{
    static const double values[] = {0, 1e-300, 0.25, 1, 2, 3, 1e9, 12345.678, 1e18, 1e299};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        assert_true(fabs(root_of(values[i]) - sqrt(values[i])) <= 1e-15 * (1 + sqrt(values[i])));
    assert_true(root_of(-1) == 0);
    assert_true(root_of(NAN) == 0);
}

/* 1 … 128 in an order without a trend: of 129 places between them the next has 2.5 % (three) below
 * the third and as many above the third last. */
TEST(limits_are_those_of_the_next_value)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = (double)(i * 37 % CALIPERS_NULLS + 1);
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 64.5);
    assert_true(figures.low == 3);
    assert_true(figures.high == 126);
    assert_true(figures.mean == 64.5);
    assert_true(figures.odd == 1);
    assert_true(figures.steady);
    /* 1 and 2 weigh as 3, 127 and 128 as 126; the spread is for six less than 128. */
    double sum = 4 * 61.5 * 61.5;
    for (int k = 0; k < 62; k++)
        sum += 2 * (k + 0.5) * (k + 0.5);
    double spread = sqrt(sum / 127) * 128 / 122;
    assert_true(near(figures.spread, spread));
    assert_true(near(figures.error, 1.96 * spread / sqrt(128)));
}

TEST(what_all_agree_on_is_certain)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = 22;
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 22 && figures.low == 22 && figures.high == 22);
    assert_true(figures.error == 0 && figures.spread == 0 && figures.odd == 0);
    assert_true(figures.steady);
}

/* Two of 128 count 150 more: what is subtracted stays, no limit moves, but many add up. */
TEST(a_few_odd_ones_move_nothing_but_what_many_add_up_to)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = i == 5 || i == 100 ? 172 : 22;
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 22 && figures.low == 22 && figures.high == 22);
    assert_true(figures.mean == 22);
    assert_true(figures.odd == 2.0 / 128);
    assert_true(figures.steady);
    /* mean 22 + 300/128 = 24.34375; spread² = (126 · 2.34375² + 2 · 147.65625²) / 127 */
    double spread = sqrt((126 * 2.34375 * 2.34375 + 2 * 147.65625 * 147.65625) / 127);
    assert_true(near(figures.spread, spread));
    assert_true(near(figures.error, 2.34375 + 1.96 * spread / sqrt(128)));
}

TEST(seven_of_128_are_no_few)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t odd = 6; odd <= 7; odd++) {
        for (size_t i = 0; i < CALIPERS_NULLS; i++)
            values[i] = i % 16 == 3 && i / 16 < odd ? 30 : 22;
        null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
        assert_true(figures.middle == 22);
        assert_true(figures.high == 30); /* more than one of 40 */
        assert_true(odd == 6 ? figures.odd == 6.0 / 128 : figures.odd == 1);
    }
}

/* Every 16th empty region touches a new page: those to come do not. */
TEST(of_the_operating_systems_counts_most_decide)
{
    double values[CALIPERS_NULLS];
    struct null_figures alone = {.steady = true}, figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = i % 16 == 12;
    null_figures_of(NATURE_COUNT, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 0 && figures.mean == 0);
    assert_true(figures.high == 1 && figures.odd == 8.0 / 128);
    assert_true(figures.error > 8.0 / 128); /* they may go on after all */
    null_figures_pair(&alone, &figures);
    assert_true(figures.middle == 0);
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    null_figures_pair(&alone, &figures);
    assert_true(figures.middle > 0);
}

TEST(what_goes_on_changing_is_not_steady)
{
    double drifting[CALIPERS_NULLS], jumping[CALIPERS_NULLS], mixed[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++) {
        drifting[i] = 100 + (double)i;
        jumping[i] = i < 40 ? 50 : 60;
        mixed[i] = i * 37 % CALIPERS_NULLS < 64 ? 50 : 51;
    }
    null_figures_of(NATURE_HARDWARE, drifting, CALIPERS_NULLS, &figures);
    assert_false(figures.steady);
    null_figures_of(NATURE_HARDWARE, jumping, CALIPERS_NULLS, &figures);
    assert_false(figures.steady);
    null_figures_of(NATURE_HARDWARE, mixed, CALIPERS_NULLS, &figures);
    assert_true(figures.steady);
}

TEST(few_values_and_none_have_figures_too)
{
    static const double values[] = {7, 9, 8};
    struct null_figures figures;
    null_figures_of(NATURE_HARDWARE, values, 3, &figures);
    assert_true(figures.middle == 8 && figures.low == 7 && figures.high == 9);
    assert_true(near(figures.spread, 1));
    null_figures_of(NATURE_HARDWARE, values, 1, &figures);
    assert_true(figures.middle == 7 && figures.low == 7 && figures.high == 7);
    null_figures_of(NATURE_HARDWARE, values, 0, &figures);
    assert_true(figures.middle == 0 && figures.error == 0 && figures.steady);
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS + 1,
                    &figures); /* more than there can be: not read */
    assert_true(figures.middle == 0);
}

/* Alone 100 with limits of 3 below and 4 above, outer ones 350 with 5 and 5. */
TEST(the_outer_regions_noise_is_not_counted_twice)
{
    struct null_figures alone = {
        .middle = 100, .low = 97, .high = 104, .mean = 100.5, .error = 0.25, .spread = 3, .odd = 1};
    struct null_figures pair = {
        .middle = 350, .low = 345, .high = 355, .mean = 352.5, .error = 0.5, .spread = 5, .odd = 1};
    null_figures_pair(&alone, &pair);
    assert_true(pair.middle == 252);
    assert_true(near(pair.low, 252 - 4));
    assert_true(near(pair.high, 252 + 3));
    assert_true(near(pair.spread, 4));
    assert_true(pair.error == 0.5);
    /* Less noise in the outer ones than in those alone is chance, and means none. */
    pair = (struct null_figures){.middle = 350, .low = 349, .high = 351, .mean = 350, .spread = 1};
    null_figures_pair(&alone, &pair);
    assert_true(pair.low == pair.middle && pair.high == pair.middle && pair.spread == 0);
}
