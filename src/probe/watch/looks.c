/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all kinds of watch are made of: opened clocks, and the CPUs that threads are on. */
#include "probe/watch/watch.h"

#include <errno.h>
#include <string.h>

#include "syscall.h"
#include "window.h"

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
