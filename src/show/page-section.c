/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One run: what came out, its figures, what the paper says, what was left out, how it is made
 * again. */
#include <string.h>

#include "output/page-parts.h"

/* Several runs of one study are told apart by when they began. */
static bool is_only_one(const struct page *page, const json_t *section)
{
    size_t i, alike = 0;
    json_t *other;
    json_array_foreach(json_object_get(page->report, "sections"), i, other)
    {
        alike += strcmp(json_word(other, "title"), json_word(section, "title")) == 0 &&
                 strcmp(json_word(other, "machine"), json_word(section, "machine")) == 0;
    }
    return alike <= 1;
}

void page_section_title(struct page *page, const json_t *section)
{
    page_text(page, json_word(section, "title"));
    if (page->several && *json_word(section, "machine")) {
        page_put(page, ", machine ");
        page_text(page, json_word(section, "machine"));
    }
    if (!is_only_one(page, section)) {
        page_put(page, ", ");
        page_text(page, json_word(section, "started"));
    }
}

static void put_lead(struct page *page, const json_t *section)
{
    size_t i;
    json_t *sentence;
    json_array_foreach(json_object_get(section, "lead"), i, sentence)
    {
        if (json_is_string(sentence))
            page_element(page, "p", "lead", json_string_value(sentence));
    }
    if (*json_word(section, "reason"))
        page_element(page, "p", "reason", json_word(section, "reason"));
}

static const char *why_not_finished(const char *ended)
{
    return !*ended                        ? ", not finished"
           : strcmp(ended, "budget") == 0 ? ", ended with its budget"
                                          : ", interrupted";
}

static void put_when(struct page *page, const json_t *section)
{
    page_put(page, "<p class=\"when\"><code>assay ");
    page_text(page, json_word(section, "command"));
    page_put(page, "</code>, ");
    page_text(page, json_word(section, "started"));
    if (!*json_word(section, "finished"))
        page_put(page, why_not_finished(json_word(section, "ended")));
    page_put(page, "</p>\n");
}

static void put_figures(struct page *page, const json_t *section)
{
    size_t i;
    json_t *figure;
    const json_t *figures = json_object_get(section, "figures");
    if (!json_array_size(figures))
        return;
    page_put(page, "<h3>Figures</h3>\n<div class=\"figures\">\n");
    json_array_foreach(figures, i, figure)
    {
        page_figure(page, section, figure);
    }
    page_put(page, "</div>\n");
}

static void put_skipped(struct page *page, const json_t *section)
{
    const json_t *skipped = json_object_get(section, "skipped");
    size_t i;
    json_t *skip;
    if (!json_array_size(skipped))
        return;
    fprintf(page->stream,
            "<details class=\"skipped\"><summary>Could not be measured: %zu</summary>\n<ul>\n",
            json_array_size(skipped));
    json_array_foreach(skipped, i, skip)
    {
        page_put(page, "<li>");
        page_text(page, json_word(skip, "what"));
        page_put(page, ": ");
        page_text(page, json_word(skip, "reason"));
        page_put(page, "</li>\n");
    }
    page_put(page, "</ul></details>\n");
}

static void put_words(struct page *page, const json_t *section)
{
    if (!*json_word(section, "words"))
        return;
    page_put(page, "<details class=\"words\"><summary>The whole report, as a terminal shows "
                   "it</summary>\n<pre>\n");
    page_lines(page, json_word(section, "words"));
    page_put(page, "</pre></details>\n");
}

static void put_reproduce(struct page *page, const json_t *section)
{
    if (!*json_word(section, "reproduce"))
        return;
    page_put(page, "<p>Measure it again: <code class=\"reproduce\">");
    page_text(page, json_word(section, "reproduce"));
    page_put(page, "</code></p>\n");
}

void page_section(struct page *page, const json_t *section)
{
    page_put(page, "<section class=\"study\" id=\"");
    page_name(page, json_word(section, "id"));
    page_put(page, "\" data-command=\"");
    page_name(page, json_word(section, "command"));
    page_put(page, "\" data-machine=\"");
    page_name(page, json_word(section, "machine"));
    page_put(page, "\">\n<h2>");
    page_section_title(page, section);
    page_put(page, "</h2>\n");
    put_when(page, section);
    put_lead(page, section);
    put_figures(page, section);
    page_scorecard(page, section);
    put_skipped(page, section);
    put_words(page, section);
    put_reproduce(page, section);
    page_put(page, "</section>\n");
}
