/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where lines of data or blocks of code lie that a cache or a TLB cannot hold all of: over twice
 * what a cache holds, one in each line; or in twice as many pages as a TLB has entries. */
#pragma once

#include "specimens/region.h"

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
