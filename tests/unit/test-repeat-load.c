/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From stores to the case of repetition: every execution with what it counted and told, programs
 * joined across stores, and stores that nobody of us wrote refused with a sentence. */
#include "store-fixture.h"

#include "store-dump.h"
#include "studies/repeat/parts.h"

static void make(struct fixture *fixture)
{
    struct store *store = fill(fixture);
    put_commands(store);
    store_close(store);
}

static void load(const char *path, struct repeat_case *file)
{
    struct store *store = NULL;
    must(store_open(&store, path, false, failure));
    must(repeat_load(store, file, failure));
    store_close(store);
}

static void expect_refusal(const struct fixture *fixture, const char *said)
{
    struct repeat_case file = {0};
    struct store *store = NULL;
    struct failure told = {0};
    int error = store_open(&store, fixture->path, false, &told);
    if (!error)
        error = repeat_load(store, &file, &told);
    store_close(store);
    if (error != -EBADMSG || !strstr(told.text, said))
        fail_msg("%d: '%s' does not say '%s'", error, told.text, said);
}

/* Odd words of a subject: no truth is better than a wrong one. */
TEST_WITH(a_subject_without_a_plain_n_has_no_truth, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const odd[] = {"subject:loop",      "subject:loop -1",
                                      "subject:loop 1 2",  "subject:loop x",
                                      "subject:loop 1x",   "subject:loop 99999999999999999999",
                                      "subject:hello 3",   "subject:stack32 1",
                                      "subject:unknown 1", "subject:loop 18446744073709551615"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        struct repeat_case file = {0};
        char sql[160];
        make(fixture);
        snprintf(sql, sizeof(sql), "UPDATE command SET words = '%s' WHERE cell = %d", odd[i],
                 CODE_CELL);
        change(fixture->path, sql);
        load(fixture->path, &file);
        assert_true(file.programs[1].subject);
        if (file.programs[1].has_truth)
            fail_msg("%s has a truth", odd[i]);
        unlink(fixture->path);
    }
}

TEST_WITH(failures_and_absences_are_told, setup, teardown)
{
    struct fixture *fixture = *state;
    struct repeat_case file = {0};
    struct store *store = NULL;
    const struct cell cell = command_cell(0), never = command_cell(1);
    const struct visit visits[] = {{cell.id, 0}, {cell.id, 1}, {never.id, 0}};
    const struct cell cells[] = {cell, never};
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_event(store, &known_events[2], failure));
    must(store_put_plan(store, cells, 2, visits, 3, failure));
    must(store_end_visit(store, cell.id, 0, VISIT_FAILED, ENOENT, "no such program", failure));
    must(put_runs(store, &cell, 1, 0, 1, failure));
    must(store_end_visit(store, cell.id, 1, VISIT_DONE, 0, NULL, failure));
    store_close(store);
    load(fixture->path, &file);
    assert_int_equal(file.cell_count, 1); /* what was never tried is no evidence */
    assert_int_equal(file.cells[0].runs, 1);
    assert_int_equal(file.cells[0].list[0].process, 1);
    assert_int_equal(file.cells[0].failed, 1);
    assert_int_equal(file.cells[0].error, ENOENT);
    assert_string_equal(file.cells[0].reason, "no such program");
    assert_int_equal(file.absence_count, 1);
    assert_string_equal(file.absences[0].what, "cycles:u");
    assert_int_equal(file.absences[0].error, ENOENT);
}

/* Puts one execution whose columns have these values and times. */
static void put_row(struct store *store, uint32_t process, const uint64_t *values,
                    const uint64_t *enabled, const uint64_t *running)
{
    const struct account account = {1, 2, 3, 4};
    const struct batch batch = {COMMAND_CELL, process, 0, 1, 5, values, enabled, running, &account};
    must(store_put_batch(store, &batch, failure));
    must(store_end_visit(store, COMMAND_CELL, process, VISIT_DONE, 0, NULL, failure));
}

TEST_WITH(ends_and_times_are_understood, setup, teardown)
{
    struct fixture *fixture = *state;
    struct repeat_case file = {0};
    struct store *store = NULL;
    const struct cell cell = command_cell(0);
    const struct visit visits[] = {{cell.id, 0}, {cell.id, 1}, {cell.id, 2}};
    const uint64_t enabled[] = {100, 100, 100, 100, 100}, running[] = {100, 100, 25, 0, 100},
                   none[5] = {0};
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, &cell, 1, visits, 3, failure));
    put_row(store, 0, (const uint64_t[]){7, STATUS_SIGNAL + 11, 9, 77, 5}, enabled, running);
    put_row(store, 1, (const uint64_t[]){7, STATUS_TIMEOUT + 9, 9, 77, 5}, enabled, enabled);
    put_row(store, 2, (const uint64_t[]){7, 255, 9, 77, 5}, none, none);
    store_close(store);
    load(fixture->path, &file);
    const struct repeat_cell *got = &file.cells[0];
    assert_int_equal(got->runs, 3);
    assert_int_equal(got->timed_out, 1);
    assert_false(got->list[0].has_interrupts); /* what was not running was not known */
    assert_true(got->list[1].has_interrupts);
    assert_int_equal(got->list[1].interrupts, 77);
    assert_true(got->scheduled[0] == 1 && got->scheduled[1] == 0.25);
    assert_true(got->scheduled[4] == 0); /* perf_event never counted */
    assert_int_equal(got->list[2].status, 255);
}

TEST_WITH(stores_that_are_not_whole_are_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[][2] = {
        {"UPDATE visit SET state = 'done', samples = 0, checksum = 0 WHERE cell = 8; DELETE FROM "
         "sample_packed WHERE key >> 25 IN (SELECT id FROM visit WHERE cell = 8)",
         "process 1 of cell 8 has no run"},
        {"UPDATE sample_packed SET value = value + 1 WHERE key & 31 = 0", "changed"},
        {"UPDATE command SET words = ''", "names no program"},
        {"UPDATE executed SET kind = 'page'", "what was executed"},
        {"UPDATE system_call SET name = ''", "a system call"},
        {"UPDATE subject SET bits = 8", "a subject"},
        {"DELETE FROM meta WHERE key = 'fingerprint'", "fingerprint"},
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        make(fixture);
        change(fixture->path, changes[i][0]);
        expect_refusal(fixture, changes[i][1]);
        unlink(fixture->path);
    }
}

/* Details of executions that there are not are nobody's. */
TEST_WITH(details_of_no_execution_are_passed_over, setup, teardown)
{
    struct fixture *fixture = *state;
    struct repeat_case file = {0};
    make(fixture);
    change(fixture->path,
           "INSERT INTO system_call SELECT cell, 77, position, task, name, what, result, asked, "
           "sum FROM system_call WHERE process = 0;"
           "INSERT INTO system_call SELECT 9999, process, position, task, name, what, result, "
           "asked, sum FROM system_call WHERE process = 0;"
           "INSERT INTO executed SELECT 1, process, position, kind, object, name, count, "
           "repetitions FROM executed WHERE process = 0");
    load(fixture->path, &file);
    assert_int_equal(file.cells[3].call_begins[2], 2 * CALLS - 1);
    assert_int_equal(file.cells[1].function_count, 2);
}

TEST_WITH(a_store_without_commands_adds_its_machine_alone, setup, teardown)
{
    struct fixture *fixture = *state;
    struct repeat_case file = {0};
    make_finished_with_all(fixture);
    load(fixture->path, &file);
    assert_int_equal(file.machine_count, 1);
    assert_int_equal(file.program_count, 0);
    assert_int_equal(file.cell_count, 0);
}
