/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one draw of the runs shows: levels from the dense rings, then the line and the ways of each,
 * and TLBs from rings over pages. */
#include <math.h>

#include "studies/caches/study.h"

#define LINE_ASSUMED 64u  /* rings over pages are compared with dense ones of as many lines */
#define WAYS_LIMIT   0.05 /* share of a rise up to which lines still fit into their set */
#define PAIR_FACTOR  2u   /* a ring of pairs is so many times the cache it must not fit into */
#define WAY_OFF      0.06 /* octaves by which ways times their size may miss the level's size */
#define STEP_BELOW   0.25 /* before a line's end the second load costs at most this share … */
#define STEP_ABOVE   0.75 /* … and from it on at least this */
#define STEP_LEAST   1.15 /* the two must differ by this */

static double distance_octaves(uint64_t left, uint64_t right)
{
    return fabs(log2((double)left / (double)right));
}

void caches_dense_curve(const struct caches_points *points, struct caches_draw *draw,
                        struct curve *curve)
{
    double ticks;
    curve->count = 0;
    for (size_t i = 0; i < points->count; i++)
        if (points->list[i].shape == CHASE_DENSE && caches_ticks(&points->list[i], draw, &ticks))
            curve_add(curve, points->list[i].bytes, ticks);
    curve_lower(curve);
}

uint64_t caches_pair_ring(const struct caches_points *points, uint64_t fits, uint64_t next)
{
    uint64_t best = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        if (point->shape != CHASE_PAIRS || point->bytes < PAIR_FACTOR * fits ||
            (next && point->bytes > next))
            continue;
        if (!best || point->bytes < best)
            best = point->bytes;
    }
    return best;
}

uint64_t caches_find_line(const struct caches_points *points, struct caches_draw *draw,
                          uint64_t fits, uint64_t next)
{
    struct curve curve = {0}; /* size: distance of the pair */
    uint64_t bytes = fits ? caches_pair_ring(points, fits, next) : 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        double ticks;
        if (point->shape == CHASE_PAIRS && point->bytes == bytes &&
            caches_ticks(point, draw, &ticks))
            curve_add(&curve, point->pair, ticks);
    }
    if (curve.count < 3)
        return 0;
    curve_lower(&curve);
    double low = curve.ticks[0], high = curve.ticks[curve.count - 1];
    if (high < STEP_LEAST * low)
        return 0;
    size_t step = 0;
    while (curve.ticks[step] <= low + STEP_BELOW * (high - low))
        step++;
    return curve.ticks[step] >= low + STEP_ABOVE * (high - low) ? curve.sizes[step] : 0;
}

/* The fastest run of a ring of so many lines `stride` apart; 0: not measured. */
static void sets_curve(const struct caches_points *points, struct caches_draw *draw,
                       uint64_t stride, struct curve *curve)
{
    curve->count = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        double ticks;
        if (point->shape == CHASE_SETS && point->stride == stride &&
            caches_ticks(point, draw, &ticks))
            curve_add(curve, point->bytes / stride, ticks);
    }
    curve_lower(curve);
}

/* How many lines the level still holds, given what rings cost that fit into it; 0: it held all that
 * were tried, or between the last that it held and the first that it did not others were not
 * tried. */
static uint64_t lines_held(const struct curve *curve, const struct curve *fitting,
                           const struct rise *rise)
{
    uint64_t held = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double fits = fitting ? curve_at(fitting, curve->sizes[i]) : rise->before;
        if (curve->ticks[i] > fmax(fits, rise->before) + WAYS_LIMIT * (rise->after - rise->before))
            return curve->sizes[i] == held + 1 ? held : 0;
        held = curve->sizes[i];
    }
    return 0;
}

static uint64_t smallest_stride_above(const struct caches_points *points, uint64_t bound)
{
    uint64_t best = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        if (point->shape == CHASE_SETS && point->stride > bound && (!best || point->stride < best))
            best = point->stride;
    }
    return best;
}

/* Up to the size of one way a level holds half as many lines for every doubling of the stride; from
 * there on all lines share a set, and it holds as many as it has ways. Lines that conflict in a
 * level also conflict in the smaller ones, which costs more than a plain miss there: so they are
 * compared with lines that conflict in the smaller level alone. */
uint64_t caches_find_ways(const struct caches_points *points, struct caches_draw *draw,
                          const struct level_found *level, uint64_t smaller_way, uint64_t *way)
{
    struct curve fitting = {0}, here = {0}, doubled = {0};
    *way = 0;
    if (!level->bytes)
        return 0;
    if (smaller_way)
        sets_curve(points, draw, smaller_way, &fitting);
    const struct curve *reference = fitting.count ? &fitting : NULL;
    for (uint64_t stride = smallest_stride_above(points, smaller_way); stride;
         stride = smallest_stride_above(points, stride)) {
        sets_curve(points, draw, stride, &here);
        uint64_t held = lines_held(&here, reference, &level->rise);
        sets_curve(points, draw, 2 * stride, &doubled);
        if (!held || held != lines_held(&doubled, reference, &level->rise))
            continue;
        *way = stride;
        return distance_octaves(held * stride, level->bytes) <= WAY_OFF ? held : 0;
    }
    return 0;
}

/* Latency over pages less what as many lines cost when they lie side by side: the TLBs' share, on
 * top of the fastest. */
static void pages_curve(const struct caches_points *points, bool huge, struct caches_draw *draw,
                        uint64_t page, const struct curve *dense, struct curve *curve)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        double ticks;
        if (point->shape != CHASE_PAGES || point->huge != huge ||
            !caches_ticks(point, draw, &ticks))
            continue;
        double packed = curve_at(dense, point->bytes / page * LINE_ASSUMED);
        curve_add(curve, point->bytes, dense->ticks[0] + fmax(0, ticks - packed));
    }
    curve_lower(curve);
}

void caches_find_tlbs(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                      const struct curve *dense, struct caches_found *found)
{
    for (int huge = 0; huge < 2; huge++) {
        struct curve curve = {0};
        struct rise rises[RISES_MOST];
        pages_curve(points, huge, draw, page, dense, &curve);
        found->tlb_count[huge] = curve_rises(&curve, rises);
        for (size_t i = 0; i < found->tlb_count[huge]; i++)
            found->tlbs[huge][i].rise = rises[i];
        found->over_pages[huge] = curve.count != 0;
    }
}

void caches_find(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                 struct caches_found *found)
{
    struct curve dense = {0};
    struct rise rises[RISES_MOST];
    *found = (struct caches_found){0};
    caches_dense_curve(points, draw, &dense);
    if (!dense.count)
        return;
    found->level_count = curve_rises(&dense, rises);
    uint64_t way = 0;
    for (size_t i = 0; i < found->level_count; i++) {
        struct level_found *level = &found->levels[i];
        uint64_t next = i + 1 < found->level_count ? rises[i + 1].last_before : 0;
        level->rise = rises[i];
        level->bytes = rises[i].sharp || rises[i].step ? rises[i].last_before : 0;
        level->line = caches_find_line(points, draw, rises[i].beyond_half, next);
        /* Without the smaller level's way there is nothing to compare with. */
        if (i == 0 || way)
            level->ways = caches_find_ways(points, draw, level, way, &way);
        /* A mere step is believed when ways times their size end there too. */
        if (!rises[i].sharp && !level->ways)
            level->bytes = 0;
    }
    caches_find_tlbs(points, page, draw, &dense, found);
}
