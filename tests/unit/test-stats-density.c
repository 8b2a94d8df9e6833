/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Densities against R 4.2.2, and of data that have none. R's own density() bins its values, so the
 * curve is compared with the sum it approximates. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "case.h"
#include "stats-digits.h"
#include "stats/moments.h"
#include "stats/random.h"

/* R: x <- c(2.5, 3.1, 4.7, 3.3, 2.9, 8.4, 3.0); bw <- bw.nrd0(x)
 * g <- seq(min(x) - 3*bw, max(x) + 3*bw, length.out = 9); sapply(g, \(p) mean(dnorm(p, x, bw))) */
TEST(the_curve_is_that_of_r)
{
    static const double values[] = {2.5, 3.1, 4.7, 3.3, 2.9, 8.4, 3.0};
    static const double expected[9] = {
        0.0014499385478221178, 0.17919524713133331,  0.45995970219668059,
        0.10943649077708989,   0.034808854113219448, 0.0001328213659292282,
        0.033873422981722294,  0.092909589185037486, 0.0013248888802834947};
    struct density density;
    double heights[9];
    assert_int_equal(density_of(values, 7, 9, &density, heights), 0);
    assert_false(density.constant);
    check_digits("bandwidth", density.bandwidth, 0.47786739788317489, 14);
    check_digits("low", density.low, 1.0663978063504753, 14);
    check_digits("step", density.step, 1.0959005484123814, 14);
    for (size_t i = 0; i < 9; i++)
        check_digits("height", heights[i], expected[i], 12);
}

/* R: z <- c(rep(100, 90), rep(101, 5), rep(140, 5)); bw.nrd0(z), whose quartile distance is 0; and
 * the curve as above with length.out = 5. */
TEST(values_that_repeat_weigh_as_often_as_they_do)
{
    double values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = i % 20 == 3 ? 101 : i % 20 == 7 ? 140 : 100;
    static const double expected[5] = {0.001297639361556384, 0.030003978160155029,
                                       2.4634247030329584e-10, 0.0015285992908325675,
                                       7.0657676841413846e-05};
    struct density density;
    double heights[5];
    assert_int_equal(density_of(values, 100, 5, &density, heights), 0);
    check_digits("bandwidth", density.bandwidth, 3.1361407635047085, 14);
    for (size_t i = 0; i < 5; i++)
        check_digits("height", heights[i], expected[i], 11);
}

TEST(the_area_is_one)
{
    struct random random;
    random_seed(&random, 3);
    double values[500], heights[512], area = 0;
    for (size_t i = 0; i < 500; i++)
        values[i] = (double)random_below(&random, 1000) * (i % 2 ? 1 : .1);
    struct density density;
    assert_int_equal(density_of(values, 500, 512, &density, heights), 0);
    for (size_t i = 0; i < 512; i++)
        area += heights[i] * density.step;
    /* Beyond three bandwidths of the outermost values lies less than 0.14 % of their Gaussians. */
    assert_true(area > .9986 && area < 1.0001);
}

/* More different values than nodes: shared between neighbours, they give the same curve. */
TEST(a_hundred_thousand_values_give_the_curve_of_each_of_them)
{
    enum { COUNT = 100000 };
    AUTO_FREE double *values = calloc(COUNT, sizeof *values);
    assert_non_null(values);
    struct random random;
    random_seed(&random, 17);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < 4; j++)
            values[i] += (double)random_below(&random, 1 << 30);
    struct density density;
    double heights[32];
    assert_int_equal(density_of(values, COUNT, 32, &density, heights), 0);
    for (size_t point = 8; point < 24; point += 5) {
        double place = density.low + (double)point * density.step, sum = 0;
        for (size_t i = 0; i < COUNT; i++) {
            double distance = (values[i] - place) / density.bandwidth;
            sum += exp(-distance * distance / 2);
        }
        check_digits("height", heights[point], sum / COUNT / (density.bandwidth * sqrt(2 * M_PI)),
                     6);
    }
}

TEST(constant_values_are_said_to_be_constant)
{
    static const double values[] = {4, 4, 4};
    for (size_t count = 1; count <= 3; count++) {
        struct density density;
        double heights[4] = {9, 9, 9, 9};
        assert_int_equal(density_of(values, count, 4, &density, heights), 0);
        assert_true(density.constant && density.low == 4 && density.bandwidth == 0);
        for (size_t i = 0; i < 4; i++)
            assert_true(heights[i] == 0);
    }
}

TEST(what_has_no_density_is_refused)
{
    static const double values[] = {1, 2, NAN, INFINITY}, far[] = {-1.7e308, 1.7e308, 0};
    struct density density;
    double heights[4];
    assert_int_equal(density_of(values, 0, 4, &density, heights), -EINVAL);
    assert_int_equal(density_of(values, 2, 1, &density, heights), -EINVAL);
    assert_int_equal(density_of(values, 3, 4, &density, heights), -EINVAL);
    assert_int_equal(density_of(values + 3, 1, 4, &density, heights), -EINVAL);
    assert_int_equal(density_of(far, 3, 4, &density, heights), -EINVAL);
    assert_int_equal(density_of(values, 2, 4, &density, heights), 0);
}
