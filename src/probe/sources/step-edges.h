/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a counter's window truly opens and is closed, among all that a path executes around its
 * slot: told while it is stepped (step.c), from the system calls and counter reads it makes.
 *
 * It opens after the last of what starts, resets or reads counter 0 before the slot, and is closed
 * by the first that reads or stops it behind the slot, which is the last instruction that counts.
 */
#pragma once

#include "probe/sources/stepper.h"

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
