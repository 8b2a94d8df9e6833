/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of papi-low. PAPI_start sets the counters to zero, so a pattern that starts
 * needs no base reading. PAPI pins its groups to the PMU: what it returns was counted all the time,
 * or is an error. */
#include <errno.h>
#include <time.h>

#include "probe/harness/papi-operations.h"
#include "probe/harness/papi-set.h"
#include "syscall.h"

uint64_t papi_clock(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int low_open(struct instrument *instrument)
{
    return papi_build_set(instrument->job, &instrument->window.event_set);
}

static int low_arm(struct instrument *instrument)
{
    struct job *job = instrument->job;
    for (uint32_t index = 0; index < job->counters; index++)
        instrument->before[index] = 0;
    if (!pattern_starts_inside(job->pattern) && !instrument->started) {
        int status = PAPI_start(instrument->window.event_set);
        if (status != PAPI_OK)
            return job_fail(job, papi_errno(status), "PAPI_start: %s", PAPI_strerror(status));
    }
    instrument->started = !pattern_starts_inside(job->pattern);
    instrument->opened = papi_clock();
    return 0;
}

static int low_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    uint64_t elapsed = papi_clock() - instrument->opened;
    int status = (int)instrument->window.status;
    if (job->pattern == PATTERN_RO)
        instrument->started = false;
    if (status == PAPI_OK && job->pattern == PATTERN_AR) {
        long long ignored[CELL_MAX_COUNTERS];
        status = PAPI_stop(instrument->window.event_set, ignored);
    }
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "run %u: PAPI: %s", run, PAPI_strerror(status));
    for (uint32_t index = 0; index < job->counters; index++) {
        size_t row = (size_t)run * job->counters + index;
        job_values(job)[row] = instrument->after[index] - instrument->before[index];
        job_enabled(job)[row] = elapsed;
        job_running(job)[row] = elapsed;
    }
    return 0;
}

static void low_close(struct instrument *instrument)
{
    long long ignored[CELL_MAX_COUNTERS];
    if (instrument->started)
        PAPI_stop(instrument->window.event_set, ignored);
    papi_destroy_set(&instrument->window.event_set);
}

const struct path_operations papi_low_operations = {
    .usable = papi_usable,
    .describe = papi_describe_presets,
    .open = low_open,
    .arm = low_arm,
    .release = low_release,
    .close = low_close,
};
