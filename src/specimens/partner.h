/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Somebody to share a CPU with: a second task on the specimen's CPU, for as long as a run takes. It
 * is a process of its own in the same memory, not a thread: the process under test stays what it
 * is to libraries, tracers and whoever counts it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "specimens/affinity.h"
#include "specimens/specimen.h"

/* What it does, by inline system calls alone: libc's per-thread data are the other's. */
typedef int partner_function(void *argument);

struct partner {
    pid_t pid;
    void *stack;
    struct affinity before; /* of the specimen's thread */
    int policy;             /* scheduling policy it had */
};

/* Binds the thread to the CPU it is on and starts function there; with `fifo` both are scheduled in
 * strict turns, which needs the right to it. 0, or negative errno with a sentence. */
int partner_start(struct partner *partner, partner_function *function, void *argument, bool fifo,
                  struct failure *failure);
/* Ends it and gives the thread back its CPUs and policy. */
void partner_stop(struct partner *partner);

/* Can there be a second task in the same memory? Emulators know threads and processes only. */
int partner_possible(struct failure *failure);

/* The same, and may both be scheduled in strict turns? */
int partner_fifo_allowed(struct failure *failure);
