/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader wants first: which events can be trusted, what came out of every study, and what of
 * the papers holds. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "commands/page-parts.h"
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

static void put_quantity(struct page *page, double number)
{
    char digits[NUMBER_SIZE];
    number_brief(number, digits, sizeof(digits));
    page_put(page, digits);
}

/* 5.4 times (5.1 to 5.9) */
static void put_estimate(struct page *page, const struct finding *finding)
{
    if (!finding->has_estimate || !isfinite(finding->estimate))
        return;
    put_quantity(page, finding->estimate);
    PAGE(page, " {}", finding->unit);
    if (!isfinite(finding->low) || !isfinite(finding->high) || finding->low >= finding->high)
        return;
    page_put(page, " (");
    put_quantity(page, finding->low);
    page_put(page, " to ");
    put_quantity(page, finding->high);
    page_put(page, ")");
}

static void put_rows(struct page *page, const struct report_section *section, bool linked,
                     bool testable)
{
    for (size_t i = 0; i < section->finish->finding_count; i++) {
        const struct finding *finding = &section->finish->findings[i];
        if (!finding->id || (finding->verdict != FINDING_UNTESTABLE) != testable)
            continue;
        page_put(page, "<tr><th scope=\"row\">");
        if (linked)
            PAGE(page, "<a href=\"#{#}\">", section->id);
        PAGE(page, linked ? "{}</a></th>" : "{}</th>", finding->id);
        if (linked && page->several)
            PAGE(page, "<td>{}</td>", section->machine[0] ? section->machine : "all");
        PAGE(page, "<td>{.}</td><td>{}</td><td class=\"n\">",
             finding_verdict_names[finding->verdict], finding->claim);
        put_estimate(page, finding);
        PAGE(page, "</td><td>{} <span class=\"cited\">{}</span></td><td>{}</td></tr>\n",
             finding->figure, cited(finding->paper), finding->reason);
    }
}

/* Of one section, or of all of them (NULL). */
static void put_rows_of(struct page *page, const struct report_section *section, bool testable)
{
    static const char *const columns[] = {"verdict", "claim", "measured here", "in the paper",
                                          "why"};
    page_put(page, "<div class=\"scroll\"><table class=\"scorecard\">\n<thead><tr><th "
                   "scope=\"col\">finding</th>");
    if (!section && page->several)
        page_put(page, "<th scope=\"col\">machine</th>");
    for (size_t j = 0; j < sizeof(columns) / sizeof(*columns); j++)
        fprintf(page->stream, "<th scope=\"col\">%s</th>", columns[j]);
    page_put(page, "</tr></thead>\n<tbody>\n");

    if (section)
        put_rows(page, section, false, testable);
    for (size_t i = 0; i < page->report->section_count && !section; i++)
        put_rows(page, &page->report->sections[i], true, testable);
    page_put(page, "</tbody></table></div>\n");
}

/* --- the count of all --- */

struct counts {
    size_t all, of[4]; /* by enum finding_verdict */
    bool seen[PAPERS];
};
static const struct {
    const char *one, *several;
} verdicts[] = {[FINDING_HOLDS] = {"holds here", "hold here"},
                [FINDING_FAILS] = {"does not", "do not"},
                [FINDING_INCONCLUSIVE] = {"undecided", "undecided"},
                [FINDING_UNTESTABLE] = {"not testable here", "not testable here"}};

static void count_section(const struct report_section *section, struct counts *counts)
{
    for (size_t i = 0; i < section->finish->finding_count; i++) {
        const struct finding *finding = &section->finish->findings[i];
        counts->all += finding->id != NULL;
        counts->of[finding->verdict] += finding->id != NULL;
        for (size_t j = 0; j < PAPERS && finding->id; j++)
            counts->seen[j] |= strcmp(finding->paper, papers[j].paper) == 0;
    }
}

void page_scorecard(struct page *page, const struct report_section *section)
{
    struct counts counts = {0};
    if (section)
        count_section(section, &counts);
    for (size_t i = 0; i < page->report->section_count && !section; i++)
        count_section(&page->report->sections[i], &counts);
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
        for (size_t j = 0, told = 0; j < sizeof(verdicts) / sizeof(*verdicts); j++)
            if (counts.of[j])
                fprintf(page->stream, "%s %zu %s", told++ ? "," : "", counts.of[j],
                        counts.of[j] == 1 ? verdicts[j].one : verdicts[j].several);
        page_put(page, ".</p>\n");
    }

    /* What could not be tested is worth a line, and a table for those who look. */
    if (counts.all > counts.of[FINDING_UNTESTABLE])
        put_rows_of(page, section, true);
    if (!counts.of[FINDING_UNTESTABLE])
        return;
    fprintf(page->stream,
            "<details class=\"untestable\"><summary>%zu that cannot be tested here, and "
            "why</summary>\n",
            counts.of[FINDING_UNTESTABLE]);
    put_rows_of(page, section, false);
    page_put(page, "</details>\n");
}

/* --- the summary --- */

/* --- events --- */

static void put_event(struct page *page, const struct study_verdict *verdict)
{
    PAGE(page, "<tr><th scope=\"row\">{}</th><td>{.}</td><td>{}</td><td>", verdict->event,
         verdict->verdict, verdict->cause);
    if (verdict->path) {
        PAGE(page, "{}, {}", verdict->path, verdict->pattern);
        if (verdict->adds != 0) {
            char digits[NUMBER_SIZE];
            number_brief(verdict->adds, digits, sizeof(digits));
            fprintf(page->stream, ", adds %s", digits);
        }
    }
    PAGE(page, "</td><td>{}</td></tr>\n", verdict->note);
}

static void put_events(struct page *page, const struct report_section *section, bool measured)
{
    page_put(page, "<div class=\"scroll\"><table class=\"verdicts\">\n<thead><tr><th "
                   "scope=\"col\">event</th><th scope=\"col\">verdict</th><th "
                   "scope=\"col\">cause</th><th scope=\"col\">best way</th><th "
                   "scope=\"col\">note</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < section->verdict_count; i++)
        if (section->verdicts[i].measured == measured)
            put_event(page, &section->verdicts[i]);
    page_put(page, "</tbody></table></div>\n");
}

/* Of a study that gives events verdicts. */
static void put_trust(struct page *page, const struct report_section *section)
{
    size_t more = 0, alike;
    if (!section->verdict_count)
        return;
    for (size_t i = 0; i < section->verdict_count; i++)
        more += !section->verdicts[i].measured;
    PAGE(page, "<h3><a href=\"#{#}\">", section->id);
    page_section_title(page, section);
    page_put(page, "</a></h3>\n");
    if (more < section->verdict_count)
        put_events(page, section, true);
    /* What was not measured is worth a line, and a table for those who look. */
    if (!more)
        return;
    fprintf(page->stream,
            "<details class=\"unmeasured\"><summary>%zu more without a verdict:", more);
    const char *comma = "";
    for (size_t i = section->verdict_count - more; i < section->verdict_count; i += alike) {
        const char *verdict = section->verdicts[i].verdict;
        for (alike = 0; i + alike < section->verdict_count &&
                        strcmp(section->verdicts[i + alike].verdict, verdict) == 0;)
            alike++;
        fprintf(page->stream, "%s %zu ", comma, alike);
        page_text(page, verdict);
        comma = ",";
    }
    page_put(page, "</summary>\n");
    put_events(page, section, false);
    page_put(page, "</details>\n");
}

/* --- what came out of the others --- */

/* The section has all of its sentences; here are the first of its first few. */
#define OUTCOMES_MAX 2

static void put_outcome(struct page *page, const struct report_section *section)
{
    PAGE(page, "<dt><a href=\"#{#}\">", section->id);
    page_section_title(page, section);
    page_put(page, "</a></dt>\n");
    for (size_t i = 0; i < section->lead.count && i < OUTCOMES_MAX; i++) {
        const char *words = section->lead.items[i];
        AUTO_TEXT struct text first = {0};
        size_t length = 0;
        while (words[length] && !(words[length] == '.' && words[length + 1] == ' ' &&
                                  (isupper((unsigned char)words[length + 2]) ||
                                   isdigit((unsigned char)words[length + 2]))))
            length++;
        text_append(&first, words, words[length] ? length + 1 : length);
        PAGE(page, "<dd>{}</dd>\n", text_string(&first));
    }
    if (section->reason)
        PAGE(page, "<dd class=\"reason\">{}</dd>\n", section->reason);
    else if (!section->lead.count)
        page_put(page, "<dd>Nothing could be said of it.</dd>\n");
}

void page_summary(struct page *page)
{
    const struct report *report = page->report;
    page_put(page, "<section class=\"summary\" id=\"summary\">\n<h2>Summary</h2>\n");
    if (!report->section_count)
        page_put(page, "<p class=\"lead\">There is no run in this report.</p>\n");
    for (size_t i = 0; i < report->notes.count; i++)
        PAGE(page, "<p class=\"note\">{}</p>\n", report->notes.items[i]);

    if (report->section_count) {
        page_put(page, "<dl class=\"outcomes\">\n");
        for (size_t i = 0; i < report->section_count; i++)
            put_outcome(page, &report->sections[i]);
        page_put(page, "</dl>\n");
    }
    for (size_t i = 0; i < report->section_count; i++)
        put_trust(page, &report->sections[i]);
    page_scorecard(page, NULL);
    page_put(page, "</section>\n");
}
