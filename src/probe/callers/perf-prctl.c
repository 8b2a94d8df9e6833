/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Start and stop by libc's prctl(), which switches every event that the task has opened. The tour's
 * meters are not among them: another task opened those. */
#include <sys/prctl.h>

#include "probe/tour/instruments.h"

CALL_FUNCTION(call_start, prctl(PR_TASK_PERF_EVENTS_ENABLE))
CALL_FUNCTION(call_stop, prctl(PR_TASK_PERF_EVENTS_DISABLE))

const struct caller caller_perf_prctl = {
    .path = "perf-prctl",
    .instrument = "prctl",
    .note = "starts and stops every event of the task, not only the tour's",
    .page = "",
    .binds = true,
    .alone = true,
    .open = perf_instrument_open,
    .settle = perf_instrument_settle,
    .check = perf_instrument_check_libc,
    .close = perf_instrument_close,
    .calls =
        {
            [CALL_START] = {call_start, EFFECT_STARTS, WHEN_STOPPED},
            [CALL_STOP] = {call_stop, EFFECT_STOPS, WHEN_RUNNING},
        },
};
