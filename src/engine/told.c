/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of studies in reports, runs and comparisons. */
#include "engine/told.h"

#include <string.h>

#include "base/memory.h"

/* --- sentences --- */

#define SENTENCES_MAX 4

void told_add(struct string_list *sentences, const char *sentence)
{
    *memory_add(sentences->items, sentences->count) = memory_copy(sentence);
}

static void say(struct lead *lead, const char *whole, const char *first)
{
    if (lead->whole.count == SENTENCES_MAX)
        return;
    told_add(&lead->whole, whole);
    told_add(&lead->first, first);
}

void told_say(struct lead *lead, const char *sentence)
{
    say(lead, sentence, sentence);
}

void told_say_reasons(struct lead *lead, const struct reasons *reasons)
{
    struct reasons first = {.list = reasons->list, .count = reasons->count ? 1 : 0};
    while (first.count < reasons->count && reasons->list[first.count].joint == JOINT_CLAUSE)
        first.count++;
    say(lead, reasons_text(reasons), reasons_text(&first));
}

json_t *told_json(const struct string_list *sentences)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sentences->count; i++)
        json_array_append_new(list, json_text(sentences->items[i]));
    return list;
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

void told_put_names(const struct string_list *names, size_t columns, struct text *out)
{
    size_t used = 0;
    const char *comma = "";
    for (size_t i = 0; i < names->count; i++) {
        size_t needed = utf8_columns(names->items[i]) + strlen(comma);
        size_t tail = i + 1 < names->count ? sizeof(" and 1,000 more") : 0;
        if (i > 0 && used + needed + tail > columns) {
            text_printf(out, " and %zu more", names->count - i);
            return;
        }
        text_printf(out, "%s%s", comma, names->items[i]);
        used += needed;
        comma = ", ";
    }
}

void tally_add(struct tally *tally, unsigned kind)
{
    tally->all++;
    if (!tally->of[kind]++)
        tally->came[tally->kinds++] = kind;
}

json_t *tally_json(const struct tally *tally, const char *const *names)
{
    json_t *object = json_object();
    for (size_t i = 0; i < tally->kinds; i++)
        json_object_set_new(object, names[tally->came[i]], json_count(tally->of[tally->came[i]]));
    return object;
}

void tally_put(const struct tally *tally, const char *const *names, const unsigned *order,
               size_t count, struct text *out)
{
    const char *comma = "";
    for (size_t i = 0; i < count; i++) {
        if (!tally->of[order[i]])
            continue;
        text_printf(out, "%s%zu %s", comma, tally->of[order[i]], names[order[i]]);
        comma = ", ";
    }
}

/* --- words of a comparison --- */

void told_word(const struct compared *compared, const char *subject,
               const struct compare_word *word)
{
    compare_say(compare_add_claim(compared->file, compared->study, subject), compared->side, word);
}
