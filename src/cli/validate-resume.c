/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `assay validate --resume`: from an unfinished store to what the run would go on with, had it not
 * been ended: its options, its events, its cells and what they cost. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/gather.h"
#include "cli/options.h"
#include "cli/validate.h"

/* --- how it began --- */

/* The words of a stored command line; what is none has none. The caller frees the array; the words
 * are the list's. */
static char **words_of(const json_t *list, int *count)
{
    size_t size = json_array_size(list);
    char **words = calloc(size + 1, sizeof(*words));
    *count = 0;
    for (size_t i = 0; words && i < size && i < INT_MAX; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        words[(*count)++] = (char *)(uintptr_t)(word ? word : "");
    }
    return words;
}

/* Events, sources, paths, specimens, runs and CPU are those that the run began with; the time it
 * may take as well, unless another is given. */
static void go_on_like(struct validating *validating, int argument_count)
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
    validating->few = argument_count || begun->source.count;
}

/* Reads the command line that the store keeps. What points into it is not used afterwards. */
static int recall(struct validating *validating, const char *path, const char *argv,
                  struct failure *failure)
{
    struct failure unread = {0};
    json_t *list = json_loads(argv, 0, NULL);
    int count = 0, first = 0, error = -EINVAL;
    AUTO_FREE char **words = words_of(list, &count);
    if (count >= 2)
        error = options_parse(&command_validate, count - 1, words + 1, &validating->begun, &first,
                              &unread);
    json_decref(list);
    if (!words || error == -ENOMEM)
        return fail_with(failure, -ENOMEM, "out of memory");
    if (error < 0)
        return fail_with(failure, -EBADMSG,
                         "the store %.300s is damaged, or was changed by another program: the "
                         "command line of its run cannot be read%s%.200s. Take a copy you trust.",
                         path, *unread.text ? ": " : "", unread.text);
    go_on_like(validating, count - 1 - first);
    return 0;
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
    AUTO_FREE char *place = NULL;
    const char *path = validating->options->store;
    int error = 0;
    if (!path) {
        error = store_latest_unfinished(validating->catalogue->fingerprint, "validate", &place,
                                        failure);
        path = place;
    }
    if (error == 0)
        error = store_open(&validating->store, path, true, failure);
    struct store_info info = {0};
    if (error == 0)
        error = store_info(validating->store, &info, failure);
    if (error)
        return error;
    validating->seed = info.seed;
    if (strcmp(info.command, "validate") != 0)
        error =
            fail_with(failure, -EINVAL, "%s holds a run of `assay %s`: resume it with that command",
                      path, info.command);
    if (error == 0)
        error = gather_check_via(&validating->options->common, validating->catalogue, path, &info,
                                 failure);
    if (error == 0)
        error = recall(validating, path, info.argv, failure);
    store_info_release(&info);
    if (error == 0)
        error = store_each_event(validating->store, take_event, validating, failure);
    if (error == 0 && !validating->candidate_count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its events, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          path);
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
    struct store_run run = validate_run_of(validating, "[]");
    error = store_same_plan(validating->store, &run, validating->plan.cells, validating->plan.count,
                            failure);
    return error < 0 ? error : adopt_costs(validating, failure);
}

int validate_reopen(struct validating *validating)
{
    struct failure failure = {0};
    int error = reopen(validating, &failure);
    return error == 0 ? EXIT_DONE : validate_refuse(validating, error, &failure);
}
