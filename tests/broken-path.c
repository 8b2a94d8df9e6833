/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A copy of perf-syscall whose loop executes one instruction more per iteration than it says: what
 * the tests of the truths must notice. */
#include "window.h"

#undef WINDOW_LOOP
#define WINDOW_LOOP WINDOW_LOOP_WITH("\tnop\n")

#include "syscall.h"

#define CALL_START(descriptor)                                                                     \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_ENABLE, 0)
#define CALL_STOP(descriptor)                                                                      \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_DISABLE, 0)
#define CALL_READ(descriptor, buffer, bytes)                                                       \
    assay_syscall3(SYS_read, (descriptor), (long)(buffer), (long)(bytes))
#include "probe/paths/perf-calls.h"

#define PATH            broken
#define PATH_NAME       "broken"
#define PATH_NOTE       ""
#define PATH_OPERATIONS perf_operations
#define WINDOW_OPT      O2
#include "probe/harness/window-template.h"
