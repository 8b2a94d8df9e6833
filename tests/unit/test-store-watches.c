/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches and clocks in the store: they come out as they went in, a changed one is no plan to be
 * resumed, a damaged one is told; and stores of schema 3, which have none. */
#include "store-fixture.h"

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

/* Copies the watches; other cells must have none. */
static int keep_watches(void *context, const struct stored_cell *stored)
{
    struct cell *found = context;
    if (stored->cell.id >= WATCH_CELL)
        return cell_copy(&found[stored->cell.id - WATCH_CELL], &stored->cell);
    assert_int_equal(stored->cell.watch.kind, WATCH_NONE);
    assert_null(stored->cell.watch.workload);
    return 0;
}

TEST_WITH(watches_come_back_whole, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished_with_all(fixture);
    for (int writable = 0; writable < 2; writable++) {
        struct store *store = NULL;
        struct cell found[WATCH_CELLS] = {{0}};
        must(store_open(&store, fixture->path, writable, failure));
        must(store_each_cell(store, keep_watches, found, failure));
        for (uint32_t i = 0; i < WATCH_CELLS; i++) {
            const struct cell wanted = watch_cell(i);
            struct seen seen = {0};
            assert_true(cell_same_watch(&found[i], &wanted));
            for (uint32_t column = 0; column < wanted.counters; column++)
                assert_string_equal(found[i].events[column], wanted.events[column]);
            must(store_each_sample(store, wanted.id, see, &seen, failure));
            assert_int_equal(seen.samples, wanted.counters * wanted.runs * WATCH_PROCESSES);
            assert_int_equal(seen.wrong, 0);
            cell_release(&found[i]);
        }
        store_close(store);
    }
}

/* Readings are what clocks show: any 64 bits, through every way of reading. */
struct extremes {
    uint64_t next;
    bool good;
};
static const uint64_t extreme[] = {
    0, 1, INT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX - 1, UINT64_MAX};
enum { EXTREMES = sizeof(extreme) / sizeof(*extreme) };

static int compare_extreme(void *context, const struct sample *sample)
{
    struct extremes *extremes = context;
    extremes->good &= sample->value == extreme[extremes->next++ % EXTREMES];
    return 0;
}

TEST_WITH(readings_of_all_sizes_come_back, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    const uint64_t zeros[EXTREMES] = {0};
    const struct visit visit = {WATCH_CELL, 0};
    struct cell cell = watch_cell(0);
    cell.watch = (struct cell_watch){.kind = WATCH_TRIPS, .threads = 1, .partner = 1};
    cell.cpu = 0;
    cell.counters = 1;
    cell.runs = EXTREMES - EXTREMES % 3 + 3;
    const struct batch batch = {
        cell.id, 0, 0, EXTREMES, 1, extreme, zeros, zeros, NULL,
    };
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, &cell, 1, &visit, 1, failure));
    must(store_put_batch(store, &batch, failure));
    must(store_end_visit(store, cell.id, 0, VISIT_DONE, 0, NULL, failure));
    must(store_finish(store, failure));
    store_close(store);
    struct extremes extremes = {0, true};
    must(store_open(&store, fixture->path, false, failure));
    must(store_each_sample(store, cell.id, compare_extreme, &extremes, failure));
    must(store_scan_samples(store, compare_extreme, &extremes, failure));
    assert_int_equal(extremes.next, 2 * EXTREMES);
    assert_true(extremes.good);
    store_close(store);
}

TEST_WITH(a_watch_that_makes_no_sense_is_no_plan, setup, teardown)
{
    struct fixture *fixture = *state;
    for (int broken = 0; broken < 3; broken++) {
        static const char *const said[] = {"no multiple", "path 'watch', but no kind",
                                           "path, pattern, specimen and n"};
        struct store *store = NULL;
        struct failure refusal = {0};
        struct cell cell = watch_cell(0);
        cell.runs -= broken == 0;
        if (broken == 1)
            cell.watch.kind = WATCH_NONE;
        cell.n = broken == 2;
        must(store_create(&store, fixture->path, &fixture->run, failure));
        assert_int_equal(store_put_plan(store, &cell, 1, NULL, 0, &refusal), -EINVAL);
        expect_words(&refusal, said[broken]);
        store_close(store);
        unlink(fixture->path);
    }
}

TEST_WITH(another_watch_is_another_plan, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    struct cell cell = watch_cell(0);
    cell.id = 1;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, &cell, 1, NULL, 0, failure));
    must(store_same_plan(store, &fixture->run, &cell, 1, failure));
    static const struct {
        struct cell_watch watch;
        const char *words;
    } cases[] = {
        {{WATCH_INTERVAL, NULL, 20000, 2, 3, true, true, -1}, "sleep became none"},
        {{WATCH_INTERVAL, (char *)(uintptr_t) "spin", 20000, 2, 3, true, true, -1},
         "sleep became spin"},
        {{WATCH_INTERVAL, (char *)(uintptr_t) "sleep", 20001, 2, 3, true, true, -1},
         "length of a watch: 20000 became 20001"},
        {{WATCH_INTERVAL, (char *)(uintptr_t) "sleep", 20000, 4, 3, true, true, -1},
         "threads of a watch: 2 became 4"},
        {{WATCH_INTERVAL, (char *)(uintptr_t) "sleep", 20000, 2, 0, true, true, -1},
         "moves of a watch: 3 became 0"},
        {{WATCH_INTERVAL, (char *)(uintptr_t) "sleep", 20000, 2, 3, false, true, -1},
         "handover of a watch: yes became no"},
        {{WATCH_INTERVAL, (char *)(uintptr_t) "sleep", 20000, 2, 3, true, false, -1},
         "awake CPUs during a watch: yes became no"},
        {{WATCH_INTERVAL, (char *)(uintptr_t) "sleep", 20000, 2, 3, true, true, 1},
         "partner of a watch: -1 became 1"},
        {{WATCH_EDGES, NULL, 20000, 1, 0, false, false, -1}, "interval became edges"},
        {{0}, "interval became none"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct failure refusal = {0};
        cell.watch = cases[i].watch;
        assert_int_equal(store_same_plan(store, &fixture->run, &cell, 1, &refusal), -ESTALE);
        expect_words(&refusal, cases[i].words);
    }
    cell = watch_cell(0);
    cell.id = 1;
    struct failure refusal = {0};
    cell.events[0] = words("lying@1000001=ask:./clock --from=@now");
    assert_int_equal(store_same_plan(store, &fixture->run, &cell, 1, &refusal), -ESTALE);
    expect_words(&refusal, "lying@1000001");
    store_close(store);
}

static int pass_over(void *context, const struct stored_cell *cell)
{
    (void)context;
    return cell_check_watch(&cell->cell, NULL);
}

static int pass_clock(void *context, const struct stored_clock *clock)
{
    ++*(size_t *)context;
    assert_true(*clock->name && *clock->kind);
    return 0;
}

static int read_watches(const char *path, struct failure *failure)
{
    struct store *store = NULL;
    size_t clocks = 0;
    int error = store_open(&store, path, false, failure);
    if (!error)
        error = store_each_cell(store, pass_over, NULL, failure);
    if (!error)
        error = store_each_clock(store, pass_clock, &clocks, failure);
    store_close(store);
    return error;
}

/* Of an unfinished store, which has no checksum over its tables. */
TEST_WITH(a_damaged_watch_is_told, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[][2] = {
        {"UPDATE watch SET kind = '' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET kind = 'sundial' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET kind = x'726f77' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET kind = 'row' WHERE cell = 5", "has a workload"},
        {"UPDATE watch SET looks = 6 WHERE cell = 5", "another number of looks"},
        {"UPDATE watch SET looks = 0 WHERE cell = 6", "another number of looks"},
        {"UPDATE watch SET looks = -1 WHERE cell = 6", "impossible values"},
        {"UPDATE watch SET workload = NULL WHERE cell = 5", "must name its workload"},
        {"UPDATE watch SET workload = 'a b' WHERE cell = 5", "must name its workload"},
        {"UPDATE watch SET workload = x'61' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET workload = 'sleep' WHERE cell = 6", "watches no interval"},
        {"UPDATE watch SET length = -1 WHERE cell = 5", "its length must be"},
        {"UPDATE watch SET length = 1.5 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET length = 0 WHERE cell = 6", "its length must be"},
        {"UPDATE watch SET threads = 0 WHERE cell = 5", "0 threads"},
        {"UPDATE watch SET threads = 65 WHERE cell = 5", "65 threads"},
        {"UPDATE watch SET threads = 2 WHERE cell = 7", "2 threads"},
        {"UPDATE watch SET moves = 1025 WHERE cell = 5", "1025 moves"},
        {"UPDATE watch SET moves = 'some' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET handover = 2 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET awake = -1 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET partner = 1 WHERE cell = 5", "watches no trips"},
        {"UPDATE watch SET partner = 1 << 40 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET cell = 1 WHERE cell = 5", "path, pattern, specimen and n"},
        {"DELETE FROM watch", "path 'watch', but no kind"},
        {"UPDATE cell SET path = 'perf-read' WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET pattern = 'ar' WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET specimen = 'loop' WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET n = 1 WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET runs = 47 WHERE id = 5", "no multiple"},
        {"UPDATE counter SET event = 'monotonic-raw' WHERE cell = 5", "twice in a look"},
        {"UPDATE counter SET event = 'a b' WHERE cell = 5 AND counter = 0", "name that is none"},
        {"UPDATE counter SET event = 'x=bring:y' WHERE cell = 5 AND counter = 0", "how it is read"},
        {"UPDATE counter SET event = 'tsc' WHERE cell = 6 AND counter = 2", "four times"},
        {"UPDATE counter SET event = 'tsc' WHERE cell = 7 AND counter = 2", "same clock"},
        {"UPDATE clock SET name = '' WHERE position = 1", "a clock"},
        {"UPDATE clock SET kind = ''", "a clock"},
        {"UPDATE clock SET way = x'01'", "a clock"},
        {"UPDATE clock SET hardware = x'01'", "a clock"},
        {"UPDATE clock SET claim = x'01'", "a clock"},
        {"UPDATE clock SET note = x'01'", "a clock"},
        {"UPDATE clock SET hz = 'fast'", "a clock"},
        {"UPDATE clock SET resolution_ps = 0.5", "a clock"},
        {"UPDATE clock SET slow = 2", "a clock"},
        {"UPDATE clock SET steered = 'no'", "a clock"},
        {"UPDATE clock SET position = 0 WHERE position = 1", "a clock"},
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct store *store = create(fixture);
        struct failure refusal = {0};
        put_knowledge(store);
        put_tour(store);
        put_watches(store);
        store_close(store);
        if (i == 0)
            assert_int_equal(read_watches(fixture->path, NULL), 0);
        change(fixture->path, changes[i][0]);
        if (read_watches(fixture->path, &refusal) != -EBADMSG)
            fail_msg("%s was taken: %s", changes[i][0], refusal.text);
        expect_words(&refusal, "is damaged");
        expect_words(&refusal, changes[i][1]);
        unlink(fixture->path);
    }
}

TEST_WITH(a_changed_finished_watch_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[] = {"UPDATE watch SET moves = 4 WHERE cell = 5",
                                          "UPDATE clock SET hz = 999 WHERE position = 1",
                                          "DELETE FROM clock"};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct failure refusal = {0};
        make_finished_with_all(fixture);
        change(fixture->path, changes[i]);
        assert_int_equal(read_watches(fixture->path, &refusal), -EBADMSG);
        expect_words(&refusal, "checksum");
        unlink(fixture->path);
    }
}

/* --- clocks --- */

struct expected {
    const struct stored_clock *rows;
    size_t next, count;
};

static int compare_clock(void *context, const struct stored_clock *found)
{
    struct expected *expected = context;
    assert_true(expected->next < expected->count);
    const struct stored_clock *wanted = &expected->rows[expected->next++];
    assert_string_equal(found->name, wanted->name);
    assert_string_equal(found->kind, wanted->kind);
    assert_string_equal(found->way, wanted->way);
    assert_string_equal(found->hardware, wanted->hardware);
    assert_string_equal(found->claim, wanted->claim);
    assert_string_equal(found->note, wanted->note);
    assert_true(found->hz == wanted->hz);
    assert_true(found->resolution_ps == wanted->resolution_ps);
    assert_int_equal(found->slow, wanted->slow);
    assert_int_equal(found->steered, wanted->steered);
    return 0;
}

static void expect_clocks(struct store *store, const struct stored_clock *rows, size_t count)
{
    struct expected expected = {rows, 0, count};
    must(store_each_clock(store, compare_clock, &expected, failure));
    assert_int_equal(expected.next, count);
}

TEST_WITH(clocks_come_back_and_the_later_counts, setup, teardown)
{
    struct store *store = create(*state);
    struct stored_clock rows[KNOWN];
    memcpy(rows, known_clocks, sizeof(rows));
    put_knowledge(store);
    expect_clocks(store, rows, KNOWN);
    rows[0] = (struct stored_clock){"monotonic-raw", "cpu-time", "syscall", "hpet", "somebody",
                                    "new",           7,          9,         true,   true};
    must(store_put_clock(store, &rows[0], failure));
    expect_clocks(store, rows, KNOWN);
    const struct stored_clock nameless[] = {{.kind = "wall"}, {.name = "tsc"}, {.name = ""}};
    for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++)
        assert_int_equal(store_put_clock(store, &nameless[i], NULL), -EINVAL);
    expect_clocks(store, rows, KNOWN);
    must(store_finish(store, failure));
    assert_int_equal(store_put_clock(store, &rows[0], NULL), -EROFS);
    store_close(store);
}

/* --- schema 3 --- */

static void make_schema_3(const struct fixture *fixture)
{
    change(fixture->path, UNDO_4 "PRAGMA user_version=3");
}

TEST_WITH(an_unfinished_store_of_schema_3_goes_on_in_the_latest, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct store_info info;
    struct cell found[WATCH_CELLS] = {{0}};
    put_tour(store);
    store_close(store);
    make_schema_3(fixture);
    must(store_open(&store, fixture->path, false, failure));
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, 3);
    store_info_release(&info);
    must(store_each_cell(store, keep_watches, found, failure));
    expect_clocks(store, NULL, 0);
    store_close(store);

    must(store_open(&store, fixture->path, true, failure));
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, STORE_SCHEMA);
    store_info_release(&info);
    put_watches(store);
    must(store_put_clock(store, &known_clocks[0], failure));
    for (size_t i = 0; i < PLAN_VISITS; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_finish(store, failure));
    store_close(store);

    must(store_open(&store, fixture->path, false, failure));
    must(store_each_cell(store, keep_watches, found, failure));
    for (uint32_t i = 0; i < WATCH_CELLS; i++) {
        const struct cell wanted = watch_cell(i);
        assert_true(cell_same_watch(&found[i], &wanted));
        cell_release(&found[i]);
    }
    expect_clocks(store, known_clocks, 1);
    store_close(store);
}

/* A cell that only schema 4 can have, in a store that has no place for its kind. */
TEST_WITH(a_watch_in_schema_3_is_damage, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct failure refusal = {0};
    put_watches(store);
    store_close(store);
    make_schema_3(fixture);
    assert_int_equal(read_watches(fixture->path, &refusal), -EBADMSG);
    expect_words(&refusal, "path 'watch', but no kind");
}
