/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every chapter asks of SQLite: statements, their columns, rows copied from one database into
 * another, and sentences for what went wrong. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "store/handle.h"

/* ----------------------------------------------------------------------------------------------
 * From an SQLite result to a sentence for a person: what happened to which file, and what to do. */

#define SALVAGE                                                                                    \
    "Take a copy you trust, or save what is left with: assay merge --salvage -o NEW FILE"

struct explanation {
    int result; /* SQLite's primary result code */
    int error;
    const char *why;
    const char *next;
};

static const struct explanation explanations[] = {
    {SQLITE_FULL, ENOSPC, "the disk is full",
     "What was committed is safe: free some space and go on with --resume"},
    {SQLITE_NOTADB, EBADMSG, "it is not an SQLite database", "Name a file that assay wrote"},
    {SQLITE_CORRUPT, EBADMSG, "the file is damaged", SALVAGE},
    {SQLITE_BUSY, EBUSY, "another program has locked it",
     "Wait for that program to end, or close it, and try again"},
    {SQLITE_LOCKED, EBUSY, "it is locked within this program",
     "This is a defect: please report it"},
    {SQLITE_READONLY, EROFS, "it cannot be written",
     "Check the permissions of the file and its folder, or name another place with --store"},
    {SQLITE_CANTOPEN, EACCES, "the file or one beside it (-journal, -wal, -shm) cannot be opened",
     "Check the permissions of the file and its folder, or copy the store to another place"},
    {SQLITE_PERM, EACCES, "permission is refused", "Check the permissions of the file"},
    {SQLITE_PROTOCOL, EBUSY, "its locks do not work",
     "Put the store on a local file system with --store"},
    {SQLITE_NOLFS, EFBIG, "the file system holds no file this large",
     "Name another place with --store"},
    {SQLITE_TOOBIG, EBADMSG, "it holds a value of an absurd size",
     "The file is damaged, or was not written by assay: take a copy you trust"},
    {SQLITE_MISMATCH, EBADMSG, "a value has the wrong type",
     "The file is damaged, or was not written by assay: take a copy you trust"},
    {SQLITE_CONSTRAINT, EBADMSG, "what is there contradicts what is being written",
     "The file is damaged, or was changed by another program: start a new store"},
    {SQLITE_INTERRUPT, EBADMSG, "checking it takes longer than any sound store would",
     "The file is damaged, or was not written by assay: take a copy you trust"},
    {SQLITE_NOMEM, ENOMEM, "memory ran out", "Close other programs and try again"},
    {SQLITE_IOERR, EIO, "reading or writing the file failed",
     "Check the disk (dmesg says more), or name another place with --store"},
    {SQLITE_ERROR, EBADMSG, "its content does not fit",
     "The file is damaged, or was not written by assay: take a copy you trust"},
};

static const struct explanation *explain(int result, int system_error)
{
    /* A quota or a limit on the size of files comes as a plain I/O error. */
    if (result == SQLITE_IOERR &&
        (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG))
        result = SQLITE_FULL;
    for (size_t i = 0; i < sizeof(explanations) / sizeof(explanations[0]); i++)
        if (explanations[i].result == result)
            return &explanations[i];
    return NULL;
}

int store_sql_failure(sqlite3 *db, const char *path, const char *doing, struct failure *failure)
{
    if (!db)
        return fail_with(failure, -ENOMEM, "cannot %s %s: memory ran out", doing, path);
    int result = sqlite3_extended_errcode(db);
    /* Asked before the errno: file controls would replace it. */
    char message[256];
    snprintf(message, sizeof(message), "%s", sqlite3_errmsg(db));
    /* The errno behind a failure. SQLite keeps it for the connection, but not where a COMMIT
     * failed: then the database file or its journal has it. */
    int system_error = sqlite3_system_errno(db);
    if (!system_error)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &system_error);
    sqlite3_file *journal = NULL;
    if (!system_error)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    /* A journal in memory has no file, and nothing to ask. */
    if (journal && journal->pMethods && journal->pMethods->xFileControl)
        journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &system_error);
    const struct explanation *known = explain(result & 0xff, system_error);
    if (!known)
        return fail_with(failure, -EIO, "cannot %s %s: SQLite says \"%s\" (%d)", doing, path,
                         message, result);
    bool system_tells = system_error && (known->error == ENOSPC || known->error == EIO ||
                                         known->error == EACCES || known->error == EROFS);
    int error = known->error == ENOSPC && system_error ? system_error : known->error;
    return fail_with(failure, -error, "cannot %s %s: %s (%s%s%s). %s.", doing, path, known->why,
                     message, system_tells ? ": " : "", system_tells ? strerror(system_error) : "",
                     known->next);
}

#define DAMAGED " is damaged, or was changed by another program: "
#define ADVICE  ". " SALVAGE

int store_damaged(const char *path, const char *what, struct failure *failure)
{
    return fail_with(failure, -EBADMSG, "the store %.400s" DAMAGED "%s" ADVICE, path, what);
}

void store_damage(const struct failure *failure, char *what, size_t size)
{
    const char *from = strstr(failure->text, DAMAGED);
    from = from ? from + strlen(DAMAGED) : failure->text;
    const char *advice = strstr(from, ADVICE);
    snprintf(what, size, "%.*s", (int)(advice ? advice - from : (ptrdiff_t)strlen(from)), from);
}

bool store_advises_salvage(const struct failure *failure)
{
    return strstr(failure->text, SALVAGE);
}

int visit_damaged(const struct store *store, uint32_t cell, uint32_t process, const char *what,
                  struct failure *failure)
{
    char text[200];
    snprintf(text, sizeof(text), "process %" PRIu32 " of cell %" PRIu32 " %s", process, cell, what);
    return store_damaged(store->path, text, failure);
}

/* ----------------------------------------------------------------------------------------------
 * Statements and their columns. A store may come from anywhere, so every value that is read is
 * checked for its type and range: SQLite itself lets any column hold anything. */

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

void bind_all(sqlite3_stmt *statement, int first, const struct bound *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i].is_number)
            sqlite3_bind_int64(statement, first + (int)i, values[i].number);
        else
            bind_text(statement, first + (int)i, values[i].text);
}

int store_put_meta(struct store *store, const char *key, const char *value, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)",
                              &statement, failure);
    if (error)
        return error;
    BIND(statement, 1, TEXT(key), TEXT(value));
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

/* ----------------------------------------------------------------------------------------------
 * Rows from one database into another, value by value: by two statements instead of ATTACH, so that
 * a source may be whatever a store can be read from. */

int copy_table(struct store *from, struct store *into, const char *table, unsigned number,
               struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL, *insert = NULL;
    char query[64];
    snprintf(query, sizeof(query), "SELECT * FROM %s", table);
    int error = store_prepare(from, query, &rows, failure);
    const int columns = sqlite3_column_count(rows);
    if (!error) {
        AUTO_TEXT struct text sql = {0};
        text_printf(&sql, "INSERT INTO %s VALUES(", table);
        if (number)
            text_printf(&sql, "%u, ", number);
        for (int i = 0; i < columns; i++)
            text_puts(&sql, i ? ", ?" : "?");
        text_puts(&sql, ")");
        error = sql.failed ? store_no_memory(into, failure)
                           : store_prepare(into, text_string(&sql), &insert, failure);
    }
    while (!error) {
        int got = store_step(from, rows, "read", failure);
        if (got <= 0)
            return got;
        for (int i = 0; i < columns; i++)
            sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
        error = store_step(into, insert, "write to", failure);
        if ((sqlite3_reset(insert) & 0xff) == SQLITE_CONSTRAINT) {
            /* What the same table of another file does not take was not written by assay. */
            return fail_with(failure, -EBADMSG, "table %s of %.300s has a row that it cannot have",
                             table, from->path);
        }
    }
    return error;
}

void bind_stored(sqlite3_stmt *statement, int index, const struct sample *sample)
{
    bind_u64(statement, index, sample->value);
    bind_u64(statement, index + 1, sample->enabled);
    if (sample->running == sample->enabled)
        sqlite3_bind_null(statement, index + 2);
    else
        bind_u64(statement, index + 2, sample->running);
    bind_u64(statement, index + 3, sample->account.minor_faults);
    bind_u64(statement, index + 4, sample->account.major_faults);
    bind_u64(statement, index + 5, sample->account.voluntary);
    bind_u64(statement, index + 6, sample->account.involuntary);
}
