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

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 1
