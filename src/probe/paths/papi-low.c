/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's low-level interface: PAPI_start, PAPI_read, PAPI_stop on one event set. */
#include "probe/harness/papi-set.h"

#define PATH_LOCALS(w)                                                                             \
    const int event_set = (w)->event_set;                                                          \
    long long *const before = (long long *)(w)->before;                                            \
    long long *const after = (long long *)(w)->after;                                              \
    (void)before, (void)after

#define PATH_START_group      (void)PAPI_start(event_set)
#define PATH_STOP_group       status = PAPI_stop(event_set, after)
#define PATH_READ_FIRST_group (void)PAPI_read(event_set, before)
#define PATH_READ_LAST_group  status = PAPI_read(event_set, after)

#define PATH            papi_low
#define PATH_NAME       "papi-low"
#define PATH_SOURCES    "perf_event,papi,step"
#define PATH_NOTE       PAPI_NOTE
#define PATH_OPERATIONS papi_low_operations
#include "probe/harness/window-template.h"
