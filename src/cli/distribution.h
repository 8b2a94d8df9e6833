/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Many values as what a figure of boxes shows of them: quartiles, a density, and some of the values
 * themselves. What a page gets does not grow with the store. */
#pragma once

#include <stddef.h>

#include <jansson.h>

struct distribution {
    size_t count;
    double min, q1, median, q3, max; /* values that were really read */
    json_t *density; /* [where it begins, step, height, height …]; null where all are equal */
    json_t *samples; /* at most DISTRIBUTION_SAMPLES of them, evenly over the order they came in,
                        with the extremes */
};
#define DISTRIBUTION_SAMPLES 100
#define DISTRIBUTION_POINTS  64

/* The two lists belong to the caller, who puts them into a row. Values are not changed. -EINVAL:
 * there are none; -ENOMEM. */
int distribution_of(const double *values, size_t count, struct distribution *distribution);
/* The value that at least that share of them do not exceed. */
double distribution_at(const double *sorted, size_t count, double share);
