/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of objects by their addresses, with a chain in each bucket, as programs have that use
 * pointers as keys: how long it takes to find an object depends on where all of them lie. */
#pragma once

#include <stdint.h>

#define CHAINS_OBJECTS 64 /* that are kept and found at a time */
#define CHAINS_BUCKETS 256

struct chained {
    struct chained *next;
    uint64_t found;
    char rest[80];
};

static struct chained *chains[CHAINS_BUCKETS];

/* Every bit of an address moves about half of the bits that choose the bucket, so that objects at
 * equal distances are not spread evenly. */
static unsigned chains_bucket(const struct chained *object)
{
    uint64_t bits = (uint64_t)(uintptr_t)object;
    bits = (bits ^ (bits >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 31)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)(bits >> 40) % CHAINS_BUCKETS;
}

static void chains_keep(struct chained *objects)
{
    for (unsigned index = 0; index < CHAINS_OBJECTS; index++) {
        struct chained **bucket = &chains[chains_bucket(&objects[index])];
        objects[index].next = *bucket;
        objects[index].found = 0;
        *bucket = &objects[index];
    }
}

static void chains_find(const struct chained *objects)
{
    for (unsigned index = 0; index < CHAINS_OBJECTS; index++) {
        struct chained *at = chains[chains_bucket(&objects[index])];
        while (at != &objects[index])
            at = at->next;
        at->found++;
    }
}
