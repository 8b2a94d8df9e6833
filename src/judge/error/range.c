/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far apart the levels of a factor lie. Means over all cells of a level would mix in what else
 * differs between those cells (several counters are only measured at one -O level, so that level's
 * mean is larger): the levels are compared in a linear model that holds the other factors. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/error/levels.h"
#include "stats/least-squares.h"

/* Columns beyond which the fit would take seconds. */
static const size_t MOST_COLUMNS = 400;

struct layout {
    size_t begins[FACTOR_COUNT]; /* first column of each factor's levels but the first … */
    size_t combinations;         /* … and of path and pattern together */
    bool combined;
    size_t width;
};

static bool has(const struct error_levels *levels, enum error_factor factor)
{
    return levels->factors >> factor & 1;
}

/* The factor itself comes last: what the others explain as well is not its own. */
static struct layout lay_out(const struct error_levels *levels, enum error_factor factor)
{
    struct layout layout = {.width = 1};
    layout.combined = factor != FACTOR_PATH && factor != FACTOR_PATTERN &&
                      has(levels, FACTOR_PATH) && has(levels, FACTOR_PATTERN);
    if (layout.combined) {
        layout.combinations = layout.width;
        layout.width += (size_t)levels->levels[FACTOR_PATH] * levels->levels[FACTOR_PATTERN];
    }
    for (unsigned i = 0; i <= FACTOR_COUNT; i++) {
        unsigned one = i < FACTOR_COUNT ? i : factor;
        bool combined = layout.combined && (one == FACTOR_PATH || one == FACTOR_PATTERN);
        if (i == factor || combined || !has(levels, (enum error_factor)one))
            continue;
        layout.begins[one] = layout.width;
        layout.width += levels->levels[one] - 1;
    }
    return layout;
}

static void fill_row(const struct error_levels *levels, const struct layout *layout,
                     const struct error_observed *observed, double *row)
{
    row[0] = 1;
    if (layout->combined)
        row[layout->combinations +
            (size_t)observed->levels[FACTOR_PATH] * levels->levels[FACTOR_PATTERN] +
            observed->levels[FACTOR_PATTERN]] = 1;
    for (unsigned i = 0; i < FACTOR_COUNT; i++)
        if (layout->begins[i] && observed->levels[i])
            row[layout->begins[i] + observed->levels[i] - 1] = 1;
}

/* What rounding leaves of means that are equal. */
static double without_dust(double range, const struct error_levels *levels)
{
    double largest = 0;
    for (size_t i = 0; i < levels->count; i++)
        largest = fmax(largest, fabs(levels->cells[i].mean));
    return range < 1e-12 * largest ? 0 : range;
}

/* The first level is where the others are measured from: 0. */
static double range_of(const struct coefficient *coefficients, size_t count)
{
    double least = 0, most = 0;
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        if (coefficients[i].aliased)
            continue;
        known = true;
        least = fmin(least, coefficients[i].value);
        most = fmax(most, coefficients[i].value);
    }
    return known ? most - least : NAN;
}

int error_range_of(const struct error_levels *levels, enum error_factor factor, double *range)
{
    struct layout layout = lay_out(levels, factor);
    *range = NAN;
    if (!has(levels, factor) || layout.width > MOST_COLUMNS)
        return 0;
    /* The fit wants more rows than columns. Rows of zeros say nothing. */
    size_t rows = levels->count + layout.width + 1;
    AUTO_FREE double *columns = calloc(rows * layout.width, sizeof(*columns));
    AUTO_FREE double *means = calloc(rows, sizeof(*means));
    AUTO_FREE double *weights = calloc(rows, sizeof(*weights));
    AUTO_FREE struct coefficient *coefficients = calloc(layout.width, sizeof(*coefficients));
    if (!columns || !means || !weights || !coefficients)
        return -ENOMEM;
    for (size_t i = 0; i < rows; i++) {
        bool real = i < levels->count;
        weights[i] = real ? (double)levels->cells[i].processes : 1;
        means[i] = real ? levels->cells[i].mean : 0;
        if (real)
            fill_row(levels, &layout, &levels->cells[i], columns + i * layout.width);
    }
    struct design design = {columns, rows, layout.width, means, weights};
    struct least_squares fit;
    int error = least_squares(&design, false, &fit, coefficients, NULL);
    if (!error)
        *range = without_dust(
            range_of(coefficients + layout.begins[factor], levels->levels[factor] - 1), levels);
    return error == -ENOMEM ? error : 0;
}
