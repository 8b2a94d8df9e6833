/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples on the wire: rows in memory, columns in the frame, because neighbouring runs of one
 * counter resemble each other and columns that say nothing new can be left out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/cell.h"

#define KEY_BYTES       16
#define NUMBER_BYTES    (DECIMAL_MAX + 1)
#define HEADER_BYTES    4096 /* sentinel to counters, and every key */
#define ACCOUNT_COLUMNS 4
_Static_assert(sizeof(struct account) == ACCOUNT_COLUMNS * sizeof(uint64_t),
               "an account is a row of four numbers");

static const char *const account_keys[ACCOUNT_COLUMNS] = {"minor", "major", "vol", "invol"};

static const char *column_key(char key[KEY_BYTES], char letter, uint32_t counter)
{
    snprintf(key, KEY_BYTES, "%c%u", letter, counter);
    return key;
}

/* Do two columns of the same rows say the same? */
static bool columns_equal(const uint64_t *a, const uint64_t *b, size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i * stride] != b[i * stride])
            return false;
    return true;
}

static bool column_is_zero(const uint64_t *column, size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (column[i * stride])
            return false;
    return true;
}

/* What stands in for a running column that is left out: see docs/protocol.md. */
static const uint64_t *running_default(const uint64_t *enabled, const uint64_t *running,
                                       uint32_t counter, bool has_enabled)
{
    return counter == 0 || has_enabled ? enabled + counter : running;
}

static int put_frame(struct wire_writer *writer, const struct batch *batch)
{
    wire_begin(writer, "samples");
    wire_put_u64(writer, "cell", batch->cell);
    wire_put_u64(writer, "process", batch->process);
    wire_put_u64(writer, "first", batch->first_run);
    wire_put_u64(writer, "runs", batch->runs);
    wire_put_u64(writer, "counters", batch->counters);
    for (uint32_t counter = 0; counter < batch->counters; counter++) {
        const size_t stride = batch->counters;
        const size_t count = batch->runs;
        const uint64_t *enabled = batch->enabled + counter;
        const uint64_t *running = batch->running + counter;
        char key[KEY_BYTES];
        wire_put_column(writer, column_key(key, 'v', counter), batch->values + counter, stride,
                        count);
        bool has_enabled = counter == 0 || !columns_equal(enabled, batch->enabled, stride, count);
        if (has_enabled)
            wire_put_column(writer, column_key(key, 'e', counter), enabled, stride, count);
        const uint64_t *otherwise =
            running_default(batch->enabled, batch->running, counter, has_enabled);
        if (!columns_equal(running, otherwise, stride, count))
            wire_put_column(writer, column_key(key, 'r', counter), running, stride, count);
    }
    const uint64_t *accounts = &batch->accounts->minor_faults;
    for (size_t i = 0; i < ACCOUNT_COLUMNS; i++)
        if (!column_is_zero(accounts + i, ACCOUNT_COLUMNS, batch->runs))
            wire_put_column(writer, account_keys[i], accounts + i, ACCOUNT_COLUMNS, batch->runs);
    return wire_end(writer);
}

int batch_put(struct wire_writer *writer, const struct batch *batch)
{
    if (batch->counters == 0 || batch->counters > CELL_MAX_COUNTERS)
        return -EINVAL;
    /* So many runs fit a line even when every number has all its digits. */
    const uint32_t fitting =
        (WIRE_MAX_LINE - HEADER_BYTES) / ((3 * batch->counters + ACCOUNT_COLUMNS) * NUMBER_BYTES);
    int status = 0;
    for (uint32_t done = 0; done < batch->runs && status == 0;) {
        struct batch part = *batch;
        const size_t rows = (size_t)done * batch->counters;
        part.runs = batch->runs - done < fitting ? batch->runs - done : fitting;
        part.first_run = batch->first_run + done;
        part.values = batch->values + rows;
        part.enabled = batch->enabled + rows;
        part.running = batch->running + rows;
        part.accounts = batch->accounts + done;
        status = put_frame(writer, &part);
        done += part.runs;
    }
    return status;
}

static bool grow(void **memory, size_t bytes)
{
    void *grown = realloc(*memory, bytes);
    if (!grown)
        return false;
    *memory = grown;
    return true;
}

static int reserve(struct batch_storage *storage, size_t rows, size_t runs)
{
    if (rows > storage->rows) {
        const size_t bytes = rows * sizeof(uint64_t);
        if (!grow((void **)&storage->values, bytes) || !grow((void **)&storage->enabled, bytes) ||
            !grow((void **)&storage->running, bytes))
            return -ENOMEM;
        storage->rows = rows;
    }
    if (runs > storage->account_rows) {
        if (!grow((void **)&storage->accounts, runs * sizeof(struct account)))
            return -ENOMEM;
        storage->account_rows = runs;
    }
    return 0;
}

/* Reads a column, or -ENOENT when it was left out. */
static int get_column(const struct wire_frame *frame, const char *key, uint64_t *column,
                      size_t stride, size_t count, struct failure *failure)
{
    const struct wire_field *field = wire_field(frame, key);
    if (!field)
        return -ENOENT;
    if (column_decode(field->value, field->length, column, stride, count) < 0)
        return fail_with(failure, -EBADMSG, "column '%s' of a 'samples' frame is not %zu numbers",
                         key, count);
    return 0;
}

static void copy_column(uint64_t *to, const uint64_t *from, size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i * stride] = from[i * stride];
}

static int get_counter(const struct wire_frame *frame, const struct batch *batch,
                       struct batch_storage *storage, uint32_t counter, struct failure *failure)
{
    const size_t stride = batch->counters;
    const size_t count = batch->runs;
    uint64_t *enabled = storage->enabled + counter;
    uint64_t *running = storage->running + counter;
    char key[KEY_BYTES];
    int status = get_column(frame, column_key(key, 'v', counter), storage->values + counter, stride,
                            count, failure);
    if (status == -ENOENT)
        return fail_with(failure, -EBADMSG, "a 'samples' frame lacks the column '%s'", key);
    if (status < 0)
        return status;

    status = get_column(frame, column_key(key, 'e', counter), enabled, stride, count, failure);
    if (status == -ENOENT && counter == 0)
        return fail_with(failure, -EBADMSG, "a 'samples' frame lacks the column '%s'", key);
    bool has_enabled = status == 0;
    if (status == -ENOENT)
        copy_column(enabled, storage->enabled, stride, count);
    else if (status < 0)
        return status;

    status = get_column(frame, column_key(key, 'r', counter), running, stride, count, failure);
    if (status == -ENOENT)
        copy_column(running,
                    running_default(storage->enabled, storage->running, counter, has_enabled),
                    stride, count);
    else if (status < 0)
        return status;
    return 0;
}

static int get_accounts(const struct wire_frame *frame, struct batch_storage *storage, size_t count,
                        struct failure *failure)
{
    uint64_t *accounts = &storage->accounts->minor_faults;
    for (size_t i = 0; i < ACCOUNT_COLUMNS; i++) {
        int status =
            get_column(frame, account_keys[i], accounts + i, ACCOUNT_COLUMNS, count, failure);
        if (status == -ENOENT)
            for (size_t run = 0; run < count; run++)
                accounts[run * ACCOUNT_COLUMNS + i] = 0;
        else if (status < 0)
            return status;
    }
    return 0;
}

static int get_header(const struct wire_frame *frame, struct batch *batch, struct failure *failure)
{
    static const struct {
        const char *key;
        uint64_t lowest, highest;
    } numbers[] = {
        {"cell", 0, UINT32_MAX},
        {"process", 0, UINT32_MAX},
        {"first", 0, CELL_MAX_RUNS},
        {"runs", 1, WIRE_MAX_COLUMN},
        {"counters", 1, CELL_MAX_COUNTERS},
    };
    uint64_t values[5];
    for (size_t i = 0; i < 5; i++)
        if (wire_get_u64(frame, numbers[i].key, &values[i]) < 0 || values[i] < numbers[i].lowest ||
            values[i] > numbers[i].highest)
            return fail_with(failure, -EBADMSG,
                             "'%s' of a 'samples' frame must be a number from %llu to %llu",
                             numbers[i].key, (unsigned long long)numbers[i].lowest,
                             (unsigned long long)numbers[i].highest);
    if (values[2] + values[3] > CELL_MAX_RUNS)
        return fail_with(failure, -EBADMSG, "a 'samples' frame goes beyond %u runs of a process",
                         CELL_MAX_RUNS);
    batch->cell = (uint32_t)values[0];
    batch->process = (uint32_t)values[1];
    batch->first_run = (uint32_t)values[2];
    batch->runs = (uint32_t)values[3];
    batch->counters = (uint32_t)values[4];
    return 0;
}

int batch_get(const struct wire_frame *frame, struct batch *batch, struct batch_storage *storage,
              struct failure *failure)
{
    *batch = (struct batch){0};
    int status = get_header(frame, batch, failure);
    if (status < 0)
        return status;
    if (reserve(storage, (size_t)batch->runs * batch->counters, batch->runs) < 0)
        return fail_with(failure, -ENOMEM, "no memory for %u samples", batch->runs);
    for (uint32_t counter = 0; counter < batch->counters; counter++)
        if ((status = get_counter(frame, batch, storage, counter, failure)) < 0)
            return status;
    if ((status = get_accounts(frame, storage, batch->runs, failure)) < 0)
        return status;
    batch->values = storage->values;
    batch->enabled = storage->enabled;
    batch->running = storage->running;
    batch->accounts = storage->accounts;
    return 0;
}

void batch_storage_free(struct batch_storage *storage)
{
    free(storage->values);
    free(storage->enabled);
    free(storage->running);
    free(storage->accounts);
    *storage = (struct batch_storage){0};
}
