/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's high-level interface: the beginning and the end of a region read the counters. */
#include "probe/harness/papi-set.h"

#define PATH_LOCALS(w) (void)(w)

#define PATH_READ_FIRST_group (void)PAPI_hl_region_begin(PAPI_REGION)
#define PATH_READ_LAST_group  status = PAPI_hl_region_end(PAPI_REGION)
#define PATH_ONLY_RR

#define PATH         papi_high
#define PATH_NAME    "papi-high"
#define PATH_SOURCES "perf_event,papi,step"
#define PATH_NOTE                                                                                  \
    PAPI_NOTE                                                                                      \
    "; values come from the report it writes when the process exits; every region "                \
    "allocates memory inside its window, and what malloc does for that differs from run "          \
    "to run"
#define PATH_OPERATIONS   papi_high_operations
#define PATH_NEEDS_FOLDER true
#include "probe/harness/window-template.h"
