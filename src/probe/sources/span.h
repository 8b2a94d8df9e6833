/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stretch of text that is read strictly from its front: what tools wrote. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct span {
    const char *at, *end;
};

static inline bool take(struct span *span, const char *words)
{
    size_t length = strlen(words);
    if ((size_t)(span->end - span->at) < length || memcmp(span->at, words, length) != 0)
        return false;
    span->at += length;
    return true;
}

/* Digits. False: none, or too many. */
static inline bool take_number(struct span *span, uint64_t *number)
{
    const char *start = span->at;
    *number = 0;
    for (; span->at < span->end && *span->at >= '0' && *span->at <= '9'; span->at++) {
        unsigned digit = (unsigned)(*span->at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return span->at > start;
}
