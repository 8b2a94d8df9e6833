/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Subjects without libc that are written in C: how many instructions they execute is the compiler's
 * business, so they have no truth; but nothing is executed before or behind what stands in their
 * file. */
#pragma once

#include "subject-frame.h"
#include "syscall.h"

#include "probe/subjects/subject.h"

/* Where a program begins: argc, the arguments, 0, the environment, 0, the auxiliary vector. */
__attribute__((noreturn, used)) void subject_main(const uintptr_t *stack);

#define SUBJECT_START                                                                              \
    __asm__("\t.text\n\t.globl _start\n\t.type _start, %function\n_start:\n" SUBJECT_TO_C          \
            "\t.size _start, . - _start\n")

__attribute__((noreturn)) static inline void bare_exit(int status)
{
    for (;;)
        assay_syscall1(SYS_exit_group, status);
}

/* Ends the program where there is no decimal number of at least 1. */
static inline uint64_t bare_number(const uintptr_t *stack)
{
    static const char words[] = "a subject takes one number, at least 1\n";
    const char *digit = stack[0] >= 2 ? (const char *)stack[2] : "";
    uint64_t number = 0;
    int digits = 0;
    for (; *digit >= '0' && *digit <= '9' && digits < 19; digits++)
        number = number * 10 + (uint64_t)(*digit++ - '0');
    if (number == 0 || *digit) {
        assay_syscall3(SYS_write, 2, (long)words, sizeof(words) - 1);
        bare_exit(2);
    }
    return number;
}

/* Makes the compiler believe that the value is used, and anything may have happened to it. */
#define BARE_KEEP(value) __asm__ volatile("" : "+r"(value))

/* Counts down from so many: what programs do that depend on what they were told. */
#define BARE_WORK(count)                                                                           \
    do {                                                                                           \
        for (uint64_t bare_left = (count); bare_left; bare_left--)                                 \
            BARE_KEEP(bare_left);                                                                  \
    } while (0)
