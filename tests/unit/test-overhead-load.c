/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From stores to the case of overhead: every tour with its factors and its calls, stores of one
 * machine joined, and stores that nobody of us wrote refused with a sentence. */
#include "base/memory.h"
#include "store-fixture.h"

#include "studies/overhead/parts.h"

#define CALLS "timer.nothing,perf-read.read*8,perf-read.start"

enum { LENGTH = 3, PASSES = 2, PROCESSES = 3 };
static const size_t ALL_CALLS = (size_t)PROCESSES * PASSES * LENGTH;

static struct cell planned_tour(uint32_t id, const char *calls, const char *first,
                                const char *second)
{
    return (struct cell){
        .id = id,
        .events = {words(first), words(second)},
        .counters = second ? 2 : 1,
        .path = words("tour"),
        .pattern = PATTERN_RR,
        .specimen = words("null"),
        .opt = words("O2"),
        .link = words("lazy"),
        .runs = LENGTH * PASSES,
        .cpu = -1,
        .tour = {
            .calls = words(calls), .counted = words("page-faults"), .open = 2, .cold = id == 2}};
}

#define OPERATION(path_, kind_, instrument_, effect_, when_, ...)                                  \
    {                                                                                              \
        .path = (path_), .kind = (kind_), .instrument = (instrument_), .effect = (effect_),        \
        .when = (when_), .links = "static,lazy,bind-now", .page = "", .note = "", __VA_ARGS__      \
    }

static void put_operations(struct store *store)
{
    static const struct stored_operation operations[] = {
        OPERATION("timer", "nothing", "timer", "keeps", "any", .binds = false),
        OPERATION("perf-read", "read", "perf", "keeps", "any", .binds = true),
        OPERATION("perf-read", "start", "perf", "starts", "stopped", .binds = true)};
    for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
        must(store_put_operation(store, &operations[i], failure));
}

static uint64_t value_of(uint32_t cell, uint32_t process, uint32_t run, uint32_t meter)
{
    return cell * 100000 + process * 10000 + run * 10 + meter;
}

static void put_calls(struct store *store, const struct cell *cell, uint32_t process, uint32_t runs)
{
    uint64_t values[LENGTH * PASSES * 2], times[LENGTH * PASSES * 2] = {0};
    struct account accounts[LENGTH * PASSES] = {{0}};
    for (uint32_t run = 0; run < runs; run++) {
        accounts[run].minor_faults = run + 1;
        for (uint32_t meter = 0; meter < cell->counters; meter++)
            values[run * cell->counters + meter] = value_of(cell->id, process, run, meter);
    }
    struct batch batch = {cell->id, process, 0,     runs,    cell->counters,
                          values,   times,   times, accounts};
    must(store_put_batch(store, &batch, failure));
}

static struct store *start(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    put_operations(store);
    return store;
}

static void end(struct store *store)
{
    must(store_finish(store, failure));
    store_close(store);
}

static void load(const char *path, struct overhead_case *file)
{
    struct store *store = NULL;
    must(store_open(&store, path, false, failure));
    must(overhead_load(store, file, failure));
    store_close(store);
}

/* With what was said when it cannot be. */
static int try_to_load(const char *path, struct overhead_case *file, struct failure *told)
{
    struct store *store = NULL;
    int error = store_open(&store, path, false, told);
    if (!error)
        error = overhead_load(store, file, told);
    store_close(store);
    return error;
}

/* Visits are planned with the last process first. */
static void put_plan(struct store *store, const struct cell *cells, uint32_t count)
{
    struct visit visits[8 * PROCESSES];
    for (uint32_t i = 0; i < count * PROCESSES; i++)
        visits[i] = (struct visit){i % count + 1, PROCESSES - 1 - i / count};
    must(store_put_plan(store, cells, count, visits, (size_t)count * PROCESSES, failure));
}

static void fill_store(struct store *store, const struct cell *cells, uint32_t count)
{
    put_plan(store, cells, count);
    for (uint32_t i = 0; i < count * PROCESSES; i++) {
        const struct cell *cell = &cells[i % count];
        uint32_t process = PROCESSES - 1 - i / count;
        put_calls(store, cell, process, cell->runs);
        must(store_end_visit(store, cell->id, process, VISIT_DONE, 0, NULL, failure));
    }
}

/* A whole store of the fixture's machine, finished. */
static void write_store(struct fixture *fixture, const char *path, const struct cell *cells,
                        uint32_t count)
{
    struct store *store = NULL;
    must(store_create(&store, path, &fixture->run, failure));
    put_operations(store);
    fill_store(store, cells, count);
    end(store);
}

static char *second_path(const struct fixture *fixture)
{
    return memory_format("%s.second", fixture->path);
}

TEST_WITH(tours_come_with_their_factors_and_calls, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    facts_set(&fixture->facts, "cpu.model_name", "A CPU", 0);
    facts_set(&fixture->facts, "isa", "x86_64", 0);
    facts_set(&fixture->facts, "kernel.release", "6.1.0-9", 0);
    struct store *store = start(fixture);
    must(store_put_event(
        store, &(struct stored_event){"instructions:u", "hardware", "instructions", 0, NULL},
        failure));
    must(store_put_event(
        store, &(struct stored_event){"branches:k", "hardware", "branches", 0, NULL}, failure));
    must(store_put_event(
        store, &(struct stored_event){"papi-low.read", "operation", NULL, ENOENT, "no PAPI here"},
        failure));
    struct cell cells[] = {planned_tour(1, CALLS, "clock/ticks/", NULL),
                           planned_tour(2, CALLS, "instructions:u", "branches:k"),
                           fixture->cells[2]};
    cells[0].separate = true;
    fill_store(store, cells, 2);
    end(store);
    load(fixture->path, &file);
    assert_int_equal(file.machine_count, 1);
    assert_string_equal(file.machines[0].name, "A CPU (x86_64)");
    assert_string_equal(file.machines[0].cpu, "A CPU");
    assert_string_equal(file.machines[0].os, "6.1.0-9");
    assert_string_equal(file.machines[0].kit, "c0ffee");
    assert_false(file.machines[0].emulated);
    assert_int_equal(file.operation_count, 3);
    assert_string_equal(file.operations[1].name, "perf-read.read");
    assert_string_equal(file.operations[1].instrument, "perf");
    assert_true(file.operations[1].binds);
    assert_int_equal(file.absence_count, 1);
    assert_string_equal(file.absences[0].what, "papi-low.read");
    assert_string_equal(file.absences[0].reason, "no PAPI here");
    assert_int_equal(file.absences[0].error, ENOENT);
    assert_int_equal(file.tour_count, 2);
    const struct overhead_tour *ticks = &file.tours[0], *counts = &file.tours[1];
    assert_int_equal(ticks->meters[0].unit, METER_TICKS);
    assert_string_equal(ticks->meters[0].mode, "");
    assert_true(ticks->separate && !ticks->cold);
    assert_int_equal(ticks->open, 2);
    assert_string_equal(ticks->link, "lazy");
    assert_string_equal(ticks->counted, "page-faults");
    assert_int_equal(counts->meter_count, 2);
    assert_int_equal(counts->meters[0].unit, METER_INSTRUCTIONS);
    assert_string_equal(counts->meters[0].mode, "u");
    assert_int_equal(counts->meters[1].unit, METER_EVENTS);
    assert_string_equal(counts->meters[1].mode, "k");
    assert_true(counts->cold && !counts->separate);
    assert_int_equal(counts->length, LENGTH);
    assert_int_equal(counts->calls[1], 1);
    assert_int_equal(counts->times[1], 8);
    assert_int_equal(counts->times[2], 1);
    assert_int_equal(counts->processes, PROCESSES);
    for (uint32_t process = 0; process < PROCESSES; process++) {
        assert_int_equal(counts->passes[process], PASSES);
        assert_int_equal(counts->begins[process], process * LENGTH * PASSES);
        for (uint32_t run = 0; run < LENGTH * PASSES; run++) {
            size_t call = counts->begins[process] + run;
            assert_int_equal(counts->accounts[call].minor_faults, run + 1);
            for (uint32_t meter = 0; meter < 2; meter++) /* the last process was the first visit */
                assert_int_equal(counts->values[2 * call + meter],
                                 value_of(2, PROCESSES - 1 - process, run, meter));
        }
    }
    assert_int_equal(counts->begins[PROCESSES], ALL_CALLS);
}

/* A harness that stopped within a pass: its whole passes count. */
TEST_WITH(passes_that_are_not_whole_are_left_out, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    struct store *store = start(fixture);
    struct cell cell = planned_tour(1, CALLS, "clock/ticks/", NULL);
    put_plan(store, &cell, 1);
    const uint32_t runs[] = {6, 2, 4}; /* of processes 2, 1, 0 */
    for (uint32_t i = 0; i < 3; i++) {
        put_calls(store, &cell, 2 - i, runs[i]);
        must(store_end_visit(store, 1, 2 - i, VISIT_DONE, 0, NULL, failure));
    }
    end(store);
    load(fixture->path, &file);
    assert_int_equal(file.tours[0].processes, 2);
    assert_int_equal(file.tours[0].passes[0], 2);
    assert_int_equal(file.tours[0].passes[1], 1);
    assert_int_equal(file.tours[0].begins[1], 6);
    assert_int_equal(file.tours[0].begins[2], 9);
    assert_int_equal(file.tours[0].values[6], value_of(1, 0, 0, 0));
    assert_int_equal(file.tours[0].values[8], value_of(1, 0, 2, 0));
}

TEST_WITH(processes_that_failed_are_counted_and_told, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    struct store *store = start(fixture);
    struct cell cells[] = {planned_tour(1, CALLS, "clock/ticks/", NULL),
                           planned_tour(2, CALLS, "clock/ticks/", NULL)};
    put_plan(store, cells, 2);
    for (uint32_t i = 0; i < 2 * PROCESSES; i++) {
        uint32_t cell = i % 2, process = PROCESSES - 1 - i / 2;
        bool fails = cell == 1 || process == 1;
        put_calls(store, &cells[cell], process, LENGTH);
        must(store_end_visit(store, cell + 1, process, fails ? VISIT_FAILED : VISIT_DONE,
                             fails ? EMFILE : 0, fails ? "too many files" : NULL, failure));
    }
    end(store);
    load(fixture->path, &file);
    assert_int_equal(file.tour_count, 2);
    assert_int_equal(file.tours[0].processes, 2);
    assert_int_equal(file.tours[0].failed, 1);
    assert_int_equal(file.tours[0].error, EMFILE);
    assert_string_equal(file.tours[0].reason, "too many files");
    assert_int_equal(file.tours[0].values[LENGTH], value_of(1, 0, 0, 0));
    assert_int_equal(file.tours[1].processes, 0);
    assert_int_equal(file.tours[1].begins[0], 0);
    assert_int_equal(file.tours[1].failed, 3);
    assert_int_equal(file.absence_count, 1);
    assert_string_equal(file.absences[0].what, "perf-read, lazy, clock/ticks/, cold");
    assert_string_equal(file.absences[0].reason, "too many files");
}

TEST_WITH(stores_of_one_machine_are_joined, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    struct cell cells[] = {planned_tour(1, CALLS, "clock/ticks/", NULL),
                           planned_tour(2, CALLS, "clock/ticks/", NULL)};
    write_store(fixture, fixture->path, cells, 1);
    write_store(fixture, second_path(fixture), cells, 2);
    load(fixture->path, &file);
    load(second_path(fixture), &file);
    assert_int_equal(file.machine_count, 1);
    assert_int_equal(file.operation_count, 3);
    assert_int_equal(file.tour_count, 2); /* the cold one is another */
    const struct overhead_tour *tour = &file.tours[0];
    assert_int_equal(tour->processes, 2 * PROCESSES);
    assert_int_equal(tour->begins[(size_t)2 * PROCESSES], 2 * ALL_CALLS);
    for (size_t i = 0; i < ALL_CALLS; i++)
        assert_int_equal(tour->values[i], tour->values[ALL_CALLS + i]);
    assert_int_equal(tour->passes[PROCESSES], PASSES);
    assert_int_equal(file.tours[1].processes, PROCESSES);
}

TEST_WITH(another_machine_stays_apart_and_another_build_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    struct failure told = {0};
    struct cell cell = planned_tour(1, CALLS, "clock/ticks/", NULL);
    write_store(fixture, fixture->path, &cell, 1);
    load(fixture->path, &file);
    fixture->run.kit = "another kit";
    write_store(fixture, second_path(fixture), &cell, 1);
    assert_int_equal(try_to_load(second_path(fixture), &file, &told), -EINVAL);
    assert_non_null(strstr(told.text, "another build"));
    unlink(second_path(fixture));
    fixture->run.fingerprint = "another";
    facts_set(&fixture->facts, "emulated", "qemu", 0);
    write_store(fixture, second_path(fixture), &cell, 1);
    load(second_path(fixture), &file);
    assert_int_equal(file.machine_count, 2);
    assert_true(file.machines[1].emulated && !file.machines[0].emulated);
    assert_int_equal(file.tour_count, 2);
    assert_int_equal(file.tours[1].machine, 1);
}

TEST_WITH(cells_that_are_no_tours_are_passed_over, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS, failure));
    end(store);
    load(fixture->path, &file);
    assert_int_equal(file.tour_count, 0);
    assert_int_equal(file.machine_count, 1);
}

/* --- stores that nobody of us wrote --- */

static void change(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(database);
}

/* A run that was broken off has no checksum yet. */
static void refuses(struct fixture *fixture, const char *sql, const char *word)
{
    struct overhead_case file = {0};
    struct failure told = {0};
    struct cell cell = planned_tour(1, CALLS, "instructions:u", "instructions:k");
    struct store *store = start(fixture);
    fill_store(store, &cell, 1);
    must(store_commit(store, failure));
    store_close(store);
    change(fixture->path, sql);
    int error = try_to_load(fixture->path, &file, &told);
    assert_true(error < 0);
    if (!strstr(told.text, word))
        fail_msg("%s: %s", sql, told.text);
    unlink(fixture->path);
}

TEST_WITH(stores_that_make_no_sense_are_refused, setup, teardown)
{
    static const struct {
        const char *sql, *word;
    } changes[] = {
        {"delete from operation where kind = 'start'", "perf-read.start"},
        {"update tour set calls = 'timer.nothing,,perf-read.read'", "call 2"},
        {"update tour set calls = 'timer.nothing,perf-read.read*9999,timer.nothing'", "star"},
        {"update tour set calls = ''", "tour"},
        {"update cell set runs = 4", "run"},
        {"update counter set event = 'instructions:u'", "twice"},
        {"delete from sample_packed where key in (select key from sample_packed limit 1 offset 4)",
         "a gap"},
        {"delete from sample_packed where key in (select key from sample_packed limit 2 offset 4)",
         "a gap"},
        {"update cell set runs = 4000000000", "runs"},
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
        refuses(*state, changes[i].sql, changes[i].word);
}
