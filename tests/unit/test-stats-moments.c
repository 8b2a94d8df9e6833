/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean and deviation against NIST's certified values; quantiles against R 4.2.2.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../stats/nist-univariate.h"
#include "base/cleanup.h"
#include "case.h"
#include "stats-digits.h"
#include "stats/moments.h"
#include "stats/random.h"

#define PI_DIGITS 5000

/* The first digits of pi, by the spigot of Rabinowitz and Wagon: pi is 2.222… in the base whose
 * places are worth 1/3, 2/5, 3/7 …; a 9 is held back until it is known whether it carries. */
static void pi_digits(double *digits)
{
    enum { PLACES = PI_DIGITS * 10 / 3 + 20 };
    AUTO_FREE uint32_t *places = calloc(PLACES, sizeof *places);
    assert_non_null(places);
    for (size_t i = 0; i < PLACES; i++)
        places[i] = 2;
    size_t written = 0, nines = 0;
    int held = -1;
    while (written < PI_DIGITS) {
        uint32_t carry = 0;
        for (size_t i = PLACES - 1; i > 0; i--) {
            uint32_t value = places[i] * 10 + carry, base = (uint32_t)(2 * i + 1);
            places[i] = value % base;
            carry = value / base * (uint32_t)i;
        }
        uint32_t value = places[0] * 10 + carry;
        places[0] = value % 10;
        if (value / 10 == 9) {
            nines++;
            continue;
        }
        uint32_t over = value / 100, next = value / 10 % 10;
        if (held >= 0)
            digits[written++] = held + (double)over;
        for (; nines && written < PI_DIGITS; nines--)
            digits[written++] = over ? 0 : 9;
        nines = 0;
        held = (int)next;
    }
}

/* middle, then 500 times the pair below and above it. */
static void around(double *values, double middle, double below, double above)
{
    values[0] = middle;
    for (size_t i = 1; i < 1001; i += 2) {
        values[i] = below;
        values[i + 1] = above;
    }
}

struct certified {
    const char *name;
    const double *values;
    size_t count;
    double mean, stdev;
    double mean_digits, stdev_digits; /* what must be right */
};

static void check(const struct certified *set)
{
    struct moments moments = moments_of(set->values, set->count);
    check_digits(set->name, moments.mean, set->mean, set->mean_digits);
    check_digits(set->name, moments.stdev, set->stdev, set->stdev_digits);
    assert_true(moments.variance == 0 ||
                right_digits(sqrt(moments.variance), moments.stdev) > 14.5);
}

TEST(measured_sets_are_right_to_the_digits_their_values_have)
{
    static const struct certified sets[] = {
        {"Lottery", nist_lottery, 218, 518.958715596330, 291.699727470969, 14.5, 14.5},
        {"Lew", nist_lew, 200, -177.435, 277.332168044316, 15, 14.5},
        /* Five digits in common: a deviation of 1e-4 from 2 is kept to 12.4 digits by a double; 50
           errors even out. */
        {"Mavro", nist_mavro, 50, 2.001856, 0.000429123454003053, 15, 13},
        {"Michelso", nist_michelso, 100, 299.8524, 0.0790105478190518, 15, 13.5},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        check(&sets[i]);
}

TEST(the_digits_of_pi_are_right)
{
    static double digits[PI_DIGITS];
    pi_digits(digits);
    assert_true(digits[0] == 3 && digits[4999] == 2);
    /* In NIST's file, and so in its certified values, one digit of pi is wrong. */
    assert_true(digits[956] == 8);
    digits[956] = 3;
    check(&(struct certified){"PiDigits", digits, PI_DIGITS, 4.5348, 2.86733906028871, 15, 14.5});
}

TEST(stiff_sets_lose_only_what_a_double_never_held)
{
    static const double three[] = {10000001, 10000003, 10000002};
    check(&(struct certified){"NumAcc1", three, 3, 10000002, 1, 15, 15});
    double values[1001];
    around(values, 1.2, 1.1, 1.3);
    check(&(struct certified){"NumAcc2", values, 1001, 1.2, 0.1, 15, 14.5});
    /* 0.1 on top of 1e6 is a double only to 1.2e-10 (9.9 digits), of 1e7 to 1.9e-9 (8.2). */
    around(values, 1000000.2, 1000000.1, 1000000.3);
    check(&(struct certified){"NumAcc3", values, 1001, 1000000.2, 0.1, 15, 9.4});
    around(values, 10000000.2, 10000000.1, 10000000.3);
    check(&(struct certified){"NumAcc4", values, 1001, 10000000.2, 0.1, 15, 8.2});
}

TEST(nothing_and_one_value_have_no_spread)
{
    double one = 42;
    struct moments none = moments_of(&one, 0), single = moments_of(&one, 1);
    assert_true(none.count == 0 && isnan(none.mean) && isnan(none.min) && isnan(none.max));
    assert_true(none.variance == 0 && none.stdev == 0);
    assert_true(single.count == 1 && single.mean == 42 && single.min == 42 && single.max == 42);
    assert_true(single.variance == 0 && single.stdev == 0);
}

TEST(constants_have_no_spread_at_all)
{
    enum { MOST = 1000 };
    double same[MOST];
    for (size_t i = 0; i < MOST; i++)
        same[i] = 0.1;
    for (size_t count = 1; count <= MOST; count++) {
        struct moments moments = moments_of(same, count);
        assert_true(moments.mean == 0.1 && moments.variance == 0 && moments.stdev == 0);
    }
}

/* A running sum rounds a little for every value; the second look at the mean takes that back. */
TEST(a_million_values_keep_their_mean)
{
    enum { COUNT = 1 << 20 };
    AUTO_FREE double *values = calloc(COUNT, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 9007199254740000. + (double)(i % 2);
    struct moments moments = moments_of(values, COUNT);
    check_digits("variance", moments.variance, 0.25 * COUNT / (COUNT - 1), 14);
}

TEST(what_is_not_finite_shows)
{
    double values[] = {1, NAN, 3};
    struct moments moments = moments_of(values, 3);
    assert_true(isnan(moments.mean) && isnan(moments.variance));
    assert_true(isnan(moments.min) && isnan(moments.max));
    values[1] = INFINITY;
    moments = moments_of(values, 3);
    assert_true(moments.mean == INFINITY && isnan(moments.variance));
    assert_true(moments.min == 1 && moments.max == INFINITY);
    static const double endless[] = {INFINITY, INFINITY};
    moments = moments_of(endless, 2);
    assert_true(moments.mean == INFINITY && moments.variance == 0);
}

/* R: quantile(c(2.5, 3.1, 4.7, 3.3, 2.9, 8.4, 3.0), share) */
TEST(quantiles_are_those_of_r)
{
    double values[] = {2.5, 3.1, 4.7, 3.3, 2.9, 8.4, 3.0};
    static const double rows[][2] = {{0, 2.5},  {.1, 2.74},   {.25, 2.95},
                                     {.5, 3.1}, {.77, 4.168}, {1, 8.4}};
    sort_values(values, 7);
    for (size_t i = 1; i < 7; i++)
        assert_true(values[i - 1] <= values[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_digits("quantile", quantile(values, 7, rows[i][0]), rows[i][1], 14);
    assert_true(quantile(values, 1, 0.3) == 2.5);
}

TEST(quantiles_beside_infinity_are_no_nan)
{
    double values[] = {-INFINITY, 1, INFINITY, INFINITY};
    assert_true(quantile(values, 4, 0) == -INFINITY && quantile(values, 4, 1) == INFINITY);
    assert_true(quantile(values, 4, 5 / 6.) == INFINITY);
    sort_values(values, 0);
}

/* --- densities against R 4.2.2, and of data that have none --- */

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

/* --- whole numbers: errors of counts --- */

static int by_value(const void *left, const void *right)
{
    int64_t first = *(const int64_t *)left, second = *(const int64_t *)right;
    return (first > second) - (first < second);
}

static void check_spread(struct error_spread spread, int64_t min, int64_t q1, int64_t median,
                         int64_t q3, int64_t max)
{
    assert_int_equal(spread.min, min);
    assert_int_equal(spread.q1, q1);
    assert_int_equal(spread.median, median);
    assert_int_equal(spread.q3, q3);
    assert_int_equal(spread.max, max);
}

/* Around the length where another method takes over, and over ranges from one digit to all. */
TEST(counts_are_sorted_whatever_their_range)
{
    static const size_t lengths[] = {0, 1, 2, 63, 64, 65, 1000, 4097};
    static const uint64_t masks[] = {0, 1, 0xff, 0x1ff, 0xffffff, UINT64_MAX};
    static int64_t values[4097], expected[4097], scratch[4097];
    struct random random;
    random_seed(&random, 11);
    for (size_t length = 0; length < 8; length++)
        for (size_t mask = 0; mask < 6; mask++) {
            size_t count = lengths[length];
            for (size_t i = 0; i < count; i++)
                values[i] = (int64_t)((random_next(&random) & masks[mask]) - (masks[mask] >> 1));
            memcpy(expected, values, sizeof(values));
            qsort(expected, count, sizeof(*expected), by_value);
            error_sort(values, count, scratch);
            assert_memory_equal(values, expected, count * sizeof(*values));
        }
    int64_t extremes[70];
    for (size_t i = 0; i < 70; i++)
        extremes[i] = i % 3 == 0 ? INT64_MAX : i % 3 == 1 ? INT64_MIN : -1;
    error_sort(extremes, 70, scratch);
    assert_int_equal(extremes[0], INT64_MIN);
    assert_int_equal(extremes[22], INT64_MIN);
    assert_int_equal(extremes[23], -1);
    assert_int_equal(extremes[69], INT64_MAX);
}

TEST(quantiles_are_values_that_were_read)
{
    const int64_t four[] = {10, 20, 30, 40}, five[] = {10, 20, 30, 40, 50}, one[] = {7};
    check_spread(error_spread_of(four, 4), 10, 10, 20, 30, 40);
    check_spread(error_spread_of(five, 5), 10, 20, 30, 40, 50);
    check_spread(error_spread_of(one, 1), 7, 7, 7, 7, 7);
    assert_int_equal(error_quantile(four, 4, 25, 1000), 10);
    assert_int_equal(error_quantile(four, 4, 975, 1000), 40);
}

TEST(the_smallest_of_equally_frequent_values_is_named)
{
    const int64_t values[] = {1, 2, 2, 5, 5, 9};
    size_t times;
    assert_int_equal(error_most_frequent(values, 6, &times), 2);
    assert_int_equal(times, 2);
    assert_int_equal(error_most_frequent(values, 1, &times), 1);
    assert_int_equal(times, 1);
}
