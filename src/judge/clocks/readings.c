/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals of a watch, read clock by clock. */
#include "judge/clocks/readings.h"

size_t watch_intervals(const struct clock_watch *watch)
{
    return watch->processes ? watch->begins[watch->processes] / WATCH_INTERVAL_LOOKS : 0;
}

size_t watch_interval_look(const struct clock_watch *watch, size_t index)
{
    (void)watch;
    return index * WATCH_INTERVAL_LOOKS;
}

struct interval_reading watch_interval(const struct clock_watch *watch, size_t index,
                                       uint32_t column)
{
    (void)watch, (void)index, (void)column;
    return (struct interval_reading){0};
}
