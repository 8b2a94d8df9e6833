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

static struct store *start(struct fixture *fixture, const char *path)
{
    struct store *store = NULL;
    must(store_create(&store, path, &fixture->run, failure));
    put_operations(store);
    return store;
}

static void end(struct store *store)
{
    must(store_finish(store, failure));
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

static void load(const char *path, struct overhead_case *file)
{
    must(try_to_load(path, file, failure));
}

/* Visits are planned with the last process first. Of process i there are runs[i] (NULL: all). */
static void fill_store(struct store *store, const struct cell *cells, uint32_t count,
                       const uint32_t *runs)
{
    struct visit visits[8 * PROCESSES];
    for (uint32_t i = 0; i < count * PROCESSES; i++)
        visits[i] = (struct visit){i % count + 1, PROCESSES - 1 - i / count};
    must(store_put_plan(store, cells, count, visits, (size_t)count * PROCESSES, failure));
    for (uint32_t i = 0; i < count * PROCESSES; i++) {
        const struct cell *cell = &cells[i % count];
        uint32_t process = visits[i].process;
        put_calls(store, cell, process, runs ? runs[process] : cell->runs);
        must(store_end_visit(store, cell->id, process, VISIT_DONE, 0, NULL, failure));
    }
}

/* A whole store of the fixture's machine, finished. */
static void write_store(struct fixture *fixture, const char *path, const struct cell *cells,
                        uint32_t count)
{
    struct store *store = start(fixture, path);
    fill_store(store, cells, count, NULL);
    end(store);
}

static char *second_path(const struct fixture *fixture)
{
    return memory_format("%s.second", fixture->path);
}

TEST_WITH(tours_come_with_their_factors_and_calls, setup, teardown)
{
    static const struct stored_event events[] = {
        {"instructions:u", "hardware", "instructions", 0, NULL},
        {"branches:k", "hardware", "branches", 0, NULL},
        {"papi-low.read", "operation", NULL, ENOENT, "no PAPI here"}};
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    facts_set(&fixture->facts, "cpu.model_name", "A CPU", 0);
    facts_set(&fixture->facts, "isa", "x86_64", 0);
    struct store *store = start(fixture, fixture->path);
    for (size_t i = 0; i < 3; i++)
        must(store_put_event(store, &events[i], failure));
    struct cell cells[] = {planned_tour(1, CALLS, "clock/ticks/", NULL),
                           planned_tour(2, CALLS, "instructions:u", "branches:k")};
    cells[0].separate = true;
    fill_store(store, cells, 2, NULL);
    end(store);
    load(fixture->path, &file);
    assert_int_equal(file.machine_count, 1);
    assert_string_equal(file.machines[0].name, "A CPU (x86_64)");
    assert_false(file.machines[0].emulated);
    assert_int_equal(file.operation_count, 3);
    assert_string_equal(file.operations[1].name, "perf-read.read");
    assert_true(file.operations[1].binds);
    assert_int_equal(file.absence_count, 1);
    assert_string_equal(file.absences[0].what, "papi-low.read");
    assert_string_equal(file.absences[0].reason, "no PAPI here");
    assert_int_equal(file.absences[0].error, ENOENT);
    assert_int_equal(file.tour_count, 2);
    const struct overhead_tour *ticks = &file.tours[0], *counts = &file.tours[1];
    assert_int_equal(ticks->meters[0].unit, METER_TICKS);
    assert_true(ticks->separate && !ticks->cold && ticks->open == 2);
    assert_string_equal(ticks->link, "lazy");
    assert_string_equal(ticks->counted, "page-faults");
    assert_true(counts->cold && !counts->separate && counts->meter_count == 2);
    assert_int_equal(counts->meters[0].unit, METER_INSTRUCTIONS);
    assert_int_equal(counts->meters[1].unit, METER_EVENTS);
    assert_string_equal(counts->meters[1].mode, "k");
    assert_true(counts->length == LENGTH && counts->processes == PROCESSES);
    assert_true(counts->calls[1] == 1 && counts->times[1] == 8 && counts->times[2] == 1);
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
}

/* A harness that stopped within a pass: its whole passes count. */
TEST_WITH(passes_that_are_not_whole_are_left_out, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    struct store *store = start(fixture, fixture->path);
    struct cell cell = planned_tour(1, CALLS, "clock/ticks/", NULL);
    fill_store(store, &cell, 1, (const uint32_t[]){4, 2, 6});
    end(store);
    load(fixture->path, &file);
    const struct overhead_tour *tour = &file.tours[0];
    assert_int_equal(tour->processes, 2);
    assert_true(tour->passes[0] == 2 && tour->passes[1] == 1);
    assert_true(tour->begins[1] == 6 && tour->begins[2] == 9);
    assert_int_equal(tour->values[6], value_of(1, 0, 0, 0));
    assert_int_equal(tour->values[8], value_of(1, 0, 2, 0));
}

TEST_WITH(processes_that_failed_are_counted_and_told, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    struct store *store = start(fixture, fixture->path);
    struct cell cells[] = {planned_tour(1, CALLS, "clock/ticks/", NULL),
                           planned_tour(2, CALLS, "clock/ticks/", NULL)};
    struct visit visits[] = {{1, 1}, {1, 0}, {2, 0}};
    must(store_put_plan(store, cells, 2, visits, 3, failure));
    for (size_t i = 0; i < 3; i++) {
        bool fails = i != 1;
        put_calls(store, &cells[visits[i].cell - 1], visits[i].process, LENGTH);
        must(store_end_visit(store, visits[i].cell, visits[i].process,
                             fails ? VISIT_FAILED : VISIT_DONE, fails ? EMFILE : 0,
                             fails ? "too many files" : NULL, failure));
    }
    end(store);
    load(fixture->path, &file);
    assert_int_equal(file.tour_count, 2);
    assert_true(file.tours[0].processes == 1 && file.tours[0].failed == 1);
    assert_int_equal(file.tours[0].error, EMFILE);
    assert_string_equal(file.tours[0].reason, "too many files");
    assert_true(file.tours[1].processes == 0 && file.tours[1].failed == 1);
    assert_int_equal(file.absence_count, 1);
    assert_string_equal(file.absences[0].what, "perf-read, lazy, clock/ticks/, cold");
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
    assert_memory_equal(tour->values, tour->values + ALL_CALLS, ALL_CALLS * sizeof(*tour->values));
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
    assert_int_equal(file.tours[1].machine, 1);
}

TEST_WITH(cells_that_are_no_tours_are_passed_over, setup, teardown)
{
    struct fixture *fixture = *state;
    struct overhead_case file = {0};
    make_finished(fixture);
    load(fixture->path, &file);
    assert_true(file.tour_count == 0 && file.machine_count == 1);
}

/* --- stores that nobody of us wrote --- */

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
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        struct overhead_case file = {0};
        struct failure told = {0};
        struct cell cell = planned_tour(1, CALLS, "instructions:u", "instructions:k");
        struct store *store = start(fixture, fixture->path);
        fill_store(store, &cell, 1, NULL);
        must(store_commit(store, failure)); /* broken off: there is no checksum yet */
        store_close(store);
        sqlite3 *database = NULL;
        assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
        assert_int_equal(sqlite3_exec(database, changes[i].sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(database);
        int error = try_to_load(fixture->path, &file, &told);
        if (error >= 0 || !strstr(told.text, changes[i].word))
            fail_msg("%s: %d, %s", changes[i].sql, error, told.text);
        unlink(fixture->path);
    }
}
