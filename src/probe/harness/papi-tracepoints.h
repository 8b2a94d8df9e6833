/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tracepoints for PAPI. */
#pragma once

#include "probe/harness/path.h"

/* Where a tracepoint is among the events, lets PAPI find it; call before the library starts. Does
 * what it may: without the right to mount, PAPI itself will say that it does not know the event. */
void papi_show_tracepoints(const struct job_event *events, uint32_t count);
