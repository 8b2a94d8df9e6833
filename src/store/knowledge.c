/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What judging needs besides samples: the events that were tried, what the specimens count and
 * which opcodes they execute. Rows keep the place of their first writing. A store of schema 1 has
 * no such tables, and so nothing to tell of them. */
#include <errno.h>

#include "store/handle.h"

/* The first schema that has these tables. */
#define KNOWLEDGE_SCHEMA 2

/* Runs one INSERT whose parameters were bound, and gives up writing where it fails. */
static int finish_put(struct store *store, sqlite3_stmt *insert, const char *doing,
                      struct failure *failure)
{
    struct failure local = {0};
    int error = store_step(store, insert, doing, &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}

static int prepare_put(struct store *store, const char *sql, sqlite3_stmt **insert,
                       struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    error = store_prepare(store, sql, insert, &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}

int store_put_event(struct store *store, const struct stored_event *event, struct failure *failure)
{
    if (!event->name || !*event->name)
        return fail_with(failure, -EINVAL, "an event without a name cannot be stored");
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    int error = prepare_put(store,
                            "INSERT INTO event(name, kind, class, error, reason) "
                            "VALUES(?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "
                            "kind = excluded.kind, class = excluded.class, "
                            "error = excluded.error, reason = excluded.reason",
                            &insert, failure);
    if (error)
        return error;
    bind_text(insert, 1, event->name);
    bind_text(insert, 2, event->kind ? event->kind : "");
    bind_text(insert, 3, event->class);
    sqlite3_bind_int(insert, 4, event->error);
    bind_text(insert, 5, event->reason);
    return finish_put(store, insert, "write an event to", failure);
}

int store_put_specimen_truth(struct store *store, const struct stored_truth *truth,
                             struct failure *failure)
{
    if (!truth->specimen || !*truth->specimen || !truth->class || !*truth->class || !truth->grade)
        return fail_with(failure, -EINVAL,
                         "a truth without a specimen, a class or a grade cannot be stored");
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    int error = prepare_put(store,
                            "INSERT INTO truth(specimen, class, base, each, high_base, high_each, "
                            "grade, why, sources) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) "
                            "ON CONFLICT(specimen, class) DO UPDATE SET base = excluded.base, "
                            "each = excluded.each, high_base = excluded.high_base, "
                            "high_each = excluded.high_each, grade = excluded.grade, "
                            "why = excluded.why, sources = excluded.sources",
                            &insert, failure);
    if (error)
        return error;
    bind_text(insert, 1, truth->specimen);
    bind_text(insert, 2, truth->class);
    sqlite3_bind_int64(insert, 3, truth->base);
    sqlite3_bind_int64(insert, 4, truth->each);
    sqlite3_bind_int64(insert, 5, truth->high_base);
    sqlite3_bind_int64(insert, 6, truth->high_each);
    bind_text(insert, 7, truth->grade);
    bind_text(insert, 8, truth->why ? truth->why : "");
    bind_text(insert, 9, truth->sources ? truth->sources : "");
    return finish_put(store, insert, "write a truth to", failure);
}

int store_put_opcode(struct store *store, const struct stored_opcode *opcode,
                     struct failure *failure)
{
    if (!opcode->specimen || !*opcode->specimen || !opcode->opcode)
        return fail_with(failure, -EINVAL, "an opcode without a specimen cannot be stored");
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    int error = prepare_put(store,
                            "INSERT INTO opcode(specimen, opcode, base, each) VALUES(?, ?, ?, ?) "
                            "ON CONFLICT(specimen, opcode) DO UPDATE SET base = excluded.base, "
                            "each = excluded.each",
                            &insert, failure);
    if (error)
        return error;
    bind_text(insert, 1, opcode->specimen);
    bind_text(insert, 2, opcode->opcode);
    sqlite3_bind_int64(insert, 3, opcode->base);
    sqlite3_bind_int64(insert, 4, opcode->each);
    return finish_put(store, insert, "write an opcode to", failure);
}

/* --- reading --- */

/* A callback of any of the three types, carried through the one loop below. */
union each {
    store_event_each *event;
    store_truth_each *truth;
    store_opcode_each *opcode;
};

/* One table, and how its rows become what a callback is given. */
struct knowledge {
    const char *query;      /* the position comes first */
    const char *impossible; /* said of a row that assay cannot have written */
    /* Reads the row and hands it on; false: it holds impossible values. */
    bool (*tell)(sqlite3_stmt *row, const union each *each, void *context, int *result);
};

static bool tell_event(sqlite3_stmt *row, const union each *each, void *context, int *result)
{
    struct stored_event event;
    int32_t error;
    if (!column_text(row, 1, &event.name) || !column_text(row, 2, &event.kind) ||
        !column_text_or_null(row, 3, &event.class) || !column_i32(row, 4, &error) || error < 0 ||
        !column_text_or_null(row, 5, &event.reason) || !*event.name)
        return false;
    event.error = error;
    *result = each->event(context, &event);
    return true;
}

static bool tell_truth(sqlite3_stmt *row, const union each *each, void *context, int *result)
{
    struct stored_truth truth;
    if (!column_text(row, 1, &truth.specimen) || !column_text(row, 2, &truth.class) ||
        !column_i64(row, 3, &truth.base) || !column_i64(row, 4, &truth.each) ||
        !column_i64(row, 5, &truth.high_base) || !column_i64(row, 6, &truth.high_each) ||
        !column_text(row, 7, &truth.grade) || !column_text(row, 8, &truth.why) ||
        !column_text(row, 9, &truth.sources) || !*truth.specimen || !*truth.class)
        return false;
    *result = each->truth(context, &truth);
    return true;
}

static bool tell_opcode(sqlite3_stmt *row, const union each *each, void *context, int *result)
{
    struct stored_opcode opcode;
    if (!column_text(row, 1, &opcode.specimen) || !column_text(row, 2, &opcode.opcode) ||
        !column_i64(row, 3, &opcode.base) || !column_i64(row, 4, &opcode.each) || !*opcode.specimen)
        return false;
    *result = each->opcode(context, &opcode);
    return true;
}

static const struct knowledge events = {"SELECT position, name, kind, class, error, reason "
                                        "FROM event NOT INDEXED ORDER BY position",
                                        "an event holds impossible values", tell_event};
static const struct knowledge truths = {"SELECT position, specimen, class, base, each, high_base, "
                                        "high_each, grade, why, sources "
                                        "FROM truth NOT INDEXED ORDER BY position",
                                        "a truth holds impossible values", tell_truth};
static const struct knowledge opcodes = {"SELECT position, specimen, opcode, base, each "
                                         "FROM opcode NOT INDEXED ORDER BY position",
                                         "an opcode holds impossible values", tell_opcode};

static int each_row(struct store *store, const struct knowledge *table, const union each *each,
                    void *context, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int64_t last = 0;
    int result = 0;
    if (store->schema < KNOWLEDGE_SCHEMA)
        return 0;
    int error = store_prepare(store, table->query, &statement, failure);
    while (!error) {
        int64_t position;
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        if (!column_i64(statement, 0, &position) || position <= last ||
            !table->tell(statement, each, context, &result))
            return store_damaged(store->path, table->impossible, failure);
        last = position;
        error = result;
    }
    return error;
}

int store_each_event(struct store *store, store_event_each *each, void *context,
                     struct failure *failure)
{
    return each_row(store, &events, &(union each){.event = each}, context, failure);
}

int store_each_specimen_truth(struct store *store, store_truth_each *each, void *context,
                              struct failure *failure)
{
    return each_row(store, &truths, &(union each){.truth = each}, context, failure);
}

int store_each_opcode(struct store *store, store_opcode_each *each, void *context,
                      struct failure *failure)
{
    return each_row(store, &opcodes, &(union each){.opcode = each}, context, failure);
}
