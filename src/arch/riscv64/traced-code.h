/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What little must be known of RISC-V code to read a trace of its execution. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool traced_repeats(const uint8_t *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

/* beq … bgeu, c.beqz, c.bnez */
static inline bool traced_conditional(const uint8_t *code, size_t length)
{
    if (length < 2)
        return false;
    if ((code[0] & 3) != 3)
        return (code[0] & 3) == 1 && code[1] >> 5 >= 6;
    return (code[0] & 0x7f) == 0x63;
}

static inline bool traced_plain(const uint8_t *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

/* Might it hold an instruction that flushes caches (cbo.flush and the like)? */
static inline bool traced_flushes(const uint8_t *code, size_t length)
{
    for (size_t at = 0; at + 4 <= length; at += 2)
        if ((code[at] & 0x7f) == 0x0f && (code[at + 1] & 0x70) == 0x20)
            return true;
    return false;
}
