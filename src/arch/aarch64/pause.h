/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What a loop says that waits for another CPU: the other thread of this core may go first. */
#pragma once

static inline __attribute__((always_inline)) void spin_pause(void)
{
    __asm__ volatile("yield" : : : "memory");
}
