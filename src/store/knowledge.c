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

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

int store_put_operation(struct store *store, const struct stored_operation *operation,
                        struct failure *failure)
{
    if (!operation->path || !*operation->path || !operation->kind || !*operation->kind ||
        !operation->instrument || !*operation->instrument)
        return fail_with(failure, -EINVAL,
                         "an operation without a path, a kind or an instrument cannot be stored");
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    int error = prepare_put(store,
                            "INSERT INTO operation(path, kind, instrument, effect, state, links, "
                            "binds, alone, page, note) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                            "ON CONFLICT(path, kind) DO UPDATE SET "
                            "instrument = excluded.instrument, effect = excluded.effect, "
                            "state = excluded.state, links = excluded.links, "
                            "binds = excluded.binds, alone = excluded.alone, "
                            "page = excluded.page, note = excluded.note",
                            &insert, failure);
    if (error)
        return error;
    bind_text(insert, 1, operation->path);
    bind_text(insert, 2, operation->kind);
    bind_text(insert, 3, operation->instrument);
    bind_text(insert, 4, or_empty(operation->effect));
    bind_text(insert, 5, or_empty(operation->when));
    bind_text(insert, 6, or_empty(operation->links));
    sqlite3_bind_int(insert, 7, operation->binds);
    sqlite3_bind_int(insert, 8, operation->alone);
    bind_text(insert, 9, or_empty(operation->page));
    bind_text(insert, 10, or_empty(operation->note));
    return finish_put(store, insert, "write an operation to", failure);
}

int store_put_clock(struct store *store, const struct stored_clock *clock, struct failure *failure)
{
    if (!clock->name || !*clock->name || !clock->kind || !*clock->kind)
        return fail_with(failure, -EINVAL, "a clock without a name or a kind cannot be stored");
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    int error = prepare_put(store,
                            "INSERT INTO clock(name, kind, way, hardware, claim, note, hz, "
                            "resolution_ps, slow, steered) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                            "ON CONFLICT(name) DO UPDATE SET kind = excluded.kind, "
                            "way = excluded.way, hardware = excluded.hardware, "
                            "claim = excluded.claim, note = excluded.note, hz = excluded.hz, "
                            "resolution_ps = excluded.resolution_ps, slow = excluded.slow, "
                            "steered = excluded.steered",
                            &insert, failure);
    if (error)
        return error;
    bind_text(insert, 1, clock->name);
    bind_text(insert, 2, clock->kind);
    bind_text(insert, 3, or_empty(clock->way));
    bind_text(insert, 4, or_empty(clock->hardware));
    bind_text(insert, 5, or_empty(clock->claim));
    bind_text(insert, 6, or_empty(clock->note));
    bind_u64(insert, 7, clock->hz);
    bind_u64(insert, 8, clock->resolution_ps);
    sqlite3_bind_int(insert, 9, clock->slow);
    sqlite3_bind_int(insert, 10, clock->steered);
    return finish_put(store, insert, "write a clock to", failure);
}

int store_put_subject(struct store *store, const struct stored_subject *subject,
                      struct failure *failure)
{
    if (!subject->name || !*subject->name || (subject->bits != 32 && subject->bits != 64))
        return fail_with(
            failure, -EINVAL,
            "a subject without a name, or of neither 32 nor 64 bits, cannot be stored");
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    int error = prepare_put(store,
                            "INSERT INTO subject(name, summary, shows, n, truth, base, each, bits, "
                            "libc) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) "
                            "ON CONFLICT(name) DO UPDATE SET summary = excluded.summary, "
                            "shows = excluded.shows, n = excluded.n, truth = excluded.truth, "
                            "base = excluded.base, each = excluded.each, bits = excluded.bits, "
                            "libc = excluded.libc",
                            &insert, failure);
    if (error)
        return error;
    bind_text(insert, 1, subject->name);
    bind_text(insert, 2, or_empty(subject->summary));
    bind_text(insert, 3, or_empty(subject->shows));
    bind_u64(insert, 4, subject->n);
    sqlite3_bind_int(insert, 5, subject->has_truth);
    sqlite3_bind_int64(insert, 6, subject->base);
    sqlite3_bind_int64(insert, 7, subject->each);
    sqlite3_bind_int(insert, 8, subject->bits);
    sqlite3_bind_int(insert, 9, subject->libc);
    return finish_put(store, insert, "write a subject to", failure);
}

/* --- reading --- */

/* A callback of any of these types, carried through the one loop below. */
union each {
    store_event_each *event;
    store_truth_each *truth;
    store_opcode_each *opcode;
    store_operation_each *operation;
    store_clock_each *clock;
    store_subject_each *subject;
};

/* One table, and how its rows become what a callback is given. */
struct knowledge {
    int since;              /* the schema that brought it */
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

static bool tell_operation(sqlite3_stmt *row, const union each *each, void *context, int *result)
{
    struct stored_operation operation;
    uint32_t binds, alone;
    if (!column_text(row, 1, &operation.path) || !column_text(row, 2, &operation.kind) ||
        !column_text(row, 3, &operation.instrument) || !column_text(row, 4, &operation.effect) ||
        !column_text(row, 5, &operation.when) || !column_text(row, 6, &operation.links) ||
        !column_u32(row, 7, &binds) || binds > 1 || !column_u32(row, 8, &alone) || alone > 1 ||
        !column_text(row, 9, &operation.page) || !column_text(row, 10, &operation.note) ||
        !*operation.path || !*operation.kind || !*operation.instrument)
        return false;
    operation.binds = binds == 1;
    operation.alone = alone == 1;
    *result = each->operation(context, &operation);
    return true;
}

static bool tell_clock(sqlite3_stmt *row, const union each *each, void *context, int *result)
{
    struct stored_clock clock;
    uint32_t slow, steered;
    if (!column_text(row, 1, &clock.name) || !column_text(row, 2, &clock.kind) ||
        !column_text(row, 3, &clock.way) || !column_text(row, 4, &clock.hardware) ||
        !column_text(row, 5, &clock.claim) || !column_text(row, 6, &clock.note) ||
        !column_u64(row, 7, &clock.hz) || !column_u64(row, 8, &clock.resolution_ps) ||
        !column_u32(row, 9, &slow) || slow > 1 || !column_u32(row, 10, &steered) || steered > 1 ||
        !*clock.name || !*clock.kind)
        return false;
    clock.slow = slow == 1;
    clock.steered = steered == 1;
    *result = each->clock(context, &clock);
    return true;
}

static bool tell_subject(sqlite3_stmt *row, const union each *each, void *context, int *result)
{
    struct stored_subject subject;
    uint32_t truth, bits, libc;
    if (!column_text(row, 1, &subject.name) || !column_text(row, 2, &subject.summary) ||
        !column_text(row, 3, &subject.shows) || !column_u64(row, 4, &subject.n) ||
        !column_u32(row, 5, &truth) || truth > 1 || !column_i64(row, 6, &subject.base) ||
        !column_i64(row, 7, &subject.each) || !column_u32(row, 8, &bits) ||
        (bits != 32 && bits != 64) || !column_u32(row, 9, &libc) || libc > 1 || !*subject.name)
        return false;
    subject.has_truth = truth == 1;
    subject.bits = (int)bits;
    subject.libc = libc == 1;
    *result = each->subject(context, &subject);
    return true;
}

static const struct knowledge events = {2,
                                        "SELECT position, name, kind, class, error, reason "
                                        "FROM event NOT INDEXED ORDER BY position",
                                        "an event holds impossible values", tell_event};
static const struct knowledge truths = {2,
                                        "SELECT position, specimen, class, base, each, high_base, "
                                        "high_each, grade, why, sources "
                                        "FROM truth NOT INDEXED ORDER BY position",
                                        "a truth holds impossible values", tell_truth};
static const struct knowledge opcodes = {2,
                                         "SELECT position, specimen, opcode, base, each "
                                         "FROM opcode NOT INDEXED ORDER BY position",
                                         "an opcode holds impossible values", tell_opcode};

static const struct knowledge operations = {3,
                                            "SELECT position, path, kind, instrument, effect, "
                                            "state, links, binds, alone, page, note "
                                            "FROM operation NOT INDEXED ORDER BY position",
                                            "an operation holds impossible values", tell_operation};

static const struct knowledge clocks = {4,
                                        "SELECT position, name, kind, way, hardware, claim, note, "
                                        "hz, resolution_ps, slow, steered "
                                        "FROM clock NOT INDEXED ORDER BY position",
                                        "a clock holds impossible values", tell_clock};

static const struct knowledge subjects = {5,
                                          "SELECT position, name, summary, shows, n, truth, base, "
                                          "each, bits, libc "
                                          "FROM subject NOT INDEXED ORDER BY position",
                                          "a subject holds impossible values", tell_subject};

static int each_row(struct store *store, const struct knowledge *table, const union each *each,
                    void *context, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int64_t last = 0;
    int result = 0;
    if (store->schema < table->since)
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

int store_each_operation(struct store *store, store_operation_each *each, void *context,
                         struct failure *failure)
{
    return each_row(store, &operations, &(union each){.operation = each}, context, failure);
}

int store_each_clock(struct store *store, store_clock_each *each, void *context,
                     struct failure *failure)
{
    return each_row(store, &clocks, &(union each){.clock = each}, context, failure);
}

int store_each_subject(struct store *store, store_subject_each *each, void *context,
                       struct failure *failure)
{
    return each_row(store, &subjects, &(union each){.subject = each}, context, failure);
}

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
