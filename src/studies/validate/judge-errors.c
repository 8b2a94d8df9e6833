/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From judged points to errors, their location and how well that is known. Robust on purpose: one
 * disturbed run in a hundred must neither move a point nor widen it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/validate/judge.h"

#define MAD_TO_STDEV 1.4826
#define WINSOR       3.5 /* robust standard deviations beyond which a run counts as that far */
#define FEW          0.1 /* of the values that may differ from all others */
#define EXCESS       3.0 /* between processes, over what the runs' own noise makes */
#define EXACT_DF     1000.0

struct summary {
    double location, variance; /* of the location */
    double df;
};

double run_count_raw(const struct error_point *point, const struct error_run *run)
{
    /* Signed: a count that went below zero is a huge one. */
    return (double)((wide)(int64_t)run->run->value - point->judged->overhead);
}

/* The errors of the point's runs, and its truth. */
static void collect_point(const struct judged_point *judged, struct error_point *point)
{
    const struct truth *truth = &judged->point->truth;
    double predictions = 0; /* sum of what the account predicted, over the runs */
    *point = (struct error_point){.judged = judged, .point = judged->point};
    point->runs = memory_new(judged->point->run_count, sizeof(*point->runs));
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
    bool by_account = judged->against_account && point->run_count;
    point->truth = by_account ? predictions / (double)point->run_count : (double)truth->low;
    point->proven = by_account || (truth->grade == TRUTH_PROVEN && truth->low == truth->high);
}

void errors_collect(const struct judgement *judgement, struct errors *errors)
{
    *errors = (struct errors){.judgement = judgement, .all_zero = true};
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (!judged->runs || !grade_is_firm(point_grade(judged)))
            continue;
        errors->all_zero &= judged->is_zero;
        struct error_point *point = memory_add(errors->points, errors->count);
        collect_point(judged, point);
        size_t like = 0;
        while (!point_same_way(errors->points[like].point, point->point))
            like++;
        point->way =
            &errors->points[like] == point ? errors->way_count++ : errors->points[like].way;
    }
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++) {
            errors->points[i].runs[j].point = &errors->points[i];
            *memory_add(errors->runs, errors->run_count) = &errors->points[i].runs[j];
        }
}

/* 0 where there are none. Sorts. */
static double sorted_quantile(double *values, size_t count, double part)
{
    sort_values(values, count);
    return count ? quantile(values, count, part) : 0;
}

/* Median where most values are the same; else the mean, with values further out than `winsor`
 * drawn in. Sorts. */
static struct summary robust(double *values, size_t count, double winsor, double *work)
{
    struct summary summary = {0};
    if (!count)
        return summary;
    double median = sorted_quantile(values, count, 0.5);
    for (size_t i = 0; i < count; i++)
        work[i] = fabs(values[i] - median);
    double spread = MAD_TO_STDEV * sorted_quantile(work, count, 0.5);
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

size_t error_process_end(const struct error_point *point, size_t from)
{
    size_t to = from + 1;
    while (to < point->run_count && point->runs[to].run->process == point->runs[from].run->process)
        to++;
    return to;
}

/* The quiet runs of one process from `from` on, into values. */
static size_t next_process(const struct error_point *point, size_t *from, double *values)
{
    size_t count = 0, end = error_process_end(point, *from);
    for (size_t i = *from; i < end; i++)
        if (!point->runs[i].disturbed && !point->runs[i].left_out)
            values[count++] = point->runs[i].error;
    *from = end;
    return count;
}

/* One point by itself: its variance stands in sigma until the noise is settled; the degrees of
 * freedom behind it are returned. values, work: room for all of its runs. */
static double error_point_sum_up(struct error_point *point, double *values, double *work)
{
    size_t count = 0, processes = 0, quiet = 0;
    double interrupts = 0, faults = 0, enabled = 0;
    for (size_t i = 0; i < point->run_count; i++) {
        const struct error_run *run = &point->runs[i];
        if (run->disturbed || run->left_out)
            continue;
        quiet++;
        enabled += (double)run->run->enabled / 1e9;
        interrupts += run->run->interrupts;
        faults += (double)account_faults(&run->run->account);
    }
    point->quiet = quiet;
    point->enabled = quiet ? enabled / (double)quiet : 0;
    point->interrupts = quiet ? interrupts / (double)quiet : 0;
    point->faults = quiet ? faults / (double)quiet : 0;
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
        if (more)
            values[got++] = sorted_quantile(work, more, 0.5);
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

/* ----------------------------------------------------------------------------------------------
 * How well the error of each point is known: from its own runs, from points like it, and from the
 * null cell whose error all points of a way share. */

/* A count cannot be known better than this: it is rounded, and a truth of many counts has small
 * relative faults of its own that must not outweigh every small point. */
#define FLOOR_COUNTS    0.5
#define FLOOR_RELATIVE  1e-5
#define POOLED_DF       4.0 /* weight of the neighbours' noise against a point's own */
#define SMALL_TRUTH     100.0
#define EXCESS_LEAST    3      /* specimens that show it: then all have it */
#define EXCESS_QUANTILE 0.7    /* of the points: what three in ten have at least */
#define FAR             3.0    /* half widths beyond the limits of a bounded truth */
#define MEDIAN_VARIANCE 1.571  /* of a median over that of a mean: pi / 2 */
#define ROUNDING        0.0834 /* variance of rounding to a whole number: 1 / 12 */

/* --- the noise of points --- */

/* The usual noise of points like this one: of the same N, or of the same ladder below. */
static double pooled(const struct errors *errors, size_t index, bool ladder, double *work)
{
    const struct error_point *point = &errors->points[index];
    size_t count = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *other = &errors->points[i];
        bool like = ladder ? i <= index && index - i < 3 : other->point->n == point->point->n;
        if (like && other->quiet && !other->left_out)
            work[count++] = other->sigma;
    }
    return sorted_quantile(work, count, 0.5);
}

/* What differs between processes may be so many counts, or a part of the truth: how its variance
 * grows with the truth tells, with its square or not at all. */
static bool excess_is_relative(const struct errors *errors)
{
    double count = 0, x = 0, y = 0, products = 0, squares = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!(point->excess > 0) || point->truth < 1)
            continue;
        double truth = log(point->truth), excess = log(point->excess);
        count++;
        x += truth;
        y += excess;
        products += truth * excess;
        squares += truth * truth;
    }
    return products - x * y / fmax(count, 1) > squares - x * x / fmax(count, 1);
}

/* Two processes are often in the same state and then look as if there were no other: what differs
 * between processes is learnt from all points. By chance a few differ: where it is no part of the
 * truth, most points must. */
static double common_excess(const struct errors *errors, double *work)
{
    size_t count = 0;
    for (size_t i = 0; i < errors->count; i++)
        if (errors->points[i].quiet && !errors->points[i].left_out)
            work[count++] = errors->points[i].excess;
    return sorted_quantile(work, count, EXCESS_QUANTILE);
}

/* In parts of the truth, from the points of about this N. */
static double relative_excess(const struct errors *errors, const struct error_point *point)
{
    double sum = 0, count = 0;
    size_t specimens = 0;
    const char *last = "";
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *other = &errors->points[i];
        double n = (double)other->point->n, own = (double)point->point->n;
        if (!other->quiet || other->left_out || other->truth < 1 || n > 11 * own || own > 11 * n)
            continue;
        count++;
        sum += other->excess / (other->truth * other->truth);
        specimens += other->excess > 0 && strcmp(last, other->point->specimen) != 0;
        if (other->excess > 0)
            last = other->point->specimen;
    }
    return specimens >= EXCESS_LEAST ? sum / count * point->truth * point->truth : 0;
}

/* Far outside its limits even a bounded truth says how far: from their middle, give or take half
 * their width. */
static void place_bounded(struct error_point *point)
{
    const struct truth *truth = &point->point->truth;
    double half = ((double)truth->high - (double)truth->low) / 2;
    point->far_outside = false;
    if (point->proven || truth->grade != TRUTH_BOUNDED ||
        fabs(point->location) <= FAR * (half + point->sigma))
        return;
    point->far_outside = true;
    point->truth = (double)truth->low + half;
    point->location += point->location > 0 ? half : -half;
    point->sigma = hypot(point->sigma, half);
}

static void settle_sigmas(struct errors *errors)
{
    double *variances = memory_new(errors->count, sizeof(double));
    double *work = memory_new(errors->count, sizeof(double));
    bool relative = excess_is_relative(errors);
    double common = common_excess(errors, work);
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double df = point->quiet > 1 ? (double)point->quiet - 1 : 1;
        double others = fmax(pooled(errors, i, false, work), pooled(errors, i, true, work));
        double shrunk = (df * point->sigma + POOLED_DF * others) / (df + POOLED_DF);
        double excess = relative ? relative_excess(errors, point) : common;
        variances[i] = fmax(fmax(point->sigma, shrunk), excess);
    }
    for (size_t i = 0; i < errors->count; i++) {
        struct error_point *point = &errors->points[i];
        double part = FLOOR_RELATIVE * fabs(point->truth);
        point->sigma = sqrt(variances[i] + FLOOR_COUNTS * FLOOR_COUNTS + part * part);
        place_bounded(point);
    }
}

/* --- the error of the overhead, which all points of a way share --- */

/* The null cell of a way as if it were a point: how far each of its runs is from the overhead. */
static struct error_point collect_null(const struct error_point *of,
                                       const struct evidence *evidence)
{
    const struct point *best = point_null(evidence, of->point);
    struct error_point null = {.judged = of->judged, .point = best};
    null.runs = memory_new(best ? best->run_count : 0, sizeof(*null.runs));
    for (size_t i = 0; best && i < best->run_count; i++) {
        const struct evidence_run *run = &best->runs[i];
        wide count;
        if (run_count_of(run, &count))
            null.runs[null.run_count++] =
                (struct error_run){.run = run,
                                   .error = (double)(count - of->judged->overhead),
                                   .disturbed = null_run_is_disturbed(of->judged, run)};
    }
    return null;
}

/* Small counts of the same way have the same noise as its null cell, which is only one of them. */
static double variance_of_small(const struct errors *errors, size_t way, double *work)
{
    size_t count = 0;
    double least = INFINITY;
    for (size_t i = 0; i < errors->count; i++)
        if (errors->points[i].way == way)
            least = fmin(least, fabs(errors->points[i].truth));
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (point->way == way && point->quiet && fabs(point->truth) <= 10 * least + 10)
            work[count++] = point->sigma;
    }
    return sorted_quantile(work, count, 0.5);
}

/* How far apart quiet runs of small counts usually are: noise that no truth shrinks. */
static double usual_spread(const struct errors *errors, size_t way, double *work)
{
    size_t count = 0;
    double spread = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        const struct judged_point *judged = point->judged;
        if (point->way != way)
            continue;
        spread = (double)judged->overhead_high - (double)judged->overhead_low;
        if (point->quiet && point->truth <= SMALL_TRUTH)
            work[count++] = point->spread;
    }
    return fmax(spread, sorted_quantile(work, count, 0.5));
}

/* While sigmas still are variances. */
static void measure_overhead_sigma(struct errors *errors)
{
    double *variances = memory_new(errors->count, sizeof(double));
    bool relative = excess_is_relative(errors);
    for (size_t way = 0; way < errors->way_count; way++) {
        const struct error_point *first = errors->points;
        while (first->way != way)
            first++;
        struct error_point null = collect_null(first, errors->judgement->evidence);
        error_point_sum_up(&null, memory_new(null.run_count, sizeof(double)),
                           memory_new(null.run_count, sizeof(double)));
        double variance =
            MEDIAN_VARIANCE * fmax(null.sigma, variance_of_small(errors, way, variances));
        /* The median of processes in two states is one of the states, never between them. */
        double excess = relative ? 0 : common_excess(errors, variances);
        variance = fmax(variance, excess * fmax((double)null.processes, 1));
        double sigma = variance > 0 ? sqrt(variance + ROUNDING) : 0;
        double spread = usual_spread(errors, way, variances);
        for (size_t i = 0; i < errors->count; i++)
            if (errors->points[i].way == way) {
                errors->points[i].overhead_sigma = first->judged->has_overhead ? sigma : 0;
                errors->points[i].added_noise = spread;
            }
    }
}

/* --- all of it --- */

void errors_sum_up(struct errors *errors)
{
    struct memory_scope scope;
    memory_scope_begin(&scope);
    double *values = memory_new(errors->run_count, sizeof(double));
    double *work = memory_new(errors->run_count, sizeof(double));
    for (size_t i = 0; i < errors->count; i++)
        errors->points[i].far_outside = false;
    errors->exact = true;
    errors->noise_df = 0;
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
    measure_overhead_sigma(errors);
    settle_sigmas(errors);
    memory_scope_end(&scope);
}

bool error_point_counts(const struct error_point *point)
{
    /* One run says nothing of the noise. */
    return (point->proven || point->far_outside) && !point->left_out && point->quiet > 1;
}

double error_sigmas(const struct error_point *point, double error)
{
    return fabs(error) / hypot(point->sigma, point->overhead_sigma);
}
