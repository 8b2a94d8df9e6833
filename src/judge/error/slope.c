/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line's shares, slope and interval (after Welch: variances of their own, degrees of freedom
 * after Satterthwaite). */
#include "judge/error/slope.h"

#include <math.h>

#include "stats/interval.h"

/* What is counted between interrupts scatters alike for every N, what interrupts add with N: the
 * weights suppose that both are equal at this part of the largest N. They are not estimated: a cell
 * that happened to see few interrupts has a low mean and a small spread, and must not win. */
static const double ALIKE_PART = 0.1;

static double largest_n(const struct slope_point *points, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, points[i].n);
    return largest;
}

static double weight_of(const struct slope_point *point, double largest)
{
    return (double)point->y.runs / (point->n + ALIKE_PART * largest);
}

/* Weighted mean of N over the points of one way, or of y. */
static double center_of(const struct slope_point *points, size_t count, size_t way, double largest,
                        bool of_y)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].way != way)
            continue;
        double weight = weight_of(&points[i], largest);
        sum += weight * (of_y ? points[i].y.mean : points[i].n);
        weights += weight;
    }
    return sum / weights;
}

bool slope_shares(struct slope_point *points, size_t count)
{
    double largest = largest_n(points, count), squares = 0;
    for (size_t i = 0; i < count; i++) {
        double away = points[i].n - center_of(points, count, points[i].way, largest, false);
        double weight = weight_of(&points[i], largest);
        /* A mean of one and the same N is off by rounding: that is no distance. */
        away = fabs(away) > 1e-9 * largest ? away : 0;
        points[i].share = weight * away;
        squares += weight * away * away;
    }
    if (!(squares > 0))
        return false;
    for (size_t i = 0; i < count; i++)
        points[i].share /= squares;
    return true;
}

/* Of a lonely process: what the nearest N with fellows has, grown as interrupts would. */
static double borrowed_variance(const struct slope_point *points, size_t count, double n,
                                double runs)
{
    const struct slope_point *nearest = NULL;
    for (size_t i = 0; i < count; i++)
        if (points[i].y.df > 0 &&
            (!nearest || fabs(log1p(points[i].n) - log1p(n)) < fabs(log1p(nearest->n) - log1p(n))))
            nearest = &points[i];
    if (!nearest)
        return 0;
    double grown = fmax(1, n / fmax(1, nearest->n));
    return nearest->y.variance * grown * (double)nearest->y.runs / runs;
}

static void add_replicates(const struct slope_point *points, size_t count, struct slope_line *line)
{
    double variance = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const struct process_mean *y = &points[i].y;
        double own = y->df > 0 ? y->variance
                               : borrowed_variance(points, count, points[i].n, (double)y->runs);
        double part = points[i].share * points[i].share * own;
        variance += part;
        squares += part * part / fmax(1, y->df);
    }
    line->error = sqrt(variance);
    line->df = squares > 0 ? variance * variance / squares : 0;
}

/* From what the line leaves: only where processes say nothing. Short runs, which nothing
 * interrupts, lie on the line whatever the long ones do, so it is at least what the runs themselves
 * say. */
static void add_misfit(const struct slope_point *points, size_t count, struct slope_line *line)
{
    double largest = largest_n(points, count), left = 0, squares = 0, by_runs = 0;
    size_t ways = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = points[j].way != points[i].way;
        ways += is_first;
        double away_n = points[i].n - center_of(points, count, points[i].way, largest, false);
        double away_y = points[i].y.mean - center_of(points, count, points[i].way, largest, true);
        double weight = weight_of(&points[i], largest), off = away_y - line->slope * away_n;
        left += weight * off * off;
        squares += weight * away_n * away_n;
        by_runs += points[i].share * points[i].share * points[i].y.by_runs;
    }
    line->df = count > ways + 1 ? (double)(count - ways - 1) : 0;
    line->error = line->df > 0 ? sqrt(fmax(left / line->df / squares, by_runs)) : INFINITY;
}

void slope_bounds(struct slope_line *line)
{
    bool varies = line->error > 0 && line->df > 0; /* else both are the error as it is */
    double reach = varies ? line->error * t_quantile(0.975, line->df) : line->error;
    double seen = varies ? reach + line->error * t_quantile(0.8, line->df) : reach;
    line->low = line->slope - reach;
    line->high = line->slope + reach;
    line->detectable = seen;
}

struct slope_line slope_of(struct slope_point *points, size_t count)
{
    struct slope_line line = {.known = slope_shares(points, count)};
    if (!line.known)
        return line;
    for (size_t i = 0; i < count; i++)
        line.slope += points[i].share * points[i].y.mean;
    double largest = largest_n(points, count);
    line.intercept = center_of(points, count, points[0].way, largest, true) -
                     line.slope * center_of(points, count, points[0].way, largest, false);
    add_replicates(points, count, &line);
    if (!(line.error > 0))
        add_misfit(points, count, &line);
    slope_bounds(&line);
    return line;
}
