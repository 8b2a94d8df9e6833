/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay caches`, of planted rings: which rows they have, in which order, and that
 * these hold what was measured. */
#include <string.h>

#include "case.h"
#include "figure-shown.h"
#include "studies/caches/parts.h"

#define KIB UINT64_C(1024)

static void add(struct caches_run *run, const struct caches_point *like, double first,
                double second)
{
    caches_add(&run->points, like, 1, first);
    caches_add(&run->points, like, 2, second);
}

static struct caches_claim claim = {.level = 1, .type = "data", .bytes = 32 * KIB, .line = 64};

static void build(struct caches_run *run)
{
    *run = (struct caches_run){.studying.complete = true};
    /* The larger ring was measured first. */
    add(run, &(struct caches_point){.shape = CHASE_DENSE, .bytes = 64 * KIB, .stride = 64}, 12, 14);
    add(run, &(struct caches_point){.shape = CHASE_DENSE, .bytes = 16 * KIB, .stride = 64}, 9, 4);
    add(run, &(struct caches_point){.shape = CHASE_PAGES, .bytes = 512 * KIB, .stride = 4096}, 20,
        21);
    add(run,
        &(struct caches_point){.shape = CHASE_PAIRS, .bytes = 64 * KIB, .stride = 1024, .pair = 32},
        5, 6);
    add(run, &(struct caches_point){.shape = CHASE_SETS, .bytes = 48 * KIB, .stride = 4096}, 4, 4);
    run->report.row_count = 1;
    run->report.rows[0] = (struct caches_row){.level = 1,
                                              .type = "data",
                                              .name = "L1 data",
                                              .claim = &claim,
                                              .bytes = {true, 48 * KIB, 0.97, ""},
                                              .line = {true, 64, 1, ""},
                                              .ways = {.reason = "too loud"},
                                              .ticks = 4};
}

static json_t *show(struct caches_run *run)
{
    json_t *figures = caches_figures(run);
    assert_figures_are_sound(figures);
    run->points = (struct caches_points){0};
    return figures;
}

static double cell_number(const json_t *figure, size_t row, const char *key)
{
    return json_number_value(figure_cell(figure, row, key));
}

TEST(test_the_curve_rises_with_the_ring)
{
    struct caches_run run;
    build(&run);
    json_t *figures = show(&run);
    const json_t *curve = figure_called(figures, "memory-curve");
    assert_int_equal(json_array_size(json_object_get(curve, "rows")), 3);
    assert_true(cell_number(curve, 0, "bytes") == 16 * 1024);
    assert_true(cell_number(curve, 0, "ticks") == 4);
    assert_true(cell_number(curve, 0, "slowest") == 9);
    assert_true(cell_number(curve, 1, "bytes") == 64 * 1024);
    assert_string_equal(json_string_value(figure_cell(curve, 2, "ring")), "one line a page");
    assert_non_null(strstr(figure_word(curve, "caption"),
                           "L1 data holds 48 KiB, not the 32 KiB that are claimed"));
    const json_t *line = json_array_get(json_object_get(curve, "lines"), 0);
    assert_string_equal(figure_word(line, "name"), "L1 data, claimed: to 32 KiB");
    assert_true(json_number_value(json_object_get(line, "intercept")) == 4);
    json_decref(figures);
}

TEST(test_claims_stand_beside_what_was_found)
{
    struct caches_run run;
    build(&run);
    json_t *figures = show(&run);
    const json_t *figure = figure_called(figures, "claimed-and-measured");
    assert_true(cell_number(figure, 0, "claimed") == 32 * 1024);
    assert_true(cell_number(figure, 0, "measured") == 48 * 1024);
    json_decref(figures);
    /* Where nothing was found there is nothing to compare. */
    build(&run);
    run.report.rows[0].bytes = (struct caches_value){.reason = "too loud"};
    figures = show(&run);
    for (size_t i = 0; i < json_array_size(figures); i++)
        assert_string_not_equal(figure_word(json_array_get(figures, i), "id"),
                                "claimed-and-measured");
    assert_non_null(strstr(figure_word(figure_called(figures, "memory-curve"), "caption"),
                           "could not be told: L1 data (32 KiB)."));
    json_decref(figures);
}

/* One story: what bounds a size is drawn, and a claim between the bounds is not contradicted. */
TEST(test_bounds_of_a_size_are_found_too)
{
    static const struct {
        uint64_t low, high;
        const char *told;
    } brackets[] = {
        {28 * KIB, 36 * KIB,
         "L1 data holds between 28 KiB and 36 KiB, and the 32 KiB that are claimed lie there"},
        {12 * KIB, 16 * KIB,
         "L1 data holds between 12 KiB and 16 KiB, not the 32 KiB that are claimed"}};
    for (size_t i = 0; i < 2; i++) {
        struct caches_run run;
        build(&run);
        run.report.rows[0].bytes = (struct caches_value){.reason = "too loud"};
        run.report.rows[0].low = brackets[i].low;
        run.report.rows[0].high = brackets[i].high;
        json_t *figures = show(&run);
        const json_t *figure = figure_called(figures, "claimed-and-measured");
        assert_true(json_is_null(figure_cell(figure, 0, "measured")));
        assert_true(cell_number(figure, 0, "low") == (double)brackets[i].low);
        assert_true(cell_number(figure, 0, "high") == (double)brackets[i].high);
        const char *caption = figure_word(figure_called(figures, "memory-curve"), "caption");
        assert_non_null(strstr(caption, brackets[i].told));
        assert_null(strstr(caption, "could not be told"));
        json_decref(figures);
    }
}

TEST(test_lines_and_ways_by_what_makes_them_rise)
{
    struct caches_run run;
    build(&run);
    json_t *figures = show(&run);
    const json_t *pairs = figure_called(figures, "lines"), *sets = figure_called(figures, "ways");
    assert_true(cell_number(pairs, 0, "distance") == 32);
    assert_string_equal(json_string_value(figure_cell(pairs, 0, "ring")), "64 KiB");
    assert_non_null(strstr(figure_word(pairs, "caption"), "L1 data: 64 bytes a line"));
    assert_true(cell_number(sets, 0, "lines") == 12);
    assert_non_null(strstr(figure_word(sets, "caption"), "Nothing of that kind"));
    json_decref(figures);
}

TEST(test_what_is_unfinished_says_so)
{
    struct caches_run run;
    build(&run);
    run.studying.complete = false;
    json_t *figures = show(&run);
    const json_t *notes = json_object_get(figure_called(figures, "memory-curve"), "notes");
    assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "ended before its plan"));
    json_decref(figures);
}

/* An emulated machine, where nothing is measured: claims alone are no figure. */
TEST(test_nothing_gives_no_figure)
{
    struct caches_run run;
    build(&run);
    run.points = (struct caches_points){0};
    json_t *figures = show(&run);
    assert_int_equal(json_array_size(figures), 0);
    json_decref(figures);
}
