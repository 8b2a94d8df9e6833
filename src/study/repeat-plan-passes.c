/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which order a plan for one command opens its wishes: whatever a machine under load leaves of
 * the budget, the answer and the control behind it come first. */
#include <string.h>

#include "studies/repeat/plan.h"

#define MS_NS UINT64_C(1000000)
/* The controls that most often do it. */
#define SUSPECTS (CONTROL_BIT(CONTROL_ASLR) | CONTROL_BIT(CONTROL_HASH_SEEDS))

bool repeat_plan_has_passes(const struct repeat_study *study)
{
    return study->program_count > 0;
}

static bool is_suspect(const struct repeat_study *study, uint32_t controls)
{
    const uint32_t off = study->controls & ~controls;
    return !(controls & ~SUSPECTS) || !(off & ~SUSPECTS);
}

/* Seven executions of some programs say more than one of each. */
static enum repeat_pass pass_in_suite(const struct wished_execution *wished, bool perf,
                                      bool cheapest)
{
    if (wished->stage != REPEAT_SETTINGS || (!perf && !cheapest))
        return REPEAT_REST;
    return perf ? REPEAT_FIRST : REPEAT_SUSPECT;
}

static enum repeat_pass pass_of(const struct repeat_wisher *wisher,
                                const struct wished_execution *wished)
{
    const struct repeat_study *study = wisher->study;
    const size_t cheapest = repeat_cheapest(study);
    const bool perf = wished->source == REPEAT_PLAIN ||
                      (wished->source < study->source_count &&
                       strcmp(study->sources[wished->source].name, "perf_event") == 0);
    if (wished->program >= study->program_count)
        return REPEAT_REST;
    if (study->program_count > 1)
        return pass_in_suite(wished, perf, wished->source == cheapest);
    if (wished->stage == REPEAT_DETAILS)
        return REPEAT_DETAIL;
    if (!perf && wished->source != cheapest)
        return wished->stage == REPEAT_SETTINGS ? REPEAT_LOOK : REPEAT_REST;
    if (wished->stage == REPEAT_SETTINGS)
        return REPEAT_FIRST;
    if (wished->stage != REPEAT_SINGLES)
        return REPEAT_REST;
    return wished->source == cheapest && is_suspect(study, wished->controls) ? REPEAT_SUSPECT
                                                                             : REPEAT_OTHERS;
}

/* How many executions it may have for now. */
static void limit(struct repeat_plan *plan, size_t wish)
{
    struct wish *limited = &plan->wishes.list[wish];
    const struct repeat_aim *aim = &plan->aims[wish];
    const bool full =
        plan->pass == REPEAT_REST || (plan->pass >= REPEAT_FULL && aim->pass < REPEAT_FULL);
    if (aim->dropped)
        return;
    limited->at_once = plan->pass != REPEAT_REST;
    limited->least = aim->pass == REPEAT_LOOK && plan->pass != REPEAT_REST ? 1 : aim->least;
    limited->processes = full ? aim->processes : limited->least;
}

/* Would it be ended before its end? */
static bool outlasts(const struct repeat_plan *plan, size_t wish)
{
    const struct repeat_aim *aim = &plan->aims[wish];
    const uint64_t timeout = plan->wishes.list[wish].cells[0].command.timeout;
    return (aim->pass == REPEAT_LOOK || aim->pass == REPEAT_DETAIL) && timeout &&
           repeat_plan_price(plan, aim->program, aim->source, aim->detail) / MS_NS > timeout;
}

void repeat_plan_assign(const struct repeat_wisher *wisher, const struct wished_execution *wished,
                        size_t wish)
{
    struct repeat_plan *plan = wisher->plan;
    struct repeat_aim *aim = &plan->aims[wish];
    aim->pass = pass_of(wisher, wished);
    aim->held = aim->pass > plan->pass;
    limit(plan, wish);
}

bool repeat_plan_further(struct repeat_plan *plan)
{
    if (!plan->passes || plan->pass == REPEAT_REST)
        return false;
    plan->pass++;
    for (size_t i = 0; i < plan->wishes.count; i++) {
        struct repeat_aim *aim = &plan->aims[i];
        if (aim->held && aim->pass <= plan->pass && !outlasts(plan, i)) {
            aim->held = false;
            if (!aim->dropped)
                plan->wishes.list[i].after = aim->after;
        }
        limit(plan, i);
    }
    repeat_plan_follow(plan);
    return true;
}
