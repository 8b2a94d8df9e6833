/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the user's command ended: the exit code of `assay repeat`, and a sentence where it could not
 * be executed, never ended, or ended now this way and now that. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/words.h"
#include "cli/command-status.h"
#include "cli/deliver.h"
#include "cli/repeat-run.h"
#include "show/shell.h"

/* How often it ended in one way. */
struct ending {
    uint64_t status;
    size_t times;
};
struct endings {
    struct ending *list;
    size_t count;
    const struct repeat_cell *failed; /* a cell none of whose executions could be counted */
};

static bool is_users(const struct repeating *repeating, const struct repeat_program *program)
{
    return repeating->joined && strcmp(program->words, repeating->joined) == 0;
}

static bool add(struct endings *endings, uint64_t status)
{
    for (size_t i = 0; i < endings->count; i++)
        if (endings->list[i].status == status) {
            endings->list[i].times++;
            return true;
        }
    struct ending *added = list_add(&endings->list, &endings->count, sizeof(*added));
    if (added)
        *added = (struct ending){status, 1};
    return added;
}

/* That its time was over says less of a program that is slowed down. */
static bool is_slowed(const struct repeat_cell *cell)
{
    return cell->source && *cell->source && strcmp(cell->source, "perf_event") != 0;
}

/* Those of the first cell come first: it is the command as it is. */
static bool collect(const struct repeating *repeating, struct endings *endings)
{
    const struct repeat_case *file = &repeating->run.file;
    bool whole = true;
    for (size_t i = 0; i < file->cell_count && whole; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (!is_users(repeating, &file->programs[cell->program]) || cell->detail != DETAIL_NONE)
            continue;
        if (!cell->runs && cell->failed && !endings->failed)
            endings->failed = cell;
        for (size_t run = 0; run < cell->runs && whole; run++)
            if (!is_slowed(cell) || cell->list[run].status < STATUS_TIMEOUT)
                whole = add(endings, cell->list[run].status);
    }
    return whole;
}

/* --- sentences --- */

/* A file of this machine that another one has not is easily brought. */
static void put_bring(const struct repeating *repeating, struct text *out)
{
    const struct common_options *common = &repeating->run.options->common;
    AUTO_WORDS char **words = NULL;
    struct failure ignored = {0};
    if (strcmp(common->via, "local") == 0 ||
        words_split(repeating->joined, &words, &ignored) <= 0 || !strchr(words[0], '/') ||
        access(words[0], X_OK) < 0)
        return;
    const char *name = strrchr(words[0], '/') + 1;
    text_puts(out, ". It is a file of this machine, which can be brought to the other: --bring ");
    text_put_shell(out, words[0]);
    text_printf(out, " -- " PLACE_BROUGHT "/%s", name);
}

static void say_refused(const struct repeating *repeating, const struct repeat_cell *failed)
{
    AUTO_TEXT struct text message = {0};
    text_puts(&message, failed->reason ? failed->reason : strerror(failed->error));
    if (failed->error == ENOENT)
        put_bring(repeating, &message);
    deliver_message("repeat", text_string(&message));
}

static void say_endless(const struct repeating *repeating, uint64_t status)
{
    const struct repeat_options *options = repeating->run.options;
    AUTO_TEXT struct text message = {0};
    char ending[160];
    command_ending(status, options->timeout, ending, sizeof(ending));
    text_printf(&message,
                "%s %s. It was not executed again: it may wait for something that never comes (its "
                "standard input is %s), or need a longer --timeout",
                repeating->programs[0].name, ending, repeating->input ? "a file" : "empty");
    deliver_message("repeat", text_string(&message));
}

/* "perl did not always end alike: 20 times it ended with status 0, 4 times it was killed by …" */
static void say_different(const struct repeating *repeating, const struct endings *endings)
{
    AUTO_TEXT struct text message = {0};
    text_printf(&message, "%s did not always end alike:", repeating->programs[0].name);
    for (size_t i = 0; i < endings->count; i++) {
        char ending[160];
        command_ending(endings->list[i].status, repeating->run.options->timeout, ending,
                       sizeof(ending));
        text_printf(&message, "%s it %s in %zu execution%s", i ? "," : "", ending,
                    endings->list[i].times, endings->list[i].times == 1 ? "" : "s");
    }
    text_puts(&message, "; the first decides on the exit status");
    deliver_remark(&repeating->run.options->common, "%s", text_string(&message));
}

static int exit_of(struct repeating *repeating, const struct endings *endings)
{
    struct repeat_run_of *run = &repeating->run;
    if (!endings->count && endings->failed) {
        say_refused(repeating, endings->failed);
        repeating->refusal = endings->failed->error;
        return command_exit_of_error(endings->failed->error);
    }
    if (!endings->count)
        return EXIT_OURS;
    run->status = (int)endings->list[0].status;
    if (endings->count > 1)
        say_different(repeating, endings);
    else if (endings->list[0].status >= STATUS_TIMEOUT)
        say_endless(repeating, endings->list[0].status);
    return command_exit(endings->list[0].status);
}

int repeat_exit(struct repeating *repeating, int status)
{
    struct endings endings = {0};
    if (repeating->run.options->from.count || !repeating->joined)
        return status;
    const int ending =
        collect(repeating, &endings) ? exit_of(repeating, &endings) : repeat_out_of_memory();
    free(endings.list);
    return status == EXIT_DONE ? ending : status;
}
