/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay error`: which wishes fit the budget, and the order of their visits. */
#include "studies/error/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "study/mode.h"
#include "study/plan.h"

const char *const error_stage_names[STAGE_COUNT] = {
    [STAGE_CROSSING] = "null error",      [STAGE_COUNTERS] = "number of counters",
    [STAGE_DURATION] = "duration",        [STAGE_PLACEMENT] = "placement",
    [STAGE_TOOL] = "whole-command tools", [STAGE_CALIBRATE] = "calibration of phases",
    [STAGE_MULTIPLEX] = "multiplexing",
};

/* --- which stage --- */

static bool is_specimen(const struct cell *cell, const char *name)
{
    size_t length = strlen(name);
    return strncmp(cell->specimen, name, length) == 0 &&
           (cell->specimen[length] == '\0' || cell->specimen[length] == '/');
}

static const struct error_event *event_of(const struct error_study *study, const char *name)
{
    for (size_t i = 0; i < study->event_count; i++)
        if (strcmp(study->events[i].name, name) == 0)
            return &study->events[i];
    return NULL;
}

/* Does the loop say how many there are to be counted? Times and cycles nobody predicts. */
static bool has_loop_truth(const struct error_study *study, const struct error_event *event)
{
    const struct catalogue_specimen *loop = catalogue_specimen(study->catalogue, "loop");
    for (size_t i = 0; loop && event && event->class && i < loop->truth_count; i++)
        if (strcmp(loop->truths[i].class, event->class) == 0)
            return true;
    return false;
}

enum error_stage error_stage_of(const struct error_study *study, const struct cell *cell)
{
    if (strcmp(cell->path, "perf-stat") == 0)
        return STAGE_TOOL;
    if (is_specimen(cell, "placed"))
        return STAGE_PLACEMENT;
    if (is_specimen(cell, "phases"))
        return strchr(cell->specimen, '/') ? STAGE_MULTIPLEX : STAGE_CALIBRATE;
    if (is_specimen(cell, "null"))
        return cell->counters == 1 ? STAGE_CROSSING : STAGE_COUNTERS;
    if (!is_specimen(cell, "loop"))
        return STAGE_COUNT;
    bool counted = event_counts_interrupts(cell->events[0]) ||
                   has_loop_truth(study, event_of(study, cell->events[0]));
    return counted ? STAGE_DURATION : STAGE_PLACEMENT;
}

/* --- the cells of a plan --- */

static bool same_cell(const struct cell *left, const struct cell *right)
{
    return plan_same_way(left, right) && left->n == right->n && left->runs == right->runs &&
           strcmp(left->specimen, right->specimen) == 0;
}

/* Its index; plan->count: it is not there. */
static size_t find_cell(const struct error_plan *plan, const struct cell *cell)
{
    size_t i = 0;
    while (i < plan->count && !same_cell(&plan->cells[i], cell))
        i++;
    return i;
}

static int append(struct error_plan *plan, const struct cell *cell, struct error_about about)
{
    struct cell copy;
    struct error_about *grown = reallocarray(plan->about, plan->count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    plan->about = grown;
    int error = cell_copy(&copy, cell);
    if (error < 0)
        return error;
    error = plan_append(&plan->cells, &plan->count, &copy);
    if (error < 0)
        cell_release(&copy);
    else
        plan->about[plan->count - 1] = about;
    return error;
}

int error_plan_adopt(const struct error_study *study, struct error_plan *plan,
                     const struct cell *cell, uint32_t planned, uint32_t failed)
{
    return append(plan, cell,
                  (struct error_about){.stage = error_stage_of(study, cell),
                                       .wanted = planned,
                                       .planned = planned,
                                       .failed = failed});
}

/* Visits that the wish still lacks; none where the first one failed. */
static uint32_t missing(const struct error_plan *plan, const struct error_wish *wish)
{
    size_t at = find_cell(plan, &wish->cell);
    if (at == plan->count)
        return wish->processes;
    const struct error_about *about = &plan->about[at];
    return about->failed || about->planned >= wish->processes ? 0
                                                              : wish->processes - about->planned;
}

/* Wanted, at its place in the plan if it is there. */
static int want(struct error_plan *plan, enum error_stage stage, const struct error_wish *wish)
{
    size_t at = find_cell(plan, &wish->cell);
    if (at == plan->count)
        return append(plan, &wish->cell,
                      (struct error_about){.stage = stage, .wanted = wish->processes});
    if (plan->about[at].wanted < wish->processes)
        plan->about[at].wanted = wish->processes;
    return 0;
}

static uint64_t cost_of(const struct error_study *study, const struct error_plan *plan,
                        const struct cell *cell, uint32_t visits)
{
    uint64_t all;
    return __builtin_mul_overflow(error_price(study, &plan->prices, cell), visits, &all)
               ? UINT64_MAX
               : all;
}

int error_plan_stage(const struct error_study *study, enum error_stage stage, uint64_t ns,
                     struct error_plan *plan, size_t *left_out)
{
    struct error_wishes wishes = {0};
    int error = error_wish_list(study, stage, &wishes);
    *left_out = 0;
    for (size_t i = 0; i < wishes.count && error == 0; i++) {
        const struct error_wish *wish = &wishes.list[i];
        uint32_t visits = missing(plan, wish);
        if (!visits)
            continue;
        uint64_t cost = cost_of(study, plan, &wish->cell, visits);
        /* The most important one is measured whatever it costs: else nothing would be. */
        if (cost > ns && i > 0) {
            ++*left_out;
            continue;
        }
        error = want(plan, stage, wish);
        ns -= cost < ns ? cost : ns;
    }
    error_wishes_free(&wishes);
    return error;
}

int error_plan_pilot(const struct error_study *study, enum error_stage stage,
                     struct error_plan *plan)
{
    struct error_wishes wishes = {0};
    struct error_prices seen = {0};
    int error = error_wish_list(study, stage, &wishes);
    for (size_t i = 0; i < wishes.count && error == 0; i++) {
        size_t before = seen.count;
        error_price_learn(study, &seen, &wishes.list[i].cell, 1);
        if (seen.count > before)
            error = want(plan, stage, &wishes.list[i]);
    }
    error_wishes_free(&wishes);
    return error;
}

void error_plan_settle(const struct error_study *study, enum error_stage stage, uint64_t ns,
                       struct error_plan *plan, size_t *left_out)
{
    *left_out = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct error_about *about = &plan->about[i];
        if (about->stage != stage || about->wanted <= about->planned)
            continue;
        uint64_t cost = cost_of(study, plan, &plan->cells[i], about->wanted - about->planned);
        if (about->failed) {
            about->wanted = about->planned;
        } else if (cost > ns) {
            about->wanted = about->planned;
            ++*left_out;
        } else {
            ns -= cost;
        }
    }
}

bool error_plan_wants(const struct error_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].wanted > plan->about[i].planned)
            return true;
    return false;
}

bool error_plan_is_past(const struct error_plan *plan, enum error_stage stage)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].stage > stage && plan->about[i].stage < STAGE_COUNT)
            return true;
    return false;
}

/* --- the order --- */

int error_plan_visits(struct error_plan *plan, uint32_t most, uint64_t seed, struct visit **visits,
                      size_t *count)
{
    AUTO_FREE struct cell *cells = calloc(plan->count + 1, sizeof(*cells));
    AUTO_FREE uint32_t *processes = calloc(plan->count + 1, sizeof(*processes));
    size_t chosen = 0;
    if (!cells || !processes)
        return -ENOMEM;
    for (size_t i = 0; i < plan->count; i++) {
        const struct error_about *about = &plan->about[i];
        uint32_t missing = about->wanted > about->planned ? about->wanted - about->planned : 0;
        if (!missing)
            continue;
        cells[chosen] = plan->cells[i]; /* borrows its strings */
        processes[chosen++] = missing < most ? missing : most;
    }
    int error = plan_rounds(cells, chosen, processes, seed, visits, count);
    if (error < 0)
        return error;
    /* Ids count from 1 in the order of the plan; processes go on where they were. */
    for (size_t i = 0; i < *count; i++)
        (*visits)[i].process += plan->about[(*visits)[i].cell - 1].planned;
    for (size_t i = 0; i < chosen; i++)
        plan->about[cells[i].id - 1].planned += processes[i];
    return 0;
}

void error_plan_free(struct error_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        cell_release(&plan->cells[i]);
    free(plan->cells);
    free(plan->about);
    *plan = (struct error_plan){0};
}
