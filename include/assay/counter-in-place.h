/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The CPU's counter of time as user code reads it, with and without an order. Not part of the
 * interface: clock.h has that, which also knows whether the counter can be depended on. */
#ifndef ASSAY_COUNTER_IN_PLACE_H
#define ASSAY_COUNTER_IN_PLACE_H

#include "interface.h"

#if defined(__GNUC__) && defined(__linux__) && defined(__x86_64__) && defined(__LP64__)
#define ASSAY_COUNTER_NAME "tsc"
/* lfence waits until what stands before it is done (stores: until they are on their way), and keeps
 * back what follows. */
#define ASSAY_COUNTER_READING(before, after)                                                       \
    uint32_t low, high;                                                                            \
    __asm__ volatile(before "rdtsc" after : "=a"(low), "=d"(high) : : "memory");                   \
    return (uint64_t)high << 32 | low
#define ASSAY_COUNTER_WAIT "lfence\n\t"
#define ASSAY_COUNTER_KEEP "\n\tlfence"

#elif defined(__GNUC__) && defined(__linux__) && defined(__aarch64__)
#define ASSAY_COUNTER_NAME "cntvct"
#define ASSAY_COUNTER_READING(before, after)                                                       \
    uint64_t ticks;                                                                                \
    __asm__ volatile(before "mrs %0, cntvct_el0" after : "=r"(ticks) : : "memory");                \
    return ticks
#define ASSAY_COUNTER_WAIT "isb\n\t"
#define ASSAY_COUNTER_KEEP "\n\tisb"

#elif defined(__GNUC__) && defined(__linux__) && defined(__riscv) && __riscv_xlen == 64
#define ASSAY_COUNTER_NAME "rdtime"
/* A fence orders the reading, which counts as input of a device, with loads and stores. */
#define ASSAY_COUNTER_READING(before, after)                                                       \
    uint64_t ticks;                                                                                \
    __asm__ volatile(before "rdtime %0" after : "=r"(ticks) : : "memory");                         \
    return ticks
#define ASSAY_COUNTER_WAIT "fence\n\t"
#define ASSAY_COUNTER_KEEP "\n\tfence"
#endif

#ifdef ASSAY_COUNTER_NAME
#ifdef __cplusplus
extern "C" {
#endif

ASSAY_INLINE uint64_t assay_counter_begin(void)
{
    ASSAY_COUNTER_READING(ASSAY_COUNTER_WAIT, ASSAY_COUNTER_KEEP);
}

ASSAY_INLINE uint64_t assay_counter_end(void)
{
    ASSAY_COUNTER_READING(ASSAY_COUNTER_WAIT, "");
}

ASSAY_INLINE uint64_t assay_counter_now(void)
{
    ASSAY_COUNTER_READING("", "");
}

#ifdef __cplusplus
}
#endif
#endif
#endif
