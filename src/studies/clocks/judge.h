/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the judge of clocks share. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * How far a clock may be behind for its steps, and whether the machine was suspended. */

/* The steps of a clock that stands still over several readings, in ticks, by its looks; 1 for all
 * others. */
double clock_step_find(const struct clocks_case *file, uint32_t clock);
/* By how much it may be behind, ns: that, never below a tick; or the usual step that watches of
 * steps showed, which is longer where the operating system had to wait for a CPU itself. */
double clock_step_ns(const struct clocks_report *report, uint32_t clock);
/* Was the machine suspended during this interval of the watch? Told by the clocks boottime and
 * monotonic; false where they are not among its columns. */
bool interval_suspended(const struct clocks_case *file, const struct clock_watch *watch,
                        size_t index);

/* ----------------------------------------------------------------------------------------------
 * One interval of a watch as every part of the judge sees it: what a clock showed at its two ends,
 * by the narrower pair of looks that follow each other in opposite orders. */

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

/* ----------------------------------------------------------------------------------------------
 * Values of several processes, and their median: every process gives one, the median of its own,
 * so that a process on a busy core is one of several and not half of all readings. */

struct replicate_list {
    double *values;
    size_t *processes; /* [value]: any number, alike for values of one process */
    size_t count;
};

/* A value that is NaN is left out. Values of a process follow each other. */
void replicate_add(struct replicate_list *list, size_t process, double value);
/* Median over processes with its 95 % interval, which has no end where there is but one process;
 * NaN of nothing. Sorts within the list. */
struct overhead_median replicate_median(struct replicate_list *list);

/* ----------------------------------------------------------------------------------------------
 * Readings of one clock that one thread took one after the other on one CPU, whatever they were
 * taken for: between two that follow each other a clock may only go on. */

/* One stretch: two readings, or a block of them. */
struct stretch {
    uint64_t readings; /* that were held against the one before */
    uint64_t backward; /* of these below it */
    double worst;      /* by so many ticks; 0 */
    double way;        /* ticks from the first to the last, signed */
    double expected;   /* ticks that it should have gone, by the clock beside it; NaN: unknown */
    double slack;      /* ticks by which that may be off, as the two were not read at one moment */
    bool interrupted;  /* by others that wanted the CPU, so that slack may be anything */
    uint64_t largest;  /* reading that is known of it */
};
typedef void stretch_visitor(const struct stretch *stretch, void *context);
void visit_stretches(const struct clocks_case *file, const struct clocks_report *report,
                     uint32_t clock, stretch_visitor *visitor, void *context);

/* Does what the stretch lost look like a counter that begins anew at `period`? */
enum wraps { WRAPS_NOT, WRAPS_MAYBE, WRAPS_SURELY };
enum wraps stretch_wraps(const struct stretch *stretch, double period);

/* Ticks from one reading to a later one, signed; of a clock that wraps, the short way round. */
double ticks_between(const struct clock_monotonic *clock, uint64_t before, uint64_t now);
/* May a trip that begins with this look have taken so long that a clock which wraps could have come
 * round? Then nobody knows the order of its readings. */
bool trip_is_lost(const struct clocks_case *file, const struct clocks_report *report,
                  uint32_t clock, const struct clock_watch *watch, size_t look);
