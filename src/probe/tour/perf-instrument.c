/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens, switches and looks after the counters of instrument perf. */
#include "probe/tour/perf-instrument.h"

#include <errno.h>
#include <string.h>

#include "lib/user-access.h"
#include "probe/harness/user-trap.h"
#include "syscall.h"

/* What one read of a descriptor gives: the members, both times, the counts. */
enum { READING_NR, READING_ENABLED, READING_RUNNING, READING_VALUES };

static int fail_with_sentence(struct job *job, const struct failure *failure)
{
    return job_fail(job, failure->code, "%s", failure->text);
}

static int open_counter(struct tour_state *state, struct perf_event_attr *attr)
{
    struct job *job = state->job;
    int leader = state->count && !state->separate ? state->descriptors[0] : -1;
    attr->disabled = leader < 0; /* members follow their leader */
    long descriptor =
        assay_syscall5(SYS_perf_event_open, (long)attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (descriptor >= 0) {
        state->descriptors[state->count++] = (int)descriptor;
        return 0;
    }
    if (state->count == 0) {
        job->failed_event = JOB_COUNTED;
        return job_fail(job, (int)descriptor, "%s cannot be opened: %s", job->tour.counted.name,
                        strerror((int)-descriptor));
    }
    return job_fail(job, (int)descriptor, "%s opens, but not as counter %u of %u%s: %s",
                    job->tour.counted.name, state->count + 1, job->tour.open,
                    state->separate ? "" : " of a group", strerror((int)-descriptor));
}

/* Mapped while nothing counts (see user_sum), and looked at while each counts: a page says only
 * then what it promises. */
static int check_page(struct tour_state *state, uint32_t index)
{
    struct failure failure = {0};
    int switched = state->descriptors[state->separate ? index : 0];
    long result = assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_ENABLE, 0);
    if (result < 0)
        return job_fail(state->job, (int)result, "%s could not be started: %s",
                        state->job->tour.counted.name, strerror((int)-result));
    int checked =
        user_access_check("", state->job->tour.counted.name, 0, state->pages[index], &failure);
    assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_DISABLE, 0);
    return checked < 0 ? fail_with_sentence(state->job, &failure) : 0;
}

static int map_pages(struct tour_state *state)
{
    struct failure failure = {0};
    int result = 0;
    for (uint32_t index = 0; index < state->count; index++)
        if (user_access_map("", state->job->tour.counted.name, state->descriptors[index],
                            USER_MAP_TOUCHED, &state->pages[index], &failure) < 0)
            return fail_with_sentence(state->job, &failure);
    for (uint32_t index = 0; index < state->count && result == 0; index++)
        result = check_page(state, index);
    return result;
}

/* The pages of a cold tour are mapped when its caller prepares them, and looked at by nobody. */
static int ask_for_user_reads(struct tour_state *state, struct perf_event_attr *attr)
{
    struct failure failure = {0};
    if (user_access_request("", state->job->tour.counted.name, attr, &failure) < 0)
        return fail_with_sentence(state->job, &failure);
    return user_trap_watch(state->job);
}

int perf_instrument_open(struct tour_state *state)
{
    struct job *job = state->job;
    struct job_event *counted = &job->tour.counted;
    struct perf_event_attr attr = counted->attr;
    int result = 0;
    attr.size = sizeof(attr);
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (counted->target[0])
        attr.config1 = (uint64_t)(uintptr_t)counted->target;
    state->separate = job->separate != 0;
    if (state->user_reads)
        result = ask_for_user_reads(state, &attr);
    while (result == 0 && state->count < job->tour.open)
        result = open_counter(state, &attr);
    if (result < 0)
        return result;
    state->handles = state->separate ? state->count : 1;
    state->words = READING_VALUES + (state->separate ? 1 : state->count);
    state->bytes = state->words * sizeof(uint64_t);
    return state->user_reads && !job->tour.cold ? map_pages(state) : 0;
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

/* A counter that never counted makes calls on it cheaper than they are. */
static int check_counting(struct tour_state *state, uint32_t index)
{
    struct job *job = state->job;
    uint64_t reading[READING_VALUES + CELL_MAX_COUNTERS] = {0};
    long got =
        assay_syscall3(SYS_read, state->descriptors[index], (long)reading, (long)sizeof(reading));
    if (got < 0)
        return job_fail(job, (int)got, "%s cannot be read: %s", job->tour.counted.name,
                        strerror((int)-got));
    if (got > 0 && (reading[READING_RUNNING] || !reading[READING_ENABLED]))
        return 0;
    return job_fail(job, -EBUSY,
                    "counter %u of %u of %s got no counter of the CPU: it shares them with the "
                    "meters, and with others. Open fewer at once",
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
