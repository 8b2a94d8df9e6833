/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the objdump back end needs of an ISA: from the words that objdump prints for an instruction
 * to what it is. */
#pragma once

#include "decode/decode.h"

#define OBJDUMP_OPERANDS 8

/* One instruction as text, taken apart: "addq   $1,%rax" is {"addq", {"$1", "%rax"}}. */
struct wording {
    const char *mnemonic;
    const char *operands[OBJDUMP_OPERANDS]; /* parted at commas outside brackets */
    size_t count;
};

/* Sets known, and what the instruction is, from the words; address, length and text are there. What
 * has no entry in the ISA's table stays unknown. */
typedef void objdump_describe(struct wording *words, struct instruction *instruction);
objdump_describe objdump_describe_x86, objdump_describe_aarch64, objdump_describe_riscv64;

/* A number as objdump writes targets: 0x…; false when there is anything else. */
bool objdump_target(const char *operand, uint64_t *target);

/* Takes a printed line (without newline; it is modified) apart. Returns 1 with an instruction, 0
 * for a line that holds none, -EBADMSG for one that is neither: then text says why. code: the bytes
 * that should be at `expected`; what is printed must be them. */
struct objdump_line {
    uint64_t expected;    /* address of the next instruction */
    const uint8_t *bytes; /* what stands there */
    size_t left;          /* bytes up to the end of the code */
    objdump_describe *describe;
};
int objdump_parse(char *line, const struct objdump_line *place, struct instruction *instruction);
