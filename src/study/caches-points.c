/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points of the study of caches: what was measured of each ring, and which of its runs count. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/caches/study.h"

static bool same(const struct caches_point *left, const struct caches_point *right)
{
    return left->shape == right->shape && left->huge == right->huge &&
           left->bytes == right->bytes && left->stride == right->stride &&
           left->pair == right->pair;
}

static struct caches_point *find_point(struct caches_points *points,
                                       const struct caches_point *like)
{
    for (size_t i = points->count; i-- > 0;) /* runs of one ring come together */
        if (same(&points->list[i], like))
            return &points->list[i];
    return NULL;
}

static struct caches_point *add_point(struct caches_points *points, const struct caches_point *like)
{
    struct caches_point *grown =
        reallocarray(points->list, points->count + 1, sizeof(*points->list));
    if (!grown)
        return NULL;
    points->list = grown;
    struct caches_point *point = &grown[points->count++];
    *point = *like;
    point->ticks = NULL;
    point->count = 0;
    point->failed = 0;
    return point;
}

int caches_add(struct caches_points *points, const struct caches_point *like, uint64_t process,
               double ticks)
{
    struct caches_point *point = find_point(points, like);
    if (!point)
        point = add_point(points, like);
    if (!point)
        return -ENOMEM;
    /* Whatever disturbs a run makes it slower, never faster: the fastest is the least disturbed. */
    if (point->count && point->last == process) {
        point->ticks[point->count - 1] = fmin(point->ticks[point->count - 1], ticks);
        return 0;
    }
    double *grown = reallocarray(point->ticks, point->count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    point->ticks = grown;
    grown[point->count++] = ticks;
    point->last = process;
    return 0;
}

int caches_add_failed(struct caches_points *points, const struct caches_point *like,
                      uint32_t processes)
{
    struct caches_point *point = find_point(points, like);
    if (!point)
        point = add_point(points, like);
    if (!point)
        return -ENOMEM;
    point->failed += processes;
    return 0;
}

void caches_points_free(struct caches_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        free(points->list[i].ticks);
    free(points->list);
    *points = (struct caches_points){0};
}

/* Half of them, rounded up or down by chance: of a single process nothing is confirmed. */
static size_t draw_half(size_t count, struct caches_draw *draw)
{
    return (count + random_below(&draw->random, 2)) / 2;
}

bool caches_ticks(const struct caches_point *point, struct caches_draw *draw, double *ticks)
{
    size_t wanted = draw->halves ? draw_half(point->count, draw) : point->count;
    *ticks = INFINITY;
    if (!wanted)
        return false;
    for (size_t i = 0; i < point->count && wanted; i++) {
        /* Each of those that are left is taken with the same chance. */
        if (draw->halves && random_below(&draw->random, point->count - i) >= wanted)
            continue;
        wanted--;
        *ticks = fmin(*ticks, point->ticks[i]);
    }
    return true;
}
