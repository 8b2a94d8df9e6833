/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store in bad times: file systems that refuse (space, locks, shared memory, permission). What
 * was committed stays, the text says what to do, and nothing crashes. Refusals are made by
 * replacing the system calls SQLite makes; the real thing (a full tmpfs) where it may be mounted.
 */
#include "store-fixture.h"

#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "store/handle.h"

/* --- refusing system calls --- */

static void replace_call(const char *name, sqlite3_syscall_ptr call)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    vfs->xSetSystemCall(vfs, name, call);
}

static void restore_calls(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    vfs->xSetSystemCall(vfs, NULL, NULL);
}

static int64_t space_left;

static ssize_t pwrite_with_space(int fd, const void *bytes, size_t size, off_t offset)
{
    if (space_left < (int64_t)size) {
        errno = ENOSPC;
        return -1;
    }
    space_left -= (int64_t)size;
    return pwrite(fd, bytes, size, offset);
}

static void limit_space(int64_t bytes)
{
    space_left = bytes;
    replace_call("pwrite", (sqlite3_syscall_ptr)pwrite_with_space);
    replace_call("pwrite64", (sqlite3_syscall_ptr)pwrite_with_space);
}

static void *mmap_refused(void *address, size_t size, int protection, int flags, int fd,
                          off_t offset)
{
    (void)address, (void)size, (void)protection, (void)flags, (void)fd, (void)offset;
    errno = ENODEV; /* as file systems without shared mappings do */
    return MAP_FAILED;
}

static int fcntl_without_locks(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) {
        errno = ENOLCK;
        return -1;
    }
    return fcntl(fd, command, argument);
}

/* A file system that does not even know of shared memory: SQLite's own one, version 1. */
static sqlite3_io_methods plain_methods[2]; /* files with locks (databases), files without */
static sqlite3_vfs plain_vfs;

static int open_plain(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                      int *out)
{
    sqlite3_vfs *unix_vfs = vfs->pAppData;
    int result = unix_vfs->xOpen(unix_vfs, name, file, flags, out);
    if (result == SQLITE_OK) {
        sqlite3_io_methods *methods = &plain_methods[!(flags & SQLITE_OPEN_MAIN_DB)];
        *methods = *file->pMethods;
        methods->iVersion = 1;
        file->pMethods = methods;
    }
    return result;
}

static void use_plain_vfs(void)
{
    sqlite3_vfs *unix_vfs = sqlite3_vfs_find("unix");
    plain_vfs = *unix_vfs;
    plain_vfs.zName = "plain";
    plain_vfs.pNext = NULL;
    plain_vfs.pAppData = unix_vfs;
    plain_vfs.xOpen = open_plain;
    sqlite3_vfs_register(&plain_vfs, 1);
}

static void use_unix_vfs(void)
{
    sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
    if (sqlite3_vfs_find("plain"))
        sqlite3_vfs_unregister(&plain_vfs);
}

static int restore_and_tear_down(void **state)
{
    restore_calls();
    use_unix_vfs();
    return teardown(state);
}

/* --- steps many tests share --- */

/* Writes what is pending and finishes. 0 or the first error. */
static int go_on(struct fixture *fixture, struct store *store, struct failure *refusal)
{
    struct visit *visits = NULL;
    size_t count = 0;
    int error = store_visits(store, true, &visits, &count, refusal);
    for (size_t i = 0; !error && i < count; i++) {
        error = put_visit(store, fixture, visits[i], refusal);
        if (!error && i % 3 == 0)
            error = store_commit(store, refusal);
    }
    free(visits);
    return error ? error : store_finish(store, refusal);
}

/* Whole visits only, all of them right; how many are pending. */
static size_t check_whole(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    struct seen seen = {0};
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    struct visit *visits = NULL;
    size_t pending = 0;
    must(store_visits(store, true, &visits, &pending, failure));
    for (size_t i = 0; i < pending; i++)
        assert_int_equal(seen.of_visit[visits[i].cell][visits[i].process], 0);
    free(visits);
    store_close(store);
    return pending;
}

static void resume_to_the_end(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_open(&store, fixture->path, true, failure));
    must(go_on(fixture, store, failure));
    store_close(store);
    assert_int_equal(check_whole(fixture), 0);
}

/* --- full disk --- */

/* A whole run; -ENOSPC at any point must leave a store that can go on, or none at all. */
static int run_in_little_space(struct fixture *fixture, struct failure *refusal)
{
    struct store *store = NULL;
    int error = store_create(&store, fixture->path, &fixture->run, refusal);
    if (!error)
        error = store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS,
                               refusal);
    if (!error)
        error = go_on(fixture, store, refusal);
    store_close(store);
    return error;
}

static bool has_plan(struct fixture *fixture)
{
    struct store *store = NULL;
    struct store_info info;
    must(store_open(&store, fixture->path, false, failure));
    must(store_info(store, &info, failure));
    bool planned = info.cells > 0;
    store_info_release(&info);
    store_close(store);
    return planned;
}

TEST_WITH(a_full_disk_at_any_moment_loses_nothing_committed, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    int refused = 0, resumed = 0;
    for (int64_t space = 0;; space += 5000) {
        struct failure refusal = {0};
        limit_space(space);
        int error = run_in_little_space(fixture, &refusal);
        restore_calls();
        if (error) {
            refused++;
            assert_int_equal(error, -ENOSPC);
            expect_words(&refusal, "disk is full");
            expect_words(&refusal, fixture->path);
        }
        if (exists(fixture->path, "") && has_plan(fixture)) {
            resumed += check_whole(fixture) > 0;
            resume_to_the_end(fixture);
        }
        nftw(fixture->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        mkdir(fixture->folder, 0755);
        if (!error)
            break;
    }
    assert_true(refused > 10);
    assert_true(resumed > 3);
}

TEST_WITH(after_a_failed_write_every_write_says_why_and_reading_goes_on, setup,
          restore_and_tear_down)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(put_visit(store, fixture, fixture->visits[0], failure));
    must(store_commit(store, failure));
    limit_space(0);
    struct failure first = {0}, second = {0};
    must(put_visit(store, fixture, fixture->visits[1], failure)); /* still in memory */
    assert_int_equal(store_commit(store, &first), -ENOSPC);
    restore_calls();
    assert_int_equal(put_visit(store, fixture, fixture->visits[2], &second), -ENOSPC);
    assert_string_equal(first.text, second.text);
    assert_int_equal(store_finish(store, NULL), -ENOSPC);
    struct seen seen = {0};
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    assert_int_equal(seen.of_visit[fixture->visits[1].cell][fixture->visits[1].process], 0);
    store_close(store);
    assert_int_equal(check_whole(fixture), PLAN_VISITS - 1);
    resume_to_the_end(fixture);
}

TEST_WITH(a_limit_on_file_sizes_reads_as_a_full_disk, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {144000, 144000};
        struct failure refusal = {0};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        int error = run_in_little_space(fixture, &refusal);
        if (error == -EFBIG && strstr(refusal.text, "disk is full"))
            _exit(0);
        fprintf(stderr, "# %d: %s\n", error, refusal.text);
        _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    resume_to_the_end(fixture);
}

TEST_WITH(a_full_file_system_is_survived, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    if (mount("assay-test", fixture->folder, "tmpfs", 0, "size=300k") < 0)
        skip_because("mounting a small file system is refused: %s", strerror(errno));
    struct failure refusal = {0};
    char filler[160];
    snprintf(filler, sizeof(filler), "%s/filler", fixture->folder);
    int fd = open(filler, O_WRONLY | O_CREAT, 0600);
    bool filled = posix_fallocate(fd, 0, 120 << 10) == 0;
    close(fd);
    int error = run_in_little_space(fixture, &refusal);
    unlink(filler);
    if (error == -ENOSPC)
        resume_to_the_end(fixture);
    umount2(fixture->folder, MNT_DETACH);
    assert_true(filled);
    assert_int_equal(error, -ENOSPC);
    expect_words(&refusal, "disk is full");
}

/* --- no WAL --- */

static void refuse_mmap(void)
{
    replace_call("mmap", (sqlite3_syscall_ptr)mmap_refused);
}

static void (*const ways_to_lose_wal[])(void) = {use_plain_vfs, refuse_mmap};

TEST_WITH(without_wal_a_rollback_journal_serves, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 2; i++) {
        ways_to_lose_wal[i]();
        struct store *store = create(fixture);
        assert_false(exists(fixture->path, "-wal"));
        must(put_visit(store, fixture, fixture->visits[0], failure));
        must(store_commit(store, failure));
        struct store *reader = NULL; /* readers are welcome as with WAL */
        must(store_open(&reader, fixture->path, false, failure));
        store_close(reader);
        store_close(store);
        assert_int_equal(check_whole(fixture), PLAN_VISITS - 1);
        resume_to_the_end(fixture);
        assert_false(exists(fixture->path, "-shm") || exists(fixture->path, "-journal"));
        unlink(fixture->path);
        restore_calls();
        use_unix_vfs();
    }
}

/* Leaves a store as a killed writer does, with a visit committed and one under way. */
static void leave_behind(struct fixture *fixture, void (*lose_wal)(void))
{
    pid_t child = fork();
    if (child == 0) {
        if (lose_wal)
            lose_wal();
        struct store *store = NULL;
        if (store_create(&store, fixture->path, &fixture->run, NULL) < 0 ||
            store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS, NULL) ||
            put_visit(store, fixture, fixture->visits[0], NULL) < 0 ||
            store_commit(store, NULL) < 0 ||
            put_runs(store, &fixture->cells[fixture->visits[1].cell - 1],
                     fixture->visits[1].process, 0, 20, NULL) < 0)
            _exit(1);
        /* what does not fit in memory is written before its time: that needs rolling back */
        sqlite3_db_cacheflush(store->db);
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
}

TEST_WITH(a_store_left_in_wal_is_resumed_where_there_is_none, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 2; i++) {
        leave_behind(fixture, NULL);
        assert_true(exists(fixture->path, "-wal"));
        ways_to_lose_wal[i]();
        resume_to_the_end(fixture);
        unlink(fixture->path);
        restore_calls();
        use_unix_vfs();
    }
}

TEST_WITH(a_killed_writer_without_wal_leaves_whole_visits, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    leave_behind(fixture, use_plain_vfs);
    assert_true(exists(fixture->path, "-journal"));
    assert_int_equal(check_whole(fixture), PLAN_VISITS - 1);
    resume_to_the_end(fixture);
}

/* --- no locks --- */

TEST_WITH(without_locks_a_store_is_refused_and_a_finished_one_read, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    struct failure refusal = {0};
    replace_call("fcntl", (sqlite3_syscall_ptr)fcntl_without_locks);
    assert_int_equal(store_create(&store, fixture->path, &fixture->run, &refusal), -ENOLCK);
    expect_words(&refusal, "refuses locks");
    assert_false(exists(fixture->path, ""));
    restore_calls();
    leave_behind(fixture, NULL);
    replace_call("fcntl", (sqlite3_syscall_ptr)fcntl_without_locks);
    assert_int_equal(store_open(&store, fixture->path, true, &refusal), -ENOLCK);
    expect_words(&refusal, "refuses locks");
    assert_int_equal(store_open(&store, fixture->path, false, &refusal), -ENOLCK);
    restore_calls();
    resume_to_the_end(fixture);
    replace_call("fcntl", (sqlite3_syscall_ptr)fcntl_without_locks);
    assert_int_equal(check_whole(fixture), 0);
}

/* --- no permission --- */

/* Runs a check as an unprivileged user: root may do everything. */
static int as_nobody(int (*check)(struct fixture *), struct fixture *fixture)
{
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
            _exit(77);
        _exit(check(fixture));
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define ASSERT_AS_NOBODY(check, fixture)                                                           \
    do {                                                                                           \
        int result = as_nobody(check, fixture);                                                    \
        chmod((fixture)->folder, 0755);                                                            \
        if (result == 77)                                                                          \
            skip_because("this process may not change its user");                                  \
        assert_int_equal(result, 0);                                                               \
    } while (0)

static int read_all(struct fixture *fixture, uint64_t *samples, struct failure *refusal)
{
    struct store *store = NULL;
    struct seen seen = {0};
    int error = store_open(&store, fixture->path, false, refusal);
    if (!error)
        error = store_each_sample(store, 0, see, &seen, refusal);
    store_close(store);
    *samples = seen.samples;
    return error ? error : seen.wrong ? -EBADMSG : 0;
}

static int check_read_only(struct fixture *fixture)
{
    struct store *store = NULL;
    struct failure refusal = {0};
    uint64_t samples = 0;
    if (read_all(fixture, &samples, &refusal) < 0 || samples == 0)
        return fprintf(stderr, "# %s\n", refusal.text), 1;
    if (store_open(&store, fixture->path, true, &refusal) != -EACCES ||
        !strstr(refusal.text, "permissions"))
        return 2;
    char other[160];
    snprintf(other, sizeof(other), "%s/other.sqlite", fixture->folder);
    if (store_create(&store, other, &fixture->run, &refusal) != -EACCES ||
        !strstr(refusal.text, "permissions"))
        return 3;
    return 0;
}

TEST_WITH(a_read_only_folder_can_be_read, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    chmod(fixture->path, 0444);
    chmod(fixture->folder, 0555);
    ASSERT_AS_NOBODY(check_read_only, fixture);
}

TEST_WITH(a_store_left_in_a_read_only_folder_can_be_read, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    leave_behind(fixture, NULL);
    chmod(fixture->path, 0444); /* also when it is our own */
    chmod(fixture->folder, 0555);
    ASSERT_AS_NOBODY(check_read_only, fixture);
}

static int check_hot_journal(struct fixture *fixture)
{
    struct failure refusal = {0};
    uint64_t samples = 0;
    int error = read_all(fixture, &samples, &refusal);
    return error < 0 && strstr(refusal.text, "permissions") ? 0 : 1;
}

TEST_WITH(a_store_that_needs_recovery_it_may_not_have_says_so, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    leave_behind(fixture, use_plain_vfs);
    chmod(fixture->path, 0444);
    chmod(fixture->folder, 0555);
    ASSERT_AS_NOBODY(check_hot_journal, fixture);
}

/* --- wrong places --- */

TEST_WITH(names_that_cannot_be_stores_are_refused, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    char loop[160], fifo[160], deep[160], long_name[700], inside[170];
    snprintf(loop, sizeof(loop), "%s/loop", fixture->folder);
    snprintf(fifo, sizeof(fifo), "%s/fifo", fixture->folder);
    snprintf(deep, sizeof(deep), "%s/none/store.sqlite", fixture->folder);
    snprintf(inside, sizeof(inside), "%s/store", loop);
    memset(long_name, 'x', sizeof(long_name) - 1);
    for (size_t i = 200; i < sizeof(long_name) - 1; i += 200)
        long_name[i] = '/';
    long_name[sizeof(long_name) - 1] = '\0';
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const struct {
        const char *path;
        int open_error, create_error;
    } cases[] = TABLE({deep, -ENOENT, -ENOENT}, {fixture->folder, -EISDIR, -EEXIST},
                      {loop, -ELOOP, -EEXIST}, {inside, -ELOOP, -ELOOP}, {fifo, -EINVAL, -EEXIST},
                      {"/dev/zero", -EINVAL, -EEXIST}, {"/dev/null/store", -ENOTDIR, -ENOTDIR},
                      {"", -ENOENT, -ENOENT}, {long_name, -ENOENT, -ENOENT});
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store *store = NULL;
        struct failure refusal = {0};
        assert_int_equal(store_open(&store, cases[i].path, false, &refusal), cases[i].open_error);
        assert_true(strlen(refusal.text) > 20);
        assert_int_equal(store_open(&store, cases[i].path, true, &refusal), cases[i].open_error);
        assert_int_equal(store_create(&store, cases[i].path, &fixture->run, &refusal),
                         cases[i].create_error);
        assert_true(strlen(refusal.text) > 20);
        assert_null(store);
    }
}

TEST_WITH(odd_names_are_plain_names, setup, restore_and_tear_down)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a b%20c?d#e.sqlite",
                                        "-journal"};
    assert_int_equal(chdir(fixture->folder), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(fixture->path, sizeof(fixture->path), "%s", names[i]);
        make_finished(fixture);
        assert_int_equal(access(names[i], F_OK), 0);
        replace_call("fcntl", (sqlite3_syscall_ptr)fcntl_without_locks); /* the way of URIs */
        assert_int_equal(check_whole(fixture), 0);
        restore_calls();
    }
    assert_int_equal(chdir("/"), 0);
}
