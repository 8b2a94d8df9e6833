/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An axis of text columns: which column a value falls into, and where numbers stand. Values over
 * more than one order of magnitude get a logarithmic one, which is said. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define AXIS_TICKS_MOST 32u
#define AXIS_TEXT_SIZE  24u

enum axis_kind {
    AXIS_LINEAR,
    AXIS_LOG,
    AXIS_BOTH_WAYS, /* logarithmic to both sides of zero, which has a place of its own */
};
extern const char *const axis_kind_words[]; /* "", "log axis", "log about 0" */

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
/* A linear one whatever the values are like, with a tick about every so many columns. Stood on end
 * its columns are rows, and the places of its texts mean nothing. */
void axis_make_linear(struct axis *axis, const struct axis_extent *extent, size_t columns,
                      double every);
/* 1,000 and 0.5, but 1e6; 250 instead of 2.5e2. */
void axis_name(double value, char *text, size_t size);
/* The column of a finite value; what lies beyond an end is shown at it. */
size_t axis_column(const struct axis *axis, double value);
