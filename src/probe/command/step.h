/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Following a program by ptrace, with all of its threads and children: one instruction at a time,
 * or from system call to system call. step.c is the counter; step-follow.c waits and follows,
 * step-stop.c says what a stop means and counts, step-cpu.c and step-exclusive.c help it. */
#pragma once

#include "probe/command/step-tasks.h"

struct following {
    const struct command_visit *visit;
    struct execution *execution;
    bool stepping; /* every instruction; else system calls only */
    bool telling;  /* calls are told one by one, and the vDSO is hidden */
    int cpu;       /* on which tracer and tasks take turns; -1: where they like */
    /* what was executed */
    uint64_t instructions; /* a repeated string instruction once */
    uint64_t repetitions;  /* of them beyond the first */
    uint64_t calls;
    struct call_record record;
    struct traced_list tasks;
    bool begun; /* the program itself runs */
};

/* Has the program of a held execution run to its end; *status as of waitpid. 0, or negative errno
 * with the reason by command_fail. */
int follow(struct following *following, int *status);
void follow_free(struct following *following);

/* Lets a task go on from where it stands (traced->begun), with a signal or 0. */
int follow_resume(struct following *following, struct traced *traced, int signal);

/* --- step-stop.c --- */

/* A stop by SIGTRAP without an event: counts what was executed. *signal: what the task must get. */
int stop_stepped(struct following *following, struct traced *traced, int *signal);
/* A stop at the entry to or the return from a system call. */
int stop_call(struct following *following, struct traced *traced);
/* It has ended; killed: the signal that ended it, or 0. */
void stop_ended(struct following *following, struct traced *traced, int killed);
/* It has made a call that does not return to where it was made: exec. */
void stop_executed(struct following *following, struct traced *traced);
/* Finds out where it stands and what it is about to do. */
int stop_prepare(struct following *following, struct traced *traced);
/* It did not do it: this signal came first, or 0. */
void stop_forget(struct following *following, struct traced *traced, int signal);
/* Flags of the clone that it is making. */
int stop_clone_flags(struct following *following, const struct traced *traced, uint64_t *flags);

/* --- step-restart.c --- */

/* A call came back with a result that programs never see: it is made again, or ends with EINTR. */
bool restart_is_due(int64_t result);
void restart_note(struct traced *traced);
/* What came of it: a signal, or 0 for none. */
void restart_settle(struct following *following, struct traced *traced, int signal);

/* --- step-cpu.c --- */

/* The CPU to share, which the tracer then stays on; -1: none. */
int cpu_choose(const struct command_visit *visit);
/* Holds a task there, or lets it go where it may run. */
void cpu_hold(const struct following *following, struct traced *traced);
void cpu_release(const struct following *following, const struct traced *traced);
/* A call is about to ask or to change where tasks may run: it must find things as they would be. */
void cpu_before_call(struct following *following, struct traced *traced);
void cpu_after_call(struct following *following, struct traced *traced);

/* --- step-exclusive.c --- */

/* Runs a sequence that must not be stopped from its first instruction on, and counts it. *status:
 * of the wait that ended it. 0, or negative errno; -ENOTSUP: it is not understood. */
int exclusive_run(struct following *following, struct traced *traced, int *status);
