/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loops around the spans, one for each number of meters. */
#include "probe/tour/caller.h"

#include "lib/user-read.h"
#include "window.h"

#define SPAN_INLINE static inline __attribute__((always_inline))

/* Both operands of the call are in registers before the first reading. */
#define SPAN_FETCH(span, function, times)                                                          \
    call_function *function = (span)->function;                                                    \
    uint32_t times = (span)->times;                                                                \
    __asm__ volatile("" : "+r"(function), "+r"(times) : : "memory")

size_t spans_ticks(struct tour_state *state, const struct meter *meter, const struct span *spans,
                   size_t count, uint64_t *values)
{
    (void)meter;
    do {
        SPAN_FETCH(spans, function, times);
        state->status = 0;
        uint64_t before = window_ticks();
        function(state, times);
        uint64_t after = window_ticks();
        *values++ = after - before;
        spans++;
    } while (state->status >= 0 && --count);
    return count;
}

/* In the same order before and after: then the reading of each meter is in the span of each other
 * one just once. */
SPAN_INLINE void read_all(const struct meter *meter, uint64_t *counts, unsigned meters)
{
    window_order();
    user_read_count(meter->pages[0], &counts[0]);
    if (meters > 1)
        user_read_count(meter->pages[1], &counts[1]);
    if (meters > 2)
        user_read_count(meter->pages[2], &counts[2]);
    window_order();
}

SPAN_INLINE size_t spans_counted(struct tour_state *state, const struct meter *meter,
                                 const struct span *spans, size_t count, uint64_t *values,
                                 unsigned meters)
{
    do {
        uint64_t before[METERS_MOST] = {METER_UNREAD, METER_UNREAD, METER_UNREAD};
        uint64_t after[METERS_MOST] = {METER_UNREAD, METER_UNREAD, METER_UNREAD};
        SPAN_FETCH(spans, function, times);
        state->status = 0;
        read_all(meter, before, meters);
        function(state, times);
        read_all(meter, after, meters);
        for (unsigned index = 0; index < meters; index++) {
            bool read = before[index] != METER_UNREAD && after[index] != METER_UNREAD;
            *values++ = read ? after[index] - before[index] : METER_UNREAD;
        }
        spans++;
    } while (state->status >= 0 && --count);
    return count;
}

#define SPANS(name, meters)                                                                        \
    size_t spans_##name(struct tour_state *state, const struct meter *meter,                       \
                        const struct span *spans, size_t count, uint64_t *values)                  \
    {                                                                                              \
        return spans_counted(state, meter, spans, count, values, meters);                          \
    }
SPANS(one, 1)
SPANS(two, 2)
SPANS(three, 3)
