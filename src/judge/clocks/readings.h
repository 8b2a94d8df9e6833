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
/* Interval `index` of it, in the order of processes, intervals and threads, with the same pairs of
 * looks for every column, so that many can be compared at one moment. Differences are taken
 * modulo 2^64 and signed, so a clock that goes back gives a negative elapsed. */
struct interval_reading watch_interval(const struct clock_watch *watch, size_t index,
                                       uint32_t column);
/* The first look of that interval. */
size_t watch_interval_look(const struct clock_watch *watch, size_t index);
/* Two clocks of that interval against each other: by the pairs that are narrower for these two, so
 * the bounds are as small as they can be. */
void watch_interval_of_two(const struct clock_watch *watch, size_t index, uint32_t one,
                           uint32_t other, struct interval_reading readings[2]);
/* The earlier look of the pair that it uses for the begin or for the end: this one and the next
 * enclose one moment between two readings of either clock. */
size_t watch_interval_pair(const struct clock_watch *watch, size_t index, bool end, uint32_t one,
                           uint32_t other);
