/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Distributions and the intervals taken from them: of means, of whatever is resampled, of shares
 * and of medians. */
#include "stats/interval.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "stats/random.h"

/* ----------------------------------------------------------------------------------------------
 * The regularised incomplete beta function: its continued fraction by Lentz's method, in long
 * double, because with millions of degrees of freedom the powers before it cost as many digits. */

/* lgammal() alone writes a global. */
static long double log_gamma(long double value)
{
    int sign;
    return lgammal_r(value, &sign);
}

static long double apart_from_zero(long double value)
{
    return fabsl(value) < 1e-4000L ? 1e-4000L : value;
}

/* Converges in about the root of a + b steps on the side that incomplete_beta() asks for. */
static long double fraction(long double x, long double a, long double b)
{
    long double before = 1, after = 1 / apart_from_zero(1 - (a + b) * x / (a + 1));
    long double result = after;
    for (int step = 1; step < 1000000; step++) {
        long double m = step;
        long double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        after = 1 / apart_from_zero(1 + even * after);
        before = apart_from_zero(1 + even / before);
        result *= before * after;
        long double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        after = 1 / apart_from_zero(1 + odd * after);
        before = apart_from_zero(1 + odd / before);
        result *= before * after;
        if (fabsl(before * after - 1) < 1e-18L)
            return result;
    }
    return NAN;
}

static long double log_of(long double x, long double rest)
{
    return x > 0.5L ? log1pl(-rest) : logl(x);
}

double incomplete_beta(double x, double rest, double a, double b)
{
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    long double front = expl(log_gamma((long double)a + b) - log_gamma(a) - log_gamma(b) +
                             a * log_of(x, rest) + b * log_of(rest, x));
    if (x < (a + 1) / (a + b + 2))
        return (double)(front * fraction(x, a, b) / a);
    return (double)(1 - front * fraction(rest, b, a) / b);
}

/* ----------------------------------------------------------------------------------------------
 * Intervals by Student's t, by resampling and by the beta distribution. GSL ends the process when a
 * distribution is asked outside its domain, so every argument is looked at first; what has no
 * answer is NaN. */

static const struct interval everything = {-INFINITY, INFINITY};

struct interval t_interval(const double *values, size_t count, double confidence)
{
    if (count < 2)
        return everything;
    struct moments moments = moments_of(values, count);
    double reach =
        t_quantile(0.5 + confidence / 2, (double)(count - 1)) * moments.stdev / sqrt((double)count);
    return (struct interval){moments.mean - reach, moments.mean + reach};
}

static bool draw(const double *values, size_t count, sample_figure *of, void *context,
                 struct random *random, double *drawn, double *result)
{
    for (size_t i = 0; i < count; i++)
        drawn[i] = values[random_below(random, count)];
    *result = of(drawn, count, context);
    return !isnan(*result);
}

int bootstrap_interval(const double *values, size_t count, sample_figure *of, void *context,
                       size_t draws, double confidence, uint64_t seed, struct interval *interval)
{
    *interval = everything;
    if (count < 2 || !draws)
        return 0;
    AUTO_MEMORY double *drawn = memory_new(count, sizeof *drawn);
    AUTO_MEMORY double *results = memory_new(draws, sizeof *results);
    struct random random;
    random_seed(&random, seed);
    for (size_t i = 0; i < draws; i++)
        if (!draw(values, count, of, context, &random, drawn, &results[i]))
            return 0;
    sort_values(results, draws);
    interval->low = quantile(results, draws, (1 - confidence) / 2);
    interval->high = quantile(results, draws, (1 + confidence) / 2);
    return 0;
}

/* Below (or, upper, above) which Beta(a, b) stays with the probability `tail`. Halving needs no
 * derivative and cannot leave [0, 1]. */
static double beta_bound(double tail, bool upper, double a, double b)
{
    double low = 0, high = 1;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        bool is_below = upper ? incomplete_beta(1 - middle, middle, b, a) > tail
                              : incomplete_beta(middle, 1 - middle, a, b) < tail;
        if (is_below)
            low = middle;
        else
            high = middle;
    }
}

struct interval share_interval(size_t hits, size_t count, double confidence)
{
    if (!count || hits > count || !(confidence >= 0 && confidence <= 1))
        return (struct interval){0, 1};
    double tail = (1 - confidence) / 2, hit = (double)hits, missed = (double)(count - hits);
    return (struct interval){
        hits ? beta_bound(tail, false, hit, missed + 1) : 0,
        hits < count ? beta_bound(tail, true, hit + 1, missed) : 1,
    };
}

static bool is_share(double share)
{
    return share >= 0 && share <= 1;
}

/* Newton's step from a t, above which `above` lies, to that above which `tail` lies: where it is
 * small, on logarithms of both, between which it is nearly straight. */
static double newton_step(double t, double above, double tail, double df)
{
    double slope = gsl_ran_tdist_pdf(t, df);
    if (tail > .25)
        return t + (above - tail) / slope;
    return t * exp(log(above / tail) * above / (t * slope));
}

/* GSL has an inverse of its own, which ends the process where it does not converge. This one halves
 * where Newton's method would leave what is known. */
static double upper_t(double tail, double df)
{
    double low = 0, high = 1;
    for (; gsl_cdf_tdist_Q(high, df) > tail && high < 1e150; high *= 2)
        low = high;
    for (double t = low + (high - low) / 2;;) {
        double above = gsl_cdf_tdist_Q(t, df), next = newton_step(t, above, tail, df);
        if (above > tail)
            low = t;
        else
            high = t;
        if (next > low && next < high) {
            if (fabs(next - t) <= 4 * DBL_EPSILON * next)
                return next;
        } else {
            next = low + (high - low) / 2;
            if (next <= low || next >= high)
                return next;
        }
        t = next;
    }
}

double t_quantile(double share, double df)
{
    if (!is_share(share) || !(df > 0))
        return NAN;
    if (share == 0 || share == 1)
        return share == 0 ? -INFINITY : INFINITY;
    if (isinf(df) || share == .5)
        return normal_quantile(share);
    return share < .5 ? -upper_t(share, df) : upper_t(1 - share, df);
}

double t_two_sided_p(double t, double df)
{
    if (isnan(t) || !(df > 0))
        return NAN;
    if (isinf(t))
        return 0;
    return isinf(df) ? 2 * gsl_cdf_ugaussian_Q(fabs(t)) : 2 * gsl_cdf_tdist_Q(fabs(t), df);
}

double f_p(double f, double df_1, double df_2)
{
    if (isnan(f) || !(df_1 > 0 && df_2 > 0) || isinf(df_1))
        return NAN;
    if (f <= 0)
        return 1;
    if (isinf(f))
        return 0;
    if (isinf(df_2))
        return chi_squared_p(f * df_1, df_1);
    double explained = f * df_1, both = explained + df_2;
    return incomplete_beta(df_2 / both, explained / both, df_2 / 2, df_1 / 2);
}

double normal_quantile(double share)
{
    if (!is_share(share))
        return NAN;
    if (share == 0 || share == 1)
        return share == 0 ? -INFINITY : INFINITY;
    return gsl_cdf_ugaussian_Pinv(share);
}

double chi_squared_p(double value, double df)
{
    if (isnan(value) || !(df > 0) || isinf(df))
        return NAN;
    if (value <= 0)
        return 1;
    return isinf(value) ? 0 : gsl_cdf_chisq_Q(value, df);
}

/* ----------------------------------------------------------------------------------------------
 * The interval of a median lies between two of the sorted values: how often each of them is on
 * which side of the true one is known for every distribution. Two intervals make that of a
 * difference by recovering a variance on each side (the lower reach of one goes with the upper of
 * the other), so that what is skewed stays so. */

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

struct overhead_median overhead_median_of(double *values, size_t count)
{
    struct overhead_median median = {NAN, NAN, NAN, count};
    if (!count)
        return median;
    sort_values(values, count);
    median.median = quantile(values, count, .5);
    if (count >= FEWEST) {
        /* Between two ranks, the one too sure and the other not enough, at the part that hits the
         * confidence for symmetric distributions and hardly misses it for others (after
         * Hettmansperger and Sheather). */
        size_t rank = 1;
        while (confidence_at(rank + 1, count) >= CONFIDENCE)
            rank++;
        double sure = confidence_at(rank, count), unsure = confidence_at(rank + 1, count);
        double part = (sure - CONFIDENCE) / (sure - unsure), ranks = (double)rank;
        double inward =
            ((double)count - ranks) * part / (ranks + ((double)count - 2 * ranks) * part);
        const double *last = values + count - 1;
        median.low = (1 - inward) * values[rank - 1] + inward * values[rank];
        median.high = (1 - inward) * last[1 - (ptrdiff_t)rank] + inward * last[-(ptrdiff_t)rank];
        /* Rounding of equal values is no width. */
        if (values[rank - 1] == *(last + 1 - rank))
            median.low = median.high = median.median;

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
