/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of what measuring adds to counts. */
#include <math.h>
#include <string.h>

#include "engine/told.h"
#include "studies/error/study.h"

#define PATH_LINES 3u

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
static void put_line(const json_t *paths, const struct style *style, struct text *out)
{
    static const char *const modes[] = {"u", "k", "uk", "any"};
    AUTO_TEXT struct text words = {0};
    size_t lines = 0;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]) && lines < PATH_LINES; i++) {
        AUTO_TEXT struct text next = {0};
        if (!put_mode(paths, modes[i], &next))
            continue;
        if (words.length)
            told_put_line(lines++ ? "" : "adds", text_string(&words), 1, style, out);
        text_clear(&words);
        text_puts(&words, text_string(&next));
    }
    if (words.length && lines < PATH_LINES)
        told_put_line(lines ? "" : "adds", text_string(&words), PATH_LINES - lines, style, out);
}

/* Of each event the path and pattern that adds least. */
static json_t *make_line(const json_t *results, const json_t *analysis)
{
    (void)results;
    static const char *const keys[] = {"mode",     "event",   "path", "pattern",
                                       "subtract", "stepped", NULL};
    const json_t *all = json_object_get(analysis, "best"), *best;
    if (!json_is_array(all))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(all, i, best)
    {
        if (json_is_true(json_object_get(best, "overall")))
            json_array_append_new(list, told_picked(best, keys));
    }
    return list;
}

const struct study_told error_told = {
    .title = "What measuring adds to a count",
    .lead = told_advice,
    .line = {"paths", 2, make_line, put_line},
    .part = {.turn = 3, 26, 130, 160, 3, 20, .rank = 1},
    .compared = {.together = "Z6", .factor = true},
};
