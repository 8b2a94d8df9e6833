/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws the order of visits. First stage of the pipeline. */
#include "study/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/random.h"

int plan_append(struct cell **cells, size_t *count, const struct cell *cell)
{
    if ((*count & (*count - 1)) == 0) {
        struct cell *grown = realloc(*cells, (*count ? 2 * *count : 1) * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        *cells = grown;
    }
    (*cells)[*count] = *cell;
    (*cells)[*count].id = (uint32_t)*count + 1;
    (*count)++;
    return 0;
}

static void shuffle(struct visit *list, size_t count, struct random *random)
{
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)random_below(random, left);
        struct visit last = list[left - 1];
        list[left - 1] = list[chosen];
        list[chosen] = last;
    }
}

int plan_visits(const struct cell *cells, size_t cell_count, uint32_t processes, uint64_t seed,
                struct visit **visits, size_t *visit_count)
{
    size_t count;
    if (__builtin_mul_overflow(cell_count, (size_t)processes, &count))
        return -EOVERFLOW;
    struct visit *list = calloc(count ? count : 1, sizeof(*list));
    if (!list)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        list[i] = (struct visit){cells[i / processes].id, (uint32_t)(i % processes)};
    struct random random;
    random_seed(&random, seed);
    shuffle(list, count, &random);
    *visits = list;
    *visit_count = count;
    return 0;
}

/* The null cell of that cell's way; `count` where there is none. */
static size_t null_of(const struct cell *cells, size_t count, const size_t *nulls,
                      size_t null_count, const struct cell *cell)
{
    for (size_t i = 0; i < null_count; i++)
        if (plan_same_way(&cells[nulls[i]], cell))
            return nulls[i];
    return count;
}

/* Moves every null cell before the first cell of its way: where time runs out during the first
 * round, no cell was measured without what has to be subtracted from it. Visits hold indices. */
static int lead_with_nulls(const struct cell *cells, size_t cell_count, struct visit *list,
                           size_t count)
{
    AUTO_FREE size_t *nulls = calloc(cell_count + 1, sizeof(*nulls));
    AUTO_FREE bool *placed = calloc(cell_count + 1, sizeof(*placed));
    AUTO_FREE struct visit *drawn = calloc(count + 1, sizeof(*drawn));
    size_t null_count = 0, at = 0;
    if (!nulls || !placed || !drawn)
        return -ENOMEM;
    memcpy(drawn, list, count * sizeof(*drawn));
    placed[cell_count] = true; /* whoever has no null cell waits for none */
    for (size_t i = 0; i < count; i++)
        if (plan_is_overhead_cell(&cells[drawn[i].cell]))
            nulls[null_count++] = drawn[i].cell;
    for (size_t i = 0; i < count; i++) {
        size_t null = null_of(cells, cell_count, nulls, null_count, &cells[drawn[i].cell]);
        if (!placed[null])
            list[at++] = (struct visit){(uint32_t)null, drawn[i].process};
        placed[null] = true;
        if (!placed[drawn[i].cell])
            list[at++] = drawn[i];
        placed[drawn[i].cell] = true;
    }
    return 0;
}

int plan_rounds(const struct cell *cells, size_t cell_count, const uint32_t *processes,
                uint64_t seed, struct visit **visits, size_t *visit_count)
{
    size_t count = 0;
    for (size_t i = 0; i < cell_count; i++)
        count += processes[i];
    struct visit *list = calloc(count ? count : 1, sizeof(*list));
    if (!list)
        return -ENOMEM;
    struct random random;
    random_seed(&random, seed);
    size_t at = 0;
    int error = 0;
    for (uint32_t round = 0; at < count && error == 0; round++) {
        size_t begin = at;
        for (size_t i = 0; i < cell_count; i++)
            if (processes[i] > round)
                list[at++] = (struct visit){(uint32_t)i, round};
        shuffle(list + begin, at - begin, &random);
        if (round == 0)
            error = lead_with_nulls(cells, cell_count, list, at);
    }
    if (error < 0) {
        free(list);
        return error;
    }
    for (size_t i = 0; i < count; i++)
        list[i].cell = cells[list[i].cell].id;
    *visits = list;
    *visit_count = count;
    return 0;
}
