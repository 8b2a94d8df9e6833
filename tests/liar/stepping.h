/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The emulated PMU: a task is executed one instruction at a time while one of its events counts.
 * Slow and true. Everything here is driven by the liar's one loop. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lies.h"

#define STEPPED_MOST 8    /* tasks at once */
#define CODE_PLACES  4096 /* addresses whose instruction is remembered */

/* What was executed since the stepping began. */
struct steps {
    uint64_t instructions, branches, calls, switches;
    uint64_t opcodes[LIES_MOST];
};

/* What an instruction at an address is, as flags; see stepping.c. */
struct code_place {
    uint64_t address;
    uint32_t flags;
    uint32_t length; /* of repeated ones */
};

enum stepped_state {
    STEPPED_NOT,    /* the place is free */
    STEPPED_RUNS,   /* in a system call, or on its way to the next stop */
    STEPPED_STANDS, /* can take the next step */
};

struct stepped {
    pid_t task;
    enum stepped_state state;
    bool wanted; /* an event still counts; else it is let go at its next stop */
    int signal;  /* to be delivered with the next step */
    struct steps steps;
    cpu_set_t cpus, cpu; /* where it may run, and where it must while it is stepped */
    bool is_pinned;
    struct code_place code[CODE_PLACES];
};

struct stepping {
    const struct lies *lies; /* for the opcodes they are about */
    struct stepped tasks[STEPPED_MOST];
    /* A task that ended while a step was waited for, and how; 0: none. Whoever waits for tasks
     * takes it from here. */
    pid_t ended;
    int ended_status;
};

/* Called while the task waits for the answer to a call: it will stop before its next instruction.
 * 0 or a negative errno. */
int stepping_start(struct stepping *stepping, pid_t task);
void stepping_stop(struct stepping *stepping, pid_t task);
/* The steps of a task; NULL when it is not stepped. */
const struct steps *stepping_steps(const struct stepping *stepping, pid_t task);

/* A task has stopped or ended: what waitpid said. False when it is none of these. */
bool stepping_stopped(struct stepping *stepping, pid_t task, int status);
/* Takes some steps of every task that stands. False when none does. */
bool stepping_go_on(struct stepping *stepping);
