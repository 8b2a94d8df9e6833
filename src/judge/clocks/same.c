/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which clocks are one counter in other clothes: those between which one straight line holds all
 * the time, within the bounds of every look. Where both are said to be made of one counter, the
 * line itself has to show it: what they really left it by, rather than what slow readings could
 * have hidden, as on machines that a program makes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/marks.h"
#include "stats/moments.h"

#define SEARCH_STEPS 60

/* Of all lines with this slope, the one that leaves the least beyond the bounds. */
struct line {
    double slope, offset; /* own − other = offset + slope * other */
    double beyond;        /* ns; ≤ 0: every bound is kept */
};

static struct line best_offset(const struct clock_marks *marks, double slope)
{
    double lowest = -INFINITY, highest = INFINITY;
    for (size_t i = 0; i < marks->count; i++) {
        const struct clock_mark *mark = &marks->list[i];
        double rest = mark->own - mark->other - slope * mark->other;
        lowest = fmax(lowest, rest - mark->bound);
        highest = fmin(highest, rest + mark->bound);
    }
    return (struct line){
        .slope = slope, .offset = (lowest + highest) / 2, .beyond = (lowest - highest) / 2};
}

/* What is left beyond the bounds is convex in the slope. */
static struct line best_line(const struct clock_marks *marks)
{
    const struct clock_mark *first = &marks->list[0], *last = &marks->list[marks->count - 1];
    double span = last->other - first->other;
    double middle = (last->own - first->own) / span - 1;
    struct line around = best_offset(marks, middle);
    double reach = 4 * (fmax(0, around.beyond) + first->bound + last->bound) / span;
    double low = middle - reach, high = middle + reach;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double third = (high - low) / 3;
        if (best_offset(marks, low + third).beyond < best_offset(marks, high - third).beyond)
            high -= third;
        else
            low += third;
    }
    return best_offset(marks, (low + high) / 2);
}

/* The bound that half of the marks keep. */
static int usual_bound(const struct clock_marks *marks, double *bound)
{
    double *bounds = malloc(marks->count * sizeof(*bounds));
    if (!bounds)
        return -ENOMEM;
    for (size_t i = 0; i < marks->count; i++)
        bounds[i] = marks->list[i].bound;
    sort_values(bounds, marks->count);
    *bound = quantile(bounds, marks->count, 0.5);
    free(bounds);
    return 0;
}

static double farthest(const struct clock_marks *marks, const struct line *line, double bound)
{
    double farthest = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct clock_mark *mark = &marks->list[i];
        double rest = mark->own - mark->other - line->offset - line->slope * mark->other;
        if (mark->bound <= bound || fabs(rest) > mark->bound)
            farthest = fmax(farthest, fabs(rest));
    }
    return farthest;
}

static int compare(const struct clocks_case *file, struct clocks_report *report, uint32_t clock,
                   uint32_t with, struct clock_same *same)
{
    struct clock_marks marks;
    int error = clock_marks_find(file, report, clock, with, &marks);
    if (error || marks.count < 4)
        goto done;
    double steps = clock_step_ns(report, clock) - report->scales[clock].ns_per_tick +
                   clock_step_ns(report, with) - report->scales[with].ns_per_tick;
    double bound = 0, span = marks.list[marks.count - 1].other - marks.list[0].other;
    for (size_t i = 0; i < marks.count; i++)
        marks.list[i].bound += fmax(0, steps);
    error = usual_bound(&marks, &bound);
    if (error || !(span > 0))
        goto done;
    struct line line = best_line(&marks);
    *same = (struct clock_same){
        .with = with, .bound_ns = bound, .span_s = span * 1e-9, .ppb = bound / (span * 1e-9)};
    same->parted_ns = farthest(&marks, &line, bound);
    if (clocks_one_family(file, clock, with))
        same->ppb = fmin(same->ppb, (same->parted_ns + report->scales[clock].ns_per_tick +
                                     report->scales[with].ns_per_tick) /
                                        (span * 1e-9));
    /* They part for sure, or they could not have parted unseen; between the two nothing is known.
     * Nor is it where they are said to be different counters: good oscillators at one temperature
     * keep a straight line for minutes. */
    same->same =
        line.beyond <= 0 && same->ppb <= CLOCKS_SAME_PPB && !clocks_independent(file, clock, with);
    same->known = line.beyond > 0 || same->same;
done:
    clock_marks_release(&marks);
    return error;
}

/* The counter that the others may be: the CPU's own, plainly read; else the reference. */
static int counter(const struct clocks_case *file, const struct clocks_report *report)
{
    for (size_t i = 0; i < file->clock_count; i++)
        if (file->clocks[i].role == ROLE_WALL && !file->clocks[i].external &&
            strcmp(file->clocks[i].way, "instruction") == 0)
            return (int)i;
    return report->reference.clock;
}

int clocks_find_same(const struct clocks_case *file, struct clocks_report *report)
{
    int own = counter(file, report), error = 0;
    for (uint32_t clock = 0; clock < file->clock_count && own >= 0 && error == 0; clock++) {
        int32_t with = (int)clock == own ? report->reference.clock : own;
        if (file->clocks[clock].role != ROLE_WALL || with < 0 || with == (int32_t)clock)
            continue;
        error = compare(file, report, clock, (uint32_t)with, &report->same[clock]);
    }
    return error;
}
