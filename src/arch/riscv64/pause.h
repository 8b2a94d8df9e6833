/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What a loop says that waits for another CPU: the other thread of this core may go first. A hint,
 * which a CPU without Zihintpause takes for a fence that orders nothing: hence by its code, which
 * every assembler knows. */
#pragma once

static inline __attribute__((always_inline)) void spin_pause(void)
{
    __asm__ volatile(".word 0x0100000f" : : : "memory");
}
