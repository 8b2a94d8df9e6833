/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From judged points to errors, their location and how well that is known. Robust on purpose: one
 * disturbed run in a hundred must neither move a point nor widen it. */
#include "judge/errors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/explain.h"
#include "judge/points.h"
#include "stats/moments.h"

#define MAD_TO_STDEV 1.4826
#define WINSOR       3.5 /* robust standard deviations beyond which a run counts as that far */
#define FEW          0.1 /* of the values that may differ from all others */
#define EXCESS       3.0 /* between processes, over what the runs' own noise makes */
#define EXACT_DF     1000.0

struct summary {
    double location, variance; /* of the location */
    double df;
};

static bool takes_part(const struct judged_point *judged)
{
    const struct point *point = judged->point;
    if (point->is_null || !judged->runs)
        return false;
    return judged->against_account || point->truth.grade == TRUTH_PROVEN ||
           point->truth.grade == TRUTH_BOUNDED;
}

double run_count_raw(const struct error_point *point, const struct error_run *run)
{
    /* Signed: a count that went below zero is a huge one. */
    return (double)((wide)(int64_t)run->run->value - point->judged->overhead);
}

/* predictions: sum of what the account predicted, over the runs. */
static void predict(struct error_point *point, double predictions)
{
    const struct truth *truth = &point->point->truth;
    point->truth = (double)truth->low;
    point->proven = truth->grade == TRUTH_PROVEN && truth->low == truth->high;
    if (!point->judged->against_account || !point->run_count)
        return;
    point->proven = true;
    point->truth = predictions / (double)point->run_count;
}

static int collect_point(const struct judged_point *judged, struct error_point *point)
{
    *point = (struct error_point){.judged = judged, .point = judged->point};
    point->runs = calloc(judged->point->run_count + 1, sizeof(*point->runs));
    if (!point->runs)
        return -ENOMEM;
    double predictions = 0;
    for (size_t i = 0; i < judged->point->run_count; i++) {
        const struct evidence_run *run = &judged->point->runs[i];
        struct error_run *error = &point->runs[point->run_count];
        if (!run_error(judged, run, &error->error) || !isfinite(error->error))
            continue;
        error->run = run;
        error->disturbed = !run_is_judged(judged, run);
        error->multiplexed = run_is_multiplexed(run);
        predictions += run_count_raw(point, error) - error->error;
        point->run_count++;
    }
    predict(point, predictions);
    return 0;
}

static void find_way(struct errors *errors, size_t index)
{
    struct error_point *point = &errors->points[index];
    for (size_t i = 0; i < index; i++)
        if (point_same_way(errors->points[i].point, point->point)) {
            point->way = errors->points[i].way;
            return;
        }
    point->way = errors->way_count++;
}

int errors_collect(const struct judgement *judgement, struct errors *errors)
{
    size_t most = 0;
    *errors = (struct errors){.judgement = judgement, .all_zero = true};
    for (size_t i = 0; i < judgement->row_count; i++)
        most += judgement->rows[i].point_count;
    errors->points = calloc(most + 1, sizeof(*errors->points));
    if (!errors->points)
        return -ENOMEM;
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++) {
            const struct judged_point *judged = &judgement->rows[i].points[j];
            if (!takes_part(judged))
                continue;
            errors->all_zero &= judged->is_zero;
            if (collect_point(judged, &errors->points[errors->count++]) < 0)
                return -ENOMEM;
            find_way(errors, errors->count - 1);
        }
    return 0;
}

void errors_release(struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        free(errors->points[i].runs);
    free(errors->points);
    *errors = (struct errors){0};
}

/* Median where most values are the same; else the mean, with values further out than `winsor`
 * drawn in. Sorts. */
static struct summary robust(double *values, size_t count, double winsor, double *work)
{
    struct summary summary = {0};
    if (!count)
        return summary;
    sort_values(values, count);
    double median = quantile(values, count, 0.5);
    for (size_t i = 0; i < count; i++)
        work[i] = fabs(values[i] - median);
    sort_values(work, count);
    double spread = MAD_TO_STDEV * quantile(work, count, 0.5);
    summary.location = median;
    summary.df = (double)count - 1;
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        different += values[i] != median;
    /* All but a few are the same: those few are accidents. */
    if (!(spread > 0) && (double)different <= FEW * (double)count)
        return summary;
    if (!(spread > 0))
        spread = INFINITY;
    for (size_t i = 0; i < count; i++)
        work[i] = fmin(fmax(values[i], median - winsor * spread), median + winsor * spread);
    struct moments moments = moments_of(work, count);
    summary.location = moments.mean;
    summary.variance = moments.variance / (double)count;
    return summary;
}

/* The quiet runs of one process from `from` on, into values; runs of a process stand together. */
static size_t next_process(const struct error_point *point, size_t *from, double *values)
{
    size_t count = 0, i = *from;
    uint32_t process = point->runs[i].run->process;
    for (; i < point->run_count && point->runs[i].run->process == process; i++)
        if (!point->runs[i].disturbed && !point->runs[i].left_out)
            values[count++] = point->runs[i].error;
    *from = i;
    return count;
}

static void sum_up_factors(struct error_point *point)
{
    point->quiet = 0;
    point->enabled = point->interrupts = point->faults = 0;
    point->constant = true;
    const struct error_run *first = NULL;
    for (size_t i = 0; i < point->run_count; i++) {
        const struct error_run *run = &point->runs[i];
        if (run->disturbed || run->left_out)
            continue;
        first = first ? first : run;
        point->constant &= run->error == first->error;
        point->quiet++;
        point->enabled += (double)run->run->enabled / 1e9;
        point->interrupts += run->run->interrupts;
        point->faults += (double)account_faults(&run->run->account);
    }
    if (point->quiet) {
        point->enabled /= (double)point->quiet;
        point->interrupts /= (double)point->quiet;
        point->faults /= (double)point->quiet;
    }
}

double error_point_sum_up(struct error_point *point, double *values, double *work)
{
    sum_up_factors(point);
    size_t count = 0, processes = 0;
    for (size_t from = 0; from < point->run_count;) {
        double *start = values + count;
        size_t more = next_process(point, &from, start);
        count += more;
        processes += more > 0;
    }
    struct summary runs = robust(values, count, WINSOR, work);
    point->processes = processes;
    /* Between the quartiles, which a few wild runs do not reach. */
    point->spread = count ? quantile(values, count, 0.75) - quantile(values, count, 0.25) : 0;
    size_t got = 0;
    for (size_t from = 0; from < point->run_count;) {
        size_t more = next_process(point, &from, work);
        if (more) {
            sort_values(work, more);
            values[got++] = quantile(work, more, 0.5);
        }
    }
    /* Whole processes may sit in another state: what varies between them is the noise, and none of
     * the few is an outlier. */
    struct summary between = robust(values, got, INFINITY, work);
    bool by_process = processes >= 3 && between.variance > runs.variance;
    point->excess = between.variance > EXCESS * runs.variance ? between.variance : 0;
    point->location = by_process ? between.location : runs.location;
    double variance = runs.variance;
    if (processes >= 2)
        variance = fmax(variance, between.variance);
    point->sigma = variance;
    return by_process ? between.df : runs.df;
}

int errors_sum_up(struct errors *errors)
{
    size_t most = 1;
    for (size_t i = 0; i < errors->count; i++)
        most = errors->points[i].run_count > most ? errors->points[i].run_count : most;
    AUTO_FREE double *values = calloc(most, sizeof(double));
    AUTO_FREE double *work = calloc(most, sizeof(double));
    if (!values || !work)
        return -ENOMEM;
    errors->exact = true;
    errors->noise_df = 0;
    for (size_t i = 0; i < errors->count; i++)
        errors->points[i].far_outside = false;
    for (size_t i = 0; i < errors->count; i++) {
        struct error_point *point = &errors->points[i];
        double df = error_point_sum_up(point, values, work);
        if (!error_point_counts(point))
            continue;
        errors->exact &= point->sigma == 0;
        errors->noise_df += point->sigma > 0 ? df : 0;
    }
    if (errors->exact)
        errors->noise_df = EXACT_DF;
    errors->noise_df = fmax(errors->noise_df, 1);
    return errors_settle_noise(errors);
}

bool error_point_counts(const struct error_point *point)
{
    /* One run says nothing of the noise. */
    return (point->proven || point->far_outside) && !point->left_out && point->quiet > 1;
}
