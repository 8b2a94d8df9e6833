/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands, subjects and details of executions in the store: they come out as they went in, go with
 * their visit, a changed one is no plan to be resumed, a damaged one is told; and stores of schema
 * 4, which have none. */
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

static void make(struct fixture *fixture, bool finished)
{
    struct store *store = fill(fixture);
    put_tour(store);
    put_watches(store);
    put_commands(store);
    if (finished)
        must(store_finish(store, failure));
    store_close(store);
}

/* Copies the commands; other cells must have none. */
static int keep_commands(void *context, const struct stored_cell *stored)
{
    struct cell *found = context;
    if (stored->cell.id >= COMMAND_CELL)
        return cell_copy(&found[stored->cell.id - COMMAND_CELL], &stored->cell);
    assert_null(stored->cell.command.words);
    return 0;
}

static int compare_subject(void *context, const struct stored_subject *found)
{
    const struct stored_subject *wanted = &known_subjects[(*(size_t *)context)++];
    assert_string_equal(found->name, wanted->name);
    assert_string_equal(found->summary, wanted->summary);
    assert_string_equal(found->shows, wanted->shows);
    assert_true(found->n == wanted->n);
    assert_int_equal(found->has_truth, wanted->has_truth);
    assert_true(found->base == wanted->base && found->each == wanted->each);
    assert_int_equal(found->bits, wanted->bits);
    assert_int_equal(found->libc, wanted->libc);
    return 0;
}

static int compare_executed(void *context, const struct stored_executed *found)
{
    const size_t number = (*(size_t *)context)++;
    const struct stored_executed *wanted = &known_executed[number % EXECUTED];
    assert_int_equal(found->cell, CODE_CELL);
    assert_int_equal(found->process, number / EXECUTED);
    assert_string_equal(found->kind, wanted->kind);
    assert_string_equal(found->object, wanted->object);
    assert_string_equal(found->name, wanted->name);
    assert_true(found->count == wanted->count && found->repetitions == wanted->repetitions);
    return 0;
}

/* Three calls of process 0, then two of process 1. */
static int compare_call(void *context, const struct stored_call *found)
{
    const size_t number = (*(size_t *)context)++;
    const struct stored_call *wanted = &known_calls[number < CALLS ? number : number - CALLS];
    assert_int_equal(found->cell, CALLS_CELL);
    assert_int_equal(found->process, number >= CALLS);
    assert_true(found->position == wanted->position);
    assert_int_equal(found->task, wanted->task);
    assert_string_equal(found->name, wanted->name);
    assert_string_equal(found->what, wanted->what);
    assert_true(found->result == wanted->result && found->asked == wanted->asked &&
                found->sum == wanted->sum);
    return 0;
}

TEST_WITH(commands_come_back_whole, setup, teardown)
{
    struct fixture *fixture = *state;
    make(fixture, true);
    for (int writable = 0; writable < 2; writable++) {
        struct store *store = NULL;
        struct cell found[COMMAND_CELLS] = {{0}};
        size_t subjects = 0, executed = 0, calls = 0;
        must(store_open(&store, fixture->path, writable, failure));
        must(store_each_cell(store, keep_commands, found, failure));
        for (uint32_t i = 0; i < COMMAND_CELLS; i++) {
            const struct cell wanted = command_cell(i);
            struct seen seen = {0};
            assert_true(cell_same_command(&found[i], &wanted));
            must(store_each_sample(store, wanted.id, see, &seen, failure));
            assert_int_equal(seen.samples, wanted.counters * COMMAND_PROCESSES);
            assert_int_equal(seen.wrong, 0);
            cell_release(&found[i]);
        }
        must(store_each_subject(store, compare_subject, &subjects, failure));
        must(store_each_executed(store, compare_executed, &executed, failure));
        must(store_each_call(store, compare_call, &calls, failure));
        assert_int_equal(subjects, KNOWN);
        assert_int_equal(executed, EXECUTED * COMMAND_PROCESSES);
        assert_int_equal(calls, 2 * CALLS - 1);
        store_close(store);
    }
}

/* A reader's own end is the reading's result. */
static int end_at_once(void *context, const struct stored_call *call)
{
    (void)context, (void)call;
    return 7;
}

TEST_WITH(a_callback_ends_the_reading, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    make(fixture, true);
    must(store_open(&store, fixture->path, false, failure));
    assert_int_equal(store_each_call(store, end_at_once, NULL, NULL), 7);
    store_close(store);
}

TEST_WITH(the_later_subject_counts, setup, teardown)
{
    struct store *store = create(*state);
    struct stored_subject other = known_subjects[0];
    for (size_t i = 0; i < KNOWN; i++)
        must(store_put_subject(
            store, &(struct stored_subject){.name = known_subjects[i].name, .bits = 32}, failure));
    for (size_t i = KNOWN; i-- > 0;) /* they keep their place */
        must(store_put_subject(store, &known_subjects[i], failure));
    other.name = "";
    assert_int_equal(store_put_subject(store, &other, NULL), -EINVAL);
    other.name = "loop";
    other.bits = 16;
    assert_int_equal(store_put_subject(store, &other, NULL), -EINVAL);
    size_t subjects = 0;
    must(store_each_subject(store, compare_subject, &subjects, failure));
    assert_int_equal(subjects, KNOWN);
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

/* --- plans --- */

TEST_WITH(a_command_that_makes_no_sense_is_no_plan, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const said[] = {"runs must be", "path 'command', but no words",
                                       "can be neither", "names no program"};
    for (int broken = 0; broken < 4; broken++) {
        struct store *store = NULL;
        struct failure refusal = {0};
        struct cell cell = command_cell(0);
        cell.runs += broken == 0;
        if (broken == 1)
            cell.command.words = NULL;
        if (broken == 2)
            cell.tour = tour_cell().tour;
        if (broken == 3)
            cell.command.words = words("''");
        must(store_create(&store, fixture->path, &fixture->run, failure));
        assert_int_equal(store_put_plan(store, &cell, 1, NULL, 0, &refusal), -EINVAL);
        if (broken != 2) /* the tour itself complains first */
            expect_words(&refusal, said[broken]);
        store_close(store);
        unlink(fixture->path);
    }
}

TEST_WITH(another_command_is_another_plan, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    struct cell cell = command_cell(2);
    char long_words[2][600];
    for (int i = 0; i < 2; i++) {
        memset(long_words[i], 'x', sizeof(long_words[i]) - 2);
        strcpy(long_words[i] + sizeof(long_words[i]) - 2, i ? "b" : "a");
    }
    cell.id = 1;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, &cell, 1, NULL, 0, failure));
    must(store_same_plan(store, &fixture->run, &cell, 1, failure));
    const struct cell_command was = cell.command;
    struct cell_command now[13];
    for (size_t i = 0; i < 13; i++)
        now[i] = was;
    now[0].words = words("perl -e 'print 2'");
    now[1].name = words("python");
    now[2].directory = NULL;
    now[3].input = words("/etc/passwd");
    now[4].keep = words("HOME");
    now[5].controls = 0;
    now[6].sweep = SWEEP_ENVIRONMENT;
    now[7].swept = 65;
    now[8].timeout = 7;
    now[9].detail = DETAIL_CODE;
    now[10].shown = false;
    now[11].words = NULL;
    now[12].words = long_words[0];
    static const char *const said[] = {
        "print 1' became perl -e 'print 2'",
        "perl became python",
        "{brought} became none",
        "words.txt became /etc/passwd",
        "HOME,LANG became HOME",
        "without-aslr became as-is",
        "stack became env",
        "64 became 65",
        "0 became 7",
        "none became code",
        "yes became no",
        "with a command became one without",
        "became xxx",
    };
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        struct failure refusal = {0};
        cell.command = now[i];
        assert_int_equal(store_same_plan(store, &fixture->run, &cell, 1, &refusal), -ESTALE);
        expect_words(&refusal, said[i]);
    }
    store_close(store);
    unlink(fixture->path);
    cell.command = now[12]; /* differs only where no sentence reaches */
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, &cell, 1, NULL, 0, failure));
    must(store_same_plan(store, &fixture->run, &cell, 1, failure));
    cell.command.words = long_words[1];
    assert_int_equal(store_same_plan(store, &fixture->run, &cell, 1, NULL), -ESTALE);
    store_close(store);
}

/* --- damage --- */

static int pass_over(void *context, const struct stored_cell *cell)
{
    (void)context;
    return cell_check_command(&cell->cell, NULL);
}

static int pass_subject(void *context, const struct stored_subject *subject)
{
    (void)context;
    assert_true(*subject->name && (subject->bits == 32 || subject->bits == 64));
    return 0;
}

static int read_commands(const char *path, struct failure *failure)
{
    struct store *store = NULL;
    size_t rows = 0;
    int error = store_open(&store, path, false, failure);
    if (!error)
        error = store_each_cell(store, pass_over, NULL, failure);
    if (!error)
        error = store_each_subject(store, pass_subject, NULL, failure);
    if (!error)
        error = store_each_executed(store, count_executed, &rows, failure);
    if (!error)
        error = store_each_call(store, count_calls, &rows, failure);
    store_close(store);
    return error;
}

/* Of an unfinished store, which has no checksum over its tables. */
TEST_WITH(a_damaged_command_is_told, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[][2] = {
        {"UPDATE command SET words = ''", "names no program"},
        {"UPDATE command SET words = 'a ''b'", "no list of words"},
        {"UPDATE command SET words = x'61'", "impossible values"},
        {"UPDATE command SET name = ''", "must have a name"},
        {"UPDATE command SET name = char(10)", "must have a name"},
        {"UPDATE command SET directory = x'07'", "impossible values"},
        {"UPDATE command SET directory = ''", "no path"},
        {"UPDATE command SET input = char(7)", "no path"},
        {"UPDATE command SET keep = '1'", "keeps '1'"},
        {"UPDATE command SET setting = x'05'", "impossible values"},
        {"UPDATE command SET controls = 1024", "controls that there are not"},
        {"UPDATE command SET controls = -1", "impossible values"},
        {"UPDATE command SET sweep = 'heap'", "impossible values"},
        {"UPDATE command SET sweep = ''", "is swept to 64"},
        {"UPDATE command SET swept = 65537", "is swept to"},
        {"UPDATE command SET swept = 0.5", "impossible values"},
        {"UPDATE command SET timeout = -1", "may take"},
        {"UPDATE command SET detail = 'all'", "impossible values"},
        {"UPDATE command SET shown = 2", "impossible values"},
        {"UPDATE command SET cell = 1 WHERE cell = 8", "must be command"},
        {"DELETE FROM command", "path 'command', but no words"},
        {"UPDATE cell SET runs = 2 WHERE id = 8", "must be command"},
        {"UPDATE cell SET n = 1 WHERE id = 8", "must be command"},
        {"UPDATE counter SET event = 'run/shoes/' WHERE cell = 8 AND counter = 1", "there is not"},
        {"UPDATE counter SET event = 'qemu/instructions/' WHERE cell = 9 AND counter = 1",
         "by step and by qemu"},
        {"UPDATE counter SET event = 'run/status/' WHERE cell = 9 AND counter = 4", "twice"},
        {"UPDATE subject SET name = '' WHERE position = 1", "a subject"},
        {"UPDATE subject SET summary = x'01'", "a subject"},
        {"UPDATE subject SET shows = x'07'", "a subject"},
        {"UPDATE subject SET n = 'many'", "a subject"},
        {"UPDATE subject SET truth = 2", "a subject"},
        {"UPDATE subject SET base = 1.5", "a subject"},
        {"UPDATE subject SET each = x'01'", "a subject"},
        {"UPDATE subject SET bits = 16", "a subject"},
        {"UPDATE subject SET libc = -1", "a subject"},
        {"UPDATE subject SET position = 0 WHERE position = 1", "a subject"},
        {"UPDATE executed SET kind = 'page'", "what was executed"},
        {"UPDATE executed SET name = '' WHERE kind = 'opcode'", "what was executed"},
        {"UPDATE executed SET object = 'x' WHERE kind = 'class'", "what was executed"},
        {"UPDATE executed SET count = 'some'", "what was executed"},
        {"UPDATE executed SET repetitions = 0.5", "what was executed"},
        {"UPDATE executed SET name = x'01'", "what was executed"},
        {"DELETE FROM executed WHERE position = 1", "what was executed"},
        {"UPDATE executed SET process = -1 WHERE process = 0", "what was executed"},
        {"UPDATE system_call SET name = ''", "a system call"},
        {"UPDATE system_call SET what = x'01'", "a system call"},
        {"UPDATE system_call SET task = -1", "a system call"},
        {"UPDATE system_call SET result = 'none'", "a system call"},
        {"UPDATE system_call SET asked = 0.5", "a system call"},
        {"UPDATE system_call SET sum = x'01'", "a system call"},
        {"DELETE FROM system_call WHERE position = 0", "a system call"},
        {"UPDATE system_call SET cell = 1 << 40", "a system call"},
    };
    make(fixture, false);
    assert_int_equal(read_commands(fixture->path, NULL), 0);
    unlink(fixture->path);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct store *store = create(fixture);
        struct failure refusal = {0};
        put_commands(store);
        store_close(store);
        change(fixture->path, changes[i][0]);
        if (read_commands(fixture->path, &refusal) != -EBADMSG)
            fail_msg("%s was taken: %s", changes[i][0], refusal.text);
        expect_words(&refusal, "is damaged");
        expect_words(&refusal, changes[i][1]);
        unlink(fixture->path);
    }
}

TEST_WITH(a_changed_finished_command_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[] = {"UPDATE command SET timeout = 61 WHERE cell = 8",
                                          "UPDATE command SET setting = 'other'",
                                          "UPDATE subject SET base = 13 WHERE position = 1",
                                          "DELETE FROM subject",
                                          "UPDATE executed SET count = count + 1",
                                          "DELETE FROM executed",
                                          "UPDATE system_call SET result = 0",
                                          "DELETE FROM system_call"};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct failure refusal = {0};
        make(fixture, true);
        change(fixture->path, changes[i]);
        assert_int_equal(read_commands(fixture->path, &refusal), -EBADMSG);
        expect_words(&refusal, "checksum");
        unlink(fixture->path);
    }
}

/* The view tells what the tables hold. */
TEST_WITH(executions_are_seen_by_an_analyst, setup, teardown)
{
    struct fixture *fixture = *state;
    sqlite3 *db = NULL;
    sqlite3_stmt *rows = NULL;
    make(fixture, true);
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

/* --- schema 4 --- */

TEST_WITH(an_unfinished_store_of_schema_4_goes_on_in_the_latest, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct store_info info;
    struct cell found[COMMAND_CELLS] = {{0}};
    size_t subjects = 0;
    put_tour(store);
    put_watches(store);
    store_close(store);
    change(fixture->path, UNDO_5 "PRAGMA user_version=4");
    must(store_open(&store, fixture->path, false, failure));
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, 4);
    store_info_release(&info);
    must(store_each_cell(store, keep_commands, found, failure));
    must(store_each_subject(store, compare_subject, &subjects, failure));
    assert_int_equal(subjects, 0);
    expect_details(store, 0, 0);
    store_close(store);

    must(store_open(&store, fixture->path, true, failure));
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, STORE_SCHEMA);
    store_info_release(&info);
    put_commands(store);
    for (size_t i = 0; i < PLAN_VISITS; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_finish(store, failure));
    store_close(store);

    must(store_open(&store, fixture->path, false, failure));
    must(store_each_cell(store, keep_commands, found, failure));
    for (uint32_t i = 0; i < COMMAND_CELLS; i++) {
        const struct cell wanted = command_cell(i);
        assert_true(cell_same_command(&found[i], &wanted));
        cell_release(&found[i]);
    }
    expect_details(store, (size_t)EXECUTED * COMMAND_PROCESSES, 2 * CALLS - 1);
    store_close(store);
}

/* A cell that only schema 5 can have, in a store that has no place for its kind. */
TEST_WITH(a_command_in_schema_4_is_damage, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct failure refusal = {0};
    put_commands(store);
    store_close(store);
    change(fixture->path, UNDO_5 "PRAGMA user_version=4");
    assert_int_equal(read_commands(fixture->path, &refusal), -EBADMSG);
    expect_words(&refusal, "path 'command', but no words");
}
