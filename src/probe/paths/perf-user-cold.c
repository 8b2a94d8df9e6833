/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads without a system call, from pages that are taken out of the page table before: the first
 * read of each takes a page fault, where the operating system maps such pages late. */
#include "probe/paths/perf-user-calls.h"

#define PATH      perf_user_cold
#define PATH_NAME "perf-user-cold"
#define PATH_NOTE                                                                                  \
    "reads counters in user code; the window's first read of each page may take a page fault"
#define PATH_OPERATIONS perf_user_cold_operations
#include "probe/harness/window-template.h"
