/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plants measurement errors in a store: null cells over all factors, the same windows stepped,
 * loops of many lengths, one loop at many places, and counters that take turns. */
#include "planted-errors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/wishes.h"
#include "stats/random.h"

enum { RUNS = 20, STEPPED_PROCESSES = 2, MOST_COUNTERS = 4, PLACES = 64 };

const char *const planted_paths[PLANTED_PATHS] = {"perf-user", "perf-read", "perf-prctl",
                                                  "papi-low"};
const int planted_path_adds[PLANTED_PATHS] = {0, 30, 80, PLANTED_PATH_MOST};
const int planted_pattern_adds[PATTERN_COUNT] = {0, 15, 40, PLANTED_PATTERN_MOST};

static const char *const opts[] = {"O0", "O1", "O2", "O3"};
static const char *const links[] = {"static", "lazy", "bind-now"};
static const uint32_t counters[] = {1, 2, MOST_COUNTERS};
static const uint64_t lengths[] = {1, 1000, 10000, 100000, 1000000};
static char interrupts[] = "irq_vectors:local_timer_entry";

/* What of a cell decides its counts, beside the cell. */
struct planting {
    struct cell *cells;
    size_t count;
    uint32_t *processes; /* [count] */
};

/* --- the plan --- */

static char *words(const char *text)
{
    return (char *)(uintptr_t)text;
}

static struct cell usual_cell(const char *event, const char *specimen, uint64_t n)
{
    return (struct cell){.events = {words(event)},
                         .counters = 1,
                         .path = words("perf-read"),
                         .specimen = words(specimen),
                         .n = n,
                         .opt = words("O2"),
                         .link = words("static"),
                         .runs = RUNS,
                         .cpu = -1};
}

static int add(struct planting *planting, struct cell cell)
{
    const struct cell copy = plan_copy(&cell);
    plan_append(&planting->cells, &planting->count, &copy);
    return 0;
}

/* One cell for each number of counters, or of the one counter that a stepper has. */
static int add_counters(struct planting *planting, struct cell cell, bool stepped)
{
    int error = 0;
    for (size_t i = 0; !error && i < sizeof(counters) / sizeof(counters[0]); i++) {
        if (stepped && counters[i] > 1)
            break;
        cell.counters = counters[i];
        for (uint32_t at = 1; at < cell.counters; at++)
            cell.events[at] = cell.events[0];
        error = add(planting, cell);
    }
    return error;
}

static int add_null_cells(struct planting *planting, const char *event)
{
    int error = 0;
    struct cell cell = usual_cell(event, "null", 0);
    size_t all = (size_t)PLANTED_PATHS * PATTERN_COUNT * 4 * 3;
    for (size_t i = 0; !error && i < all; i++) {
        cell.path = words(planted_paths[i % PLANTED_PATHS]);
        cell.pattern = (enum pattern)(i / PLANTED_PATHS % PATTERN_COUNT);
        cell.opt = words(opts[i / PLANTED_PATHS / PATTERN_COUNT % 4]);
        cell.link = words(links[i / PLANTED_PATHS / PATTERN_COUNT / 4]);
        error = add_counters(planting, cell, strncmp(event, "step/", 5) == 0);
    }
    return error;
}

static int add_loops(struct planting *planting)
{
    static const char *const events[] = {"instructions:u", "instructions:uk", "instructions:k"};
    int error = 0;
    for (size_t i = 0; !error && i < 3 * sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct cell cell = usual_cell(events[i % 3], "loop", lengths[i / 3]);
        if (i % 3 == 2) {
            cell.counters = 2;
            cell.events[1] = interrupts;
        }
        error = add(planting, cell);
    }
    return error;
}

static int add_places(struct planting *planting)
{
    int error = 0;
    for (int i = 0; !error && i < PLACES; i++) {
        char specimen[32];
        snprintf(specimen, sizeof(specimen), "placed/offset=%d/", i);
        struct cell cell = usual_cell("clock/ticks/", specimen, 100000);
        cell.path = words("clock");
        error = add(planting, cell);
    }
    return error;
}

static int make_plan(struct planting *planting)
{
    static const char *const null_events[] = {"instructions:u", "instructions:uk",
                                              "step/instructions/"};
    int error = 0;
    for (size_t i = 0; !error && i < sizeof(null_events) / sizeof(null_events[0]); i++)
        error = add_null_cells(planting, null_events[i]);
    if (!error)
        error = add_loops(planting);
    if (!error)
        error = add_places(planting);
    for (int phased = 0; !error && phased < 2; phased++)
        error =
            add(planting, usual_cell("instructions:u",
                                     phased ? "phases/period=40000/" : "phases/period=1/", 1000));
    return error;
}

static bool is_stepped(const struct cell *cell)
{
    return strncmp(cell->events[0], "step/", 5) == 0;
}

/* As many processes for every cell as the wanted samples demand. */
static int plan_processes(struct planting *planting, uint64_t samples,
                          struct planted_written *written)
{
    uint64_t of_a_round = 1; /* never 0 */
    for (size_t i = 0; i < planting->count; i++)
        if (!is_stepped(&planting->cells[i]))
            of_a_round += (uint64_t)RUNS * planting->cells[i].counters;
    written->processes = (uint32_t)((samples + of_a_round) / of_a_round);
    written->cells = planting->count;
    planting->processes = calloc(planting->count, sizeof(*planting->processes));
    if (!planting->processes)
        return -ENOMEM;
    for (size_t i = 0; i < planting->count; i++)
        planting->processes[i] =
            is_stepped(&planting->cells[i]) ? STEPPED_PROCESSES : written->processes;
    return 0;
}

/* --- what is known --- */

static int put_knowledge(struct store *store, struct failure *failure)
{
    static const struct stored_event events[] = {
        {"instructions:u", "hardware", "instructions", 0, NULL},
        {"instructions:uk", "hardware", "instructions", 0, NULL},
        {"instructions:k", "hardware", "instructions", 0, NULL},
        {"step/instructions/", "source", "instructions", 0, NULL},
        {"clock/ticks/", "source", "ticks", 0, NULL},
        {interrupts, "tracepoint", NULL, 0, NULL},
        {"branches:u", "hardware", "branches", ENOENT, "this machine was planted without it"},
    };
    static const struct stored_truth truths[] = {
        {"null", "instructions", 0, 0, 0, 0, "proven", "", ""},
        {"loop", "instructions", 1, 3, 1, 3, "proven", "", ""},
        {"loop", "syscalls", 0, 0, 0, 0, "proven", "", ""},
        {"loop", "page-faults", 0, 0, 0, 0, "proven", "", ""},
        {"placed", "instructions", 1, 3, 1, 3, "proven", "", ""},
        {"phases", "instructions", 10, 50, 10, 50, "proven", "", ""},
    };
    int error = 0;
    for (size_t i = 0; !error && i < sizeof(events) / sizeof(events[0]); i++)
        error = store_put_event(store, &events[i], failure);
    for (size_t i = 0; !error && i < sizeof(truths) / sizeof(truths[0]); i++)
        error = store_put_specimen_truth(store, &truths[i], failure);
    return error;
}

/* --- the counts --- */

/* Mean 0, standard deviation 4, never beyond 32. */
static int64_t noise(struct random *random)
{
    return __builtin_popcountll(random_next(random)) - 32;
}

static bool counts_kernel(const struct cell *cell)
{
    return strstr(cell->events[0], ":uk") != NULL;
}

static int64_t null_error(const struct cell *cell)
{
    int64_t error = PLANTED_BASE + planted_pattern_adds[cell->pattern];
    for (size_t i = 0; i < PLANTED_PATHS; i++)
        if (strcmp(cell->path, planted_paths[i]) == 0)
            error += planted_path_adds[i];
    if (counts_kernel(cell))
        error += PLANTED_KERNEL + (int64_t)PLANTED_EACH_COUNTER * (cell->counters - 1);
    return error;
}

/* Interrupts come by chance, as often as the slope wants. */
static uint64_t interrupts_of(const struct cell *cell, struct random *random)
{
    double expected = PLANTED_SLOPE / PLANTED_TICK * (double)cell->n;
    double drawn = (double)(random_next(random) >> 11) / 9007199254740992.0;
    uint64_t whole = (uint64_t)expected;
    return whole + (drawn < expected - (double)whole);
}

/* Some places are as slow as the factor says, all others equally fast. */
static int64_t placed_ticks(const struct cell *cell)
{
    int offset = atoi(strchr(cell->specimen, '=') + 1);
    double each = offset % 32 >= 28 ? PLANTED_PLACE_FACTOR : 1.0;
    return (int64_t)((double)cell->n * each) + 40;
}

/* The first counter of one run; *along: the interrupts in it. */
static uint64_t count_of(const struct cell *cell, int64_t of_process, uint32_t run,
                         struct random *random, uint64_t *along)
{
    bool is_kernel_only = strstr(cell->events[0], ":k") != NULL && !counts_kernel(cell);
    int64_t count = null_error(cell);
    *along = interrupts_of(cell, random);
    if (is_stepped(cell))
        return (uint64_t)(count + (run == 0 ? PLANTED_FIRST_RUN : 0));
    if (strncmp(cell->specimen, "placed", 6) == 0)
        return (uint64_t)(placed_ticks(cell) + noise(random) / 4 + 8);
    if (strcmp(cell->specimen, "loop") == 0) {
        if (is_kernel_only)
            return 500 + *along * PLANTED_TICK + (uint64_t)(noise(random) + 32);
        count += 1 + 3 * (int64_t)cell->n;
        count += counts_kernel(cell) ? (int64_t)*along * PLANTED_TICK : 0;
    }
    if (strncmp(cell->specimen, "phases", 6) == 0)
        count += 10 + 50 * (int64_t)cell->n;
    count += run == 0 ? PLANTED_FIRST_RUN : 0;
    return (uint64_t)(count + of_process + noise(random) / 2);
}

static int put_visit(struct store *store, const struct cell *cell, uint32_t process,
                     struct random *random, struct failure *failure)
{
    uint64_t values[RUNS * MOST_COUNTERS], times[RUNS * MOST_COUNTERS];
    struct account accounts[RUNS] = {{0}};
    int64_t of_process = noise(random);
    for (uint32_t run = 0; run < RUNS; run++) {
        uint64_t along, count = count_of(cell, of_process, run, random, &along);
        for (uint32_t i = 0; i < cell->counters; i++) {
            bool counts_along = i && cell->events[i] && strcmp(cell->events[i], interrupts) == 0;
            values[run * cell->counters + i] = counts_along ? along : count;
            times[run * cell->counters + i] = 2000 + cell->n;
        }
        accounts[run].involuntary = random_below(random, 1000) == 0;
    }
    struct batch batch = {cell->id, process, 0,     RUNS,    cell->counters,
                          values,   times,   times, accounts};
    int error = store_put_batch(store, &batch, failure);
    return error ? error : store_end_visit(store, cell->id, process, VISIT_DONE, 0, NULL, failure);
}

static int put_samples(struct store *store, const struct planting *planting, uint64_t seed,
                       struct planted_written *written, struct failure *failure)
{
    struct random random;
    struct visit *visits = NULL;
    random_seed(&random, seed);
    plan_rounds(planting->cells, planting->count, planting->processes, seed, &visits,
                &written->visits);
    int error =
        store_put_plan(store, planting->cells, planting->count, visits, written->visits, failure);
    for (size_t i = 0; !error && i < planting->count; i++)
        error =
            store_put_account(store, planting->cells[i].id, &(int64_t){0}, &(int64_t){0}, failure);
    if (!error)
        error = store_commit(store, failure);
    for (size_t i = 0; !error && i < written->visits; i++) {
        const struct cell *cell = &planting->cells[visits[i].cell - 1];
        error = put_visit(store, cell, visits[i].process, &random, failure);
        written->samples += (uint64_t)RUNS * cell->counters;
    }
    return error;
}

int planted_write(const char *path, const struct planted_size *size,
                  struct planted_written *written, struct failure *failure)
{
    struct planting planting = {0};
    struct store_run run = {
        .command = "error", .argv = "[]", .seed = size->seed, .fingerprint = "planted"};
    struct store *store = NULL;
    *written = (struct planted_written){0};
    int error = make_plan(&planting);
    if (!error)
        error = plan_processes(&planting, size->samples, written);
    if (error)
        fail_with(failure, error, "out of memory");
    else
        error = store_create(&store, path, &run, failure);
    if (!error)
        error = put_knowledge(store, failure);
    if (!error)
        error = put_samples(store, &planting, size->seed, written, failure);
    if (!error)
        error = store_finish(store, failure);
    store_close(store);
    free(planting.processes);
    return error;
}
