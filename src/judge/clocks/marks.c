/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moments at which two clocks were read together. */
#include "judge/clocks/marks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/readings.h"

/* Two clocks that are read together: what their values are counted from, and what a tick is. */
struct couple {
    const struct clock_watch *watch;
    uint32_t own_column, other_column;
    bool begun;
    uint64_t own_first, other_first;
    double own_scale, other_scale; /* ns a tick */
    int counts, stops; /* clocks in ns that count suspension and that do not; -1: none */
};

static int add(struct clock_marks *marks, const struct clock_mark *mark)
{
    if ((marks->count & (marks->count + 1)) == 0) {
        size_t room = 2 * marks->count + 1;
        struct clock_mark *grown = realloc(marks->list, room * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        marks->list = grown;
    }
    marks->list[marks->count++] = *mark;
    return 0;
}

void clock_marks_release(struct clock_marks *marks)
{
    free(marks->list);
    *marks = (struct clock_marks){0};
}

static uint64_t value_of(const struct clock_watch *watch, size_t look, uint32_t column)
{
    return watch->values[look * watch->columns + column];
}

/* How far the clock that counts suspension is ahead of the one that does not, at two looks that
 * follow each other (or at one). */
static double suspended_until(const struct couple *couple, size_t look, size_t next)
{
    const struct clock_watch *watch = couple->watch;
    if (couple->counts < 0 || couple->stops < 0)
        return 0;
    int counts = watch_column(watch, (uint32_t)couple->counts);
    int stops = watch_column(watch, (uint32_t)couple->stops);
    if (counts < 0 || stops < 0)
        return 0;
    double sum = 0;
    for (size_t i = 0; i < 2; i++)
        sum += (double)(int64_t)(value_of(watch, i ? next : look, (uint32_t)counts) -
                                 value_of(watch, i ? next : look, (uint32_t)stops));
    return sum / 2;
}

/* The moment lies between two readings of either clock. */
static int add_between(struct couple *couple, const uint64_t own[2], const uint64_t other[2],
                       const size_t looks[2], struct clock_marks *marks)
{
    size_t look = looks[0];
    if (!couple->begun) {
        couple->begun = true;
        couple->own_first = own[0];
        couple->other_first = other[0];
    }
    double own_width = (double)(int64_t)(own[1] - own[0]) * couple->own_scale;
    double other_width = (double)(int64_t)(other[1] - other[0]) * couple->other_scale;
    uint32_t process = 0;
    while (process + 1 < couple->watch->processes && couple->watch->begins[process + 1] <= look)
        process++;
    struct clock_mark mark = {
        .own = (double)(int64_t)(own[0] - couple->own_first) * couple->own_scale + own_width / 2,
        .other = (double)(int64_t)(other[0] - couple->other_first) * couple->other_scale +
                 other_width / 2,
        .bound =
            (fabs(own_width) + fabs(other_width)) / 2 + couple->own_scale + couple->other_scale,
        .suspended = suspended_until(couple, looks[0], looks[1]),
        .process = process,
    };
    return add(marks, &mark);
}

static int add_intervals(struct couple *couple, struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    int error = 0;
    for (size_t i = 0; i < watch_intervals(watch) && error == 0; i++) {
        for (int end = 0; end < 2 && error == 0; end++) {
            size_t look =
                watch_interval_pair(watch, i, end == 1, couple->own_column, couple->other_column);
            uint64_t own[2] = {value_of(watch, look, couple->own_column),
                               value_of(watch, look + 1, couple->own_column)};
            uint64_t other[2] = {value_of(watch, look, couple->other_column),
                                 value_of(watch, look + 1, couple->other_column)};
            error = add_between(couple, own, other, (size_t[2]){look, look + 1}, marks);
        }
    }
    return error;
}

/* The first and the last column are the outside clock's, around the moment of the look. */
static int add_outside(struct couple *couple, struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    int error = 0;
    for (size_t look = 0; look < watch->begins[watch->processes] && error == 0; look++) {
        uint64_t own[2] = {value_of(watch, look, couple->own_column),
                           value_of(watch, look, couple->own_column)};
        uint64_t other[2] = {value_of(watch, look, 0), value_of(watch, look, watch->columns - 1)};
        error = add_between(couple, own, other, (size_t[2]){look, look}, marks);
    }
    return error;
}

/* The new value began somewhere between the two looks. */
static int add_edges(struct couple *couple, struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    int error = 0;
    for (size_t look = 0; look + 1 < watch->begins[watch->processes] && error == 0;
         look += WATCH_EDGE_LOOKS) {
        uint64_t own[2] = {value_of(watch, look, couple->own_column),
                           value_of(watch, look + 1, couple->own_column)};
        uint64_t edge = value_of(watch, look + 1, 0);
        uint64_t other[2] = {edge, edge};
        error = add_between(couple, own, other, (size_t[2]){look, look + 1}, marks);
        /* an edge is the very beginning of a tick: none is lost to its coarseness */
        if (error == 0)
            marks->list[marks->count - 1].bound -= couple->other_scale;
    }
    return error;
}

static int compare_marks(const void *left, const void *right)
{
    const struct clock_mark *one = left, *two = right;
    return (one->other > two->other) - (one->other < two->other);
}

static void keep_longest_awake(struct clock_marks *marks)
{
    size_t best = 0, best_count = 0;
    double longest = -1;
    for (size_t begin = 0, end = 0; begin < marks->count; begin = end) {
        while (end < marks->count && fabs(marks->list[end].suspended -
                                          marks->list[begin].suspended) < CLOCKS_SUSPENDED_NS)
            end++;
        double span = marks->list[end - 1].other - marks->list[begin].other;
        if (span > longest) {
            longest = span;
            best = begin;
            best_count = end - begin;
        }
    }
    memmove(marks->list, marks->list + best, best_count * sizeof(*marks->list));
    marks->count = best_count;
}

/* Which watches tell the two against each other, and how? */
static int add_watch(struct couple *couple, uint32_t clock, uint32_t other,
                     struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    int own_column = watch_column(watch, clock), other_column = watch_column(watch, other);
    if (own_column < 0 || other_column < 0 || !watch->processes)
        return 0;
    couple->own_column = (uint32_t)own_column;
    couple->other_column = (uint32_t)other_column;
    if (watch->kind == WATCH_INTERVAL)
        return add_intervals(couple, marks);
    if (watch->kind == WATCH_OUTSIDE && other_column == 0 && watch->columns > 2)
        return add_outside(couple, marks);
    if (watch->kind == WATCH_EDGES && other_column == 0)
        return add_edges(couple, marks);
    return 0;
}

int clock_marks_find(const struct clocks_case *file, const struct clocks_report *report,
                     uint32_t clock, uint32_t other, struct clock_marks *marks)
{
    *marks = (struct clock_marks){0};
    if (!report->scales[clock].known || !report->scales[other].known)
        return 0;
    struct couple couple = {.own_scale = report->scales[clock].ns_per_tick,
                            .other_scale = report->scales[other].ns_per_tick,
                            .counts = clocks_index(file, "boottime"),
                            .stops = clocks_index(file, "monotonic")};
    int error = 0;
    for (size_t i = 0; i < file->watch_count && error == 0; i++) {
        couple.watch = &file->watches[i];
        size_t before = marks->count;
        error = add_watch(&couple, clock, other, marks);
        for (size_t mark = before; mark < marks->count; mark++)
            marks->list[mark].watch = (uint32_t)i;
    }
    if (error) {
        clock_marks_release(marks);
        return error;
    }
    if (marks->count) {
        qsort(marks->list, marks->count, sizeof(*marks->list), compare_marks);
        keep_longest_awake(marks);
    }
    return 0;
}

static int compare_values(const void *left, const void *right)
{
    uint64_t one = *(const uint64_t *)left, two = *(const uint64_t *)right;
    return (one > two) - (one < two);
}

/* All readings of a clock in intervals, and how many pairs of looks there were, and how many of
 * them showed one value. */
struct readings {
    uint64_t *values;
    size_t count, pairs, still;
};

static int gather(const struct clocks_case *file, uint32_t clock, struct readings *readings)
{
    size_t room = 1;
    for (size_t i = 0; i < file->watch_count; i++)
        room += watch_intervals(&file->watches[i]) * WATCH_INTERVAL_LOOKS;
    readings->values = malloc(room * sizeof(*readings->values));
    if (!readings->values)
        return -ENOMEM;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        int column = watch_column(watch, clock);
        if (watch->kind != WATCH_INTERVAL || column < 0)
            continue;
        for (size_t look = 0; look < watch_intervals(watch) * WATCH_INTERVAL_LOOKS; look++) {
            uint64_t value = value_of(watch, look, (uint32_t)column);
            if (look % WATCH_SIDE_LOOKS) {
                readings->pairs++;
                readings->still += value == readings->values[readings->count - 1];
            }
            readings->values[readings->count++] = value;
        }
    }
    return 0;
}

int clock_step_find(const struct clocks_case *file, uint32_t clock, double *ticks)
{
    struct readings readings = {0};
    *ticks = 1;
    int error = gather(file, clock, &readings);
    if (error)
        return error;
    /* A look takes about a microsecond: who stands still over most of them has steps far longer. */
    if (readings.pairs && readings.still * 2 > readings.pairs) {
        qsort(readings.values, readings.count, sizeof(*readings.values), compare_values);
        uint64_t step = 0;
        for (size_t i = 1; i < readings.count; i++) {
            uint64_t gap = readings.values[i] - readings.values[i - 1];
            if (gap && (!step || gap < step))
                step = gap;
        }
        *ticks = step ? (double)step : 1;
    }
    free(readings.values);
    return 0;
}

double clock_step_ns(const struct clocks_report *report, uint32_t clock)
{
    const struct clock_scale *scale = &report->scales[clock];
    if (!scale->known)
        return 0;
    double step = fmax(1, scale->step_ticks) * scale->ns_per_tick;
    const struct clock_granularity *granularity = &report->granularities[clock];
    if (granularity->known && granularity->coarse)
        step = fmax(step, granularity->usual_ticks * scale->ns_per_tick);
    return step;
}

bool interval_suspended(const struct clocks_case *file, const struct clock_watch *watch,
                        size_t index)
{
    int counts = clocks_index(file, "boottime"), stops = clocks_index(file, "monotonic");
    if (counts < 0 || stops < 0)
        return false;
    int counts_column = watch_column(watch, (uint32_t)counts);
    int stops_column = watch_column(watch, (uint32_t)stops);
    if (counts_column < 0 || stops_column < 0)
        return false;
    struct interval_reading both[2];
    watch_interval_of_two(watch, index, (uint32_t)counts_column, (uint32_t)stops_column, both);
    return both[0].elapsed - both[1].elapsed > CLOCKS_SUSPENDED_NS + both[0].bound + both[1].bound;
}
