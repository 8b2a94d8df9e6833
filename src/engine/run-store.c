/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes and reopens the stores of commands that measure. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "store/store.h"

/* ----------------------------------------------------------------------------------------------
 * Which runs were taken already, by what is in them. */

static void say(const char *teller, const char *name, const char *before)
{
    AUTO_TEXT struct text message = {0};
    if (strcmp(name, before) == 0)
        text_printf(&message, "%s is named twice and counts once", name);
    else
        text_printf(&message, "%s is the same run as %s and counts once", name, before);
    deliver_message(teller, text_string(&message));
}

int distinct_take(struct distinct *distinct, const char *teller, struct store *store,
                  struct failure *failure)
{
    struct distinct_run run = {.name = NULL};
    int error = store_identity(store, run.identity, failure);
    if (error)
        return error;
    for (size_t i = 0; i < distinct->count; i++)
        if (strcmp(distinct->list[i].identity, run.identity) == 0) {
            say(teller, store_path(store), distinct->list[i].name);
            return 0;
        }
    run.name = memory_copy(store_path(store));
    *memory_add(distinct->list, distinct->count) = run;
    return 1;
}

void distinct_forget(struct distinct *distinct, size_t count)
{
    distinct->count = count;
}

void distinct_release(struct distinct *distinct)
{
    *distinct = (struct distinct){0};
}

/* ----------------------------------------------------------------------------------------------
 * Makes and reopens the stores of commands that measure. */

static struct store_run run_of(const struct run_store *run, const char *argv)
{
    return (struct store_run){.command = run->command,
                              .argv = argv,
                              .seed = run->seed,
                              .facts = &run->catalogue->facts,
                              .fingerprint = run->catalogue->fingerprint,
                              .kit = run->catalogue->build};
}

struct new_store {
    struct store_run described;
    struct store **store;
};

static int create_at(void *context, const char *path, struct failure *failure)
{
    const struct new_store *wanted = context;
    return store_create(wanted->store, path, &wanted->described, failure);
}

int run_store_create(const struct run_store *run, struct store **store, struct failure *failure)
{
    AUTO_FREE char *argv = gather_argv(run->common);
    struct new_store wanted = {run_of(run, argv), store};
    return run->path ? create_at(&wanted, run->path, failure)
                     : store_make_default(run->catalogue->fingerprint, run->command, create_at,
                                          &wanted, failure);
}

int run_store_reopen(const struct run_store *run, struct store **store, struct store_info *info,
                     struct failure *failure)
{
    AUTO_FREE char *place = NULL;
    const char *path = run->path;
    int error = 0;
    if (!path) {
        error = store_latest_unfinished(run->catalogue->fingerprint, run->command, &place, failure);
        path = place;
    }
    if (error == 0)
        error = store_open(store, path, true, failure);
    if (error == 0)
        error = store_info(*store, info, failure);
    if (error == 0 && strcmp(info->command, run->command) != 0)
        error =
            fail_with(failure, -EINVAL, "%s holds a run of `assay %s`: resume it with that command",
                      path, info->command);
    if (error == 0)
        error = gather_check_via(run->common, run->catalogue, path, info, failure);
    return error;
}

int run_store_recall(const struct command *command, const char *path, const char *argv,
                     void *options, struct string_list *arguments, struct failure *failure)
{
    struct failure unread = {0};
    json_t *list = json_loads(argv, 0, NULL);
    int count = 0, first = 0, error = -EINVAL;
    /* What is no command line has no words. */
    char **words = memory_new(json_array_size(list) + 1, sizeof(*words));
    for (size_t i = 0; i < json_array_size(list) && i < INT_MAX; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        words[count++] = memory_copy(word ? word : "");
    }
    if (count >= 2)
        error = options_parse(command, count - 1, words + 1, options, &first, &unread);
    /* A list holds no empty words. */
    for (int i = first + 1; error == 0 && i < count; i++)
        if (*words[i])
            error = string_list_push(arguments, words[i], strlen(words[i]));
    json_decref(list);
    if (error < 0)
        return fail_with(failure, -EBADMSG,
                         "the store %.300s is damaged, or was changed by another program: the "
                         "command line of its run cannot be read%s%.200s. Take a copy you trust.",
                         path, *unread.text ? ": " : "", unread.text);
    return 0;
}

int run_store_same_plan(const struct run_store *run, struct store *store, const struct cell *cells,
                        size_t count, struct failure *failure)
{
    struct store_run described = run_of(run, "[]");
    return store_same_plan(store, &described, cells, count, failure);
}

int run_store_exit(int error, bool named)
{
    static const int misnamed[] = {-ENOENT, -ENOTDIR, -EISDIR, -ELOOP, -ENAMETOOLONG};
    bool wrong = error == -ESTALE || error == -EEXIST || error == -EINVAL;
    for (size_t i = 0; named && i < sizeof(misnamed) / sizeof(misnamed[0]); i++)
        wrong = wrong || error == misnamed[i];
    return error == -EINTR ? EXIT_INTERRUPTED : wrong ? EXIT_USAGE : EXIT_FAILED;
}

static int no_such_run(const char *path, const char *command, const struct run_list *runs,
                       struct failure *failure)
{
    AUTO_TEXT struct text list = {0};
    if (runs->count == 1)
        return fail_with(
            failure, -EINVAL,
            "%.300s holds a run of `assay %.60s`: only runs of `assay %s` can be judged", path,
            runs->list[0].command, command);
    run_list_describe(runs, &list);
    return fail_with(failure, -EINVAL, "%.300s holds no run of `assay %s`, but %s.", path, command,
                     text_string(&list));
}

/* Keeps the runs of the command, in front and in order; releases the others. */
static void keep_runs(struct run_list *runs, const char *command)
{
    struct run_list others = {.list = memory_malloc(runs->count * sizeof(*runs->list))};
    size_t kept = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (strcmp(runs->list[i].command, command) == 0)
            runs->list[kept++] = runs->list[i];
        else
            others.list[others.count++] = runs->list[i];
    runs->count = kept;
    run_list_release(&others);
}

/* --from: the runs of that command in a file, a store or a collection; -EINVAL where it has none.
 * The caller releases *runs also after a failure. */
static int run_store_list_from(const char *path, const char *command, struct run_list *runs,
                               struct failure *failure)
{
    int error = run_list_read(path, runs, failure);
    if (error)
        return error;
    bool found = false;
    for (size_t i = 0; i < runs->count; i++)
        found = found || strcmp(runs->list[i].command, command) == 0;
    if (!found)
        return no_such_run(path, command, runs, failure);
    keep_runs(runs, command);
    return 0;
}

static int open_run(const char *name, const char *command, struct store **store,
                    struct store_info *info, struct failure *failure)
{
    int error = store_open(store, name, false, failure);
    if (error == 0)
        error = store_info(*store, info, failure);
    if (error == 0 && strcmp(info->command, command) != 0) /* changed since it was listed */
        error =
            fail_with(failure, -EINVAL, "%.300s holds a run of `assay %.60s`", name, info->command);
    return error;
}

int run_store_open_from(const char *path, const char *command, struct store **store,
                        struct store_info *info, struct failure *failure)
{
    AUTO_TEXT struct text list = {0};
    struct run_list runs = {0};
    int error = run_store_list_from(path, command, &runs, failure);
    run_list_describe(&runs, &list);
    if (error == 0 && runs.count > 1)
        error =
            fail_with(failure, -EINVAL,
                      "%.200s holds %zu runs of `assay %s`: name one of them, as in %.200s. %s.",
                      path, runs.count, command, runs.list[0].name, text_string(&list));
    if (error == 0)
        error = open_run(runs.list[0].name, command, store, info, failure);
    run_list_release(&runs);
    return error;
}

bool run_store_is_finished(struct store *store)
{
    struct store_info info = {0};
    struct failure ignored = {0};
    bool finished = store_info(store, &info, &ignored) == 0 && info.finished;
    store_info_release(&info);
    return finished;
}

int run_store_put_specimen(struct store *store, const struct catalogue_specimen *specimen,
                           struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < specimen->truth_count && error == 0; i++) {
        const struct catalogue_truth *known = &specimen->truths[i];
        const struct stored_truth truth = {.specimen = specimen->name,
                                           .class = known->class,
                                           .base = known->base,
                                           .each = known->each,
                                           .high_base = known->high_base,
                                           .high_each = known->high_each,
                                           .grade = known->grade,
                                           .why = known->why,
                                           .sources = known->sources};
        error = store_put_specimen_truth(store, &truth, failure);
    }
    return error;
}

int run_store_put_subject(struct store *store, const struct catalogue_subject *known,
                          struct failure *failure)
{
    const struct stored_subject subject = {.name = known->name,
                                           .summary = known->summary,
                                           .shows = known->shows,
                                           .n = known->n,
                                           .has_truth = known->has_truth,
                                           .base = known->base,
                                           .each = known->each,
                                           .bits = known->bits,
                                           .libc = known->libc};
    return store_put_subject(store, &subject, failure);
}

int run_store_put_truth(struct store *store, const struct catalogue *catalogue,
                        const struct cell *cell, uint32_t counter,
                        const struct counted_event *event, struct failure *failure)
{
    const char *grade = NULL;
    struct maybe truth = predict(catalogue, event, cell->specimen, cell->n, &grade);
    return store_put_truth(store, cell->id, counter, event->class, truth.value,
                           truth.known ? grade : NULL, failure);
}

int run_store_put_account(struct store *store, const struct catalogue *catalogue,
                          const struct cell *cell, struct failure *failure)
{
    struct maybe faults = predict_class(catalogue, "page-faults", cell->specimen, cell->n, NULL);
    struct maybe switches =
        predict_class(catalogue, "context-switches", cell->specimen, cell->n, NULL);
    if (!faults.known && !switches.known)
        return 0;
    return store_put_account(store, cell->id, faults.known ? &faults.value : NULL,
                             switches.known ? &switches.value : NULL, failure);
}

/* ----------------------------------------------------------------------------------------------
 * Opens what --from names, one after the other, and has it loaded. */

static int take_first(const struct from_stores *from, const struct store_info *info,
                      struct failure *failure)
{
    if (*from->facts)
        return 0;
    *from->seed = info->seed;
    snprintf(from->fingerprint, from->fingerprint_size, "%s", info->fingerprint);
    *from->facts = from->stored_facts;
    return store_facts(*from->store, from->stored_facts, failure);
}

static int lay_open(const struct from_stores *from, const char *path, struct store *store,
                    const struct store_info *info, struct failure *failure)
{
    int error = from->check ? from->check(from->context, path, info, failure) : 0;
    if (error == 0)
        error = take_first(from, info, failure);
    return error == 0 ? from->load(from->context, store, failure) : error;
}

static int load_one(const struct from_stores *from, const char *path, struct distinct *before,
                    struct failure *failure)
{
    struct store *store = NULL;
    struct store_info info = {0};
    int error = run_store_open_from(path, from->command, &store, &info, failure);
    bool first = !*from->store;
    if (first)
        *from->store = store;
    int taken = error == 0 ? distinct_take(before, from->command, store, failure) : error;
    error = taken > 0 ? lay_open(from, path, store, &info, failure) : taken;
    *from->complete &= info.finished != NULL;
    store_info_release(&info);
    if (!first)
        store_close(store);
    return error;
}

/* All runs of the command that a file holds. */
static int load_file(const struct from_stores *from, const char *path, struct distinct *before,
                     struct failure *failure)
{
    struct run_list runs = {0};
    int error = run_store_list_from(path, from->command, &runs, failure);
    for (size_t i = 0; i < runs.count && error == 0; i++)
        error = load_one(from, runs.list[i].name, before, failure);
    run_list_release(&runs);
    return error;
}

int from_stores_load(const struct from_stores *from, struct failure *failure)
{
    struct distinct before = {0};
    int error = 0;
    if (from->path)
        error = load_one(from, from->path, &before, failure);
    for (size_t i = 0; !from->path && i < from->paths->count && error == 0; i++)
        error = load_file(from, from->paths->items[i], &before, failure);
    distinct_release(&before);
    return error;
}
