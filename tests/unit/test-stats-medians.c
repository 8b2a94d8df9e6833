/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Medians over processes: their intervals, and those of differences and ratios, hold the true
 * figure as often as they say, for costs of any shape; equal costs have none. */
#include "case.h"
#include "stats/interval.h"

#include <math.h>
/* cmocka needs the four above before it. */
#include <stdbool.h>

#include "stats/random.h"

enum { CASES = 2000, MOST = 200 };

static double uniform(struct random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random *random)
{
    return sqrt(-2 * log(uniform(random))) * cos(6.283185307179586 * uniform(random));
}

/* Shapes with the median 1000. */
static double even(struct random *random)
{
    return 1000 + 80 * normal(random);
}
static double skewed(struct random *random)
{
    return 1000 * exp(.3 * normal(random));
}
static double wild(struct random *random)
{
    return 1000 + 40 * normal(random) / fabs(normal(random));
}
typedef double shape(struct random *random);

static struct overhead_median drawn(shape *of, double factor, size_t count, struct random *random)
{
    double values[MOST];
    for (size_t i = 0; i < count; i++)
        values[i] = factor * of(random);
    return overhead_median_of(values, count);
}

static bool holds(struct overhead_median median, double truth)
{
    return median.low <= truth && truth <= median.high;
}

static void assert_rate(const char *of, size_t count, size_t held)
{
    double rate = (double)held / CASES;
    print_message("# %s of %zu: %.4f\n", of, count, rate);
    assert_true(rate >= 0.93 && rate <= 0.985);
}

TEST(intervals_hold_the_truth_as_often_as_they_say)
{
    static shape *const shapes[] = {even, skewed, wild};
    static const size_t sizes[] = {8, 30, 200};
    struct random random;
    random_seed(&random, 3);
    for (size_t i = 0; i < 9; i++) {
        shape *of = shapes[i / 3];
        size_t count = sizes[i % 3], one = 0, difference = 0, ratio = 0;
        for (int j = 0; j < CASES; j++) {
            struct overhead_median left = drawn(of, 2, count, &random);
            struct overhead_median right = drawn(of, 1, count, &random);
            one += holds(left, 2000);
            difference += holds(overhead_median_difference(left, right), 1000);
            ratio += holds(overhead_median_ratio(left, right), 2);
        }
        assert_rate("median", count, one);
        assert_rate("difference", count, difference);
        assert_rate("ratio", count, ratio);
    }
}

TEST(equal_costs_have_no_width)
{
    for (size_t count = 2; count <= 40; count++) {
        double seven[40], three[40];
        for (size_t i = 0; i < count; i++) {
            seven[i] = 7.7;
            three[i] = 3.3;
        }
        struct overhead_median left = overhead_median_of(seven, count);
        struct overhead_median right = overhead_median_of(three, count);
        struct overhead_median ratio = overhead_median_ratio(left, right);
        assert_true(left.median == 7.7 && left.low == 7.7 && left.high == 7.7);
        assert_true(ratio.low == ratio.median && ratio.high == ratio.median);
        assert_true(ratio.median == 7.7 / 3.3);
    }
}

TEST(an_interval_of_one_side_begins_at_its_ratio)
{
    double values[] = {1733, 1733, 1733, 1733, 1733, 1733, 1733, 1740, 1741, 1742};
    double others[] = {1827, 1827, 1827, 1827, 1827, 1827, 1827, 1827, 1827, 1827};
    struct overhead_median ratio =
        overhead_median_ratio(overhead_median_of(values, 10), overhead_median_of(others, 10));
    assert_true(ratio.low == ratio.median && ratio.high > ratio.median);
}

TEST(one_process_says_nothing_of_the_others)
{
    double one[] = {500}, five[] = {90, 100, 110, 95, 105};
    struct overhead_median lonely = overhead_median_of(one, 1);
    assert_true(lonely.median == 500 && isinf(lonely.low) && isinf(lonely.high));
    struct overhead_median few = overhead_median_of(five, 5);
    assert_true(few.low < 95 && few.high > 105 && isfinite(few.low));
    struct overhead_median ratio = overhead_median_ratio(lonely, few);
    assert_true(ratio.median == 5 && ratio.low == 0 && isinf(ratio.high));
    assert_true(isnan(overhead_median_of(NULL, 0).median));
}

TEST(what_costs_nothing_has_no_ratio)
{
    double nothing[] = {0, 0, 0}, some[] = {5, 6, 7};
    struct overhead_median zero = overhead_median_of(nothing, 3);
    struct overhead_median six = overhead_median_of(some, 3);
    assert_true(isnan(overhead_median_ratio(six, zero).median));
    assert_true(isnan(overhead_median_ratio(zero, six).median));
    /* Below 0 within its interval: no lower limit but 0. */
    double near[] = {-2, 1, 4};
    struct overhead_median ratio = overhead_median_ratio(overhead_median_of(near, 3), six);
    assert_true(ratio.low == 0 && ratio.high > ratio.median);
}
