/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two samples beside each other: do they differ, how far are they apart, and how often is one above
 * the other; and many such tests at once. */
#include "stats/two-samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/moments.h"

/* ----------------------------------------------------------------------------------------------
 * If some of many numbers are chosen blindly, how likely is each sum of them? Number after number:
 * those that it joins, and those that it does not. */

struct split_sums {
    double *share; /* [count]: of all choices, those whose sum is the index; the caller frees it */
    size_t count;
};

static size_t largest_of(const uint32_t *numbers, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = numbers[i] > largest ? numbers[i] : largest;
    return largest;
}

/* `chosen` is at most `count`. */
static void split_sums_of(const uint32_t *numbers, size_t count, size_t chosen,
                          struct split_sums *sums)
{
    const size_t largest = largest_of(numbers, count), width = largest * chosen + 1;
    *sums = (struct split_sums){.count = width};
    AUTO_MEMORY double *shares = memory_new((chosen + 1) * width, sizeof(*shares));
    sums->share = memory_new(width, sizeof(*sums->share));
    shares[0] = 1;
    for (size_t i = 0; i < count; i++) {
        /* shares: [chosen + 1][width]; row k: of the choices of k among the numbers so far, each
         * the probability to have chosen so; nothing overflows. largest: no number is above. Rows
         * and sums that cannot be reached yet are left alone. */
        const double left = (double)(count - i);
        for (size_t k = i + 1 < chosen ? i + 1 : chosen;; k--) {
            const double stay = (left - (double)(chosen - k)) / left;
            double *row = shares + k * width;
            const size_t end = k * largest + 1;
            for (size_t sum = 0; sum < end; sum++)
                row[sum] *= stay > 0 ? stay : 0;
            if (!k)
                break;
            const double *below = row - width;
            const double go = (double)(chosen - k + 1) / left;
            for (size_t sum = numbers[i]; sum < end; sum++)
                row[sum] += below[sum - numbers[i]] * go;
        }
    }

    for (size_t sum = 0; sum < width; sum++)
        sums->share[sum] = shares[chosen * width + sum];
}

/* --- Mann and Whitney's test. Ranks are kept doubled, so that mid-ranks are whole numbers. --- */

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

/* How likely is a sum at least as far from the middle, and the farthest of all? */
static void count_splits(const struct ranked *ranked, size_t count, bool of_left, size_t chosen,
                         struct rank_test *test)
{
    uint32_t ranks[TWO_SAMPLES_EXACT];
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        ranks[i] = ranked[i].doubled;
        sum += ranked[i].left == of_left ? ranked[i].doubled : 0;
    }
    struct split_sums sums;
    split_sums_of(ranks, count, chosen, &sums);
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
    memory_give_back(sums.share);
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
    AUTO_MEMORY struct ranked *ranked = memory_new(count, sizeof(*ranked));
    for (size_t i = 0; i < samples->left_count; i++)
        ranked[i] = (struct ranked){samples->left[i], true, 0};
    for (size_t i = 0; i < samples->right_count; i++)
        ranked[samples->left_count + i] = (struct ranked){samples->right[i], false, 0};
    for (size_t i = 0; i < samples->left_count + samples->right_count; i++)
        if (isnan(ranked[i].value))
            return -EINVAL;

    /* Ties share the middle of their ranks; the sum of t^3 - t over all ties. */
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
    const double n = (double)left, m = (double)right, all = n + m;
    double sum = 0;
    for (size_t i = 0; i < left + right; i++)
        sum += ranked[i].left ? 0 : ranked[i].doubled / 2.;
    test->excess = sum - m * (all + 1) / 2;
    test->variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));

    if (count <= TWO_SAMPLES_EXACT)
        count_splits(ranked, count, left <= right, left <= right ? left : right, test);
    else
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

/* --- How far two samples are apart: Hodges and Lehmann's shift --- */

/* Of so many pairwise differences in order, which (from 1) ends the interval? Those of Mann and
 * Whitney's statistic U, which is how many differences lie below 0: the least u with
 * P(U <= u) > tail. 0: even the widest interval has less confidence. */
static size_t exact_end(size_t left, size_t right, double tail)
{
    uint32_t ranks[TWO_SAMPLES_EXACT];
    const size_t count = left + right, chosen = left < right ? left : right;
    for (size_t i = 0; i < count; i++)
        ranks[i] = (uint32_t)(i + 1);
    struct split_sums sums;
    split_sums_of(ranks, count, chosen, &sums);
    const size_t least = chosen * (chosen + 1) / 2;
    double share = sums.share[least];
    size_t u = 0;
    while (share <= tail && u < left * right)
        share += sums.share[least + ++u];
    memory_give_back(sums.share);
    return u;
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
    AUTO_MEMORY double *differences = memory_new(pairs, sizeof(*differences));
    for (size_t i = 0; i < left; i++)
        for (size_t j = 0; j < right; j++) {
            differences[i * right + j] = samples->right[j] - samples->left[i];
            if (isnan(differences[i * right + j]))
                return -EINVAL;
        }
    sort_values(differences, pairs);
    const size_t end = left + right <= TWO_SAMPLES_EXACT ? exact_end(left, right, tail)
                                                         : approximate_end(left, right, tail);
    shift->estimate = quantile(differences, pairs, .5);
    shift->interval = end ? (struct interval){differences[end - 1], differences[pairs - end]}
                          : (struct interval){-(double)INFINITY, (double)INFINITY};
    return 0;
}

/* --- How often one sample lies above another: Cliff's delta --- */

/* Who is above whom in each pair, as sums: of all, of squares, and by value of either side. */
struct pairs {
    double sum, squares;
    double *of_left, *of_right; /* [left], [right] */
};

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

int dominance_of(const struct two_samples *samples, double confidence, struct dominance *dominance)
{
    const size_t left = samples->left_count, right = samples->right_count;
    if (!left || !right)
        return -EINVAL;
    AUTO_MEMORY double *sums = memory_new(left + right, sizeof(*sums));
    struct pairs pairs = {.of_left = sums, .of_right = sums + left};
    for (size_t i = 0; i < samples->left_count; i++)
        for (size_t j = 0; j < samples->right_count; j++) {
            const double one = samples->left[i], other = samples->right[j];
            if (isnan(one) || isnan(other))
                return -EINVAL;
            const double above = (double)((other > one) - (other < one));
            pairs.sum += above;
            pairs.squares += above * above;
            pairs.of_left[i] += above;
            pairs.of_right[j] += above;
        }

    const double delta = pairs.sum / ((double)left * (double)right);
    *dominance = (struct dominance){delta, {-1, 1}};
    if (left < 2 || right < 2)
        return 0;
    if (fabs(delta) >= 1) {
        const double count = (double)(left < right ? left : right);
        const double z = normal_quantile(.5 + confidence / 2);
        const double near = (count - z * z) / (count + z * z);
        dominance->interval = delta > 0 ? (struct interval){near, 1} : (struct interval){-1, -near};
    } else {
        const double variance = variance_of(&pairs, left, right, delta);
        const double quantile = t_quantile(.5 + confidence / 2, (double)(left + right - 2));
        const double wide = quantile * quantile * variance, rest = 1 - delta * delta;
        const double reach = quantile * sqrt(variance) * sqrt(rest * rest + wide);
        dominance->interval = (struct interval){fmax((delta * rest - reach) / (rest + wide), -1),
                                                fmin((delta * rest + reach) / (rest + wide), 1)};
    }

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

/* --- Many tests at once: Holm's procedure on the family that Tarone leaves --- */

static int by_least(const void *a, const void *b)
{
    double left = (*(struct one_test *const *)a)->least_p,
           right = (*(struct one_test *const *)b)->least_p;
    return (left > right) - (left < right);
}

static int by_p(const void *a, const void *b)
{
    double left = (*(struct one_test *const *)a)->p, right = (*(struct one_test *const *)b)->p;
    return (left > right) - (left < right);
}

/* The least k such that no more than k tests could have a p of level / k; of `order`, by their
 * least p, those come first. */
static size_t family_of(struct one_test *const *order, size_t count, double level)
{
    for (size_t k = 1; k < count; k++)
        if (order[k]->least_p > level / (double)k)
            return k;
    return count;
}

int adjust_tests(struct one_test *tests, size_t count, double level, size_t *family)
{
    *family = 0;
    if (!count)
        return 0;
    AUTO_MEMORY struct one_test **order = memory_new(count, sizeof(*order));
    for (size_t i = 0; i < count; i++) {
        tests[i].p = isnan(tests[i].p) ? 1 : tests[i].p;
        tests[i].least_p = isnan(tests[i].least_p) ? 1 : tests[i].least_p;
        tests[i].adjusted = 1;
        order[i] = &tests[i];
    }
    qsort(order, count, sizeof(*order), by_least);
    const double share = level / (double)family_of(order, count, level);
    while (*family < count && order[*family]->least_p <= share)
        ++*family;
    /* The family was chosen without a look at p, so that all of Holm's steps may be taken in it. */
    qsort(order, *family, sizeof(*order), by_p);
    double most = 0;
    for (size_t i = 0; i < *family; i++) {
        most = fmax(most, fmin(order[i]->p * (double)(*family - i), 1));
        order[i]->adjusted = most;
    }
    return 0;
}
