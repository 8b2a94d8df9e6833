/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How `assay overhead` spends its time: one look at every tour, which tells what visits cost; then
 * portions that each hold some processes of every tour, so that whatever disturbs for a while
 * disturbs all alike. After each the plan is settled anew by what time is left. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "engine/skips.h"
#include "studies/overhead/parts.h"
#include "studies/overhead/plan.h"

/* ----------------------------------------------------------------------------------------------
 * The store behind `assay overhead`: operations, absences and tried events go into it before the
 * first sample, so that it can be judged without its machine; an unfinished one is gone on with as
 * it began. */

static struct run_store whose(const struct touring *touring)
{
    return (struct run_store){.command = "overhead",
                              .common = &touring->run.options->common,
                              .catalogue = touring->catalogue,
                              .path = touring->run.options->store,
                              .seed = touring->run.seed};
}

static int refuse(const struct touring *touring, int error, const struct failure *failure)
{
    const struct overhead_options *options = touring->run.options;
    return run_store_refuse("overhead", error, options->resume || options->from.count, failure);
}

/* --- a new one --- */

static int put_operations(struct touring *touring, struct failure *failure)
{
    const struct catalogue *catalogue = touring->catalogue;
    int error = 0;
    for (size_t i = 0; i < catalogue->operation_count && error == 0; i++) {
        const struct catalogue_operation *known = &catalogue->operations[i];
        const struct stored_operation operation = {.path = known->path,
                                                   .kind = known->kind,
                                                   .instrument = known->instrument,
                                                   .effect = known->effect,
                                                   .when = known->when,
                                                   .links = known->links,
                                                   .page = known->page,
                                                   .note = known->note,
                                                   .binds = known->binds,
                                                   .alone = known->alone};
        error = store_put_operation(touring->store, &operation, failure);
    }
    return error;
}

static int create(struct touring *touring, struct failure *failure)
{
    const struct run_store run = whose(touring);
    int error = run_store_create(&run, &touring->store, failure);
    if (error == 0)
        error = tried_put(&touring->tried, touring->store, failure);
    if (error == 0)
        error = put_operations(touring, failure);
    if (error == 0)
        error = absences_put(touring->catalogue, "operation", touring->store, failure);
    return error < 0 ? error : store_commit(touring->store, failure);
}

int overhead_create_store(struct touring *touring)
{
    struct failure failure = {0};
    /* Nothing to measure: no store. */
    if (!touring->plan.wish_count)
        return EXIT_DONE;
    int error = create(touring, &failure);
    if (error == 0)
        touring->run.stored = store_path(touring->store);
    return error == 0 ? EXIT_DONE : refuse(touring, error, &failure);
}

/* --- cells --- */

/* The cells that the plan got since the last time, and visits, go into the store. 0 or negative
 * errno, with the reason in failure. */
static int overhead_store_plan(struct touring *touring, const struct visit *visits, size_t count,
                               struct failure *failure)
{
    const struct overhead_plan *plan = &touring->plan;
    size_t first = touring->stored_cells;
    int error = store_put_plan(touring->store, plan->cells + first, plan->count - first, visits,
                               count, failure);
    if (error == 0)
        error = store_commit(touring->store, failure);
    if (error == 0)
        touring->stored_cells = plan->count;
    return error;
}

static int note_failures(void *context, const struct stored_cell *stored)
{
    struct overhead_plan *plan = context;
    uint32_t id = stored->cell.id;
    if (id >= 1 && id <= plan->count)
        plan->about[id - 1].failed = stored->failed;
    return 0;
}

/* --- an unfinished one --- */

/* Paths, meters, processes and CPU are those that the run began with; the time it may take as well,
 * unless another is given. */
static void go_on_like(struct touring *touring)
{
    const struct overhead_options *begun = &touring->begun;
    struct overhead_options *resumed = &touring->resumed;
    *resumed = *touring->run.options;
    resumed->path = begun->path;
    resumed->meter = begun->meter;
    resumed->counted = touring->begun_counted;
    resumed->processes = begun->processes;
    resumed->cpu = begun->cpu;
    resumed->full |= begun->full;
    if (!resumed->budget && !touring->run.options->full)
        resumed->budget = begun->budget;
    touring->run.options = resumed;
}

static int keep_counted(void *context, const struct stored_cell *stored)
{
    struct touring *touring = context;
    if (!touring->begun_counted)
        touring->begun_counted = memory_copy(stored->cell.tour.counted);
    return 0;
}

static int reopen(struct touring *touring, struct failure *failure)
{
    const struct run_store run = whose(touring);
    struct store_info info = {0};
    struct string_list none = {0};
    int error = run_store_reopen(&run, &touring->store, &info, failure);
    if (error == 0)
        error = run_store_recall(&command_overhead, store_path(touring->store), info.argv,
                                 &touring->begun, &none, failure);
    string_list_free(&none);
    touring->run.seed = info.seed;
    store_info_release(&info);
    if (error == 0)
        error = store_each_cell(touring->store, keep_counted, touring, failure);
    if (error == 0)
        error = tried_recall(&touring->tried, touring->store, failure);
    if (error == 0 && !touring->tried.count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its meters, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(touring->store));
    if (error == 0)
        go_on_like(touring);
    return error;
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct touring *touring = context;
    overhead_plan_adopt(&touring->plan, &stored->cell, stored->processes, stored->failed);
    return 0;
}

static int adopt(struct touring *touring, struct failure *failure)
{
    const struct run_store run = whose(touring);
    int error = store_each_cell(touring->store, take_cell, touring, failure);
    touring->stored_cells = touring->plan.count;
    return error < 0 ? error
                     : run_store_same_plan(&run, touring->store, touring->plan.cells,
                                           touring->plan.count, failure);
}

int overhead_reopen_store(struct touring *touring)
{
    struct failure failure = {0};
    int error = reopen(touring, &failure);
    if (error == 0) {
        touring->run.stored = store_path(touring->store);
        int status = overhead_prepare(touring);
        if (status != EXIT_DONE)
            return status;
        error = adopt(touring, &failure);
    }
    return error == 0 ? EXIT_DONE : refuse(touring, error, &failure);
}

/* --- finished ones --- */

struct several {
    struct touring *touring;
    struct text names; /* of the runs so far, a line each */
};

/* A copy is no further witness. */
static int check_new(void *context, const char *path, const struct store_info *info,
                     struct failure *failure)
{
    struct text *names = &((struct several *)context)->names;
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "\n%s %" PRIu64 " %s\n", info->fingerprint, info->seed, info->started);
    if (names->bytes && name.bytes && strstr(names->bytes, name.bytes))
        return fail_with(failure, -EINVAL,
                         "%.300s holds the same run as a store named before it: its calls would "
                         "count twice. Name every run once.",
                         path);
    text_puts(names, text_string(&name));
    return 0;
}

static int load(void *context, struct store *store, struct failure *failure)
{
    struct several *several = context;
    return overhead_load(store, &several->touring->run.file, failure);
}

int overhead_open_from(struct touring *touring)
{
    struct failure failure = {0};
    struct overhead_run *run = &touring->run;
    struct several several = {.touring = touring};
    const struct from_stores from = {.command = "overhead",
                                     .paths = &run->options->from,
                                     .store = &touring->store,
                                     .seed = &run->seed,
                                     .fingerprint = run->fingerprint,
                                     .fingerprint_size = sizeof(run->fingerprint),
                                     .stored_facts = &touring->stored_facts,
                                     .facts = &run->facts,
                                     .complete = &run->complete,
                                     .check = check_new,
                                     .load = load,
                                     .context = &several};
    int error = from_stores_load(&from, &failure);
    text_free(&several.names);
    if (error == 0 && run->options->from.count == 1)
        run->stored = store_path(touring->store);
    return error == 0 ? EXIT_DONE : refuse(touring, error, &failure);
}

/* --- how the time is spent --- */

#define MS_NS             UINT64_C(1000000)
#define LOOK_SHARE        30u /* percent of the time that the first look may take */
#define CAUTION           95u /* percent of the time left that is planned for */
#define PORTIONS          12u
#define EMULATED_PORTIONS 3u /* the way to such a machine is narrow: plans are sent less often */
#define RESERVE_MS        6000u
#define OVERRUN           3u /* percent of the budget that what was begun may take longer */

struct stages {
    struct touring *touring;
    struct planned planned;
};

static void keep_time(void *context, uint32_t cell, uint64_t wall_ns, uint64_t inside_ns,
                      uint64_t runs)
{
    struct touring *touring = context;
    (void)inside_ns, (void)runs;
    overhead_plan_learn(&touring->plan, cell, wall_ns);
}

static uint64_t time_left(const struct touring *touring)
{
    return gather_time_left(touring->started, touring->run.budget, RESERVE_MS);
}

static uint64_t share_of_time(const struct touring *touring, unsigned percent)
{
    uint64_t left = time_left(touring);
    return left == UINT64_MAX ? left : left * MS_NS / 100 * percent;
}

/* Runs what the store still lacks; more: further plans may follow. */
static int run_planned(struct stages *stages, bool more)
{
    struct touring *touring = stages->touring;
    uint64_t left = time_left(touring);
    return planned_run(&stages->planned, touring->plan.cells, touring->plan.count,
                       left == UINT64_MAX ? 0 : left + touring->run.budget * OVERRUN / 100 + 1,
                       more);
}

/* Every order is drawn from a seed of its own: the visits before it are counted. */
static uint64_t next_seed(const struct touring *touring)
{
    uint64_t visits = 0;
    for (size_t i = 0; i < touring->plan.count; i++)
        visits += touring->plan.about[i].planned;
    return touring->run.seed + visits;
}

static int visit(struct stages *stages, uint32_t portions)
{
    struct touring *touring = stages->touring;
    AUTO_MEMORY struct visit *visits = NULL;
    size_t count = 0;
    int error = 0;
    overhead_plan_visits(&touring->plan, portions, next_seed(touring), &visits, &count);
    if (count)
        error = overhead_store_plan(touring, visits, count, &stages->planned.failure);
    if (error < 0)
        return planned_failed(&stages->planned, error);
    int status = count ? run_planned(stages, true) : EXIT_DONE;
    if (status == EXIT_DONE) {
        /* Which cells failed, by what the store holds. 0 or negative errno likewise. */
        error = store_each_cell(touring->store, note_failures, &touring->plan,
                                &stages->planned.failure);
        if (error < 0)
            return planned_failed(&stages->planned, error);
    }
    return status;
}

static int look(struct stages *stages)
{
    struct touring *touring = stages->touring;
    int status = EXIT_DONE;
    stages->planned.gathering.part = "a first look";
    while (planned_may_go_on(&stages->planned, status)) {
        overhead_plan_look(&touring->study, &touring->plan, share_of_time(touring, LOOK_SHARE));
        if (!overhead_plan_wants(&touring->plan))
            break;
        status = visit(stages, 1);
    }
    return status;
}

static int all_portions(struct stages *stages)
{
    struct touring *touring = stages->touring;
    const struct overhead_study *study = &touring->study;
    int status = look(stages);
    stages->planned.gathering.part = "all tours";
    for (uint32_t left = study->emulated ? EMULATED_PORTIONS : PORTIONS;
         left > 0 && planned_may_go_on(&stages->planned, status); left--) {
        overhead_plan_settle(study, &touring->plan, share_of_time(touring, CAUTION));
        if (!overhead_plan_wants(&touring->plan))
            break;
        status = visit(stages, left);
    }
    return status;
}

/* --- what the budget did not hold --- */

/* "first calls (3 tours)" */
static void tell(struct touring *touring, enum overhead_stage stage, size_t tours, const char *why)
{
    char what[120];
    snprintf(what, sizeof(what), "%s (%zu tour%s)", overhead_stage_names[stage], tours,
             tours == 1 ? "" : "s");
    skips_add(&touring->run.skips, what, why, 0);
}

/* Of the tours of a stage: those without any process, and those with fewer than say something. */
static void tell_stage(struct touring *touring, enum overhead_stage stage)
{
    const struct overhead_plan *plan = &touring->plan;
    size_t without = 0, with_few = 0;
    for (size_t i = 0; i < plan->wish_count; i++) {
        uint32_t processes = overhead_plan_processes(plan, i);
        if (plan->wishes[i].stage != stage || overhead_plan_is_failing(plan, i) ||
            !overhead_plan_is_due(plan, i))
            continue;
        without += processes == 0;
        with_few += processes > 0 && processes < plan->wishes[i].least;
    }
    if (without)
        tell(touring, stage, without,
             "not measured: the budget did not suffice: give a larger --budget, or --full");
    if (with_few)
        tell(touring, stage, with_few,
             "in fewer processes than wanted, so less certain: give a larger --budget, or --full");
}

int overhead_measure(struct touring *touring)
{
    struct stages stages = {.touring = touring,
                            .planned = {.gathering = {.command = "overhead",
                                                      .common = &touring->run.options->common,
                                                      .session = touring->session,
                                                      .store = touring->store,
                                                      .resumed = touring->run.options->resume,
                                                      .part = "what was planned",
                                                      .timed = keep_time,
                                                      .timed_context = touring},
                                        .complete = &touring->run.complete}};
    int status = EXIT_DONE;
    if (!touring->store)
        return EXIT_DONE;
    bool finished = run_store_is_finished(touring->store);
    if (touring->run.options->resume)
        status = run_planned(&stages, !finished);
    if (!finished && planned_may_go_on(&stages.planned, status))
        status = all_portions(&stages);
    /* Of what a user interrupted the budget says nothing. */
    for (int stage = 0; !finished && status != EXIT_INTERRUPTED && stage < OVERHEAD_STAGES; stage++)
        tell_stage(touring, (enum overhead_stage)stage);
    /* Nothing more to measure: the store is finished. */
    if (!finished && planned_may_go_on(&stages.planned, status))
        status = run_planned(&stages, false);
    return status;
}
