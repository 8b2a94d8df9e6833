/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a watch: does the job make sense, are CPUs to be kept awake, and then whatever its
 * kind does. */
#include "probe/watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* --- Keeping CPUs from idle states: asks the operating system for a latency of 0 µs --- */

#define AWAKE_FILE "/dev/cpu_dma_latency"

static int refuse(int error, struct failure *failure)
{
    return fail_with(failure, -error, "CPUs cannot be kept from idle states: %s: %s%s", AWAKE_FILE,
                     strerror(error),
                     error == EACCES || error == EPERM ? ". That takes root, or the right to write "
                                                         "to this file"
                                                       : "");
}

/* A descriptor that keeps all CPUs awake for as long as it is open, or a negative errno with what
 * stands in the way. */
static int awake_hold(struct failure *failure)
{
    int32_t microseconds = 0;
    int fd = open(AWAKE_FILE, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return refuse(errno, failure);
    if (write(fd, &microseconds, sizeof(microseconds)) != (ssize_t)sizeof(microseconds)) {
        int error = errno;
        close(fd);
        return refuse(error, failure);
    }
    return fd;
}

/* --- What runs each kind, and what its job must be like --- */

static const struct way {
    int (*watch)(const struct watch *watch);
    uint32_t least, most; /* columns */
    uint64_t longest;     /* length; 0: it means nothing */
} ways[WATCH_KINDS] = {
    [WATCH_INTERVAL] = {interval_watch, 1, CELL_MAX_COUNTERS, WATCH_MOST_MICROS},
    [WATCH_ROW] = {row_watch, ROW_COLUMNS, ROW_COLUMNS, WATCH_MOST_BLOCK},
    [WATCH_STEPS] = {steps_watch, 2, 2, WATCH_MOST_MICROS},
    [WATCH_TRIPS] = {trips_watch, 1, CELL_MAX_COUNTERS, 0},
    [WATCH_EDGES] = {edges_watch, 2, CELL_MAX_COUNTERS, WATCH_MOST_MICROS},
};

static bool names_end(const struct job *job)
{
    for (uint32_t column = 0; column < job->counters; column++)
        if (!memchr(job->events[column].name, 0, JOB_NAME))
            return false;
    return memchr(job->watch.workload, 0, sizeof(job->watch.workload)) != NULL;
}

static int check_interval(const struct job *job, struct failure *failure)
{
    const struct job_watch *asked = &job->watch;
    if (asked->threads < 1 || asked->threads > WATCH_MOST_THREADS)
        return fail_with(failure, -EINVAL, "an interval has 1 to %u threads, not %u",
                         WATCH_MOST_THREADS, asked->threads);
    if (asked->moves > WATCH_MOST_MOVES)
        return fail_with(failure, -EINVAL, "an interval has at most %u moves, not %u",
                         WATCH_MOST_MOVES, asked->moves);
    if (asked->handover && asked->threads > 1)
        return fail_with(failure, -EINVAL, "one thread hands an interval over, not %u",
                         asked->threads);
    return 0;
}

static int run(const struct watch *watch)
{
    const struct job *job = watch->job;
    uint32_t kind = job->watch.kind;
    if (kind >= WATCH_KINDS || !ways[kind].watch || !names_end(job))
        return fail_with(watch->failure, -EINVAL, "there is no kind of watch with the number %u",
                         kind);
    const char *name = watch_kind_names[kind];
    if (job->counters < ways[kind].least || job->counters > ways[kind].most)
        return fail_with(watch->failure, -EINVAL, "a watch of %s has %u to %u columns, not %u",
                         name, ways[kind].least, ways[kind].most, job->counters);
    bool empty = kind == WATCH_ROW && !job->watch.length;
    if (job->watch.length > ways[kind].longest || empty)
        return fail_with(watch->failure, -EINVAL, "a watch of %s cannot have the length %llu", name,
                         (unsigned long long)job->watch.length);
    int result = kind == WATCH_INTERVAL ? check_interval(job, watch->failure) : 0;
    if (result < 0)
        return result;
    uint32_t group = watch_group((enum watch_kind)kind, job->watch.threads);
    if (!group || job->runs % group)
        return fail_with(watch->failure, -EINVAL,
                         "the %u runs of a watch of %s are no multiple of %u", job->runs, name,
                         group);
    int held = job->watch.awake ? awake_hold(watch->failure) : -1;
    if (job->watch.awake && held < 0)
        return held;
    /* Rows are shared memory, which this process has not touched yet: no look is to pay for
     * that. */
    char *rows = (char *)job_values(watch->job);
    memset(rows, 0,
           (size_t)((char *)watch->job + job_size(watch->job->runs, watch->job->counters) - rows));
    bool handed = job->watch.kind == WATCH_INTERVAL && job->watch.handover;
    result = handed ? handover_watch(watch) : ways[job->watch.kind].watch(watch);
    if (held >= 0)
        close(held);
    return result;
}

int watch_run(struct job *job, bool objects)
{
    struct failure failure = {0};
    const struct watch watch = {job, objects, &failure};
    int result = run(&watch);
    return result < 0 ? job_fail(job, result, "%s", failure.text) : result;
}
