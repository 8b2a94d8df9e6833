/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same calls as perf-read without libc: the system-call instruction stands in the window. */
#include "syscall.h"

#define CALL_START(descriptor)                                                                     \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_ENABLE, 0)
#define CALL_STOP(descriptor)                                                                      \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_DISABLE, 0)
#define CALL_READ(descriptor, buffer, bytes)                                                       \
    assay_syscall3(SYS_read, (descriptor), (long)(buffer), (long)(bytes))
#include "probe/paths/perf-calls.h"

#define PATH            perf_syscall
#define PATH_NAME       "perf-syscall"
#define PATH_NOTE       ""
#define PATH_OPERATIONS perf_operations
#include "probe/harness/window-template.h"
