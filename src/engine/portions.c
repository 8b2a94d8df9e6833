/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a study spends its time on what it wishes for, as far as the budget goes: what its visits
 * cost is learnt, goals are set, and visited in portions. Called by the study, between plan and
 * judge. */
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/run-store.h"
#include "engine/study.h"

#define MS_NS UINT64_C(1000000)
/* Percent of the time that the very first visits may take, before any price is known, and each
 * further look at what has no process yet. */
#define PILOT_SHARE 8u
#define LOOK_SHARE  25u
#define CAUTION     92u /* percent of the time left that is planned for */
/* Of stages in turn: percent of the time that a look plans for, and by how many a turn may last
 * longer then. Prices vary, and what was begun should not be given up for that. */
#define WHOLE_SHARE 80u
#define TURN_SLACK  20u
/* ms that the very first visits may take whatever is left, where what the time does not hold is
 * struck: who has nothing can judge nothing. */
#define FIRST_MS 1000u
/* ms that what waited for the end may have, whatever is left: without it what was measured at the
 * beginning is worth nothing. */
#define END_MS 4000u
/* Percent of the budget that visits which are kept, rather than struck, may take longer: a run that
 * all but ended in time is finished. */
#define OVERRUN 3u

struct stages {
    struct studying *of;
    const struct pacing *pacing;
    struct planned planned;
    bool cut;          /* the time was over before all visits were made */
    bool looking;      /* one process of each, to see what it costs */
    uint64_t beyond;   /* ms that visits may take when the time is over */
    int64_t turn_ends; /* monotonic ms; 0: there are no turns */
    int64_t slack;     /* ms */
};

static void keep_time(void *context, uint32_t cell, uint64_t wall_ns, uint64_t inside_ns,
                      uint64_t runs)
{
    wishes_learn(context, cell, wall_ns, inside_ns, runs);
}

static uint64_t time_left(const struct stages *stages)
{
    return gather_time_left(stages->of->started, stages->of->budget, stages->pacing->reserve);
}

/* ns, of what is left for the stage whose turn it is. */
static uint64_t share_of_time(const struct stages *stages, unsigned percent)
{
    uint64_t left = time_left(stages);
    if (left == UINT64_MAX)
        return left;
    const int64_t turn = stages->turn_ends ? stages->turn_ends - monotonic_ms() : INT64_MAX;
    left = turn < 0 ? 0 : left < (uint64_t)turn ? left : (uint64_t)turn;
    return left * MS_NS / 100 * percent;
}

/* Runs what the store still lacks; more: further plans may follow. */
static int run_planned(struct stages *stages, bool more)
{
    struct studying *of = stages->of;
    uint64_t left = time_left(stages);
    const bool first = !stages->pacing->keeps && !wishes_have_prices(&of->wishes);
    const uint64_t least = first ? FIRST_MS : 1; /* 0 would be no limit */
    left = left < least ? least : left;
    return planned_run(&stages->planned, of->wishes.cells, of->wishes.cell_count,
                       left == UINT64_MAX ? 0 : left + stages->beyond, more);
}

static bool may_go_on(const struct stages *stages, int status)
{
    return planned_may_go_on(&stages->planned, status) && !stages->cut;
}

static int between(struct stages *stages)
{
    const struct pacing *pacing = stages->pacing;
    return pacing->between ? pacing->between(stages->of) : EXIT_DONE;
}

/* What the time did not hold is not planned any more. */
static int learn_outcome(struct stages *stages)
{
    struct studying *of = stages->of;
    uint64_t planned = wishes_planned(&of->wishes);
    int error = wishes_learn_outcome(&of->wishes, of->store, &stages->planned.failure);
    stages->cut |= wishes_planned(&of->wishes) < planned;
    return error < 0 ? planned_failed(&stages->planned) : EXIT_DONE;
}

/* Every order is drawn from a seed of its own: the visits before it are counted. */
static int visit(struct stages *stages, uint32_t portions)
{
    struct studying *of = stages->of;
    AUTO_MEMORY struct visit *visits = NULL;
    size_t count = 0;
    int error = 0;
    wishes_visits(&of->wishes, portions, of->seed + wishes_planned(&of->wishes), &visits, &count);
    if (stages->looking && stages->pacing->dearest_last)
        wishes_dearest_last(&of->wishes, visits, count);
    if (count)
        error = wishes_store(&of->wishes, of->store, NULL, 0, stages->pacing->put, of,
                             &stages->planned.failure);
    if (error < 0)
        return planned_failed(&stages->planned);
    stages->planned.gathering.rest = visits;
    stages->planned.gathering.rest_count = count;
    int status = count ? run_planned(stages, true) : EXIT_DONE;
    if (status == EXIT_DONE)
        status = learn_outcome(stages);
    return status == EXIT_DONE && count ? between(stages) : status;
}

static int look(struct stages *stages)
{
    struct studying *of = stages->of;
    int status = between(stages);
    const bool whole = stages->pacing->shares;
    unsigned share = whole                             ? WHOLE_SHARE
                     : wishes_have_prices(&of->wishes) ? LOOK_SHARE
                                                       : PILOT_SHARE;
    stages->looking = true;
    if (whole && planned_may_go_on(&stages->planned, status)) {
        wishes_try_prices(&of->wishes);
        status = visit(stages, 1);
    }
    for (; may_go_on(stages, status); share = whole ? WHOLE_SHARE : LOOK_SHARE) {
        wishes_look(&of->wishes, share_of_time(stages, share), whole);
        if (!wishes_want(&of->wishes))
            break;
        status = visit(stages, 1);
    }
    stages->looking = false;
    return status;
}

static int end(struct stages *stages)
{
    struct studying *of = stages->of;
    uint64_t left = share_of_time(stages, 100);
    wishes_end(&of->wishes, left == UINT64_MAX ? left : left + END_MS * MS_NS);
    stages->beyond = END_MS;
    return visit(stages, 1);
}

/* Sets goals for what time is left, of what is held back too once nothing before it lacks. */
static bool portions_settle(const struct stages *stages)
{
    struct studying *of = stages->of;
    do
        wishes_settle(&of->wishes, share_of_time(stages, stages->turn_ends ? 100 : CAUTION));
    while (!wishes_want(&of->wishes) && stages->pacing->further && stages->pacing->further(of));
    return wishes_want(&of->wishes);
}

static int all_portions(struct stages *stages)
{
    struct studying *of = stages->of;
    stages->planned.gathering.part = "a first look";
    int status = look(stages);
    stages->turn_ends += stages->slack;
    stages->planned.gathering.part =
        of->wishes.turn ? stages->pacing->stage_names[of->wishes.turn - 1] : stages->pacing->all;
    for (uint32_t left = stages->pacing->portions; left > 0 && may_go_on(stages, status);) {
        if (!portions_settle(stages))
            break;
        const bool parted = wishes_want_portions(&of->wishes);
        status = visit(stages, left);
        left -= parted;
    }
    return status;
}

/* Each stage in its turn, and then what they left out, in what time they left. A run that goes on
 * does so in the stage that it was in: what cells are left for later ones say which that is. */
static int all_turns(struct stages *stages)
{
    struct studying *of = stages->of;
    int status = EXIT_DONE;
    for (unsigned stage = 0; stage < stages->pacing->stages && may_go_on(stages, status); stage++) {
        const uint64_t left = time_left(stages);
        status = stages->pacing->begin ? stages->pacing->begin(of, stage) : EXIT_DONE;
        wishes_claim(&of->wishes);
        if (!wishes_all_claimed(&of->wishes))
            continue;
        of->wishes.turn = stage + 1;
        const int64_t turn =
            left == UINT64_MAX ? 0 : (int64_t)(left * stages->pacing->shares[stage] / 100);
        stages->turn_ends = left == UINT64_MAX ? 0 : monotonic_ms() + turn;
        stages->slack = turn * (int64_t)TURN_SLACK / 100;
        if (may_go_on(stages, status))
            status = all_portions(stages);
    }
    of->wishes.turn = 0;
    stages->turn_ends = stages->slack = 0;
    return may_go_on(stages, status) ? all_portions(stages) : status;
}

/* --- what the budget did not hold --- */

/* "first calls (3 tours)" */
static void tell(const struct stages *stages, unsigned stage, size_t count, const char *why)
{
    const struct pacing *pacing = stages->pacing;
    if (count)
        skips_add(&stages->of->skips,
                  memory_format("%s (%zu %s%s)", pacing->stage_names[stage], count, pacing->unit,
                                count == 1 ? "" : "s"),
                  memory_format("%s: %s", why, pacing->longer), 0);
}

static void tell_stage(const struct stages *stages, unsigned stage)
{
    const struct wishes *wishes = &stages->of->wishes;
    size_t of_fate[WISH_LEFT_OUT + 1] = {0};
    for (size_t i = 0; i < wishes->count; i++)
        of_fate[wishes_fate(wishes, i)] += wishes->list[i].stage == stage;
    tell(stages, stage, of_fate[WISH_LEFT_OUT], "not measured: the budget did not suffice");
    tell(stages, stage, of_fate[WISH_CUT], "in fewer processes than wanted, so less certain");
}

int study_measure(struct studying *studying, const struct pacing *pacing)
{
    struct common_options common = studying->given->common;
    struct stages stages = {.of = studying,
                            .pacing = pacing,
                            .planned = {.gathering = {.command = studying->command->name,
                                                      .common = &common,
                                                      .session = studying->session,
                                                      .store = studying->store,
                                                      .resumed = studying->given->resume,
                                                      .once = studying->once,
                                                      .cuts = !pacing->keeps,
                                                      .part = "what was planned",
                                                      .timed = keep_time,
                                                      .timed_context = &studying->wishes,
                                                      .beside = pacing->beside},
                                        .complete = &studying->complete},
                            .beyond = pacing->keeps ? studying->budget * OVERRUN / 100 : 0};
    int status = EXIT_DONE;
    const bool finished = run_store_is_finished(studying->store);
    common.quiet |= pacing->quiet;
    if (studying->given->resume)
        status = run_planned(&stages, !finished);
    if (!finished) {
        if (studying->given->resume && status == EXIT_DONE)
            status = learn_outcome(&stages);
        if (may_go_on(&stages, status))
            status = pacing->shares ? all_turns(&stages) : all_portions(&stages);
        if (planned_may_go_on(&stages.planned, status))
            status = end(&stages);
        /* Of what a user interrupted the budget says nothing. */
        for (unsigned stage = 0; stage < pacing->stages && status != EXIT_INTERRUPTED; stage++)
            tell_stage(&stages, stage);
        /* Nothing more to measure: the store is finished. */
        if (planned_may_go_on(&stages.planned, status))
            status = run_planned(&stages, false);
    }
    return study_status(studying, status);
}
