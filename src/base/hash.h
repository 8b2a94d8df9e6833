/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * FNV-1a, 64 bits: names things the same on every machine; no protection against forgery. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x00000100000001b3)

/* Goes on from `hash` (start with FNV_OFFSET). */
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * FNV_PRIME;
    return hash;
}
