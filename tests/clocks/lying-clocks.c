/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks for `assay clocks --clock NAME@1000000000=object:FILE:SYMBOL`, one function each: all give
 * nanoseconds of CLOCK_MONOTONIC_RAW, one as they are, the others with one lie of a known kind.
 * Beside the tests; no code of the product. */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

uint64_t honest(void);
uint64_t stops_during_sleep(void);
uint64_t jumps_between_cpus(void);
uint64_t steps_backwards(void);
uint64_t runs_fast(void);
uint64_t coarse_steps(void);
uint64_t wraps(void);
uint64_t returns_no_more(void);

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

uint64_t honest(void)
{
    return nanoseconds(CLOCK_MONOTONIC_RAW);
}

/* As a counter that stands still while its thread sleeps. Waiting for a CPU that others have is no
 * sleep, nor is waiting a moment for a word from the CPU beside; nor what comes before a thread has
 * settled to reading, so that threads agree as long as none of them sleeps. */
#define LEAST_SLEEP (SECOND / 200)
#define SETTLED     3
struct sleeper {
    uint64_t lost, wall, awake;
    unsigned readings;
};

/* ns that this thread was on a CPU, or in the queue for one. */
static uint64_t awake(void)
{
    static _Thread_local int account = -1;
    char line[80] = "";
    unsigned long long running, waiting = 0;
    if (account < 0)
        account = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (pread(account, line, sizeof(line) - 1, 0) <= 0 ||
        sscanf(line, "%llu %llu", &running, &waiting) != 2)
        waiting = 0;
    return nanoseconds(CLOCK_THREAD_CPUTIME_ID) + waiting;
}

uint64_t stops_during_sleep(void)
{
    static _Thread_local struct sleeper sleeper;
    struct sleeper now = {.wall = nanoseconds(CLOCK_MONOTONIC_RAW), .awake = awake()};
    now.readings = sleeper.readings + 1;
    uint64_t passed = now.wall - sleeper.wall, stayed = now.awake - sleeper.awake;
    bool slept = sleeper.readings >= SETTLED && passed > stayed + LEAST_SLEEP;
    now.lost = sleeper.lost + (slept ? passed - stayed : 0);
    sleeper = now;
    return now.wall - now.lost;
}

/* Every CPU is ahead of the one before it. */
#define CPU_STEP (SECOND / 5000)
uint64_t jumps_between_cpus(void)
{
    unsigned cpu = 0;
    getcpu(&cpu, NULL);
    return nanoseconds(CLOCK_MONOTONIC_RAW) + cpu * CPU_STEP;
}

/* Now and then a reading of a while ago. */
#define SELDOM    97
#define STEP_BACK (SECOND / 50000)
uint64_t steps_backwards(void)
{
    static atomic_uint readings;
    uint64_t now = nanoseconds(CLOCK_MONOTONIC_RAW);
    return atomic_fetch_add(&readings, 1) % SELDOM == SELDOM - 1 ? now - STEP_BACK : now;
}

/* By 200 parts in a million. */
uint64_t runs_fast(void)
{
    uint64_t now = nanoseconds(CLOCK_MONOTONIC_RAW);
    return now + now / 5000;
}

#define COARSE (SECOND / 200)
uint64_t coarse_steps(void)
{
    return nanoseconds(CLOCK_MONOTONIC_RAW) / COARSE * COARSE;
}

/* Has 28 bits: begins again after 268 ms. */
#define WRAP_BITS 28
uint64_t wraps(void)
{
    return nanoseconds(CLOCK_MONOTONIC_RAW) & ((UINT64_C(1) << WRAP_BITS) - 1);
}

/* Enough readings for whoever tries it, then none. */
#define LAST_READING 50
uint64_t returns_no_more(void)
{
    static atomic_uint readings;
    while (atomic_fetch_add(&readings, 1) >= LAST_READING)
        sleep(1);
    return nanoseconds(CLOCK_MONOTONIC_RAW);
}
