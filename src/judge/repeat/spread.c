/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares the spread of counts: ranks permuted, variances held against the F distribution. */
#include "judge/repeat/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/repeat/limits.h"
#include "stats/moments.h"
#include "stats/random.h"

/* Enough draws were at least as extreme: more of them would not make it rare. */
#define ENOUGH_HITS 40u

struct ranked {
    double size, rank;
    bool first; /* of the cells that are claimed to spread more */
};

static int by_size(const void *left, const void *right)
{
    const double one = ((const struct ranked *)left)->size;
    const double other = ((const struct ranked *)right)->size;
    return (one > other) - (one < other);
}

/* Equal sizes share the mean of their ranks. */
static void give_ranks(struct ranked *list, size_t count)
{
    qsort(list, count, sizeof(*list), by_size);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && !(list[end].size > list[begin].size);)
            end++;
        for (size_t i = begin; i < end; i++)
            list[i].rank = (double)(begin + end + 1) / 2;
    }
}

static size_t all_runs(const struct kept *const *cells, size_t count)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        runs += cells[i]->count;
    return runs;
}

static int gather(const struct kept *const *cells, size_t count, bool first, struct ranked *list)
{
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE double *residuals = calloc(cells[i]->count + 1, sizeof(*residuals));
        if (!residuals)
            return -ENOMEM;
        kept_residuals(cells[i], residuals);
        for (size_t run = 0; run < cells[i]->count; run++)
            *list++ = (struct ranked){.size = fabs(residuals[run]), .first = first};
    }
    return 0;
}

/* Share of draws of so many ranks whose sum is at least as large as that of the first ones. */
static double permute(struct ranked *list, size_t count, size_t drawn, uint64_t seed)
{
    struct random random;
    double observed = 0;
    uint64_t draws = 0, hits = 0;
    random_seed(&random, seed);
    for (size_t i = 0; i < count; i++)
        observed += list[i].first ? list[i].rank : 0;
    while (draws < PERMUTATIONS && hits < ENOUGH_HITS) {
        double sum = 0;
        for (size_t i = 0; i < drawn; i++) {
            const size_t other = i + random_below(&random, count - i);
            const struct ranked taken = list[other];
            list[other] = list[i];
            list[i] = taken;
            sum += taken.rank;
        }
        /* Sums of halves are exact. */
        hits += sum >= observed;
        draws++;
    }
    return (double)(hits + 1) / (double)(draws + 1);
}

int spread_p(const struct kept *const *more, size_t more_count, const struct kept *const *less,
             size_t less_count, uint64_t seed, double *p)
{
    const size_t drawn = all_runs(more, more_count);
    const size_t rest = all_runs(less, less_count);
    *p = 1;
    if (!drawn || !rest)
        return 0;
    AUTO_FREE struct ranked *list = calloc(drawn + rest, sizeof(*list));
    if (!list || gather(more, more_count, true, list) < 0 ||
        gather(less, less_count, false, list + drawn) < 0)
        return -ENOMEM;
    give_ranks(list, drawn + rest);
    *p = permute(list, drawn + rest, drawn, seed);
    return 0;
}

/* --- how much --- */

/* The value that F of these degrees of freedom exceeds with probability tail. */
static double f_upper(double tail, double df_1, double df_2)
{
    double low = 0, high = 1;
    while (f_p(high, df_1, df_2) > tail && high < 1e12)
        high *= 2;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if (f_p(middle, df_1, df_2) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double drawn_variance(struct random *random, const struct kept *kept, double *values)
{
    for (size_t i = 0; i < kept->count; i++)
        values[i] = kept->values[random_below(random, kept->count)];
    return moments_of(values, kept->count).variance;
}

/* Percentiles of resampled ratios, each of the two resampled by itself. */
static int resample(const struct kept *over, const struct kept *under, uint64_t seed,
                    struct interval *interval)
{
    const size_t longest = over->count > under->count ? over->count : under->count;
    AUTO_FREE double *values = malloc(longest * sizeof(*values));
    AUTO_FREE double *ratios = malloc(RATIO_DRAWS * sizeof(*ratios));
    struct random random;
    if (!values || !ratios)
        return -ENOMEM;
    random_seed(&random, seed);
    for (size_t draw = 0; draw < RATIO_DRAWS; draw++) {
        const double above = drawn_variance(&random, over, values);
        const double below = drawn_variance(&random, under, values);
        /* Not NaN, which cannot be sorted. */
        ratios[draw] = below > 0 ? above / below : above > 0 ? INFINITY : 1;
    }
    sort_values(ratios, RATIO_DRAWS);
    interval->low = ratios[(size_t)(.025 * RATIO_DRAWS)];
    interval->high = ratios[(size_t)(.975 * RATIO_DRAWS)];
    return 0;
}

int spread_ratio(const struct kept *over, const struct kept *under, uint64_t seed,
                 struct interval *interval)
{
    *interval = (struct interval){0, INFINITY};
    if (over->count < 2 || under->count < 2)
        return 0;
    const double above = kept_variance(over), below = kept_variance(under);
    if (!(above > 0) && !(below > 0))
        return 0;
    if (!(above > 0)) {
        interval->high = share_interval(0, over->count, .95).high;
        return 0;
    }
    if (!(below > 0)) {
        interval->low = 1 / share_interval(0, under->count, .95).high;
        return 0;
    }
    const double df_over = (double)over->count - 1, df_under = (double)under->count - 1;
    struct interval resampled = {INFINITY, 0};
    if (over->count >= RATIO_RESAMPLED && under->count >= RATIO_RESAMPLED &&
        resample(over, under, seed, &resampled) < 0)
        return -ENOMEM;
    interval->low = fmin(above / below / f_upper(.025, df_over, df_under), resampled.low);
    interval->high = fmax(above / below * f_upper(.025, df_under, df_over), resampled.high);
    return 0;
}
