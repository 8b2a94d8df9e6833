/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines of known geometry for the tests of the study of caches: sets, ways and replacement are
 * simulated access by access, TLBs too; then what real machines add comes on top: noise, runs that
 * were preempted, whole processes beside a busy neighbour, prefetching. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/caches/study.h"

#define MODEL_PAGE   4096u
#define MODEL_HUGE   (UINT64_C(2) << 20)
#define MODEL_LEVELS 3

enum replacement { LEAST_RECENT, AT_RANDOM };

struct model_level {
    uint64_t bytes;
    unsigned ways;
    enum replacement replacement;
    bool physical;  /* sets chosen by physical addresses */
    unsigned taken; /* ways that others hold */
    double ticks;   /* of a load that finds its line here */
};

struct model {
    struct model_level levels[MODEL_LEVELS]; /* bytes 0: no such level */
    double memory;                           /* ticks of a load that finds it nowhere */
    unsigned line;
    bool exclusive;      /* the second level holds what the first does not */
    bool scattered;      /* physical pages lie anywhere */
    bool splintered;     /* huge pages too: a hypervisor backs them with small ones */
    unsigned entries[2]; /* of the TLBs; 0: none */
    double walk[2];      /* ticks a miss in them adds */
    double hidden;    /* share of the cost of misses that prefetching hides, more of it the nearer
                         a ring is to the size of the cache */
    double noise;     /* relative, one sided */
    double preempted; /* share of runs with an outlier */
    double beside;    /* share of processes beside a busy neighbour */
};

/* One simulated level: tags by set, the time of last use beside each. */
struct model_cache {
    const struct model_level *level;
    unsigned ways;
    uint64_t sets;
    uint64_t *tags, *used;
};

struct model_state {
    const struct model *model;
    struct model_cache caches[MODEL_LEVELS];
    uint64_t page_count;
    uint64_t *pages; /* physical page of a virtual one */
    uint64_t tlb[2][4096], tlb_used[2][4096];
    uint32_t *places[2]; /* of a page in a TLB: entry + 1 */
    uint64_t clock;
    struct random random;
};

static inline double model_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static inline void model_open(struct model_state *state, const struct model *model,
                              uint64_t most_bytes, uint64_t seed)
{
    memset(state, 0, sizeof(*state));
    state->model = model;
    random_seed(&state->random, seed);
    state->page_count = most_bytes / MODEL_PAGE + 1;
    state->pages = calloc(state->page_count, sizeof(uint64_t));
    for (int level = 0; level < 2; level++)
        state->places[level] = calloc(state->page_count, sizeof(uint32_t));
    for (size_t i = 0; i < MODEL_LEVELS; i++) {
        const struct model_level *level = &model->levels[i];
        struct model_cache *cache = &state->caches[i];
        if (!level->bytes)
            continue;
        cache->level = level;
        cache->ways = level->ways - level->taken;
        cache->sets = level->bytes / level->ways / model->line;
        cache->tags = calloc(cache->sets * cache->ways, sizeof(uint64_t));
        cache->used = calloc(cache->sets * cache->ways, sizeof(uint64_t));
    }
}

static inline void model_close(struct model_state *state)
{
    for (size_t i = 0; i < MODEL_LEVELS; i++) {
        free(state->caches[i].tags);
        free(state->caches[i].used);
    }
    free(state->pages);
    free(state->places[0]);
    free(state->places[1]);
}

/* An empty machine, and where its pages lie this time. */
static inline void model_reset(struct model_state *state, uint64_t bytes, bool huge)
{
    const struct model *model = state->model;
    for (size_t i = 0; i < MODEL_LEVELS; i++) {
        const struct model_cache *cache = &state->caches[i];
        if (!cache->level)
            continue;
        memset(cache->tags, 0, cache->sets * cache->ways * sizeof(uint64_t));
        memset(cache->used, 0, cache->sets * cache->ways * sizeof(uint64_t));
    }
    memset(state->tlb, 0, sizeof(state->tlb));
    memset(state->tlb_used, 0, sizeof(state->tlb_used));
    for (int level = 0; level < 2; level++)
        memset(state->places[level], 0, state->page_count * sizeof(uint32_t));
    bool anywhere = huge ? model->splintered : model->scattered;
    for (uint64_t page = 0; page <= bytes / MODEL_PAGE; page++)
        state->pages[page] =
            anywhere ? random_below(&state->random, UINT64_C(1) << 30) : (UINT64_C(1) << 20) + page;
}

/* Is the tag in its set? Puts it there when it is not; *victim is what had to go, 0: nothing. */
static inline bool model_touch(struct model_state *state, struct model_cache *cache, uint64_t tag,
                               uint64_t *victim)
{
    uint64_t *tags = cache->tags + tag % cache->sets * cache->ways;
    uint64_t *used = cache->used + tag % cache->sets * cache->ways;
    unsigned oldest = 0;
    *victim = 0;
    for (unsigned way = 0; way < cache->ways; way++) {
        if (tags[way] == tag) {
            used[way] = ++state->clock;
            return true;
        }
        if (used[way] < used[oldest])
            oldest = way;
    }
    if (cache->level->replacement == AT_RANDOM && used[oldest])
        oldest = (unsigned)random_below(&state->random, cache->ways);
    *victim = tags[oldest];
    tags[oldest] = tag;
    used[oldest] = ++state->clock;
    return false;
}

static inline void model_drop(struct model_cache *cache, uint64_t tag)
{
    uint64_t *tags = cache->tags + tag % cache->sets * cache->ways;
    for (unsigned way = 0; way < cache->ways; way++)
        if (tags[way] == tag) {
            tags[way] = 0;
            cache->used[tag % cache->sets * cache->ways + way] = 0;
        }
}

/* Ticks that translation adds. */
static inline double model_translate(struct model_state *state, uint64_t page)
{
    double ticks = 0;
    for (int level = 0; level < 2; level++) {
        unsigned entries = state->model->entries[level], oldest = 0, entry = 0;
        uint64_t *tlb = state->tlb[level], *used = state->tlb_used[level];
        if (!entries)
            return ticks;
        bool hit = state->places[level][page] != 0;
        for (; entry < entries && !hit; entry++)
            if (used[entry] < used[oldest])
                oldest = entry;
        entry = hit ? state->places[level][page] - 1 : oldest;
        if (!hit && tlb[entry])
            state->places[level][tlb[entry] - 1] = 0;
        state->places[level][page] = entry + 1;
        tlb[entry] = page + 1;
        used[entry] = ++state->clock;
        if (hit)
            return ticks;
        ticks += state->model->walk[level];
    }
    return ticks;
}

static inline double model_load(struct model_state *state, uint64_t address, bool huge)
{
    const struct model *model = state->model;
    uint64_t page = address / MODEL_PAGE;
    bool large = huge && !model->splintered;
    uint64_t physical = (state->pages[page] * MODEL_PAGE + address % MODEL_PAGE) / model->line;
    uint64_t virtual = (address + (UINT64_C(1) << 32)) / model->line;
    double ticks = model_translate(state, large ? page / (MODEL_HUGE / MODEL_PAGE) : page);
    double found = model->memory;
    uint64_t victim, first_victim = 0;
    for (size_t i = 0; i < MODEL_LEVELS; i++) {
        struct model_cache *cache = &state->caches[i];
        if (!cache->level)
            continue;
        uint64_t tag = cache->level->physical ? physical : virtual;
        if (i == 1 && model->exclusive) { /* holds what fell out of the first; both by one kind */
            bool here = false;
            const uint64_t *tags = cache->tags + tag % cache->sets * cache->ways;
            for (unsigned way = 0; way < cache->ways; way++)
                here = here || tags[way] == tag;
            model_drop(cache, tag);
            if (first_victim)
                model_touch(state, cache, first_victim, &victim);
            if (here)
                return ticks + cache->level->ticks;
            continue;
        }
        if (model_touch(state, cache, tag, &victim)) {
            found = cache->level->ticks;
            break;
        }
        if (i == 0)
            first_victim = victim;
    }
    return ticks + found;
}

/* The addresses of a ring in the order of its steps; the caller frees *ring. */
static inline uint64_t model_ring(struct model_state *state, const struct caches_point *point,
                                  uint64_t **ring)
{
    uint64_t count = point->bytes / point->stride;
    uint64_t cluster = point->shape == CHASE_DENSE || point->shape == CHASE_PAIRS
                           ? UINT64_C(16) * MODEL_PAGE / point->stride
                           : count;
    uint64_t *order = calloc(2 * count, sizeof(*order));
    for (uint64_t first = 0; first < count; first += cluster) {
        uint64_t length = count - first < cluster ? count - first : cluster;
        for (uint64_t i = 0; i < length; i++) {
            uint64_t chosen = random_below(&state->random, i + 1);
            order[first + i] = order[first + chosen];
            order[first + chosen] = first + i;
        }
    }
    uint64_t *addresses = calloc(2 * count, sizeof(*addresses)), nodes = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t address = order[i] * point->stride;
        if (point->shape == CHASE_PAGES)
            address += order[i] * 64 % point->stride;
        if (point->pair)
            addresses[nodes++] = address + point->pair;
        addresses[nodes++] = address;
    }
    free(order);
    *ring = addresses;
    return nodes;
}

/* What prefetching leaves of the cost of missing: where a ring is little larger than a cache most
 * of it is hidden, so that no rise is sharp. */
static inline double model_smooth(const struct model *model, const struct caches_point *point,
                                  double ticks)
{
    double base = model->levels[0].ticks;
    if (model->hidden <= 0 || point->shape != CHASE_DENSE)
        return ticks;
    for (size_t i = 0; i < MODEL_LEVELS; i++) {
        double over = log2((double)point->bytes / (double)(model->levels[i].bytes + 1));
        if (model->levels[i].bytes && over > 0 && over < 1.5)
            ticks = base + (ticks - base) * (1 - model->hidden * (1 - over / 1.5));
    }
    return ticks;
}

/* Mean ticks of a step once around a ring that was followed once before. */
static inline double model_steps(struct model_state *state, const struct caches_point *point)
{
    uint64_t *ring;
    double ticks = 0;
    uint64_t nodes = model_ring(state, point, &ring);
    uint64_t warm = nodes < 64 ? 4096 : nodes, steps = nodes < 64 ? 8192 : nodes;
    model_reset(state, point->bytes + MODEL_PAGE, point->huge);
    for (uint64_t i = 0; i < warm; i++)
        model_load(state, ring[i % nodes], point->huge);
    for (uint64_t i = 0; i < steps; i++)
        ticks += model_load(state, ring[i % nodes], point->huge);
    free(ring);
    return model_smooth(state->model, point, ticks / (double)steps);
}

/* What the machine would report of a point whose undisturbed latency is known. */
static inline double model_run(const struct model *model, double ticks, bool beside,
                               struct random *random)
{
    double seen = ticks * (1 + model->noise * fabs(model_unit(random) + model_unit(random) - 1));
    if (beside)
        seen *= 1.3 + 2 * model_unit(random);
    if (model_unit(random) < model->preempted)
        seen *= 1.5 + 20 * model_unit(random);
    return seen;
}

/* The row of a level: rows of caches that were found stand in order. */
static inline const struct caches_row *row_of(const struct caches_report *report, unsigned level,
                                              const char *type)
{
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].level == level && strcmp(report->rows[i].type, type) == 0)
            return &report->rows[i];
    return NULL;
}
