/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The density of a row of numbers as a smooth curve, for violins: a Gaussian around every value,
 * as wide as R's bw.nrd0 would make it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct density {
    bool constant;    /* all values are equal: there is no curve, only `low`; heights are 0 */
    double bandwidth; /* standard deviation of the Gaussians; 0 where constant */
    double low, step; /* heights[i] is the density at low + i * step */
};

/* 0.9 times the smaller of deviation and quartile distance / 1.34, over the fifth root of count;
 * where more than half of the values are equal, of the deviation. 0 for constant values. sorted
 * must be rising and finite. */
double density_bandwidth(const double *sorted, size_t count);

/* Over `points` places from 3 bandwidths below the least value to 3 above the greatest. Values may
 * be in any order. -EINVAL: no values, fewer than 2 points, or a value or the range is not finite;
 * -ENOMEM. */
int density_of(const double *values, size_t count, size_t points, struct density *density,
               double *heights);
