/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Portion after portion, as far as the budget goes. */
#include "cli/portions.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "cli/planned.h"
#include "engine/run-store.h"

#define MS_NS UINT64_C(1000000)
/* Percent of the time that the very first visits may take, before any price is known, and each
 * further look at what has no process yet. */
#define PILOT_SHARE 8u
#define LOOK_SHARE  25u
#define CAUTION     92u /* percent of the time left that is planned for */
/* ms that the very first visits may take whatever is left: who has nothing can judge nothing. */
#define FIRST_MS 1000u
/* ms that what waited for the end may have, whatever is left: without it what was measured at the
 * beginning is worth nothing. */
#define END_MS 4000u

struct stages {
    struct portioning *of;
    struct planned planned;
    bool cut;        /* the time was over before all visits were made */
    bool looking;    /* one process of each, to see what it costs */
    uint64_t beyond; /* ms that visits may take when the time is over */
};

static void keep_time(void *context, uint32_t cell, uint64_t wall_ns, uint64_t inside_ns,
                      uint64_t runs)
{
    (void)inside_ns, (void)runs;
    wishes_learn(context, cell, wall_ns);
}

static uint64_t time_left(const struct portioning *of)
{
    return gather_time_left(of->started, of->budget, of->reserve);
}

static uint64_t share_of_time(const struct portioning *of, unsigned percent)
{
    uint64_t left = time_left(of);
    return left == UINT64_MAX ? left : left * MS_NS / 100 * percent;
}

/* Runs what the store still lacks; more: further plans may follow. */
static int run_planned(struct stages *stages, bool more)
{
    const struct portioning *of = stages->of;
    uint64_t left = time_left(of);
    uint64_t least = wishes_have_prices(of->wishes) ? 1 : FIRST_MS; /* 0 would be no limit */
    left = left < least ? least : left;
    return planned_run(&stages->planned, of->wishes->cells, of->wishes->cell_count,
                       left == UINT64_MAX ? 0 : left + stages->beyond, more);
}

static bool may_go_on(const struct stages *stages, int status)
{
    return planned_may_go_on(&stages->planned, status) && !stages->cut;
}

static int between(struct stages *stages)
{
    return stages->of->between ? stages->of->between(stages->of->context) : EXIT_DONE;
}

/* What the time did not hold is not planned any more. */
static int learn_outcome(struct stages *stages)
{
    const struct portioning *of = stages->of;
    uint64_t planned = wishes_planned(of->wishes);
    int error = wishes_learn_outcome(of->wishes, of->store, &stages->planned.failure);
    stages->cut |= wishes_planned(of->wishes) < planned;
    return error < 0 ? planned_failed(&stages->planned, error) : EXIT_DONE;
}

/* Every order is drawn from a seed of its own: the visits before it are counted. */
static int visit(struct stages *stages, uint32_t portions)
{
    const struct portioning *of = stages->of;
    AUTO_FREE struct visit *visits = NULL;
    size_t count = 0;
    int error =
        wishes_visits(of->wishes, portions, of->seed + wishes_planned(of->wishes), &visits, &count);
    if (error == 0 && stages->looking && of->dearest_last)
        wishes_dearest_last(of->wishes, visits, count);
    if (error == 0 && count)
        error = wishes_store(of->wishes, of->store, visits, count, &stages->planned.failure);
    if (error < 0)
        return planned_failed(&stages->planned, error);
    int status = count ? run_planned(stages, true) : EXIT_DONE;
    if (status == EXIT_DONE)
        status = learn_outcome(stages);
    return status == EXIT_DONE && count ? between(stages) : status;
}

static int look(struct stages *stages)
{
    const struct portioning *of = stages->of;
    int status = between(stages);
    unsigned share = wishes_have_prices(of->wishes) ? LOOK_SHARE : PILOT_SHARE;
    stages->planned.gathering.part = "a first look";
    for (; may_go_on(stages, status); share = LOOK_SHARE) {
        wishes_look(of->wishes, share_of_time(of, share));
        if (!wishes_want(of->wishes))
            break;
        stages->looking = true;
        status = visit(stages, 1);
        stages->looking = false;
    }
    return status;
}

static int end(struct stages *stages)
{
    const struct portioning *of = stages->of;
    uint64_t left = share_of_time(of, 100);
    wishes_end(of->wishes, left == UINT64_MAX ? left : left + END_MS * MS_NS);
    stages->beyond = END_MS;
    return visit(stages, 1);
}

/* Sets goals for what time is left, of what is held back too once nothing before it lacks. */
static bool settle(const struct portioning *of)
{
    do
        wishes_settle(of->wishes, share_of_time(of, CAUTION));
    while (!wishes_want(of->wishes) && of->further && of->further(of->context));
    return wishes_want(of->wishes);
}

static int all_portions(struct stages *stages)
{
    const struct portioning *of = stages->of;
    int status = look(stages);
    stages->planned.gathering.part = of->all;
    for (uint32_t left = of->portions; left > 0 && may_go_on(stages, status);) {
        if (!settle(of))
            break;
        const bool parted = wishes_want_portions(of->wishes);
        status = visit(stages, left);
        left -= parted;
    }
    return planned_may_go_on(&stages->planned, status) ? end(stages) : status;
}

/* --- what the budget did not hold --- */

/* "first calls (3 tours)" */
static int tell(const struct portioning *of, unsigned stage, size_t count, const char *what_of_them)
{
    char what[120], why[300];
    snprintf(what, sizeof(what), "%s (%zu %s%s)", of->stage_names[stage], count, of->unit,
             count == 1 ? "" : "s");
    snprintf(why, sizeof(why), "%s: %s", what_of_them, of->longer);
    return skips_add(of->skips, what, why, 0);
}

/* Of the wishes of a stage: those without any process, and those with fewer than say something. */
static int tell_stage(const struct portioning *of, unsigned stage)
{
    const struct wishes *wishes = of->wishes;
    size_t without = 0, with_few = 0;
    int error = 0;
    for (size_t i = 0; i < wishes->count; i++) {
        uint32_t processes = wishes_processes(wishes, i);
        if (wishes->list[i].stage != stage || wishes_is_failing(wishes, i) ||
            !wishes_is_due(wishes, i))
            continue;
        without += processes == 0;
        with_few += processes > 0 && processes < wishes->list[i].least;
    }
    if (without)
        error = tell(of, stage, without, "not measured: the budget did not suffice");
    if (with_few && error == 0)
        error = tell(of, stage, with_few, "in fewer processes than wanted, so less certain");
    return error;
}

static int tell_left_out(const struct portioning *of)
{
    int error = 0;
    for (unsigned stage = 0; stage < of->stages && error == 0; stage++)
        error = tell_stage(of, stage);
    return error;
}

int portions_measure(struct portioning *portioning, bool *complete)
{
    struct stages stages = {.of = portioning,
                            .planned = {.gathering = {.command = portioning->command,
                                                      .common = portioning->common,
                                                      .session = portioning->session,
                                                      .store = portioning->store,
                                                      .resumed = portioning->resumed,
                                                      .once = portioning->once,
                                                      .cuts = true,
                                                      .part = "what was planned",
                                                      .timed = keep_time,
                                                      .timed_context = portioning->wishes,
                                                      .beside = portioning->beside},
                                        .complete = complete}};
    int status = EXIT_DONE;
    if (!portioning->store)
        return EXIT_DONE;
    bool finished = run_store_is_finished(portioning->store);
    if (portioning->resumed)
        status = run_planned(&stages, !finished);
    if (portioning->resumed && !finished && status == EXIT_DONE)
        status = learn_outcome(&stages);
    if (!finished && may_go_on(&stages, status))
        status = all_portions(&stages);
    /* Of what a user interrupted the budget says nothing. */
    if (!finished && status != EXIT_INTERRUPTED && tell_left_out(portioning) < 0)
        return deliver_out_of_memory(portioning->command);
    /* Nothing more to measure: the store is finished. */
    if (!finished && planned_may_go_on(&stages.planned, status))
        status = run_planned(&stages, false);
    return status;
}
