/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs in one file: which there are, and one of them opened as the store that it was. */
#include "store/collection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/checksum.h"
#include "store/collection-room.h"

/* --- the checksum of the collection's own tables --- */

static int index_checksum(struct store *store, char text[17], struct failure *failure)
{
    uint64_t sum = 0;
    int error = checksum_add_rows(
        store, "SELECT * FROM collection WHERE key <> 'checksum' ORDER BY key", &sum, failure);
    sum = checksum_word(sum, 1);
    if (!error)
        error = checksum_add_rows(store, "SELECT * FROM store ORDER BY number", &sum, failure);
    checksum_text(sum, text);
    return error;
}

int collection_seal(struct store *store, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    char text[17];
    int error = index_checksum(store, text, failure);
    if (!error)
        error = store_prepare(store, "INSERT INTO collection VALUES('checksum', ?)", &statement,
                              failure);
    if (error)
        return error;
    bind_text(statement, 1, text);
    return store_step(store, statement, "write to", failure);
}

static int verify_index(struct store *store, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    char text[17];
    int error = index_checksum(store, text, failure);
    if (!error)
        error = store_prepare(store, "SELECT value FROM collection WHERE key = 'checksum'",
                              &statement, failure);
    int got = error ? error : store_step(store, statement, "read", failure);
    const char *stored;
    if (got < 0)
        return got;
    if (got && column_text(statement, 0, &stored) && strcmp(stored, text) == 0)
        return 0;
    return store_damaged(store->file, "its list of runs was changed (table store)", failure);
}

/* --- which runs there are --- */

static char *meta_of(sqlite3_stmt *statement, int64_t number, const char *key)
{
    const char *value = NULL;
    char *copy = NULL;
    sqlite3_bind_int64(statement, 1, number);
    bind_text(statement, 2, key);
    if (sqlite3_step(statement) == SQLITE_ROW && column_text(statement, 0, &value))
        copy = strdup(value);
    sqlite3_reset(statement);
    return copy;
}

static int take_row(struct store *store, sqlite3_stmt *numbers, sqlite3_stmt *meta,
                    struct run_list *runs, struct failure *failure)
{
    struct listed_run *grown = reallocarray(runs->list, runs->count + 1, sizeof(*runs->list));
    if (!grown)
        return store_no_memory(store, failure);
    runs->list = grown;
    struct listed_run *run = &grown[runs->count++];
    *run = (struct listed_run){0};
    uint32_t number;
    if (!column_u32(numbers, 0, &number) || number < 1)
        return store_damaged(store->file, "a run has an impossible number", failure);
    run->number = number;
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s#%u", store->file, run->number);
    run->name = text_take(&name);
    run->command = meta_of(meta, number, "command");
    run->argv = meta_of(meta, number, "argv");
    run->fingerprint = meta_of(meta, number, "fingerprint");
    run->started = meta_of(meta, number, "started");
    run->finished = meta_of(meta, number, "finished");
    run->ended = meta_of(meta, number, "ended");
    if (!run->name)
        return store_no_memory(store, failure);
    if (run->command && run->argv && run->fingerprint && run->started)
        return 0;
    return store_damaged(run->name, "table meta does not say what it is", failure);
}

static int list_runs(struct store *store, struct run_list *runs, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *numbers = NULL, *meta = NULL;
    int error = store_prepare(store, "SELECT number FROM store ORDER BY number", &numbers, failure);
    if (!error)
        error = store_prepare(store, "SELECT value FROM main.meta WHERE store = ? AND key = ?",
                              &meta, failure);
    while (!error) {
        int got = store_step(store, numbers, "read", failure);
        if (got <= 0)
            return got;
        error = take_row(store, numbers, meta, runs, failure);
    }
    return error;
}

/* --- one of them --- */

static int refuse_choice(struct store *store, const struct run_list *runs, struct failure *failure)
{
    AUTO_TEXT struct text list = {0};
    run_list_describe(runs, &list);
    if (store->numbered)
        return fail_with(failure, -ENOENT, "the collection %.200s has no run %u. It has: %s.",
                         store->file, store->number, text_string(&list));
    return fail_with(failure, -EINVAL,
                     "the collection %.200s holds %zu runs: name one of them, as in %.200s#1. %s.",
                     store->file, runs->count, store->file, text_string(&list));
}

static int choose(struct store *store, const struct run_list *runs, struct failure *failure)
{
    size_t chosen = 0;
    while (store->numbered && chosen < runs->count && runs->list[chosen].number != store->number)
        chosen++;
    if (store->numbered ? chosen == runs->count : runs->count != 1)
        return refuse_choice(store, runs, failure);
    char *path = strdup(runs->list[chosen].name);
    if (!path)
        return store_no_memory(store, failure);
    free(store->path);
    store->path = path;
    store->number = runs->list[chosen].number;
    return 0;
}

static int enter_chosen(struct store *store, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    const int of_file = store->schema;
    int error = store_prepare(store, "SELECT schema, content FROM store WHERE number = ?",
                              &statement, failure);
    if (error)
        return error;
    sqlite3_bind_int64(statement, 1, store->number);
    int got = store_step(store, statement, "read", failure);
    const char *content;
    int32_t schema;
    if (got < 0)
        return got;
    if (!got || !column_i32(statement, 0, &schema) || !column_text(statement, 1, &content) ||
        schema < 1 || schema > of_file)
        return store_damaged(store->path, "its entry in table store is impossible", failure);
    store->schema = schema;
    store->content = strdup(content);
    if (!store->content)
        return store_no_memory(store, failure);
    return collection_show(store, of_file, store->number, failure);
}

int collection_enter(struct store *store, struct failure *failure)
{
    struct run_list runs = {0};
    int error = verify_index(store, failure);
    if (error || (store->listing && !store->numbered))
        return error;
    error = list_runs(store, &runs, failure);
    if (!error)
        error = choose(store, &runs, failure);
    run_list_release(&runs);
    return error ? error : enter_chosen(store, failure);
}

/* --- for everybody --- */

static int take_only(struct store *store, struct run_list *runs, struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    runs->list = error < 0 ? NULL : calloc(1, sizeof(*runs->list));
    if (!runs->list) {
        store_info_release(&info);
        return error < 0 ? error : fail_with(failure, -ENOMEM, "out of memory");
    }
    runs->count = 1;
    runs->list[0] = (struct listed_run){.number = store->number,
                                        .name = strdup(store->path),
                                        .command = info.command,
                                        .argv = info.argv,
                                        .fingerprint = info.fingerprint,
                                        .started = info.started,
                                        .finished = info.finished,
                                        .ended = info.ended};
    info.command = info.argv = info.fingerprint = info.started = info.finished = info.ended = NULL;
    store_info_release(&info);
    return runs->list[0].name ? 0 : store_no_memory(store, failure);
}

static int read_list(struct store *store, struct run_list *runs, struct failure *failure)
{
    return store->collection && !store->number ? list_runs(store, runs, failure)
                                               : take_only(store, runs, failure);
}

int run_list_read(const char *path, struct run_list *runs, struct failure *failure)
{
    struct store *store = NULL;
    *runs = (struct run_list){0};
    int error = store_open_listing(&store, path, failure);
    if (!error)
        error = read_list(store, runs, failure);
    store_close(store);
    return error;
}

/* Of a store that is damaged no more than its name is needed. */
int run_list_read_damaged(const char *path, struct run_list *runs, struct failure *failure)
{
    struct store *store = NULL;
    *runs = (struct run_list){0};
    int error = store_open_damaged(&store, path, true, failure);
    if (!error && store->collection && !store->number)
        error = list_runs(store, runs, failure);
    else if (!error) {
        runs->list = calloc(1, sizeof(*runs->list));
        char *name = strdup(store->path);
        if (!runs->list || !name)
            error = store_no_memory(store, failure);
        if (runs->list)
            runs->list[runs->count++].name = name;
        else
            free(name);
    }
    store_close(store);
    return error;
}

void run_list_release(struct run_list *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct listed_run *run = &runs->list[i];
        free(run->name);
        free(run->command);
        free(run->argv);
        free(run->fingerprint);
        free(run->started);
        free(run->finished);
        free(run->ended);
    }
    free(runs->list);
    *runs = (struct run_list){0};
}

void run_list_describe(const struct run_list *runs, struct text *out)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct listed_run *run = &runs->list[i];
        if (out->length > 400) {
            text_printf(out, " and %zu more", runs->count - i);
            break;
        }
        text_printf(out, "%s#%u %.20s of %.16s, %.20s", i ? "; " : "", run->number, run->command,
                    run->fingerprint, run->started);
    }
}
