/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of events and their verdicts. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/told.h"
#include "studies/validate/parts.h"
#include "studies/validate/study.h"

static size_t count_verdict(const json_t *events, const char *verdict, const json_t **first)
{
    size_t i, count = 0;
    json_t *event;
    json_array_foreach(events, i, event)
    {
        if (strcmp(json_word(event, "verdict"), verdict) != 0)
            continue;
        if (!count)
            *first = event;
        count++;
    }
    return count;
}

static void put_verdicts(const json_t *events, struct text *sentence)
{
    static const struct {
        const char *verdict, *told;
    } told[] = {{"exact", "exact"},         {"accurate", "accurate"},
                {"biased", "biased"},       {"noisy", "noisy"},
                {"dead", "dead"},           {"unscheduled", "without a counter"},
                {"unjudged", "not judged"}, {"unsupported", "not supported"}};
    const char *comma = "";
    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
        const json_t *first;
        size_t count = count_verdict(events, told[i].verdict, &first);
        if (count) {
            text_printf(sentence, "%s%zu %s", comma, count, told[i].told);
            comma = ", ";
        }
    }
}

/* A sentence behind a colon: "Zero in user mode" begins small, "PMU" does not. */
static void put_continued(const char *note, struct text *out)
{
    if (isupper((unsigned char)note[0]) && islower((unsigned char)note[1])) {
        text_putc(out, (char)tolower((unsigned char)note[0]));
        note++;
    }
    text_puts(out, note);
}

static void lead(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)results;
    static const char *const amiss[] = {"biased", "dead", "noisy", "unsupported"};
    const json_t *events = json_object_get(analysis, "events"), *first = NULL;
    AUTO_TEXT struct text sentence = {0};
    if (!json_array_size(events))
        return;
    text_printf(&sentence, "Of %zu %s: ", json_array_size(events),
                json_array_size(events) == 1 ? "event" : "events");
    put_verdicts(events, &sentence);
    text_putc(&sentence, '.');
    told_say(lead, &sentence);
    for (size_t i = 0; i < sizeof(amiss) / sizeof(*amiss); i++) {
        size_t count = count_verdict(events, amiss[i], &first);
        if (!count)
            continue;
        text_clear(&sentence);
        text_printf(&sentence, "%s%s is %s: ", count > 1 ? "For one, " : "",
                    json_word(first, "event"), amiss[i]);
        put_continued(json_word(first, "note"), &sentence);
        if (text_string(&sentence)[sentence.length - 1] != '.')
            text_putc(&sentence, '.');
        told_say(lead, &sentence);
    }
}

static void put_line(const json_t *trust, const struct style *style, struct text *out)
{
    static const char *const order[] = {"exact",    "accurate",    "biased",      "noisy", "dead",
                                        "unjudged", "unscheduled", "unsupported", NULL};
    static const char *const named[] = {"exact", "biased", "dead", "noisy", "accurate", NULL};
    const size_t most = 4; /* verdicts with their names */
    size_t lines = 0;
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%" JSON_INTEGER_FORMAT " events: ",
                json_integer_value(json_object_get(trust, "events")));
    told_put_counts(json_object_get(trust, "verdicts"), order, &words);
    told_put_line("trust", text_string(&words), 1, style, out);
    for (const char *const *verdict = named; *verdict; verdict++) {
        const json_t *names = json_object_get(json_object_get(trust, "names"), *verdict);
        if (!json_array_size(names) || lines++ == most)
            continue;
        text_clear(&words);
        text_printf(&words, "%s: ", *verdict);
        told_put_names(names, style->width - TOLD_LABEL - words.length, &words);
        told_put_line("", text_string(&words), 1, style, out);
    }
}

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

static json_t *make_line(const json_t *results, const json_t *analysis)
{
    (void)results;
    const json_t *events = json_object_get(analysis, "events"), *event;
    if (!json_is_array(events))
        return json_null();
    json_t *object = json_object(), *verdicts = json_object(), *names = json_object();
    size_t i;
    json_array_foreach(events, i, event)
    {
        const char *verdict = told_text(event, "verdict"), *name = told_text(event, "event");
        if (!verdict || !name)
            continue;
        told_count(verdicts, verdict);
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

static void compare(const struct compared *compared, const json_t *results, const json_t *analysis)
{
    (void)results;
    told_words(compared, json_object_get(analysis, "events"), "event", "verdict", "cause");
}

/* --- for lists of events --- */

static const void *load_trust(const char *fingerprint, const struct common_options *common)
{
    struct latest_verdicts *latest = memory_new(1, sizeof(*latest));
    latest_verdicts_load(fingerprint, common, latest);
    return latest;
}

static bool say_trust(const void *loaded, const struct facts *machine, const char *event,
                      bool opens, struct study_trust *trust)
{
    struct known_trust known;
    bool is_known = trust_of(loaded, machine, event, opens, &known) == 0;
    *trust = (struct study_trust){
        .judged = is_known && strcmp(known.verdict, verdict_names[VERDICT_UNJUDGED]) != 0,
        .refused = is_known && strcmp(known.verdict, verdict_names[VERDICT_UNSUPPORTED]) == 0,
        .age_s = known.age_s,
        .stale = known.stale};
    snprintf(trust->event, sizeof(trust->event), "%s", known.event);
    snprintf(trust->verdict, sizeof(trust->verdict), "%s", known.verdict);
    snprintf(trust->difference, sizeof(trust->difference), "%s", known.difference);
    return is_known;
}

const struct study_told validate_told = {
    .title = "Which events can be trusted",
    .lead = lead,
    .line = {"trust", 1, make_line, put_line},
    .part = {.turn = 2, 24, 100, 140, 3, 20, .rank = 0},
    .compared = {.say = compare},
    .trusted = {load_trust, say_trust},
};
