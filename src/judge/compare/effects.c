/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far a quantity on one side is from that on the first. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/compare/parts.h"
#include "stats/moments.h"
#include "stats/two-samples.h"

/* In which unit can both be told? NULL: in none, and *why says so. Ticks become ns where two
 * counters have other ticks and the length of either is known. */
static const char *common_unit(const struct compare_quantity *quantity,
                               const struct compare_side *first, const struct compare_side *other,
                               const char **why)
{
    const bool ticks = strcmp(quantity->unit, "ticks") == 0;
    const bool alike = strcmp(first->counter, other->counter) == 0;
    if (quantity->timed && (first->emulated || other->emulated)) {
        *why = "a program makes the time of an emulated machine";
        return NULL;
    }
    if (!ticks || alike)
        return quantity->unit;
    if (first->tick_ns > 0 && other->tick_ns > 0)
        return "ns";
    *why = "ticks of different counters, whose length a run of `assay clocks` on each would tell";
    return NULL;
}

/* Sorted, so that its median is at hand. */
static double *values_in(const struct compare_values *values, double factor)
{
    double *list = malloc((values->count ? values->count : 1) * sizeof(*list));
    for (size_t i = 0; list && i < values->count; i++)
        list[i] = values->list[i] * factor;
    if (list)
        sort_values(list, values->count);
    return list;
}

/* The shift of logarithms is the logarithm of the ratio. */
static int take_ratio(const struct two_samples *samples, struct compare_effect *effect)
{
    effect->ratio = (double)NAN;
    effect->ratio_interval = (struct interval){(double)NAN, (double)NAN};
    if (!(samples->left[0] > 0) || !(samples->right[0] > 0))
        return 0;
    AUTO_FREE double *logs = malloc((samples->left_count + samples->right_count) * sizeof(*logs));
    if (!logs)
        return -ENOMEM;
    for (size_t i = 0; i < samples->left_count; i++)
        logs[i] = log(samples->left[i]);
    for (size_t i = 0; i < samples->right_count; i++)
        logs[samples->left_count + i] = log(samples->right[i]);
    const struct two_samples as_logs = {logs, logs + samples->left_count, samples->left_count,
                                        samples->right_count};
    struct shift shift;
    int error = shift_between(&as_logs, COMPARE_CONFIDENCE, &shift);
    if (error)
        return error;
    effect->ratio = exp(shift.estimate);
    effect->ratio_interval = (struct interval){exp(shift.interval.low), exp(shift.interval.high)};
    return 0;
}

static int take_figures(const struct two_samples *samples, struct compare_effect *effect)
{
    struct rank_test test;
    struct shift shift;
    struct dominance dominance;
    int error = rank_test(samples, &test);
    if (error == 0)
        error = shift_between(samples, COMPARE_CONFIDENCE, &shift);
    if (error == 0)
        error = dominance_of(samples, COMPARE_CONFIDENCE, &dominance);
    if (error == 0)
        error = take_ratio(samples, effect);
    if (error)
        return error;
    effect->first_median = quantile(samples->left, samples->left_count, .5);
    effect->median = quantile(samples->right, samples->right_count, .5);
    effect->shift = shift.estimate;
    effect->shift_interval = shift.interval;
    effect->delta = dominance.delta;
    effect->delta_interval = dominance.interval;
    effect->p = test.p;
    effect->least_p = test.least_p;
    effect->rank_excess = test.excess;
    effect->rank_variance = test.variance;
    return 0;
}

static int measure_effect(const struct compare_case *file, struct compare_effect *effect)
{
    const struct compare_quantity *quantity = &file->quantities[effect->quantity];
    const struct compare_side *first = &file->sides[0], *other = &file->sides[effect->side];
    const struct compare_values *left = &quantity->sides[0],
                                *right = &quantity->sides[effect->side];
    effect->first_count = left->count;
    effect->count = right->count;
    effect->unit = quantity->unit;
    if (!left->count || !right->count) {
        effect->standing = STANDING_APART;
        return 0;
    }
    const char *unit = common_unit(quantity, first, other, &effect->why);
    if (!unit) {
        effect->standing = STANDING_UNITS;
        return 0;
    }
    const bool turned = strcmp(unit, quantity->unit) != 0;
    effect->unit = unit;
    AUTO_FREE double *lefts = values_in(left, turned ? first->tick_ns : 1);
    AUTO_FREE double *rights = values_in(right, turned ? other->tick_ns : 1);
    if (!lefts || !rights)
        return -ENOMEM;
    const struct two_samples samples = {lefts, rights, left->count, right->count};
    return take_figures(&samples, effect);
}

int compare_effects(const struct compare_case *file, struct compare_report *report)
{
    const size_t others = file->side_count - 1;
    report->effects = calloc(file->quantity_count * others + 1, sizeof(*report->effects));
    if (!report->effects)
        return -ENOMEM;
    int error = 0;
    for (size_t i = 0; i < file->quantity_count * others && error == 0; i++) {
        struct compare_effect *effect = &report->effects[report->effect_count];
        *effect = (struct compare_effect){.quantity = i / others,
                                          .side = 1 + i % others,
                                          .group = COMPARE_NO_GROUP,
                                          .shift = (double)NAN,
                                          .ratio = (double)NAN,
                                          .delta = (double)NAN,
                                          .first_median = (double)NAN,
                                          .median = (double)NAN,
                                          .p = (double)NAN,
                                          .adjusted_p = (double)NAN};
        error = measure_effect(file, effect);
        /* What neither this side nor the first has is no part of this comparison. */
        report->effect_count += effect->first_count || effect->count;
    }
    return error;
}

bool compare_beyond(const struct compare_group *group, const struct compare_effect *effect)
{
    const double margin = effect->shift > 0 ? group->above : group->below;
    if (!(margin > 0))
        return true;
    if (fabs(effect->shift) <= group->step)
        return false;
    if (!isnan(effect->ratio))
        return effect->ratio > 1 + margin || effect->ratio < 1 / (1 + margin);
    return fabs(effect->shift) > margin * fmax(fabs(effect->first_median), fabs(effect->median));
}
