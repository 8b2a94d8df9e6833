/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A copy of perf-syscall whose loop executes one instruction more per iteration than it says: what
 * the tests of the truths must notice. */
#include "window.h"

#undef WINDOW_LOOP
#if defined(__x86_64__)
#define WINDOW_LOOP "mov $0, %%eax\n1:\tadd $1, %%rax\n\tnop\n\tcmp %[first], %%rax\n\tjne 1b"
#elif defined(__aarch64__)
#define WINDOW_LOOP "mov x9, #0\n1:\tadd x9, x9, #1\n\tnop\n\tcmp x9, %[first]\n\tb.ne 1b"
#else
#define WINDOW_LOOP "li t0, 0\n1:\taddi t0, t0, 1\n\tnop\n\tbne t0, %[first], 1b"
#endif

#include "syscall.h"

#include "probe/paths/perf-locals.h"

#define CALL_START(descriptor)                                                                     \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_ENABLE, 0)
#define CALL_STOP(descriptor)                                                                      \
    assay_syscall3(SYS_ioctl, (descriptor), (long)PERF_EVENT_IOC_DISABLE, 0)
#define CALL_READ(descriptor, buffer, bytes)                                                       \
    assay_syscall3(SYS_read, (descriptor), (long)(buffer), (long)(bytes))
#include "probe/paths/perf-switch-each.h"

#define PATH            broken
#define PATH_NAME       "broken"
#define PATH_NOTE       ""
#define PATH_OPERATIONS perf_operations
#define WINDOW_OPT      O2
#include "probe/harness/window-template.h"
