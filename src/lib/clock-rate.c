/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Rates as intervals that hold the truth, and spans from them. */
#define ASSAY_NO_INLINE
#include "lib/clock-rate.h"

#include <stdlib.h>

#define CLAIM_ERROR 1e-6
#define ROUNDING    0x1p-50 /* of some operations with doubles, one after the other */

bool clock_rate_between(const struct clock_anchor *from, const struct clock_anchor *to,
                        uint64_t step, struct clock_rate *rate)
{
    /* A reading is at most a step behind what the clock would show if it moved evenly. */
    int64_t least = (int64_t)(to->before - from->after - step);
    int64_t most = (int64_t)(to->after + step - from->before);
    int64_t ns = (int64_t)(to->ns - from->ns);
    if (least <= 0 || most < least || ns <= 1)
        return false;
    /* Both anchors lost a part of a nanosecond: the true distance is less than one from ns. */
    rate->low = (double)least / (double)(ns + 1);
    rate->high = (double)most / (double)(ns - 1);
    return true;
}

bool clock_rate_refine(struct clock_rate *known, const struct clock_rate *seen)
{
    bool both = seen->low <= known->high && known->low <= seen->high;
    if (both) {
        known->low = seen->low > known->low ? seen->low : known->low;
        known->high = seen->high < known->high ? seen->high : known->high;
    } else {
        known->low = seen->low < known->low ? seen->low : known->low;
        known->high = seen->high > known->high ? seen->high : known->high;
    }
    return both;
}

bool clock_rate_claim(struct clock_rate *known, double ticks_a_second)
{
    double rate = ticks_a_second * 1e-9;
    struct clock_rate claimed = {rate * (1 - CLAIM_ERROR), rate * (1 + CLAIM_ERROR)};
    if (!(rate > 0) || claimed.low > known->high || known->low > claimed.high)
        return false;
    return clock_rate_refine(known, &claimed);
}

void clock_span_of(const struct clock_rate *rate, const struct clock_habits *habits, uint64_t from,
                   uint64_t to, struct assay_span *span)
{
    int backwards = to - from > INT64_MAX;
    double ticks = (double)(backwards ? from - to : to - from);
    double most = ticks / rate->low, least = ticks / rate->high;
    double ns = least + (most - least) / 2;
    span->ns = backwards ? -ns : ns;
    span->error_ns = (most - least) / 2 +
                     ((double)habits->cost + (double)habits->step) / rate->low + ns * ROUNDING;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

#define MOST_READINGS 512

void clock_habits_of(const uint64_t *readings, size_t count, struct clock_habits *habits)
{
    uint64_t steps[MOST_READINGS];
    size_t found = 0;
    uint64_t step = 0;
    for (size_t i = 1; i < count && found < MOST_READINGS; i++) {
        if (readings[i] < readings[i - 1])
            continue;
        steps[found++] = readings[i] - readings[i - 1];
        step = common_divisor(step, steps[found - 1]);
    }
    if (found)
        qsort(steps, found, sizeof(steps[0]), by_size);
    /* 39 of 40 readings cost no more; what interrupts the others is no cost of theirs. */
    habits->cost = found ? steps[found - 1 - found / 40] : 0;
    habits->step = step ? step : 1;
}
