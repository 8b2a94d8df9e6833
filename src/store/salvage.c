/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is left of a damaged store, as a store. What says what was measured (cells, truths, facts)
 * must be what was written, or nothing of the rest means anything; of the processes those are kept
 * whose samples are. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/list.h"
#include "store/handle.h"

struct salvaging {
    struct store *source;
    struct store target;
    const char *name; /* of the source */
    const struct salvage *salvage;
    bool visits_hold;   /* table visit is what was written; else its index must agree */
    bool details_lost;  /* what was executed and called cannot be told */
    uint64_t all, lost; /* visits */
};

/* ----------------------------------------------------------------------------------------------
 * The visits of a damaged store, one by one. Each is recorded twice, in its table and in the index
 * of that; where nothing else vouches for the table, the two must agree. Its samples have a
 * checksum of their own. */

#define BY_INDEX "visit INDEXED BY sqlite_autoindex_visit_1"

/* A visit that is heard of, by its table or its index. */
struct known {
    int64_t id;
    bool indexed;
    struct visit visit; /* by the index */
};
struct known_list {
    struct known *list;
    size_t count;
};

struct reading {
    struct salvaging *salvaging;
    sqlite3_stmt *row, *put, *put_sample, *has_detail;
    int64_t id; /* being copied */
    struct failure *failure;
};

/* --- which there are --- */

static bool add(struct known_list *known, struct known one)
{
    struct known *added = list_add(&known->list, &known->count, sizeof(*added));
    if (added)
        *added = one;
    return added;
}

static int compare(const struct known *one, const struct known *other)
{
    if (!one->indexed)
        return one->id < other->id ? -1 : one->id > other->id;
    if (one->visit.cell != other->visit.cell)
        return one->visit.cell < other->visit.cell ? -1 : 1;
    return one->visit.process < other->visit.process ? -1
                                                     : one->visit.process > other->visit.process;
}

static bool read_known(sqlite3_stmt *row, struct known *one)
{
    return column_i64(row, 0, &one->id) && one->id >= 1 && one->id <= KEY_MAX_VISIT &&
           (!one->indexed ||
            (column_u32(row, 1, &one->visit.cell) && column_u32(row, 2, &one->visit.process)));
}

/* As far as rows can be read and are in order, up (1) or down (-1): that ends the reading of pages
 * that refer to each other. False: out of memory. */
static bool hear(struct store *store, const char *query, bool indexed, int direction,
                 struct known_list *known)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    struct known last = {0}, one = {.indexed = indexed};
    if (store_prepare(store, query, &rows, NULL) < 0)
        return true;
    for (bool first = true; sqlite3_step(rows) == SQLITE_ROW; first = false) {
        if (!read_known(rows, &one) || (!first && compare(&one, &last) != direction))
            break;
        last = one;
        if (!add(known, one))
            return false;
    }
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct known *one = a, *other = b;
    if (one->id != other->id)
        return one->id < other->id ? -1 : 1;
    return (int)other->indexed - (int)one->indexed; /* the one that says more first */
}

static int hear_of_all(struct salvaging *salvaging, struct known_list *known,
                       struct failure *failure)
{
    struct store *source = salvaging->source;
    static const struct {
        const char *query;
        bool indexed;
        int direction;
    } ways[] = {
        {"SELECT id FROM visit NOT INDEXED ORDER BY id", false, 1},
        {"SELECT id FROM visit NOT INDEXED ORDER BY id DESC", false, -1},
        {"SELECT id, cell, process FROM " BY_INDEX " ORDER BY cell, process", true, 1},
        {"SELECT id, cell, process FROM " BY_INDEX " ORDER BY cell DESC, process DESC", true, -1},
    };
    const size_t count = salvaging->visits_hold ? 1 : sizeof(ways) / sizeof(ways[0]);
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = hear(source, ways[i].query, ways[i].indexed, ways[i].direction, known);
    if (!good)
        return store_no_memory(source, failure);
    if (known->count)
        qsort(known->list, known->count, sizeof(*known->list), by_id);
    return 0;
}

/* --- one of them --- */

struct visit_entry {
    struct visit_row row;
    enum visit_state state;
    int32_t error;
    const char *reason; /* valid until the statement is reset */
};

/* What its table says; false: nothing that could be right. */
static bool read_entry(struct reading *reading, int64_t id, struct visit_entry *entry)
{
    sqlite3_stmt *row = reading->row;
    sqlite3_bind_int64(row, 1, id);
    return sqlite3_step(row) == SQLITE_ROW && column_i64(row, 0, &entry->row.id) &&
           entry->row.id == id && column_u32(row, 1, &entry->row.visit.cell) &&
           column_u32(row, 2, &entry->row.visit.process) && entry->row.visit.cell > 0 &&
           column_state(row, 3, &entry->state) && column_i32(row, 4, &entry->error) &&
           column_text_or_null(row, 5, &entry->reason) && column_u64(row, 6, &entry->row.samples) &&
           column_u64(row, 7, &entry->row.checksum);
}

/* -EEXIST: another one is there in its place, or it has no cell. */
static int put_entry(struct reading *reading, const struct visit_entry *entry,
                     struct failure *failure)
{
    struct store *target = &reading->salvaging->target;
    sqlite3_stmt *put = reading->put;
    BIND(put, 1, NUMBER(entry->row.id), NUMBER(entry->row.visit.cell),
         NUMBER(entry->row.visit.process), TEXT(visit_state_names[entry->state]),
         NUMBER(entry->error), TEXT(entry->reason), NUMBER(entry->row.samples),
         NUMBER(entry->row.checksum));
    int got = store_step(target, put, "write to", failure);
    sqlite3_reset(put);
    return got < 0 ? got : (sqlite3_changes(target->db) == 1 ? 0 : -EEXIST);
}

static int put_sample(void *context, const struct sample *sample)
{
    struct reading *reading = context;
    sqlite3_bind_int64(reading->put_sample, 1,
                       reading->id << KEY_VISIT_SHIFT | (int64_t)sample->run << KEY_COUNTER_BITS |
                           sample->counter);
    bind_stored(reading->put_sample, 2, sample);
    int error = store_step(&reading->salvaging->target, reading->put_sample, "write samples to",
                           reading->failure);
    sqlite3_reset(reading->put_sample);
    return error;
}

static int ignore(void *context, const struct sample *sample)
{
    (void)context;
    (void)sample;
    return 0;
}

/* Does the cell promise details that are lost? */
static bool lacks_details(struct reading *reading, uint32_t cell)
{
    if (!reading->has_detail)
        return false;
    sqlite3_bind_int64(reading->has_detail, 1, cell);
    bool has = sqlite3_step(reading->has_detail) == SQLITE_ROW;
    sqlite3_reset(reading->has_detail);
    return has;
}

static void tell(const struct reading *reading, const struct visit *visit, int64_t id,
                 const char *why)
{
    struct salvaging *salvaging = reading->salvaging;
    char text[300];
    salvaging->lost++;
    if (!salvaging->salvage->left_out)
        return;
    if (visit)
        snprintf(text, sizeof(text), "process %" PRIu32 " of cell %" PRIu32 ": %s", visit->process,
                 visit->cell, why);
    else
        snprintf(text, sizeof(text), "process %" PRId64 " in the planned order: %s", id, why);
    salvaging->salvage->left_out(salvaging->salvage->context, salvaging->name, text);
}

/* Of a visit that is lost its place in the plan stays, where it is known. */
static int put_lost(struct reading *reading, int64_t id, const struct visit *visit, const char *why,
                    struct failure *failure)
{
    AUTO_TEXT struct text reason = {0};
    text_printf(&reason, "lost with a damaged store: %s", why);
    struct visit_entry entry = {
        .row = {.id = id}, .state = VISIT_FAILED, .error = EBADMSG, .reason = text_string(&reason)};
    if (visit)
        entry.row.visit = *visit;
    int error = visit ? put_entry(reading, &entry, failure) : -EEXIST;
    tell(reading, error ? NULL : visit, id, why);
    return error == -EEXIST ? 0 : error;
}

static int save_visit(struct reading *reading, const struct known *known, struct failure *failure)
{
    struct visit_entry entry = {0};
    struct failure why = {0};
    const struct salvaging *salvaging = reading->salvaging;
    const struct visit *told = known->indexed ? &known->visit : NULL;
    bool read = read_entry(reading, known->id, &entry);
    bool agrees =
        told && told->cell == entry.row.visit.cell && told->process == entry.row.visit.process;
    if (!read || !(agrees || salvaging->visits_hold))
        return put_lost(reading, known->id, told, "its own record is damaged", failure);
    int error = samples_of_visit(salvaging->source, &entry.row, ignore, NULL, &why);
    if (error == -ENOMEM || error == -EINTR)
        return fail_with(failure, error, "%s", why.text);
    if (error)
        return put_lost(reading, known->id, &entry.row.visit, "its samples are damaged", failure);
    if (entry.state == VISIT_DONE && lacks_details(reading, entry.row.visit.cell))
        return put_lost(reading, known->id, &entry.row.visit, "what it executed is damaged",
                        failure);
    error = put_entry(reading, &entry, failure);
    reading->id = entry.row.id;
    reading->failure = failure;
    if (error == -EEXIST) {
        tell(reading, NULL, entry.row.id, "another one is in its place");
        return 0;
    }
    return error ? error
                 : samples_of_visit(reading->salvaging->source, &entry.row, put_sample, reading,
                                    failure);
}

/* Writes every visit of the source with its samples, or as a failed one. */
static int salvage_visits(struct salvaging *salvaging, struct failure *failure)
{
    struct known_list known = {0};
    struct reading reading = {.salvaging = salvaging};
    int error = hear_of_all(salvaging, &known, failure);
    if (!error) {
        struct store *source = reading.salvaging->source, *target = &reading.salvaging->target;
        error = store_prepare(source,
                              "SELECT id, cell, process, state, error, reason, samples, checksum "
                              "FROM visit NOT INDEXED WHERE id = ?",
                              &reading.row, failure);
        if (!error)
            error =
                store_prepare(target,
                              "INSERT OR IGNORE INTO visit(id, cell, process, state, error, "
                              "reason, samples, checksum) SELECT ?1, id, ?3, ?4, ?5, ?6, ?7, ?8 "
                              "FROM cell WHERE id = ?2",
                              &reading.put, failure);
        if (!error)
            error =
                store_prepare(target, "INSERT INTO sample_packed VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                              &reading.put_sample, failure);
        if (!error && reading.salvaging->details_lost)
            error = store_prepare(target, "SELECT 1 FROM command WHERE cell = ? AND detail <> ''",
                                  &reading.has_detail, failure);
    }
    for (size_t i = 0; i < known.count && !error; i++) {
        if (i && known.list[i].id == known.list[i - 1].id)
            continue;
        salvaging->all++;
        error = save_visit(&reading, &known.list[i], failure);
        sqlite3_reset(reading.row);
    }
    sqlite3_finalize(reading.row);
    sqlite3_finalize(reading.put);
    sqlite3_finalize(reading.put_sample);
    sqlite3_finalize(reading.has_detail);
    free(known.list);
    return error;
}

/* --- The tables, and the whole --- */

static bool is_detail(const char *table)
{
    return strcmp(table, "executed") == 0 || strcmp(table, "system_call") == 0;
}

int salvage_refuse(const char *name, const char *part, const struct failure *why,
                   struct failure *failure)
{
    char what[200];
    store_damage(why, what, sizeof(what));
    return fail_with(failure, -EBADMSG,
                     "nothing of %.300s can be relied on: %s%s%s. Take a copy that you trust, or "
                     "look at what is left with: sqlite3 FILE .recover",
                     name, part, what[0] ? ": " : "", what);
}

static int too_much(const struct salvaging *salvaging, const char *table, const struct failure *why,
                    struct failure *failure)
{
    char part[80];
    snprintf(part, sizeof(part), "its table %s is damaged", table);
    return salvage_refuse(salvaging->name, part, why, failure);
}

/* A finished store of today says of each table what it should be. */
static int check_by_table(struct salvaging *salvaging, struct failure *failure)
{
    struct store *source = salvaging->source;
    for (const struct checked_table *table = checked_tables; table->name; table++) {
        struct failure why = {0};
        if (table->since > source->schema)
            continue;
        int answer = checksum_holds(source, table, &why);
        if (answer == -EINTR)
            return fail_with(failure, answer, "%s", why.text);
        bool holds = answer == 1;
        if (strcmp(table->name, "visit") == 0)
            salvaging->visits_hold = holds;
        else if (!holds && is_detail(table->name))
            salvaging->details_lost = true;
        else if (!holds)
            return too_much(salvaging, table->name, &why, failure);
    }
    return 0;
}

static int check_tables(struct salvaging *salvaging, struct failure *failure)
{
    struct store *source = salvaging->source;
    AUTO_FREE char *sums = NULL;
    int error = store_get_meta(source, "checksums", &sums, failure);
    if (error || !source->finished || sums)
        return error || !source->finished ? error : check_by_table(salvaging, failure);
    /* An older one has one checksum for all of them. */
    error = checksum_verify(source, failure);
    salvaging->visits_hold = error == 0;
    return error;
}

static int copy_tables(struct salvaging *salvaging, struct failure *failure)
{
    for (const struct checked_table *table = checked_tables; table->name; table++) {
        struct failure why = {0};
        if (table->since > salvaging->source->schema || strcmp(table->name, "visit") == 0 ||
            (is_detail(table->name) && salvaging->details_lost))
            continue;
        int error = copy_table(salvaging->source, &salvaging->target, table->name, 0, &why);
        if (error == -EBADMSG)
            return too_much(salvaging, table->name, &why, failure);
        if (error)
            return fail_with(failure, error, "%s", why.text);
    }
    return 0;
}

/* The rest says of itself that it is one. */
static int seal(struct salvaging *salvaging, struct failure *failure)
{
    struct store *target = &salvaging->target;
    char what[100];
    snprintf(what, sizeof(what), "%" PRIu64 " of %" PRIu64 " processes were damaged and left out",
             salvaging->lost, salvaging->all);
    int error = store_put_meta(target, "salvaged", what, failure);
    if (!error)
        error = store_execute(target, "DELETE FROM meta WHERE key IN ('checksum', 'checksums')",
                              "write to", failure);
    if (!error && salvaging->source->finished)
        error = checksum_put(target, failure);
    return error;
}

static int begin_target(struct salvaging *salvaging, const char *to, struct failure *failure)
{
    struct store *target = &salvaging->target;
    int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_with(failure, -errno, "cannot make %.300s: %s", to, strerror(errno));
    close(fd);
    int error = connect_new(target, failure);
    if (!error)
        error = store_execute(target, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF",
                              "write to", failure);
    if (!error)
        error = schema_create_as(target, salvaging->source->schema, failure);
    return error ? error : store_execute(target, "BEGIN IMMEDIATE", "write to", failure);
}

int store_salvage(const char *from, const char *to, const struct salvage *salvage,
                  const volatile int *stop, struct failure *failure)
{
    struct salvaging salvaging = {.name = from, .salvage = salvage};
    salvaging.target.path = salvaging.target.file = strdup(to);
    salvaging.target.stop = stop;
    if (!salvaging.target.path)
        return fail_with(failure, -ENOMEM, "out of memory");
    bool began = false;
    int error = store_open_damaged(&salvaging.source, from, false, failure);
    if (!error) {
        salvaging.source->stop = stop;
        connect_limit(salvaging.source, 8);
        error = snapshot_begin(salvaging.source, &began, failure);
    }
    if (!error) {
        /* Visits in a collection have no second record to hold against. */
        struct failure none = {0};
        error = check_tables(&salvaging, failure);
        if (!error && salvaging.source->content && !salvaging.source->finished) {
            error = checksum_verify(salvaging.source, failure);
            salvaging.visits_hold = error == 0;
        }
        if (!error && salvaging.source->collection && !salvaging.visits_hold)
            error = too_much(&salvaging, "visit", &none, failure);
        if (!error)
            error = begin_target(&salvaging, to, failure);
        if (!error)
            error = copy_tables(&salvaging, failure);
        if (!error)
            error = salvage_visits(&salvaging, failure);
        if (!error)
            error = seal(&salvaging, failure);
        if (!error)
            error = store_execute(&salvaging.target, "COMMIT", "write to", failure);
    }
    if (salvaging.source)
        snapshot_end(salvaging.source, began);
    store_close(salvaging.source);
    sqlite3_close(salvaging.target.db);
    free(salvaging.target.path);
    return error;
}
