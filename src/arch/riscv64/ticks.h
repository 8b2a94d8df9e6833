/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The counter of time on RISC-V (64 bit), as user code reads it: the instruction alone, with no
 * order kept (window.h has the reading that keeps one). */
#pragma once

#include <stdint.h>

#define TICKS_HARDWARE "rdtime"

static inline __attribute__((always_inline)) uint64_t ticks_rdtime(void)
{
    uint64_t ticks;
    __asm__ volatile("rdtime %0" : "=r"(ticks));
    return ticks;
}

/* What a loop says that waits for another CPU: the other thread of this core may go first. A hint,
 * which a CPU without Zihintpause takes for a fence that orders nothing: hence by its code, which
 * every assembler knows. */

static inline __attribute__((always_inline)) void spin_pause(void)
{
    __asm__ volatile(".word 0x0100000f" : : : "memory");
}
