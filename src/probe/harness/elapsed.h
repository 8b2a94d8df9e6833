/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time a run took, for paths that open no event of the operating system: whole runs, because
 * nothing else ever has the counter. */
#pragma once

#include <time.h>

#include "probe/harness/path.h"
#include "syscall.h"

/* Monotonic nanoseconds by an inline system call. */
static inline uint64_t elapsed_clock(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Call it in arm, … */
static inline void elapsed_begin(struct instrument *instrument)
{
    instrument->opened = elapsed_clock();
}

/* … and in release, for row `run`. */
static inline void elapsed_write(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    uint64_t elapsed = elapsed_clock() - instrument->opened;
    for (uint32_t index = 0; index < job->counters; index++) {
        size_t row = (size_t)run * job->counters + index;
        job_enabled(job)[row] = elapsed;
        job_running(job)[row] = elapsed;
    }
}
