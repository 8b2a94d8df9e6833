/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The frame of subjects without libc on riscv64: programs whose every instruction is known, from
 * the first to the system call that ends them. The pieces of code.h stand between.
 *
 * s1 keeps N over system calls; t2 is the memory of code.h, t1 its count. */
#pragma once

/* Takes N, the first argument, by the same number of instructions whatever its digits: nineteen
 * times a step that changes nothing once the digits have ended. Anything but a decimal number of at
 * least one and at most nineteen digits goes to .Lusage. */
#define SUBJECT_DIGITS_INSTRUCTIONS 14
#define SUBJECT_NUMBER_INSTRUCTIONS (9 + 19 * SUBJECT_DIGITS_INSTRUCTIONS)
#define SUBJECT_NUMBER                                                                             \
    "\t.option norelax\n" /* addresses take two instructions, near gp or not */                    \
    "\tld t0, 0(sp)\n"                                                                             \
    "\tli t3, 2\n"                                                                                 \
    "\tbltu t0, t3, .Lusage\n"                                                                     \
    "\tld t0, 16(sp)\n"                                                                            \
    "\tli s1, 0\n"                                                                                 \
    "\tli t1, 19\n"                                                                                \
    "1:\tlbu t2, 0(t0)\n"                                                                          \
    "\taddi t2, t2, -48\n"                                                                         \
    "\tsltiu t3, t2, 10\n"                                                                         \
    "\tslli t4, s1, 2\n"                                                                           \
    "\tadd t4, t4, s1\n"                                                                           \
    "\tslli t4, t4, 1\n"                                                                           \
    "\tadd t4, t4, t2\n"                                                                           \
    "\tneg t5, t3\n"                                                                               \
    "\txor t4, t4, s1\n"                                                                           \
    "\tand t4, t4, t5\n"                                                                           \
    "\txor s1, s1, t4\n"                                                                           \
    "\tadd t0, t0, t3\n"                                                                           \
    "\taddi t1, t1, -1\n"                                                                          \
    "\tbnez t1, 1b\n"                                                                              \
    "\tlbu t2, 0(t0)\n"                                                                            \
    "\tbnez t2, .Lusage\n"                                                                         \
    "\tbeqz s1, .Lusage\n"

#define SUBJECT_COUNT_INSTRUCTIONS 1
#define SUBJECT_COUNT              "\tmv t1, s1\n" /* N becomes the count of a loop */

#define SUBJECT_LOOP_INSTRUCTIONS 2 /* that CODE_LOOP adds to its body */

#define SUBJECT_EXIT_INSTRUCTIONS 3
#define SUBJECT_EXIT              "\tli a7, 94\n\tli a0, 0\n\tecall\n"

/* What follows the end: the ways out that are not taken. .Lwords to .Lwords_end is what to say. */
#define SUBJECT_REFUSALS                                                                           \
    ".Lusage:\n"                                                                                   \
    "\tli a7, 64\n"                                                                                \
    "\tli a0, 2\n"                                                                                 \
    "\tlla a1, .Lwords\n"                                                                          \
    "\tlla a2, .Lwords_end\n"                                                                      \
    "\tsub a2, a2, a1\n"                                                                           \
    "\tecall\n"                                                                                    \
    "\tli a7, 94\n"                                                                                \
    "\tli a0, 2\n"                                                                                 \
    "\tecall\n"                                                                                    \
    ".Lfailed:\n"                                                                                  \
    "\tli a7, 94\n"                                                                                \
    "\tli a0, 1\n"                                                                                 \
    "\tecall\n"

/* Maps N stretches of 64 KiB, none of which has memory yet, and keeps huge pages out of them (where
 * the operating system knows none, it refuses, which does no harm). Memory points to the first. No
 * page of Linux is larger, so every stretch is a page of its own. */
#define SUBJECT_MAP_INSTRUCTIONS 21
#define SUBJECT_MAP                                                                                \
    "\tsrli t0, s1, 24\n"                                                                          \
    "\tbnez t0, .Lusage\n"                                                                         \
    "\tli a7, 222\n" /* mmap */                                                                    \
    "\tli a0, 0\n"                                                                                 \
    "\tslli a1, s1, 16\n"                                                                          \
    "\tli a2, 3\n"                                                                                 \
    "\tlui a3, 4\n"                                                                                \
    "\taddi a3, a3, 0x22\n" /* private, anonymous, without reserve */                              \
    "\tli a4, -1\n"                                                                                \
    "\tli a5, 0\n"                                                                                 \
    "\tecall\n"                                                                                    \
    "\tli t0, -4096\n"                                                                             \
    "\tbltu t0, a0, .Lfailed\n"                                                                    \
    "\tmv s2, a0\n"                                                                                \
    "\tli a7, 233\n" /* madvise; the address is in place */                                        \
    "\tslli a1, s1, 16\n"                                                                          \
    "\tli a2, 15\n" /* no huge pages */                                                            \
    "\tecall\n"                                                                                    \
    "\tli t3, 0\n"                                                                                 \
    "\tlui t4, 16\n" /* the length of a stretch */                                                 \
    "\tmv t2, s2\n"
#define SUBJECT_NEXT_STRETCH "\tadd t2, t2, t4\n"

/* Leads from the first instruction to a C function that gets the initial stack and never returns.
 */
#define SUBJECT_TO_C                                                                               \
    "\t.option push\n\t.option norelax\n\tlla gp, __global_pointer$\n\t.option pop\n"              \
    "\tmv a0, sp\n\tli ra, 0\n\tj subject_main\n"

/* Threads of subjects without libc on riscv64: each is made by a bare system call, does its work
 * and ends; the first thread asks the operating system once to be woken at the end of each, so that
 * the number of instructions does not depend on who is faster. */

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
