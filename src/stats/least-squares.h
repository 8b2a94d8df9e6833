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
 * infinite. r_squared is 0 where there is nothing to explain (total_sum is 0). What is less than
 * the doubles of y can tell is rounding and counts as 0: an exact line has errors of 0. */
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

/* Sparse linear regression: the few of many candidates that make a row of errors. Candidates that
 * cannot be told apart are not guessed between; the declared order decides, and the rest can be
 * asked for. */

#define SELECT_MOST 5

struct selection {
    const double *const *columns; /* [column][row], in declared order: earlier is preferred */
    size_t rows, width;
    const double *y;
    const double *sigma; /* of y, all above 0; the fit is never taken to be better than this */
    /* Rows of one group share an error with this standard deviation besides. NULL: none does. */
    const size_t *groups; /* [row] */
    const double *shared; /* [group] */
    size_t group_count;
    double noise_df; /* how well sigma is known; at least 1 */
    bool exact;      /* y is without noise: a fit that leaves nothing beats all others */
    double level;    /* chance that anything at all is selected where there is nothing */
    size_t most;     /* terms, at most SELECT_MOST */
};

struct selected_term {
    size_t column;
    double value, error; /* standard error */
    double low, high;    /* 95 % interval */
    double share;        /* of the weighted square sum of y that would come back without it */
};

struct selected {
    struct selected_term terms[SELECT_MOST]; /* largest share first */
    size_t count;
    double total;    /* weighted square sum of y */
    double residual; /* what the terms leave of it */
    double scale;    /* residual standard deviation in units of sigma, at least 1 */
    double df;
    double worst; /* largest residual in units of y */
};

/* A term is selected when it is significant beside all others selected, with and without the row
 * that speaks for it most. Always 0. */
int select_terms(const struct selection *selection, struct selected *selected);
/* Which columns could stand in the place of that term, none of them clearly worse? alike: [width].
 */
int select_alike(const struct selection *selection, const struct selected *selected, size_t term,
                 bool *alike);
