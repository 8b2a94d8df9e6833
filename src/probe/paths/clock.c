/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The CPU's cheapest counter of time at both ends of the window, and no event of the operating
 * system: how long the specimen takes, in ticks. */
#define PATH_LOCALS(w)                                                                             \
    uint64_t *before = (w)->before;                                                                \
    uint64_t *after = (w)->after
#define PATH_READ_FIRST_group *before = window_ticks()
#define PATH_READ_LAST_group  *after = window_ticks()

#define PATH            clock
#define PATH_NAME       "clock"
#define PATH_NOTE       ""
#define PATH_SOURCES    "clock"
#define PATH_OPERATIONS clock_operations
#define PATH_ONLY_RR
#define PATH_USER_READS true
#include "probe/harness/window-template.h"
