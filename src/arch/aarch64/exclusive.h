/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Exclusive loads and stores of AArch64, for who steps through code. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Between an exclusive load and its store nothing may stop the process, or the store fails and the
 * loop around both never ends. So they are run in one go, and counted from their words. */
#define DECODE_SEQUENCE 32u /* words that are looked at */

struct decode_sequence {
    unsigned length;      /* instructions from the load through the store */
    unsigned branch;      /* instructions through a branch that may leave it; 0: none */
    int64_t branch_bytes; /* where that goes, from the load */
};

/* ldxr, ldaxr, ldxp, ldaxp of any size (and the stores of the same names, where load is false);
 * casp has its encoding among them. */
static inline bool decode_is_exclusive(uint32_t word, bool load)
{
    bool compare_and_swap = (word & 0x80200000) == 0x00200000;
    return (word & 0x3f800000) == 0x08000000 && !compare_and_swap &&
           ((word & 0x00400000) != 0) == load;
}

static inline bool decode_begins_exclusive(const unsigned char *code)
{
    uint32_t word;
    memcpy(&word, code, sizeof(word));
    return decode_is_exclusive(word, true);
}

/* Signed words in `bits` bits from bit 5, as bytes. */
static inline int64_t decode_branch_bytes(uint32_t word, unsigned bits)
{
    uint32_t field = word >> 5 & ((1u << bits) - 1);
    return ((int64_t)((uint64_t)field << (64 - bits)) >> (64 - bits)) * 4;
}

/* A conditional branch, with where it goes: b.cond, cbz, cbnz, tbz, tbnz. */
static inline bool decode_conditional(uint32_t word, int64_t *bytes)
{
    bool test = (word & 0x7e000000) == 0x36000000;
    if (!test && (word & 0xff000000) != 0x54000000 && (word & 0x7e000000) != 0x34000000)
        return false;
    *bytes = decode_branch_bytes(word, test ? 14 : 19);
    return true;
}

/* Any other way out: b, bl, br, blr, ret, svc and the like. */
static inline bool decode_leaves(uint32_t word)
{
    return (word & 0x7c000000) == 0x14000000 || (word & 0xfe000000) == 0xd6000000 ||
           (word & 0xff000000) == 0xd4000000;
}

/* What the words from an exclusive load on do until its store. False: something whose counts cannot
 * be told from where the process comes out (more than one branch, or one that stays inside). */
static inline bool decode_exclusive(const uint32_t *words, struct decode_sequence *sequence)
{
    *sequence = (struct decode_sequence){0};
    for (unsigned index = 1; index < DECODE_SEQUENCE; index++) {
        int64_t bytes;
        if (decode_is_exclusive(words[index], false)) {
            sequence->length = index + 1;
            return !sequence->branch || sequence->branch_bytes < 0 ||
                   sequence->branch_bytes > 4 * (int64_t)sequence->length;
        }
        if (decode_leaves(words[index]))
            return false;
        if (!decode_conditional(words[index], &bytes))
            continue;
        if (sequence->branch)
            return false;
        sequence->branch = index + 1;
        sequence->branch_bytes = bytes + 4 * (int64_t)index;
    }
    return false;
}
