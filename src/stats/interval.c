/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals by Student's t, by resampling and by the beta distribution. GSL ends the process when
 * a distribution is asked outside its domain, so every argument is looked at first; what has no
 * answer is NaN. */
#include "stats/interval.h"

#include <errno.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "stats/incomplete-beta.h"
#include "stats/moments.h"
#include "stats/random.h"

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

static bool draw(const double *values, size_t count, figure *of, void *context,
                 struct random *random, double *drawn, double *result)
{
    for (size_t i = 0; i < count; i++)
        drawn[i] = values[random_below(random, count)];
    *result = of(drawn, count, context);
    return !isnan(*result);
}

int bootstrap_interval(const double *values, size_t count, figure *of, void *context, size_t draws,
                       double confidence, uint64_t seed, struct interval *interval)
{
    *interval = everything;
    if (count < 2 || !draws)
        return 0;
    AUTO_FREE double *drawn = calloc(count, sizeof *drawn);
    AUTO_FREE double *results = calloc(draws, sizeof *results);
    if (!drawn || !results)
        return -ENOMEM;
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
