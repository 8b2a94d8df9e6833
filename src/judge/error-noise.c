/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How well the error of each point is known: from its own runs, from points like it, and from the
 * null cell whose error all points of a way share. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/errors.h"
#include "judge/points.h"
#include "stats/moments.h"

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

/* The usual noise of points like this one: of the same N, and of the same ladder below. */
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
    if (!count)
        return 0;
    sort_values(work, count);
    return quantile(work, count, 0.5);
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
    sort_values(work, count);
    return count ? quantile(work, count, EXCESS_QUANTILE) : 0;
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

static int settle_sigmas(struct errors *errors)
{
    AUTO_FREE double *variances = calloc(errors->count + 1, sizeof(double));
    AUTO_FREE double *work = calloc(errors->count + 1, sizeof(double));
    if (!variances || !work)
        return -ENOMEM;
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
    return 0;
}

/* --- the error of the overhead, which all points of a way share --- */

/* The null cell of a way as if it were a point: how far each of its runs is from the overhead. */
static int collect_null(const struct error_point *of, const struct evidence *evidence,
                        struct error_point *null)
{
    const struct point *best = NULL;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        if (point->is_null && point_same_way(point, of->point) &&
            (!best || point->run_count > best->run_count))
            best = point;
    }
    *null = (struct error_point){.judged = of->judged, .point = best};
    null->runs = calloc(best ? best->run_count + 1 : 1, sizeof(*null->runs));
    if (!null->runs)
        return -ENOMEM;
    for (size_t i = 0; best && i < best->run_count; i++) {
        const struct evidence_run *run = &best->runs[i];
        wide count;
        if (run_count_of(run, &count))
            null->runs[null->run_count++] = (struct error_run){
                .run = run,
                .error = (double)(count - of->judged->overhead),
                .disturbed = account_faults(&run->account) > of->judged->usual_faults ||
                             account_switches(&run->account) > of->judged->usual_switches};
    }
    return 0;
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
    if (!count)
        return 0;
    sort_values(work, count);
    return quantile(work, count, 0.5);
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
    sort_values(work, count);
    return count ? fmax(spread, quantile(work, count, 0.5)) : spread;
}

/* While sigmas still are variances. */
static int measure_overhead_sigma(struct errors *errors)
{
    AUTO_FREE double *variances = calloc(errors->count + 1, sizeof(double));
    if (!variances)
        return -ENOMEM;
    bool relative = excess_is_relative(errors);
    for (size_t way = 0; way < errors->way_count; way++) {
        const struct error_point *first = errors->points;
        while (first->way != way)
            first++;
        struct error_point null;
        int result = collect_null(first, errors->judgement->evidence, &null);
        AUTO_FREE struct error_run *runs = null.runs;
        AUTO_FREE double *values = calloc(null.run_count + 1, sizeof(double));
        AUTO_FREE double *work = calloc(null.run_count + 1, sizeof(double));
        if (result < 0 || !values || !work)
            return -ENOMEM;
        (void)runs;
        error_point_sum_up(&null, values, work);
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
    return 0;
}

int errors_settle_noise(struct errors *errors)
{
    int result = measure_overhead_sigma(errors);
    return result < 0 ? result : settle_sigmas(errors);
}
