/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A generator whose whole sequence follows from one seed on every machine: xoshiro256** by
 * Blackman and Vigna, its state filled by splitmix64. Not for secrets. */
#pragma once

#include <stdint.h>

struct random {
    uint64_t state[4];
};

void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
/* Uniform over 0 … limit - 1; limit must not be 0. */
uint64_t random_below(struct random *random, uint64_t limit);
