/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stores that the case of measurement error is loaded from: unfinished ones, several of them, and
 * such as assay does not write, which are refused. */
#include "error-stored.h"

TEST_WITH(failed_visits_and_absent_events_are_told, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    put_knowledge(store);
    must(
        store_put_event(store, &(struct stored_event){"gone", "pmu", NULL, EACCES, NULL}, failure));
    must(store_end_visit(store, 1, 0, VISIT_FAILED, EACCES, "not allowed", failure));
    must(store_end_visit(store, 1, 1, VISIT_FAILED, EACCES, "not allowed", failure));
    must(store_end_visit(store, 2, 0, VISIT_FAILED, ENOENT, NULL, failure));
    must(put_visit(store, fixture, (struct visit){2, 1}, failure));
    must(store_commit(store, failure));
    store_close(store); /* not finished: what is there is loaded */
    struct error_case file = {0};
    load(fixture->path, &file);
    assert_int_equal(file.cell_count, PLAN_CELLS);
    assert_int_equal(file.cells[0].failed, 2);
    assert_int_equal(file.cells[0].error, EACCES);
    assert_string_equal(file.cells[0].reason, "not allowed");
    assert_int_equal(file.cells[0].runs, 0);
    assert_non_null(file.cells[0].begins);
    assert_int_equal(file.cells[1].failed, 1);
    assert_string_equal(file.cells[1].reason, strerror(ENOENT));
    assert_int_equal(file.cells[1].processes, 1);
    assert_null(file.cells[2].reason);
    assert_int_equal(file.absence_count, 2);
    assert_string_equal(file.absences[0].what, "cycles:u");
    assert_string_equal(file.absences[0].reason, "there is no counter here");
    assert_int_equal(file.absences[0].error, ENOENT);
    assert_string_equal(file.absences[1].what, "gone");
    assert_string_equal(file.absences[1].reason, strerror(EACCES));
}

/* --- several stores --- */

static void put_store(struct fixture *fixture, const char *name, const char *fingerprint,
                      char path[256])
{
    static const struct planned planned[] = {{.event = "page-faults"}};
    snprintf(path, 256, "%s/%s.sqlite", fixture->folder, name);
    struct store_run run = fixture->run;
    run.fingerprint = fingerprint;
    struct store *store = NULL;
    must(store_create(&store, path, &run, failure));
    must(store_put_event(
        store, &(struct stored_event){"cycles", "hardware", "cycles", ENOENT, "none"}, failure));
    put_planned(store, planned, 1);
    end(store);
}

TEST_WITH(stores_join_and_machines_are_told_apart_by_fingerprint, setup, teardown)
{
    struct fixture *fixture = *state;
    char first[256], second[256], third[256];
    facts_set(&fixture->facts, "cpu.model_name", "Some CPU", 0);
    facts_set(&fixture->facts, "isa", "x86_64", 0);
    put_store(fixture, "first", "aaaa", first);
    put_store(fixture, "third", "aaaa", third);
    facts_set(&fixture->facts, "emulated", "by a test", 0);
    facts_set(&fixture->facts, "cpu.model_name", NULL, ENOENT);
    put_store(fixture, "second", "bbbb", second);
    struct error_case file = {0};
    load(first, &file);
    load(second, &file);
    load(third, &file);
    assert_int_equal(file.machine_count, 2);
    assert_string_equal(file.machines[0].name, "Some CPU (x86_64)");
    assert_string_equal(file.machines[0].fingerprint, "aaaa");
    assert_false(file.machines[0].emulated);
    assert_string_equal(file.machines[1].name, "unnamed CPU (x86_64)");
    assert_true(file.machines[1].emulated);
    assert_int_equal(file.cell_count, 2); /* those of one machine became one */
    assert_int_equal(file.cells[0].machine, 0);
    assert_int_equal(file.cells[1].machine, 1);
    assert_int_equal(file.cells[0].processes, 2 * PROCESSES);
    assert_int_equal(file.cells[0].runs, 2 * PROCESSES * RUNS);
    assert_int_equal(file.cells[1].runs, PROCESSES * RUNS);
    for (uint32_t i = 0; i <= 2 * PROCESSES; i++)
        assert_int_equal(file.cells[0].begins[i], i * RUNS);
    for (uint32_t run = 0; run < 2 * PROCESSES * RUNS; run++)
        assert_true(file.cells[0].values[run] ==
                    (int64_t)value_of(run / RUNS % PROCESSES, run % RUNS, 0));
    assert_int_equal(file.absence_count, 1); /* the same of both machines */
}

/* Stepped windows of one build beside counts of another would be compared. */
TEST_WITH(builds_of_the_harnesses_are_not_mixed, setup, teardown)
{
    struct fixture *fixture = *state;
    char first[256], second[256];
    fixture->run.kit = "one";
    put_store(fixture, "first", "aaaa", first);
    fixture->run.kit = "two";
    put_store(fixture, "second", "aaaa", second);
    struct error_case file = {0};
    load(first, &file);
    load(first, &file);
    struct store *store = NULL;
    must(store_open(&store, second, false, failure));
    struct failure refusal = {0};
    assert_int_equal(error_load(store, &file, &refusal), -EINVAL);
    assert_non_null(strstr(refusal.text, "another build"));
    assert_int_equal(file.cell_count, 1);
    store_close(store);
}

TEST_WITH(failed_visits_of_several_stores_add_up, setup, teardown)
{
    struct fixture *fixture = *state;
    struct error_case file = {0};
    struct store *store = create(fixture);
    must(store_end_visit(store, 1, 0, VISIT_FAILED, EACCES, "not allowed", failure));
    must(store_commit(store, failure));
    store_close(store);
    load(fixture->path, &file);
    load(fixture->path, &file);
    assert_int_equal(file.cell_count, PLAN_CELLS);
    assert_int_equal(file.cells[0].failed, 2);
    assert_string_equal(file.cells[0].reason, "not allowed");
    assert_int_equal(file.cells[0].runs, 0);
}

TEST_WITH(an_empty_store_is_an_empty_case, setup, teardown)
{
    end(start(*state));
    struct error_case file = {0};
    load(((struct fixture *)*state)->path, &file);
    assert_int_equal(file.cell_count, 0);
    assert_int_equal(file.machine_count, 1);
}

/* --- stores that are not as assay writes them --- */

static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "DELETE FROM meta WHERE key IN ('finished', 'checksum')", 0, 0, NULL), 0);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

static void refuse(struct fixture *fixture, const char *sql, const char *wanted)
{
    struct store *store = NULL;
    struct error_case file = {0};
    struct failure refusal = {0};
    make_finished(fixture);
    change(fixture->path, sql);
    must(store_open(&store, fixture->path, false, failure));
    assert_int_equal(error_load(store, &file, &refusal), -EBADMSG);
    if (!strstr(refusal.text, wanted))
        fail_msg("\"%s\" is not in: %s", wanted, refusal.text);
    store_close(store);
    unlink(fixture->path);
}

TEST_WITH(damaged_stores_are_refused, setup, teardown)
{
    refuse(*state, "UPDATE cell SET id = -id", "out of order");
    refuse(*state, "UPDATE visit SET id = -id", "impossible");
    refuse(*state, "UPDATE visit SET process = -1 - process", "impossible");
    refuse(*state, "UPDATE cell SET counters = 33 WHERE id = 1", "impossible");
    refuse(*state, "UPDATE cell SET counters = 1 WHERE id = 1", "out of order");
    refuse(*state, "UPDATE cell SET counters = 2 WHERE id = 2", "lacks events");
    refuse(*state, "UPDATE counter SET counter = 5 WHERE counter = 1", "out of order");
    refuse(*state, "UPDATE cell SET runs = 10 WHERE id = 2", "more runs than were planned");
    refuse(*state, "UPDATE cell SET pattern = 'xx'", "impossible");
    refuse(*state, "UPDATE sample_packed SET value = value + 1", "changed");
    refuse(*state, "UPDATE sample_packed SET value = 'many'", "impossible");
    refuse(*state, "UPDATE sample_packed SET key = key + 3 WHERE (key & 31) = 0", "counter");
    refuse(*state, "DELETE FROM sample_packed WHERE (key & 31) = 0 AND key % 3 = 0", "");
    refuse(*state, "UPDATE truth SET grade = 'certain' WHERE position = 2", "certain");
    refuse(*state, "UPDATE event SET error = 'EPERM'", "impossible");
}
