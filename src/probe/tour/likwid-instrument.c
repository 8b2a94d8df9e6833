/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gets LIKWID's marker interface ready. LIKWID programs the counters of a CPU past the operating
 * system, so the process must be pinned. */
#include "probe/tour/instruments.h"

#include <errno.h>
#include <likwid.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int likwid_usable(char *reason, size_t size)
{
    struct likwid_way way;
    return likwid_try(NULL, sched_getcpu(), &way, reason, size);
}

int likwid_open(struct tour_state *state)
{
    struct job *job = state->job;
    struct likwid_way way;
    if (!job->folder[0])
        return job_fail(job, -ENOENT, "likwid needs a folder for its report");
    if (job->tour.open != 1)
        return job_fail(job, -ENOTSUP, "path likwid counts one event at a time");
    if (job->cpu < 0)
        return job_fail(job, -EINVAL,
                        "LIKWID counts what a CPU does: pin the process to one (--cpu)");
    int result = likwid_try(&job->tour.counted, job->cpu, &way, job->reason, sizeof(job->reason));
    if (result < 0)
        return job->error = -result, result;
    /* As likwid-perfctr does for the programs that it starts. */
    char cpu[16], file[sizeof(job->folder) + 16];
    snprintf(cpu, sizeof(cpu), "%d", job->cpu);
    snprintf(file, sizeof(file), "%s/likwid", job->folder);
    if (setenv("LIKWID_MODE", way.mode, 1) < 0 || setenv("LIKWID_EVENTS", way.event, 1) < 0 ||
        setenv("LIKWID_THREADS", cpu, 1) < 0 || setenv("LIKWID_FILEPATH", file, 1) < 0)
        return job_fail(job, -ENOMEM, "out of memory");
    likwid_markerInit();
    return 0;
}

int likwid_settle(struct tour_state *state, bool running)
{
    int status = running ? UNBOUND(likwid_markerStartRegion)(LIKWID_REGION) : 0;
    if (status < 0)
        return job_fail(state->job, status, "LIKWID cannot begin a region: %s", strerror(-status));
    return 0;
}

int likwid_check(struct tour_state *state)
{
    if (state->status == 0)
        return 0;
    return job_fail(state->job, -EIO, "it returned %ld: are its counters taken?", state->status);
}
