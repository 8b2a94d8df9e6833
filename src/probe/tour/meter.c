/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens counters for metering. A child that shares this process's memory and descriptors opens
 * them: what a call switches for the whole task (prctl) is what the task itself has opened, and its
 * meters must go on. */
#include "probe/tour/meter.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/user-access.h"
#include "lib/user-read.h"
#include "probe/harness/user-reads.h"
#include "syscall.h"

#define CHILD_STACK 16384

struct opening {
    struct perf_event_attr attr;
    long task;
    long descriptor;
};

static int open_in_child(void *argument)
{
    struct opening *opening = argument;
    opening->descriptor = assay_syscall5(SYS_perf_event_open, (long)&opening->attr, opening->task,
                                         -1, -1, PERF_FLAG_FD_CLOEXEC);
    return 0;
}

static long open_for_this_task(const struct perf_event_attr *attr)
{
    static _Alignas(64) char stack[CHILD_STACK];
    struct opening opening = {*attr, assay_syscall0(SYS_getpid), -ECHILD};
    int child = clone(open_in_child, stack + sizeof(stack), CLONE_VM | CLONE_FILES, &opening);
    if (child < 0)
        return -errno;
    while (assay_syscall4(SYS_wait4, child, 0, __WALL, 0) == -EINTR)
        ;
    return opening.descriptor;
}

static int open_one(struct meter *meter, struct job *job, uint32_t index)
{
    const char *name = job->events[index].name;
    struct perf_event_attr attr = job->events[index].attr;
    struct failure failure = {0};
    attr.size = sizeof(attr);
    attr.disabled = 1;
    attr.pinned = 1;
    attr.read_format = 0;
    if (user_access_request("", name, &attr, &failure) < 0)
        return job_fail(job, failure.code, "%s cannot be a meter: %s", name, failure.text);
    long descriptor = open_for_this_task(&attr);
    if (descriptor < 0) {
        job->failed_event = (int32_t)index;
        return job_fail(job, (int)descriptor, "%s cannot be opened as a meter: %s", name,
                        strerror((int)-descriptor));
    }
    meter->descriptors[meter->count++] = (int)descriptor;
    if (user_access_map("", name, (int)descriptor, USER_MAP_TOUCHED, &meter->pages[index],
                        &failure) < 0)
        return job_fail(job, failure.code, "%s", failure.text);
    return 0;
}

static int fail_unscheduled(struct job *job, uint32_t index)
{
    return job_fail(
        job, -EBUSY,
        "the meter %s got no counter: other events hold what it needs. Meter with fewer "
        "counters at once, or count fewer events",
        job->events[index].name);
}

static int start_one(const struct meter *meter, struct job *job, uint32_t index)
{
    const char *name = job->events[index].name;
    struct failure failure = {0};
    long result =
        assay_syscall3(SYS_ioctl, meter->descriptors[index], (long)PERF_EVENT_IOC_ENABLE, 0);
    if (result < 0)
        return job_fail(job, (int)result, "the meter %s cannot be started: %s", name,
                        strerror((int)-result));
    if (user_access_check("", name, 0, meter->pages[index], &failure) < 0)
        return job_fail(job, failure.code, "%s cannot be a meter: %s", name, failure.text);
    return meter->pages[index]->index ? 0 : fail_unscheduled(job, index);
}

int meter_open(struct meter *meter, struct job *job)
{
    static span_loop *const loops[] = {spans_one, spans_two, spans_three};
    *meter = (struct meter){.ticks = job->events[0].counts[0] != '\0'};
    if (meter->ticks) {
        meter->loop = spans_ticks;
        return 0;
    }
    if (job->counters > METERS_MOST)
        return job_fail(job, -E2BIG, "a tour has at most %d meters at once", METERS_MOST);
    meter->loop = loops[job->counters - 1];
    int result = user_trap_watch(job);
    for (uint32_t index = 0; index < job->counters && result == 0; index++)
        result = open_one(meter, job, index);
    for (uint32_t index = 0; index < job->counters && result == 0; index++)
        result = start_one(meter, job, index);
    return result;
}

static int settle_one(const struct meter *meter, struct job *job, uint64_t *values, size_t rows,
                      uint32_t index)
{
    unsigned width = meter->pages[index]->pmc_width;
    if (!meter->pages[index]->index)
        return fail_unscheduled(job, index);
    for (size_t row = 0; row < rows; row++) {
        uint64_t *value = &values[row * meter->count + index];
        if (*value == METER_UNREAD)
            return job_fail(job, -EOPNOTSUPP,
                            "the meter %s came to sit on a counter that no instruction reads",
                            job->events[index].name);
        *value = user_extend(*value, width); /* spans are short: the upper half went back */
    }
    return 0;
}

int meter_settle(const struct meter *meter, struct job *job, uint64_t *values, size_t rows)
{
    int result = 0;
    for (uint32_t index = 0; index < meter->count && result == 0; index++)
        result = settle_one(meter, job, values, rows, index);
    return result;
}

void meter_close(struct meter *meter)
{
    for (uint32_t index = 0; index < meter->count; index++) {
        user_access_unmap(meter->pages[index]);
        assay_syscall1(SYS_close, meter->descriptors[index]);
    }
    *meter = (struct meter){0};
}
