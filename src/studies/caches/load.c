/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to what the study of caches judges: the points that were measured, and from the
 * facts beside them the claims and what stands in the way. Touches no machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/caches/study.h"

#define MOST_CELLS 8192u /* several times what the study plans */

/* The cells of a store that are rings, by id. */
struct rings {
    struct caches_points *points;
    struct caches_point *cells; /* [id] */
    uint64_t *steps;            /* [id]; 0: no ring */
    size_t count;
    struct caches_failures *failures;
};

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct rings *rings = context;
    uint32_t id = stored->cell.id;
    struct caches_point point;
    if (id > MOST_CELLS)
        return -E2BIG;
    if (stored->failed && stored->reason && !rings->failures->count)
        snprintf(rings->failures->reason, sizeof(rings->failures->reason), "%s", stored->reason);
    rings->failures->count += stored->failed;
    if (!caches_from_specimen(stored->cell.specimen, &point) || !stored->cell.n)
        return 0;
    if (id >= rings->count) {
        size_t count = (size_t)id + 64;
        struct caches_point *cells = reallocarray(rings->cells, count, sizeof(*cells));
        rings->cells = cells ? cells : rings->cells;
        uint64_t *steps = cells ? reallocarray(rings->steps, count, sizeof(*steps)) : NULL;
        rings->steps = steps ? steps : rings->steps;
        if (!steps)
            return -ENOMEM;
        memset(steps + rings->count, 0, (count - rings->count) * sizeof(*steps));
        rings->count = count;
    }
    rings->cells[id] = point;
    rings->steps[id] = stored->cell.n;
    return stored->failed ? caches_add_failed(rings->points, &point, stored->failed) : 0;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct rings *rings = context;
    if (sample->cell >= rings->count || !rings->steps[sample->cell] || sample->counter)
        return 0;
    uint64_t process = (uint64_t)sample->cell << 32 | sample->process;
    return caches_add(rings->points, &rings->cells[sample->cell], process,
                      (double)sample->value / (double)rings->steps[sample->cell]);
}

int caches_load(struct store *store, struct caches_points *points, struct caches_failures *failures,
                struct failure *failure)
{
    struct rings rings = {.points = points, .failures = failures};
    *failures = (struct caches_failures){0};
    int error = store_each_cell(store, take_cell, &rings, failure);
    if (error == 0)
        error = store_each_sample(store, 0, take_sample, &rings, failure);
    free(rings.cells);
    free(rings.steps);
    if (error == -E2BIG)
        fail_with(failure, error, "the store holds more cells than `assay caches` ever plans");
    if (error == -ENOMEM)
        fail_with(failure, error, "out of memory");
    return error;
}

/* --- the facts beside them --- */

static uint64_t claimed(const struct facts *facts, const char *cache, const char *what)
{
    char key[48];
    snprintf(key, sizeof(key), "cache.%s.%s", cache, what);
    long long number = facts_number(facts, key, 0);
    return number > 0 ? (uint64_t)number : 0;
}

void caches_claims(const struct facts *facts, struct caches_claims *claims)
{
    static const struct {
        unsigned level;
        const char *type, *cache;
    } known[] = {{1, "data", "l1d"},
                 {1, "unified", "l1"},
                 {2, "unified", "l2"},
                 {3, "unified", "l3"},
                 {4, "unified", "l4"}};
    claims->count = 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct caches_claim *claim = &claims->list[claims->count];
        *claim = (struct caches_claim){.level = known[i].level,
                                       .bytes = claimed(facts, known[i].cache, "bytes"),
                                       .line = claimed(facts, known[i].cache, "line_bytes"),
                                       .ways = claimed(facts, known[i].cache, "ways")};
        snprintf(claim->type, sizeof(claim->type), "%s", known[i].type);
        claims->count += claim->bytes != 0;
    }
}

uint64_t caches_page(const struct facts *facts)
{
    long long page = facts_number(facts, "memory.page_bytes", 0);
    bool sound = page >= 1024 && page <= (1 << 24) && (page & (page - 1)) == 0;
    return sound ? (uint64_t)page : 4096;
}

uint64_t caches_huge_page(const struct facts *facts)
{
    long long bytes = facts_number(facts, "memory.huge_page_bytes", 0);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

const char *caches_unfit(const struct facts *facts)
{
    if (!facts_get(facts, "emulated"))
        return NULL;
    return "the machine is emulated: its times say nothing of any cache";
}

const char *caches_no_huge(const struct facts *facts)
{
    const char *huge = facts_get(facts, "memory.huge_pages");
    if (huge && (strcmp(huge, "always") == 0 || strcmp(huge, "madvise") == 0))
        return NULL;
    return "the operating system gives no huge pages on request";
}
