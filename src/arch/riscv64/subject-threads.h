/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Threads of subjects without libc on riscv64: each is made by a bare system call, does its work
 * and ends; the first thread asks the operating system once to be woken at the end of each, so that
 * the number of instructions does not depend on who is faster. */
#pragma once

/* For each thread: a word that is cleared at its end, and eight bytes later its id. A stack, which
 * it does not use. */
#define SUBJECT_THREADS        3 /* beside the first */
#define SUBJECT_THREADS_MEMORY "\t.lcomm thread_words, 48\n\t.lcomm thread_stacks, 12288\n"

#define SUBJECT_START_THREADS_INSTRUCTIONS (6 + 15 * SUBJECT_THREADS)
#define SUBJECT_START_THREADS                                                                      \
    "\tli s3, 3\n"                                                                                 \
    "\tlui s5, 1\n" /* the length of a stack */                                                    \
    "\tlla s2, thread_stacks\n"                                                                    \
    "\tlla s4, thread_words\n"                                                                     \
    "1:\tadd s2, s2, s5\n"                                                                         \
    "\tli a7, 220\n" /* clone */                                                                   \
    "\tlui a0, 0x351\n"                                                                            \
    "\taddi a0, a0, -0x100\n" /* a thread; its id is stored, and cleared at its end */             \
    "\tmv a1, s2\n"                                                                                \
    "\tmv a2, s4\n"                                                                                \
    "\tli a3, 0\n"                                                                                 \
    "\tmv a4, s4\n"                                                                                \
    "\tecall\n"                                                                                    \
    "\tbeqz a0, .Lthread\n"                                                                        \
    "\tbltz a0, .Lfailed\n"                                                                        \
    "\tsd a0, 8(s4)\n"                                                                             \
    "\taddi s4, s4, 16\n"                                                                          \
    "\taddi s3, s3, -1\n"                                                                          \
    "\tbnez s3, 1b\n"

#define SUBJECT_AWAIT_THREADS_INSTRUCTIONS (3 + 11 * SUBJECT_THREADS)
#define SUBJECT_AWAIT_THREADS                                                                      \
    "\tli s3, 3\n"                                                                                 \
    "\tlla s4, thread_words\n"                                                                     \
    "1:\tli a7, 98\n" /* futex: wait unless the word has changed */                                \
    "\tmv a0, s4\n"                                                                                \
    "\tli a1, 0\n"                                                                                 \
    "\tld a2, 8(s4)\n"                                                                             \
    "\tli a3, 0\n"                                                                                 \
    "\tecall\n"                                                                                    \
    "\tlw t0, 0(s4)\n"                                                                             \
    "\tbnez t0, 1b\n"                                                                              \
    "\taddi s4, s4, 16\n"                                                                          \
    "\taddi s3, s3, -1\n"                                                                          \
    "\tbnez s3, 1b\n"

/* Of each thread, beside its work: the one that leads here from the call that made it, and its end.
 */
#define SUBJECT_THREAD_INSTRUCTIONS 4
#define SUBJECT_THREAD(work)        ".Lthread:\n" work "\tli a7, 93\n\tli a0, 0\n\tecall\n"
