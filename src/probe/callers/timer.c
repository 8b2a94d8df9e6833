/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a tour calls of its own: nothing, which shows what metering costs; and the gauge, work that
 * the CPU can do as wide as it is. Where something else shares the core (a second hardware thread)
 * the gauge takes longer, though nothing else of the process changed. */
#include "probe/tour/caller.h"

#define GAUGE_ROUNDS 250u /* of eight additions that do not wait for each other */

static void call_nothing(struct tour_state *state, uint32_t times)
{
    (void)state, (void)times;
}

/* The compiler must take every sum as one that somebody else may have changed. */
#define ADD_ONE(sum)                                                                               \
    do {                                                                                           \
        __asm__ volatile("" : "+r"(sum));                                                          \
        (sum)++;                                                                                   \
    } while (0)

static void call_gauge(struct tour_state *state, uint32_t times)
{
    unsigned long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    (void)state;
    do {
        uint32_t rounds = GAUGE_ROUNDS;
        do {
            ADD_ONE(a);
            ADD_ONE(b);
            ADD_ONE(c);
            ADD_ONE(d);
            ADD_ONE(e);
            ADD_ONE(f);
            ADD_ONE(g);
            ADD_ONE(h);
        } while (--rounds);
    } while (--times);
    __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(g), "r"(h));
}

const struct caller caller_timer = {
    .path = "timer",
    .instrument = "timer",
    .note = "",
    .page = "",
    .calls =
        {
            [CALL_NOTHING] = {call_nothing, EFFECT_KEEPS, WHEN_ANY},
            [CALL_GAUGE] = {call_gauge, EFFECT_KEEPS, WHEN_ANY},
        },
};
