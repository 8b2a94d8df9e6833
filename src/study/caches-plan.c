/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which rings the study of caches measures, and their names as specimens. First stage of its
 * pipeline. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/caches.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

#define DENSE_LEAST    (4 * KIB)
#define DENSE_STRIDE   64u       /* no machine of today has shorter lines that matter */
#define SMALL_PAGES    (8 * MIB) /* dense rings up to here on ordinary pages too */
#define HUGE_FROM      (128 * KIB)
#define PAGES_LEAST    8u
#define PAGES_MOST     8192u
#define SETS_HUGE_FROM (16 * KIB) /* smaller caches are found by virtual addresses */
#define PAIR_STRIDE    1024u
#define CLUSTER_PAGES  16u /* fewer than any TLB has entries */
#define LARGE_RING     (8 * MIB)
#define LEAST_STEPS    16384u
#define MOST_STEPS     200000u

/* Appends a point without runs. */
static int add(struct caches_points *plan, enum chase_shape shape, bool huge, uint64_t bytes,
               uint64_t stride, uint64_t pair)
{
    struct caches_point *grown = reallocarray(plan->list, plan->count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    plan->list = grown;
    grown[plan->count++] = (struct caches_point){
        .shape = shape, .huge = huge, .bytes = bytes, .stride = stride, .pair = pair};
    return 0;
}

/* Eight sizes an octave: 8, 9 … 15, 16, 18 … so that 48 KiB, 1.25 MiB and 36 MiB are among them. */
static uint64_t next_size(uint64_t size)
{
    uint64_t step = 1;
    while (16 * step <= size)
        step *= 2;
    return size + step;
}

static int plan_dense(const struct caches_limits *limits, struct caches_points *plan)
{
    int result = 0;
    for (uint64_t bytes = DENSE_LEAST; bytes <= limits->most_bytes && result == 0;
         bytes = next_size(bytes)) {
        if (bytes <= SMALL_PAGES || !limits->huge)
            result = add(plan, CHASE_DENSE, false, bytes, DENSE_STRIDE, 0);
        if (result == 0 && bytes >= HUGE_FROM && limits->huge)
            result = add(plan, CHASE_DENSE, true, bytes, DENSE_STRIDE, 0);
    }
    return result;
}

static int plan_pages(const struct caches_limits *limits, struct caches_points *plan)
{
    int result = 0;
    for (uint64_t pages = PAGES_LEAST; pages <= PAGES_MOST && result == 0;
         pages = next_size(pages)) {
        if (pages * limits->page > limits->most_bytes)
            break;
        result = add(plan, CHASE_PAGES, false, pages * limits->page, limits->page, 0);
        if (result == 0 && limits->huge)
            result = add(plan, CHASE_PAGES, true, pages * limits->page, limits->page, 0);
    }
    return result;
}

/* Numbers of lines in one set. What a set holds is known where the next number was tried as well.
 */
static const uint8_t set_lines[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                    15, 16, 17, 18, 19, 20, 21, 24, 25, 32, 33, 40, 41};

static int plan_sets(const struct caches_limits *limits, struct caches_points *plan)
{
    int result = 0;
    for (uint64_t stride = 1024; stride <= 256 * KIB; stride *= 2)
        for (size_t i = 0; i < sizeof(set_lines) && result == 0; i++)
            if (set_lines[i] * stride <= limits->most_bytes)
                result = add(plan, CHASE_SETS, limits->huge && stride >= SETS_HUGE_FROM,
                             set_lines[i] * stride, stride, 0);
    return result;
}

static int plan_pairs(const struct caches_limits *limits, struct caches_points *plan)
{
    int result = 0;
    for (uint64_t bytes = 32 * KIB; bytes <= 16 * MIB && bytes <= limits->most_bytes; bytes *= 2)
        for (uint64_t pair = 8; pair <= PAIR_STRIDE / 4 && result == 0; pair *= 2)
            result = add(plan, CHASE_PAIRS, limits->huge && bytes >= HUGE_FROM, bytes, PAIR_STRIDE,
                         pair);
    return result;
}

int caches_plan(const struct caches_limits *limits, struct caches_points *plan)
{
    *plan = (struct caches_points){0};
    int result = plan_dense(limits, plan);
    if (result == 0)
        result = plan_pages(limits, plan);
    if (result == 0)
        result = plan_sets(limits, plan);
    if (result == 0)
        result = plan_pairs(limits, plan);
    if (result < 0)
        caches_points_free(plan);
    return result;
}

uint64_t caches_steps(const struct caches_point *point)
{
    uint64_t nodes = point->bytes / point->stride;
    return nodes < LEAST_STEPS ? LEAST_STEPS : nodes > MOST_STEPS ? MOST_STEPS : nodes;
}

/* Large rings take most of the time, rings over sets are most of the rings. */
static bool is_large(const struct caches_point *point)
{
    return point->shape == CHASE_DENSE && point->bytes > LARGE_RING;
}

uint32_t caches_runs(const struct caches_point *point)
{
    return is_large(point) ? 1 : point->shape == CHASE_DENSE ? 3 : 2;
}

uint32_t caches_processes(const struct caches_point *point)
{
    return is_large(point) ? 2 : point->shape == CHASE_DENSE ? 4 : 3;
}

void caches_specimen(const struct caches_point *point, uint64_t page, char name[CACHES_NAME])
{
    char more[48] = "";
    uint64_t cluster = CLUSTER_PAGES * page;
    if (point->shape == CHASE_DENSE)
        snprintf(more, sizeof(more), ",cluster=%" PRIu64, cluster);
    else if (point->shape == CHASE_PAGES)
        snprintf(more, sizeof(more), ",spread=%u", DENSE_STRIDE);
    else if (point->shape == CHASE_PAIRS)
        snprintf(more, sizeof(more), ",pair=%" PRIu64 ",cluster=%" PRIu64, point->pair, cluster);
    snprintf(name, CACHES_NAME, "chase/bytes=%" PRIu64 ",stride=%" PRIu64 "%s%s/", point->bytes,
             point->stride, more, point->huge ? ",huge=1" : "");
}

/* The value of a key among the parameters; 0 where it is not given. */
static uint64_t parameter(const char *name, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strchr(name, '/'); at && at[1]; at = strpbrk(at + 1, ",/"))
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=')
            return strtoull(at + 2 + length, NULL, 10);
    return 0;
}

bool caches_from_specimen(const char *name, struct caches_point *point)
{
    if (strncmp(name, "chase/", 6) != 0)
        return false;
    *point = (struct caches_point){
        .huge = parameter(name, "huge") != 0,
        .bytes = parameter(name, "bytes"),
        .stride = parameter(name, "stride"),
        .pair = parameter(name, "pair"),
    };
    point->shape = point->pair                  ? CHASE_PAIRS
                   : parameter(name, "spread")  ? CHASE_PAGES
                   : parameter(name, "cluster") ? CHASE_DENSE
                                                : CHASE_SETS;
    return point->bytes && point->stride && point->stride <= point->bytes;
}
