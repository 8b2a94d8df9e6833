/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay repeat`: events, subjects and absences go into it before the first
 * execution, so that it can be judged without its machine; an unfinished one is gone on with as it
 * began. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/absences.h"
#include "cli/from-stores.h"
#include "engine/options.h"
#include "cli/repeat-run.h"
#include "engine/run-store.h"
#include "study/repeat.h"

static struct run_store whose(const struct repeating *repeating)
{
    return (struct run_store){.command = "repeat",
                              .common = &repeating->run.options->common,
                              .catalogue = repeating->catalogue,
                              .path = repeating->run.options->store,
                              .seed = repeating->run.seed};
}

static int refuse(const struct repeating *repeating, int error, const struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    return repeat_ours(
        run_store_refuse("repeat", error, options->resume || options->from.count, failure));
}

/* --- a new one --- */

static int put_subjects(struct repeating *repeating, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < repeating->catalogue->subject_count && error == 0; i++)
        error =
            run_store_put_subject(repeating->store, &repeating->catalogue->subjects[i], failure);
    return error;
}

/* Who asked for some sources, or some events, does not miss the others. */
static int put_absences(struct repeating *repeating, struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    int error = 0;
    if (!options->source.count && !options->event.count)
        error = absences_put(repeating->catalogue, "counter", repeating->store, failure);
    if (error == 0 && !options->no_subjects)
        error = absences_put(repeating->catalogue, "subject", repeating->store, failure);
    return error;
}

static int create(struct repeating *repeating, struct failure *failure)
{
    const struct run_store run = whose(repeating);
    int error = run_store_create(&run, &repeating->store, failure);
    if (error == 0)
        error = tried_put(&repeating->tried, repeating->store, failure);
    if (error == 0)
        error = put_subjects(repeating, failure);
    if (error == 0)
        error = put_absences(repeating, failure);
    return error < 0 ? error : store_commit(repeating->store, failure);
}

int repeat_create_store(struct repeating *repeating)
{
    struct failure failure = {0};
    /* Nothing to execute: no store. */
    if (!repeating->plan.wishes.count)
        return EXIT_DONE;
    const int error = create(repeating, &failure);
    if (error < 0)
        return refuse(repeating, error, &failure);
    repeating->run.stored = store_path(repeating->store);
    return EXIT_DONE;
}

/* --- an unfinished one --- */

/* Everything is as the run began, but for where results go; the time it may take as well, unless
 * another is given. */
static void go_on_like(struct repeating *repeating)
{
    const struct repeat_options given = *repeating->run.options;
    struct repeat_options *resumed = &repeating->resumed;
    *resumed = repeating->begun;
    resumed->common = given.common;
    resumed->store = given.store;
    resumed->input = resumed->directory = NULL; /* the store's cells have them */
    resumed->all = given.all;
    resumed->resume = true;
    resumed->seed = given.seed;
    if (given.budget)
        resumed->budget = given.budget;
    repeating->run.options = resumed;
}

static bool copy(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

/* The first cell of the plan is the user's command, as it was begun with. */
static int take_command(void *context, const struct stored_cell *stored)
{
    struct repeating *repeating = context;
    const struct cell_command *command = &stored->cell.command;
    if (stored->cell.id != 1 || repeating->joined || !command->words)
        return 0;
    return copy(&repeating->joined, command->words) && copy(&repeating->input, command->input) &&
                   copy(&repeating->directory, command->directory)
               ? 0
               : -ENOMEM;
}

static int recall(struct repeating *repeating, const struct store_info *info,
                  struct failure *failure)
{
    struct string_list words = {0};
    int error = run_store_recall(&command_repeat, store_path(repeating->store), info->argv,
                                 &repeating->begun, &words, failure);
    const bool commanded = words.count > 0;
    string_list_free(&words);
    repeating->run.seed = info->seed;
    if (error < 0)
        return error;
    go_on_like(repeating);
    error = commanded ? store_each_cell(repeating->store, take_command, repeating, failure) : 0;
    if (error == 0 && commanded && !repeating->joined)
        error = fail_with(failure, -EINVAL,
                          "the run in %.300s ended before anything was planned: begin another one",
                          store_path(repeating->store));
    return error < 0 ? error : tried_recall(&repeating->tried, repeating->store, failure);
}

static int reopen(struct repeating *repeating, struct failure *failure)
{
    const struct run_store run = whose(repeating);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &repeating->store, &info, failure);
    if (error == 0)
        error = recall(repeating, &info, failure);
    store_info_release(&info);
    return error;
}

int repeat_reopen_store(struct repeating *repeating)
{
    struct failure failure = {0};
    const int error = reopen(repeating, &failure);
    if (error < 0)
        return refuse(repeating, error, &failure);
    repeating->run.stored = store_path(repeating->store);
    return EXIT_DONE;
}

int repeat_adopt_store(struct repeating *repeating)
{
    const struct run_store run = whose(repeating);
    struct wishes *wishes = &repeating->plan.wishes;
    struct failure failure = {0};
    int error = wishes_adopt(wishes, repeating->store, &failure);
    if (error == 0)
        error = run_store_same_plan(&run, repeating->store, wishes->cells, wishes->cell_count,
                                    &failure);
    return error == 0 ? EXIT_DONE : refuse(repeating, error, &failure);
}

/* --- finished ones --- */

static int load(void *context, struct store *store, struct failure *failure)
{
    struct repeating *repeating = context;
    return repeat_load(store, &repeating->run.file, failure);
}

int repeat_open_from(struct repeating *repeating)
{
    struct failure failure = {0};
    struct repeat_run_of *run = &repeating->run;
    const struct from_stores from = {.command = "repeat",
                                     .paths = &run->options->from,
                                     .store = &repeating->store,
                                     .seed = &run->seed,
                                     .fingerprint = run->fingerprint,
                                     .fingerprint_size = sizeof(run->fingerprint),
                                     .stored_facts = &repeating->stored_facts,
                                     .facts = &run->facts,
                                     .complete = &run->complete,
                                     .load = load,
                                     .context = repeating};
    const int error = from_stores_load(&from, &failure);
    if (error == 0 && run->options->from.count == 1)
        run->stored = store_path(repeating->store);
    return error == 0 ? EXIT_DONE : refuse(repeating, error, &failure);
}
