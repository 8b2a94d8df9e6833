/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A straight line through means of cells whose spread grows along it. Its slope is a fixed sum of
 * the means, so that its variance is the same sum of theirs, each known from its own processes:
 * nothing is assumed of how interrupts are distributed, nor that all N scatter alike. */
#pragma once

#include <stdbool.h>

#include "judge/error/process-means.h"

struct slope_point {
    double n;
    size_t way; /* points of one way share an intercept */
    struct process_mean y;
    double share; /* slope = sum of share * y.mean; filled in by slope_shares */
};

struct slope_line {
    bool known; /* two different N of one way */
    double slope, intercept;
    double error, df; /* standard error; infinite and 0 where nothing repeats */
    double low, high; /* 95 % interval */
    double detectable;
};

/* False: no way has two different N. */
bool slope_shares(struct slope_point *points, size_t count);
/* The variance of each point, where a lonely process cannot say it, is taken from the others; where
 * no process has a fellow, or no fellows differ, from how far the points lie off the line. */
struct slope_line slope_of(struct slope_point *points, size_t count);
/* From estimate, standard error and degrees of freedom. */
void slope_bounds(struct slope_line *line);
