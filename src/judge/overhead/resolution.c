/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The step of a meter. Values next to each other are one place, seen with a rounded step; where the
 * places lie at whole multiples of one distance, that distance is the step, else it is 1. */
#include "judge/overhead/resolution.h"

#include <math.h>
#include <stdbool.h>

#include "stats/spread.h"

/* Steps below this are not told from scattered values of a meter that counts in ones. */
static const double LEAST_STEP = 4;
/* Places that must be seen, and the share of them that must fit. */
enum { LEAST_PLACES = 4 };
static const double FITTING = 0.9;

/* The wild tail has few values far apart, which fit anything: only up to the 95th percentile. And
 * values much rarer than most are odd ones. Returns how many distinct ones there are, at the
 * beginning of values. */
static size_t keep_distinct(int64_t *values, size_t count)
{
    size_t distinct = 0, kept = 0, end;
    count -= count / 20;
    for (size_t i = 0; i < count; i++)
        distinct += !i || values[i] != values[i - 1];
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && values[end] == values[i];)
            end++;
        if (10 * (end - i) * distinct >= count)
            values[kept++] = values[i];
    }
    return kept;
}

/* Twice the middle of every stretch of neighbours; not narrow: stretches are longer than a rounded
 * step makes them. Returns how many. */
static size_t join_neighbours(const int64_t *values, size_t count, int64_t *places, bool *narrow)
{
    size_t found = 0, wide = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && values[end] - values[end - 1] == 1)
            end++;
        wide += end - i > 3;
        places[found++] = values[i] + values[end - 1];
        i = end;
    }
    *narrow = (double)wide <= (1 - FITTING) * (double)found;
    return found;
}

/* From one place to the next, twice, in order. */
static void take_distances(const int64_t *places, size_t count, int64_t *distances,
                           int64_t *scratch)
{
    for (size_t i = 0; i + 1 < count; i++)
        distances[i] = places[i + 1] - places[i];
    error_sort(distances, count - 1, scratch);
}

/* Longer distances say little: any error of the step is multiplied. */
static const double MOST_STEPS = 8;

/* A better step from distances that are few steps long: least squares through 0. */
static double refine(const int64_t *distances, size_t count, double step)
{
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double distance = (double)distances[i] / 2, steps = round(distance / step);
        if (steps >= 1 && steps <= MOST_STEPS) {
            products += distance * steps;
            squares += steps * steps;
        }
    }
    return squares > 0 ? products / squares : step;
}

static bool fits(const int64_t *distances, size_t count, double step)
{
    size_t fitting = 0, short_ones = 0;
    double slack = fmax(1, 0.06 * step);
    for (size_t i = 0; i < count; i++) {
        double distance = (double)distances[i] / 2, steps = round(distance / step);
        if (steps > MOST_STEPS)
            continue;
        short_ones++;
        fitting += fabs(distance - step * steps) <= slack;
    }
    return (double)fitting >= FITTING * (double)short_ones;
}

/* The longest that fits: half a step fits as well. */
static double step_of(const int64_t *distances, size_t count)
{
    for (size_t part = 5; part > 0; part--) {
        double step = (double)error_quantile(distances, count, part, 10) / 2;
        if (step < LEAST_STEP)
            return 1;
        step = refine(distances, count, step);
        if (fits(distances, count, step))
            return step;
    }
    return 1;
}

double find_resolution(int64_t *values, size_t count, int64_t *scratch)
{
    error_sort(values, count, scratch);
    size_t distinct = keep_distinct(values, count);
    if (distinct < 2)
        return 0;
    bool narrow = false;
    size_t places = join_neighbours(values, distinct, scratch, &narrow);
    if (places < LEAST_PLACES)
        return places < distinct ? 1 : 0;
    if (!narrow)
        return 1;
    take_distances(scratch, places, values, scratch + places);
    return step_of(values, places - 1);
}
