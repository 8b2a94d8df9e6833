/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reading costs: blocks of readings of a clock, timed by a quick one around them, less what
 * reading that one costs itself (kind "row"). */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "judge/clocks/replicates.h"
#include "studies/clocks/study.h"

static bool is_row_of(const struct clock_watch *watch, uint32_t clock)
{
    return watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS && watch->length > 0 &&
           watch->clocks[ROW_FIRST] == clock && watch->processes > 0;
}

/* Ticks of the timing clock from before the block to after it. NaN: it went back. */
static double block_ticks(const struct clock_watch *watch, size_t look)
{
    const uint64_t *row = watch->values + look * watch->columns;
    int64_t ticks = (int64_t)(row[ROW_AFTER] - row[ROW_BEFORE]);
    return ticks < 0 ? NAN : (double)ticks;
}

/* Was nothing of the process quiet? Then blocks with a switch are all there is. */
static bool all_preempted(const struct clock_watch *watch, size_t process)
{
    for (size_t look = watch->begins[process]; look < watch->begins[process + 1]; look++)
        if (!watch->accounts || !watch->accounts[look].involuntary)
            return false;
    return true;
}

/* Blocks of one row, for each reading: (ticks - own) / (length + extra). */
static int collect(const struct clock_watch *watch, size_t first_process, double own, double extra,
                   struct replicate_list *list)
{
    for (size_t process = 0; process < watch->processes; process++) {
        bool any = all_preempted(watch, process);
        for (size_t look = watch->begins[process]; look < watch->begins[process + 1]; look++) {
            if (!any && watch->accounts && watch->accounts[look].involuntary)
                continue;
            double each = (block_ticks(watch, look) - own) / ((double)watch->length + extra);
            if (replicate_add(list, first_process + process, each) < 0)
                return -ENOMEM;
        }
    }
    return 0;
}

/* All rows of X that the same clock timed. own: ticks that one reading of that clock costs. */
static int median_of_rows(const struct clocks_case *file, uint32_t clock, uint32_t timer,
                          double own, size_t *blocks, struct overhead_median *median)
{
    AUTO_REPLICATES struct replicate_list list = {0};
    size_t processes = 0;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (!is_row_of(watch, clock) || watch->clocks[ROW_BEFORE] != timer)
            continue;
        /* A block of the timing clock itself is that many readings and one more. */
        if (collect(watch, processes, clock == timer ? 0 : own, clock == timer, &list) < 0)
            return -ENOMEM;
        processes += watch->processes;
    }
    *blocks = list.count;
    *median = replicate_median(&list);
    return 0;
}

/* What times the rows of a clock: ticks before nanoseconds; -1: it has no row. */
static int32_t timer_of(const struct clocks_case *file, uint32_t clock)
{
    int32_t found = -1;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (!is_row_of(watch, clock))
            continue;
        uint32_t timer = watch->clocks[ROW_BEFORE];
        if (strcmp(file->clocks[timer].way, "instruction") == 0)
            return (int32_t)timer;
        found = (int32_t)timer;
    }
    return found;
}

/* Costs are not below nothing, however wide the interval; one process alone has none. */
static double limit(double value)
{
    return isfinite(value) ? fmax(value, 0) : NAN;
}

static int judge_cost(const struct clocks_case *file, const struct clocks_report *report,
                      uint32_t clock, struct clock_cost *cost)
{
    *cost = (struct clock_cost){.ticks = NAN, .low = NAN, .high = NAN, .ns = NAN};
    int32_t timer = timer_of(file, clock);
    if (timer < 0)
        return 0;
    struct overhead_median own, median;
    size_t blocks;
    if (median_of_rows(file, (uint32_t)timer, (uint32_t)timer, 0, &blocks, &own) < 0 ||
        median_of_rows(file, clock, (uint32_t)timer, isnan(own.median) ? 0 : own.median, &blocks,
                       &median) < 0)
        return -ENOMEM;
    if (isnan(median.median))
        return 0;
    const struct clock_scale *scale = &report->scales[timer];
    cost->known = true;
    cost->blocks = blocks;
    cost->ns = scale->known ? limit(median.median) * scale->ns_per_tick : NAN;
    if (strcmp(file->clocks[timer].way, "instruction") != 0)
        return 0;
    cost->ticks = limit(median.median);
    cost->low = limit(median.low);
    cost->high = limit(median.high);
    return 0;
}

int clocks_judge_costs(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->clock_count; i++)
        if (judge_cost(file, report, (uint32_t)i, &report->costs[i]) < 0)
            return -ENOMEM;
    return 0;
}
