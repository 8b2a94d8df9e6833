/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What judging needs besides samples: it comes out of a store as it went in. And stores of schema
 * 1, which know nothing of it: they are read as they are, and brought up to date where a run goes
 * on. Two such stores, written by an assay of that time, are among the fuzzers' inputs. */
#include "store-fixture.h"

#include "base/cleanup.h"

static bool same_text(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}

/* --- in and out --- */

struct expected {
    const void *rows;
    size_t next, count;
};

static int compare_event(void *context, const struct stored_event *found)
{
    struct expected *expected = context;
    assert_true(expected->next < expected->count);
    const struct stored_event *wanted =
        &((const struct stored_event *)expected->rows)[expected->next++];
    assert_string_equal(found->name, wanted->name);
    assert_string_equal(found->kind, wanted->kind);
    assert_true(same_text(found->class, wanted->class));
    assert_int_equal(found->error, wanted->error);
    assert_true(same_text(found->reason, wanted->reason));
    return 0;
}

static int compare_truth(void *context, const struct stored_truth *found)
{
    struct expected *expected = context;
    assert_true(expected->next < expected->count);
    const struct stored_truth *wanted =
        &((const struct stored_truth *)expected->rows)[expected->next++];
    assert_string_equal(found->specimen, wanted->specimen);
    assert_string_equal(found->class, wanted->class);
    assert_true(found->base == wanted->base && found->each == wanted->each);
    assert_true(found->high_base == wanted->high_base && found->high_each == wanted->high_each);
    assert_string_equal(found->grade, wanted->grade);
    assert_string_equal(found->why, wanted->why);
    assert_string_equal(found->sources, wanted->sources);
    return 0;
}

static int compare_opcode(void *context, const struct stored_opcode *found)
{
    struct expected *expected = context;
    assert_true(expected->next < expected->count);
    const struct stored_opcode *wanted =
        &((const struct stored_opcode *)expected->rows)[expected->next++];
    assert_string_equal(found->specimen, wanted->specimen);
    assert_string_equal(found->opcode, wanted->opcode);
    assert_true(found->base == wanted->base && found->each == wanted->each);
    return 0;
}

/* The store tells these rows and no others, in this order. */
static void expect_knowledge(struct store *store, const struct stored_event *events,
                             const struct stored_truth *truths, const struct stored_opcode *opcodes,
                             size_t count)
{
    struct expected event = {events, 0, count}, truth = {truths, 0, count},
                    opcode = {opcodes, 0, count};
    must(store_each_event(store, compare_event, &event, failure));
    must(store_each_specimen_truth(store, compare_truth, &truth, failure));
    must(store_each_opcode(store, compare_opcode, &opcode, failure));
    assert_int_equal(event.next, count);
    assert_int_equal(truth.next, count);
    assert_int_equal(opcode.next, count);
}

TEST_WITH(what_is_put_is_what_is_read, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    for (int writable = 0; writable < 2; writable++) {
        struct store *store = NULL;
        must(store_open(&store, fixture->path, writable, failure));
        expect_knowledge(store, known_events, known_truths, known_opcodes, KNOWN);
        store_close(store);
    }
}

TEST_WITH(put_again_the_later_counts_in_the_first_place, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    put_knowledge(store);
    struct stored_event events[KNOWN];
    struct stored_truth truths[KNOWN];
    struct stored_opcode opcodes[KNOWN];
    memcpy(events, known_events, sizeof(events));
    memcpy(truths, known_truths, sizeof(truths));
    memcpy(opcodes, known_opcodes, sizeof(opcodes));
    events[0] = (struct stored_event){"page-faults:u", "tracepoint", NULL, EACCES, "not allowed"};
    truths[1] = (struct stored_truth){"loop", "instructions", 1, 2, 3, 4, "model", "why", "trap"};
    opcodes[1] = (struct stored_opcode){"loop", "sub", 5, 6};
    must(store_put_event(store, &events[0], failure));
    must(store_put_specimen_truth(store, &truths[1], failure));
    must(store_put_opcode(store, &opcodes[1], failure));
    expect_knowledge(store, events, truths, opcodes, KNOWN);
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

TEST_WITH(what_lacks_a_name_is_refused_and_does_no_harm, setup, teardown)
{
    struct store *store = create(*state);
    struct failure refusal = {0};
    assert_int_equal(store_put_event(store, &(struct stored_event){.kind = "software"}, &refusal),
                     -EINVAL);
    assert_int_equal(
        store_put_specimen_truth(store, &(struct stored_truth){.specimen = "loop"}, &refusal),
        -EINVAL);
    assert_int_equal(store_put_opcode(store, &(struct stored_opcode){.opcode = "nop"}, &refusal),
                     -EINVAL);
    put_knowledge(store); /* the writer is not broken */
    store_close(store);
}

TEST_WITH(nothing_is_added_to_a_finished_store, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    struct store *store = NULL;
    must(store_open(&store, fixture->path, true, failure));
    assert_int_equal(store_put_event(store, &known_events[0], NULL), -EROFS);
    assert_int_equal(store_put_specimen_truth(store, &known_truths[0], NULL), -EROFS);
    assert_int_equal(store_put_opcode(store, &known_opcodes[0], NULL), -EROFS);
    store_close(store);
}

/* --- schema 1 --- */

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

static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void expect_schema(struct store *store, int schema)
{
    struct store_info info;
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, schema);
    store_info_release(&info);
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
        expect_knowledge(store, NULL, NULL, NULL, 0);
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
    expect_knowledge(store, NULL, NULL, NULL, 0);
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
    expect_knowledge(store, known_events, known_truths, known_opcodes, KNOWN);
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
    expect_knowledge(store, NULL, NULL, NULL, 0);
    store_close(store);
}
