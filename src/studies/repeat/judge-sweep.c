/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do the points of a sweep differ, do they repeat, and how is that said? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/repeat/judge.h"

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

/* Analysis of variance of ranks (Kruskal and Wallis), whose sums of squares no stray run rules:
 * the chance of points that differ so much. A run's group is its point, or the setting not swept.
 */
static double chance_of(const struct swept *swept)
{
    const size_t groups = swept->count + 1;
    struct ranked *list = memory_new(swept->runs + swept->plain.count + 1, sizeof(*list));
    double *sums = memory_new(groups, sizeof(*sums)), *times = memory_new(groups, sizeof(*times));
    const uint64_t base = swept->points[0].kept.base, plain = swept->plain.base;
    const double bases = plain >= base ? (double)(plain - base) : -(double)(base - plain);
    double within = 0, between = 0, used = 0;
    size_t count = 0;
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++)
            list[count++] = (struct ranked){
                .value = swept->points[i].offset + swept->points[i].kept.values[run], .group = i};
    for (size_t run = 0; run < swept->plain.count; run++)
        list[count++] =
            (struct ranked){.value = swept->points[0].offset + bases + swept->plain.values[run],
                            .group = swept->count};
    give_ranks(list, count);
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
    if (!(df > 0 && used > 1 && between > 0))
        return 1;
    return within > 0 ? f_p(between / (used - 1) / (within / df), used - 1, df) : 0;
}

/* Do points differ beyond what runs at one point do? */
static bool swept_matters(const struct swept *swept, enum command_sweep sweep, double within,
                          const double *medians, uint64_t seed)
{
    if (swept->count < 2 || isnan(within))
        return false;
    if (sweep == SWEEP_ASLR) {
        /* Random addresses: do draws, all runs of all points as if they were of one cell, spread
         * more than the setting in which nothing is drawn? */
        struct kept joined = {.values = memory_new(swept->runs + 1, sizeof(*joined.values))};
        const struct kept *draws = &joined, *plain = &swept->plain;
        for (size_t i = 0; i < swept->count; i++)
            for (size_t run = 0; run < swept->points[i].kept.count; run++)
                joined.values[joined.count++] =
                    swept->points[i].offset + swept->points[i].kept.values[run];
        return spread_p(&draws, 1, &plain, 1, seed) < SWEEP_LEVEL;
    }
    if (!(chance_of(swept) < SWEEP_LEVEL))
        return false;
    /* A single stray run among runs that are else identical is one point that differs: where no
     * point was run often, at least two must. */
    size_t away = 0;
    const double middle = quantile(medians, swept->count, .5);
    for (size_t i = 0; i < swept->count; i++)
        away += fabs(medians[i] - middle) > within;
    return away >= 2 || swept->runs >= 3 * swept->count;
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

/* --- words --- */

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

/* straight: the share of the variance that a straight line explains; period: 0: there is none. */
static void swept_tell(const struct swept *swept, double straight, uint64_t period,
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
    else if (period)
        snprintf(sweep->what, sizeof(sweep->what),
                 "counts change by up to %s%s and repeat every %llu bytes, %zu levels",
                 FIGURE(range), size, (unsigned long long)period, sweep->levels);
    else if (straight >= PERIOD_SHARE)
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

/* Share of the variance that a straight line explains; its slope goes to sweep. */
static double find_slope(const struct swept *swept, struct repeat_sweep *sweep)
{
    struct least_squares fit;
    struct coefficient intercept, slope;
    size_t count = 0;
    sweep->slope = sweep->slope_low = sweep->slope_high = (double)NAN;
    if (sweep->sweep == SWEEP_ASLR || swept->count < 3)
        return 0;
    double *x = memory_new(swept->runs + 1, sizeof(*x));
    double *y = memory_new(swept->runs + 1, sizeof(*y));
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++) {
            x[count] = (double)(swept->points[i].at - sweep->first);
            y[count++] = swept->points[i].offset + swept->points[i].kept.values[run];
        }
    if (straight_line(x, y, count, &fit, &intercept, &slope) < 0 || slope.aliased)
        return 0;
    sweep->slope = slope.value;
    sweep->slope_low = slope.low;
    sweep->slope_high = slope.high;
    return fit.r_squared;
}

static void judge_sweep(struct swept *swept, uint64_t seed, struct repeat_sweep *sweep)
{
    const size_t count = swept->count;
    double *medians = memory_new(count, sizeof(*medians)), sum = 0, df = 0;
    uint64_t least = UINT64_MAX, period = 0;
    sweep->first = UINT64_MAX;
    sweep->lowest = INFINITY;
    sweep->highest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const struct swept_point *point = &swept->points[i];
        least = point->kept.base < least ? point->kept.base : least;
        medians[i] = point->median;
        sweep->first = point->at < sweep->first ? point->at : sweep->first;
        sweep->last = point->at > sweep->last ? point->at : sweep->last;
        sweep->lowest = fmin(sweep->lowest, point->median);
        sweep->highest = fmax(sweep->highest, point->median);
    }
    sort_values(medians, count);
    for (size_t i = 0; i < count; i++)
        swept->points[i].offset = (double)(swept->points[i].kept.base - least);
    /* Standard deviation of runs at one point, pooled; of random addresses that of the setting
     * without the sweep, since its points are draws themselves. NaN: nobody repeated anything. */
    for (size_t i = 0; i <= (sweep->sweep == SWEEP_ASLR ? 0 : count); i++) {
        const struct kept *kept = i ? &swept->points[i - 1].kept : &swept->plain;
        if (kept->count < 2)
            continue;
        sum += kept_variance(kept) * (double)(kept->count - 1);
        df += (double)(kept->count - 1);
    }
    sweep->within = sqrt(df > 0 ? sum / df : (double)NAN);
    sweep->matters = swept_matters(swept, sweep->sweep, sweep->within, medians, seed);
    /* Levels: medians that lie apart by more than runs at one point do. */
    const double apart = sweep->within > 0 ? SWEEP_SAME_LEVEL * sweep->within : 0;
    sweep->levels = 1;
    for (size_t i = 1; i < count; i++)
        sweep->levels += medians[i] - medians[i - 1] > apart;
    const double straight = find_slope(swept, sweep);
    /* The smallest distance at which counts repeat. Powers of two come first: alignment, lines and
     * pages repeat by those, whatever the steps are. */
    const bool asks = sweep->matters && sweep->sweep != SWEEP_ASLR;
    for (uint64_t by = PERIOD_LEAST; asks && !period && by <= PERIOD_MOST; by *= 2)
        period = repeats(swept, by) ? by : 0;
    for (size_t i = 2; asks && !period && i < count; i++) {
        const uint64_t by = swept->points[i].at - swept->points[0].at;
        period = repeats(swept, by) ? by : 0;
    }
    swept_tell(swept, straight, period, sweep);
}

/* The rows from this one on up to the end are of one sweep. */
static void judge_from(const struct repeat_case *file, struct repeat_report *report, size_t row,
                       size_t end)
{
    const struct repeat_cell *cell = cell_of(file, report, row);
    const char *event = cell->event[report->rows[row].event];
    struct swept swept = {.points = memory_new(end - row, sizeof(*swept.points))};
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *plain = &file->cells[i];
        const int column = repeat_event(plain, event);
        if (plain->machine != cell->machine || plain->program != cell->program ||
            plain->controls != cell->controls || plain->sweep != SWEEP_NONE ||
            plain->detail != DETAIL_NONE || strcmp(plain->source, cell->source) != 0 || column < 0)
            continue;
        swept.plain = kept_counts(plain, (uint32_t)column);
        break;
    }
    for (size_t i = row; i < end; i++) {
        const struct kept kept = kept_counts(cell_of(file, report, i), report->rows[i].event);
        if (!kept.count)
            continue;
        swept.points[swept.count++] = (struct swept_point){
            .at = cell_of(file, report, i)->swept, .kept = kept, .median = report->rows[i].usual};
        swept.runs += kept.count;
    }
    if (!swept.count)
        return;
    struct repeat_sweep *sweep = &report->sweeps[report->sweep_count++];
    *sweep = (struct repeat_sweep){.machine = cell->machine,
                                   .program = cell->program,
                                   .sweep = cell->sweep,
                                   .points = swept.count};
    snprintf(sweep->source, sizeof(sweep->source), "%s", cell->source);
    snprintf(sweep->event, sizeof(sweep->event), "%s", event);
    judge_sweep(&swept, row, sweep);
}

void repeat_judge_sensitivity(const struct repeat_case *file, struct repeat_report *report)
{
    report->sweeps = memory_new(report->row_count + 1, sizeof(*report->sweeps));
    for (size_t row = 0, end; row < report->row_count; row = end) {
        const struct repeat_cell *cell = cell_of(file, report, row);
        for (end = row + 1; end < report->row_count; end++) {
            const struct repeat_cell *other = cell_of(file, report, end);
            if (cell->machine != other->machine || cell->program != other->program ||
                cell->sweep != other->sweep || cell->controls != other->controls ||
                strcmp(cell->source, other->source) != 0 ||
                strcmp(cell->event[report->rows[row].event],
                       other->event[report->rows[end].event]) != 0)
                break;
        }
        if (cell->sweep != SWEEP_NONE)
            judge_from(file, report, row, end);
    }
}
