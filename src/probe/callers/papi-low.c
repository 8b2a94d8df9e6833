/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's low level: PAPI_start, PAPI_stop, PAPI_read and PAPI_accum on one event set. Building the
 * set starts the library and opens its counters, so what a first call finds cold is the call's own
 * code and the harness's binding to it, not the library. */
#include <papi.h>

#include "probe/harness/papi-set.h"
#include "probe/tour/instruments.h"

#define LOW_CALL(name, call)                                                                       \
    static void low_##name(struct tour_state *state, uint32_t times)                               \
    {                                                                                              \
        const int event_set = state->event_set;                                                    \
        long long *const values = state->values;                                                   \
        long status = PAPI_OK;                                                                     \
        (void)values;                                                                              \
        do                                                                                         \
            status = call_worst(status, (call));                                                   \
        while (--times);                                                                           \
        state->status = status;                                                                    \
    }

LOW_CALL(start, PAPI_start(event_set))
LOW_CALL(stop, PAPI_stop(event_set, values))
LOW_CALL(read, PAPI_read(event_set, values))
LOW_CALL(accum, PAPI_accum(event_set, values))

const struct caller caller_papi_low = {
    .path = "papi-low",
    .instrument = "papi",
    .note = "on a software event PAPI runs another code path than on a hardware one",
    .page = "",
    .binds = true,
    .usable = papi_usable,
    .open = papi_low_open,
    .settle = papi_low_settle,
    .check = papi_low_check,
    .close = papi_low_close,
    .calls =
        {
            [CALL_START] = {low_start, EFFECT_STARTS, WHEN_STOPPED},
            [CALL_STOP] = {low_stop, EFFECT_STOPS, WHEN_RUNNING},
            [CALL_READ] = {low_read, EFFECT_KEEPS, WHEN_RUNNING},
            [CALL_ACCUM] = {low_accum, EFFECT_KEEPS, WHEN_RUNNING},
        },
};
