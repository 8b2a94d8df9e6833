/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The frame of subjects without libc on aarch64: programs whose every instruction is known, from
 * the first to the system call that ends them. The pieces of code.h stand between.
 *
 * x19 keeps N over system calls; x2 is the memory of code.h, x1 its count. */
#pragma once

/* Takes N, the first argument, by the same number of instructions whatever its digits: nineteen
 * times a step that changes nothing once the digits have ended. Anything but a decimal number of at
 * least one and at most nineteen digits goes to .Lusage. */
#define SUBJECT_DIGITS_INSTRUCTIONS 9
#define SUBJECT_NUMBER_INSTRUCTIONS (9 + 19 * SUBJECT_DIGITS_INSTRUCTIONS)
#define SUBJECT_NUMBER                                                                             \
    "\tldr x0, [sp]\n"                                                                             \
    "\tcmp x0, #2\n"                                                                               \
    "\tb.lo .Lusage\n"                                                                             \
    "\tldr x9, [sp, #16]\n"                                                                        \
    "\tmov x19, #0\n"                                                                              \
    "\tmov x10, #19\n"                                                                             \
    "1:\tldrb w11, [x9]\n"                                                                         \
    "\tsub w11, w11, #48\n"                                                                        \
    "\tadd x12, x19, x19, lsl #2\n"                                                                \
    "\tadd x12, x11, x12, lsl #1\n"                                                                \
    "\tcmp w11, #10\n"                                                                             \
    "\tcsel x19, x12, x19, lo\n"                                                                   \
    "\tcinc x9, x9, lo\n"                                                                          \
    "\tsubs x10, x10, #1\n"                                                                        \
    "\tb.ne 1b\n"                                                                                  \
    "\tldrb w11, [x9]\n"                                                                           \
    "\tcbnz w11, .Lusage\n"                                                                        \
    "\tcbz x19, .Lusage\n"

#define SUBJECT_COUNT_INSTRUCTIONS 1
#define SUBJECT_COUNT              "\tmov x1, x19\n" /* N becomes the count of a loop */

#define SUBJECT_LOOP_INSTRUCTIONS 2 /* that CODE_LOOP adds to its body */

#define SUBJECT_EXIT_INSTRUCTIONS 3
#define SUBJECT_EXIT              "\tmov x8, #94\n\tmov x0, #0\n\tsvc #0\n"

/* What follows the end: the ways out that are not taken. .Lwords to .Lwords_end is what to say. */
#define SUBJECT_REFUSALS                                                                           \
    ".Lusage:\n"                                                                                   \
    "\tmov x8, #64\n"                                                                              \
    "\tmov x0, #2\n"                                                                               \
    "\tadr x1, .Lwords\n"                                                                          \
    "\tmov x2, #.Lwords_end - .Lwords\n"                                                           \
    "\tsvc #0\n"                                                                                   \
    "\tmov x8, #94\n"                                                                              \
    "\tmov x0, #2\n"                                                                               \
    "\tsvc #0\n"                                                                                   \
    ".Lfailed:\n"                                                                                  \
    "\tmov x8, #94\n"                                                                              \
    "\tmov x0, #1\n"                                                                               \
    "\tsvc #0\n"

/* Maps N stretches of 64 KiB, none of which has memory yet, and keeps huge pages out of them (where
 * the operating system knows none, it refuses, which does no harm). Memory points to the first. No
 * page of Linux is larger, so every stretch is a page of its own. */
#define SUBJECT_MAP_INSTRUCTIONS 20
#define SUBJECT_MAP                                                                                \
    "\tmov x9, #0x1000000\n"                                                                       \
    "\tcmp x19, x9\n"                                                                              \
    "\tb.hi .Lusage\n"                                                                             \
    "\tmov x8, #222\n" /* mmap */                                                                  \
    "\tmov x0, #0\n"                                                                               \
    "\tlsl x1, x19, #16\n"                                                                         \
    "\tmov x2, #3\n"                                                                               \
    "\tmov x3, #0x4022\n" /* private, anonymous, without reserve */                                \
    "\tmov x4, #-1\n"                                                                              \
    "\tmov x5, #0\n"                                                                               \
    "\tsvc #0\n"                                                                                   \
    "\tcmn x0, #4095\n"                                                                            \
    "\tb.hs .Lfailed\n"                                                                            \
    "\tmov x20, x0\n"                                                                              \
    "\tmov x8, #233\n" /* madvise; the address is in place */                                      \
    "\tlsl x1, x19, #16\n"                                                                         \
    "\tmov x2, #15\n" /* no huge pages */                                                          \
    "\tsvc #0\n"                                                                                   \
    "\tmov x4, #0\n"                                                                               \
    "\tmov x2, x20\n"
#define SUBJECT_NEXT_STRETCH "\tadd x2, x2, #16, lsl #12\n"

/* Leads from the first instruction to a C function that gets the initial stack and never returns.
 */
#define SUBJECT_TO_C "\tmov x0, sp\n\tmov x29, #0\n\tmov x30, #0\n\tb subject_main\n"

/* Threads of subjects without libc on aarch64: each is made by a bare system call, does its work
 * and ends; the first thread asks the operating system once to be woken at the end of each, so that
 * the number of instructions does not depend on who is faster. */

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
