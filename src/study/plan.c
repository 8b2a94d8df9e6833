/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws the order of visits. First stage of the pipeline. */
#include "study/plan.h"

#include <errno.h>
#include <stdlib.h>

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
    for (uint32_t round = 0; at < count; round++) {
        size_t begin = at;
        for (size_t i = 0; i < cell_count; i++)
            if (processes[i] > round)
                list[at++] = (struct visit){cells[i].id, round};
        shuffle(list + begin, at - begin, &random);
    }
    *visits = list;
    *visit_count = count;
    return 0;
}
