/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checksum over the tables of a finished store: all values of all rows, in the order of their
 * keys. Samples are left to the checksums of their visits, so that opening a store stays cheap. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "store/handle.h"

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

static uint64_t add_column(uint64_t sum, sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    sum = checksum_word(sum, (uint64_t)type);
    if (type == SQLITE_INTEGER)
        return checksum_word(sum, (uint64_t)sqlite3_column_int64(row, column));
    if (type == SQLITE_NULL)
        return sum;
    const void *bytes = sqlite3_column_blob(row, column);
    size_t length = (size_t)sqlite3_column_bytes(row, column);
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

int store_identity(struct store *store, char text[STORE_IDENTITY_SIZE], struct failure *failure)
{
    char content[17];
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (error)
        return error;
    error = checksum_of_tables(store, content, failure);
    snapshot_end(store, began);
    snprintf(text, STORE_IDENTITY_SIZE, "%d %s", store->schema, error ? "" : content);
    return error;
}

/* The rows of one table by themselves; of meta those that are no checksums. */
static int sum_of_table(struct store *store, const struct checked_table *table, char text[17],
                        struct failure *failure)
{
    static const char meta[] = "SELECT * FROM meta WHERE key NOT IN ('checksum', 'checksums') "
                               "ORDER BY key";
    uint64_t sum = 0;
    const char *query = strcmp(table->name, "meta") == 0 ? meta : table->query;
    int error = checksum_add_rows(store, query, &sum, failure);
    checksum_text(sum, text);
    return error;
}

int checksum_put(struct store *store, struct failure *failure)
{
    char text[17];
    /* Table by table, as "meta=0123456789abcdef fact=...": says where the damage is. */
    AUTO_TEXT struct text all = {0};
    for (size_t i = 0; checked_tables[i].name; i++) {
        char sum[17];
        if (checked_tables[i].since > store->schema)
            continue;
        int error = sum_of_table(store, &checked_tables[i], sum, failure);
        if (error)
            return error;
        text_printf(&all, "%s%s=%s", all.length ? " " : "", checked_tables[i].name, sum);
    }
    int error = all.failed ? store_no_memory(store, failure)
                           : store_put_meta(store, "checksums", text_string(&all), failure);
    if (!error)
        error = checksum_of_tables(store, text, failure);
    return error ? error : store_put_meta(store, "checksum", text, failure);
}

int checksum_holds(struct store *store, const struct checked_table *table, struct failure *failure)
{
    AUTO_FREE char *all = NULL;
    char sum[17], entry[64];
    int error = store_get_meta(store, "checksums", &all, failure);
    if (!error && all)
        error = sum_of_table(store, table, sum, failure);
    if (error)
        return error;
    if (!all)
        return -ENODATA;
    snprintf(entry, sizeof(entry), "%s=%s", table->name, sum);
    const char *found = strstr(all, entry);
    return found && (found == all || found[-1] == ' ');
}

/* Names the tables that were changed, where the store can tell. */
static int tell_change(struct store *store, struct failure *failure)
{
    AUTO_TEXT struct text what = {0};
    text_puts(&what, "its checksum is not that of its content");
    size_t count = 0;
    for (size_t i = 0; checked_tables[i].name; i++)
        if (checked_tables[i].since <= store->schema &&
            checksum_holds(store, &checked_tables[i], NULL) == 0)
            text_printf(&what, "%s %s", count++ ? "," : ": what was changed is in table",
                        checked_tables[i].name);
    return store_damaged(store->path, text_string(&what), failure);
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
    return tell_change(store, failure);
}

int checksum_verify(struct store *store, struct failure *failure)
{
    char text[17];
    int error = checksum_of_tables(store, text, failure);
    if (!error)
        error = compare_own(store, text, failure);
    if (!error && store->content && strcmp(store->content, text) != 0)
        error = tell_change(store, failure);
    return error;
}
