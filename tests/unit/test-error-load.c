/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From stores to the case of measurement error: every cell with its part, its factors and its runs,
 * no more and no less; unfinished stores, several of them, and such as assay does not write. */
#include "error-stored.h"

static void put_knowledge_of_loops(struct store *store)
{
    static const struct {
        const char *specimen, *class;
        int64_t base, each;
    } truths[] = {{"loop", "instructions", 1, 3},   {"loop", "syscalls", 0, 0},
                  {"loop", "page-faults", 0, 0},    {"placed", "instructions", 1, 3},
                  {"placed", "syscalls", 0, 0},     {"placed", "page-faults", 0, 0},
                  {"phases", "instructions", 5, 7}, {"phases", "syscalls", 0, 1},
                  {"phases", "page-faults", 0, 0}};
    static const char *const events[][3] = {{"instructions:u", "hardware", "instructions"},
                                            {"instructions:k", "hardware", "instructions"},
                                            {"instructions:uk", "hardware", "instructions"},
                                            {"instructions", "hardware", "instructions"},
                                            {"cpu/event=0xc0/u", "pmu", NULL},
                                            {"cycles:u", "hardware", "cycles"},
                                            {"msr/tsc/", "pmu", "ticks"},
                                            {"clock/ticks/", "source", "ticks"},
                                            {"step/instructions/", "source", "instructions"},
                                            {"step/instructions-raw/", "source", NULL},
                                            {"page-faults", "software", "page-faults"},
                                            {"task-clock", "software", "task-clock"},
                                            {"raw_syscalls:sys_enter", "tracepoint", "syscalls"}};
    for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++) {
        int64_t base = truths[i].base, each = truths[i].each;
        struct stored_truth truth = {
            truths[i].specimen, truths[i].class, base, each, base, each, "proven", "", ""};
        must(store_put_specimen_truth(store, &truth, failure));
    }
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
        struct stored_event event = {events[i][0], events[i][1], events[i][2], 0, NULL};
        must(store_put_event(store, &event, failure));
    }
}

/* --- parts and factors --- */

#define IRQ "irq_vectors:local_timer_entry"

#define UNKNOWN    INT64_MIN
#define LOOP       .specimen = "loop", .n = 10
#define PLAIN(...) __VA_ARGS__
#define CELL(part, base, mode, truth, planned, ...)                                                \
    {                                                                                              \
        {PLAIN planned}, PART_##part, base, COUNT_##mode, truth __VA_OPT__(, ) __VA_ARGS__         \
    }
static const struct {
    struct planned planned;
    enum error_part part;
    const char *base;
    enum count_mode mode;
    int64_t truth;
    const char *others; /* NULL: "" */
    bool placed;
    int64_t offset;
} expected[] = {
    CELL(NULL, "instructions", USER, 0, (.event = "instructions:u")),
    CELL(NULL, "instructions", BOTH, 0, (.event = "instructions")),
    CELL(NULL, "cpu/event=0xc0/", USER, 0, (.event = "cpu/event=0xc0/u")),
    CELL(NULL, "msr/tsc/", ANY, 0, (.event = "msr/tsc/")),
    CELL(NULL, "raw_syscalls:sys_enter", ANY, 0, (.event = "raw_syscalls:sys_enter")),
    CELL(NULL, "instructions", BOTH, 0,
         (.event = "instructions:uk", .second = "instructions:uk", .third = "instructions:uk")),
    CELL(NULL, "instructions", BOTH, 0,
         (.event = "instructions:uk", .second = "cycles:u", .third = "page-faults",
          .separate = true),
         .others = "cycles:u,page-faults"),
    CELL(STEPPED, "instructions", USER, 0, (.event = "step/instructions/")),
    CELL(STEPPED, "instructions-raw", USER, 0, (.event = "step/instructions-raw/")),
    CELL(STEPPED, "instructions", USER, 31, (.event = "step/instructions/", LOOP)),
    CELL(DURATION, "instructions", USER, 31, (.event = "instructions:u", LOOP)),
    CELL(DURATION, "instructions", BOTH, 31, (.event = "instructions:uk", LOOP)),
    CELL(DURATION, "instructions", KERNEL, 0, (.event = "instructions:k", .second = IRQ, LOOP),
         .others = IRQ),
    CELL(DURATION, IRQ, ANY, UNKNOWN, (.event = IRQ, LOOP)),
    CELL(DURATION, "page-faults", ANY, 0,
         (.event = "page-faults", LOOP, .class = "page-faults", .grade = "proven")),
    CELL(PLACEMENT, "task-clock", ANY, UNKNOWN, (.event = "task-clock", LOOP)),
    CELL(PLACEMENT, "task-clock", ANY, UNKNOWN,
         (.event = "task-clock", .specimen = "loop", .n = 20)),
    CELL(PLACEMENT, "cycles", USER, UNKNOWN, (.event = "cycles:u", LOOP)),
    CELL(PLACEMENT, "ticks", ANY, UNKNOWN,
         (.event = "clock/ticks/", .path = "clock", .specimen = "placed/offset=17/", .n = 10),
         .placed = true, .offset = 17),
    CELL(PLACEMENT, "instructions", USER, 31,
         (.event = "instructions:u", .specimen = "placed/offset=0/", .n = 10), .placed = true,
         .offset = 0),
    CELL(MULTIPLEX, "instructions", USER, 31,
         (.event = "instructions:u", .second = "instructions:u", LOOP)),
    CELL(MULTIPLEX, "instructions", USER, 75,
         (.event = "instructions:u", .specimen = "phases/period=9/", .n = 10)),
    CELL(MULTIPLEX, "instructions", BOTH, UNKNOWN,
         (.event = "instructions:uk", .specimen = "phases/period=9/", .n = 10)),
    CELL(TOOL, "page-faults", ANY, 0, (.event = "page-faults", .path = "perf-stat")),
    CELL(TOOL, "page-faults", ANY, 0, (.event = "page-faults", .path = "perf-stat", LOOP)),
};
enum { EXPECTED = sizeof(expected) / sizeof(expected[0]) };

static void load_expected(struct fixture *fixture, struct error_case *file)
{
    struct planned planned[EXPECTED];
    struct store *store = start(fixture);
    put_knowledge_of_loops(store);
    for (size_t i = 0; i < EXPECTED; i++)
        planned[i] = expected[i].planned;
    put_planned(store, planned, EXPECTED);
    end(store);
    load(fixture->path, file);
    assert_int_equal(file->cell_count, EXPECTED);
}

TEST_WITH(every_cell_has_its_part_and_factors, setup, teardown)
{
    struct error_case file = {0};
    load_expected(*state, &file);
    for (size_t i = 0; i < EXPECTED; i++) {
        const struct error_cell *cell = &file.cells[i];
        const struct planned *planned = &expected[i].planned;
        bool known = expected[i].truth != UNKNOWN;
        assert_string_equal(cell->event, planned->event);
        if (cell->part != expected[i].part || cell->has_truth != known)
            fail_msg("cell %zu (%s on %s) has part %d, truth %d", i, cell->event, cell->specimen,
                     (int)cell->part, cell->has_truth);
        assert_true(cell->truth == (known ? expected[i].truth : 0));
        assert_string_equal(cell->base, expected[i].base);
        assert_int_equal(cell->mode, expected[i].mode);
        assert_string_equal(cell->others, word_or(expected[i].others, ""));
        assert_true(cell->offset == (expected[i].placed ? expected[i].offset : -1));
        assert_string_equal(cell->path, word_or(planned->path, "perf-read"));
        assert_string_equal(cell->specimen, word_or(planned->specimen, "null"));
        assert_true(strcmp(cell->opt, "O2") == 0 && strcmp(cell->link, "lazy") == 0);
        assert_int_equal(cell->pattern, PATTERN_AO);
        assert_int_equal(cell->counters, planned->third ? 3 : planned->second ? 2 : 1);
        assert_int_equal(cell->separate, planned->separate);
        assert_true(cell->n == planned->n && cell->machine == 0);
    }
    assert_string_equal(file.cells[0].kind, "hardware");
    assert_string_equal(file.cells[0].class, "instructions");
    assert_string_equal(file.cells[13].kind, ""); /* the list does not have it */
    assert_null(file.cells[13].class);
}

/* Loaded twice, cells with the same factors join; their processes stand one behind the other. */
TEST_WITH(runs_come_by_process_and_run, setup, teardown)
{
    struct error_case file = {0};
    load_expected(*state, &file);
    load(((struct fixture *)*state)->path, &file);
    assert_int_equal(file.cell_count, EXPECTED);
    for (size_t i = 0; i < EXPECTED; i++) {
        const struct error_cell *cell = &file.cells[i];
        assert_string_equal(cell->event, expected[i].planned.event);
        assert_int_equal(cell->runs, 2 * RUNS * PROCESSES);
        assert_int_equal(cell->processes, 2 * PROCESSES);
        assert_int_equal(cell->failed, 0);
        bool timed = cell->part == PART_DURATION || cell->part == PART_PLACEMENT ||
                     cell->part == PART_MULTIPLEX;
        bool interrupts = strcmp(cell->others, IRQ) == 0;
        assert_true((cell->enabled != NULL) == timed && (cell->running != NULL) == timed);
        assert_int_equal(cell->interrupts != NULL, interrupts);
        for (uint32_t run = 0; run < cell->runs; run++) {
            uint32_t process = run / RUNS % PROCESSES, own = run % RUNS;
            assert_int_equal(cell->begins[run / RUNS], run - own);
            assert_int_equal(cell->values[run], value_of(process, own, 0));
            if (timed)
                assert_true(cell->enabled[run] == 1000 + own && cell->running[run] == 1000 + own);
            if (interrupts)
                assert_true(cell->interrupts[run] == (double)value_of(process, own, 1));
        }
    }
}

TEST_WITH(odd_offsets_are_none, setup, teardown)
{
    static const struct {
        const char *specimen;
        int64_t offset;
    } cases[] = {{"placed/offset=4095/", 4095},
                 {"placed/offset=0x10/", 16},
                 {"placed/period=3,offset=5/", 5},
                 {"placed/offset=/", -1},
                 {"placed/offset=-1/", -1},
                 {"placed/offset=7 /", -1},
                 {"placed/offset=99999999999999999999/", -1},
                 {"placed/offset=70000/", -1},
                 {"placed", -1}};
    enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
    struct planned planned[COUNT + 1] = {[COUNT] = {.event = "page-faults", .specimen = "nullify"}};
    for (size_t i = 0; i < COUNT; i++)
        planned[i] = (struct planned){.event = "cycles:u", .specimen = cases[i].specimen, .n = 1};
    struct store *store = start(*state);
    put_planned(store, planned, COUNT + 1);
    end(store);
    struct error_case file = {0};
    load(((struct fixture *)*state)->path, &file);
    assert_int_equal(file.cell_count, COUNT); /* what other studies measure is left out */
    for (size_t i = 0; i < COUNT; i++)
        if (file.cells[i].offset != cases[i].offset || file.cells[i].part != PART_PLACEMENT)
            fail_msg("%s is at %lld", cases[i].specimen, (long long)file.cells[i].offset);
}

/* --- runs that are not plain --- */

/* One cell with one process whose runs have these counts and times. */
static void put_runs_of(struct store *store, const struct planned *planned, uint32_t id,
                        const uint64_t *values, const uint64_t *running,
                        const struct account *accounts)
{
    struct cell cell = cell_of(planned, id);
    uint64_t enabled[RUNS] = {1000, 1000, 1000};
    struct batch batch = {id,      0, 0, RUNS, 1, values, enabled, running ? running : enabled,
                          accounts};
    must(store_put_plan(store, &cell, 1, &(struct visit){id, 0}, 1, failure));
    must(store_put_batch(store, &batch, failure));
    must(store_end_visit(store, id, 0, VISIT_DONE, 0, NULL, failure));
}

TEST_WITH(multiplexed_runs_are_extrapolated_and_others_left_out, setup, teardown)
{
    struct store *store = start(*state);
    struct planned planned = {.event = "instructions:u", .specimen = "phases", .n = 1};
    static const struct account calm[RUNS];
    put_runs_of(store, &planned, 1, (uint64_t[]){50, 9, 70}, (uint64_t[]){500, 0, 1000}, calm);
    put_runs_of(store, &planned, 2, (uint64_t[]){1, 2, 3}, (uint64_t[]){0, 0, 0}, calm);
    put_runs_of(store, &planned, 3, (uint64_t[]){UINT64_MAX - 4, INT64_MAX, UINT64_C(1) << 63},
                NULL, calm);
    end(store);
    struct error_case file = {0};
    load(((struct fixture *)*state)->path, &file);
    const struct error_cell *cell = file.cells;
    assert_int_equal(cell->runs, 2);
    assert_true(cell->values[0] == 100 && cell->values[1] == 70);
    assert_true(cell->running[0] == 500 && cell->enabled[0] == 1000);
    assert_int_equal(cell->multiplexed, 1);
    assert_int_equal(cell->unscheduled, 1);
    cell++;
    assert_int_equal(cell->runs, 0);
    assert_int_equal(cell->processes, 0);
    assert_int_equal(cell->begins[0], 0);
    assert_int_equal(cell->unscheduled, RUNS);
    cell++; /* a difference that went below zero, and two that no window can hold */
    assert_true(cell->values[0] == -5);
    assert_true(cell->values[1] == INT64_C(1) << 60);
    assert_true(cell->values[2] == -(INT64_C(1) << 60));
}

TEST_WITH(runs_beyond_the_expected_account_are_disturbed, setup, teardown)
{
    struct store *store = start(*state);
    static const struct account odd_fault[RUNS] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}};
    static const struct account switched[RUNS] = {{1, 0, 0, 0}, {2, 0, 0, 0}, {0, 0, 1, 1}};
    static const uint64_t values[RUNS];
    /* Its way has one fault of its own: most runs show it. */
    put_runs_of(store, &(struct planned){.event = "e"}, 1, values, NULL, odd_fault);
    /* One of the specimen and one of its way are expected. */
    struct planned loop = {.event = "e", .specimen = "loop", .n = 1};
    put_runs_of(store, &loop, 2, values, NULL, odd_fault);
    must(store_put_account(store, 2, &(int64_t){1}, &(int64_t){0}, failure));
    /* None of the specimen, so that one fault more and two switches are too many. */
    put_runs_of(store, &loop, 3, values, NULL, switched);
    must(store_put_account(store, 3, &(int64_t){0}, &(int64_t){0}, failure));
    /* Another way, of which no null cell tells, and a specimen that nothing predicts. */
    put_runs_of(store, &(struct planned){.event = "f", .specimen = "loop", .n = 1}, 4, values, NULL,
                odd_fault);
    end(store);
    struct error_case file = {0};
    load(((struct fixture *)*state)->path, &file);
    static const size_t disturbed[] = {1, 0, 2, 1};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(file.cells[i].disturbed, disturbed[i]);
}
TEST_WITH(failed_visits_and_absent_events_are_told, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct stored_event gone = {"gone", "pmu", NULL, EACCES, NULL};
    put_knowledge(store);
    must(store_put_event(store, &gone, failure));
    must(store_end_visit(store, 1, 0, VISIT_FAILED, EACCES, "not allowed", failure));
    must(store_end_visit(store, 1, 1, VISIT_FAILED, EACCES, "not allowed", failure));
    must(store_end_visit(store, 2, 0, VISIT_FAILED, ENOENT, NULL, failure));
    must(put_visit(store, fixture, (struct visit){2, 1}, failure));
    must(store_commit(store, failure));
    store_close(store); /* not finished: what is there is loaded */
    struct error_case file = {0};
    load(fixture->path, &file);
    load(fixture->path, &file); /* failures of several stores add up */
    const struct error_cell *cells = file.cells;
    assert_int_equal(file.cell_count, PLAN_CELLS);
    assert_true(cells[0].failed == 4 && cells[0].error == EACCES && cells[0].runs == 0);
    assert_string_equal(cells[0].reason, "not allowed");
    assert_true(cells[1].failed == 2 && cells[1].processes == 2);
    assert_string_equal(cells[1].reason, strerror(ENOENT));
    assert_null(cells[2].reason);
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
    assert_string_equal(file.machines[1].name, "unnamed CPU (x86_64)");
    assert_true(file.machines[1].emulated && !file.machines[0].emulated);
    assert_int_equal(file.cell_count, 2); /* those of one machine became one */
    assert_true(file.cells[0].machine == 0 && file.cells[1].machine == 1);
    assert_int_equal(file.cells[0].processes, 2 * PROCESSES);
    assert_int_equal(file.cells[1].runs, PROCESSES * RUNS);
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

TEST_WITH(damaged_stores_are_refused, setup, teardown)
{
    static const char *const damages[][2] = {
        {"UPDATE cell SET id = -id", "out of order"},
        {"UPDATE visit SET id = -id", "impossible"},
        {"UPDATE visit SET process = -1 - process", "impossible"},
        {"UPDATE cell SET counters = 33 WHERE id = 1", "impossible"},
        {"UPDATE cell SET counters = 1 WHERE id = 1", "out of order"},
        {"UPDATE cell SET counters = 2 WHERE id = 2", "lacks events"},
        {"UPDATE counter SET counter = 5 WHERE counter = 1", "out of order"},
        {"UPDATE cell SET runs = 10 WHERE id = 2", "more runs than were planned"},
        {"UPDATE cell SET pattern = 'xx'", "impossible"},
        {"UPDATE sample_packed SET value = value + 1", "changed"},
        {"UPDATE sample_packed SET value = 'many'", "impossible"},
        {"UPDATE sample_packed SET key = key + 3 WHERE (key & 31) = 0", "counter"},
        {"DELETE FROM sample_packed WHERE (key & 31) = 0 AND key % 3 = 0", ""},
        {"UPDATE truth SET grade = 'certain' WHERE position = 2", "certain"},
        {"UPDATE event SET error = 'EPERM'", "impossible"},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
        struct store *store = NULL;
        struct error_case file = {0};
        struct failure refusal = {0};
        make_finished(fixture);
        change(fixture->path, damages[i][0]);
        must(store_open(&store, fixture->path, false, failure));
        assert_int_equal(error_load(store, &file, &refusal), -EBADMSG);
        if (!strstr(refusal.text, damages[i][1]))
            fail_msg("\"%s\" is not in: %s", damages[i][1], refusal.text);
        store_close(store);
        unlink(fixture->path);
    }
}
