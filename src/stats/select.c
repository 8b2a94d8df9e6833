/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sparse linear regression. Every single column and every pair is tried, larger sets grow from the
 * best smaller one and have their members exchanged while that helps. All on rows divided by sigma
 * and columns of length 1, orthogonalised explicitly: a Gram matrix would lose what an offset of 1
 * adds to counts of 1e12. */
#include "stats/select.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"

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
