/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same calls as perf-read without libc: the system-call instruction stands in the call. */
#include "syscall.h"

#define CALL_START_ONE(descriptor)                                                                 \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_ENABLE, 0)
#define CALL_STOP_ONE(descriptor)                                                                  \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_DISABLE, 0)
#define CALL_READ_ONE(descriptor, buffer, bytes)                                                   \
    assay_syscall3(SYS_read, (descriptor), (long)(buffer), (long)(bytes))
#include "probe/callers/perf-calls.h"

const struct caller caller_perf_syscall = {
    .path = "perf-syscall",
    .instrument = "perf",
    .note = "",
    .page = "",
    .open = perf_instrument_open,
    .settle = perf_instrument_settle,
    .check = perf_instrument_check,
    .close = perf_instrument_close,
    .calls =
        {
            [CALL_START] = {call_start, EFFECT_STARTS, WHEN_STOPPED},
            [CALL_STOP] = {call_stop, EFFECT_STOPS, WHEN_RUNNING},
            [CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY},
        },
};
