/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay validate`: everything that judging needs goes into it before the first
 * sample, so that it can be judged again where the machine is not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "studies/validate/parts.h"
#include "study/plan.h"

/* --- what is known beforehand --- */

static int put_events(struct validating *validating, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < validating->candidate_count && error == 0; i++) {
        const struct candidate *candidate = &validating->candidates[i];
        const struct stored_event event = {.name = candidate->name,
                                           .kind = candidate->kind,
                                           .class = candidate->class,
                                           .error = candidate->error,
                                           .reason = candidate->reason};
        error = store_put_event(validating->store, &event, failure);
    }
    return error;
}

/* A source's counter is enabled for as long as its process lives, which says nothing of a run. */
bool validate_is_of_source(const struct validating *validating, size_t cell)
{
    size_t subject = validating->plan.about[cell].subject;
    return subject < validating->study.subject_count && validating->subjects[subject].runs;
}

static bool counts_user_code(const struct validating *validating, size_t cell)
{
    size_t subject = validating->plan.about[cell].subject;
    return subject < validating->study.subject_count && validating->subjects[subject].user_code;
}

/* Was it measured before cell `before`; where asked, for an event of user code? */
static bool was_used(const struct validating *validating, size_t specimen, size_t before,
                     bool user_code)
{
    for (size_t i = 0; i < before; i++)
        if (validating->plan.about[i].specimen == specimen &&
            (!user_code || counts_user_code(validating, i)))
            return true;
    return false;
}

static int put_specimens(struct validating *validating, size_t first, struct failure *failure)
{
    int error = 0;
    for (size_t i = first; i < validating->plan.count && error == 0; i++) {
        size_t specimen = validating->plan.about[i].specimen;
        if (specimen == VALIDATE_NO_SPECIMEN)
            continue;
        const struct catalogue_specimen *known = validating->specimens[specimen].known;
        if (!was_used(validating, specimen, i, false))
            error = run_store_put_specimen(validating->store, known, failure);
        if (error == 0 && counts_user_code(validating, i) &&
            !was_used(validating, specimen, i, true))
            error = validate_put_opcodes(validating, known->name, failure);
    }
    return error;
}

static const struct candidate *candidate_of(const struct validating *validating, const char *name)
{
    for (size_t i = 0; i < validating->candidate_count; i++)
        if (strcmp(validating->candidates[i].name, name) == 0)
            return &validating->candidates[i];
    return NULL;
}

static int put_predictions(struct validating *validating, const struct cell *cell,
                           struct failure *failure)
{
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const struct candidate *known = candidate_of(validating, cell->events[i]);
        if (!known)
            continue;
        const struct counted_event event = {known->name, known->kind, known->class};
        error =
            run_store_put_truth(validating->store, validating->catalogue, cell, i, &event, failure);
    }
    return error < 0
               ? error
               : run_store_put_account(validating->store, validating->catalogue, cell, failure);
}

int validate_store_cells(struct validating *validating, size_t first, struct failure *failure)
{
    const struct validate_plan *plan = &validating->plan;
    size_t added = plan->count - first, visit_count = 0;
    AUTO_FREE uint32_t *processes = calloc(added + 1, sizeof(*processes));
    AUTO_FREE struct visit *visits = NULL;
    if (!processes)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t i = 0; i < added; i++)
        processes[i] = plan->about[first + i].processes;
    /* Each round draws its order from a seed of its own. */
    int error = plan_rounds(plan->cells + first, added, processes, validating->seed + first,
                            &visits, &visit_count);
    if (error < 0)
        return fail_with(failure, error, "out of memory");
    error =
        store_put_plan(validating->store, plan->cells + first, added, visits, visit_count, failure);
    for (size_t i = first; i < plan->count && error == 0; i++)
        error = put_predictions(validating, &plan->cells[i], failure);
    if (error == 0)
        error = put_specimens(validating, first, failure);
    return error < 0 ? error : store_commit(validating->store, failure);
}

struct run_store validate_run_of(const struct validating *validating)
{
    return (struct run_store){.command = "validate",
                              .common = &validating->options->common,
                              .catalogue = validating->catalogue,
                              .path = validating->options->store,
                              .seed = validating->seed};
}

static int create(struct validating *validating, struct failure *failure)
{
    const struct run_store run = validate_run_of(validating);
    int error = run_store_create(&run, &validating->store, failure);
    if (error == 0)
        error = put_events(validating, failure);
    return error < 0 ? error : store_commit(validating->store, failure);
}

int validate_refuse(const struct validating *validating, int error, struct failure *failure)
{
    const struct validate_options *options = validating->options;
    return run_store_refuse("validate", error, options->resume || options->from, failure);
}

int validate_open_store(struct validating *validating)
{
    struct failure failure = {0};
    int error = validating->options->resume ? validate_adopt_plan(validating, &failure)
                                            : create(validating, &failure);
    return error == 0 ? EXIT_DONE : validate_refuse(validating, error, &failure);
}

/* --- a finished one --- */

static int open_from(struct validating *validating, struct failure *failure)
{
    struct store_info info = {0};
    int error = run_store_open_from(validating->options->from, "validate", &validating->store,
                                    &info, failure);
    if (error == 0)
        error = store_facts(validating->store, &validating->stored_facts, failure);
    if (error == 0) {
        struct string_list events = {0};
        struct failure ignored = {0};
        validating->few = run_store_recall(&command_validate, validating->options->from, info.argv,
                                           &validating->begun, &events, &ignored) == 0 &&
                          (events.count || validating->begun.source.count);
        string_list_free(&events);
        validating->seed = info.seed;
        validating->complete = info.finished != NULL;
        snprintf(validating->fingerprint, sizeof(validating->fingerprint), "%s", info.fingerprint);
        validating->facts = &validating->stored_facts;
    }
    store_info_release(&info);
    return error;
}

int validate_open_from(struct validating *validating)
{
    struct failure failure = {0};
    int error = open_from(validating, &failure);
    return error == 0 ? EXIT_DONE : validate_refuse(validating, error, &failure);
}
