/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text and numbers of a page, escaped. */
#include <math.h>
#include <string.h>

#include "show/number.h"
#include "output/page-parts.h"
#include "show/utf8.h"

void page_put(struct page *page, const char *markup)
{
    fputs(markup, page->stream);
}

static void put_escaped(FILE *stream, const char *string)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    while (*string) {
        size_t plain = strcspn(string, special);
        fwrite(string, 1, plain, stream);
        string += plain;
        if (*string)
            fputs(entities[strchr(special, *string++) - special], stream);
    }
}

void page_text(struct page *page, const char *string)
{
    text_clear(&page->clean);
    text_put_clean(&page->clean, string);
    put_escaped(page->stream, text_string(&page->clean));
    page->failed |= page->clean.failed;
}

void page_lines(struct page *page, const char *string)
{
    AUTO_TEXT struct text line = {0};
    for (;;) {
        size_t length = strcspn(string, "\n");
        text_clear(&line);
        text_append(&line, string, length);
        page->failed |= line.failed;
        page_text(page, text_string(&line));
        if (!string[length])
            return;
        page_put(page, "\n");
        string += length + 1;
    }
}

/* Ratios of clocks are all but 1, and differ in the seventh digit. */
static void put_real(struct page *page, double value)
{
    char digits[NUMBER_SIZE];
    double magnitude = fabs(value);
    if (magnitude < 1e15 && (value == rint(value) || magnitude >= 1e6))
        number_brief(value, digits, sizeof(digits));
    else if (magnitude >= 1000 && magnitude < 1e6)
        number_significant(value, 7, digits, sizeof(digits));
    else
        snprintf(digits, sizeof(digits), magnitude >= 0.9 && magnitude < 1.1 ? "%.8g" : "%.4g",
                 value);
    page_put(page, digits);
}

void page_value(struct page *page, const json_t *value)
{
    if (json_is_number(value))
        put_real(page, json_number_value(value));
    else if (json_is_string(value))
        page_text(page, json_string_value(value));
    else if (json_is_boolean(value))
        page_put(page, json_is_true(value) ? "yes" : "no");
}

void page_element(struct page *page, const char *tag, const char *class, const char *string)
{
    fprintf(page->stream, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
    page_text(page, string);
    fprintf(page->stream, "</%s>\n", tag);
}

void page_name(struct page *page, const char *string)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!*string)
        putc('-', page->stream);
    for (; *string; string++)
        putc(strchr(plain, *string) ? *string : '-', page->stream);
}

void page_chip(struct page *page, const char *verdict)
{
    if (!*verdict)
        return;
    page_put(page, "<span class=\"chip chip-");
    page_name(page, verdict);
    page_put(page, "\">");
    page_text(page, verdict);
    page_put(page, "</span>");
}
