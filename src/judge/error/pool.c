/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs of several cells thrown together, and their median. */
#include "judge/error/pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/error/replicates.h"
#include "stats/spread.h"

int error_pool_open(const struct error_ways *ways, struct error_pool *pool)
{
    *pool = (struct error_pool){0};
    size_t most_runs = 0, most_processes = 0;
    for (size_t begin = 0, next; begin < ways->count; begin = next) {
        size_t runs = 0, processes = 0;
        next = error_ways_end(ways, begin, WAY_LAYOUT);
        for (size_t i = begin; i < next; i++) {
            runs += ways->list[i].cell->runs;
            processes += ways->list[i].cell->processes;
        }
        most_runs = runs > most_runs ? runs : most_runs;
        most_processes = processes > most_processes ? processes : most_processes;
    }
    pool->errors = calloc(most_runs + 1, sizeof(*pool->errors));
    pool->scratch = calloc(most_runs + 1, 2 * sizeof(*pool->scratch));
    pool->medians = calloc(most_processes + 1, sizeof(*pool->medians));
    return pool->errors && pool->scratch && pool->medians ? 0 : -ENOMEM;
}

void error_pool_release(struct error_pool *pool)
{
    free(pool->errors);
    free(pool->scratch);
    free(pool->medians);
    *pool = (struct error_pool){0};
}

void error_pool_add(struct error_pool *pool, const struct error_cell *cell)
{
    pool->count += error_usual_runs(cell, pool->errors + pool->count);
}

double error_pool_median(struct error_pool *pool, int64_t *min)
{
    size_t count = pool->count;
    pool->count = 0;
    *min = 0;
    if (!count)
        return NAN;
    error_sort(pool->errors, count, pool->scratch);
    *min = pool->errors[0];
    return (double)error_quantile(pool->errors, count, 1, 2);
}
