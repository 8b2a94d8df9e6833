/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Marks: moments at which two clocks were read together, from whatever watch: ends of intervals,
 * looks from outside, edges of an RTC. What is said of rates and of identity is made of them. */
#pragma once

#include "studies/clocks/study.h"

struct clock_mark {
    double own, other; /* ns since the first mark, each by its clock */
    double bound;      /* ns: own − other is right to ± this, half widths and ticks of both */
    double suspended;  /* ns that the machine was suspended until then, as far as can be known */
    uint32_t watch;
    uint32_t process; /* within the watch */
};
struct clock_marks {
    struct clock_mark *list; /* by rising `other` */
    size_t count;
};
/* The moments at which both were read; where the machine was suspended between some, those of its
 * longest time awake, because only some clocks go on meanwhile. Empty where a scale is unknown.
 * -ENOMEM. */
int clock_marks_find(const struct clocks_case *file, const struct clocks_report *report,
                     uint32_t clock, uint32_t other, struct clock_marks *marks);
void clock_marks_release(struct clock_marks *marks);

/* The steps of a clock that stands still over several readings, in ticks, by its looks; 1 for all
 * others. -ENOMEM. */
int clock_step_find(const struct clocks_case *file, uint32_t clock, double *ticks);
/* By how much it may be behind, ns: that, never below a tick; or the usual step that watches of
 * steps showed, which is longer where the operating system had to wait for a CPU itself. */
double clock_step_ns(const struct clocks_report *report, uint32_t clock);
/* Was the machine suspended during this interval of the watch? Told by the clocks boottime and
 * monotonic; false where they are not among its columns. */
bool interval_suspended(const struct clocks_case *file, const struct clock_watch *watch,
                        size_t index);
