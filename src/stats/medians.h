/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Medians over processes with an interval, and what differences and ratios of two of them are. No
 * shape of the costs is assumed: a few processes on another level do not move them far. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct overhead_median {
    double median, low, high; /* 95 %; NaN where nothing was measured, without end where one was */
    size_t count;
};

/* Sorts the values. None of them is NaN. */
struct overhead_median overhead_median_of(double *values, size_t count);
/* left - right; of independent medians. */
struct overhead_median overhead_median_difference(struct overhead_median left,
                                                  struct overhead_median right);
/* left / right; NaN where one of the two is not above 0. */
struct overhead_median overhead_median_ratio(struct overhead_median left,
                                             struct overhead_median right);
