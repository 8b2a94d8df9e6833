/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of the paths on perf descriptors: opening the events, the base reading before
 * a start, the last reading after a stop, and the differences. Everything by inline system calls,
 * because read, ioctl and prctl are what the windows measure. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "probe/harness/perf-operations.h"
#include "specimens/specimen.h"
#include "syscall.h"

long perf_switch_all(const struct instrument *instrument, bool enable)
{
    const struct window *window = &instrument->window;
    if (instrument->path->task_wide)
        return assay_syscall5(SYS_prctl,
                              enable ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE, 0,
                              0, 0, 0);
    long request = (long)(enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
    uint32_t switched = instrument->job->separate ? window->count : 1;
    for (uint32_t index = 0; index < switched; index++) {
        long result = assay_syscall3(SYS_ioctl, window->descriptors[index], request, 0);
        if (result < 0)
            return result;
    }
    return 0;
}

long perf_read_all(const struct instrument *instrument, uint64_t *reading)
{
    const struct window *window = &instrument->window;
    if (!instrument->job->separate)
        return assay_syscall3(SYS_read, window->descriptors[0], (long)reading, (long)window->bytes);
    for (uint32_t index = 0; index < window->count; index++) {
        long result = assay_syscall3(SYS_read, window->descriptors[index],
                                     (long)(reading + (size_t)index * READING_SEPARATE),
                                     (long)(READING_SEPARATE * sizeof(uint64_t)));
        if (result < 0)
            return result;
    }
    return 0;
}

uint64_t *perf_reading_of(const struct instrument *instrument, uint64_t *reading, uint32_t index)
{
    return instrument->job->separate ? reading + (size_t)index * READING_SEPARATE : reading;
}

static int open_event(struct instrument *instrument, uint32_t index, int leader)
{
    struct job_event *event = &instrument->job->events[index];
    struct perf_event_attr attr = event->attr;
    attr.size = sizeof(attr);
    attr.disabled = leader < 0; /* members follow their leader */
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const char *file = event->target[0] ? event->target : NULL;
    if (event->own && target_settle(&attr, &file) < 0)
        return job_fail(instrument->job, -ENOENT, "%s: this harness does not find its own target",
                        event->name);
    if (file)
        attr.config1 = (uint64_t)(uintptr_t)file;
    long descriptor =
        assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (descriptor < 0) {
        instrument->job->failed_event = (int32_t)index;
        return job_fail(instrument->job, (int)descriptor, "%s cannot be opened: %s", event->name,
                        strerror((int)-descriptor));
    }
    instrument->window.descriptors[index] = (int)descriptor;
    instrument->window.count = index + 1;
    return 0;
}

/* Inside a window nothing is checked: a start that is refused (by a seccomp filter, say) would read
 * as a count of zero. So the same call is made once where its answer is looked at. */
static int try_switch(const struct instrument *instrument)
{
    long result = perf_switch_all(instrument, true);
    if (result >= 0)
        result = perf_switch_all(instrument, false);
    if (result < 0)
        return job_fail(instrument->job, (int)result,
                        "the counters opened but cannot be started and stopped: %s (a seccomp "
                        "filter that refuses %s?)",
                        strerror((int)-result), instrument->path->task_wide ? "prctl" : "ioctl");
    return 0;
}

static int perf_open(struct instrument *instrument)
{
    const struct job *job = instrument->job;
    instrument->window.count = 0;
    instrument->window.bytes = (READING_VALUES + job->counters) * sizeof(uint64_t);
    for (uint32_t index = 0; index < job->counters; index++) {
        int leader = index && !job->separate ? instrument->window.descriptors[0] : -1;
        int result = open_event(instrument, index, leader);
        if (result < 0)
            return result;
    }
    return try_switch(instrument);
}

void perf_clear_readings(struct instrument *instrument)
{
    for (uint32_t index = 0; index < instrument->job->counters; index++) {
        perf_reading_of(instrument, instrument->before, index)[READING_NR] = 0;
        perf_reading_of(instrument, instrument->after, index)[READING_NR] = 0;
    }
}

static int perf_arm(struct instrument *instrument)
{
    struct job *job = instrument->job;
    perf_clear_readings(instrument);
    long result = 0;
    if (pattern_starts_inside(job->pattern))
        result = perf_read_all(instrument, instrument->before);
    else if (!instrument->started)
        result = perf_switch_all(instrument, true);
    instrument->started = !pattern_starts_inside(job->pattern);
    if (result < 0)
        return job_fail(job, (int)result, "the counters could not be prepared: %s",
                        strerror((int)-result));
    return 0;
}

/* The kernel answers a read with nothing at all only where a pinned event lost its counter. */
static int explain_nothing(struct job *job, uint32_t run, long status)
{
    for (uint32_t index = 0; index < job->counters; index++)
        if (job->events[index].attr.pinned)
            return job_fail(job, -EBUSY,
                            "run %u: %s is pinned (:D) but got no counter: others hold what it "
                            "needs. Count fewer events at once, or leave D away",
                            run, job->events[index].name);
    return job_fail(job, -EIO,
                    "run %u: a read of the counters gave nothing (the last call returned %ld)", run,
                    status);
}

int perf_check_readings(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    uint64_t expected = job->separate ? 1 : job->counters;
    for (uint32_t index = 0; index < job->counters; index++)
        if (perf_reading_of(instrument, instrument->before, index)[READING_NR] != expected ||
            perf_reading_of(instrument, instrument->after, index)[READING_NR] != expected)
            return explain_nothing(job, run, instrument->window.status);
    return 0;
}

uint64_t perf_count_of(struct instrument *instrument, uint64_t *reading, uint32_t index)
{
    uint32_t value = READING_VALUES + (instrument->job->separate ? 0 : index);
    return perf_reading_of(instrument, reading, index)[value];
}

void perf_write_times(struct instrument *instrument, uint32_t run, uint32_t index)
{
    struct job *job = instrument->job;
    const uint64_t *before = perf_reading_of(instrument, instrument->before, index);
    const uint64_t *after = perf_reading_of(instrument, instrument->after, index);
    size_t row = (size_t)run * job->counters + index;
    job_enabled(job)[row] = after[READING_ENABLED] - before[READING_ENABLED];
    job_running(job)[row] = after[READING_RUNNING] - before[READING_RUNNING];
}

static int write_row(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    int result = perf_check_readings(instrument, run);
    for (uint32_t index = 0; index < job->counters && result == 0; index++) {
        job_values(job)[(size_t)run * job->counters + index] =
            perf_count_of(instrument, instrument->after, index) -
            perf_count_of(instrument, instrument->before, index);
        perf_write_times(instrument, run, index);
    }
    return result;
}

static int perf_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    long result = 0;
    const char *failed = "stopped";
    if (job->pattern == PATTERN_AR) {
        result = perf_switch_all(instrument, false);
    } else if (job->pattern != PATTERN_RR) { /* read-read goes on counting, run after run */
        result = perf_read_all(instrument, instrument->after);
        instrument->started = false;
        failed = "read";
    }
    if (result < 0)
        return job_fail(job, (int)result, "run %u: the counters could not be %s: %s", run, failed,
                        strerror((int)-result));
    return write_row(instrument, run);
}

static void perf_close(struct instrument *instrument)
{
    for (uint32_t index = 0; index < instrument->window.count; index++)
        assay_syscall1(SYS_close, instrument->window.descriptors[index]);
    instrument->window.count = 0;
}

const struct path_operations perf_operations = {
    .open = perf_open,
    .arm = perf_arm,
    .release = perf_release,
    .close = perf_close,
};
