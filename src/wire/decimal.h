/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers as frames carry them: decimal digits and nothing else, no sign, no leading zero, so that
 * a number has one spelling only. Inline because a session converts millions of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DECIMAL_MAX 20 /* digits of 2^64 - 1 */

/* Writes value at out (room for DECIMAL_MAX bytes, not terminated) and returns the end. */
static inline char *decimal_put(char *out, uint64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313"
                                "23334353637383940414243444546474849505152535455565758596061626364"
                                "65666768697071727374757677787980818283848586878889909192939495969"
                                "79899";
    char digits[DECIMAL_MAX];
    char *first = digits + sizeof(digits);
    while (value >= 100) {
        first -= 2;
        memcpy(first, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        first -= 2;
        memcpy(first, pairs + value * 2, 2);
    } else {
        *--first = (char)('0' + value);
    }
    size_t length = (size_t)(digits + sizeof(digits) - first);
    memcpy(out, first, length);
    return out + length;
}

/* Reads a number at *cursor and moves behind it; false when there is none or it exceeds 64 bits. */
static inline bool decimal_get(const char **cursor, const char *end, uint64_t *value)
{
    const char *digit = *cursor;
    uint64_t sum = 0;
    while (digit < end && (unsigned char)(*digit - '0') <= 9) {
        unsigned figure = (unsigned char)(*digit - '0');
        /* 18 digits cannot overflow, so only longer numbers pay for the check. */
        if (digit - *cursor >= 18 && (sum > UINT64_MAX / 10 || sum * 10 > UINT64_MAX - figure))
            return false;
        sum = sum * 10 + figure;
        digit++;
    }
    if (digit == *cursor || (**cursor == '0' && digit - *cursor > 1))
        return false;
    *cursor = digit;
    *value = sum;
    return true;
}
