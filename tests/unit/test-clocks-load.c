/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of clocks: every watch with its factors and its readings, clocks with
 * what is claimed of them, and stores that nobody of us wrote refused with a sentence. */
#include "store-fixture.h"

#include "store-dump.h"

#include <math.h>

#include "studies/clocks/parts.h"

static void load(const char *path, struct clocks_case *file)
{
    struct store *store = NULL;
    must(store_open(&store, path, false, failure));
    must(clocks_load(store, file, failure));
    store_close(store);
}

static void expect_refusal(const struct fixture *fixture, const char *said)
{
    struct clocks_case file = {0};
    struct store *store = NULL;
    struct failure told = {0};
    int error = store_open(&store, fixture->path, false, &told);
    if (!error)
        error = clocks_load(store, &file, &told);
    store_close(store);
    if (error != -EBADMSG || !strstr(told.text, said))
        fail_msg("%d: '%s' does not say '%s'", error, told.text, said);
}

/* All watches and no other cells, of processes that all end well. */
static void make_watched(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    put_knowledge(store);
    put_watches(store);
    store_close(store);
}

TEST_WITH(a_machine_is_what_its_facts_say, setup, teardown)
{
    struct fixture *fixture = *state;
    struct clocks_case file = {0};
    facts_set(&fixture->facts, "clock.current", "tsc", 0);
    facts_set(&fixture->facts, "clock.available", "tsc hpet tsc-early  acpi_pm", 0);
    facts_set(&fixture->facts, "clock.flags", "constant_tsc nonstop_tsc", 0);
    facts_set(&fixture->facts, "clock.steered_ppm", "-12.5", 0);
    facts_set(&fixture->facts, "cpu.allowed", "0-2,5", 0);
    facts_set(&fixture->facts, "emulated", "qemu", 0);
    make_watched(fixture);
    load(fixture->path, &file);
    assert_string_equal(file.clocksource, "tsc");
    assert_string_equal(file.available, "hpet tsc-early acpi_pm"); /* others than the current */
    assert_string_equal(file.flags, "constant_tsc nonstop_tsc");
    assert_true(file.steered_ppm == -12.5);
    assert_true(file.emulated);
    assert_int_equal(file.cpus, 4);
    static const char *const words_of_none[] = {"fast", "", "nan", "inf", "1 ppm"};
    for (size_t i = 0; i < sizeof(words_of_none) / sizeof(*words_of_none); i++) {
        unlink(fixture->path);
        facts_set(&fixture->facts, "clock.steered_ppm", words_of_none[i], 0);
        make_watched(fixture);
        load(fixture->path, &file);
        assert_true(isnan(file.steered_ppm));
    }
}

/* Three processes: one fails, one is whole, one broke off within a group (only a store that was
 * gone on with by hand has that). */
TEST_WITH(only_whole_groups_of_processes_that_ended_well_count, setup, teardown)
{
    struct fixture *fixture = *state;
    struct clocks_case file = {0};
    struct store *store = NULL;
    const struct cell cell = watch_cell(0);
    const struct visit visits[] = {{cell.id, 0}, {cell.id, 1}, {cell.id, 2}, {cell.id, 3}};
    must(store_create(&store, fixture->path, &fixture->run, failure));
    put_knowledge(store);
    must(store_put_plan(store, &cell, 1, visits, 4, failure));
    must(put_runs(store, &cell, 0, 0, 24, failure));
    must(store_end_visit(store, cell.id, 0, VISIT_FAILED, EPERM, "not allowed", failure));
    must(put_runs(store, &cell, 1, 0, 31, failure)); /* two groups of 12, and a part of one */
    must(store_end_visit(store, cell.id, 1, VISIT_DONE, 0, NULL, failure));
    must(put_runs(store, &cell, 2, 0, 11, failure)); /* no whole one */
    must(store_end_visit(store, cell.id, 2, VISIT_DONE, 0, NULL, failure));
    must(put_runs(store, &cell, 3, 0, cell.runs, failure));
    must(store_end_visit(store, cell.id, 3, VISIT_DONE, 0, NULL, failure));
    store_close(store);
    load(fixture->path, &file);
    const struct clock_watch *watch = &file.watches[0];
    assert_int_equal(watch->processes, 2);
    assert_int_equal(watch->begins[0], 0);
    assert_int_equal(watch->begins[1], 24);
    assert_int_equal(watch->begins[2], 24 + cell.runs);
    const struct sample first = right_sample(cell.id, 1, 0, 0),
                        last = right_sample(cell.id, 3, 0, 1);
    assert_true(watch->values[0] == first.value);
    assert_true(watch->values[24 * 2 + 1] == last.value);
    assert_int_equal(watch->failed, 1);
    assert_int_equal(watch->error, EPERM);
    assert_string_equal(watch->reason, "not allowed");
}

/* A watch that no process made has an end of nothing. */
TEST_WITH(a_watch_without_readings_is_there, setup, teardown)
{
    struct fixture *fixture = *state;
    struct clocks_case file = {0};
    struct store *store = NULL;
    const struct cell cell = watch_cell(1);
    const struct visit visit = {cell.id, 0};
    must(store_create(&store, fixture->path, &fixture->run, failure));
    put_knowledge(store);
    must(store_put_plan(store, &cell, 1, &visit, 1, failure));
    store_close(store);
    load(fixture->path, &file);
    assert_int_equal(file.watch_count, 1);
    assert_int_equal(file.watches[0].processes, 0);
    assert_int_equal(file.watches[0].begins[0], 0);
}

/* Checksums of visits guard samples, so only what visits do not cover can be planted here. */
TEST_WITH(hostile_stores_get_a_sentence, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[][2] = {
        {"UPDATE clock SET kind = 'sundial' WHERE position = 2", "'sundial'"},
        {"DELETE FROM clock WHERE name = 'outside'", "does not say what that is"},
        {"DELETE FROM clock WHERE name = 'lying'", "does not say what that is"},
        {"UPDATE counter SET event = 'monotonic-raw@5=run:x' WHERE cell = 5 AND counter = 0",
         "two clocks of the name"},
        {"UPDATE cell SET runs = 24 WHERE id = 5", "more looks than were planned"},
        {"UPDATE watch SET moves = -1", "impossible values"},
        {"UPDATE watch SET kind = 'row', workload = NULL, moves = 0, handover = 0, looks = 1, "
         "threads = 1 WHERE cell = 5",
         "columns"},
        {"UPDATE sample_packed SET value = value + 1 WHERE key & 31 = 1", "damaged"},
        {"DELETE FROM sample_packed WHERE (key >> 5) & 1048575 = 3", "damaged"},
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        make_watched(fixture);
        change(fixture->path, changes[i][0]);
        expect_refusal(fixture, changes[i][1]);
        unlink(fixture->path);
    }
}

TEST_WITH(a_gap_between_looks_is_damage, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    const struct cell cell = watch_cell(0);
    const struct visit visit = {cell.id, 0};
    must(store_create(&store, fixture->path, &fixture->run, failure));
    put_knowledge(store);
    must(store_put_plan(store, &cell, 1, &visit, 1, failure));
    must(put_runs(store, &cell, 0, 0, 12, failure));
    must(put_runs(store, &cell, 0, 24, 12, failure));
    must(store_end_visit(store, cell.id, 0, VISIT_DONE, 0, NULL, failure));
    store_close(store);
    expect_refusal(fixture, "a gap before this value");
}
