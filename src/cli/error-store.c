/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay error`: everything that judging needs goes into it before the first
 * sample, and an unfinished one is gone on with as it began. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "studies/error/parts.h"
#include "cli/from-stores.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "study/error.h"

static struct run_store whose(const struct erring *erring)
{
    return (struct run_store){.command = "error",
                              .common = &erring->options->common,
                              .catalogue = erring->catalogue,
                              .path = erring->options->store,
                              .seed = erring->seed};
}

static int refuse(const struct erring *erring, int error, const struct failure *failure)
{
    const struct error_options *options = erring->options;
    return run_store_refuse("error", error, options->resume || options->from.count, failure);
}

/* --- a new one --- */

static int create(struct erring *erring, struct failure *failure)
{
    static const char *const specimens[] = {"null", "loop", "placed", "phases"};
    const struct run_store run = whose(erring);
    int error = run_store_create(&run, &erring->store, failure);
    if (error == 0)
        error = tried_put(&erring->tried, erring->store, failure);
    for (size_t i = 0; i < sizeof(specimens) / sizeof(*specimens) && error == 0; i++) {
        const struct catalogue_specimen *specimen =
            catalogue_specimen(erring->catalogue, specimens[i]);
        if (specimen)
            error = run_store_put_specimen(erring->store, specimen, failure);
    }
    return error < 0 ? error : store_commit(erring->store, failure);
}

int error_create_store(struct erring *erring)
{
    struct failure failure = {0};
    const struct error_study *study = &erring->study;
    /* Nothing to measure: no store. */
    if (!study->event_count && !study->stepped && !study->clock)
        return EXIT_DONE;
    int error = create(erring, &failure);
    return error == 0 ? EXIT_DONE : refuse(erring, error, &failure);
}

/* --- cells --- */

static int put_cell_knowledge(struct erring *erring, const struct cell *cell,
                              struct failure *failure)
{
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const struct tried_event *tried = tried_find(&erring->tried, cell->events[i]);
        if (!tried)
            continue;
        const struct counted_event event = {tried->name, tried->kind, tried->class};
        error = run_store_put_truth(erring->store, erring->catalogue, cell, i, &event, failure);
    }
    return error < 0 ? error
                     : run_store_put_account(erring->store, erring->catalogue, cell, failure);
}

int error_store_plan(struct erring *erring, const struct visit *visits, size_t count,
                     struct failure *failure)
{
    const struct error_plan *plan = &erring->plan;
    size_t first = erring->stored_cells;
    int error = store_put_plan(erring->store, plan->cells + first, plan->count - first, visits,
                               count, failure);
    for (size_t i = first; i < plan->count && error == 0; i++)
        error = put_cell_knowledge(erring, &plan->cells[i], failure);
    if (error == 0)
        error = store_commit(erring->store, failure);
    if (error == 0)
        erring->stored_cells = plan->count;
    return error;
}

static int note_failures(void *context, const struct stored_cell *stored)
{
    struct error_plan *plan = context;
    uint32_t id = stored->cell.id;
    if (id >= 1 && id <= plan->count)
        plan->about[id - 1].failed = stored->failed;
    return 0;
}

int error_learn_failures(struct erring *erring, struct failure *failure)
{
    return store_each_cell(erring->store, note_failures, &erring->plan, failure);
}

/* --- how long phases take --- */

struct phases_time {
    double ns;
    uint64_t runs;
};

static int add_time(void *context, const struct sample *sample)
{
    struct phases_time *time = context;
    if (sample->counter == 0) {
        time->ns += (double)sample->enabled;
        time->runs++;
    }
    return 0;
}

int error_learn_phases(struct erring *erring, struct failure *failure)
{
    const struct error_plan *plan = &erring->plan;
    for (size_t i = 0; i < plan->count; i++) {
        struct phases_time time = {0};
        if (plan->about[i].stage != STAGE_CALIBRATE)
            continue;
        int error = store_each_sample(erring->store, plan->cells[i].id, add_time, &time, failure);
        if (error < 0)
            return error;
        if (time.runs && plan->cells[i].n)
            erring->study.phase_ns = time.ns / (double)time.runs / (double)plan->cells[i].n;
    }
    return 0;
}

/* --- an unfinished one --- */

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct erring *erring = context;
    return error_plan_adopt(&erring->study, &erring->plan, &stored->cell, stored->processes,
                            stored->failed);
}

/* Events, paths, runs, processes and CPU are those that the run began with; the time it may take as
 * well, unless another is given. */
static void go_on_like(struct erring *erring)
{
    const struct error_options *begun = &erring->begun;
    struct error_options *resumed = &erring->resumed;
    *resumed = *erring->options;
    resumed->event = begun->event;
    resumed->path = begun->path;
    resumed->runs = begun->runs;
    resumed->processes = begun->processes;
    resumed->cpu = begun->cpu;
    resumed->full |= begun->full;
    if (!resumed->budget && !erring->options->full)
        resumed->budget = begun->budget;
    erring->options = resumed;
}

static int reopen(struct erring *erring, struct failure *failure)
{
    const struct run_store run = whose(erring);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &erring->store, &info, failure);
    if (error == 0)
        error = run_store_recall(&command_error, store_path(erring->store), info.argv,
                                 &erring->begun, &erring->begun.event, failure);
    erring->seed = info.seed;
    store_info_release(&info);
    if (error < 0)
        return error;
    go_on_like(erring);
    const struct string_list *named = &erring->begun.event;
    for (size_t i = 0; i < named->count && error == 0; i++)
        error = string_list_push(&erring->asked, named->items[i], strlen(named->items[i]));
    if (error == 0)
        error = tried_recall(&erring->tried, erring->store, failure);
    if (error == 0 && !erring->tried.count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its events, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(erring->store));
    return error;
}

static int adopt(struct erring *erring, struct failure *failure)
{
    const struct run_store run = whose(erring);
    int error = store_each_cell(erring->store, take_cell, erring, failure);
    erring->stored_cells = erring->plan.count;
    return error < 0 ? error
                     : run_store_same_plan(&run, erring->store, erring->plan.cells,
                                           erring->plan.count, failure);
}

int error_reopen_store(struct erring *erring)
{
    struct failure failure = {0};
    int error = reopen(erring, &failure);
    if (error == 0) {
        int status = error_prepare(erring);
        if (status != EXIT_DONE)
            return status;
        error = adopt(erring, &failure);
    }
    return error == 0 ? EXIT_DONE : refuse(erring, error, &failure);
}

/* --- finished ones --- */

static int load(void *context, struct store *store, struct failure *failure)
{
    struct erring *erring = context;
    return error_load(store, &erring->file, failure);
}

int error_open_from(struct erring *erring)
{
    struct failure failure = {0};
    const struct from_stores from = {.command = "error",
                                     .paths = &erring->options->from,
                                     .store = &erring->store,
                                     .seed = &erring->seed,
                                     .fingerprint = erring->fingerprint,
                                     .fingerprint_size = sizeof(erring->fingerprint),
                                     .stored_facts = &erring->stored_facts,
                                     .facts = &erring->facts,
                                     .complete = &erring->complete,
                                     .load = load,
                                     .context = erring};
    int error = from_stores_load(&from, &failure);
    return error == 0 ? EXIT_DONE : refuse(erring, error, &failure);
}
