/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What little must be known of x86-64 code to read a trace of its execution, and to tell when
 * counts alone would mislead. Bytes in, answers out; nothing is decoded further. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where prefixes end; *repeat: one of them was f2 or f3. */
static inline size_t traced_prefixes(const uint8_t *code, size_t length, bool *repeat)
{
    size_t at = 0;
    *repeat = false;
    for (; at < length; at++) {
        uint8_t byte = code[at];
        if (byte == 0xf2 || byte == 0xf3)
            *repeat = true;
        else if (byte != 0x66 && byte != 0x67 && byte != 0x2e && byte != 0x36 && byte != 0x3e &&
                 byte != 0x26 && byte != 0x64 && byte != 0x65 && byte != 0xf0 &&
                 (byte & 0xf0) != 0x40)
            break;
    }
    return at;
}

/* Is the instruction at code a string instruction that repeats itself? */
static inline bool traced_repeats(const uint8_t *code, size_t length)
{
    bool repeat;
    size_t at = traced_prefixes(code, length, &repeat);
    if (!repeat || at == length)
        return false;
    uint8_t opcode = code[at];
    return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf) ||
           (opcode >= 0x6c && opcode <= 0x6f);
}

/* A conditional branch, jrcxz and loop included? */
static inline bool traced_conditional(const uint8_t *code, size_t length)
{
    bool repeat;
    size_t at = traced_prefixes(code, length, &repeat);
    if (at == length)
        return false;
    if (code[at] == 0x0f)
        return at + 1 < length && code[at + 1] >= 0x80 && code[at + 1] <= 0x8f;
    return (code[at] >= 0x70 && code[at] <= 0x7f) || (code[at] >= 0xe0 && code[at] <= 0xe3);
}

/* Surely without instructions that repeat, lock, exchange or change the floating-point
 * environment? Looks at every byte as if an instruction began there, so a `false` may be wrong. */
static inline bool traced_plain(const uint8_t *code, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        uint8_t next = at + 1 < length ? code[at + 1] : 0;
        if (traced_repeats(code + at, length - at) || code[at] == 0xf0 || code[at] == 0x86 ||
            code[at] == 0x87 || code[at] == 0xd9 ||
            (code[at] == 0x0f &&
             ((next & 0xfe) == 0xb0 || (next & 0xfe) == 0xc0 || next == 0xc7 || next == 0xae)))
            return false;
    }
    return true;
}

/* Might it hold an instruction that flushes caches (clflush, clflushopt, clwb)? */
static inline bool traced_flushes(const uint8_t *code, size_t length)
{
    for (size_t at = 0; at + 2 < length; at++) {
        bool optimised = at && code[at - 1] == 0x66;
        unsigned operation = code[at + 2] >> 3 & 7;
        if (code[at] == 0x0f && code[at + 1] == 0xae && code[at + 2] < 0xc0 &&
            (operation == 7 || (operation == 6 && optimised)))
            return true;
    }
    return false;
}
