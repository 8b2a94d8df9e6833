/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The seeded generator behind every order a plan draws. Its sequence is part of the product: a
 * change would make an old seed mean another order. */
#include "stats/random.h"

static uint64_t splitmix(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static uint64_t rotate(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

void random_seed(struct random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix(&seed);
}

uint64_t random_next(struct random *random)
{
    uint64_t *state = random->state;
    uint64_t result = rotate(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate(state[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t limit)
{
    /* The last, incomplete stretch of the range would favour small results. */
    uint64_t excess = (UINT64_MAX % limit + 1) % limit;
    uint64_t value;
    do
        value = random_next(random);
    while (value > UINT64_MAX - excess);
    return value % limit;
}
