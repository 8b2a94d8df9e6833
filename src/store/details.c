/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Details of executions: what they consisted of, and their system calls. They belong to their visit
 * as samples do, and are committed with it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "store/handle.h"

#define DETAIL_SCHEMA 5

static const char *const kinds[] = {"function", "opcode", "class"};

/* Only a function may be without a name, and only it has a file. */
static bool makes_sense(const struct stored_executed *executed)
{
    bool known = false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        known = known || strcmp(executed->kind, kinds[i]) == 0;
    return known &&
           (strcmp(executed->kind, "function") == 0 || (*executed->name && !*executed->object));
}

/* The statement for one more row of the visit, which is under way then; *statement is kept. */
static int begin_row(struct store *store, uint32_t cell, uint32_t process, const char *sql,
                     sqlite3_stmt **statement, struct failure *failure)
{
    int error = visit_enter(store, cell, process, failure);
    if (!error && !*statement)
        error = store_prepare(store, sql, statement, failure);
    if (error)
        return error;
    sqlite3_bind_int64(*statement, 1, cell);
    sqlite3_bind_int64(*statement, 2, process);
    return 0;
}

int store_put_executed(struct store *store, const struct stored_executed *executed,
                       struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    if (!executed->kind || !executed->object || !executed->name || !makes_sense(executed))
        return fail_with(failure, -EINVAL, "a sum over nothing that was executed cannot be stored");
    error = begin_row(store, executed->cell, executed->process,
                      "INSERT INTO executed(cell, process, position, kind, object, name, count, "
                      "repetitions) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                      &store->insert_executed, &local);
    if (!error) {
        sqlite3_stmt *insert = store->insert_executed;
        bind_u64(insert, 3, store->visit.executed++);
        bind_text(insert, 4, executed->kind);
        bind_text(insert, 5, executed->object);
        bind_text(insert, 6, executed->name);
        bind_u64(insert, 7, executed->count);
        bind_u64(insert, 8, executed->repetitions);
        error = store_step(store, insert, "write what was executed to", &local);
        sqlite3_reset(insert);
    }
    return error ? store_write_failed(store, &local, failure) : 0;
}

int store_put_call(struct store *store, const struct stored_call *call, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    if (!call->name || !*call->name)
        return fail_with(failure, -EINVAL, "a system call without a name cannot be stored");
    error = begin_row(store, call->cell, call->process,
                      "INSERT INTO system_call(cell, process, position, task, name, what, result, "
                      "asked, sum) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      &store->insert_call, &local);
    if (!error && call->position != store->visit.calls)
        error = fail_with(&local, -EPROTO,
                          "system call %" PRIu64 " of process %" PRIu32 " of cell %" PRIu32
                          " comes where %" PRIu64 " is due",
                          call->position, call->process, call->cell, store->visit.calls);
    if (!error) {
        sqlite3_stmt *insert = store->insert_call;
        bind_u64(insert, 3, store->visit.calls++);
        sqlite3_bind_int64(insert, 4, call->task);
        bind_text(insert, 5, call->name);
        bind_text(insert, 6, call->what ? call->what : "");
        sqlite3_bind_int64(insert, 7, call->result);
        bind_u64(insert, 8, call->asked);
        bind_u64(insert, 9, call->sum);
        error = store_step(store, insert, "write a system call to", &local);
        sqlite3_reset(insert);
    }
    return error ? store_write_failed(store, &local, failure) : 0;
}

int details_drop(struct store *store, uint32_t cell, uint32_t process, struct failure *failure)
{
    static const char *const queries[] = {
        "DELETE FROM executed WHERE cell = ? AND process = ?",
        "DELETE FROM system_call WHERE cell = ? AND process = ?",
    };
    int error = 0;
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries) && !error; i++) {
        AUTO_STATEMENT sqlite3_stmt *statement = NULL;
        error = store_prepare(store, queries[i], &statement, failure);
        if (error)
            break;
        sqlite3_bind_int64(statement, 1, cell);
        sqlite3_bind_int64(statement, 2, process);
        error = store_step(store, statement, "take details out of", failure);
    }
    return error;
}

/* --- reading --- */

/* Where a row stands. Positions count from 0 within an execution; executions rise. */
struct place {
    uint32_t cell, process;
    uint64_t next;
};

static bool read_place(sqlite3_stmt *row, struct place *place)
{
    uint32_t cell, process;
    uint64_t position;
    if (!column_u32(row, 0, &cell) || !column_u32(row, 1, &process) ||
        !column_u64(row, 2, &position))
        return false;
    if (cell != place->cell || process != place->process) {
        if (cell < place->cell || (cell == place->cell && process < place->process))
            return false;
        *place = (struct place){cell, process, 0};
    }
    return position == place->next++;
}

static bool tell_executed(sqlite3_stmt *row, const struct place *place, store_executed_each *each,
                          void *context, int *result)
{
    struct stored_executed executed = {.cell = place->cell, .process = place->process};
    if (!column_text(row, 3, &executed.kind) || !column_text(row, 4, &executed.object) ||
        !column_text(row, 5, &executed.name) || !column_u64(row, 6, &executed.count) ||
        !column_u64(row, 7, &executed.repetitions) || !makes_sense(&executed))
        return false;
    *result = each(context, &executed);
    return true;
}

static bool tell_call(sqlite3_stmt *row, const struct place *place, store_call_each *each,
                      void *context, int *result)
{
    struct stored_call call = {
        .cell = place->cell, .process = place->process, .position = place->next - 1};
    if (!column_u32(row, 3, &call.task) || !column_text(row, 4, &call.name) ||
        !column_text(row, 5, &call.what) || !column_i64(row, 6, &call.result) ||
        !column_u64(row, 7, &call.asked) || !column_u64(row, 8, &call.sum) || !*call.name)
        return false;
    *result = each(context, &call);
    return true;
}

/* One of the two is wanted, the other NULL. */
static int each_detail(struct store *store, const char *query, store_executed_each *executed,
                       store_call_each *call, void *context, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    struct place place = {0};
    int result = 0;
    if (store->schema < DETAIL_SCHEMA)
        return 0;
    int error = store_prepare(store, query, &statement, failure);
    while (!error) {
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        if (!read_place(statement, &place) ||
            !(executed ? tell_executed(statement, &place, executed, context, &result)
                       : tell_call(statement, &place, call, context, &result)))
            return store_damaged(store->path,
                                 executed ? "what was executed holds impossible values"
                                          : "a system call holds impossible values",
                                 failure);
        error = result;
    }
    return error;
}

int store_each_executed(struct store *store, store_executed_each *each, void *context,
                        struct failure *failure)
{
    return each_detail(store,
                       "SELECT cell, process, position, kind, object, name, count, repetitions "
                       "FROM executed ORDER BY cell, process, position",
                       each, NULL, context, failure);
}

int store_each_call(struct store *store, store_call_each *each, void *context,
                    struct failure *failure)
{
    return each_detail(store,
                       "SELECT cell, process, position, task, name, what, result, asked, sum "
                       "FROM system_call ORDER BY cell, process, position",
                       NULL, each, context, failure);
}
