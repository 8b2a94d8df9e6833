/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of caches. */
#include <string.h>

#include "engine/told.h"
#include "output/figure.h"
#include "studies/caches/study.h"

static void put_bytes(double bytes, struct text *out)
{
    char words[NUMBER_SIZE];
    number_bytes((uint64_t)bytes, words, sizeof(words));
    text_puts(out, words);
}

static void lead(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    size_t i;
    json_t *row;
    json_array_foreach(results, i, row)
    {
        AUTO_TEXT struct text sentence = {0};
        if (told_number(row, "claimed_bytes") <= 0 && told_number(row, "measured_bytes") <= 0)
            continue;
        /* "L1 data", "TLB 2 of huge pages" */
        const char *type = json_word(row, "type");
        const bool tlb = strncmp(type, "tlb", 3) == 0;
        text_printf(&sentence, tlb ? "TLB %.0f%s: " : "L%.0f %s: ", told_number(row, "level"),
                    !tlb                            ? type
                    : strcmp(type, "tlb-huge") == 0 ? " of huge pages"
                                                    : "");
        /* "48 KiB, as the machine claims.", "between 44 KiB and 52 KiB, where the 48 KiB lie that
         * the machine claims.", or that there is nothing. */
        const double claimed = told_number(row, "claimed_bytes"),
                     size = told_number(row, "measured_bytes");
        const double low = size > 0 ? size : told_number(row, "low_bytes"),
                     high = size > 0 ? size : told_number(row, "high_bytes");
        const bool found = low > 0 && high > 0, agrees = claimed >= low && claimed <= high;
        if (!found)
            text_puts(&sentence, "no size could be measured");
        if (found && size <= 0)
            text_puts(&sentence, "between ");
        if (found)
            put_bytes(low, &sentence);
        if (found && size <= 0) {
            text_puts(&sentence, " and ");
            put_bytes(high, &sentence);
        }
        if (claimed > 0 && found && agrees && size > 0) {
            text_puts(&sentence, ", as the machine claims");
        } else if (claimed > 0) {
            text_puts(&sentence, !found    ? "; the machine claims "
                                 : !agrees ? ", not the "
                                           : ", where the ");
            put_bytes(claimed, &sentence);
            text_puts(&sentence, !found    ? ""
                                 : !agrees ? " that the machine claims"
                                           : " lie that the machine claims");
        }
        text_putc(&sentence, '.');

        told_say(lead, &sentence);
    }
}

/* Of so many digits as a line has room for. */
static void put_brief(const json_t *bytes, struct text *out)
{
    double value = json_number_value(bytes) / 1024;
    figure_put_number(out, value >= 1024 ? value / 1024 : value);
    text_puts(out, value >= 1024 ? " MiB" : " KiB");
}

static void put_line(const json_t *caches, const struct style *style, struct text *out)
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
            put_brief(claimed, &words);
        else
            text_puts(&words, "not claimed");
        if (json_is_number(measured) && json_equal(measured, claimed)) {
            text_puts(&words, " as claimed");
        } else if (json_is_number(measured)) {
            text_puts(&words, ", seen ");
            put_brief(measured, &words);
        } else if (json_is_number(low) && json_is_number(high)) {
            text_puts(&words, ", seen ");
            put_brief(low, &words);
            text_puts(&words, " to ");
            put_brief(high, &words);
        } else {
            text_puts(&words, ", not seen");
        }
    }
    if (words.length)
        told_put_line("caches", text_string(&words), 2, style, out);
}

static json_t *make_line(const json_t *results, const json_t *analysis)
{
    (void)analysis;
    static const char *const keys[] = {
        "level", "type", "claimed_bytes", "measured_bytes", "low_bytes", "high_bytes", NULL};
    const json_t *row;
    if (!json_is_array(results))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(results, i, row)
    {
        const char *type = told_text(row, "type");
        if (type && strncmp(type, "tlb", 3) != 0)
            json_array_append_new(list, told_picked(row, keys));
    }
    return list;
}

static void compare(const struct compared *compared, const json_t *results, const json_t *analysis)
{
    (void)analysis;
    static const char *const figures[][2] = {{"measured_bytes", "confidence"},
                                             {"line_bytes", "line_confidence"},
                                             {"ways", "ways_confidence"}};
    size_t i;
    json_t *row;
    json_array_foreach(results, i, row)
    {
        AUTO_TEXT struct text subject = {0};
        text_printf(&subject, "level %lld %s",
                    (long long)json_integer_value(json_object_get(row, "level")),
                    json_word(row, "type"));
        for (size_t j = 0; j < sizeof(figures) / sizeof(*figures); j++) {
            /* What a cache was measured to have; sure where nearly all halves of the processes
             * agree. */
            const char *key = figures[j][0];
            const json_t *value = json_object_get(row, key),
                         *share = json_object_get(row, figures[j][1]);
            if (!json_is_integer(value))
                continue;
            AUTO_TEXT struct text words = {0}, what = {0};
            text_printf(&words, "%lld", (long long)json_integer_value(value));
            text_printf(&what, "%s, %s", text_string(&subject), key);
            const struct compare_word word = {.word = words.bytes,
                                              .unsure = !share || !json_is_number(share) ||
                                                        json_number_value(share) < .95};
            told_word(compared, text_string(&what), &word);
        }
    }
}

/* It is said of every level. */
static const char *lacks(const json_t *results)
{
    return told_text(json_array_get(results, 0), "measured_bytes_reason");
}

const struct study_told caches_told = {
    .title = "How large the caches are",
    .lead = lead,
    .line = {"caches", 5, make_line, put_line},
    .part = {.turn = 1, 9, 30, 0, 2, 2, .rank = 5, .lacks = lacks},
    .compared = {.say = compare},
};
