/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Pieces of specimens that make the operating system work, on RISC-V (64 bit): pages touched
 * and system calls. Beside those of code.h, and on the same
 * terms: one instruction each unless it says otherwise. */
#pragma once

#include "code.h"

#define CODE_TEXT_(text) #text
#define CODE_TEXT(text)  CODE_TEXT_(text)

/* Memory one step after the other: memory in t2, step in t3. */
#define CODE_STEP    "\tld t3, 16(a0)\n" /* operands[0]; one load */
#define CODE_TOUCH   "\tsb t0, 0(t2)\n"  /* one store */
#define CODE_LOOK    "\tlbu t0, 0(t2)\n" /* one load of a byte */
#define CODE_ADVANCE "\tadd t2, t2, t3\n"

/* A loop whose body makes system calls: they leave t1 alone. */
#define CODE_SYSTEM_COUNT      CODE_COUNT
#define CODE_SYSTEM_LOOP(body) CODE_LOOP(body)

/* A system call without arguments: two instructions. */
#define CODE_SYSTEM_CALL(number) "\tli a7, " CODE_TEXT(number) "\n\tecall\n"

/* sched_setaffinity(0, size, mask) with two masks in turn. Operands: the address of the mask that
 * was last set, that address xor the other's, the size of a mask. Three instructions and loads,
 * then four instructions a call. */
#define CODE_AFFINITY_SETUP   "\tld a2, 16(a0)\n\tld t3, 24(a0)\n\tld a1, 32(a0)\n"
#define CODE_AFFINITY(number) "\txor a2, a2, t3\n\tli a0, 0\n" CODE_SYSTEM_CALL(number)

/* One byte written to a descriptor, one read from another. Operands: both descriptors, the byte's
 * address. Four instructions, three of them loads, then six instructions a turn. */
#define CODE_EXCHANGE_SETUP "\tld t3, 16(a0)\n\tld t4, 24(a0)\n\tld a1, 32(a0)\n\tli a2, 1\n"
#define CODE_EXCHANGE(write, read)                                                                 \
    "\tmv a0, t3\n" CODE_SYSTEM_CALL(write) "\tmv a0, t4\n" CODE_SYSTEM_CALL(read)

/* Work and system calls in turn, for a loop of CODE_SYSTEM_LOOP: t3, t4 and t5 hold the period,
 * what is left of it, and the kind of the steps, zero for work and all ones for calls. Setup: three
 * instructions, one of them a load (of operands[0]); the first steps are work. A step counts down,
 * turns to the other kind where its period is over (5 instructions, no branch), and branches to
 * `label` where it is a call. */
#define CODE_TURN_SETUP        "\tld t3, 16(a0)\n\tmv t4, t3\n\tli t5, 0\n"
#define CODE_TURN_INSTRUCTIONS 5
#define CODE_TURN                                                                                  \
    "\taddi t4, t4, -1\n\tsrai t0, t4, 63\n\txor t5, t5, t0\n"                                     \
    "\tand t0, t0, t3\n\tadd t4, t4, t0\n"
#define CODE_BRANCH_IF_CALL(label)       "\tbnez t5, " label "\n"
#define CODE_BRANCH_IF_CALL_INSTRUCTIONS 1
#define CODE_SYSTEM_DOUBLE_COUNT         CODE_DOUBLE_COUNT /* twice as many iterations */
/* An empty loop of so many: 1 + 2 * count instructions, a branch that is taken but for the last. */
#define CODE_LOOP_OF(count) "\tli t0, " CODE_TEXT(count) "\n2:\taddi t0, t0, -1\n\tbnez t0, 2b\n"

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 0
