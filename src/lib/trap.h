/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: counting instructions by a trap after each of them. trap.c is the handler that
 * counts, trap-calls.c what system calls in a region need, trap-handler.c how the handler comes to
 * the process and leaves it, calipers-trap.c how calipers are opened for it. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/calipers.h"

/* What the handler knows of the thread it runs on. */
struct trap_thread {
    const unsigned char *next; /* the instruction about to begin at the last trap; NULL: none yet */
    long caller;               /* who made the clone that `next` is; 0: it is none */
    bool shares;               /* whom it makes shares this memory */
    bool blocked;          /* the region wanted SIGTRAP blocked, which waits until it has ended */
    unsigned stuck;        /* traps in a row after which `next` had not been executed */
    uint64_t left;         /* repetitions of `next`, if it repeats */
    long switches, faults; /* the thread's own so far */
    enum trap_lost lost;   /* why its regions are no longer counted */
};

extern __thread struct trap_thread trap_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Tasks that began with the trap flag of the one that made them, share its memory and have not
 * been seen yet: the handler must stay for them. */
extern int trap_heirs __attribute__((visibility("hidden")));

/* trap.c */
void on_trap(int number, siginfo_t *information, void *context);

/* trap-calls.c */
bool trap_readable(const void *address); /* eight bytes */
bool trap_call_made(void *context);      /* false: goes on in another task */
void trap_call_begins(struct assay_here *here, void *context);

/* trap-handler.c: a trap that is not ours, to whom it would have gone. */
void trap_pass_on(int number, siginfo_t *information, void *context);
int trap_tracer(void); /* the process that traces this thread, 0: none; for handlers, too */
