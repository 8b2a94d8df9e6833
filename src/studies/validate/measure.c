/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rounds of `assay validate`: plan, measure, learn what it cost and what surprises, plan again;
 * then the judgement. */
#include <errno.h>
#include <string.h>

#include "base/monotonic.h"
#include "cli/deliver.h"
#include "engine/gather.h"
#include "studies/validate/parts.h"

#define RESERVE_MS  1500u /* for judging at the end */
#define POINTS      8u    /* one point takes at most this part of the budget */
#define FIRST_LEARN 2u    /* rounds before the samples are looked at, and again after … */
#define MOST_LEARNT 5u    /* … each of the following, at most so often */

struct rounds {
    struct validating *validating;
    struct gathering gathering;
    struct failure failure;
    unsigned done, learnt;
};

static void keep_time(void *context, uint32_t cell, uint64_t wall_ns, uint64_t inside_ns,
                      uint64_t runs)
{
    struct validating *validating = context;
    struct validate_plan *plan = &validating->plan;
    for (size_t i = 0; i < plan->count; i++) {
        /* Ids count from 1 in the order of the plan. */
        size_t at = (cell - 1 + i) % plan->count;
        if (plan->cells[at].id != cell)
            continue;
        plan->about[at].visits++;
        plan->about[at].wall_ns += wall_ns;
        if (!validate_is_of_source(validating, at))
            plan->about[at].inside_ns += inside_ns;
        plan->about[at].runs += runs;
        return;
    }
}

/* ms that are left for measuring; UINT64_MAX: no limit. Looking at the machine, which opens every
 * event, may take half of the budget and no more: else a small one would measure nothing at all. */
static uint64_t time_left(const struct validating *validating)
{
    uint64_t budget = validating->budget, prepared = validating->prepared_ms;
    uint64_t used = (uint64_t)(monotonic_ms() - validating->started);
    if (prepared > budget / 2)
        used -= prepared - budget / 2;
    uint64_t reserve = budget / 10 < RESERVE_MS ? budget / 10 : RESERVE_MS;
    if (reserve < 2 * validating->judging_ms)
        reserve = 2 * validating->judging_ms;
    if (!budget)
        return UINT64_MAX;
    return used + reserve < budget ? budget - reserve - used : 0;
}

/* Appends the next cells; false: nothing more is to be had, or it failed (failure says so). */
static bool plan_more(struct rounds *rounds)
{
    struct validating *validating = rounds->validating;
    size_t first = validating->plan.count;
    for (int share = SHARE_HALF; share < SHARE_COUNT; share++) {
        uint64_t left = time_left(validating);
        struct validate_round round = {
            .budget_ns = left < UINT64_MAX / 1000000 ? left * 1000000 / 10 * 8 : UINT64_MAX,
            .point_ns = validating->budget ? validating->budget * 1000000 / POINTS : UINT64_MAX,
            .share = (enum validate_share)share};
        if (!left)
            return false;
        int error = validate_next(&validating->study, &round, &validating->plan);
        if (error < 0) {
            fail_with(&rounds->failure, error, "out of memory");
            return false;
        }
        if (validating->plan.count > first)
            return validate_store_cells(validating, first, &rounds->failure) == 0;
    }
    return false;
}

static int run_planned(struct rounds *rounds, bool more)
{
    struct validating *validating = rounds->validating;
    uint64_t left = time_left(validating);
    rounds->gathering.cells = validating->plan.cells;
    rounds->gathering.cell_count = validating->plan.count;
    rounds->gathering.budget = left == UINT64_MAX ? 0 : left ? left : 1;
    rounds->gathering.more = more;
    int status = gather(&rounds->gathering, &validating->complete, &rounds->failure);
    rounds->gathering.resumed = false;
    return rounds->failure.code ? validate_fail(&rounds->failure, status) : status;
}

/* Surprises make further wishes. Looking must not cost more than it brings. */
static int look(struct rounds *rounds)
{
    struct validating *validating = rounds->validating;
    if (++rounds->done < FIRST_LEARN || rounds->learnt >= MOST_LEARNT ||
        validating->judging_ms > time_left(validating) / 10)
        return EXIT_DONE;
    rounds->learnt++;
    int64_t began = monotonic_ms();
    int error = validate_learn(validating, &rounds->failure);
    validating->judging_ms = (uint64_t)(monotonic_ms() - began);
    return error < 0 ? validate_fail(&rounds->failure, EXIT_FAILED) : EXIT_DONE;
}

/* Is there an event for which the budget did not hold a single cell? */
static bool is_starved(const struct validating *validating)
{
    bool any = false;
    for (size_t i = 0; i < validating->study.subject_count; i++)
        any |= validate_last_of_subject(&validating->plan, i) == 0;
    return any && validating->budget;
}

int validate_measure(struct validating *validating)
{
    struct rounds rounds = {.validating = validating,
                            .gathering = {.command = "validate",
                                          .common = &validating->options->common,
                                          .session = validating->session,
                                          .store = validating->store,
                                          .resumed = validating->options->resume,
                                          .timed = keep_time,
                                          .timed_context = validating}};
    int status = EXIT_DONE;
    validating->prepared_ms = (uint64_t)(monotonic_ms() - validating->started);
    if (validating->options->resume)
        status = run_planned(&rounds, !run_store_is_finished(validating->store));
    if (status != EXIT_DONE || !validating->complete || run_store_is_finished(validating->store))
        return status;
    while (status == EXIT_DONE && validating->complete && plan_more(&rounds)) {
        status = run_planned(&rounds, true);
        if (status == EXIT_DONE && validating->complete)
            status = look(&rounds);
    }
    if (rounds.failure.code)
        return status != EXIT_DONE
                   ? status
                   : validate_fail(&rounds.failure,
                                   rounds.failure.code == -EINTR ? EXIT_INTERRUPTED : EXIT_FAILED);
    if (status != EXIT_DONE || !validating->complete)
        return status;
    if (is_starved(validating)) {
        validating->complete = false;
        return EXIT_DONE;
    }
    /* Nothing more to measure: the store is finished. */
    return run_planned(&rounds, false);
}
