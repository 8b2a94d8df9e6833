/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws cycles. Pairs of neighbours are shuffled; then all their first halves are visited, then all
 * second halves in the same order. Where the reach is limited, pairs are shuffled within ranges, of
 * which every other one is visited on the way up and the rest on the way down: so the end of the
 * cycle is near its beginning. */
#include "specimens/cycle.h"

/* splitmix64: every seed is a good one. */
static uint64_t draw(uint64_t *state)
{
    uint64_t mixed = (*state += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

void cycle_shuffle(uint64_t *list, uint64_t count, uint64_t *state)
{
    for (uint64_t left = count; left > 1; left--) {
        uint64_t chosen = draw(state) % left, last = list[left - 1];
        list[left - 1] = list[chosen];
        list[chosen] = last;
    }
}

/* Pairs of neighbours in a round: all of 64 places' even ones. */
#define ROUND 32u

/* Each remainder's places change rounds among themselves, then each round's their order. */
static void shuffle_rounds(uint64_t *list, uint64_t count, uint64_t *state)
{
    uint64_t rounds = count / ROUND;
    for (uint64_t left = rounds; left > 1; left--)
        for (uint64_t column = 0; column < ROUND; column++) {
            uint64_t *last = &list[(left - 1) * ROUND + column];
            uint64_t *chosen = &list[draw(state) % left * ROUND + column], other = *last;
            *last = *chosen;
            *chosen = other;
        }
    for (uint64_t at = 0; at < count; at += ROUND)
        cycle_shuffle(list + at, count - at < ROUND ? count - at : ROUND, state);
}

/* The step-th range to visit: 0, 2, 4 … 5, 3, 1. */
static uint64_t range_at(uint64_t step, uint64_t ranges)
{
    return step < (ranges + 1) / 2 ? 2 * step : 2 * (ranges - 1 - step) + 1;
}

/* The even places, shuffled within ranges of so many of them. */
static void order_pairs(uint64_t *order, uint64_t pairs, uint64_t width, uint64_t state)
{
    uint64_t ranges = (pairs + width - 1) / width;
    for (uint64_t step = 0; step < ranges; step++) {
        uint64_t begin = range_at(step, ranges) * width, got = 0;
        for (; got < width && begin + got < pairs; got++)
            order[got] = 2 * (begin + got);
        shuffle_rounds(order, got, &state);
        order += got;
    }
}

void cycle_order(uint64_t *order, uint64_t count, uint64_t reach, uint64_t seed)
{
    uint64_t pairs = (count + 1) / 2, at = pairs;
    /* Between ranges on the way up lies one on the way down: three ranges, six places a pair of
     * both halves. */
    uint64_t width = reach && reach / 6 < pairs ? reach / 6 : pairs;
    order_pairs(order, pairs, width ? width : 1, seed);
    for (uint64_t pair = 0; pair < pairs; pair++)
        if (order[pair] + 1 < count)
            order[at++] = order[pair] + 1;
}

void cycle_in_sequence(uint64_t *order, uint64_t count)
{
    for (uint64_t place = 0; place < count; place++)
        order[place] = place;
}
