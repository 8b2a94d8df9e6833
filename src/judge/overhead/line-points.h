/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The points of a line and sums of them with their errors; for line.c. */
#pragma once

#include "judge/overhead/line.h"

struct line_point {
    double count, mean;
    double variance, df; /* of the mean; df 0: nothing says it */
    size_t processes;
    double weight; /* in a fit */
};

struct line_points {
    struct line_point *list;
    size_t count;
    double *costs; /* of processes that measured every count, [process * count + point]; NULL: fewer
                      than two did, and every value counts for itself */
    size_t processes;
    double largest; /* of the means, without their signs */
    bool lonely;    /* no process has a fellow: only what a fit leaves says how they differ */
};

/* Sorts the values. -ENOMEM; release in either case. */
int line_points_of(struct line_value *values, size_t count, struct line_points *points);
void line_points_release(struct line_points *points);
#define AUTO_LINE_POINTS __attribute__((cleanup(line_points_release)))

struct line_sum {
    double value, error, df; /* standard error; infinite where nothing says it */
};
/* Each mean times its factor. left: the weighted square sum that a fit with `fitted` parameters
 * leaves of lonely points. */
struct line_sum line_sum_of(const struct line_points *points, const double *factors, double left,
                            size_t fitted);
/* Half the width of its interval with that confidence. */
double line_sum_reach(struct line_sum sum, double confidence);
