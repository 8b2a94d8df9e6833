/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Several runs in one file: each is there as the store that it was, to the last value, and the file
 * appears whole or not at all. */
#include "store-fixture.h"

#include "store-dump.h"
#include "store/store.h"

#define NAME 200

/* A path in the fixture's folder. */
static const char *in_folder(const struct fixture *fixture, const char *name, char path[NAME])
{
    snprintf(path, NAME, "%s/%s", fixture->folder, name);
    return path;
}

static const char *numbered(const char *path, unsigned number, char name[NAME])
{
    snprintf(name, NAME, "%.150s#%u", path, number);
    return name;
}

/* A store with every kind of cell, of its own seed. */
static void make_run(struct fixture *fixture, const char *name, const char *command, uint64_t seed,
                     bool finished)
{
    char path[NAME];
    snprintf(fixture->path, sizeof(fixture->path), "%.120s", in_folder(fixture, name, path));
    fixture->run.command = command;
    fixture->run.seed = seed;
    make_with_commands(fixture, finished);
}

static void collect(const struct fixture *fixture, const char *name, const char *const *from,
                    size_t count, char path[NAME])
{
    char sources[8][NAME];
    const char *list[8];
    for (size_t i = 0; i < count; i++)
        list[i] = in_folder(fixture, from[i], sources[i]);
    must(collection_write(in_folder(fixture, name, path), list, count, NULL, failure));
}

/* The number of files in the fixture's folder. */
static int count_files(const struct fixture *fixture)
{
    char command[NAME];
    snprintf(command, sizeof(command), "ls -A %s | wc -l", fixture->folder);
    FILE *pipe = popen(command, "r");
    int count = -1;
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

static void expect_same(const char *one, const char *other)
{
    AUTO_TEXT struct text first = {0}, second = {0};
    must(dump(one, &first, failure));
    must(dump(other, &second, failure));
    assert_true(first.length > 1000);
    assert_string_equal(text_string(&first), text_string(&second));
}

TEST_WITH(every_run_is_there_as_it_was, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const from[] = {"a.sqlite", "b.sqlite", "c.sqlite"};
    char path[NAME], name[NAME], source[NAME];
    make_run(fixture, from[0], "measure", 1, true);
    make_run(fixture, from[1], "error", 2, true);
    make_run(fixture, from[2], "measure", 3, false);
    collect(fixture, "all.sqlite", from, 3, path);
    for (unsigned i = 0; i < 3; i++)
        expect_same(in_folder(fixture, from[i], source), numbered(path, i + 1, name));
    struct run_list runs = {0};
    must(run_list_read(path, &runs, failure));
    assert_int_equal(runs.count, 3);
    assert_int_equal(runs.list[1].number, 2);
    assert_string_equal(runs.list[1].name, numbered(path, 2, name));
    assert_string_equal(runs.list[1].command, "error");
    assert_string_equal(runs.list[1].fingerprint, "0123456789abcdef");
    assert_non_null(runs.list[1].finished);
    assert_null(runs.list[2].finished);
    run_list_release(&runs);
}

TEST_WITH(a_name_must_say_which_run, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const from[] = {"a.sqlite", "b.sqlite"};
    char path[NAME], name[NAME];
    make_run(fixture, from[0], "measure", 1, true);
    make_run(fixture, from[1], "error", 2, true);
    collect(fixture, "all.sqlite", from, 2, path);
    struct store *store = NULL;
    struct failure refusal = {0};
    assert_int_equal(store_open(&store, path, false, &refusal), -EINVAL);
    expect_words(&refusal, "holds 2 runs");
    expect_words(&refusal, "#1 measure of 0123456789abcdef, 20");
    expect_words(&refusal, "#2 error of");
    assert_int_equal(store_open(&store, numbered(path, 3, name), false, &refusal), -ENOENT);
    expect_words(&refusal, "no run 3");
    assert_int_equal(store_open(&store, numbered(path, 0, name), false, &refusal), -ENOENT);
    assert_int_equal(store_open(&store, numbered(path, 1, name), true, &refusal), -EINVAL);
    expect_words(&refusal, "collection");
    expect_words(&refusal, "--store");
    assert_int_equal(store_open(&store, path, true, &refusal), -EINVAL);
    assert_int_equal(store_open(&store, numbered(fixture->path, 1, name), false, &refusal),
                     -EINVAL);
    expect_words(&refusal, "leave #1 out");
    assert_null(store);
}

TEST_WITH(a_file_may_have_such_a_name, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const from[] = {"a#7", "odd#"};
    char path[NAME], name[NAME], source[NAME];
    make_run(fixture, "odd#", "measure", 1, true);
    make_run(fixture, "a#7", "measure", 2, true);
    collect(fixture, "a", from, 2, path);
    expect_same(in_folder(fixture, "a#7", source), numbered(path, 1, name));
    expect_same(in_folder(fixture, "odd#", source), numbered(path, 2, name));
    struct run_list runs = {0};
    must(run_list_read(in_folder(fixture, "a#7", source), &runs, failure));
    assert_int_equal(runs.list[0].number, 0);
    run_list_release(&runs);
}

/* Rows that are put into a table, on whichever connection; with the last of them the user loses
 * patience. */
static struct {
    const char *table;
    int rows, last;
    volatile int stop;
} watched;

static int see_statement(unsigned kind, void *context, void *statement, void *text)
{
    (void)kind;
    (void)context;
    (void)text;
    const char *into = strstr(sqlite3_sql(statement), "INTO ");
    if (into && strncmp(into + 5, watched.table, strlen(watched.table)) == 0 &&
        ++watched.rows == watched.last)
        watched.stop = 1;
    return 0;
}

static int watch_statements(sqlite3 *db, char **error, const void *api)
{
    (void)error;
    (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, see_statement, NULL);
}

static int collect_until(const char *all, const char *from, const char *table, int last)
{
    const struct salvage nobody = {0};
    struct failure refusal = {0};
    watched.table = table;
    watched.last = last;
    watched.stop = watched.rows = 0;
    sqlite3_auto_extension((void (*)(void))watch_statements);
    int error = last % 2 ? collection_write(all, &from, 1, &watched.stop, &refusal)
                         : collection_salvage(all, &from, 1, &nobody, &watched.stop, &refusal);
    sqlite3_cancel_auto_extension((void (*)(void))watch_statements);
    if (error)
        expect_words(&refusal, "all.sqlite was not made");
    return error;
}

TEST_WITH(whoever_is_stopped_leaves_nothing, setup, teardown)
{
    struct fixture *fixture = *state;
    char all[NAME];
    make_run(fixture, "a.sqlite", "measure", 1, true);
    in_folder(fixture, "all.sqlite", all);
    static const char *const tables[] = {"cell", "counter", "visit", "sample_packed"};
    for (size_t damaged = 0; damaged < 2; damaged++) {
        for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
            for (int last = damaged ? 2 : 1; last < 4; last += 1 + (int)damaged) {
                assert_int_equal(collect_until(all, fixture->path, tables[i], last), -EINTR);
                assert_int_equal(watched.rows, last); /* not one more */
                assert_int_equal(count_files(fixture), 1);
            }
        change(fixture->path, "UPDATE sample_packed SET value = value + 1 WHERE key = "
                              "(SELECT max(key) FROM sample_packed)");
    }
    assert_int_equal(collect_until(all, fixture->path, "none", 2), 0);
}

TEST_WITH(a_store_being_written_is_not_taken, setup, teardown)
{
    struct fixture *fixture = *state;
    char all[NAME];
    struct store *writer = fill(fixture);
    const char *const from[] = {fixture->path};
    struct failure refusal = {0};
    in_folder(fixture, "all.sqlite", all);
    assert_int_equal(collection_write(all, from, 1, NULL, &refusal), -EBUSY);
    expect_words(&refusal, "being written");
    must(store_commit(writer, failure));
    store_close(writer);
    must(collection_write(all, from, 1, NULL, failure));
    expect_same(fixture->path, all);
}

/* Every schema that there was. */
TEST_WITH(older_stores_are_taken_as_they_are, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const newer[] = {
        ("DROP VIEW execution; DROP TABLE command; DROP TABLE subject; DROP TABLE executed;"
         "DROP TABLE system_call; DELETE FROM meta WHERE key IN ('finished', 'checksum');"
         "PRAGMA user_version=4"),
        "DROP VIEW look; DROP TABLE watch; DROP TABLE clock; PRAGMA user_version=3",
        ("DROP VIEW timed; DROP VIEW call; DROP TABLE tour; DROP TABLE operation;"
         "PRAGMA user_version=2"),
        "DROP TABLE event; DROP TABLE truth; DROP TABLE opcode; PRAGMA user_version=1",
    };
    char all[NAME], name[16];
    make_finished(fixture);
    for (size_t i = 0; i < 4; i++) {
        change(fixture->path, newer[i]);
        snprintf(name, sizeof(name), "%zu.sqlite", i);
        const char *const from[] = {fixture->path};
        must(collection_write(in_folder(fixture, name, all), from, 1, NULL, failure));
        expect_same(fixture->path, all);
        struct store *store = NULL;
        struct store_info info = {0};
        must(store_open(&store, all, false, failure));
        must(store_info(store, &info, failure));
        assert_int_equal(info.schema, 4 - (int)i);
        store_info_release(&info);
        store_close(store);
    }
}

TEST_WITH(views_tell_which_store_a_row_is_of, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const from[] = {"a.sqlite", "b.sqlite"};
    char path[NAME];
    make_run(fixture, from[0], "measure", 1, true);
    make_run(fixture, from[1], "measure", 2, true);
    collect(fixture, "all.sqlite", from, 2, path);
    static const char *const views[] = {"sample", "sample_u64", "reading",   "summary", "call",
                                        "timed",  "look",       "execution", "progress"};
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_stmt *attach = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, "ATTACH ? AS one", -1, &attach, NULL), SQLITE_OK);
    sqlite3_bind_text(attach, 1, fixture->path, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(attach), SQLITE_DONE);
    sqlite3_finalize(attach);
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        char query[400];
        sqlite3_stmt *rows = NULL;
        /* the store's rows are those of number 2, and as many as those of number 1 */
        snprintf(query, sizeof(query),
                 "SELECT (SELECT count(*) FROM (SELECT 2, * FROM one.%s EXCEPT SELECT * FROM %s)), "
                 "(SELECT count(*) FROM %s), 2 * (SELECT count(*) FROM one.%s)",
                 views[i], views[i], views[i], views[i]);
        if (sqlite3_prepare_v2(db, query, -1, &rows, NULL) != SQLITE_OK)
            fail_msg("%s: %s", views[i], sqlite3_errmsg(db));
        assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
        if (sqlite3_column_int(rows, 0) != 0 || sqlite3_column_int(rows, 1) < 2 ||
            sqlite3_column_int(rows, 1) != sqlite3_column_int(rows, 2))
            fail_msg("%s: %d rows differ, %d of %d", views[i], sqlite3_column_int(rows, 0),
                     sqlite3_column_int(rows, 1), sqlite3_column_int(rows, 2));
        sqlite3_finalize(rows);
    }
    sqlite3_close(db);
}
