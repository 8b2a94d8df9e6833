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
