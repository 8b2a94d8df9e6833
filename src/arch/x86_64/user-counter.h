/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reading a counter from user code on x86-64: rdpmc, and the time stamp counter that the mapped
 * page converts times from. Used through lib/user-read.h. Neither instruction waits for those
 * before it: who needs that puts a fence around the read. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define USER_COUNTER_TICKS 1 /* 0 where no instruction gives the page's clock */

/* Does this folder know how counters are read? */
static inline __attribute__((always_inline)) bool user_counter_known(void)
{
    return true;
}

/* What rdpmc gives for this number are Intel's TopDown metrics: eight fractions and no count. */
#define USER_COUNTER_METRICS (UINT32_C(1) << 29)

/* Can an instruction read the counter with this index of a mapped page (index ≥ 1)? */
static inline __attribute__((always_inline)) bool user_counter_named(uint32_t index)
{
    return index != 0 && !((index - 1) & USER_COUNTER_METRICS);
}

/* The raw counter. Fixed counters have bit 30 set in their number, which the index carries. */
static inline __attribute__((always_inline)) uint64_t user_counter_read(uint32_t index)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1) : "memory");
    return (uint64_t)high << 32 | low;
}

static inline __attribute__((always_inline)) uint64_t user_counter_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* Does this instruction read a counter? For handlers that find out what trapped. */
static inline bool user_counter_instruction(const void *instruction)
{
    const uint8_t *bytes = instruction;
    return bytes[0] == 0x0f && bytes[1] == 0x33;
}

/* The whole read of a count, the same 16 instructions at every optimisation level: the sixth
 * reads the counter. Shifting by -width (modulo 64) and back extends the sign; a width of 0 acts
 * as 64. Offsets are those of struct perf_event_mmap_page: lock 8, index 12, offset 16, width 48.
 * Does not ask whether the counter has a name: that is asked of the page before. */
static inline __attribute__((always_inline)) bool
user_counter_page(const volatile struct perf_event_mmap_page *page, uint64_t *count)
{
    uint64_t value, sequence;
    __asm__ volatile("1:\tmovl 8(%[page]), %k[sequence]\n"
                     "\tmovl 12(%[page]), %%ecx\n"
                     "\tmovq 16(%[page]), %[value]\n"
                     "\tsubl $1, %%ecx\n"
                     "\tjc 2f\n"
                     "\trdpmc\n"
                     "\tshlq $32, %%rdx\n"
                     "\torq %%rdx, %%rax\n"
                     "\tmovzwl 48(%[page]), %%ecx\n"
                     "\tnegl %%ecx\n"
                     "\tshlq %%cl, %%rax\n"
                     "\tsarq %%cl, %%rax\n"
                     "\taddq %%rax, %[value]\n"
                     "2:\tcmpl 8(%[page]), %k[sequence]\n"
                     "\tjne 1b\n"
                     "\tmovq %[value], (%[count])"
                     : [value] "=&r"(value), [sequence] "=&r"(sequence)
                     : [page] "r"(page), [count] "r"(count)
                     : "rax", "rcx", "rdx", "cc", "memory");
    return true;
}

/* The instruction that trapped on x86-64, from a signal handler's third argument. */

static inline const void *trap_place(const void *context)
{
    return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}
