/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counter perf_event: the operating system counts a command. Every event is opened by itself on the
 * process that is about to become the program, is enabled by its exec, and is inherited by its
 * threads and children; its times tell whether it had to share a counter. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/check.h"
#include "probe/command/command.h"

struct opened {
    int fds[CELL_MAX_COUNTERS]; /* -1: a column that is no event */
};

static int open_event(const struct command_visit *visit, uint32_t index, pid_t pid)
{
    const struct event *event = &visit->events[index];
    struct perf_event_attr attr = event->attr;
    attr.size = sizeof(attr);
    attr.disabled = 1;
    attr.enable_on_exec = 1;
    attr.inherit = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (event->target)
        attr.config1 = (uint64_t)(uintptr_t)event->target;
    int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0)
        return fd;
    const int error = errno;
    visit->job->failed_event = (int32_t)index;
    return command_fail(visit, -error, "%s cannot be counted over a whole program: %s", event->name,
                        strerror(error));
}

static int open_all(const struct command_visit *visit, pid_t pid, struct opened *opened)
{
    for (uint32_t index = 0; index < visit->cell->counters; index++) {
        if (!visit->events[index].name)
            continue;
        opened->fds[index] = open_event(visit, index, pid);
        if (opened->fds[index] < 0)
            return opened->fds[index];
    }
    return 0;
}

/* dropped: the operating system ended the counters when the program gained rights; what they read
 * is no count. */
static int read_all(const struct command_visit *visit, const struct opened *opened, bool dropped)
{
    for (uint32_t index = 0; index < visit->cell->counters; index++) {
        uint64_t reading[3] = {0};
        if (opened->fds[index] < 0)
            continue;
        const ssize_t got = read(opened->fds[index], reading, sizeof(reading));
        if (got != (ssize_t)sizeof(reading))
            return command_fail(visit, got < 0 ? -errno : -EBUSY,
                                "%s gave no reading: %s. Count fewer events at once",
                                visit->events[index].name,
                                got < 0 ? strerror(errno) : "it is pinned and got no counter");
        command_put_timed(visit, (int)index, reading[0], reading[1], dropped ? 0 : reading[2]);
    }
    return 0;
}

static int perf_event_count(const struct command_visit *visit)
{
    struct execution execution = {0};
    struct opened opened;
    for (size_t index = 0; index < CELL_MAX_COUNTERS; index++)
        opened.fds[index] = -1;
    int status = 0;
    int error = launch_prepare(visit, &execution);
    if (error == 0)
        error = launch_start(visit, &(struct launch){.held = true}, &execution);
    if (error == 0)
        error = open_all(visit, execution.pid, &opened);
    if (error == 0)
        error = launch_release(visit, &execution);
    if (error == 0 && (error = launch_await(&execution, &status)) < 0)
        command_fail(visit, error, "the program was lost: %s", strerror(-error));
    if (error == 0)
        error = launch_clear(visit, &execution);
    if (error == 0)
        error = read_all(visit, &opened, execution.rights == RIGHTS_GAINED);
    int result = error == 0 ? launch_finish(visit, &execution, status, 0, 0) : error;
    for (size_t index = 0; index < CELL_MAX_COUNTERS; index++)
        if (opened.fds[index] >= 0)
            close(opened.fds[index]);
    if (result < 0)
        launch_end(&execution);
    return result;
}

static int perf_event_usable(const char *kit, char *reason, size_t size)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .disabled = 1,
                                   .enable_on_exec = 1,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    (void)kit;
    struct perf_try attempt = {0};
    if (perf_try(-1, &attempt) == 0 && attempt.killed) {
        snprintf(reason, size, "a process that calls perf_event_open is killed by a filter");
        return -EPERM;
    }
    const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0)
        return close(fd);
    const int error = errno;
    struct event_view view;
    struct event event = {0};
    struct failure ignored = {0};
    event_view_open(&view, "");
    if (event_resolve(&view, "dummy:u", &event, &ignored) == 0)
        event_open_reason(&view, &event, error, reason, size);
    event_release(&event);
    event_view_close(&view);
    return -error;
}

const struct command_counter command_counter_perf_event = {
    .source = "perf_event",
    .note = "counts as the operating system does, from the exec to the end of the last thread and "
            "child; where events share a counter, their times tell",
    .usable = perf_event_usable,
    .count = perf_event_count,
};
