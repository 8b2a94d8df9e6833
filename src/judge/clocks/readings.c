/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals of a watch, read clock by clock. Two looks in opposite orders turn at one moment, which
 * lies between the two readings of every clock. Either side of an interval has two such pairs. All
 * clocks must use the same one, or their moments would differ by the length of a look. */
#include "judge/clocks/readings.h"

#include <math.h>

size_t watch_intervals(const struct clock_watch *watch)
{
    return watch->processes ? watch->begins[watch->processes] / WATCH_INTERVAL_LOOKS : 0;
}

size_t watch_interval_look(const struct clock_watch *watch, size_t index)
{
    (void)watch;
    return index * WATCH_INTERVAL_LOOKS;
}

static uint64_t value_of(const struct clock_watch *watch, size_t look, uint32_t column)
{
    return watch->values[look * watch->columns + column];
}

/* How far the clock went from one look to another; negative: it went back. */
static double went(const struct clock_watch *watch, size_t from, size_t to, uint32_t column)
{
    return (double)(int64_t)(value_of(watch, to, column) - value_of(watch, from, column));
}

/* By how much its later pair of a side is wider than its earlier one, −1 … 1. A cold or interrupted
 * look widens the pairs of all clocks, whatever their rates, so shares can be added where ticks
 * cannot. */
static double leaning(const struct clock_watch *watch, size_t side, uint32_t column)
{
    double early = fabs(went(watch, side, side + 1, column));
    double late = fabs(went(watch, side + 1, side + 2, column));
    return early + late > 0 ? (late - early) / (early + late) : 0;
}

static struct interval_reading read_between(const struct clock_watch *watch, size_t index,
                                            uint32_t column, size_t begin, size_t end)
{
    size_t first = watch_interval_look(watch, index);
    double begin_width = went(watch, begin, begin + 1, column);
    double end_width = went(watch, end, end + 1, column);
    return (struct interval_reading){
        .begin = {.at = went(watch, 0, begin, column) + begin_width / 2, .width = begin_width},
        .end = {.at = went(watch, 0, end, column) + end_width / 2, .width = end_width},
        .elapsed = went(watch, begin, end, column) + (end_width - begin_width) / 2,
        .naive = went(watch, first, first + WATCH_SIDE_LOOKS, column),
        .bound = (fabs(begin_width) + fabs(end_width)) / 2,
    };
}

struct interval_reading watch_interval(const struct clock_watch *watch, size_t index,
                                       uint32_t column)
{
    size_t looks[2];
    for (size_t end = 0; end < 2; end++) {
        size_t side = watch_interval_look(watch, index) + end * WATCH_SIDE_LOOKS;
        double sum = 0;
        for (uint32_t i = 0; i < watch->columns; i++)
            sum += leaning(watch, side, i);
        looks[end] = sum >= 0 ? side : side + 1;
    }
    return read_between(watch, index, column, looks[0], looks[1]);
}

/* What the looks of a side take by this clock: of the quicker side, which was not interrupted as
 * far as can be told. From its first to its last look every clock sees the same time, so widths in
 * this unit can be added whatever the rates; shares of their own sum cannot, because a clock whose
 * pairs differ by nature would outvote one that was interrupted. */
static double looking_time(const struct clock_watch *watch, size_t index, uint32_t column)
{
    size_t begin = watch_interval_look(watch, index), end = begin + WATCH_SIDE_LOOKS;
    return fmin(fabs(went(watch, begin, end - 1, column)),
                fabs(went(watch, end, end + WATCH_SIDE_LOOKS - 1, column)));
}

/* By how much its later pair of a side is wider than its earlier one. */
static double excess(const struct clock_watch *watch, size_t index, size_t side, uint32_t column)
{
    double unit = looking_time(watch, index, column);
    double early = fabs(went(watch, side, side + 1, column));
    double late = fabs(went(watch, side + 1, side + 2, column));
    return unit > 0 ? (late - early) / unit : leaning(watch, side, column);
}

size_t watch_interval_pair(const struct clock_watch *watch, size_t index, bool end, uint32_t one,
                           uint32_t other)
{
    size_t side = watch_interval_look(watch, index) + (end ? WATCH_SIDE_LOOKS : 0);
    return excess(watch, index, side, one) + excess(watch, index, side, other) >= 0 ? side
                                                                                    : side + 1;
}

void watch_interval_of_two(const struct clock_watch *watch, size_t index, uint32_t one,
                           uint32_t other, struct interval_reading readings[2])
{
    size_t begin = watch_interval_pair(watch, index, false, one, other);
    size_t end = watch_interval_pair(watch, index, true, one, other);
    readings[0] = read_between(watch, index, one, begin, end);
    readings[1] = read_between(watch, index, other, begin, end);
}
