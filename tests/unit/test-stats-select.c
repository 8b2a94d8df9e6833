/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which terms are selected: how many rows must speak for one, which of several that do as well, and
 * what noise makes of it. */
#include <math.h>

#include "case.h"
#include "stats/least-squares.h"

#define ROWS 8

/* Errors of y in rows of which only the last two hold the guilty thing; all else is everywhere. */
static struct selected blame(const double *y, bool exact)
{
    static const double guilty[ROWS] = {0, 0, 0, 0, 0, 0, 10, 100};
    static const double work[ROWS] = {4, 31, 301, 3001, 46, 44, 65, 605};
    static const double constant[ROWS] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const double sigma[ROWS] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    static const double *const columns[] = {constant, work, guilty};
    struct selected selected;
    struct selection selection = {.columns = columns,
                                  .rows = ROWS,
                                  .width = 3,
                                  .y = y,
                                  .sigma = sigma,
                                  .noise_df = 50,
                                  .exact = exact,
                                  .level = 1e-4,
                                  .most = 4};
    assert_int_equal(select_terms(&selection, &selected), 0);
    return selected;
}

TEST(two_rows_without_noise_are_enough)
{
    static const double y[ROWS] = {0, 0, 0, 0, 0, 0, 30, 300};
    struct selected selected = blame(y, true);
    assert_int_equal(selected.count, 1);
    assert_int_equal(selected.terms[0].column, 2);
    assert_true(fabs(selected.terms[0].value - 3) < 1e-9);
}

TEST(two_rows_with_noise_are_not)
{
    static const double y[ROWS] = {0, 0, 0, 0, 0, 0, 30, 300};
    struct selected selected = blame(y, false);
    for (size_t i = 0; i < selected.count; i++)
        assert_int_not_equal(selected.terms[i].column, 2);
}

/* --- which of several --- */

#define LADDER 6

static const double steps[LADDER] = {1, 10, 100, 1000, 10000, 100000};
static const double ones[LADDER] = {1, 1, 1, 1, 1, 1};
static const double twice[LADDER] = {2, 20, 200, 2000, 20000, 200000};
static const double sigmas[LADDER] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};

static struct selection ladder_of(const double *const *columns, size_t width, const double *y)
{
    return (struct selection){.columns = columns,
                              .rows = LADDER,
                              .width = width,
                              .y = y,
                              .sigma = sigmas,
                              .noise_df = 100,
                              .exact = true,
                              .level = 1e-4,
                              .most = 3};
}

TEST(of_equals_the_first_declared_is_taken_and_the_other_named)
{
    static const double y[LADDER] = {4, 40, 400, 4000, 40000, 400000};
    const double *const columns[] = {ones, twice, steps};
    struct selection selection = ladder_of(columns, 3, y);
    struct selected selected;
    bool alike[3];
    assert_int_equal(select_terms(&selection, &selected), 0);
    assert_int_equal(selected.count, 1);
    assert_int_equal(selected.terms[0].column, 1);
    assert_true(fabs(selected.terms[0].value - 2) < 1e-9);
    assert_int_equal(select_alike(&selection, &selected, 0, alike), 0);
    assert_false(alike[0]);
    assert_false(alike[1]);
    assert_true(alike[2]);
}

TEST(an_offset_of_one_is_seen_beside_counts_of_a_million_million)
{
    double y[LADDER], large[LADDER], noise[LADDER];
    for (size_t i = 0; i < LADDER; i++) {
        large[i] = steps[i] * 1e7;
        y[i] = 3 + large[i];
        noise[i] = 0.5;
    }
    const double *const columns[] = {ones, large};
    struct selection selection = ladder_of(columns, 2, y);
    selection.sigma = noise;
    struct selected selected;
    assert_int_equal(select_terms(&selection, &selected), 0);
    assert_int_equal(selected.count, 2);
    assert_int_equal(selected.terms[1].column, 0);
    assert_true(fabs(selected.terms[1].value - 3) < 1e-3);
}

TEST(an_error_that_rows_share_is_no_offset)
{
    static const double y[LADDER] = {3, 3.2, 2.9, 3.1, 3, 2.8};
    static const size_t groups[LADDER] = {0};
    static const double shared[] = {2};
    const double *const columns[] = {ones, steps};
    struct selection selection = ladder_of(columns, 2, y);
    selection.exact = false;
    struct selected selected;
    assert_int_equal(select_terms(&selection, &selected), 0);
    assert_int_equal(selected.count, 1);
    selection.groups = groups;
    selection.shared = shared;
    selection.group_count = 1;
    assert_int_equal(select_terms(&selection, &selected), 0);
    assert_int_equal(selected.count, 0);
}

TEST(one_row_alone_convinces_nobody)
{
    static const double y[LADDER] = {0, 0, 0, 0, 0, 90};
    const double *const columns[] = {ones, steps};
    struct selection selection = ladder_of(columns, 2, y);
    struct selected selected;
    assert_int_equal(select_terms(&selection, &selected), 0);
    assert_int_equal(selected.count, 0);
}
