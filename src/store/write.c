/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing: the one writer of a store with its transactions, and the samples that it takes. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/monotonic.h"
#include "store/handle.h"

/* ----------------------------------------------------------------------------------------------
 * The one writer of a store. It holds SQLite's write lock all the time, by starting the next
 * transaction as soon as one is committed; a second writer is refused when it opens. In the moment
 * between two transactions another could slip in: hence the token in meta.writer, which every
 * transaction checks first. Readers are welcome at any time. */

/* At most this much of finished work is lost when the process is killed. */
#define COMMIT_EVERY_MS 250
#define READERS_MS      2000 /* how long somebody who reads a run may keep its end waiting */

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

/* Of the SQLite result of a transaction's beginning. */
static int begun(struct store *store, int result, struct failure *failure)
{
    if ((result & 0xff) == SQLITE_BUSY)
        return occupied(store, failure);
    return result == SQLITE_OK
               ? 0
               : store_sql_failure(store->db, store->path, "write to the store", failure);
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
    return begun(store, result, failure);
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
    result = sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    int error = begun(store, result, failure);
    if (error)
        return error;
    AUTO_FREE char *holder = NULL;
    error = store_get_meta(store, "writer", &holder, failure);
    if (error)
        return error;
    if (holder && strcmp(holder, store->token) == 0)
        return 0;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the lock is the other's */
    return occupied(store, failure);
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

/* ----------------------------------------------------------------------------------------------
 * Samples into the store, as fast as they come. A visit and its samples are one transaction: no
 * commit happens between a visit's first batch and its end. */

/* Rows one INSERT statement takes: fewer calls a sample, the difference is a third of the time. */
#define ROWS_AT_ONCE 32

/* How long a commit on the way may wait for readers; it is tried again with the next visit. */
#define HURRY_MS 20

int store_may_write(struct store *store, struct failure *failure)
{
    if (store->broken.code)
        return fail_with(failure, store->broken.code, "%s", store->broken.text);
    if (store->finished)
        return fail_with(failure, -EROFS,
                         "the run in %s is finished; nothing can be added. Start a new store.",
                         store->path);
    if (!store->writer)
        return fail_with(failure, -EROFS, "the store %s was opened for reading only", store->path);
    return 0;
}

int store_write_failed(struct store *store, const struct failure *why, struct failure *failure)
{
    /* A write failed: takes back what was not committed, gives up the lock, remembers why. */
    store->broken = *why;
    store->visit = (struct visit_under_way){0};
    store->writer = false;
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return fail_with(failure, why->code, "%s", why->text);
}

static int prepare_insert(struct store *store, int rows, sqlite3_stmt **statement,
                          struct failure *failure)
{
    AUTO_TEXT struct text sql = {0};
    text_puts(&sql, "INSERT INTO sample_packed(key, value, enabled, running, minor_faults, "
                    "major_faults, voluntary, involuntary) VALUES");
    for (int i = 0; i < rows; i++)
        text_puts(&sql, i ? ",(?,?,?,?,?,?,?,?)" : "(?,?,?,?,?,?,?,?)");
    return store_prepare(store, text_string(&sql), statement, failure);
}

void store_release_statements(struct store *store)
{
    sqlite3_stmt **all[] = {&store->insert_many, &store->insert_one,      &store->find_visit,
                            &store->end_visit,   &store->insert_executed, &store->insert_call};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        sqlite3_finalize(*all[i]);
        *all[i] = NULL;
    }
}

/* Commits when the last commit is a while ago; readers in the way are no failure. */
static int commit_when_due(struct store *store, struct failure *failure)
{
    if (!store->ended || now_ms() - store->committed_ms < COMMIT_EVERY_MS)
        return 0;
    int error = writer_commit(store, HURRY_MS, failure);
    bool postponed = error == -EBUSY && !sqlite3_get_autocommit(store->db);
    return postponed ? 0 : error;
}

static int find_visit(struct store *store, uint32_t cell, uint32_t process,
                      struct visit_under_way *visit, struct failure *failure)
{
    sqlite3_stmt *find = store->find_visit;
    BIND(find, 1, NUMBER(cell), NUMBER(process));
    *visit = (struct visit_under_way){.cell = cell, .process = process};
    int got = store_step(store, find, "read", failure);
    enum visit_state state = VISIT_PENDING;
    int error = got < 0 ? got : 0;
    if (got == 0)
        error = fail_with(failure, -ENOENT,
                          "the plan in %s has no process %" PRIu32 " of cell %" PRIu32, store->path,
                          process, cell);
    else if (got > 0 &&
             (!column_i64(find, 0, &visit->id) || visit->id < 1 || visit->id > KEY_MAX_VISIT ||
              !column_state(find, 1, &state) || !column_u32(find, 2, &visit->counters) ||
              !column_u32(find, 3, &visit->runs)))
        error = store_damaged(store->path, "a visit holds impossible values", failure);
    else if (got > 0 && state != VISIT_PENDING)
        error = fail_with(failure, -EEXIST,
                          "process %" PRIu32 " of cell %" PRIu32 " is %s already in %s", process,
                          cell, visit_state_names[state], store->path);
    sqlite3_reset(find);
    return error;
}

int visit_enter(struct store *store, uint32_t cell, uint32_t process, struct failure *failure)
{
    if (store->visit.id && store->visit.cell == cell && store->visit.process == process)
        return 0;
    if (store->visit.id)
        return fail_with(failure, -EPROTO,
                         "process %" PRIu32 " of cell %" PRIu32 " reports before process %" PRIu32
                         " of cell %" PRIu32 " has ended",
                         process, cell, store->visit.process, store->visit.cell);
    int error = 0;
    if (!store->end_visit) {
        error = prepare_insert(store, ROWS_AT_ONCE, &store->insert_many, failure);
        if (!error)
            error = prepare_insert(store, 1, &store->insert_one, failure);
        if (!error)
            error =
                store_prepare(store,
                              "SELECT visit.id, visit.state, cell.counters, cell.runs FROM visit "
                              "JOIN cell ON cell.id = visit.cell "
                              "WHERE visit.cell = ? AND visit.process = ?",
                              &store->find_visit, failure);
        if (!error)
            error = store_prepare(store,
                                  "UPDATE visit SET state = ?, error = ?, reason = ?, samples = ?, "
                                  "checksum = ? WHERE id = ?",
                                  &store->end_visit, failure);
    }
    if (!error)
        error = commit_when_due(store, failure);
    struct visit_under_way visit = {0};
    if (!error)
        error = find_visit(store, cell, process, &visit, failure);
    if (!error)
        store->visit = visit;
    return error;
}

static int bind_sample(sqlite3_stmt *insert, int at, int64_t key, const struct batch *batch,
                       size_t row, const struct account *account)
{
    uint64_t enabled = batch->enabled[row], running = batch->running[row];
    sqlite3_bind_int64(insert, ++at, key);
    bind_u64(insert, ++at, batch->values[row]);
    bind_u64(insert, ++at, enabled);
    if (running == enabled)
        sqlite3_bind_null(insert, ++at);
    else
        bind_u64(insert, ++at, running);
    bind_u64(insert, ++at, account->minor_faults);
    bind_u64(insert, ++at, account->major_faults);
    bind_u64(insert, ++at, account->voluntary);
    bind_u64(insert, ++at, account->involuntary);
    return at;
}

static int put_rows(struct store *store, const struct batch *batch, size_t first, size_t count,
                    struct failure *failure)
{
    static const struct account nothing = {0};
    sqlite3_stmt *insert = count == ROWS_AT_ONCE ? store->insert_many : store->insert_one;
    int at = 0;
    for (size_t row = first; row < first + count; row++) {
        size_t run = row / batch->counters;
        int64_t key = store->visit.id << KEY_VISIT_SHIFT |
                      (int64_t)(batch->first_run + run) << KEY_COUNTER_BITS |
                      (int64_t)(row % batch->counters);
        const struct account *account = batch->accounts ? &batch->accounts[run] : &nothing;
        at = bind_sample(insert, at, key, batch, row, account);
        store->visit.checksum = checksum_sample(store->visit.checksum, key, batch->values[row],
                                                batch->enabled[row], batch->running[row], account);
    }
    int error = store_step(store, insert, "write samples to", failure);
    sqlite3_reset(insert);
    return error;
}

int store_put_batch(struct store *store, const struct batch *batch, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    error = visit_enter(store, batch->cell, batch->process, &local);
    if (!error) {
        if (batch->counters != store->visit.counters)
            error = fail_with(&local, -EPROTO,
                              "samples of cell %" PRIu32 " have %" PRIu32
                              " counters, planned were %" PRIu32,
                              batch->cell, batch->counters, store->visit.counters);
        else if (batch->first_run < store->visit.next_run || batch->first_run > store->visit.runs ||
                 batch->runs > store->visit.runs - batch->first_run)
            error =
                fail_with(&local, -EPROTO,
                          "samples of cell %" PRIu32 " are runs %" PRIu32 " to %" PRIu64
                          ", expected are %" PRIu32 " to %" PRIu32,
                          batch->cell, batch->first_run, (uint64_t)batch->first_run + batch->runs,
                          store->visit.next_run, store->visit.runs);
    }
    size_t rows = (size_t)batch->runs * batch->counters;
    for (size_t row = 0; !error && row < rows;) {
        size_t count = rows - row >= ROWS_AT_ONCE ? ROWS_AT_ONCE : 1;
        error = put_rows(store, batch, row, count, &local);
        row += count;
    }
    if (error)
        return store_write_failed(store, &local, failure);
    store->visit.next_run = batch->first_run + batch->runs;
    store->visit.samples += rows;
    return 0;
}

int store_end_visit(struct store *store, uint32_t cell, uint32_t process, enum visit_state state,
                    int error_code, const char *reason, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    if (state != VISIT_DONE && state != VISIT_FAILED)
        return fail_with(failure, -EINVAL, "a visit ends as done or failed, not as state %d",
                         (int)state);
    error = visit_enter(store, cell, process, &local);
    if (!error) {
        sqlite3_stmt *end = store->end_visit;
        BIND(end, 1, TEXT(visit_state_names[state]), NUMBER(error_code),
             TEXT(reason && *reason ? reason : NULL), NUMBER(store->visit.samples),
             NUMBER(store->visit.checksum), NUMBER(store->visit.id));
        error = store_step(store, end, "write samples to", &local);
        sqlite3_reset(end);
        store->visit = (struct visit_under_way){0};
        store->ended = true;
    }
    if (!error)
        error = commit_when_due(store, &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}

int store_drop_visit(struct store *store, uint32_t cell, uint32_t process, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    if (!store->visit.id || store->visit.cell != cell || store->visit.process != process)
        return 0; /* nothing of it has arrived */
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    error = store_prepare(store, "DELETE FROM sample_packed WHERE key >= ? AND key <= ?",
                          &statement, &local);
    if (!error) {
        int64_t first = store->visit.id << KEY_VISIT_SHIFT;
        BIND(statement, 1, NUMBER(first), NUMBER(first + ((INT64_C(1) << KEY_VISIT_SHIFT) - 1)));
        error = store_step(store, statement, "take samples out of", &local);
    }
    if (!error && (store->visit.executed || store->visit.calls))
        error = details_drop(store, cell, process, &local);
    store->visit = (struct visit_under_way){0};
    return error ? store_write_failed(store, &local, failure) : 0;
}

int store_commit(struct store *store, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error || store->visit.id)
        return error;
    error = writer_commit(store, PATIENCE_MS, &local);
    if (error == -EBUSY && !sqlite3_get_autocommit(store->db))
        return fail_with(failure, error, "%s", local.text); /* a reader: nothing is lost yet */
    return error ? store_write_failed(store, &local, failure) : 0;
}

void store_give_up(struct store *store, const struct failure *why)
{
    if (!store->broken.code)
        store_write_failed(store, why, NULL);
}

int store_break_off(struct store *store, struct failure *failure)
{
    int error = store_drop_visit(store, store->visit.cell, store->visit.process, failure);
    return error ? error : store_commit(store, failure);
}
