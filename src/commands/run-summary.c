/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The summary as data: from every part's results and analysis the few things that one acts upon. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "commands/run.h"
#include "output/json.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * The summary as lines, each with what it is about before it. A line has a place for so many names
 * and no more, so that all of them fit on a screen. */

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
        /* "instructions:u +5 by perf-syscall start-read" */
        char subtract[NUMBER_SIZE];
        number_signed((int64_t)llround(json_number_value(json_object_get(best, "subtract"))),
                      subtract, sizeof(subtract));
        text_printf(words, "%s %s by %s %s%s", json_word(best, "event"), subtract,
                    json_word(best, "path"), json_pattern(best),
                    json_is_true(json_object_get(best, "stepped")) ? " (stepped)" : "");
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

static void put_caches(const json_t *caches, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const json_t *row;
    size_t i;
    json_array_foreach(caches, i, row)
    {
        text_puts(&words, i ? "; " : "");
        /* "L1 48 KiB as claimed", "L2 2 MiB, seen 1.3 MiB", "L3 32 MiB, not seen" */
        const json_t *claimed = json_object_get(row, "claimed_bytes");
        const json_t *measured = json_object_get(row, "measured_bytes");
        const json_t *low = json_object_get(row, "low_bytes"),
                     *high = json_object_get(row, "high_bytes");
        text_printf(&words, "L%" JSON_INTEGER_FORMAT " ",
                    json_integer_value(json_object_get(row, "level")));
        if (json_is_number(claimed))
            put_bytes(claimed, &words);
        else
            text_puts(&words, "not claimed");
        if (json_is_number(measured) && json_equal(measured, claimed)) {
            text_puts(&words, " as claimed");
        } else if (json_is_number(measured)) {
            text_puts(&words, ", seen ");
            put_bytes(measured, &words);
        } else if (json_is_number(low) && json_is_number(high)) {
            text_puts(&words, ", seen ");
            put_bytes(low, &words);
            text_puts(&words, " to ");
            put_bytes(high, &words);
        } else {
            text_puts(&words, ", not seen");
        }
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

/* ----------------------------------------------------------------------------------------------
 * The summary as data: from every part's results and analysis the few things that one acts upon. */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_text(const json_t *object, const char *key, const char *value)
{
    const char *text = text_of(object, key);
    return text && strcmp(text, value) == 0;
}

/* The first section of a command; NULL: there is none. */
static const json_t *section_of(const json_t *report, const char *command)
{
    const json_t *section;
    size_t i;
    json_array_foreach(json_object_get(report, "sections"), i, section)
    {
        if (is_text(section, "command", command))
            return section;
    }
    return NULL;
}

static void count_up(json_t *object, const char *key)
{
    json_int_t before = json_integer_value(json_object_get(object, key));
    if (key)
        json_object_set_new(object, key, json_integer(before + 1));
}

/* Some members as they are. */
static json_t *picked(const json_t *from, const char *const *keys)
{
    json_t *object = json_object();
    for (; *keys; keys++) {
        json_t *value = json_object_get(from, *keys);
        if (value)
            json_object_set(object, *keys, value);
    }
    return object;
}

/* --- doctor --- */

static json_t *doctor(const json_t *report)
{
    const json_t *machine = json_array_get(json_object_get(report, "machines"), 0);
    const json_t *checks = json_object_get(machine, "doctor"), *check;
    static const char *const keys[] = {"check", "fix", NULL};
    json_t *statuses = json_object(), *first = NULL;
    size_t i;
    if (!json_is_array(checks)) {
        json_decref(statuses);
        return json_null();
    }
    json_array_foreach(checks, i, check)
    {
        const char *fix = text_of(check, "fix");
        count_up(statuses, text_of(check, "status"));
        bool amiss = is_text(check, "status", "bad") || is_text(check, "status", "warn");
        if (!first && amiss && fix && *fix)
            first = picked(check, keys);
    }
    return JSON_OBJECT({"statuses", statuses}, {"first", first ? first : json_null()});
}

/* --- trust --- */

static bool has_member(const json_t *list, const char *name, size_t length)
{
    const json_t *member;
    size_t i;
    json_array_foreach(list, i, member)
    {
        const char *text = json_string_value(member);
        if (text && strncmp(text, name, length) == 0 && !text[length])
            return true;
    }
    return false;
}

/* NAME and NAME:u of one verdict are NAME[:u]. */
static json_t *folded(const json_t *names)
{
    json_t *list = json_array();
    const json_t *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        size_t length = strlen(text);
        bool user = length > 2 && strcmp(text + length - 2, ":u") == 0;
        if (user && has_member(names, text, length - 2))
            continue;
        AUTO_TEXT struct text both = {0};
        text_printf(&both, "%s:u", text);
        bool folds = has_member(names, text_string(&both), both.length);
        text_clear(&both);
        text_printf(&both, "%s%s", text, folds ? "[:u]" : "");
        json_array_append_new(list, json_text(text_string(&both)));
    }
    return list;
}

static json_t *trust(const json_t *report)
{
    const json_t *section = section_of(report, "validate"), *event;
    const json_t *events = json_object_get(json_object_get(section, "analysis"), "events");
    if (!json_is_array(events))
        return json_null();
    json_t *object = json_object(), *verdicts = json_object(), *names = json_object();
    size_t i;
    json_array_foreach(events, i, event)
    {
        const char *verdict = text_of(event, "verdict"), *name = text_of(event, "event");
        if (!verdict || !name)
            continue;
        count_up(verdicts, verdict);
        if (!json_object_get(names, verdict))
            json_object_set_new(names, verdict, json_array());
        json_array_append_new(json_object_get(names, verdict), json_text(name));
    }
    const char *verdict;
    json_t *list;
    json_object_foreach(names, verdict, list)
    {
        json_object_set_new(names, verdict, folded(list));
    }
    JSON_PUT(object, {"events", json_integer((json_int_t)json_array_size(events))},
             {"verdicts", verdicts}, {"names", names});
    return object;
}

/* --- paths, calls --- */

/* Of each event the path and pattern that adds least. */
static json_t *paths(const json_t *report)
{
    static const char *const keys[] = {"mode",     "event",   "path", "pattern",
                                       "subtract", "stepped", NULL};
    const json_t *section = section_of(report, "error"), *best;
    const json_t *all = json_object_get(json_object_get(section, "analysis"), "best");
    if (!json_is_array(all))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(all, i, best)
    {
        if (json_is_true(json_object_get(best, "overall")))
            json_array_append_new(list, picked(best, keys));
    }
    return list;
}

/* What overhead advises, as it says it. */
static json_t *calls(const json_t *report)
{
    const json_t *section = section_of(report, "overhead"), *advice;
    const json_t *all = json_object_get(json_object_get(section, "analysis"), "advice");
    if (!json_is_array(all))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(all, i, advice)
    {
        json_array_append_new(list, json_text(text_of(advice, "text")));
    }
    return list;
}

/* --- clocks --- */

static const json_t *clock_named(const json_t *all, const char *name, size_t length)
{
    const json_t *clock;
    size_t i;
    json_array_foreach(all, i, clock)
    {
        const char *text = text_of(clock, "clock");
        if (text && strlen(text) == length && strncmp(text, name, length) == 0)
            return clock;
    }
    return NULL;
}

/* "Short regions: tsc. A reading takes …" -> {"for": "short regions", "clock": "tsc"}; NULL: it is
 * about no clock. */
static json_t *chosen_clock(const json_t *all, const char *advice)
{
    const char *colon = advice ? strstr(advice, ": ") : NULL;
    size_t length = colon ? strcspn(colon + 2, " ,.;(") : 0;
    if (!colon || !clock_named(all, colon + 2, length))
        return NULL;
    return JSON_OBJECT({"for", json_stringn(advice, (size_t)(colon - advice))},
                       {"clock", json_stringn(colon + 2, length)});
}

static json_t *clocks(const json_t *report)
{
    const json_t *analysis = json_object_get(section_of(report, "clocks"), "analysis");
    const json_t *all = json_object_get(analysis, "clocks"), *member;
    if (!json_is_array(all))
        return json_null();
    json_t *object = json_object(), *use = json_array(), *avoid = json_array();
    size_t i;
    json_array_foreach(json_object_get(analysis, "advice"), i, member)
    {
        json_t *chosen = chosen_clock(all, text_of(member, "text"));
        if (chosen)
            json_array_append_new(use, chosen);
    }
    json_array_foreach(all, i, member)
    {
        if (is_text(member, "trust", "not dependable"))
            json_array_append_new(avoid, json_text(text_of(member, "clock")));
    }
    JSON_PUT(object, {"use", use}, {"avoid", avoid});
    return object;
}

/* --- caches, variation --- */

static json_t *caches(const json_t *report)
{
    static const char *const keys[] = {
        "level", "type", "claimed_bytes", "measured_bytes", "low_bytes", "high_bytes", NULL};
    const json_t *all = json_object_get(section_of(report, "caches"), "results"), *row;
    if (!json_is_array(all))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(all, i, row)
    {
        const char *type = text_of(row, "type");
        if (type && strncmp(type, "tlb", 3) != 0)
            json_array_append_new(list, picked(row, keys));
    }
    return list;
}

/* The count that varies most under a setting: of which program and event, and by how much. */
static void put_worst(json_t *object, const json_t *effects, const char *setting, const char *key)
{
    const json_t *effect, *worst = NULL;
    size_t i;
    json_array_foreach(effects, i, effect)
    {
        const json_t *percent = json_object_get(effect, key);
        if (json_is_number(percent) &&
            (!worst || json_number_value(percent) > json_number_value(json_object_get(worst, key))))
            worst = effect;
    }
    static const char *const keys[] = {"program", "event", NULL};
    json_t *most = worst ? picked(worst, keys) : json_null();
    if (worst)
        json_object_set(most, "cv_percent", json_object_get(worst, key));
    json_object_set_new(object, setting, most);
}

static json_t *variation(const json_t *report)
{
    const json_t *analysis = json_object_get(section_of(report, "repeat"), "analysis");
    const json_t *programs = json_object_get(analysis, "programs");
    if (!json_is_array(programs))
        return json_null();
    json_t *object = JSON_OBJECT({"programs", json_integer((json_int_t)json_array_size(programs))});
    const json_t *effects = json_object_get(analysis, "effects");
    put_worst(object, effects, "as_is", "as_is_cv_percent");
    put_worst(object, effects, "controlled", "controlled_cv_percent");
    return object;
}

/* --- findings --- */

static json_t *findings(const json_t *report)
{
    const json_t *section, *finding;
    json_t *object = json_object(), *verdicts = json_object();
    json_int_t total = 0;
    size_t i, j;
    json_array_foreach(json_object_get(report, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "findings"), j, finding)
        {
            count_up(verdicts, text_of(finding, "verdict"));
            total++;
        }
    }
    JSON_PUT(object, {"total", json_integer(total)}, {"verdicts", verdicts});
    return object;
}

json_t *run_summary(const json_t *report)
{
    return JSON_OBJECT({"doctor", doctor(report)}, {"trust", trust(report)},
                       {"paths", paths(report)}, {"calls", calls(report)},
                       {"clocks", clocks(report)}, {"caches", caches(report)},
                       {"variation", variation(report)}, {"findings", findings(report)});
}
