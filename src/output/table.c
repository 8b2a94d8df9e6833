/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text for people: tables, paragraphs and headings that fit a width, numbers with units. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * UTF-8: decoding, width on a terminal, and making foreign text harmless. */

/* The least code point each length may encode: a shorter form exists for anything below. */
static const int least[] = {0, 0, 0x80, 0x800, 0x10000};

static int sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

int utf8_next(const char **bytes)
{
    const unsigned char *at = (const unsigned char *)*bytes;
    int length = sequence_length(*at);
    (*bytes)++;
    if (length == 0)
        return -1;
    int point = length == 1 ? *at : *at & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return -1;
        point = point << 6 | (at[i] & 0x3f);
    }
    if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return -1;
    *bytes += length - 1;
    return point;
}

struct range {
    int first, last;
};

static bool within(int point, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    }
    return false;
}

#define WITHIN(point, ranges) within(point, ranges, sizeof(ranges) / sizeof((ranges)[0]))

int utf8_width(int point)
{
    static const struct range nothing[] = {
        {0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static const struct range wide[] = {{0x1100, 0x115f},  {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                        {0xf900, 0xfaff},  {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                        {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff},
                                        {0x20000, 0x3fffd}};
    return WITHIN(point, nothing) ? 0 : WITHIN(point, wide) ? 2 : 1;
}

size_t utf8_columns(const char *string)
{
    size_t columns = 0;
    while (*string) {
        int point = utf8_next(&string);
        columns += point < 0 ? 1 : (size_t)utf8_width(point);
    }
    return columns;
}

static bool is_obeyed(int point)
{
    static const struct range obeyed[] = {{0, 0x1f},        {0x7f, 0x9f},      {0x200e, 0x200f},
                                          {0x2028, 0x202e}, {0x2066, 0x2069},  {0xfeff, 0xfeff},
                                          {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    return WITHIN(point, obeyed);
}

void text_put_clean(struct text *text, const char *string)
{
    while (*string) {
        const char *start = string;
        int point = utf8_next(&string);
        if (point == '\n' || point == '\t')
            text_putc(text, ' ');
        else if (point < 0)
            text_printf(text, "\\x%02x", (unsigned char)*start);
        else if (is_obeyed(point))
            text_printf(text, point < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)point);
        else
            text_append(text, start, (size_t)(string - start));
    }
}

void text_put_utf8(struct text *text, const char *string)
{
    while (*string) {
        const char *start = string;
        if (utf8_next(&string) < 0)
            text_puts(text, "\xef\xbf\xbd");
        else
            text_append(text, start, (size_t)(string - start));
    }
}

bool utf8_is_expected(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * Breaks prose into lines for help texts and remarks. */

/* Columns of UTF-8 text, taking every code point as one. */
static size_t columns(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return count;
}

static void new_line(struct text *out, size_t indent)
{
    text_printf(out, "\n%*s", (int)indent, "");
}

void wrap(struct text *out, const char *words, size_t at, size_t indent, size_t width)
{
    bool first = true;
    for (;;) {
        size_t newlines = 0;
        for (; *words == ' ' || *words == '\n'; words++)
            newlines += *words == '\n';
        size_t length = strcspn(words, " \n");
        if (!length)
            break;
        size_t wide = columns(words, length);
        if (!first && newlines > 1) {
            text_putc(out, '\n');
            new_line(out, indent);
            at = indent;
        } else if (!first && at + 1 + wide > width) {
            new_line(out, indent);
            at = indent;
        } else if (!first) {
            text_putc(out, ' ');
            at++;
        }
        text_append(out, words, length);
        at += wide;
        words += length;
        first = false;
    }
    text_putc(out, '\n');
}

/* ----------------------------------------------------------------------------------------------
 * Lays out tables. Everything that comes in is cleaned, so that a name from a foreign machine can
 * neither move the cursor nor break the columns. */

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
    struct text clean = {0};
    text_put_clean(&clean, text);
    char *copy = memory_text(&clean);
    *memory_add(table->cells, table->count) =
        (struct table_cell){.text = copy, .tone = tone, .columns = utf8_columns(copy)};
}

void table_addf(struct table *table, enum tone tone, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    AUTO_MEMORY char *text = memory_vformat(format, arguments);
    va_end(arguments);
    table_add(table, tone, text);
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

static void put_row(struct layout *layout, const struct table *table,
                    const struct table_cell *cells)
{
    layout->at = layout->pending = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (layout->widths[i]) {
            size_t fill =
                cells[i].columns < layout->widths[i] ? layout->widths[i] - cells[i].columns : 0;
            layout->pending += table->columns[i].right ? fill : 0;
            if (cells[i].columns) {
                bool narrow = cells[i].columns > room(layout) && room(layout) < LEAST_WRAPPED;
                bool below =
                    table->columns[i].wraps && layout->at && (table->columns[i].below || narrow);
                if (below) {
                    layout->pending = layout->at = BELOW;
                    text_putc(layout->out, '\n');
                }
                text_printf(layout->out, "%*s", (int)layout->pending, "");
                layout->pending = 0;
                begin_tone(layout->out, layout->style, cells[i].tone);
                if (table->columns[i].wraps)
                    put_wrapped(layout, cells[i].text);
                else
                    text_puts(layout->out, cells[i].text);
                end_tone(layout->out, layout->style, cells[i].tone);
            }
            layout->pending += GAP + (table->columns[i].right ? 0 : fill);
            layout->at += layout->widths[i] + GAP;
        }
    }
    text_putc(layout->out, '\n');
}

void table_put(const struct table *table, const struct style *style, struct text *out)
{
    size_t columns = table->column_count;
    AUTO_MEMORY size_t *widths = memory_new(columns, sizeof(*widths));
    AUTO_MEMORY struct table_cell *titles = memory_new(columns, sizeof(*titles));
    if (table->count < columns)
        return;
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
    AUTO_MEMORY size_t *widths = memory_new(table->column_count, sizeof(*widths));
    measure(table, widths);
    for (size_t i = 0; i < table->column_count; i++)
        if (widths[i] && !table->columns[i].wraps)
            width += widths[i] + (width ? GAP : 0);
    return width;
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        memory_give_back(table->cells[i].text);
    memory_give_back(table->cells);
    table->cells = NULL;
    table->count = 0;
}

/* ----------------------------------------------------------------------------------------------
 * Cleans and wraps the words of a report. */

#define FURTHER 2u /* columns by which further lines stand in */

void section_put_heading(const char *words, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text clean = {0};
    AUTO_TEXT struct text lines = {0};
    text_put_clean(&clean, words);
    wrap(&lines, text_string(&clean), 0, FURTHER, style->width);
    text_putc(out, '\n');
    for (const char *line = text_string(&lines); *line;) {
        size_t length = strcspn(line, "\n");
        AUTO_TEXT struct text one = {0};
        text_append(&one, line, length);
        text_put_toned(out, style, TONE_STRONG, text_string(&one));
        text_putc(out, '\n');
        line += length + (line[length] == '\n');
    }
}

void section_put_words(const char *words, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text clean = {0};
    text_put_clean(&clean, words);
    wrap(out, text_string(&clean), 0, FURTHER, style->width);
}

void section_printf(const struct style *style, struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    AUTO_MEMORY char *words = memory_vformat(format, arguments);
    va_end(arguments);
    section_put_words(words, style, out);
}

void section_put_item(const char *words, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text clean = {0};
    text_puts(&clean, "- ");
    text_put_clean(&clean, words);
    wrap(out, text_string(&clean), 0, FURTHER, style->width);
}
