/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How `assay overhead` spends its time: one look at every tour, which tells what visits cost; then
 * portions that each hold some processes of every tour, so that whatever disturbs for a while
 * disturbs all alike. After each the plan is settled anew by what time is left. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "cli/overhead-run.h"
#include "cli/planned.h"
#include "engine/run-store.h"

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
    AUTO_FREE struct visit *visits = NULL;
    size_t count = 0;
    int error = overhead_plan_visits(&touring->plan, portions, next_seed(touring), &visits, &count);
    if (error == 0 && count)
        error = overhead_store_plan(touring, visits, count, &stages->planned.failure);
    if (error < 0)
        return planned_failed(&stages->planned, error);
    int status = count ? run_planned(stages, true) : EXIT_DONE;
    if (status == EXIT_DONE) {
        error = overhead_learn_failures(touring, &stages->planned.failure);
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
static int tell(struct touring *touring, enum overhead_stage stage, size_t tours, const char *why)
{
    char what[120];
    snprintf(what, sizeof(what), "%s (%zu tour%s)", overhead_stage_names[stage], tours,
             tours == 1 ? "" : "s");
    return skips_add(&touring->run.skips, what, why, 0);
}

/* Of the tours of a stage: those without any process, and those with fewer than say something. */
static int tell_stage(struct touring *touring, enum overhead_stage stage)
{
    const struct overhead_plan *plan = &touring->plan;
    size_t without = 0, with_few = 0;
    int error = 0;
    for (size_t i = 0; i < plan->wish_count; i++) {
        uint32_t processes = overhead_plan_processes(plan, i);
        if (plan->wishes[i].stage != stage || overhead_plan_is_failing(plan, i) ||
            !overhead_plan_is_due(plan, i))
            continue;
        without += processes == 0;
        with_few += processes > 0 && processes < plan->wishes[i].least;
    }
    if (without)
        error = tell(touring, stage, without,
                     "not measured: the budget did not suffice: give a larger --budget, or --full");
    if (with_few && error == 0)
        error = tell(
            touring, stage, with_few,
            "in fewer processes than wanted, so less certain: give a larger --budget, or --full");
    return error;
}

static int tell_left_out(struct touring *touring)
{
    int error = 0;
    for (int stage = 0; stage < OVERHEAD_STAGES && error == 0; stage++)
        error = tell_stage(touring, (enum overhead_stage)stage);
    return error;
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
    if (!finished && status != EXIT_INTERRUPTED && tell_left_out(touring) < 0)
        return overhead_out_of_memory();
    /* Nothing more to measure: the store is finished. */
    if (!finished && planned_may_go_on(&stages.planned, status))
        status = run_planned(&stages, false);
    return status;
}
