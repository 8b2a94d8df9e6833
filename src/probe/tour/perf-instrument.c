/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens, switches and looks after the counters of instrument perf, and their pages. */
#include "probe/tour/instruments.h"

#include <errno.h>
#include <string.h>

#include "lib/user-access.h"
#include "syscall.h"

/* --- Maps the pages. Always while nothing counts: see user_sum in lib/user-read.h. --- */

int user_pages_usable(char *reason, size_t size)
{
    return user_usable(reason, size);
}

static int map_all(struct tour_state *state, enum user_mapping how)
{
    struct failure failure = {0};
    for (uint32_t index = 0; index < state->count; index++)
        if (user_access_renew("", state->job->tour.counted.name, state->descriptors[index], how,
                              &state->pages[index], &failure) < 0)
            return job_fail(state->job, failure.code, "%s", failure.text);
    return 0;
}

/* A page says what it promises only while its event counts. */
static int check_page(struct tour_state *state, uint32_t index)
{
    const char *name = state->job->tour.counted.name;
    struct failure failure = {0};
    int switched = state->descriptors[state->separate ? index : 0];
    long result = assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_ENABLE, 0);
    if (result < 0)
        return job_fail(state->job, (int)result, "%s could not be started: %s", name,
                        strerror((int)-result));
    int checked = user_access_check("", name, 0, state->pages[index], &failure);
    assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_DISABLE, 0);
    return checked < 0 ? job_fail(state->job, checked, "%s", failure.text) : 0;
}

/* Mapped when the instrument is opened, and looked at: what a page promises it keeps. For warm
 * tours. */
static int user_pages_map(struct tour_state *state)
{
    int result = map_all(state, USER_MAP_TOUCHED);
    for (uint32_t index = 0; index < state->count && result == 0; index++)
        result = check_page(state, index);
    return result;
}

int user_pages_prepare_cold(struct tour_state *state)
{
    return map_all(state, USER_MAP_COLD);
}

int user_pages_prepare_touched(struct tour_state *state)
{
    return map_all(state, USER_MAP_TOUCHED);
}

int user_pages_prepare_populated(struct tour_state *state)
{
    return map_all(state, USER_MAP_POPULATED);
}

int user_pages_check(struct tour_state *state)
{
    struct job *job = state->job;
    if (state->status < 0)
        return job_fail(
            job, -EOPNOTSUPP,
            "%s came to sit on a counter that no instruction reads. Read it by a system "
            "call (perf-read, perf-syscall)",
            job->tour.counted.name);
    if (user_access_setting("") == USER_SETTING_OFF)
        return job_fail(job, -EACCES,
                        "user code can no longer read %s: such reads were switched off while the "
                        "visit ran. Switch them on again (`assay doctor`, user-access)",
                        job->tour.counted.name);
    return 0;
}

/* --- The counters --- */

/* What one read of a descriptor gives. A counter that stands alone is opened as its users do: not
 * as a group of one, whose read takes longer. */
enum { GROUP_NR, GROUP_ENABLED, GROUP_RUNNING, GROUP_VALUES };
enum { SINGLE_VALUE, SINGLE_ENABLED, SINGLE_RUNNING, SINGLE_WORDS };

int perf_instrument_open(struct tour_state *state)
{
    struct job *job = state->job;
    struct job_event *counted = &job->tour.counted;
    struct perf_event_attr attr = counted->attr;
    int result = 0;
    attr.size = sizeof(attr);
    state->separate = job->separate || job->tour.open == 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                       (state->separate ? 0 : PERF_FORMAT_GROUP);
    if (counted->target[0])
        attr.config1 = (uint64_t)(uintptr_t)counted->target;
    if (state->user_reads) {
        struct failure failure = {0};
        if (user_access_request("", state->job->tour.counted.name, &attr, &failure) < 0)
            result = job_fail(state->job, failure.code, "%s", failure.text);
        else
            result = user_trap_watch(state->job);
    }
    while (result == 0 && state->count < job->tour.open) {
        int leader = state->count && !state->separate ? state->descriptors[0] : -1;
        attr.disabled = leader < 0; /* members follow their leader */
        long descriptor =
            assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
        if (descriptor >= 0) {
            state->descriptors[state->count++] = (int)descriptor;
        } else if (state->count == 0) {
            job->failed_event = JOB_COUNTED;
            result = job_fail(job, (int)descriptor, "%s cannot be opened: %s",
                              job->tour.counted.name, strerror((int)-descriptor));
        } else
            result = job_fail(job, (int)descriptor, "%s opens, but not as counter %u of %u%s: %s",
                              job->tour.counted.name, state->count + 1, job->tour.open,
                              state->separate ? "" : " of a group", strerror((int)-descriptor));
    }
    if (result < 0)
        return result;
    state->handles = state->separate ? state->count : 1;
    state->words = state->separate ? SINGLE_WORDS : GROUP_VALUES + state->count;
    state->bytes = state->words * sizeof(uint64_t);
    return state->user_reads && !job->tour.cold ? user_pages_map(state) : 0;
}

int perf_instrument_settle(struct tour_state *state, bool running)
{
    long request = (long)(running ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
    for (uint32_t index = 0; index < state->handles; index++) {
        long result = assay_syscall3(SYS_ioctl, state->descriptors[index], request, 0);
        if (result < 0)
            return job_fail(state->job, (int)result,
                            "the counters opened but cannot be %s: %s (a seccomp filter that "
                            "refuses ioctl?)",
                            running ? "started" : "stopped", strerror((int)-result));
    }
    return 0;
}

void perf_instrument_close(struct tour_state *state)
{
    for (uint32_t index = 0; index < state->count; index++) {
        user_access_unmap(state->pages[index]);
        state->pages[index] = NULL;
        assay_syscall1(SYS_close, state->descriptors[index]);
    }
    state->count = 0;
}

/* A counter that did not count all the time makes calls on it cheaper than they are. */
static int check_counting(struct tour_state *state, uint32_t index)
{
    struct job *job = state->job;
    uint64_t reading[GROUP_VALUES + CELL_MAX_COUNTERS] = {0};
    long got =
        assay_syscall3(SYS_read, state->descriptors[index], (long)reading, (long)sizeof(reading));
    if (got < 0)
        return job_fail(job, (int)got, "%s cannot be read: %s", job->tour.counted.name,
                        strerror((int)-got));
    uint64_t enabled = reading[state->separate ? SINGLE_ENABLED : GROUP_ENABLED];
    uint64_t running = reading[state->separate ? SINGLE_RUNNING : GROUP_RUNNING];
    if (got > 0 && enabled == running)
        return 0;
    return job_fail(
        job, -EBUSY,
        "counter %u of %u of %s was on a counter of the CPU for a part of the time only: "
        "it shares them with the meters, and with others. Open fewer at once",
        index + 1, state->count, job->tour.counted.name);
}

int perf_instrument_check(struct tour_state *state)
{
    if (state->status < 0)
        return job_fail(state->job, (int)state->status, "%s", strerror((int)-state->status));
    int result = 0;
    for (uint32_t index = 0; index < state->handles && result == 0; index++)
        result = check_counting(state, index);
    return result;
}

int perf_instrument_check_libc(struct tour_state *state)
{
    if (state->status == -1)
        state->status = errno ? -errno : -EIO;
    return perf_instrument_check(state);
}
