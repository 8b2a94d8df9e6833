/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on RISC-V (64 bit). Each piece is one
 * instruction unless it says otherwise. A specimen's function gets a pointer to its state in a0.
 *
 * t1 counts iterations, t2 points to the specimen's memory; t0, t3 … t6, a1 … a7 and the
 * caller-saved floating-point registers are free. Local labels: 1 is the loop's; a body may use
 * 2 … 8. */
#pragma once

#define CODE_RETURN_LOADS 0

#define CODE_COUNT  "\tld t1, 0(a0)\n" /* N; one load */
#define CODE_MEMORY "\tld t2, 8(a0)\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back.
 * Bodies of more than 4 KiB are out of the branch's reach. */
#define CODE_LOOP(body) "1:\n" body "\taddi t1, t1, -1\n\tbnez t1, 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\taddi t0, t0, 1\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tld t2, 0(t2)\n" /* to where memory points; one load that waits for the last */

/* Text whose instructions keep their full four bytes, and stay as they are when linked. */
#define CODE_UNCOMPRESSED(text)                                                                    \
    "\t.option push\n\t.option norvc\n\t.option norelax\n" text "\t.option pop\n"

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd t0, t0, t3\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd t0, t0, t3\n\tadd t4, t4, t3\n"

/* Sixteen no-ops as compilers pad with: of two bytes where there are such, and of four. */
#define CODE_PADDING CODE_TIMES(8, CODE_NOP) CODE_UNCOMPRESSED(CODE_TIMES(8, CODE_NOP))

#define CODE_LOAD       "\tld t0, 0(t2)\n" /* one word */
#define CODE_STORE      "\tsd t3, 0(t2)\n"
#define CODE_COUNT_BACK "\tsd t1, 0(a0)\n" /* stores N where it came from, in broken copies */

/* Instructions of many kinds in a row; what they read and write is memory and the stack. */
#define CODE_MIX_INSTRUCTIONS 26
#define CODE_MIX_LOADS        3
#define CODE_MIX_STORES       3
#define CODE_MIX                                                                                   \
    "\tmv t4, t0\n"                                                                                \
    "\tadd t5, t0, t4\n"                                                                           \
    "\tslli t5, t5, 3\n"                                                                           \
    "\tsrli t6, t6, 5\n"                                                                           \
    "\tmul t5, t5, t4\n"                                                                           \
    "\taddw t6, t6, t5\n"                                                                          \
    "\tsub t6, t6, t4\n"                                                                           \
    "\tandi t6, t6, 255\n"                                                                         \
    "\tor t5, t5, t4\n"                                                                            \
    "\txor t0, t0, t6\n"                                                                           \
    "\tnot t4, t4\n"                                                                               \
    "\tneg t5, t5\n"                                                                               \
    "\tsltu a1, t5, t0\n"                                                                          \
    "\tslti a2, t0, 7\n"                                                                           \
    "\tsext.w a3, t4\n"                                                                            \
    "\tlui a4, 16\n"                                                                               \
    "\tremu a5, t5, t4\n"                                                                          \
    "\tnop\n"                                                                                      \
    "\tld a1, 0(t2)\n"   /* load */                                                                \
    "\tsd a1, 8(t2)\n"   /* store */                                                               \
    "\tlbu a2, 16(t2)\n" /* load */                                                                \
    "\tsh a2, 24(t2)\n"  /* store */                                                               \
    "\taddi sp, sp, -16\n"                                                                         \
    "\tsd t0, 0(sp)\n" /* store */                                                                 \
    "\tld t4, 0(sp)\n" /* load */                                                                  \
    "\taddi sp, sp, 16\n"

/* Makes the condition true; branches that are taken when it is, and when it is not. */
#define CODE_CONDITION            "\tli t0, 0\n"
#define CODE_BRANCH_IF(label)     "\tbeqz t0, " label "\n"
#define CODE_BRANCH_IF_NOT(label) "\tbnez t0, " label "\n"
#define CODE_JUMP(label)          "\tj " label "\n"

/* A direct call, and what keeps the own return address over calls. */
#define CODE_CALL(label)       "\tjal ra, " label "\n"
#define CODE_CALL_STORES       0
#define CODE_KEEP_RETURN       "\tmv t3, ra\n"
#define CODE_KEEP_INSTRUCTIONS 2 /* this one and the next */
#define CODE_TAKE_RETURN       "\tmv ra, t3\n"

/* An indirect jump to the instruction that follows, twelve bytes behind the first. */
#define CODE_JUMP_INDIRECT_INSTRUCTIONS 3
#define CODE_JUMP_INDIRECT              CODE_UNCOMPRESSED("\tauipc t3, 0\n\taddi t3, t3, 12\n\tjr t3\n")

/* A call to an address in a register, formed right before. */
#define CODE_CALL_INDIRECT_INSTRUCTIONS 3
#define CODE_CALL_INDIRECT(label)       CODE_UNCOMPRESSED("\tlla t4, " label "\n\tjalr t4\n")

/* An empty loop of ten: 21 instructions, a branch that is taken nine times and then not. */
#define CODE_LOOP_OF_TEN "\tli t0, 10\n2:\taddi t0, t0, -1\n\tbnez t0, 2b\n"

#define CODE_DOUBLE_COUNT "\tadd t1, t1, t1\n" /* twice as many iterations */
/* Takes a byte from memory and moves on: two instructions, one load. */
#define CODE_NEXT_BITS "\tlbu t0, 0(t2)\n\taddi t2, t2, 1\n"
/* For each of the byte's bits a branch that is taken when the bit is set. What it leads over is
 * more than a CPU would make conditional instead of predicting: two instructions, the second a
 * store to operands[1]. */
#define CODE_SKIPPED          "\taddi t4, t4, 1\n\tsd t1, 24(a0)\n"
#define CODE_BIT_INSTRUCTIONS 2 /* test and branch */
#define CODE_BRANCH_ON_BITS                                                                        \
    "\t.irp bit, 1, 2, 4, 8, 16, 32, 64, 128\n"                                                    \
    "\tandi t3, t0, \\bit\n"                                                                       \
    "\tbnez t3, 2f\n" CODE_SKIPPED "2:\n"                                                          \
    "\t.endr\n"

/* Reads and claims memory, adds, writes if the claim still holds: three instructions. The second
 * begins again if it does not: four instructions when it does. */
#define CODE_EXCLUSIVE      "\tlr.d t0, (t2)\n\taddi t0, t0, 1\n\tsc.d t3, t0, (t2)\n"
#define CODE_EXCLUSIVE_LOOP "2:\n" CODE_EXCLUSIVE "\tbnez t3, 2b\n"

/* Reads, adds and writes memory so that no other CPU comes between. */
#define CODE_ATOMIC_ADD  "\tamoadd.d t0, t3, (t2)\n"
#define CODE_ATOMIC_HERE 1
#define CODE_ATOMIC_LACK NULL

/* What waits until earlier accesses are done. */
#define CODE_BARRIER_INSTRUCTIONS 3
#define CODE_BARRIERS             "\tfence rw, rw\n\tfence r, r\n\tfence w, w\n"
