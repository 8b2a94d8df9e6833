/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one writer of a store. It holds SQLite's write lock all the time, by starting the next
 * transaction as soon as one is committed; a second writer is refused when it opens. In the moment
 * between two transactions another could slip in: hence the token in meta.writer, which every
 * transaction checks first. Readers are welcome at any time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/monotonic.h"
#include "store/handle.h"

#define READERS_MS 2000 /* how long somebody who reads a run may keep its end waiting */

static uint64_t now_ms(void)
{
    return (uint64_t)monotonic_ms();
}

static char *make_token(void)
{
    uint64_t nonce = now_ms();
    if (getrandom(&nonce, sizeof(nonce), 0) < 0)
        nonce ^= (uint64_t)getpid() << 32;
    char host[65] = "", since[32], *token = NULL;
    gethostname(host, sizeof(host) - 1);
    store_time(since);
    if (asprintf(&token, "process %d on %s since %s (%016llx)", (int)getpid(), host, since,
                 (unsigned long long)nonce) < 0)
        return NULL;
    return token;
}

/* Names the writer that stands in the way, where that can be read. */
static int occupied(struct store *store, struct failure *failure)
{
    AUTO_FREE char *holder = NULL;
    store_get_meta(store, "writer", &holder, NULL);
    return fail_with(failure, -EBUSY,
                     "the store %s is being written by another assay%s%s. Wait until it ends, or "
                     "choose another file with --store.",
                     store->path, holder ? ": " : "", holder ? holder : "");
}

/* WAL needs no sync at a commit to survive the death of the process; a rollback journal does to
 * keep the file whole when the machine dies. */
static int begin_in_best_journal(struct store *store)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    bool wal = false;
    int result = sqlite3_prepare_v2(store->db, "PRAGMA journal_mode=WAL", -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        wal = strcmp((const char *)sqlite3_column_text(statement, 0), "wal") == 0;
    else if ((result & 0xff) != SQLITE_BUSY) /* busy: a reader; stay with the journal there is */
        return result;
    sqlite3_reset(statement);
    sqlite3_exec(store->db, wal ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL", NULL,
                 NULL, NULL);
    return sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
}

static int begin(struct store *store, struct failure *failure)
{
    int result = begin_in_best_journal(store);
    if (connect_lacks_wal(result)) {
        int error = connect_plain_journal(store, failure);
        if (error)
            return error;
        sqlite3_exec(store->db, "PRAGMA synchronous=FULL", NULL, NULL, NULL);
        result = sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    }
    if ((result & 0xff) == SQLITE_BUSY)
        return occupied(store, failure);
    if (result != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write to the store", failure);
    return 0;
}

static int begin_next(struct store *store, struct failure *failure)
{
    int result = sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if ((result & 0xff) == SQLITE_BUSY)
        return occupied(store, failure);
    if (result != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write to the store", failure);
    AUTO_FREE char *holder = NULL;
    int error = store_get_meta(store, "writer", &holder, failure);
    if (error)
        return error;
    if (holder && strcmp(holder, store->token) == 0)
        return 0;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the lock is the other's */
    return occupied(store, failure);
}

int writer_begin(struct store *store, struct failure *failure)
{
    store->token = make_token();
    if (!store->token)
        return fail_with(failure, -ENOMEM, "memory ran out while opening %s", store->path);
    int error = begin(store, failure);
    if (!error)
        error = store_put_meta(store, "writer", store->token, failure);
    if (!error)
        error = writer_commit(store, PATIENCE_MS, failure);
    store->writer = !error;
    return error;
}

int writer_commit(struct store *store, int patience_ms, struct failure *failure)
{
    sqlite3_busy_timeout(store->db, patience_ms);
    int result = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    sqlite3_busy_timeout(store->db, PATIENCE_MS);
    if (result != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write samples to", failure);
    store->committed_ms = now_ms();
    store->ended = false;
    return begin_next(store, failure);
}

bool writer_is_due(const struct store *store)
{
    return store->ended && now_ms() - store->committed_ms >= COMMIT_EVERY_MS;
}

/* 1: it is one file now; 0: others read it, for SQLite's answer is the journal in force, which is
 * not the one asked for meanwhile. */
static int try_to_make_plain(struct store *store, struct failure *why)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "PRAGMA journal_mode=DELETE", &statement, why);
    int got = error ? error : store_step(store, statement, "make one plain file of", why);
    const char *mode = NULL;
    if (got > 0)
        return column_text(statement, 0, &mode) && strcmp(mode, "delete") == 0;
    return got == -EBUSY ? 0 : got < 0 ? got : -EIO;
}

/* SQLite does not wait here by itself. Another run that looks into this one is soon done. */
int writer_make_plain(struct store *store, struct failure *failure)
{
    struct failure why = {0};
    const uint64_t began = now_ms();
    int plain = try_to_make_plain(store, &why);
    while (plain == 0 && now_ms() - began < READERS_MS) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        plain = try_to_make_plain(store, &why);
    }
    if (plain > 0)
        return 0;
    return fail_with(failure, plain == 0 ? -EBUSY : plain,
                     "the run is complete and safe in %s and %s-wal, which must stay together "
                     "because %s. To make a single file of them, run later: sqlite3 %s 'PRAGMA "
                     "journal_mode=DELETE'",
                     store->path, store->path,
                     plain == 0 ? "another program is reading it" : why.text, store->path);
}

int writer_end(struct store *store, struct failure *failure)
{
    if (sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write to", failure);
    store->writer = false;
    return 0;
}

void writer_break(struct store *store, const struct failure *failure)
{
    store->broken = *failure;
    store->visit = (struct visit_under_way){0};
    store->writer = false;
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}
