/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands around the windows of the two PAPI paths. */
#pragma once

#include "probe/harness/path.h"

/* The name every measured region of the high-level interface has. */
#define PAPI_REGION "window"

/* The high-level interface keeps every region in memory and writes all of them at the end. */
#define PAPI_HIGH_MAX_RUNS 10000u

/* "preset NAME ERRNO REASON" for every preset; ERRNO 0: it can be counted here. */
void papi_describe_presets(void);

extern const struct path_operations papi_low_operations;
extern const struct path_operations papi_high_operations;

/* Monotonic nanoseconds by an inline system call. */
uint64_t papi_clock(void);
