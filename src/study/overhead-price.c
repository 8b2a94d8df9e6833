/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a visit of `assay overhead` will take: what those of its tour took, else what is assumed of
 * such tours, times how wrong that was of others. */
#include <string.h>

#include "studies/overhead/plan.h"

#define US       UINT64_C(1000)
#define EMULATED 20u      /* times dearer than here */
#define CALL_NS  (1 * US) /* with its metering and its way to the store */

/* A process that calls any such; the first that stands in the calls counts. */
static const struct {
    const char *calls;
    uint64_t ns;
} assumed[] = {
    {"perf-stat.", 400000 * US}, {"command.", 20000 * US}, {"papi-", 12000 * US},
    {"likwid.", 12000 * US},     {"", 4000 * US},
};

static uint64_t assumed_price(const struct overhead_study *study, const struct overhead_wish *wish)
{
    const struct cell *cell = &wish->circuits[0];
    size_t i = 0;
    while (!strstr(cell->tour.calls, assumed[i].calls))
        i++;
    return (assumed[i].ns + cell->runs * CALL_NS) * (study->emulated ? EMULATED : 1);
}

void overhead_plan_learn(struct overhead_plan *plan, uint32_t cell, uint64_t ns)
{
    if (cell < 1 || cell > plan->count || plan->about[cell - 1].wish == OVERHEAD_NO_WISH)
        return;
    struct overhead_wish *wish = &plan->wishes[plan->about[cell - 1].wish];
    wish->visits++;
    wish->ns += ns;
}

static double slowness(const struct overhead_study *study, const struct overhead_plan *plan)
{
    double paid = 0, expected = 0;
    for (size_t i = 0; i < plan->wish_count; i++) {
        const struct overhead_wish *wish = &plan->wishes[i];
        paid += (double)wish->ns;
        expected += (double)wish->visits * (double)assumed_price(study, wish);
    }
    return expected > 0 && paid > 0 ? paid / expected : 1;
}

uint64_t overhead_plan_price(const struct overhead_study *study, const struct overhead_plan *plan,
                             const struct overhead_wish *wish)
{
    if (wish->visits)
        return wish->ns / wish->visits;
    return (uint64_t)(slowness(study, plan) * (double)assumed_price(study, wish));
}
