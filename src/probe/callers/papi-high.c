/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's high level: the beginning and the end of a region. The first beginning of a process starts
 * the library and opens the counters; every region stays in memory to the end. */
#include <papi.h>

#include "probe/harness/papi-set.h"
#include "probe/tour/instruments.h"

CALL_FUNCTION(high_begin, PAPI_hl_region_begin(PAPI_REGION))
CALL_FUNCTION(high_end, PAPI_hl_region_end(PAPI_REGION))

const struct caller caller_papi_high = {
    .path = "papi-high",
    .instrument = "papi-high",
    .note = "beginning and end of a region both read; the first beginning of a process starts the "
            "library and its counters",
    .page = "",
    .binds = true,
    .needs_folder = true,
    .usable = papi_high_usable,
    .open = papi_high_open,
    .settle = papi_high_settle,
    .check = papi_high_check,
    .calls =
        {
            [CALL_BEGIN] = {high_begin, EFFECT_STARTS, WHEN_STOPPED},
            [CALL_END] = {high_end, EFFECT_STOPS, WHEN_RUNNING},
        },
};
