/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The instructions QEMU has translated, one record each, found by address: a block that is
 * translated again finds its records again, so that memory is bounded by the code. */
#pragma once

#include "probe/sources/qemu-plugin/traits.h"

struct instruction {
    uint64_t address;
    uint64_t next; /* address behind it */
    struct traits traits;
    /* In the pass under way: */
    struct instruction *touched; /* the one first executed before it; valid while executions */
    uint64_t executions;         /* as QEMU counts them */
    uint64_t repetitions;        /* of these: straight after itself, without a transfer */
    uint64_t taken;              /* of a conditional branch */
    uint64_t loads, stores;      /* executions that did */
    bool loaded, stored;         /* in the latest execution */
};

struct instructions {
    struct instruction **slots; /* open addressing; a power of two */
    size_t capacity, count;
};

/* The record for this address; a fresh one where there is none, or another instruction stood there.
 * NULL: out of memory. */
struct instruction *instructions_at(struct instructions *instructions, uint64_t address,
                                    uint64_t next, const struct traits *traits);
