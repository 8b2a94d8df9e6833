/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runs of a cell that ended alike, and their counts of one event as numbers to reckon with.
 * Every part of the judge looks at the same runs. */
#pragma once

#include "studies/repeat/study.h"

struct kept {
    uint64_t base;  /* the smallest count: values are less this, so that no bit of a large count is
                       lost */
    uint64_t top;   /* the largest */
    double *values; /* [count] */
    size_t *runs;   /* [count]: which of the cell's */
    size_t count;
    size_t apart; /* that ended otherwise */
};
/* A cell or an event that does not exist has none. -ENOMEM. */
int kept_counts(const struct repeat_cell *cell, uint32_t event, struct kept *kept);
void kept_release(struct kept *kept);
#define AUTO_KEPT __attribute__((cleanup(kept_release)))

double kept_mean(const struct kept *kept);                         /* NaN: none */
double kept_variance(const struct kept *kept);                     /* NaN: fewer than two */
double kept_shift(const struct kept *from, const struct kept *to); /* of the mean */
size_t kept_distinct(const struct kept *kept);                     /* different counts */
/* What each run differs from the usual: less the centre of the half that lies closest together.
 * values: [count] */
void kept_residuals(const struct kept *kept, double *values);
/* The status with which most of the cell's runs ended; 0 where there are none. */
uint64_t kept_status(const struct repeat_cell *cell);
/* A run that ended so and wrote what is usual (limits.h); NULL: there is no usual output. */
const struct repeat_run *kept_output(const struct repeat_cell *cell, uint64_t status);
/* The variance without the runs that lie farthest off, one in KEPT_TRIMMED. -ENOMEM. */
int kept_trimmed(const struct kept *kept, double *variance);
