/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure: rows of data, and which kind of picture shows them. Studies emit figures as JSON
 * (docs/figures.md); pages draw them by kind and know no study, so that a new study needs no new
 * page code. Every figure is its own table. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

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
};

/* A figure with more is thinned by whoever makes it: a page must not grow with the store. */
#define FIGURE_MOST_ROWS 1000u

/* A figure without rows. NULL: out of memory. */
json_t *figure_new(const struct figure_spec *spec);
/* Adds a row; values are owned from here on and stand in the order of the columns. A NULL value is
 * taken for null. */
void figure_add_row(json_t *figure, json_t *const *values, size_t count);
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
