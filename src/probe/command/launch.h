/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between launch.c, which starts a program and ends it, and become.c, which says what is executed
 * and executes it. */
#pragma once

#include <sys/resource.h>

#include "probe/command/guard.h"

/* Fills program, words, input and directory of the execution. Negative errno with the reason. */
int places_resolve(const struct command_visit *visit, struct execution *execution);

struct becoming {
    const struct command_visit *visit;
    const struct launch *launch;
    const struct execution *execution;
    pid_t counting; /* its parent: without it the program ends */
    int input;      /* standard input, where a feeder fills it; -1: none does */
    int hold;       /* waits until this pipe ends */
    int said;       /* a struct failure: with code 0 that it is ready, else why it failed. Its end
                       without a word: the program is executed */
};
/* The last that a process of ours does before it is the program. */
void __attribute__((noreturn)) become_program(const struct becoming *becoming);

/* Writes the file to the descriptor, until its reader is gone. */
void __attribute__((noreturn)) become_feeder(const char *file, int to);

/* CPU time, in user mode and out of it. */
static inline uint64_t cpu_ns_of(const struct rusage *usage)
{
    const struct timeval *user = &usage->ru_utime, *system = &usage->ru_stime;
    return ((uint64_t)user->tv_sec + (uint64_t)system->tv_sec) * 1000000000u +
           ((uint64_t)user->tv_usec + (uint64_t)system->tv_usec) * 1000u;
}
