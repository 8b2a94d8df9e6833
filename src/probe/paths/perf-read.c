/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The path most programs take: libc's ioctl() and read() on perf descriptors. */
#include <sys/ioctl.h>
#include <unistd.h>

#define CALL_START(descriptor)               ioctl((descriptor), PERF_EVENT_IOC_ENABLE, 0)
#define CALL_STOP(descriptor)                ioctl((descriptor), PERF_EVENT_IOC_DISABLE, 0)
#define CALL_READ(descriptor, buffer, bytes) read((descriptor), (buffer), (bytes))
#include "probe/paths/perf-calls.h"

#define PATH            perf_read
#define PATH_NAME       "perf-read"
#define PATH_NOTE       ""
#define PATH_OPERATIONS perf_operations
#include "probe/harness/window-template.h"
