/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A job for a watch, in memory of its own. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/harness/job.h"

/* Of this kind with these clocks, in shared memory; on the descriptor where fd is not NULL. The
 * rest of the watch is as small as can be: one thread, no moves. */
static inline struct job *watch_job(enum watch_kind kind, const char *const *clocks, uint32_t count,
                                    uint32_t runs, uint64_t length, int *fd)
{
    size_t bytes = job_size(runs, count);
    int file = memfd_create("assay-job", 0);
    struct job *job = NULL;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!job || job == MAP_FAILED)
        abort();
    job->magic = JOB_MAGIC;
    job->bytes = bytes;
    job->driver = getpid();
    job->counters = count;
    job->runs = runs;
    job->cpu = -1;
    job->failed_event = -1;
    job->pattern = PATTERN_RR;
    snprintf(job->path, sizeof(job->path), "watch");
    for (uint32_t column = 0; column < count; column++)
        snprintf(job->events[column].name, JOB_NAME, "%s", clocks[column]);
    job->watch.kind = (uint32_t)kind;
    job->watch.length = length;
    job->watch.threads = 1;
    job->watch.partner = -1;
    if (kind == WATCH_INTERVAL)
        snprintf(job->watch.workload, sizeof(job->watch.workload), "sleep");
    if (fd)
        *fd = file;
    else
        close(file);
    return job;
}

#define WATCH_CLOCKS(...)                                                                          \
    (const char *const[]){__VA_ARGS__},                                                            \
        (uint32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static inline uint64_t watch_value(struct job *job, uint32_t run, uint32_t column)
{
    return job_values(job)[(size_t)run * job->counters + column];
}

static inline void watch_job_free(struct job *job)
{
    munmap(job, job->bytes);
}
