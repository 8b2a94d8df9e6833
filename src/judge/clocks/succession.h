/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Readings of one clock that one thread took one after the other on one CPU, whatever they were
 * taken for: between two that follow each other a clock may only go on. */
#pragma once

#include "studies/clocks/study.h"

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
/* Anything but 0 ends it and is handed on. */
typedef int stretch_visitor(const struct stretch *stretch, void *context);
int visit_stretches(const struct clocks_case *file, const struct clocks_report *report,
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
