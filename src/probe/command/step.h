/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Following a program by ptrace, with all of its threads and children: one instruction at a
 * time, or from system call to system call. step.c is the counter; step-follow.c waits and
 * follows, step-stop.c says what a stop means and counts, step-code.c knows the code that is
 * stepped. */
#pragma once

#include <sched.h>

#include "probe/command/detail.h"

/* --- the code of an address space as it is stepped: every instruction that was met, what it is,
 * how often it was executed (step-code.c) --- */

struct instruction {
    uint64_t address;
    uint8_t bytes[16]; /* zeros behind the end of what is mapped */
    uint8_t length;    /* 0: not known yet */
    uint8_t kind;      /* enum stepped_kind */
    bool narrow;       /* of 32-bit code */
    bool changing;     /* bytes must be looked at every time */
    uint32_t checked;  /* generation in which the bytes were read */
    uint64_t executions, repetitions;
    struct instruction *older; /* what stood at the address before */
};

/* One address space: of a process, or of several between vfork and exec. */
struct code {
    unsigned users;             /* tasks */
    struct instruction **slots; /* by address; a power of two of them */
    size_t slot_count, count;
    struct instruction_block *blocks; /* the memory that instructions live in */
    struct code_page *pages;          /* that were read; NULL: none yet */
    bool narrow, width_known;         /* 32-bit code; asked again after a jump to another segment */
    struct code_maps maps;
    uint32_t generation; /* of mappings: what was read in an earlier one is read again */
    bool stale;          /* maps must be read before they are asked */
};

/* NULL: out of memory. With one user. */
struct code *code_new(void);
void code_free(struct code *code);

/* Where something is executed: the task stands there. 0 with *instruction, or negative errno. The
 * instruction lives as long as the code. What was executed of code that is no longer mapped is
 * written to the visit's details. */
int code_at(const struct command_visit *visit, struct code *code, pid_t task, uint64_t address,
            struct instruction **instruction);

/* These bytes were mapped, protected, unmapped or moved by a call that is over; executable: may
 * they be code now? */
void code_mapped(struct code *code, uint64_t address, uint64_t length, bool executable);

/* Writes what was executed to the visit's details, where they are asked for, and forgets it. */
int code_write(const struct command_visit *visit, struct code *code);

/* --- threads and processes of a program that is traced: all of them, from their first instruction
 * to their end, each with what it is about to do --- */

struct traced {
    pid_t task, process;
    uint32_t number;   /* 0 the first, 1 the next … */
    struct code *code; /* shared by tasks of one address space */
    /* what it was resumed for */
    uint64_t begun; /* where it stood */
    uint64_t here;  /* where it stands, where that was read already */
    bool here_known;
    struct instruction *instruction; /* that it stands on; NULL: not known */
    int passed;                      /* the signal that it got; 0: none */
    bool calling;                    /* inside a system call, or about to make it */
    bool executed;                   /* exec: the stop behind it counts nothing */
    bool returned;                   /* from a call, and stops once more (STEPPED_EXTRA_STOP) */
    struct call call;                /* the last one */
    bool restarting;                 /* it was interrupted, and may be made again */
    struct instruction *made_by;     /* what made it; NULL: not known */
    /* where it may run by its own will: it is held on one CPU for the sake of speed */
    cpu_set_t allowed;
    bool placed; /* it chose a CPU itself, and is left there */
};

struct traced_list {
    struct traced **list;
    size_t count;
    struct traced *last;       /* found last */
    uint64_t tasks, processes; /* that there were */
    struct early {
        pid_t task;
        int status;
    } * early; /* stopped before whoever made them said so */
    size_t early_count;
};

/* --- following (step-follow.c) --- */

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

/* --- step-follow.c, for step-stop.c --- */

/* A call is about to ask or to change where tasks may run: it must find things as they would be. */
void cpu_before_call(struct following *following, struct traced *traced);
void cpu_after_call(struct following *following, struct traced *traced);
