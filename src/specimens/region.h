/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory for specimens, of two kinds: scratch that is read and written without faulting, and
 * regions that are larger than a cache or a TLB holds. */
#pragma once

#include <stdbool.h>

#include "specimens/specimen.h"

/* --- Scratch: page-aligned, and every page of it written once before the window opens --- */

/* Sets memory and bytes. -ENOMEM with a sentence where it would take more than half of what the
 * machine has: a specimen must not wake the out-of-memory killer. */
int scratch_map(struct specimen_state *state, size_t bytes, struct failure *failure);

/* prepare of a specimen that a page is enough for. */
int scratch_prepare_page(struct specimen_state *state, struct failure *failure);

/* restore of a specimen whose memory is from here. */
void scratch_unmap(struct specimen_state *state);

/* --- Regions: none of it touched yet --- */

struct region {
    const char *specimen; /* for the sentence when it cannot be had */
    const char *key;      /* the parameter that made it so large */
    uint64_t bytes;       /* of address space */
    uint64_t used;        /* bytes of it that will be touched */
    bool huge;            /* on huge pages if the operating system grants them; else never */
};

/* Sets memory, bytes and own of state; memory begins at a multiple of 2 MiB. -ENOMEM with a
 * sentence where more would be touched than a quarter of the memory this process may use. */
int region_map(struct specimen_state *state, const struct region *region, struct failure *failure);

/* restore of a specimen whose memory is from here. */
void region_unmap(struct specimen_state *state);

/* Memory of state that was written may now be executed, and no longer be written. A system that
 * forbids that is named in the sentence. */
int region_make_executable(const struct specimen_state *state, const char *specimen,
                           struct failure *failure);

/* left * right, or UINT64_MAX: sizes come from parameters that anybody may give. */
uint64_t region_product(uint64_t left, uint64_t right);
