/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The nearest known word to one a person mistyped. */
#pragma once

#include <stddef.h>

/* Edit distance: insertions, deletions, substitutions and swaps of neighbours count one each. */
size_t edit_distance(const char *left, const char *right);

/* Offer candidates one by one; `best` ends as the nearest, or NULL when none is close enough to be
 * what was meant (within a third of the word's length, at least two edits). */
struct nearest {
    const char *word;
    const char *best;
    size_t distance;
};
void nearest_offer(struct nearest *nearest, const char *candidate);
