/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The points of one sweep, and questions about them. */
#pragma once

#include <stdio.h>

#include "judge/repeat/kept.h"

struct swept_point {
    uint64_t at;
    struct kept kept;
    double offset; /* base less the smallest base of all points */
    double median;
};
struct swept {
    struct swept_point *points; /* [count], by rising value */
    size_t count;
    size_t runs;       /* of all points */
    struct kept plain; /* the same setting, not swept; may have no runs */
};
void swept_release(struct swept *swept);
#define AUTO_SWEPT __attribute__((cleanup(swept_release)))

void swept_offset(struct swept *swept);
/* Standard deviation of runs at one point, pooled; of random addresses that of the setting without
 * the sweep, since its points are draws themselves. NaN: nobody repeated anything. */
double swept_within(const struct swept *swept, enum command_sweep sweep);
/* Do points differ beyond that? -ENOMEM. */
int swept_matters(const struct swept *swept, enum command_sweep sweep, uint64_t seed,
                  bool *matters);
/* The smallest distance at which counts repeat; 0: none does. */
uint64_t swept_period(const struct swept *swept);

struct sweep_shape {
    double straight; /* share of the variance that a straight line explains */
    uint64_t period;
};
void swept_tell(const struct swept *swept, const struct sweep_shape *shape,
                struct repeat_sweep *sweep);
