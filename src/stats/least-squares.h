/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares: y = X b, by a QR decomposition with scaled columns, so that columns which depend
 * on earlier ones are found and said instead of spoiling the rest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct design {
    const double *columns; /* [row * width + column]; an intercept is a column of ones */
    size_t rows, width;
    const double *y;       /* [row] */
    const double *weights; /* [row], or NULL: all 1; a row of weight 0 does not count */
};

struct coefficient {
    double value, error; /* standard error */
    double low, high;    /* 95 % interval */
    bool aliased;        /* depends on columns before it: value is 0 and nothing was fitted */
};

/* Without a degree of freedom nothing is known of the spread: residual_stdev and errors are
 * infinite. r_squared is 0 where there is nothing to explain (total_sum is 0). */
struct least_squares {
    size_t rank, df; /* df: rows - rank */
    double residual_sum,
        total_sum; /* total about the mean where an intercept is among the columns, else about 0 */
    double residual_stdev;
    double r_squared;
};

/* coefficients: width of them. residuals: rows of them, or NULL. intercept: is a constant among the
 * columns (for total_sum)? -EINVAL: fewer rows than columns of full rank, or something is not
 * finite, or a weight negative. */
int least_squares(const struct design *design, bool intercept, struct least_squares *fit,
                  struct coefficient *coefficients, double *residuals);
/* y = intercept + slope x. */
int straight_line(const double *x, const double *y, size_t count, struct least_squares *fit,
                  struct coefficient *intercept, struct coefficient *slope);
