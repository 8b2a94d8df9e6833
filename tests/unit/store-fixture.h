/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder of its own for each test of the store, and a small plan whose samples can be computed
 * again from their place, so that any reader can tell a right sample from a wrong one. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "case.h"
#include "store/store.h"

#define UNUSED __attribute__((unused))

enum { PLAN_CELLS = 3, PLAN_PROCESSES = 4, PLAN_VISITS = PLAN_CELLS * PLAN_PROCESSES };
enum { PLAN_RUNS = 50 };

struct fixture {
    char folder[64];
    char path[128];
    struct cell cells[PLAN_CELLS];
    struct visit visits[PLAN_VISITS];
    struct facts facts;
    struct store_run run;
};

UNUSED static char *words(const char *text)
{
    return (char *)(uintptr_t)text;
}

UNUSED static uint64_t scrambled(uint64_t number)
{
    number ^= number >> 31;
    number *= 0x9e3779b97f4a7c15u;
    return number ^ number >> 29;
}

/* The sample that belongs at this place; some are above 2^63. */
UNUSED static struct sample right_sample(uint32_t cell, uint32_t process, uint32_t run,
                                         uint32_t counter)
{
    uint64_t place = (uint64_t)cell << 48 | (uint64_t)process << 32 | run << 8 | counter;
    uint64_t enabled = scrambled(place + 1) >> 40;
    return (struct sample){.cell = cell,
                           .process = process,
                           .run = run,
                           .counter = counter,
                           .value = run % 7 ? scrambled(place) >> 50 : UINT64_MAX - run,
                           .enabled = enabled,
                           .running = run % 5 ? enabled : enabled / 2,
                           .account = {run % 3, run % 11 == 0, 0, run == 13}};
}

UNUSED static bool same_sample(const struct sample *a, const struct sample *b)
{
    return a->cell == b->cell && a->process == b->process && a->run == b->run &&
           a->counter == b->counter && a->value == b->value && a->enabled == b->enabled &&
           a->running == b->running && a->account.minor_faults == b->account.minor_faults &&
           a->account.major_faults == b->account.major_faults &&
           a->account.voluntary == b->account.voluntary &&
           a->account.involuntary == b->account.involuntary;
}

UNUSED static void fill_plan(struct fixture *fixture)
{
    for (uint32_t i = 0; i < PLAN_CELLS; i++)
        fixture->cells[i] = (struct cell){.id = i + 1,
                                          .events = {words("page-faults:u"), words("task-clock")},
                                          .counters = i ? 1 : 2,
                                          .path = words("perf-read"),
                                          .pattern = (enum pattern)i,
                                          .specimen = words(i ? "loop" : "null"),
                                          .n = i == 2 ? UINT64_MAX : UINT64_C(1000) * i,
                                          .opt = words("O2"),
                                          .link = words("static"),
                                          .runs = PLAN_RUNS,
                                          .separate = i == 1,
                                          .cpu = (int32_t)i - 1};
    /* an order that is neither that of cells nor that of processes */
    for (uint32_t i = 0; i < PLAN_VISITS; i++) {
        uint32_t place = i * 5 % PLAN_VISITS;
        fixture->visits[i] = (struct visit){place % PLAN_CELLS + 1, place / PLAN_CELLS};
    }
}

UNUSED static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    if (!fixture)
        return -1;
    /* In memory where there is such a file system: these tests sync a lot. */
    snprintf(fixture->folder, sizeof(fixture->folder), "%s/assay-test-store-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(fixture->folder)) {
        free(fixture);
        return -1;
    }
    chmod(fixture->folder, 0755);
    snprintf(fixture->path, sizeof(fixture->path), "%s/run.sqlite", fixture->folder);
    fill_plan(fixture);
    facts_set(&fixture->facts, "cpu.model", "A CPU, \"quoted\"\nand broken", 0);
    facts_set(&fixture->facts, "cpu.microcode", NULL, EACCES);
    fixture->run = (struct store_run){.command = "measure",
                                      .argv = "[\"assay\",\"measure\"]",
                                      .seed = UINT64_MAX,
                                      .facts = &fixture->facts,
                                      .fingerprint = "0123456789abcdef",
                                      .kit = "c0ffee"};
    *state = fixture;
    return 0;
}

UNUSED static int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

UNUSED static int teardown(void **state)
{
    struct fixture *fixture = *state;
    nftw(fixture->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    facts_free(&fixture->facts);
    free(fixture);
    return 0;
}

/* Fails the test with the store's own words. */
#define must(call)                                                                                 \
    do {                                                                                           \
        struct failure why = {0};                                                                  \
        struct failure *failure = &why;                                                            \
        if ((call) < 0)                                                                            \
            fail_msg("%s: %s", #call, why.text);                                                   \
    } while (0)

UNUSED static struct store *create(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS, failure));
    must(store_commit(store, failure));
    return store;
}

UNUSED static int put_runs(struct store *store, const struct cell *cell, uint32_t process,
                           uint32_t first, uint32_t runs, struct failure *failure)
{
    uint64_t values[PLAN_RUNS * 2], enabled[PLAN_RUNS * 2], running[PLAN_RUNS * 2];
    struct account accounts[PLAN_RUNS];
    for (uint32_t i = 0; i < runs * cell->counters; i++) {
        struct sample sample =
            right_sample(cell->id, process, first + i / cell->counters, i % cell->counters);
        values[i] = sample.value;
        enabled[i] = sample.enabled;
        running[i] = sample.running;
        accounts[i / cell->counters] = sample.account;
    }
    struct batch batch = {cell->id, process, first,   runs,    cell->counters,
                          values,   enabled, running, accounts};
    return store_put_batch(store, &batch, failure);
}

/* One whole visit in two batches. */
UNUSED static int put_visit(struct store *store, const struct fixture *fixture, struct visit visit,
                            struct failure *failure)
{
    const struct cell *cell = &fixture->cells[visit.cell - 1];
    int error = put_runs(store, cell, visit.process, 0, 20, failure);
    if (!error)
        error = put_runs(store, cell, visit.process, 20, PLAN_RUNS - 20, failure);
    if (!error)
        error = store_end_visit(store, cell->id, visit.process, VISIT_DONE, 0, NULL, failure);
    return error;
}

/* What later schemas brought, taken away again: what is left is word for word a store of the one
 * before. */
#define UNDO_5                                                                                     \
    "DROP VIEW execution; DROP TABLE system_call; DROP TABLE executed; DROP TABLE subject; "       \
    "DROP TABLE command; "
#define UNDO_4 UNDO_5 "DROP VIEW look; DROP TABLE clock; DROP TABLE watch; "
#define UNDO_3 UNDO_4 "DROP VIEW timed; DROP VIEW call; DROP TABLE operation; DROP TABLE tour; "

/* Some of everything that is known besides samples; numbers at the ends of their range too. */
UNUSED static const struct stored_event known_events[] = {
    {"page-faults:u", "software", "page-faults", 0, NULL},
    {"task-clock", "software", NULL, 0, NULL},
    {"cycles:u", "hardware", "cycles", ENOENT, "there is no counter here"},
};
UNUSED static const struct stored_truth known_truths[] = {
    {"null", "page-faults", 0, 0, 0, 0, "proven", "", "step,getrusage"},
    {"loop", "instructions", INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, "proven", "", "step,qemu"},
    {"loop", "mispredictions", 0, 0, 2, 1, "bounded", "predictors learn", ""},
};
UNUSED static const struct stored_opcode known_opcodes[] = {
    {"null", "", 0, 0}, {"loop", "sub", 0, 1}, {"loop", "jne", INT64_MIN, INT64_MAX}};
UNUSED static const struct stored_operation known_operations[] = {
    {"timer", "nothing", "timer", "keeps", "any", "static,lazy,bind-now", "", "", false, false},
    {"perf-read", "start", "perf", "starts", "stopped", "lazy", "", "a note, with \"quotes\"", true,
     false},
    {"perf-user-cold", "read", "perf", "keeps", "running", "static", "cold", "", false, true},
};
UNUSED static const struct stored_clock known_clocks[] = {
    {"monotonic-raw", "wall", "vdso", "tsc", "the operating system", "", 1000000000, 1000, false,
     false},
    {"lying", "wall", "ask", "external", "a person", "a note, with \"quotes\"", UINT64_MAX,
     UINT64_MAX, true, true},
    {"outside", "wall", "controller", "outside", "", "", 1000000000, 0, false, false},
};
enum { KNOWN = 3 };

UNUSED static void put_knowledge(struct store *store)
{
    for (size_t i = 0; i < KNOWN; i++) {
        must(store_put_event(store, &known_events[i], failure));
        must(store_put_specimen_truth(store, &known_truths[i], failure));
        must(store_put_opcode(store, &known_opcodes[i], failure));
        must(store_put_operation(store, &known_operations[i], failure));
        must(store_put_clock(store, &known_clocks[i], failure));
    }
}

/* A tour beside the plan above: a pass of five calls, ten times, in two processes. */
enum { TOUR_CELL = PLAN_CELLS + 1, TOUR_PROCESSES = 2, TOUR_LENGTH = 5 };
#define TOUR_CALLS "timer.nothing,perf-read.start,perf-read.read*8,perf-read.read,perf-read.stop"

UNUSED static struct cell tour_cell(void)
{
    return (struct cell){.id = TOUR_CELL,
                         .events = {words("instructions:u"), words("instructions:k")},
                         .counters = 2,
                         .path = words("tour"),
                         .pattern = PATTERN_RR,
                         .specimen = words("null"),
                         .opt = words("O2"),
                         .link = words("lazy"),
                         .runs = PLAN_RUNS,
                         .separate = true,
                         .cpu = -1,
                         .tour = {words(TOUR_CALLS), words("task-clock:u"), 8, true}};
}

UNUSED static void put_tour(struct store *store)
{
    const struct cell cell = tour_cell();
    const struct visit visits[TOUR_PROCESSES] = {{TOUR_CELL, 1}, {TOUR_CELL, 0}};
    must(store_put_plan(store, &cell, 1, visits, TOUR_PROCESSES, failure));
    for (size_t i = 0; i < TOUR_PROCESSES; i++) {
        must(put_runs(store, &cell, visits[i].process, 0, PLAN_RUNS, failure));
        must(store_end_visit(store, TOUR_CELL, visits[i].process, VISIT_DONE, 0, NULL, failure));
    }
}

/* Watches behind the tour, in two processes each: four intervals of two threads, rows, and looks
 * from outside. */
enum { WATCH_CELL = TOUR_CELL + 1, WATCH_CELLS = 3, WATCH_PROCESSES = 2 };
enum { WATCH_RUNS = 48, ROW_RUNS = 16, OUTSIDE_RUNS = 30 };
enum {
    WATCH_SAMPLES = WATCH_PROCESSES * (WATCH_RUNS * 2 + ROW_RUNS * ROW_COLUMNS + OUTSIDE_RUNS * 3)
};
#define WATCH_LYING "lying@1000000=ask:./clock --from=@now"

UNUSED static struct cell watch_cell(uint32_t number)
{
    const struct cell_watch watches[WATCH_CELLS] = {
        {WATCH_INTERVAL, words("sleep"), 20000, 2, 3, true, true, -1},
        {WATCH_ROW, NULL, 1000, 1, 0, false, false, -1},
        {WATCH_OUTSIDE, NULL, 0, 1, 0, false, false, -1},
    };
    static const uint32_t columns[WATCH_CELLS] = {2, ROW_COLUMNS, 3};
    static const uint32_t runs[WATCH_CELLS] = {WATCH_RUNS, ROW_RUNS, OUTSIDE_RUNS};
    static const char *const clocks[WATCH_CELLS][ROW_COLUMNS] = {
        {WATCH_LYING, "monotonic-raw"},
        {WATCH_LYING, WATCH_LYING, WATCH_LYING, WATCH_LYING, "monotonic-raw", "monotonic-raw"},
        {"outside", "monotonic-raw", "outside"},
    };
    struct cell cell = {.id = WATCH_CELL + number,
                        .counters = columns[number],
                        .path = words("watch"),
                        .pattern = PATTERN_RR,
                        .specimen = words("null"),
                        .opt = words("O2"),
                        .link = words("static"),
                        .runs = runs[number],
                        .cpu = -1,
                        .watch = watches[number]};
    for (uint32_t i = 0; i < cell.counters; i++)
        cell.events[i] = words(clocks[number][i]);
    return cell;
}

UNUSED static void put_watches(struct store *store)
{
    for (uint32_t number = 0; number < WATCH_CELLS; number++) {
        const struct cell cell = watch_cell(number);
        const struct visit visits[WATCH_PROCESSES] = {{cell.id, 1}, {cell.id, 0}};
        must(store_put_plan(store, &cell, 1, visits, WATCH_PROCESSES, failure));
        for (size_t i = 0; i < WATCH_PROCESSES; i++) {
            must(put_runs(store, &cell, visits[i].process, 0, cell.runs, failure));
            must(store_end_visit(store, cell.id, visits[i].process, VISIT_DONE, 0, NULL, failure));
        }
    }
}

/* Commands behind the watches, in two executions each. */
enum { COMMAND_CELL = WATCH_CELL + WATCH_CELLS, COMMAND_CELLS = 4, COMMAND_PROCESSES = 2 };
enum { CODE_CELL = COMMAND_CELL + 1, CALLS_CELL = COMMAND_CELL + 3 };

UNUSED static struct cell command_cell(uint32_t number)
{
    const struct cell_command commands[COMMAND_CELLS] = {
        {.words = words("perl -e 'print 1'"), .name = words("perl"), .timeout = 60000},
        {.words = words("subject:loop 1000"),
         .name = words("subject:loop"),
         .controls = CONTROLS_ALL,
         .detail = DETAIL_CODE},
        {.words = words("perl -e 'print 1'"),
         .name = words("perl"),
         .directory = words("{brought}"),
         .input = words("{brought}/words.txt"),
         .keep = words("HOME,LANG"),
         .controls = CONTROLS_ALL & ~CONTROL_BIT(CONTROL_ASLR),
         .sweep = SWEEP_STACK,
         .swept = 64,
         .shown = true},
        {.words = words("perl -e 'print 1'"),
         .name = words("perl"),
         .controls = CONTROL_BIT(CONTROL_CPU) | CONTROL_BIT(CONTROL_STACK),
         .detail = DETAIL_CALLS},
    };
    static const char *const events[COMMAND_CELLS][5] = {
        {"instructions:u", RUN_STATUS, "page-faults:u", RUN_INTERRUPTS, RUN_OUTPUT_SUM},
        {"step/instructions/", "step/instructions-raw/", RUN_STATUS, RUN_TASKS, RUN_NANOSECONDS},
        {"qemu/instructions/", RUN_STATUS},
        {RUN_STATUS, RUN_LEFT},
    };
    static const uint32_t columns[COMMAND_CELLS] = {5, 5, 2, 2};
    struct cell cell = {.id = COMMAND_CELL + number,
                        .counters = columns[number],
                        .path = words("command"),
                        .pattern = PATTERN_RR,
                        .specimen = words("null"),
                        .opt = words("O2"),
                        .link = words("static"),
                        .runs = 1,
                        .cpu = number == 1 ? 1 : -1,
                        .command = commands[number]};
    for (uint32_t i = 0; i < cell.counters; i++)
        cell.events[i] = words(events[number][i]);
    return cell;
}

UNUSED static const struct stored_subject known_subjects[] = {
    {"loop", "a loop of known length", "M8 M10", 1000000, true, 12, 3, 64, false},
    {"stack32", "places things on its stack", "M9", UINT64_MAX, false, 0, 0, 32, false},
    {"hello", "says \"hello\"", "", 0, true, INT64_MIN, INT64_MAX, 64, true},
};

UNUSED static const struct stored_executed known_executed[] = {
    {CODE_CELL, 0, "function", "/lib/libc.so.6", "memcpy", 70, UINT64_MAX},
    {CODE_CELL, 0, "function", "", "", UINT64_MAX, 0},
    {CODE_CELL, 0, "opcode", "", "rep movsb", 7, 63},
    {CODE_CELL, 0, "class", "", "instructions", 77, 63},
};
enum { EXECUTED = sizeof(known_executed) / sizeof(known_executed[0]) };

UNUSED static const struct stored_call known_calls[] = {
    {CALLS_CELL, 0, 0, 0, "openat", "/etc/passwd", 3, 0, 0},
    {CALLS_CELL, 0, 1, 1, "getrandom", "", -4, 16, UINT64_MAX},
    {CALLS_CELL, 0, 2, UINT32_MAX, "(left out)", "", INT64_MAX, UINT64_MAX, 1},
};
enum { CALLS = sizeof(known_calls) / sizeof(known_calls[0]) };

/* The details of one execution; process 0 told more calls than process 1. */
UNUSED static void put_details(struct store *store, const struct cell *cell, uint32_t process)
{
    for (size_t i = 0; i < EXECUTED && cell->command.detail == DETAIL_CODE; i++) {
        struct stored_executed executed = known_executed[i];
        executed.process = process;
        must(store_put_executed(store, &executed, failure));
    }
    for (size_t i = 0; i + process < CALLS && cell->command.detail == DETAIL_CALLS; i++) {
        struct stored_call call = known_calls[i];
        call.process = process;
        must(store_put_call(store, &call, failure));
    }
}

UNUSED static void put_commands(struct store *store)
{
    for (size_t i = 0; i < KNOWN; i++)
        must(store_put_subject(store, &known_subjects[i], failure));
    for (uint32_t number = 0; number < COMMAND_CELLS; number++) {
        const struct cell cell = command_cell(number);
        const struct visit visits[COMMAND_PROCESSES] = {{cell.id, 1}, {cell.id, 0}};
        must(store_put_plan(store, &cell, 1, visits, COMMAND_PROCESSES, failure));
        for (size_t i = 0; i < COMMAND_PROCESSES; i++) {
            put_details(store, &cell, visits[i].process);
            must(put_runs(store, &cell, visits[i].process, 0, 1, failure));
            must(store_end_visit(store, cell.id, visits[i].process, VISIT_DONE, 0, NULL, failure));
        }
    }
}

UNUSED static struct store *fill(struct fixture *fixture)
{
    struct store *store = create(fixture);
    put_knowledge(store);
    must(store_put_truth(store, 1, 0, "page-faults", 7, "proven", failure));
    must(store_put_account(store, 1, &(int64_t){7}, NULL, failure));
    for (size_t i = 0; i < PLAN_VISITS; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    return store;
}

UNUSED static void finish(struct store *store)
{
    must(store_finish(store, failure));
    store_close(store);
}

UNUSED static void make_finished(struct fixture *fixture)
{
    finish(fill(fixture));
}

UNUSED static void make_finished_with_tour(struct fixture *fixture)
{
    struct store *store = fill(fixture);
    put_tour(store);
    finish(store);
}

UNUSED static void make_finished_with_all(struct fixture *fixture)
{
    struct store *store = fill(fixture);
    put_tour(store);
    put_watches(store);
    finish(store);
}

/* With commands, too. */
UNUSED static void make_with_commands(struct fixture *fixture, bool finished)
{
    struct store *store = fill(fixture);
    put_tour(store);
    put_watches(store);
    put_commands(store);
    if (finished)
        must(store_finish(store, failure));
    else
        must(store_commit(store, failure));
    store_close(store);
}

UNUSED static void expect_words(const struct failure *refusal, const char *wanted)
{
    if (!strstr(refusal->text, wanted))
        fail_msg("\"%s\" is not in: %s", wanted, refusal->text);
}

/* What a reader saw; wrong: samples that are not what was written there, or out of order. */
struct seen {
    uint64_t samples, wrong;
    struct sample last;
    uint64_t of_visit[PLAN_CELLS + 1][PLAN_PROCESSES];
};

UNUSED static int see(void *context, const struct sample *sample)
{
    struct seen *seen = context;
    struct sample right = right_sample(sample->cell, sample->process, sample->run, sample->counter);
    const struct sample *last = &seen->last;
    uint64_t place = (uint64_t)sample->cell << 48 | (uint64_t)sample->process << 32 |
                     sample->run << 8 | sample->counter;
    uint64_t before =
        (uint64_t)last->cell << 48 | (uint64_t)last->process << 32 | last->run << 8 | last->counter;
    seen->samples++;
    seen->wrong += !same_sample(sample, &right) || (seen->samples > 1 && place <= before);
    seen->last = *sample;
    if (sample->cell <= PLAN_CELLS && sample->process < PLAN_PROCESSES)
        seen->of_visit[sample->cell][sample->process]++;
    return 0;
}

UNUSED static bool exists(const char *path, const char *suffix)
{
    char name[256];
    snprintf(name, sizeof(name), "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

static inline size_t count_pending(struct store *store)
{
    struct visit *visits = NULL;
    size_t count = 0;
    must(store_visits(store, true, &visits, &count, failure));
    free(visits);
    return count;
}
