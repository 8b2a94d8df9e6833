/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads without a system call, from pages that are mapped in anew, and not read since. */
#include "probe/paths/perf-user-calls.h"

#define PATH            perf_user
#define PATH_NAME       "perf-user"
#define PATH_NOTE       "reads counters in user code; its pages are mapped in before the window"
#define PATH_OPERATIONS perf_user_populated_operations
#include "probe/harness/window-template.h"
