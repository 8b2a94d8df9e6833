/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do the points of a sweep differ, do they repeat, and how is that said? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/findings.h"
#include "stats/interval.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/repeat/judge.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * The points of one sweep, and questions about them. */

struct swept_point {
    uint64_t at;
    struct kept kept;
    double offset; /* base less the smallest base of all points */
    double median;
};
struct swept {
    struct swept_point *points; /* [count], by rising value */
    size_t count;
    size_t runs;       /* of all points */
    struct kept plain; /* the same setting, not swept; may have no runs */
};

static void swept_release(struct swept *swept)
{
    for (size_t i = 0; i < swept->count; i++)
        kept_release(&swept->points[i].kept);
    kept_release(&swept->plain);
    free(swept->points);
    *swept = (struct swept){0};
}

#define AUTO_SWEPT __attribute__((cleanup(swept_release)))

static void swept_offset(struct swept *swept)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < swept->count; i++)
        least = swept->points[i].kept.base < least ? swept->points[i].kept.base : least;
    for (size_t i = 0; i < swept->count; i++)
        swept->points[i].offset = (double)(swept->points[i].kept.base - least);
}

/* --- within points --- */

static void add_within(const struct kept *kept, double *sum, double *df)
{
    if (kept->count < 2)
        return;
    *sum += kept_variance(kept) * (double)(kept->count - 1);
    *df += (double)(kept->count - 1);
}

static double pooled(const struct swept *swept, enum command_sweep sweep, double *df)
{
    double sum = 0;
    *df = 0;
    add_within(&swept->plain, &sum, df);
    for (size_t i = 0; sweep != SWEEP_ASLR && i < swept->count; i++)
        add_within(&swept->points[i].kept, &sum, df);
    return *df > 0 ? sum / *df : (double)NAN;
}

/* Standard deviation of runs at one point, pooled; of random addresses that of the setting without
 * the sweep, since its points are draws themselves. NaN: nobody repeated anything. */
static double swept_within(const struct swept *swept, enum command_sweep sweep)
{
    double df;
    return sqrt(pooled(swept, sweep, &df));
}

/* --- between points --- */

/* All runs of all points as if they were of one cell. */
static int join(const struct swept *swept, struct kept *joined)
{
    *joined = (struct kept){.values = calloc(swept->runs + 1, sizeof(*joined->values))};
    if (!joined->values)
        return -ENOMEM;
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++)
            joined->values[joined->count++] =
                swept->points[i].offset + swept->points[i].kept.values[run];
    return 0;
}

/* Random addresses: do draws spread more than the setting in which nothing is drawn? */
static int draws_matter(const struct swept *swept, uint64_t seed, bool *matters)
{
    AUTO_KEPT struct kept joined;
    double p;
    if (join(swept, &joined) < 0)
        return -ENOMEM;
    const struct kept *draws = &joined, *plain = &swept->plain;
    if (spread_p(&draws, 1, &plain, 1, seed, &p) < 0)
        return -ENOMEM;
    *matters = p < SWEEP_LEVEL;
    return 0;
}

/* One run as a number and the group that it belongs to: a point, or the setting not swept. */
struct placed {
    double value, rank;
    size_t group;
};

static int by_value(const void *left, const void *right)
{
    const double one = ((const struct placed *)left)->value;
    const double other = ((const struct placed *)right)->value;
    return (one > other) - (one < other);
}

static size_t place_all(const struct swept *swept, struct placed *list)
{
    size_t count = 0;
    const uint64_t base = swept->points[0].kept.base;
    const double bases = swept->plain.base >= base ? (double)(swept->plain.base - base)
                                                   : -(double)(base - swept->plain.base);
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++)
            list[count++] = (struct placed){
                .value = swept->points[i].offset + swept->points[i].kept.values[run], .group = i};
    for (size_t run = 0; run < swept->plain.count; run++)
        list[count++] =
            (struct placed){.value = swept->points[0].offset + bases + swept->plain.values[run],
                            .group = swept->count};
    qsort(list, count, sizeof(*list), by_value);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && !(list[end].value > list[begin].value);)
            end++;
        for (size_t i = begin; i < end; i++)
            list[i].rank = (double)(begin + end + 1) / 2;
    }
    return count;
}

/* Analysis of variance of ranks (Kruskal and Wallis), whose sums of squares no stray run rules:
 * the chance of points that differ so much. */
static int chance_of(const struct swept *swept, double *p)
{
    const size_t groups = swept->count + 1;
    AUTO_FREE struct placed *list = calloc(swept->runs + swept->plain.count + 1, sizeof(*list));
    AUTO_FREE double *sums = calloc(groups, sizeof(*sums));
    AUTO_FREE double *times = calloc(groups, sizeof(*times));
    if (!list || !sums || !times)
        return -ENOMEM;
    const size_t count = place_all(swept, list);
    double within = 0, between = 0, used = 0;
    for (size_t i = 0; i < count; i++) {
        sums[list[i].group] += list[i].rank;
        times[list[i].group]++;
    }
    for (size_t i = 0; i < count; i++) {
        const double off = list[i].rank - sums[list[i].group] / times[list[i].group];
        within += off * off;
    }
    for (size_t i = 0; i < groups; i++) {
        const double off = times[i] > 0 ? sums[i] / times[i] - (double)(count + 1) / 2 : 0;
        between += off * off * times[i];
        used += times[i] > 0;
    }
    const double df = (double)count - used;
    *p = 1;
    if (df > 0 && used > 1 && between > 0)
        *p = within > 0 ? f_p(between / (used - 1) / (within / df), used - 1, df) : 0;
    return 0;
}

/* A single stray run among runs that are else identical is one point that differs: where no point
 * was run often, at least two must. */
static bool stands_out(const struct swept *swept, double within)
{
    size_t away = 0;
    AUTO_FREE double *medians = malloc(swept->count * sizeof(*medians));
    if (!medians)
        return true;
    for (size_t i = 0; i < swept->count; i++)
        medians[i] = swept->points[i].median;
    sort_values(medians, swept->count);
    const double middle = quantile(medians, swept->count, .5);
    for (size_t i = 0; i < swept->count; i++)
        away += fabs(medians[i] - middle) > within;
    return away >= 2 || swept->runs >= 3 * swept->count;
}

/* Do points differ beyond what runs at one point do? -ENOMEM. */
static int swept_matters(const struct swept *swept, enum command_sweep sweep, uint64_t seed,
                         bool *matters)
{
    double df, p;
    *matters = false;
    const double within = pooled(swept, sweep, &df);
    if (swept->count < 2 || isnan(within))
        return 0;
    if (sweep == SWEEP_ASLR)
        return draws_matter(swept, seed, matters);
    if (chance_of(swept, &p) < 0)
        return -ENOMEM;
    *matters = p < SWEEP_LEVEL && stands_out(swept, sqrt(within));
    return 0;
}

/* --- periods --- */

/* Share of the medians' variance that lies between remainders of the period, with its chance. */
static double share_of(const struct swept *swept, uint64_t period, size_t *classes)
{
    double mean = 0, total = 0, left = 0;
    *classes = 0;
    for (size_t i = 0; i < swept->count; i++)
        mean += swept->points[i].median / (double)swept->count;
    for (size_t i = 0; i < swept->count; i++) {
        double sum = 0;
        size_t times = 0, before = 0;
        for (size_t j = 0; j < swept->count; j++)
            if (swept->points[i].at % period == swept->points[j].at % period) {
                sum += swept->points[j].median;
                times++;
                before += j < i;
            }
        const double off = swept->points[i].median - mean;
        const double rest = swept->points[i].median - sum / (double)times;
        total += off * off;
        left += rest * rest;
        *classes += before == 0;
    }
    return total > 0 ? 1 - left / total : 0;
}

static bool repeats(const struct swept *swept, uint64_t period)
{
    const uint64_t span = swept->points[swept->count - 1].at - swept->points[0].at;
    size_t classes;
    if (!period || span / period < PERIOD_TIMES)
        return false;
    const double share = share_of(swept, period, &classes);
    if (share < PERIOD_SHARE || classes * PERIOD_TIMES > swept->count || classes < 2)
        return false;
    const double left = (double)(swept->count - classes);
    const double f = share / (double)(classes - 1) / ((1 - share) / left);
    return share >= 1 || f_p(f, (double)(classes - 1), left) < SWEEP_LEVEL;
}

/* The smallest distance at which counts repeat; 0: none does. Powers of two come first: alignment,
 * lines and pages repeat by those, whatever the steps are. */
static uint64_t swept_period(const struct swept *swept)
{
    for (uint64_t period = PERIOD_LEAST; period <= PERIOD_MOST; period *= 2)
        if (repeats(swept, period))
            return period;
    for (size_t i = 2; i < swept->count; i++)
        if (repeats(swept, swept->points[i].at - swept->points[0].at))
            return swept->points[i].at - swept->points[0].at;
    return 0;
}

/* --- words --- */

struct sweep_shape {
    double straight; /* share of the variance that a straight line explains */
    uint64_t period;
};

static void tell_steady(const struct swept *swept, struct repeat_sweep *sweep)
{
    const char *unit = sweep->sweep == SWEEP_ASLR ? "draws" : "sizes";
    if (swept->count < 2)
        snprintf(sweep->what, sizeof(sweep->what),
                 "only one of the %s was counted: nothing to compare", unit);
    else if (isnan(sweep->within))
        snprintf(sweep->what, sizeof(sweep->what),
                 "nothing was repeated at one point: what the %zu %s do cannot be told from chance",
                 swept->count, unit);
    else if (!(sweep->highest > sweep->lowest))
        snprintf(sweep->what, sizeof(sweep->what), "the same count at all %zu %s", swept->count,
                 unit);
    else
        snprintf(sweep->what, sizeof(sweep->what),
                 "%zu %s differ by no more than runs at one of them do (standard deviation %s)",
                 swept->count, unit, ROUNDED(sweep->within, 3));
}

static void swept_tell(const struct swept *swept, const struct sweep_shape *shape,
                       struct repeat_sweep *sweep)
{
    const double range = sweep->highest - sweep->lowest;
    char size[96] = "";
    if (!sweep->matters) {
        tell_steady(swept, sweep);
        return;
    }
    if (sweep->lowest > 0)
        snprintf(size, sizeof(size), " (%s %%)", ROUNDED(100 * range / sweep->lowest, 2));
    if (sweep->sweep == SWEEP_ASLR)
        snprintf(sweep->what, sizeof(sweep->what),
                 "%zu draws of addresses spread over %s counts%s, %zu levels; without them the "
                 "standard deviation is %s",
                 swept->count, FIGURE(range), size, sweep->levels, ROUNDED(sweep->within, 3));
    else if (shape->period)
        snprintf(sweep->what, sizeof(sweep->what),
                 "counts change by up to %s%s and repeat every %llu bytes, %zu levels",
                 FIGURE(range), size, (unsigned long long)shape->period, sweep->levels);
    else if (shape->straight >= PERIOD_SHARE)
        snprintf(sweep->what, sizeof(sweep->what),
                 "counts change by %s for each byte [%s, %s]; by %s in all%s",
                 ROUNDED(sweep->slope, 4), ROUNDED(sweep->slope_low, 4),
                 ROUNDED(sweep->slope_high, 4), FIGURE(range), size);
    else
        snprintf(sweep->what, sizeof(sweep->what),
                 "counts change by up to %s%s in %zu levels over %llu bytes, without a period",
                 FIGURE(range), size, sweep->levels,
                 (unsigned long long)(sweep->last - sweep->first));
}

/* ----------------------------------------------------------------------------------------------
 * How counts follow the size of the environment, the place of the stack, random addresses: points
 * of a sweep against what runs at one and the same point differ. */

static const struct repeat_cell *cell_of(const struct repeat_case *file,
                                         const struct repeat_report *report, size_t row)
{
    return &file->cells[report->rows[row].cell];
}

static bool is_same_sweep(const struct repeat_case *file, const struct repeat_report *report,
                          size_t one, size_t other)
{
    const struct repeat_cell *left = cell_of(file, report, one);
    const struct repeat_cell *right = cell_of(file, report, other);
    return left->machine == right->machine && left->program == right->program &&
           left->sweep == right->sweep && left->controls == right->controls &&
           strcmp(left->source, right->source) == 0 &&
           strcmp(left->event[report->rows[one].event], right->event[report->rows[other].event]) ==
               0;
}

/* --- figures --- */

static void find_range(const struct swept *swept, struct repeat_sweep *sweep)
{
    sweep->first = UINT64_MAX;
    sweep->lowest = INFINITY;
    sweep->highest = -INFINITY;
    for (size_t i = 0; i < swept->count; i++) {
        const struct swept_point *point = &swept->points[i];
        sweep->first = point->at < sweep->first ? point->at : sweep->first;
        sweep->last = point->at > sweep->last ? point->at : sweep->last;
        sweep->lowest = fmin(sweep->lowest, point->median);
        sweep->highest = fmax(sweep->highest, point->median);
    }
}

/* Medians that lie apart by more than runs at one point do. */
static int find_levels(const struct swept *swept, struct repeat_sweep *sweep)
{
    AUTO_FREE double *medians = malloc(swept->count * sizeof(*medians));
    if (!medians)
        return -ENOMEM;
    for (size_t i = 0; i < swept->count; i++)
        medians[i] = swept->points[i].median;
    sort_values(medians, swept->count);
    const double apart = sweep->within > 0 ? SWEEP_SAME_LEVEL * sweep->within : 0;
    sweep->levels = 1;
    for (size_t i = 1; i < swept->count; i++)
        sweep->levels += medians[i] - medians[i - 1] > apart;
    return 0;
}

static int find_slope(const struct swept *swept, struct repeat_sweep *sweep, double *explained)
{
    AUTO_FREE double *x = malloc((swept->runs + 1) * sizeof(*x));
    AUTO_FREE double *y = malloc((swept->runs + 1) * sizeof(*y));
    struct least_squares fit;
    struct coefficient intercept, slope;
    size_t count = 0;
    sweep->slope = sweep->slope_low = sweep->slope_high = (double)NAN;
    *explained = 0;
    if (!x || !y)
        return -ENOMEM;
    if (sweep->sweep == SWEEP_ASLR || swept->count < 3)
        return 0;
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++) {
            x[count] = (double)(swept->points[i].at - sweep->first);
            y[count++] = swept->points[i].offset + swept->points[i].kept.values[run];
        }
    const int error = straight_line(x, y, count, &fit, &intercept, &slope);
    if (error < 0 || slope.aliased)
        return error == -ENOMEM ? error : 0;
    sweep->slope = slope.value;
    sweep->slope_low = slope.low;
    sweep->slope_high = slope.high;
    *explained = fit.r_squared;
    return 0;
}

static int judge_sweep(const struct swept *swept, uint64_t seed, struct repeat_sweep *sweep)
{
    struct sweep_shape shape = {0};
    find_range(swept, sweep);
    sweep->within = swept_within(swept, sweep->sweep);
    if (swept_matters(swept, sweep->sweep, seed, &sweep->matters) < 0 ||
        find_levels(swept, sweep) < 0 || find_slope(swept, sweep, &shape.straight) < 0)
        return -ENOMEM;
    if (sweep->matters && sweep->sweep != SWEEP_ASLR)
        shape.period = swept_period(swept);
    swept_tell(swept, &shape, sweep);
    return 0;
}

/* --- sweeps of the case --- */

static int gather_point(const struct repeat_case *file, const struct repeat_report *report,
                        size_t row, struct swept *swept)
{
    struct swept_point *point = &swept->points[swept->count];
    if (kept_counts(cell_of(file, report, row), report->rows[row].event, &point->kept) < 0) {
        kept_release(&point->kept);
        return -ENOMEM;
    }
    if (!point->kept.count) {
        kept_release(&point->kept);
        return 0;
    }
    point->at = cell_of(file, report, row)->swept;
    point->median = report->rows[row].usual;
    swept->runs += point->kept.count;
    swept->count++;
    return 0;
}

/* The setting without a sweep that is else the same. */
static int gather_plain(const struct repeat_case *file, const struct repeat_report *report,
                        size_t row, struct swept *swept)
{
    const struct repeat_cell *cell = cell_of(file, report, row);
    const char *event = cell->event[report->rows[row].event];
    const struct repeat_cell *plain =
        repeat_find(file, cell->machine, cell->program, cell->source, cell->controls, event);
    return plain ? kept_counts(plain, (uint32_t)repeat_event(plain, event), &swept->plain) : 0;
}

static int judge_from(const struct repeat_case *file, struct repeat_report *report, size_t row,
                      size_t end)
{
    AUTO_SWEPT struct swept swept = {0};
    const struct repeat_cell *cell = cell_of(file, report, row);
    struct repeat_sweep *sweep = &report->sweeps[report->sweep_count];
    swept.points = calloc(end - row, sizeof(*swept.points));
    if (!swept.points || gather_plain(file, report, row, &swept) < 0)
        return -ENOMEM;
    for (size_t i = row; i < end; i++)
        if (gather_point(file, report, i, &swept) < 0)
            return -ENOMEM;
    if (!swept.count)
        return 0;
    swept_offset(&swept);
    *sweep = (struct repeat_sweep){.machine = cell->machine,
                                   .program = cell->program,
                                   .sweep = cell->sweep,
                                   .points = swept.count};
    snprintf(sweep->source, sizeof(sweep->source), "%s", cell->source);
    snprintf(sweep->event, sizeof(sweep->event), "%s", cell->event[report->rows[row].event]);
    report->sweep_count++;
    return judge_sweep(&swept, row, sweep);
}

int repeat_judge_sensitivity(const struct repeat_case *file, struct repeat_report *report)
{
    report->sweeps = calloc(report->row_count + 1, sizeof(*report->sweeps));
    if (!report->sweeps)
        return -ENOMEM;
    for (size_t row = 0, end; row < report->row_count; row = end) {
        for (end = row + 1; end < report->row_count && is_same_sweep(file, report, row, end);)
            end++;
        if (cell_of(file, report, row)->sweep != SWEEP_NONE &&
            judge_from(file, report, row, end) < 0)
            return -ENOMEM;
    }
    return 0;
}
