/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From bytes of code to instructions. Two back ends stand behind one contract and share no table,
 * so that they can be held against each other: Capstone, by its identifiers and operands, and
 * objdump, by the text it prints.
 *
 * The folder makes of a specimen's bytes what it executes:
 *   decode.h, decode.c      an instruction, a list of them, and the contract of a back end
 *   capstone.c              the back end on Capstone, with its tables of x86-64 and AArch64
 *   objdump.h, objdump.c    the back end on objdump: the program, and a line of what it prints
 *   objdump-ISA.c           objdump's words of one ISA
 *   walk.c                  how often each instruction is executed, what that makes per class;
 *                           one specimen: its classes, and its opcodes by their names */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

/* ----------------------------------------------------------------------------------------------
 * One decoded instruction: what it is, as far as classes of events ask. Every back end fills the
 * same fields, so that what they say can be compared field by field. */

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

/* What an instruction does to a register that may become an address; see decode.c. */
enum forming { FORMING_NONE, FORMING_SETS, FORMING_ADDS };

/* Parts of what is known of an instruction. Those that are not told are empty, and may be wrong. */
enum { TOLD_LENGTH = 1, TOLD_ACCESS = 2, TOLD_FLOW = 4, TOLD_FP = 8, TOLD_ALL = 15 };

/* Floating-point arithmetic. Moves, comparisons, conversions, roundings and sign changes are
 * none. */
/* A subtraction is an FP_ADD. */
enum fp_kind { FP_NONE, FP_ADD, FP_MUL, FP_DIV, FP_SQRT, FP_FMA, FP_ROUND };
enum fp_precision { FP_SINGLE, FP_DOUBLE, FP_OTHER }; /* other: half, x87 extended */

#define OPCODE_SIZE 32

struct instruction {
    uint64_t address;
    uint8_t length; /* bytes */
    bool known;     /* false: no instruction, or one of which not all is known: see told */
    uint8_t told;   /* of one that is not known: what is, TOLD_; 0: not even its length */
    bool loads;     /* reads memory, in however many pieces; a prefetch does not */
    bool stores;    /* writes memory */
    bool repeated;  /* a string instruction with a repeat prefix: one instruction, any number of
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
                                    size; walk.c makes one name of it */
};

/* Instructions in order of address, without gaps. */
struct instructions {
    struct instruction *list;
    size_t count;
};

/* One more, zeroed. */
struct instruction *instructions_add(struct instructions *instructions);
/* The one that begins at address; NULL: none does. */
const struct instruction *instructions_at(const struct instructions *instructions,
                                          uint64_t address);
void instructions_release(struct instructions *instructions);

/* --- The contract of a back end --- */

#define DECODE_MAX_BYTES (16u << 20) /* of code: more is no specimen */

struct code_bytes {
    const char *isa; /* as `uname -m` says it; "i386" of 32-bit programs on x86_64 */
    uint64_t address;
    const void *bytes;
    size_t length;
};

struct decoder {
    const char *name; /* "capstone", "objdump" */
    /* Decodes from the first byte to the last. What is no instruction, or unknown to the back end,
     * comes as one that is not `known`, with what is `told` of it. -ENOTSUP with the reason: this
     * back end does not do this ISA, or not on this machine. */
    int (*decode)(const struct code_bytes *code, struct instructions *instructions,
                  struct failure *failure);
};

extern const struct decoder decoder_capstone, decoder_objdump;
extern const struct decoder *const decoders[]; /* all; ends with NULL */

/* Checks what decoder is given, decodes, and checks that what came back is whole: ascending,
 * without gaps, all bytes. On failure instructions is empty. */
int decode(const struct decoder *decoder, const struct code_bytes *code,
           struct instructions *instructions, struct failure *failure);

/* How often each instruction of a piece of code is executed, and what that makes per class. Counts
 * are linear in N, as truths are: base + each * N, so that a truth is compared for all N at once.
 */

struct linear {
    int64_t base, each;
};

/* How often each conditional branch, in order of addresses, is taken, for every N from least on. */
struct trips {
    const struct linear *list;
    size_t count;
    uint64_t least;
};

/* Spreads counts over the code: its first instruction is entered once; conditional branches go as
 * trips says; direct jumps and calls are followed; where the code ends, or returns from its
 * outermost call, control leaves it. counts: one for each instruction. -ENOTSUP with the reason
 * where the counts do not follow: an indirect jump or call that is not resolved, a target outside,
 * a loop that no conditional branch closes, an unknown instruction that is executed; -EBADMSG where
 * trips contradict the code (one more or fewer, more taken than executed). */
int walk_counts(const struct instructions *code, const struct trips *trips, struct linear *counts,
                struct failure *failure);

/* Sums of a class over some code. */
struct tally {
    const char *class;
    bool known; /* false: cannot be told from the code (memory accesses of repeated strings) */
    struct linear count;
    uint64_t unsure; /* executions that may be of the class beyond these: then it is a limit */
};

#define TALLY_CLASSES 23
struct tallies {
    struct tally list[TALLY_CLASSES];
};

/* All classes that decoding can see, with zeros. */
void tallies_begin(struct tallies *tallies);
/* Adds code with the counts that walk_counts made, and how often its branches were taken. -ERANGE
 * when a sum leaves 64 bits. */
int tallies_add(struct tallies *tallies, const struct instructions *code,
                const struct linear *counts, const struct trips *trips, struct failure *failure);
/* Adds one instruction that was executed so often, where nobody knows which way branches went:
 * classes of branches that were taken, or not, are no longer known. Of one that is not known in
 * full, classes that ask for the rest become limits. -ERANGE as above. */
int tallies_add_executed(struct tallies *tallies, const struct instruction *instruction,
                         uint64_t executions, struct failure *failure);
/* NULL: decoding cannot see this class. */
const struct tally *tallies_find(const struct tallies *tallies, const char *class);

/* base + each * n; false when it leaves 64 bits. */
bool linear_at(struct linear count, uint64_t n, int64_t *value);

/* One specimen, counted from its code alone: the source `decode`, which is what it executes of each
 * class between opening and closing, and its opcodes. Nothing is run. */

/* A specimen's code as it stands on the machine under test. */
struct specimen_code {
    struct code_bytes code; /* its own; length 0: it has none */
    struct code_bytes call; /* the window's instructions that call it; length 0: it stands inline */
    struct trips trips;
};

/* All classes that can be told, for every N. Failures are those of decode and walk_counts. */
int count_code(const struct decoder *decoder, const struct specimen_code *specimen,
               struct tallies *tallies, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * How often a specimen executes each opcode, for every N: some processors count certain opcodes
 * wrongly, and this tells which specimens have them. Read from the code; nothing is run. */

struct opcode {
    /* As people write it, without operands: "lock add", "rep movsb", "jne", "9-byte nop". */
    char name[OPCODE_SIZE];
    struct linear count;
};

/* In the order in which the code has them, each once; what is never executed is left out. The
 * counts add up to the class instructions. */
struct opcodes {
    struct opcode *list;
    size_t count;
};

/* By the first decoder that understands the code; *decoder (which may be NULL) becomes its name.
 * Failures are those of decode and walk_counts. */
int opcodes_count(const struct specimen_code *specimen, struct opcodes *opcodes,
                  const char **decoder, struct failure *failure);
/* By this one. On failure opcodes is empty. */
int opcodes_count_with(const struct decoder *decoder, const struct specimen_code *specimen,
                       struct opcodes *opcodes, struct failure *failure);
void opcodes_release(struct opcodes *opcodes);

/* One name for an instruction, whoever decoded it. */
void opcode_name(const char *isa, const struct instruction *instruction, char name[OPCODE_SIZE]);
