/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: from readings of two clocks to the rate of one, and from ticks to nanoseconds
 * with an error bound. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "assay.h"

/* The clock read before and after the reference: the moment of ns lies between. */
struct clock_anchor {
    uint64_t before, after; /* ticks */
    uint64_t ns;            /* of the reference, whose last digit is cut off */
};

/* Between these the true rate is. */
struct clock_rate {
    double low, high; /* ticks a nanosecond */
};

/* What the readings of a clock are like. */
struct clock_habits {
    uint64_t step; /* it moves in multiples of this many ticks */
    uint64_t cost; /* ticks from one reading to the next with nothing between */
};

/* Of a clock that moves in such steps. False when the anchors are too close to say anything, or the
 * clock went backwards. */
bool clock_rate_between(const struct clock_anchor *from, const struct clock_anchor *to,
                        uint64_t step, struct clock_rate *rate);

/* Takes in what was seen: the rate is in both. False when it cannot be in both: then it has
 * changed, and is known only to be somewhere in the whole of them. */
bool clock_rate_refine(struct clock_rate *known, const struct clock_rate *seen);

/* Takes in what somebody claims, as far as the claim agrees with what is known; a claim that does
 * not is dropped, and false returned. The claim is taken to be right to a millionth: it is what the
 * operating system was told, and its clocks multiply with a number rounded from that. */
bool clock_rate_claim(struct clock_rate *known, double ticks_a_second);

/* Negative when to was before from. */
void clock_span_of(const struct clock_rate *rate, const struct clock_habits *habits, uint64_t from,
                   uint64_t to, struct assay_span *span);

/* From readings in a row. */
void clock_habits_of(const uint64_t *readings, size_t count, struct clock_habits *habits);
