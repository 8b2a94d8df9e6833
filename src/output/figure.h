/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure: rows of data, and which kind of picture shows them. Studies emit figures as JSON
 * (docs/figures.md); pages draw them by kind and know no study, so that a new study needs no new
 * page code. Every figure is its own table. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct fields;

enum figure_kind {
    FIGURE_TABLE,     /* no picture */
    FIGURE_BOXES,     /* a box and a violin a row */
    FIGURE_POINTS,    /* a dot a row, straight lines beside them */
    FIGURE_LINES,     /* rows of one series joined, with bands between low and high */
    FIGURE_BARS,      /* a bar a row */
    FIGURE_DUMBBELLS, /* before and after a row, joined */
    FIGURE_MATRIX,    /* a coloured field a row */
};

enum figure_scale { SCALE_LINEAR, SCALE_LOG, SCALE_SYMLOG };

/* What a column is to the picture. Which kind uses which: docs/figures.md. */
enum figure_role {
    ROLE_NONE, /* in the table and in what hovering tells */
    ROLE_X,
    ROLE_Y,
    ROLE_GROUP,  /* what a box, bar or dumbbell is called; several: joined */
    ROLE_SERIES, /* colour */
    ROLE_FACET,  /* a picture of its own for each */
    ROLE_LOW,
    ROLE_HIGH,
    ROLE_MIN,
    ROLE_Q1,
    ROLE_MEDIAN,
    ROLE_Q3,
    ROLE_MAX,
    ROLE_DENSITY, /* hidden list: where it begins, the step, then heights */
    ROLE_SAMPLES, /* hidden list: some of the values themselves */
    ROLE_BEFORE,
    ROLE_AFTER,
    ROLE_VALUE, /* of a field of a matrix, or of a bar */
};

struct figure_column {
    const char *key;   /* "median" */
    const char *title; /* "median"; of the table */
    enum figure_role role;
    bool filter; /* text by which rows can be chosen: path, pattern, mode */
};

struct figure_axis {
    const char *label; /* NULL: none */
    enum figure_scale scale;
    bool zero; /* the axis begins at 0 whatever the data */
};

struct figure_spec {
    const char *id;      /* unique in the study, for links: "error-by-path" */
    const char *title;   /* "What an empty window counts, by path" */
    const char *caption; /* plain words: what is to be seen, and what it means */
    const char *paper;   /* "Zaparanuks et al. 2009, Figure 1"; NULL: no figure of a paper */
    enum figure_kind kind;
    struct figure_axis x, y;
    const struct figure_column *columns; /* ends with key NULL */
    const struct fields *fields; /* what columns leave out (output/field.h); NULL: nothing */
};

/* A figure with more is thinned by whoever makes it: a page must not grow with the store. */
#define FIGURE_MOST_ROWS 1000u

/* What it is as JSON. */
extern const struct fields figure_table;

/* A figure without rows. */
json_t *figure_new(const struct figure_spec *spec);
/* Adds a row; values are owned from here on and stand in the order of the columns. A NULL value is
 * taken for null. The row. */
json_t *figure_add_row(json_t *figure, json_t *const *values, size_t count);
#define FIGURE_ROW(figure, ...)                                                                    \
    figure_add_row(figure, (json_t *const[]){__VA_ARGS__},                                         \
                   sizeof((json_t *const[]){__VA_ARGS__}) / sizeof(json_t *))
/* A straight line y = intercept + slope x between two x: a fit, or what would be right. series
 * NULL: none. On log axes it is drawn as the curve that it is there. */
void figure_add_line(json_t *figure, const char *name, const char *series, double intercept,
                     double slope, double from, double to);
/* A sentence below the caption. */
void figure_add_note(json_t *figure, const char *sentence);
bool figure_is_empty(const json_t *figure);
/* Adds it to an array of figures, unless it has no rows; owns it from here on. */
void figures_append(json_t *figures, json_t *figure);

/* A finite number, else null. */
json_t *figure_number(double value);

/* ----------------------------------------------------------------------------------------------
 * Many values as what a figure of boxes shows of them: quartiles, a density, and some of the
 * values themselves. What a page gets does not grow with the store. */

struct distribution {
    size_t count;
    double min, q1, median, q3, max; /* values that were really read */
    json_t *density; /* [where it begins, step, height, height …]; null where all are equal */
    json_t *samples; /* at most DISTRIBUTION_SAMPLES of them, evenly over the order they came in,
                        with the extremes */
};
#define DISTRIBUTION_SAMPLES 100
#define DISTRIBUTION_POINTS  64

/* The two lists belong to the caller, who puts them into a row. Values are not changed. -EINVAL:
 * there are none; -ENOMEM. */
int distribution_of(const double *values, size_t count, struct distribution *distribution);

/* ----------------------------------------------------------------------------------------------
 * What figures of studies share: boxes of pooled values, captions that are written after the rows,
 * ids made of names from stores, columns that say the same in every row. */

/* Values of one box. */
struct pooled {
    double *values;
    size_t count;
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
/* What a row says of the values of one box. */
struct pooled_box {
    size_t count; /* 0: there is no row */
    double least, median, most;
};
/* A row that begins with `values`, which are owned from here on, and ends with BOX_COLUMNS. Without
 * pooled values there is none. samples: some of the values go with it, unless all are equal. */
struct pooled_box figure_add_box(json_t *figure, const struct pooled *pooled, bool samples,
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
enum figure_scale figure_fit_scale(json_t *figure, const char *axis);
/* Do all values drawn along the x axis lie at one place? */
bool figure_is_flat(const json_t *figure);
/* Takes a column out of the figure and all its rows. */
void figure_drop_column(json_t *figure, const char *key);
/* As figures_append; where a figure of that id is there already it gets a number behind it. */
void figures_append_apart(json_t *figures, json_t *figure);

/* As number_brief. */
void figure_put_number(struct text *words, double value);
