/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a study is about and what came out, in a few plain sentences: the beginning of a section of
 * a report. All of it is read from the study's own JSON. */
#include <string.h>

#include "cli/reported.h"
#include "show/json.h"
#include "show/number.h"

#define SENTENCES_MAX 4

static void say(json_t *lead, const struct text *sentence)
{
    if (json_array_size(lead) < SENTENCES_MAX)
        json_array_append_new(lead, sentence->failed ? NULL : json_text(text_string(sentence)));
}

/* --- studies that end in advice --- */

static void lead_advice(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)results;
    size_t i;
    json_t *advice;
    json_array_foreach(json_object_get(analysis, "advice"), i, advice)
    {
        if (json_array_size(lead) < SENTENCES_MAX)
            json_array_append(lead, json_object_get(advice, "text"));
    }
}

/* --- validate --- */

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

static void lead_validate(const json_t *results, const json_t *analysis, json_t *lead)
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
    say(lead, &sentence);
    for (size_t i = 0; i < sizeof(amiss) / sizeof(*amiss); i++) {
        size_t count = count_verdict(events, amiss[i], &first);
        if (!count)
            continue;
        text_clear(&sentence);
        text_printf(&sentence, "%s%s is %s: %s", count > 1 ? "For one, " : "",
                    json_word(first, "event"), amiss[i], json_word(first, "note"));
        if (text_string(&sentence)[sentence.length - 1] != '.')
            text_putc(&sentence, '.');
        say(lead, &sentence);
    }
}

/* --- caches --- */

static void put_bytes(const json_t *bytes, struct text *out)
{
    double value = json_number_value(bytes);
    bool mebibytes = value >= 1048576;
    text_printf(out, "%.6g %s", value / (mebibytes ? 1048576.0 : 1024.0),
                mebibytes ? "MiB" : "KiB");
}

/* "48 KiB", "between 44 KiB and 52 KiB", or that there is nothing. */
static void put_found(const json_t *row, struct text *out)
{
    const json_t *measured = json_object_get(row, "measured_bytes");
    const json_t *low = json_object_get(row, "low_bytes"),
                 *high = json_object_get(row, "high_bytes");
    if (json_is_number(measured)) {
        put_bytes(measured, out);
    } else if (json_is_number(low) && json_is_number(high)) {
        text_puts(out, "between ");
        put_bytes(low, out);
        text_puts(out, " and ");
        put_bytes(high, out);
    } else {
        text_puts(out, "no size could be measured");
    }
}

static void lead_caches(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    size_t i;
    json_t *row;
    json_array_foreach(results, i, row)
    {
        AUTO_TEXT struct text sentence = {0};
        const json_t *claimed = json_object_get(row, "claimed_bytes");
        const json_t *measured = json_object_get(row, "measured_bytes");
        if (!json_is_number(claimed) && !json_is_number(measured))
            continue;
        text_printf(&sentence, "Level %lld (%s): ",
                    (long long)json_integer_value(json_object_get(row, "level")),
                    json_word(row, "type"));
        put_found(row, &sentence);
        if (json_is_number(claimed)) {
            text_puts(&sentence, ", and the machine claims ");
            put_bytes(claimed, &sentence);
        }
        text_putc(&sentence, '.');
        say(lead, &sentence);
    }
}

/* --- repeat --- */

static double variation(const json_t *program, const char *key)
{
    return json_number_value(json_object_get(program, key));
}

static void say_as_is(const json_t *programs, json_t *lead)
{
    size_t i, count = 0;
    const json_t *most = NULL;
    json_t *program;
    AUTO_TEXT struct text sentence = {0};
    json_array_foreach(programs, i, program)
    {
        if (!json_is_number(json_object_get(program, "as_is_cv_percent")))
            continue;
        count++;
        if (!most || variation(program, "as_is_cv_percent") > variation(most, "as_is_cv_percent"))
            most = program;
    }
    if (!most)
        return;
    const char *programs_told = count == 1 ? "program" : "programs",
               *event = json_word(most, "event");
    if (variation(most, "as_is_cv_percent") > 0) {
        char share[NUMBER_SIZE];
        number_brief(variation(most, "as_is_cv_percent"), share, sizeof(share));
        text_printf(&sentence,
                    "Left as they are, counts vary by up to %s %% (%s%s%s) from run to run, over "
                    "%zu %s.",
                    share, json_word(most, "program"), *event ? ", " : "", event, count,
                    programs_told);
    } else {
        text_printf(&sentence, "Left as they are, %zu %s count%s the same in every run.", count,
                    programs_told, count == 1 ? "s" : "");
    }
    say(lead, &sentence);
}

static void say_controlled(const json_t *programs, json_t *lead)
{
    size_t i, count = 0, steady = 0;
    json_t *program;
    AUTO_TEXT struct text sentence = {0};
    json_array_foreach(programs, i, program)
    {
        if (!json_is_number(json_object_get(program, "controlled_cv_percent")))
            continue;
        count++;
        steady += variation(program, "controlled_cv_percent") <= 0;
    }
    if (!count)
        return;
    text_printf(&sentence,
                "With everything held constant that can be, %zu of %zu count the same in every "
                "run.",
                steady, count);
    say(lead, &sentence);
}

static void lead_repeat(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)results;
    const json_t *programs = json_object_get(analysis, "programs");
    say_as_is(programs, lead);
    say_controlled(programs, lead);
}

/* --- all others --- */

static void lead_count(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    AUTO_TEXT struct text sentence = {0};
    size_t count = json_array_size(results);
    text_printf(&sentence, "%zu %s.", count, count == 1 ? "result" : "results");
    say(lead, &sentence);
}

static const struct {
    const char *command, *title;
    void (*lead)(const json_t *results, const json_t *analysis, json_t *lead);
} studies[] = {
    {"validate", "Which events can be trusted", lead_validate},
    {"error", "What measuring adds to a count", lead_advice},
    {"overhead", "What the calls of measuring cost", lead_advice},
    {"clocks", "How far clocks can be trusted", lead_advice},
    {"repeat", "Whether a program counts the same every time", lead_repeat},
    {"caches", "How large the caches are", lead_caches},
    {"measure", "What was counted", lead_count},
    {"stat", "What a command counted", lead_count},
    {"truth", "What a command executes", lead_count},
};
#define STUDIES (sizeof(studies) / sizeof(*studies))

const char *reported_title(const char *command)
{
    for (size_t i = 0; i < STUDIES; i++)
        if (strcmp(studies[i].command, command) == 0)
            return studies[i].title;
    return command;
}

json_t *reported_lead(const json_t *envelope)
{
    json_t *lead = json_array();
    const char *command = json_word(envelope, "command");
    for (size_t i = 0; envelope && i < STUDIES; i++)
        if (strcmp(studies[i].command, command) == 0)
            studies[i].lead(json_object_get(envelope, "results"),
                            json_object_get(envelope, "analysis"), lead);
    return lead;
}
