/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points of the study of caches: what was measured of each ring, and which of its runs count. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/caches.h"

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
    return point;
}

int caches_add(struct caches_points *points, const struct caches_point *like, double ticks)
{
    struct caches_point *point = find_point(points, like);
    if (!point)
        point = add_point(points, like);
    if (!point)
        return -ENOMEM;
    double *grown = reallocarray(point->ticks, point->count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    point->ticks = grown;
    grown[point->count++] = ticks;
    return 0;
}

void caches_points_free(struct caches_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        free(points->list[i].ticks);
    free(points->list);
    *points = (struct caches_points){0};
}

/* Whatever disturbs a run makes it slower, never faster: so the fastest is the least disturbed. */
double caches_ticks(const struct caches_point *point, struct caches_draw *draw)
{
    double fastest = INFINITY;
    size_t wanted = draw->halves ? (point->count + 1) / 2 : point->count;
    for (size_t i = 0; i < point->count && wanted; i++) {
        /* Each of the runs that are left is taken with the same chance. */
        if (draw->halves && random_below(&draw->random, point->count - i) >= wanted)
            continue;
        wanted--;
        fastest = fmin(fastest, point->ticks[i]);
    }
    return fastest;
}
