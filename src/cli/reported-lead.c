/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a study is about and what came out, in a few plain sentences: the beginning of a section of
 * a report. All of it is read from the study's own JSON. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "commands/reported.h"
#include "output/json.h"
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

/* A sentence behind a colon: "Zero in user mode" begins small, "PMU" does not. */
static void put_continued(const char *note, struct text *out)
{
    if (isupper((unsigned char)note[0]) && islower((unsigned char)note[1])) {
        text_putc(out, (char)tolower((unsigned char)note[0]));
        note++;
    }
    text_puts(out, note);
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
        text_printf(&sentence, "%s%s is %s: ", count > 1 ? "For one, " : "",
                    json_word(first, "event"), amiss[i]);
        put_continued(json_word(first, "note"), &sentence);
        if (text_string(&sentence)[sentence.length - 1] != '.')
            text_putc(&sentence, '.');
        say(lead, &sentence);
    }
}

/* --- caches --- */

static double number_at(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

static void put_bytes(double bytes, struct text *out)
{
    char words[NUMBER_SIZE];
    number_bytes((uint64_t)bytes, words, sizeof(words));
    text_puts(out, words);
}

/* "L1 data", "TLB 2 of huge pages" */
static void put_level(const json_t *row, struct text *out)
{
    const char *type = json_word(row, "type");
    const bool tlb = strncmp(type, "tlb", 3) == 0;
    text_printf(out, tlb ? "TLB %.0f%s: " : "L%.0f %s: ", number_at(row, "level"),
                !tlb                            ? type
                : strcmp(type, "tlb-huge") == 0 ? " of huge pages"
                                                : "");
}

/* "48 KiB, as the machine claims.", "between 44 KiB and 52 KiB, where the 48 KiB lie that the
 * machine claims.", or that there is nothing. */
static void put_found(const json_t *row, struct text *out)
{
    const double claimed = number_at(row, "claimed_bytes"), size = number_at(row, "measured_bytes");
    const double low = size > 0 ? size : number_at(row, "low_bytes"),
                 high = size > 0 ? size : number_at(row, "high_bytes");
    const bool found = low > 0 && high > 0, agrees = claimed >= low && claimed <= high;
    if (!found)
        text_puts(out, "no size could be measured");
    if (found && size <= 0)
        text_puts(out, "between ");
    if (found)
        put_bytes(low, out);
    if (found && size <= 0) {
        text_puts(out, " and ");
        put_bytes(high, out);
    }
    if (claimed > 0 && found && agrees && size > 0) {
        text_puts(out, ", as the machine claims");
    } else if (claimed > 0) {
        text_puts(out, !found ? "; the machine claims " : !agrees ? ", not the " : ", where the ");
        put_bytes(claimed, out);
        text_puts(out, !found    ? ""
                       : !agrees ? " that the machine claims"
                                 : " lie that the machine claims");
    }
    text_putc(out, '.');
}

static void lead_caches(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    size_t i;
    json_t *row;
    json_array_foreach(results, i, row)
    {
        AUTO_TEXT struct text sentence = {0};
        if (number_at(row, "claimed_bytes") <= 0 && number_at(row, "measured_bytes") <= 0)
            continue;
        put_level(row, &sentence);
        put_found(row, &sentence);
        say(lead, &sentence);
    }
}

/* --- repeat --- */

/* Of the counts that were taken in a setting, one for each program and event: which varies most,
 * how many vary at all, and of how many programs they are. NULL: none was taken. */
static const json_t *most_varied(const json_t *effects, const char *setting, size_t *varied,
                                 size_t *programs)
{
    const json_t *effect, *most = NULL;
    const char *last = "";
    size_t i;
    *varied = *programs = 0;
    json_array_foreach(effects, i, effect)
    {
        const json_t *share = json_object_get(effect, setting);
        if (!json_is_number(share))
            continue;
        if (!most || json_number_value(share) > json_number_value(json_object_get(most, setting)))
            most = effect;
        *varied += json_number_value(share) > 0;
        *programs += strcmp(last, json_word(effect, "program")) != 0;
        last = json_word(effect, "program");
    }
    return most;
}

static void say_variation(const json_t *effects, const char *setting, const char *how, json_t *lead)
{
    AUTO_TEXT struct text sentence = {0};
    size_t varied, programs;
    const json_t *most = most_varied(effects, setting, &varied, &programs);
    if (!most)
        return;
    const char *word = programs == 1 ? "program" : "programs";
    char share[NUMBER_SIZE];
    number_brief(json_number_value(json_object_get(most, setting)), share, sizeof(share));
    if (varied)
        text_printf(&sentence,
                    "%s, counts of %zu %s vary by up to %s %% from run to run (%s of %s).", how,
                    programs, word, share, json_word(most, "event"), json_word(most, "program"));
    else
        text_printf(&sentence, "%s, every count of %zu %s is the same in every run.", how, programs,
                    word);
    say(lead, &sentence);
}

static void lead_repeat(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)results;
    const json_t *effects = json_object_get(analysis, "effects");
    say_variation(effects, "as_is_cv_percent", "Left as they are", lead);
    say_variation(effects, "controlled_cv_percent", "With everything held constant that can be",
                  lead);
}

/* --- measure, stat, truth --- */

static void put_number(double value, struct text *out)
{
    char digits[NUMBER_SIZE];
    number_brief(value, digits, sizeof(digits));
    text_puts(out, digits);
}

/* What was to be counted decides which result matters most: the one that is farthest off. */
static bool is_farther(const json_t *row, const json_t *worst)
{
    return json_is_number(json_object_get(row, "error")) &&
           (!worst || fabs(number_at(row, "error")) > fabs(number_at(worst, "error")));
}

/* "1,000 page-faults:u on pages through perf-read, start-stop, where 1,000 are right." */
static void put_measured(const json_t *row, struct text *out)
{
    put_number(number_at(row, "median"), out);
    text_printf(out, " %s on %s, N ", json_word(row, "event"), json_word(row, "specimen"));
    put_number(number_at(row, "n"), out);
    text_printf(out, ", through %s, %s", json_word(row, "path"), json_pattern(row));
    if (json_is_number(json_object_get(row, "truth"))) {
        text_puts(out, "; right is ");
        put_number(number_at(row, "truth"), out);
    }
    text_putc(out, '.');
}

static void lead_measure(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    AUTO_TEXT struct text sentence = {0};
    size_t i, exact = 0, compared = 0;
    const json_t *worst = NULL;
    json_t *row;
    json_array_foreach(results, i, row)
    {
        const bool known = json_is_number(json_object_get(row, "error"));
        compared += known;
        exact += known && number_at(row, "error_min") == 0 && number_at(row, "error_max") == 0;
        worst = is_farther(row, worst) ? row : worst;
    }
    if (!worst)
        worst = json_array_get(results, 0);
    if (!worst)
        return;
    if (compared > 1)
        text_printf(&sentence, "Of %zu cells that can be held against a truth %zu %s exact%s",
                    compared, exact, exact == 1 ? "is" : "are",
                    exact < compared ? "; farthest off: " : ".");
    if (compared <= 1 || exact < compared)
        put_measured(worst, &sentence);
    say(lead, &sentence);
}

/* "ls: 1,234,000 ± 20 instructions:u." of the first that was counted. */
static void lead_stat(const json_t *results, const json_t *analysis, json_t *lead)
{
    size_t i, counted = 0;
    json_t *event;
    json_array_foreach(results, i, event)
    {
        AUTO_TEXT struct text sentence = {0};
        if (!json_is_number(json_object_get(event, "corrected")))
            continue;
        if (!counted++)
            text_printf(&sentence, "%s: ", json_word(analysis, "program"));
        put_number(number_at(event, "corrected"), &sentence);
        if (json_is_number(json_object_get(event, "uncertainty"))) {
            text_puts(&sentence, " ± ");
            put_number(number_at(event, "uncertainty"), &sentence);
        }
        text_printf(&sentence, " %s%s.", json_word(event, "event"),
                    strcmp(json_word(event, "unit"), "ns") == 0 ? " (ns)" : "");
        say(lead, &sentence);
    }
    if (!counted)
        json_array_append_new(lead, json_string("Nothing could be counted."));
}

static void lead_truth(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    AUTO_TEXT struct text sentence = {0};
    const json_t *row = json_array_get(results, 0);
    const json_t *executed = json_object_get(json_object_get(row, "classes"), "instructions");
    if (!row)
        return;
    text_printf(&sentence, "%s executes ", json_word(row, "program"));
    if (json_is_number(executed))
        put_number(json_number_value(executed), &sentence);
    else
        text_puts(&sentence, "an unknown number of");
    text_printf(&sentence, " instructions, by %s.", json_word(row, "source"));
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
    {"measure", "What was counted", lead_measure},
    {"stat", "What a command counted", lead_stat},
    {"truth", "What a command executes", lead_truth},
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
