/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay caches`: a new one that begins with the plan of rings, or an unfinished
 * one that is gone on with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "studies/caches/parts.h"
#include "cli/deliver.h"
#include "engine/gather.h"
#include "engine/run-store.h"
#include "study/plan.h"

#define MIB        (UINT64_C(1) << 20)
#define LEAST_RING (64 * MIB)
#define MOST_RING  (512 * MIB)
#define BEYOND     2u /* times the largest cache that is claimed */
#define MEMORY     8u /* a ring takes at most this part of the memory */

/* --- a new one --- */

static struct caches_limits limits_of(const struct caching *caching)
{
    const struct facts *facts = caching->facts;
    uint64_t most = LEAST_RING;
    for (size_t i = 0; i < caching->claims.count; i++)
        if (caching->claims.list[i].bytes <= MOST_RING / BEYOND &&
            caching->claims.list[i].bytes * BEYOND > most)
            most = caching->claims.list[i].bytes * BEYOND;
    long long kib = facts_number(facts, "memory.total_kib", 0);
    uint64_t memory = kib > 0 ? (uint64_t)kib * 1024 / MEMORY : most;
    return (struct caches_limits){.page = caches_page(facts),
                                  .huge = !caches_no_huge(facts),
                                  .most_bytes = most < memory ? most : memory};
}

/* The path's first word of a list such as "O0,O2", or the one that is preferred. */
static char *word_of(const char *list, const char *preferred)
{
    const char *found = strstr(list, preferred);
    const char *word = found ? preferred : list;
    return strndup(word, strcspn(word, ","));
}

static int add_cell(struct caching *caching, const struct caches_point *point, uint64_t page)
{
    const struct catalogue_path *path = catalogue_path(caching->catalogue, "clock");
    char specimen[CACHES_NAME];
    caches_specimen(point, page, specimen);
    struct cell cell = {.events = {strdup("clock/ticks/")},
                        .counters = 1,
                        .path = strdup("clock"),
                        .pattern = PATTERN_RR,
                        .specimen = strdup(specimen),
                        .n = caches_steps(point),
                        .opt = word_of(path->opts, "O2"),
                        .link = word_of(path->links, "static"),
                        .runs = caches_runs(point),
                        .cpu = caching->cpu};
    bool whole = cell.events[0] && cell.path && cell.specimen && cell.opt && cell.link;
    int error = whole ? plan_append(&caching->cells, &caching->cell_count, &cell) : -ENOMEM;
    if (error < 0)
        cell_release(&cell);
    return error;
}

/* Appends what is to be measured next to the plan and to the store; *added is how many cells that
 * is. */
static int plan_next(struct caching *caching, const struct caches_points *points, size_t *added,
                     struct failure *failure)
{
    struct caches_limits limits = limits_of(caching);
    struct caches_points plan;
    size_t first = caching->cell_count, visit_count = 0;
    AUTO_FREE struct visit *visits = NULL;
    int error = caches_plan(&limits, points, &plan);
    AUTO_FREE uint32_t *processes = error < 0 ? NULL : calloc(plan.count + 1, sizeof(*processes));
    if (error == 0 && !processes)
        error = -ENOMEM;
    for (size_t i = 0; error == 0 && i < plan.count; i++) {
        processes[i] = (uint32_t)plan.list[i].count;
        error = add_cell(caching, &plan.list[i], limits.page);
    }
    caches_plan_free(&plan);
    *added = caching->cell_count - first;
    /* Each plan draws its order from a seed of its own. */
    if (error == 0 && *added)
        error = plan_rounds(caching->cells + first, *added, processes, caching->seed + first,
                            &visits, &visit_count);
    if (error < 0)
        return fail_with(failure, error, "out of memory");
    if (!*added)
        return 0;
    error = store_put_plan(caching->store, caching->cells + first, *added, visits, visit_count,
                           failure);
    return error < 0 ? error : store_commit(caching->store, failure);
}

static struct run_store whose(const struct caching *caching)
{
    return (struct run_store){.command = "caches",
                              .common = &caching->options->common,
                              .catalogue = caching->catalogue,
                              .path = caching->options->store,
                              .seed = caching->seed};
}

static int create(struct caching *caching, struct failure *failure)
{
    const struct run_store run = whose(caching);
    const struct caches_points nothing = {0};
    size_t added;
    int error = run_store_create(&run, &caching->store, failure);
    return error < 0 ? error : plan_next(caching, &nothing, &added, failure);
}

/* --- an unfinished one --- */

static int copy_cell(void *context, const struct stored_cell *stored)
{
    struct caching *caching = context;
    struct cell copy;
    int error = cell_copy(&copy, &stored->cell);
    if (error < 0)
        return error;
    uint32_t id = copy.id;
    error = plan_append(&caching->cells, &caching->cell_count, &copy);
    if (error < 0)
        cell_release(&copy);
    else
        caching->cells[caching->cell_count - 1].id = id;
    return error;
}

static int copy_cells(struct caching *caching, struct failure *failure)
{
    int error = store_each_cell(caching->store, copy_cell, caching, failure);
    return error < 0 && !failure->code ? fail_with(failure, error, "out of memory") : error;
}

static int adopt_plan(struct caching *caching, struct failure *failure)
{
    int error = copy_cells(caching, failure);
    if (error < 0)
        return error;
    if (!caching->cell_count)
        return fail_with(failure, -EINVAL,
                         "the run in %s ended before its plan was stored: there is nothing to go "
                         "on with. Remove it and start anew",
                         store_path(caching->store));
    const struct run_store run = whose(caching);
    return run_store_same_plan(&run, caching->store, caching->cells, caching->cell_count, failure);
}

static int reopen(struct caching *caching, struct failure *failure)
{
    const struct run_store run = whose(caching);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &caching->store, &info, failure);
    if (error == 0)
        caching->seed = info.seed;
    store_info_release(&info);
    return error < 0 ? error : adopt_plan(caching, failure);
}

int caches_open_store(struct caching *caching)
{
    struct failure failure = {0};
    int error = caching->options->resume ? reopen(caching, &failure) : create(caching, &failure);
    if (error == 0)
        return EXIT_DONE;
    return deliver_failure("caches", &failure, run_store_exit(error, caching->options->resume));
}

/* What the samples so far ask for. */
static int look_further(struct caching *caching, size_t *added, struct failure *failure)
{
    struct caches_points points = {0};
    int error = caches_load(caching->store, &points, &caching->failures, failure);
    if (error == 0)
        error = plan_next(caching, &points, added, failure);
    caches_points_free(&points);
    return error;
}

/* What is left of the budget; at least a moment, because 0 is no limit. */
static uint64_t budget_left(const struct caching *caching, int64_t started)
{
    uint64_t budget = caching->options->budget, used = (uint64_t)(monotonic_ms() - started);
    return !budget ? 0 : used < budget ? budget - used : 1;
}

int caches_execute(struct caching *caching)
{
    struct gathering gathering = {.command = "caches",
                                  .common = &caching->options->common,
                                  .session = caching->session,
                                  .store = caching->store,
                                  .resumed = caching->options->resume,
                                  .more = true};
    struct failure failure = {0};
    int64_t started = monotonic_ms();
    if (run_store_is_finished(caching->store))
        gathering.more = false;
    for (;;) {
        gathering.cells = caching->cells;
        gathering.cell_count = caching->cell_count;
        gathering.budget = budget_left(caching, started);
        int status = gather(&gathering, &caching->complete, &failure);
        if (failure.code)
            return deliver_failure("caches", &failure, status);
        if (status != EXIT_DONE || !caching->complete || !gathering.more)
            return status;
        size_t added = 0;
        if (look_further(caching, &added, &failure) < 0)
            return deliver_failure("caches", &failure, EXIT_FAILED);
        gathering.resumed = false;
        gathering.more = added != 0; /* nothing more to learn: the store is finished */
    }
}

/* --- one that is judged again --- */

int caches_open_from(struct caching *caching)
{
    struct failure failure = {0};
    struct stored_run *stored = &caching->stored;
    int error =
        stored_run_open(caching->options->from, "caches", &caching->store, stored, &failure);
    if (error == 0)
        error = copy_cells(caching, &failure);
    if (error < 0)
        return run_store_refuse("caches", error, true, &failure);
    caching->seed = stored->info.seed;
    caching->facts = &stored->facts;
    caching->fingerprint = stored->info.fingerprint;
    caching->complete = stored->info.finished != NULL;
    return EXIT_DONE;
}
