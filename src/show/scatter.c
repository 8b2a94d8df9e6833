/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws points on a grid of characters. Every place remembers which series are in it, so that the
 * order of drawing decides nothing. */
#include "show/scatter.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/plot.h"
#include "show/utf8.h"

#define COLUMNS_A_TICK 9.0
#define ROWS_A_TICK    3.0
#define LEAST_PLOT     16u
#define GAP            2u

/* Signs behind those of the series. */
enum sign {
    SIGN_SEVERAL = SCATTER_SERIES_MOST,
    SIGN_ABOVE,
    SIGN_BELOW,
    SIGN_LINE,
    SIGN_UPRIGHT,
    SIGN_LEVEL,
    SIGN_TICK,
    SIGN_CORNER,
    SIGNS
};
static const char *const unicode_signs[SIGNS] = {
    "\u25cf",
    "\u25cb",
    "\u25b3",
    "\u25c7",
    "\u25a1",
    "\u00d7",
    [SIGN_SEVERAL] = "\u2588",
    [SIGN_ABOVE] = "\u2191",
    [SIGN_BELOW] = "\u2193",
    [SIGN_LINE] = "\u00b7",
    [SIGN_UPRIGHT] = "\u2502",
    [SIGN_LEVEL] = "\u2500",
    [SIGN_TICK] = "\u253c",
    [SIGN_CORNER] = "\u2514",
};
static const char *const ascii_signs[SIGNS] = {
    "o",
    "x",
    "+",
    "%",
    "@",
    "&",
    [SIGN_SEVERAL] = "#",
    [SIGN_ABOVE] = "^",
    [SIGN_BELOW] = "v",
    [SIGN_LINE] = ".",
    [SIGN_UPRIGHT] = "|",
    [SIGN_LEVEL] = "-",
    [SIGN_TICK] = "+",
    [SIGN_CORNER] = "+",
};

/* What is in one place: a bit for each series and for each of the other signs. */
typedef uint32_t place;

struct plot {
    const struct scatter *scatter;
    const char *const *signs;
    struct axis across, up;
    size_t columns, rows;
    size_t names;  /* columns of the names of the upright axis */
    place *places; /* [row * columns + column], row 0 lowest */
    place seen;    /* all of them together: signs that need an explanation */
    struct text *out;
};

static bool has_place(const struct scatter *scatter, const struct scatter_point *point)
{
    return isfinite(point->x) && isfinite(point->y) && point->series < scatter->series_count &&
           point->series < SCATTER_SERIES_MOST;
}

/* --- axes --- */

static void extend_by_line(const struct scatter *scatter, const struct axis_extent *across,
                           struct axis_extent *up)
{
    if (!scatter->line)
        return;
    axis_extend(up, scatter->slope * across->low);
    axis_extend(up, scatter->slope * across->high);
}

/* The upright axis shows all of the line, and points as far as their limits. */
static bool make_axes(struct plot *plot)
{
    const struct scatter *scatter = plot->scatter;
    struct axis_extent across = {0}, up = {0};
    for (size_t i = 0; i < scatter->count; i++)
        if (has_place(scatter, &scatter->points[i]))
            axis_extend(&across, scatter->points[i].x);
    if (!across.any)
        return false;
    extend_by_line(scatter, &across, &up);
    bool limited = scatter->beyond > 0 && scatter->line;
    double most = limited ? scatter->beyond * fmax(up.high, 0) : INFINITY;
    double least = limited ? fmin(up.low, 0) : -INFINITY;
    for (size_t i = 0; i < scatter->count; i++)
        if (has_place(scatter, &scatter->points[i]))
            axis_extend(&up, fmax(least, fmin(most, scatter->points[i].y)));
    axis_make_linear(&plot->up, &up, plot->rows, ROWS_A_TICK);
    for (size_t i = 0; i < plot->up.tick_count; i++) {
        char name[AXIS_TEXT_SIZE];
        axis_name(plot->up.ticks[i].value, name, sizeof(name));
        plot->names = strlen(name) > plot->names ? strlen(name) : plot->names;
    }
    return true;
}

static void make_axis_across(struct plot *plot, size_t width)
{
    struct axis_extent across = {0};
    for (size_t i = 0; i < plot->scatter->count; i++)
        if (has_place(plot->scatter, &plot->scatter->points[i]))
            axis_extend(&across, plot->scatter->points[i].x);
    size_t taken = plot->names + GAP; /* a blank and the axis */
    plot->columns = width > taken + LEAST_PLOT ? width - taken : LEAST_PLOT;
    axis_make_linear(&plot->across, &across, plot->columns, COLUMNS_A_TICK);
}

/* --- places --- */

static void mark(struct plot *plot, size_t row, size_t column, enum sign sign)
{
    plot->places[row * plot->columns + column] |= (place)1 << sign;
}

static void mark_line(struct plot *plot)
{
    const struct axis *across = &plot->across, *up = &plot->up;
    for (size_t column = 0; plot->scatter->line && column < plot->columns; column++) {
        double share = (double)column / (double)(plot->columns - 1);
        double y = plot->scatter->slope * (across->low + share * (across->high - across->low));
        if (y >= up->low && y <= up->high)
            mark(plot, axis_column(up, y), column, SIGN_LINE);
    }
}

static void mark_points(struct plot *plot)
{
    for (size_t i = 0; i < plot->scatter->count; i++) {
        const struct scatter_point *point = &plot->scatter->points[i];
        if (!has_place(plot->scatter, point))
            continue;
        size_t column = axis_column(&plot->across, point->x);
        if (point->y > plot->up.high)
            mark(plot, plot->rows - 1, column, SIGN_ABOVE);
        else if (point->y < plot->up.low)
            mark(plot, 0, column, SIGN_BELOW);
        else
            mark(plot, axis_column(&plot->up, point->y), column, (enum sign)point->series);
    }
}

/* What is shown of a place: points before edges, edges before the line. -1: nothing. */
static int sign_of(place here)
{
    place series = here & (((place)1 << SCATTER_SERIES_MOST) - 1);
    if (series)
        return series & (series - 1) ? SIGN_SEVERAL : __builtin_ctz(series);
    return here ? __builtin_ctz(here) : -1;
}

/* --- lines --- */

static const struct axis_tick *tick_at(const struct axis *axis, size_t column)
{
    for (size_t i = 0; i < axis->tick_count; i++)
        if (axis->ticks[i].column == column)
            return &axis->ticks[i];
    return NULL;
}

static void put_row(struct plot *plot, size_t row)
{
    const struct axis_tick *tick = tick_at(&plot->up, row);
    char name[AXIS_TEXT_SIZE] = "";
    size_t pending = 0;
    if (tick)
        axis_name(tick->value, name, sizeof(name));
    text_printf(plot->out, "%*s %s", (int)plot->names, name,
                plot->signs[tick ? SIGN_TICK : SIGN_UPRIGHT]);
    for (size_t column = 0; column < plot->columns; column++) {
        int sign = sign_of(plot->places[row * plot->columns + column]);
        if (sign < 0) {
            pending++;
            continue;
        }
        plot->seen |= (place)1 << sign;
        text_printf(plot->out, "%*s%s", (int)pending, "", plot->signs[sign]);
        pending = 0;
    }
    text_putc(plot->out, '\n');
}

/* The axis, and its numbers below it. */
static void put_axis_across(const struct plot *plot)
{
    const struct axis *axis = &plot->across;
    size_t at = 0, owed = plot->names + GAP;
    text_printf(plot->out, "%*s%s", (int)plot->names + 1, "", plot->signs[SIGN_CORNER]);
    for (size_t column = 0; column < plot->columns; column++)
        text_puts(plot->out, plot->signs[tick_at(axis, column) ? SIGN_TICK : SIGN_LEVEL]);
    text_putc(plot->out, '\n');
    for (size_t i = 0; i < axis->tick_count; i++) {
        const struct axis_tick *tick = &axis->ticks[i];
        if (!tick->text[0])
            continue;
        text_printf(plot->out, "%*s%s", (int)(owed + tick->start - at), "", tick->text);
        at = tick->start + strlen(tick->text);
        owed = 0;
    }
    text_putc(plot->out, '\n');
}

/* --- what the signs mean --- */

/* One after the other, in further lines where the width is used up. */
static void put_meaning(const struct plot *plot, size_t sign, const char *words, size_t width,
                        size_t *at)
{
    AUTO_TEXT struct text clean = {0};
    text_put_clean(&clean, words);
    size_t columns = GAP + utf8_columns(text_string(&clean));
    bool fits = !*at || *at + GAP + columns <= width;
    text_puts(plot->out, !*at ? "" : fits ? "  " : "\n");
    *at = fits && *at ? *at + GAP + columns : columns;
    text_printf(plot->out, "%s %s", plot->signs[sign], text_string(&clean));
    plot->out->failed |= clean.failed;
}

static void put_meanings(const struct plot *plot, size_t width)
{
    const struct scatter *scatter = plot->scatter;
    const struct {
        enum sign sign;
        const char *words;
    } others[] = {{SIGN_SEVERAL, "several of them"},
                  {SIGN_ABOVE, "farther up"},
                  {SIGN_BELOW, "farther down"},
                  {SIGN_LINE, scatter->line}};
    size_t at = 0;
    for (size_t i = 0; i < scatter->series_count && i < SCATTER_SERIES_MOST; i++)
        put_meaning(plot, i, scatter->series[i], width, &at);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (plot->seen & (place)1 << others[i].sign)
            put_meaning(plot, others[i].sign, others[i].words, width, &at);
    text_putc(plot->out, '\n');
}

void scatter_put(const struct scatter *scatter, const struct style *style, struct text *out)
{
    struct plot plot = {.scatter = scatter,
                        .signs = utf8_is_expected() ? unicode_signs : ascii_signs,
                        .rows = scatter->rows < 2 ? 2 : scatter->rows,
                        .out = out};
    if (!make_axes(&plot))
        return;
    make_axis_across(&plot, style->width);
    AUTO_FREE place *places = calloc(plot.rows * plot.columns, sizeof(*places));
    if (!places) {
        out->failed = true;
        return;
    }
    plot.places = places;
    mark_line(&plot);
    mark_points(&plot);
    for (size_t row = plot.rows; row-- > 0;)
        put_row(&plot, row);
    put_axis_across(&plot);
    put_meanings(&plot, style->width);
}
