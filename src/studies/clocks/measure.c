/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay clocks`: clocks and absences go into it before the first sample, so that
 * it can be judged without its machine; an unfinished one is gone on with as it began. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "engine/skips.h"
#include "studies/clocks/parts.h"
#include "studies/clocks/plan.h"

/* ----------------------------------------------------------------------------------------------
 * Clocks that a person brought along are read a few times before anything is planned: one that
 * cannot be read would spoil every look that it is part of, and how long a reading takes decides
 * how many of them a process makes. */

#define READINGS 4u
#define BLOCKS   3u
#define WAIT_MS  20000u
#define S_NS     1e9

/* One attempt. */
struct trial {
    double ticks; /* of the meter for a block, the fastest */
    bool moves;   /* in every block */
    bool failed;
    int error;
    char reason[400];
};

static int take_batch(void *context, const struct batch *batch, struct failure *failure)
{
    struct trial *trial = context;
    (void)failure;
    for (uint32_t run = 0; run < batch->runs && batch->counters == ROW_COLUMNS; run++) {
        const uint64_t *row = &batch->values[(size_t)run * ROW_COLUMNS];
        trial->moves &= row[ROW_FIRST] != row[ROW_LAST];
        trial->ticks = fmin(trial->ticks, (double)(row[ROW_AFTER] - row[ROW_BEFORE]));
    }
    return 0;
}

static int take_end(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                    int error, const char *reason, struct failure *failure)
{
    struct trial *trial = context;
    (void)cell, (void)process, (void)failure;
    trial->failed = state == VISIT_FAILED;
    trial->error = error;
    snprintf(trial->reason, sizeof(trial->reason), "%s", reason ? reason : strerror(error));
    return 0;
}

static int run_trial(struct watching *watching, const char *text, const char *meter,
                     struct trial *trial, struct failure *failure)
{
    const char *const columns[ROW_COLUMNS] = {text, text, text, text, meter, meter};
    const struct cell_watch watch = {
        .kind = WATCH_ROW, .length = READINGS, .threads = 1, .partner = -1};
    const struct session_sink sink = {.context = trial, .batch = take_batch, .visit_end = take_end};
    const struct visit visit = {.cell = 1};
    struct cell cell;
    int error = clocks_cell(&cell, &watch, BLOCKS, watching->study.cpu, columns, ROW_COLUMNS);
    cell.id = 1;
    if (error == 0)
        error = session_run(watching->session, &cell, 1, &visit, 1, WAIT_MS, &sink, failure);
    cell_release(&cell);
    return error;
}

/* Without a rate of the meter nobody knows: then as slow as it may be by its kind. */
static enum clocks_pace pace_of(const struct clocks_own *own, const struct trial *trial,
                                const struct catalogue_clock *meter)
{
    static const enum clocks_pace usual[] = {
        [EXTERNAL_OBJECT] = PACE_QUICK, [EXTERNAL_ASK] = PACE_SLOW, [EXTERNAL_RUN] = PACE_GLACIAL};
    if (!meter->hz || !isfinite(trial->ticks))
        return usual[own->clock.way];
    return clocks_pace_of(trial->ticks / (double)meter->hz * S_NS / READINGS);
}

static int try_one(struct watching *watching, struct clocks_own *own,
                   const struct catalogue_clock *meter)
{
    struct trial trial = {.ticks = INFINITY, .moves = true};
    struct failure failure = {0};
    int error = run_trial(watching, own->text, meter->name, &trial, &failure);
    if (error == -EINTR)
        return EXIT_INTERRUPTED;
    if (error == -ENOMEM)
        return clocks_out_of_memory();
    if (error == -ETIME)
        fail_with(&failure, error, "it did not answer within %u s", WAIT_MS / 1000);
    if (error == 0 && !trial.failed) {
        own->pace = pace_of(own, &trial, meter);
        own->moves = isfinite(trial.ticks) && trial.moves;
        return EXIT_DONE;
    }
    struct failure told = {0};
    if (error == 0) /* the probe names the clock itself */
        fail_with(&told, -trial.error, "%s", trial.reason);
    else
        fail_with(&told, error, "the clock '%s' cannot be read: %.300s", own->clock.name,
                  failure.text);
    return clocks_fail(&told, error == 0 || error == -ETIME ? EXIT_LACKING : EXIT_FAILED);
}

/* One whose rate is known, though others would tell shorter times. */
static const struct catalogue_clock *find_meter(const struct catalogue *catalogue)
{
    const char *name = clocks_meter(catalogue);
    const struct catalogue_clock *meter = catalogue_clock(catalogue, "monotonic-raw-syscall");
    return meter ? meter : name ? catalogue_clock(catalogue, name) : NULL;
}

int clocks_try_own(struct watching *watching)
{
    const struct catalogue_clock *meter = find_meter(watching->catalogue);
    int status = EXIT_DONE;
    for (size_t i = 0; i < watching->own_count && meter && status == EXIT_DONE; i++)
        status = try_one(watching, &watching->own[i], meter);
    return status;
}

/* ----------------------------------------------------------------------------------------------
 * Looks at the clocks of another machine by the clock of this one: the only witness that is made
 * of another counter wherever the machine under test has none itself. Each look is bracketed by
 * the controller's own readings, so how wide it is, is known. */

#define BURST   15u /* looks one after the other: the narrowest of them counts */
#define OUTSIDE "outside"

/* --- is it another machine? --- */

static bool own_boot_id(char *id, size_t size)
{
    AUTO_FILE FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(id, (int)size, file))
        return false;
    id[strcspn(id, "\n")] = '\0';
    return *id != '\0';
}

void clocks_find_outside(struct watching *watching)
{
    const char *theirs = facts_get(watching->run.facts, "boot.id");
    char ours[64] = "";
    watching->outside_cell = -1;
    watching->outside_count =
        clocks_quick_walls(&watching->study, watching->outside_look, CELL_MAX_COUNTERS - 2);
    if (watching->outside_count > CELL_MAX_COUNTERS - 2)
        watching->outside_count = CELL_MAX_COUNTERS - 2;
    watching->outside = theirs && own_boot_id(ours, sizeof(ours)) && strcmp(theirs, ours) != 0 &&
                        watching->outside_count;
}

/* --- a burst of looks --- */

/* Rows as a batch wants them. */
struct burst {
    uint64_t values[BURST * CELL_MAX_COUNTERS];
    uint64_t times[BURST * CELL_MAX_COUNTERS]; /* zeros: these are no counters */
    struct account accounts[BURST];
    uint32_t columns;
};

static int look(struct watching *watching, struct burst *burst, struct failure *failure)
{
    int error = 0;
    burst->columns = (uint32_t)watching->outside_count + 2;
    for (uint32_t i = 0; i < BURST && error == 0; i++) {
        uint64_t *row = &burst->values[(size_t)i * burst->columns];
        error = session_look(watching->session, watching->outside_look, watching->outside_count,
                             row + 1, &row[0], &row[burst->columns - 1], failure);
    }
    return error;
}

/* The cell of all bursts, which the plan gets with the first. */
static int find_cell(struct watching *watching)
{
    const struct cell_watch watch = {.kind = WATCH_OUTSIDE, .threads = 1, .partner = -1};
    const char *columns[CELL_MAX_COUNTERS] = {OUTSIDE};
    struct cell cell;
    if (watching->outside_cell >= 0)
        return 0;
    for (size_t i = 0; i < watching->outside_count; i++)
        columns[i + 1] = watching->outside_look[i];
    columns[watching->outside_count + 1] = OUTSIDE;
    int error = clocks_cell(&cell, &watch, BURST, -1, columns, watching->outside_count + 2);
    if (error == 0)
        watching->outside_cell = wishes_add_cell(&watching->plan.wishes, &cell);
    cell_release(&cell);
    return error < 0 ? error : watching->outside_cell < 0 ? (int)watching->outside_cell : 0;
}

/* A burst is planned, done and ended in one transaction: nobody else could make up for it. */
static int keep(struct watching *watching, const struct burst *burst, struct failure *failure)
{
    struct wishes *wishes = &watching->plan.wishes;
    struct store *store = watching->store;
    int error = find_cell(watching);
    if (error < 0)
        return fail_with(failure, error, "out of memory");
    struct wished_cell *about = &wishes->about[watching->outside_cell];
    const struct visit visit = {.cell = wishes->cells[watching->outside_cell].id,
                                .process = about->planned};
    const struct batch batch = {.cell = visit.cell,
                                .process = visit.process,
                                .runs = BURST,
                                .counters = burst->columns,
                                .values = burst->values,
                                .enabled = burst->times,
                                .running = burst->times,
                                .accounts = burst->accounts};
    size_t first = wishes->stored;
    error = store_put_plan(store, wishes->cells + first, wishes->cell_count - first, &visit, 1,
                           failure);
    if (error == 0)
        error = store_put_batch(store, &batch, failure);
    if (error == 0)
        error = store_end_visit(store, visit.cell, visit.process, VISIT_DONE, 0, NULL, failure);
    if (error == 0)
        error = store_commit(store, failure);
    if (error == 0) {
        wishes->stored = wishes->cell_count;
        about->planned++;
    }
    return error;
}

/* A clock that cannot be looked at leaves the machine without looks from outside, no more. */
static int give_up(struct watching *watching, int error, const struct failure *failure)
{
    if (error != -ENOENT && error != -EINVAL)
        return clocks_fail(failure, EXIT_FAILED);
    watching->outside = false;
    return skips_add(&watching->run.skips, "looks from outside", failure->text, -error) < 0
               ? clocks_out_of_memory()
               : EXIT_DONE;
}

int clocks_look_from_outside(void *context)
{
    struct watching *watching = context;
    struct burst burst = {.columns = 0};
    struct failure failure = {0};
    if (!watching->outside || interrupted)
        return EXIT_DONE;
    int error = look(watching, &burst, &failure);
    if (error == -EINTR)
        return EXIT_DONE; /* whoever runs visits says so */
    if (error < 0)
        return give_up(watching, error, &failure);
    error = keep(watching, &burst, &failure);
    return error < 0 ? clocks_fail(&failure, EXIT_FAILED) : EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * The store behind `assay clocks`: clocks and absences go into it before the first sample, so that
 * it can be judged without its machine; an unfinished one is gone on with as it began. */

static struct run_store whose(const struct watching *watching)
{
    return (struct run_store){.command = "clocks",
                              .common = &watching->run.options->common,
                              .catalogue = watching->catalogue,
                              .path = watching->run.options->store,
                              .seed = watching->run.seed};
}

static int refuse(const struct watching *watching, int error, const struct failure *failure)
{
    const struct clocks_options *options = watching->run.options;
    return run_store_refuse("clocks", error, options->resume || options->from, failure);
}

/* --- a new one --- */

static bool is_watched(const struct watching *watching, const char *column)
{
    const struct wishes *wishes = &watching->plan.wishes;
    for (size_t i = 0; i < wishes->count; i++)
        for (uint32_t j = 0; j < wishes->list[i].cells[0].counters; j++)
            if (strcmp(wishes->list[i].cells[0].events[j], column) == 0)
                return true;
    return false;
}

static int put_clocks(struct watching *watching, struct failure *failure)
{
    const struct catalogue *catalogue = watching->catalogue;
    int error = 0;
    for (size_t i = 0; i < catalogue->clock_count && error == 0; i++) {
        const struct catalogue_clock *known = &catalogue->clocks[i];
        const struct stored_clock clock = {.name = known->name,
                                           .kind = known->kind,
                                           .way = known->way,
                                           .hardware = known->hardware,
                                           .claim = known->claim,
                                           .note = known->note,
                                           .hz = known->hz,
                                           .resolution_ps = known->resolution_ps,
                                           .slow = known->slow,
                                           .steered = known->steered};
        if (is_watched(watching, known->name))
            error = store_put_clock(watching->store, &clock, failure);
    }
    return error;
}

static int put_own(struct watching *watching, struct failure *failure)
{
    static const char *const ways[] = {
        [EXTERNAL_OBJECT] = "object", [EXTERNAL_ASK] = "ask", [EXTERNAL_RUN] = "run"};
    int error = 0;
    for (size_t i = 0; i < watching->own_count && error == 0; i++) {
        const struct external_clock *own = &watching->own[i].clock;
        const struct stored_clock clock = {.name = own->name,
                                           .kind = "wall",
                                           .way = ways[own->way],
                                           .hardware = "external",
                                           .claim = own->hz ? "whoever brought it along" : "",
                                           .note = "",
                                           .hz = own->hz,
                                           .slow = watching->own[i].pace != PACE_QUICK};
        error = store_put_clock(watching->store, &clock, failure);
    }
    return error;
}

static int put_outside(struct watching *watching, struct failure *failure)
{
    static const struct stored_clock outside = {
        .name = "outside",
        .kind = "wall",
        .way = "controller",
        .hardware = "outside",
        .claim = "the controller's operating system",
        .note = "CLOCK_MONOTONIC_RAW of the machine that asks, before and after it was answered",
        .hz = 1000000000};
    return watching->outside ? store_put_clock(watching->store, &outside, failure) : 0;
}

/* Who asked for some clocks does not miss the others. */
static int put_absences(struct watching *watching, struct failure *failure)
{
    const struct clocks_plan *plan = &watching->plan;
    int error = 0;
    if (!watching->names.count)
        error = absences_put(watching->catalogue, "clock", watching->store, failure);
    for (size_t i = 0; i < plan->absence_count && error == 0; i++) {
        const struct stored_event event = {
            .name = plan->absences[i].what,
            .kind = "watch",
            .error = plan->absences[i].error ? plan->absences[i].error : ENOTSUP,
            .reason = plan->absences[i].reason};
        error = store_put_event(watching->store, &event, failure);
    }
    return error;
}

static int create(struct watching *watching, struct failure *failure)
{
    const struct run_store run = whose(watching);
    int error = run_store_create(&run, &watching->store, failure);
    if (error == 0)
        error = put_clocks(watching, failure);
    if (error == 0)
        error = put_own(watching, failure);
    if (error == 0)
        error = put_outside(watching, failure);
    if (error == 0)
        error = put_absences(watching, failure);
    return error < 0 ? error : store_commit(watching->store, failure);
}

int clocks_create_store(struct watching *watching)
{
    struct failure failure = {0};
    /* Nothing to measure: no store. */
    if (!watching->plan.wishes.count)
        return EXIT_DONE;
    int error = create(watching, &failure);
    if (error == 0)
        watching->run.stored = store_path(watching->store);
    return error == 0 ? EXIT_DONE : refuse(watching, error, &failure);
}

/* --- an unfinished one --- */

/* Clocks, workloads and whether it is quick are those that the run began with; the time it may take
 * as well, unless another is given. */
static void go_on_like(struct watching *watching)
{
    const struct clocks_options *begun = &watching->begun;
    struct clocks_options *resumed = &watching->resumed;
    *resumed = *watching->run.options;
    resumed->clock = begun->clock;
    resumed->workload = begun->workload;
    resumed->quick = begun->quick;
    if (!resumed->budget)
        resumed->budget = begun->budget;
    watching->run.options = resumed;
}

/* Clocks that began anew, and what was read of them before, have no common zero: whatever looks at
 * the beginning and at the end of a run would take that for their rate. */
static int check_boot(struct watching *watching, struct failure *failure)
{
    const char *now = facts_get(watching->run.facts, "boot.id");
    AUTO_FACTS struct facts facts = {0};
    int error = store_facts(watching->store, &facts, failure);
    const char *then = error == 0 ? facts_get(&facts, "boot.id") : NULL;
    if (error < 0 || !now || !then || strcmp(now, then) == 0 ||
        run_store_is_finished(watching->store))
        return error;
    return fail_with(failure, -ESTALE,
                     "the machine was booted since %.300s was begun, so its clocks began anew and "
                     "the run cannot go on: judge what there is with --from, or begin another one",
                     store_path(watching->store));
}

static int reopen(struct watching *watching, struct failure *failure)
{
    const struct run_store run = whose(watching);
    struct store_info info = {0};
    struct string_list none = {0};
    int error = run_store_reopen(&run, &watching->store, &info, failure);
    if (error == 0)
        error = run_store_recall(&command_clocks, store_path(watching->store), info.argv,
                                 &watching->begun, &none, failure);
    string_list_free(&none);
    watching->run.seed = info.seed;
    store_info_release(&info);
    if (error == 0)
        error = check_boot(watching, failure);
    if (error == 0)
        go_on_like(watching);
    return error;
}

int clocks_reopen_store(struct watching *watching)
{
    struct failure failure = {0};
    int error = reopen(watching, &failure);
    if (error < 0)
        return refuse(watching, error, &failure);
    watching->run.stored = store_path(watching->store);
    return EXIT_DONE;
}

/* Is it the cell of looks from outside, with the clocks that can be looked at now? */
static bool is_outside(const struct watching *watching, const struct cell *cell)
{
    bool same = cell->watch.kind == WATCH_OUTSIDE && cell->counters == watching->outside_count + 2;
    for (size_t i = 0; i < watching->outside_count && same; i++)
        same = strcmp(cell->events[i + 1], watching->outside_look[i]) == 0;
    return same;
}

int clocks_adopt_store(struct watching *watching)
{
    const struct run_store run = whose(watching);
    struct wishes *wishes = &watching->plan.wishes;
    struct failure failure = {0};
    int error = wishes_adopt(wishes, watching->store, &failure);
    if (error == 0)
        error =
            run_store_same_plan(&run, watching->store, wishes->cells, wishes->cell_count, &failure);
    for (size_t i = 0; i < wishes->cell_count; i++)
        if (is_outside(watching, &wishes->cells[i]))
            watching->outside_cell = (ptrdiff_t)i;
    return error == 0 ? EXIT_DONE : refuse(watching, error, &failure);
}

/* --- a finished one --- */

int clocks_open_from(struct watching *watching)
{
    struct failure failure = {0};
    struct store_info info = {0};
    struct clocks_run *run = &watching->run;
    int error =
        run_store_open_from(run->options->from, "clocks", &watching->store, &info, &failure);
    if (error == 0)
        error = store_facts(watching->store, &watching->stored_facts, &failure);
    if (error == 0) {
        run->seed = info.seed;
        snprintf(run->fingerprint, sizeof(run->fingerprint), "%s", info.fingerprint);
        run->facts = &watching->stored_facts;
        run->complete = info.finished != NULL;
        run->stored = store_path(watching->store);
    }
    store_info_release(&info);
    return error == 0 ? EXIT_DONE : refuse(watching, error, &failure);
}
