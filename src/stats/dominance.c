/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often one sample lies above another: Cliff's delta. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/two-samples.h"

/* Who is above whom in each pair, as sums: of all, of squares, and by value of either side. */
struct pairs {
    double sum, squares;
    double *of_left, *of_right; /* [left], [right] */
};

static int count_pairs(const struct two_samples *samples, struct pairs *pairs)
{
    for (size_t i = 0; i < samples->left_count; i++)
        for (size_t j = 0; j < samples->right_count; j++) {
            const double left = samples->left[i], right = samples->right[j];
            if (isnan(left) || isnan(right))
                return -EINVAL;
            const double above = (double)((right > left) - (right < left));
            pairs->sum += above;
            pairs->squares += above * above;
            pairs->of_left[i] += above;
            pairs->of_right[j] += above;
        }
    return 0;
}

static double spread_of(const double *sums, size_t count, double each, double delta)
{
    double spread = 0;
    for (size_t i = 0; i < count; i++)
        spread += (sums[i] / each - delta) * (sums[i] / each - delta);
    return spread;
}

/* Cliff's unbiased estimate, not below what he gives as its least. */
static double variance_of(const struct pairs *pairs, size_t left, size_t right, double delta)
{
    const double n = (double)left, m = (double)right;
    const double by_left = spread_of(pairs->of_left, left, m, delta),
                 by_right = spread_of(pairs->of_right, right, n, delta),
                 all = pairs->squares - n * m * delta * delta;
    const double variance =
        (m * m * by_left + n * n * by_right - all) / (n * m * (n - 1) * (m - 1));
    return fmax(variance, (1 - delta * delta) / (n * m - 1));
}

static struct interval interval_of(double delta, double variance, double quantile)
{
    const double wide = quantile * quantile * variance, rest = 1 - delta * delta;
    const double reach = quantile * sqrt(variance) * sqrt(rest * rest + wide);
    return (struct interval){fmax((delta * rest - reach) / (rest + wide), -1),
                             fmin((delta * rest + reach) / (rest + wide), 1)};
}

static struct interval interval_apart(double delta, double count, double confidence)
{
    const double z = normal_quantile(.5 + confidence / 2);
    const double near = (count - z * z) / (count + z * z);
    return delta > 0 ? (struct interval){near, 1} : (struct interval){-1, -near};
}

int dominance_of(const struct two_samples *samples, double confidence, struct dominance *dominance)
{
    const size_t left = samples->left_count, right = samples->right_count;
    if (!left || !right)
        return -EINVAL;
    AUTO_FREE double *sums = calloc(left + right, sizeof(*sums));
    if (!sums)
        return -ENOMEM;
    struct pairs pairs = {.of_left = sums, .of_right = sums + left};
    int error = count_pairs(samples, &pairs);
    if (error < 0)
        return error;
    const double delta = pairs.sum / ((double)left * (double)right);
    *dominance = (struct dominance){delta, {-1, 1}};
    if (left < 2 || right < 2)
        return 0;
    if (fabs(delta) >= 1)
        dominance->interval =
            interval_apart(delta, (double)(left < right ? left : right), confidence);
    else
        dominance->interval =
            interval_of(delta, variance_of(&pairs, left, right, delta),
                        t_quantile(.5 + confidence / 2, (double)(left + right - 2)));
    return 0;
}

struct dominance stratified_dominance(const struct stratified *stratified, double confidence)
{
    struct dominance dominance = {0, {-1, 1}};
    if (!(stratified->reach > 0))
        return dominance;
    const double half =
        normal_quantile(.5 + confidence / 2) * sqrt(stratified->variance) / stratified->reach;
    dominance.delta = stratified->excess / stratified->reach;
    double low = fmax(dominance.delta - half, -1), high = fmin(dominance.delta + half, 1);
    if (stratified_p(stratified) > 1 - confidence) { /* so few values that no split would tell */
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    dominance.interval = (struct interval){low, high};
    return dominance;
}
