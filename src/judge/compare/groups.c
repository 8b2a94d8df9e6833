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
                                    .largest = (size_t)(effect - report->effects),
                                    .p = (double)NAN,
                                    .least_p = 1,
                                    .adjusted_p = (double)NAN};
    return group;
}

/* Of the members' shifts and ratios. */
static int take_medians(const struct compare_report *report, struct compare_group *group)
{
    AUTO_FREE double *shifts = calloc(2 * group->quantities, sizeof(*shifts));
    if (!shifts)
        return -ENOMEM;
    double *ratios = shifts + group->quantities;
    size_t count = 0, rated = 0;
    for (size_t i = 0; i < report->effect_count && count < group->quantities; i++) {
        const struct compare_effect *effect = &report->effects[i];
        if (effect->group != (size_t)(group - report->groups))
            continue;
        shifts[count++] = effect->shift;
        if (!isnan(effect->ratio))
            ratios[rated++] = effect->ratio;
    }
    sort_values(shifts, count);
    sort_values(ratios, rated);
    group->shift = count ? quantile(shifts, count, .5) : (double)NAN;
    group->ratio = rated ? quantile(ratios, rated, .5) : (double)NAN;
    return 0;
}

static void take_p(struct compare_group *group, const struct stratified *sums)
{
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
        stratified_add(&sums[effect->group], &test, effect->first_count + effect->count);
        group->quantities++;
    }
    int error = 0;
    for (size_t i = 0; i < report->group_count && error == 0; i++) {
        take_p(&report->groups[i], &sums[i]);
        error = take_medians(report, &report->groups[i]);
    }
    return error;
}
