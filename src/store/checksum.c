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
const struct checked_table checked_tables[] = {
    {1, "meta", "SELECT * FROM meta WHERE key <> 'checksum' ORDER BY key"},
    {1, "fact", "SELECT * FROM fact NOT INDEXED ORDER BY position"},
    {1, "cell", "SELECT * FROM cell ORDER BY id"},
    {1, "counter", "SELECT * FROM counter ORDER BY cell, counter"},
    {1, "visit", "SELECT * FROM visit NOT INDEXED ORDER BY id"},
    {2, "event", "SELECT * FROM event NOT INDEXED ORDER BY position"},
    {2, "truth", "SELECT * FROM truth NOT INDEXED ORDER BY position"},
    {2, "opcode", "SELECT * FROM opcode NOT INDEXED ORDER BY position"},
    {3, "tour", "SELECT * FROM tour ORDER BY cell"},
    {3, "operation", "SELECT * FROM operation NOT INDEXED ORDER BY position"},
    {4, "watch", "SELECT * FROM watch ORDER BY cell"},
    {4, "clock", "SELECT * FROM clock NOT INDEXED ORDER BY position"},
    {5, "command", "SELECT * FROM command ORDER BY cell"},
    {5, "subject", "SELECT * FROM subject NOT INDEXED ORDER BY position"},
    {5, "executed", "SELECT * FROM executed ORDER BY cell, process, position"},
    {5, "system_call", "SELECT * FROM system_call ORDER BY cell, process, position"},
    {0},
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

int checksum_add_rows(struct store *store, const char *query, uint64_t *sum,
                      struct failure *failure)
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

void checksum_text(uint64_t sum, char text[17])
{
    snprintf(text, 17, "%016" PRIx64, sum);
}

int checksum_of_tables(struct store *store, char text[17], struct failure *failure)
{
    uint64_t sum = 0;
    for (size_t i = 0; checked_tables[i].name; i++) {
        if (checked_tables[i].since > store->schema)
            continue;
        int error = checksum_add_rows(store, checked_tables[i].query, &sum, failure);
        if (error)
            return error;
        sum = checksum_word(sum, i);
    }
    checksum_text(sum, text);
    return 0;
}

int checksum_put(struct store *store, struct failure *failure)
{
    char text[17];
    int error = checksum_of_tables(store, text, failure);
    return error ? error : store_put_meta(store, "checksum", text, failure);
}

/* What a finished run says of itself. */
static int compare_own(struct store *store, const char *text, struct failure *failure)
{
    AUTO_FREE char *stored = NULL;
    int error = store_get_meta(store, "checksum", &stored, failure);
    if (error)
        return error;
    if (stored ? strcmp(stored, text) == 0 : !store->finished)
        return 0;
    return store_damaged(store->path, "its checksum is not that of its content", failure);
}

int checksum_verify(struct store *store, struct failure *failure)
{
    char text[17];
    int error = checksum_of_tables(store, text, failure);
    if (!error)
        error = compare_own(store, text, failure);
    if (!error && store->content && strcmp(store->content, text) != 0)
        error = store_damaged(store->path, "its checksum is not that of its content", failure);
    return error;
}
