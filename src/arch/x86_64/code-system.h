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

/* Work and system calls in turn, for a loop of CODE_SYSTEM_LOOP: rdx, r8 and r10 hold the period,
 * what is left of it, and the kind of the steps, zero for work and all ones for calls. Setup: three
 * instructions, one of them a load (of operands[0]); the first steps are work. A step counts down,
 * turns to the other kind where its period is over (6 instructions, no branch), and branches to
 * `label` where it is a call. */
#define CODE_TURN_SETUP        "\tmov 16(%rdi), %rdx\n\tmov %rdx, %r8\n\tmov $0, %r10d\n"
#define CODE_TURN_INSTRUCTIONS 6
#define CODE_TURN                                                                                  \
    "\tsub $1, %r8\n\tmov %r8, %rax\n\tsar $63, %rax\n\txor %rax, %r10\n"                          \
    "\tand %rdx, %rax\n\tadd %rax, %r8\n"
#define CODE_BRANCH_IF_CALL(label)       "\ttest %r10, %r10\n\tjne " label "\n"
#define CODE_BRANCH_IF_CALL_INSTRUCTIONS 2
#define CODE_SYSTEM_DOUBLE_COUNT         "\tadd %r9, %r9\n" /* twice as many iterations */
/* An empty loop of so many: 1 + 2 * count instructions, a branch that is taken but for the last. */
#define CODE_LOOP_OF(count) "\tmov $" CODE_TEXT(count) ", %eax\n2:\tsub $1, %eax\n\tjne 2b\n"

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 1
