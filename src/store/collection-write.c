/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes a collection: every run is opened as the store that it is, checked while it is read, and
 * copied row by row into a new file, which gets its name when all of it is there. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/text.h"
#include "store/checksum.h"
#include "store/collection-room.h"
#include "store/collection.h"

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
        bind_text(statement, 1, entries[i][0]);
        bind_text(statement, 2, entries[i][1]);
        error = store_step(target, statement, "write to", failure);
        sqlite3_reset(statement);
    }
    return error;
}

static void release(struct collecting *collecting)
{
    sqlite3_finalize(collecting->find);
    sqlite3_finalize(collecting->put_run);
    sqlite3_finalize(collecting->put_sample);
    collecting->find = collecting->put_run = collecting->put_sample = NULL;
    sqlite3_close(collecting->target.db);
    collecting->target.db = NULL;
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
    sqlite3_bind_int64(put, 1, collecting->count);
    sqlite3_bind_int64(put, 2, scan_key(collecting->source));
    bind_stored(put, 3, sample);
    int error = store_step(&collecting->target, put, "write samples to", collecting->failure);
    sqlite3_reset(put);
    return error;
}

/* A run that is there already has the same tables. */
static int is_known(struct collecting *collecting, const char *content, struct failure *failure)
{
    sqlite3_bind_int64(collecting->find, 1, collecting->source->schema);
    bind_text(collecting->find, 2, content);
    int got = store_step(&collecting->target, collecting->find, "read", failure);
    sqlite3_reset(collecting->find);
    return got;
}

static int copy_run(struct collecting *collecting, struct failure *failure)
{
    char content[17];
    struct store *source = collecting->source;
    int error = checksum_of_tables(source, content, failure);
    if (!error)
        error = is_known(collecting, content, failure);
    if (error)
        return error < 0 ? error : 0;
    sqlite3_bind_int64(collecting->put_run, 1, ++collecting->count);
    sqlite3_bind_int64(collecting->put_run, 2, source->schema);
    bind_text(collecting->put_run, 3, content);
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

/* What is left of it becomes a store of its own first, which must be one that can be read. */
static int take_rest(struct collecting *collecting, const char *name, struct failure *failure)
{
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

static int take_listed(struct collecting *collecting, const char *name, struct failure *failure)
{
    struct failure damage = {0};
    if (!collecting->salvage || read_whole(collecting, name, &damage) != -EBADMSG)
        return take_run(collecting, name, failure);
    return take_rest(collecting, name, failure);
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
    if (!error)
        error = collection_seal(&collecting->target, failure);
    if (!error)
        error = store_execute(&collecting->target, "COMMIT", "write to", failure);
    return error;
}

/* What was written can be read again. The writers of its runs cannot say so of all of them. */
static int check_written(const struct collecting *collecting, struct failure *failure)
{
    struct run_list runs = {0};
    struct failure why = {0};
    int error = run_list_read(collecting->target.file, &runs, &why);
    for (size_t i = 0; i < runs.count && !error; i++)
        error = read_whole(collecting, runs.list[i].name, &why);
    run_list_release(&runs);
    if (error)
        fail_with(failure, error,
                  "cannot make the collection %.300s: what was read cannot be read "
                  "again: %.500s",
                  collecting->target.path, why.text);
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
        release(&collecting);
        if (!error && collecting.unvouched)
            error = check_written(&collecting, failure);
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
