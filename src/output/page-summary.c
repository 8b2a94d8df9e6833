/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader wants first: which events can be trusted, what came out of every study, and what of
 * the papers holds. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "show/number.h"
#include "output/page-parts.h"

/* --- events --- */

/* The worst first: what must not be trusted is what a reader has to see. */
static const char *const measured[] = {"dead", "noisy", "biased", "accurate", "exact"};
static const char *const unmeasured[] = {"unscheduled", "unjudged", "unsupported"};

/* 0: not measured. */
static size_t rank_of(const char *verdict)
{
    size_t rank = sizeof(measured) / sizeof(*measured);
    while (rank > 0 && strcmp(measured[rank - 1], verdict) != 0)
        rank--;
    return rank;
}

static bool is_better(const json_t *row, const json_t *best)
{
    size_t one = rank_of(json_word(row, "verdict")), other = rank_of(json_word(best, "verdict"));
    if (one != other)
        return one > other;
    const json_t *adds = json_object_get(row, "overhead");
    const json_t *best_adds = json_object_get(best, "overhead");
    return json_is_number(adds) &&
           (!json_is_number(best_adds) ||
            fabs(json_number_value(adds)) < fabs(json_number_value(best_adds)));
}

/* The way of counting this event that errs least. */
static const json_t *best_way(const json_t *section, const char *event)
{
    const json_t *best = NULL;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(section, "results"), i, row)
    {
        if (strcmp(json_word(row, "event"), event) == 0 && *json_word(row, "path") &&
            (!best || is_better(row, best)))
            best = row;
    }
    return best;
}

static void put_way(struct page *page, const json_t *way)
{
    const json_t *adds = json_object_get(way, "overhead");
    page_text(page, json_word(way, "path"));
    page_put(page, ", ");
    page_text(page, json_pattern(way));
    if (json_is_number(adds) && json_number_value(adds) != 0) {
        char digits[NUMBER_SIZE];
        number_brief(json_number_value(adds), digits, sizeof(digits));
        fprintf(page->stream, ", adds %s", digits);
    }
}

static void put_event(struct page *page, const json_t *section, const json_t *event)
{
    const json_t *way = best_way(section, json_word(event, "event"));
    page_put(page, "<tr><th scope=\"row\">");
    page_text(page, json_word(event, "event"));
    page_put(page, "</th><td>");
    page_chip(page, json_word(event, "verdict"));
    page_put(page, "</td><td>");
    page_text(page, json_word(event, "cause"));
    page_put(page, "</td><td>");
    if (way && strcmp(json_word(event, "verdict"), "dead") != 0)
        put_way(page, way);
    page_put(page, "</td><td>");
    page_text(page, json_word(event, "note"));
    page_put(page, "</td></tr>\n");
}

static size_t count_events(const json_t *events, const char *verdict)
{
    size_t i, count = 0;
    json_t *event;
    json_array_foreach(events, i, event)
    {
        count += strcmp(json_word(event, "verdict"), verdict) == 0;
    }
    return count;
}

static void put_events(struct page *page, const json_t *section, const char *const *verdicts,
                       size_t count)
{
    const json_t *events = json_object_get(json_object_get(section, "analysis"), "events");
    page_put(page, "<div class=\"scroll\"><table class=\"verdicts\">\n<thead><tr><th "
                   "scope=\"col\">event</th><th scope=\"col\">verdict</th><th "
                   "scope=\"col\">cause</th><th scope=\"col\">best way</th><th "
                   "scope=\"col\">note</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        size_t at;
        json_t *event;
        json_array_foreach(events, at, event)
        {
            if (strcmp(json_word(event, "verdict"), verdicts[i]) == 0)
                put_event(page, section, event);
        }
    }
    page_put(page, "</tbody></table></div>\n");
}

/* What was not measured is worth a line, and a table for those who look. */
static void put_unmeasured(struct page *page, const json_t *section)
{
    const json_t *events = json_object_get(json_object_get(section, "analysis"), "events");
    size_t of[3], all = 0;
    for (size_t i = 0; i < 3; i++)
        all += of[i] = count_events(events, unmeasured[i]);
    if (!all)
        return;
    fprintf(page->stream,
            "<details class=\"unmeasured\"><summary>%zu more without a verdict:", all);
    for (size_t i = 0, told = 0; i < 3; i++)
        if (of[i])
            fprintf(page->stream, "%s %zu %s", told++ ? "," : "", of[i], unmeasured[i]);
    page_put(page, "</summary>\n");
    put_events(page, section, unmeasured, 3);
    page_put(page, "</details>\n");
}

static void put_trust(struct page *page, const json_t *section)
{
    const json_t *events = json_object_get(json_object_get(section, "analysis"), "events");
    size_t all = 0;
    if (strcmp(json_word(section, "command"), "validate") != 0 || !json_array_size(events))
        return;
    page_put(page, "<h3><a href=\"#");
    page_name(page, json_word(section, "id"));
    page_put(page, "\">");
    page_section_title(page, section);
    page_put(page, "</a></h3>\n");
    for (size_t i = 0; i < sizeof(measured) / sizeof(*measured); i++)
        all += count_events(events, measured[i]);
    if (all)
        put_events(page, section, measured, sizeof(measured) / sizeof(*measured));
    put_unmeasured(page, section);
}

/* --- what came out of the others --- */

/* The section has all of its sentences; here are the first of its first few. */
#define OUTCOMES_MAX 2

static void put_first_sentence(struct page *page, const char *words)
{
    AUTO_TEXT struct text first = {0};
    size_t length = 0;
    while (words[length] && !(words[length] == '.' && words[length + 1] == ' ' &&
                              (isupper((unsigned char)words[length + 2]) ||
                               isdigit((unsigned char)words[length + 2]))))
        length++;
    text_append(&first, words, words[length] ? length + 1 : length);
    page->failed |= first.failed;
    page_element(page, "dd", NULL, text_string(&first));
}

static void put_outcome(struct page *page, const json_t *section)
{
    const json_t *lead = json_object_get(section, "lead");
    size_t i;
    json_t *sentence;
    page_put(page, "<dt><a href=\"#");
    page_name(page, json_word(section, "id"));
    page_put(page, "\">");
    page_section_title(page, section);
    page_put(page, "</a></dt>\n");
    json_array_foreach(lead, i, sentence)
    {
        if (i < OUTCOMES_MAX && json_is_string(sentence))
            put_first_sentence(page, json_string_value(sentence));
    }
    if (*json_word(section, "reason"))
        page_element(page, "dd", "reason", json_word(section, "reason"));
    else if (!json_array_size(lead))
        page_put(page, "<dd>Nothing could be said of it.</dd>\n");
}

static void put_notes(struct page *page)
{
    const json_t *notes = json_object_get(page->report, "notes");
    size_t i;
    json_t *note;
    json_array_foreach(notes, i, note)
    {
        page_put(page, "<p class=\"note\">");
        page_value(page, note);
        page_put(page, "</p>\n");
    }
}

void page_summary(struct page *page)
{
    const json_t *sections = json_object_get(page->report, "sections");
    size_t i;
    json_t *section;
    page_put(page, "<section class=\"summary\" id=\"summary\">\n<h2>Summary</h2>\n");
    if (!json_array_size(sections))
        page_put(page, "<p class=\"lead\">There is no run in this report.</p>\n");
    put_notes(page);
    if (json_array_size(sections)) {
        page_put(page, "<dl class=\"outcomes\">\n");
        json_array_foreach(sections, i, section)
        {
            put_outcome(page, section);
        }
        page_put(page, "</dl>\n");
    }
    json_array_foreach(sections, i, section)
    {
        put_trust(page, section);
    }
    page_scorecard(page, NULL);
    page_put(page, "</section>\n");
}
