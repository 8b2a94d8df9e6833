/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The row of a command: what became of it, in its columns run/…/. */
#pragma once

#include <sys/resource.h>

#include "probe/command/guard.h"

struct outcome {
    int status; /* as of waitpid */
    const struct guarded *guarded;
    struct account account;
    uint64_t nanoseconds, cpu_nanoseconds, left;
    enum command_rights rights;
    bool tasks_known, interrupts_known;
    uint64_t tasks, processes, interrupts;
};

/* CPU time, in user mode and out of it. */
static inline uint64_t row_cpu_ns(const struct rusage *usage)
{
    const struct timeval *user = &usage->ru_utime, *system = &usage->ru_stime;
    return ((uint64_t)user->tv_sec + (uint64_t)system->tv_sec) * 1000000000u +
           ((uint64_t)user->tv_usec + (uint64_t)system->tv_usec) * 1000u;
}

/* Completes the row. What is not known reads 0 and has a running time of 0. */
void row_fill(const struct command_visit *visit, const struct outcome *outcome);
