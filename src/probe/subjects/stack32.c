/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A 32-bit program without libc that keeps objects of its stack in a table by their addresses, and
 * looks each up N times. Where its stack begins, which an operating system of 64 bits puts
 * elsewhere than one of 32, decides how many instructions that takes. */
#include "probe/subjects/subject.h"

#ifdef SUBJECT_PROGRAM
#include "probe/subjects/chains.h"

/* Addresses are as wide as the program is; a header for the ISA of the kit would be of no use. */
_Static_assert(sizeof(void *) == 4, "compiled with -m32");

__attribute__((noreturn, used)) void subject_main(const uintptr_t *stack);
__asm__("\t.text\n\t.globl _start\n\t.type _start, %function\n_start:\n"
        "\tmov %esp, %eax\n\tand $-16, %esp\n\tsub $12, %esp\n\tpush %eax\n\tcall subject_main\n"
        "\t.size _start, . - _start\n");

static long call(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(first), "c"(second), "d"(third)
                     : "memory");
    return result;
}

__attribute__((noreturn)) static void leave(int status)
{
    for (;;)
        call(252, status, 0, 0); /* exit_group */
}

static uint32_t number_of(const uintptr_t *stack)
{
    static const char words[] = "a subject takes one number, at least 1\n";
    const char *digit = stack[0] >= 2 ? (const char *)stack[2] : "";
    uint32_t number = 0;
    int digits = 0;
    for (; *digit >= '0' && *digit <= '9' && digits < 9; digits++)
        number = number * 10 + (uint32_t)(*digit++ - '0');
    if (number == 0 || *digit) {
        call(4, 2, (long)words, sizeof(words) - 1);
        leave(2);
    }
    return number;
}

void subject_main(const uintptr_t *stack)
{
    const uint32_t n = number_of(stack);
    struct chained objects[2][CHAINS_OBJECTS];
    chains_keep(objects[0]);
    chains_keep(objects[1]);
    for (uint32_t round = 0; round < n; round++) {
        chains_find(objects[0]);
        chains_find(objects[1]);
    }
    leave(0);
}
#else
const struct subject subject_stack32 = {
    .name = "stack32",
    .summary =
        "a 32-bit program that finds objects of its stack by hashing their addresses, N times",
    .shows = "M5",
    .n = 5,
    .bits = 32,
};
#endif
