/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Metered spans: meter, one indirect call, meter; nothing else stands between the two readings, and
 * it is the same code for every call, so that a call of nothing costs what metering costs. Compiled
 * with the flags of windows. */
#pragma once

#include "probe/tour/caller.h"

#define METERS_MOST  3          /* counters read at once */
#define METER_UNREAD UINT64_MAX /* what no counter holds: it could not be read */

struct span {
    call_function *function;
    uint32_t times;
};

struct meter;

/* Makes `count` (at least 1) spans, and writes what the meters ran on in each: values[span * meters
 * + meter]. Ends after the first whose call failed. Returns how many it left unmade, 0 when all
 * were made; the failed one counts as unmade. */
typedef size_t span_loop(struct tour_state *state, const struct meter *meter,
                         const struct span *spans, size_t count, uint64_t *values);

span_loop spans_ticks, spans_one, spans_two, spans_three;
