/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables for a terminal: columns aligned by what they show, numbers to the right, colour only where
 * a person asked for none to be left out. */
#pragma once

#include <stdio.h>

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
    size_t count, capacity;
    bool failed; /* out of memory: table_put then shows nothing more */
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
