/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reading a counter from user code on RISC-V (64 bit), and the time counter that the mapped page
 * converts times from. Used through lib/user-read.h. Index 1 is cycle, 2 time, 3 instret, 4 … 32
 * hpmcounter3 … 31: the index less one is the register's distance from cycle. The number of the
 * register is part of the instruction, hence the branch into a table. No instruction here waits for
 * those before it. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "assay/counter-table-riscv64.h"

#define USER_COUNTER_TICKS 1 /* 0 where no instruction gives the page's clock */
#define USER_COUNTER_LAST  32

/* Needs [index] of 64 bits, at most USER_COUNTER_LAST; leaves the raw counter in [raw] and destroys
 * [index]. */
#define USER_COUNTER_DISPATCH                                                                      \
    "\t.option push\n"                                                                             \
    "\t.option norvc\n"                                                                            \
    "\t.option norelax\n"                                                                          \
    "\tlla %[raw], 2f\n"                                                                           \
    "\tslli %[index], %[index], 3\n"                                                               \
    "\tadd %[raw], %[raw], %[index]\n"                                                             \
    "\tjr %[raw]\n"                                                                                \
    "2:\n" ASSAY_COUNTER_TABLE("%[raw]", "3f") "3:\n"                                              \
                                               "\t.option pop\n"

/* Does this folder know how counters are read? */
static inline __attribute__((always_inline)) bool user_counter_known(void)
{
    return true;
}

/* Can an instruction read the counter with this index of a mapped page (index ≥ 1)? */
static inline __attribute__((always_inline)) bool user_counter_named(uint32_t index)
{
    return index >= 1 && index <= USER_COUNTER_LAST;
}

/* The raw counter; 0 where it has no name. */
static inline __attribute__((always_inline)) uint64_t user_counter_read(uint32_t index)
{
    uint64_t raw, number = index;
    if (!user_counter_named(index))
        return 0;
    __asm__ volatile(USER_COUNTER_DISPATCH : [raw] "=&r"(raw), [index] "+r"(number) : : "memory");
    return raw;
}

static inline __attribute__((always_inline)) uint64_t user_counter_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("rdtime %0" : "=r"(ticks) : : "memory");
    return ticks;
}

/* Does this instruction read a counter? For handlers that find out what trapped. */
static inline bool user_counter_instruction(const void *instruction)
{
    const uint16_t *half = instruction; /* instructions are aligned to two bytes only */
    uint32_t word = half[0] | (uint32_t)half[1] << 16;
    uint32_t number = word >> 20;
    return (word & UINT32_C(0xff07f)) == UINT32_C(0x2073) && number >= 0xc00 && number <= 0xc1f;
}

/* The whole read of a count, the same 20 instructions for every counter and at every optimisation
 * level: the eleventh reads the counter. Shifting by -width (modulo 64) and back extends the sign;
 * a width of 0 acts as 64. Offsets are those of struct perf_event_mmap_page: lock 8, index 12,
 * offset 16, width 48. False, and *count untouched: the counter has no name. */
static inline __attribute__((always_inline)) bool
user_counter_page(const volatile struct perf_event_mmap_page *page, uint64_t *count)
{
    uint64_t value, raw, sequence, index, readable;
    __asm__ volatile("1:\tlw %[sequence], 8(%[page])\n"
                     "\tlwu %[index], 12(%[page])\n"
                     "\tld %[value], 16(%[page])\n"
                     "\tsltiu %[readable], %[index], 33\n"
                     "\tbeqz %[readable], 4f\n" USER_COUNTER_DISPATCH /* */
                     "\tlhu %[index], 48(%[page])\n"
                     "\tneg %[index], %[index]\n"
                     "\tsll %[raw], %[raw], %[index]\n"
                     "\tsra %[raw], %[raw], %[index]\n"
                     "\tadd %[value], %[value], %[raw]\n"
                     "\tlw %[index], 8(%[page])\n"
                     "\tbne %[index], %[sequence], 1b\n"
                     "\tsd %[value], 0(%[count])\n"
                     "4:"
                     : [value] "=&r"(value), [raw] "=&r"(raw), [sequence] "=&r"(sequence),
                       [index] "=&r"(index), [readable] "=&r"(readable)
                     : [page] "r"(page), [count] "r"(count)
                     : "memory");
    return readable;
}

/* The instruction that trapped on RISC-V (64 bit), from a signal handler's third argument. */

static inline const void *trap_place(const void *context)
{
    return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];
}
