/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: what trap.c shows of its handler, to tests that plant what CPUs do. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

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

void on_trap(int number, siginfo_t *information, void *context);
