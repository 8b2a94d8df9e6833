/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One decoded instruction: what it is, as far as classes of events ask. Every back end of this room
 * fills the same fields, so that what they say can be compared field by field. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where control goes after it. */
enum flow {
    FLOW_NEXT,
    FLOW_CONDITIONAL, /* to the target or on */
    FLOW_JUMP,        /* to the target */
    FLOW_CALL,        /* to the target, and on when that returns */
    FLOW_RETURN,
    FLOW_INDIRECT_JUMP,
    FLOW_INDIRECT_CALL,
};

/* What an instruction does to a register that may become an address; see resolve.c. */
enum forming { FORMING_NONE, FORMING_SETS, FORMING_ADDS };

/* Floating-point arithmetic. Moves, comparisons, conversions, roundings and sign changes are
 * none. */
/* A subtraction is an FP_ADD. */
enum fp_kind { FP_NONE, FP_ADD, FP_MUL, FP_DIV, FP_SQRT, FP_FMA, FP_ROUND };
enum fp_precision { FP_SINGLE, FP_DOUBLE, FP_OTHER }; /* other: half, x87 extended */

#define OPCODE_SIZE 32

struct instruction {
    uint64_t address;
    uint8_t length; /* bytes */
    bool known;  /* false: no instruction, or one the back end has no entry for; then only address,
                    length and text count */
    bool loads;  /* reads memory, in however many pieces; a prefetch does not */
    bool stores; /* writes memory */
    bool repeated; /* a string instruction with a repeat prefix: one instruction, any number of
                      accesses */
    bool system_call;
    bool packed; /* floating-point arithmetic on packed values, even where it is on one lane */
    enum flow flow;
    uint64_t
        target;    /* of FLOW_CONDITIONAL, FLOW_JUMP, FLOW_CALL; of indirect ones where resolved */
    bool resolved; /* an indirect transfer whose address is formed right before it */
    enum forming forming;
    uint64_t formed; /* the address that is set, or what is added */
    char via[8];     /* the register that is formed, or by which an indirect transfer goes */
    enum fp_kind fp;
    enum fp_precision precision; /* where fp is not FP_NONE */
    uint8_t lanes;               /* 0 where fp is FP_NONE; 1 for scalars */
    char text[96];               /* the back end's own words, cut to size */
    char opcode[OPCODE_SIZE];    /* prefixes and mnemonic without operands and without suffix of
                                    size; opcode-name.c makes one name of it */
};

/* Instructions in order of address, without gaps. */
struct instructions {
    struct instruction *list;
    size_t count, capacity;
};

/* Makes room for one more, zeroed; NULL when out of memory. */
struct instruction *instructions_add(struct instructions *instructions);
/* The one that begins at address; NULL: none does. */
const struct instruction *instructions_at(const struct instructions *instructions,
                                          uint64_t address);
void instructions_release(struct instructions *instructions);

/* Do both say the same of the same instruction? The words may differ. */
bool instruction_same(const struct instruction *one, const struct instruction *other);
