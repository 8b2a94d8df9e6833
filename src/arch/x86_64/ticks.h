/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The CPU's counter of time on x86-64, as user code reads it: the instruction alone, with no order
 * kept (window.h has the reading that keeps one). */
#pragma once

#include <stdint.h>

#define TICKS_HARDWARE "tsc"

/* The CPU may read it before what stands in front of it is done. */
static inline __attribute__((always_inline)) uint64_t ticks_tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Waits for what stands in front of it; what follows may begin before it. */
static inline __attribute__((always_inline)) uint64_t ticks_tscp(void)
{
    uint32_t low, high, place;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(place));
    return (uint64_t)high << 32 | low;
}

/* What a loop says that waits for another CPU: the other thread of this core may go first. */

static inline __attribute__((always_inline)) void spin_pause(void)
{
    __asm__ volatile("pause" : : : "memory");
}
