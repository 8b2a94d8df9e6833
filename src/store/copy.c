/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows from one database into another, value by value: by two statements instead of ATTACH, so that
 * a source may be whatever a store can be read from. */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "store/handle.h"

static int prepare_insert(struct store *into, const char *table, unsigned number, int columns,
                          sqlite3_stmt **insert, struct failure *failure)
{
    AUTO_TEXT struct text sql = {0};
    text_printf(&sql, "INSERT INTO %s VALUES(", table);
    if (number)
        text_printf(&sql, "%u, ", number);
    for (int i = 0; i < columns; i++)
        text_puts(&sql, i ? ", ?" : "?");
    text_puts(&sql, ")");
    return sql.failed ? store_no_memory(into, failure)
                      : store_prepare(into, text_string(&sql), insert, failure);
}

/* What the same table of another file does not take was not written by assay. */
static int refuse_row(const struct store *from, const char *table, struct failure *failure)
{
    return fail_with(failure, -EBADMSG, "table %s of %.300s has a row that it cannot have", table,
                     from->path);
}

int copy_table(struct store *from, struct store *into, const char *table, unsigned number,
               struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL, *insert = NULL;
    char query[64];
    snprintf(query, sizeof(query), "SELECT * FROM %s", table);
    int error = store_prepare(from, query, &rows, failure);
    const int columns = sqlite3_column_count(rows);
    if (!error)
        error = prepare_insert(into, table, number, columns, &insert, failure);
    while (!error) {
        int got = store_step(from, rows, "read", failure);
        if (got <= 0)
            return got;
        for (int i = 0; i < columns; i++)
            sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
        error = store_step(into, insert, "write to", failure);
        if ((sqlite3_reset(insert) & 0xff) == SQLITE_CONSTRAINT)
            return refuse_row(from, table, failure);
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
