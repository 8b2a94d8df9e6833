/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A job for a tour, in memory of its own. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/harness/job.h"

/* Metered in ticks; counts page faults, with one counter. */
static inline void tour_job_fill(struct job *job, size_t bytes, const char *calls, uint32_t runs,
                                 bool cold)
{
    job->magic = JOB_MAGIC;
    job->bytes = bytes;
    job->driver = getpid();
    job->counters = 1;
    job->runs = runs;
    job->cpu = -1;
    job->failed_event = -1;
    snprintf(job->path, sizeof(job->path), "tour");
    snprintf(job->events[0].name, JOB_NAME, "clock/ticks/");
    snprintf(job->events[0].counts, JOB_CLASS, "ticks");
    job->tour.bytes = (uint32_t)strlen(calls) + 1;
    job->tour.open = 1;
    job->tour.cold = cold;
    snprintf(job->tour.counted.name, JOB_NAME, "page-faults:u");
    job->tour.counted.attr = (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
                                                      .type = PERF_TYPE_SOFTWARE,
                                                      .config = PERF_COUNT_SW_PAGE_FAULTS,
                                                      .exclude_kernel = 1,
                                                      .exclude_hv = 1};
    memcpy(job_calls(job), calls, job->tour.bytes);
}

/* Shared memory, on the descriptor where fd is not NULL. */
static inline struct job *tour_job(const char *calls, uint32_t runs, bool cold, int *fd)
{
    size_t bytes = job_size(runs, 1) + strlen(calls) + 1;
    int file = memfd_create("assay-job", 0);
    struct job *job = NULL;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!job || job == MAP_FAILED)
        abort();
    tour_job_fill(job, bytes, calls, runs, cold);
    if (fd)
        *fd = file;
    else
        close(file);
    return job;
}

static inline void tour_job_free(struct job *job)
{
    munmap(job, job->bytes);
}
