/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Pieces of specimens that make the operating system work, on x86-64: pages touched and system
 * calls. Beside those of code.h, and on the same terms: one
 * instruction each unless it says otherwise. */
#pragma once

#include "code.h"

#define CODE_TEXT_(text) #text
#define CODE_TEXT(text)  CODE_TEXT_(text)

/* Memory one step after the other: memory in rsi, step in r8. */
#define CODE_STEP    "\tmov 16(%rdi), %r8\n"   /* operands[0]; one load */
#define CODE_TOUCH   "\tmovb $1, (%rsi)\n"     /* one store */
#define CODE_LOOK    "\tmovzbl (%rsi), %eax\n" /* one load of a byte */
#define CODE_ADVANCE "\tadd %r8, %rsi\n"

/* A loop whose body makes system calls: they leave rcx and r11 changed, so r9 counts. */
#define CODE_SYSTEM_COUNT      "\tmov (%rdi), %r9\n" /* N; one load */
#define CODE_SYSTEM_LOOP(body) "1:\n" body "\tsub $1, %r9\n\tjne 1b\n"

/* A system call without arguments: two instructions. */
#define CODE_SYSTEM_CALL(number) "\tmov $" CODE_TEXT(number) ", %eax\n\tsyscall\n"

/* sched_setaffinity(0, size, mask) with two masks in turn. Operands: the address of the mask that
 * was last set, that address xor the other's, the size of a mask. Three instructions and loads,
 * then four instructions a call. */
#define CODE_AFFINITY_SETUP   "\tmov 16(%rdi), %rdx\n\tmov 24(%rdi), %r10\n\tmov 32(%rdi), %rsi\n"
#define CODE_AFFINITY(number) "\txor %r10, %rdx\n\txor %edi, %edi\n" CODE_SYSTEM_CALL(number)

/* One byte written to a descriptor, one read from another. Operands: both descriptors, the byte's
 * address. Four instructions, three of them loads, then six instructions a turn. */
#define CODE_EXCHANGE_SETUP                                                                        \
    "\tmov 16(%rdi), %r8\n\tmov 24(%rdi), %r10\n\tmov 32(%rdi), %rsi\n\tmov $1, %edx\n"
#define CODE_EXCHANGE(write, read)                                                                 \
    "\tmov %r8, %rdi\n" CODE_SYSTEM_CALL(write) "\tmov %r10, %rdi\n" CODE_SYSTEM_CALL(read)

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 1
