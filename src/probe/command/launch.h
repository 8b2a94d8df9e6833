/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between launch.c, which starts a program and ends it, and become.c, which says what is executed
 * and executes it. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "probe/command/guard.h"
#include "wire/cell.h"

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

/* --- the environment that a command gets (environment.c) --- */

/* As the controls of the command ask for it, from what the probe has (ends with NULL), and with
 * tunables for glibc (NULL: none) where they are controlled. To be freed by words_free; NULL: out
 * of memory. */
char **environment_make(const struct cell_command *command, char *const *inherited,
                        const char *tunables);

/* GLIBC_TUNABLES=… that programs of this machine start with; NULL: there is nothing to settle.
 * loader: that of dynamic programs, NULL for the ISA's own. Asked once in a session. */
const char *tunables_choose(const char *loader);

/* --- what the operating system tells of a program beside what is counted (system.c) --- */

/* --- how many interrupts a CPU has had --- */

/* Of all kinds, since the machine started. -ENOENT: not told, or no such CPU. */
int interrupts_read(int cpu, uint64_t *interrupts);
/* The same from a text like /proc/interrupts. */
int interrupts_parse(FILE *text, int cpu, uint64_t *interrupts);

/* --- threads and processes that are born below a process --- */

struct task_records;

/* From now on; NULL: cannot be had here. cpu: the one that they are held on; -1: on any. */
struct task_records *tasks_watch(pid_t pid, int cpu);
/* How many there were, the first with them, and of these how many processes. -ENOENT: not known,
 * or records were lost. */
int tasks_count(struct task_records *records, uint64_t *tasks, uint64_t *processes);
void tasks_free(struct task_records *records);
