/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Start and stop by prctl(), which switches every event the task has opened at once; reads by
 * libc's read(). */
#include <sys/prctl.h>
#include <unistd.h>

#include "probe/paths/perf-calls.h"

#define CALL_READ(descriptor, buffer, bytes) read((descriptor), (buffer), (bytes))

#define PATH_START_group    (void)prctl(PR_TASK_PERF_EVENTS_ENABLE)
#define PATH_STOP_group     status = (long)prctl(PR_TASK_PERF_EVENTS_DISABLE)
#define PATH_START_separate PATH_START_group
#define PATH_STOP_separate  PATH_STOP_group

#define PATH            perf_prctl
#define PATH_NAME       "perf-prctl"
#define PATH_NOTE       "starts and stops every event of the task, not only those of the cell"
#define PATH_TASK_WIDE  true
#define PATH_SOURCES    "perf_event,step"
#define PATH_OPERATIONS perf_operations
#include "probe/harness/window-template.h"
