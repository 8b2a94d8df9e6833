/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind a measurement: a new one that begins with the plan and what it predicts, or an
 * unfinished one that is gone on with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/gather.h"
#include "cli/measure.h"
#include "study/plan.h"

static struct store_run run_of(const struct measuring *measuring, const char *argv)
{
    return (struct store_run){.command = "measure",
                              .argv = argv,
                              .seed = measuring->seed,
                              .facts = &measuring->catalogue->facts,
                              .fingerprint = measuring->catalogue->fingerprint,
                              .kit = measuring->catalogue->build};
}

/* --- a new one --- */

static const struct counted_event *event_of(const struct measuring *measuring, const char *name)
{
    for (size_t i = 0; i < measuring->event_count; i++) {
        if (strcmp(measuring->events[i].name, name) == 0)
            return &measuring->events[i];
    }
    return NULL;
}

/* What is known of a cell before it runs travels with its samples: judging needs nothing else. */
static int put_predictions(const struct measuring *measuring, const struct cell *cell,
                           struct failure *failure)
{
    const struct catalogue *catalogue = measuring->catalogue;
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const struct counted_event *event = event_of(measuring, cell->events[i]);
        const char *grade = NULL;
        struct maybe truth = predict(catalogue, event, cell->specimen, cell->n, &grade);
        error = store_put_truth(measuring->store, cell->id, i, event->class, truth.value,
                                truth.known ? grade : NULL, failure);
    }
    struct maybe faults = predict_class(catalogue, "page-faults", cell->specimen, cell->n, NULL);
    struct maybe switches =
        predict_class(catalogue, "context-switches", cell->specimen, cell->n, NULL);
    if (error == 0 && (faults.known || switches.known))
        error = store_put_account(measuring->store, cell->id, faults.known ? &faults.value : NULL,
                                  switches.known ? &switches.value : NULL, failure);
    return error;
}

static int put_plan(struct measuring *measuring, struct failure *failure)
{
    AUTO_FREE struct visit *visits = NULL;
    size_t visit_count = 0;
    int error = plan_visits(measuring->cells, measuring->cell_count,
                            (uint32_t)measuring->options->processes, measuring->seed, &visits,
                            &visit_count);
    if (error < 0)
        return fail_with(failure, error, "the plan is too large: name fewer cells or processes");
    error = store_put_plan(measuring->store, measuring->cells, measuring->cell_count, visits,
                           visit_count, failure);
    for (size_t i = 0; i < measuring->cell_count && error == 0; i++)
        error = put_predictions(measuring, &measuring->cells[i], failure);
    return error < 0 ? error : store_commit(measuring->store, failure);
}

static int create(struct measuring *measuring, struct failure *failure)
{
    AUTO_FREE char *argv = gather_argv(&measuring->options->common);
    AUTO_FREE char *place = NULL;
    const char *path = measuring->options->store;
    int error = argv ? 0 : fail_with(failure, -ENOMEM, "out of memory");
    if (error == 0 && !path) {
        error = store_default_path(measuring->catalogue->fingerprint, "measure", &place, failure);
        path = place;
    }
    struct store_run run = run_of(measuring, argv);
    if (error == 0)
        error = store_create(&measuring->store, path, &run, failure);
    return error < 0 ? error : put_plan(measuring, failure);
}

/* --- an unfinished one --- */

struct copying {
    struct measuring *measuring;
    struct cell *cells;
    size_t count;
};

static int copy_cell(void *context, const struct stored_cell *stored)
{
    struct copying *copying = context;
    struct cell *grown = realloc(copying->cells, (copying->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    copying->cells = grown;
    int error = cell_copy(&grown[copying->count], &stored->cell);
    copying->count += error == 0;
    return error;
}

struct counting {
    uint32_t processes; /* asked for now */
    struct failure *failure;
};

static int same_processes(void *context, const struct stored_cell *stored)
{
    const struct counting *counting = context;
    if (stored->processes == counting->processes)
        return 0;
    return fail_with(counting->failure, -ESTALE,
                     "the store holds another plan: processes %u became %u. Resume with the "
                     "options it was started with, or start a new store.",
                     stored->processes, counting->processes);
}

/* The cells of the store become ours, unless the options named some: then they must be the same. */
static int adopt_plan(struct measuring *measuring, struct failure *failure)
{
    bool given = measuring->cell_count != 0;
    if (!given) {
        struct copying copying = {.measuring = measuring};
        int error = store_each_cell(measuring->store, copy_cell, &copying, failure);
        measuring->cells = copying.cells;
        measuring->cell_count = copying.count;
        if (error < 0)
            return failure->code ? error : fail_with(failure, error, "out of memory");
        if (!copying.count)
            return fail_with(failure, -EINVAL,
                             "the run in %s ended before its plan was stored: there is nothing to "
                             "go on with. Remove it and start anew",
                             store_path(measuring->store));
    }
    struct store_run run = run_of(measuring, "[]");
    int error =
        store_same_plan(measuring->store, &run, measuring->cells, measuring->cell_count, failure);
    struct counting counting = {(uint32_t)measuring->options->processes, failure};
    return error || !given ? error
                           : store_each_cell(measuring->store, same_processes, &counting, failure);
}

static int reopen(struct measuring *measuring, struct failure *failure)
{
    AUTO_FREE char *place = NULL;
    const char *path = measuring->options->store;
    int error = 0;
    if (!path) {
        error =
            store_latest_unfinished(measuring->catalogue->fingerprint, "measure", &place, failure);
        path = place;
    }
    if (error == 0)
        error = store_open(&measuring->store, path, true, failure);
    struct store_info info = {0};
    if (error == 0)
        error = store_info(measuring->store, &info, failure);
    if (error)
        return error;
    if (!measuring->options->seed.given)
        measuring->seed = info.seed;
    if (strcmp(info.command, "measure") != 0)
        error =
            fail_with(failure, -EINVAL, "%s holds a run of `assay %s`: resume it with that command",
                      path, info.command);
    if (error == 0)
        error = gather_check_via(&measuring->options->common, measuring->catalogue, path, &info,
                                 failure);
    store_info_release(&info);
    return error < 0 ? error : adopt_plan(measuring, failure);
}

int measure_open_store(struct measuring *measuring)
{
    struct failure failure = {0};
    int error =
        measuring->options->resume ? reopen(measuring, &failure) : create(measuring, &failure);
    if (error == 0)
        return EXIT_DONE;
    /* A store that is not there, or of another plan, is a wrong command line. */
    bool wrong = error == -ESTALE || error == -EEXIST || error == -EINVAL ||
                 (error == -ENOENT && measuring->options->resume);
    return measure_refuse(measuring, &failure, wrong ? EXIT_USAGE : EXIT_FAILED);
}
