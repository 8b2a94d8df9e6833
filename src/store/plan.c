/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan into the store: cells, their events, tours, watches and commands, and the order of
 * visits.
 * Written before the first sample. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/handle.h"

static int check_cell(const struct cell *cell, struct failure *failure)
{
    bool whole = cell->id >= 1 && cell->counters >= 1 && cell->counters <= CELL_MAX_COUNTERS &&
                 cell->runs >= 1 && cell->runs <= CELL_MAX_RUNS && cell->path && cell->specimen &&
                 cell->opt && cell->link && (unsigned)cell->pattern < PATTERN_COUNT;
    for (uint32_t i = 0; whole && i < cell->counters; i++)
        whole = cell->events[i] != NULL;
    if (whole) {
        int error = cell_check_tour(cell, failure);
        if (!error)
            error = cell_check_watch(cell, failure);
        return error ? error : cell_check_command(cell, failure);
    }
    return fail_with(failure, -EINVAL,
                     "cell %" PRIu32 " of the plan lacks a factor or has one out of range",
                     cell->id);
}

static int put_events(struct store *store, sqlite3_stmt *statement, const struct cell *cell,
                      struct failure *failure)
{
    int error = 0;
    for (uint32_t i = 0; !error && i < cell->counters; i++) {
        sqlite3_bind_int64(statement, 1, cell->id);
        sqlite3_bind_int64(statement, 2, i);
        bind_text(statement, 3, cell->events[i]);
        error = store_step(store, statement, "write the plan to", failure);
        sqlite3_reset(statement);
    }
    return error;
}

static int put_cell(struct store *store, sqlite3_stmt *statement, const struct cell *cell,
                    struct failure *failure)
{
    int error = check_cell(cell, failure);
    if (error)
        return error;
    sqlite3_bind_int64(statement, 1, cell->id);
    sqlite3_bind_int64(statement, 2, cell->counters);
    bind_text(statement, 3, cell->path);
    bind_text(statement, 4, pattern_names[cell->pattern]);
    bind_text(statement, 5, cell->specimen);
    bind_u64(statement, 6, cell->n);
    bind_text(statement, 7, cell->opt);
    bind_text(statement, 8, cell->link);
    sqlite3_bind_int64(statement, 9, cell->runs);
    sqlite3_bind_int(statement, 10, cell->separate);
    sqlite3_bind_int64(statement, 11, cell->cpu);
    error = store_step(store, statement, "write the plan to", failure);
    sqlite3_reset(statement);
    return error;
}

static int put_tour(struct store *store, sqlite3_stmt *statement, const struct cell *cell,
                    struct failure *failure)
{
    if (!cell->tour.calls)
        return 0;
    sqlite3_bind_int64(statement, 1, cell->id);
    bind_text(statement, 2, cell->tour.calls);
    sqlite3_bind_int64(statement, 3, cell_tour_length(&cell->tour));
    bind_text(statement, 4, cell->tour.counted);
    sqlite3_bind_int64(statement, 5, cell->tour.open);
    sqlite3_bind_int(statement, 6, cell->tour.cold);
    int error = store_step(store, statement, "write the plan to", failure);
    sqlite3_reset(statement);
    return error;
}

static int put_watch(struct store *store, sqlite3_stmt *statement, const struct cell *cell,
                     struct failure *failure)
{
    const struct cell_watch *watch = &cell->watch;
    if (watch->kind == WATCH_NONE)
        return 0;
    sqlite3_bind_int64(statement, 1, cell->id);
    bind_text(statement, 2, watch_kind_names[watch->kind]);
    sqlite3_bind_int64(statement, 3, watch_group(watch->kind, watch->threads));
    bind_text(statement, 4, watch->workload);
    bind_u64(statement, 5, watch->length);
    sqlite3_bind_int64(statement, 6, watch->threads);
    sqlite3_bind_int64(statement, 7, watch->moves);
    sqlite3_bind_int(statement, 8, watch->handover);
    sqlite3_bind_int(statement, 9, watch->awake);
    sqlite3_bind_int64(statement, 10, watch->partner);
    int error = store_step(store, statement, "write the plan to", failure);
    sqlite3_reset(statement);
    return error;
}

static int put_command(struct store *store, sqlite3_stmt *statement, const struct cell *cell,
                       struct failure *failure)
{
    const struct cell_command *command = &cell->command;
    char setting[256];
    if (!command->words)
        return 0;
    sqlite3_bind_int64(statement, 1, cell->id);
    bind_text(statement, 2, command->words);
    bind_text(statement, 3, command->name);
    bind_text(statement, 4, command->directory);
    bind_text(statement, 5, command->input);
    bind_text(statement, 6, command->keep);
    bind_text(statement, 7, setting_name(command->controls, setting, sizeof(setting)));
    sqlite3_bind_int64(statement, 8, command->controls);
    bind_text(statement, 9, sweep_names[command->sweep]);
    bind_u64(statement, 10, command->swept);
    bind_u64(statement, 11, command->timeout);
    bind_text(statement, 12, command_detail_names[command->detail]);
    sqlite3_bind_int(statement, 13, command->shown);
    int error = store_step(store, statement, "write the plan to", failure);
    sqlite3_reset(statement);
    return error;
}

/* How the cells of a plan are written: into these tables. */
enum { INTO_CELL, INTO_COUNTER, INTO_TOUR, INTO_WATCH, INTO_COMMAND, TABLES };
static const struct {
    const char *sql;
    int (*put)(struct store *store, sqlite3_stmt *statement, const struct cell *cell,
               struct failure *failure);
} tables[TABLES] = {
    [INTO_CELL] = {"INSERT INTO cell(id, counters, path, pattern, specimen, n, opt, link, runs, "
                   "separate, cpu) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   put_cell},
    [INTO_COUNTER] = {"INSERT INTO counter(cell, counter, event) VALUES(?, ?, ?)", put_events},
    [INTO_TOUR] = {"INSERT INTO tour(cell, calls, length, counted, open, cold) "
                   "VALUES(?, ?, ?, ?, ?, ?)",
                   put_tour},
    [INTO_WATCH] = {"INSERT INTO watch(cell, kind, looks, workload, length, threads, moves, "
                    "handover, awake, partner) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    put_watch},
    [INTO_COMMAND] = {"INSERT INTO command(cell, words, name, directory, input, keep, setting, "
                      "controls, sweep, swept, timeout, detail, shown) "
                      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      put_command},
};

static int put_cells(struct store *store, const struct cell *cells, size_t count,
                     struct failure *failure)
{
    sqlite3_stmt *statements[TABLES] = {NULL};
    int error = 0;
    for (size_t table = 0; table < TABLES && !error; table++)
        error = store_prepare(store, tables[table].sql, &statements[table], failure);
    for (size_t i = 0; !error && i < count; i++)
        for (size_t table = 0; table < TABLES && !error; table++)
            error = tables[table].put(store, statements[table], &cells[i], failure);
    for (size_t table = 0; table < TABLES; table++)
        sqlite3_finalize(statements[table]);
    return error;
}

static int last_visit(struct store *store, int64_t *id, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "SELECT ifnull(max(id), 0) FROM visit", &statement, failure);
    if (error)
        return error;
    int got = store_step(store, statement, "read", failure);
    if (got < 0)
        return got;
    if (!got || !column_i64(statement, 0, id) || *id < 0)
        return store_damaged(store->path, "the order of visits is not a number", failure);
    return 0;
}

static int put_visits(struct store *store, const struct visit *visits, size_t count,
                      struct failure *failure)
{
    int64_t id = 0;
    int error = last_visit(store, &id, failure);
    if (error)
        return error;
    if ((uint64_t)count > (uint64_t)(KEY_MAX_VISIT - id))
        return fail_with(failure, -E2BIG, "the plan has more visits than a store can hold");
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    error = store_prepare(store,
                          "INSERT INTO visit(id, cell, process) SELECT ?, id, ? FROM cell "
                          "WHERE id = ?",
                          &statement, failure);
    for (size_t i = 0; !error && i < count; i++) {
        sqlite3_bind_int64(statement, 1, ++id);
        sqlite3_bind_int64(statement, 2, visits[i].process);
        sqlite3_bind_int64(statement, 3, visits[i].cell);
        error = store_step(store, statement, "write the plan to", failure);
        if (!error && sqlite3_changes(store->db) != 1)
            error = fail_with(failure, -EINVAL,
                              "the plan visits cell %" PRIu32 ", which it does not define",
                              visits[i].cell);
        sqlite3_reset(statement);
    }
    return error;
}

int store_put_plan(struct store *store, const struct cell *cells, size_t cell_count,
                   const struct visit *visits, size_t visit_count, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    if (store->visit.id)
        return fail_with(failure, -EBUSY, "a plan cannot be added while a visit is under way");
    error = writer_commit(store, PATIENCE_MS, &local); /* a bad plan must not take visits along */
    if (!error)
        error = put_cells(store, cells, cell_count, &local);
    if (!error)
        error = put_visits(store, visits, visit_count, &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}

int store_strike_pending(struct store *store, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    if (store->visit.id)
        return fail_with(failure, -EBUSY, "a plan cannot be cut while a visit is under way");
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    error = store_prepare(store, "DELETE FROM visit WHERE state = 'pending'", &statement, &local);
    if (!error)
        error = store_step(store, statement, "take visits out of", &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}

int store_put_truth(struct store *store, uint32_t cell, uint32_t counter, const char *class,
                    int64_t truth, const char *grade, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    error = store_prepare(store,
                          "UPDATE counter SET class = ?, truth = ?, truth_grade = ? "
                          "WHERE cell = ? AND counter = ?",
                          &statement, &local);
    if (!error) {
        bind_text(statement, 1, class);
        if (grade)
            sqlite3_bind_int64(statement, 2, truth);
        bind_text(statement, 3, grade);
        sqlite3_bind_int64(statement, 4, cell);
        sqlite3_bind_int64(statement, 5, counter);
        error = store_step(store, statement, "write the truth to", &local);
    }
    if (error)
        return store_write_failed(store, &local, failure);
    if (sqlite3_changes(store->db) != 1)
        return fail_with(failure, -ENOENT,
                         "the store %s has no counter %" PRIu32 " of a cell %" PRIu32, store->path,
                         counter, cell);
    return 0;
}

int store_put_account(struct store *store, uint32_t cell, const int64_t *faults,
                      const int64_t *switches, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    error = store_prepare(store, "UPDATE cell SET faults = ?, switches = ? WHERE id = ?",
                          &statement, &local);
    if (!error) {
        if (faults)
            sqlite3_bind_int64(statement, 1, *faults);
        if (switches)
            sqlite3_bind_int64(statement, 2, *switches);
        sqlite3_bind_int64(statement, 3, cell);
        error = store_step(store, statement, "write the account to", &local);
    }
    if (error)
        return store_write_failed(store, &local, failure);
    if (sqlite3_changes(store->db) != 1)
        return fail_with(failure, -ENOENT, "the store %s has no cell %" PRIu32, store->path, cell);
    return 0;
}
