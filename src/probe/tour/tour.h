/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One visit of a touring harness: all calls of its tour, pass after pass, each metered.
 *
 *   main.c                    finds the job; describes what can be called
 *   caller.h                  the agreement: what a caller is, and what its calls work on
 *   tour.c                    finds the calls, opens meters and instruments, makes the passes
 *   spans.c (spans.h)         the loops around metered calls, compiled with flags of their own
 *   instruments.h             what stands around the calls of each caller; an instrument a file:
 *   perf-instrument.c         descriptors of perf_event, and their pages
 *   assay-instrument.c        a set of libassay
 *   papi-instrument.c         PAPI's two levels
 *   likwid-instrument.c       LIKWID's markers; likwid-trial.c finds out whether they count here
 *   command-instrument.c      whole commands */
#pragma once

#include "probe/harness/job.h"
#include "probe/tour/spans.h"

/* 0, or a negative errno with the sentence in job->reason. */
int tour_run(struct job *job);

/* ----------------------------------------------------------------------------------------------
 * What is read around every call of a tour: the tick counter, or counters of the CPU that user code
 * reads. Those are pinned events of their own, beside the instruments'. */

struct meter {
    uint32_t count;
    bool ticks;
    span_loop *loop;
    const volatile struct perf_event_mmap_page *pages[METERS_MOST];
    int descriptors[METERS_MOST];
};

/* What `rows` spans gave: takes what lies above a counter's width away (a meter that went back
 * gives a negative difference), and fails where a meter could not be read. */
int meter_settle(const struct meter *meter, struct job *job, uint64_t *values, size_t rows);

/* ----------------------------------------------------------------------------------------------
 * What a cold tour's process touches of itself beforehand: the pages of its own program and stack,
 * as bytes. */

/* So that the harness's code takes no fault inside a span. No function is called and no symbol
 * bound by it, and nothing of a library is touched. */
void own_pages_touch(void);
