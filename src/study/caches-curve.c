/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads flat stretches and rises from a curve. The numbers below decide what is called a level; the
 * tests run them over simulated caches, and docs/caches.md says what each is for. */
#include "study/caches-curve.h"

#include <math.h>
#include <string.h>

#define FLAT_GROWTH  1.10 /* a flat stretch grows by no more than this from its first point on … */
#define FLAT_OCTAVES 0.9  /* … and is at least so wide */
#define SAME_LEVEL   1.5  /* stretches nearer than this are one, drifting */
#define UNENDED_RISE 3.0  /* a rise at the end of a curve is believed from this factor on */
#define STILL_BEFORE 0.03 /* share of a rise up to which a point counts as not yet risen */
#define FINE_RATIO   1.14 /* a rise is sharp when the next size, this near, … */
#define FINE_JUMP    0.35 /* … shows this share of it, … */
#define COARSE_RATIO 1.27 /* … or one further away, up to here, … */
#define COARSE_JUMP  0.60 /* … shows so much; */
#define STEP_FIRST   0.10 /* it is a step when the next size shows this share … */
#define STEP_SECOND  0.22 /* … and the one after it this */
#define STRETCHES    64u

void curve_add(struct curve *curve, uint64_t size, double ticks)
{
    size_t at = 0;
    while (at < curve->count && curve->sizes[at] < size)
        at++;
    if (at < curve->count && curve->sizes[at] == size) {
        curve->ticks[at] = fmin(curve->ticks[at], ticks);
        return;
    }
    if (curve->count == CURVE_MOST)
        return;
    memmove(&curve->sizes[at + 1], &curve->sizes[at], (curve->count - at) * sizeof(uint64_t));
    memmove(&curve->ticks[at + 1], &curve->ticks[at], (curve->count - at) * sizeof(double));
    curve->sizes[at] = size;
    curve->ticks[at] = ticks;
    curve->count++;
}

void curve_lower(struct curve *curve)
{
    for (size_t at = curve->count; at-- > 1;)
        curve->ticks[at - 1] = fmin(curve->ticks[at - 1], curve->ticks[at]);
}

double curve_at(const struct curve *curve, uint64_t size)
{
    size_t at = 0;
    while (at < curve->count && curve->sizes[at] < size)
        at++;
    if (at == 0)
        return curve->ticks[0];
    if (at == curve->count)
        return curve->ticks[at - 1];
    double left = log2((double)curve->sizes[at - 1]), right = log2((double)curve->sizes[at]);
    double share = (log2((double)size) - left) / (right - left);
    return curve->ticks[at - 1] + share * (curve->ticks[at] - curve->ticks[at - 1]);
}

struct stretch {
    size_t first, last;
};

static double octaves(const struct curve *curve, size_t first, size_t last)
{
    return log2((double)curve->sizes[last] / (double)curve->sizes[first]);
}

/* Flat stretches from left to right. */
static size_t find_stretches(const struct curve *curve, struct stretch list[STRETCHES])
{
    size_t count = 0;
    for (size_t first = 0; first < curve->count && count < STRETCHES;) {
        size_t last = first;
        while (last + 1 < curve->count &&
               curve->ticks[last + 1] <= FLAT_GROWTH * curve->ticks[first])
            last++;
        if (last > first && octaves(curve, first, last) >= FLAT_OCTAVES) {
            list[count++] = (struct stretch){first, last};
            first = last + 1;
        } else {
            first++;
        }
    }
    return count;
}

static double middle(const struct curve *curve, struct stretch stretch)
{
    return curve->ticks[stretch.first + (stretch.last - stretch.first) / 2];
}

static double share(const struct curve *curve, const struct rise *rise, size_t at)
{
    return (curve->ticks[at] - rise->before) / (rise->after - rise->before);
}

/* The last point from `first` on whose share of the rise is at most `limit`. */
static size_t last_within(const struct curve *curve, const struct rise *rise, size_t first,
                          size_t end, double limit)
{
    size_t at = first;
    while (at + 1 < end && share(curve, rise, at + 1) <= limit)
        at++;
    return at;
}

/* Where lines go to sets evenly and the least recently used goes first, all miss from the first
 * line too many. */
static bool is_sharp(const struct curve *curve, const struct rise *rise, size_t onset)
{
    if (onset + 1 >= curve->count || share(curve, rise, onset) > STILL_BEFORE)
        return false;
    double ratio = (double)curve->sizes[onset + 1] / (double)curve->sizes[onset];
    double next = share(curve, rise, onset + 1);
    return ratio <= FINE_RATIO ? next >= FINE_JUMP : ratio <= COARSE_RATIO && next >= COARSE_JUMP;
}

/* Where any line may have to go, some miss from there on; but where pages lie anywhere, the sets
 * that got too many miss early, and that looks alike. */
static bool is_step(const struct curve *curve, const struct rise *rise, size_t onset)
{
    if (onset + 2 >= curve->count || share(curve, rise, onset) > STILL_BEFORE)
        return false;
    return (double)curve->sizes[onset + 2] / (double)curve->sizes[onset] <= COARSE_RATIO &&
           share(curve, rise, onset + 1) >= STEP_FIRST &&
           share(curve, rise, onset + 2) >= STEP_SECOND;
}

static void measure_rise(const struct curve *curve, struct rise *rise, size_t first, size_t end)
{
    size_t onset = last_within(curve, rise, first, end, STILL_BEFORE);
    size_t half = last_within(curve, rise, onset, end, 0.5);
    size_t last = curve->count - 1;
    rise->last_before = curve->sizes[onset];
    rise->next = curve->sizes[onset < last ? onset + 1 : last];
    rise->half = curve->sizes[half];
    rise->beyond_half = curve->sizes[half < last ? half + 1 : last];
    rise->sharp = rise->ends && is_sharp(curve, rise, onset);
    rise->step = rise->ends && is_step(curve, rise, onset);
}

size_t curve_rises(const struct curve *curve, struct rise rises[RISES_MOST])
{
    struct stretch stretches[STRETCHES];
    size_t stretch_count = find_stretches(curve, stretches), count = 0;
    for (size_t i = 0; i < stretch_count && count < RISES_MOST; i++) {
        bool ends = i + 1 < stretch_count;
        struct rise rise = {.before = middle(curve, stretches[i]), .ends = ends};
        size_t end = ends ? stretches[i + 1].first + 1 : curve->count;
        rise.after = curve->ticks[end - 1];
        if (rise.after < (ends ? SAME_LEVEL : UNENDED_RISE) * rise.before ||
            rise.after <= rise.before)
            continue;
        measure_rise(curve, &rise, stretches[i].first, end);
        rises[count++] = rise;
    }
    return count;
}
