/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the page: its frame, and its parts one after the other. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/output.h"
#include "output/page-parts.h"
#include "output/page.h"
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

void page_value(struct page *page, const json_t *value)
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

void page_form(struct page *page, const json_t *object, const char *form)
{
    for (const char *at; (at = strchr(form, '{')); form = strchr(at, '}') + 1) {
        char key[32];
        fwrite(form, 1, (size_t)(at - form), page->stream);
        const char kind = *++at;
        at += kind == '#' || kind == '.';
        snprintf(key, sizeof(key), "%.*s", (int)strcspn(at, "}"), at);
        (kind == '#'   ? page_name
         : kind == '.' ? page_chip
                       : page_text)(page, json_word(object, key));
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

static void put_doctor(struct page *page, const json_t *machine)
{
    const json_t *checks = json_object_get(machine, "doctor");
    size_t i;
    json_t *check;
    if (!json_array_size(checks))
        return;
    page_put(page,
             "<h3>What stands in the way of accurate counts</h3>\n<div class=\"scroll\"><table "
             "class=\"doctor\">\n<thead><tr><th scope=\"col\">check</th><th "
             "scope=\"col\">status</th><th scope=\"col\">found</th><th scope=\"col\">why it "
             "matters, and what changes it</th></tr></thead>\n<tbody>\n");
    json_array_foreach(checks, i, check)
    {
        page_form(page, check, "<tr><td>{check}</td><td>{.status}</td><td>{value}</td><td>{why}");
        if (*json_word(check, "fix")) {
            page_put(page, "<pre class=\"fix\">\n");
            page_lines(page, json_word(check, "fix"));
            page_put(page, "</pre>");
        }
        page_put(page, "</td></tr>\n");
    }
    page_put(page, "</tbody></table></div>\n");
}

static void put_facts(struct page *page, const json_t *machine)
{
    json_t *facts = json_object_get(machine, "facts");
    const json_t *absent = json_object_get(machine, "absent");
    const char *key;
    json_t *value;
    if (!json_object_size(facts))
        return;
    fprintf(page->stream,
            "<details class=\"facts\"><summary>%zu facts</summary><div "
            "class=\"scroll\"><table>\n<tbody>\n",
            json_object_size(facts));
    json_object_foreach(facts, key, value)
    {
        page_put(page, "<tr><th scope=\"row\">");
        page_text(page, key);
        page_put(page, "</th><td>");
        page_put(page, json_is_string(value) ? "" : "absent: ");
        page_text(page, json_word(json_is_string(value) ? facts : absent, key));
        page_put(page, "</td></tr>\n");
    }
    page_put(page, "</tbody></table></div></details>\n");
}

/* ----------------------------------------------------------------------------------------------
 * A figure without a script: its words and its table. The script draws into the empty element. */

/* A table longer than this is for programs. */
#define ROWS_MAX 400
/* Bytes from which on a text is a sentence, which may be broken. */
#define LONG 48u

static void put_id(struct page *page, const json_t *section, const json_t *figure)
{
    page_form(page, section, "{#id}/");
    page_form(page, figure, "{#id}");
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
        page_form(page, column,
                  is_numeric(rows, i) ? "<th scope=\"col\" class=\"number\">{title}</th>"
                                      : "<th scope=\"col\">{title}</th>");
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
                page_value(page, value);
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
    page_form(page, section,
              page->several && *json_word(section, "machine") ? "{title}, machine {machine}"
                                                              : "{title}");
    if (!is_only_one(page, section))
        page_form(page, section, ", {started}");
}

static const char *why_not_finished(const char *ended)
{
    return !*ended                        ? ", not finished"
           : strcmp(ended, "budget") == 0 ? ", ended with its budget"
                                          : ", interrupted";
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
        /* One figure, with its table. */
        page_put(page, "<figure class=\"figure\" id=\"");
        put_id(page, section, figure);
        page_form(page, figure, "\" data-kind=\"{#kind}\">\n<h4>{title}</h4>\n");
        if (*json_word(figure, "paper"))
            page_form(page, figure, "<p class=\"paper\">{paper}</p>\n");
        page_put(page, "<div class=\"plot\" data-figure=\"");
        put_id(page, section, figure);
        size_t at;
        json_t *note;
        page_form(page, figure, "\"></div>\n<figcaption><p>{caption}</p>");
        json_array_foreach(json_object_get(figure, "notes"), at, note)
        {
            page_put(page, "\n<p class=\"note\">");
            page_value(page, note);
            page_put(page, "</p>");
        }
        page_put(page, "</figcaption>\n");

        put_table(page, figure);
        page_put(page, "</figure>\n");
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
        page_form(page, skip, "<li>{what}: {reason}</li>\n");
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

/* One run. */
static void page_section(struct page *page, const json_t *section)
{
    page_form(page, section,
              "<section class=\"study\" id=\"{#id}\" data-command=\"{#command}\" "
              "data-machine=\"{#machine}\">\n<h2>");
    page_section_title(page, section);
    page_form(page, section, "</h2>\n<p class=\"when\"><code>assay {command}</code>, {started}");
    if (!*json_word(section, "finished"))
        page_put(page, why_not_finished(json_word(section, "ended")));
    page_put(page, "</p>\n");

    size_t i;
    json_t *sentence;
    json_array_foreach(json_object_get(section, "lead"), i, sentence)
    {
        page_put(page, "<p class=\"lead\">");
        page_value(page, sentence);
        page_put(page, "</p>\n");
    }
    if (*json_word(section, "reason"))
        page_form(page, section, "<p class=\"reason\">{reason}</p>\n");

    put_figures(page, section);
    page_scorecard(page, section);
    put_skipped(page, section);
    put_words(page, section);
    if (*json_word(section, "reproduce"))
        page_form(page, section,
                  "<p>Measure it again: <code class=\"reproduce\">{reproduce}</code></p>\n");
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
    size_t i;
    json_t *part;
    page_put(page, "<main>\n");
    page_summary(page);
    json_array_foreach(json_object_get(page->report, "sections"), i, part)
    {
        page_section(page, part);
    }
    json_array_foreach(json_object_get(page->report, "machines"), i, part)
    {
        /* One machine: what the doctor says of it, and its facts. */
        page_form(page, part,
                  page->several
                      ? "<section class=\"machine\" id=\"machine-{#label}\">\n<h2>Machine {label}"
                      : "<section class=\"machine\" id=\"machine-{#label}\">\n<h2>The machine");
        page_form(page, part,
                  "</h2>\n<p class=\"sentence\">{sentence}</p>\n"
                  "<p class=\"fingerprint\">Fingerprint <code>{fingerprint}</code></p>\n");
        put_doctor(page, part);
        put_facts(page, part);
        page_put(page, "</section>\n");
    }
    page_put(page, "</main>\n");
}

static void put_script(struct page *page)
{
    page_put(page, "<script type=\"application/json\" id=\"assay-figures\">");
    /* All figures for the script, as the content of an element. */
    size_t i, at;
    json_t *section, *figure;
    const char *lead = "{\n\"";
    bool any = false;
    json_array_foreach(json_object_get(page->report, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "figures"), at, figure)
        {
            page_put(page, lead);
            put_id(page, section, figure);
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

int page_write(const json_t *report, FILE *stream, struct failure *failure)
{
    struct page page = {.stream = stream,
                        .report = report,
                        .several = json_array_size(json_object_get(report, "machines")) > 1};
    page_put(&page, beginning);
    page_form(&page, report, "<title>{title}</title>\n<style>\n");
    fwrite(page_style, 1, page_style_size, page.stream);
    size_t i;
    json_t *part;
    page_form(&page, report,
              "</style>\n</head>\n<body>\n<header class=\"top\">\n<h1>{title}</h1>\n");
    json_array_foreach(json_object_get(report, "machines"), i, part)
    {
        page_form(&page, part,
                  page.several ? "<p class=\"machine-line\">{label}: {sentence}</p>\n"
                               : "<p class=\"machine-line\">{sentence}</p>\n");
    }
    page_form(&page, report,
              *json_word(report, "how") ? "<p class=\"made\">Made {made} by assay {version}: <code "
                                          "class=\"how\">{how}</code></p>\n"
                                        : "<p class=\"made\">Made {made} by assay {version}</p>\n");
    page_put(&page, "</header>\n<nav class=\"contents\" aria-label=\"Contents\"><ul>\n<li><a "
                    "href=\"#summary\">Summary</a></li>\n");
    json_array_foreach(json_object_get(report, "sections"), i, part)
    {
        page_form(&page, part, "<li><a href=\"#{#id}\">");
        page_section_title(&page, part);
        page_put(&page, "</a></li>\n");
    }
    json_array_foreach(json_object_get(report, "machines"), i, part)
    {
        page_form(&page, part,
                  page.several ? "<li><a href=\"#machine-{#label}\">Machine {label}</a></li>\n"
                               : "<li><a href=\"#machine-{#label}\">The machine</a></li>\n");
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

int page_save(const json_t *report, const char *path, struct failure *failure)
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
