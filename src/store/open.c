/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a store: connected to, made or opened, finished, closed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "store/handle.h"

/* ----------------------------------------------------------------------------------------------
 * The connection to SQLite: opens a file from anywhere with every defence on, and finds a way where
 * the plain one fails (read-only media, no shared memory, no locks, a writer that was killed). */

/* SQLite refuses longer names, and appends "-journal". */
#define LONGEST_PATH (512 - 16)

/* Small files are checked page by page when opened: 8 MiB take about 60 ms. */
#define CHEAP_CHECK_BYTES (8 << 20)

/* What checking may cost in steps of SQLite's machine: several times what a sound file needs. */
#define CHECK_STEPS        INT64_C(10000000)
#define CHECK_STEPS_A_BYTE 32
#define STEPS_A_TICK       1000

#define HEADER_BYTES 100 /* of every SQLite database */

/* KiB of pages kept in memory, whatever the size of the store. Who reads goes through visits by
 * cell, all over the table: that of a store with millions of samples must fit. */
#define CACHE         "PRAGMA cache_size=-8192"
#define CACHE_READING "PRAGMA cache_size=-65536"

struct way {
    int flags;
    bool query_only;
    bool immutable; /* no locks, no journal: right only while nobody writes */
};

static const struct way with_locks = {SQLITE_OPEN_READONLY, true, false};
/* What a killed writer left can be made good only with permission to write. And of a file in WAL
 * mode only a connection that may write takes away what every reader lays beside it. */
static const struct way that_cleans_up = {SQLITE_OPEN_READWRITE, true, false};
static const struct way without_company = {SQLITE_OPEN_READONLY, true, true};

static const struct way way_to_write = {SQLITE_OPEN_READWRITE, false, false};

/* SQLite's own way of naming a file: never taken for a URI or for ":memory:". */
static char *file_name(const char *path, bool immutable)
{
    AUTO_TEXT struct text name = {0};
    const char *folder = path[0] == '/' ? "" : "./";
    if (!immutable) {
        text_printf(&name, "%s%s", folder, path);
        return text_take(&name);
    }
    text_printf(&name, "file:%s", folder);
    for (const char *c = path; *c; c++) {
        if (strchr("%?#", *c))
            text_printf(&name, "%%%02X", (unsigned char)*c);
        else
            text_putc(&name, *c);
    }
    text_puts(&name, "?immutable=1");
    return text_take(&name);
}

/* Opens without touching the content yet. An SQLite result; store->db holds the message. */
static int open_file(struct store *store, const struct way *way, int patience_ms)
{
    AUTO_FREE char *name = file_name(store->file, way->immutable);
    if (!name)
        return SQLITE_NOMEM;
    sqlite3_close(store->db);
    store->db = NULL;
    int flags = way->flags | SQLITE_OPEN_NOMUTEX | (way->immutable ? SQLITE_OPEN_URI : 0);
    int result = sqlite3_open_v2(name, &store->db, flags, NULL);
    if (result != SQLITE_OK)
        return result;
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, patience_ms);
    static const int switches[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},  {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
    };
    static const int limits[][2] = {
        {SQLITE_LIMIT_LENGTH, 16 << 20}, {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        {SQLITE_LIMIT_ATTACHED, 0},      {SQLITE_LIMIT_EXPR_DEPTH, 100},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1}, {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
        sqlite3_db_config(store->db, switches[i][0], switches[i][1], NULL);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        sqlite3_limit(store->db, limits[i][0], limits[i][1]);
    /* None of these touches the file yet. */
    sqlite3_exec(store->db,
                 "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY", NULL,
                 NULL, NULL);
    if (store->salvage) {
        /* A file that was cut short is opened only for those who could write its schema, which
         * nobody does here: every way to read forbids it. */
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
        sqlite3_exec(store->db, "PRAGMA writable_schema=ON", NULL, NULL, NULL);
    }
    if (way->query_only)
        sqlite3_exec(store->db, "PRAGMA query_only=ON", NULL, NULL, NULL);
    return SQLITE_OK;
}

/* The first access takes a lock, opens the journals and recovers what is in them. */
static int open_way(struct store *store, const struct way *way, int patience_ms)
{
    int result = open_file(store, way, patience_ms);
    if (result == SQLITE_OK)
        result = sqlite3_exec(store->db, "PRAGMA user_version", NULL, NULL, NULL);
    if (result == SQLITE_OK)
        sqlite3_exec(store->db, way->query_only ? CACHE_READING : CACHE, NULL, NULL, NULL);
    return result;
}

static int64_t file_bytes(const char *path, const char *suffix)
{
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s%s", path, suffix);
    struct stat status;
    return !name.failed && stat(text_string(&name), &status) == 0 ? status.st_size : 0;
}

/* Nothing waits beside the file to be recovered. */
static bool is_plain(const char *path)
{
    return file_bytes(path, "-wal") == 0 && file_bytes(path, "-journal") == 0;
}

/* Not even an empty one. */
static bool is_alone(const char *path)
{
    static const char *const suffixes[] = {"-wal", "-journal"};
    bool alone = true;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        AUTO_TEXT struct text name = {0};
        struct stat status;
        text_printf(&name, "%s%s", path, suffixes[i]);
        alone = alone && !name.failed && stat(text_string(&name), &status) < 0 && errno == ENOENT;
    }
    return alone;
}

/* Has the file companions whenever somebody writes to it? One in another mode gets a journal with
 * each change and loses it with each commit. Asked through SQLite: see check_file. */
static bool is_in_wal_mode(struct store *store)
{
    unsigned char header[20];
    sqlite3_file *file = NULL;
    if (open_file(store, &without_company, 0) == SQLITE_OK)
        sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods &&
           file->pMethods->xRead(file, header, sizeof(header), 0) == SQLITE_OK && header[18] == 2;
}

/* The ways to read a file, the best first; NULL ends them. Nothing may be left beside it. */
static void choose_ways(struct store *store, const struct way *ways[4])
{
    size_t count = 0;
    const char *path = store->file;
    bool plain = is_plain(path), may_write = access(path, W_OK) == 0;
    if (plain && may_write)
        ways[count++] = &that_cleans_up;
    else if (is_alone(path) && is_in_wal_mode(store))
        ways[count++] = &without_company;
    ways[count++] = &with_locks;
    if (!plain)
        ways[count++] = &that_cleans_up;
    else
        ways[count++] = &without_company;
    ways[count] = NULL;
}

/* Does this file system refuse every lock? Asked of a file nobody else can know. */
static bool locks_refused(const char *path)
{
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s-locks-XXXXXX", path);
    if (name.failed)
        return false;
    int fd = mkstemp(name.bytes);
    if (fd < 0)
        return false;
    close(fd);
    struct store scratch = {.path = name.bytes, .file = name.bytes};
    int result = open_way(&scratch, &way_to_write, 0);
    sqlite3_close(scratch.db);
    unlink(name.bytes);
    return (result & 0xff) == SQLITE_BUSY;
}

static int without_locks(const char *path, struct failure *failure)
{
    return fail_with(failure, -ENOLCK,
                     "the file system that holds %s refuses locks, without which a store is not "
                     "safe. Put it on a local file system with --store, or start the lock service "
                     "of the network file system.",
                     path);
}

static int check_name(const char *path, struct failure *failure)
{
    if (strlen(path) <= LONGEST_PATH)
        return 0;
    return fail_with(failure, -ENAMETOOLONG,
                     "the name of the store is longer than %d bytes, which SQLite cannot open: "
                     "%.100s…. Choose a shorter one with --store.",
                     LONGEST_PATH, path);
}

/* Whatever stat(2) can tell in plain words before SQLite is asked. Opening the file here would be
 * worse: closing it again would drop the locks that another store in this process holds on it. */
static int check_file(const char *path, bool writable, struct failure *failure)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return fail_with(
            failure, -errno, "cannot open the store %s: %s%s", path, strerror(errno),
            errno == ENOENT
                ? ". Check the name; runs are in the state folder unless --store named a file."
                : "");
    if (S_ISDIR(status.st_mode))
        return fail_with(failure, -EISDIR,
                         "%s is a folder, not a store. Name one of the .sqlite files in it.", path);
    if (!S_ISREG(status.st_mode))
        return fail_with(failure, -EINVAL, "%s is not a regular file, so it cannot be a store.",
                         path);
    if (status.st_size == 0)
        return fail_with(failure, -EBADMSG,
                         "%s is empty: a run that ended before its store was made, or not a store. "
                         "Remove it and start anew.",
                         path);
    if (status.st_size < HEADER_BYTES) /* SQLite would take it for an empty database */
        return fail_with(failure, -EBADMSG,
                         "%s is cut short, or it is not an SQLite database: it has %lld bytes, "
                         "fewer than the header of one. Name a file that assay wrote, or take a "
                         "copy of it that is whole.",
                         path, (long long)status.st_size);
    if (access(path, R_OK | (writable ? W_OK : 0)) < 0)
        return fail_with(failure, -errno,
                         "cannot open the store %s for %s: %s. Check its owner "
                         "and permissions, or copy it to a place of your own.",
                         path, writable ? "writing" : "reading", strerror(errno));
    return check_name(path, failure);
}

/* Would another way of opening help? Not when the content is the trouble. */
static bool is_hopeless(int result)
{
    int primary = result & 0xff;
    return primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT || primary == SQLITE_NOMEM;
}

static bool is_busy(int result)
{
    return (result & 0xff) == SQLITE_BUSY;
}

/* Opens the file for reading, whatever state it is in: live, left behind, on a read-only medium. */
static int connect_reading(struct store *store, struct failure *failure)
{
    int error = check_file(store->file, false, failure);
    if (error)
        return error;
    struct failure first = {0};
    bool refused = false;
    const struct way *ways[4];
    choose_ways(store, ways);
    for (size_t i = 0; ways[i]; i++) {
        const struct way *way = ways[i];
        if (way->immutable && !is_plain(store->file))
            break;
        int result = open_way(store, way, 0);
        if (is_busy(result)) {
            refused = locks_refused(store->file);
            if (!refused)
                result = open_way(store, way, PATIENCE_MS);
        }
        if (result == SQLITE_OK) {
            sqlite3_busy_timeout(store->db, PATIENCE_MS);
            return 0;
        }
        if (!first.code)
            store_sql_failure(store->db, store->path, "read the store", &first);
        if (is_hopeless(result) || (is_busy(result) && !refused))
            break;
    }
    if (refused)
        return without_locks(store->file, failure);
    return fail_with(failure, first.code, "%s", first.text);
}

int connect_plain_journal(struct store *store, struct failure *failure)
{
    int result = open_file(store, &way_to_write, PATIENCE_MS);
    if (result == SQLITE_OK)
        result = sqlite3_exec(store->db,
                              "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE;"
                              "PRAGMA locking_mode=NORMAL; PRAGMA user_version;" CACHE,
                              NULL, NULL, NULL);
    if (is_busy(result) && locks_refused(store->file))
        return without_locks(store->file, failure);
    if (result != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write to the store", failure);
    AUTO_TEXT struct text name = {0}; /* left by the attempt to have WAL */
    text_printf(&name, "%s-shm", store->file);
    if (!name.failed)
        unlink(text_string(&name));
    return 0;
}

bool connect_lacks_wal(int result)
{
    int primary = result & 0xff;
    return primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_PROTOCOL ||
           result == SQLITE_READONLY_CANTINIT || result == SQLITE_READONLY_DIRECTORY;
}

static int open_for_writing(struct store *store, struct failure *failure)
{
    int result = open_way(store, &way_to_write, 0);
    if (is_busy(result)) {
        if (locks_refused(store->file))
            return without_locks(store->file, failure);
        result = open_way(store, &way_to_write, PATIENCE_MS);
    }
    if (connect_lacks_wal(result))
        return connect_plain_journal(store, failure);
    if (result != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "open the store", failure);
    sqlite3_busy_timeout(store->db, PATIENCE_MS);
    return 0;
}

int connect_new(struct store *store, struct failure *failure)
{
    int error = check_name(store->file, failure);
    return error ? error : open_for_writing(store, failure);
}

/* Opens it for reading and writing; takes no lock yet. */
static int connect_writing(struct store *store, struct failure *failure)
{
    int error = check_file(store->file, true, failure);
    return error ? error : open_for_writing(store, failure);
}

int connect_without_writer(struct store *store, struct failure *failure)
{
    struct store other = {.path = store->path, .file = store->file};
    int result = open_file(&other, &way_to_write, 0);
    if (result == SQLITE_OK)
        result = sqlite3_exec(other.db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    sqlite3_close(other.db);
    if (!is_busy(result))
        return 0;
    return fail_with(failure, -EBUSY,
                     "the store %.300s is being written by another assay. Wait until it ends.",
                     store->path);
}

static int count_down(void *budget)
{
    int64_t *left = budget;
    return --*left < 0;
}

static int check_pages(struct store *store, struct failure *failure)
{
    struct stat status;
    if (stat(store->file, &status) < 0 || status.st_size > CHEAP_CHECK_BYTES)
        return 0;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, "PRAGMA integrity_check(1)", &statement, failure);
    if (error)
        return error;
    int got = store_step(store, statement, "check", failure);
    if (got < 0)
        return got;
    const char *answer = NULL;
    if (got && column_text(statement, 0, &answer) && strcmp(answer, "ok") == 0)
        return 0;
    /* What cannot be read for want of memory is among the findings, with SQLite's code of that. */
    if (answer && strstr(answer, "error code=7"))
        return fail_with(failure, -ENOMEM, "out of memory while %.300s was checked", store->path);
    const char *finding = answer ? strrchr(answer, '\n') : NULL; /* after a heading */
    finding = finding ? finding + 1 : answer;
    return store_damaged(store->path, finding ? finding : "it cannot be checked", failure);
}

static int check_finished(struct store *store, struct failure *failure)
{
    AUTO_FREE char *finished = NULL, *checksum = NULL;
    int error = store_get_meta(store, "finished", &finished, failure);
    if (!error)
        error = store_get_meta(store, "checksum", &checksum, failure);
    store->finished = finished != NULL;
    if (!error && !store->salvage && /* one of these without the others is damage, too */
        (finished || checksum || store->content))
        error = checksum_verify(store, failure);
    return error;
}

void connect_limit(struct store *store, unsigned passes)
{
    int64_t bytes = file_bytes(store->file, "") + file_bytes(store->file, "-wal");
    store->steps_left = passes * (CHECK_STEPS + CHECK_STEPS_A_BYTE * bytes) / STEPS_A_TICK;
    if (passes)
        sqlite3_progress_handler(store->db, STEPS_A_TICK, count_down, &store->steps_left);
    else
        sqlite3_progress_handler(store->db, 0, NULL, NULL);
}

/* --- Stores by their names: made or opened, finished, closed --- */

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
    error = connect_new(opened, failure);
    if (!error)
        error = schema_create(opened, failure);
    if (!error)
        error = store_execute(opened, "BEGIN IMMEDIATE", "write to", failure);
    if (!error)
        error = put_run(opened, run, failure);
    if (!error) {
        AUTO_STATEMENT sqlite3_stmt *statement = NULL;
        error = store_prepare(opened,
                              "INSERT INTO fact(position, key, value, error) VALUES(?, ?, ?, ?)",
                              &statement, failure);
        for (size_t i = 0; !error && run->facts && i < run->facts->count; i++) {
            BIND(statement, 1, NUMBER((int64_t)i + 1), TEXT(run->facts->list[i].key),
                 TEXT(run->facts->list[i].value), NUMBER(run->facts->list[i].error));
            error = store_step(opened, statement, "write to", failure);
            sqlite3_reset(statement);
        }
    }
    if (!error)
        error = store_execute(opened, "COMMIT", "write to", failure);
    if (!error)
        error = writer_begin(opened, failure);
    if (error) {
        store_close(opened);
        store_remove_files(path);
        return error;
    }
    *store = opened;
    return 0;
}

struct opening {
    bool writable, listing, salvage;
};

static int open_named(struct store **store, const char *path, struct opening how,
                      struct failure *failure)
{
    *store = NULL;
    unsigned number = 0;
    size_t length = length_before_number(path, &number);
    AUTO_FREE char *file = length ? strndup(path, length) : strdup(path);
    if (!file)
        return fail_with(failure, -ENOMEM, "memory ran out while opening %.300s", path);
    struct store *opened = make_handle(path, file, failure);
    if (!opened)
        return -ENOMEM;
    opened->numbered = length;
    opened->number = number;
    opened->listing = how.listing || how.writable; /* which one does not matter then */
    opened->salvage = how.salvage;
    int error = how.writable ? connect_writing(opened, failure) : connect_reading(opened, failure);
    if (!error) {
        /* Is it a sound store, and is it finished? Bounded in time whatever the file holds. */
        connect_limit(opened, 1);
        bool began = false;
        error = schema_version(opened, failure);
        if (!error)
            error = snapshot_begin(opened, &began, failure);
        if (!error)
            error = schema_compare(opened, failure);
        if (!error && !opened->salvage)
            error = check_pages(opened, failure);
        if (!error && opened->collection)
            error = collection_enter(opened, failure);
        if (!error && (!opened->collection || opened->number))
            error = check_finished(opened, failure);
        snapshot_end(opened, began);
        connect_limit(opened, 0);
    }
    if (!error && opened->numbered && !opened->collection)
        error =
            fail_with(failure, -EINVAL,
                      "%.300s is a store of one run, not a collection: leave #%u out of its name.",
                      opened->file, opened->number);
    if (!error && how.writable && opened->collection)
        error =
            fail_with(failure, -EINVAL,
                      "%.300s is a collection of runs: it can be read, but no run in it can go on. "
                      "Choose another file with --store.",
                      opened->file);
    if (!error && how.writable && !opened->finished)
        error = writer_begin(opened, failure);
    if (!error && opened->writer && opened->schema < STORE_SCHEMA)
        error = schema_upgrade(opened, failure);
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
