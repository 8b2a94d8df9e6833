/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay overhead`: operations, absences and tried events go into it before the
 * first sample, so that it can be judged without its machine; an unfinished one is gone on with as
 * it began. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/absences.h"
#include "cli/deliver.h"
#include "cli/from-stores.h"
#include "engine/options.h"
#include "cli/overhead-run.h"
#include "engine/run-store.h"
#include "study/overhead.h"

static struct run_store whose(const struct touring *touring)
{
    return (struct run_store){.command = "overhead",
                              .common = &touring->run.options->common,
                              .catalogue = touring->catalogue,
                              .path = touring->run.options->store,
                              .seed = touring->run.seed};
}

static int refuse(const struct touring *touring, int error, const struct failure *failure)
{
    const struct overhead_options *options = touring->run.options;
    return run_store_refuse("overhead", error, options->resume || options->from.count, failure);
}

/* --- a new one --- */

static int put_operations(struct touring *touring, struct failure *failure)
{
    const struct catalogue *catalogue = touring->catalogue;
    int error = 0;
    for (size_t i = 0; i < catalogue->operation_count && error == 0; i++) {
        const struct catalogue_operation *known = &catalogue->operations[i];
        const struct stored_operation operation = {.path = known->path,
                                                   .kind = known->kind,
                                                   .instrument = known->instrument,
                                                   .effect = known->effect,
                                                   .when = known->when,
                                                   .links = known->links,
                                                   .page = known->page,
                                                   .note = known->note,
                                                   .binds = known->binds,
                                                   .alone = known->alone};
        error = store_put_operation(touring->store, &operation, failure);
    }
    return error;
}

static int create(struct touring *touring, struct failure *failure)
{
    const struct run_store run = whose(touring);
    int error = run_store_create(&run, &touring->store, failure);
    if (error == 0)
        error = tried_put(&touring->tried, touring->store, failure);
    if (error == 0)
        error = put_operations(touring, failure);
    if (error == 0)
        error = absences_put(touring->catalogue, "operation", touring->store, failure);
    return error < 0 ? error : store_commit(touring->store, failure);
}

int overhead_create_store(struct touring *touring)
{
    struct failure failure = {0};
    /* Nothing to measure: no store. */
    if (!touring->plan.wish_count)
        return EXIT_DONE;
    int error = create(touring, &failure);
    if (error == 0)
        touring->run.stored = store_path(touring->store);
    return error == 0 ? EXIT_DONE : refuse(touring, error, &failure);
}

/* --- cells --- */

int overhead_store_plan(struct touring *touring, const struct visit *visits, size_t count,
                        struct failure *failure)
{
    const struct overhead_plan *plan = &touring->plan;
    size_t first = touring->stored_cells;
    int error = store_put_plan(touring->store, plan->cells + first, plan->count - first, visits,
                               count, failure);
    if (error == 0)
        error = store_commit(touring->store, failure);
    if (error == 0)
        touring->stored_cells = plan->count;
    return error;
}

static int note_failures(void *context, const struct stored_cell *stored)
{
    struct overhead_plan *plan = context;
    uint32_t id = stored->cell.id;
    if (id >= 1 && id <= plan->count)
        plan->about[id - 1].failed = stored->failed;
    return 0;
}

int overhead_learn_failures(struct touring *touring, struct failure *failure)
{
    return store_each_cell(touring->store, note_failures, &touring->plan, failure);
}

/* --- an unfinished one --- */

/* Paths, meters, processes and CPU are those that the run began with; the time it may take as well,
 * unless another is given. */
static void go_on_like(struct touring *touring)
{
    const struct overhead_options *begun = &touring->begun;
    struct overhead_options *resumed = &touring->resumed;
    *resumed = *touring->run.options;
    resumed->path = begun->path;
    resumed->meter = begun->meter;
    resumed->counted = touring->begun_counted;
    resumed->processes = begun->processes;
    resumed->cpu = begun->cpu;
    resumed->full |= begun->full;
    if (!resumed->budget && !touring->run.options->full)
        resumed->budget = begun->budget;
    touring->run.options = resumed;
}

static int keep_counted(void *context, const struct stored_cell *stored)
{
    struct touring *touring = context;
    if (touring->begun_counted || !stored->cell.tour.counted)
        return 0;
    touring->begun_counted = strdup(stored->cell.tour.counted);
    return touring->begun_counted ? 0 : -ENOMEM;
}

static int reopen(struct touring *touring, struct failure *failure)
{
    const struct run_store run = whose(touring);
    struct store_info info = {0};
    struct string_list none = {0};
    int error = run_store_reopen(&run, &touring->store, &info, failure);
    if (error == 0)
        error = run_store_recall(&command_overhead, store_path(touring->store), info.argv,
                                 &touring->begun, &none, failure);
    string_list_free(&none);
    touring->run.seed = info.seed;
    store_info_release(&info);
    if (error == 0)
        error = store_each_cell(touring->store, keep_counted, touring, failure);
    if (error == 0)
        error = tried_recall(&touring->tried, touring->store, failure);
    if (error == 0 && !touring->tried.count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its meters, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(touring->store));
    if (error == 0)
        go_on_like(touring);
    return error;
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct touring *touring = context;
    return overhead_plan_adopt(&touring->plan, &stored->cell, stored->processes, stored->failed);
}

static int adopt(struct touring *touring, struct failure *failure)
{
    const struct run_store run = whose(touring);
    int error = store_each_cell(touring->store, take_cell, touring, failure);
    touring->stored_cells = touring->plan.count;
    return error < 0 ? error
                     : run_store_same_plan(&run, touring->store, touring->plan.cells,
                                           touring->plan.count, failure);
}

int overhead_reopen_store(struct touring *touring)
{
    struct failure failure = {0};
    int error = reopen(touring, &failure);
    if (error == 0) {
        touring->run.stored = store_path(touring->store);
        int status = overhead_prepare(touring);
        if (status != EXIT_DONE)
            return status;
        error = adopt(touring, &failure);
    }
    return error == 0 ? EXIT_DONE : refuse(touring, error, &failure);
}

/* --- finished ones --- */

struct several {
    struct touring *touring;
    struct text names; /* of the runs so far, a line each */
};

/* A copy is no further witness. */
static int check_new(void *context, const char *path, const struct store_info *info,
                     struct failure *failure)
{
    struct text *names = &((struct several *)context)->names;
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "\n%s %" PRIu64 " %s\n", info->fingerprint, info->seed, info->started);
    if (names->bytes && name.bytes && strstr(names->bytes, name.bytes))
        return fail_with(failure, -EINVAL,
                         "%.300s holds the same run as a store named before it: its calls would "
                         "count twice. Name every run once.",
                         path);
    text_puts(names, text_string(&name));
    return names->failed || name.failed ? fail_with(failure, -ENOMEM, "out of memory") : 0;
}

static int load(void *context, struct store *store, struct failure *failure)
{
    struct several *several = context;
    return overhead_load(store, &several->touring->run.file, failure);
}

int overhead_open_from(struct touring *touring)
{
    struct failure failure = {0};
    struct overhead_run *run = &touring->run;
    struct several several = {.touring = touring};
    const struct from_stores from = {.command = "overhead",
                                     .paths = &run->options->from,
                                     .store = &touring->store,
                                     .seed = &run->seed,
                                     .fingerprint = run->fingerprint,
                                     .fingerprint_size = sizeof(run->fingerprint),
                                     .stored_facts = &touring->stored_facts,
                                     .facts = &run->facts,
                                     .complete = &run->complete,
                                     .check = check_new,
                                     .load = load,
                                     .context = &several};
    int error = from_stores_load(&from, &failure);
    text_free(&several.names);
    if (error == 0 && run->options->from.count == 1)
        run->stored = store_path(touring->store);
    return error == 0 ? EXIT_DONE : refuse(touring, error, &failure);
}
