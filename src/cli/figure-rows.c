/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows, ids and captions of figures. */
#include "cli/figure-rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/json.h"
#include "show/number.h"
#include "stats/moments.h"

/* --- values of a box --- */

void pooled_add(struct pooled *pooled, double value)
{
    if (pooled->count == pooled->capacity) {
        size_t capacity = pooled->capacity ? 2 * pooled->capacity : 256;
        double *grown = reallocarray(pooled->values, capacity, sizeof(*grown));
        if (!grown) {
            pooled->failed = true;
            return;
        }
        pooled->values = grown;
        pooled->capacity = capacity;
    }
    pooled->values[pooled->count++] = value;
}

void pooled_clear(struct pooled *pooled)
{
    pooled->count = 0;
}

void pooled_free(struct pooled *pooled)
{
    free(pooled->values);
    *pooled = (struct pooled){0};
}

static void forget(json_t *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_decref(values[i]);
}

/* Moves those up to the limit to the front, in their order. How many. */
static size_t take_up_to(double *values, size_t count, double limit)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] <= limit)
            values[taken++] = values[i];
    return taken;
}

/* Appends BOX_COLUMNS. False: out of memory. */
static bool append_box(json_t *row, const struct pooled *pooled, bool samples)
{
    static const double shares[] = {0, 0.25, 0.5, 0.75, 0.99, 1};
    AUTO_FREE double *values = calloc(pooled->count, sizeof(*values));
    struct distribution box;
    if (!values)
        return false;
    memcpy(values, pooled->values, pooled->count * sizeof(*values));
    sort_values(values, pooled->count);
    json_array_append_new(row, json_count(pooled->count));
    for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
        json_array_append_new(row,
                              figure_number(distribution_at(values, pooled->count, shares[i])));
    double limit = distribution_at(values, pooled->count, 0.99);
    memcpy(values, pooled->values, pooled->count * sizeof(*values));
    if (distribution_of(values, take_up_to(values, pooled->count, limit), &box) < 0)
        return false;
    if (!samples || json_is_null(box.density)) {
        json_decref(box.samples);
        box.samples = json_null();
    }
    json_array_append_new(row, box.density);
    json_array_append_new(row, box.samples);
    return true;
}

void figure_add_box(json_t *figure, const struct pooled *pooled, bool samples,
                    json_t *const *values, size_t count)
{
    if (pooled->failed || !pooled->count) {
        forget(values, count);
        return;
    }
    json_t *row = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(row, values[i] ? values[i] : json_null());
    if (append_box(row, pooled, samples))
        json_array_append_new(json_object_get(figure, "rows"), row);
    else
        json_decref(row);
}

/* --- the figure itself --- */

static bool is_plain(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

void figure_put_id(struct text *id, const char *what, const char *name)
{
    bool gap = true;
    text_puts(id, what);
    for (const char *at = name; *at; at++) {
        char small = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
        if (!is_plain(small)) {
            gap = true;
            continue;
        }
        if (gap)
            text_putc(id, '-');
        text_putc(id, small);
        gap = false;
    }
}

void figure_set_caption(json_t *figure, const struct text *words)
{
    size_t length = words->length;
    const char *string = text_string(words);
    while (length && string[length - 1] == ' ')
        length--;
    AUTO_TEXT struct text trimmed = {0};
    text_append(&trimmed, string, length);
    json_object_set_new(figure, "caption", json_text(text_string(&trimmed)));
}

size_t figure_rows(const json_t *figure)
{
    return json_array_size(json_object_get(figure, "rows"));
}

bool figure_has_room(json_t *figure)
{
    static const char cut[] = "There is more than a figure can hold; --json has all of it.";
    if (figure_rows(figure) < FIGURE_MOST_ROWS)
        return true;
    json_t *notes = json_object_get(figure, "notes");
    const char *last = json_string_value(json_array_get(notes, json_array_size(notes) - 1));
    if (!last || strcmp(last, cut) != 0)
        figure_add_note(figure, cut);
    return false;
}

/* --- axes --- */

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Points and lines go up, everything else goes across. */
static bool is_along(const json_t *figure, const char *role, const char *axis)
{
    static const char *const upright[] = {"points", "lines", NULL}, *const ends[] = {"low", "high",
                                                                                     NULL};
    static const char *const across[] = {"min",    "q1",    "median", "q3",   "max", "low",
                                         "before", "after", "value",  "high", NULL};
    bool up = is_one_of(json_string_value(json_object_get(figure, "kind")), upright);
    if (up)
        return strcmp(role, axis) == 0 || (*axis == 'y' && is_one_of(role, ends));
    return *axis == 'x' && is_one_of(role, across);
}

struct extent {
    double least, most;
};

static struct extent extent_along(const json_t *figure, const char *axis)
{
    struct extent extent = {INFINITY, -INFINITY};
    size_t at, i;
    json_t *column, *row;
    json_array_foreach(json_object_get(figure, "columns"), at, column)
    {
        const char *role = json_string_value(json_object_get(column, "role"));
        if (!role || !is_along(figure, role, axis))
            continue;
        json_array_foreach(json_object_get(figure, "rows"), i, row)
        {
            const json_t *value = json_array_get(row, at);
            if (!json_is_number(value))
                continue;
            extent.least = fmin(extent.least, json_number_value(value));
            extent.most = fmax(extent.most, json_number_value(value));
        }
    }
    return extent;
}

void figure_fit_scale(json_t *figure, const char *axis)
{
    struct extent extent = extent_along(figure, axis);
    const char *scale = "linear";
    if (extent.least > 0 && extent.most > 10 * extent.least)
        scale = "log";
    else if (extent.least <= 0 && fmax(-extent.least, extent.most) > 10)
        scale = "symlog";
    json_object_set_new(json_object_get(figure, axis), "scale", json_string(scale));
}

bool figure_is_flat(const json_t *figure)
{
    struct extent extent = extent_along(figure, "x");
    return extent.least >= extent.most;
}

/* --- columns and ids --- */

void figure_drop_column(json_t *figure, const char *key)
{
    json_t *columns = json_object_get(figure, "columns"), *rows = json_object_get(figure, "rows");
    json_t *column, *row;
    size_t at, i;
    json_array_foreach(columns, at, column)
    {
        if (strcmp(json_string_value(json_object_get(column, "key")), key) == 0)
            break;
    }
    if (at == json_array_size(columns))
        return;
    json_array_remove(columns, at);
    json_array_foreach(rows, i, row)
    {
        json_array_remove(row, at);
    }
}

static bool has_id(const json_t *figures, const char *id)
{
    size_t i;
    json_t *figure;
    json_array_foreach(figures, i, figure)
    {
        if (strcmp(json_string_value(json_object_get(figure, "id")), id) == 0)
            return true;
    }
    return false;
}

void figures_append_apart(json_t *figures, json_t *figure)
{
    AUTO_TEXT struct text id = {0};
    const char *wanted = json_string_value(json_object_get(figure, "id"));
    text_puts(&id, wanted ? wanted : "");
    for (unsigned number = 2; has_id(figures, text_string(&id)); number++) {
        text_clear(&id);
        text_printf(&id, "%s-%u", wanted, number);
    }
    json_object_set_new(figure, "id", json_text(text_string(&id)));
    figures_append(figures, figure);
}

void figure_put_number(struct text *words, double value)
{
    char number[NUMBER_SIZE];
    number_brief(value, number, sizeof(number));
    text_puts(words, number);
}
