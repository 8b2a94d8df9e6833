/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read off a row of numbers by itself: mean, spread and quantiles; counts put in order; a
 * smooth density. */
#include "stats/moments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ----------------------------------------------------------------------------------------------
 * Mean, spread and quantiles. Counts share their leading digits, so sums run in long double and
 * deviations are taken from the mean in a second pass: what is lost then was lost when the value
 * became a double. */

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

/* ----------------------------------------------------------------------------------------------
 * Sorting counts by their digits (base 256, lowest first), only as many digits as the counts of one
 * cell differ in: mostly one or two. */

/* Below this, moving each value to its place costs less than counting 256 digits. */
static const size_t FEW = 64;

/* From `from` to `to`, by one digit of the distance from the least value; equal digits keep their
 * order. */
static void by_digit(const int64_t *from, int64_t *to, size_t count, uint64_t least, unsigned shift)
{
    size_t places[256] = {0};
    for (size_t i = 0; i < count; i++)
        places[(((uint64_t)from[i] - least) >> shift) & 255]++;
    size_t before = 0;
    for (size_t digit = 0; digit < 256; digit++) {
        size_t here = places[digit];
        places[digit] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++)
        to[places[(((uint64_t)from[i] - least) >> shift) & 255]++] = from[i];
}

void error_sort(int64_t *values, size_t count, int64_t *scratch)
{
    if (count < FEW) {
        for (size_t i = 1; i < count; i++) {
            int64_t value = values[i];
            size_t place = i;
            for (; place > 0 && values[place - 1] > value; place--)
                values[place] = values[place - 1];
            values[place] = value;
        }

        return;
    }
    int64_t least = values[0], most = values[0];
    bool rising = true;
    for (size_t i = 1; i < count; i++) {
        rising = rising && values[i - 1] <= values[i];
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    if (rising)
        return;
    int64_t *from = values, *to = scratch;
    uint64_t range = (uint64_t)most - (uint64_t)least;
    for (unsigned shift = 0; shift < 64 && range >> shift; shift += 8) {
        by_digit(from, to, count, (uint64_t)least, shift);
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, count * sizeof(*values));
}

int64_t error_quantile(const int64_t *sorted, size_t count, size_t numerator, size_t denominator)
{
    /* ceil(count * share), without the product that could overflow. */
    size_t rank = count / denominator * numerator +
                  (count % denominator * numerator + denominator - 1) / denominator;
    return sorted[rank ? rank - 1 : 0];
}

struct error_spread error_spread_of(const int64_t *sorted, size_t count)
{
    return (struct error_spread){sorted[0], error_quantile(sorted, count, 1, 4),
                                 error_quantile(sorted, count, 1, 2),
                                 error_quantile(sorted, count, 3, 4), sorted[count - 1]};
}

int64_t error_most_frequent(const int64_t *sorted, size_t count, size_t *times)
{
    int64_t frequent = sorted[0];
    *times = 0;
    for (size_t i = 0, length = 0; i < count; i++) {
        length = i && sorted[i] == sorted[i - 1] ? length + 1 : 1;
        if (length > *times) {
            *times = length;
            frequent = sorted[i];
        }
    }
    return frequent;
}

/* ----------------------------------------------------------------------------------------------
 * The density. Counts repeat, so equal values become one node with their number as weight; where
 * too many different ones remain, each is shared between the two nearest of evenly spaced nodes,
 * far closer to each other than a Gaussian is wide. */

#define MOST_NODES 8192

/* A Gaussian further away than this many bandwidths adds less than a double can hold. */
static const double REACH = 8.5, MARGIN = 3;

struct nodes {
    double *values, *weights; /* values rising; weights sum up to 1 */
    size_t count;
};

static void release_nodes(struct nodes *nodes)
{
    memory_give_back(nodes->values);
    memory_give_back(nodes->weights);
}
#define AUTO_NODES __attribute__((cleanup(release_nodes)))

/* 0.9 times the smaller of deviation and quartile distance / 1.34, over the fifth root of count;
 * where more than half of the values are equal, of the deviation. 0 for constant values. sorted
 * must be rising and finite. */
static double density_bandwidth(const double *sorted, size_t count)
{
    if (count < 2)
        return 0;
    double deviation = moments_of(sorted, count).stdev;
    double quartiles = quantile(sorted, count, .75) - quantile(sorted, count, .25);
    double spread = fmin(deviation, quartiles / 1.34);
    return 0.9 * (spread > 0 ? spread : deviation) * pow((double)count, -0.2);
}

static size_t different(const double *sorted, size_t count)
{
    size_t result = 0;
    for (size_t i = 0; i < count; i++)
        result += !i || sorted[i] != sorted[i - 1];
    return result;
}

int density_of(const double *values, size_t count, size_t points, struct density *density,
               double *heights)
{
    if (!count || points < 2 || count > SIZE_MAX / sizeof *values)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return -EINVAL;
    AUTO_MEMORY double *sorted = memory_new(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    sort_values(sorted, count);
    memset(heights, 0, points * sizeof *heights);
    *density = (struct density){.low = sorted[0], .bandwidth = density_bandwidth(sorted, count)};
    if (sorted[0] == sorted[count - 1]) {
        density->constant = true;
        return 0;
    }
    density->low -= MARGIN * density->bandwidth;
    density->step =
        (sorted[count - 1] + MARGIN * density->bandwidth - density->low) / (double)(points - 1);
    if (!isfinite(density->step) || !(density->bandwidth > 0))
        return -EINVAL;
    AUTO_NODES struct nodes nodes = {0};
    size_t needed = different(sorted, count), room = needed < MOST_NODES ? needed : MOST_NODES;
    nodes.values = memory_new(room, sizeof *nodes.values);
    nodes.weights = memory_new(room, sizeof *nodes.weights);
    if (needed <= MOST_NODES) {
        nodes.count = 0;
        for (size_t i = 0; i < count; i++) {
            if (!i || sorted[i] != sorted[i - 1])
                nodes.values[nodes.count++] = sorted[i];
            nodes.weights[nodes.count - 1] += 1 / (double)count;
        }
    } else {
        nodes.count = MOST_NODES;
        double low = sorted[0], step = (sorted[count - 1] - low) / (MOST_NODES - 1);
        for (size_t i = 0; i < MOST_NODES; i++)
            nodes.values[i] = low + (double)i * step;
        for (size_t i = 0; i < count; i++) {
            double place = (sorted[i] - low) / step;
            size_t below = place < MOST_NODES - 2 ? (size_t)place : MOST_NODES - 2;
            double part = fmin(place - (double)below, 1);
            nodes.weights[below] += (1 - part) / (double)count;
            nodes.weights[below + 1] += part / (double)count;
        }
    }
    double bandwidth = density->bandwidth, peak = 1 / (bandwidth * sqrt(2 * M_PI));
    size_t first = 0;
    for (size_t i = 0; i < points; i++) {
        double place = density->low + (double)i * density->step, sum = 0;
        while (first < nodes.count && nodes.values[first] < place - REACH * bandwidth)
            first++;
        for (size_t j = first; j < nodes.count; j++) {
            double distance = (nodes.values[j] - place) / bandwidth;
            if (distance > REACH)
                break;
            sum += nodes.weights[j] * exp(-distance * distance / 2);
        }
        heights[i] = peak * sum;
    }

    return 0;
}
