/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables for a terminal: columns aligned by what they show, numbers to the right, colour only where
 * a person asked for none to be left out. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/number.h"
#include "base/text.h"

enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_DIM, TONE_STRONG };

/* What the place that is written to can show. */
struct style {
    bool colour;
    size_t width; /* columns */
};
/* Colour only on a terminal that is not dumb and without NO_COLOR; 80 columns elsewhere. */
struct style style_for(FILE *stream);
/* Appends text (cleaned) in a tone. */
void text_put_toned(struct text *out, const struct style *style, enum tone tone, const char *text);

struct column {
    const char *title;
    bool right; /* numbers */
    bool wraps; /* last column only: long text goes on below itself */
    bool below; /* a wrapped column that always stands below its row */
};

struct table {
    const struct column *columns;
    size_t column_count;
    struct table_cell *cells; /* row by row */
    size_t count;
};

/* Cells are added left to right, row after row; the text is cleaned and copied. */
void table_add(struct table *table, enum tone tone, const char *text);
void table_addf(struct table *table, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends header and rows. A column that is empty in every row is left out. */
void table_put(const struct table *table, const struct style *style, struct text *out);
/* Columns that its rows take, without the one that wraps. */
size_t table_width(const struct table *table);
void table_free(struct table *table);

/* ----------------------------------------------------------------------------------------------
 * Text that came from a machine is untrusted: it may hold escape sequences or no valid UTF-8.
 * These make it safe to show. */

/* Decodes the code point at *bytes and moves on; a byte that is no UTF-8 gives -1 and moves one. */
int utf8_next(const char **bytes);

/* Columns a code point takes on a terminal: 0, 1 or 2. */
int utf8_width(int point);
/* Columns of a clean string. */
size_t utf8_columns(const char *string);

/* Appends string so that a terminal shows it and obeys nothing: control characters, direction
 * overrides and broken UTF-8 become \xNN or \uNNNN. Newlines and tabs become spaces. */
void text_put_clean(struct text *text, const char *string);

/* Appends string as valid UTF-8: broken bytes become U+FFFD, everything else stays. */
void text_put_utf8(struct text *text, const char *string);

/* Does the environment's locale (LC_ALL, LC_CTYPE, LANG: the first that is set) say UTF-8? */
bool utf8_is_expected(void);

/* ----------------------------------------------------------------------------------------------
 * Breaks prose into lines. */

/* Appends words so that no line is longer than width columns (a longer word stands alone). The
 * text already stands at column `at`; further lines start with indent spaces. A newline in words
 * is a space, two are a paragraph. Ends with a newline. */
void wrap(struct text *out, const char *words, size_t at, size_t indent, size_t width);

/* ----------------------------------------------------------------------------------------------
 * What a report for people is made of besides tables and plots: headings, paragraphs and lists.
 * Any name from a machine or a store may stand in them: a terminal obeys none of it. */

/* A heading in its own line, after an empty one. */
void section_put_heading(const char *words, const struct style *style, struct text *out);
/* A paragraph; its further lines stand a little in. */
void section_put_words(const char *words, const struct style *style, struct text *out);
void section_printf(const struct style *style, struct text *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One member of a list. */
void section_put_item(const char *words, const struct style *style, struct text *out);
