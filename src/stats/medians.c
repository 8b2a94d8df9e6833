/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interval of a median lies between two of the sorted values: how often each of them is on
 * which side of the true one is known for every distribution. Two intervals make that of a
 * difference by recovering a variance on each side (the lower reach of one goes with the upper of
 * the other), so that what is skewed stays so. */
#include "stats/medians.h"

#include <math.h>

#include "stats/incomplete-beta.h"
#include "stats/interval.h"
#include "stats/moments.h"

static const double CONFIDENCE = 0.95;
/* With fewer values not even the least and the greatest enclose a median surely enough. */
enum { FEWEST = 6 };

/* How surely the median lies between the rank-th least and the rank-th greatest value. */
static double confidence_at(size_t rank, size_t count)
{
    if (2 * rank > count)
        return 0;
    return 1 - 2 * (1 - incomplete_beta(.5, .5, (double)rank, (double)(count - rank + 1)));
}

/* Between two ranks, the one too sure and the other not enough, at the part that hits the
 * confidence for symmetric distributions and hardly misses it for others (after Hettmansperger and
 * Sheather). */
static void rank_interval(const double *sorted, size_t count, struct overhead_median *median)
{
    size_t rank = 1;
    while (confidence_at(rank + 1, count) >= CONFIDENCE)
        rank++;
    double sure = confidence_at(rank, count), unsure = confidence_at(rank + 1, count);
    double part = (sure - CONFIDENCE) / (sure - unsure), ranks = (double)rank;
    double inward = ((double)count - ranks) * part / (ranks + ((double)count - 2 * ranks) * part);
    const double *last = sorted + count - 1;
    median->low = (1 - inward) * sorted[rank - 1] + inward * sorted[rank];
    median->high = (1 - inward) * last[1 - (ptrdiff_t)rank] + inward * last[-(ptrdiff_t)rank];
    /* Rounding of equal values is no width. */
    if (sorted[rank - 1] == *(last + 1 - rank))
        median->low = median->high = median->median;
}

struct overhead_median overhead_median_of(double *values, size_t count)
{
    struct overhead_median median = {NAN, NAN, NAN, count};
    if (!count)
        return median;
    sort_values(values, count);
    median.median = quantile(values, count, .5);
    if (count >= FEWEST) {
        rank_interval(values, count, &median);
        return median;
    }
    struct interval around = t_interval(values, count, CONFIDENCE);
    double reach = (around.high - around.low) / 2;
    median.low = median.median - reach;
    median.high = median.median + reach;
    return median;
}

struct overhead_median overhead_median_difference(struct overhead_median left,
                                                  struct overhead_median right)
{
    double difference = left.median - right.median;
    return (struct overhead_median){
        .median = difference,
        .low = difference - hypot(left.median - left.low, right.high - right.median),
        .high = difference + hypot(left.high - left.median, right.median - right.low),
        .count = left.count < right.count ? left.count : right.count,
    };
}

/* A bound that is not above 0 has no logarithm: nothing then limits the ratio on that side. */
static struct overhead_median logarithm(struct overhead_median of)
{
    return (struct overhead_median){log(of.median), of.low > 0 ? log(of.low) : -INFINITY,
                                    log(of.high), of.count};
}

struct overhead_median overhead_median_ratio(struct overhead_median left,
                                             struct overhead_median right)
{
    if (!(left.median > 0 && right.median > 0))
        return (struct overhead_median){NAN, NAN, NAN, left.count};
    struct overhead_median ratio = overhead_median_difference(logarithm(left), logarithm(right));
    bool starts = ratio.low == ratio.median, ends = ratio.high == ratio.median;
    ratio.median = left.median / right.median;
    /* Where an interval begins or ends at the ratio, rounding must not part them. */
    ratio.low = starts ? ratio.median : fmin(exp(ratio.low), ratio.median);
    ratio.high = ends ? ratio.median : fmax(exp(ratio.high), ratio.median);
    return ratio;
}
