/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far two samples are apart: Hodges and Lehmann's shift. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/moments.h"
#include "stats/split-sums.h"
#include "stats/two-samples.h"

/* Of so many pairwise differences in order, which (from 1) ends the interval? Those of Mann and
 * Whitney's statistic U, which is how many differences lie below 0: the least u with
 * P(U <= u) > tail. 0: even the widest interval has less confidence. */
static int exact_end(size_t left, size_t right, double tail, size_t *end)
{
    uint32_t ranks[TWO_SAMPLES_EXACT];
    const size_t count = left + right, chosen = left < right ? left : right;
    for (size_t i = 0; i < count; i++)
        ranks[i] = (uint32_t)(i + 1);
    struct split_sums sums;
    int error = split_sums_of(ranks, count, chosen, &sums);
    if (error < 0)
        return error;
    const size_t least = chosen * (chosen + 1) / 2;
    double share = sums.share[least];
    size_t u = 0;
    while (share <= tail && u < left * right)
        share += sums.share[least + ++u];
    free(sums.share);
    *end = u;
    return 0;
}

static size_t approximate_end(size_t left, size_t right, double tail)
{
    const double n = (double)left, m = (double)right;
    const double end = n * m / 2 + normal_quantile(tail) * sqrt(n * m * (n + m + 1) / 12);
    return end > 1 ? (size_t)end : 0;
}

int shift_between(const struct two_samples *samples, double confidence, struct shift *shift)
{
    const size_t left = samples->left_count, right = samples->right_count, pairs = left * right;
    const double tail = (1 - confidence) / 2;
    if (!left || !right)
        return -EINVAL;
    AUTO_FREE double *differences = calloc(pairs, sizeof(*differences));
    if (!differences)
        return -ENOMEM;
    for (size_t i = 0; i < left; i++)
        for (size_t j = 0; j < right; j++) {
            differences[i * right + j] = samples->right[j] - samples->left[i];
            if (isnan(differences[i * right + j]))
                return -EINVAL;
        }
    sort_values(differences, pairs);
    size_t end = approximate_end(left, right, tail);
    int error = left + right <= TWO_SAMPLES_EXACT ? exact_end(left, right, tail, &end) : 0;
    if (error < 0)
        return error;
    shift->estimate = quantile(differences, pairs, .5);
    shift->interval = end ? (struct interval){differences[end - 1], differences[pairs - end]}
                          : (struct interval){-(double)INFINITY, (double)INFINITY};
    return 0;
}
