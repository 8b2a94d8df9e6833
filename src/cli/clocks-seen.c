/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of one clock, gathered from all parts of the report, and which clocks come first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clocks-show.h"

const char *clocks_name(const struct clocks_case *file, uint32_t clock)
{
    return clock < file->clock_count && file->clocks[clock].name ? file->clocks[clock].name : "?";
}

static const struct clock_rate *best_rate(const struct clock_rate *rates)
{
    const struct clock_rate *best = NULL;
    for (size_t i = 0; rates && i < CLOCK_MOST_RATES; i++) {
        if (!rates[i].known)
            continue;
        if (!best || (rates[i].independent && !best->independent))
            best = &rates[i];
    }
    return best;
}

struct clock_seen clocks_seen(const struct clocks_run *run, size_t index)
{
    const struct clocks_report *report = &run->report;
    struct clock_seen seen = {.clock = &run->file.clocks[index]};
    if (report->scales)
        seen.scale = report->scales[index];
    if (report->costs)
        seen.cost = report->costs[index];
    if (report->granularities)
        seen.granularity = report->granularities[index];
    if (report->monotonic)
        seen.monotonic = report->monotonic[index];
    if (report->offsets)
        seen.offsets = report->offsets[index];
    if (report->same)
        seen.same = report->same[index];
    if (report->rates)
        seen.rates = report->rates[index];
    seen.rate = best_rate(seen.rates);
    if (report->verdicts)
        seen.verdict = &report->verdicts[index];
    return seen;
}

bool clocks_is_judged(const struct clocks_run *run, size_t index)
{
    const struct clock_known *clock = &run->file.clocks[index];
    return clock_is_candidate(clock) && !(clock->way && strcmp(clock->way, "controller") == 0);
}

bool clocks_is_measured(const struct clocks_run *run, size_t index)
{
    const struct clock_seen seen = clocks_seen(run, index);
    bool compared = false;
    for (size_t i = 0; i < run->report.row_count && !compared; i++)
        compared = run->report.rows[i].clock == index;
    return compared || seen.cost.known || seen.granularity.known || seen.monotonic.known ||
           seen.offsets.known || seen.rate;
}

const struct clock_row *clocks_worst_row(const struct clocks_run *run,
                                         const struct clock_verdict *verdict)
{
    bool known =
        verdict && verdict->worst_row >= 0 && (size_t)verdict->worst_row < run->report.row_count;
    return known ? &run->report.rows[verdict->worst_row] : NULL;
}

double clocks_worse(double low, double high)
{
    return fabs(low - 1) > fabs(high - 1) ? low : high;
}

/* --- by usefulness --- */

struct placed {
    uint32_t clock;
    int group;
    double cost;
};

static int by_use(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->clock > b->clock) - (a->clock < b->clock);
}

/* A person's own clock is what they came for. */
static int group_of(const struct clock_seen *seen)
{
    static const int places[CLOCK_TRUSTS] = {[TRUST_DEPENDABLE] = 0,
                                             [TRUST_NOT_FALSIFIABLE] = 1,
                                             [TRUST_CPU_TIME_ONLY] = 2,
                                             [TRUST_NOT_DEPENDABLE] = 3};
    int place = seen->verdict ? places[seen->verdict->trust] : CLOCK_TRUSTS;
    return seen->clock->external ? place - CLOCK_TRUSTS - 1 : place;
}

size_t clocks_by_use(const struct clocks_run *run, uint32_t *order)
{
    size_t count = 0;
    struct placed *placed = calloc(run->file.clock_count + 1, sizeof(*placed));
    if (!placed)
        return 0;
    for (size_t i = 0; i < run->file.clock_count; i++) {
        if (!clocks_is_judged(run, i) || !clocks_is_measured(run, i))
            continue;
        const struct clock_seen seen = clocks_seen(run, i);
        bool known = seen.cost.known && isfinite(seen.cost.ns);
        placed[count++] = (struct placed){.clock = (uint32_t)i,
                                          .group = group_of(&seen),
                                          .cost = known ? seen.cost.ns : INFINITY};
    }
    qsort(placed, count, sizeof(*placed), by_use);
    for (size_t i = 0; i < count; i++)
        order[i] = placed[i].clock;
    free(placed);
    return count;
}

/* --- a few --- */

static bool has_rows(const struct clocks_run *run, size_t clock)
{
    for (size_t i = 0; i < run->report.row_count; i++)
        if (run->report.rows[i].clock == clock)
            return true;
    return false;
}

static void add_clock(uint32_t few[CLOCKS_FEW], size_t *count, uint32_t clock)
{
    for (size_t i = 0; i < *count; i++)
        if (few[i] == clock)
            return;
    if (*count < CLOCKS_FEW)
        few[(*count)++] = clock;
}

/* The first by usefulness that is of this kind. */
static void add_first(const struct clocks_run *run, const uint32_t *order, size_t order_count,
                      bool (*is)(const struct clock_known *), uint32_t few[CLOCKS_FEW],
                      size_t *count)
{
    for (size_t i = 0; i < order_count; i++)
        if (is(&run->file.clocks[order[i]]) && has_rows(run, order[i])) {
            add_clock(few, count, order[i]);
            return;
        }
}

static bool is_instruction(const struct clock_known *clock)
{
    return clock->role == ROLE_WALL && clock->way && strcmp(clock->way, "instruction") == 0;
}

static bool is_usual(const struct clock_known *clock)
{
    return clock->role == ROLE_WALL && strcmp(clock->name, "monotonic") == 0;
}

static bool is_cpu_time(const struct clock_known *clock)
{
    return clock->role == ROLE_CPU_TIME;
}

/* Is it not dependable, for more than coarse steps and for what none of the others has? */
static bool is_at_fault(const struct clocks_run *run, uint32_t clock,
                        const uint32_t few[CLOCKS_FEW], size_t count)
{
    const struct clock_verdict *verdicts = run->report.verdicts;
    if (!verdicts || verdicts[clock].trust != TRUST_NOT_DEPENDABLE ||
        verdicts[clock].fault == FAULT_COARSE_STEPS)
        return false;
    for (size_t i = 0; i < count; i++)
        if (verdicts[few[i]].fault == verdicts[clock].fault)
            return false;
    return true;
}

size_t clocks_few(const struct clocks_run *run, uint32_t few[CLOCKS_FEW])
{
    static bool (*const kinds[])(const struct clock_known *) = {is_instruction, is_usual,
                                                                is_cpu_time};
    size_t count = 0;
    uint32_t *order = calloc(run->file.clock_count + 1, sizeof(*order));
    if (!order)
        return 0;
    size_t all = clocks_by_use(run, order);
    for (size_t i = 0; i < all && count < CLOCKS_FEW - 1; i++)
        if (run->file.clocks[order[i]].external && has_rows(run, order[i]))
            add_clock(few, &count, order[i]);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        add_first(run, order, all, kinds[i], few, &count);
    for (size_t i = all; i-- > 0;)
        if (has_rows(run, order[i]) && is_at_fault(run, order[i], few, count))
            add_clock(few, &count, order[i]);
    free(order);
    return count;
}
