/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The summary as lines, each with what it is about before it. A line has a place for so many names
 * and no more, so that all of them fit on a screen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/run-summary.h"
#include "output/json.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define LABEL_WIDTH 11u
#define KIB         1024.0
/* Lines that verdicts with their names, and paths, have. */
#define NAMED_VERDICTS 4u
#define PATH_LINES     3u

/* Cuts text behind so many lines; what is cut shows. */
static void keep_lines(struct text *text, size_t most)
{
    size_t lines = 0;
    for (size_t at = 0; at < text->length; at++) {
        lines += text->bytes[at] == '\n';
        if (lines < most || at + 1 >= text->length)
            continue;
        while (at > 0 && text->bytes[at - 1] != ' ')
            at--;
        while (at > 0 && strchr(" ,;:", text->bytes[at - 1]))
            at--;
        text->bytes[at] = '\0';
        text->length = at;
        text_puts(text, " …\n");
        return;
    }
}

void run_summary_put_line(const char *label, const char *words, size_t most,
                          const struct style *style, struct text *out)
{
    AUTO_TEXT struct text clean = {0}, lines = {0};
    text_put_clean(&clean, words);
    wrap(&lines, text_string(&clean), LABEL_WIDTH, LABEL_WIDTH, style->width);
    keep_lines(&lines, most);
    text_put_toned(out, style, TONE_STRONG, label);
    text_printf(out, "%*s", (int)(LABEL_WIDTH - strlen(label)), "");
    text_puts(out, text_string(&lines));
}

/* "a, b, c and 12 more", in one line of so many columns. */
static void put_names(const json_t *names, size_t columns, struct text *out)
{
    size_t count = json_array_size(names), used = 0;
    const char *comma = "";
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        size_t needed = utf8_columns(name ? name : "") + strlen(comma);
        size_t tail = i + 1 < count ? sizeof(" and 1,000 more") : 0;
        if (i > 0 && used + needed + tail > columns) {
            text_printf(out, " and %zu more", count - i);
            return;
        }
        text_printf(out, "%s%s", comma, name ? name : "");
        used += needed;
        comma = ", ";
    }
}

/* "2 bad, 5 warn": in this order, then whatever else there is. */
static void put_counts(const json_t *counts, const char *const *order, struct text *out)
{
    const char *comma = "";
    for (; *order; order++) {
        json_int_t count = json_integer_value(json_object_get(counts, *order));
        if (!count)
            continue;
        text_printf(out, "%s%" JSON_INTEGER_FORMAT " %s", comma, count, *order);
        comma = ", ";
    }
}

/* --- line by line --- */

static void put_doctor(const json_t *doctor, const struct style *style, struct text *out)
{
    static const char *const order[] = {"bad", "warn", "ok", "absent", NULL};
    const json_t *first = json_object_get(doctor, "first");
    AUTO_TEXT struct text words = {0};
    put_counts(json_object_get(doctor, "statuses"), order, &words);
    if (json_is_object(first))
        text_printf(&words, "; begin with `assay doctor %s`", json_word(first, "check"));
    run_summary_put_line("doctor", text_string(&words), 1, style, out);
}

static void put_trust(const json_t *trust, const struct style *style, struct text *out)
{
    static const char *const order[] = {"exact",    "accurate",    "biased",      "noisy", "dead",
                                        "unjudged", "unscheduled", "unsupported", NULL};
    static const char *const named[] = {"exact", "biased", "dead", "noisy", "accurate", NULL};
    size_t lines = 0;
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%" JSON_INTEGER_FORMAT " events: ",
                json_integer_value(json_object_get(trust, "events")));
    put_counts(json_object_get(trust, "verdicts"), order, &words);
    run_summary_put_line("trust", text_string(&words), 1, style, out);
    for (const char *const *verdict = named; *verdict; verdict++) {
        const json_t *names = json_object_get(json_object_get(trust, "names"), *verdict);
        if (!json_array_size(names) || lines++ == NAMED_VERDICTS)
            continue;
        text_clear(&words);
        text_printf(&words, "%s: ", *verdict);
        put_names(names, style->width - LABEL_WIDTH - words.length, &words);
        run_summary_put_line("", text_string(&words), 1, style, out);
    }
}

static const char *mode_words(const char *mode)
{
    static const struct {
        const char *mode, *words;
    } known[] = {{"u", "user mode"},
                 {"k", "system mode"},
                 {"uk", "user and system mode"},
                 {"any", "other events"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].mode, mode) == 0)
            return known[i].words;
    return mode;
}

/* "instructions:u +5 by perf-syscall start-read" */
static void put_path(const json_t *best, struct text *out)
{
    char subtract[NUMBER_SIZE];
    number_signed((int64_t)llround(json_number_value(json_object_get(best, "subtract"))), subtract,
                  sizeof(subtract));
    text_printf(out, "%s %s by %s %s%s", json_word(best, "event"), subtract,
                json_word(best, "path"), json_pattern(best),
                json_is_true(json_object_get(best, "stepped")) ? " (stepped)" : "");
}

/* All events of one mode; false: there is none. */
static bool put_mode(const json_t *paths, const char *mode, struct text *words)
{
    const json_t *best;
    size_t i;
    json_array_foreach(paths, i, best)
    {
        if (strcmp(json_word(best, "mode"), mode) != 0)
            continue;
        text_printf(words, "%s%s", words->length ? "" : mode_words(mode),
                    words->length ? "; " : ": ");
        put_path(best, words);
    }
    return words->length > 0;
}

/* Lines that nobody needs go to the last mode. */
static void put_paths(const json_t *paths, const struct style *style, struct text *out)
{
    static const char *const modes[] = {"u", "k", "uk", "any"};
    AUTO_TEXT struct text words = {0};
    size_t lines = 0;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]) && lines < PATH_LINES; i++) {
        AUTO_TEXT struct text next = {0};
        if (!put_mode(paths, modes[i], &next))
            continue;
        if (words.length)
            run_summary_put_line(lines++ ? "" : "adds", text_string(&words), 1, style, out);
        text_clear(&words);
        text_puts(&words, text_string(&next));
    }
    if (words.length && lines < PATH_LINES)
        run_summary_put_line(lines ? "" : "adds", text_string(&words), PATH_LINES - lines, style,
                             out);
}

/* What a clock is for, in as few words as tell. */
static const char *purpose_words(const char *purpose)
{
    static const struct {
        const char *purpose, *words;
    } known[] = {{"Short regions", "short"},
                 {"Long intervals", "long"},
                 {"Across CPUs and threads", "across CPUs"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].purpose, purpose) == 0)
            return known[i].words;
    return purpose;
}

static void put_clocks(const json_t *clocks, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const json_t *chosen, *avoid = json_object_get(clocks, "avoid");
    size_t i;
    json_array_foreach(json_object_get(clocks, "use"), i, chosen)
    {
        text_printf(&words, "%s%s: %s", i ? "; " : "", purpose_words(json_word(chosen, "for")),
                    json_word(chosen, "clock"));
    }
    if (json_array_size(avoid)) {
        text_puts(&words, words.length ? "; not: " : "not: ");
        put_names(avoid, style->width / 2, &words);
    }
    run_summary_put_line("clocks", text_string(&words), 2, style, out);
}

static void put_bytes(const json_t *bytes, struct text *out)
{
    double value = json_number_value(bytes) / KIB;
    char number[NUMBER_SIZE];
    number_brief(value >= KIB ? value / KIB : value, number, sizeof(number));
    text_printf(out, "%s %s", number, value >= KIB ? "MiB" : "KiB");
}

/* "L1 48 KiB as claimed", "L2 2 MiB, seen 1.3 MiB", "L3 32 MiB, not seen" */
static void put_cache(const json_t *row, struct text *out)
{
    const json_t *claimed = json_object_get(row, "claimed_bytes");
    const json_t *measured = json_object_get(row, "measured_bytes");
    const json_t *low = json_object_get(row, "low_bytes"),
                 *high = json_object_get(row, "high_bytes");
    text_printf(out, "L%" JSON_INTEGER_FORMAT " ",
                json_integer_value(json_object_get(row, "level")));
    if (json_is_number(claimed))
        put_bytes(claimed, out);
    else
        text_puts(out, "not claimed");
    if (json_is_number(measured) && json_equal(measured, claimed)) {
        text_puts(out, " as claimed");
    } else if (json_is_number(measured)) {
        text_puts(out, ", seen ");
        put_bytes(measured, out);
    } else if (json_is_number(low) && json_is_number(high)) {
        text_puts(out, ", seen ");
        put_bytes(low, out);
        text_puts(out, " to ");
        put_bytes(high, out);
    } else {
        text_puts(out, ", not seen");
    }
}

static void put_caches(const json_t *caches, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const json_t *row;
    size_t i;
    json_array_foreach(caches, i, row)
    {
        text_puts(&words, i ? "; " : "");
        put_cache(row, &words);
    }
    if (words.length)
        run_summary_put_line("caches", text_string(&words), 2, style, out);
}

static void put_most(const json_t *most, struct text *out)
{
    double percent = json_number_value(json_object_get(most, "cv_percent"));
    char number[NUMBER_SIZE];
    number_brief(percent, number, sizeof(number));
    if (!json_is_object(most))
        text_puts(out, "not measured");
    else if (percent > 0)
        text_printf(out, "up to %s %% apart (%s)", number, json_word(most, "event"));
    else
        text_puts(out, "the same");
}

static void put_variation(const json_t *variation, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "counts of %" JSON_INTEGER_FORMAT " programs: as is ",
                json_integer_value(json_object_get(variation, "programs")));
    put_most(json_object_get(variation, "as_is"), &words);
    text_puts(&words, "; controlled ");
    put_most(json_object_get(variation, "controlled"), &words);
    run_summary_put_line("repeat", text_string(&words), 2, style, out);
}

static void put_findings(const json_t *findings, const struct style *style, struct text *out)
{
    const json_t *verdicts = json_object_get(findings, "verdicts");
    json_int_t total = json_integer_value(json_object_get(findings, "total"));
    AUTO_TEXT struct text words = {0};
    if (!total)
        return;
    static const struct {
        const char *verdict, *one, *several;
    } told[] = {{"holds", "holds here", "hold here"},
                {"does not hold", "does not", "do not"},
                {"inconclusive", "open", "open"},
                {"not testable here", "not testable", "not testable"}};
    text_printf(&words, "%" JSON_INTEGER_FORMAT " claims of papers: ", total);
    const char *comma = "";
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        json_int_t count = json_integer_value(json_object_get(verdicts, told[i].verdict));
        if (!count)
            continue;
        text_printf(&words, "%s%" JSON_INTEGER_FORMAT " %s", comma, count,
                    count == 1 ? told[i].one : told[i].several);
        comma = ", ";
    }
    run_summary_put_line("findings", text_string(&words), 1, style, out);
}

void run_summary_put(const json_t *summary, const struct style *style, struct text *out)
{
    static const struct {
        const char *key;
        void (*put)(const json_t *part, const struct style *style, struct text *out);
    } lines[] = {{"doctor", put_doctor},    {"trust", put_trust},   {"paths", put_paths},
                 {"clocks", put_clocks},    {"caches", put_caches}, {"variation", put_variation},
                 {"findings", put_findings}};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const json_t *part = json_object_get(summary, lines[i].key);
        if (part && !json_is_null(part))
            lines[i].put(part, style, out);
        /* What calls cost stands behind what they add. */
        const json_t *calls = json_object_get(summary, "calls");
        if (strcmp(lines[i].key, "paths") == 0 && json_array_size(calls))
            run_summary_put_line("calls", json_string_value(json_array_get(calls, 0)), 2, style,
                                 out);
    }
}
