/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One pass through the window: what is executed from the instruction at `opens` up to, without, the
 * one at `closed`. The counts stand at each instruction while the pass is under way, and are summed
 * by class when it ends. */
#pragma once

#include "probe/sources/qemu-plugin/columns.h"
#include "probe/sources/qemu-plugin/instructions.h"

struct pass {
    uint64_t opens, closed;
    bool open;
    unsigned vcpu; /* the thread that opened it: no other counts */
    struct instruction *previous;
    struct instruction *touched; /* executed ones, the latest found first */
    uint64_t syscalls;
};

/* An instruction is about to be executed. True when that ended the pass: counts are filled. */
bool pass_executes(struct pass *pass, unsigned vcpu, struct instruction *now,
                   uint64_t counts[QEMU_COLUMN_COUNT]);
void pass_accesses(const struct pass *pass, unsigned vcpu, struct instruction *now, bool store);
void pass_calls(struct pass *pass, unsigned vcpu);
