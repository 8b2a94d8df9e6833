/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks for `assay clocks --clock NAME@1000000000=object:FILE:SYMBOL`, one function each: all give
 * nanoseconds of CLOCK_MONOTONIC_RAW, one as they are, the others with one lie of a known kind.
 * Beside the tests; no code of the product. */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

uint64_t honest(void);
uint64_t stops_during_sleep(void);
uint64_t jumps_between_cpus(void);
uint64_t steps_backwards(void);
uint64_t runs_fast(void);
uint64_t coarse_steps(void);
uint64_t wraps(void);

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

/* As a counter that stands still while its user sleeps. Being put aside for another process is no
 * sleep, nor is waiting a moment for a word from the CPU beside. What threads slept at the same
 * time is lost once, for all of them: they go on agreeing. */
#define LEAST_SLEEP (SECOND / 200)
struct sleeper {
    uint64_t lost, wall, running;
    long waits; /* times it gave up the CPU by itself */
};

static uint64_t most_lost(uint64_t lost)
{
    static atomic_uint_fast64_t most;
    uint_fast64_t known = atomic_load(&most);
    while (known < lost && !atomic_compare_exchange_weak(&most, &known, lost))
        ;
    return known < lost ? lost : known;
}

uint64_t stops_during_sleep(void)
{
    static _Thread_local struct sleeper sleeper;
    struct rusage usage;
    uint64_t wall = nanoseconds(CLOCK_MONOTONIC_RAW);
    uint64_t running = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    getrusage(RUSAGE_THREAD, &usage);
    uint64_t passed = wall - sleeper.wall, ran = running - sleeper.running;
    if (sleeper.wall && usage.ru_nvcsw != sleeper.waits && passed > ran + LEAST_SLEEP)
        sleeper.lost += passed - ran;
    sleeper.wall = wall;
    sleeper.running = running;
    sleeper.waits = usage.ru_nvcsw;
    sleeper.lost = most_lost(sleeper.lost);
    return wall - sleeper.lost;
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
