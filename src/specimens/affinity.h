/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which CPUs this thread may use, for specimens that choose. By inline system calls, which no path
 * measures. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "syscall.h"

#define AFFINITY_CPUS 8192u
#define AFFINITY_BITS (8u * sizeof(unsigned long))

struct affinity {
    unsigned long words[AFFINITY_CPUS / AFFINITY_BITS];
};

/* Of this thread. 0 or negative errno. */
static inline int affinity_get(struct affinity *affinity)
{
    memset(affinity, 0, sizeof(*affinity));
    long result =
        assay_syscall3(SYS_sched_getaffinity, 0, sizeof(*affinity), (long)affinity->words);
    return result < 0 ? (int)result : 0;
}

static inline int affinity_set(const struct affinity *affinity)
{
    return (int)assay_syscall3(SYS_sched_setaffinity, 0, sizeof(*affinity), (long)affinity->words);
}

static inline size_t affinity_count(const struct affinity *affinity)
{
    size_t count = 0;
    for (size_t word = 0; word < AFFINITY_CPUS / AFFINITY_BITS; word++)
        count += (size_t)__builtin_popcountl(affinity->words[word]);
    return count;
}

/* The CPU that stands at `place`, counted from 0; place is below the count. */
static inline unsigned affinity_nth(const struct affinity *affinity, size_t place)
{
    unsigned cpu = 0;
    for (; cpu < AFFINITY_CPUS; cpu++) {
        if (affinity->words[cpu / AFFINITY_BITS] >> cpu % AFFINITY_BITS & 1 && place-- == 0)
            break;
    }
    return cpu;
}

static inline void affinity_single(struct affinity *affinity, unsigned cpu)
{
    memset(affinity, 0, sizeof(*affinity));
    affinity->words[cpu / AFFINITY_BITS] = 1ul << cpu % AFFINITY_BITS;
}
