/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements and their columns. A store may come from anywhere, so every value that is read is
 * checked for its type and range: SQLite itself lets any column hold anything. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/handle.h"

int store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
                  struct failure *failure)
{
    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) !=
        SQLITE_OK)
        return store_sql_failure(store->db, store->path, "use", failure);
    return 0;
}

int store_execute(struct store *store, const char *sql, const char *doing, struct failure *failure)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_sql_failure(store->db, store->path, doing, failure);
    return 0;
}

int store_stopped(const struct store *store, struct failure *failure)
{
    if (!store->stop || !*store->stop)
        return 0;
    return fail_with(failure, -EINTR, "interrupted while using %.300s", store->path);
}

int store_step(struct store *store, sqlite3_stmt *statement, const char *doing,
               struct failure *failure)
{
    int error = store_stopped(store, failure);
    if (error)
        return error;
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        return 1;
    if (result == SQLITE_DONE)
        return 0;
    return store_sql_failure(store->db, store->path, doing, failure);
}

bool column_i64(sqlite3_stmt *statement, int column, int64_t *value)
{
    *value = sqlite3_column_int64(statement, column);
    return sqlite3_column_type(statement, column) == SQLITE_INTEGER;
}

bool column_u64(sqlite3_stmt *statement, int column, uint64_t *value)
{
    int64_t bits;
    bool good = column_i64(statement, column, &bits);
    *value = (uint64_t)bits; /* counts of 2^63 and more are stored in two's complement */
    return good;
}

bool column_u32(sqlite3_stmt *statement, int column, uint32_t *value)
{
    int64_t wide;
    bool good = column_i64(statement, column, &wide) && wide >= 0 && wide <= UINT32_MAX;
    *value = good ? (uint32_t)wide : 0;
    return good;
}

bool column_i32(sqlite3_stmt *statement, int column, int32_t *value)
{
    int64_t wide;
    bool good = column_i64(statement, column, &wide) && wide >= INT32_MIN && wide <= INT32_MAX;
    *value = good ? (int32_t)wide : 0;
    return good;
}

bool column_text(sqlite3_stmt *statement, int column, const char **value)
{
    *value = NULL;
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
        return false;
    *value = (const char *)sqlite3_column_text(statement, column);
    return *value != NULL;
}

bool column_text_or_null(sqlite3_stmt *statement, int column, const char **value)
{
    *value = NULL;
    return sqlite3_column_type(statement, column) == SQLITE_NULL ||
           column_text(statement, column, value);
}

const char *const visit_state_names[] = {"pending", "done", "failed"};

bool column_state(sqlite3_stmt *statement, int column, enum visit_state *state)
{
    const char *name;
    *state = VISIT_PENDING;
    if (!column_text(statement, column, &name))
        return false;
    for (int i = VISIT_PENDING; i <= VISIT_FAILED; i++) {
        *state = (enum visit_state)i;
        if (strcmp(name, visit_state_names[i]) == 0)
            return true;
    }
    return false;
}

void bind_u64(sqlite3_stmt *statement, int index, uint64_t value)
{
    sqlite3_bind_int64(statement, index, (int64_t)value);
}

void bind_text(sqlite3_stmt *statement, int index, const char *value)
{
    sqlite3_bind_text(statement, index, value, -1, SQLITE_TRANSIENT);
}

int store_put_meta(struct store *store, const char *key, const char *value, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)",
                              &statement, failure);
    if (error)
        return error;
    bind_text(statement, 1, key);
    bind_text(statement, 2, value);
    return store_step(store, statement, "write to", failure);
}

int store_get_meta(struct store *store, const char *key, char **value, struct failure *failure)
{
    *value = NULL;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "SELECT value FROM meta WHERE key = ?", &statement, failure);
    if (error)
        return error;
    bind_text(statement, 1, key);
    int got = store_step(store, statement, "read", failure);
    if (got <= 0)
        return got;
    const char *text;
    if (!column_text(statement, 0, &text))
        return store_damaged(store->path, "an entry of table meta is not text", failure);
    *value = strdup(text);
    return *value ? 0 : fail_with(failure, -ENOMEM, "memory ran out while reading %s", store->path);
}

int snapshot_begin(struct store *store, bool *began, struct failure *failure)
{
    *began = sqlite3_get_autocommit(store->db) != 0;
    return *began ? store_execute(store, "BEGIN", "read", failure) : 0;
}

void snapshot_end(struct store *store, bool began)
{
    if (began)
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
}

int store_no_memory(const struct store *store, struct failure *failure)
{
    return fail_with(failure, -ENOMEM, "memory ran out while reading %s", store->path);
}

void store_time(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
