/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What of the papers' findings holds on these machines. */
#include <string.h>

#include "show/number.h"
#include "output/page-parts.h"

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
    page_put(page, " ");
    page_text(page, json_word(finding, "unit"));
    if (!json_is_number(low) || !json_is_number(high) ||
        json_number_value(low) >= json_number_value(high))
        return;
    page_put(page, " (");
    put_quantity(page, low);
    page_put(page, " to ");
    put_quantity(page, high);
    page_put(page, ")");
}

static void put_cell(struct page *page, const char *string)
{
    page_put(page, "<td>");
    page_text(page, string);
    page_put(page, "</td>");
}

static void put_in_paper(struct page *page, const json_t *finding)
{
    page_put(page, "<td>");
    page_text(page, json_word(finding, "figure"));
    page_put(page, " <span class=\"cited\">");
    page_text(page, cited(json_word(finding, "paper")));
    page_put(page, "</span></td>");
}

static void put_finding(struct page *page, const json_t *section, const json_t *finding,
                        bool linked)
{
    page_put(page, "<tr><th scope=\"row\">");
    if (linked) {
        page_put(page, "<a href=\"#");
        page_name(page, json_word(section, "id"));
        page_put(page, "\">");
    }
    page_text(page, json_word(finding, "id"));
    page_put(page, linked ? "</a></th>" : "</th>");
    if (linked && page->several)
        put_cell(page, *json_word(section, "machine") ? json_word(section, "machine") : "all");
    page_put(page, "<td>");
    page_chip(page, json_word(finding, "verdict"));
    page_put(page, "</td>");
    put_cell(page, json_word(finding, "claim"));
    page_put(page, "<td class=\"n\">");
    put_estimate(page, finding);
    page_put(page, "</td>");
    put_in_paper(page, finding);
    put_cell(page, json_word(finding, "reason"));
    page_put(page, "</tr>\n");
}

static void put_heading(struct page *page, bool linked)
{
    static const char *const columns[] = {"verdict", "claim", "measured here", "in the paper",
                                          "why"};
    page_put(page, "<div class=\"scroll\"><table class=\"scorecard\">\n<thead><tr><th "
                   "scope=\"col\">finding</th>");
    if (linked && page->several)
        page_put(page, "<th scope=\"col\">machine</th>");
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
        fprintf(page->stream, "<th scope=\"col\">%s</th>", columns[i]);
    page_put(page, "</tr></thead>\n<tbody>\n");
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
        if (is_testable(finding) == testable)
            put_finding(page, section, finding, linked);
    }
}

/* Of one section, or of all of them (NULL). */
static void put_rows_of(struct page *page, const json_t *section, bool testable)
{
    const json_t *sections = json_object_get(page->report, "sections");
    size_t i;
    json_t *each;
    put_heading(page, !section);
    if (section)
        put_rows(page, section, false, testable);
    json_array_foreach(sections, i, each)
    {
        if (!section)
            put_rows(page, each, true, testable);
    }
    page_put(page, "</tbody></table></div>\n");
}

/* What could not be tested is worth a line, and a table for those who look. */
static void put_tables(struct page *page, const json_t *section, size_t all, size_t untestable)
{
    if (all > untestable)
        put_rows_of(page, section, true);
    if (!untestable)
        return;
    fprintf(page->stream,
            "<details class=\"untestable\"><summary>%zu that cannot be tested here, and "
            "why</summary>\n",
            untestable);
    put_rows_of(page, section, false);
    page_put(page, "</details>\n");
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

static void put_count(struct page *page, const struct counts *counts)
{
    static const char *const numbers[] = {
        "", "one paper", "two papers", "three papers", "four papers", "five papers"};
    size_t count_of_papers = 0;
    for (size_t i = 0; i < PAPERS; i++)
        count_of_papers += counts->seen[i];
    fprintf(page->stream, "<p class=\"score\">Of %zu %s", counts->all,
            counts->all == 1 ? "claim" : "claims");
    if (count_of_papers)
        fprintf(page->stream, " of %s", numbers[count_of_papers]);
    page_put(page, ":");
    for (size_t i = 0, told = 0; i < VERDICTS; i++)
        if (counts->of[i])
            fprintf(page->stream, "%s %zu %s", told++ ? "," : "", counts->of[i],
                    counts->of[i] == 1 ? verdicts[i].one : verdicts[i].several);
    page_put(page, ".</p>\n");
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
    if (!section)
        put_count(page, &counts);
    put_tables(page, section, counts.all, counts.of[UNTESTABLE]);
}
