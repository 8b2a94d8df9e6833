/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The straight line, what a square of the count would add to it, and the exponent with which the
 * cost grows above that of the least count. */
#include "judge/overhead/line.h"

#include <errno.h>
#include <math.h>

#include "base/cleanup.h"
#include "judge/overhead/line-points.h"

/* A line that misses no point by more is straight, whatever can be told apart. */
static const double MISS = 0.05;
static const double CONFIDENCE = 0.95;
/* A line is not called bent for chance: two tests are made of many sweeps. */
static const double CERTAIN = 0.99;
/* An increase tells of the exponent when it is this many standard errors above 0: the logarithm of
 * one that may be nothing says nothing. */
static const double CLEAR = 2;
/* Exact data give an exponent that is off by rounding. */
static const double EXPONENT_DUST = 1e-9;

static double weighted(const struct line_points *points, const double *left, const double *right)
{
    double sum = 0;
    for (size_t i = 0; i < points->count; i++)
        sum += points->list[i].weight * left[i] * right[i];
    return sum;
}

/* Takes out of x what `other` explains of it. */
static void take_out(const struct line_points *points, double *x, const double *other)
{
    double part = weighted(points, x, other) / weighted(points, other, other);
    for (size_t i = 0; i < points->count; i++)
        x[i] -= part * other[i];
}

/* One, the count and its square, each free of those before it; and room for factors. */
struct basis {
    double *one, *linear, *square, *factors;
};

static void fill_basis(const struct line_points *points, struct basis *basis)
{
    for (size_t i = 0; i < points->count; i++) {
        basis->one[i] = 1;
        basis->linear[i] = points->list[i].count;
    }
    take_out(points, basis->linear, basis->one);
    /* Of the count about its mean, which costs no digits. */
    for (size_t i = 0; i < points->count; i++)
        basis->square[i] = basis->linear[i] * basis->linear[i];
    take_out(points, basis->square, basis->one);
    take_out(points, basis->square, basis->linear);
}

/* Factors of the means whose sum is the coefficient of x. */
static void coefficient_of(const struct line_points *points, const double *x, double *factors)
{
    double squares = weighted(points, x, x);
    for (size_t i = 0; i < points->count; i++)
        factors[i] = points->list[i].weight * x[i] / squares;
}

static double coefficient(const struct line_points *points, const double *x)
{
    double sum = 0, squares = weighted(points, x, x);
    for (size_t i = 0; i < points->count; i++)
        sum += points->list[i].weight * x[i] * points->list[i].mean;
    return sum / squares;
}

/* Weighted square sum of what the line leaves, with the square of the count or without. */
static double left_by(const struct line_points *points, const struct basis *basis, bool with_square)
{
    double mean = coefficient(points, basis->one), slope = coefficient(points, basis->linear);
    double bend = with_square ? coefficient(points, basis->square) : 0, left = 0;
    for (size_t i = 0; i < points->count; i++) {
        double fitted = mean + slope * basis->linear[i] + bend * basis->square[i];
        double off = points->list[i].mean - fitted;
        left += points->list[i].weight * off * off;
    }
    return left;
}

static void fit_slope(const struct line_points *points, const struct basis *basis,
                      struct line *line)
{
    coefficient_of(points, basis->linear, basis->factors);
    struct line_sum slope = line_sum_of(points, basis->factors, left_by(points, basis, false), 2);
    double reach = line_sum_reach(slope, CONFIDENCE);
    line->slope = slope.value;
    line->low = slope.value - reach;
    line->high = slope.value + reach;
    line->exact = !(slope.error > 0);
    double mean = coefficient(points, basis->one);
    double middle = points->list[0].count - basis->linear[0];
    line->base = mean - line->slope * middle;
    for (size_t i = 0; i < points->count; i++) {
        double off = fabs(line->base + line->slope * points->list[i].count - points->list[i].mean);
        line->miss = fmax(line->miss, off > 0 ? off / fabs(points->list[i].mean) : 0);
    }
}

static bool is_bent(const struct line_points *points, const struct basis *basis)
{
    if (points->count < 3)
        return false;
    coefficient_of(points, basis->square, basis->factors);
    struct line_sum bend = line_sum_of(points, basis->factors, left_by(points, basis, true), 3);
    return fabs(bend.value) > line_sum_reach(bend, CERTAIN);
}

/* --- the exponent: logarithm of the increase against that of the count above the least --- */

/* The increase over the first point, or 0 where it may be nothing. */
static double increase_at(const struct line_points *points, const struct basis *basis, size_t i)
{
    for (size_t j = 0; j < points->count; j++)
        basis->factors[j] = j == i ? 1 : 0;
    basis->factors[0] = -1;
    struct line_sum increase = line_sum_of(points, basis->factors, left_by(points, basis, true), 3);
    return increase.value > CLEAR * increase.error ? increase.value : 0;
}

/* Weighted by the count above the least, because the logarithm of a small increase is known worst.
 * Factors of the means by the slope of the logarithm at each increase. False: fewer than two
 * increases are clear. */
static bool exponent_factors(const struct line_points *points, const double *increases,
                             double *factors, double *exponent)
{
    double weights = 0, center = 0, squares = 0;
    size_t clear = 0;
    for (size_t i = 1; i < points->count; i++) {
        double above = points->list[i].count - points->list[0].count;
        if (!(increases[i] > 0))
            continue;
        weights += above;
        center += above * log(above);
        clear++;
    }
    if (clear < 2)
        return false;
    center /= weights;
    for (size_t i = 1; i < points->count; i++) {
        double above = points->list[i].count - points->list[0].count;
        if (increases[i] > 0)
            squares += above * (log(above) - center) * (log(above) - center);
    }
    *exponent = factors[0] = 0;
    for (size_t i = 1; i < points->count; i++) {
        double above = points->list[i].count - points->list[0].count;
        factors[i] = 0;
        if (!(increases[i] > 0))
            continue;
        double factor = above * (log(above) - center) / squares;
        *exponent += factor * log(increases[i]);
        factors[i] = factor / increases[i];
        factors[0] -= factors[i];
    }
    return true;
}

/* bent: is the exponent certainly not 1? */
static int fit_exponent(const struct line_points *points, const struct basis *basis,
                        struct line *line, bool *bent)
{
    line->exponent = line->exponent_low = line->exponent_high = NAN;
    AUTO_FREE double *increases = calloc(points->count + 1, sizeof(*increases));
    if (!increases)
        return -ENOMEM;
    for (size_t i = 1; i < points->count; i++)
        increases[i] = increase_at(points, basis, i);
    double exponent;
    if (!exponent_factors(points, increases, basis->factors, &exponent))
        return 0;
    struct line_sum sum = line_sum_of(points, basis->factors, left_by(points, basis, true), 3);
    double reach = line_sum_reach(sum, CONFIDENCE);
    line->exponent = fabs(exponent - 1) < EXPONENT_DUST ? 1 : exponent;
    line->exponent_low = line->exponent - reach;
    line->exponent_high = line->exponent + reach;
    *bent |= fabs(line->exponent - 1) > line_sum_reach(sum, CERTAIN);
    return 0;
}

int line_fit(struct line_value *values, size_t count, struct line *line)
{
    AUTO_LINE_POINTS struct line_points points;
    *line = (struct line){0};
    int error = line_points_of(values, count, &points);
    if (error)
        return error;
    AUTO_FREE double *room = calloc(4 * (points.count + 1), sizeof(*room));
    if (!room)
        return -ENOMEM;
    struct basis basis = {room, room + points.count, room + 2 * points.count,
                          room + 3 * points.count};
    fill_basis(&points, &basis);
    line->points = points.count;
    line->processes = points.processes;
    line->paired = points.costs != NULL;
    fit_slope(&points, &basis, line);
    bool bent = is_bent(&points, &basis);
    error = fit_exponent(&points, &basis, line, &bent);
    line->straight = !(bent && line->miss > MISS);
    return error;
}
