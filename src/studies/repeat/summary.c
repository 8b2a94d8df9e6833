/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of counts from run to run. */
#include <string.h>

#include "engine/told.h"
#include "studies/repeat/study.h"

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
    told_say(lead, &sentence);
}

static void lead(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)results;
    const json_t *effects = json_object_get(analysis, "effects");
    say_variation(effects, "as_is_cv_percent", "Left as they are", lead);
    say_variation(effects, "controlled_cv_percent", "With everything held constant that can be",
                  lead);
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

static void put_line(const json_t *variation, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "counts of %" JSON_INTEGER_FORMAT " programs: as is ",
                json_integer_value(json_object_get(variation, "programs")));
    put_most(json_object_get(variation, "as_is"), &words);
    text_puts(&words, "; controlled ");
    put_most(json_object_get(variation, "controlled"), &words);
    told_put_line("repeat", text_string(&words), 2, style, out);
}

/* The count that varies most under a setting: of which program and event, and by how much. */
static json_t *most_json(const json_t *effects, const char *setting)
{
    static const char *const keys[] = {"program", "event", NULL};
    size_t varied, programs;
    const json_t *most = most_varied(effects, setting, &varied, &programs);
    json_t *object = most ? told_picked(most, keys) : json_null();
    if (most)
        json_object_set(object, "cv_percent", json_object_get(most, setting));
    return object;
}

static json_t *make_line(const json_t *results, const json_t *analysis)
{
    (void)results;
    const json_t *programs = json_object_get(analysis, "programs");
    if (!json_is_array(programs))
        return json_null();
    const json_t *effects = json_object_get(analysis, "effects");
    return JSON_OBJECT({"programs", json_integer((json_int_t)json_array_size(programs))},
                       {"as_is", most_json(effects, "as_is_cv_percent")},
                       {"controlled", most_json(effects, "controlled_cv_percent")});
}

/* Does a program count the same every time? */
static void compare(const struct compared *compared, const json_t *results, const json_t *analysis)
{
    (void)analysis;
    size_t i;
    json_t *row;
    json_array_foreach(results, i, row)
    {
        const char *program = told_text(row, "program"), *event = told_text(row, "event"),
                   *setting = told_text(row, "setting");
        const json_int_t runs = json_integer_value(json_object_get(row, "runs")),
                         identical = json_integer_value(json_object_get(row, "identical"));
        if (!program || !event || !setting || runs < 2 || identical < 0 ||
            json_is_string(json_object_get(row, "sweep")))
            continue;
        AUTO_TEXT struct text subject = {0};
        text_printf(&subject, "%s, %s, %s", program, event, setting);
        const struct compare_word word = {.word = identical == runs ? "identical" : "varies",
                                          .hits = (size_t)identical,
                                          .runs = (size_t)runs};
        told_word(compared, text_string(&subject), &word);
    }
}

const struct study_told repeat_told = {
    .title = "Whether a program counts the same every time",
    .lead = lead,
    .line = {"variation", 6, make_line, put_line},
    .part = {.turn = 6, 24, 120, 230, 4, 30, .rank = 4, .quick_flag = 60},
    .compared = {.say = compare, .together = "M11"},
};
