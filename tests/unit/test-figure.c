/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures: what becomes of rows, and what the check of figures notices. */
#include <math.h>

#include "case.h"
#include "figure-shown.h"
#include "output/figure.h"

static const struct figure_column columns[] = {
    {"path", "path", ROLE_GROUP, true},  {"min", "least", ROLE_MIN, false},
    {"q1", "q1", ROLE_Q1, false},        {"median", "median", ROLE_MEDIAN, false},
    {"q3", "q3", ROLE_Q3, false},        {"max", "most", ROLE_MAX, false},
    {"all", "all", ROLE_SAMPLES, false}, {0}};

static const struct figure_spec boxes = {.id = "by-path",
                                         .title = "By path",
                                         .caption = "What each adds.",
                                         .kind = FIGURE_BOXES,
                                         .x = {.label = "instructions"},
                                         .columns = columns};

static json_t *made(const struct figure_spec *spec)
{
    json_t *figure = figure_new(spec);
    FIGURE_ROW(figure, json_string("perf-read"), figure_number(1), figure_number(2),
               figure_number(3), figure_number(4), figure_number(INFINITY),
               json_pack("[i, i]", 1, 5));
    return figure;
}

static const char *fault_of(const json_t *figure)
{
    static char fault[256];
    fault[0] = 0;
    return figure_is_sound(figure, fault, sizeof(fault)) ? "" : fault;
}

TEST(a_whole_figure_is_sound)
{
    json_t *figures = json_array();
    figures_append(figures, made(&boxes));
    assert_figures_are_sound(figures);
    const json_t *figure = figure_called(figures, "by-path");
    assert_true(json_is_null(figure_cell(figure, 0, "max")));
    assert_string_equal(json_string_value(figure_cell(figure, 0, "path")), "perf-read");
    assert_null(figure_cell(figure, 0, "mode"));
    json_decref(figures);
}

TEST(one_without_rows_is_no_figure)
{
    json_t *figures = json_array(), *empty = figure_new(&boxes);
    assert_string_equal(fault_of(empty), "by-path: 0 rows");
    figures_append(figures, empty);
    assert_int_equal(json_array_size(figures), 0);
    json_decref(figures);
}

TEST(what_a_page_could_not_draw_is_told)
{
    struct figure_spec spec = boxes;
    json_t *figure;

    spec.kind = FIGURE_POINTS;
    figure = made(&spec);
    assert_string_equal(fault_of(figure), "by-path: a figure of points lacks x");
    json_decref(figure);

    spec = boxes, spec.id = "By path";
    figure = made(&spec);
    assert_string_equal(fault_of(figure), "the id 'By path' is not made of a-z, 0-9 and -");
    json_decref(figure);

    spec = boxes, spec.caption = NULL;
    figure = made(&spec);
    assert_string_equal(fault_of(figure), "figure 'by-path' has no caption");
    json_decref(figure);

    figure = made(&boxes);
    FIGURE_ROW(figure, json_string("perf-mmap"), figure_number(1));
    assert_string_equal(fault_of(figure), "by-path: row 1 has 2 values for 7 columns");
    json_decref(figure);

    figure = made(&boxes);
    json_array_set_new(json_array_get(json_object_get(figure, "rows"), 0), 3, json_string("3"));
    assert_string_equal(fault_of(figure), "by-path: row 0, median: a value of the wrong type");
    json_decref(figure);
}
