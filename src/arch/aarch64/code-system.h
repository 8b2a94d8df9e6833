/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Pieces of specimens that make the operating system work, on AArch64: pages touched and system
 * calls. Beside those of code.h, and on the same terms: one
 * instruction each unless it says otherwise. */
#pragma once

#include "code.h"

#define CODE_TEXT_(text) #text
#define CODE_TEXT(text)  CODE_TEXT_(text)

/* Memory one step after the other: memory in x2, step in x9. */
#define CODE_STEP    "\tldr x9, [x0, #16]\n" /* operands[0]; one load */
#define CODE_TOUCH   "\tstrb w3, [x2]\n"     /* one store */
#define CODE_LOOK    "\tldrb w3, [x2]\n"     /* one load of a byte */
#define CODE_ADVANCE "\tadd x2, x2, x9\n"

/* A loop whose body makes system calls: x1 is their second argument, so x10 counts. */
#define CODE_SYSTEM_COUNT      "\tldr x10, [x0]\n" /* N; one load */
#define CODE_SYSTEM_LOOP(body) "1:\n" body "\tsubs x10, x10, #1\n\tb.ne 1b\n"

/* A system call without arguments: two instructions. */
#define CODE_SYSTEM_CALL(number) "\tmov x8, #" CODE_TEXT(number) "\n\tsvc #0\n"

/* sched_setaffinity(0, size, mask) with two masks in turn. Operands: the address of the mask that
 * was last set, that address xor the other's, the size of a mask. Three instructions and loads,
 * then four instructions a call. */
#define CODE_AFFINITY_SETUP   "\tldr x2, [x0, #16]\n\tldr x11, [x0, #24]\n\tldr x1, [x0, #32]\n"
#define CODE_AFFINITY(number) "\teor x2, x2, x11\n\tmov x0, #0\n" CODE_SYSTEM_CALL(number)

/* One byte written to a descriptor, one read from another. Operands: both descriptors, the byte's
 * address. Four instructions, three of them loads, then six instructions a turn. */
#define CODE_EXCHANGE_SETUP                                                                        \
    "\tldr x11, [x0, #16]\n\tldr x12, [x0, #24]\n\tldr x1, [x0, #32]\n\tmov x2, #1\n"
#define CODE_EXCHANGE(write, read)                                                                 \
    "\tmov x0, x11\n" CODE_SYSTEM_CALL(write) "\tmov x0, x12\n" CODE_SYSTEM_CALL(read)

/* Work and system calls in turn, for a loop of CODE_SYSTEM_LOOP: x11, x12 and x13 hold the period,
 * what is left of it, and the kind of the steps, zero for work and all ones for calls. Setup: three
 * instructions, one of them a load (of operands[0]); the first steps are work. A step counts down,
 * turns to the other kind where its period is over (5 instructions, no branch), and branches to
 * `label` where it is a call. */
#define CODE_TURN_SETUP        "\tldr x11, [x0, #16]\n\tmov x12, x11\n\tmov x13, #0\n"
#define CODE_TURN_INSTRUCTIONS 5
#define CODE_TURN                                                                                  \
    "\tsub x12, x12, #1\n\tasr x3, x12, #63\n\teor x13, x13, x3\n"                                 \
    "\tand x3, x3, x11\n\tadd x12, x12, x3\n"
#define CODE_BRANCH_IF_CALL(label)       "\tcbnz x13, " label "\n"
#define CODE_BRANCH_IF_CALL_INSTRUCTIONS 1
#define CODE_SYSTEM_DOUBLE_COUNT         "\tadd x10, x10, x10\n" /* twice as many iterations */
/* An empty loop of so many: 1 + 2 * count instructions, a branch that is taken but for the last. */
#define CODE_LOOP_OF(count) "\tmov x3, #" CODE_TEXT(count) "\n2:\tsubs x3, x3, #1\n\tb.ne 2b\n"

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 1
