/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One interval of a watch as every part of the judge sees it: what a clock showed at its two ends,
 * by the narrower pair of looks that follow each other in opposite orders. */
#pragma once

#include "judge/clocks/evidence.h"

struct interval_end {
    double at;    /* ticks, relative to the clock's first reading in the watch: the middle */
    double width; /* ticks between the two readings of the pair; half of it is the bound */
};
struct interval_reading {
    struct interval_end begin, end;
    double elapsed; /* ticks */
    double naive;   /* by the first look of either side */
    double bound;   /* ticks: half of both widths */
};
/* Intervals of the watch, over all processes and threads. */
size_t watch_intervals(const struct clock_watch *watch);
/* Interval `index` of it, in the order of processes, intervals and threads. Differences are taken
 * modulo 2^64 and signed, so a clock that goes back gives a negative elapsed. */
struct interval_reading watch_interval(const struct clock_watch *watch, size_t index,
                                       uint32_t column);
/* The first look of that interval. */
size_t watch_interval_look(const struct clock_watch *watch, size_t index);
