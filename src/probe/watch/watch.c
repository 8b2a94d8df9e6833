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

#include "window.h"

/* What all kinds of watch are made of: opened clocks, and the CPUs that threads are on. */

/* --- Opens clocks and reads them in turn --- */

static int open_one(struct looks *looks, const struct job *job, uint32_t column, bool objects,
                    struct failure *failure)
{
    char reason[CLOCK_REASON] = "";
    struct clock_reader *reader = &looks->readers[looks->count];
    const char *name = job->events[column].name;
    int result = clock_open(reader, name, objects, NULL, reason, sizeof(reason));
    if (result < 0)
        return fail_with(failure, result, "the clock %.128s cannot be read here: %s", name, reason);
    looks->count++;
    return 0;
}

int looks_open(struct looks *looks, const struct job *job, const uint32_t *columns, uint32_t count,
               bool objects, struct failure *failure)
{
    int result = 0;
    *looks = (struct looks){0};
    for (uint32_t index = 0; index < count && result == 0; index++)
        result = open_one(looks, job, columns ? columns[index] : index, objects, failure);
    if (result < 0)
        looks_close(looks);
    return result;
}

void looks_close(struct looks *looks)
{
    while (looks->count)
        clock_close(&looks->readers[--looks->count]);
}

void looks_forwards(struct looks *looks, uint32_t first, uint64_t *row)
{
    window_order();
    for (uint32_t index = first; index < looks->count; index++)
        row[index] = looks->readers[index].clock->read(&looks->readers[index]);
    window_order();
}

void looks_backwards(struct looks *looks, uint32_t first, uint64_t *row)
{
    window_order();
    for (uint32_t index = looks->count; index-- > first;)
        row[index] = looks->readers[index].clock->read(&looks->readers[index]);
    window_order();
}

int looks_check(const struct looks *looks, struct failure *failure)
{
    for (uint32_t index = 0; index < looks->count; index++) {
        const struct clock_reader *reader = &looks->readers[index];
        if (reader->error)
            return fail_with(failure, -reader->error, "a reading of the clock %s failed: %s",
                             reader->clock->name, reader->why);
    }
    return 0;
}

int looks_rehearse(struct looks *looks, struct failure *failure)
{
    uint64_t row[CELL_MAX_COUNTERS];
    looks_forwards(looks, 0, row);
    looks_backwards(looks, 0, row);
    return looks_check(looks, failure);
}

/* --- Pins threads and moves them --- */

int places_find(struct places *places, int home, struct failure *failure)
{
    int result = affinity_get(&places->allowed);
    places->count = result < 0 ? 0 : affinity_count(&places->allowed);
    places->home = home;
    if (result < 0)
        return fail_with(failure, result, "cannot ask on which CPUs this process may run: %s",
                         strerror(-result));
    return 0;
}

int place_now(void)
{
    unsigned cpu = 0;
    return assay_syscall3(SYS_getcpu, (long)&cpu, 0, 0) < 0 ? -1 : (int)cpu;
}

int place_pin(int cpu, struct failure *failure)
{
    struct affinity single;
    if (cpu < 0 || (unsigned)cpu >= AFFINITY_CPUS)
        return fail_with(failure, -EINVAL, "there is no CPU %d", cpu);
    affinity_single(&single, (unsigned)cpu);
    int result = affinity_set(&single);
    if (result < 0)
        return fail_with(
            failure, result,
            "cannot pin to CPU %d: %s (is it online, and allowed by cpuset and taskset?)", cpu,
            strerror(-result));
    return 0;
}

int place_home(int cpu, struct failure *failure)
{
    return cpu < 0 ? 0 : place_pin(cpu, failure);
}

int places_rest(const struct places *places, struct failure *failure)
{
    if (places->home >= 0)
        return place_pin(places->home, failure);
    int result = affinity_set(&places->allowed);
    if (result < 0)
        return fail_with(failure, result, "cannot go back to the CPUs that were allowed: %s",
                         strerror(-result));
    return 0;
}

int places_next(const struct places *places, int cpu)
{
    size_t place = 0;
    while (place < places->count && (int)affinity_nth(&places->allowed, place) <= cpu)
        place++;
    return (int)affinity_nth(&places->allowed, place < places->count ? place : 0);
}

int places_target(const struct places *places, int began, int cpu, uint32_t index, uint32_t moves)
{
    int target = places_next(places, cpu);
    if (index + 1 == moves && target == began && places->count > 2)
        target = places_next(places, target);
    return target;
}

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
