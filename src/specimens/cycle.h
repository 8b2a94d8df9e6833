/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where specimens go through memory: the order in which places (lines, blocks of code, pages) are
 * visited, where they lie, and rings of pointers that lead from one to the next. */
#pragma once

#include <stdint.h>

#include "specimens/region.h"

/* ----------------------------------------------------------------------------------------------
 * Cycles: every place is visited once before the first one is again, in random order, so that no
 * prefetcher guesses the next. */

/* Fills order[0 … count - 1]. The places 2k and 2k + 1 are half a cycle from each other: who
 * fetches a line's neighbour along with it has lost it again when it is visited. The order goes in
 * rounds in which every remainder of place modulo 64 comes once (but for the rest at the end): no
 * set of a cache is visited much more often than others, so what else is in it stays a while. From
 * one place to the next, and from the last to the first, it is at most reach places (0: any number;
 * else at least 6). */
void cycle_order(uint64_t *order, uint64_t count, uint64_t reach, uint64_t seed);

/* One place after the other. */
void cycle_in_sequence(uint64_t *order, uint64_t count);

/* ----------------------------------------------------------------------------------------------
 * Places of which a cache or a TLB cannot hold all: over twice what a cache holds, one in each
 * line; or in twice as many pages as a TLB has entries. */

struct places {
    struct region region;
    uint64_t count;
    uint64_t stride; /* bytes from one to the next */
    uint64_t spread; /* bytes each is moved on against the one before, within its stride */
    unsigned passes; /* over all of them before the window, for a cache to settle */
};

/* The place at `index`, in memory as region_map gave it. */
void *places_at(void *memory, const struct places *places, uint64_t index);

/* For whom, the parameter that says how much, and how much that is: bytes, or entries. */
struct places_of {
    const char *specimen, *key;
    uint64_t size;
};

/* 0, or negative errno with a sentence where the size or the line is not known. */
int places_require(const struct specimen_state *state, const struct places_of *of,
                   struct failure *failure);
/* One in each line of twice the cache; its line and size are known and sensible. */
void places_in_lines(struct places *places, const struct places_of *of, uint64_t line);
/* One in each of twice the entries' pages, or in `unknown` pages where that is 0; so far apart that
 * no entry serves two of them. */
void places_in_pages(struct places *places, const struct places_of *of, uint64_t unknown);

/* ----------------------------------------------------------------------------------------------
 * Rings of pointers through memory in random order: following one makes every load wait for the one
 * before, at an address that no prefetcher guesses. For specimens that need misses. */

/* Where the nodes of a ring lie. Node i stands at i * stride, moved on by (i * spread) mod stride;
 * with pair a second node stands that many bytes behind it and is followed right before it. The
 * order is random within clusters of so many bytes, and the order of clusters is: so that few pages
 * are in use at a time. cluster 0: all is one. */
struct chain_layout {
    uint64_t bytes, stride, spread, pair, cluster;
    uint64_t seed;
};

/* Links the ring in memory of layout->bytes and gives its first node; *nodes is how many it has.
 * -EINVAL with a sentence for a layout that makes none, -ENOMEM. */
int chain_link(char *memory, const struct chain_layout *layout, void **first, uint64_t *nodes,
               struct failure *failure);

/* Follows it for so many steps, outside of any window. */
void chain_follow(void *first, uint64_t steps);
