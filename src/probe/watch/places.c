/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pins threads and moves them. */
#include "probe/watch/places.h"

#include <errno.h>
#include <string.h>

#include "syscall.h"

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
