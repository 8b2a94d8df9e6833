/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was measured, out of the store: its run and its machine, its cells, its visits. Like all
 * reading: tables, never views; every value checked, because the file may come from anywhere; keys
 * must rise from row to row, which also ends the reading of a file made to go on forever. */
#include <errno.h>
#include <string.h>

#include "base/list.h"
#include "store/handle.h"

/* --- What a store says of its run and its machine --- */

static int count_cells(struct store *store, struct store_info *info, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "SELECT id FROM cell ORDER BY id", &statement, failure);
    if (error)
        return error;
    int64_t last = 0;
    int got;
    while ((got = store_step(store, statement, "read", failure)) > 0) {
        int64_t id;
        if (!column_i64(statement, 0, &id) || id <= last)
            return store_damaged(store->path, "its cells are out of order", failure);
        last = id;
        info->cells++;
    }
    return got;
}

static int count_visits(struct store *store, struct store_info *info, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "SELECT id, state, samples FROM visit ORDER BY id", &statement,
                              failure);
    if (error)
        return error;
    int64_t last = 0;
    int got;
    while ((got = store_step(store, statement, "read", failure)) > 0) {
        int64_t id;
        uint64_t samples;
        enum visit_state state;
        if (!column_i64(statement, 0, &id) || id <= last || !column_state(statement, 1, &state) ||
            !column_u64(statement, 2, &samples))
            return store_damaged(store->path, "its visits hold impossible values", failure);
        last = id;
        info->visits++;
        info->visits_done += state == VISIT_DONE;
        info->samples += samples;
    }
    return got;
}

static int read_entries(struct store *store, struct store_info *info, struct failure *failure)
{
    AUTO_FREE char *seed = NULL;
    const struct {
        const char *key;
        char **value;
        bool optional;
    } entries[] = {
        {"command", &info->command, false},
        {"argv", &info->argv, false},
        {"version", &info->version, false},
        {"fingerprint", &info->fingerprint, false},
        {"started", &info->started, false},
        {"finished", &info->finished, true},
        {"ended", &info->ended, true},
        {"kit", &info->kit, true},
        {"seed", &seed, false},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        int error = store_get_meta(store, entries[i].key, entries[i].value, failure);
        if (error)
            return error;
        if (!*entries[i].value && !entries[i].optional) {
            char what[64];
            snprintf(what, sizeof(what), "table meta has no %s", entries[i].key);
            return store_damaged(store->path, what, failure);
        }
    }
    char *end;
    errno = 0;
    info->seed = strtoull(seed, &end, 10);
    if (errno || *end || seed[0] < '0' || seed[0] > '9')
        return store_damaged(store->path, "the seed is not a number", failure);
    return 0;
}

int store_info(struct store *store, struct store_info *info, struct failure *failure)
{
    *info = (struct store_info){.schema = store->schema};
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (!error)
        error = read_entries(store, info, failure);
    if (!error)
        error = count_cells(store, info, failure);
    if (!error)
        error = count_visits(store, info, failure);
    snapshot_end(store, began);
    if (error)
        store_info_release(info);
    return error;
}

void store_info_release(struct store_info *info)
{
    free(info->command);
    free(info->argv);
    free(info->version);
    free(info->fingerprint);
    free(info->started);
    free(info->finished);
    free(info->ended);
    free(info->kit);
    *info = (struct store_info){0};
}

int store_facts(struct store *store, struct facts *facts, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error =
        store_prepare(store, "SELECT position, key, value, error FROM fact ORDER BY position",
                      &statement, failure);
    int64_t last = 0;
    while (!error) {
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        int64_t position;
        const char *key, *value;
        int32_t absence;
        if (!column_i64(statement, 0, &position) || position <= last ||
            !column_text(statement, 1, &key) || !column_text_or_null(statement, 2, &value) ||
            !column_i32(statement, 3, &absence))
            return store_damaged(store->path, "its facts hold impossible values", failure);
        last = position;
        int result = facts_set(facts, key, value, absence);
        if (result == -ENOMEM)
            error = store_no_memory(store, failure);
        else if (result < 0)
            error = store_damaged(store->path, "a fact cannot be one", failure);
    }
    return error;
}

/* --- Cells, one by one, each with its events, its truth and how its visits fared --- */

/* The first schemas that have them. */
#define TOUR_SCHEMA    3
#define WATCH_SCHEMA   4
#define COMMAND_SCHEMA 5

struct cell_reader {
    struct store *store;
    sqlite3_stmt *cells, *events, *visits;
    sqlite3_stmt *tours, *watches, *commands; /* NULL: an older schema has none */
    struct stored_cell current;
};

/* SQLite's strings belong to the statement: the cell only borrows them for the callback. */
static bool borrow_text(sqlite3_stmt *statement, int column, char **text)
{
    const char *borrowed;
    bool good = column_text(statement, column, &borrowed);
    *text = (char *)(uintptr_t)borrowed;
    return good;
}

/* False when there is something that is no number. */
static bool optional_i64(sqlite3_stmt *row, int column, bool *there, int64_t *value)
{
    *there = sqlite3_column_type(row, column) != SQLITE_NULL;
    return !*there || column_i64(row, column, value);
}

static bool read_factors(sqlite3_stmt *row, struct stored_cell *stored)
{
    struct cell *cell = &stored->cell;
    const char *pattern;
    uint32_t separate;
    bool good = column_u32(row, 0, &cell->id) && column_u32(row, 1, &cell->counters) &&
                borrow_text(row, 2, &cell->path) && column_text(row, 3, &pattern) &&
                borrow_text(row, 4, &cell->specimen) && column_u64(row, 5, &cell->n) &&
                borrow_text(row, 6, &cell->opt) && borrow_text(row, 7, &cell->link) &&
                column_u32(row, 8, &cell->runs) && column_u32(row, 9, &separate) &&
                column_i32(row, 10, &cell->cpu) &&
                optional_i64(row, 11, &stored->has_faults, &stored->faults) &&
                optional_i64(row, 12, &stored->has_switches, &stored->switches);
    if (!good || cell->counters < 1 || cell->counters > CELL_MAX_COUNTERS || separate > 1)
        return false;
    cell->separate = separate == 1;
    int known = pattern_from_name(pattern);
    cell->pattern = known < 0 ? PATTERN_AR : (enum pattern)known;
    return known >= 0;
}

/* What is known of one counter, copied; false when it is no such thing or memory is out. */
static bool read_counter(sqlite3_stmt *row, struct stored_counter *counter)
{
    const char *class, *grade;
    if (!column_text_or_null(row, 2, &class) || !column_text_or_null(row, 4, &grade) ||
        !optional_i64(row, 3, &counter->has_truth, &counter->truth))
        return false;
    counter->class = class ? strdup(class) : NULL;
    counter->grade = grade ? strdup(grade) : NULL;
    return (!class || counter->class) && (!grade || counter->grade);
}

/* Events are copied: the statement gives one row at a time. */
static int read_events(struct cell_reader *reader, struct failure *failure)
{
    struct cell *cell = &reader->current.cell;
    sqlite3_bind_int64(reader->events, 1, cell->id);
    uint32_t counter = 0;
    int got;
    while ((got = store_step(reader->store, reader->events, "read", failure)) > 0) {
        uint32_t number;
        const char *event;
        if (!column_u32(reader->events, 0, &number) || !column_text(reader->events, 1, &event) ||
            number != counter || counter >= cell->counters ||
            !read_counter(reader->events, &reader->current.counters[counter]))
            return store_damaged(reader->store->path, "the events of a cell are out of order",
                                 failure);
        cell->events[counter] = strdup(event);
        if (!cell->events[counter++])
            return store_no_memory(reader->store, failure);
    }
    if (got == 0 && counter != cell->counters)
        return store_damaged(reader->store->path, "a cell lacks events", failure);
    return got;
}

/* Borrows the tour's strings until the statement is reset. */
static int read_tour(struct cell_reader *reader, struct failure *failure)
{
    struct cell *cell = &reader->current.cell;
    struct failure why = {0};
    uint32_t length = 0;
    if (reader->tours) {
        sqlite3_bind_int64(reader->tours, 1, cell->id);
        int got = store_step(reader->store, reader->tours, "read", failure);
        uint32_t cold = 0;
        if (got < 0)
            return got;
        if (got && (!borrow_text(reader->tours, 0, &cell->tour.calls) ||
                    !column_u32(reader->tours, 1, &length) ||
                    !borrow_text(reader->tours, 2, &cell->tour.counted) ||
                    !column_u32(reader->tours, 3, &cell->tour.open) ||
                    !column_u32(reader->tours, 4, &cold) || cold > 1))
            return store_damaged(reader->store->path, "a tour holds impossible values", failure);
        cell->tour.cold = cold == 1;
    }
    int error = cell_check_tour(cell, &why);
    if (error == -EINVAL)
        return store_damaged(reader->store->path, why.text, failure);
    if (!error && length != cell_tour_length(&cell->tour))
        return store_damaged(reader->store->path, "a tour has another length than its calls",
                             failure);
    return error ? store_no_memory(reader->store, failure) : 0;
}

static bool read_flag(sqlite3_stmt *row, int column, bool *flag)
{
    uint32_t number;
    if (!column_u32(row, column, &number) || number > 1)
        return false;
    *flag = number == 1;
    return true;
}

static bool read_watch_columns(sqlite3_stmt *row, struct cell_watch *watch, uint32_t *looks)
{
    const char *kind, *workload;
    if (!column_text(row, 0, &kind) || !column_u32(row, 1, looks) ||
        !column_text_or_null(row, 2, &workload) || !column_u64(row, 3, &watch->length) ||
        !column_u32(row, 4, &watch->threads) || !column_u32(row, 5, &watch->moves) ||
        !read_flag(row, 6, &watch->handover) || !read_flag(row, 7, &watch->awake) ||
        !column_i32(row, 8, &watch->partner))
        return false;
    watch->workload = (char *)(uintptr_t)workload;
    watch->kind = watch_kind_from_name(kind);
    return watch->kind != WATCH_NONE;
}

/* Borrows the workload until the statement is reset. */
static int read_watch(struct cell_reader *reader, struct failure *failure)
{
    struct cell *cell = &reader->current.cell;
    struct failure why = {0};
    uint32_t looks = 0;
    if (reader->watches) {
        sqlite3_bind_int64(reader->watches, 1, cell->id);
        int got = store_step(reader->store, reader->watches, "read", failure);
        if (got < 0)
            return got;
        if (got && !read_watch_columns(reader->watches, &cell->watch, &looks))
            return store_damaged(reader->store->path, "a watch holds impossible values", failure);
    }
    if (cell_check_watch(cell, &why) < 0)
        return store_damaged(reader->store->path, why.text, failure);
    if (cell->watch.kind != WATCH_NONE &&
        looks != watch_group(cell->watch.kind, cell->watch.threads))
        return store_damaged(reader->store->path,
                             "a watch has another number of looks than its kind", failure);
    return 0;
}

static bool borrow_text_or_null(sqlite3_stmt *statement, int column, char **text)
{
    const char *borrowed;
    bool good = column_text_or_null(statement, column, &borrowed);
    *text = (char *)(uintptr_t)borrowed;
    return good;
}

/* Which of the words a column holds; -1: none of them. */
static int read_choice(sqlite3_stmt *row, int column, const char *const *words, int count)
{
    const char *word;
    if (!column_text(row, column, &word))
        return -1;
    while (--count >= 0 && strcmp(words[count], word) != 0)
        ;
    return count;
}

static bool read_command_columns(sqlite3_stmt *row, struct cell_command *command)
{
    const char *setting; /* says to people what controls say */
    const int sweep = read_choice(row, 7, sweep_names, SWEEP_COUNT);
    const int detail = read_choice(row, 10, command_detail_names, DETAIL_COUNT);
    command->sweep = sweep < 0 ? SWEEP_NONE : (enum command_sweep)sweep;
    command->detail = detail < 0 ? DETAIL_NONE : (enum command_detail)detail;
    return sweep >= 0 && detail >= 0 && borrow_text(row, 0, &command->words) &&
           borrow_text(row, 1, &command->name) &&
           borrow_text_or_null(row, 2, &command->directory) &&
           borrow_text_or_null(row, 3, &command->input) &&
           borrow_text_or_null(row, 4, &command->keep) && column_text(row, 5, &setting) &&
           column_u32(row, 6, &command->controls) && column_u64(row, 8, &command->swept) &&
           column_u64(row, 9, &command->timeout) && read_flag(row, 11, &command->shown);
}

/* Borrows its texts until the statement is reset. */
static int read_command(struct cell_reader *reader, struct failure *failure)
{
    struct cell *cell = &reader->current.cell;
    struct failure why = {0};
    if (reader->commands) {
        sqlite3_bind_int64(reader->commands, 1, cell->id);
        int got = store_step(reader->store, reader->commands, "read", failure);
        if (got < 0)
            return got;
        if (got && !read_command_columns(reader->commands, &cell->command))
            return store_damaged(reader->store->path, "a command holds impossible values", failure);
    }
    int error = cell_check_command(cell, &why);
    if (error == -EINVAL)
        return store_damaged(reader->store->path, why.text, failure);
    return error ? store_no_memory(reader->store, failure) : 0;
}

static int read_cell_visits(struct cell_reader *reader, struct failure *failure)
{
    struct stored_cell *stored = &reader->current;
    sqlite3_bind_int64(reader->visits, 1, stored->cell.id);
    int64_t first_failed = INT64_MAX, last_process = -1;
    int got;
    while ((got = store_step(reader->store, reader->visits, "read", failure)) > 0) {
        int64_t id;
        uint32_t process;
        enum visit_state state;
        const char *reason;
        int32_t error;
        if (!column_i64(reader->visits, 0, &id) || !column_u32(reader->visits, 1, &process) ||
            !column_state(reader->visits, 2, &state) || !column_i32(reader->visits, 3, &error) ||
            !column_text_or_null(reader->visits, 4, &reason) || process <= last_process)
            return store_damaged(reader->store->path, "its visits hold impossible values", failure);
        last_process = process;
        stored->processes++;
        stored->done += state == VISIT_DONE;
        if (state == VISIT_DONE && reason && !stored->remark)
            stored->remark = strdup(reason);
        if (state != VISIT_FAILED)
            continue;
        stored->failed++;
        if (id > first_failed)
            continue;
        first_failed = id;
        stored->error = error;
        free(stored->reason);
        stored->reason = reason ? strdup(reason) : NULL;
    }
    return got;
}

static int each_cell(struct cell_reader *reader, store_cell_each *each, void *context,
                     struct failure *failure)
{
    uint32_t last = 0;
    for (;;) {
        int got = store_step(reader->store, reader->cells, "read", failure);
        if (got <= 0)
            return got;
        int error;
        if (!read_factors(reader->cells, &reader->current) || reader->current.cell.id <= last)
            error = store_damaged(reader->store->path, "a cell holds impossible values", failure);
        else {
            error = read_events(reader, failure);
            sqlite3_reset(reader->events);
            if (!error)
                error = read_tour(reader, failure);
            if (!error)
                error = read_watch(reader, failure);
            if (!error)
                error = read_command(reader, failure);
            if (!error)
                error = read_cell_visits(reader, failure);
            sqlite3_reset(reader->visits);
        }
        last = reader->current.cell.id;
        if (!error)
            error = each(context, &reader->current);
        struct stored_cell *stored = &reader->current;
        for (size_t i = 0; i < CELL_MAX_COUNTERS; i++) {
            free(stored->cell.events[i]);
            free(stored->counters[i].class);
            free(stored->counters[i].grade);
        }
        free(stored->reason);
        free(stored->remark);
        *stored = (struct stored_cell){0};
        sqlite3_reset(reader->tours);
        sqlite3_reset(reader->watches);
        sqlite3_reset(reader->commands);
        if (error)
            return error;
    }
}

int store_each_cell(struct store *store, store_cell_each *each, void *context,
                    struct failure *failure)
{
    struct cell_reader reader = {.store = store};
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (!error) {
        const struct {
            int since;
            sqlite3_stmt **statement;
            const char *sql;
        } wanted[] = {
            {1, &reader.cells,
             "SELECT id, counters, path, pattern, specimen, n, opt, link, runs, separate, cpu, "
             "faults, "
             "switches FROM cell ORDER BY id"},
            {1, &reader.events,
             "SELECT counter, event, class, truth, truth_grade FROM counter WHERE cell = ? "
             "ORDER BY counter"},
            {1, &reader.visits,
             "SELECT id, process, state, error, reason FROM visit WHERE cell = ? ORDER BY process"},
            {TOUR_SCHEMA, &reader.tours,
             "SELECT calls, length, counted, open, cold FROM tour WHERE cell = ?"},
            {WATCH_SCHEMA, &reader.watches,
             "SELECT kind, looks, workload, length, threads, moves, handover, awake, partner "
             "FROM watch WHERE cell = ?"},
            {COMMAND_SCHEMA, &reader.commands,
             "SELECT words, name, directory, input, keep, setting, controls, sweep, swept, "
             "timeout, "
             "detail, shown FROM command WHERE cell = ?"},
        };
        error = 0;
        for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && !error; i++)
            if (reader.store->schema >= wanted[i].since)
                error = store_prepare(reader.store, wanted[i].sql, wanted[i].statement, failure);
    }
    if (!error)
        error = each_cell(&reader, each, context, failure);
    sqlite3_finalize(reader.cells);
    sqlite3_finalize(reader.events);
    sqlite3_finalize(reader.visits);
    sqlite3_finalize(reader.tours);
    sqlite3_finalize(reader.watches);
    sqlite3_finalize(reader.commands);
    snapshot_end(store, began);
    return error;
}

/* --- Visits, in planned order: how each fared, and which are still to be made --- */

static bool read_visit(sqlite3_stmt *row, struct stored_visit *visit)
{
    uint64_t last = visit->place;
    return column_u64(row, 0, &visit->place) && visit->place > last &&
           visit->place <= KEY_MAX_VISIT && column_u32(row, 1, &visit->visit.cell) &&
           column_u32(row, 2, &visit->visit.process) && column_state(row, 3, &visit->state) &&
           column_i32(row, 4, &visit->error) && column_text_or_null(row, 5, &visit->reason) &&
           column_u64(row, 6, &visit->samples);
}

int store_each_visit(struct store *store, store_visit_each *each, void *context,
                     struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store,
                              "SELECT id, cell, process, state, error, reason, samples FROM visit "
                              "NOT INDEXED ORDER BY id",
                              &statement, failure);
    struct stored_visit visit = {0};
    while (!error) {
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        if (!read_visit(statement, &visit))
            return store_damaged(store->path, "its visits hold impossible values", failure);
        error = each(context, &visit);
    }
    return error;
}

const char *visit_state_name(enum visit_state state)
{
    return visit_state_names[state];
}

struct visit_list {
    bool pending_only;
    struct visit *visits;
    size_t count;
};

static int add_visit(void *context, const struct stored_visit *visit)
{
    struct visit_list *list = context;
    if (list->pending_only && visit->state != VISIT_PENDING)
        return 0;
    struct visit *added = list_add(&list->visits, &list->count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = visit->visit;
    return 0;
}

int store_visits(struct store *store, bool pending_only, struct visit **visits, size_t *count,
                 struct failure *failure)
{
    struct visit_list list = {.pending_only = pending_only};
    *visits = NULL;
    *count = 0;
    int error = store_each_visit(store, add_visit, &list, failure);
    if (error) {
        free(list.visits);
        return error == -ENOMEM ? store_no_memory(store, failure) : error;
    }
    *visits = list.visits;
    *count = list.count;
    return 0;
}
