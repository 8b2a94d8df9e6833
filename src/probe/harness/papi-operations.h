/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands around the windows of the two PAPI paths. */
#pragma once

#include "probe/harness/path.h"

/* The name every measured region of the high-level interface has. */
#define PAPI_REGION "window"

extern const struct path_operations papi_low_operations;
extern const struct path_operations papi_high_operations;
