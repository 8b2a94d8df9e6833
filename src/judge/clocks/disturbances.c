/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What host, scheduler and idle states did while clocks were watched, for which no clock is to
 * blame: stolen time, suspension, preemption, and sleeps that end late. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "judge/clocks/idle.h"
#include "judge/clocks/readings.h"

/* Looks of two clocks that the scheduler tears apart do not look like a suspension below this. */
#define SUSPENSION_NS 1e6

/* What is gathered beside the report. */
struct gathered {
    const struct clocks_case *file;
    const struct clocks_report *report;
    struct clocks_disturbances *seen;
    bool steal_known, boot_known;
    /* boottime - monotonic at the earliest and at the latest moment, by monotonic */
    uint64_t earliest, latest;
    double first_gap, last_gap;
    struct idle_sleeps sleeps;
};

static int role_column(const struct clocks_case *file, const struct clock_watch *watch,
                       enum clock_role role)
{
    for (uint32_t column = 0; column < watch->columns; column++)
        if (file->clocks[watch->clocks[column]].role == role)
            return (int)column;
    return -1;
}

static int named_column(const struct clocks_case *file, const struct clock_watch *watch,
                        const char *name)
{
    int clock = clocks_index(file, name);
    return clock < 0 ? -1 : watch_column(watch, (uint32_t)clock);
}

static double ns_of(const struct gathered *all, const struct clock_watch *watch, int column,
                    double ticks)
{
    const struct clock_scale *scale = &all->report->scales[watch->clocks[column]];
    return ticks * (scale->known ? scale->ns_per_tick : 1);
}

/* The reference's length of an interval; NaN: it was not read. */
static double reference_ns(const struct gathered *all, const struct clock_watch *watch,
                           size_t index)
{
    int32_t reference = all->report->reference.clock;
    int column = reference < 0 ? -1 : watch_column(watch, (uint32_t)reference);
    return column < 0
               ? NAN
               : ns_of(all, watch, column, watch_interval(watch, index, (uint32_t)column).elapsed);
}

/* --- the host --- */

static void see_steal(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    int column = role_column(all->file, watch, ROLE_STOLEN);
    if (column < 0)
        return;
    const uint64_t *first =
        watch->values + watch_interval_look(watch, index) * watch->columns + column;
    const uint64_t *last = first + (size_t)(WATCH_INTERVAL_LOOKS - 1) * watch->columns;
    int64_t ticks = (int64_t)(*last - *first);
    all->steal_known = true;
    if (ticks <= 0)
        return;
    all->seen->stolen_ns += ns_of(all, watch, column, (double)ticks);
    all->seen->stolen_intervals++;
}

/* --- suspension --- */

static double middle(double one, double other, double third)
{
    return fmax(fmin(one, other), fmin(fmax(one, other), third));
}

/* boottime - monotonic at a side of an interval, in ns: the middle of its three looks. */
static double gap_at(const struct gathered *all, const struct clock_watch *watch, size_t look,
                     int boot, int monotonic)
{
    double gaps[WATCH_SIDE_LOOKS];
    for (size_t i = 0; i < WATCH_SIDE_LOOKS; i++) {
        const uint64_t *row = watch->values + (look + i) * watch->columns;
        gaps[i] = ns_of(all, watch, boot, (double)(int64_t)(row[boot] - row[monotonic]));
    }
    return middle(gaps[0], gaps[1], gaps[2]);
}

static void see_suspension(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    int boot = named_column(all->file, watch, "boottime");
    int monotonic = named_column(all->file, watch, "monotonic");
    if (boot < 0 || monotonic < 0)
        return;
    size_t look = watch_interval_look(watch, index);
    double before = gap_at(all, watch, look, boot, monotonic);
    double after = gap_at(all, watch, look + WATCH_SIDE_LOOKS, boot, monotonic);
    uint64_t begin = watch->values[look * watch->columns + (size_t)monotonic];
    uint64_t end = watch->values[(look + WATCH_SIDE_LOOKS) * watch->columns + (size_t)monotonic];
    all->seen->suspended_intervals += after - before > SUSPENSION_NS;
    if (!all->boot_known || begin < all->earliest) {
        all->earliest = begin;
        all->first_gap = before;
    }
    if (!all->boot_known || end > all->latest) {
        all->latest = end;
        all->last_gap = after;
    }
    all->boot_known = true;
}

/* --- scheduler and sleeps --- */

static void see_preemption(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    size_t last = watch_interval_look(watch, index) + WATCH_SIDE_LOOKS;
    all->seen->intervals++;
    all->seen->preempted += watch->accounts && watch->accounts[last].involuntary > 0;
}

static int see_interval(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    double ns = reference_ns(all, watch, index);
    see_preemption(all, watch, index);
    /* Threads of an interval share the rest. */
    if (index % watch->threads != 0)
        return 0;
    if (ns > 0)
        all->seen->watched_ns += ns;
    see_steal(all, watch, index);
    see_suspension(all, watch, index);
    bool plain = strcmp(watch->workload, "sleep") == 0 && watch->threads == 1 && !watch->moves &&
                 !watch->handover;
    return plain ? idle_add_sleep(&all->sleeps, watch->awake, ns - (double)watch->length * 1e3) : 0;
}

static void sum_up(struct gathered *all)
{
    struct clocks_disturbances *seen = all->seen;
    double growth = all->last_gap - all->first_gap;
    if (!all->steal_known)
        seen->stolen_ns = NAN;
    seen->suspended_ns = !all->boot_known ? NAN : growth > SUSPENSION_NS ? growth : 0;
    idle_compare(all->file, all->report, &all->sleeps, seen);
}

int clocks_judge_disturbances(const struct clocks_case *file, struct clocks_report *report)
{
    struct gathered all = {.file = file, .report = report, .seen = &report->disturbances};
    int error = 0;
    report->disturbances = (struct clocks_disturbances){0};
    for (size_t i = 0; i < file->watch_count && !error; i++) {
        const struct clock_watch *watch = &file->watches[i];
        for (size_t j = 0; watch->kind == WATCH_INTERVAL && j < watch_intervals(watch) && !error;
             j++)
            error = see_interval(&all, watch, j);
    }
    if (!error)
        sum_up(&all);
    idle_release(&all.sleeps);
    return error;
}
