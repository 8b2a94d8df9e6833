/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of studies in reports, runs and comparisons. */
#include "engine/told.h"

#include <stdio.h>
#include <string.h>

/* --- sentences of a section --- */

#define SENTENCES_MAX 4

void told_say(json_t *lead, const struct text *sentence)
{
    if (json_array_size(lead) < SENTENCES_MAX)
        json_array_append_new(lead, json_text(text_string(sentence)));
}

void told_advice(const json_t *results, const json_t *analysis, json_t *lead)
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

double told_number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

/* --- lines of a summary: each has a place for so many names and no more, so that all of them fit
 * on a screen --- */

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

void told_put_line(const char *label, const char *words, size_t most, const struct style *style,
                   struct text *out)
{
    AUTO_TEXT struct text clean = {0}, lines = {0};
    text_put_clean(&clean, words);
    wrap(&lines, text_string(&clean), TOLD_LABEL, TOLD_LABEL, style->width);
    keep_lines(&lines, most);
    text_put_toned(out, style, TONE_STRONG, label);
    text_printf(out, "%*s", (int)(TOLD_LABEL - strlen(label)), "");
    text_puts(out, text_string(&lines));
}

void told_put_names(const json_t *names, size_t columns, struct text *out)
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

void told_put_counts(const json_t *counts, const char *const *order, struct text *out)
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

void told_count(json_t *object, const char *key)
{
    json_int_t before = json_integer_value(json_object_get(object, key));
    if (key)
        json_object_set_new(object, key, json_integer(before + 1));
}

json_t *told_picked(const json_t *from, const char *const *keys)
{
    json_t *object = json_object();
    for (; *keys; keys++) {
        json_t *value = json_object_get(from, *keys);
        if (value)
            json_object_set(object, *keys, value);
    }
    return object;
}

/* --- words of a comparison --- */

/* Words that might as well have come out otherwise, and words that say nothing. */
static const char *const unsure_words[] = {"noisy", "inconclusive", "not falsifiable here"};
static const char *const empty_words[] = {"unjudged", "not testable here"};

static bool is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}
#define AMONG(word, words) is_among(word, words, sizeof(words) / sizeof(*(words)))

void told_word(const struct compared *compared, const char *subject,
               const struct compare_word *word)
{
    if (word->word && !AMONG(word->word, empty_words))
        compare_say(compare_add_claim(compared->file, compared->study, subject), compared->side,
                    word);
}

bool told_is_unsure(const char *word)
{
    return AMONG(word, unsure_words);
}

const char *told_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* One stray run in thousands makes the one of the other. */
static const char *near_word(const char *word)
{
    if (strcmp(word, "exact") == 0)
        return "accurate";
    return strcmp(word, "accurate") == 0 ? "exact" : NULL;
}

void told_words(const struct compared *compared, const json_t *rows, const char *name,
                const char *word, const char *detail)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *named = told_text(row, name), *said = told_text(row, word),
                   *why = told_text(row, detail);
        /* That access was refused is said of a user or a sandbox, not of the machine. */
        if (!named || !said || (why && strcmp(why, "permission") == 0))
            continue;
        const struct compare_word claim = {.word = said,
                                           /* What is not known of a cause contradicts nothing. */
                                           .detail =
                                               why && strcmp(why, "unknown") == 0 ? NULL : why,
                                           .near = near_word(said),
                                           .unsure = told_is_unsure(said)};
        told_word(compared, named, &claim);
    }
}
