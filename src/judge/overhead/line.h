/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cost by a count: a straight line by least squares of the figures of processes, in parts of their
 * cost, and whether the cost is straight at all. Everything asked for (slope, curvature, exponent)
 * is a sum of the means at each count with fixed factors, or nearly; so its error follows from the
 * processes alone, whether each of them measured one count or all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_value {
    uint32_t count;
    uint64_t process; /* values with the same one are of one process */
    double cost;
};

struct line {
    size_t points, processes;
    double base, slope, low, high;                /* 95 %; without end where nothing repeats */
    bool exact;                                   /* processes do not differ */
    bool paired;                                  /* each process has a slope of its own */
    double exponent, exponent_low, exponent_high; /* NaN: not known */
    double miss; /* the greatest distance of a mean from the line, as a part of that mean */
    bool straight;
};

/* Sorts the values by count and process. At least two different counts are there; -ENOMEM. */
int line_fit(struct line_value *values, size_t count, struct line *line);
