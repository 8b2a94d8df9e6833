/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stages of `assay error`: each is planned by what visits have cost so far, looks at every cell
 * once, and then gives those that can be measured the rest of their processes. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "studies/error/parts.h"
#include "studies/error/plan.h"

/* ----------------------------------------------------------------------------------------------
 * The store behind `assay error`: everything that judging needs goes into it before the first
 * sample, and an unfinished one is gone on with as it began. */

static struct run_store whose(const struct erring *erring)
{
    return (struct run_store){.command = "error",
                              .common = &erring->options->common,
                              .catalogue = erring->catalogue,
                              .path = erring->options->store,
                              .seed = erring->seed};
}

static int refuse(const struct erring *erring, int error, const struct failure *failure)
{
    const struct error_options *options = erring->options;
    return run_store_refuse("error", error, options->resume || options->from.count, failure);
}

/* --- a new one --- */

int error_create_store(struct erring *erring)
{
    static const char *const specimens[] = {"null", "loop", "placed", "phases"};
    const struct run_store run = whose(erring);
    const struct error_study *study = &erring->study;
    struct failure failure = {0};
    /* Nothing to measure: no store. */
    if (!study->event_count && !study->stepped && !study->clock)
        return EXIT_DONE;
    int error = run_store_create(&run, &erring->store, &failure);
    if (error == 0)
        error = tried_put(&erring->tried, erring->store, &failure);
    for (size_t i = 0; i < sizeof(specimens) / sizeof(*specimens) && error == 0; i++) {
        const struct catalogue_specimen *specimen =
            catalogue_specimen(erring->catalogue, specimens[i]);
        if (specimen)
            error = run_store_put_specimen(erring->store, specimen, &failure);
    }
    if (error == 0)
        error = store_commit(erring->store, &failure);
    return error == 0 ? EXIT_DONE : refuse(erring, error, &failure);
}

/* --- cells --- */

static int put_cell_knowledge(struct erring *erring, const struct cell *cell,
                              struct failure *failure)
{
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const struct tried_event *tried = tried_find(&erring->tried, cell->events[i]);
        if (!tried)
            continue;
        const struct counted_event event = {tried->name, tried->kind, tried->class};
        error = run_store_put_truth(erring->store, erring->catalogue, cell, i, &event, failure);
    }
    return error < 0 ? error
                     : run_store_put_account(erring->store, erring->catalogue, cell, failure);
}

/* The cells that the plan got since the last time, and visits, go into the store. */
static int error_store_plan(struct erring *erring, const struct visit *visits, size_t count,
                            struct failure *failure)
{
    const struct error_plan *plan = &erring->plan;
    size_t first = erring->stored_cells;
    int error = store_put_plan(erring->store, plan->cells + first, plan->count - first, visits,
                               count, failure);
    for (size_t i = first; i < plan->count && error == 0; i++)
        error = put_cell_knowledge(erring, &plan->cells[i], failure);
    if (error == 0)
        error = store_commit(erring->store, failure);
    if (error == 0)
        erring->stored_cells = plan->count;
    return error;
}

static int note_failures(void *context, const struct stored_cell *stored)
{
    struct error_plan *plan = context;
    uint32_t id = stored->cell.id;
    if (id >= 1 && id <= plan->count)
        plan->about[id - 1].failed = stored->failed;
    return 0;
}

/* Which cells failed, by what the store holds. */
static int error_learn_failures(struct erring *erring, struct failure *failure)
{
    return store_each_cell(erring->store, note_failures, &erring->plan, failure);
}

/* --- how long phases take --- */

struct phases_time {
    double ns;
    uint64_t runs;
};

static int add_time(void *context, const struct sample *sample)
{
    struct phases_time *time = context;
    if (sample->counter == 0) {
        time->ns += (double)sample->enabled;
        time->runs++;
    }
    return 0;
}

/* ns that one N of the specimen phases takes, by the cell that calibrates it; 0: not known. */
static int error_learn_phases(struct erring *erring, struct failure *failure)
{
    const struct error_plan *plan = &erring->plan;
    for (size_t i = 0; i < plan->count; i++) {
        struct phases_time time = {0};
        if (plan->about[i].stage != STAGE_CALIBRATE)
            continue;
        int error = store_each_sample(erring->store, plan->cells[i].id, add_time, &time, failure);
        if (error < 0)
            return error;
        if (time.runs && plan->cells[i].n)
            erring->study.phase_ns = time.ns / (double)time.runs / (double)plan->cells[i].n;
    }
    return 0;
}

/* --- an unfinished one --- */

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct erring *erring = context;
    error_plan_adopt(&erring->study, &erring->plan, &stored->cell, stored->processes,
                     stored->failed);
    return 0;
}

/* Events, paths, runs, processes and CPU are those that the run began with; the time it may take as
 * well, unless another is given. */
static void go_on_like(struct erring *erring)
{
    const struct error_options *begun = &erring->begun;
    struct error_options *resumed = &erring->resumed;
    *resumed = *erring->options;
    resumed->event = begun->event;
    resumed->path = begun->path;
    resumed->runs = begun->runs;
    resumed->processes = begun->processes;
    resumed->cpu = begun->cpu;
    resumed->full |= begun->full;
    if (!resumed->budget && !erring->options->full)
        resumed->budget = begun->budget;
    erring->options = resumed;
}

static int reopen(struct erring *erring, struct failure *failure)
{
    const struct run_store run = whose(erring);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &erring->store, &info, failure);
    if (error == 0)
        error = run_store_recall(&command_error, store_path(erring->store), info.argv,
                                 &erring->begun, &erring->begun.event, failure);
    erring->seed = info.seed;
    store_info_release(&info);
    if (error < 0)
        return error;
    go_on_like(erring);
    const struct string_list *named = &erring->begun.event;
    for (size_t i = 0; i < named->count && error == 0; i++)
        error = string_list_push(&erring->asked, named->items[i], strlen(named->items[i]));
    if (error == 0)
        error = tried_recall(&erring->tried, erring->store, failure);
    if (error == 0 && !erring->tried.count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its events, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(erring->store));
    return error;
}

int error_reopen_store(struct erring *erring)
{
    struct failure failure = {0};
    int error = reopen(erring, &failure);
    if (error == 0) {
        int status = error_prepare(erring);
        if (status != EXIT_DONE)
            return status;
        const struct run_store run = whose(erring);
        error = store_each_cell(erring->store, take_cell, erring, &failure);
        erring->stored_cells = erring->plan.count;
        if (error == 0)
            error = run_store_same_plan(&run, erring->store, erring->plan.cells, erring->plan.count,
                                        &failure);
    }
    return error == 0 ? EXIT_DONE : refuse(erring, error, &failure);
}

/* --- finished ones --- */

static int load(void *context, struct store *store, struct failure *failure)
{
    struct erring *erring = context;
    return error_load(store, &erring->file, failure);
}

int error_open_from(struct erring *erring)
{
    struct failure failure = {0};
    const struct from_stores from = {.command = "error",
                                     .paths = &erring->options->from,
                                     .store = &erring->store,
                                     .seed = &erring->seed,
                                     .fingerprint = erring->fingerprint,
                                     .fingerprint_size = sizeof(erring->fingerprint),
                                     .stored_facts = &erring->stored_facts,
                                     .facts = &erring->facts,
                                     .complete = &erring->complete,
                                     .load = load,
                                     .context = erring};
    int error = from_stores_load(&from, &failure);
    return error == 0 ? EXIT_DONE : refuse(erring, error, &failure);
}

/* --- the whole --- */

#define MS_NS         UINT64_C(1000000)
#define WORTHWHILE_MS 1000u /* less is no time to begin with anything */
/* Percent of its share that a stage is planned for, and that it may take once its prices are
 * better known: a cell that was begun should not be given up because they vary. */
#define CAUTION      85u
#define SLACK        115u
#define SECOND_SHARE 80u /* percent of what is left then */
#define PORTION      5u  /* processes of each cell after which prices are looked at again */

/* Percent of what is left that a stage may take, so that those after it get something. */
static const unsigned shares[STAGE_COUNT] = {
    [STAGE_CROSSING] = 60,  [STAGE_DURATION] = 35,  [STAGE_PLACEMENT] = 30, [STAGE_TOOL] = 25,
    [STAGE_CALIBRATE] = 20, [STAGE_MULTIPLEX] = 50, [STAGE_COUNTERS] = 95,
};

#define EMULATED_DURATION_SHARE 50u

struct stages {
    struct erring *erring;
    struct planned planned;
    size_t left_out[STAGE_COUNT];
    bool second; /* all stages have had their share */
};

static void keep_time(void *context, uint32_t cell, uint64_t wall_ns, uint64_t inside_ns,
                      uint64_t runs)
{
    struct erring *erring = context;
    (void)inside_ns, (void)runs;
    /* Ids count from 1 in the order of the plan. */
    if (cell >= 1 && cell <= erring->plan.count)
        error_price_learn(&erring->study, &erring->plan.prices, &erring->plan.cells[cell - 1],
                          wall_ns);
}

/* ms that are left for measuring; UINT64_MAX: no limit. */
static uint64_t time_left(const struct erring *erring)
{
    return gather_time_left(erring->started, erring->budget, GATHER_RESERVE_MS);
}

/* Runs what the store still lacks; more: further plans may follow. */
static int run_planned(struct stages *stages, bool more)
{
    struct erring *erring = stages->erring;
    uint64_t left = time_left(erring);
    return planned_run(&stages->planned, erring->plan.cells, erring->plan.count,
                       left == UINT64_MAX ? 0
                       : left             ? left
                                          : 1,
                       more);
}

/* Every order is drawn from a seed of its own: the visits before it are counted. */
static uint64_t next_seed(const struct erring *erring)
{
    uint64_t visits = 0;
    for (size_t i = 0; i < erring->plan.count; i++)
        visits += erring->plan.about[i].planned;
    return erring->seed + visits;
}

/* At most `most` further processes of every cell that wants some. */
static int visit(struct stages *stages, uint32_t most)
{
    struct erring *erring = stages->erring;
    AUTO_MEMORY struct visit *visits = NULL;
    size_t count = 0;
    int error = 0;
    error_plan_visits(&erring->plan, most, next_seed(erring), &visits, &count);
    if (count || erring->plan.count > erring->stored_cells)
        error = error_store_plan(erring, visits, count, &stages->planned.failure);
    if (error < 0)
        return planned_failed(&stages->planned, error);
    int status = count ? run_planned(stages, true) : EXIT_DONE;
    if (status == EXIT_DONE && error_learn_failures(erring, &stages->planned.failure) < 0)
        return planned_failed(&stages->planned, -ENOMEM);
    return status;
}

static uint64_t percent(uint64_t ns, unsigned share)
{
    return ns == UINT64_MAX ? ns : ns / 100 * share;
}

/* ns of the budget that the stage may take, from now on. */
static uint64_t share_of(const struct stages *stages, enum error_stage stage)
{
    uint64_t left = time_left(stages->erring);
    unsigned share = stages->second ? SECOND_SHARE : shares[stage];
    /* No placement follows there, and long loops are dear. */
    if (stage == STAGE_DURATION && !stages->second && stages->erring->study.emulated)
        share = EMULATED_DURATION_SHARE;
    return left > UINT64_MAX / MS_NS ? UINT64_MAX : percent(left * MS_NS, share);
}

static int measure_stage(struct stages *stages, enum error_stage stage)
{
    struct erring *erring = stages->erring;
    const struct error_study *study = &erring->study;
    size_t left_out = 0;
    int status = EXIT_DONE;
    stages->planned.gathering.part = error_stage_names[stage];
    if (stage == STAGE_CROSSING && !erring->plan.count) {
        error_plan_pilot(study, stage, &erring->plan);
        status = visit(stages, 1);
    }
    uint64_t share = share_of(stages, stage), began = monotonic_ns();
    if (planned_may_go_on(&stages->planned, status)) {
        left_out = error_plan_stage(study, stage, percent(share, CAUTION), &erring->plan);
        status = visit(stages, 1);
    }
    const uint64_t most = percent(share, SLACK);
    const uint32_t quarter = error_wished_processes(study) / 4;
    const uint32_t portion = quarter > PORTION ? quarter : PORTION;
    while (planned_may_go_on(&stages->planned, status)) {
        uint64_t used = monotonic_ns() - began;
        left_out += error_plan_settle(study, stage,
                                      share == UINT64_MAX ? share
                                      : most > used       ? most - used
                                                          : 0,
                                      &erring->plan);
        if (!error_plan_wants(&erring->plan))
            break;
        status = visit(stages, portion);
    }
    stages->left_out[stage] = left_out;
    return status;
}

/* What the budget did not hold. */
static void tell_left_out(const struct stages *stages)
{
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        size_t count = stages->left_out[stage];
        if (count)
            skips_add(&stages->erring->skips,
                      memory_format("%s: %zu cell%s", error_stage_names[stage], count,
                                    count == 1 ? "" : "s"),
                      "the budget does not hold them: give a larger --budget, or --full", 0);
    }
}

static int all_stages(struct stages *stages)
{
    struct erring *erring = stages->erring;
    int status = EXIT_DONE;
    for (int stage = 0; stage < STAGE_COUNT && planned_may_go_on(&stages->planned, status);
         stage++) {
        if (stage == STAGE_MULTIPLEX && error_learn_phases(erring, &stages->planned.failure) < 0)
            return planned_failed(&stages->planned, -ENOMEM);
        if (!error_plan_is_past(&erring->plan, (enum error_stage)stage))
            status = measure_stage(stages, (enum error_stage)stage);
    }
    return status;
}

/* What stages left to those after them and nobody took goes to what was left out. */
static int second_helpings(struct stages *stages)
{
    int status = EXIT_DONE;
    stages->second = true;
    for (int stage = 0; stage < STAGE_COUNT && planned_may_go_on(&stages->planned, status); stage++)
        if (stages->left_out[stage] && time_left(stages->erring) > WORTHWHILE_MS)
            status = measure_stage(stages, (enum error_stage)stage);
    return status;
}

int error_measure(struct erring *erring)
{
    struct stages stages = {.erring = erring,
                            .planned = {.gathering = {.command = "error",
                                                      .common = &erring->options->common,
                                                      .session = erring->session,
                                                      .store = erring->store,
                                                      .resumed = erring->options->resume,
                                                      .part = "what was planned",
                                                      .timed = keep_time,
                                                      .timed_context = erring},
                                        .complete = &erring->complete}};
    int status = EXIT_DONE;
    if (!erring->store)
        return EXIT_DONE;
    bool finished = run_store_is_finished(erring->store);
    if (erring->options->resume)
        status = run_planned(&stages, !finished);
    if (!finished && planned_may_go_on(&stages.planned, status))
        status = all_stages(&stages);
    if (!finished && planned_may_go_on(&stages.planned, status))
        status = second_helpings(&stages);
    tell_left_out(&stages);
    /* Nothing more to measure: the store is finished. */
    if (!finished && planned_may_go_on(&stages.planned, status))
        status = run_planned(&stages, false);
    return status;
}
