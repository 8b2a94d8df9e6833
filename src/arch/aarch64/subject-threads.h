/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Threads of subjects without libc on aarch64: each is made by a bare system call, does its work
 * and ends; the first thread asks the operating system once to be woken at the end of each, so that
 * the number of instructions does not depend on who is faster. */
#pragma once

/* For each thread: a word that is cleared at its end, and eight bytes later its id. A stack, which
 * it does not use. */
#define SUBJECT_THREADS        3 /* beside the first */
#define SUBJECT_THREADS_MEMORY "\t.lcomm thread_words, 48\n\t.lcomm thread_stacks, 12288\n"

#define SUBJECT_START_THREADS_INSTRUCTIONS (5 + 15 * SUBJECT_THREADS)
#define SUBJECT_START_THREADS                                                                      \
    "\tmov x21, #3\n"                                                                              \
    "\tadrp x20, thread_stacks\n"                                                                  \
    "\tadd x20, x20, :lo12:thread_stacks\n"                                                        \
    "\tadrp x22, thread_words\n"                                                                   \
    "\tadd x22, x22, :lo12:thread_words\n"                                                         \
    "1:\tadd x20, x20, #1, lsl #12\n"                                                              \
    "\tmov x8, #220\n" /* clone */                                                                 \
    "\tmov x0, #0x0f00\n"                                                                          \
    "\tmovk x0, #0x35, lsl #16\n" /* a thread; its id is stored, and cleared at its end */         \
    "\tmov x1, x20\n"                                                                              \
    "\tmov x2, x22\n"                                                                              \
    "\tmov x3, #0\n"                                                                               \
    "\tmov x4, x22\n"                                                                              \
    "\tsvc #0\n"                                                                                   \
    "\tcbz x0, .Lthread\n"                                                                         \
    "\ttbnz x0, #63, .Lfailed\n"                                                                   \
    "\tstr x0, [x22, #8]\n"                                                                        \
    "\tadd x22, x22, #16\n"                                                                        \
    "\tsubs x21, x21, #1\n"                                                                        \
    "\tb.ne 1b\n"

#define SUBJECT_AWAIT_THREADS_INSTRUCTIONS (3 + 11 * SUBJECT_THREADS)
#define SUBJECT_AWAIT_THREADS                                                                      \
    "\tmov x21, #3\n"                                                                              \
    "\tadrp x22, thread_words\n"                                                                   \
    "\tadd x22, x22, :lo12:thread_words\n"                                                         \
    "1:\tmov x8, #98\n" /* futex: wait unless the word has changed */                              \
    "\tmov x0, x22\n"                                                                              \
    "\tmov x1, #0\n"                                                                               \
    "\tldr x2, [x22, #8]\n"                                                                        \
    "\tmov x3, #0\n"                                                                               \
    "\tsvc #0\n"                                                                                   \
    "\tldr w9, [x22]\n"                                                                            \
    "\tcbnz w9, 1b\n"                                                                              \
    "\tadd x22, x22, #16\n"                                                                        \
    "\tsubs x21, x21, #1\n"                                                                        \
    "\tb.ne 1b\n"

/* Of each thread, beside its work: the one that leads here from the call that made it, and its end.
 */
#define SUBJECT_THREAD_INSTRUCTIONS 4
#define SUBJECT_THREAD(work)        ".Lthread:\n" work "\tmov x8, #93\n\tmov x0, #0\n\tsvc #0\n"
