/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The end of a run: its parts become one store, which is judged as a whole and shown as a page. Of
 * a run that was interrupted the parts stay as they are, so that it can be gone on with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "commands/reported.h"
#include "commands/run.h"
#include "output/output.h"
#include "output/page.h"
#include "store/collection.h"
#include "store/store.h"

struct part_files {
    char *list[RUN_PARTS];
    size_t count;
};

static void release_files(struct part_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->list[i]);
}

static bool read_info(const char *path, struct store_info *info)
{
    struct store *store = NULL;
    bool read = store_open(&store, path, false, NULL) == 0 && store_info(store, info, NULL) == 0;
    store_close(store);
    return read;
}

/* Stores of parts that ended, and of those that began to measure; what matters most comes first,
 * and so stands first on the page. */
static int find_files(const struct running *running, struct part_files *files)
{
    for (unsigned rank = 0; rank < RUN_PARTS; rank++) {
        struct store_info info = {0};
        const size_t part = part_of_rank(rank);
        char *path = run_place_part(&running->place, part);
        if (!path)
            return -ENOMEM;
        if (read_info(path, &info) && (info.cells || running->plan.parts[part].state == PART_DONE))
            files->list[files->count++] = path;
        else
            free(path);
        store_info_release(&info);
    }
    return 0;
}

/* --- one store --- */

/* Is the run in the collection what the part's store is? */
static int compare(const char *part, const char *collected, struct failure *failure)
{
    struct store_info before = {0}, after = {0};
    bool same = read_info(part, &before) && read_info(collected, &after) &&
                strcmp(before.command, after.command) == 0 && before.seed == after.seed &&
                before.cells == after.cells && before.visits == after.visits &&
                before.visits_done == after.visits_done && before.samples == after.samples;
    store_info_release(&before);
    store_info_release(&after);
    return same
               ? 0
               : fail_with(failure, -EIO, "%.400s does not hold what %.400s does", collected, part);
}

/* Only what was read back may take the place of its parts. */
static int verify(const struct running *running, const struct part_files *files,
                  struct failure *failure)
{
    struct run_list runs = {0};
    int error = run_list_read(running->place.store, &runs, failure);
    if (error == 0 && runs.count != files->count)
        error = fail_with(failure, -EIO, "%.500s holds %zu runs instead of %zu",
                          running->place.store, runs.count, files->count);
    for (size_t i = 0; i < runs.count && error == 0; i++)
        error = compare(files->list[i], runs.list[i].name, failure);
    run_list_release(&runs);
    return error;
}

static int collect(struct running *running, const struct part_files *files)
{
    struct failure failure = {0};
    int error = collection_write(running->place.store, (const char *const *)files->list,
                                 files->count, NULL, &failure);
    /* A run that was killed here has it already. */
    if (error == 0 || error == -EEXIST)
        error = verify(running, files, &failure);
    running->collected = error == 0;
    if (error == 0)
        return EXIT_DONE;
    AUTO_TEXT struct text message = {0};
    text_printf(&message, "%s. What was measured is safe in %s", failure.text,
                running->place.folder);
    deliver_message("run", text_string(&message));
    return EXIT_FAILED;
}

/* --- what it says --- */

static int write_page(struct running *running, struct failure *failure)
{
    struct output output;
    int error = output_open(&output, running->report, failure);
    if (error < 0)
        return error;
    error = page_write(running->sections, output.stream, failure);
    if (error == 0)
        error = output_commit(&output, failure);
    output_discard(&output);
    running->page_is_there = error == 0;
    return error;
}

/* A part with a beginning is on the page, which says so itself. */
static bool is_told(const struct running *running, const char *command)
{
    const json_t *section;
    size_t i;
    json_array_foreach(json_object_get(running->sections, "sections"), i, section)
    {
        const char *of = json_string_value(json_object_get(section, "command"));
        if (of && strcmp(of, command) == 0)
            return true;
    }
    return false;
}

/* The page says how to measure all of it again, and what is not on it. */
static void complete(struct running *running)
{
    AUTO_TEXT struct text how = {0};
    json_t *notes = json_object_get(running->sections, "notes");
    run_put_command(running, &how);
    json_object_set_new(running->sections, "how", json_text(text_string(&how)));
    for (size_t i = 0; i < running->skips.count; i++) {
        AUTO_TEXT struct text note = {0};
        if (is_told(running, running->skips.list[i].what))
            continue;
        text_printf(&note, "%s was left out: %s", running->skips.list[i].what,
                    running->skips.list[i].reason);
        json_array_append_new(notes, json_text(text_string(&note)));
    }
}

static int report_on(struct running *running, const char *const *paths, size_t count)
{
    struct failure failure = {0};
    struct reported reported = {0};
    int error = reported_load("run", paths, count, false, &reported, &failure);
    if (error == 0) {
        running->sections = reported_json(&reported, NULL);
        if (!running->sections)
            error = fail_with(&failure, -ENOMEM, "out of memory");
        else
            complete(running);
    }
    reported_release(&reported);
    if (error == 0)
        error = write_page(running, &failure);
    return error < 0 ? deliver_failure("run", &failure, EXIT_FAILED) : EXIT_DONE;
}

int run_collect(struct running *running)
{
    struct part_files files = {0};
    /* Whoever stopped measuring wants to see what there is; who asks again does not. */
    interrupted = 0;
    int status = EXIT_DONE;
    if (find_files(running, &files) < 0)
        status = deliver_out_of_memory("run");
    else if (files.count && !running->was_interrupted)
        status = collect(running, &files);
    int reported = EXIT_DONE;
    if (running->collected)
        reported = report_on(running, (const char *const[]){running->place.store}, 1);
    else if (files.count)
        reported = report_on(running, (const char *const *)files.list, files.count);
    if (running->collected || (!files.count && !running->was_interrupted))
        run_place_remove(&running->place);
    release_files(&files);
    return status == EXIT_DONE ? reported : status;
}
