/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plots of characters: an axis, boxes over it, points over two of them. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/plot.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * Chooses the kind of an axis, its ends and its ticks. */

#define LINEAR_UP_TO    10.0 /* largest over smallest magnitude */
#define COLUMNS_A_TICK  9.0  /* on a linear axis */
#define PLAIN_LABELS_TO 1e6  /* beyond it a power of ten is shorter */

static const char *const axis_kind_words[] = {
    [AXIS_LINEAR] = "", [AXIS_LOG] = "log axis", [AXIS_BOTH_WAYS] = "log about 0"};

void axis_extend(struct axis_extent *extent, double value)
{
    if (!isfinite(value))
        return;
    double magnitude = fabs(value);
    extent->low = !extent->any || value < extent->low ? value : extent->low;
    extent->high = !extent->any || value > extent->high ? value : extent->high;
    if (magnitude > 0 && (extent->smallest == 0 || magnitude < extent->smallest))
        extent->smallest = magnitude;
    if (magnitude > extent->largest)
        extent->largest = magnitude;
    extent->any = true;
}

/* --- where a value lies --- */

/* On the scale of the axis; halves, so that ends of opposite signs do not overflow. */
static double scaled(const struct axis *axis, double value)
{
    if (axis->kind == AXIS_LOG)
        return log10(value > axis->low ? value : axis->low);
    if (axis->kind == AXIS_LINEAR)
        return value / 2;
    double magnitude = fabs(value);
    double distance = magnitude <= axis->threshold ? magnitude / axis->threshold
                                                   : 1 + log10(magnitude) - log10(axis->threshold);
    return value < 0 ? -distance : distance;
}

size_t axis_column(const struct axis *axis, double value)
{
    double low = scaled(axis, axis->low), high = scaled(axis, axis->high);
    double share = high > low ? (scaled(axis, value) - low) / (high - low) : 0;
    share = !(share > 0) ? 0 : share > 1 ? 1 : share; /* of values too far apart there is none */
    return (size_t)lrint(share * (double)(axis->columns - 1));
}

/* --- ticks --- */

/* 1,000 and 0.5, but 1e6; 250 instead of 2.5e2. */
static void axis_name(double value, char *text, size_t size)
{
    double magnitude = fabs(value);
    if (magnitude >= PLAIN_LABELS_TO || (magnitude > 0 && magnitude < 1e-4)) {
        int exponent = (int)floor(log10(magnitude) + 1e-9);
        snprintf(text, size, "%.3ge%d", value / pow(10, exponent), exponent);
    } else if (magnitude >= 1000) {
        char grouped[NUMBER_SIZE];
        number_count((uint64_t)llrint(magnitude), grouped, sizeof(grouped));
        snprintf(text, size, "%s%.20s", value < 0 ? "-" : "", grouped);
    } else {
        snprintf(text, size, "%.4g", value);
    }
}

/* Does the text keep a blank to all others? */
static bool is_free(const struct axis *axis, size_t start, size_t length)
{
    for (size_t i = 0; i < axis->tick_count; i++) {
        const struct axis_tick *other = &axis->ticks[i];
        if (other->text[0] && start <= other->start + strlen(other->text) &&
            other->start <= start + length)
            return false;
    }
    return true;
}

/* Its text is centred on the tick as far as the ends allow, and left out where another stands. */
static void add_tick(struct axis *axis, double value)
{
    struct axis_tick tick = {.value = value};
    if (value < axis->low || value > axis->high || axis->tick_count == AXIS_TICKS_MOST)
        return;
    axis_name(value, tick.text, sizeof(tick.text));
    size_t length = strlen(tick.text);
    tick.column = axis_column(axis, value);
    tick.start = tick.column > length / 2 ? tick.column - length / 2 : 0;
    if (tick.start + length > axis->columns)
        tick.start = axis->columns > length ? axis->columns - length : 0;
    if (length > axis->columns || !is_free(axis, tick.start, length))
        tick.text[0] = '\0';
    size_t at = axis->tick_count++;
    for (; at && axis->ticks[at - 1].start > tick.start; at--)
        axis->ticks[at] = axis->ticks[at - 1];
    axis->ticks[at] = tick;
}

/* 1, 2 or 5 times a power of ten, not below the value. */
static double round_step(double value)
{
    double power = pow(10, floor(log10(value)));
    static const double steps[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (value <= steps[i] * power)
            return steps[i] * power;
    return 10 * power;
}

static void add_linear_ticks(struct axis *axis, double every)
{
    double parts = (double)axis->columns / every;
    double step = round_step((axis->high / 2 - axis->low / 2) / (parts < 2 ? 1 : parts / 2));
    if (!(step > 0) || !isfinite(step))
        return;
    double first = ceil(axis->low / step - 1e-9);
    for (size_t i = 0; i < AXIS_TICKS_MOST; i++) {
        double value = (first + (double)i) * step;
        if (value > axis->high)
            break;
        add_tick(axis, value);
    }
}

/* Powers of ten, in strides that leave room for their texts; outermost first, so that the range
 * can be read. */
static void add_log_ticks(struct axis *axis, double sign, double from, double to)
{
    int first = (int)ceil(log10(from) - 1e-9), last = (int)floor(log10(to) + 1e-9);
    int stride = 1 + (last - first) / 12;
    for (int exponent = last; exponent >= first; exponent -= stride)
        add_tick(axis, sign * pow(10, exponent));
}

/* --- ends --- */

/* A linear axis begins at 0 where that costs less than half of it, and ends beyond the values where
 * all are equal. */
static void set_linear_ends(struct axis *axis)
{
    if (axis->low > 0 && axis->low <= axis->high / 2)
        axis->low = 0;
    if (axis->high < 0 && axis->high >= axis->low / 2)
        axis->high = 0;
    if (axis->low < axis->high)
        return;
    double aside = fabs(axis->low) / 10 > 0 ? fabs(axis->low) / 10 : 1;
    axis->low = axis->low - aside;
    axis->high = axis->high + aside;
    if (!isfinite(axis->high))
        axis->high = axis->low + aside;
}

void axis_make(struct axis *axis, const struct axis_extent *extent, size_t columns)
{
    *axis = (struct axis){.low = extent->low, .high = extent->high, .columns = columns};
    bool wide = extent->smallest > 0 && extent->largest / extent->smallest > LINEAR_UP_TO;
    if (wide && extent->low > 0) {
        axis->kind = AXIS_LOG;
    } else if (wide) {
        axis->kind = AXIS_BOTH_WAYS;
        axis->threshold = fmax(pow(10, floor(log10(extent->smallest))), DBL_MIN);
    } else {
        set_linear_ends(axis);
    }
    if (axis->kind == AXIS_LINEAR) {
        add_linear_ticks(axis, COLUMNS_A_TICK);
        return;
    }
    if (axis->kind == AXIS_LOG) {
        add_log_ticks(axis, 1, axis->low, axis->high);
        return;
    }
    add_tick(axis, 0);
    if (axis->high > 0)
        add_log_ticks(axis, 1, axis->threshold, axis->high);
    if (axis->low < 0)
        add_log_ticks(axis, -1, axis->threshold, -axis->low);
}

/* A linear one whatever the values are like, with a tick about every so many columns. Stood on end
 * its columns are rows, and the places of its texts mean nothing. */
static void axis_make_linear(struct axis *axis, const struct axis_extent *extent, size_t columns,
                             double every)
{
    *axis = (struct axis){.low = extent->low, .high = extent->high, .columns = columns};
    set_linear_ends(axis);
    add_linear_ticks(axis, every);
}

/* ----------------------------------------------------------------------------------------------
 * Draws box plots: whiskers to the smallest and the largest value, a box between the quartiles, a
 * sign at the median. Every glyph is a shape of its own, so that no colour is needed. */

#define GAP          2u
#define LEAST_PLOT   16u
#define LEAST_LABEL  4u
#define FIGURES      3u
#define WHOLE_DIGITS 1e9 /* below it a whole number is shown in full */

/* What one column of a line can hold. */
enum glyph {
    GLYPH_BLANK,
    GLYPH_LEFT, /* end of the left whisker */
    GLYPH_WHISKER,
    GLYPH_RIGHT,
    GLYPH_BOX,
    GLYPH_MEDIAN,
    GLYPH_MARK,
    GLYPH_TICK,
};
static const char *const unicode_glyphs[] = {
    [GLYPH_BLANK] = " ",      [GLYPH_LEFT] = "\u251c", [GLYPH_WHISKER] = "\u2500",
    [GLYPH_RIGHT] = "\u2524", [GLYPH_BOX] = "\u2592",  [GLYPH_MEDIAN] = "\u2588",
    [GLYPH_MARK] = "\u25c6",  [GLYPH_TICK] = "\u253c",
};
static const char *const ascii_glyphs[] = {
    [GLYPH_BLANK] = " ", [GLYPH_LEFT] = "|",   [GLYPH_WHISKER] = "-", [GLYPH_RIGHT] = "|",
    [GLYPH_BOX] = "=",   [GLYPH_MEDIAN] = "#", [GLYPH_MARK] = "*",    [GLYPH_TICK] = "+",
};

struct drawing {
    const char *const *glyphs;
    const char *cut; /* ends a label that is too long */
    struct axis axis;
    size_t label, plot;        /* columns */
    size_t first;              /* of the figures, 0: min … */
    const char *const *titles; /* of the figures */
    size_t figures[FIGURES];
    struct text *out;
};
static const char *const usual_titles[FIGURES] = {"min", "median", "max"};

static bool is_drawable(const struct box *box)
{
    return isfinite(box->min) && isfinite(box->q1) && isfinite(box->median) && isfinite(box->q3) &&
           isfinite(box->max);
}

/* --- figures beside the boxes --- */

static void put_figure(double value, char *text, size_t size)
{
    if (!isfinite(value))
        snprintf(text, size, "-");
    else if (fabs(value) < WHOLE_DIGITS && value == rint(value))
        number_significant(value, value == 0 ? 1 : 10, text, size);
    else if (fabs(value) < WHOLE_DIGITS && fabs(value) >= 0.001)
        number_significant(value, fabs(value) >= 100 ? 4 : 3, text, size);
    else
        snprintf(text, size, "%.3g", value);
    char *point = strchr(text, '.');
    bool whole = point && value == rint(value) && !strchr(text, 'e');
    if (whole)
        *point = '\0';
}

static double box_figure(const struct box *box, size_t figure)
{
    const double values[FIGURES] = {box->min, box->median, box->max};
    return is_drawable(box) ? values[figure] : NAN;
}

/* Columns that the shown figures take. A narrow place shows the median alone. */
static size_t figures_width(const struct drawing *drawing)
{
    size_t width = 0;
    for (size_t i = 0; i < FIGURES; i++)
        if (!drawing->first || i == drawing->first)
            width += GAP + drawing->figures[i];
    return width;
}

static void put_figures(const struct drawing *drawing, const struct box *box, size_t pending)
{
    for (size_t i = 0; i < FIGURES; i++) {
        if (drawing->first && i != drawing->first)
            continue;
        char text[NUMBER_SIZE];
        if (box)
            put_figure(box_figure(box, i), text, sizeof(text));
        else
            snprintf(text, sizeof(text), "%s", drawing->titles[i]);
        size_t fill = drawing->figures[i] - strlen(text);
        text_printf(drawing->out, "%*s%s", (int)(pending + GAP + fill), "", text);
        pending = 0;
    }
}

/* --- the label at the left --- */

static void put_label(const struct drawing *drawing, const char *label)
{
    AUTO_TEXT struct text clean = {0};
    text_put_clean(&clean, label ? label : "");
    const char *at = text_string(&clean);
    size_t columns = utf8_columns(at), reached = 0;
    size_t room = columns > drawing->label ? drawing->label - 1 : drawing->label;
    while (*at) {
        const char *next = at;
        size_t width = (size_t)utf8_width(utf8_next(&next));
        if (reached + width > room)
            break;
        text_append(drawing->out, at, (size_t)(next - at));
        reached += width;
        at = next;
    }
    if (*at) {
        text_puts(drawing->out, drawing->cut);
        reached++;
    }
    text_printf(drawing->out, "%*s", (int)(drawing->label + GAP - reached), "");
}

/* --- lines --- */

/* Trailing blanks are owed, not written; returns how many. */
static size_t put_glyphs(const struct drawing *drawing, const enum glyph *glyphs)
{
    size_t pending = 0;
    for (size_t i = 0; i < drawing->plot; i++) {
        if (glyphs[i] == GLYPH_BLANK) {
            pending++;
            continue;
        }
        text_printf(drawing->out, "%*s%s", (int)pending, "", drawing->glyphs[glyphs[i]]);
        pending = 0;
    }
    return pending;
}

static void fill(enum glyph *glyphs, size_t from, size_t to, enum glyph glyph)
{
    for (size_t i = from; i <= to; i++)
        glyphs[i] = glyph;
}

/* Shares the width: figures, then labels up to two fifths of it, the rest is plot. */
static void lay_out(struct drawing *drawing, const struct box *boxes, size_t count,
                    const char *unit, size_t width)
{
    for (size_t figure = 0; figure < FIGURES; figure++) {
        drawing->figures[figure] = strlen(drawing->titles[figure]);
        for (size_t i = 0; i < count; i++) {
            char text[NUMBER_SIZE];
            put_figure(box_figure(&boxes[i], figure), text, sizeof(text));
            if (strlen(text) > drawing->figures[figure])
                drawing->figures[figure] = strlen(text);
        }
    }
    size_t longest = utf8_columns(unit), said = strlen(axis_kind_words[AXIS_BOTH_WAYS]);
    longest = longest < said ? said : longest;
    for (size_t i = 0; i < count; i++) {
        AUTO_TEXT struct text clean = {0};
        text_put_clean(&clean, boxes[i].label ? boxes[i].label : "");
        size_t columns = utf8_columns(text_string(&clean));
        longest = longest < columns ? columns : longest;
    }
    drawing->label = longest;

    if (drawing->label + GAP + LEAST_PLOT + figures_width(drawing) > width)
        drawing->first = 1;
    size_t most = width * 2 / 5, others = GAP + LEAST_PLOT + figures_width(drawing);
    most = most + others > width ? (width > others ? width - others : 0) : most;
    most = most < LEAST_LABEL ? LEAST_LABEL : most;
    drawing->label = drawing->label > most ? most : drawing->label;
    size_t taken = drawing->label + GAP + figures_width(drawing);
    drawing->plot = width > taken + LEAST_PLOT ? width - taken : LEAST_PLOT;
}

void boxes_put(const struct box *boxes, size_t count, const char *unit, const struct style *style,
               struct text *out)
{
    boxes_put_titled(boxes, count, unit, usual_titles, style, out);
}

void boxes_put_titled(const struct box *boxes, size_t count, const char *unit,
                      const char *const titles[], const struct style *style, struct text *out)
{
    bool unicode = utf8_is_expected();
    struct drawing drawing = {.glyphs = unicode ? unicode_glyphs : ascii_glyphs,
                              .titles = titles,
                              .cut = unicode ? "\u2026" : "~",
                              .out = out};
    if (!count)
        return;
    lay_out(&drawing, boxes, count, unit ? unit : "", style->width);
    AUTO_MEMORY enum glyph *glyphs = memory_new(drawing.plot, sizeof(*glyphs));
    struct axis_extent extent = {0};
    for (size_t i = 0; i < count; i++) {
        if (!is_drawable(&boxes[i]))
            continue;
        const double values[] = {boxes[i].min, boxes[i].q1,  boxes[i].median,
                                 boxes[i].q3,  boxes[i].max, boxes[i].mark};
        for (size_t j = 0; j < sizeof(values) / sizeof(*values); j++)
            axis_extend(&extent, values[j]);
    }
    axis_make(&drawing.axis, &extent, drawing.plot);
    /* The unit and the numbers of the axis; below them what kind of axis it is, and its ticks. */
    const struct axis *axis = &drawing.axis;
    size_t at = 0;
    put_label(&drawing, unit);
    for (size_t i = 0; i < axis->tick_count; i++) {
        const struct axis_tick *tick = &axis->ticks[i];
        if (!tick->text[0])
            continue;
        text_printf(drawing.out, "%*s%s", (int)(tick->start - at), "", tick->text);
        at = tick->start + strlen(tick->text);
    }
    put_figures(&drawing, NULL, drawing.plot - at);
    text_putc(drawing.out, '\n');
    put_label(&drawing, axis_kind_words[axis->kind]);
    fill(glyphs, 0, drawing.plot - 1, GLYPH_WHISKER);
    for (size_t i = 0; i < axis->tick_count; i++)
        glyphs[axis->ticks[i].column] = GLYPH_TICK;
    put_glyphs(&drawing, glyphs);
    text_putc(drawing.out, '\n');

    for (size_t i = 0; i < count; i++) {
        fill(glyphs, 0, drawing.plot - 1, GLYPH_BLANK);
        if (is_drawable(&boxes[i])) {
            size_t left = axis_column(axis, boxes[i].min), right = axis_column(axis, boxes[i].max);
            fill(glyphs, left, right, GLYPH_WHISKER);
            glyphs[right] = GLYPH_RIGHT;
            glyphs[left] = GLYPH_LEFT;
            fill(glyphs, axis_column(axis, boxes[i].q1), axis_column(axis, boxes[i].q3), GLYPH_BOX);
            glyphs[axis_column(axis, boxes[i].median)] = GLYPH_MEDIAN;
            if (isfinite(boxes[i].mark))
                glyphs[axis_column(axis, boxes[i].mark)] = GLYPH_MARK;
        }
        put_label(&drawing, boxes[i].label);
        size_t pending = put_glyphs(&drawing, glyphs);
        put_figures(&drawing, &boxes[i], pending);
        text_putc(drawing.out, '\n');
    }
}

/* ----------------------------------------------------------------------------------------------
 * Draws points on a grid of characters. Every place remembers which series are in it, so that the
 * order of drawing decides nothing. */

#define SCATTER_COLUMNS_A_TICK 9.0
#define ROWS_A_TICK            3.0

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

/* --- places --- */

static void mark(struct plot *plot, size_t row, size_t column, enum sign sign)
{
    plot->places[row * plot->columns + column] |= (place)1 << sign;
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
    struct axis_extent extent = {0};
    for (size_t i = 0; i < plot.scatter->count; i++)
        if (has_place(plot.scatter, &plot.scatter->points[i]))
            axis_extend(&extent, plot.scatter->points[i].x);
    size_t taken = plot.names + GAP; /* a blank and the axis */
    plot.columns = style->width > taken + LEAST_PLOT ? style->width - taken : LEAST_PLOT;
    axis_make_linear(&plot.across, &extent, plot.columns, SCATTER_COLUMNS_A_TICK);

    AUTO_MEMORY place *places = memory_new(plot.rows * plot.columns, sizeof(*places));
    plot.places = places;
    const struct axis *across = &plot.across, *up = &plot.up;
    for (size_t column = 0; plot.scatter->line && column < plot.columns; column++) {
        double share = (double)column / (double)(plot.columns - 1);
        double y = plot.scatter->slope * (across->low + share * (across->high - across->low));
        if (y >= up->low && y <= up->high)
            mark(&plot, axis_column(up, y), column, SIGN_LINE);
    }
    for (size_t i = 0; i < plot.scatter->count; i++) {
        const struct scatter_point *point = &plot.scatter->points[i];
        if (!has_place(plot.scatter, point))
            continue;
        size_t column = axis_column(&plot.across, point->x);
        if (point->y > plot.up.high)
            mark(&plot, plot.rows - 1, column, SIGN_ABOVE);
        else if (point->y < plot.up.low)
            mark(&plot, 0, column, SIGN_BELOW);
        else
            mark(&plot, axis_column(&plot.up, point->y), column, (enum sign)point->series);
    }

    for (size_t row = plot.rows; row-- > 0;) {
        const struct axis_tick *tick = tick_at(&plot.up, row);
        char name[AXIS_TEXT_SIZE] = "";
        size_t pending = 0;
        if (tick)
            axis_name(tick->value, name, sizeof(name));
        text_printf(plot.out, "%*s %s", (int)plot.names, name,
                    plot.signs[tick ? SIGN_TICK : SIGN_UPRIGHT]);
        for (size_t column = 0; column < plot.columns; column++) {
            int sign = sign_of(plot.places[row * plot.columns + column]);
            if (sign < 0) {
                pending++;
                continue;
            }
            plot.seen |= (place)1 << sign;
            text_printf(plot.out, "%*s%s", (int)pending, "", plot.signs[sign]);
            pending = 0;
        }
        text_putc(plot.out, '\n');
    }

    put_axis_across(&plot);
    put_meanings(&plot, style->width);
}
