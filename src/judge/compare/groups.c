/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantities that differ only in how they were measured, together: where each has few processes,
 * all of them still tell whether a path, a call or a program counts otherwise. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/compare/parts.h"
#include "stats/moments.h"
#include "stats/two-samples.h"

static bool same_group(const struct compare_case *file, const struct compare_effect *effect,
                       const struct compare_group *group)
{
    const struct compare_quantity *one = &file->quantities[effect->quantity],
                                  *other = &file->quantities[group->quantity];
    return effect->side == group->side && group->unit && strcmp(effect->unit, group->unit) == 0 &&
           strcmp(one->subject, other->subject) == 0 && strcmp(one->event, other->event) == 0 &&
           strcmp(one->study, other->study) == 0;
}

static bool was_compared(const struct compare_effect *effect)
{
    return effect->standing != STANDING_APART && effect->standing != STANDING_UNITS;
}

/* Usually the last one that was made. */
static struct compare_group *group_of(const struct compare_case *file,
                                      struct compare_report *report,
                                      const struct compare_effect *effect)
{
    for (size_t i = report->group_count; i-- > 0;)
        if (same_group(file, effect, &report->groups[i]))
            return &report->groups[i];
    struct compare_group *group = &report->groups[report->group_count++];
    *group = (struct compare_group){.quantity = effect->quantity,
                                    .side = effect->side,
                                    .unit = effect->unit,
                                    .typical = (size_t)(effect - report->effects),
                                    .p = (double)NAN,
                                    .least_p = 1,
                                    .adjusted_p = (double)NAN};
    return group;
}

/* --- which one stands for all --- */

/* An effect, and how far it is from none. */
struct member {
    double off;
    size_t effect;
};

static int by_off(const void *a, const void *b)
{
    const struct member *left = a, *right = b;
    if (left->off < right->off || left->off > right->off)
        return left->off < right->off ? -1 : 1;
    return (left->effect > right->effect) - (left->effect < right->effect);
}

static size_t list_members(const struct compare_report *report, const struct compare_group *group,
                           bool own, struct member *members)
{
    size_t count = 0;
    for (size_t i = 0; i < report->effect_count && count < group->quantities; i++)
        if (report->effects[i].group == (size_t)(group - report->groups) &&
            (!own || report->effects[i].standing == STANDING_DIFFERS))
            members[count++].effect = i;
    return count;
}

static bool all_have_ratios(const struct compare_report *report, const struct member *members,
                            size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(report->effects[members[i].effect].ratio))
            return false;
    return true;
}

int compare_typical(const struct compare_case *file, const struct compare_report *report,
                    struct compare_group *group, bool own)
{
    AUTO_FREE struct member *members = calloc(group->quantities + 1, sizeof(*members));
    if (!members)
        return -ENOMEM;
    const size_t count = list_members(report, group, own, members);
    if (!count)
        return 0;
    const bool by_ratio =
        file->quantities[group->quantity].margin > 0 && all_have_ratios(report, members, count);
    for (size_t i = 0; i < count; i++) {
        const struct compare_effect *effect = &report->effects[members[i].effect];
        members[i].off = by_ratio ? log(effect->ratio) : effect->shift;
    }
    qsort(members, count, sizeof(*members), by_off);
    const struct member *below = &members[(count - 1) / 2], *above = &members[count / 2];
    group->typical = fabs(above->off) < fabs(below->off) ? above->effect : below->effect;
    return 0;
}

/* --- what runs of one machine differ by --- */

/* Of the processes of one side, each as a share of the median of its quantity, the middle 90 %; and
 * the step of the clock. A machine that was now fast, now slow while it was measured may have been
 * either for all of another run, which its number of processes would not tell. */
struct side_spread {
    struct interval shares;
    double step;
};

static int spread_of(const struct compare_case *file, const struct compare_report *report,
                     const struct compare_group *group, size_t side, struct side_spread *spread)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < report->effect_count; i++)
        most += file->quantities[report->effects[i].quantity].sides[side].count;
    AUTO_FREE double *shares = calloc(most + 1, sizeof(*shares));
    *spread = (struct side_spread){.shares = {1, 1}};
    if (!shares)
        return -ENOMEM;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct compare_values *values =
            &file->quantities[report->effects[i].quantity].sides[side];
        if (report->effects[i].group != (size_t)(group - report->groups))
            continue;
        spread->step = compare_common_step(spread->step, values->step);
        double *own = shares + count;
        memcpy(own, values->list, values->count * sizeof(*own));
        sort_values(own, values->count);
        if (values->count < 2 || !(own[0] > 0))
            continue;
        const double median = quantile(own, values->count, .5);
        for (size_t j = 0; j < values->count; j++)
            own[j] /= median;
        count += values->count;
    }
    sort_values(shares, count);
    if (count)
        spread->shares =
            (struct interval){quantile(shares, count, .05), quantile(shares, count, .95)};
    return 0;
}

/* What is assumed of runs and what is seen within them, as factors, have nothing to do with each
 * other: their logarithms add up as squares. */
static double both_margins(double assumed, double seen)
{
    return expm1(hypot(log1p(assumed), log(fmax(seen, 1))));
}

/* The same work takes twice as long while somebody else is on the other thread of the core, and a
 * guest does not see that: so much, and a quarter for everything else. */
#define SHARED_MARGIN 1.5

static double assumed_margin(const struct compare_case *file, const struct compare_group *group)
{
    static const char *const costs[] = {"ns", "ticks", "cycles"};
    const struct compare_quantity *quantity = &file->quantities[group->quantity];
    bool lasts = false;
    for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
        lasts = lasts || strcmp(quantity->unit, costs[i]) == 0;
    const bool shared = file->sides[0].shared || file->sides[group->side].shared;
    return lasts && shared ? fmax(SHARED_MARGIN, quantity->margin) : quantity->margin;
}

static int take_margins(const struct compare_case *file, const struct compare_report *report,
                        struct compare_group *group)
{
    const struct compare_quantity *quantity = &file->quantities[group->quantity];
    const struct compare_side *first = &file->sides[0], *other = &file->sides[group->side];
    struct side_spread here, there;
    group->above = group->below = assumed_margin(file, group);
    if (!quantity->timed)
        return 0;
    if (spread_of(file, report, group, 0, &here) < 0 ||
        spread_of(file, report, group, group->side, &there) < 0)
        return -ENOMEM;
    const bool turned = group->unit && strcmp(group->unit, quantity->unit) != 0;
    group->above = both_margins(group->above, here.shares.high / there.shares.low);
    group->below = both_margins(group->below, there.shares.high / here.shares.low);
    group->step =
        fmax(here.step * (turned ? first->tick_ns : 1), there.step * (turned ? other->tick_ns : 1));
    return 0;
}

/* --- what all say together --- */

static void take_sums(struct compare_group *group, const struct stratified *sums)
{
    const struct dominance dominance = stratified_dominance(sums, COMPARE_CONFIDENCE);
    group->delta = dominance.delta;
    group->delta_interval = dominance.interval;
    if (sums->strata < 2)
        return;
    group->p = stratified_p(sums);
    group->least_p = fmin(2 * exp(sums->log_least), 1);
}

int compare_groups(const struct compare_case *file, struct compare_report *report)
{
    report->groups = calloc(report->effect_count + 1, sizeof(*report->groups));
    AUTO_FREE struct stratified *sums = calloc(report->effect_count + 1, sizeof(*sums));
    if (!report->groups || !sums)
        return -ENOMEM;
    for (size_t i = 0; i < report->effect_count; i++) {
        struct compare_effect *effect = &report->effects[i];
        if (!was_compared(effect))
            continue;
        struct compare_group *group = group_of(file, report, effect);
        effect->group = (size_t)(group - report->groups);
        const struct rank_test test = {.least_p = effect->least_p,
                                       .excess = effect->rank_excess,
                                       .variance = effect->rank_variance};
        stratified_add(&sums[effect->group], &test, effect->first_count, effect->count);
        group->quantities++;
    }
    int error = 0;
    for (size_t i = 0; i < report->group_count && error == 0; i++) {
        take_sums(&report->groups[i], &sums[i]);
        error = compare_typical(file, report, &report->groups[i], false);
        if (error == 0)
            error = take_margins(file, report, &report->groups[i]);
    }
    return error;
}
