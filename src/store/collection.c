/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collections: which runs a file holds, one of them opened as the store that it was, and a new file
 * made of many. */

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/list.h"
#include "store/handle.h"

/* --- Runs in one file: which there are, and one of them opened as the store that it was --- */

/* --- the checksum of the collection's own tables --- */

static int index_checksum(struct store *store, char text[17], struct failure *failure)
{
    uint64_t sum = 0;
    int error = checksum_add_rows(
        store, "SELECT * FROM collection WHERE key <> 'checksum' ORDER BY key", &sum, failure);
    sum = checksum_word(sum, 1);
    if (!error)
        error = checksum_add_rows(store, "SELECT * FROM store ORDER BY number", &sum, failure);
    checksum_text(sum, text);
    return error;
}

static int verify_index(struct store *store, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    char text[17];
    int error = index_checksum(store, text, failure);
    if (!error)
        error = store_prepare(store, "SELECT value FROM collection WHERE key = 'checksum'",
                              &statement, failure);
    int got = error ? error : store_step(store, statement, "read", failure);
    const char *stored;
    if (got < 0)
        return got;
    if (got && column_text(statement, 0, &stored) && strcmp(stored, text) == 0)
        return 0;
    return store_damaged(store->file, "its list of runs was changed (table store)", failure);
}

/* --- which runs there are --- */

static char *meta_of(sqlite3_stmt *statement, int64_t number, const char *key)
{
    const char *value = NULL;
    char *copy = NULL;
    BIND(statement, 1, NUMBER(number), TEXT(key));
    if (sqlite3_step(statement) == SQLITE_ROW && column_text(statement, 0, &value))
        copy = strdup(value);
    sqlite3_reset(statement);
    return copy;
}

static int take_row(struct store *store, sqlite3_stmt *numbers, sqlite3_stmt *meta,
                    struct run_list *runs, struct failure *failure)
{
    struct listed_run *run = list_add(&runs->list, &runs->count, sizeof(*run));
    if (!run)
        return store_no_memory(store, failure);
    uint32_t number;
    if (!column_u32(numbers, 0, &number) || number < 1)
        return store_damaged(store->file, "a run has an impossible number", failure);
    run->number = number;
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s#%u", store->file, run->number);
    run->name = text_take(&name);
    run->command = meta_of(meta, number, "command");
    run->argv = meta_of(meta, number, "argv");
    run->fingerprint = meta_of(meta, number, "fingerprint");
    run->started = meta_of(meta, number, "started");
    run->finished = meta_of(meta, number, "finished");
    run->ended = meta_of(meta, number, "ended");
    if (!run->name)
        return store_no_memory(store, failure);
    if (run->command && run->argv && run->fingerprint && run->started)
        return 0;
    return store_damaged(run->name, "table meta does not say what it is", failure);
}

static int list_runs(struct store *store, struct run_list *runs, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *numbers = NULL, *meta = NULL;
    int error = store_prepare(store, "SELECT number FROM store ORDER BY number", &numbers, failure);
    if (!error)
        error = store_prepare(store, "SELECT value FROM main.meta WHERE store = ? AND key = ?",
                              &meta, failure);
    while (!error) {
        int got = store_step(store, numbers, "read", failure);
        if (got <= 0)
            return got;
        error = take_row(store, numbers, meta, runs, failure);
    }
    return error;
}

/* --- one of them --- */

static int refuse_choice(struct store *store, const struct run_list *runs, struct failure *failure)
{
    AUTO_TEXT struct text list = {0};
    run_list_describe(runs, &list);
    if (store->numbered)
        return fail_with(failure, -ENOENT, "the collection %.200s has no run %u. It has: %s.",
                         store->file, store->number, text_string(&list));
    return fail_with(failure, -EINVAL,
                     "the collection %.200s holds %zu runs: name one of them, as in %.200s#1. %s.",
                     store->file, runs->count, store->file, text_string(&list));
}

static int choose(struct store *store, const struct run_list *runs, struct failure *failure)
{
    size_t chosen = 0;
    while (store->numbered && chosen < runs->count && runs->list[chosen].number != store->number)
        chosen++;
    if (store->numbered ? chosen == runs->count : runs->count != 1)
        return refuse_choice(store, runs, failure);
    char *path = strdup(runs->list[chosen].name);
    if (!path)
        return store_no_memory(store, failure);
    free(store->path);
    store->path = path;
    store->number = runs->list[chosen].number;
    return 0;
}

int collection_enter(struct store *store, struct failure *failure)
{
    struct run_list runs = {0};
    int error = verify_index(store, failure);
    if (error || (store->listing && !store->numbered))
        return error;
    error = list_runs(store, &runs, failure);
    if (!error)
        error = choose(store, &runs, failure);
    run_list_release(&runs);
    if (error)
        return error;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    const int of_file = store->schema;
    error = store_prepare(store, "SELECT schema, content FROM store WHERE number = ?", &statement,
                          failure);
    if (error)
        return error;
    sqlite3_bind_int64(statement, 1, store->number);
    int got = store_step(store, statement, "read", failure);
    const char *content;
    int32_t schema;
    if (got < 0)
        return got;
    if (!got || !column_i32(statement, 0, &schema) || !column_text(statement, 1, &content) ||
        schema < 1 || schema > of_file)
        return store_damaged(store->path, "its entry in table store is impossible", failure);
    store->schema = schema;
    store->content = strdup(content);
    if (!store->content)
        return store_no_memory(store, failure);
    return collection_show(store, of_file, store->number, failure);
}

/* --- for everybody --- */

static int take_only(struct store *store, struct run_list *runs, struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    runs->list = error < 0 ? NULL : calloc(1, sizeof(*runs->list));
    if (!runs->list) {
        store_info_release(&info);
        return error < 0 ? error : fail_with(failure, -ENOMEM, "out of memory");
    }
    runs->count = 1;
    runs->list[0] = (struct listed_run){.number = store->number,
                                        .name = strdup(store->path),
                                        .command = info.command,
                                        .argv = info.argv,
                                        .fingerprint = info.fingerprint,
                                        .started = info.started,
                                        .finished = info.finished,
                                        .ended = info.ended};
    info.command = info.argv = info.fingerprint = info.started = info.finished = info.ended = NULL;
    store_info_release(&info);
    return runs->list[0].name ? 0 : store_no_memory(store, failure);
}

int run_list_read(const char *path, struct run_list *runs, struct failure *failure)
{
    struct store *store = NULL;
    *runs = (struct run_list){0};
    int error = store_open_listing(&store, path, failure);
    if (!error)
        error = store->collection && !store->number ? list_runs(store, runs, failure)
                                                    : take_only(store, runs, failure);
    store_close(store);
    return error;
}

/* Of a store that is damaged no more than its name is needed. */
/* run_list_read of a file that may be damaged. */
static int run_list_read_damaged(const char *path, struct run_list *runs, struct failure *failure)
{
    struct store *store = NULL;
    *runs = (struct run_list){0};
    int error = store_open_damaged(&store, path, true, failure);
    if (!error && store->collection && !store->number)
        error = list_runs(store, runs, failure);
    else if (!error) {
        runs->list = calloc(1, sizeof(*runs->list));
        char *name = strdup(store->path);
        if (!runs->list || !name)
            error = store_no_memory(store, failure);
        if (runs->list)
            runs->list[runs->count++].name = name;
        else
            free(name);
    }
    store_close(store);
    return error;
}

void run_list_release(struct run_list *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct listed_run *run = &runs->list[i];
        free(run->name);
        free(run->command);
        free(run->argv);
        free(run->fingerprint);
        free(run->started);
        free(run->finished);
        free(run->ended);
    }
    free(runs->list);
    *runs = (struct run_list){0};
}

void run_list_describe(const struct run_list *runs, struct text *out)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct listed_run *run = &runs->list[i];
        if (out->length > 400) {
            text_printf(out, " and %zu more", runs->count - i);
            break;
        }
        text_printf(out, "%s#%u %.20s of %.16s, %.20s", i ? "; " : "", run->number, run->command,
                    run->fingerprint, run->started);
    }
}

/* ----------------------------------------------------------------------------------------------
 * Reads all that a store can tell and keeps nothing of it: what goes through here can be exported
 * and judged. Checksums say that a finished store is what was written; of one that is not finished
 * this is all that can be asked. */

struct known_cell {
    uint32_t id, counters;
};

struct whole {
    struct store *store;
    struct failure *failure;
    struct known_cell *cells; /* by id */
    size_t count;
};

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct whole *whole = context;
    struct known_cell *known = list_add(&whole->cells, &whole->count, sizeof(*known));
    if (!known)
        return store_no_memory(whole->store, whole->failure);
    *known = (struct known_cell){stored->cell.id, stored->cell.counters};
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct known_cell *one = a, *other = b;
    return one->id < other->id ? -1 : one->id > other->id;
}

/* NULL: the store has none. */
static const struct known_cell *find_cell(const struct whole *whole, uint32_t id)
{
    const struct known_cell wanted = {.id = id};
    return whole->count ? bsearch(&wanted, whole->cells, whole->count, sizeof(*whole->cells), by_id)
                        : NULL;
}

static int check_visit(void *context, const struct stored_visit *visit)
{
    struct whole *whole = context;
    if (find_cell(whole, visit->visit.cell))
        return 0;
    return visit_damaged(whole->store, visit->visit.cell, visit->visit.process,
                         "is of a cell that is not there", whole->failure);
}

static int check_sample(void *context, const struct sample *sample)
{
    struct whole *whole = context;
    const struct known_cell *cell = find_cell(whole, sample->cell);
    if (cell && sample->counter < cell->counters)
        return 0;
    return visit_damaged(whole->store, sample->cell, sample->process,
                         "has samples of a counter that is not there", whole->failure);
}

/* 0 when a store can be exported, -EBADMSG when it cannot. */
static int store_read_whole(struct store *store, struct failure *failure)
{
    struct whole whole = {.store = store, .failure = failure};
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (!error) {
        struct store_info info;
        struct facts facts = {0};
        error = store_info(store, &info, failure);
        if (!error) {
            store_info_release(&info);
            error = store_facts(store, &facts, failure);
        }
        facts_free(&facts);
    }
    if (!error)
        error = store_each_cell(store, take_cell, &whole, failure);
    if (!error)
        error = store_each_visit(store, check_visit, &whole, failure);
    if (!error) {
        error = store_each_event(store, NULL, NULL, failure);
        if (!error)
            error = store_each_specimen_truth(store, NULL, NULL, failure);
        if (!error)
            error = store_each_opcode(store, NULL, NULL, failure);
        if (!error)
            error = store_each_operation(store, NULL, NULL, failure);
        if (!error)
            error = store_each_clock(store, NULL, NULL, failure);
        if (!error)
            error = store_each_subject(store, NULL, NULL, failure);
        if (!error)
            error = store_each_executed(store, NULL, NULL, failure);
        if (!error)
            error = store_each_call(store, NULL, NULL, failure);
    }
    if (!error)
        error = store_scan_samples(store, check_sample, &whole, failure);
    free(whole.cells);
    snapshot_end(store, began);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Makes a collection: every run is opened as the store that it is, checked while it is read, and
 * copied row by row into a new file, which gets its name when all of it is there. */

struct collecting {
    struct store target; /* path: the name to be; file: the name for now */
    struct store *source;
    unsigned count; /* of runs so far */
    bool unvouched; /* for one of them no checksum of its writer speaks */
    sqlite3_stmt *find, *put_run, *put_sample;
    struct failure *failure;
    const struct salvage *salvage; /* NULL: only sound stores are taken */
};

/* --- the new file --- */

static int refuse_existing(const char *path, struct failure *failure)
{
    return fail_with(failure, -EEXIST, "%.300s is there already: choose another name.", path);
}

/* Beside the name to be, so that it can be renamed to it. */
static int make_file(struct collecting *collecting, struct failure *failure)
{
    const char *path = collecting->target.path;
    int fd = -1;
    for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
        uint32_t nonce = (uint32_t)getpid() + (uint32_t)attempt;
        if (getrandom(&nonce, sizeof(nonce), 0) < 0)
            nonce *= 2654435761u;
        AUTO_TEXT struct text name = {0};
        text_printf(&name, "%s.%08x", path, nonce);
        free(collecting->target.file);
        collecting->target.file = text_take(&name);
        if (!collecting->target.file)
            return fail_with(failure, -ENOMEM, "out of memory");
        fd = open(collecting->target.file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return fail_with(failure, -errno, "cannot make the collection %.300s: %s", path,
                         strerror(errno));
    close(fd);
    return 0;
}

static int begin(struct collecting *collecting, struct failure *failure)
{
    struct store *target = &collecting->target;
    int error = connect_new(target, failure);
    if (!error) /* nobody else knows the file, and it is nothing until it is whole */
        error = store_execute(target,
                              "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"
                              "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE",
                              "write to", failure);
    if (!error && collection_lay_out(target->db, STORE_SCHEMA) != SQLITE_OK)
        error = store_sql_failure(target->db, target->path, "write the schema to", failure);
    if (!error)
        error = store_prepare(target, "SELECT 1 FROM store WHERE schema = ? AND content = ?",
                              &collecting->find, failure);
    if (!error)
        error = store_prepare(target, "INSERT INTO store VALUES(?, ?, ?)", &collecting->put_run,
                              failure);
    if (!error)
        error = store_prepare(target, "INSERT INTO sample_packed VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                              &collecting->put_sample, failure);
    return error;
}

static int describe(struct store *target, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    char made[32];
    store_time(made);
    const char *const entries[][2] = {{"made", made}, {"version", ASSAY_VERSION}};
    int error = store_prepare(target, "INSERT INTO collection VALUES(?, ?)", &statement, failure);
    for (size_t i = 0; !error && i < sizeof(entries) / sizeof(entries[0]); i++) {
        BIND(statement, 1, TEXT(entries[i][0]), TEXT(entries[i][1]));
        error = store_step(target, statement, "write to", failure);
        sqlite3_reset(statement);
    }
    return error;
}

static int sync_name(const char *name, int flags)
{
    int fd = open(name, flags | O_CLOEXEC);
    int error = fd < 0 || fsync(fd) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

/* Gives it its name, unless that has been taken meanwhile. */
static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    if (link(from, to) < 0) /* a file system that cannot do that: older, or of a network */
        return -errno;
    unlink(from);
    return 0;
}

static int publish(const struct store *target, struct failure *failure)
{
    AUTO_FREE char *copy = strdup(target->path);
    int error = sync_name(target->file, O_RDWR);
    if (!error)
        error = rename_new(target->file, target->path);
    if (error == -EEXIST)
        return refuse_existing(target->path, failure);
    if (error)
        return fail_with(failure, error, "cannot make the collection %.300s: %s", target->path,
                         strerror(-error));
    if (copy)
        sync_name(dirname(copy), O_RDONLY | O_DIRECTORY); /* not every file system can */
    return 0;
}

/* --- one run --- */

static int open_source(const struct collecting *collecting, const char *name, struct store **source,
                       struct failure *failure)
{
    int error = store_stopped(&collecting->target, failure);
    if (!error)
        error = store_open(source, name, false, failure);
    if (!error)
        (*source)->stop = collecting->target.stop;
    return error;
}

static int put_sample(void *context, const struct sample *sample)
{
    struct collecting *collecting = context;
    sqlite3_stmt *put = collecting->put_sample;
    BIND(put, 1, NUMBER(collecting->count), NUMBER(scan_key(collecting->source)));
    bind_stored(put, 3, sample);
    int error = store_step(&collecting->target, put, "write samples to", collecting->failure);
    sqlite3_reset(put);
    return error;
}

static int copy_run(struct collecting *collecting, struct failure *failure)
{
    char content[17];
    struct store *source = collecting->source;
    int error = checksum_of_tables(source, content, failure);
    if (!error) {
        /* A run that is there already has the same tables. */
        BIND(collecting->find, 1, NUMBER(collecting->source->schema), TEXT(content));
        error = store_step(&collecting->target, collecting->find, "read", failure);
        sqlite3_reset(collecting->find);
    }
    if (error)
        return error < 0 ? error : 0;
    BIND(collecting->put_run, 1, NUMBER(++collecting->count), NUMBER(source->schema),
         TEXT(content));
    error = store_step(&collecting->target, collecting->put_run, "write to", failure);
    sqlite3_reset(collecting->put_run);
    for (size_t i = 0; !error && checked_tables[i].name; i++)
        if (checked_tables[i].since <= source->schema)
            error = copy_table(source, &collecting->target, checked_tables[i].name,
                               collecting->count, failure);
    collecting->failure = failure;
    return error ? error : store_scan_samples(source, put_sample, collecting, failure);
}

static int take_run(struct collecting *collecting, const char *name, struct failure *failure)
{
    bool began = false;
    struct store *source = NULL;
    int error = open_source(collecting, name, &source, failure);
    if (!error && !source->finished && !source->collection)
        error = connect_without_writer(source, failure);
    if (!error)
        error = snapshot_begin(source, &began, failure);
    /* Without the checksums of a finished run, all of it must make sense. */
    if (!error && !source->finished) {
        collecting->unvouched = true;
        error = store_read_whole(source, failure);
    }
    collecting->source = source;
    if (!error)
        error = copy_run(collecting, failure);
    if (source)
        snapshot_end(source, began);
    store_close(source);
    collecting->source = NULL;
    return error;
}

/* --- runs that may be damaged --- */

static int read_whole(const struct collecting *collecting, const char *name,
                      struct failure *failure)
{
    struct store *store = NULL;
    int error = open_source(collecting, name, &store, failure);
    if (!error)
        error = store_read_whole(store, failure);
    store_close(store);
    return error;
}

static int take_listed(struct collecting *collecting, const char *name, struct failure *failure)
{
    struct failure damage = {0};
    if (!collecting->salvage || read_whole(collecting, name, &damage) != -EBADMSG)
        return take_run(collecting, name, failure);
    /* What is left of it becomes a store of its own first, which must be one that can be read. */
    AUTO_TEXT struct text rest = {0};
    struct failure why = {0};
    text_printf(&rest, "%s-rest", collecting->target.file);
    int error = rest.failed ? fail_with(failure, -ENOMEM, "out of memory") : 0;
    if (!error)
        error = store_salvage(name, text_string(&rest), collecting->salvage,
                              collecting->target.stop, failure);
    if (!error) {
        error = read_whole(collecting, text_string(&rest), &why);
        if (error == -EBADMSG)
            salvage_refuse(name, "what is left of it does not fit together", &why, failure);
        else if (error)
            fail_with(failure, error, "%s", why.text);
    }
    if (!error) {
        error = take_run(collecting, text_string(&rest), failure);
        collecting->unvouched = true;
    }
    store_remove_files(text_string(&rest));
    return error;
}

/* Who is salvaging already is not told to salvage. */
static int take_file(struct collecting *collecting, const char *path, struct failure *failure)
{
    struct run_list runs = {0};
    struct failure why = {0};
    int error = collecting->salvage ? run_list_read_damaged(path, &runs, &why)
                                    : run_list_read(path, &runs, &why);
    for (size_t i = 0; i < runs.count && !error; i++)
        error = take_listed(collecting, runs.list[i].name, &why);
    run_list_release(&runs);
    if (error && collecting->salvage && store_advises_salvage(&why))
        return salvage_refuse(path, "too much of it is damaged", &why, failure);
    return error ? fail_with(failure, error, "%s", why.text) : 0;
}

static int fill(struct collecting *collecting, const char *const *from, size_t count,
                struct failure *failure)
{
    int error = begin(collecting, failure);
    for (size_t i = 0; i < count && !error; i++)
        error = take_file(collecting, from[i], failure);
    if (!error)
        error = describe(&collecting->target, failure);
    if (error)
        return error;
    /* Writes the checksum over the collection's own tables. */
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    char text[17];
    error = index_checksum(&collecting->target, text, failure);
    if (!error)
        error = store_prepare(&collecting->target, "INSERT INTO collection VALUES('checksum', ?)",
                              &statement, failure);
    if (error)
        return error;
    bind_text(statement, 1, text);
    error = store_step(&collecting->target, statement, "write to", failure);
    if (!error)
        error = store_execute(&collecting->target, "COMMIT", "write to", failure);
    return error;
}

static int write_new(const char *path, const char *const *from, size_t count,
                     const struct salvage *salvage, const volatile int *stop,
                     struct failure *failure)
{
    struct stat status;
    if (lstat(path, &status) == 0)
        return refuse_existing(path, failure);
    struct collecting collecting = {.target = {.path = strdup(path), .stop = stop},
                                    .salvage = salvage};
    if (!collecting.target.path)
        return fail_with(failure, -ENOMEM, "out of memory");
    int error = make_file(&collecting, failure);
    if (!error) {
        error = fill(&collecting, from, count, failure);
        sqlite3_finalize(collecting.find);
        sqlite3_finalize(collecting.put_run);
        sqlite3_finalize(collecting.put_sample);
        collecting.find = collecting.put_run = collecting.put_sample = NULL;
        sqlite3_close(collecting.target.db);
        collecting.target.db = NULL;
        if (!error && collecting.unvouched) {
            /* What was written can be read again. The writers of its runs cannot say so of all of
             * them. */
            struct run_list runs = {0};
            struct failure why = {0};
            error = run_list_read(collecting.target.file, &runs, &why);
            for (size_t i = 0; i < runs.count && !error; i++)
                error = read_whole(&collecting, runs.list[i].name, &why);
            run_list_release(&runs);
            if (error)
                fail_with(failure, error,
                          "cannot make the collection %.300s: what was read cannot be read "
                          "again: %.500s",
                          collecting.target.path, why.text);
        }
        if (!error)
            error = store_stopped(&collecting.target, failure);
        if (!error)
            error = publish(&collecting.target, failure);
        store_remove_files(collecting.target.file);
    }
    if (error == -EINTR)
        fail_with(failure, error, "interrupted: %.300s was not made", path);
    free(collecting.target.path);
    free(collecting.target.file);
    return error;
}

int collection_write(const char *path, const char *const *from, size_t count,
                     const volatile int *stop, struct failure *failure)
{
    return write_new(path, from, count, NULL, stop, failure);
}

int collection_salvage(const char *path, const char *const *from, size_t count,
                       const struct salvage *salvage, const volatile int *stop,
                       struct failure *failure)
{
    return write_new(path, from, count, salvage, stop, failure);
}
