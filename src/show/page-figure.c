/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure without a script: its words and its table. The script draws into the empty element. */
#include "show/number.h"
#include "output/page-parts.h"

/* A table longer than this is for programs. */
#define ROWS_MAX 400
/* Bytes from which on a text is a sentence, which may be broken. */
#define LONG 48u

static void put_id(struct page *page, const json_t *section, const json_t *figure)
{
    page_name(page, json_word(section, "id"));
    page_put(page, "/");
    page_name(page, json_word(figure, "id"));
}

static bool is_hidden(const json_t *column)
{
    return json_is_true(json_object_get(column, "hidden"));
}

/* Headings of numbers stand where the numbers do. */
static bool is_numeric(const json_t *rows, size_t column)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *value = json_array_get(json_array_get(rows, i), column);
        if (!json_is_null(value))
            return json_is_number(value);
    }
    return false;
}

static void put_heading(struct page *page, const json_t *columns, const json_t *rows)
{
    size_t i;
    json_t *column;
    page_put(page, "<thead><tr>");
    json_array_foreach(columns, i, column)
    {
        if (is_hidden(column))
            continue;
        page_put(page, is_numeric(rows, i) ? "<th scope=\"col\" class=\"number\">"
                                           : "<th scope=\"col\">");
        page_text(page, json_word(column, "title"));
        page_put(page, "</th>");
    }
    page_put(page, "</tr></thead>\n");
}

/* Sentences need room, else they become columns of words. */
static bool is_long(const json_t *value)
{
    return json_string_length(value) > LONG;
}

static void put_row(struct page *page, const json_t *columns, const json_t *rows, const json_t *row)
{
    size_t i;
    json_t *column;
    page_put(page, "<tr>");
    json_array_foreach(columns, i, column)
    {
        const json_t *value = json_array_get(row, i);
        if (is_hidden(column))
            continue;
        const bool absent = !value || json_is_null(value);
        page_put(page, json_is_number(value) || (absent && is_numeric(rows, i)) ? "<td class=\"n\">"
                       : is_long(value) ? "<td class=\"long\">"
                                        : "<td>");
        if (json_is_null(value))
            page_put(page, "–");
        page_value(page, value);
        page_put(page, "</td>");
    }
    page_put(page, "</tr>\n");
}

static void put_table(struct page *page, const json_t *figure)
{
    const json_t *columns = json_object_get(figure, "columns");
    const json_t *rows = json_object_get(figure, "rows");
    size_t i, count = json_array_size(rows);
    json_t *row;
    char number[NUMBER_SIZE];
    number_count(count, number, sizeof(number));
    fprintf(page->stream, "<details class=\"data\"><summary>%s %s</summary><div class=\"scroll\">",
            number, count == 1 ? "row" : "rows");
    page_put(page, "<table>\n");
    put_heading(page, columns, rows);
    page_put(page, "<tbody>\n");
    json_array_foreach(rows, i, row)
    {
        if (i < ROWS_MAX)
            put_row(page, columns, rows, row);
    }
    page_put(page, "</tbody></table></div>");
    if (count > ROWS_MAX) {
        number_count(count - ROWS_MAX, number, sizeof(number));
        fprintf(page->stream, "<p>and %s more in the JSON</p>", number);
    }
    page_put(page, "</details>\n");
}

static void put_caption(struct page *page, const json_t *figure)
{
    size_t i;
    json_t *note;
    page_put(page, "<figcaption><p>");
    page_text(page, json_word(figure, "caption"));
    page_put(page, "</p>");
    json_array_foreach(json_object_get(figure, "notes"), i, note)
    {
        page_put(page, "\n<p class=\"note\">");
        page_value(page, note);
        page_put(page, "</p>");
    }
    page_put(page, "</figcaption>\n");
}

void page_figure(struct page *page, const json_t *section, const json_t *figure)
{
    page_put(page, "<figure class=\"figure\" id=\"");
    put_id(page, section, figure);
    page_put(page, "\" data-kind=\"");
    page_name(page, json_word(figure, "kind"));
    page_put(page, "\">\n");
    page_element(page, "h4", NULL, json_word(figure, "title"));
    if (*json_word(figure, "paper"))
        page_element(page, "p", "paper", json_word(figure, "paper"));
    page_put(page, "<div class=\"plot\" data-figure=\"");
    put_id(page, section, figure);
    page_put(page, "\"></div>\n");
    put_caption(page, figure);
    put_table(page, figure);
    page_put(page, "</figure>\n");
}
