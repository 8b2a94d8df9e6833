/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures as the content of a <script> element. Written by hand and not by Jansson, because nothing
 * in it may end the element, texts are shown as they are by the script, and ten digits are more
 * than a picture has. */
#include <math.h>
#include <string.h>

#include "output/page-parts.h"
#include "show/utf8.h"

static void put_string(struct page *page, const char *string)
{
    text_clear(&page->clean);
    text_put_clean(&page->clean, string);
    page->failed |= page->clean.failed;
    putc('"', page->stream);
    for (const char *at = text_string(&page->clean); *at; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(page->stream, "\\%c", *at);
        else if (*at == '<' || *at == '>' || *at == '&')
            fprintf(page->stream, "\\u%04x", (unsigned)*at);
        else
            putc(*at, page->stream);
    }
    putc('"', page->stream);
}

static void put_number(struct page *page, const json_t *value)
{
    double number = json_number_value(value);
    if (json_is_integer(value))
        fprintf(page->stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (!isfinite(number))
        page_put(page, "null");
    else
        fprintf(page->stream, "%.10g", number);
}

static void put_value(struct page *page, json_t *value);

static void put_array(struct page *page, const json_t *array)
{
    size_t i;
    json_t *element;
    page_put(page, "[");
    json_array_foreach(array, i, element)
    {
        page_put(page, i ? "," : "");
        put_value(page, element);
    }
    page_put(page, "]");
}

static void put_object(struct page *page, json_t *object)
{
    const char *key, *comma = "";
    json_t *element;
    page_put(page, "{");
    json_object_foreach(object, key, element)
    {
        page_put(page, comma);
        put_string(page, key);
        page_put(page, ":");
        put_value(page, element);
        comma = ",";
    }
    page_put(page, "}");
}

static void put_value(struct page *page, json_t *value)
{
    if (json_is_object(value))
        put_object(page, value);
    else if (json_is_array(value))
        put_array(page, value);
    else if (json_is_string(value))
        put_string(page, json_string_value(value));
    else if (json_is_number(value))
        put_number(page, value);
    else
        page_put(page, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
}

void page_figures_json(struct page *page)
{
    size_t i, at;
    json_t *section, *figure;
    const char *lead = "{\n\"";
    bool any = false;
    json_array_foreach(json_object_get(page->report, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "figures"), at, figure)
        {
            page_put(page, lead);
            page_name(page, json_word(section, "id"));
            page_put(page, "/");
            page_name(page, json_word(figure, "id"));
            page_put(page, "\":");
            put_value(page, figure);
            lead = ",\n\"";
            any = true;
        }
    }
    page_put(page, any ? "\n}\n" : "{}\n");
}
