/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads without a system call, from pages that were read before. */
#include "probe/paths/perf-user-calls.h"

#define PATH            perf_user_touched
#define PATH_NAME       "perf-user-touched"
#define PATH_NOTE       "reads counters in user code; its pages were read before the window"
#define PATH_OPERATIONS perf_user_touched_operations
#include "probe/harness/window-template.h"
