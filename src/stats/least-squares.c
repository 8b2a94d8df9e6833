/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Householder's QR in long double, columns taken in their order and scaled to about unit length.
 * GSL's own pivots by length, so it would alias a column before the one it depends on, and works
 * in double, which costs nearly dependent columns half their digits. */
#include "stats/least-squares.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    long double dust;      /* length of what doubles cannot tell of y: less is rounding */
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
        const bool told = fabsl(factors->values[i]) > factors->dust * sqrtl(square);
        *coefficient =
            (struct coefficient){.value = told ? (double)(factors->values[i] / scale) : 0,
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

    factors.dust = DBL_EPSILON * length_of(factors.y, 0, factors.rows);
    solve(&factors, design);
    long double left = length_of(factors.y, factors.rank, factors.rows);
    left = left > factors.dust ? left : 0;
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
    total = total > factors.dust * factors.dust ? total : 0;
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

/* Sparse linear regression. Every single column and every pair is tried, larger sets grow from the
 * best smaller one and have their members exchanged while that helps. All on rows divided by sigma
 * and columns of length 1, orthogonalised explicitly: a Gram matrix would lose what an offset of 1
 * adds to counts of 1e12. */

#define NONE            SIZE_MAX
#define DEPENDENT       1e-9 /* squared length that is left of a column within the others' span */
#define SAME            1e-3 /* square sums, in units of sigma squared, that are the same */
#define INDISTINCT      4.0  /* the same, for data with noise: two standard errors */
#define ALIKE           9.0  /* further apart, one of them fits clearly better */
#define EXCHANGE_ROUNDS 4
#define SPEAKERS_LEAST  3 /* rows that a term must appear in … */
#define SPEAKERS_EXACT  2 /* … and where y has no noise: one tells its size, one proves it */

/* The problem with rows and columns scaled. */
struct scaled {
    size_t rows, width;
    double *columns; /* [column * rows + row] */
    double *lengths; /* [column] that were divided away; 0: the column is no candidate */
    double *y;
    double *work; /* a column */
};

/* An orthonormal basis of some columns, and what is left of y outside of it. */
struct basis {
    size_t rows, count;
    double *vectors;  /* [SELECT_MOST * rows] */
    double *residual; /* [rows] */
    double square;    /* of the residual */
};

static double product(const double *left, const double *right, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += left[i] * right[i];
    return sum;
}

static void take_away(double *from, double factor, const double *vector, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        from[i] -= factor * vector[i];
}

/* Takes out of a column of scaled rows what a shared error could make of it: the inverse root of
 * its covariance, which is 1 but for the direction of every group. */
static void whiten(const struct selection *selection, double *column)
{
    for (size_t group = 0; selection->groups && group < selection->group_count; group++) {
        double square = 0, along = 0, shared = selection->shared[group];
        for (size_t i = 0; i < selection->rows; i++)
            if (selection->groups[i] == group) {
                double direction = shared / selection->sigma[i];
                square += direction * direction;
                along += direction * column[i];
            }
        if (!(square > 0))
            continue;
        double less = (1 - 1 / sqrt(1 + square)) * along / square;
        for (size_t i = 0; i < selection->rows; i++)
            if (selection->groups[i] == group)
                column[i] -= less * shared / selection->sigma[i];
    }
}

static void scale_problem(const struct selection *selection, struct scaled *scaled,
                          struct basis *basis)
{
    size_t rows = selection->rows, width = selection->width;
    *scaled = (struct scaled){.rows = rows, .width = width};
    scaled->columns = memory_new(rows * width + 1, sizeof(double));
    scaled->lengths = memory_new(width + 1, sizeof(double));
    scaled->y = memory_new(rows + 1, sizeof(double));
    scaled->work = memory_new(rows + 1, sizeof(double));
    *basis = (struct basis){.rows = rows};
    basis->vectors = memory_new(SELECT_MOST * rows + 1, sizeof(double));
    basis->residual = memory_new(rows + 1, sizeof(double));
    for (size_t i = 0; i < rows; i++)
        scaled->y[i] = selection->y[i] / selection->sigma[i];
    whiten(selection, scaled->y);
    for (size_t j = 0; j < width; j++) {
        double *column = scaled->columns + j * rows;
        size_t speakers = 0;
        for (size_t i = 0; i < rows; i++) {
            column[i] = selection->columns[j][i] / selection->sigma[i];
            speakers += selection->columns[j][i] != 0;
        }
        whiten(selection, column);
        double length = sqrt(product(column, column, rows));
        size_t least = selection->exact ? SPEAKERS_EXACT : SPEAKERS_LEAST;
        if (speakers < least || !isnormal(length))
            continue;
        scaled->lengths[j] = length;
        for (size_t i = 0; i < rows; i++)
            column[i] /= length;
    }
}

static void give_back(const struct scaled *scaled, const struct basis *basis)
{
    double *const lists[] = {scaled->columns, scaled->lengths, scaled->y,
                             scaled->work,    basis->vectors,  basis->residual};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        memory_give_back(lists[i]);
}

/* What of the column is outside of the basis, into `rest`; its squared length. Twice is enough. */
static double outside(const struct basis *basis, const double *column, double *rest)
{
    memcpy(rest, column, basis->rows * sizeof(double));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < basis->count; i++) {
            const double *vector = basis->vectors + i * basis->rows;
            take_away(rest, product(rest, vector, basis->rows), vector, basis->rows);
        }
    return product(rest, rest, basis->rows);
}

/* false: the column depends on those before it. */
static bool basis_add(struct basis *basis, const struct scaled *scaled, size_t column)
{
    double *vector = basis->vectors + basis->count * basis->rows;
    double square = outside(basis, scaled->columns + column * scaled->rows, vector);
    if (square < DEPENDENT)
        return false;
    for (size_t i = 0; i < basis->rows; i++)
        vector[i] /= sqrt(square);
    for (int pass = 0; pass < 2; pass++)
        take_away(basis->residual, product(basis->residual, vector, basis->rows), vector,
                  basis->rows);
    basis->count++;
    basis->square = product(basis->residual, basis->residual, basis->rows);
    return true;
}

/* The basis of these columns; NONE among them is passed over. */
static bool basis_of(struct basis *basis, const struct scaled *scaled, const size_t *columns,
                     size_t count)
{
    basis->count = 0;
    memcpy(basis->residual, scaled->y, scaled->rows * sizeof(double));
    basis->square = product(basis->residual, basis->residual, basis->rows);
    bool independent = true;
    for (size_t i = 0; i < count; i++)
        if (columns[i] != NONE)
            independent &= basis_add(basis, scaled, columns[i]);
    return independent;
}

/* The square sum that would be left if this column were added. */
static double square_with(const struct basis *basis, const struct scaled *scaled, size_t column)
{
    double square = outside(basis, scaled->columns + column * scaled->rows, scaled->work);
    if (square < DEPENDENT)
        return INFINITY;
    double along = product(scaled->work, basis->residual, basis->rows);
    return fmax(basis->square - along * along / square, 0);
}

/* The column that leaves least; of equals the first. */
static size_t best_addition(const struct basis *basis, const struct scaled *scaled, double *square)
{
    size_t best = NONE;
    *square = INFINITY;
    for (size_t j = 0; j < scaled->width; j++) {
        if (scaled->lengths[j] == 0)
            continue;
        double with = square_with(basis, scaled, j);
        if (with < *square - SAME - 1e-9 * with) {
            best = j;
            *square = with;
        }
    }
    return best;
}

/* The best pair of all; a single one when no pair is independent. */
static size_t best_pair(struct basis *basis, const struct scaled *scaled, size_t pair[2])
{
    double least = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < scaled->width; i++) {
        if (scaled->lengths[i] == 0)
            continue;
        double square;
        basis_of(basis, scaled, &i, 1);
        size_t second = best_addition(basis, scaled, &square);
        if (second != NONE && square < least - SAME - 1e-9 * square) {
            least = square;
            pair[0] = i;
            pair[1] = second;
            count = 2;
        }
    }
    return count;
}

/* Members are exchanged one at a time while that leaves less. */
static void exchange(struct basis *basis, const struct scaled *scaled, size_t *columns,
                     size_t count)
{
    for (int round = 0; round < EXCHANGE_ROUNDS; round++) {
        bool changed = false;
        for (size_t i = 0; i < count; i++) {
            basis_of(basis, scaled, columns, count);
            double before = basis->square, after;
            size_t kept = columns[i];
            columns[i] = NONE;
            basis_of(basis, scaled, columns, count);
            size_t other = best_addition(basis, scaled, &after);
            bool better = other != NONE && after < before - SAME - 1e-9 * before;
            columns[i] = better ? other : kept;
            changed |= better;
        }
        if (!changed)
            return;
    }
}

/* Coefficients and their standard errors for sigma 1: each column's part outside of all others. */
static void coefficients(struct basis *basis, const struct scaled *scaled, const size_t *columns,
                         size_t count, struct selected_term *terms)
{
    for (size_t i = 0; i < count; i++) {
        size_t others[SELECT_MOST];
        memcpy(others, columns, count * sizeof(*columns));
        others[i] = NONE;
        basis_of(basis, scaled, others, count);
        double square = outside(basis, scaled->columns + columns[i] * scaled->rows, scaled->work);
        double along = product(scaled->work, basis->residual, basis->rows);
        double length = scaled->lengths[columns[i]];
        terms[i] = (struct selected_term){.column = columns[i],
                                          .value = along / square / length,
                                          .error = 1 / sqrt(square) / length,
                                          .share = along * along / square};
    }
}

/* What a set of columns makes of it. false: some column depends on the others. */
static bool fit_columns(struct basis *basis, const struct scaled *scaled,
                        const struct selection *selection, const size_t *columns, size_t count,
                        struct selected *fit)
{
    *fit = (struct selected){.count = count, .total = product(scaled->y, scaled->y, scaled->rows)};
    coefficients(basis, scaled, columns, count, fit->terms);
    bool independent = basis_of(basis, scaled, columns, count);
    fit->residual = basis->square;
    double rows_df = scaled->rows > count ? (double)(scaled->rows - count) : 0;
    double variance = rows_df > 0 ? fit->residual / rows_df : INFINITY;
    fit->scale = variance > 1 ? sqrt(variance) : 1;
    fit->df = variance > 1 ? fmax(rows_df, 1) : fmax(rows_df, selection->noise_df);
    for (size_t i = 0; i < scaled->rows; i++)
        fit->worst = fmax(fit->worst, fabs(basis->residual[i]) * selection->sigma[i]);
    double t = t_quantile(0.975, fit->df);
    for (size_t i = 0; i < count; i++) {
        struct selected_term *term = &fit->terms[i];
        term->error *= fit->scale;
        term->low = term->value - t * term->error;
        term->high = term->value + t * term->error;
        term->share = fit->total > 0 ? fmin(term->share / fit->total, 1) : 0;
    }
    return independent;
}

/* Still there when the row that speaks most for it says nothing? */
static bool holds_without_speaker(struct basis *basis, struct scaled *scaled, const size_t *columns,
                                  size_t count, size_t term, const struct selected *fit,
                                  double limit)
{
    size_t rows = scaled->rows, speaker = 0;
    const double *column = scaled->columns + columns[term] * rows;
    for (size_t i = 1; i < rows; i++)
        if (fabs(column[i] * scaled->y[i]) > fabs(column[speaker] * scaled->y[speaker]))
            speaker = i;
    /* A row without weight is no row; put back afterwards. */
    double kept[SELECT_MOST + 1];
    for (size_t i = 0; i < count; i++) {
        kept[i] = scaled->columns[columns[i] * rows + speaker];
        scaled->columns[columns[i] * rows + speaker] = 0;
    }
    kept[count] = scaled->y[speaker];
    scaled->y[speaker] = 0;
    struct selected_term terms[SELECT_MOST];
    coefficients(basis, scaled, columns, count, terms);
    for (size_t i = 0; i < count; i++)
        scaled->columns[columns[i] * rows + speaker] = kept[i];
    scaled->y[speaker] = kept[count];
    double t = terms[term].value / (terms[term].error * fit->scale);
    return isfinite(t) && fabs(t) > limit / 2 && t * fit->terms[term].value > 0;
}

static bool all_significant(struct basis *basis, struct scaled *scaled,
                            const struct selection *selection, const size_t *columns, size_t count,
                            const struct selected *fit)
{
    /* The t that chance exceeds in no more than `level` of all such searches. A pair of nearly
     * dependent columns can point anywhere in their plane, hence the square. */
    double candidates = 0;
    for (size_t j = 0; j < scaled->width; j++)
        candidates += scaled->lengths[j] > 0;
    double tests = count > 1 ? candidates * candidates : candidates;
    double limit = -t_quantile(selection->level / (2 * fmax(tests, 1)), fit->df);

    for (size_t i = 0; i < count; i++) {
        const struct selected_term *term = &fit->terms[i];
        if (!(fabs(term->value) > limit * term->error))
            return false;
        if (!holds_without_speaker(basis, scaled, columns, count, i, fit, limit))
            return false;
    }
    return true;
}

/* Sets of one, two … `most` columns; the largest whose every member counts. */
static void search(struct basis *basis, struct scaled *scaled, const struct selection *selection,
                   struct selected *selected)
{
    size_t columns[SELECT_MOST], tried[SELECT_MOST];
    size_t most = selection->most < SELECT_MOST ? selection->most : SELECT_MOST;
    for (size_t count = 1; count <= most && count < scaled->rows; count++) {
        double square;
        if (count == 2) {
            if (best_pair(basis, scaled, columns) != 2)
                return;
        } else {
            basis_of(basis, scaled, columns, count - 1);
            columns[count - 1] = best_addition(basis, scaled, &square);
            if (columns[count - 1] == NONE)
                return;
            exchange(basis, scaled, columns, count);
        }
        memcpy(tried, columns, sizeof(tried));
        /* Where an earlier column does as well within the noise, the declared order decides. */
        for (size_t i = 0; i < count; i++) {
            basis_of(basis, scaled, tried, count);
            double rows_df = fmax((double)scaled->rows - (double)count, 1);
            double variance = fmax(basis->square / rows_df, 1);
            double limit = basis->square + (selection->exact ? SAME : INDISTINCT * variance);
            size_t kept = tried[i];
            tried[i] = NONE;
            basis_of(basis, scaled, tried, count);
            tried[i] = kept;
            for (size_t j = 0; j < kept; j++)
                if (scaled->lengths[j] > 0 && square_with(basis, scaled, j) <= limit) {
                    tried[i] = j;
                    break;
                }
        }

        struct selected fit;
        if (fit_columns(basis, scaled, selection, tried, count, &fit) &&
            all_significant(basis, scaled, selection, tried, count, &fit))
            *selected = fit;
        if (fit.residual < SAME)
            return; /* nothing is left to be explained */
    }
}

static int by_share(const void *left, const void *right)
{
    double a = ((const struct selected_term *)left)->share;
    double b = ((const struct selected_term *)right)->share;
    return (a < b) - (a > b);
}

int select_terms(const struct selection *selection, struct selected *selected)
{
    struct scaled scaled;
    struct basis basis;
    *selected = (struct selected){.scale = 1, .df = 1};
    scale_problem(selection, &scaled, &basis);
    selected->total = selected->residual = product(scaled.y, scaled.y, scaled.rows);
    if (selected->total > SAME)
        search(&basis, &scaled, selection, selected);
    qsort(selected->terms, selected->count, sizeof(*selected->terms), by_share);
    give_back(&scaled, &basis);
    return 0;
}

int select_alike(const struct selection *selection, const struct selected *selected, size_t term,
                 bool *alike)
{
    struct scaled scaled;
    struct basis basis;
    size_t columns[SELECT_MOST];
    scale_problem(selection, &scaled, &basis);
    for (size_t i = 0; i < selected->count; i++)
        columns[i] = i == term ? NONE : selected->terms[i].column;
    basis_of(&basis, &scaled, columns, selected->count);
    double room = selection->exact ? SAME : ALIKE * selected->scale * selected->scale;
    for (size_t j = 0; j < scaled.width; j++)
        alike[j] = scaled.lengths[j] > 0 && j != selected->terms[term].column &&
                   square_with(&basis, &scaled, j) <= selected->residual + room;
    give_back(&scaled, &basis);
    return 0;
}
