/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of one point: counts less overhead, and intervals of their mean error that a few
 * strays do not spoil and that processes which differ among themselves widen. */
#include "judge/points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/explain.h"
#include "stats/interval.h"
#include "stats/moments.h"

#define USUAL      0.95
#define STRICT     0.9999
#define OUTWEIGHS  100    /* times the overhead */
#define PART       0.01   /* of the truth: the tolerance */
#define STEP_PART  0.1    /* of the truth: the most that extrapolation excuses … */
#define STEP_LEAST 4.0    /* … or so many counts */
#define STRAY      10.0   /* robust standard deviations from the median */
#define MAD_SCALE  1.4826 /* from the median deviation of normal values to their standard one */
#define STRAY_RUNS 5      /* fewer runs have no strays */
#define DIFFER     1e-6   /* significance at which processes differ: there are many points */

/* The account knows this class run by run. */
#define ACCOUNTED_CLASS "context-switches"

double point_predicted(const struct judged_point *judged)
{
    const struct point *point = judged->point;
    if (!judged->against_account)
        return (double)point->truth.low +
               ((double)point->truth.high - (double)point->truth.low) / 2;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < point->run_count; i++) {
        if (!run_is_judged(judged, &point->runs[i]))
            continue;
        sum += (double)account_switches(&point->runs[i].account) - (double)judged->usual_switches;
        count++;
    }
    return count ? sum / (double)count : 0;
}

/* A counter that had the PMU for one part in s counts whole numbers of that part: no extrapolated
 * count comes closer than s to the truth. The most that s usually is: the larger of the runs', but
 * no more than a tenth of the truth, from which on it tells nothing. */
static double extrapolation_step(const struct judged_point *judged, double size)
{
    double step = 0;
    for (size_t i = 0; judged->multiplexed > 0 && i < judged->point->run_count; i++) {
        const struct evidence_run *run = &judged->point->runs[i];
        if (run->running > 0 && run_is_multiplexed(run))
            step = fmax(step, (double)run->enabled / (double)run->running);
    }
    return fmin(step, fmax(STEP_PART * size, STEP_LEAST));
}

double point_tolerance(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    double size = judged->against_account
                      ? fabs(point_predicted(judged))
                      : fmax(fabs((double)truth->low), fabs((double)truth->high));
    return fmax(fmax(PART * size, 0.5), extrapolation_step(judged, size));
}

/* Does the operating system's account tell of each run what this event should have counted? Some
 * sources keep none: then it is zero throughout. */
static bool has_account(const struct evidence *evidence, const struct point *point)
{
    if (!evidence->class || strcmp(evidence->class, ACCOUNTED_CLASS) != 0 ||
        point->truth.grade == TRUTH_NONE)
        return false;
    if (point->truth.low == 0 && point->truth.grade == TRUTH_PROVEN)
        return true;
    for (size_t i = 0; i < point->run_count; i++)
        if (account_switches(&point->runs[i].account) > 0)
            return true;
    return false;
}

static bool outweighs(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    wide added = 0, limits[] = {judged->overhead, judged->overhead_low, judged->overhead_high};
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        wide size = limits[i] < 0 ? -limits[i] : limits[i];
        added = size > added ? size : added;
    }
    wide least = judged->against_account ? (wide)point_predicted(judged) : truth->low;
    return (truth->grade == TRUTH_PROVEN || truth->grade == TRUTH_BOUNDED) && least > 0 &&
           least >= OUTWEIGHS * added;
}

static void tally_runs(struct judged_point *judged)
{
    const struct point *point = judged->point;
    judged->is_zero = true;
    for (size_t i = 0; i < point->run_count; i++) {
        const struct evidence_run *run = &point->runs[i];
        wide count, error;
        if (!run_count_of(run, &count)) {
            judged->unscheduled++;
            continue;
        }
        bool disturbed = run_is_disturbed(judged, run);
        bool exact = run_exact_error(judged, run, &error) && error == 0;
        judged->runs++;
        judged->multiplexed += run_is_multiplexed(run);
        judged->disturbed += disturbed;
        judged->exact += exact && !disturbed;
        judged->disturbed_exact += exact && disturbed;
        judged->is_zero = judged->is_zero && run->value == 0;
    }
    judged->is_zero = judged->is_zero && judged->runs > 0;
}

/* Errors of the runs that are judged, with the process of each. */
struct errors {
    double *values, *sorted;
    uint32_t *processes;
    size_t count;
};

static void release_errors(struct errors *errors)
{
    free(errors->values);
    free(errors->sorted);
    free(errors->processes);
}

static int gather_errors(const struct judged_point *judged, struct errors *errors)
{
    const struct point *point = judged->point;
    errors->values = reallocarray(NULL, point->run_count, sizeof(*errors->values));
    errors->sorted = reallocarray(NULL, point->run_count, sizeof(*errors->sorted));
    errors->processes = reallocarray(NULL, point->run_count, sizeof(*errors->processes));
    if (!errors->values || !errors->sorted || !errors->processes)
        return -ENOMEM;
    for (size_t i = 0; i < point->run_count; i++) {
        double error;
        if (!run_is_judged(judged, &point->runs[i]) || !run_error(judged, &point->runs[i], &error))
            continue;
        errors->values[errors->count] = error;
        errors->processes[errors->count++] = point->runs[i].process;
    }
    return 0;
}

/* How far from the median a run must be to be a stray. sorted: scratch. */
static double stray_distance(const struct judged_point *judged, struct errors *errors,
                             double *median)
{
    memcpy(errors->sorted, errors->values, errors->count * sizeof(*errors->values));
    sort_values(errors->sorted, errors->count);
    *median = quantile(errors->sorted, errors->count, 0.5);
    for (size_t i = 0; i < errors->count; i++)
        errors->sorted[i] = fabs(errors->values[i] - *median);
    sort_values(errors->sorted, errors->count);
    double scale = MAD_SCALE * quantile(errors->sorted, errors->count, 0.5);
    return fmax(STRAY * scale, point_tolerance(judged));
}

/* One run, or one in a hundred, may be beside all others: something happened that no account saw.
 * More of them are a property of the counter, and stay. */
static void set_strays_aside(struct judged_point *judged, struct errors *errors)
{
    if (errors->count < STRAY_RUNS)
        return;
    double median, distance = stray_distance(judged, errors, &median);
    size_t most = errors->count / 100 > 1 ? errors->count / 100 : 1, strays = 0;
    for (size_t i = 0; i < errors->count; i++)
        strays += fabs(errors->values[i] - median) > distance;
    if (strays == 0 || strays > most)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < errors->count; i++) {
        if (fabs(errors->values[i] - median) > distance)
            continue;
        errors->values[kept] = errors->values[i];
        errors->processes[kept++] = errors->processes[i];
    }
    errors->count = kept;
    judged->strays = strays;
}

/* Means over each stretch of runs of one process, into means; the sums of squares within them. */
static size_t process_means(const struct errors *errors, double *means, double *within)
{
    size_t groups = 0;
    *within = 0;
    for (size_t i = 0; i < errors->count;) {
        size_t end = i;
        while (end < errors->count && errors->processes[end] == errors->processes[i])
            end++;
        struct moments moments = moments_of(errors->values + i, end - i);
        means[groups++] = moments.mean;
        *within += moments.variance * (double)(end - i - 1);
        i = end;
    }
    return groups;
}

/* Where whole processes differ, runs of one process are not independent and a process counts as
 * one value. sorted: scratch for the means. Returns how many values are to be taken from there, 0
 * where the runs themselves serve. */
static size_t processes_instead(const struct errors *errors)
{
    double within, grand = moments_of(errors->values, errors->count).mean, between = 0;
    size_t groups = process_means(errors, errors->sorted, &within);
    if (groups < 2 || errors->count <= groups)
        return 0;
    double each = (double)errors->count / (double)groups;
    for (size_t i = 0; i < groups; i++)
        between += each * (errors->sorted[i] - grand) * (errors->sorted[i] - grand);
    if (between <= 0)
        return 0;
    double df_between = (double)(groups - 1), df_within = (double)(errors->count - groups);
    if (within <= 0)
        return groups;
    return f_p(between / df_between / (within / df_within), df_between, df_within) < DIFFER ? groups
                                                                                            : 0;
}

static void find_intervals(struct judged_point *judged, struct errors *errors)
{
    set_strays_aside(judged, errors);
    size_t groups = processes_instead(errors);
    judged->processes_differ = groups > 0;
    const double *values = groups ? errors->sorted : errors->values;
    size_t count = groups ? groups : errors->count;
    struct interval usual = t_interval(values, count, USUAL);
    struct interval strict = t_interval(values, count, STRICT);
    judged->low = usual.low;
    judged->high = usual.high;
    judged->strict_low = strict.low;
    judged->strict_high = strict.high;
}

/* Of the counts themselves, strays included. */
static int find_moments(struct judged_point *judged)
{
    const struct point *point = judged->point;
    AUTO_FREE double *counts = reallocarray(NULL, point->run_count, sizeof(*counts));
    if (!counts)
        return -ENOMEM;
    size_t count = 0;
    for (size_t i = 0; i < point->run_count; i++) {
        wide value;
        if (run_is_judged(judged, &point->runs[i]) && run_count_of(&point->runs[i], &value))
            counts[count++] = (double)(value - judged->overhead);
    }
    struct moments moments = moments_of(counts, count);
    judged->min = moments.min;
    judged->max = moments.max;
    judged->mean = moments.mean;
    judged->stdev = moments.stdev;
    sort_values(counts, count);
    judged->median = quantile(counts, count, 0.5);
    return 0;
}

int judge_point(const struct evidence *evidence, const struct point *point,
                struct judged_point *judged)
{
    *judged = (struct judged_point){.point = point, .low = -INFINITY, .high = INFINITY};
    judged->strict_low = -INFINITY;
    judged->strict_high = INFINITY;
    int error = measure_overhead(evidence, judged);
    if (error < 0)
        return error;
    judged->against_account = has_account(evidence, point);
    tally_runs(judged);
    judged->outweighs = outweighs(judged);
    if (judged->runs == 0)
        return 0;
    error = find_moments(judged);
    if (error < 0 || point->truth.grade == TRUTH_NONE)
        return error;
    __attribute__((cleanup(release_errors))) struct errors errors = {0};
    error = gather_errors(judged, &errors);
    if (error < 0)
        return error;
    find_intervals(judged, &errors);
    return 0;
}
