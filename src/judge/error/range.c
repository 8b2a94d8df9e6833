/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far apart the levels of a factor lie. Means over all cells of a level would mix in what else
 * differs between those cells (several counters are only measured at one -O level, so that level's
 * mean is larger): only cells that agree in all other factors are compared, a stratum. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/error/levels.h"
#include "stats/least-squares.h"

/* Levels beyond which the fit would take seconds. */
static const size_t MOST_LEVELS = 400;

struct comparison {
    const struct error_levels *levels;
    enum error_factor factor;
    size_t *order;   /* cells, those of a stratum together */
    uint32_t *group; /* [level]: levels that strata connect share the smallest of them */
    double *columns; /* [row * width + level - 1]: is it that level? */
    double *y, *weights;
    size_t rows, width; /* rows beyond the cells are zeros */
};

static void comparison_release(struct comparison *comparison)
{
    free(comparison->order);
    free(comparison->group);
    free(comparison->columns);
    free(comparison->y);
    free(comparison->weights);
}

static int by_other_factors(const void *left, const void *right, void *context)
{
    const struct comparison *comparison = context;
    const struct error_observed *cells = comparison->levels->cells,
                                *one = &cells[*(const size_t *)left],
                                *other = &cells[*(const size_t *)right];
    for (unsigned i = 0; i < FACTOR_COUNT; i++)
        if (i != comparison->factor && one->levels[i] != other->levels[i])
            return one->levels[i] < other->levels[i] ? -1 : 1;
    return 0;
}

static int open_comparison(struct comparison *comparison)
{
    size_t count = comparison->levels->count;
    uint32_t levels = comparison->levels->levels[comparison->factor];
    comparison->width = levels - 1;
    /* The fit wants more rows than columns. Rows of zeros say nothing. */
    comparison->rows = count + comparison->width + 1;
    comparison->order = calloc(count + 1, sizeof(*comparison->order));
    comparison->group = calloc(levels, sizeof(*comparison->group));
    comparison->columns =
        calloc(comparison->rows * comparison->width, sizeof(*comparison->columns));
    comparison->y = calloc(comparison->rows, sizeof(*comparison->y));
    comparison->weights = calloc(comparison->rows, sizeof(*comparison->weights));
    if (!comparison->order || !comparison->group || !comparison->columns || !comparison->y ||
        !comparison->weights)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        comparison->order[i] = i;
    for (uint32_t i = 0; i < levels; i++)
        comparison->group[i] = i;
    for (size_t i = 0; i < comparison->rows; i++)
        comparison->weights[i] = 1;
    qsort_r(comparison->order, count, sizeof(*comparison->order), by_other_factors, comparison);
    return 0;
}

static uint32_t level_at(const struct comparison *comparison, size_t row)
{
    return comparison->levels->cells[comparison->order[row]].levels[comparison->factor];
}

/* Both groups are one from now on. */
static void connect(struct comparison *comparison, uint32_t left, uint32_t right)
{
    uint32_t one = comparison->group[left], other = comparison->group[right];
    uint32_t kept = one < other ? one : other, gone = one < other ? other : one;
    for (size_t i = 0; i <= comparison->width; i++)
        if (comparison->group[i] == gone)
            comparison->group[i] = kept;
}

/* Rows begin … end - 1 are a stratum: what is left of each when its mean is taken off. */
static void lay_stratum(struct comparison *comparison, size_t begin, size_t end)
{
    double weight = 0, mean = 0;
    for (size_t i = begin; i < end; i++) {
        const struct error_observed *cell = &comparison->levels->cells[comparison->order[i]];
        comparison->weights[i] = (double)cell->processes;
        weight += (double)cell->processes;
        mean += (double)cell->processes * cell->mean;
        connect(comparison, level_at(comparison, begin), level_at(comparison, i));
    }
    for (size_t i = begin; i < end && weight > 0; i++) {
        comparison->y[i] = comparison->levels->cells[comparison->order[i]].mean - mean / weight;
        uint32_t level = level_at(comparison, i);
        if (level)
            comparison->columns[i * comparison->width + level - 1] += 1;
        for (size_t j = begin; level && j < end; j++)
            comparison->columns[j * comparison->width + level - 1] -=
                comparison->weights[i] / weight;
    }
}

static void lay_strata(struct comparison *comparison)
{
    size_t count = comparison->levels->count;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && by_other_factors(&comparison->order[begin], &comparison->order[end],
                                               comparison) == 0)
            end++;
        lay_stratum(comparison, begin, end);
    }
}

/* The widest of the groups. In each the first level is where the others are measured from: 0. */
static double range_of(const struct comparison *comparison, const struct coefficient *coefficients)
{
    double range = NAN;
    for (uint32_t group = 0; group < comparison->width; group++) {
        double least = INFINITY, most = -INFINITY;
        size_t members = 0;
        for (uint32_t level = 0; level <= comparison->width; level++) {
            if (comparison->group[level] != group)
                continue;
            double value = level ? coefficients[level - 1].value : 0;
            least = fmin(least, value);
            most = fmax(most, value);
            members++;
        }
        if (members > 1)
            range = fmax(most - least, range); /* fmax ignores a NaN */
    }
    return range;
}

/* What rounding leaves of means that are equal. */
static double without_dust(double range, const struct error_levels *levels)
{
    double largest = 0;
    for (size_t i = 0; i < levels->count; i++)
        largest = fmax(largest, fabs(levels->cells[i].mean));
    return range < 1e-12 * largest ? 0 : range;
}

int error_range_of(const struct error_levels *levels, enum error_factor factor, double *range)
{
    __attribute__((cleanup(comparison_release))) struct comparison comparison = {.levels = levels,
                                                                                 .factor = factor};
    *range = NAN;
    if (levels->levels[factor] < 2 || levels->levels[factor] > MOST_LEVELS)
        return 0;
    AUTO_FREE struct coefficient *coefficients =
        calloc(levels->levels[factor], sizeof(*coefficients));
    if (!coefficients || open_comparison(&comparison))
        return -ENOMEM;
    lay_strata(&comparison);
    struct design design = {comparison.columns, comparison.rows, comparison.width, comparison.y,
                            comparison.weights};
    struct least_squares fit;
    int error = least_squares(&design, false, &fit, coefficients, NULL);
    if (!error)
        *range = without_dust(range_of(&comparison, coefficients), levels);
    return error == -ENOMEM ? error : 0;
}
