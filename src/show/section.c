/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cleans and wraps the words of a report. */
#include "show/section.h"

#include <string.h>

#include "show/utf8.h"
#include "show/wrap.h"

#define FURTHER 2u /* columns by which further lines stand in */

void section_put_heading(const char *words, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text clean = {0};
    AUTO_TEXT struct text lines = {0};
    text_put_clean(&clean, words);
    wrap(&lines, text_string(&clean), 0, FURTHER, style->width);
    out->failed |= clean.failed || lines.failed;
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

void section_put_item(const char *words, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text clean = {0};
    text_puts(&clean, "- ");
    text_put_clean(&clean, words);
    wrap(out, text_string(&clean), 0, FURTHER, style->width);
}
