/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tries perf_event_open(2) once for the doctor: is it allowed at all, and do the two counters that
 * every PMU has really count? Self-contained, so that the answer does not rest on the library that
 * is later judged by it. */
#pragma once

#include <stdint.h>

struct perf_count {
    int error; /* positive errno of opening or reading; 0: counted */
    uint64_t count;
    uint64_t enabled_ns, running_ns; /* running 0: opened, but never got a counter */
};

struct perf_try {
    int killed; /* signal that ended the attempt (SIGSYS: a filter that kills), else 0 */
    int dummy;  /* positive errno of opening a software event that needs no hardware */
    struct perf_count instructions,
        cycles; /* user mode, over a spin of a few 100 000 instructions */
};

/* cpu: where to run the attempt (a core the PMU covers), -1 for anywhere. 0, or negative errno when
 * not even the attempt could be made. */
int perf_try(int cpu, struct perf_try *result);
