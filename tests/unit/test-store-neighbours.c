/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store among processes: one writer at a time, readers meanwhile, death at any moment. */
#include "store-fixture.h"
#include "store/handle.h"

/* --- one writer, many readers --- */

/* A process of its own, started before the store is open: SQLite's locks know processes, and a
 * child would take its parent's for its own. Both sides move on by a byte from the other. */
struct neighbour {
    pid_t pid;
    int to, from;
};

static void tell(int fd)
{
    assert_int_equal(write(fd, "!", 1), 1);
}

static void hear(int fd)
{
    char byte;
    assert_int_equal(read(fd, &byte, 1), 1);
}

static struct neighbour start(int (*live)(struct fixture *, int from, int to),
                              struct fixture *fixture)
{
    int there[2], back[2];
    assert_int_equal(pipe(there) | pipe(back), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(there[1]);
        close(back[0]);
        alarm(60);
        _exit(live(fixture, there[0], back[1]));
    }
    close(there[0]);
    close(back[1]);
    return (struct neighbour){pid, there[1], back[0]};
}

static void finish_neighbour(struct neighbour *neighbour)
{
    int status = -1;
    waitpid(neighbour->pid, &status, 0);
    close(neighbour->to);
    close(neighbour->from);
    assert_int_equal(status, 0);
}

static int try_to_write(struct fixture *fixture, int from, int to)
{
    struct store *second = NULL;
    struct failure refusal = {0};
    char holder[64], byte;
    snprintf(holder, sizeof(holder), "process %d on ", (int)getppid());
    if (read(from, &byte, 1) != 1)
        return 2;
    int error = store_open(&second, fixture->path, true, &refusal);
    return error == -EBUSY && strstr(refusal.text, holder) && write(to, "!", 1) == 1 ? 0 : 1;
}

TEST_WITH(a_second_writer_is_refused_by_name, setup, teardown)
{
    struct fixture *fixture = *state;
    struct neighbour neighbour = start(try_to_write, fixture);
    struct store *store = create(fixture);
    tell(neighbour.to);
    hear(neighbour.from);
    finish_neighbour(&neighbour);
    must(put_visit(store, fixture, fixture->visits[0], failure)); /* the first goes on */
    store_close(store);
    must(store_open(&store, fixture->path, true, failure)); /* and then it is free */
    store_close(store);
}

TEST_WITH(a_writer_that_was_overtaken_notices, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(put_visit(store, fixture, fixture->visits[0], failure));
    must(store_commit(store, failure));
    /* as if another had slipped in between two transactions */
    must(store_execute(store, "UPDATE meta SET value = 'process 1 on mars' WHERE key = 'writer'",
                       "change", failure));
    struct failure refusal = {0};
    assert_int_equal(store_commit(store, &refusal), -EBUSY);
    assert_non_null(strstr(refusal.text, "process 1 on mars"));
    assert_int_equal(put_visit(store, fixture, fixture->visits[1], &refusal), -EBUSY);
    store_close(store);
}

TEST_WITH(readers_see_whole_visits_while_it_is_written, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *writer = create(fixture), *reader = NULL;
    must(put_visit(writer, fixture, fixture->visits[0], failure));
    must(store_commit(writer, failure));
    struct visit visit = fixture->visits[1];
    must(put_runs(writer, &fixture->cells[visit.cell - 1], visit.process, 0, 20, failure));
    must(store_commit(writer, failure)); /* waits for the visit's end */
    must(store_open(&reader, fixture->path, false, failure));
    struct seen seen = {0};
    must(store_each_sample(reader, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    assert_int_equal(seen.of_visit[visit.cell][visit.process], 0);
    assert_int_equal(count_pending(reader), PLAN_VISITS - 1);
    assert_int_equal(store_put_batch(reader, &(struct batch){0}, NULL), -EROFS);
    store_close(reader);
    store_close(writer);
}

static uint64_t cells_seen(const struct fixture *fixture)
{
    struct store *reader = NULL;
    struct store_info info = {0};
    must(store_open(&reader, fixture->path, false, failure));
    must(store_info(reader, &info, failure));
    uint64_t cells = info.cells;
    store_info_release(&info);
    store_close(reader);
    return cells;
}

/* Killed in between, a run must not be resumed as one whose counts nothing predicts. */
TEST_WITH(a_plan_is_there_with_its_truths_or_not_at_all, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS, failure));
    assert_int_equal(cells_seen(fixture), 0);
    must(store_put_truth(store, 1, 0, "page-faults", 7, "proven", failure));
    assert_int_equal(cells_seen(fixture), 0);
    must(store_commit(store, failure));
    assert_int_equal(cells_seen(fixture), PLAN_CELLS);
    store_close(store);
}

TEST_WITH(finished_visits_are_committed_without_being_asked, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *writer = create(fixture), *reader = NULL;
    usleep(300000); /* longer than a commit may be put off */
    must(put_visit(writer, fixture, fixture->visits[0], failure));
    must(store_open(&reader, fixture->path, false, failure));
    assert_int_equal(count_pending(reader), PLAN_VISITS - 1);
    store_close(reader);
    store_close(writer);
}

/* Once told to, and says so; NULL: it could not. */
static sqlite3 *begin_a_reading(const struct fixture *fixture, const char *query, int from, int to)
{
    char byte;
    sqlite3 *db = NULL;
    if (read(from, &byte, 1) != 1 ||
        sqlite3_open_v2(fixture->path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_exec(db, query, NULL, NULL, NULL) != SQLITE_OK || write(to, "!", 1) != 1)
        return NULL;
    return db;
}

static int hold_a_reading(struct fixture *fixture, int from, int to)
{
    char byte;
    sqlite3 *db = begin_a_reading(fixture, "BEGIN; SELECT * FROM meta", from, to);
    if (!db || read(from, &byte, 1) != 1)
        return 1;
    sqlite3_close(db);
    return 0;
}

/* Nothing is read any more, but SQLite does not wait for a connection that is still there. */
static int read_for_a_moment(struct fixture *fixture, int from, int to)
{
    sqlite3 *db = begin_a_reading(fixture, "SELECT * FROM meta", from, to);
    if (!db)
        return 1;
    usleep(100000);
    sqlite3_close(db);
    return 0;
}

TEST_WITH(a_reader_that_goes_away_is_waited_for, setup, teardown)
{
    struct fixture *fixture = *state;
    struct neighbour neighbour = start(read_for_a_moment, fixture);
    struct store *store = create(fixture);
    tell(neighbour.to);
    hear(neighbour.from);
    must(store_finish(store, failure));
    finish_neighbour(&neighbour);
    store_close(store);
}

TEST_WITH(a_reader_may_keep_the_run_from_becoming_one_file, setup, teardown)
{
    struct fixture *fixture = *state;
    struct neighbour neighbour = start(hold_a_reading, fixture);
    struct store *store = create(fixture);
    tell(neighbour.to);
    hear(neighbour.from);
    struct failure refusal = {0};
    assert_int_equal(store_finish(store, &refusal), -EBUSY);
    assert_non_null(strstr(refusal.text, "complete and safe"));
    tell(neighbour.to);
    finish_neighbour(&neighbour);
    store_close(store);
    must(store_open(&store, fixture->path, false, failure));
    struct store_info info;
    must(store_info(store, &info, failure));
    assert_non_null(info.finished);
    store_info_release(&info);
    store_close(store);
}

/* As somebody who may not write to it. */
static int read_what_is_locked(struct fixture *fixture, int from, int to)
{
    struct store *store = NULL;
    struct failure refusal = {0};
    char byte;
    if (read(from, &byte, 1) != 1 || (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)))
        return 2;
    int error = store_open(&store, fixture->path, false, &refusal);
    store_close(store);
    return error == -EBUSY && write(to, "!", 1) == 1 ? 0 : 1;
}

/* A file without WAL has no journal between two changes, however much is written to it. */
TEST_WITH(a_file_without_companions_may_have_a_writer, setup, teardown)
{
    struct fixture *fixture = *state;
    struct neighbour neighbour = start(read_what_is_locked, fixture);
    struct store *store = create(fixture);
    sqlite3 *writer = NULL;
    must(store_finish(store, failure));
    store_close(store);
    assert_int_equal(sqlite3_open(fixture->path, &writer), SQLITE_OK);
    assert_int_equal(sqlite3_exec(writer, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(chmod(fixture->folder, 0755) | chmod(fixture->path, 0444), 0);
    tell(neighbour.to);
    hear(neighbour.from);
    finish_neighbour(&neighbour);
    sqlite3_close(writer);
}

/* --- death at any moment --- */

/* Writes what is pending, committing at random; 0 or the first error. */
static int write_pending(struct fixture *fixture, struct store *store, struct failure *refusal)
{
    struct visit *visits = NULL;
    size_t count = 0;
    int error = store_visits(store, true, &visits, &count, refusal);
    for (size_t i = 0; !error && i < count; i++) {
        error = put_visit(store, fixture, visits[i], refusal);
        if (!error && rand() % 3 == 0)
            error = store_commit(store, refusal);
        usleep((useconds_t)(rand() % 2000));
    }
    free(visits);
    return error ? error : store_finish(store, refusal);
}

static void write_until_killed(struct fixture *fixture)
{
    struct store *store = NULL;
    struct failure refusal = {0};
    int error = store_open(&store, fixture->path, true, &refusal);
    if (!error)
        error = write_pending(fixture, store, &refusal);
    if (error)
        print_message("# the writer says: %s\n", refusal.text);
    _exit(error != 0);
}

/* Every visit is pending and empty, or done and whole; done ones are the first of the plan. */
static size_t check_whole_visits(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    struct seen seen = {0};
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    size_t pending = count_pending(store);
    for (size_t i = 0; i < PLAN_VISITS; i++) {
        struct visit visit = fixture->visits[i];
        uint64_t whole = (uint64_t)PLAN_RUNS * fixture->cells[visit.cell - 1].counters;
        bool done = i < PLAN_VISITS - pending;
        assert_int_equal(seen.of_visit[visit.cell][visit.process], done ? whole : 0);
    }
    store_close(store);
    return pending;
}

/* One writer; killed after a while unless that is negative. True when it was. */
static bool write_in_a_process(struct fixture *fixture, int round, int microseconds)
{
    pid_t child = fork();
    if (child == 0) {
        srand((unsigned)round);
        write_until_killed(fixture);
    }
    if (microseconds >= 0) {
        usleep((useconds_t)microseconds);
        kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFSIGNALED(status);
}

TEST_WITH(a_killed_writer_leaves_whole_visits_and_can_be_resumed, setup, teardown)
{
    struct fixture *fixture = *state;
    store_close(create(fixture));
    srand(1);
    int killed = 0, round = 0;
    for (; killed < 60 && round < 400; round++) {
        if (check_whole_visits(fixture) == 0) { /* it got through: another one */
            unlink(fixture->path);
            store_close(create(fixture));
        }
        killed += write_in_a_process(fixture, round, rand() % 12000);
    }
    write_in_a_process(fixture, round, -1);
    assert_int_equal(check_whole_visits(fixture), 0);
    assert_true(killed > 0);
}
