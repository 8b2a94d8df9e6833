/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals that hold a figure with a stated confidence, and the distributions behind them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high;
};

/* Of the mean, by Student's t. Fewer than two values: from -infinity to infinity. */
struct interval t_interval(const double *values, size_t count, double confidence);
/* Of what `of` makes of the values, by resampling (percentiles of `draws` draws from the seed).
 * Fewer than two values, no draws, or a figure that is NaN for some draw: from -infinity to
 * infinity. */
typedef double sample_figure(const double *values, size_t count, void *context);
int bootstrap_interval(const double *values, size_t count, sample_figure *of, void *context,
                       size_t draws, double confidence, uint64_t seed, struct interval *interval);
/* Of a share: `hits` of `count`, exact (Clopper and Pearson). Of nothing: from 0 to 1. */
struct interval share_interval(size_t hits, size_t count, double confidence);

/* What has no answer (a share outside 0 … 1, df that are not positive, NaN) is NaN; df may be
 * infinite where a limit exists. */
double t_quantile(double share, double df);
double t_two_sided_p(double t, double df);
double f_p(double f, double df_1, double df_2); /* upper tail */
double normal_quantile(double share);
double chi_squared_p(double value, double df); /* upper tail */

/* The regularised incomplete beta function, from which shares and variance ratios take their
 * probabilities: the probability that a value of Beta(a, b) is at most x. rest is 1 - x, asked for
 * because whoever is near 1 knows it better than the subtraction would. a, b > 0; 0 <= x <= 1. GSL
 * has it too, but returns 0 for small tails of long samples. */
double incomplete_beta(double x, double rest, double a, double b);

/* ----------------------------------------------------------------------------------------------
 * Medians over processes with an interval, and what differences and ratios of two of them are. No
 * shape of the costs is assumed: a few processes on another level do not move them far. */

struct overhead_median {
    double median, low, high; /* 95 %; NaN where nothing was measured, without end where one was */
    size_t count;
};

/* Sorts the values. None of them is NaN. */
struct overhead_median overhead_median_of(double *values, size_t count);
/* left - right; of independent medians. */
struct overhead_median overhead_median_difference(struct overhead_median left,
                                                  struct overhead_median right);
/* left / right; NaN where one of the two is not above 0. */
struct overhead_median overhead_median_ratio(struct overhead_median left,
                                             struct overhead_median right);
