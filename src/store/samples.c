/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples out of the store: those of a cell or a visit, and all of them. */
#include <errno.h>

#include "base/list.h"
#include "store/handle.h"

/* ----------------------------------------------------------------------------------------------
 * A visit's samples are one range of keys, so reading by cell needs neither an index on samples nor
 * a sort. */

struct sample_reader {
    struct store *store;
    sqlite3_stmt *visits, *samples;
    int64_t visit;               /* the one being read */
    uint64_t expected, checksum; /* of its samples */
    struct sample current;
};

static int prepare_samples(struct sample_reader *reader, struct failure *failure)
{
    return store_prepare(reader->store,
                         "SELECT key, value, enabled, running, minor_faults, major_faults, "
                         "voluntary, involuntary FROM sample_packed "
                         "WHERE key >= ? AND key <= ? ORDER BY key",
                         &reader->samples, failure);
}

static int open_sample_reader(struct sample_reader *reader, uint32_t cell, struct failure *failure)
{
    /* All of them without the index, which a damaged file may have lost entries of. */
    static const char all[] = "SELECT id, cell, process, samples, checksum FROM visit NOT INDEXED "
                              "ORDER BY cell, process";
    static const char one[] = "SELECT id, cell, process, samples, checksum FROM visit "
                              "WHERE cell = ? ORDER BY cell, process";
    int error = store_prepare(reader->store, cell ? one : all, &reader->visits, failure);
    if (!error && cell)
        sqlite3_bind_int64(reader->visits, 1, cell);
    return error ? error : prepare_samples(reader, failure);
}

static bool read_visit(struct sample_reader *reader)
{
    sqlite3_stmt *row = reader->visits;
    struct sample last = reader->current, *now = &reader->current;
    if (!column_i64(row, 0, &reader->visit) || !column_u32(row, 1, &now->cell) ||
        !column_u32(row, 2, &now->process) || !column_u64(row, 3, &reader->expected) ||
        !column_u64(row, 4, &reader->checksum))
        return false;
    bool rises = now->cell > last.cell || (now->cell == last.cell && now->process > last.process) ||
                 last.cell == 0;
    return rises && now->cell > 0 && reader->visit >= 1 && reader->visit <= KEY_MAX_VISIT;
}

static bool read_sample(sqlite3_stmt *row, int64_t *key, struct sample *sample)
{
    if (!column_i64(row, 0, key) || !column_u64(row, 1, &sample->value) ||
        !column_u64(row, 2, &sample->enabled))
        return false;
    sample->running = sample->enabled;
    if (sqlite3_column_type(row, 3) != SQLITE_NULL && !column_u64(row, 3, &sample->running))
        return false;
    sample->run = (uint32_t)(*key >> KEY_COUNTER_BITS) & ((1u << KEY_RUN_BITS) - 1);
    sample->counter = (uint32_t)*key & ((1u << KEY_COUNTER_BITS) - 1);
    struct account *account = &sample->account;
    return column_u64(row, 4, &account->minor_faults) &&
           column_u64(row, 5, &account->major_faults) && column_u64(row, 6, &account->voluntary) &&
           column_u64(row, 7, &account->involuntary);
}

static int each_of_visit(struct sample_reader *reader, store_sample_each *each, void *context,
                         struct failure *failure)
{
    int64_t last = reader->visit << KEY_VISIT_SHIFT;
    BIND(reader->samples, 1, NUMBER(last), NUMBER(last + ((INT64_C(1) << KEY_VISIT_SHIFT) - 1)));
    last--;
    uint64_t seen = 0, sum = 0;
    int got;
    while ((got = store_step(reader->store, reader->samples, "read", failure)) > 0) {
        int64_t key;
        if (!read_sample(reader->samples, &key, &reader->current) || key <= last)
            return store_damaged(reader->store->path, "a sample holds impossible values", failure);
        last = key;
        seen++;
        const struct sample *sample = &reader->current;
        sum = checksum_sample(sum, key, sample->value, sample->enabled, sample->running,
                              &sample->account);
        int error = each(context, &reader->current);
        if (error)
            return error;
    }
    if (got == 0 && seen != reader->expected)
        return visit_damaged(reader->store, reader->current.cell, reader->current.process,
                             "lacks samples, or has too many", failure);
    if (got == 0 && sum != reader->checksum)
        return visit_damaged(reader->store, reader->current.cell, reader->current.process,
                             "has samples that were changed after they were written", failure);
    return got;
}

static int each_sample(struct sample_reader *reader, store_sample_each *each, void *context,
                       struct failure *failure)
{
    for (;;) {
        int got = store_step(reader->store, reader->visits, "read", failure);
        if (got <= 0)
            return got;
        if (!read_visit(reader))
            return store_damaged(reader->store->path, "its visits hold impossible values", failure);
        int error = each_of_visit(reader, each, context, failure);
        sqlite3_reset(reader->samples);
        if (error)
            return error;
    }
}

int store_each_sample(struct store *store, uint32_t cell, store_sample_each *each, void *context,
                      struct failure *failure)
{
    struct sample_reader reader = {.store = store};
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (!error)
        error = open_sample_reader(&reader, cell, failure);
    if (!error)
        error = each_sample(&reader, each, context, failure);
    sqlite3_finalize(reader.visits);
    sqlite3_finalize(reader.samples);
    snapshot_end(store, began);
    return error;
}

int samples_of_visit(struct store *store, const struct visit_row *row, store_sample_each *each,
                     void *context, struct failure *failure)
{
    struct sample_reader reader = {
        .store = store,
        .visit = row->id,
        .expected = row->samples,
        .checksum = row->checksum,
        .current = {.cell = row->visit.cell, .process = row->visit.process}};
    int error = prepare_samples(&reader, failure);
    if (!error)
        error = each_of_visit(&reader, each, context, failure);
    sqlite3_finalize(reader.samples);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * All samples of a store in the order of their keys, for those who read millions: one pass over the
 * table, in which SQLite hands every row to an aggregate function instead of returning from a
 * statement, at little more than half the price. */

#define FUNCTION "assay_scan"

enum { KEY, VALUE, ENABLED, RUNNING, MINOR, MAJOR, VOLUNTARY, INVOLUNTARY, COLUMNS };

/* What the table of visits says of the samples of one. */
struct scanned_visit {
    int64_t id;
    uint64_t samples, checksum;
    uint32_t cell, process;
};

struct sample_scan {
    struct store *store;
    struct scanned_visit *visits; /* by id */
    size_t count;
    size_t at; /* the visit whose samples come now */
    int64_t last;
    uint64_t seen, sum; /* of its samples */
    struct sample current;
    store_sample_each *each;
    void *context;
    struct failure *failure;
    int error;
};

/* --- visits --- */

static int read_visits(struct sample_scan *scan, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    struct store *store = scan->store;
    int got = store_prepare(store,
                            "SELECT id, cell, process, samples, checksum FROM visit NOT INDEXED "
                            "ORDER BY id",
                            &statement, failure);
    if (got < 0)
        return got;
    while ((got = store_step(store, statement, "read", failure)) > 0) {
        struct scanned_visit *visit = list_add(&scan->visits, &scan->count, sizeof(*visit));
        if (!visit)
            return store_no_memory(store, failure);
        if (!(column_i64(statement, 0, &visit->id) && column_u32(statement, 1, &visit->cell) &&
              column_u32(statement, 2, &visit->process) &&
              column_u64(statement, 3, &visit->samples) &&
              column_u64(statement, 4, &visit->checksum) && visit->cell > 0 && visit->id >= 1 &&
              visit->id <= KEY_MAX_VISIT) ||
            (scan->count > 1 && visit->id <= visit[-1].id))
            return store_damaged(store->path, "its visits hold impossible values", failure);
    }
    return got;
}

/* --- samples --- */

static int damaged(struct sample_scan *scan, const char *what)
{
    return store_damaged(scan->store->path, what, scan->failure);
}

/* The samples of the visit are all there, as they were written. */
static int end_visit(struct sample_scan *scan)
{
    const struct scanned_visit *visit = &scan->visits[scan->at++];
    uint64_t seen = scan->seen, sum = scan->sum;
    scan->seen = scan->sum = 0;
    if (seen == visit->samples && sum == visit->checksum)
        return 0;
    return visit_damaged(scan->store, visit->cell, visit->process,
                         seen != visit->samples
                             ? "lacks samples, or has too many"
                             : "has samples that were changed after they were written",
                         scan->failure);
}

static bool value_u64(sqlite3_value *value, uint64_t *number)
{
    *number = (uint64_t)sqlite3_value_int64(value);
    return sqlite3_value_type(value) == SQLITE_INTEGER;
}

static bool read_scanned_sample(sqlite3_value **values, struct sample *sample)
{
    struct account *account = &sample->account;
    if (!value_u64(values[VALUE], &sample->value) || !value_u64(values[ENABLED], &sample->enabled))
        return false;
    sample->running = sample->enabled;
    if (sqlite3_value_type(values[RUNNING]) != SQLITE_NULL &&
        !value_u64(values[RUNNING], &sample->running))
        return false;
    return value_u64(values[MINOR], &account->minor_faults) &&
           value_u64(values[MAJOR], &account->major_faults) &&
           value_u64(values[VOLUNTARY], &account->voluntary) &&
           value_u64(values[INVOLUNTARY], &account->involuntary);
}

static int take_row(struct sample_scan *scan, sqlite3_value **values)
{
    struct sample *sample = &scan->current;
    int64_t key = sqlite3_value_int64(values[KEY]);
    int error = store_stopped(scan->store, scan->failure); /* one step is the whole table */
    if (error)
        return error;
    if (key <= scan->last || !read_scanned_sample(values, sample))
        return damaged(scan, "a sample holds impossible values");
    if (!scan->seen || key >> KEY_VISIT_SHIFT != scan->last >> KEY_VISIT_SHIFT) {
        /* Goes on to the visit that a key belongs to; those in between must have no samples. */
        int64_t id = key >> KEY_VISIT_SHIFT;
        error = 0;
        while (!error && scan->at < scan->count && scan->visits[scan->at].id < id)
            error = end_visit(scan);
        if (!error && (scan->at == scan->count || scan->visits[scan->at].id != id))
            error = damaged(scan, "it has samples of no visit");
        if (!error) {
            scan->current.cell = scan->visits[scan->at].cell;
            scan->current.process = scan->visits[scan->at].process;
        }
        if (error)
            return error;
    }
    scan->last = key;
    scan->seen++;
    scan->sum = checksum_sample(scan->sum, key, sample->value, sample->enabled, sample->running,
                                &sample->account);
    sample->run = (uint32_t)(key >> KEY_COUNTER_BITS) & ((1u << KEY_RUN_BITS) - 1);
    sample->counter = (uint32_t)key & ((1u << KEY_COUNTER_BITS) - 1);
    return scan->each(scan->context, sample);
}

/* Called by SQLite for every row. */
static void step(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct store *store = sqlite3_user_data(context);
    struct sample_scan *scan = store->scan;
    if (!scan || count != COLUMNS || scan->error)
        return;
    scan->error = take_row(scan, values);
    if (scan->error)
        sqlite3_result_error_code(context, SQLITE_ABORT); /* ends the statement */
}

static void finish(sqlite3_context *context)
{
    sqlite3_result_null(context);
}

int64_t scan_key(const struct store *store)
{
    return store->scan->last;
}

/* --- the scan --- */

static int offer_function(struct store *store, struct failure *failure)
{
    /* Direct only: nothing in the file's schema may call it. */
    int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    if (sqlite3_create_function_v2(store->db, FUNCTION, COLUMNS, flags, store, NULL, step, finish,
                                   NULL) != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "prepare to read", failure);
    return 0;
}

static int scan_table(struct sample_scan *scan, struct failure *failure)
{
    struct failure local = {0}; /* what stopped the statement may have been told already */
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    struct store *store = scan->store;
    int got = store_prepare(store,
                            "SELECT " FUNCTION "(key, value, enabled, running, minor_faults, "
                            "major_faults, voluntary, involuntary) FROM sample_packed NOT INDEXED",
                            &statement, failure);
    if (got < 0)
        return got;
    store->scan = scan;
    got = store_step(store, statement, "read", &local);
    store->scan = NULL;
    if (got < 0 && !scan->error)
        return fail_with(failure, got, "%s", local.text);
    while (!scan->error && scan->at < scan->count)
        scan->error = end_visit(scan);
    return scan->error;
}

int store_scan_samples(struct store *store, store_sample_each *each, void *context,
                       struct failure *failure)
{
    struct sample_scan scan = {
        .store = store, .last = INT64_MIN, .each = each, .context = context, .failure = failure};
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (error)
        return error;
    error = offer_function(store, failure);
    if (!error)
        error = read_visits(&scan, failure);
    if (!error)
        error = scan_table(&scan, failure);
    free(scan.visits);
    snapshot_end(store, began);
    return error;
}
