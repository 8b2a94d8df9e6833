/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The CPU's counter of time on AArch64, as user code reads it: the instruction alone, with no order
 * kept (window.h has the reading that keeps one). */
#pragma once

#include <stdint.h>

#define TICKS_HARDWARE "cntvct"

static inline __attribute__((always_inline)) uint64_t ticks_cntvct(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* Ticks a second, as the firmware wrote it down. */
static inline uint64_t ticks_frequency(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

/* What a loop says that waits for another CPU: the other thread of this core may go first. */

static inline __attribute__((always_inline)) void spin_pause(void)
{
    __asm__ volatile("yield" : : : "memory");
}
