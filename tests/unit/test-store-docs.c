/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * docs/store.md against the store: its examples run, and it knows every table, view and column. */
#include "store-fixture.h"

#include "base/cleanup.h"
#include "base/text.h"

static char *read_document(void)
{
    char path[4096];
    const char *source = getenv("ASSAY_SOURCE");
    snprintf(path, sizeof(path), "%s/docs/store.md", source ? source : ".");
    AUTO_FILE FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    AUTO_TEXT struct text content = {0};
    char line[1024];
    while (fgets(line, sizeof(line), file))
        text_puts(&content, line);
    return text_take(&content);
}

static sqlite3 *open_as_an_analyst(struct fixture *fixture)
{
    sqlite3 *db = NULL;
    make_finished_with_all(fixture);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    /* The examples look at warm calls. */
    const char *sql = "UPDATE tour SET cold = 0; PRAGMA query_only = 1";
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    return db;
}

/* Runs one statement and returns its rows. */
static int run_query(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s\n%s", sqlite3_errmsg(db), sql);
    int rows = 0, result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW)
        rows++;
    if (result != SQLITE_DONE)
        fail_msg("%s\n%s", sqlite3_errmsg(db), sql);
    sqlite3_finalize(statement);
    return rows;
}

TEST_WITH(every_example_runs_and_answers, setup, teardown)
{
    AUTO_FREE char *document = read_document();
    sqlite3 *db = open_as_an_analyst(*state);
    int examples = 0;
    static const char open_fence[] = "\n```sql\n", close_fence[] = "\n```\n";
    for (char *at = strstr(document, open_fence); at; at = strstr(at, open_fence)) {
        at += sizeof(open_fence) - 1;
        char *end = strstr(at, close_fence);
        assert_non_null(end);
        *end = '\0';
        if (run_query(db, at) == 0)
            fail_msg("no row comes of:\n%s", at);
        examples++;
        at = end + 1;
    }
    assert_true(examples > 8);
    sqlite3_close(db);
}

/* What the views tell is what the library reads. */
TEST_WITH(views_tell_what_was_written, setup, teardown)
{
    sqlite3 *db = open_as_an_analyst(*state);
    sqlite3_stmt *rows = NULL;
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT cell, process, run, counter, value, enabled, "
                                        "running, minor_faults, major_faults, voluntary, "
                                        "involuntary FROM reading",
                                        -1, &rows, NULL),
                     SQLITE_OK);
    int count = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        struct sample right = right_sample(
            (uint32_t)sqlite3_column_int(rows, 0), (uint32_t)sqlite3_column_int(rows, 1),
            (uint32_t)sqlite3_column_int(rows, 2), (uint32_t)sqlite3_column_int(rows, 3));
        const uint64_t wanted[] =
            TABLE(right.value, right.enabled, right.running, right.account.minor_faults,
                  right.account.major_faults, right.account.voluntary, right.account.involuntary);
        for (int i = 0; i < 7; i++)
            assert_true((uint64_t)sqlite3_column_int64(rows, 4 + i) == wanted[i]);
        count++;
    }
    assert_int_equal(count, (4 * PLAN_PROCESSES + 2 * TOUR_PROCESSES) * PLAN_RUNS + WATCH_SAMPLES);
    sqlite3_finalize(rows);
    assert_int_equal(run_query(db, "SELECT 1 FROM sample_u64 WHERE value = '18446744073709551615'"),
                     4 * PLAN_PROCESSES + 2 * TOUR_PROCESSES + (2 + 6 + 3) * WATCH_PROCESSES);
    sqlite3_close(db);
}

/* Every run of a tour, with the calls that the plan's text has in its place. */
TEST_WITH(the_view_of_calls_walks_the_tour, setup, teardown)
{
    static const char *const calls[TOUR_LENGTH] = {
        "timer.nothing", "perf-read.start", "perf-read.read*8", "perf-read.read", "perf-read.stop"};
    sqlite3 *db = open_as_an_analyst(*state);
    sqlite3_stmt *rows = NULL;
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT process, run, pass, operation, predecessor, event, "
                                        "value FROM timed WHERE cell = 4",
                                        -1, &rows, NULL),
                     SQLITE_OK);
    int count = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const uint32_t process = (uint32_t)sqlite3_column_int(rows, 0);
        const uint32_t run = (uint32_t)sqlite3_column_int(rows, 1);
        const bool first =
            strcmp((const char *)sqlite3_column_text(rows, 5), "instructions:u") == 0;
        const struct sample right = right_sample(TOUR_CELL, process, run, first ? 0 : 1);
        const char *before = (const char *)sqlite3_column_text(rows, 4);
        assert_int_equal(sqlite3_column_int(rows, 2), run / TOUR_LENGTH);
        assert_string_equal(sqlite3_column_text(rows, 3), calls[run % TOUR_LENGTH]);
        if (run == 0)
            assert_null(before);
        else
            assert_string_equal(before, calls[(run - 1) % TOUR_LENGTH]);
        assert_true((uint64_t)sqlite3_column_int64(rows, 6) == right.value);
        count++;
    }
    assert_int_equal(count, 2 * TOUR_PROCESSES * PLAN_RUNS);
    sqlite3_finalize(rows);
    sqlite3_close(db);
}

/* Where every reading stands, and which clock it is of. */
TEST_WITH(the_view_of_looks_knows_where_each_stands, setup, teardown)
{
    sqlite3 *db = open_as_an_analyst(*state);
    sqlite3_stmt *rows = NULL;
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT process, run, round, thread, look, clock, counter, "
                                        "value, part, kind, workload, length, threads, moves, "
                                        "handover, awake, partner, cell FROM look "
                                        "WHERE kind = 'interval'",
                                        -1, &rows, NULL),
                     SQLITE_OK);
    int count = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        static const int wanted[] = {20000, 2, 3, 1, 1, -1, WATCH_CELL};
        const int run = sqlite3_column_int(rows, 1), counter = sqlite3_column_int(rows, 6);
        const struct sample right = right_sample(WATCH_CELL, (uint32_t)sqlite3_column_int(rows, 0),
                                                 (uint32_t)run, (uint32_t)counter);
        assert_int_equal(sqlite3_column_int(rows, 2), run / 12);
        assert_int_equal(sqlite3_column_int(rows, 3), run % 12 / 6);
        assert_int_equal(sqlite3_column_int(rows, 4), run % 6);
        assert_string_equal(sqlite3_column_text(rows, 5), counter ? "monotonic-raw" : "lying");
        assert_true((uint64_t)sqlite3_column_int64(rows, 7) == right.value);
        assert_null(sqlite3_column_text(rows, 8));
        assert_string_equal(sqlite3_column_text(rows, 9), "interval");
        assert_string_equal(sqlite3_column_text(rows, 10), "sleep");
        for (int i = 0; i < 7; i++)
            assert_int_equal(sqlite3_column_int(rows, 11 + i), wanted[i]);
        count++;
    }
    assert_int_equal(count, 2 * WATCH_PROCESSES * WATCH_RUNS);
    sqlite3_finalize(rows);
    static const struct {
        const char *where;
        int rows;
    } parts[] = {
        {"kind = 'row' AND counter = 0 AND part = 'first' AND clock = 'lying'", ROW_RUNS},
        {"kind = 'row' AND counter = 1 AND part = 'last' AND workload IS NULL", ROW_RUNS},
        {"kind = 'row' AND counter = 2 AND part = 'backward'", ROW_RUNS},
        {"kind = 'row' AND counter = 3 AND part = 'worst' AND clock = 'lying'", ROW_RUNS},
        {"kind = 'row' AND counter = 4 AND part = 'before'", ROW_RUNS},
        {"kind = 'row' AND counter = 5 AND part = 'after' AND clock = 'monotonic-raw'", ROW_RUNS},
        {"kind = 'row' AND counter = 0 AND round = run AND look = 0 AND thread = 0", ROW_RUNS},
        {"kind = 'outside' AND counter = 0 AND part = 'asked' AND clock = 'outside'", OUTSIDE_RUNS},
        {"kind = 'outside' AND counter = 1 AND part IS NULL", OUTSIDE_RUNS},
        {"kind = 'outside' AND counter = 2 AND part = 'answered'", OUTSIDE_RUNS},
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char query[200];
        snprintf(query, sizeof(query), "SELECT 1 FROM look WHERE %s", parts[i].where);
        assert_int_equal(run_query(db, query), parts[i].rows * WATCH_PROCESSES);
    }
    sqlite3_close(db);
}
