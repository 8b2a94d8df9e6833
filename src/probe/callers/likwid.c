/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * LIKWID's marker: the beginning and the end of a region. The marker is initialised outside of any
 * region, so what a first call finds cold is its own code, the harness's binding to it, and a
 * region that LIKWID does not know yet. */
#include <likwid.h>

#include "probe/tour/instruments.h"

CALL_FUNCTION(likwid_begin, likwid_markerStartRegion(LIKWID_REGION))
CALL_FUNCTION(likwid_end, likwid_markerStopRegion(LIKWID_REGION))

const struct caller caller_likwid = {
    .path = "likwid",
    .instrument = "likwid",
    .note = "beginning and end of a marker region both read the counters of the CPU, past the "
            "operating system",
    .page = "",
    .binds = true,
    .alone = true,
    .needs_folder = true,
    .usable = likwid_usable,
    .open = likwid_open,
    .settle = likwid_settle,
    .check = likwid_check,
    .calls =
        {
            [CALL_BEGIN] = {likwid_begin, EFFECT_STARTS, WHEN_STOPPED},
            [CALL_END] = {likwid_end, EFFECT_STOPS, WHEN_RUNNING},
        },
};
