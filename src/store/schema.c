/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schema: how an empty file becomes a store, whether a file is one, and how an older one is
 * brought up to date. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/collection-room.h"

/* From one version to a later one; the caller's transaction makes it whole or nothing. */
static int take_steps(sqlite3 *db, int from, int to)
{
    int result = SQLITE_OK;
    for (int i = from; result == SQLITE_OK && i < to; i++)
        result = sqlite3_exec(db, schema_steps[i], NULL, NULL, NULL);
    char pragmas[128];
    snprintf(pragmas, sizeof(pragmas), "PRAGMA application_id=%d; PRAGMA user_version=%d",
             STORE_APPLICATION_ID, to);
    return result == SQLITE_OK ? sqlite3_exec(db, pragmas, NULL, NULL, NULL) : result;
}

/* An empty database becomes one of that version. */
static int lay_out(sqlite3 *db, int version)
{
    int result = sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = take_steps(db, 0, version);
    if (result == SQLITE_OK)
        result = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return result;
}

static int open_memory(sqlite3 **db)
{
    return sqlite3_open_v2(":memory:", db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
}

int schema_in_memory(int version, sqlite3 **db)
{
    int result = open_memory(db);
    return result == SQLITE_OK ? lay_out(*db, version) : result;
}

int schema_create_as(struct store *store, int version, struct failure *failure)
{
    if (lay_out(store->db, version) != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write the schema to", failure);
    store->schema = version;
    return 0;
}

int schema_create(struct store *store, struct failure *failure)
{
    return schema_create_as(store, STORE_SCHEMA, failure);
}

static int pragma_number(struct store *store, const char *sql, int32_t *number,
                         struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, sql, &statement, failure);
    if (error)
        return error;
    int got = store_step(store, statement, "read", failure);
    if (got < 0)
        return got;
    if (!got || !column_i32(statement, 0, number))
        return store_damaged(store->path, "its header cannot be read", failure);
    return 0;
}

/* Every object we would make must be in the file, word for word: that fixes names, columns, types
 * and what a query on them can do. Further objects are the owner's business and not used. */
static int compare_objects(struct store *store, sqlite3 *ours, struct failure *failure)
{
    static const char query[] =
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid";
    AUTO_STATEMENT sqlite3_stmt *wanted = NULL, *found = NULL;
    if (sqlite3_prepare_v2(ours, query, -1, &wanted, NULL) != SQLITE_OK)
        return store_sql_failure(ours, store->path, "check", failure);
    int error = store_prepare(store, "SELECT sql FROM sqlite_master WHERE type = ? AND name = ?",
                              &found, failure);
    if (error)
        return error;
    while (sqlite3_step(wanted) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(wanted, 1);
        sqlite3_bind_value(found, 1, sqlite3_column_value(wanted, 0));
        sqlite3_bind_value(found, 2, sqlite3_column_value(wanted, 1));
        int got = store_step(store, found, "read", failure);
        if (got < 0)
            return got;
        const char *sql = NULL;
        if (!got || !column_text(found, 0, &sql) ||
            strcmp(sql, (const char *)sqlite3_column_text(wanted, 2)) != 0) {
            char what[128];
            snprintf(what, sizeof(what), "%s is %s", name,
                     got ? "not defined as assay defines it" : "missing");
            return store_damaged(store->path, what, failure);
        }
        sqlite3_reset(found);
    }
    return 0;
}

int schema_compare(struct store *store, struct failure *failure)
{
    sqlite3 *ours = NULL;
    int error = 0, result = store->collection ? open_memory(&ours) : SQLITE_OK;
    if (result == SQLITE_OK)
        result = store->collection ? collection_lay_out(ours, store->schema)
                                   : schema_in_memory(store->schema, &ours);
    if (result != SQLITE_OK)
        error = store_sql_failure(ours, store->path, "check the schema of", failure);
    else
        error = compare_objects(store, ours, failure);
    sqlite3_close(ours);
    return error;
}

int schema_version(struct store *store, struct failure *failure)
{
    int32_t application = 0, version = 0;
    int error = pragma_number(store, "PRAGMA application_id", &application, failure);
    if (!error)
        error = pragma_number(store, "PRAGMA user_version", &version, failure);
    if (error)
        return error;
    if (application != STORE_APPLICATION_ID)
        return fail_with(failure, -EMEDIUMTYPE,
                         "%s is an SQLite database, but not a store of assay: its application id "
                         "is 0x%08x instead of 0x%08x. Name a file that assay wrote.",
                         store->path, (unsigned)application, STORE_APPLICATION_ID);
    store->collection = version > COLLECTION_SCHEMAS;
    if (store->collection)
        version -= COLLECTION_SCHEMAS;
    if (version > STORE_SCHEMA)
        return fail_with(failure, -EPROTONOSUPPORT,
                         "the %s %s has schema %d, this assay (%s) knows schemas up to %d: a "
                         "newer assay wrote it. Update assay to read it.",
                         store->collection ? "collection" : "store", store->path, version,
                         ASSAY_VERSION, STORE_SCHEMA);
    if (version < 1)
        return store_damaged(store->path, "its schema version is below 1", failure);
    store->schema = version;
    return 0;
}

static int bring_up_to_date(struct store *store, struct failure *failure)
{
    int result = take_steps(store->db, store->schema, STORE_SCHEMA);
    if ((result & 0xff) == SQLITE_ERROR) /* an object of the owner's has a name that we need now */
        return fail_with(failure, -EEXIST,
                         "the store %.300s has schema %d and cannot be brought to schema %d: %s. "
                         "Rename what was added to it, or start a new store.",
                         store->path, store->schema, STORE_SCHEMA, sqlite3_errmsg(store->db));
    if (result != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "bring up to date the older store",
                                 failure);
    store->schema = STORE_SCHEMA;
    return writer_commit(store, PATIENCE_MS, failure);
}

int schema_upgrade(struct store *store, struct failure *failure)
{
    struct failure local = {0};
    /* Asked again under the lock: another writer may have done it since. */
    int error = schema_version(store, &local);
    if (!error && store->schema < STORE_SCHEMA)
        error = bring_up_to_date(store, &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}
