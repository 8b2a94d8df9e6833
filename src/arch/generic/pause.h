/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A loop that waits for another CPU, where the ISA has no word for that. */
#pragma once

static inline __attribute__((always_inline)) void spin_pause(void)
{
    __asm__ volatile("" : : : "memory");
}
