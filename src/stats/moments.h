/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read off a row of numbers by itself.
 *
 * The chapters of src/stats:
 *
 *     moments        mean, spread, quantiles; counts in order; a smooth density
 *     random         the generator whose sequence follows from one seed
 *     interval       distributions, and intervals of means, shares, medians and what is resampled
 *     two-samples    rank tests, shifts and dominance between two samples; many tests at once
 *     least-squares  linear regression on given columns, and on the few of many that matter
 *     anova          analysis of variance over any number of factors */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Mean, spread and quantiles --- */

struct moments {
    size_t count;
    double mean;
    double variance; /* of a sample, n - 1; 0 for fewer than two */
    double stdev;
    double min, max;
};
/* Of nothing: mean, min and max are NaN. A NaN or an infinity among the values shows in every
 * figure it belongs to (min and max of a row with a NaN are NaN); the variance of equal values is
 * exactly 0. Counts above 2^53 lose their last bits when they become a double: subtract what they
 * share before that. */
struct moments moments_of(const double *values, size_t count);

/* In place, rising; NaN must not be among them. */
void sort_values(double *values, size_t count);
/* Between the values, straight (R's type 7). sorted must not be empty; 0 <= share <= 1. */
double quantile(const double *sorted, size_t count, double share);

/* ----------------------------------------------------------------------------------------------
 * Counts put in order, and what is read off them: quantiles, the most frequent one. Millions are
 * sorted, so no comparison is called for each. */

/* Quantiles are values that were really read. */
struct error_spread {
    int64_t min, q1, median, q3, max;
};

/* Rising. scratch: room for as many. */
void error_sort(int64_t *values, size_t count, int64_t *scratch);
/* The smallest value that at least numerator / denominator of them do not exceed. count > 0. */
int64_t error_quantile(const int64_t *sorted, size_t count, size_t numerator, size_t denominator);
struct error_spread error_spread_of(const int64_t *sorted, size_t count);
/* The smallest of several; how often goes to times. count > 0. */
int64_t error_most_frequent(const int64_t *sorted, size_t count, size_t *times);

/* ----------------------------------------------------------------------------------------------
 * The density of a row of numbers as a smooth curve, for violins: a Gaussian around every value, as
 * wide as R's bw.nrd0 would make it. */

struct density {
    bool constant;    /* all values are equal: there is no curve, only `low`; heights are 0 */
    double bandwidth; /* standard deviation of the Gaussians; 0 where constant */
    double low, step; /* heights[i] is the density at low + i * step */
};

/* Over `points` places from 3 bandwidths below the least value to 3 above the greatest. Values may
 * be in any order. -EINVAL: no values, fewer than 2 points, or a value or the range is not finite.
 */
int density_of(const double *values, size_t count, size_t points, struct density *density,
               double *heights);
