/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order in which places (lines, blocks of code, pages) are visited, each once, before the first
 * one is again: random, so that no prefetcher guesses the next. */
#pragma once

#include <stdint.h>

/* Fills order[0 … count - 1]. The places 2k and 2k + 1 are half a cycle from each other: who
 * fetches a line's neighbour along with it has lost it again when it is visited. The order goes in
 * rounds in which every remainder of place modulo 64 comes once (but for the rest at the end): no
 * set of a cache is visited much more often than others, so what else is in it stays a while. From
 * one place to the next, and from the last to the first, it is at most reach places (0: any number;
 * else at least 6). */
void cycle_order(uint64_t *order, uint64_t count, uint64_t reach, uint64_t seed);

/* One place after the other. */
void cycle_in_sequence(uint64_t *order, uint64_t count);

/* Any order with the same chance; the state is the generator's, and any seed is a good one. */
void cycle_shuffle(uint64_t *list, uint64_t count, uint64_t *state);
