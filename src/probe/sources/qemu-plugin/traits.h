/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an instruction is, read from the text of QEMU's disassembler by a table per ISA that shares
 * nothing with the specimens nor with the decoders on the controller's side. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum transfer {
    TRANSFER_NONE,
    TRANSFER_CONDITIONAL,
    TRANSFER_JUMP,
    TRANSFER_CALL,
    TRANSFER_RETURN
};
enum arithmetic { FP_NONE, FP_ADD, FP_MUL, FP_DIV, FP_SQRT, FP_FMA, FP_OTHER };
enum precision { FP_ANOTHER, FP_SINGLE, FP_DOUBLE };

struct traits {
    bool known;             /* the disassembler had words for it */
    bool indirect;          /* of a jump or call: the target stands in a register or in memory */
    bool store_conditional; /* QEMU emulates it as compare and swap, whose load is not the code's */
    bool atomic;            /* reads and writes in one access, which QEMU tells as a store */
    enum transfer transfer;
    uint64_t target; /* of a conditional branch; 0: unknown */
    enum arithmetic arithmetic;
    enum precision precision;
    bool packed;
    unsigned lanes; /* results of a floating-point instruction */
};

/* isa: QEMU's name of its target. False: no table for it, and nothing is known. */
bool traits_of(const char *isa, const char *text, struct traits *traits);
