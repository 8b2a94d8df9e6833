/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looking into the rows, captions and axes of figures. Include after cmocka.h. */
#pragma once

#include <math.h>

#include "output/figure.h"

#include "figure-shown.h"

static inline void expect_near(double value, double wanted, double apart)
{
    if (!(fabs(value - wanted) <= apart))
        fail_msg("%.17g is not %.17g", value, wanted);
}

/* NaN: null. */
static inline double figure_real(const json_t *figure, size_t row, const char *key)
{
    const json_t *cell = figure_cell(figure, row, key);
    if (!cell)
        fail_msg("%s: row %zu has no %s", figure_word(figure, "id"), row, key);
    return json_is_number(cell) ? json_number_value(cell) : (double)NAN;
}

/* The first row whose columns have these texts; key NULL: any. Ends the test where there is none.
 */
static inline size_t figure_row_with(const json_t *figure, const char *key, const char *text,
                                     const char *also, const char *its)
{
    for (size_t i = 0; i < figure_rows(figure); i++) {
        const char *one = json_string_value(figure_cell(figure, i, key));
        const char *other = also ? json_string_value(figure_cell(figure, i, also)) : NULL;
        if (one && strcmp(one, text) == 0 && (!also || (other && strcmp(other, its) == 0)))
            return i;
    }
    fail_msg("%s: no row has %s in %s", figure_word(figure, "id"), text, key);
    return 0;
}

static inline void figure_expect_caption(const json_t *figure, const char *words)
{
    if (!strstr(figure_word(figure, "caption"), words))
        fail_msg("'%s' is not in: %s", words, figure_word(figure, "caption"));
}

static inline bool figure_is_there(const json_t *figures, const char *id)
{
    size_t i;
    json_t *figure;
    json_array_foreach(figures, i, figure)
    {
        if (strcmp(figure_word(figure, "id"), id) == 0)
            return true;
    }
    return false;
}

/* Does a role draw on this axis? */
static inline bool figure_is_on_axis(const char *kind, const char *role, char axis)
{
    static const char *const across[] = {"value",  "low", "high", "min",    "q1",
                                         "median", "q3",  "max",  "before", "after"};
    bool flat = strcmp(kind, "points") != 0 && strcmp(kind, "lines") != 0;
    if (!flat && (strcmp(role, "low") == 0 || strcmp(role, "high") == 0))
        return axis == 'y';
    if (role[0] == axis && !role[1])
        return strcmp(kind, "matrix") != 0;
    for (size_t i = 0; axis == 'x' && i < sizeof(across) / sizeof(*across); i++)
        if (strcmp(role, across[i]) == 0)
            return strcmp(kind, "matrix") != 0;
    return false;
}

/* Has a log axis a place for every number? Ends the test where not. */
static inline void assert_figures_fit_their_axes(const json_t *figures)
{
    size_t i, at;
    json_t *figure, *column;
    json_array_foreach(figures, i, figure)
    {
        for (const char *axis = "xy"; *axis; axis++) {
            const char name[] = {*axis, '\0'};
            const json_t *its = json_object_get(figure, name);
            if (strcmp(figure_word(its, "scale"), "log") != 0)
                continue;
            json_array_foreach(json_object_get(figure, "columns"), at, column)
            {
                if (!figure_is_on_axis(figure_word(figure, "kind"), figure_word(column, "role"),
                                       *axis))
                    continue;
                for (size_t row = 0; row < figure_rows(figure); row++)
                    if (figure_real(figure, row, figure_word(column, "key")) <= 0)
                        fail_msg("%s: row %zu, %s is not above 0", figure_word(figure, "id"), row,
                                 figure_word(column, "key"));
            }
        }
    }
}

/* The figures, after both were asked of them. */
static inline json_t *figures_checked(json_t *figures)
{
    assert_figures_are_sound(figures);
    assert_figures_fit_their_axes(figures);
    return figures;
}
