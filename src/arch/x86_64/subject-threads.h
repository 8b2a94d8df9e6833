/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Threads of subjects without libc on x86-64: each is made by a bare system call, does its work and
 * ends; the first thread asks the operating system once to be woken at the end of each, so that the
 * number of instructions does not depend on who is faster. */
#pragma once

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
