/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a store: made or opened, finished, closed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/checksum.h"

/* FILE#NUMBER names a run in a collection, unless that is the name of a file. 0: it does not. */
static size_t length_before_number(const char *path, unsigned *number)
{
    const char *mark = strrchr(path, '#');
    size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;
    if (!mark || mark == path || digits < 1 || digits > 9 || mark[1 + digits] ||
        access(path, F_OK) == 0)
        return 0;
    *number = (unsigned)strtoul(mark + 1, NULL, 10);
    return (size_t)(mark - path);
}

static struct store *make_handle(const char *path, const char *file, struct failure *failure)
{
    struct store *store = calloc(1, sizeof(*store));
    if (store) {
        store->path = strdup(path);
        store->file = strdup(file);
    }
    if (store && store->path && store->file)
        return store;
    store_close(store);
    fail_with(failure, -ENOMEM, "memory ran out while opening %s", path);
    return NULL;
}

void store_remove_files(const char *path)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        AUTO_TEXT struct text name = {0};
        text_printf(&name, "%s%s", path, suffixes[i]);
        if (!name.failed)
            unlink(text_string(&name));
    }
}

/* The file must be new and ours: SQLite would open an existing one. */
static int claim_file(const char *path, struct failure *failure)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    int error = errno;
    static const struct {
        int error;
        const char *next;
    } advice[] = {
        {EEXIST, "Choose another name, or go on with what it holds: --resume"},
        {ENOENT, "Make its folder first"},
        {EACCES, "Check the permissions of its folder, or choose another place with --store"},
        {EROFS, "Choose another place with --store"},
        {ENOSPC, "Free some space, or choose another place with --store"},
        {EDQUOT, "Free some space, or choose another place with --store"},
        {ENOTDIR, "Part of the name is a file, not a folder"},
        {ELOOP, "The name runs through a loop of symbolic links"},
    };
    const char *next = "Choose another place with --store";
    for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++)
        if (advice[i].error == error)
            next = advice[i].next;
    return fail_with(failure, -error, "cannot make the store %s: %s. %s.", path, strerror(error),
                     next);
}

static int put_run(struct store *store, const struct store_run *run, struct failure *failure)
{
    char seed[32], started[32];
    snprintf(seed, sizeof(seed), "%" PRIu64, run->seed);
    store_time(started);
    const struct {
        const char *key, *value;
    } entries[] = {
        {"command", run->command},         {"argv", run->argv},  {"seed", seed},
        {"fingerprint", run->fingerprint}, {"started", started}, {"version", ASSAY_VERSION},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        int error = store_put_meta(store, entries[i].key, entries[i].value ? entries[i].value : "",
                                   failure);
        if (error)
            return error;
    }
    return run->kit ? store_put_meta(store, "kit", run->kit, failure) : 0;
}

static int put_facts(struct store *store, const struct facts *facts, struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error =
        store_prepare(store, "INSERT INTO fact(position, key, value, error) VALUES(?, ?, ?, ?)",
                      &statement, failure);
    for (size_t i = 0; !error && facts && i < facts->count; i++) {
        sqlite3_bind_int64(statement, 1, (int64_t)i + 1);
        bind_text(statement, 2, facts->list[i].key);
        bind_text(statement, 3, facts->list[i].value);
        sqlite3_bind_int(statement, 4, facts->list[i].error);
        error = store_step(store, statement, "write to", failure);
        sqlite3_reset(statement);
    }
    return error;
}

static int fill(struct store *store, const struct store_run *run, struct failure *failure)
{
    int error = connect_new(store, failure);
    if (!error)
        error = schema_create(store, failure);
    if (!error)
        error = store_execute(store, "BEGIN IMMEDIATE", "write to", failure);
    if (!error)
        error = put_run(store, run, failure);
    if (!error)
        error = put_facts(store, run->facts, failure);
    if (!error)
        error = store_execute(store, "COMMIT", "write to", failure);
    if (!error)
        error = writer_begin(store, failure);
    return error;
}

int store_create(struct store **store, const char *path, const struct store_run *run,
                 struct failure *failure)
{
    *store = NULL;
    struct store *opened = make_handle(path, path, failure);
    if (!opened)
        return -ENOMEM;
    int error = claim_file(path, failure);
    if (error) {
        store_close(opened);
        return error;
    }
    error = fill(opened, run, failure);
    if (error) {
        store_close(opened);
        store_remove_files(path);
        return error;
    }
    *store = opened;
    return 0;
}

static int no_collection(const struct store *store, struct failure *failure)
{
    return fail_with(failure, -EINVAL,
                     "%.300s is a store of one run, not a collection: leave #%u out of its name.",
                     store->file, store->number);
}

static int not_written(const struct store *store, struct failure *failure)
{
    return fail_with(failure, -EINVAL,
                     "%.300s is a collection of runs: it can be read, but no run in it can go on. "
                     "Choose another file with --store.",
                     store->file);
}

static int open_existing(struct store *store, bool writable, struct failure *failure)
{
    int error = writable ? connect_writing(store, failure) : connect_reading(store, failure);
    if (!error)
        error = connect_check(store, failure);
    if (!error && store->numbered && !store->collection)
        error = no_collection(store, failure);
    if (!error && writable && store->collection)
        error = not_written(store, failure);
    if (!error && writable && !store->finished)
        error = writer_begin(store, failure);
    if (!error && store->writer && store->schema < STORE_SCHEMA)
        error = schema_upgrade(store, failure);
    return error;
}

static struct store *make_named_handle(const char *path, struct failure *failure)
{
    unsigned number = 0;
    size_t length = length_before_number(path, &number);
    AUTO_FREE char *file = length ? strndup(path, length) : strdup(path);
    struct store *store = make_handle(path, file ? file : "", failure);
    if (store && length)
        store->numbered = true;
    if (store)
        store->number = number;
    return store;
}

struct opening {
    bool writable, listing, salvage;
};

static int open_named(struct store **store, const char *path, struct opening how,
                      struct failure *failure)
{
    *store = NULL;
    struct store *opened = make_named_handle(path, failure);
    if (!opened)
        return -ENOMEM;
    opened->listing = how.listing || how.writable; /* which one does not matter then */
    opened->salvage = how.salvage;
    int error = open_existing(opened, how.writable, failure);
    if (error) {
        store_close(opened);
        return error;
    }
    *store = opened;
    return 0;
}

int store_open(struct store **store, const char *path, bool writable, struct failure *failure)
{
    return open_named(store, path, (struct opening){.writable = writable}, failure);
}

int store_open_listing(struct store **store, const char *path, struct failure *failure)
{
    return open_named(store, path, (struct opening){.listing = true}, failure);
}

int store_open_damaged(struct store **store, const char *path, bool listing,
                       struct failure *failure)
{
    return open_named(store, path, (struct opening){.listing = listing, .salvage = true}, failure);
}

const char *store_path(const struct store *store)
{
    return store->path;
}

static int mark_finished(struct store *store, struct failure *failure)
{
    char finished[32];
    store_time(finished);
    int error = store_put_meta(store, "finished", finished, failure);
    if (!error)
        error = store_execute(store, "DELETE FROM meta WHERE key IN ('ended', 'writer')",
                              "write to", failure);
    if (!error)
        error = checksum_put(store, failure);
    if (!error)
        error = writer_end(store, failure);
    return error;
}

int store_finish(struct store *store, struct failure *failure)
{
    struct failure local = {0};
    if (store->finished)
        return writer_make_plain(store, failure);
    int error = store_may_write(store, failure);
    if (!error && store->visit.id)
        error = store_drop_visit(store, store->visit.cell, store->visit.process, failure);
    if (error)
        return error;
    error = mark_finished(store, &local);
    if (error)
        return store_write_failed(store, &local, failure);
    store->finished = true;
    store_release_statements(store);
    return writer_make_plain(store, failure);
}

int store_put_ended(struct store *store, const char *how, struct failure *failure)
{
    struct failure local = {0};
    int error = store_may_write(store, failure);
    if (error)
        return error;
    error = how ? store_put_meta(store, "ended", how, &local)
                : store_execute(store, "DELETE FROM meta WHERE key = 'ended'", "write to", &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (store->writer && store->visit.id)
        store_drop_visit(store, store->visit.cell, store->visit.process, NULL);
    if (store->writer)
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    store_release_statements(store);
    sqlite3_close(store->db);
    free(store->token);
    free(store->content);
    free(store->path);
    free(store->file);
    free(store);
}
