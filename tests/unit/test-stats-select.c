/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many rows must speak for a term before it is selected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "stats/select.h"

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

static void two_rows_without_noise_are_enough(void **state)
{
    (void)state;
    static const double y[ROWS] = {0, 0, 0, 0, 0, 0, 30, 300};
    struct selected selected = blame(y, true);
    assert_int_equal(selected.count, 1);
    assert_int_equal(selected.terms[0].column, 2);
    assert_true(fabs(selected.terms[0].value - 3) < 1e-9);
}

static void two_rows_with_noise_are_not(void **state)
{
    (void)state;
    static const double y[ROWS] = {0, 0, 0, 0, 0, 0, 30, 300};
    struct selected selected = blame(y, false);
    for (size_t i = 0; i < selected.count; i++)
        assert_int_not_equal(selected.terms[i].column, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rows_without_noise_are_enough),
        cmocka_unit_test(two_rows_with_noise_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
