/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rings as names of the specimen chase, and back: so that a store says by itself what it holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/caches/study.h"

#define CLUSTER_PAGES 16u /* fewer than any TLB has entries */
#define SPREAD        64u /* bytes: the nodes of neighbouring pages lie in neighbouring sets */

void caches_specimen(const struct caches_point *point, uint64_t page, char name[CACHES_NAME])
{
    char more[48] = "";
    uint64_t cluster = CLUSTER_PAGES * page;
    if (point->shape == CHASE_DENSE)
        snprintf(more, sizeof(more), ",cluster=%" PRIu64, cluster);
    else if (point->shape == CHASE_PAGES)
        snprintf(more, sizeof(more), ",spread=%u", SPREAD);
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
