/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `assay validate --resume`: from an unfinished store to what the run would go on with, had it not
 * been ended: its options, its events, its cells and what they cost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/options.h"
#include "studies/validate/parts.h"

/* --- how it began --- */

/* Events, sources, paths, specimens, runs and CPU are those that the run began with; the time it
 * may take as well, unless another is given. */
static void go_on_like(struct validating *validating, bool named)
{
    const struct validate_options *begun = &validating->begun;
    struct validate_options *resumed = &validating->resumed;
    *resumed = *validating->options;
    resumed->source = begun->source;
    resumed->path = begun->path;
    resumed->specimen = begun->specimen;
    resumed->runs = begun->runs;
    resumed->cpu = begun->cpu;
    resumed->full |= begun->full;
    if (!resumed->budget && !validating->options->full)
        resumed->budget = begun->budget;
    validating->options = resumed;
    validating->few = named || begun->source.count;
}

/* --- its events and cells --- */

static int take_event(void *context, const struct stored_event *event)
{
    const struct candidate like = {.name = (char *)event->name,
                                   .kind = (char *)event->kind,
                                   .class = (char *)event->class,
                                   .reason = (char *)event->reason,
                                   .error = event->error};
    return validate_add_candidate(context, &like);
}

static int reopen(struct validating *validating, struct failure *failure)
{
    const struct run_store run = validate_run_of(validating);
    struct store_info info = {0};
    struct string_list events = {0};
    int error = run_store_reopen(&run, &validating->store, &info, failure);
    if (error == 0) {
        validating->seed = info.seed;
        error = run_store_recall(&command_validate, store_path(validating->store), info.argv,
                                 &validating->begun, &events, failure);
    }
    if (error == 0)
        go_on_like(validating, events.count != 0);
    string_list_free(&events);
    store_info_release(&info);
    if (error == 0)
        error = store_each_event(validating->store, take_event, validating, failure);
    if (error == 0 && !validating->candidate_count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its events, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(validating->store));
    return error;
}

static int copy_cell(void *context, const struct stored_cell *stored)
{
    struct validating *validating = context;
    struct cell copy;
    int error = cell_copy(&copy, &stored->cell);
    if (error < 0)
        return error;
    error = validate_adopt(&validating->study, &validating->plan, &copy, stored->processes);
    if (error < 0)
        cell_release(&copy);
    return error;
}

struct stored_time {
    uint64_t runs, inside_ns;
};

static int add_sample(void *context, const struct sample *sample)
{
    struct stored_time *time = context;
    if (sample->counter == 0) {
        time->runs++;
        time->inside_ns += sample->enabled;
    }
    return 0;
}

static int adopt_costs(struct validating *validating, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < validating->plan.count && error == 0; i++) {
        const struct cell *cell = &validating->plan.cells[i];
        struct stored_time time = {0};
        error = store_each_sample(validating->store, cell->id, add_sample, &time, failure);
        if (time.runs)
            validate_adopt_cost(&validating->plan, i,
                                (uint32_t)((time.runs + cell->runs - 1) / cell->runs), time.runs,
                                validate_is_of_source(validating, i) ? 0 : time.inside_ns);
    }
    return error;
}

int validate_adopt_plan(struct validating *validating, struct failure *failure)
{
    int error = store_each_cell(validating->store, copy_cell, validating, failure);
    if (error < 0)
        return error;
    const struct run_store run = validate_run_of(validating);
    error = run_store_same_plan(&run, validating->store, validating->plan.cells,
                                validating->plan.count, failure);
    return error < 0 ? error : adopt_costs(validating, failure);
}

int validate_reopen(struct validating *validating)
{
    struct failure failure = {0};
    int error = reopen(validating, &failure);
    return error == 0 ? EXIT_DONE : validate_refuse(validating, error, &failure);
}
