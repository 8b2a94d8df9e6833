/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The clock for timeouts and durations: it never jumps and stands still while the machine sleeps.
 * Read by a system call: where a process may not read the CPU's counter of time (PR_SET_TSC), the
 * vDSO's way would kill it. */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline struct timespec monotonic_now(void)
{
    struct timespec now = {0};
#if defined(__LP64__) && defined(SYS_clock_gettime)
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
#else /* the system call may take another structure than libc */
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return now;
}

/* Milliseconds since some moment in the past. */
static inline int64_t monotonic_ms(void)
{
    struct timespec now = monotonic_now();
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Nanoseconds since the same moment. */
static inline uint64_t monotonic_ns(void)
{
    struct timespec now = monotonic_now();
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
