/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on AArch64. Each piece is one instruction
 * unless it says otherwise. A specimen's function gets a pointer to its state in x0.
 *
 * x1 counts iterations, x2 points to the specimen's memory; x3 … x17 and all of v0 … v31 are free
 * (the window's slot clobbers them). Local labels: 1 is the loop's; a body may use 2 … 8. */
#pragma once

#include <sys/auxv.h>

#define CODE_RETURN_LOADS 0

#define CODE_COUNT  "\tldr x1, [x0]\n"     /* N; one load */
#define CODE_MEMORY "\tldr x2, [x0, #8]\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back. */
#define CODE_LOOP(body) "1:\n" body "\tsubs x1, x1, #1\n\tb.ne 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\tadd x3, x3, #1\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tldr x2, [x2]\n" /* to where memory points; one load that waits for the last */

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd x3, x3, x4\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd x3, x3, x4\n\tadd x5, x5, x4\n"

/* Sixteen no-ops as compilers pad with. */
#define CODE_PADDING CODE_TIMES(16, CODE_NOP)

#define CODE_LOAD       "\tldr x3, [x2]\n" /* one word */
#define CODE_STORE      "\tstr x4, [x2]\n"
#define CODE_COUNT_BACK "\tstr x1, [x0]\n" /* stores N where it came from, in broken copies */

/* Instructions of many kinds in a row; what they read and write is memory and the stack. */
#define CODE_MIX_INSTRUCTIONS 24
#define CODE_MIX_LOADS        3
#define CODE_MIX_STORES       3
#define CODE_MIX                                                                                   \
    "\tmov x5, x3\n"                                                                               \
    "\tadd x6, x3, x5, lsl #1\n"                                                                   \
    "\tlsl x6, x6, #3\n"                                                                           \
    "\tlsr x7, x7, #5\n"                                                                           \
    "\tmul x6, x6, x5\n"                                                                           \
    "\tmadd x7, x6, x5, x7\n"                                                                      \
    "\tsub x7, x7, x5\n"                                                                           \
    "\tand x7, x7, #255\n"                                                                         \
    "\torr x6, x6, x5\n"                                                                           \
    "\teor x3, x3, x7\n"                                                                           \
    "\tmvn x5, x5\n"                                                                               \
    "\tneg x6, x6\n"                                                                               \
    "\tcmp x3, x6\n"                                                                               \
    "\tcsel x7, x5, x7, lo\n"                                                                      \
    "\tcset x8, eq\n"                                                                              \
    "\trev x5, x5\n"                                                                               \
    "\tudiv x9, x6, x5\n"                                                                          \
    "\tnop\n"                                                                                      \
    "\tldr x8, [x2]\n"            /* load */                                                       \
    "\tstr x8, [x2, #8]\n"        /* store */                                                      \
    "\tldrb w9, [x2, #16]\n"      /* load */                                                       \
    "\tstrh w9, [x2, #24]\n"      /* store */                                                      \
    "\tstp x3, x5, [sp, #-16]!\n" /* store of a pair: one instruction */                           \
    "\tldp x5, x6, [sp], #16\n"   /* load of a pair */

/* Makes the condition true; branches that are taken when it is, and when it is not. */
#define CODE_CONDITION            "\tcmp x3, x3\n"
#define CODE_BRANCH_IF(label)     "\tb.eq " label "\n"
#define CODE_BRANCH_IF_NOT(label) "\tb.ne " label "\n"
#define CODE_JUMP(label)          "\tb " label "\n"

/* A direct call, and what keeps the own return address over calls. */
#define CODE_CALL(label)       "\tbl " label "\n"
#define CODE_CALL_STORES       0
#define CODE_KEEP_RETURN       "\tmov x9, x30\n"
#define CODE_KEEP_INSTRUCTIONS 2 /* this one and the next */
#define CODE_TAKE_RETURN       "\tmov x30, x9\n"

/* An indirect jump to the instruction that follows. */
#define CODE_JUMP_INDIRECT_INSTRUCTIONS 2
#define CODE_JUMP_INDIRECT              "\tadr x3, 2f\n\tbr x3\n2:\n"

/* A call to an address in a register, formed right before. */
#define CODE_CALL_INDIRECT_INSTRUCTIONS 2
#define CODE_CALL_INDIRECT(label)       "\tadr x3, " label "\n\tblr x3\n"

/* An empty loop of ten: 21 instructions, a branch that is taken nine times and then not. */
#define CODE_LOOP_OF_TEN "\tmov x3, #10\n2:\tsubs x3, x3, #1\n\tb.ne 2b\n"

#define CODE_DOUBLE_COUNT "\tadd x1, x1, x1\n" /* twice as many iterations */
/* Takes a byte from memory and moves on: two instructions, one load. */
#define CODE_NEXT_BITS "\tldrb w3, [x2]\n\tadd x2, x2, #1\n"
/* For each of the byte's bits a branch that is taken when the bit is set. What it leads over is
 * more than a CPU would make conditional instead of predicting: two instructions, the second a
 * store to operands[1]. */
#define CODE_SKIPPED          "\tadd x4, x4, #1\n\tstr x1, [x0, #24]\n"
#define CODE_BIT_INSTRUCTIONS 1 /* the branch tests */
#define CODE_BRANCH_ON_BITS                                                                        \
    "\t.irp bit, 0, 1, 2, 3, 4, 5, 6, 7\n"                                                         \
    "\ttbnz w3, #\\bit, 2f\n" CODE_SKIPPED "2:\n"                                                  \
    "\t.endr\n"

/* Reads and claims memory, adds, writes if the claim still holds: three instructions. The second
 * begins again if it does not: four instructions when it does. */
#define CODE_EXCLUSIVE      "\tldxr x3, [x2]\n\tadd x3, x3, #1\n\tstxr w4, x3, [x2]\n"
#define CODE_EXCLUSIVE_LOOP "2:\n" CODE_EXCLUSIVE "\tcbnz w4, 2b\n"

/* Reads, adds and writes memory so that no other CPU comes between. Where the CPU has it. */
#define CODE_ATOMIC_ADD  "\t.arch_extension lse\n\tldadd x4, x3, [x2]\n"
#define CODE_ATOMIC_HERE ((getauxval(AT_HWCAP) & 1u << 8) != 0) /* HWCAP_ATOMICS */
#define CODE_ATOMIC_LACK "atomic memory operations (LSE)"

/* What waits until earlier accesses are done, the last for what the instructions themselves read.
 */
#define CODE_BARRIER_INSTRUCTIONS 3
#define CODE_BARRIERS             "\tdmb ish\n\tdsb ish\n\tisb\n"
