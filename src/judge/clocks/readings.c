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

/* The first look of the narrower pair of a side. A cold or interrupted look widens every clock's
 * pair, whatever its rate, so shares can be added up where ticks cannot. */
static size_t narrower_pair(const struct clock_watch *watch, size_t side)
{
    double balance = 0;
    for (uint32_t column = 0; column < watch->columns; column++) {
        double early = fabs(went(watch, side, side + 1, column));
        double late = fabs(went(watch, side + 1, side + 2, column));
        if (early + late > 0)
            balance += (late - early) / (early + late);
    }
    return balance >= 0 ? side : side + 1;
}

struct interval_reading watch_interval(const struct clock_watch *watch, size_t index,
                                       uint32_t column)
{
    size_t first = watch_interval_look(watch, index);
    size_t begin = narrower_pair(watch, first);
    size_t end = narrower_pair(watch, first + WATCH_SIDE_LOOKS);
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
