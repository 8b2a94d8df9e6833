/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Householder's QR in long double, columns taken in their order and scaled to about unit length.
 * GSL's own pivots by length, so it would alias a column before the one it depends on, and works
 * in double, which costs nearly dependent columns half their digits. */
#include "stats/least-squares.h"

#include <errno.h>
#include <math.h>

#include "base/memory.h"
#include "stats/interval.h"

/* A column of which less than this share of its length is new depends on those before it. Columns
 * computed in double agree with what they should be to about 1e-15. */
static const long double NEW_SHARE = 1e-13L;

/* Rows with weight, each multiplied by the root of it. Columns are contiguous here: [column][row].
 * Reflections replace a kept column: r on and above its own row, the reflector below. */
struct factors {
    size_t rows, width, rank;
    long double *columns;
    long double *y;        /* then turned: what columns reach above the rank, the rest below */
    long double *diagonal; /* [rank] of R */
    long double *inverse;  /* [rank][rank] of R, upper */
    long double *values;   /* [rank] the solution, of scaled columns */
    size_t *kept;          /* [rank] which column */
    double *scale;         /* [width] a power of two: columns were divided by it */
};

static void release_factors(struct factors *factors)
{
    memory_give_back(factors->columns);
    memory_give_back(factors->y);
    memory_give_back(factors->diagonal);
    memory_give_back(factors->inverse);
    memory_give_back(factors->values);
    memory_give_back(factors->kept);
    memory_give_back(factors->scale);
}
#define AUTO_FACTORS __attribute__((cleanup(release_factors)))

static double weight_of(const struct design *design, size_t row)
{
    return design->weights ? design->weights[row] : 1;
}

static int count_rows(const struct design *design, size_t *rows)
{
    *rows = 0;
    for (size_t row = 0; row < design->rows; row++) {
        double weight = weight_of(design, row);
        if (!(weight >= 0) || isinf(weight) || !isfinite(design->y[row]))
            return -EINVAL;
        for (size_t column = 0; column < design->width; column++)
            if (!isfinite(design->columns[row * design->width + column]))
                return -EINVAL;
        *rows += weight > 0;
    }
    return 0;
}

static long double length_of(const long double *column, size_t from, size_t rows)
{
    long double sum = 0;
    for (size_t row = from; row < rows; row++)
        sum += column[row] * column[row];
    return sqrtl(sum);
}

/* Mirrors `target` by the reflector that stands in `column` from `from` on. */
static void reflect(const long double *column, size_t from, size_t rows, long double *target)
{
    long double product = 0, square = 0;
    for (size_t row = from; row < rows; row++) {
        product += column[row] * target[row];
        square += column[row] * column[row];
    }
    if (square == 0)
        return;
    long double factor = 2 * product / square;
    for (size_t row = from; row < rows; row++)
        target[row] -= factor * column[row];
}

/* Takes one column in: what earlier reflectors leave of it below the rank becomes the next one.
 * false: nothing new is in it. */
static bool take_column(struct factors *factors, size_t index)
{
    long double *column = factors->columns + index * factors->rows;
    long double whole = length_of(column, 0, factors->rows);
    for (size_t i = 0; i < factors->rank; i++)
        reflect(factors->columns + factors->kept[i] * factors->rows, i, factors->rows, column);
    long double left = length_of(column, factors->rank, factors->rows);
    if (left <= NEW_SHARE * whole)
        return false;
    size_t place = factors->rank++;
    factors->kept[place] = index;
    factors->diagonal[place] = column[place] > 0 ? -left : left;
    column[place] -= factors->diagonal[place];
    return true;
}

/* R above its diagonal is what stands in a kept column above its own reflector. */
static long double upper(const struct factors *factors, size_t row, size_t column)
{
    return row == column ? factors->diagonal[row]
                         : factors->columns[factors->kept[column] * factors->rows + row];
}

static void turn(const struct factors *factors, long double *target)
{
    for (size_t i = 0; i < factors->rank; i++)
        reflect(factors->columns + factors->kept[i] * factors->rows, i, factors->rows, target);
}

/* Adds to the solution what solves for the y that stands there. */
static void add_solution(struct factors *factors)
{
    size_t rank = factors->rank;
    for (size_t i = 0; i < rank; i++)
        for (size_t j = rank; j-- > i;)
            factors->values[i] += factors->inverse[i * rank + j] * factors->y[j];
}

/* Solved once for y and once for what that left of it, so that an exact fit comes out exact. */
static void solve(struct factors *factors, const struct design *design)
{
    size_t rank = factors->rank;
    for (size_t column = 0; column < rank; column++) {
        for (size_t row = column + 1; row-- > 0;) {
            long double sum = row == column;
            for (size_t i = row + 1; i <= column; i++)
                sum -= upper(factors, row, i) * factors->inverse[i * rank + column];
            factors->inverse[row * rank + column] = sum / factors->diagonal[row];
        }
    }

    turn(factors, factors->y);
    add_solution(factors);
    /* y - X b of the rows with weight, from the design, of which the factors kept nothing. */
    size_t place = 0;
    for (size_t row = 0; row < design->rows; row++) {
        double weight = weight_of(design, row);
        if (weight == 0)
            continue;
        const double *columns = design->columns + row * design->width;
        long double rest = design->y[row];
        for (size_t i = 0; i < factors->rank; i++)
            rest -=
                factors->values[i] * (columns[factors->kept[i]] / factors->scale[factors->kept[i]]);
        factors->y[place++] = sqrtl(weight) * rest;
    }

    turn(factors, factors->y);
    add_solution(factors);
}

static void fill_coefficients(const struct factors *factors, const struct least_squares *fit,
                              struct coefficient *coefficients)
{
    for (size_t column = 0; column < factors->width; column++)
        coefficients[column] = (struct coefficient){.aliased = true};
    double reach = fit->df ? t_quantile(0.975, (double)fit->df) : INFINITY;
    size_t rank = factors->rank;
    for (size_t i = 0; i < rank; i++) {
        long double square = 0;
        for (size_t j = rank; j-- > i;)
            square += factors->inverse[i * rank + j] * factors->inverse[i * rank + j];
        double scale = factors->scale[factors->kept[i]];
        struct coefficient *coefficient = &coefficients[factors->kept[i]];
        *coefficient = (struct coefficient){.value = (double)(factors->values[i] / scale),
                                            .error = INFINITY,
                                            .low = -INFINITY,
                                            .high = INFINITY};
        if (!fit->df)
            continue;
        coefficient->error = (double)(fit->residual_stdev * sqrtl(square) / scale);
        coefficient->low = coefficient->value - reach * coefficient->error;
        coefficient->high = coefficient->value + reach * coefficient->error;
    }
}

/* What of y no column reaches, turned back: exact zeros stay near zero, unlike in y - X b. Rows
 * without weight were not fitted and take y - X b. */
static void fill_residuals(struct factors *factors, const struct design *design,
                           const struct coefficient *coefficients, double *residuals)
{
    for (size_t i = 0; i < factors->rank; i++)
        factors->y[i] = 0;
    for (size_t i = factors->rank; i-- > 0;)
        reflect(factors->columns + factors->kept[i] * factors->rows, i, factors->rows, factors->y);
    size_t place = 0;
    for (size_t row = 0; row < design->rows; row++) {
        double weight = weight_of(design, row);
        if (weight > 0) {
            residuals[row] = (double)(factors->y[place++] / sqrtl(weight));
            continue;
        }
        long double residual = design->y[row];
        for (size_t column = 0; column < design->width; column++)
            residual -= (long double)coefficients[column].value *
                        design->columns[row * design->width + column];
        residuals[row] = (double)residual;
    }
}

int least_squares(const struct design *design, bool intercept, struct least_squares *fit,
                  struct coefficient *coefficients, double *residuals)
{
    AUTO_FACTORS struct factors factors = {0};
    size_t rows;
    int error = count_rows(design, &rows);
    if (error)
        return error;
    size_t most = design->width ? design->width : 1, height = rows ? rows : 1;
    factors.rows = rows;
    factors.width = design->width;
    factors.columns = memory_new(height, most * sizeof *factors.columns);
    factors.y = memory_new(height, sizeof *factors.y);
    factors.diagonal = memory_new(most, sizeof *factors.diagonal);
    factors.inverse = memory_new(most * most, sizeof *factors.inverse);
    factors.values = memory_new(most, sizeof *factors.values);
    factors.kept = memory_new(most, sizeof *factors.kept);
    factors.scale = memory_new(most, sizeof *factors.scale);
    size_t place = 0;
    for (size_t row = 0; row < design->rows; row++) {
        double weight = weight_of(design, row);
        if (weight == 0)
            continue;
        long double root = sqrtl(weight);
        factors.y[place] = root * design->y[row];
        for (size_t column = 0; column < design->width; column++)
            factors.columns[column * factors.rows + place] =
                root * design->columns[row * design->width + column];
        place++;
    }
    for (size_t column = 0; column < factors.width; column++) {
        long double *values = factors.columns + column * factors.rows;
        int exponent = 0;
        frexpl(length_of(values, 0, factors.rows), &exponent);
        factors.scale[column] = ldexp(1, exponent);
        for (size_t row = 0; row < factors.rows; row++)
            values[row] = ldexpl(values[row], -exponent);
    }
    for (size_t column = 0; column < factors.width; column++) {
        if (factors.rank == factors.rows)
            return -EINVAL;
        take_column(&factors, column);
    }

    solve(&factors, design);
    long double left = length_of(factors.y, factors.rank, factors.rows);
    long double mean = 0, weights = 0, total = 0;
    for (size_t row = 0; intercept && row < design->rows; row++) {
        weights += weight_of(design, row);
        mean += weight_of(design, row) * (long double)design->y[row];
    }
    if (weights > 0)
        mean /= weights;
    for (size_t row = 0; row < design->rows; row++) {
        long double deviation = design->y[row] - mean;
        total += weight_of(design, row) * deviation * deviation;
    }
    *fit = (struct least_squares){
        .rank = factors.rank,
        .df = factors.rows - factors.rank,
        .residual_sum = (double)(left * left),
        .total_sum = (double)total,
        .residual_stdev = INFINITY,
    };
    if (fit->df)
        fit->residual_stdev = (double)(left / sqrtl((long double)fit->df));
    if (total > 0)
        fit->r_squared = (double)(1 - left * left / total);
    fill_coefficients(&factors, fit, coefficients);
    if (residuals)
        fill_residuals(&factors, design, coefficients, residuals);
    return 0;
}

int straight_line(const double *x, const double *y, size_t count, struct least_squares *fit,
                  struct coefficient *intercept, struct coefficient *slope)
{
    AUTO_MEMORY double *columns = memory_new(count ? count : 1, 2 * sizeof *columns);
    for (size_t row = 0; row < count; row++) {
        columns[row * 2] = 1;
        columns[row * 2 + 1] = x[row];
    }
    struct coefficient both[2];
    int error = least_squares(&(struct design){columns, count, 2, y, NULL}, true, fit, both, NULL);
    if (error)
        return error;
    *intercept = both[0];
    *slope = both[1];
    return 0;
}
