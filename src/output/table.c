/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays out tables. Everything that comes in is cleaned, so that a name from a foreign machine can
 * neither move the cursor nor break the columns. */
#include "output/table.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define GAP           2  /* spaces between columns */
#define LEAST_WRAPPED 40 /* with less room a wrapped column stands below its row instead */
#define BELOW         4  /* where it stands then */

struct table_cell {
    char *text;
    enum tone tone;
    size_t columns;
};

static const char *const tone_codes[] = {
    [TONE_PLAIN] = "",       [TONE_GOOD] = "\033[32m", [TONE_WARN] = "\033[33m",
    [TONE_BAD] = "\033[31m", [TONE_DIM] = "\033[2m",   [TONE_STRONG] = "\033[1m",
};

struct style style_for(FILE *stream)
{
    struct style style = {.width = 80};
    int fd = fileno(stream);
    if (fd < 0 || !isatty(fd))
        return style;
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        style.width = size.ws_col;
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    style.colour = !(refused && *refused) && terminal && strcmp(terminal, "dumb") != 0;
    return style;
}

static void begin_tone(struct text *out, const struct style *style, enum tone tone)
{
    if (style->colour && tone != TONE_PLAIN)
        text_puts(out, tone_codes[tone]);
}

static void end_tone(struct text *out, const struct style *style, enum tone tone)
{
    if (style->colour && tone != TONE_PLAIN)
        text_puts(out, "\033[0m");
}

void text_put_toned(struct text *out, const struct style *style, enum tone tone, const char *text)
{
    begin_tone(out, style, tone);
    text_put_clean(out, text);
    end_tone(out, style, tone);
}

void table_add(struct table *table, enum tone tone, const char *text)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 64;
        struct table_cell *grown = realloc(table->cells, capacity * sizeof(*grown));
        if (!grown) {
            table->failed = true;
            return;
        }
        table->cells = grown;
        table->capacity = capacity;
    }
    struct text clean = {0};
    text_put_clean(&clean, text);
    char *copy = text_take(&clean);
    if (!copy) {
        table->failed = true;
        return;
    }
    table->cells[table->count++] =
        (struct table_cell){.text = copy, .tone = tone, .columns = utf8_columns(copy)};
}

void table_addf(struct table *table, enum tone tone, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
        return;
    }
    table_add(table, tone, text);
    free(text);
}

/* Widths by column; 0 leaves a column out. */
static void measure(const struct table *table, size_t *widths)
{
    for (size_t i = 0; i < table->count; i++) {
        size_t column = i % table->column_count;
        if (table->cells[i].columns > widths[column])
            widths[column] = table->cells[i].columns;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        size_t title = utf8_columns(table->columns[i].title);
        if (widths[i] && widths[i] < title)
            widths[i] = title;
    }
}

struct layout {
    const struct style *style;
    const size_t *widths;
    struct text *out;
    size_t at;      /* column reached */
    size_t pending; /* spaces owed before the next text; none trail at the end of a line */
};

/* Columns left to the right edge. */
static size_t room(const struct layout *layout)
{
    return layout->style->width > layout->at ? layout->style->width - layout->at : 0;
}

static void put_wrapped(struct layout *layout, const char *words)
{
    wrap(layout->out, words, layout->at, layout->at, layout->style->width);
    if (layout->out->length)
        layout->out->bytes[--layout->out->length] = '\0'; /* the row ends the line itself */
}

static void put_cell(struct layout *layout, const struct column *column, size_t width,
                     const struct table_cell *cell)
{
    size_t fill = cell->columns < width ? width - cell->columns : 0;
    layout->pending += column->right ? fill : 0;
    if (cell->columns) {
        bool narrow = cell->columns > room(layout) && room(layout) < LEAST_WRAPPED;
        bool below = column->wraps && layout->at && (column->below || narrow);
        if (below) {
            layout->pending = layout->at = BELOW;
            text_putc(layout->out, '\n');
        }
        text_printf(layout->out, "%*s", (int)layout->pending, "");
        layout->pending = 0;
        begin_tone(layout->out, layout->style, cell->tone);
        if (column->wraps)
            put_wrapped(layout, cell->text);
        else
            text_puts(layout->out, cell->text);
        end_tone(layout->out, layout->style, cell->tone);
    }
    layout->pending += GAP + (column->right ? 0 : fill);
    layout->at += width + GAP;
}

static void put_row(struct layout *layout, const struct table *table,
                    const struct table_cell *cells)
{
    layout->at = layout->pending = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (layout->widths[i])
            put_cell(layout, &table->columns[i], layout->widths[i], &cells[i]);
    }
    text_putc(layout->out, '\n');
}

void table_put(const struct table *table, const struct style *style, struct text *out)
{
    size_t columns = table->column_count;
    AUTO_FREE size_t *widths = calloc(columns, sizeof(*widths));
    AUTO_FREE struct table_cell *titles = calloc(columns, sizeof(*titles));
    if (!widths || !titles || table->failed || table->count < columns) {
        out->failed |= table->failed || !widths || !titles;
        return;
    }
    measure(table, widths);
    for (size_t i = 0; i < columns; i++) {
        titles[i].text = (char *)(uintptr_t)table->columns[i].title;
        titles[i].tone = TONE_STRONG;
        titles[i].columns = utf8_columns(titles[i].text);
    }
    struct layout layout = {.style = style, .widths = widths, .out = out};
    put_row(&layout, table, titles);
    for (size_t i = 0; i + columns <= table->count; i += columns)
        put_row(&layout, table, table->cells + i);
}

size_t table_width(const struct table *table)
{
    size_t width = 0;
    AUTO_FREE size_t *widths = calloc(table->column_count, sizeof(*widths));
    if (!widths)
        return 0;
    measure(table, widths);
    for (size_t i = 0; i < table->column_count; i++)
        if (widths[i] && !table->columns[i].wraps)
            width += widths[i] + (width ? GAP : 0);
    return width;
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i].text);
    free(table->cells);
    table->cells = NULL;
    table->count = table->capacity = 0;
}
