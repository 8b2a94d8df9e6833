/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls that most programs make: libc's ioctl() and read() on perf descriptors. */
#include <sys/ioctl.h>
#include <unistd.h>

#define CALL_START_ONE(descriptor)               ioctl((descriptor), PERF_EVENT_IOC_ENABLE, 0)
#define CALL_STOP_ONE(descriptor)                ioctl((descriptor), PERF_EVENT_IOC_DISABLE, 0)
#define CALL_READ_ONE(descriptor, buffer, bytes) read((descriptor), (buffer), (bytes))
#include "probe/callers/perf-calls.h"

const struct caller caller_perf_read = {
    .path = "perf-read",
    .instrument = "perf",
    .note = "",
    .page = "",
    .binds = true,
    .open = perf_instrument_open,
    .settle = perf_instrument_settle,
    .check = perf_instrument_check_libc,
    .close = perf_instrument_close,
    .calls =
        {
            [CALL_START] = {call_start, EFFECT_STARTS, WHEN_STOPPED},
            [CALL_STOP] = {call_stop, EFFECT_STOPS, WHEN_RUNNING},
            [CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY},
        },
};
