/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Boxes or points in, a plot of characters out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * An axis of text columns: which column a value falls into, and where numbers stand. Values over
 * more than one order of magnitude get a logarithmic one, which is said. */

#define AXIS_TICKS_MOST 32u
#define AXIS_TEXT_SIZE  24u

enum axis_kind {
    AXIS_LINEAR,
    AXIS_LOG,
    AXIS_BOTH_WAYS, /* logarithmic to both sides of zero, which has a place of its own */
};

/* What the values are like. Start from all zeros. */
struct axis_extent {
    bool any;
    double low, high;
    double smallest, largest; /* magnitudes other than 0; 0: none */
};
/* Nothing that is not finite has a place. */
void axis_extend(struct axis_extent *extent, double value);

struct axis_tick {
    double value;
    size_t column;             /* of the tick itself */
    size_t start;              /* of its text, which lies within the columns */
    char text[AXIS_TEXT_SIZE]; /* "": there is no room for it */
};

struct axis {
    enum axis_kind kind;
    double low, high; /* shown at the first and the last column */
    double threshold; /* AXIS_BOTH_WAYS: magnitudes below it lie by zero */
    size_t columns;
    struct axis_tick ticks[AXIS_TICKS_MOST]; /* rising; their texts do not touch */
    size_t tick_count;
};

/* columns: at least 2. */
void axis_make(struct axis *axis, const struct axis_extent *extent, size_t columns);
/* The column of a finite value; what lies beyond an end is shown at it. */
size_t axis_column(const struct axis *axis, double value);

/* ----------------------------------------------------------------------------------------------
 * Box plots for a terminal: one line a box, all on one axis, numbers beside them. */

struct box {
    const char *label; /* at the left; cleaned */
    double min, q1, median, q3, max;
    double mark; /* shown as a sign of its own, for example what was stepped; NaN: none */
};

/* Appends an axis and the boxes, as wide as the style allows. Values over many orders of magnitude
 * stand on a logarithmic axis (which is said), unless one is not positive: then it is symmetric
 * about zero. Nothing is appended for no boxes. */
void boxes_put(const struct box *boxes, size_t count, const char *unit, const struct style *style,
               struct text *out);
/* The same with other words above the three figures, where whiskers end at something else than the
 * smallest and the largest value: {"min", "median", "p99"}. */
void boxes_put_titled(const struct box *boxes, size_t count, const char *unit,
                      const char *const titles[], const struct style *style, struct text *out);

/* ----------------------------------------------------------------------------------------------
 * A plot of points for a terminal: two linear axes, a sign for each series, and a straight line
 * with which the points are to be compared. What the axes are is said by whoever heads it. */

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
