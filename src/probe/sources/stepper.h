/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes another process instruction by instruction, by ptrace. The process is a child that asked
 * to be traced (trial_start). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "decode.h"

/* What was executed. */
struct steps {
    uint64_t steps;        /* as the tracer saw them: stops */
    uint64_t instructions; /* what they stand for: a repeated string instruction once */
    uint64_t system_calls;
};

/* What a step was, beyond an instruction. */
enum stepped {
    STEPPED_PLAIN,
    STEPPED_CALL,         /* a system call, with stepper->called */
    STEPPED_COUNTER_READ, /* an instruction that reads a counter of the CPU */
};

struct system_call {
    long number;
    uint64_t arguments[2]; /* its first two */
};

#define STEPPER_CACHE 1024u /* instructions whose kind is remembered */

struct stepper {
    pid_t pid;
    int status;      /* of the last wait */
    bool after_call; /* a system call was stepped: one more stop may come before the next */
    struct system_call called;  /* the last one that was stepped */
    decode_registers registers; /* at the last step */
    unsigned stuck;             /* steps in a row that executed nothing */
    struct {
        uintptr_t address;
        unsigned kind;
    } cache[STEPPER_CACHE];
};

/* All return 0 or a negative errno. -ECHILD: the process has ended, with stepper->status. */

/* Waits for the first stop, and sees to it that the process does not outlive its tracer. */
int stepper_begin(struct stepper *stepper, pid_t pid);
/* Lets it run until it stops itself (SIGSTOP), which is not passed on to it. */
int stepper_run_to_stop(struct stepper *stepper);
/* Lets it run until it comes to address, where it then stands. */
int stepper_run_to(struct stepper *stepper, uintptr_t address);
/* The same, but stops too when it has returned from a system call: *called then, and
 * stepper->called is which. */
int stepper_run_to_call(struct stepper *stepper, uintptr_t address, bool *called);
/* Where it stands; to be asked before the first stepper_step after it has run. */
int stepper_find(struct stepper *stepper, uintptr_t *address);
/* One step from *address, where it stands, which becomes where it then stands. Adds to what was
 * executed. Refuses as stepper_step_to. */
int stepper_step(struct stepper *stepper, uintptr_t *address, struct steps *steps,
                 enum stepped *stepped);
/* Steps from where it stands until it comes to address, and adds to what was executed. -ENOTSUP: it
 * came to a sequence that must not be stopped and that is not understood. -ENOEXEC: to an
 * instruction that is not executed, however often it is stepped. */
int stepper_step_to(struct stepper *stepper, uintptr_t address, struct steps *steps);
/* Lets it run to its end: -ECHILD then, and nothing else. */
int stepper_run_to_end(struct stepper *stepper);

/* ----------------------------------------------------------------------------------------------
 * Where a counter's window truly opens and is closed, among all that a path executes around its
 * slot: told while it is stepped (step.c), from the system calls and counter reads it makes.
 *
 * It opens after the last of what starts, resets or reads counter 0 before the slot, and is closed
 * by the first that reads or stops it behind the slot, which is the last instruction that counts.
 */

/* Is this the descriptor of counter 0? Asked of descriptors that are read or switched. */
typedef bool edges_own(void *context, int descriptor);

struct edges {
    edges_own *own;
    void *context;
    enum { EDGES_BEFORE, EDGES_INSIDE, EDGES_AFTER } place; /* seen from the slot */
    bool opened, closed;
    bool opened_by_read;           /* by an instruction: the reads of further counters follow it */
    struct steps opening, closing; /* what had been executed then */
};

/* What has just been stepped, and all that was executed up to and with it. True when it is an edge
 * for all that is known so far. */
bool edges_note(struct edges *edges, enum stepped stepped, const struct system_call *called,
                const struct steps *executed);

/* What was executed between the two: both must have been seen. */
struct steps edges_between(const struct edges *edges);
