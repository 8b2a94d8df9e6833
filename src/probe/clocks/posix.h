/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks of clock_gettime(2), whoever has made the id: readings by a bare system call. */
#pragma once

#include <time.h>

#include "probe/clocks/clock.h"
#include "syscall.h"

#define POSIX_HZ 1000000000u

static inline __attribute__((always_inline)) uint64_t posix_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * POSIX_HZ + (uint64_t)time->tv_nsec;
}

/* The sentence about it; out of line, so that readings stay short. */
uint64_t posix_fails(struct clock_reader *reader, int error);

static inline __attribute__((always_inline)) uint64_t posix_ask(struct clock_reader *reader)
{
    struct timespec now = {0}; /* analysers do not see what a bare call writes */
    long result = assay_syscall2(SYS_clock_gettime, (long)reader->id, (long)&now);
    return __builtin_expect(result < 0, 0) ? posix_fails(reader, (int)-result) : posix_ns(&now);
}

double posix_claimed_resolution(struct clock_reader *reader); /* ns, by clock_getres(2) */
