/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store keeps besides samples: what judging needs to know, and what executions consisted of.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "store/handle.h"

/* ----------------------------------------------------------------------------------------------
 * What judging needs: the events that were tried, what the specimens count, which opcodes they
 * execute, which calls tours can make, what is claimed of clocks and of subjects. Rows keep the
 * place of their first writing. A store of an older schema lacks some of these tables, and so has
 * nothing to tell of them. */

/* A column, and where its value is in the struct of a row. */
struct column {
    const char *name;
    enum {
        COLUMN_NAME,     /* a text that is there and not empty */
        COLUMN_NEEDED,   /* a text that is there */
        COLUMN_TEXT,     /* NULL is stored as an empty one */
        COLUMN_OPTIONAL, /* a text or NULL */
        COLUMN_I64,
        COLUMN_U64,
        COLUMN_FLAG,
        COLUMN_ERROR, /* an int, not negative in a store */
        COLUMN_BITS,  /* an int: 32 or 64 */
    } kind;
    size_t offset;
};

enum { MOST_COLUMNS = 10 };

struct knowledge {
    int since; /* the schema that brought the table */
    const char *name;
    const char *one, *lacking; /* what a row is, and without what it cannot be stored */
    size_t keys;               /* so many columns, the first ones, tell rows apart */
    struct column columns[MOST_COLUMNS + 1];
};

static const struct knowledge
    events = {2,
              "event",
              "an event",
              "a name",
              1,
              {{"name", COLUMN_NAME, offsetof(struct stored_event, name)},
               {"kind", COLUMN_TEXT, offsetof(struct stored_event, kind)},
               {"class", COLUMN_OPTIONAL, offsetof(struct stored_event, class)},
               {"error", COLUMN_ERROR, offsetof(struct stored_event, error)},
               {"reason", COLUMN_OPTIONAL, offsetof(struct stored_event, reason)}}},
    truths = {2,
              "truth",
              "a truth",
              "a specimen, a class or a grade",
              2,
              {{"specimen", COLUMN_NAME, offsetof(struct stored_truth, specimen)},
               {"class", COLUMN_NAME, offsetof(struct stored_truth, class)},
               {"base", COLUMN_I64, offsetof(struct stored_truth, base)},
               {"each", COLUMN_I64, offsetof(struct stored_truth, each)},
               {"high_base", COLUMN_I64, offsetof(struct stored_truth, high_base)},
               {"high_each", COLUMN_I64, offsetof(struct stored_truth, high_each)},
               {"grade", COLUMN_NEEDED, offsetof(struct stored_truth, grade)},
               {"why", COLUMN_TEXT, offsetof(struct stored_truth, why)},
               {"sources", COLUMN_TEXT, offsetof(struct stored_truth, sources)}}},
    opcodes = {2,
               "opcode",
               "an opcode",
               "a specimen",
               2,
               {{"specimen", COLUMN_NAME, offsetof(struct stored_opcode, specimen)},
                {"opcode", COLUMN_NEEDED, offsetof(struct stored_opcode, opcode)},
                {"base", COLUMN_I64, offsetof(struct stored_opcode, base)},
                {"each", COLUMN_I64, offsetof(struct stored_opcode, each)}}},
    operations = {3,
                  "operation",
                  "an operation",
                  "a path, a kind or an instrument",
                  2,
                  {{"path", COLUMN_NAME, offsetof(struct stored_operation, path)},
                   {"kind", COLUMN_NAME, offsetof(struct stored_operation, kind)},
                   {"instrument", COLUMN_NAME, offsetof(struct stored_operation, instrument)},
                   {"effect", COLUMN_TEXT, offsetof(struct stored_operation, effect)},
                   {"state", COLUMN_TEXT, offsetof(struct stored_operation, when)},
                   {"links", COLUMN_TEXT, offsetof(struct stored_operation, links)},
                   {"binds", COLUMN_FLAG, offsetof(struct stored_operation, binds)},
                   {"alone", COLUMN_FLAG, offsetof(struct stored_operation, alone)},
                   {"page", COLUMN_TEXT, offsetof(struct stored_operation, page)},
                   {"note", COLUMN_TEXT, offsetof(struct stored_operation, note)}}},
    clocks = {4,
              "clock",
              "a clock",
              "a name or a kind",
              1,
              {{"name", COLUMN_NAME, offsetof(struct stored_clock, name)},
               {"kind", COLUMN_NAME, offsetof(struct stored_clock, kind)},
               {"way", COLUMN_TEXT, offsetof(struct stored_clock, way)},
               {"hardware", COLUMN_TEXT, offsetof(struct stored_clock, hardware)},
               {"claim", COLUMN_TEXT, offsetof(struct stored_clock, claim)},
               {"note", COLUMN_TEXT, offsetof(struct stored_clock, note)},
               {"hz", COLUMN_U64, offsetof(struct stored_clock, hz)},
               {"resolution_ps", COLUMN_U64, offsetof(struct stored_clock, resolution_ps)},
               {"slow", COLUMN_FLAG, offsetof(struct stored_clock, slow)},
               {"steered", COLUMN_FLAG, offsetof(struct stored_clock, steered)}}},
    subjects = {5,
                "subject",
                "a subject",
                "a name, or of neither 32 nor 64 bits,",
                1,
                {{"name", COLUMN_NAME, offsetof(struct stored_subject, name)},
                 {"summary", COLUMN_TEXT, offsetof(struct stored_subject, summary)},
                 {"shows", COLUMN_TEXT, offsetof(struct stored_subject, shows)},
                 {"n", COLUMN_U64, offsetof(struct stored_subject, n)},
                 {"truth", COLUMN_FLAG, offsetof(struct stored_subject, has_truth)},
                 {"base", COLUMN_I64, offsetof(struct stored_subject, base)},
                 {"each", COLUMN_I64, offsetof(struct stored_subject, each)},
                 {"bits", COLUMN_BITS, offsetof(struct stored_subject, bits)},
                 {"libc", COLUMN_FLAG, offsetof(struct stored_subject, libc)}}};

static void bind_column(sqlite3_stmt *insert, int index, const struct column *column,
                        const void *member)
{
    const char *text = NULL;
    switch (column->kind) {
    case COLUMN_NAME:
    case COLUMN_NEEDED:
    case COLUMN_TEXT:
    case COLUMN_OPTIONAL:
        text = *(const char *const *)member;
        bind_text(insert, index, text || column->kind == COLUMN_OPTIONAL ? text : "");
        break;
    case COLUMN_I64:
        sqlite3_bind_int64(insert, index, *(const int64_t *)member);
        break;
    case COLUMN_U64:
        bind_u64(insert, index, *(const uint64_t *)member);
        break;
    case COLUMN_FLAG:
        sqlite3_bind_int(insert, index, *(const bool *)member);
        break;
    case COLUMN_ERROR:
    case COLUMN_BITS:
        sqlite3_bind_int(insert, index, *(const int *)member);
        break;
    }
}

/* False: it holds an impossible value. */
static bool read_column(sqlite3_stmt *row, int index, const struct column *column, void *member)
{
    const char **text = member;
    int32_t number;
    bool good;
    switch (column->kind) {
    case COLUMN_NAME:
        return column_text(row, index, text) && **text;
    case COLUMN_NEEDED:
    case COLUMN_TEXT:
        return column_text(row, index, text);
    case COLUMN_OPTIONAL:
        return column_text_or_null(row, index, text);
    case COLUMN_I64:
        return column_i64(row, index, member);
    case COLUMN_U64:
        return column_u64(row, index, member);
    case COLUMN_FLAG:
        good = column_i32(row, index, &number) && (number == 0 || number == 1);
        *(bool *)member = number == 1;
        return good;
    case COLUMN_ERROR:
        return column_i32(row, index, member) && *(const int *)member >= 0;
    case COLUMN_BITS:
        return column_i32(row, index, member) &&
               (*(const int *)member == 32 || *(const int *)member == 64);
    }
    return false;
}

static int put_row(struct store *store, const struct knowledge *table, const void *row,
                   struct failure *failure)
{
    AUTO_TEXT struct text sql = {0}, values = {0};
    text_printf(&sql, "INSERT INTO %s(", table->name);
    for (size_t i = 0; table->columns[i].name; i++) {
        const struct column *column = &table->columns[i];
        const void *member = (const char *)row + column->offset;
        const char *text = column->kind <= COLUMN_NEEDED ? *(const char *const *)member : "";
        if (!text || (column->kind == COLUMN_NAME && !*text) ||
            (column->kind == COLUMN_BITS && *(const int *)member != 32 &&
             *(const int *)member != 64))
            return fail_with(failure, -EINVAL, "%s without %s cannot be stored", table->one,
                             table->lacking);
        text_printf(&sql, "%s%s", i ? ", " : "", column->name);
        text_puts(&values, i ? ", ?" : "?");
    }
    int error = store_may_write(store, failure);
    if (error)
        return error;
    text_printf(&sql, ") VALUES(%s) ON CONFLICT(", text_string(&values));
    for (size_t i = 0; i < table->keys; i++)
        text_printf(&sql, "%s%s", i ? ", " : "", table->columns[i].name);
    text_puts(&sql, ") DO UPDATE SET ");
    for (size_t i = table->keys; table->columns[i].name; i++)
        text_printf(&sql, "%s%s = excluded.%s", i > table->keys ? ", " : "", table->columns[i].name,
                    table->columns[i].name);
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    struct failure local = {0};
    if (sql.failed || values.failed)
        error = store_no_memory(store, &local);
    else
        error = store_prepare(store, text_string(&sql), &insert, &local);
    if (!error) {
        char doing[32];
        for (int i = 0; table->columns[i].name; i++)
            bind_column(insert, i + 1, &table->columns[i],
                        (const char *)row + table->columns[i].offset);
        snprintf(doing, sizeof(doing), "write %s to", table->one);
        error = store_step(store, insert, doing, &local);
    }
    return error ? store_write_failed(store, &local, failure) : 0;
}

/* Hands a row on to a callback for its type. */
typedef int knowledge_tell(void (*each)(void), void *context, const void *row);

static int each_row(struct store *store, const struct knowledge *table, knowledge_tell *tell,
                    void (*each)(void), void *context, struct failure *failure)
{
    union {
        struct stored_event event;
        struct stored_truth truth;
        struct stored_opcode opcode;
        struct stored_operation operation;
        struct stored_clock clock;
        struct stored_subject subject;
    } row = {0};
    if (store->schema < table->since)
        return 0;
    AUTO_TEXT struct text sql = {0};
    text_puts(&sql, "SELECT position");
    for (size_t i = 0; table->columns[i].name; i++)
        text_printf(&sql, ", %s", table->columns[i].name);
    text_printf(&sql, " FROM %s NOT INDEXED ORDER BY position", table->name);
    if (sql.failed)
        return store_no_memory(store, failure);
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int64_t last = 0;
    int error = store_prepare(store, text_string(&sql), &statement, failure);
    while (!error) {
        int64_t position;
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        bool good = column_i64(statement, 0, &position) && position > last;
        for (int i = 0; good && table->columns[i].name; i++)
            good = read_column(statement, i + 1, &table->columns[i],
                               (char *)&row + table->columns[i].offset);
        if (!good) {
            char what[64];
            snprintf(what, sizeof(what), "%s holds impossible values", table->one);
            return store_damaged(store->path, what, failure);
        }
        last = position;
        error = tell(each, context, &row);
    }
    return error;
}

/* How rows of such a table are put and read: store_put_… and store_each_… of store.h. */
#define KNOWLEDGE(name, type, table)                                                               \
    int store_put_##name(struct store *store, const struct stored_##type *row,                     \
                         struct failure *failure)                                                  \
    {                                                                                              \
        return put_row(store, &(table), row, failure);                                             \
    }                                                                                              \
    static int tell_##name(void (*each)(void), void *context, const void *row)                     \
    {                                                                                              \
        return each ? ((store_##type##_each *)each)(context, row) : 0;                             \
    }                                                                                              \
    int store_each_##name(struct store *store, store_##type##_each *each, void *context,           \
                          struct failure *failure)                                                 \
    {                                                                                              \
        return each_row(store, &(table), tell_##name, (void (*)(void))each, context, failure);     \
    }
KNOWLEDGE(event, event, events)
KNOWLEDGE(specimen_truth, truth, truths)
KNOWLEDGE(opcode, opcode, opcodes)
KNOWLEDGE(operation, operation, operations)
KNOWLEDGE(clock, clock, clocks)
KNOWLEDGE(subject, subject, subjects)

/* ----------------------------------------------------------------------------------------------
 * Details of executions: what they consisted of, and their system calls. They belong to their visit
 * as samples do, and are committed with it. */

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
        BIND(insert, 3, NUMBER(store->visit.executed++), TEXT(executed->kind),
             TEXT(executed->object), TEXT(executed->name), NUMBER(executed->count),
             NUMBER(executed->repetitions));
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
        BIND(insert, 3, NUMBER(store->visit.calls++), NUMBER(call->task), TEXT(call->name),
             TEXT(call->what ? call->what : ""), NUMBER(call->result), NUMBER(call->asked),
             NUMBER(call->sum));
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
        BIND(statement, 1, NUMBER(cell), NUMBER(process));
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
    *result = each ? each(context, &executed) : 0;
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
    *result = each ? each(context, &call) : 0;
    return true;
}

/* What was executed, or calls. */
static int each_detail(struct store *store, const char *query, bool calls,
                       store_executed_each *executed, store_call_each *call, void *context,
                       struct failure *failure)
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
            !(calls ? tell_call(statement, &place, call, context, &result)
                    : tell_executed(statement, &place, executed, context, &result)))
            return store_damaged(store->path,
                                 calls ? "a system call holds impossible values"
                                       : "what was executed holds impossible values",
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
                       false, each, NULL, context, failure);
}

int store_each_call(struct store *store, store_call_each *each, void *context,
                    struct failure *failure)
{
    return each_detail(store,
                       "SELECT cell, process, position, task, name, what, result, asked, sum "
                       "FROM system_call ORDER BY cell, process, position",
                       true, NULL, each, context, failure);
}
