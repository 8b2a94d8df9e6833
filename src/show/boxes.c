/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws box plots: whiskers to the smallest and the largest value, a box between the quartiles, a
 * sign at the median. Every glyph is a shape of its own, so that no colour is needed. */
#include "show/boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/plot.h"
#include "show/number.h"
#include "show/utf8.h"

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

static double figure_of(const struct box *box, size_t figure)
{
    const double values[FIGURES] = {box->min, box->median, box->max};
    return is_drawable(box) ? values[figure] : NAN;
}

static void measure_figures(struct drawing *drawing, const struct box *boxes, size_t count)
{
    for (size_t figure = 0; figure < FIGURES; figure++) {
        drawing->figures[figure] = strlen(drawing->titles[figure]);
        for (size_t i = 0; i < count; i++) {
            char text[NUMBER_SIZE];
            put_figure(figure_of(&boxes[i], figure), text, sizeof(text));
            if (strlen(text) > drawing->figures[figure])
                drawing->figures[figure] = strlen(text);
        }
    }
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
            put_figure(figure_of(box, i), text, sizeof(text));
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

static void put_box(const struct drawing *drawing, const struct box *box, enum glyph *glyphs)
{
    const struct axis *axis = &drawing->axis;
    fill(glyphs, 0, drawing->plot - 1, GLYPH_BLANK);
    if (is_drawable(box)) {
        size_t left = axis_column(axis, box->min), right = axis_column(axis, box->max);
        fill(glyphs, left, right, GLYPH_WHISKER);
        glyphs[right] = GLYPH_RIGHT;
        glyphs[left] = GLYPH_LEFT;
        fill(glyphs, axis_column(axis, box->q1), axis_column(axis, box->q3), GLYPH_BOX);
        glyphs[axis_column(axis, box->median)] = GLYPH_MEDIAN;
        if (isfinite(box->mark))
            glyphs[axis_column(axis, box->mark)] = GLYPH_MARK;
    }
    put_label(drawing, box->label);
    size_t pending = put_glyphs(drawing, glyphs);
    put_figures(drawing, box, pending);
    text_putc(drawing->out, '\n');
}

/* The unit and the numbers of the axis; below them what kind of axis it is, and its ticks. */
static void put_axis(const struct drawing *drawing, const char *unit, enum glyph *glyphs)
{
    const struct axis *axis = &drawing->axis;
    size_t at = 0;
    put_label(drawing, unit);
    for (size_t i = 0; i < axis->tick_count; i++) {
        const struct axis_tick *tick = &axis->ticks[i];
        if (!tick->text[0])
            continue;
        text_printf(drawing->out, "%*s%s", (int)(tick->start - at), "", tick->text);
        at = tick->start + strlen(tick->text);
    }
    put_figures(drawing, NULL, drawing->plot - at);
    text_putc(drawing->out, '\n');
    put_label(drawing, axis_kind_words[axis->kind]);
    fill(glyphs, 0, drawing->plot - 1, GLYPH_WHISKER);
    for (size_t i = 0; i < axis->tick_count; i++)
        glyphs[axis->ticks[i].column] = GLYPH_TICK;
    put_glyphs(drawing, glyphs);
    text_putc(drawing->out, '\n');
}

static size_t longest_label(const struct box *boxes, size_t count, const char *unit)
{
    size_t longest = utf8_columns(unit), said = strlen(axis_kind_words[AXIS_BOTH_WAYS]);
    longest = longest < said ? said : longest;
    for (size_t i = 0; i < count; i++) {
        AUTO_TEXT struct text clean = {0};
        text_put_clean(&clean, boxes[i].label ? boxes[i].label : "");
        size_t columns = utf8_columns(text_string(&clean));
        longest = longest < columns ? columns : longest;
    }
    return longest;
}

/* Shares the width: figures, then labels up to two fifths of it, the rest is plot. */
static void lay_out(struct drawing *drawing, const struct box *boxes, size_t count,
                    const char *unit, size_t width)
{
    measure_figures(drawing, boxes, count);
    drawing->label = longest_label(boxes, count, unit);
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
    AUTO_FREE enum glyph *glyphs = calloc(drawing.plot, sizeof(*glyphs));
    if (!glyphs) {
        out->failed = true;
        return;
    }
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
    put_axis(&drawing, unit, glyphs);
    for (size_t i = 0; i < count; i++)
        put_box(&drawing, &boxes[i], glyphs);
}
