/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store keeps besides samples: what judging needs to know, and what executions consisted of.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

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
        COLUMN_U32,
        COLUMN_FLAG,
        COLUMN_ERROR, /* an int, not negative in a store */
        COLUMN_BITS,  /* an int: 32 or 64 */
    } kind;
    size_t offset;
};

#define COLUMN_AS(its_name, type, kind, member)                                                    \
    {                                                                                              \
        its_name, COLUMN_##kind, offsetof(struct stored_##type, member)                            \
    }
#define COLUMN(type, kind, member) COLUMN_AS(#member, type, kind, member)

struct knowledge {
    int since; /* the schema that brought the table */
    const char *name;
    const char *one, *lacking;    /* what a row is, and without what it cannot be stored */
    size_t keys;                  /* so many columns, the first ones, tell rows apart */
    const struct column *columns; /* end with name NULL */
};

static const struct column event_columns[] = {
    COLUMN(event, NAME, name),   COLUMN(event, TEXT, kind),       COLUMN(event, OPTIONAL, class),
    COLUMN(event, ERROR, error), COLUMN(event, OPTIONAL, reason), {0}};
static const struct column truth_columns[] = {
    COLUMN(truth, NAME, specimen), COLUMN(truth, NAME, class),
    COLUMN(truth, I64, base),      COLUMN(truth, I64, each),
    COLUMN(truth, I64, high_base), COLUMN(truth, I64, high_each),
    COLUMN(truth, NEEDED, grade),  COLUMN(truth, TEXT, why),
    COLUMN(truth, TEXT, sources),  {0}};
static const struct column opcode_columns[] = {COLUMN(opcode, NAME, specimen),
                                               COLUMN(opcode, NEEDED, opcode),
                                               COLUMN(opcode, I64, base),
                                               COLUMN(opcode, I64, each),
                                               {0}};
static const struct column operation_columns[] = {COLUMN(operation, NAME, path),
                                                  COLUMN(operation, NAME, kind),
                                                  COLUMN(operation, NAME, instrument),
                                                  COLUMN(operation, TEXT, effect),
                                                  COLUMN_AS("state", operation, TEXT, when),
                                                  COLUMN(operation, TEXT, links),
                                                  COLUMN(operation, FLAG, binds),
                                                  COLUMN(operation, FLAG, alone),
                                                  COLUMN(operation, TEXT, page),
                                                  COLUMN(operation, TEXT, note),
                                                  {0}};
static const struct column clock_columns[] = {COLUMN(clock, NAME, name),
                                              COLUMN(clock, NAME, kind),
                                              COLUMN(clock, TEXT, way),
                                              COLUMN(clock, TEXT, hardware),
                                              COLUMN(clock, TEXT, claim),
                                              COLUMN(clock, TEXT, note),
                                              COLUMN(clock, U64, hz),
                                              COLUMN(clock, U64, resolution_ps),
                                              COLUMN(clock, FLAG, slow),
                                              COLUMN(clock, FLAG, steered),
                                              {0}};
static const struct column subject_columns[] = {COLUMN(subject, NAME, name),
                                                COLUMN(subject, TEXT, summary),
                                                COLUMN(subject, TEXT, shows),
                                                COLUMN(subject, U64, n),
                                                COLUMN_AS("truth", subject, FLAG, has_truth),
                                                COLUMN(subject, I64, base),
                                                COLUMN(subject, I64, each),
                                                COLUMN(subject, BITS, bits),
                                                COLUMN(subject, FLAG, libc),
                                                {0}};

static const struct knowledge
    events = {2, "event", "an event", "a name", 1, event_columns},
    truths = {2, "truth", "a truth", "a specimen, a class or a grade", 2, truth_columns},
    opcodes = {2, "opcode", "an opcode", "a specimen", 2, opcode_columns},
    operations = {3, "operation",      "an operation", "a path, a kind or an instrument",
                  2, operation_columns},
    clocks = {4, "clock", "a clock", "a name or a kind", 1, clock_columns},
    subjects = {5, "subject",      "a subject", "a name, or of neither 32 nor 64 bits,",
                1, subject_columns};

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
    case COLUMN_U32:
        sqlite3_bind_int64(insert, index, *(const uint32_t *)member);
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
    case COLUMN_U32:
        return column_u32(row, index, member);
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

/* All columns of a row, the first as parameter or result `first`. */
static void bind_columns(sqlite3_stmt *insert, int first, const struct column *columns,
                         const void *row)
{
    for (int i = 0; columns[i].name; i++)
        bind_column(insert, first + i, &columns[i], (const char *)row + columns[i].offset);
}

static bool read_columns(sqlite3_stmt *from, int first, const struct column *columns, void *row)
{
    bool good = true;
    for (int i = 0; good && columns[i].name; i++)
        good = read_column(from, first + i, &columns[i], (char *)row + columns[i].offset);
    return good;
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
        bind_columns(insert, 1, table->columns, row);
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
        if (!column_i64(statement, 0, &position) || position <= last ||
            !read_columns(statement, 1, table->columns, &row)) {
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

struct detail {
    const char *name;
    const char *writing, *impossible; /* for sentences */
    const struct column *columns;     /* behind cell, process and position */
};

static const struct column executed_columns[] = {
    COLUMN(executed, NEEDED, kind),     COLUMN(executed, NEEDED, object),
    COLUMN(executed, NEEDED, name),     COLUMN(executed, U64, count),
    COLUMN(executed, U64, repetitions), {0}};
static const struct column call_columns[] = {COLUMN(call, U32, task),
                                             COLUMN(call, NAME, name),
                                             COLUMN(call, TEXT, what),
                                             COLUMN(call, I64, result),
                                             COLUMN(call, U64, asked),
                                             COLUMN(call, U64, sum),
                                             {0}};

static const struct detail executions = {"executed", "write what was executed to",
                                         "what was executed holds impossible values",
                                         executed_columns},
                           calls = {"system_call", "write a system call to",
                                    "a system call holds impossible values", call_columns};

/* One more row of the visit that is under way; *insert is kept. */
static int put_detail(struct store *store, const struct detail *detail, uint32_t cell,
                      uint32_t process, uint64_t position, sqlite3_stmt **insert, const void *row,
                      struct failure *failure)
{
    int error = 0;
    if (!*insert) {
        AUTO_TEXT struct text sql = {0}, values = {0};
        text_printf(&sql, "INSERT INTO %s(cell, process, position", detail->name);
        for (size_t i = 0; detail->columns[i].name; i++) {
            text_printf(&sql, ", %s", detail->columns[i].name);
            text_puts(&values, ", ?");
        }
        text_printf(&sql, ") VALUES(?, ?, ?%s)", text_string(&values));
        error = sql.failed || values.failed
                    ? store_no_memory(store, failure)
                    : store_prepare(store, text_string(&sql), insert, failure);
    }
    if (error)
        return error;
    BIND(*insert, 1, NUMBER(cell), NUMBER(process), NUMBER(position));
    bind_columns(*insert, 4, detail->columns, row);
    error = store_step(store, *insert, detail->writing, failure);
    sqlite3_reset(*insert);
    return error;
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
    error = visit_enter(store, executed->cell, executed->process, &local);
    if (!error)
        error = put_detail(store, &executions, executed->cell, executed->process,
                           store->visit.executed++, &store->insert_executed, executed, &local);
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
    error = visit_enter(store, call->cell, call->process, &local);
    if (!error && call->position != store->visit.calls)
        error = fail_with(&local, -EPROTO,
                          "system call %" PRIu64 " of process %" PRIu32 " of cell %" PRIu32
                          " comes where %" PRIu64 " is due",
                          call->position, call->process, call->cell, store->visit.calls);
    if (!error)
        error = put_detail(store, &calls, call->cell, call->process, store->visit.calls++,
                           &store->insert_call, call, &local);
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

static int each_detail(struct store *store, const struct detail *detail, knowledge_tell *tell,
                       void (*each)(void), void *context, struct failure *failure)
{
    union {
        struct stored_executed executed;
        struct stored_call call; /* which begins alike */
    } row = {0};
    struct place place = {0};
    if (store->schema < DETAIL_SCHEMA)
        return 0;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    AUTO_TEXT struct text sql = {0};
    text_puts(&sql, "SELECT cell, process, position");
    for (size_t i = 0; detail->columns[i].name; i++)
        text_printf(&sql, ", %s", detail->columns[i].name);
    text_printf(&sql, " FROM %s ORDER BY cell, process, position", detail->name);
    int error = sql.failed ? store_no_memory(store, failure)
                           : store_prepare(store, text_string(&sql), &statement, failure);
    while (!error) {
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        if (!read_place(statement, &place) || !read_columns(statement, 3, detail->columns, &row) ||
            (detail == &executions && !makes_sense(&row.executed)))
            return store_damaged(store->path, detail->impossible, failure);
        row.executed.cell = place.cell;
        row.executed.process = place.process;
        if (detail == &calls)
            row.call.position = place.next - 1;
        error = tell(each, context, &row);
    }
    return error;
}

/* How they are read: store_each_… of store.h. */
#define DETAIL(type, detail)                                                                       \
    static int tell_##type(void (*each)(void), void *context, const void *row)                     \
    {                                                                                              \
        return each ? ((store_##type##_each *)each)(context, row) : 0;                             \
    }                                                                                              \
    int store_each_##type(struct store *store, store_##type##_each *each, void *context,           \
                          struct failure *failure)                                                 \
    {                                                                                              \
        return each_detail(store, &(detail), tell_##type, (void (*)(void))each, context, failure); \
    }
DETAIL(executed, executions)
DETAIL(call, calls)
