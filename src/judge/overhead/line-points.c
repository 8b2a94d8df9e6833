/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Means at each count, and the error of a sum of them: after Welch and Satterthwaite where every
 * process measured one count (each count scatters in its own way), from each process's own sum
 * where it measured all. */
#include "judge/overhead/line-points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/interval.h"
#include "stats/moments.h"

/* Below this part of the largest mean a figure is rounding. */
static const double DUST = 1e-10;
/* Below this part of it a mean weighs no more. */
static const double CHEAP = 0.01;

static int by_count(const void *left, const void *right)
{
    const struct line_value *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->process > b->process) - (a->process < b->process);
}

static int by_process(const void *left, const void *right)
{
    const struct line_value *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static size_t count_points(const struct line_value *values, size_t count)
{
    size_t points = 0;
    for (size_t i = 0; i < count; i++)
        points += i == 0 || values[i].count != values[i - 1].count;
    return points;
}

static int fill_points(const struct line_value *values, size_t count, struct line_points *points)
{
    AUTO_FREE double *costs = calloc(count + 1, sizeof(*costs));
    points->list = calloc(points->count + 1, sizeof(*points->list));
    if (!costs || !points->list)
        return -ENOMEM;
    for (size_t begin = 0, end, point = 0; begin < count; begin = end, point++) {
        for (end = begin; end < count && values[end].count == values[begin].count; end++)
            costs[end - begin] = values[end].cost;
        struct moments moments = moments_of(costs, end - begin);
        points->list[point] = (struct line_point){
            .count = values[begin].count,
            .mean = moments.mean,
            .variance = moments.variance / (double)(end - begin),
            .df = (double)(end - begin - 1),
            .processes = end - begin,
        };
        points->largest = fmax(points->largest, fabs(moments.mean));
    }
    return 0;
}

/* What is dear scatters more, about in proportion: a part of the cost counts the same at every
 * count. What costs next to nothing does not get all the weight. */
static void weigh(struct line_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        struct line_point *point = &points->list[i];
        double scale = fmax(fabs(point->mean), CHEAP * points->largest);
        point->weight = (double)point->processes / (scale > 0 ? scale * scale : 1);
    }
}

/* Where a count has one process, what the others differ by must do. */
static void lend_variances(struct line_points *points)
{
    double squares = 0, df = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct line_point *point = &points->list[i];
        squares += point->df * point->variance * (double)point->processes;
        df += point->df;
    }
    points->lonely = !(df > 0);
    for (size_t i = 0; i < points->count && !points->lonely; i++)
        if (!(points->list[i].df > 0)) {
            points->list[i].variance = squares / df;
            points->list[i].df = df;
        }
}

/* How many processes measured every count. Two or more are brought to the front and *count is how
 * many values these have. values: by process. */
static size_t keep_whole(struct line_value *values, size_t *count, size_t points)
{
    size_t kept = 0, whole = 0;
    for (int counting = 1; counting >= 0; counting--) {
        for (size_t begin = 0, end; begin < *count; begin = end) {
            for (end = begin; end < *count && values[end].process == values[begin].process;)
                end++;
            if (end - begin != points)
                continue;
            whole += (size_t)counting;
            for (size_t i = begin; i < end && !counting; i++)
                values[kept++] = values[i];
        }
        if (whole < 2)
            return whole;
    }
    *count = kept;
    return whole;
}

static int pair_up(struct line_value *values, size_t *count, struct line_points *points)
{
    qsort(values, *count, sizeof(*values), by_process);
    size_t whole = keep_whole(values, count, points->count);
    if (whole < 2)
        return 0;
    points->processes = whole;
    points->costs = calloc(*count, sizeof(*points->costs));
    if (!points->costs)
        return -ENOMEM;
    for (size_t i = 0; i < *count; i++)
        points->costs[i] = values[i].cost;
    return 0;
}

int line_points_of(struct line_value *values, size_t count, struct line_points *points)
{
    *points = (struct line_points){0};
    qsort(values, count, sizeof(*values), by_count);
    points->count = count_points(values, count);
    int error = pair_up(values, &count, points);
    if (error)
        return error;
    qsort(values, count, sizeof(*values), by_count);
    if (!points->costs)
        points->processes = count;
    error = fill_points(values, count, points);
    if (error)
        return error;
    weigh(points);
    lend_variances(points);
    return 0;
}

void line_points_release(struct line_points *points)
{
    free(points->list);
    free(points->costs);
}

/* From how far the sums of single processes lie apart. */
static void add_paired(const struct line_points *points, const double *factors,
                       struct line_sum *sum)
{
    double squares = 0, n = (double)points->processes;
    for (size_t process = 0; process < points->processes; process++) {
        double away = 0;
        for (size_t i = 0; i < points->count; i++)
            away +=
                factors[i] * (points->costs[process * points->count + i] - points->list[i].mean);
        squares += away * away;
    }
    sum->error = sqrt(squares / (n - 1) / n);
    sum->df = n - 1;
}

static void add_independent(const struct line_points *points, const double *factors,
                            struct line_sum *sum)
{
    double variance = 0, squares = 0;
    for (size_t i = 0; i < points->count; i++) {
        double part = factors[i] * factors[i] * points->list[i].variance;
        variance += part;
        squares += part * part / points->list[i].df;
    }
    sum->error = sqrt(variance);
    sum->df = squares > 0 ? variance * variance / squares : 1;
}

static void add_misfit(const struct line_points *points, const double *factors, double left,
                       size_t fitted, struct line_sum *sum)
{
    double squares = 0;
    for (size_t i = 0; i < points->count; i++)
        squares += factors[i] * factors[i] / points->list[i].weight;
    sum->df = points->count > fitted ? (double)(points->count - fitted) : 0;
    sum->error = sum->df > 0 ? sqrt(left / sum->df * squares) : INFINITY;
}

struct line_sum line_sum_of(const struct line_points *points, const double *factors, double left,
                            size_t fitted)
{
    struct line_sum sum = {0};
    if (points->costs)
        add_paired(points, factors, &sum);
    else if (points->lonely)
        add_misfit(points, factors, left, fitted, &sum);
    else
        add_independent(points, factors, &sum);
    double scale = 0;
    for (size_t i = 0; i < points->count; i++) {
        sum.value += factors[i] * points->list[i].mean;
        scale = fmax(scale, fabs(factors[i]));
    }
    double dust = DUST * scale * points->largest;
    sum.value = fabs(sum.value) < dust ? 0 : sum.value;
    sum.error = sum.error < dust ? 0 : sum.error;
    return sum;
}

double line_sum_reach(struct line_sum sum, double confidence)
{
    if (!(sum.error > 0))
        return 0;
    return sum.df > 0 ? sum.error * t_quantile((1 + confidence) / 2, sum.df) : INFINITY;
}
