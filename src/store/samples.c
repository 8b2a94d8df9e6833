/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples out of the store. A visit's samples are one range of keys, so reading by cell needs
 * neither an index on samples nor a sort. */
#include <errno.h>

#include "store/checksum.h"

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
    sqlite3_bind_int64(reader->samples, 1, last);
    sqlite3_bind_int64(reader->samples, 2, last + ((INT64_C(1) << KEY_VISIT_SHIFT) - 1));
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
