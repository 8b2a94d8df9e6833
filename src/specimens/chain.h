/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A ring of pointers through memory in random order: following it makes every load wait for the one
 * before, at an address that no prefetcher guesses. For specimens that need misses. */
#pragma once

#include "specimens/specimen.h"

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
