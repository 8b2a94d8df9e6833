/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What passes during a run, taken before and after it by inline system calls, outside of what is
 * measured: time, and the operating system's own account. */
#pragma once

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include "syscall.h"
#include "wire/cell.h"

/* Monotonic nanoseconds by an inline system call. */
static inline uint64_t elapsed_clock(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void account_take(struct rusage *usage)
{
    assay_syscall2(SYS_getrusage, RUSAGE_THREAD, (long)usage);
}

static inline void account_write(struct account *account, const struct rusage *before,
                                 const struct rusage *after)
{
    account->minor_faults = (uint64_t)(after->ru_minflt - before->ru_minflt);
    account->major_faults = (uint64_t)(after->ru_majflt - before->ru_majflt);
    account->voluntary = (uint64_t)(after->ru_nvcsw - before->ru_nvcsw);
    account->involuntary = (uint64_t)(after->ru_nivcsw - before->ru_nivcsw);
}
