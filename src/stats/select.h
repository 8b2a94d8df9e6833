/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sparse linear regression: the few of many candidates that make a row of errors. Candidates that
 * cannot be told apart are not guessed between; the declared order decides, and the rest can be
 * asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
