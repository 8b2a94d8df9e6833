/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the page: its frame, and its parts one after the other. First comes what a reader wants
 * first: what came out of every study, which events can be trusted, and what of the papers holds.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "commands/page.h"
#include "output/json.h"
#include "output/output.h"
#include "output/table.h"

struct page {
    FILE *stream;
    const struct report *report;
    bool several;      /* machines: sections say which is theirs */
    struct text clean; /* scratch */
};

/* ----------------------------------------------------------------------------------------------
 * Text and numbers of a page, escaped; only markup is taken as it is. */

static void page_put(struct page *page, const char *markup)
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

/* Anything, as text or inside of double quotes: the reader sees every character, and neither
 * browser nor reader obeys one. */
static void page_text(struct page *page, const char *string)
{
    text_clear(&page->clean);
    text_put_clean(&page->clean, string);
    put_escaped(page->stream, text_string(&page->clean));
}

/* As page_text, with its lines. */
static void page_lines(struct page *page, const char *string)
{
    AUTO_TEXT struct text line = {0};
    for (;;) {
        size_t length = strcspn(string, "\n");
        text_clear(&line);
        text_append(&line, string, length);
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

/* A number with separators, a text, or nothing. */
static void put_cell(struct page *page, const json_t *value)
{
    if (json_is_number(value))
        put_real(page, json_number_value(value));
    else if (json_is_string(value))
        page_text(page, json_string_value(value));
    else if (json_is_boolean(value))
        page_put(page, json_is_true(value) ? "yes" : "no");
}

/* A name made of a-z, A-Z, 0-9, - and _, for ids and classes. */
static void page_name(struct page *page, const char *string)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!*string)
        putc('-', page->stream);
    for (; *string; string++)
        putc(strchr(plain, *string) ? *string : '-', page->stream);
}

/* <span class="chip chip-does-not-hold">does not hold</span> */
static void page_chip(struct page *page, const char *verdict)
{
    if (!*verdict)
        return;
    page_put(page, "<span class=\"chip chip-");
    page_name(page, verdict);
    page_put(page, "\">");
    page_text(page, verdict);
    page_put(page, "</span>");
}

/* Markup with words in it, in this order: {} as text, {#} as a name, {.} as a chip; NULL: "". */
static void page_form(struct page *page, const char *form, const char *const *words, size_t count)
{
    size_t next = 0;
    for (const char *at; (at = strchr(form, '{')); form = strchr(at, '}') + 1) {
        const char *word = next < count ? words[next++] : NULL;
        fwrite(form, 1, (size_t)(at - form), page->stream);
        (at[1] == '#' ? page_name : at[1] == '.' ? page_chip : page_text)(page, word ? word : "");
    }
    page_put(page, form);
}

#define PAGE(page, form, ...)                                                                      \
    page_form(page, form, (const char *const[]){__VA_ARGS__},                                      \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* ----------------------------------------------------------------------------------------------
 * Figures as the content of a <script> element. Written by hand and not by Jansson, because
 * nothing in it may end the element, texts are shown as they are by the script, and ten digits are
 * more than a picture has. */

static void put_string(struct page *page, const char *string)
{
    text_clear(&page->clean);
    text_put_clean(&page->clean, string);
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

static void put_value(struct page *page, json_t *value)
{
    if (json_is_object(value)) {
        const char *key, *comma = "";
        json_t *element;
        page_put(page, "{");
        json_object_foreach(value, key, element)
        {
            page_put(page, comma);
            put_string(page, key);
            page_put(page, ":");
            put_value(page, element);
            comma = ",";
        }
        page_put(page, "}");
    } else if (json_is_array(value)) {
        size_t i;
        json_t *element;
        page_put(page, "[");
        json_array_foreach(value, i, element)
        {
            page_put(page, i ? "," : "");
            put_value(page, element);
        }
        page_put(page, "]");
    } else if (json_is_string(value))
        put_string(page, json_string_value(value));
    else if (json_is_number(value)) {
        double number = json_number_value(value);
        if (json_is_integer(value))
            fprintf(page->stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else if (!isfinite(number))
            page_put(page, "null");
        else
            fprintf(page->stream, "%.10g", number);
    } else
        page_put(page, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
}

/* ----------------------------------------------------------------------------------------------
 * A machine: what it is, what stands in the way of accurate counts on it and how that is changed,
 * and every fact that it told. */

static void put_doctor(struct page *page, const struct opinions *opinions)
{
    if (!opinions->count)
        return;
    page_put(page,
             "<h3>What stands in the way of accurate counts</h3>\n<div class=\"scroll\"><table "
             "class=\"doctor\">\n<thead><tr><th scope=\"col\">check</th><th "
             "scope=\"col\">status</th><th scope=\"col\">found</th><th scope=\"col\">why it "
             "matters, and what changes it</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < opinions->count; i++) {
        const struct advice *advice = &opinions->list[i].advice;
        PAGE(page, "<tr><td>{}</td><td>{.}</td><td>{}</td><td>{}", opinions->list[i].check->name,
             check_status_names[advice->status], advice->value, advice->why);
        if (advice->fix[0]) {
            page_put(page, "<pre class=\"fix\">\n");
            page_lines(page, advice->fix);
            page_put(page, "</pre>");
        }
        page_put(page, "</td></tr>\n");
    }
    page_put(page, "</tbody></table></div>\n");
}

static void put_facts(struct page *page, const struct facts *facts)
{
    char number[32];
    if (!facts->count)
        return;
    fprintf(page->stream,
            "<details class=\"facts\"><summary>%zu facts</summary><div "
            "class=\"scroll\"><table>\n<tbody>\n",
            facts->count);
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        PAGE(page, "<tr><th scope=\"row\">{}</th><td>{}{}</td></tr>\n", fact->key,
             fact->value ? "" : "absent: ",
             fact->value ? fact->value : errno_name(fact->error, number, sizeof(number)));
    }
    page_put(page, "</tbody></table></div></details>\n");
}

/* ----------------------------------------------------------------------------------------------
 * A figure without a script: its words and its table. The script draws into the empty element. */

/* A table longer than this is for programs. */
#define ROWS_MAX 400
/* Bytes from which on a text is a sentence, which may be broken. */
#define LONG 48u

static void put_id(struct page *page, const struct report_section *section, const json_t *figure)
{
    PAGE(page, "{#}/{#}", section->id, json_word(figure, "id"));
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

/* Sentences need room, else they become columns of words. */
static bool is_long(const json_t *value)
{
    return json_string_length(value) > LONG;
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
    json_t *column;
    page_put(page, "<thead><tr>");
    json_array_foreach(columns, i, column)
    {
        if (is_hidden(column))
            continue;
        PAGE(page,
             is_numeric(rows, i) ? "<th scope=\"col\" class=\"number\">{}</th>"
                                 : "<th scope=\"col\">{}</th>",
             json_word(column, "title"));
    }
    page_put(page, "</tr></thead>\n");

    page_put(page, "<tbody>\n");
    json_array_foreach(rows, i, row)
    {
        if (i < ROWS_MAX) {
            size_t at;
            page_put(page, "<tr>");
            json_array_foreach(columns, at, column)
            {
                const json_t *value = json_array_get(row, at);
                if (is_hidden(column))
                    continue;
                const bool absent = !value || json_is_null(value);
                page_put(page, json_is_number(value) || (absent && is_numeric(rows, at))
                                   ? "<td class=\"n\">"
                               : is_long(value) ? "<td class=\"long\">"
                                                : "<td>");
                if (json_is_null(value))
                    page_put(page, "–");
                put_cell(page, value);
                page_put(page, "</td>");
            }
            page_put(page, "</tr>\n");
        }
    }
    page_put(page, "</tbody></table></div>");
    if (count > ROWS_MAX) {
        number_count(count - ROWS_MAX, number, sizeof(number));
        fprintf(page->stream, "<p>and %s more in the JSON</p>", number);
    }
    page_put(page, "</details>\n");
}

/* ----------------------------------------------------------------------------------------------
 * What a section is called. */

/* Several runs of one study are told apart by when they began. */
static bool is_only_one(const struct page *page, const struct report_section *section)
{
    size_t alike = 0;
    for (size_t i = 0; i < page->report->section_count; i++) {
        const struct report_section *other = &page->report->sections[i];
        alike += strcmp(other->title, section->title) == 0 &&
                 strcmp(other->machine, section->machine) == 0;
    }
    return alike <= 1;
}

/* As contents and summary name it. */
static void page_section_title(struct page *page, const struct report_section *section)
{
    PAGE(page, page->several && section->machine[0] ? "{}, machine {}" : "{}", section->title,
         section->machine);
    if (!is_only_one(page, section))
        PAGE(page, ", {}", section->started);
}

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
             finding->figure, cited(finding->paper), reasons_text(&finding->why));
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

/* Findings as a table; section NULL: those of all sections, with links to them. */
static void page_scorecard(struct page *page, const struct report_section *section)
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
    for (size_t i = 0; i < section->lead.first.count && i < OUTCOMES_MAX; i++)
        PAGE(page, "<dd>{}</dd>\n", section->lead.first.items[i]);
    if (section->reason)
        PAGE(page, "<dd class=\"reason\">{}</dd>\n", section->reason);
    else if (!section->lead.whole.count)
        page_put(page, "<dd>Nothing could be said of it.</dd>\n");
}

static void page_summary(struct page *page)
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

/* ----------------------------------------------------------------------------------------------
 * One run: what came out, its figures, what the paper says, what was left out, how it is made
 * again. */

static const char *why_not_finished(const char *ended)
{
    return !ended                         ? ", not finished"
           : strcmp(ended, "budget") == 0 ? ", ended with its budget"
                                          : ", interrupted";
}

static void put_figures(struct page *page, const struct report_section *section)
{
    size_t i;
    json_t *figure;
    if (!json_array_size(section->figures))
        return;
    page_put(page, "<h3>Figures</h3>\n<div class=\"figures\">\n");
    json_array_foreach(section->figures, i, figure)
    {
        /* One figure, with its table. */
        page_put(page, "<figure class=\"figure\" id=\"");
        put_id(page, section, figure);
        PAGE(page, "\" data-kind=\"{#}\">\n<h4>{}</h4>\n", json_word(figure, "kind"),
             json_word(figure, "title"));
        if (*json_word(figure, "paper"))
            PAGE(page, "<p class=\"paper\">{}</p>\n", json_word(figure, "paper"));
        page_put(page, "<div class=\"plot\" data-figure=\"");
        put_id(page, section, figure);
        size_t at;
        json_t *note;
        PAGE(page, "\"></div>\n<figcaption><p>{}</p>", json_word(figure, "caption"));
        json_array_foreach(json_object_get(figure, "notes"), at, note)
        {
            PAGE(page, "\n<p class=\"note\">{}</p>", json_string_value(note));
        }
        page_put(page, "</figcaption>\n");

        put_table(page, figure);
        page_put(page, "</figure>\n");
    }
    page_put(page, "</div>\n");
}

static void put_skipped(struct page *page, const struct skips *skips)
{
    if (!skips || !skips->count)
        return;
    fprintf(page->stream,
            "<details class=\"skipped\"><summary>Could not be measured: %zu</summary>\n<ul>\n",
            skips->count);
    for (size_t i = 0; i < skips->count; i++)
        PAGE(page, "<li>{}: {}</li>\n", skips->list[i].what, skips->list[i].reason);
    page_put(page, "</ul></details>\n");
}

static void put_words(struct page *page, const char *words)
{
    if (!words || !*words)
        return;
    page_put(page, "<details class=\"words\"><summary>The whole report, as a terminal shows "
                   "it</summary>\n<pre>\n");
    page_lines(page, words);
    page_put(page, "</pre></details>\n");
}

/* One run. */
static void page_section(struct page *page, const struct report_section *section)
{
    PAGE(page,
         "<section class=\"study\" id=\"{#}\" data-command=\"{#}\" data-machine=\"{#}\">\n<h2>",
         section->id, section->command, section->machine);
    page_section_title(page, section);
    PAGE(page, "</h2>\n<p class=\"when\"><code>assay {}</code>, {}", section->command,
         section->started);
    if (!section->finished)
        page_put(page, why_not_finished(section->ended));
    page_put(page, "</p>\n");

    for (size_t i = 0; i < section->lead.whole.count; i++)
        PAGE(page, "<p class=\"lead\">{}</p>\n", section->lead.whole.items[i]);
    if (section->reason)
        PAGE(page, "<p class=\"reason\">{}</p>\n", section->reason);

    put_figures(page, section);
    page_scorecard(page, section);
    put_skipped(page, section->finish->skips);
    put_words(page, section->words);
    if (section->reproduce && *section->reproduce)
        PAGE(page, "<p>Measure it again: <code class=\"reproduce\">{}</code></p>\n",
             section->reproduce);
    page_put(page, "</section>\n");
}

/* --- the page --- */

#define MARK "<meta name=\"generator\" content=\"assay "

/* Nothing but what is in the file, and nothing that leaves it. */
static const char beginning[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" MARK ASSAY_VERSION
    "\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
    "'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n";

bool page_is_report(const char *path)
{
    char begins[512];
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t length = fread(begins, 1, sizeof(begins) - 1, file);
    begins[length] = 0;
    return strncmp(begins, "<!DOCTYPE html>", strlen("<!DOCTYPE html>")) == 0 &&
           strstr(begins, MARK);
}

static void put_parts(struct page *page)
{
    const struct report *report = page->report;
    page_put(page, "<main>\n");
    page_summary(page);
    for (size_t i = 0; i < report->section_count; i++)
        page_section(page, &report->sections[i]);
    for (size_t i = 0; i < report->machine_count; i++) {
        /* What the doctor says of it, and its facts. */
        const struct report_machine *machine = &report->machines[i];
        PAGE(page,
             page->several ? "<section class=\"machine\" id=\"machine-{#}\">\n<h2>Machine {}"
                           : "<section class=\"machine\" id=\"machine-{#}\">\n<h2>The machine",
             machine->label, machine->label);
        PAGE(page,
             "</h2>\n<p class=\"sentence\">{}</p>\n"
             "<p class=\"fingerprint\">Fingerprint <code>{}</code></p>\n",
             machine->sentence, machine->fingerprint);
        put_doctor(page, &machine->opinions);
        put_facts(page, &machine->facts);
        page_put(page, "</section>\n");
    }
    page_put(page, "</main>\n");
}

static void put_script(struct page *page)
{
    page_put(page, "<script type=\"application/json\" id=\"assay-figures\">");
    /* All figures for the script, as the content of an element. */
    size_t at;
    json_t *figure;
    const char *lead = "{\n\"";
    bool any = false;
    for (size_t i = 0; i < page->report->section_count; i++) {
        json_array_foreach(page->report->sections[i].figures, at, figure)
        {
            page_put(page, lead);
            put_id(page, &page->report->sections[i], figure);
            page_put(page, "\":");
            put_value(page, figure);
            lead = ",\n\"";
            any = true;
        }
    }
    page_put(page, any ? "\n}\n" : "{}\n");

    page_put(page, "</script>\n");
    if (page_script_size) {
        page_put(page, "<script>\n");
        fwrite(page_script, 1, page_script_size, page->stream);
        page_put(page, "</script>\n");
    }
}

int page_write(const struct report *report, FILE *stream, struct failure *failure)
{
    struct page page = {.stream = stream, .report = report, .several = report->machine_count > 1};
    page_put(&page, beginning);
    PAGE(&page, "<title>{}</title>\n<style>\n", report->title);
    fwrite(page_style, 1, page_style_size, page.stream);
    PAGE(&page, "</style>\n</head>\n<body>\n<header class=\"top\">\n<h1>{}</h1>\n", report->title);
    for (size_t i = 0; i < report->machine_count; i++)
        PAGE(&page, "<p class=\"machine-line\">{}{}{}</p>\n",
             page.several ? report->machines[i].label : "", page.several ? ": " : "",
             report->machines[i].sentence);
    PAGE(&page, "<p class=\"made\">Made {} by assay {}", report->made, ASSAY_VERSION);
    if (report->how && *report->how)
        PAGE(&page, ": <code class=\"how\">{}</code>", report->how);
    page_put(&page, "</p>\n</header>\n<nav class=\"contents\" aria-label=\"Contents\"><ul>\n<li><a "
                    "href=\"#summary\">Summary</a></li>\n");
    for (size_t i = 0; i < report->section_count; i++) {
        PAGE(&page, "<li><a href=\"#{#}\">", report->sections[i].id);
        page_section_title(&page, &report->sections[i]);
        page_put(&page, "</a></li>\n");
    }
    for (size_t i = 0; i < report->machine_count; i++) {
        const char *label = report->machines[i].label;
        PAGE(&page,
             page.several ? "<li><a href=\"#machine-{#}\">Machine {}</a></li>\n"
                          : "<li><a href=\"#machine-{#}\">The machine</a></li>\n",
             label, label);
    }
    page_put(&page, "</ul></nav>\n");

    put_parts(&page);
    put_script(&page);
    page_put(&page, "</body>\n</html>\n");
    text_free(&page.clean);
    if (ferror(stream))
        return fail_with(failure, -EIO, "the page could not be written: %s", strerror(errno));
    return 0;
}

int page_save(const struct report *report, const char *path, struct failure *failure)
{
    struct output output;
    int error = output_open(&output, path, failure);
    if (error < 0)
        return error;
    error = page_write(report, output.stream, failure);
    if (error == 0)
        error = output_commit(&output, failure);
    output_discard(&output);
    return error;
}
