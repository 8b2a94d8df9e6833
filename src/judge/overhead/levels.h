/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Levels for those who have their values in order already. */
#pragma once

#include "studies/overhead/study.h"

struct level_sample {
    const double *values;  /* [count], process after process */
    const uint32_t *group; /* [count], rising */
    const double *sorted;  /* the same values, rising */
    size_t count;          /* not 0 */
    double resolution;
};
/* As overhead_levels. */
int overhead_levels_sorted(const struct level_sample *sample,
                           struct overhead_level levels[OVERHEAD_MOST_LEVELS],
                           enum level_kind *kind);
