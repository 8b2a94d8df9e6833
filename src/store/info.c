/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store says of its run and its machine. Like all reading: tables, never views; every value
 * checked, because the file may come from anywhere; keys must rise from row to row, which also
 * ends the reading of a file made to go on forever. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/handle.h"

static int count_cells(struct store *store, struct store_info *info, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "SELECT id FROM cell ORDER BY id", &statement, failure);
    if (error)
        return error;
    int64_t last = 0;
    int got;
    while ((got = store_step(store, statement, "read", failure)) > 0) {
        int64_t id;
        if (!column_i64(statement, 0, &id) || id <= last)
            return store_damaged(store->path, "its cells are out of order", failure);
        last = id;
        info->cells++;
    }
    return got;
}

static int count_visits(struct store *store, struct store_info *info, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "SELECT id, state, samples FROM visit ORDER BY id", &statement,
                              failure);
    if (error)
        return error;
    int64_t last = 0;
    int got;
    while ((got = store_step(store, statement, "read", failure)) > 0) {
        int64_t id;
        uint64_t samples;
        enum visit_state state;
        if (!column_i64(statement, 0, &id) || id <= last || !column_state(statement, 1, &state) ||
            !column_u64(statement, 2, &samples))
            return store_damaged(store->path, "its visits hold impossible values", failure);
        last = id;
        info->visits++;
        info->visits_done += state == VISIT_DONE;
        info->samples += samples;
    }
    return got;
}

static int read_entries(struct store *store, struct store_info *info, struct failure *failure)
{
    AUTO_FREE char *seed = NULL;
    const struct {
        const char *key;
        char **value;
        bool optional;
    } entries[] = {
        {"command", &info->command, false},
        {"argv", &info->argv, false},
        {"version", &info->version, false},
        {"fingerprint", &info->fingerprint, false},
        {"started", &info->started, false},
        {"finished", &info->finished, true},
        {"ended", &info->ended, true},
        {"kit", &info->kit, true},
        {"seed", &seed, false},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        int error = store_get_meta(store, entries[i].key, entries[i].value, failure);
        if (error)
            return error;
        if (!*entries[i].value && !entries[i].optional) {
            char what[64];
            snprintf(what, sizeof(what), "table meta has no %s", entries[i].key);
            return store_damaged(store->path, what, failure);
        }
    }
    char *end;
    errno = 0;
    info->seed = strtoull(seed, &end, 10);
    if (errno || *end || seed[0] < '0' || seed[0] > '9')
        return store_damaged(store->path, "the seed is not a number", failure);
    return 0;
}

int store_info(struct store *store, struct store_info *info, struct failure *failure)
{
    *info = (struct store_info){.schema = store->schema};
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (!error)
        error = read_entries(store, info, failure);
    if (!error)
        error = count_cells(store, info, failure);
    if (!error)
        error = count_visits(store, info, failure);
    snapshot_end(store, began);
    if (error)
        store_info_release(info);
    return error;
}

void store_info_release(struct store_info *info)
{
    free(info->command);
    free(info->argv);
    free(info->version);
    free(info->fingerprint);
    free(info->started);
    free(info->finished);
    free(info->ended);
    free(info->kit);
    *info = (struct store_info){0};
}

int store_facts(struct store *store, struct facts *facts, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error =
        store_prepare(store, "SELECT position, key, value, error FROM fact ORDER BY position",
                      &statement, failure);
    int64_t last = 0;
    while (!error) {
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        int64_t position;
        const char *key, *value;
        int32_t absence;
        if (!column_i64(statement, 0, &position) || position <= last ||
            !column_text(statement, 1, &key) || !column_text_or_null(statement, 2, &value) ||
            !column_i32(statement, 3, &absence))
            return store_damaged(store->path, "its facts hold impossible values", failure);
        last = position;
        int result = facts_set(facts, key, value, absence);
        if (result == -ENOMEM)
            error = store_no_memory(store, failure);
        else if (result < 0)
            error = store_damaged(store->path, "a fact cannot be one", failure);
    }
    return error;
}
