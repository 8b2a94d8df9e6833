/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures as JSON. */
#include "output/figure.h"

#include <math.h>

#include "output/json.h"

static const char *const kinds[] = {"table", "boxes",     "points", "lines",
                                    "bars",  "dumbbells", "matrix"};
static const char *const scales[] = {"linear", "log", "symlog"};
static const char *const roles[] = {
    [ROLE_NONE] = "",
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

static json_t *axis_json(const struct figure_axis *axis)
{
    json_t *object = json_object();
    json_object_set_new(object, "label", json_text(axis->label));
    json_object_set_new(object, "scale", json_string(scales[axis->scale]));
    json_object_set_new(object, "zero", json_boolean(axis->zero));
    return object;
}

static json_t *column_json(const struct figure_column *column)
{
    bool hidden = column->role == ROLE_DENSITY || column->role == ROLE_SAMPLES;
    json_t *object = json_object();
    json_object_set_new(object, "key", json_text(column->key));
    json_object_set_new(object, "title", json_text(column->title));
    json_object_set_new(object, "role",
                        column->role ? json_string(roles[column->role]) : json_null());
    json_object_set_new(object, "filter", json_boolean(column->filter));
    json_object_set_new(object, "hidden", json_boolean(hidden));
    return object;
}

json_t *figure_new(const struct figure_spec *spec)
{
    json_t *figure = json_object();
    json_t *columns = json_array();
    for (const struct figure_column *at = spec->columns; at->key; at++)
        json_array_append_new(columns, column_json(at));
    json_object_set_new(figure, "id", json_text(spec->id));
    json_object_set_new(figure, "title", json_text(spec->title));
    json_object_set_new(figure, "caption", json_text(spec->caption));
    json_object_set_new(figure, "paper", json_text(spec->paper));
    json_object_set_new(figure, "kind", json_string(kinds[spec->kind]));
    json_object_set_new(figure, "x", axis_json(&spec->x));
    json_object_set_new(figure, "y", axis_json(&spec->y));
    json_object_set_new(figure, "columns", columns);
    json_object_set_new(figure, "rows", json_array());
    json_object_set_new(figure, "lines", json_array());
    json_object_set_new(figure, "notes", json_array());
    return figure;
}

void figure_add_row(json_t *figure, json_t *const *values, size_t count)
{
    json_t *row = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(row, values[i] ? values[i] : json_null());
    json_array_append_new(json_object_get(figure, "rows"), row);
}

void figure_add_line(json_t *figure, const char *name, const char *series, double intercept,
                     double slope, double from, double to)
{
    json_t *line = json_object();
    json_object_set_new(line, "name", json_text(name));
    json_object_set_new(line, "series", json_text(series));
    json_object_set_new(line, "intercept", figure_number(intercept));
    json_object_set_new(line, "slope", figure_number(slope));
    json_object_set_new(line, "from", figure_number(from));
    json_object_set_new(line, "to", figure_number(to));
    json_array_append_new(json_object_get(figure, "lines"), line);
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
