/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ways of doing the same compared by what one execution costs, each timed by itself.
 *
 * A system call does not cost the same each time. Measured on an AMD Zen 4 whose kernel reports the
 * mitigation "Safe RET": a mispredicted return of user code makes the next system call 1.4 times as
 * expensive, and a loop of nothing but calls is in the cheap or the expensive state by the address
 * at which it lies: of 15 copies of one loop, 9 were expensive. Loops would compare addresses. So a
 * system call inside a function precedes every execution: its return is mispredicted there, as
 * those of programs are, and all ways begin in the same state.
 *
 * In a round every way follows every way, itself too, exactly once. The cost of the first way,
 * which does nothing, is that of the clock; it is taken off. A ratio is the median over blocks of
 * rounds, with the interval that holds the true median in 97 of 100 cases where blocks are
 * independent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BALANCE_WAYS   8
#define BALANCE_BLOCKS 21
#define BALANCE_ROUNDS 400 /* in a block */
/* By how much a way may seem cheaper than what it contains: 15 copies of the same code differed by
 * 1.6 %. */
#define BALANCE_PLACES 0.02

struct way {
    const char *name;
    void (*once)(void);
    double limit; /* of what way 1 costs, to this one; 0: none is set */
    int contains; /* the way whose work is a part of this one's; 0: none */
};

static double balance_ns[BALANCE_WAYS][BALANCE_BLOCKS];

struct balance_ratio {
    double middle, low, high;
};

static inline uint64_t balance_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int balance_order(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Of the middle half: neither the steps of the clock nor interrupts are in it. */
static inline double balance_mean(double *samples, size_t count)
{
    const size_t outside = count / 4, inside = count - 2 * outside;
    double sum = 0;
    qsort(samples, count, sizeof(*samples), balance_order);
    for (size_t i = 0; i < inside; i++)
        sum += samples[outside + i];
    return sum / (double)inside;
}

static inline double balance_time(const struct way *way)
{
    (void)getppid();
    uint64_t begun = balance_now();
    way->once();
    return (double)(balance_now() - begun);
}

/* The shortest sequence in which every ordered pair occurs once: i, then i and j for each j > i. */
static inline void balance_block(const struct way *ways, size_t count, size_t block)
{
    static double samples[BALANCE_WAYS][BALANCE_ROUNDS * BALANCE_WAYS];
    size_t taken[BALANCE_WAYS] = {0};
    for (size_t round = 0; round < BALANCE_ROUNDS; round++) {
        for (size_t turn = 0; turn < count; turn++) {
            size_t first = (turn + block) % count;
            samples[first][taken[first]++] = balance_time(&ways[first]);
            for (size_t later = turn + 1; later < count; later++) {
                size_t second = (later + block) % count;
                samples[first][taken[first]++] = balance_time(&ways[first]);
                samples[second][taken[second]++] = balance_time(&ways[second]);
            }
        }
    }
    for (size_t way = 0; way < count; way++)
        balance_ns[way][block] = balance_mean(samples[way], taken[way]);
}

static inline void balance_measure(const struct way *ways, size_t count)
{
    balance_block(ways, count, 0); /* warms up */
    for (size_t block = 0; block < BALANCE_BLOCKS; block++)
        balance_block(ways, count, block);
}

static inline struct balance_ratio balance_sorted(double *values)
{
    qsort(values, BALANCE_BLOCKS, sizeof(*values), balance_order);
    return (struct balance_ratio){values[BALANCE_BLOCKS / 2], values[5], values[15]};
}

static inline double balance_cost(size_t way)
{
    double costs[BALANCE_BLOCKS];
    for (size_t block = 0; block < BALANCE_BLOCKS; block++)
        costs[block] = balance_ns[way][block] - balance_ns[0][block];
    return balance_sorted(costs).middle;
}

static inline struct balance_ratio balance_ratio(size_t way, size_t other)
{
    double ratios[BALANCE_BLOCKS];
    for (size_t block = 0; block < BALANCE_BLOCKS; block++)
        ratios[block] = (balance_ns[way][block] - balance_ns[0][block]) /
                        (balance_ns[other][block] - balance_ns[0][block]);
    return balance_sorted(ratios);
}

/* Way 1 against each of the others. False, with the reason, when a figure cannot be true: a way
 * that costs less than what it contains. */
static inline bool balance_report(const char *title, const struct way *ways, size_t count)
{
    bool possible = true;
    for (size_t way = 2; way < count; way++) {
        struct balance_ratio ratio = balance_ratio(1, way);
        printf("%s: %.3f (%.3f to %.3f) of %s", title, ratio.middle, ratio.low, ratio.high,
               ways[way].name);
        if (ways[way].limit > 0)
            printf(", limit %.2f%s", ways[way].limit,
                   ratio.low > ways[way].limit ? " EXCEEDED" : "");
        printf(": %s %.0f ns, the other %.0f ns\n", ways[1].name, balance_cost(1),
               balance_cost(way));
    }
    for (size_t way = 1; way < count; way++) {
        if (!ways[way].contains)
            continue;
        size_t part = (size_t)ways[way].contains;
        struct balance_ratio ratio = balance_ratio(way, part);
        if (ratio.high >= 1 - BALANCE_PLACES)
            continue;
        fflush(stdout);
        fprintf(stderr,
                "%s: the figures contradict each other: %s contains %s and seems to cost %.3f "
                "(%.3f to %.3f) of it. Run it again with nothing else running; if it stays, the "
                "comparison is wrong, not the library fast\n",
                title, ways[way].name, ways[part].name, ratio.middle, ratio.low, ratio.high);
        possible = false;
    }
    return possible;
}
