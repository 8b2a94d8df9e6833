/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the largest number of which all steps are multiples, up to rounding. */
#include "judge/clocks/quantum.h"

#include <math.h>
#include <stdbool.h>

/* Fewer different distances fit some number by chance. */
#define FEWEST_LENGTHS 6
/* Longer ones, in ticks, would need too many trials. */
#define LONGEST 131072.0
/* Rounding to whole ticks makes all numbers below this fit. */
#define LEAST_QUANTUM 4.0
/* A smallest step below this is told better by what steps differ by than by what fits. */
#define FEW_TICKS 8.0
/* Nor is a finer part of the longest looked for. */
#define FINEST_PART 16384.0
/* A distance fits that is off by a tick and so much of the quantum; so many of a hundred need not.
 * Lengths weigh alike, however often each was seen: most are one and the same. */
#define FIT_TICKS 1.0
#define FIT_SHARE (1.0 / 32)
#define MISFITS   5
/* Of more lengths some are tried, from the shortest to the longest: a hundred thousand trials of
 * every distance would take longer than measuring did. */
#define MOST_LENGTHS 256u
/* Of a cycle of the longest, from one number that is tried to the next. */
#define TRIAL_CYCLE (1.0 / 16)

/* Of the smallest step that was seen; farther away it would have been seen by itself. */
#define MOST_PARTS 6
/* Distances of more steps say nothing of one where the clock is steered. */
#define MOST_STEPS 64.0
/* Different distances above the smallest, without which a part of it fits by chance. */
#define FEWEST_OTHERS 3

/* Is it of another length than the one before, beyond rounding? */
static bool is_new(const double *sorted, size_t index)
{
    return index == 0 || sorted[index] - sorted[index - 1] > FIT_TICKS;
}

static size_t lengths_of(const double *sorted, size_t count)
{
    size_t lengths = 0;
    for (size_t i = 0; i < count; i++)
        lengths += is_new(sorted, i);
    return lengths;
}

/* Every different length once, or one of several that follow each other; how many there are. */
static size_t take_lengths(const double *sorted, size_t count, size_t all,
                           double lengths[MOST_LENGTHS])
{
    size_t taken = 0, seen = 0, every = (all + MOST_LENGTHS - 1) / MOST_LENGTHS;
    for (size_t i = 0; i < count; i++)
        if (is_new(sorted, i) && seen++ % every == 0)
            lengths[taken++] = sorted[i];
    return taken;
}

static bool fits(double quantum, const double *lengths, size_t count)
{
    size_t misfits = 0;
    double most = FIT_TICKS + FIT_SHARE * quantum;
    for (size_t i = 0; i < count && 100 * misfits <= MISFITS * count; i++)
        misfits += fabs(lengths[i] - quantum * round(lengths[i] / quantum)) > most;
    return 100 * misfits <= MISFITS * count;
}

/* By least squares through all that fit. */
static double refined(double quantum, const double *steps, size_t count)
{
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double times = round(steps[i] / quantum);
        if (fabs(steps[i] - quantum * times) > FIT_TICKS + FIT_SHARE * quantum)
            continue;
        products += steps[i] * times;
        squares += times * times;
    }
    return squares > 0 ? products / squares : quantum;
}

/* Where no number fits, the clock tells apart what distances differ by. */
static double smallest_difference(const double *sorted, size_t count, double smallest)
{
    double least = smallest;
    for (size_t i = 1; i < count; i++)
        if (sorted[i] > sorted[i - 1])
            least = fmin(least, sorted[i] - sorted[i - 1]);
    return least;
}

double quantum_of_steps(const double *sorted, size_t count, double smallest)
{
    double lengths[MOST_LENGTHS];
    while (count > 0 && sorted[count - 1] > MOST_STEPS * smallest)
        count--;
    if (!count || smallest <= FEW_TICKS)
        return 0;
    size_t taken = take_lengths(sorted, count, lengths_of(sorted, count), lengths);
    smallest = fmin(smallest, lengths[0]);
    for (int parts = 1; parts <= MOST_PARTS && (parts == 1 || taken > FEWEST_OTHERS); parts++)
        if (fits(smallest / parts, lengths, taken))
            return smallest / parts;
    return 0;
}

double quantum_of(const double *sorted, size_t count, double smallest)
{
    while (count > 0 && sorted[count - 1] > LONGEST)
        count--;
    double lengths[MOST_LENGTHS];
    size_t all = lengths_of(sorted, count);
    if (smallest <= FEW_TICKS)
        return smallest_difference(sorted, count, smallest);
    if (all < FEWEST_LENGTHS)
        return smallest;
    size_t taken = take_lengths(sorted, count, all, lengths);
    double longest = sorted[count - 1], quantum = smallest;
    double least = fmax(LEAST_QUANTUM, longest / FINEST_PART);
    while (quantum >= least) {
        if (fits(quantum, lengths, taken))
            return fmin(refined(quantum, lengths, taken), smallest);
        quantum *= 1 - TRIAL_CYCLE * quantum / longest;
    }
    return smallest_difference(sorted, count, smallest);
}
