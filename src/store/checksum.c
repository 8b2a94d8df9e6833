/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checksum over the tables of a finished store: all values of all rows, in the order of their
 * keys. Samples are left to the checksums of their visits, so that opening a store stays cheap. */
#include "store/checksum.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Read in the order of the tables themselves: an index may be damaged too. */
static const struct {
    int since; /* the schema that brought the table */
    const char *query;
} tables[] = {
    {1, "SELECT * FROM meta WHERE key <> 'checksum' ORDER BY key"},
    {1, "SELECT * FROM fact NOT INDEXED ORDER BY position"},
    {1, "SELECT * FROM cell ORDER BY id"},
    {1, "SELECT * FROM counter ORDER BY cell, counter"},
    {1, "SELECT * FROM visit NOT INDEXED ORDER BY id"},
    {2, "SELECT * FROM event NOT INDEXED ORDER BY position"},
    {2, "SELECT * FROM truth NOT INDEXED ORDER BY position"},
    {2, "SELECT * FROM opcode NOT INDEXED ORDER BY position"},
    {3, "SELECT * FROM tour ORDER BY cell"},
    {3, "SELECT * FROM operation NOT INDEXED ORDER BY position"},
    {4, "SELECT * FROM watch ORDER BY cell"},
    {4, "SELECT * FROM clock NOT INDEXED ORDER BY position"},
    {5, "SELECT * FROM command ORDER BY cell"},
    {5, "SELECT * FROM subject NOT INDEXED ORDER BY position"},
    {5, "SELECT * FROM executed ORDER BY cell, process, position"},
    {5, "SELECT * FROM system_call ORDER BY cell, process, position"},
};

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t length)
{
    const char *rest = bytes;
    sum = checksum_word(sum, length);
    while (length) {
        uint64_t word = 0;
        size_t size = length < sizeof(word) ? length : sizeof(word);
        memcpy(&word, rest, size);
        sum = checksum_word(sum, le64toh(word)); /* the same on every machine */
        rest += size;
        length -= size;
    }
    return sum;
}

static uint64_t add_column(uint64_t sum, sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    sum = checksum_word(sum, (uint64_t)type);
    if (type == SQLITE_INTEGER)
        return checksum_word(sum, (uint64_t)sqlite3_column_int64(row, column));
    if (type == SQLITE_NULL)
        return sum;
    const void *bytes = sqlite3_column_blob(row, column);
    return add_bytes(sum, bytes, (size_t)sqlite3_column_bytes(row, column));
}

static int add_rows(struct store *store, const char *query, uint64_t *sum, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, query, &statement, failure);
    if (error)
        return error;
    int columns = sqlite3_column_count(statement), got;
    while ((got = store_step(store, statement, "read", failure)) > 0)
        for (int i = 0; i < columns; i++)
            *sum = add_column(*sum, statement, i);
    return got;
}

static int compute(struct store *store, char text[17], struct failure *failure)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        if (tables[i].since > store->schema)
            continue;
        int error = add_rows(store, tables[i].query, &sum, failure);
        if (error)
            return error;
        sum = checksum_word(sum, i);
    }
    snprintf(text, 17, "%016" PRIx64, sum);
    return 0;
}

int checksum_put(struct store *store, struct failure *failure)
{
    char text[17];
    int error = compute(store, text, failure);
    return error ? error : store_put_meta(store, "checksum", text, failure);
}

int checksum_verify(struct store *store, struct failure *failure)
{
    char text[17];
    AUTO_FREE char *stored = NULL;
    int error = store_get_meta(store, "checksum", &stored, failure);
    if (!error)
        error = compute(store, text, failure);
    if (error)
        return error;
    if (stored && strcmp(stored, text) == 0)
        return 0;
    return store_damaged(store->path, "its checksum is not that of its content", failure);
}
