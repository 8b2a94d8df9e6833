/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean, spread and quantiles of a row of numbers. */
#pragma once

#include <stddef.h>

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
/* Correlation of each value with the one before it (lag 1, about the mean of all); 0 where there
 * is no variance. */
double autocorrelation(const double *values, size_t count);

/* In place, rising; NaN must not be among them. */
void sort_values(double *values, size_t count);
/* Between the values, straight (R's type 7). sorted must not be empty; 0 <= share <= 1. */
double quantile(const double *sorted, size_t count, double share);
