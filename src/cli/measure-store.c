/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind a measurement: a new one that begins with the plan and what it predicts, or an
 * unfinished one that is gone on with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/measure/study.h"
#include "engine/run-store.h"
#include "study/plan.h"

static struct run_store whose(const struct measuring *measuring)
{
    return (struct run_store){.command = "measure",
                              .common = &measuring->options->common,
                              .catalogue = measuring->catalogue,
                              .path = measuring->options->store,
                              .seed = measuring->seed};
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

static int put_predictions(const struct measuring *measuring, const struct cell *cell,
                           struct failure *failure)
{
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++)
        error = run_store_put_truth(measuring->store, measuring->catalogue, cell, i,
                                    event_of(measuring, cell->events[i]), failure);
    return error < 0 ? error
                     : run_store_put_account(measuring->store, measuring->catalogue, cell, failure);
}

/* What was asked for and cannot be, too: events that do not open, paths that are not there, and
 * factors that do not go together. A store that is judged again says why they are missing. */
static int put_refused(const struct measuring *measuring, struct failure *failure)
{
    const struct string_list *asked = &measuring->options->event;
    int error = 0;
    for (size_t i = 0; i < measuring->skips.count && error == 0; i++) {
        const struct skip *skip = &measuring->skips.list[i];
        bool is_event = false;
        for (size_t j = 0; j < asked->count; j++)
            is_event |= strcmp(asked->items[j], skip->what) == 0;
        const struct stored_event event = {.name = skip->what,
                                           .kind = is_event ? "" : "combination",
                                           .error = skip->error ? skip->error : ENOTSUP,
                                           .reason = skip->reason};
        if (!event_of(measuring, skip->what))
            error = store_put_event(measuring->store, &event, failure);
    }
    return error;
}

static int put_events(const struct measuring *measuring, struct failure *failure)
{
    int error = put_refused(measuring, failure);
    for (size_t i = 0; i < measuring->event_count && error == 0; i++) {
        const struct stored_event event = {.name = measuring->events[i].name,
                                           .kind = measuring->events[i].kind,
                                           .class = measuring->events[i].class,
                                           .reason = ""};
        error = store_put_event(measuring->store, &event, failure);
    }
    return error;
}

/* Once for each, whatever parameters stand behind its name. */
static int put_specimens(const struct measuring *measuring, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < measuring->cell_count && error == 0; i++) {
        const struct catalogue_specimen *specimen =
            catalogue_specimen(measuring->catalogue, measuring->cells[i].specimen);
        bool first = specimen != NULL;
        for (size_t j = 0; j < i && first; j++)
            first =
                catalogue_specimen(measuring->catalogue, measuring->cells[j].specimen) != specimen;
        if (first)
            error = run_store_put_specimen(measuring->store, specimen, failure);
    }
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
    if (error == 0)
        error = put_events(measuring, failure);
    if (error == 0)
        error = put_specimens(measuring, failure);
    return error < 0 ? error : store_commit(measuring->store, failure);
}

static int create(struct measuring *measuring, struct failure *failure)
{
    const struct run_store run = whose(measuring);
    int error = run_store_create(&run, &measuring->store, failure);
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
    const struct run_store run = whose(measuring);
    int error = run_store_same_plan(&run, measuring->store, measuring->cells, measuring->cell_count,
                                    failure);
    struct counting counting = {(uint32_t)measuring->options->processes, failure};
    return error || !given ? error
                           : store_each_cell(measuring->store, same_processes, &counting, failure);
}

static int recall_skip(void *context, const struct stored_event *stored)
{
    struct measuring *measuring = context;
    return stored->error ? skips_add(&measuring->skips, stored->name,
                                     stored->reason ? stored->reason : "", stored->error)
                         : 0;
}

static int reopen(struct measuring *measuring, struct failure *failure)
{
    const struct run_store run = whose(measuring);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &measuring->store, &info, failure);
    if (error == 0 && !measuring->options->seed.given)
        measuring->seed = info.seed;
    store_info_release(&info);
    if (error == 0)
        error = store_each_event(measuring->store, recall_skip, measuring, failure);
    return error < 0 ? error : adopt_plan(measuring, failure);
}

int measure_open_store(struct measuring *measuring)
{
    struct failure failure = {0};
    int error =
        measuring->options->resume ? reopen(measuring, &failure) : create(measuring, &failure);
    if (error == 0)
        return EXIT_DONE;
    return measure_refuse(measuring, &failure, run_store_exit(error, measuring->options->resume));
}
