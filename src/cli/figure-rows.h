/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What figures of studies share (show/figure.h): boxes of pooled values, captions that are written
 * after the rows, ids made of names from stores, columns that say the same in every row. */
#pragma once

#include "base/text.h"
#include "cli/distribution.h"
#include "output/figure.h"

/* Values of one box. */
struct pooled {
    double *values;
    size_t count, capacity;
    bool failed; /* memory ran out; nothing is made of it then */
};
void pooled_add(struct pooled *pooled, double value);
void pooled_clear(struct pooled *pooled);
void pooled_free(struct pooled *pooled);
#define AUTO_POOLED __attribute__((cleanup(pooled_free)))

/* The columns of a box, behind those that say what it is of. Whiskers reach to the 99th of a
 * hundred values, and the violin is of those up to it: one that was interrupted would make a line
 * of it. */
#define BOX_COLUMNS                                                                                \
    {"runs", "runs", ROLE_NONE, false}, {"min", "least", ROLE_MIN, false},                         \
        {"q1", "lower quartile", ROLE_Q1, false}, {"median", "median", ROLE_MEDIAN, false},        \
        {"q3", "upper quartile", ROLE_Q3, false}, {"p99", "99 of 100 below", ROLE_MAX, false},     \
        {"max", "most", ROLE_NONE, false}, {"density", "density", ROLE_DENSITY, false},            \
    {                                                                                              \
        "samples", "samples", ROLE_SAMPLES, false                                                  \
    }
/* A row that begins with `values`, which are owned from here on, and ends with BOX_COLUMNS. Without
 * pooled values there is none. samples: some of the values go with it, unless all are equal. */
void figure_add_box(json_t *figure, const struct pooled *pooled, bool samples,
                    json_t *const *values, size_t count);
#define FIGURE_BOX(figure, pooled, samples, ...)                                                   \
    figure_add_box(figure, pooled, samples, (json_t *const[]){__VA_ARGS__},                        \
                   sizeof((json_t *const[]){__VA_ARGS__}) / sizeof(json_t *))

/* "places" and "clock/ticks/": "places-clock-ticks" */
void figure_put_id(struct text *id, const char *what, const char *name);
void figure_set_caption(json_t *figure, const struct text *words);
size_t figure_rows(const json_t *figure);
/* May it take another row? Where not, a note says that it is cut short. */
bool figure_has_room(json_t *figure);
/* Chooses the scale of an axis, "x" or "y", by what is drawn along it: a logarithm where values
 * span more than an order of magnitude, one about 0 where some are not above it. */
void figure_fit_scale(json_t *figure, const char *axis);
/* Do all values drawn along the x axis lie at one place? */
bool figure_is_flat(const json_t *figure);
/* Takes a column out of the figure and all its rows. */
void figure_drop_column(json_t *figure, const char *key);
/* As figures_append; where a figure of that id is there already it gets a number behind it. */
void figures_append_apart(json_t *figures, json_t *figure);

/* As number_brief. */
void figure_put_number(struct text *words, double value);
