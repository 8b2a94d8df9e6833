/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands in a store besides samples (knowledge, tours, watches, commands and their details):
 * it comes out as it went in, and goes with its visit. And stores of older schemas, which have
 * less. */
#include "store-fixture.h"

#include "base/cleanup.h"
#include "store-dump.h"

/* --- in and out --- */

static int dump_kind_of_cell(void *context, const struct stored_cell *stored)
{
    struct stored_cell cell = {.cell = stored->cell};
    return stored->cell.id > PLAN_CELLS ? dump_cell(context, &cell) : 0;
}

/* The cells beside the plan, and all that is known. */
static void dump_rest(struct store *store, struct text *out)
{
    text_clear(out);
    must(store_each_cell(store, dump_kind_of_cell, out, failure));
    must(dump_knowledge(store, out, failure));
}

static void dump_wanted_cell(struct text *out, const struct cell *cell)
{
    dump_kind_of_cell(out, &(struct stored_cell){.cell = *cell});
}

/* As much of the known rows as a store of the schema can have. */
static void dump_wanted(struct text *out, int schema)
{
    struct cell cell = tour_cell();
    text_clear(out);
    if (schema >= 3)
        dump_wanted_cell(out, &cell);
    for (uint32_t i = 0; schema >= 4 && i < WATCH_CELLS; i++) {
        cell = watch_cell(i);
        dump_wanted_cell(out, &cell);
    }
    for (uint32_t i = 0; schema >= 5 && i < COMMAND_CELLS; i++) {
        cell = command_cell(i);
        dump_wanted_cell(out, &cell);
    }
    for (size_t i = 0; i < KNOWN; i++)
        dump_event(out, &known_events[i]);
    for (size_t i = 0; i < KNOWN; i++)
        dump_truth(out, &known_truths[i]);
    for (size_t i = 0; i < KNOWN; i++)
        dump_opcode(out, &known_opcodes[i]);
    for (size_t i = 0; schema >= 3 && i < KNOWN; i++)
        dump_operation(out, &known_operations[i]);
    for (size_t i = 0; schema >= 4 && i < KNOWN; i++)
        dump_clock(out, &known_clocks[i]);
    for (size_t i = 0; schema >= 5 && i < KNOWN; i++)
        dump_subject(out, &known_subjects[i]);
    for (uint32_t i = 0; schema >= 5 && i < COMMAND_PROCESSES * EXECUTED; i++) {
        struct stored_executed executed = known_executed[i % EXECUTED];
        executed.process = i / EXECUTED;
        dump_executed(out, &executed);
    }
    for (uint32_t i = 0; schema >= 5 && i < 2 * CALLS - 1; i++) { /* process 1 has one less */
        struct stored_call call = known_calls[i % CALLS];
        call.process = i / CALLS;
        dump_call(out, &call);
    }
}

static void expect_rest(struct store *store, int schema)
{
    AUTO_TEXT struct text wanted = {0}, found = {0};
    dump_wanted(&wanted, schema);
    dump_rest(store, &found);
    assert_string_equal(text_string(&found), text_string(&wanted));
}

TEST_WITH(what_is_put_is_what_is_read, setup, teardown)
{
    struct fixture *fixture = *state;
    make_with_commands(fixture, true);
    for (int writable = 0; writable < 2; writable++) {
        struct store *store = NULL;
        must(store_open(&store, fixture->path, writable, failure));
        expect_rest(store, STORE_SCHEMA);
        for (uint32_t cell = TOUR_CELL; cell < COMMAND_CELL + COMMAND_CELLS; cell++) {
            struct seen seen = {0};
            must(store_each_sample(store, cell, see, &seen, failure));
            assert_true(seen.samples > 0 && seen.wrong == 0);
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
    const struct batch batch = {cell.id, 0, 0, EXTREMES, 1, extreme, zeros, zeros, NULL};
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

static int put_row(struct store *store, int kind, struct failure *refusal, bool named)
{
    const struct stored_event event = {named ? "page-faults:u" : NULL, "tracepoint", NULL, EACCES,
                                       "not allowed"};
    const struct stored_truth truth = {
        "null", named ? "page-faults" : NULL, 1, 2, 3, 4, "model", "why", "trap"};
    const struct stored_opcode opcode = {named ? "null" : NULL, "", 5, 6};
    const struct stored_operation operation = {"timer",   named ? "nothing" : NULL,
                                               "clock",   "stops",
                                               "running", "static",
                                               "touched", "new",
                                               true,      true};
    const struct stored_clock clock = {named ? "monotonic-raw" : "",
                                       "cpu-time",
                                       "syscall",
                                       "hpet",
                                       "somebody",
                                       "new",
                                       7,
                                       9,
                                       true,
                                       true};
    const struct stored_subject subject = {
        named ? "loop" : "", "new", "M1", 7, false, 0, 0, 32, true};
    switch (kind) {
    case 0:
        return store_put_event(store, &event, refusal);
    case 1:
        return store_put_specimen_truth(store, &truth, refusal);
    case 2:
        return store_put_opcode(store, &opcode, refusal);
    case 3:
        return store_put_operation(store, &operation, refusal);
    case 4:
        return store_put_clock(store, &clock, refusal);
    default:
        return store_put_subject(store, &subject, refusal);
    }
}

enum { KINDS = 6 };

static size_t lines(const struct text *text)
{
    size_t count = 0;
    for (const char *at = text_string(text); *at; at++)
        count += *at == '\n';
    return count;
}

/* In the place of the first; a row without a name is refused, and does no harm. */
TEST_WITH(put_again_the_later_counts_in_the_first_place, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    AUTO_TEXT struct text before = {0}, after = {0};
    put_knowledge(store);
    for (size_t i = 0; i < KNOWN; i++)
        must(store_put_subject(store, &known_subjects[i], failure));
    dump_rest(store, &before);
    for (int kind = 0; kind < KINDS; kind++)
        assert_int_equal(put_row(store, kind, NULL, false), -EINVAL);
    dump_rest(store, &after);
    assert_string_equal(text_string(&after), text_string(&before));
    for (int kind = 0; kind < KINDS; kind++)
        must(put_row(store, kind, failure, true));
    dump_rest(store, &after);
    static const char *const changed[] = {
        "event page-faults:u tracepoint - 13 not allowed\nevent task-clock",
        "truth null page-faults 1 2 3 4 model why trap\ntruth loop",
        "opcode null  5 6\nopcode loop",
        "operation timer nothing clock stops running static 1 1 touched new\noperation perf-read",
        "clock monotonic-raw cpu-time syscall hpet somebody new 7 9 1 1\nclock lying",
        "subject loop new M1 7 0 0 0 32 1\nsubject stack32",
    };
    for (int kind = 0; kind < KINDS; kind++)
        if (!strstr(text_string(&after), changed[kind]))
            fail_msg("no \"%s\" in:\n%s", changed[kind], text_string(&after));
    assert_int_equal(lines(&after), lines(&before));
    struct stored_subject other = known_subjects[0];
    other.bits = 16;
    assert_int_equal(store_put_subject(store, &other, NULL), -EINVAL);
    must(store_finish(store, failure));
    for (int kind = 0; kind < KINDS; kind++)
        assert_int_equal(put_row(store, kind, NULL, true), -EROFS);
    store_close(store);
}

static int stop_at_once(void *context, const struct stored_event *event)
{
    (void)event;
    ++*(int *)context;
    return -ECANCELED;
}

TEST_WITH(a_reader_may_stop, setup, teardown)
{
    struct store *store = create(*state);
    put_knowledge(store);
    int calls = 0;
    assert_int_equal(store_each_event(store, stop_at_once, &calls, NULL), -ECANCELED);
    assert_int_equal(calls, 1);
    store_close(store);
}

/* --- details go with their visit --- */

static int count_executed(void *context, const struct stored_executed *executed)
{
    (void)executed;
    ++*(size_t *)context;
    return 0;
}

static int count_calls(void *context, const struct stored_call *call)
{
    (void)call;
    ++*(size_t *)context;
    return 0;
}

static void expect_details(struct store *store, size_t executed, size_t calls)
{
    size_t found = 0, called = 0;
    must(store_each_executed(store, count_executed, &found, failure));
    must(store_each_call(store, count_calls, &called, failure));
    assert_int_equal(found, executed);
    assert_int_equal(called, calls);
}

static struct store *begin_details(struct fixture *fixture)
{
    struct store *store = create(fixture);
    for (uint32_t number = 1; number < COMMAND_CELLS; number += 2) {
        const struct cell cell = command_cell(number);
        const struct visit visits[COMMAND_PROCESSES] = {{cell.id, 0}, {cell.id, 1}};
        must(store_put_plan(store, &cell, 1, visits, COMMAND_PROCESSES, failure));
    }
    must(store_commit(store, failure));
    return store;
}

TEST_WITH(a_dropped_visit_takes_its_details_along, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = begin_details(fixture);
    for (uint32_t number = 1; number < COMMAND_CELLS; number += 2) {
        const struct cell cell = command_cell(number);
        put_details(store, &cell, 1);
        must(put_runs(store, &cell, 1, 0, 1, failure));
        must(store_end_visit(store, cell.id, 1, VISIT_DONE, 0, NULL, failure));
        put_details(store, &cell, 0);
        must(put_runs(store, &cell, 0, 0, 1, failure));
        must(store_drop_visit(store, cell.id, 0, failure));
        must(store_end_visit(store, cell.id, 0, VISIT_FAILED, EIO, "it broke", failure));
    }
    expect_details(store, EXECUTED, CALLS - 1);
    store_close(store);
}

TEST_WITH(a_visit_that_was_broken_off_is_done_again, setup, teardown)
{
    struct fixture *fixture = *state;
    const struct cell cell = command_cell(3);
    struct store *store = begin_details(fixture);
    put_details(store, &cell, 0);
    store_close(store); /* killed, as far as the store can tell */
    must(store_open(&store, fixture->path, true, failure));
    expect_details(store, 0, 0);
    put_details(store, &cell, 0);
    must(put_runs(store, &cell, 0, 0, 1, failure));
    must(store_end_visit(store, cell.id, 0, VISIT_DONE, 0, NULL, failure));
    expect_details(store, 0, CALLS);
    store_close(store);
}

TEST_WITH(details_that_make_no_sense_are_not_stored, setup, teardown)
{
    static const struct stored_executed bad[] = {
        {CODE_CELL, 0, NULL, "", "x", 1, 0},        {CODE_CELL, 0, "page", "", "x", 1, 0},
        {CODE_CELL, 0, "opcode", "", "", 1, 0},     {CODE_CELL, 0, "class", "a.so", "x", 1, 0},
        {CODE_CELL, 0, "function", NULL, "", 1, 0}, {CODE_CELL, 0, "function", "", NULL, 1, 0},
    };
    struct store *store = begin_details(*state);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(store_put_executed(store, &bad[i], NULL), -EINVAL);
    struct stored_call call = known_calls[0];
    call.name = "";
    assert_int_equal(store_put_call(store, &call, NULL), -EINVAL);
    call = known_calls[1];
    struct failure refusal = {0};
    assert_int_equal(store_put_call(store, &call, &refusal), -EPROTO);
    expect_words(&refusal, "where 0 is due");
    store_close(store);
}

TEST_WITH(details_of_another_visit_are_refused, setup, teardown)
{
    struct store *store = begin_details(*state);
    struct failure refusal = {0};
    must(store_put_executed(store, &known_executed[0], failure));
    assert_int_equal(store_put_call(store, &known_calls[0], &refusal), -EPROTO);
    expect_words(&refusal, "has ended");
    store_close(store);
}

/* The view tells what the tables hold. */
TEST_WITH(executions_are_seen_by_an_analyst, setup, teardown)
{
    struct fixture *fixture = *state;
    sqlite3 *db = NULL;
    sqlite3_stmt *rows = NULL;
    make_with_commands(fixture, true);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT cell, process, event, value, name, setting, sweep, "
                                        "swept, cpu FROM execution ORDER BY cell, process",
                                        -1, &rows, NULL),
                     SQLITE_OK);
    int count = 0;
    static const char *const settings[] = {"as-is", "controlled", "without-aslr", "cpu+stack"};
    for (; sqlite3_step(rows) == SQLITE_ROW; count++) {
        const uint32_t number = (uint32_t)sqlite3_column_int(rows, 0) - COMMAND_CELL;
        const struct cell cell = command_cell(number);
        uint32_t column = 0;
        while (strcmp(cell.events[column], (const char *)sqlite3_column_text(rows, 2)) != 0)
            assert_true(++column < cell.counters);
        const struct sample right =
            right_sample(cell.id, (uint32_t)sqlite3_column_int(rows, 1), 0, column);
        assert_true((uint64_t)sqlite3_column_int64(rows, 3) == right.value);
        assert_string_equal(sqlite3_column_text(rows, 4), cell.command.name);
        assert_string_equal(sqlite3_column_text(rows, 5), settings[number]);
        assert_string_equal(sqlite3_column_text(rows, 6), number == 2 ? "stack" : "");
        assert_int_equal(sqlite3_column_int(rows, 7), number == 2 ? 64 : 0);
        assert_int_equal(sqlite3_column_int(rows, 8), cell.cpu);
    }
    assert_int_equal(count, (5 + 5 + 2 + 2) * COMMAND_PROCESSES);
    sqlite3_finalize(rows);
    sqlite3_close(db);
}

/* --- older schemas --- */

/* Lays a store of schema 1 where the fixture's would be. */
static void take_older(const struct fixture *fixture, const char *name)
{
    char from[4096], bytes[4096];
    const char *source = getenv("ASSAY_SOURCE");
    snprintf(from, sizeof(from), "%s/tests/fuzz/corpus/store/%s", source ? source : ".", name);
    AUTO_FILE FILE *in = fopen(from, "r");
    AUTO_FILE FILE *out = fopen(fixture->path, "w");
    if (!in || !out)
        fail_msg("%s: %s", from, strerror(errno));
    size_t got;
    while ((got = fread(bytes, 1, sizeof(bytes), in)) > 0)
        assert_int_equal(fwrite(bytes, 1, got, out), got);
}

static int schema_in_file(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL), 0);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return version;
}

static void expect_schema(struct store *store, int schema)
{
    struct store_info info;
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, schema);
    store_info_release(&info);
}

static void expect_nothing(struct store *store)
{
    AUTO_TEXT struct text found = {0};
    dump_rest(store, &found);
    assert_string_equal(text_string(&found), "");
}

TEST_WITH(a_finished_store_of_schema_1_is_read_as_it_is, setup, teardown)
{
    struct fixture *fixture = *state;
    for (int writable = 0; writable < 2; writable++) {
        take_older(fixture, "finished");
        if (!writable) { /* nothing can be written: neither the file nor beside it */
            assert_int_equal(chmod(fixture->path, 0444), 0);
            assert_int_equal(chmod(fixture->folder, 0555), 0);
        }
        struct store *store = NULL;
        struct seen seen = {0};
        must(store_open(&store, fixture->path, writable, failure));
        expect_schema(store, 1);
        expect_nothing(store);
        must(store_each_sample(store, 0, see, &seen, failure));
        assert_int_equal(seen.samples, 4 * PLAN_PROCESSES * PLAN_RUNS);
        assert_int_equal(seen.wrong, 0);
        store_close(store);
        chmod(fixture->folder, 0755);
        chmod(fixture->path, 0644);
        assert_int_equal(schema_in_file(fixture->path), 1);
    }
}

TEST_WITH(a_changed_finished_store_of_schema_1_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[] = {"UPDATE cell SET n = 7 WHERE id = 2",
                                          "UPDATE counter SET truth = 8 WHERE truth = 7"};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        take_older(fixture, "finished");
        change(fixture->path, changes[i]);
        struct store *store = NULL;
        struct failure refusal = {0};
        assert_int_equal(store_open(&store, fixture->path, false, &refusal), -EBADMSG);
        assert_non_null(strstr(refusal.text, "checksum"));
    }
}

TEST_WITH(an_unfinished_store_of_schema_1_goes_on_in_schema_2, setup, teardown)
{
    struct fixture *fixture = *state;
    take_older(fixture, "unfinished");
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    expect_schema(store, 1);
    expect_nothing(store);
    store_close(store);
    assert_int_equal(schema_in_file(fixture->path), 1);

    must(store_open(&store, fixture->path, true, failure));
    expect_schema(store, STORE_SCHEMA);
    put_knowledge(store);
    struct visit *pending = NULL;
    size_t count = 0;
    must(store_visits(store, true, &pending, &count, failure));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        must(put_visit(store, fixture, pending[i], failure));
    free(pending);
    must(store_finish(store, failure));
    store_close(store);

    assert_int_equal(schema_in_file(fixture->path), STORE_SCHEMA);
    struct seen seen = {0};
    must(store_open(&store, fixture->path, false, failure));
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    store_close(store);
}

/* Someone's own table has a name that schema 2 needs. */
TEST_WITH(a_table_in_the_way_of_schema_2_is_named_and_kept, setup, teardown)
{
    struct fixture *fixture = *state;
    take_older(fixture, "unfinished");
    change(fixture->path, "CREATE TABLE opcode(mine); INSERT INTO opcode VALUES(42)");
    struct store *store = NULL;
    struct failure refusal = {0};
    assert_int_equal(store_open(&store, fixture->path, true, &refusal), -EEXIST);
    assert_null(store);
    assert_non_null(strstr(refusal.text, "opcode already exists"));
    assert_int_equal(schema_in_file(fixture->path), 1); /* no half of it was done */
    change(fixture->path, "CREATE TABLE event(free)");
    must(store_open(&store, fixture->path, false, failure));
    expect_nothing(store);
    store_close(store);
}

static const char *const undo[] = {[2] = UNDO_3 "PRAGMA user_version=2",
                                   [3] = UNDO_4 "PRAGMA user_version=3",
                                   [4] = UNDO_5 "PRAGMA user_version=4"};

TEST_WITH(an_unfinished_store_of_an_older_schema_goes_on_in_the_latest, setup, teardown)
{
    struct fixture *fixture = *state;
    for (int schema = 2; schema <= 4; schema++) {
        struct store *store = create(fixture);
        put_knowledge(store);
        if (schema >= 3)
            put_tour(store);
        if (schema >= 4)
            put_watches(store);
        store_close(store);
        change(fixture->path, undo[schema]);
        must(store_open(&store, fixture->path, false, failure));
        expect_schema(store, schema);
        expect_rest(store, schema);
        store_close(store);

        must(store_open(&store, fixture->path, true, failure));
        expect_schema(store, STORE_SCHEMA);
        put_knowledge(store);
        if (schema < 3)
            put_tour(store);
        if (schema < 4)
            put_watches(store);
        put_commands(store);
        for (size_t i = 0; i < PLAN_VISITS; i++)
            must(put_visit(store, fixture, fixture->visits[i], failure));
        finish(store);

        must(store_open(&store, fixture->path, false, failure));
        expect_rest(store, STORE_SCHEMA);
        store_close(store);
        unlink(fixture->path);
    }
}

/* A cell that only a later schema can have, in a store that has no place for its kind. */
TEST_WITH(a_later_kind_of_cell_in_an_older_schema_is_damage, setup, teardown)
{
    struct fixture *fixture = *state;
    static void (*const put[])(struct store *) = {
        [2] = put_tour, [3] = put_watches, [4] = put_commands};
    static const char *const said[] = {[2] = "path 'tour', but no calls",
                                       [3] = "path 'watch', but no kind",
                                       [4] = "path 'command', but no words"};
    for (int schema = 2; schema <= 4; schema++) {
        AUTO_TEXT struct text out = {0};
        struct failure refusal = {0};
        struct store *store = create(fixture);
        put[schema](store);
        store_close(store);
        change(fixture->path, undo[schema]);
        assert_int_equal(dump(fixture->path, &out, &refusal), -EBADMSG);
        expect_words(&refusal, said[schema]);
        unlink(fixture->path);
    }
}
