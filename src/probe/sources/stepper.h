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

#define STEPPER_CACHE 1024u /* instructions whose kind is remembered */

struct stepper {
    pid_t pid;
    int status;      /* of the last wait */
    bool after_call; /* a system call was stepped: one more stop may come before the next */
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
/* Steps from where it stands until it comes to address, and adds to what was executed. -ENOTSUP: it
 * came to a sequence that must not be stopped and that is not understood. */
int stepper_step_to(struct stepper *stepper, uintptr_t address, struct steps *steps);
/* Lets it run to its end: -ECHILD then, and nothing else. */
int stepper_run_to_end(struct stepper *stepper);
