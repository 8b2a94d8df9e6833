/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a page takes for granted of a figure (docs/figures.md), for tests of whoever makes one. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#define FIGURE_ROWS_MAX 2000

static inline bool figure_words(const json_t *object, const char *key)
{
    const char *words = json_string_value(json_object_get(object, key));
    return words && *words;
}

static inline const char *figure_word(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));
    return word ? word : "";
}

static inline bool figure_has_role(const json_t *figure, const char *role)
{
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(figure, "columns"), i, column)
    {
        if (strcmp(figure_word(column, "role"), role) == 0)
            return true;
    }
    return false;
}

/* The first role that a picture of this kind cannot do without and has not; NULL: none. */
static inline const char *figure_lacks(const json_t *figure)
{
    static const struct {
        const char *kind, *roles[7];
    } needed[] = {{"table", {NULL}},
                  {"boxes", {"group", "min", "q1", "median", "q3", "max", NULL}},
                  {"points", {"x", "y", NULL}},
                  {"lines", {"x", "y", NULL}},
                  {"bars", {"group", "value", NULL}},
                  {"dumbbells", {"group", "before", "after", NULL}},
                  {"matrix", {"x", "y", "value", NULL}}};
    for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
        if (strcmp(figure_word(figure, "kind"), needed[i].kind) != 0)
            continue;
        for (const char *const *role = needed[i].roles; *role; role++)
            if (!figure_has_role(figure, *role))
                return *role;
        return NULL;
    }
    return "a kind that pages draw";
}

/* Roles whose values are numbers, whatever the kind. */
static inline bool figure_is_measure(const char *role)
{
    static const char *const measures[] = {"low", "high", "min",    "q1",   "median",
                                           "q3",  "max",  "before", "after"};
    for (size_t i = 0; i < sizeof(measures) / sizeof(*measures); i++)
        if (strcmp(role, measures[i]) == 0)
            return true;
    return false;
}

static inline bool figure_value_fits(const json_t *column, const json_t *value)
{
    const char *role = figure_word(column, "role");
    if (json_is_null(value))
        return true;
    if (json_is_true(json_object_get(column, "hidden")))
        return json_is_array(value);
    if (json_is_true(json_object_get(column, "filter")))
        return json_is_string(value);
    if (figure_is_measure(role))
        return json_is_number(value);
    return !json_is_array(value) && !json_is_object(value);
}

/* Where a figure is not what docs/figures.md says, as a sentence in `fault`. */
static inline bool figure_is_sound(const json_t *figure, char *fault, size_t size)
{
    const json_t *columns = json_object_get(figure, "columns");
    const json_t *rows = json_object_get(figure, "rows");
    size_t i, at;
    json_t *row, *value, *column;
    const char *const texts[] = {"id", "title", "caption", "kind"};
    for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (!figure_words(figure, texts[i]))
            return snprintf(fault, size, "figure '%s' has no %s", figure_word(figure, "id"),
                            texts[i]) < 0;
    const char *id = figure_word(figure, "id");
    if (id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        return snprintf(fault, size, "the id '%s' is not made of a-z, 0-9 and -", id) < 0;
    if (figure_lacks(figure))
        return snprintf(fault, size, "%s: a figure of %s lacks %s", id, figure_word(figure, "kind"),
                        figure_lacks(figure)) < 0;
    json_array_foreach(columns, i, column)
    {
        if (!figure_words(column, "key") || !figure_words(column, "title"))
            return snprintf(fault, size, "%s: column %zu has no key or no title", id, i) < 0;
        for (at = 0; at < i; at++)
            if (strcmp(figure_word(column, "key"),
                       figure_word(json_array_get(columns, at), "key")) == 0)
                return snprintf(fault, size, "%s: two columns are called %s", id,
                                figure_word(column, "key")) < 0;
    }
    if (!json_array_size(rows) || json_array_size(rows) > FIGURE_ROWS_MAX)
        return snprintf(fault, size, "%s: %zu rows", id, json_array_size(rows)) < 0;
    json_array_foreach(rows, i, row)
    {
        if (json_array_size(row) != json_array_size(columns))
            return snprintf(fault, size, "%s: row %zu has %zu values for %zu columns", id, i,
                            json_array_size(row), json_array_size(columns)) < 0;
        json_array_foreach(row, at, value)
        {
            if (!figure_value_fits(json_array_get(columns, at), value))
                return snprintf(fault, size, "%s: row %zu, %s: a value of the wrong type", id, i,
                                figure_word(json_array_get(columns, at), "key")) < 0;
        }
    }
    return true;
}

/* Are all of a study's figures sound, and their ids different? Ends the test where not. */
static inline void assert_figures_are_sound(const json_t *figures)
{
    char fault[256] = "";
    size_t i, other;
    json_t *figure;
    if (!json_is_array(figures))
        fail_msg("%s", "there is no list of figures");
    json_array_foreach(figures, i, figure)
    {
        if (!figure_is_sound(figure, fault, sizeof(fault)))
            fail_msg("%s", fault);
        for (other = 0; other < i; other++)
            if (strcmp(figure_word(figure, "id"),
                       figure_word(json_array_get(figures, other), "id")) == 0)
                fail_msg("two figures are called %s", figure_word(figure, "id"));
    }
}

/* The figure of that id; ends the test where there is none. */
static inline const json_t *figure_called(const json_t *figures, const char *id)
{
    size_t i;
    json_t *figure;
    json_array_foreach(figures, i, figure)
    {
        if (strcmp(figure_word(figure, "id"), id) == 0)
            return figure;
    }
    fail_msg("no figure is called %s", id);
    return NULL;
}

/* The value in the column `key` of a row; NULL: there is none. */
static inline const json_t *figure_cell(const json_t *figure, size_t row, const char *key)
{
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(figure, "columns"), i, column)
    {
        if (strcmp(figure_word(column, "key"), key) == 0)
            return json_array_get(json_array_get(json_object_get(figure, "rows"), row), i);
    }
    return NULL;
}
