/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the set as a user would. Everything else goes around the library, so that none of the
 * symbols that the calls measure is bound: the descriptors are those that the set holds. */
#include "probe/tour/instruments.h"

#include <errno.h>
#include <string.h>

#include "lib/calipers.h"
#include "syscall.h"

int assay_instrument_open(struct tour_state *state)
{
    struct job *job = state->job;
    const char *names[CELL_MAX_COUNTERS];
    for (uint32_t index = 0; index < job->tour.open; index++)
        names[index] = job->tour.counted.name;
    int result =
        assay_set_open(&state->set, names, job->tour.open, job->separate ? ASSAY_SEPARATE : 0);
    if (result < 0)
        return job_fail(job, result, "libassay does not open %s: %s", names[0], assay_last_error());
    if (state->set->open == job->tour.open)
        return 0;
    for (uint32_t index = 0; index < job->tour.open; index++)
        if (state->set->descriptors[index] < 0)
            return job_fail(job, -state->set->members[index].error,
                            "libassay does not open %s as counter %u of %u: %s", names[0],
                            index + 1, job->tour.open, state->set->members[index].reason);
    return 0;
}

int assay_instrument_settle(struct tour_state *state, bool running)
{
    const struct assay_set *set = state->set;
    long request = (long)(running ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
    for (size_t index = 0; index < set->count; index++) {
        if (set->grouped && set->descriptors[index] != set->leader)
            continue;
        long result = assay_syscall3(SYS_ioctl, set->descriptors[index], request, 0);
        if (result < 0)
            return job_fail(state->job, (int)result, "the counters of libassay cannot be %s: %s",
                            running ? "started" : "stopped", strerror((int)-result));
    }
    return 0;
}

/* What the last read of the pass said of the values. */
int assay_instrument_check(struct tour_state *state)
{
    struct job *job = state->job;
    if (state->status < 0)
        return job_fail(job, (int)state->status, "%s", assay_last_error());
    for (uint32_t index = 0; index < job->tour.open; index++)
        if (state->assay_values[index].state != ASSAY_COUNTED)
            return job_fail(
                job, -EBUSY,
                "counter %u of %u of libassay was on a counter of the CPU for a part of "
                "the time only: it shares them "
                "with the meters, and with others. Open fewer at once",
                index + 1, job->tour.open);
    return 0;
}

void assay_instrument_close(struct tour_state *state)
{
    assay_set_close(state->set);
    state->set = NULL;
}
