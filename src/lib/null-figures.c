/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What counts of empty regions come to. Pure. A counter mostly shows the same for every one: then
 * that is what is subtracted, and nothing is uncertain. Else the median is, and the limits are
 * those between which the next one lies 95 times of 100, whatever the distribution: of n values in
 * order, the next falls below the k-th with a probability of k / (n + 1). */
#define ASSAY_NO_INLINE
#include <stdlib.h>

#include "lib/calipers.h"
#include "lib/root.h"

#define NEARLY_ALL    0.95
#define STANDARD_95   1.96
#define OUTSIDE_LEAST 40 /* one of so many lies outside on a side */

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double middle_of(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Of sorted values, the one that most have, when nearly all do. */
static bool agreed_on(const double *sorted, size_t count, double *value)
{
    size_t same = 0;
    *value = sorted[count / 2];
    for (size_t i = 0; i < count; i++)
        same += sorted[i] == *value;
    return (double)same >= NEARLY_ALL * (double)count;
}

/* Mean and spread, with the `outside` least and largest as if they were at their border: the few
 * that something disturbed unseen weigh no more than others. That makes the spread too small, by
 * about as much as there are of them. */
static void summed(const double *sorted, size_t count, size_t outside, struct null_figures *figures)
{
    size_t first = outside ? outside - 1 : 0, last = count - 1 - first;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i < first ? first : i > last ? last : i];
    figures->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        double off = sorted[i < first ? first : i > last ? last : i] - figures->mean;
        squares += off * off;
    }
    figures->spread = count > 1 ? root_of(squares / (double)(count - 1)) : 0;
    figures->spread *= (double)count / (double)(count - 2 * outside);
    figures->error = STANDARD_95 * figures->spread / root_of((double)count);
}

/* Where nearly all agree on a value, what is odd is no noise around it: all of it weighs. */
static void summed_odd(const double *sorted, size_t count, struct null_figures *figures)
{
    size_t odd = 0;
    for (size_t i = 0; i < count; i++)
        odd += sorted[i] != figures->middle;
    figures->odd = (double)odd / (double)count;
    summed(sorted, count, 0, figures);
    double beside = figures->mean - figures->middle;
    figures->error += beside < 0 ? -beside : beside;
    figures->mean = figures->middle;
}

/* Whether the two halves, in the order in which they were measured, come to the same: by a third of
 * the limits' width, which seven standard errors of such a difference do not reach. */
static bool is_steady(const double *values, size_t count, double low, double high)
{
    double sums[2] = {0, 0};
    size_t half = count / 2;
    for (size_t i = 0; i < half; i++) {
        const double pair[2] = {values[i], values[count - half + i]};
        for (size_t side = 0; side < 2; side++)
            sums[side] += pair[side] < low ? low : pair[side] > high ? high : pair[side];
    }
    double moved = sums[1] - sums[0];
    return (moved < 0 ? -moved : moved) <= (high - low) / 3 * (double)half;
}

void null_figures_of(const double *values, size_t count, struct null_figures *figures)
{
    double ordered[CALIPERS_NULLS];
    *figures = (struct null_figures){.steady = true};
    if (!count || count > CALIPERS_NULLS)
        return;
    for (size_t i = 0; i < count; i++)
        ordered[i] = values[i];
    qsort(ordered, count, sizeof(*ordered), by_value);
    size_t outside = (count + 1) / OUTSIDE_LEAST;
    size_t first = outside ? outside - 1 : 0;
    figures->low = ordered[first];
    figures->high = ordered[count - 1 - first];
    figures->steady = is_steady(values, count, figures->low, figures->high);
    if (agreed_on(ordered, count, &figures->middle)) {
        summed_odd(ordered, count, figures);
    } else {
        figures->middle = middle_of(ordered, count);
        figures->odd = 1;
        summed(ordered, count, outside, figures);
    }
}

static double less_noise(double both, double one)
{
    return root_of(both * both - one * one);
}

/* The outer of two empty regions less an empty one is what the inner adds. The outer's own noise is
 * in both and must not be counted twice. Many pairs add up to their mean and not to their median.
 */
void null_figures_pair(const struct null_figures *alone, struct null_figures *pair)
{
    struct null_figures outer = *pair;
    pair->mean = outer.mean - alone->mean;
    pair->middle = pair->mean;
    pair->low = pair->middle - less_noise(outer.middle - outer.low, alone->middle - alone->low);
    pair->high = pair->middle + less_noise(outer.high - outer.middle, alone->high - alone->middle);
    pair->spread = less_noise(outer.spread, alone->spread);
}
