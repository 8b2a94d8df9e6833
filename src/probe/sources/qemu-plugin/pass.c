/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts a pass, and sums it.
 *
 * Aligned instructions: QEMU executes one iteration of a repeated string instruction at a time, and
 * in most cases once more to see that nothing is left. An instruction that transfers no control
 * can only be followed by itself when it was repeated, so what follows itself is not counted again;
 * that needs no list of such instructions. It also holds where QEMU starts an instruction anew.
 *
 * Loads and stores: QEMU splits wide accesses, hardware does not. What is counted is executions
 * that loaded, and executions that stored. */
#include "probe/sources/qemu-plugin/pass.h"

#include <string.h>

static void begin(struct pass *pass, unsigned vcpu)
{
    pass->open = true;
    pass->vcpu = vcpu;
    pass->previous = NULL;
    pass->touched = NULL;
    pass->syscalls = 0;
}

/* Where the instruction before went is known when the next one comes. */
static void settle(struct instruction *previous, const struct instruction *now)
{
    if (previous && previous->traits.transfer == TRANSFER_CONDITIONAL &&
        now->address != previous->next)
        previous->taken++;
}

static void sum_transfers(const struct instruction *each, uint64_t times,
                          uint64_t counts[QEMU_COLUMN_COUNT])
{
    static const enum qemu_column columns[] = {[TRANSFER_CONDITIONAL] = QEMU_COND_BRANCHES,
                                               [TRANSFER_JUMP] = QEMU_JUMPS,
                                               [TRANSFER_CALL] = QEMU_CALLS,
                                               [TRANSFER_RETURN] = QEMU_RETURNS};
    const struct traits *traits = &each->traits;
    if (traits->transfer == TRANSFER_NONE)
        return;
    counts[QEMU_BRANCHES] += times;
    if (traits->indirect)
        counts[QEMU_INDIRECT_BRANCHES] += times;
    if (!(traits->indirect && traits->transfer == TRANSFER_JUMP)) /* `jumps` are direct ones */
        counts[columns[traits->transfer]] += times;
    if (traits->transfer != TRANSFER_CONDITIONAL)
        return;
    counts[QEMU_COND_BRANCHES_TAKEN] += each->taken;
    counts[QEMU_COND_BRANCHES_NOT_TAKEN] += times - each->taken;
    if (!traits->target || traits->target == each->next)
        counts[QEMU_AMBIGUOUS] += times;
}

static void sum_arithmetic(const struct traits *traits, uint64_t times,
                           uint64_t counts[QEMU_COLUMN_COUNT])
{
    static const enum qemu_column columns[] = {[FP_ADD] = QEMU_FP_ADDS,
                                               [FP_MUL] = QEMU_FP_MULS,
                                               [FP_DIV] = QEMU_FP_DIVS,
                                               [FP_SQRT] = QEMU_FP_SQRTS,
                                               [FP_FMA] = QEMU_FP_FMAS};
    if (traits->arithmetic == FP_NONE)
        return;
    counts[QEMU_FP_INSTRUCTIONS] += times;
    counts[QEMU_FP_OPERATIONS] += times * traits->lanes * (traits->arithmetic == FP_FMA ? 2 : 1);
    if (traits->arithmetic != FP_OTHER)
        counts[columns[traits->arithmetic]] += times;
    if (traits->precision == FP_SINGLE)
        counts[traits->packed ? QEMU_FP_PACKED_SINGLE : QEMU_FP_SCALAR_SINGLE] += times;
    else if (traits->precision == FP_DOUBLE)
        counts[traits->packed ? QEMU_FP_PACKED_DOUBLE : QEMU_FP_SCALAR_DOUBLE] += times;
}

static void sum(struct instruction *each, uint64_t counts[QEMU_COLUMN_COUNT])
{
    uint64_t times = each->executions - each->repetitions;
    counts[QEMU_INSTRUCTIONS_RAW] += each->executions;
    counts[QEMU_INSTRUCTIONS] += times;
    counts[QEMU_LOADS] += each->loads;
    counts[QEMU_STORES] += each->stores;
    if (!each->traits.known)
        counts[QEMU_UNDECODED] += times;
    sum_transfers(each, times, counts);
    sum_arithmetic(&each->traits, times, counts);
    each->executions = each->repetitions = each->taken = each->loads = each->stores = 0;
}

static void finish(struct pass *pass, uint64_t counts[QEMU_COLUMN_COUNT])
{
    memset(counts, 0, QEMU_COLUMN_COUNT * sizeof(*counts));
    counts[QEMU_SYSCALLS] = pass->syscalls;
    for (struct instruction *each = pass->touched; each; each = each->touched)
        sum(each, counts);
    pass->open = false;
}

bool pass_executes(struct pass *pass, unsigned vcpu, struct instruction *now,
                   uint64_t counts[QEMU_COLUMN_COUNT])
{
    if (!pass->open) {
        if (now->address != pass->opens)
            return false;
        begin(pass, vcpu);
    } else if (vcpu != pass->vcpu) {
        return false;
    }
    settle(pass->previous, now);
    if (now->address == pass->closed) { /* the empty window closes where it opens */
        finish(pass, counts);
        return true;
    }
    if (now->executions++ == 0) {
        now->touched = pass->touched;
        pass->touched = now;
    }
    if (pass->previous == now && now->traits.transfer == TRANSFER_NONE)
        now->repetitions++;
    now->loaded = now->stored = false;
    pass->previous = now;
    return false;
}

void pass_accesses(const struct pass *pass, unsigned vcpu, struct instruction *now, bool store)
{
    if (!pass->open || vcpu != pass->vcpu || now != pass->previous)
        return;
    bool load = now->traits.atomic || !(store || now->traits.store_conditional);
    if (store && !now->stored) {
        now->stored = true;
        now->stores++;
    }
    if (load && !now->loaded) {
        now->loaded = true;
        now->loads++;
    }
}

void pass_calls(struct pass *pass, unsigned vcpu)
{
    if (pass->open && vcpu == pass->vcpu)
        pass->syscalls++;
}
