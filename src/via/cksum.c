/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The POSIX checksum: CRC-32 with the most significant bit first, from 0, over the bytes and then
 * over their number, least significant byte first and without leading zeros; complemented. */
#include "via/cksum.h"

#define POLYNOMIAL UINT32_C(0x04c11db7)

static void fill(uint32_t table[256])
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte << 24;
        for (int bit = 0; bit < 8; bit++)
            rest = (rest << 1) ^ (rest >> 31 ? POLYNOMIAL : 0);
        table[byte] = rest;
    }
}

static uint32_t step(const uint32_t table[256], uint32_t sum, unsigned byte)
{
    return (sum << 8) ^ table[((sum >> 24) ^ byte) & 0xff];
}

uint32_t cksum(const void *bytes, size_t length)
{
    uint32_t table[256];
    fill(table);
    uint32_t sum = 0;
    const unsigned char *next = bytes;
    for (size_t i = 0; i < length; i++)
        sum = step(table, sum, next[i]);
    for (size_t rest = length; rest; rest >>= 8)
        sum = step(table, sum, rest & 0xff);
    return ~sum;
}
