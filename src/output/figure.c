/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures as JSON. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/field.h"
#include "output/figure.h"
#include "output/json.h"
#include "output/table.h"
#include "stats/moments.h"

static const char *const kinds[] = {"table", "boxes",     "points", "lines",
                                    "bars",  "dumbbells", "matrix"};
static const char *const scales[] = {"linear", "log", "symlog"};
static const char *const roles[] = {
    [ROLE_X] = "x",
    [ROLE_Y] = "y",
    [ROLE_GROUP] = "group",
    [ROLE_SERIES] = "series",
    [ROLE_FACET] = "facet",
    [ROLE_LOW] = "low",
    [ROLE_HIGH] = "high",
    [ROLE_MIN] = "min",
    [ROLE_Q1] = "q1",
    [ROLE_MEDIAN] = "median",
    [ROLE_Q3] = "q3",
    [ROLE_MAX] = "max",
    [ROLE_DENSITY] = "density",
    [ROLE_SAMPLES] = "samples",
    [ROLE_BEFORE] = "before",
    [ROLE_AFTER] = "after",
    [ROLE_VALUE] = "value",
};

static const struct field axis_fields[] = {
    {"label", AT(struct figure_axis, label), "what stands along it", .nullable = true},
    {"scale", AT(struct figure_axis, scale), "how values lie on it", NAMED(scales)},
    {"zero", AT(struct figure_axis, zero), "it begins at 0 whatever the data"},
};
static const struct fields axis_table = FIELDS("figure.axis", "an axis of a figure", axis_fields);

/* A column with what a table of fields knows of it. */
struct shown_column {
    const char *key, *title;
    enum figure_role role;
    bool filter, hidden;
};

static const void *column_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct figure_spec *spec = item;
    const struct figure_column *at = &spec->columns[index];
    if (!at->key)
        return NULL;
    const struct field *field = spec->fields ? fields_find(spec->fields, at->key) : NULL;
    const enum figure_role role = at->role || !field ? at->role : field->role;
    struct shown_column *column = memory_new(1, sizeof(*column));
    struct text title = {0};
    if (field && !at->title)
        field_put_title(field, &title);
    *column = (struct shown_column){.key = at->key,
                                    .title = title.length ? memory_text(&title) : at->title,
                                    .role = role,
                                    .filter = at->filter,
                                    .hidden = role == ROLE_DENSITY || role == ROLE_SAMPLES};
    return column;
}

static const struct field column_fields[] = {
    {"key", AT(struct shown_column, key), "its name"},
    {"title", AT(struct shown_column, title), "its heading"},
    {"role", AT(struct shown_column, role), "what it is to the picture; docs/figures.md",
     NAMED(roles), .nullable = true},
    {"filter", AT(struct shown_column, filter), "text by which a reader can choose rows"},
    {"hidden", AT(struct shown_column, hidden), "a list for the picture, not for the table"},
};
static const struct fields column_table =
    FIELDS("figure.column", "a column of a figure", column_fields);

struct line {
    const char *name, *series;
    double intercept, slope, from, to;
};
static const struct field line_fields[] = {
    {"name", AT(struct line, name), "what it is called", .nullable = true},
    {"series", AT(struct line, series), "whose colour it has", .nullable = true},
    {"intercept", AT(struct line, intercept), "y where x is 0", .nullable = true},
    {"slope", AT(struct line, slope), "what y rises by with x", .nullable = true},
    {"from", AT(struct line, from), "x where it begins", .nullable = true},
    {"to", AT(struct line, to), "x where it ends", .nullable = true},
};
static const struct fields line_table =
    FIELDS("figure.line", "a straight line, y = intercept + slope x", line_fields);

/* Rows, lines and notes come later. */
static struct value get_empty(const void *item, const void *context)
{
    (void)item;
    (void)context;
    return value_json(json_array());
}

static const struct field figure_fields[] = {
    {"id", AT(struct figure_spec, id), "unique in its section"},
    {"title", AT(struct figure_spec, title), "what it shows"},
    {"caption", AT(struct figure_spec, caption), "what is to be seen, and what it means"},
    {"paper", AT(struct figure_spec, paper), "the figure or table of a paper that it rebuilds",
     .nullable = true},
    {"kind", AT(struct figure_spec, kind), "which kind of picture shows it", NAMED(kinds)},
    {"x", OBJECT(struct figure_spec, x, &axis_table), "the axis across"},
    {"y", OBJECT(struct figure_spec, y, &axis_table), "the axis upwards"},
    {"columns", LIST_BY(column_at, &column_table), "what rows hold"},
    {"rows", GET(FIELD_JSON, get_empty), "lists of values in the order of the columns",
     .schema = "array"},
    {"lines", MADE(FIELD_LIST, get_empty, &line_table), "straight lines beside the rows"},
    {"notes",
     {.kind = FIELD_LIST, .get = get_empty, .element_kind = FIELD_TEXT},
     "sentences below the caption"},
};
const struct fields figure_table =
    FIELDS("figure", "rows of data, and which kind of picture shows them", figure_fields);

json_t *figure_new(const struct figure_spec *spec)
{
    return fields_json(&figure_table, spec, NULL);
}

json_t *figure_add_row(json_t *figure, json_t *const *values, size_t count)
{
    json_t *row = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(row, values[i] ? values[i] : json_null());
    json_array_append_new(json_object_get(figure, "rows"), row);
    return row;
}

void figure_add_line(json_t *figure, const char *name, const char *series, double intercept,
                     double slope, double from, double to)
{
    const struct line line = {name, series, intercept, slope, from, to};
    json_array_append_new(json_object_get(figure, "lines"), fields_json(&line_table, &line, NULL));
}

void figure_add_note(json_t *figure, const char *sentence)
{
    json_array_append_new(json_object_get(figure, "notes"), json_text(sentence));
}

bool figure_is_empty(const json_t *figure)
{
    return json_array_size(json_object_get(figure, "rows")) == 0;
}

void figures_append(json_t *figures, json_t *figure)
{
    if (figure_is_empty(figure))
        json_decref(figure);
    else
        json_array_append_new(figures, figure);
}

json_t *figure_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ----------------------------------------------------------------------------------------------
 * Sums up a row of values for a picture. */

/* The value that at least that share of them do not exceed. */
static double distribution_at(const double *sorted, size_t count, double share)
{
    size_t place = (size_t)ceil(share * (double)count);
    return sorted[place ? place - 1 : 0];
}

static json_t *density_json(const double *values, size_t count)
{
    double heights[DISTRIBUTION_POINTS];
    struct density density;
    if (density_of(values, count, DISTRIBUTION_POINTS, &density, heights) < 0 || density.constant)
        return json_null();
    json_t *list = json_array();
    json_array_append_new(list, figure_number(density.low));
    json_array_append_new(list, figure_number(density.step));
    for (size_t i = 0; i < DISTRIBUTION_POINTS; i++) {
        /* Four digits are more than a violin shows. */
        char text[32];
        snprintf(text, sizeof(text), "%.4g", heights[i]);
        json_array_append_new(list, figure_number(strtod(text, NULL)));
    }

    return list;
}

static json_t *samples_json(const double *values, size_t count, double min, double max)
{
    json_t *list = json_array();
    if (count <= DISTRIBUTION_SAMPLES) {
        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, figure_number(values[i]));
        return list;
    }
    json_array_append_new(list, figure_number(min));
    for (size_t i = 0; i < DISTRIBUTION_SAMPLES - 2; i++)
        json_array_append_new(list, figure_number(values[i * count / (DISTRIBUTION_SAMPLES - 2)]));
    json_array_append_new(list, figure_number(max));
    return list;
}

int distribution_of(const double *values, size_t count, struct distribution *distribution)
{
    *distribution = (struct distribution){.count = count};
    if (!count)
        return -EINVAL;
    AUTO_MEMORY double *sorted = memory_new(count, sizeof(*sorted));
    memcpy(sorted, values, count * sizeof(*sorted));
    sort_values(sorted, count);
    distribution->min = sorted[0];
    distribution->q1 = distribution_at(sorted, count, 0.25);
    distribution->median = distribution_at(sorted, count, 0.5);
    distribution->q3 = distribution_at(sorted, count, 0.75);
    distribution->max = sorted[count - 1];
    distribution->density = density_json(values, count);
    distribution->samples = samples_json(values, count, distribution->min, distribution->max);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Rows, ids and captions of figures. */

/* --- values of a box --- */

void pooled_add(struct pooled *pooled, double value)
{
    *memory_add(pooled->values, pooled->count) = value;
}

void pooled_clear(struct pooled *pooled)
{
    pooled->count = 0;
}

void pooled_free(struct pooled *pooled)
{
    memory_give_back(pooled->values);
    *pooled = (struct pooled){0};
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

struct pooled_box figure_add_box(json_t *figure, const struct pooled *pooled, bool samples,
                                 json_t *const *values, size_t count)
{
    if (!pooled->count) {
        for (size_t i = 0; i < count; i++)
            json_decref(values[i]);
        return (struct pooled_box){0};
    }
    json_t *row = figure_add_row(figure, values, count);
    /* Appends BOX_COLUMNS. */
    static const double shares[] = {0, 0.25, 0.5, 0.75, 0.99, 1};
    AUTO_MEMORY double *sorted = memory_new(pooled->count, sizeof(*sorted));
    struct distribution drawn;
    memcpy(sorted, pooled->values, pooled->count * sizeof(*sorted));
    sort_values(sorted, pooled->count);
    json_array_append_new(row, json_count(pooled->count));
    for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
        json_array_append_new(row,
                              figure_number(distribution_at(sorted, pooled->count, shares[i])));
    const struct pooled_box box = {.count = pooled->count,
                                   .least = sorted[0],
                                   .median = distribution_at(sorted, pooled->count, 0.5),
                                   .most = sorted[pooled->count - 1]};
    double limit = distribution_at(sorted, pooled->count, 0.99);
    memcpy(sorted, pooled->values, pooled->count * sizeof(*sorted));
    distribution_of(sorted, take_up_to(sorted, pooled->count, limit), &drawn);
    if (!samples || json_is_null(drawn.density)) {
        json_decref(drawn.samples);
        drawn.samples = json_null();
    }
    json_array_append_new(row, drawn.density);
    json_array_append_new(row, drawn.samples);
    return box;
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

enum figure_scale figure_fit_scale(json_t *figure, const char *axis)
{
    struct extent extent = extent_along(figure, axis);
    enum figure_scale scale = SCALE_LINEAR;
    if (extent.least > 0 && extent.most > 10 * extent.least)
        scale = SCALE_LOG;
    else if (extent.least <= 0 && fmax(-extent.least, extent.most) > 10)
        scale = SCALE_SYMLOG;
    json_object_set_new(json_object_get(figure, axis), "scale", json_string(scales[scale]));
    return scale;
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
