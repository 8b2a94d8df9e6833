/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reading a counter from user code on AArch64, and the virtual counter that the mapped page
 * converts times from. Used through lib/user-read.h. Index 1 … 31 is PMEVCNTR0 … 30, index 32 the
 * cycle counter. Every register has an instruction of its own, hence the branch into a table.
 * Higher indices (the instruction counter of newer PMUs) have no instruction that every core knows:
 * they are refused. No instruction here waits for those before it: who needs that adds an isb. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "assay/counter-table-aarch64.h"

#define USER_COUNTER_TICKS 1 /* 0 where no instruction gives the page's clock */
#define USER_COUNTER_LAST  32

/* Needs [index] as 32 bits, at most USER_COUNTER_LAST; leaves the raw counter in [raw]. */
#define USER_COUNTER_DISPATCH                                                                      \
    "\tadr %[raw], 2f\n"                                                                           \
    "\tadd %[raw], %[raw], %w[index], uxtw #" ASSAY_COUNTER_STRIDE "\n"                            \
    "\tbr %[raw]\n"                                                                                \
    "2:\n" ASSAY_COUNTER_TABLE("%[raw]", "3f") "3:\n"

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
    uint64_t raw;
    if (!user_counter_named(index))
        return 0;
    __asm__ volatile(USER_COUNTER_DISPATCH : [raw] "=&r"(raw) : [index] "r"(index) : "memory");
    return raw;
}

static inline __attribute__((always_inline)) uint64_t user_counter_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

/* Does this instruction read a counter? For handlers that find out what trapped. */
static inline bool user_counter_instruction(const void *instruction)
{
    uint32_t word = *(const uint32_t *)instruction & ~UINT32_C(0x1f); /* without the destination */
    uint32_t event = word & ~UINT32_C(0x3e0);                         /* without the number */
    return event == UINT32_C(0xd53be800) || word == UINT32_C(0xd53b9d00);
}

/* The whole read of a count, the same 18 instructions for every counter and at every optimisation
 * level: the eighth reads the counter. Shifting by -width (modulo 64) and back extends the sign; a
 * width of 0 acts as 64. Offsets are those of struct perf_event_mmap_page: lock 8, index 12, offset
 * 16, width 48. False, and *count untouched: the counter has no name. */
static inline __attribute__((always_inline)) bool
user_counter_page(const volatile struct perf_event_mmap_page *page, uint64_t *count)
{
    uint64_t value, raw, sequence, index;
    __asm__ volatile(
        "1:\tldp %w[sequence], %w[index], [%[page], #8]\n"
        "\tldr %[value], [%[page], #16]\n"
        "\tcmp %w[index], #32\n"
        "\tb.hi 4f\n" USER_COUNTER_DISPATCH /* */
        "\tldrh %w[index], [%[page], #48]\n"
        "\tneg %w[index], %w[index]\n"
        "\tlsl %[raw], %[raw], %[index]\n"
        "\tasr %[raw], %[raw], %[index]\n"
        "\tadd %[value], %[value], %[raw]\n"
        "\tldr %w[index], [%[page], #8]\n"
        "\tsubs %w[index], %w[index], %w[sequence]\n"
        "\tb.ne 1b\n"
        "\tstr %[value], [%[count]]\n"
        "4:"
        : [value] "=&r"(value), [raw] "=&r"(raw), [sequence] "=&r"(sequence), [index] "=&r"(index)
        : [page] "r"(page), [count] "r"(count)
        : "cc", "memory");
    return index == 0; /* the difference of the locks, or what had no name */
}

/* The instruction that trapped on AArch64, from a signal handler's third argument. */

static inline const void *trap_place(const void *context)
{
    return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
}
