/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Does LIKWID count here, how does it reach the counters, and what does it call the event? Found
 * out by a child, because the library prints, starts processes and may end the one it is in. */
#pragma once

#include <stddef.h>

#include "probe/harness/job.h"

struct likwid_way {
    const char *mode;  /* how the registers are reached, as LIKWID_MODE says it */
    const char *event; /* with its counter, as LIKWID_EVENTS says it */
};

/* event: what is to be counted; NULL: anything. cpu: where. 0, or a negative errno with LIKWID's
 * own reason. */
int likwid_try(const struct job_event *event, int cpu, struct likwid_way *way, char *reason,
               size_t size);

/* The child's part of it alone: likwid_try asks first whether LIKWID can have access at all. */
int likwid_trial(const struct job_event *event, int cpu, struct likwid_way *way, char *reason,
                 size_t size);
