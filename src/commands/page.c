/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the page: its frame, and its parts one after the other. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "commands/page-parts.h"
#include "commands/page.h"
#include "output/json.h"
#include "output/output.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * Text and numbers of a page, escaped. */

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

void page_name(struct page *page, const char *string)
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

void page_form(struct page *page, const char *form, const char *const *words)
{
    for (const char *at; (at = strchr(form, '{')); form = strchr(at, '}') + 1) {
        const char *word = *words++;
        fwrite(form, 1, (size_t)(at - form), page->stream);
        (at[1] == '#' ? page_name : at[1] == '.' ? page_chip : page_text)(page, word ? word : "");
    }
    page_put(page, form);
}

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
 * One run: what came out, its figures, what the paper says, what was left out, how it is made
 * again. */

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

void page_section_title(struct page *page, const struct report_section *section)
{
    PAGE(page, page->several && section->machine[0] ? "{}, machine {}" : "{}", section->title,
         section->machine);
    if (!is_only_one(page, section))
        PAGE(page, ", {}", section->started);
}

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

    for (size_t i = 0; i < section->lead.count; i++)
        PAGE(page, "<p class=\"lead\">{}</p>\n", section->lead.items[i]);
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
