/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stores with cells of measurement error, planned by a few words each, whose counts can be told
 * from their place; and how they are loaded. */
#pragma once

#include "store-fixture.h"

#include "studies/error/plan.h"

enum { RUNS = 3, PROCESSES = 2, MOST_CELLS = 32 };

/* One cell; zeroes mean: perf-read, ao, O2, lazy, null. Its runs count 100, 101, 102 in process 0
 * and 200, 201, 202 in process 1; further counters ten times their number more. */
struct planned {
    const char *event, *second, *third;
    const char *path, *specimen;
    uint64_t n;
    const char *class, *grade; /* of the first counter */
    int64_t truth;
    bool separate;
};

UNUSED static const char *word_or(const char *word, const char *otherwise)
{
    return word ? word : otherwise;
}

UNUSED static struct cell cell_of(const struct planned *one, uint32_t id)
{
    return (struct cell){.id = id,
                         .events = {words(one->event), words(one->second), words(one->third)},
                         .counters = one->third    ? 3
                                     : one->second ? 2
                                                   : 1,
                         .path = words(word_or(one->path, "perf-read")),
                         .pattern = PATTERN_AO,
                         .specimen = words(word_or(one->specimen, "null")),
                         .n = one->n,
                         .opt = words("O2"),
                         .link = words("lazy"),
                         .runs = RUNS,
                         .separate = one->separate,
                         .cpu = -1};
}

UNUSED static uint64_t value_of(uint32_t process, uint32_t run, uint32_t counter)
{
    return 100 * (process + 1) + run + 10 * counter;
}

UNUSED static void put_visit_of(struct store *store, const struct cell *cell, uint32_t process)
{
    uint64_t values[RUNS * 3], times[RUNS * 3];
    struct account accounts[RUNS] = {{0}};
    for (uint32_t at = 0; at < RUNS * cell->counters; at++) {
        values[at] = value_of(process, at / cell->counters, at % cell->counters);
        times[at] = 1000 + at / cell->counters;
    }
    struct batch batch = {cell->id, process, 0,     RUNS,    cell->counters,
                          values,   times,   times, accounts};
    must(store_put_batch(store, &batch, failure));
    must(store_end_visit(store, cell->id, process, VISIT_DONE, 0, NULL, failure));
}

UNUSED static void put_planned(struct store *store, const struct planned *planned, uint32_t count)
{
    struct cell cells[MOST_CELLS];
    struct visit visits[MOST_CELLS * PROCESSES];
    assert_true(count <= MOST_CELLS);
    for (uint32_t i = 0; i < count; i++)
        cells[i] = cell_of(&planned[i], i + 1);
    for (uint32_t i = 0; i < count * PROCESSES; i++) /* the last process of a cell comes first */
        visits[i] = (struct visit){i / PROCESSES + 1, PROCESSES - 1 - i % PROCESSES};
    must(store_put_plan(store, cells, count, visits, (size_t)count * PROCESSES, failure));
    for (uint32_t i = 0; i < count; i++)
        if (planned[i].class || planned[i].grade)
            must(store_put_truth(store, i + 1, 0, planned[i].class, planned[i].truth,
                                 planned[i].grade, failure));
    for (uint32_t i = 0; i < count * PROCESSES; i++)
        put_visit_of(store, &cells[visits[i].cell - 1], visits[i].process);
}

UNUSED static struct store *start(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    return store;
}

UNUSED static void end(struct store *store)
{
    must(store_finish(store, failure));
    store_close(store);
}

UNUSED static void load(const char *path, struct error_case *file)
{
    struct store *store = NULL;
    must(store_open(&store, path, false, failure));
    must(error_load(store, file, failure));
    store_close(store);
}
