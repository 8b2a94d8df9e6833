/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The frame of subjects without libc on x86-64: programs whose every instruction is known, from the
 * first to the system call that ends them. The pieces of code.h stand between.
 *
 * rbx keeps N over system calls; rsi is the memory of code.h, rcx its count. */
#pragma once

/* Takes N, the first argument, by the same number of instructions whatever its digits: nineteen
 * times a step that changes nothing once the digits have ended. Anything but a decimal number of at
 * least one and at most nineteen digits goes to .Lusage. */
#define SUBJECT_DIGITS_INSTRUCTIONS 9
#define SUBJECT_NUMBER_INSTRUCTIONS (9 + 19 * SUBJECT_DIGITS_INSTRUCTIONS)
#define SUBJECT_NUMBER                                                                             \
    "\tcmpq $2, (%rsp)\n"                                                                          \
    "\tjb .Lusage\n"                                                                               \
    "\tmov 16(%rsp), %rsi\n"                                                                       \
    "\txor %ebx, %ebx\n"                                                                           \
    "\tmov $19, %ecx\n"                                                                            \
    "1:\tmovzbl (%rsi), %eax\n"                                                                    \
    "\tsub $48, %eax\n"                                                                            \
    "\tlea (%rbx,%rbx,4), %rdx\n"                                                                  \
    "\tlea (%rax,%rdx,2), %rdx\n"                                                                  \
    "\tcmp $10, %eax\n"                                                                            \
    "\tcmovb %rdx, %rbx\n"                                                                         \
    "\tadc $0, %rsi\n"                                                                             \
    "\tsub $1, %ecx\n"                                                                             \
    "\tjne 1b\n"                                                                                   \
    "\tcmpb $0, (%rsi)\n"                                                                          \
    "\tjne .Lusage\n"                                                                              \
    "\ttest %rbx, %rbx\n"                                                                          \
    "\tje .Lusage\n"

#define SUBJECT_COUNT_INSTRUCTIONS 1
#define SUBJECT_COUNT              "\tmov %rbx, %rcx\n" /* N becomes the count of a loop */

#define SUBJECT_LOOP_INSTRUCTIONS 2 /* that CODE_LOOP adds to its body */

#define SUBJECT_EXIT_INSTRUCTIONS 3
#define SUBJECT_EXIT              "\tmov $231, %eax\n\txor %edi, %edi\n\tsyscall\n"

/* What follows the end: the ways out that are not taken. .Lwords to .Lwords_end is what to say. */
#define SUBJECT_REFUSALS                                                                           \
    ".Lusage:\n"                                                                                   \
    "\tmov $1, %eax\n"                                                                             \
    "\tmov $2, %edi\n"                                                                             \
    "\tlea .Lwords(%rip), %rsi\n"                                                                  \
    "\tmov $.Lwords_end - .Lwords, %edx\n"                                                         \
    "\tsyscall\n"                                                                                  \
    "\tmov $231, %eax\n"                                                                           \
    "\tmov $2, %edi\n"                                                                             \
    "\tsyscall\n"                                                                                  \
    ".Lfailed:\n"                                                                                  \
    "\tmov $231, %eax\n"                                                                           \
    "\tmov $1, %edi\n"                                                                             \
    "\tsyscall\n"

/* Maps N stretches of 64 KiB, none of which has memory yet, and keeps huge pages out of them (where
 * the operating system knows none, it refuses, which does no harm). Memory points to the first. No
 * page of Linux is larger, so every stretch is a page of its own. */
#define SUBJECT_MAP_INSTRUCTIONS 21
#define SUBJECT_MAP                                                                                \
    "\tcmp $0x1000000, %rbx\n"                                                                     \
    "\tja .Lusage\n"                                                                               \
    "\tmov $9, %eax\n" /* mmap */                                                                  \
    "\txor %edi, %edi\n"                                                                           \
    "\tmov %rbx, %rsi\n"                                                                           \
    "\tshl $16, %rsi\n"                                                                            \
    "\tmov $3, %edx\n"                                                                             \
    "\tmov $0x4022, %r10d\n" /* private, anonymous, without reserve */                             \
    "\tmov $-1, %r8\n"                                                                             \
    "\txor %r9d, %r9d\n"                                                                           \
    "\tsyscall\n"                                                                                  \
    "\tcmp $-4096, %rax\n"                                                                         \
    "\tja .Lfailed\n"                                                                              \
    "\tmov %rax, %r12\n"                                                                           \
    "\tmov $28, %eax\n" /* madvise */                                                              \
    "\tmov %r12, %rdi\n"                                                                           \
    "\tmov %rbx, %rsi\n"                                                                           \
    "\tshl $16, %rsi\n"                                                                            \
    "\tmov $15, %edx\n" /* no huge pages */                                                        \
    "\tsyscall\n"                                                                                  \
    "\tmov %r12, %rsi\n"
#define SUBJECT_NEXT_STRETCH "\tadd $65536, %rsi\n"

/* Leads from the first instruction to a C function that gets the initial stack and never returns.
 */
#define SUBJECT_TO_C "\tmov %rsp, %rdi\n\txor %ebp, %ebp\n\tand $-16, %rsp\n\tcall subject_main\n"

/* Threads of subjects without libc on x86-64: each is made by a bare system call, does its work and
 * ends; the first thread asks the operating system once to be woken at the end of each, so that the
 * number of instructions does not depend on who is faster. */

/* For each thread: a word that is cleared at its end, and eight bytes later its id. A stack, which
 * it does not use. */
#define SUBJECT_THREADS        3 /* beside the first */
#define SUBJECT_THREADS_MEMORY "\t.lcomm thread_words, 48\n\t.lcomm thread_stacks, 12288\n"

#define SUBJECT_START_THREADS_INSTRUCTIONS (3 + 15 * SUBJECT_THREADS)
#define SUBJECT_START_THREADS                                                                      \
    "\tmov $3, %r13d\n"                                                                            \
    "\tlea thread_stacks(%rip), %r12\n"                                                            \
    "\tlea thread_words(%rip), %r14\n"                                                             \
    "1:\tadd $4096, %r12\n"                                                                        \
    "\tmov $56, %eax\n"       /* clone */                                                          \
    "\tmov $0x350f00, %edi\n" /* a thread; its id is stored, and cleared at its end */             \
    "\tmov %r12, %rsi\n"                                                                           \
    "\tmov %r14, %rdx\n"                                                                           \
    "\tmov %r14, %r10\n"                                                                           \
    "\txor %r8d, %r8d\n"                                                                           \
    "\tsyscall\n"                                                                                  \
    "\ttest %rax, %rax\n"                                                                          \
    "\tje .Lthread\n"                                                                              \
    "\tjs .Lfailed\n"                                                                              \
    "\tmov %rax, 8(%r14)\n"                                                                        \
    "\tadd $16, %r14\n"                                                                            \
    "\tsub $1, %r13d\n"                                                                            \
    "\tjne 1b\n"

#define SUBJECT_AWAIT_THREADS_INSTRUCTIONS (2 + 11 * SUBJECT_THREADS)
#define SUBJECT_AWAIT_THREADS                                                                      \
    "\tmov $3, %r13d\n"                                                                            \
    "\tlea thread_words(%rip), %r14\n"                                                             \
    "1:\tmov $202, %eax\n" /* futex: wait unless the word has changed */                           \
    "\tmov %r14, %rdi\n"                                                                           \
    "\txor %esi, %esi\n"                                                                           \
    "\tmov 8(%r14), %rdx\n"                                                                        \
    "\txor %r10d, %r10d\n"                                                                         \
    "\tsyscall\n"                                                                                  \
    "\tcmpl $0, (%r14)\n"                                                                          \
    "\tjne 1b\n"                                                                                   \
    "\tadd $16, %r14\n"                                                                            \
    "\tsub $1, %r13d\n"                                                                            \
    "\tjne 1b\n"

/* Of each thread, beside its work: the two that lead here from the call that made it, and its end.
 */
#define SUBJECT_THREAD_INSTRUCTIONS 5
#define SUBJECT_THREAD(work)        ".Lthread:\n" work "\tmov $60, %eax\n\txor %edi, %edi\n\tsyscall\n"
