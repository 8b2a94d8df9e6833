/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean, spread and quantiles. Counts share their leading digits, so sums run in long double and
 * deviations are taken from the mean in a second pass: what is lost then was lost when the value
 * became a double. */
#include "stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static long double exact_mean(const double *values, size_t count)
{
    long double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    long double mean = sum / (long double)count;
    if (!isfinite(mean))
        return mean;
    long double rest = 0;
    for (size_t i = 0; i < count; i++)
        rest += values[i] - mean;
    return mean + rest / (long double)count;
}

struct moments moments_of(const double *values, size_t count)
{
    if (!count)
        return (struct moments){.mean = NAN, .min = NAN, .max = NAN};
    long double mean = exact_mean(values, count), squares = 0;
    struct moments moments = {
        .count = count, .mean = (double)mean, .min = values[0], .max = values[0]};
    for (size_t i = 0; i < count; i++) {
        long double deviation = values[i] - mean;
        squares += deviation * deviation;
        /* Not fmin and fmax: a NaN is to be seen. */
        if (values[i] < moments.min || isnan(values[i]))
            moments.min = values[i];
        if (values[i] > moments.max || isnan(values[i]))
            moments.max = values[i];
    }
    /* Equal values have no spread, however their sum was rounded. */
    if (moments.min == moments.max)
        moments.mean = moments.min;
    else if (count > 1) {
        long double variance = squares / (long double)(count - 1);
        moments.variance = (double)variance;
        moments.stdev = (double)sqrtl(variance);
    }
    return moments;
}

static bool all_equal(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

double autocorrelation(const double *values, size_t count)
{
    if (all_equal(values, count))
        return 0;
    long double mean = exact_mean(values, count), before = 0, products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        long double deviation = values[i] - mean;
        squares += deviation * deviation;
        products += deviation * before;
        before = deviation;
    }
    return (double)(products / squares);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void sort_values(double *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, by_value);
}

double quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    double part = place - (double)below;
    /* Infinite neighbours have no distance; on a value itself none is needed. */
    if (part == 0 || sorted[below] == sorted[below + 1])
        return sorted[below];
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}
