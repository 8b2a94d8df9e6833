/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a row of numbers changes its level. By ranks, so that a few wild values are no change, and
 * by shuffling, so that nothing is assumed of the noise but that its order means nothing: in a row
 * without a change one is found with the probability `alpha`, whatever the values look like. A slow
 * drift is seen as steps. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct change_search {
    double alpha;    /* 0 < alpha < 1 */
    size_t draws;    /* shuffled rows per test: at least 1 / alpha - 1, ten times that is good */
    size_t shortest; /* values that a level lasts at least; not 0 */
    uint64_t seed;
};

struct change_point {
    size_t index;         /* of the first value on the new level */
    double before, after; /* medians of the values up to the neighbouring changes */
    double p; /* share of shuffled rows with as clear a change; 1 - p is the confidence */
};

/* points: room for count / shortest of them, in rising order. Time grows with draws times count.
 * -EINVAL: a value is NaN, or the search is impossible; -ENOMEM. */
int find_change_points(const double *values, size_t count, const struct change_search *search,
                       struct change_point *points, size_t *found);
