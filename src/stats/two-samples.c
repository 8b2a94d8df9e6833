/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mann and Whitney's test. Ranks are kept doubled, so that mid-ranks are whole numbers. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/split-sums.h"
#include "stats/two-samples.h"

/* Sums that differ by less are the same: probabilities of them were added up in another order. */
#define SAME_SHARE 1e-9

struct ranked {
    double value;
    bool left;
    uint32_t doubled; /* twice its mid-rank */
};

static int by_value(const void *a, const void *b)
{
    double left = ((const struct ranked *)a)->value, right = ((const struct ranked *)b)->value;
    return (left > right) - (left < right);
}

/* Ties share the middle of their ranks; the sum of t^3 - t over all ties. */
static double rank_all(struct ranked *ranked, size_t count)
{
    double ties = 0;
    qsort(ranked, count, sizeof(*ranked), by_value);
    for (size_t begin = 0; begin < count;) {
        size_t end = begin + 1;
        while (end < count && !(ranked[end].value > ranked[begin].value))
            end++;
        for (size_t i = begin; i < end; i++)
            ranked[i].doubled = (uint32_t)(begin + end + 1);
        double alike = (double)(end - begin);
        ties += alike * alike * alike - alike;
        begin = end;
    }
    return ties;
}

static int fill(const struct two_samples *samples, struct ranked *ranked)
{
    for (size_t i = 0; i < samples->left_count; i++)
        ranked[i] = (struct ranked){samples->left[i], true, 0};
    for (size_t i = 0; i < samples->right_count; i++)
        ranked[samples->left_count + i] = (struct ranked){samples->right[i], false, 0};
    for (size_t i = 0; i < samples->left_count + samples->right_count; i++)
        if (isnan(ranked[i].value))
            return -EINVAL;
    return 0;
}

/* How likely is a sum at least as far from the middle, and the farthest of all? */
static int count_splits(const struct ranked *ranked, size_t count, bool of_left, size_t chosen,
                        struct rank_test *test)
{
    uint32_t ranks[TWO_SAMPLES_EXACT];
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        ranks[i] = ranked[i].doubled;
        sum += ranked[i].left == of_left ? ranked[i].doubled : 0;
    }
    struct split_sums sums;
    int error = split_sums_of(ranks, count, chosen, &sums);
    if (error < 0)
        return error;
    const double middle = (double)chosen * ((double)count + 1), seen = fabs((double)sum - middle);
    double farthest = -1;
    test->exact = true;
    test->p = 0;
    for (size_t i = 0; i < sums.count; i++) {
        double off = fabs((double)i - middle);
        if (!(sums.share[i] > 0))
            continue;
        if (off >= seen)
            test->p += sums.share[i];
        if (off > farthest + .5)
            test->least_p = 0;
        if (off > farthest - .5)
            test->least_p += sums.share[i];
        farthest = fmax(farthest, off);
    }
    test->p = test->p > 1 - SAME_SHARE ? 1 : test->p;
    test->least_p = fmin(test->least_p, test->p);
    free(sums.share);
    return 0;
}

static void take_moments(const struct ranked *ranked, size_t left, size_t right, double ties,
                         struct rank_test *test)
{
    const double n = (double)left, m = (double)right, all = n + m;
    double sum = 0;
    for (size_t i = 0; i < left + right; i++)
        sum += ranked[i].left ? 0 : ranked[i].doubled / 2.;
    test->excess = sum - m * (all + 1) / 2;
    test->variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
}

static void approximate(struct rank_test *test)
{
    if (!(test->variance > 0))
        return;
    const double off = fmax(fabs(test->excess) - .5, 0);
    test->p = t_two_sided_p(off / sqrt(test->variance), (double)INFINITY);
    test->least_p = 0;
}

int rank_test(const struct two_samples *samples, struct rank_test *test)
{
    const size_t left = samples->left_count, right = samples->right_count, count = left + right;
    *test = (struct rank_test){.p = 1, .least_p = 1};
    if (!left || !right)
        return -EINVAL;
    AUTO_FREE struct ranked *ranked = calloc(count, sizeof(*ranked));
    if (!ranked)
        return -ENOMEM;
    int error = fill(samples, ranked);
    if (error < 0)
        return error;
    const double ties = rank_all(ranked, count);
    take_moments(ranked, left, right, ties, test);
    if (count <= TWO_SAMPLES_EXACT)
        return count_splits(ranked, count, left <= right, left <= right ? left : right, test);
    approximate(test);
    return 0;
}

void stratified_add(struct stratified *stratified, const struct rank_test *test, size_t left,
                    size_t right)
{
    const double n = (double)left, m = (double)right, weight = 1 / (n + m + 1);
    stratified->reach += weight * n * m / 2;
    if (!(test->variance > 0))
        return;
    /* Both tails of every pair at once would be twice as likely as one of each. */
    stratified->log_least += test->least_p > 0 ? log(test->least_p / 2) : -(double)INFINITY;
    stratified->excess += weight * test->excess;
    stratified->variance += weight * weight * test->variance;
    stratified->strata++;
}

double stratified_p(const struct stratified *stratified)
{
    if (!stratified->strata)
        return 1;
    const double z = fabs(stratified->excess) / sqrt(stratified->variance);
    return fmax(t_two_sided_p(z, (double)INFINITY), fmin(2 * exp(stratified->log_least), 1));
}
