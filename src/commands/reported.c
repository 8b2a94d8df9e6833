/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has every run judged again. */
#include "commands/reported.h"
#include "cli/invoke.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/command.h"
#include "cli/deliver.h"
#include "cli/distinct.h"

static int read_lists(const char *const *paths, size_t count, struct reported *reported,
                      struct failure *failure)
{
    size_t runs = 0;
    int error = 0;
    reported->files = calloc(count ? count : 1, sizeof(*reported->files));
    if (!reported->files)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count && error == 0; i++) {
        error = run_list_read(paths[i], &reported->files[i], failure);
        reported->file_count++;
        runs += reported->files[i].count;
    }
    if (error < 0)
        return error;
    reported->list = calloc(runs ? runs : 1, sizeof(*reported->list));
    return reported->list ? 0 : fail_with(failure, -ENOMEM, "out of memory");
}

static bool judges_stores(const struct command *command)
{
    for (const struct option_spec *spec = command->options; spec && spec->name; spec++)
        if (strcmp(spec->name, "from") == 0)
            return true;
    return false;
}

/* What the command said of it. */
static char *reason_of(const struct reported_run *judged, const struct text *said)
{
    char *reason = NULL;
    if (said->length)
        return strdup(text_string(said));
    if (asprintf(&reason, "`assay %s --from` could not judge this run again: exit status %d",
                 judged->run->command, judged->status) < 0)
        return NULL;
    return reason;
}

static int judge_again(const char *teller, struct reported_run *judged)
{
    const struct command *command = command_find(judged->run->command);
    if (!command || !judges_stores(command)) {
        judged->status = EXIT_FAILED;
        if (asprintf(&judged->reason, "this version cannot judge stored runs of `assay %s`",
                     judged->run->command) < 0)
            judged->reason = NULL;
        if (judged->reason)
            deliver_message(teller, judged->reason);
        return judged->reason ? 0 : -ENOMEM;
    }
    const char *const words[] = {command->name, "--from", judged->run->name, "--quiet"};
    AUTO_TEXT struct text said = {0};
    deliver_divert(&said);
    judged->status = retell(words, sizeof(words) / sizeof(*words), &judged->retold);
    deliver_divert(NULL);
    if (said.length)
        deliver_message(command->name, text_string(&said));
    if (judged->retold.envelope)
        return judged->retold.words.failed ? -ENOMEM : 0;
    judged->reason = reason_of(judged, &said);
    return judged->reason ? 0 : -ENOMEM;
}

/* Of one that cannot be read nobody knows; why it cannot is said when it is judged. */
static bool is_copy(const char *teller, const char *name, struct distinct *before)
{
    struct failure ignored = {0};
    struct store *store = NULL;
    bool copy = store_open(&store, name, false, &ignored) == 0 &&
                distinct_take(before, teller, store, &ignored) == 0;
    store_close(store);
    return copy;
}

static int load_run(const char *teller, struct listed_run *run, struct reported *reported,
                    struct distinct *before, struct failure *failure)
{
    const size_t known = before ? before->count : 0;
    if (before && is_copy(teller, run->name, before))
        return 0;
    struct reported_run *judged = &reported->list[reported->count++];
    judged->run = run;
    int error = judge_again(teller, judged);
    if (error < 0)
        return fail_with(failure, error, "out of memory");
    if (before && judged->reason)
        distinct_forget(before, known);
    return interrupted ? fail_with(failure, -EINTR, "interrupted") : 0;
}

int reported_load(const char *teller, const char *const *paths, size_t count, bool copies,
                  struct reported *reported, struct failure *failure)
{
    struct distinct before = {0};
    *reported = (struct reported){0};
    int error = read_lists(paths, count, reported, failure);
    for (size_t file = 0; file < reported->file_count && error == 0; file++) {
        struct run_list *runs = &reported->files[file];
        for (size_t i = 0; i < runs->count && error == 0; i++)
            error = load_run(teller, &runs->list[i], reported, copies ? NULL : &before, failure);
    }
    distinct_release(&before);
    return error;
}

bool reported_is_whole(const struct reported *reported)
{
    for (size_t i = 0; i < reported->count; i++)
        if (reported->list[i].reason)
            return false;
    return true;
}

void reported_release(struct reported *reported)
{
    for (size_t i = 0; i < reported->count; i++) {
        retold_release(&reported->list[i].retold);
        free(reported->list[i].reason);
    }
    for (size_t i = 0; i < reported->file_count; i++)
        run_list_release(&reported->files[i]);
    free(reported->list);
    free(reported->files);
    *reported = (struct reported){0};
}
