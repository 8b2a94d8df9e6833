/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plot of points for a terminal: two linear axes, a sign for each series, and a straight line
 * with which the points are to be compared. What the axes are is said by whoever heads it. */
#pragma once

#include "output/table.h"

#define SCATTER_SERIES_MOST 6u

struct scatter_point {
    double x, y; /* one that is not finite has no place */
    size_t series;
};

struct scatter {
    const char *const *series; /* names, cleaned */
    size_t series_count;       /* at most SCATTER_SERIES_MOST */
    const struct scatter_point *points;
    size_t count;
    const char *line; /* what the line y = slope * x means; NULL: there is none */
    double slope;     /* y a unit of x */
    double beyond; /* times the largest y of the line: points farther up, or below 0 and the line,
                      stand at the edge with a sign of their own. 0: all have their place */
    size_t rows;   /* of the plot itself, at least 2 */
};

/* Appends axes, points and what the signs mean, as wide as the style allows. Signs differ in shape,
 * so that no colour is needed; where points of several series meet, one sign says so. Nothing is
 * appended where no point has a place. */
void scatter_put(const struct scatter *scatter, const struct style *style, struct text *out);
