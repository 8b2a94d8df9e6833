/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay measure`, of planted rows. */
#include <string.h>

#include "case.h"
#include "figure-shown.h"
#include "studies/measure/study.h"

static char event[] = "page-faults", path[] = "perf-read", other_path[] = "perf-syscall",
            pattern[] = "ao", specimen[] = "pages", ten[] = "10", thousand[] = "1,000", one[] = "1",
            opt[] = "O2", linking[] = "static";

struct planted {
    struct stored_cell cells[3];
    struct row list[3];
    struct measuring run;
};

static void plant(struct planted *planted, size_t at, char *way, uint64_t n, double value)
{
    static const double spread[] = {0, 1, 2, 3, 4};
    double values[5];
    for (size_t i = 0; i < 5; i++)
        values[i] = value + spread[i];
    planted->cells[at].cell.n = n;
    struct row *row = &planted->list[at];
    *row = (struct row){
        .cell = &planted->cells[at],
        .factors = {event, way, pattern, specimen, n == 10 ? ten : thousand, one, opt, linking},
        .summary = {.runs = 5,
                    .judged = 5,
                    .expected = {.truth = {true, (int64_t)n}},
                    .error = {true, (int64_t)value - (int64_t)n + 2},
                    .error_min = {true, (int64_t)value - (int64_t)n},
                    .error_max = {true, (int64_t)value - (int64_t)n + 4}}};
    assert_int_equal(distribution_of(values, 5, &row->distribution), 0);
    planted->run.rows = planted->list;
    planted->run.row_count = at + 1;
}

static void end(struct planted *planted)
{
    for (size_t i = 0; i < planted->run.row_count; i++) {
        json_decref(planted->list[i].distribution.density);
        json_decref(planted->list[i].distribution.samples);
    }
}

static double cell_number(const json_t *figure, size_t row, const char *key)
{
    return json_number_value(figure_cell(figure, row, key));
}

static const char *role_of(const json_t *figure, const char *key)
{
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(figure, "columns"), i, column)
    {
        if (strcmp(figure_word(column, "key"), key) == 0)
            return figure_word(column, "role");
    }
    return NULL;
}

TEST(test_boxes_hold_what_was_read)
{
    struct planted planted = {0};
    plant(&planted, 0, path, 1000, 1000);
    plant(&planted, 1, other_path, 10, 16);
    json_t *figures = measure_figures(&planted.run);
    assert_figures_are_sound(figures);
    const json_t *figure = figure_called(figures, "counts");
    assert_true(cell_number(figure, 0, "min") == 1000);
    assert_true(cell_number(figure, 0, "median") == 1002);
    assert_true(cell_number(figure, 1, "max") == 20);
    assert_true(cell_number(figure, 1, "truth") == 10);
    /* What is the same in all cells names none of them. */
    assert_string_equal(role_of(figure, "path"), "group");
    assert_string_equal(role_of(figure, "n_words"), "group");
    assert_string_equal(role_of(figure, "opt"), "");
    json_decref(figures);
    end(&planted);
}

TEST(test_errors_rise_with_n)
{
    struct planted planted = {0};
    plant(&planted, 0, path, 1000, 1000);
    plant(&planted, 1, path, 10, 16);
    plant(&planted, 2, path, 100, 0);
    planted.list[2].summary.error.known = false;
    json_t *figures = measure_figures(&planted.run);
    const json_t *figure = figure_called(figures, "error-by-n");
    assert_int_equal(json_array_size(json_object_get(figure, "rows")), 2);
    assert_true(cell_number(figure, 0, "n") == 10);
    assert_true(cell_number(figure, 0, "error") == 8);
    assert_true(cell_number(figure, 0, "low") == 6);
    assert_true(cell_number(figure, 1, "high") == 4);
    json_decref(figures);
    end(&planted);
}

TEST(test_one_cell_has_a_name)
{
    struct planted planted = {0};
    plant(&planted, 0, path, 10, 10);
    json_t *figures = measure_figures(&planted.run);
    assert_figures_are_sound(figures);
    assert_string_equal(role_of(figure_called(figures, "counts"), "specimen"), "group");
    json_decref(figures);
    end(&planted);
}

TEST(test_nothing_gives_no_figure)
{
    struct planted planted = {0};
    json_t *figures = measure_figures(&planted.run);
    assert_int_equal(json_array_size(figures), 0);
    json_decref(figures);
    /* Nor does a cell that never got a counter. */
    plant(&planted, 0, path, 10, 10);
    json_decref(planted.list[0].distribution.density);
    json_decref(planted.list[0].distribution.samples);
    planted.list[0].distribution = (struct distribution){0};
    planted.list[0].summary.error.known = false;
    figures = measure_figures(&planted.run);
    assert_int_equal(json_array_size(figures), 0);
    json_decref(figures);
}
