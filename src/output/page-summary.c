/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader wants first: which events can be trusted, what came out of every study, and what of
 * the papers holds. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "output/page-parts.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * What of the papers' findings holds on these machines. */

/* Short names of papers as people cite them. */
static const struct {
    const char *paper, *cited;
} papers[] = {
    {"aguilera-microbenchmarks", "Aguilera et al. 2005"},
    {"zaparanuks-accuracy", "Zaparanuks et al. 2009"},
    {"weaver-overhead", "Weaver 2015"},
    {"kuperberg-fidelity", "Kuperberg and Reussner 2011"},
    {"weaver-mckee-trust", "Weaver and McKee 2008"},
};
#define PAPERS (sizeof(papers) / sizeof(*papers))

static const char *cited(const char *paper)
{
    for (size_t i = 0; i < PAPERS; i++)
        if (strcmp(papers[i].paper, paper) == 0)
            return papers[i].cited;
    return paper;
}

static void put_quantity(struct page *page, const json_t *number)
{
    char digits[NUMBER_SIZE];
    number_brief(json_number_value(number), digits, sizeof(digits));
    page_put(page, digits);
}

/* 5.4 times (5.1 to 5.9) */
static void put_estimate(struct page *page, const json_t *finding)
{
    const json_t *estimate = json_object_get(finding, "estimate");
    const json_t *low = json_object_get(finding, "low"), *high = json_object_get(finding, "high");
    if (!json_is_number(estimate))
        return;
    put_quantity(page, estimate);
    page_form(page, finding, " {unit}");
    if (!json_is_number(low) || !json_is_number(high) ||
        json_number_value(low) >= json_number_value(high))
        return;
    page_put(page, " (");
    put_quantity(page, low);
    page_put(page, " to ");
    put_quantity(page, high);
    page_put(page, ")");
}

static bool is_testable(const json_t *finding)
{
    return strcmp(json_word(finding, "verdict"), "not testable here") != 0;
}

static void put_rows(struct page *page, const json_t *section, bool linked, bool testable)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(section, "findings"), i, finding)
    {
        if (is_testable(finding) == testable) {
            page_put(page, "<tr><th scope=\"row\">");
            if (linked)
                page_form(page, section, "<a href=\"#{#id}\">");
            page_form(page, finding, linked ? "{id}</a></th>" : "{id}</th>");
            if (linked && page->several)
                page_form(page, section,
                          *json_word(section, "machine") ? "<td>{machine}</td>" : "<td>all</td>");
            page_form(page, finding, "<td>{.verdict}</td><td>{claim}</td><td class=\"n\">");
            put_estimate(page, finding);
            page_form(page, finding, "</td><td>{figure} <span class=\"cited\">");
            page_text(page, cited(json_word(finding, "paper")));
            page_form(page, finding, "</span></td><td>{reason}</td></tr>\n");
        }
    }
}

/* Of one section, or of all of them (NULL). */
static void put_rows_of(struct page *page, const json_t *section, bool testable)
{
    const json_t *sections = json_object_get(page->report, "sections");
    size_t i;
    json_t *each;
    static const char *const columns[] = {"verdict", "claim", "measured here", "in the paper",
                                          "why"};
    page_put(page, "<div class=\"scroll\"><table class=\"scorecard\">\n<thead><tr><th "
                   "scope=\"col\">finding</th>");
    if ((!section) && page->several)
        page_put(page, "<th scope=\"col\">machine</th>");
    for (size_t j = 0; j < sizeof(columns) / sizeof(*columns); j++)
        fprintf(page->stream, "<th scope=\"col\">%s</th>", columns[j]);
    page_put(page, "</tr></thead>\n<tbody>\n");

    if (section)
        put_rows(page, section, false, testable);
    json_array_foreach(sections, i, each)
    {
        if (!section)
            put_rows(page, each, true, testable);
    }
    page_put(page, "</tbody></table></div>\n");
}

/* --- the count of all --- */

struct counts {
    size_t all, of[4];
    bool seen[PAPERS];
};
static const struct {
    const char *verdict, *one, *several;
} verdicts[] = {{"holds", "holds here", "hold here"},
                {"does not hold", "does not", "do not"},
                {"inconclusive", "undecided", "undecided"},
                {"not testable here", "not testable here", "not testable here"}};
#define VERDICTS   (sizeof(verdicts) / sizeof(*verdicts))
#define UNTESTABLE (VERDICTS - 1)

static void count(const json_t *finding, struct counts *counts)
{
    counts->all++;
    for (size_t i = 0; i < VERDICTS; i++)
        counts->of[i] += strcmp(json_word(finding, "verdict"), verdicts[i].verdict) == 0;
    for (size_t i = 0; i < PAPERS; i++)
        counts->seen[i] |= strcmp(json_word(finding, "paper"), papers[i].paper) == 0;
}

static void count_section(const json_t *section, struct counts *counts)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(section, "findings"), i, finding)
    {
        count(finding, counts);
    }
}

void page_scorecard(struct page *page, const json_t *section)
{
    struct counts counts = {0};
    size_t i;
    json_t *each;
    if (section)
        count_section(section, &counts);
    json_array_foreach(json_object_get(page->report, "sections"), i, each)
    {
        if (!section)
            count_section(each, &counts);
    }
    if (!counts.all)
        return;
    page_put(page, section ? "<h3>Findings of the paper</h3>\n"
                           : "<h3>What the papers found, and what holds here</h3>\n");
    if (!section) {
        static const char *const numbers[] = {
            "", "one paper", "two papers", "three papers", "four papers", "five papers"};
        size_t count_of_papers = 0;
        for (size_t j = 0; j < PAPERS; j++)
            count_of_papers += counts.seen[j];
        fprintf(page->stream, "<p class=\"score\">Of %zu %s", counts.all,
                counts.all == 1 ? "claim" : "claims");
        if (count_of_papers)
            fprintf(page->stream, " of %s", numbers[count_of_papers]);
        page_put(page, ":");
        for (size_t j = 0, told = 0; j < VERDICTS; j++)
            if (counts.of[j])
                fprintf(page->stream, "%s %zu %s", told++ ? "," : "", counts.of[j],
                        counts.of[j] == 1 ? verdicts[j].one : verdicts[j].several);
        page_put(page, ".</p>\n");
    }

    /* What could not be tested is worth a line, and a table for those who look. */
    if (counts.all > counts.of[UNTESTABLE])
        put_rows_of(page, section, true);
    if (!counts.of[UNTESTABLE])
        return;
    fprintf(page->stream,
            "<details class=\"untestable\"><summary>%zu that cannot be tested here, and "
            "why</summary>\n",
            counts.of[UNTESTABLE]);
    put_rows_of(page, section, false);
    page_put(page, "</details>\n");
}

/* --- the summary --- */

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

static void put_event(struct page *page, const json_t *section, const json_t *event)
{
    /* The way of counting this event that errs least. */
    const json_t *best = NULL;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(section, "results"), i, row)
    {
        if (strcmp(json_word(row, "event"), json_word(event, "event")) == 0 &&
            *json_word(row, "path") && (!best || is_better(row, best)))
            best = row;
    }

    page_form(page, event,
              "<tr><th scope=\"row\">{event}</th><td>{.verdict}</td><td>{cause}</td><td>");
    if (best && strcmp(json_word(event, "verdict"), "dead") != 0) {
        const json_t *adds = json_object_get(best, "overhead");
        page_form(page, best, "{path}, ");
        page_text(page, json_pattern(best));
        if (json_is_number(adds) && json_number_value(adds) != 0) {
            char digits[NUMBER_SIZE];
            number_brief(json_number_value(adds), digits, sizeof(digits));
            fprintf(page->stream, ", adds %s", digits);
        }
    }

    page_form(page, event, "</td><td>{note}</td></tr>\n");
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

static void put_events(struct page *page, const json_t *section, const char *const *shown,
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
            if (strcmp(json_word(event, "verdict"), shown[i]) == 0)
                put_event(page, section, event);
        }
    }
    page_put(page, "</tbody></table></div>\n");
}

/* Of a study that gives events verdicts. */
static void put_trust(struct page *page, const json_t *section)
{
    const json_t *events = json_object_get(json_object_get(section, "analysis"), "events");
    size_t of[3], all = 0, more = 0;
    for (size_t i = 0; i < sizeof(measured) / sizeof(*measured); i++)
        all += count_events(events, measured[i]);
    for (size_t i = 0; i < 3; i++)
        more += of[i] = count_events(events, unmeasured[i]);
    if (!all && !more)
        return;
    page_form(page, section, "<h3><a href=\"#{#id}\">");
    page_section_title(page, section);
    page_put(page, "</a></h3>\n");
    if (all)
        put_events(page, section, measured, sizeof(measured) / sizeof(*measured));
    /* What was not measured is worth a line, and a table for those who look. */
    if (!more)
        return;
    fprintf(page->stream,
            "<details class=\"unmeasured\"><summary>%zu more without a verdict:", more);
    for (size_t i = 0, told = 0; i < 3; i++)
        if (of[i])
            fprintf(page->stream, "%s %zu %s", told++ ? "," : "", of[i], unmeasured[i]);
    page_put(page, "</summary>\n");
    put_events(page, section, unmeasured, 3);
    page_put(page, "</details>\n");
}

/* --- what came out of the others --- */

/* The section has all of its sentences; here are the first of its first few. */
#define OUTCOMES_MAX 2

static void put_outcome(struct page *page, const json_t *section)
{
    const json_t *lead = json_object_get(section, "lead");
    size_t i;
    json_t *sentence;
    page_form(page, section, "<dt><a href=\"#{#id}\">");
    page_section_title(page, section);
    page_put(page, "</a></dt>\n");
    json_array_foreach(lead, i, sentence)
    {
        if (i < OUTCOMES_MAX && json_is_string(sentence)) {
            const char *words = json_string_value(sentence);
            AUTO_TEXT struct text first = {0};
            size_t length = 0;
            while (words[length] && !(words[length] == '.' && words[length + 1] == ' ' &&
                                      (isupper((unsigned char)words[length + 2]) ||
                                       isdigit((unsigned char)words[length + 2]))))
                length++;
            text_append(&first, words, words[length] ? length + 1 : length);
            page_put(page, "<dd>");
            page_text(page, text_string(&first));
            page_put(page, "</dd>\n");
        }
    }
    if (*json_word(section, "reason"))
        page_form(page, section, "<dd class=\"reason\">{reason}</dd>\n");
    else if (!json_array_size(lead))
        page_put(page, "<dd>Nothing could be said of it.</dd>\n");
}

void page_summary(struct page *page)
{
    const json_t *sections = json_object_get(page->report, "sections");
    size_t i;
    json_t *section;
    page_put(page, "<section class=\"summary\" id=\"summary\">\n<h2>Summary</h2>\n");
    if (!json_array_size(sections))
        page_put(page, "<p class=\"lead\">There is no run in this report.</p>\n");
    const json_t *notes = json_object_get(page->report, "notes");
    json_t *note;
    json_array_foreach(notes, i, note)
    {
        page_put(page, "<p class=\"note\">");
        page_value(page, note);
        page_put(page, "</p>\n");
    }

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
