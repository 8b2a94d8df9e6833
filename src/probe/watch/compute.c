/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computation: Fibonacci numbers by the definition, which is calls and additions and nothing that
 * the operating system sees. How much of it fills a µs is found out once in a process; every
 * interval of that process then is the same work, whatever the clocks say meanwhile. */
#include <time.h>

#include "probe/harness/elapsed.h"
#include "probe/watch/workload.h"

#define PIECE_NUMBER  14u /* a piece: this number of the sequence, about 1200 calls */
#define CALIBRATED_NS 2000000u
#define CALIBRATIONS  3
#define MOST_PIECES   ((uint64_t)1 << 40)

/* The compiler must not know what it is asked for: it would put the sum, or nothing, in its place.
 */
static __attribute__((noinline)) uint64_t fibonacci(unsigned number)
{
    __asm__ volatile("" : "+r"(number));
    return number < 2 ? number : fibonacci(number - 1) + fibonacci(number - 2);
}

static void compute(uint64_t pieces)
{
    for (uint64_t index = 0; index < pieces; index++) {
        uint64_t result = fibonacci(PIECE_NUMBER);
        __asm__ volatile("" : : "r"(result));
    }
}

static uint64_t cpu_time(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* In CPU time, because others may take the CPU meanwhile; by the wall where that tells nothing. */
static uint64_t time_of(uint64_t pieces)
{
    uint64_t began = elapsed_clock(), at_first = cpu_time();
    compute(pieces);
    uint64_t used = cpu_time() - at_first, passed = elapsed_clock() - began;
    return used && used < passed ? used : passed;
}

/* The best of a few: a CPU that had to wake first makes the work look heavy. */
int compute_prepare(struct work *works, size_t count, struct failure *failure)
{
    (void)failure;
    uint64_t pieces = 1, shortest = time_of(pieces);
    while (shortest < CALIBRATED_NS && pieces < MOST_PIECES)
        shortest = time_of(pieces *= 2);
    for (int index = 1; index < CALIBRATIONS; index++) {
        uint64_t took = time_of(pieces);
        if (took < shortest)
            shortest = took;
    }
    for (size_t index = 0; index < count; index++)
        works[index].pace = (double)pieces / ((double)(shortest ? shortest : 1) / 1e3);
    return 0;
}

int compute_work(struct work *work, uint64_t microseconds)
{
    double pieces = (double)microseconds * work->pace;
    compute(pieces < (double)MOST_PIECES ? (uint64_t)pieces : MOST_PIECES);
    return 0;
}
