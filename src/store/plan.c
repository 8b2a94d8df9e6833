/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan: put into the store before the first sample, and held against another when a run is
 * resumed. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "machine/check.h"
#include "store/handle.h"

/* --- Cells, their events, tours, watches and commands, and the order of visits --- */

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

/* How the cells of a plan are written: into these tables. */
enum { INTO_CELL, INTO_COUNTER, INTO_TOUR, INTO_WATCH, INTO_COMMAND, TABLES };
static const char *const tables[TABLES] = {
    [INTO_CELL] = "INSERT INTO cell(id, counters, path, pattern, specimen, n, opt, link, runs, "
                  "separate, cpu) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INTO_COUNTER] = "INSERT INTO counter(cell, counter, event) VALUES(?, ?, ?)",
    [INTO_TOUR] = "INSERT INTO tour(cell, calls, length, counted, open, cold) "
                  "VALUES(?, ?, ?, ?, ?, ?)",
    [INTO_WATCH] = "INSERT INTO watch(cell, kind, looks, workload, length, threads, moves, "
                   "handover, awake, partner) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INTO_COMMAND] = "INSERT INTO command(cell, words, name, directory, input, keep, setting, "
                     "controls, sweep, swept, timeout, detail, shown) "
                     "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

static int put_bound(struct store *store, sqlite3_stmt *statement, struct failure *failure)
{
    int error = store_step(store, statement, "write the plan to", failure);
    sqlite3_reset(statement);
    return error;
}

static int put_cell(struct store *store, sqlite3_stmt *const *into, const struct cell *cell,
                    struct failure *failure)
{
    const struct cell_tour *tour = &cell->tour;
    const struct cell_watch *watch = &cell->watch;
    const struct cell_command *command = &cell->command;
    int error = check_cell(cell, failure);
    if (error)
        return error;
    BIND(into[INTO_CELL], 1, NUMBER(cell->id), NUMBER(cell->counters), TEXT(cell->path),
         TEXT(pattern_names[cell->pattern]), TEXT(cell->specimen), NUMBER(cell->n), TEXT(cell->opt),
         TEXT(cell->link), NUMBER(cell->runs), NUMBER(cell->separate), NUMBER(cell->cpu));
    error = put_bound(store, into[INTO_CELL], failure);
    for (uint32_t i = 0; !error && i < cell->counters; i++) {
        BIND(into[INTO_COUNTER], 1, NUMBER(cell->id), NUMBER(i), TEXT(cell->events[i]));
        error = put_bound(store, into[INTO_COUNTER], failure);
    }
    if (!error && tour->calls) {
        BIND(into[INTO_TOUR], 1, NUMBER(cell->id), TEXT(tour->calls),
             NUMBER(cell_tour_length(tour)), TEXT(tour->counted), NUMBER(tour->open),
             NUMBER(tour->cold));
        error = put_bound(store, into[INTO_TOUR], failure);
    }
    if (!error && watch->kind != WATCH_NONE) {
        BIND(into[INTO_WATCH], 1, NUMBER(cell->id), TEXT(watch_kind_names[watch->kind]),
             NUMBER(watch_group(watch->kind, watch->threads)), TEXT(watch->workload),
             NUMBER(watch->length), NUMBER(watch->threads), NUMBER(watch->moves),
             NUMBER(watch->handover), NUMBER(watch->awake), NUMBER(watch->partner));
        error = put_bound(store, into[INTO_WATCH], failure);
    }
    if (!error && command->words) {
        char setting[256];
        BIND(into[INTO_COMMAND], 1, NUMBER(cell->id), TEXT(command->words), TEXT(command->name),
             TEXT(command->directory), TEXT(command->input), TEXT(command->keep),
             TEXT(setting_name(command->controls, setting, sizeof(setting))),
             NUMBER(command->controls), TEXT(sweep_names[command->sweep]), NUMBER(command->swept),
             NUMBER(command->timeout), TEXT(command_detail_names[command->detail]),
             NUMBER(command->shown));
        error = put_bound(store, into[INTO_COMMAND], failure);
    }
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
        BIND(statement, 1, NUMBER(++id), NUMBER(visits[i].process), NUMBER(visits[i].cell));
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
    if (!error) {
        sqlite3_stmt *statements[TABLES] = {NULL};
        for (size_t table = 0; table < TABLES && !error; table++)
            error = store_prepare(store, tables[table], &statements[table], &local);
        for (size_t i = 0; !error && i < cell_count; i++)
            error = put_cell(store, statements, &cells[i], &local);
        for (size_t table = 0; table < TABLES; table++)
            sqlite3_finalize(statements[table]);
    }
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

/* Changes what is known of one cell or counter: a row that is there. */
static int update(struct store *store, const char *sql, const struct bound *values, size_t count,
                  const char *doing, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    error = store_prepare(store, sql, &statement, &local);
    if (!error) {
        bind_all(statement, 1, values, count);
        error = store_step(store, statement, doing, &local);
    }
    return error ? store_write_failed(store, &local, failure) : 0;
}

int store_put_truth(struct store *store, uint32_t cell, uint32_t counter, const char *class,
                    int64_t truth, const char *grade, struct failure *failure)
{
    const struct bound values[] = {TEXT(class),
                                   {.number = truth, .is_number = grade != NULL},
                                   TEXT(grade),
                                   NUMBER(cell),
                                   NUMBER(counter)};
    int error = update(store,
                       "UPDATE counter SET class = ?, truth = ?, truth_grade = ? "
                       "WHERE cell = ? AND counter = ?",
                       values, sizeof(values) / sizeof(*values), "write the truth to", failure);
    if (!error && sqlite3_changes(store->db) != 1)
        return fail_with(failure, -ENOENT,
                         "the store %s has no counter %" PRIu32 " of a cell %" PRIu32, store->path,
                         counter, cell);
    return error;
}

int store_put_account(struct store *store, uint32_t cell, const int64_t *faults,
                      const int64_t *switches, struct failure *failure)
{
    const struct bound values[] = {{.number = faults ? *faults : 0, .is_number = faults != NULL},
                                   {.number = switches ? *switches : 0, .is_number = switches},
                                   NUMBER(cell)};
    int error = update(store, "UPDATE cell SET faults = ?, switches = ? WHERE id = ?", values,
                       sizeof(values) / sizeof(*values), "write the account to", failure);
    if (!error && sqlite3_changes(store->db) != 1)
        return fail_with(failure, -ENOENT, "the store %s has no cell %" PRIu32, store->path, cell);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Is it the same plan? Asked when a run is resumed: the first thing that differs is named, so that
 * the user can put it right. */

struct factor {
    const char *name;
    enum { FACTOR_TEXT, FACTOR_U32, FACTOR_U64, FACTOR_I32, FACTOR_BOOL, FACTOR_PATTERN } type;
    size_t offset;
};

static const struct factor factors[] = {
    {"path", FACTOR_TEXT, offsetof(struct cell, path)},
    {"pattern", FACTOR_PATTERN, offsetof(struct cell, pattern)},
    {"specimen", FACTOR_TEXT, offsetof(struct cell, specimen)},
    {"n", FACTOR_U64, offsetof(struct cell, n)},
    {"opt", FACTOR_TEXT, offsetof(struct cell, opt)},
    {"link", FACTOR_TEXT, offsetof(struct cell, link)},
    {"runs", FACTOR_U32, offsetof(struct cell, runs)},
    {"separate", FACTOR_BOOL, offsetof(struct cell, separate)},
    {"cpu", FACTOR_I32, offsetof(struct cell, cpu)},
    {"counters", FACTOR_U32, offsetof(struct cell, counters)},
};

static void factor_text(const struct factor *factor, const struct cell *cell, char *text,
                        size_t size)
{
    const void *member = (const char *)cell + factor->offset;
    switch (factor->type) {
    case FACTOR_TEXT:
        snprintf(text, size, "%s", *(char *const *)member ? *(char *const *)member : "none");
        break;
    case FACTOR_U32:
        snprintf(text, size, "%" PRIu32, *(const uint32_t *)member);
        break;
    case FACTOR_U64:
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)member);
        break;
    case FACTOR_I32:
        snprintf(text, size, "%" PRId32, *(const int32_t *)member);
        break;
    case FACTOR_BOOL:
        snprintf(text, size, "%s", *(const bool *)member ? "yes" : "no");
        break;
    case FACTOR_PATTERN:
        snprintf(text, size, "%s", pattern_names[*(const enum pattern *)member]);
        break;
    }
}

struct comparison {
    const struct cell *cells;
    size_t count, seen;
    const char *path;
    struct failure *failure;
};

static int differs(const struct comparison *comparison, const char *what, const char *was,
                   const char *became)
{
    return fail_with(comparison->failure, -ESTALE,
                     "the store %s holds another plan: %s %s became %s. Resume with the options it "
                     "was started with, or start a new store.",
                     comparison->path, what, was, became);
}

/* Calls are too many to be told: it is said which one is another. */
static int compare_calls(const struct comparison *comparison, uint32_t cell, const char *was,
                         const char *now)
{
    for (size_t call = 1;; call++) {
        const int was_length = (int)strcspn(was, ","), now_length = (int)strcspn(now, ",");
        if (was_length != now_length || memcmp(was, now, (size_t)was_length) != 0) {
            char what[64], texts[2][96];
            snprintf(what, sizeof(what), "call %zu of the tour of cell %" PRIu32 ":", call, cell);
            snprintf(texts[0], sizeof(texts[0]), "%.*s", was_length, was);
            snprintf(texts[1], sizeof(texts[1]), "%.*s", now_length, now);
            return differs(comparison, what, was_length ? texts[0] : "none",
                           now_length ? texts[1] : "none");
        }
        if (!was[was_length] && !now[now_length])
            return 0;
        was += was_length + (was[was_length] == ',');
        now += now_length + (now[now_length] == ',');
    }
}

static int compare_tours(const struct comparison *comparison, const struct cell *was,
                         const struct cell *now)
{
    const struct cell_tour *before = &was->tour, *after = &now->tour;
    if (!before->calls && !after->calls)
        return 0;
    if (!before->calls || !after->calls)
        return differs(comparison, "a cell", before->calls ? "with a tour" : "without a tour",
                       after->calls ? "one with a tour" : "one without");
    if (strcmp(before->counted, after->counted) != 0)
        return differs(comparison, "the event counted by a tour:", before->counted, after->counted);
    if (before->open != after->open) {
        char counts[2][16];
        snprintf(counts[0], sizeof(counts[0]), "%" PRIu32, before->open);
        snprintf(counts[1], sizeof(counts[1]), "%" PRIu32, after->open);
        return differs(comparison, "open counters of a tour:", counts[0], counts[1]);
    }
    if (before->cold != after->cold)
        return differs(comparison, "a tour that was", before->cold ? "cold" : "warm",
                       after->cold ? "cold" : "warm");
    return compare_calls(comparison, was->id, before->calls, after->calls);
}

static const struct factor watch_factors[] = {
    {"workload of a watch:", FACTOR_TEXT, offsetof(struct cell, watch.workload)},
    {"length of a watch:", FACTOR_U64, offsetof(struct cell, watch.length)},
    {"threads of a watch:", FACTOR_U32, offsetof(struct cell, watch.threads)},
    {"moves of a watch:", FACTOR_U32, offsetof(struct cell, watch.moves)},
    {"handover of a watch:", FACTOR_BOOL, offsetof(struct cell, watch.handover)},
    {"awake CPUs during a watch:", FACTOR_BOOL, offsetof(struct cell, watch.awake)},
    {"partner of a watch:", FACTOR_I32, offsetof(struct cell, watch.partner)},
};

static const struct factor command_factors[] = {
    {"command", FACTOR_TEXT, offsetof(struct cell, command.words)},
    {"name of a command:", FACTOR_TEXT, offsetof(struct cell, command.name)},
    {"directory of a command:", FACTOR_TEXT, offsetof(struct cell, command.directory)},
    {"input of a command:", FACTOR_TEXT, offsetof(struct cell, command.input)},
    {"variables that a command keeps:", FACTOR_TEXT, offsetof(struct cell, command.keep)},
    {"step of a sweep:", FACTOR_U64, offsetof(struct cell, command.swept)},
    {"ms for a command:", FACTOR_U64, offsetof(struct cell, command.timeout)},
    {"output of a command shown:", FACTOR_BOOL, offsetof(struct cell, command.shown)},
};

static int compare_factors(const struct comparison *comparison, const struct factor *list,
                           size_t count, const struct cell *was, const struct cell *now)
{
    for (size_t i = 0; i < count; i++) {
        char before[256], after[256];
        factor_text(&list[i], was, before, sizeof(before));
        factor_text(&list[i], now, after, sizeof(after));
        if (strcmp(before, after) != 0)
            return differs(comparison, list[i].name, before, after);
    }
    return 0;
}

static int compare_watches(const struct comparison *comparison, const struct cell *was,
                           const struct cell *now)
{
    if (cell_same_watch(was, now))
        return 0;
    const char *before = watch_kind_names[was->watch.kind],
               *after = watch_kind_names[now->watch.kind];
    if (was->watch.kind != now->watch.kind)
        return differs(comparison, "kind of a watch:", *before ? before : "none",
                       *after ? after : "none");
    return compare_factors(comparison, watch_factors,
                           sizeof(watch_factors) / sizeof(watch_factors[0]), was, now);
}

/* Words can be longer than a sentence: the ends of long ones are left out, and may be what differs.
 */
static int compare_commands(const struct comparison *comparison, const struct cell *was,
                            const struct cell *now)
{
    const struct cell_command *before = &was->command, *after = &now->command;
    char settings[2][256];
    if (cell_same_command(was, now))
        return 0;
    if (!before->words || !after->words)
        return differs(comparison, "a cell", before->words ? "with a command" : "without a command",
                       after->words ? "one with a command" : "one without");
    int error = compare_factors(comparison, command_factors,
                                sizeof(command_factors) / sizeof(command_factors[0]), was, now);
    if (!error && before->controls != after->controls)
        error = differs(comparison, "setting of a command:",
                        setting_name(before->controls, settings[0], sizeof(settings[0])),
                        setting_name(after->controls, settings[1], sizeof(settings[1])));
    if (!error && before->sweep != after->sweep)
        error = differs(comparison,
                        "sweep of a command:", before->sweep ? sweep_names[before->sweep] : "none",
                        after->sweep ? sweep_names[after->sweep] : "none");
    if (!error && before->detail != after->detail)
        error = differs(comparison, "detail of a command:",
                        before->detail ? command_detail_names[before->detail] : "none",
                        after->detail ? command_detail_names[after->detail] : "none");
    return error ? error : differs(comparison, "the end of a long command:", "one", "another");
}

static int compare_cell(void *context, const struct stored_cell *stored)
{
    struct comparison *comparison = context;
    if (comparison->seen >= comparison->count)
        return comparison->seen++, 0;
    const struct cell *was = &stored->cell, *now = &comparison->cells[comparison->seen++];
    char cell_was[16], cell_now[16];
    snprintf(cell_was, sizeof(cell_was), "%" PRIu32, was->id);
    snprintf(cell_now, sizeof(cell_now), "%" PRIu32, now->id);
    if (was->id != now->id)
        return differs(comparison, "cell", cell_was, cell_now);
    for (uint32_t i = 0; i < was->counters && i < now->counters; i++)
        if (strcmp(was->events[i], now->events[i]) != 0)
            return differs(comparison, "event", was->events[i], now->events[i]);
    int error =
        compare_factors(comparison, factors, sizeof(factors) / sizeof(factors[0]), was, now);
    if (!error)
        error = compare_tours(comparison, was, now);
    if (!error)
        error = compare_watches(comparison, was, now);
    return error ? error : compare_commands(comparison, was, now);
}

static int compare_run(struct store *store, struct comparison *comparison,
                       const struct store_info *info, const struct store_run *run)
{
    if (strcmp(info->command, run->command) != 0)
        return differs(comparison, "command", info->command, run->command);
    if (strcmp(info->fingerprint, run->fingerprint) != 0) {
        /* Names what differs, as far as the store's facts tell; else only that something does. */
        AUTO_FACTS struct facts then = {0};
        char difference[400];
        int error = store_facts(store, &then, comparison->failure);
        if (error)
            return error;
        if (!machine_difference(&then, run->facts, difference, sizeof(difference)))
            snprintf(difference, sizeof(difference), "fingerprint %s became %s", info->fingerprint,
                     run->fingerprint);
        return fail_with(
            comparison->failure, -ESTALE,
            "the store %.300s was started on another machine, or on this one before an "
            "update: %s. Its samples and new ones do not belong together: start a new "
            "store.",
            store->path, difference);
    }
    if (info->kit && run->kit && strcmp(info->kit, run->kit) != 0)
        return fail_with(comparison->failure, -ESTALE,
                         "the store %s was started with another build of the probe's kit: %s "
                         "became %s. Counts depend on the code around the window, so its samples "
                         "and new ones do not belong together: start a new store.",
                         comparison->path, info->kit, run->kit);
    if (info->seed != run->seed) {
        char was[32], now[32];
        snprintf(was, sizeof(was), "%" PRIu64, info->seed);
        snprintf(now, sizeof(now), "%" PRIu64, run->seed);
        return differs(comparison, "seed", was, now);
    }
    return 0;
}

int store_same_plan(struct store *store, const struct store_run *run, const struct cell *cells,
                    size_t cell_count, struct failure *failure)
{
    struct comparison comparison = {cells, cell_count, 0, store->path, failure};
    struct store_info info;
    int error = store_info(store, &info, failure);
    if (error)
        return error;
    error = compare_run(store, &comparison, &info, run);
    store_info_release(&info);
    if (!error)
        error = store_each_cell(store, compare_cell, &comparison, failure);
    if (!error && comparison.seen != cell_count) {
        char was[32], now[32];
        snprintf(was, sizeof(was), "%zu", comparison.seen);
        snprintf(now, sizeof(now), "%zu", cell_count);
        error = differs(&comparison, "number of cells", was, now);
    }
    return error;
}
