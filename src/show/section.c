/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cleans and wraps the words of a report. */
#include "show/section.h"

#include "show/utf8.h"
#include "show/wrap.h"

#define FURTHER 2u /* columns by which further lines stand in */

void section_put_heading(const char *words, const struct style *style, struct text *out)
{
    text_putc(out, '\n');
    text_put_toned(out, style, TONE_STRONG, words);
    text_putc(out, '\n');
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
