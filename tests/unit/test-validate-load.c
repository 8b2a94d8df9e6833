/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to a case: what was put into the store is what the judge gets, no more and no
 * less, with truths and traits evaluated for each point. */
#include "store-fixture.h"

#include "store-dump.h"

#include "base/cleanup.h"
#include "engine/loading.h"
#include "studies/validate/plan.h"
#include "studies/validate/study.h"

/* Opens what the fixture wrote and loads it. */
static void load(const struct fixture *fixture, struct case_file *file)
{
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    must(validate_load(store, file, failure));
    store_close(store);
}

static const struct evidence *event_named(const struct case_file *file, const char *name)
{
    for (size_t i = 0; i < file->event_count; i++)
        if (strcmp(file->events[i].event, name) == 0)
            return &file->events[i];
    fail_msg("no event %s", name);
    return NULL;
}

static void expect_truth(const struct point *point, enum truth_grade grade, int64_t low,
                         int64_t high)
{
    assert_int_equal(point->truth.grade, grade);
    assert_true(point->truth.low == low);
    assert_true(point->truth.high == high);
}

/* One cell and one process of it, whose runs count 100, 101 … and 7, 8 … */
struct planned {
    const char *event, *companion, *specimen;
    uint64_t n;
    int32_t cpu;
};

static void put_planned(struct store *store, const struct planned *planned, size_t count)
{
    struct cell cells[9] = {0};
    struct visit visits[9];
    assert_true(count <= 9);
    for (uint32_t i = 0; i < count; i++) {
        const struct planned *one = &planned[i];
        cells[i] = (struct cell){.id = i + 1,
                                 .events = {words(one->event), words(one->companion)},
                                 .counters = one->companion ? 2 : 1,
                                 .path = words("perf-read"),
                                 .pattern = PATTERN_AO,
                                 .specimen = words(one->specimen),
                                 .n = one->n,
                                 .opt = words("O2"),
                                 .link = words("lazy"),
                                 .runs = 3,
                                 .cpu = one->cpu};
        visits[i] = (struct visit){i + 1, 0};
    }
    must(store_put_plan(store, cells, count, visits, count, failure));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t counters = cells[i].counters;
        uint64_t values[6], times[6];
        for (uint32_t at = 0; at < 3 * counters; at++) {
            values[at] = (at % counters ? 7 : 100) + at / counters;
            times[at] = 1000;
        }
        struct account accounts[3] = {{0}};
        struct batch batch = {i + 1, 0, 0, 3, counters, values, times, times, accounts};
        must(store_put_batch(store, &batch, failure));
        must(store_end_visit(store, i + 1, 0, VISIT_DONE, 0, NULL, failure));
    }
}

static struct store *start(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    return store;
}

static void end(struct store *store)
{
    must(store_finish(store, failure));
    store_close(store);
}

/* --- truths and traits --- */

static const struct stored_truth truths[] = {
    {"adds", "instructions", 5, 10, 5, 10, "proven", "", "step,qemu"},
    {"adds", "misses", 1, 0, 3, 2, "bounded", "", ""},
    {"adds", "model-misses", 2, 1, 2, 1, "model", "", ""},
    {"adds", "reversed", 9, 0, 1, 0, "bounded", "", ""},
    {"adds", "endless", INT64_MAX, 1, INT64_MAX, 1, "proven", "", ""},
    {"adds-more", "instructions", 77, 0, 77, 0, "proven", "", ""},
    {"add", "instructions", 66, 0, 66, 0, "proven", "", ""},
};

static void put_truths(struct store *store)
{
    for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
        must(store_put_specimen_truth(store, &truths[i], failure));
    must(store_put_opcode(store, &(struct stored_opcode){"adds", "add", 1, 10}, failure));
    must(store_put_opcode(store, &(struct stored_opcode){"adds", "ret", 1, 0}, failure));
    must(store_put_opcode(store, &(struct stored_opcode){"add", "", 0, 0}, failure));
}

/* What the operating system executes is no part of the specimen's truth. */
TEST_WITH(truths_are_those_of_the_class_at_n, setup, teardown)
{
    struct store *store = start(*state);
    static const struct {
        const char *event, *kind, *class;
        enum truth_grade grade;
        int64_t low, high;
    } cases[] = {
        {"software", "software", "instructions", TRUTH_PROVEN, 1005, 1005},
        {"misses", "software", "misses", TRUTH_BOUNDED, 1, 203},
        {"model", "software", "model-misses", TRUTH_MODEL, 102, 102},
        {"reversed", "software", "reversed", TRUTH_NONE, 0, 0},
        {"endless", "software", "endless", TRUTH_NONE, 0, 0},
        {"unheard-of", "software", "unheard-of", TRUTH_NONE, 0, 0},
        {"instructions", "hardware", "instructions", TRUTH_NONE, 0, 0},
        {"instructions:u", "hardware", "instructions", TRUTH_PROVEN, 1005, 1005},
        {"step/instructions/", "source", "instructions", TRUTH_PROVEN, 1005, 1005},
    };
    enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
    struct planned planned[COUNT];
    put_truths(store);
    for (size_t i = 0; i < COUNT; i++) {
        struct stored_event event = {cases[i].event, cases[i].kind, cases[i].class, 0, NULL};
        must(store_put_event(store, &event, failure));
        planned[i] = (struct planned){cases[i].event, NULL, "adds/bytes=64/", 100, -1};
    }
    put_planned(store, planned, COUNT);
    end(store);
    struct case_file file = {0};
    load(*state, &file);
    assert_int_equal(file.event_count, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        expect_truth(event_named(&file, cases[i].event)->points, cases[i].grade, cases[i].low,
                     cases[i].high);
}

/* --- companions, failures, machines --- */

TEST_WITH(interrupts_that_were_counted_along_become_part_of_the_runs, setup, teardown)
{
    struct store *store = start(*state);
    static const struct planned planned[] = {
        {"instructions:u", "irq_vectors:local_timer_entry", "loop", 10, -1},
        {"instructions:u", "irq:irq_handler_entry", "loop", 11, -1},
        {"instructions:u", "task-clock", "loop", 12, -1},
        {"instructions:u", NULL, "loop", 13, -1}};
    put_planned(store, planned, 4);
    end(store);
    struct case_file file = {0};
    load(*state, &file);
    assert_int_equal(file.event_count, 1);
    for (size_t i = 0; i < 4; i++) {
        const struct point *point = &file.events[0].points[i];
        assert_int_equal(point->has_interrupts, i < 2);
        assert_int_equal(point->run_count, 3);
        for (uint32_t run = 0; run < 3; run++) {
            assert_true(point->runs[run].value == 100 + run);
            assert_int_equal(point->runs[run].interrupts, i < 2 ? 7 + run : 0);
        }
    }
}

TEST_WITH(processes_that_failed_are_told_with_their_reason, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(store_end_visit(store, 2, 0, VISIT_FAILED, EACCES, "not allowed", failure));
    must(store_end_visit(store, 2, 1, VISIT_FAILED, EACCES, "not allowed", failure));
    must(store_end_visit(store, 3, 0, VISIT_FAILED, ENOENT, NULL, failure));
    must(store_commit(store, failure));
    store_close(store); /* not finished: what is there is loaded */
    struct case_file file = {0};
    load(fixture, &file);
    const struct point *points = file.events[0].points;
    assert_int_equal(points[1].failed, 2);
    assert_string_equal(points[1].failure_reason, "not allowed");
    assert_int_equal(points[1].run_count, 0);
    assert_int_equal(points[2].failed, 1);
    assert_string_equal(points[2].failure_reason, strerror(ENOENT));
}

TEST_WITH(kinds_of_cores_are_told_where_there_are_several, setup, teardown)
{
    struct fixture *fixture = *state;
    facts_set(&fixture->facts, "pmu.cpus", "cpu_core=0-7,16 cpu_atom=8-15", 0);
    struct store *store = start(fixture);
    static const struct planned planned[] = {
        {"x", NULL, "loop", 1, 3},  {"x", NULL, "loop", 1, 16}, {"x", NULL, "loop", 1, 8},
        {"x", NULL, "loop", 1, -1}, {"x", NULL, "loop", 1, 99},
    };
    static const char *const kinds[] = {"cpu_core", "cpu_core", "cpu_atom", "", ""};
    put_planned(store, planned, 5);
    end(store);
    struct case_file file = {0};
    load(fixture, &file);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(file.events[0].points[i].core, kinds[i]);
}

TEST(odd_facts_name_no_core)
{
    static const char *const odd[] = {"cpu=0-7",           "cpu_core= cpu_atom=",
                                      "a=x b=y",           "= =",
                                      "cpu_core cpu_atom", "a=- b=-",
                                      "a=0- b=,",          "  "};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        AUTO_FACTS struct facts facts = {0};
        facts_set(&facts, "pmu.cpus", odd[i], 0);
        char name[16] = "old";
        core_type(&facts, 5, name, sizeof(name));
        assert_string_equal(name, "");
    }
}

/* --- stores that are not as assay writes them --- */

static void refuse(struct fixture *fixture, const char *sql, const char *wanted)
{
    make_finished(fixture);
    change(fixture->path, "DELETE FROM meta WHERE key IN ('finished', 'checksum')");
    change(fixture->path, sql);
    struct store *store = NULL;
    struct case_file file = {0};
    struct failure refusal = {0};
    must(store_open(&store, fixture->path, false, failure));
    assert_int_equal(validate_load(store, &file, &refusal), -EBADMSG);
    if (!strstr(refusal.text, wanted))
        fail_msg("\"%s\" is not in: %s", wanted, refusal.text);
    store_close(store);
    unlink(fixture->path);
}

TEST_WITH(damaged_knowledge_is_refused, setup, teardown)
{
    refuse(*state, "UPDATE truth SET grade = 'certain' WHERE position = 2", "certain");
    refuse(*state, "UPDATE truth SET base = 'many'", "impossible");
    refuse(*state, "UPDATE opcode SET each = x'00'", "impossible");
    refuse(*state, "UPDATE event SET error = 'EPERM'", "impossible");
    refuse(*state, "UPDATE sample_packed SET value = value + 1", "changed");
    refuse(*state,
           "WITH RECURSIVE many(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM many LIMIT 5000) "
           "INSERT INTO opcode(specimen, opcode, base, each) SELECT 'loop', 'op' || x, 0, 0 "
           "FROM many",
           "more than");
}
