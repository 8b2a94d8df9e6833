/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of papi-high. The high-level interface takes its events from the environment
 * and gives its values only in a report it writes when the process exits; the rows are filled then
 * (papi-report.c). It replaces events it cannot count by others without a word: hence the
 * rehearsal with a low-level set, which fails loudly. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/papi-operations.h"
#include "probe/harness/papi-report.h"
#include "probe/harness/papi-set.h"

static int name_events(struct job *job)
{
    static char names[CELL_MAX_COUNTERS * (JOB_NAME + 16)];
    size_t used = 0;
    for (uint32_t index = 0; index < job->counters; index++) {
        char name[JOB_NAME + 16];
        int result = papi_native_name(job, index, name, sizeof(name));
        if (result < 0)
            return result;
        if (strpbrk(name, ",=\"\\"))
            return job_fail(job, -ENOTSUP, "PAPI's high-level interface cannot take the name %s",
                            name);
        used +=
            (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", index ? "," : "", name);
    }
    if (setenv("PAPI_EVENTS", names, 1) < 0 || setenv("PAPI_OUTPUT_DIRECTORY", job->folder, 1) < 0)
        return job_fail(job, -ENOMEM, "out of memory");
    return 0;
}

/* Counts for a moment what the regions will count; the domain it sets stays for them. */
static int rehearse(struct job *job)
{
    int event_set;
    long long values[CELL_MAX_COUNTERS];
    int result = papi_build_set(job, &event_set);
    if (result < 0)
        return result;
    int status = PAPI_start(event_set);
    if (status == PAPI_OK)
        status = PAPI_stop(event_set, values);
    papi_destroy_set(&event_set);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI cannot count these events together: %s",
                        PAPI_strerror(status));
    return 0;
}

/* The interface allocates a node for every region, inside the window. Reserving the memory first
 * (it is populated before the runs) keeps the page faults of a growing heap out of the counts. */
static void reserve_heap(const struct job *job)
{
    size_t bytes = (1u << 20) + (size_t)job->runs * (512u + 128u * job->counters);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    void *memory = malloc(bytes);
    __asm__ volatile("" : : "r"(memory) : "memory"); /* or the pair would be optimised away */
    free(memory);
}

static int high_open(struct instrument *instrument)
{
    struct job *job = instrument->job;
    if (job->runs > PAPI_HIGH_MAX_RUNS)
        return job_fail(job, -E2BIG,
                        "papi-high keeps every run in memory: at most %u runs a process, ask for "
                        "more processes",
                        PAPI_HIGH_MAX_RUNS);
    if (!job->folder[0])
        return job_fail(job, -ENOENT, "papi-high needs a folder for its report");
    int result = rehearse(job);
    if (result == 0)
        result = name_events(job);
    if (result == 0)
        reserve_heap(job);
    return result;
}

static int high_arm(struct instrument *instrument)
{
    (void)instrument;
    return 0;
}

static int high_release(struct instrument *instrument, uint32_t run)
{
    int status = (int)instrument->window.status;
    if (status != PAPI_OK)
        return job_fail(instrument->job, papi_errno(status), "run %u: PAPI_hl_region_end: %s", run,
                        PAPI_strerror(status));
    return 0;
}

static void high_close(struct instrument *instrument)
{
    (void)instrument;
}

const struct path_operations papi_high_operations = {
    .usable = papi_high_usable,
    .open = high_open,
    .arm = high_arm,
    .release = high_release,
    .finish = papi_read_report,
    .close = high_close,
};
