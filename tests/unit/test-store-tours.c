/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tours in the store: they come out as they went in, a changed one is no plan to be resumed, a
 * damaged one is told; and stores of schema 2, which have none. */
#include "store-fixture.h"

#include "base/cleanup.h"

static void expect_words(const struct failure *refusal, const char *wanted)
{
    if (!strstr(refusal->text, wanted))
        fail_msg("\"%s\" is not in: %s", wanted, refusal->text);
}

static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* Copies the tour's cell; the others must have none. */
static int keep_tour(void *context, const struct stored_cell *stored)
{
    if (stored->cell.id == TOUR_CELL)
        return cell_copy(context, &stored->cell);
    assert_null(stored->cell.tour.calls);
    assert_null(stored->cell.tour.counted);
    assert_int_equal(stored->cell.tour.open, 0);
    assert_false(stored->cell.tour.cold);
    return 0;
}

TEST_WITH(a_tour_comes_back_whole, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished_with_tour(fixture);
    for (int writable = 0; writable < 2; writable++) {
        struct store *store = NULL;
        struct cell found = {0};
        const struct cell wanted = tour_cell();
        struct seen seen = {0};
        must(store_open(&store, fixture->path, writable, failure));
        must(store_each_cell(store, keep_tour, &found, failure));
        must(store_each_sample(store, TOUR_CELL, see, &seen, failure));
        assert_true(cell_same_tour(&found, &wanted));
        assert_string_equal(found.tour.calls, TOUR_CALLS);
        assert_int_equal(seen.samples, 2 * TOUR_PROCESSES * PLAN_RUNS);
        assert_int_equal(seen.wrong, 0);
        cell_release(&found);
        store_close(store);
    }
}

TEST_WITH(a_tour_that_is_not_whole_is_no_plan, setup, teardown)
{
    struct fixture *fixture = *state;
    static const struct {
        struct cell_tour tour;
        const char *words;
    } cases[] = {
        {{(char *)(uintptr_t) "a.b,c", (char *)(uintptr_t) "cycles", 1, false}, "no dot"},
        {{(char *)(uintptr_t) "a.b,c.d,e.f", (char *)(uintptr_t) "cycles", 1, false}, "50 runs"},
        {{(char *)(uintptr_t) "a.b", NULL, 1, false}, "counted"},
        {{(char *)(uintptr_t) "a.b", (char *)(uintptr_t) "cycles", 33, false}, "from 1 to 32"},
        {{NULL, (char *)(uintptr_t) "cycles", 1, false}, "has no calls"},
        {{NULL, NULL, 0, false}, "path 'tour', but no calls"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store *store = NULL;
        struct failure refusal = {0};
        struct cell cell = tour_cell();
        cell.tour = cases[i].tour;
        must(store_create(&store, fixture->path, &fixture->run, failure));
        assert_int_equal(store_put_plan(store, &cell, 1, NULL, 0, &refusal), -EINVAL);
        expect_words(&refusal, cases[i].words);
        store_close(store);
        unlink(fixture->path);
    }
}

TEST_WITH(another_tour_is_another_plan, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct cell cells[TOUR_CELL];
    memcpy(cells, fixture->cells, sizeof(fixture->cells));
    struct cell *tour = &cells[TOUR_CELL - 1];
    *tour = tour_cell();
    put_tour(store);
    must(store_same_plan(store, &fixture->run, cells, TOUR_CELL, failure));

    static const struct {
        struct cell_tour tour;
        const char *words;
    } cases[] = {
        {{(char *)(uintptr_t) "timer.nothing,perf-read.start,perf-read.read*9,perf-read.read,x.y",
          (char *)(uintptr_t) "task-clock:u", 8, false},
         "call 3 of the tour of cell 4: perf-read.read*8 became perf-read.read*9."},
        {{(char *)(uintptr_t) "timer.nothing,perf-read.start", (char *)(uintptr_t) "task-clock:u",
          8, false},
         "call 3 of the tour of cell 4: perf-read.read*8 became none."},
        {{(char *)(uintptr_t)TOUR_CALLS ",a.b", (char *)(uintptr_t) "task-clock:u", 8, false},
         "call 6 of the tour of cell 4: none became a.b."},
        {{(char *)(uintptr_t)TOUR_CALLS, (char *)(uintptr_t) "cycles", 8, false},
         "counted by a tour: task-clock:u became cycles"},
        {{(char *)(uintptr_t)TOUR_CALLS, (char *)(uintptr_t) "task-clock:u", 2, false},
         "8 became 2"},
        {{(char *)(uintptr_t)TOUR_CALLS, (char *)(uintptr_t) "task-clock:u", 8, true},
         "warm became cold"},
        {{0}, "with a tour became one without"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct failure refusal = {0};
        tour->tour = cases[i].tour;
        assert_int_equal(store_same_plan(store, &fixture->run, cells, TOUR_CELL, &refusal),
                         -ESTALE);
        expect_words(&refusal, cases[i].words);
    }
    store_close(store);
}

static int pass_over(void *context, const struct stored_cell *cell)
{
    (void)context;
    (void)cell;
    return 0;
}

static int pass_operation(void *context, const struct stored_operation *operation)
{
    ++*(size_t *)context;
    assert_true(*operation->path && *operation->kind && *operation->instrument);
    return 0;
}

static int read_tours(const char *path, struct failure *failure)
{
    struct store *store = NULL;
    size_t operations = 0;
    int error = store_open(&store, path, false, failure);
    if (!error)
        error = store_each_cell(store, pass_over, NULL, failure);
    if (!error)
        error = store_each_operation(store, pass_operation, &operations, failure);
    store_close(store);
    return error;
}

/* Of an unfinished store, which has no checksum over its tables. */
TEST_WITH(a_damaged_tour_is_told, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[][2] = {
        {"UPDATE tour SET calls = ''", "without a call"},
        {"UPDATE tour SET calls = replace(calls, '.', ',')", "no dot"},
        {"UPDATE tour SET calls = replace(calls, '.', ' ')", "character"},
        {"UPDATE tour SET calls = replace(calls, '*8', '*')", "behind its star"},
        {"UPDATE tour SET calls = x'612e62'", "impossible values"},
        {"UPDATE tour SET calls = 12", "no dot"},
        {"UPDATE tour SET length = 4", "another length"},
        {"UPDATE tour SET length = 'five'", "impossible values"},
        {"UPDATE tour SET length = 5 + (1 << 32)", "impossible values"},
        {"UPDATE tour SET calls = 'a.b,c.d,e.f', length = 3", "do not divide"},
        {"UPDATE tour SET counted = ''", "counted"},
        {"UPDATE tour SET counted = x'00'", "impossible values"},
        {"UPDATE tour SET open = 0", "from 1 to 32"},
        {"UPDATE tour SET open = 33", "from 1 to 32"},
        {"UPDATE tour SET open = -1", "impossible values"},
        {"UPDATE tour SET open = 1.5", "impossible values"},
        {"UPDATE tour SET cold = 2", "impossible values"},
        {"UPDATE tour SET cold = 'yes'", "impossible values"},
        {"UPDATE tour SET cell = 1", "path, pattern, specimen and n"},
        {"UPDATE tour SET cell = 9", "path 'tour', but no calls"},
        {"DELETE FROM tour", "path 'tour', but no calls"},
        {"UPDATE cell SET path = 'perf-read' WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET pattern = 'ar' WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET specimen = 'loop' WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET n = 1 WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET runs = 51 WHERE id = 4", "do not divide"},
        {"UPDATE operation SET path = '' WHERE position = 1", "an operation"},
        {"UPDATE operation SET kind = '' WHERE position = 1", "an operation"},
        {"UPDATE operation SET instrument = ''", "an operation"},
        {"UPDATE operation SET effect = x'01'", "an operation"},
        {"UPDATE operation SET state = x'01'", "an operation"},
        {"UPDATE operation SET links = x'01'", "an operation"},
        {"UPDATE operation SET page = x'01'", "an operation"},
        {"UPDATE operation SET note = x'01'", "an operation"},
        {"UPDATE operation SET binds = 2", "an operation"},
        {"UPDATE operation SET alone = 'no'", "an operation"},
        {"UPDATE operation SET position = 0 WHERE position = 1", "an operation"},
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct store *store = fill(fixture);
        struct failure refusal = {0};
        put_tour(store);
        store_close(store);
        assert_int_equal(read_tours(fixture->path, NULL), 0);
        change(fixture->path, changes[i][0]);
        if (read_tours(fixture->path, &refusal) != -EBADMSG)
            fail_msg("%s was taken: %s", changes[i][0], refusal.text);
        expect_words(&refusal, "is damaged");
        expect_words(&refusal, changes[i][1]);
        unlink(fixture->path);
    }
}

TEST_WITH(a_changed_finished_tour_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[] = {
        "UPDATE tour SET open = 7", "UPDATE tour SET calls = replace(calls, '*8', '*9')",
        "UPDATE operation SET note = 'none' WHERE position = 2", "DELETE FROM operation"};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct failure refusal = {0};
        make_finished_with_tour(fixture);
        change(fixture->path, changes[i]);
        assert_int_equal(read_tours(fixture->path, &refusal), -EBADMSG);
        expect_words(&refusal, "checksum");
        unlink(fixture->path);
    }
}

/* --- operations --- */

struct expected {
    const struct stored_operation *rows;
    size_t next, count;
};

static int compare_operation(void *context, const struct stored_operation *found)
{
    struct expected *expected = context;
    assert_true(expected->next < expected->count);
    const struct stored_operation *wanted = &expected->rows[expected->next++];
    assert_string_equal(found->path, wanted->path);
    assert_string_equal(found->kind, wanted->kind);
    assert_string_equal(found->instrument, wanted->instrument);
    assert_string_equal(found->effect, wanted->effect);
    assert_string_equal(found->when, wanted->when);
    assert_string_equal(found->links, wanted->links);
    assert_string_equal(found->page, wanted->page);
    assert_string_equal(found->note, wanted->note);
    assert_int_equal(found->binds, wanted->binds);
    assert_int_equal(found->alone, wanted->alone);
    return 0;
}

static void expect_operations(struct store *store, const struct stored_operation *rows,
                              size_t count)
{
    struct expected expected = {rows, 0, count};
    must(store_each_operation(store, compare_operation, &expected, failure));
    assert_int_equal(expected.next, count);
}

TEST_WITH(operations_come_back_and_the_later_counts, setup, teardown)
{
    struct store *store = create(*state);
    struct stored_operation rows[KNOWN];
    memcpy(rows, known_operations, sizeof(rows));
    put_knowledge(store);
    expect_operations(store, rows, KNOWN);
    rows[0] = (struct stored_operation){"timer",  "nothing", "clock", "stops", "running",
                                        "static", "touched", "new",   true,    true};
    must(store_put_operation(store, &rows[0], failure));
    expect_operations(store, rows, KNOWN);
    const struct stored_operation nameless[] = {
        {.kind = "read", .instrument = "perf"},
        {.path = "perf-read", .instrument = "perf"},
        {.path = "perf-read", .kind = "read"},
    };
    for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++)
        assert_int_equal(store_put_operation(store, &nameless[i], NULL), -EINVAL);
    expect_operations(store, rows, KNOWN);
    must(store_finish(store, failure));
    assert_int_equal(store_put_operation(store, &rows[0], NULL), -EROFS);
    store_close(store);
}

/* --- schema 2 --- */

static void make_schema_2(const struct fixture *fixture)
{
    change(fixture->path, UNDO_3 "PRAGMA user_version=2");
}

TEST_WITH(an_unfinished_store_of_schema_2_goes_on_in_the_latest, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    put_knowledge(store);
    must(put_visit(store, fixture, fixture->visits[0], failure));
    store_close(store);
    make_schema_2(fixture);

    struct store_info info;
    must(store_open(&store, fixture->path, false, failure));
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, 2);
    store_info_release(&info);
    must(store_each_cell(store, keep_tour, NULL, failure));
    expect_operations(store, NULL, 0);
    must(store_same_plan(store, &fixture->run, fixture->cells, PLAN_CELLS, failure));
    store_close(store);

    must(store_open(&store, fixture->path, true, failure));
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, STORE_SCHEMA);
    store_info_release(&info);
    put_tour(store);
    must(store_put_operation(store, &known_operations[0], failure));
    assert_int_equal(count_pending(store), PLAN_VISITS - 1);
    for (size_t i = 1; i < PLAN_VISITS; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_finish(store, failure));
    store_close(store);

    struct cell found = {0};
    const struct cell wanted = tour_cell();
    must(store_open(&store, fixture->path, false, failure));
    must(store_each_cell(store, keep_tour, &found, failure));
    assert_true(cell_same_tour(&found, &wanted));
    expect_operations(store, known_operations, 1);
    cell_release(&found);
    store_close(store);
}

/* A cell that only schema 3 can have, in a store that has no place for its calls. */
TEST_WITH(a_tour_in_schema_2_is_damage, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct failure refusal = {0};
    put_tour(store);
    store_close(store);
    make_schema_2(fixture);
    assert_int_equal(read_tours(fixture->path, &refusal), -EBADMSG);
    expect_words(&refusal, "path 'tour', but no calls");
}
