/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a box of a figure holds of many values. */
#include <errno.h>

#include "case.h"
#include "output/figure.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static struct distribution made(const double *values, size_t count)
{
    struct distribution distribution;
    assert_int_equal(distribution_of(values, count, &distribution), 0);
    assert_int_equal(distribution.count, count);
    return distribution;
}

static void release(struct distribution *distribution)
{
    json_decref(distribution->density);
    json_decref(distribution->samples);
}

static double number_at(const json_t *list, size_t index)
{
    assert_true(json_is_number(json_array_get(list, index)));
    return json_number_value(json_array_get(list, index));
}

TEST(few_values_are_all_kept_as_they_came)
{
    static const double values[] = {8, 1, 5, 2, 7, 3, 6, 4};
    struct distribution box = made(values, LENGTH(values));
    assert_true(box.min == 1 && box.q1 == 2 && box.median == 4 && box.q3 == 6 && box.max == 8);
    assert_int_equal(json_array_size(box.samples), LENGTH(values));
    for (size_t i = 0; i < LENGTH(values); i++)
        assert_true(number_at(box.samples, i) == values[i]);
    release(&box);
}

TEST(of_many_values_a_hundred_are_kept_with_the_extremes)
{
    double values[9800];
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = (double)(i * 4801 % LENGTH(values)); /* every number once */
    struct distribution box = made(values, LENGTH(values));
    assert_int_equal(json_array_size(box.samples), DISTRIBUTION_SAMPLES);
    assert_true(number_at(box.samples, 0) == 0);
    assert_true(number_at(box.samples, DISTRIBUTION_SAMPLES - 1) == 9799);
    for (size_t i = 1; i + 1 < DISTRIBUTION_SAMPLES; i++)
        assert_true(number_at(box.samples, i) == values[(i - 1) * 100]);
    release(&box);
}

/* Where it begins, its step, and heights whose sum times the step is 1. */
TEST(a_density_covers_the_values)
{
    double values[1000];
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = 500 + (double)(i % 100);
    struct distribution box = made(values, LENGTH(values));
    assert_int_equal(json_array_size(box.density), 2 + DISTRIBUTION_POINTS);
    const double low = number_at(box.density, 0), step = number_at(box.density, 1);
    assert_true(low <= 500 && low + step * (DISTRIBUTION_POINTS - 1) >= 599);
    double area = 0;
    for (size_t i = 0; i < DISTRIBUTION_POINTS; i++)
        area += number_at(box.density, 2 + i) * step;
    assert_true(area > .95 && area < 1.05);
    release(&box);
}

TEST(equal_values_have_no_density)
{
    static const double values[] = {5, 5, 5};
    struct distribution box = made(values, LENGTH(values));
    assert_true(json_is_null(box.density));
    assert_true(box.min == 5 && box.q1 == 5 && box.max == 5);
    release(&box);
    assert_int_equal(distribution_of(values, 0, &box), -EINVAL);
}
