/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What little must be known of AArch64 code to read a trace of its execution. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool traced_repeats(const uint8_t *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

/* b.cond, cbz, cbnz, tbz, tbnz */
static inline bool traced_conditional(const uint8_t *code, size_t length)
{
    uint32_t word = 0;
    if (length < sizeof(word))
        return false;
    memcpy(&word, code, sizeof(word));
    return (word & 0xff000000u) == 0x54000000u || (word & 0x7c000000u) == 0x34000000u;
}

/* Pairs and exclusives are counted otherwise by tools than by CPUs: always look. */
static inline bool traced_plain(const uint8_t *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

/* Might it hold an instruction that flushes caches (dc civac and the like are all `sys`)? */
static inline bool traced_flushes(const uint8_t *code, size_t length)
{
    uint32_t word;
    for (size_t at = 0; at + sizeof(word) <= length; at += sizeof(word)) {
        memcpy(&word, code + at, sizeof(word));
        if ((word & 0xfff80000u) == 0xd5080000u)
            return true;
    }
    return false;
}
