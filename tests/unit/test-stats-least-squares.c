/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares against NIST's certified values, and what becomes of columns and rows that cannot
 * be fitted. */
#include <errno.h>
#include <math.h>

#include "../stats/nist-linear.h"
#include "case.h"
#include "stats-digits.h"
#include "stats/interval.h"
#include "stats/least-squares.h"

#define MOST_ROWS  82
#define MOST_WIDTH 11

struct set {
    size_t rows, width;
    double columns[MOST_ROWS * MOST_WIDTH], y[MOST_ROWS];
};

struct certified {
    const char *name;
    bool intercept;
    double stdev, r_squared;
    double value_digits, error_digits, fit_digits; /* what must be right */
    double values[MOST_WIDTH], errors[MOST_WIDTH];
};

#define CERTIFIED(...) (&(struct certified){__VA_ARGS__})
#define VALUES(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static double power(double base, size_t exponent)
{
    double result = 1;
    for (size_t i = 0; i < exponent; i++)
        result *= base;
    return result;
}

static void add_polynomial(struct set *set, size_t width, double x, double y)
{
    set->width = width;
    for (size_t column = 0; column < width; column++)
        set->columns[set->rows * width + column] = power(x, column);
    set->y[set->rows++] = y;
}

static void check(const struct set *set, const struct certified *certified)
{
    struct least_squares fit;
    struct coefficient coefficients[MOST_WIDTH];
    double residuals[MOST_ROWS], sum = 0;
    const struct design design = {set->columns, set->rows, set->width, set->y, NULL};
    assert_int_equal(least_squares(&design, certified->intercept, &fit, coefficients, residuals),
                     0);
    assert_int_equal(fit.rank, set->width);
    assert_int_equal(fit.df, set->rows - set->width);
    for (size_t i = 0; i < set->width; i++) {
        assert_false(coefficients[i].aliased);
        check_digits(certified->name, coefficients[i].value, certified->values[i],
                     certified->value_digits);
        check_digits(certified->name, coefficients[i].error, certified->errors[i],
                     certified->error_digits);
        double reach = t_quantile(.975, (double)fit.df) * coefficients[i].error;
        assert_true(coefficients[i].low == coefficients[i].value - reach);
        assert_true(coefficients[i].high == coefficients[i].value + reach);
    }
    check_digits(certified->name, fit.residual_stdev, certified->stdev, certified->fit_digits);
    check_digits(certified->name, fit.r_squared, certified->r_squared, certified->fit_digits);
    for (size_t i = 0; i < set->rows; i++)
        sum += residuals[i] * residuals[i];
    check_digits(certified->name, sum, fit.residual_sum, 9);
}

TEST(norris_and_pontius)
{
    struct set norris = {0}, pontius = {0};
    for (size_t i = 0; i < 36; i++)
        add_polynomial(&norris, 2, nist_norris[i][1], nist_norris[i][0]);
    check(&norris, CERTIFIED("Norris", true, 0.884796396144373, 0.999993745883712, 14, 13.5, 13.5,
                             VALUES(-0.262323073774029, 1.00211681802045),
                             VALUES(0.232818234301152, 0.429796848199937E-03)));
    for (size_t i = 0; i < 40; i++)
        add_polynomial(&pontius, 3, 150000. * (double)(i % 20 + 1), nist_pontius[i]);
    check(&pontius,
          CERTIFIED("Pontius", true, 0.205177424076185E-03, 0.999999900178537, 13.3, 13.5, 13.5,
                    VALUES(0.673565789473684E-03, 0.732059160401003E-06, -0.316081871345029E-14),
                    VALUES(0.107938612033077E-03, 0.157817399981659E-09, 0.486652849992036E-16)));
}

TEST(lines_without_an_intercept)
{
    struct set first = {.width = 1}, second = {.width = 1};
    for (size_t i = 0; i < 11; i++) {
        first.columns[i] = 60 + (double)i;
        first.y[first.rows++] = 130 + (double)i;
    }
    check(&first, CERTIFIED("NoInt1", false, 3.56753034006338, 0.999365492298663, 14.5, 14.5, 14.5,
                            VALUES(2.07438016528926), VALUES(0.165289256198347E-01)));
    for (size_t i = 0; i < 3; i++)
        second.columns[i] = 4 + (double)i;
    second.y[0] = 3;
    second.y[1] = second.y[2] = 4;
    second.rows = 3;
    check(&second, CERTIFIED("NoInt2", false, 0.369274472937998, 0.993348115299335, 14.5, 14.5,
                             14.5, VALUES(0.727272727272727), VALUES(0.420827318078432E-01)));
}

/* The columns, powers of x up to the tenth, are rounded to doubles before they get here; with a
 * condition of 1e15 that alone moves the coefficients in the eighth digit. */
TEST(filip_as_far_as_rounded_powers_go)
{
    struct set filip = {0};
    for (size_t i = 0; i < 82; i++)
        add_polynomial(&filip, 11, nist_filip[i][1], nist_filip[i][0]);
    check(
        &filip,
        CERTIFIED("Filip", true, 0.334801051324544E-02, 0.996727416185620, 7.8, 8.5, 8.4,
                  VALUES(-1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372,
                         -354.478233703349, -75.1242017393757, -10.8753180355343, -1.06221498588947,
                         -0.670191154593408E-01, -0.246781078275479E-02, -0.402962525080404E-04),
                  VALUES(298.084530995537, 559.779865474950, 466.477572127796, 227.204274477751,
                         71.6478660875927, 15.2897178747400, 2.23691159816033, 0.221624321934227,
                         0.142363763154724E-01, 0.535617408889821E-03, 0.896632837373868E-05)));
}

/* The same columns, solved in fractions of whole numbers (normal equations by Python's Fraction):
 * what was lost above was lost before least_squares() was called. */
TEST(filip_against_exact_arithmetic_on_the_rounded_powers)
{
    static const double exact[11] = {
        -1467.4896313887714,  -2772.1796242619316,   -2316.371108609359,    -1127.9739541497518,
        -354.4782378552308,   -75.12420262435174,    -10.875318164699452,   -1.0622149986404843,
        -0.06701911627445624, -0.002467810813235648, -4.029625301456807e-05};
    struct set filip = {0};
    for (size_t i = 0; i < 82; i++)
        add_polynomial(&filip, 11, nist_filip[i][1], nist_filip[i][0]);
    struct least_squares fit;
    struct coefficient coefficients[11];
    const struct design design = {filip.columns, 82, 11, filip.y, NULL};
    assert_int_equal(least_squares(&design, true, &fit, coefficients, NULL), 0);
    for (size_t i = 0; i < 11; i++)
        check_digits("Filip, rounded", coefficients[i].value, exact[i], 10.5);
    check_digits("Filip, rounded", fit.residual_stdev, 0.0033480105018462085, 11);
}

TEST(longley)
{
    struct set set = {.rows = 16, .width = 7};
    for (size_t row = 0; row < 16; row++) {
        set.y[row] = nist_longley[row][0];
        set.columns[row * 7] = 1;
        for (size_t column = 1; column < 7; column++)
            set.columns[row * 7 + column] = nist_longley[row][column];
    }
    check(&set,
          CERTIFIED(
              "Longley", true, 304.854073561965, 0.995479004577296, 14, 14.5, 14.5,
              VALUES(-3482258.63459582, 15.0618722713733, -0.358191792925910E-01, -2.02022980381683,
                     -1.03322686717359, -0.511041056535807E-01, 1829.15146461355),
              VALUES(890420.383607373, 84.9149257747669, 0.334910077722432E-01, 0.488399681651699,
                     0.214274163161675, 0.226073200069370, 455.478499142212)));
}

TEST(wampler_exact)
{
    struct set first = {0}, second = {0};
    for (size_t x = 0; x < 21; x++) {
        double sum = 0, scaled = 0;
        for (size_t i = 0; i < 6; i++) {
            sum += power((double)x, i);
            scaled += power((double)x, i) * power(10, 5 - i);
        }
        add_polynomial(&first, 6, (double)x, sum);
        /* NIST prints five decimals: the nearest double to them, not a sum of rounded parts. */
        add_polynomial(&second, 6, (double)x, scaled / 1e5);
    }
    check(&first, CERTIFIED("Wampler1", true, 0, 1, 14.5, 13, 13, VALUES(1, 1, 1, 1, 1, 1),
                            VALUES(0, 0, 0, 0, 0, 0)));
    check(&second, CERTIFIED("Wampler2", true, 0, 1, 13, 13, 13,
                             VALUES(1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5), VALUES(0, 0, 0, 0, 0, 0)));
}

TEST(wampler_with_deviations)
{
    static const struct {
        const char *name;
        double factor, r_squared, value_digits;
    } sets[] = {{"Wampler3", 1, 0.999995559025820, 12.5},
                {"Wampler4", 100, 0.957478440825662, 10.5},
                {"Wampler5", 10000, 0.224668921574940E-02, 8.5}};
    for (size_t i = 0; i < 3; i++) {
        struct set set = {0};
        for (size_t x = 0; x < 21; x++) {
            double sum = sets[i].factor * nist_wampler_deviations[x];
            for (size_t exponent = 0; exponent < 6; exponent++)
                sum += power((double)x, exponent);
            add_polynomial(&set, 6, (double)x, sum);
        }
        struct certified certified = {sets[i].name,
                                      true,
                                      2360.14502379268 * sets[i].factor,
                                      sets[i].r_squared,
                                      sets[i].value_digits,
                                      13.5,
                                      13.5,
                                      {1, 1, 1, 1, 1, 1},
                                      {2152.32624678170, 2363.55173469681, 779.343524331583,
                                       101.475507550350, 5.64566512170752, 0.112324854679312}};
        for (size_t j = 0; j < 6; j++)
            certified.errors[j] *= sets[i].factor;
        check(&set, &certified);
    }
}

/* R: summary(lm(y ~ x, weights = w)) with x = 1:5, y = c(1, 3, 2, 5, 4), w = c(1, 2, 0.5, 4, 0) */
TEST(weights_count_as_in_r)
{
    double columns[] = {1, 1, 1, 2, 1, 3, 1, 4, 1, 5}, y[] = {1, 3, 2, 5, 4},
           weights[] = {1, 2, .5, 4, 0}, residuals[5];
    struct least_squares fit;
    struct coefficient line[2];
    const struct design design = {columns, 5, 2, y, weights};
    assert_int_equal(least_squares(&design, true, &fit, line, residuals), 0);
    assert_int_equal(fit.df, 2);
    check_digits("intercept", line[0].value, 0.13333333333333333, 13);
    check_digits("slope", line[1].value, 1.2, 13);
    check_digits("error", line[0].error, 1.0333333333333332, 13);
    check_digits("error", line[1].error, 0.32145502536643183, 13);
    check_digits("stdev", fit.residual_stdev, 1.0165300454651272, 13);
    check_digits("r squared", fit.r_squared, 0.87449392712550611, 13);
    check_digits("unweighted row", residuals[4], -2.1333333333333333, 12);
}

TEST(a_dependent_column_is_aliased_and_spoils_nothing)
{
    double columns[6 * 4], y[6];
    for (size_t i = 0; i < 6; i++) {
        double x = (double)i;
        const double row[] = {1, x, 2 * x - 3, 0};
        for (size_t j = 0; j < 4; j++)
            columns[i * 4 + j] = row[j];
        y[i] = 7 + 3 * x + (i % 2 ? .5 : -.5);
    }
    struct least_squares fit;
    struct coefficient coefficients[4], intercept, slope;
    assert_int_equal(
        least_squares(&(struct design){columns, 6, 4, y, NULL}, true, &fit, coefficients, NULL), 0);
    assert_int_equal(fit.rank, 2);
    assert_int_equal(fit.df, 4);
    assert_true(!coefficients[0].aliased && !coefficients[1].aliased);
    assert_true(coefficients[2].aliased && coefficients[3].aliased);
    assert_true(coefficients[2].value == 0);
    const double x[] = {0, 1, 2, 3, 4, 5};
    assert_int_equal(straight_line(x, y, 6, &fit, &intercept, &slope), 0);
    assert_true(intercept.value == coefficients[0].value && slope.value == coefficients[1].value);
    assert_true(slope.error == coefficients[1].error);
}

/* Two columns that differ in their last twelve of 53 bits are still two. */
TEST(a_nearly_dependent_column_is_fitted)
{
    double columns[10 * 3], y[10];
    for (size_t i = 0; i < 10; i++) {
        double k = (double)i, x = k * 1099511627776;
        columns[i * 3] = 1;
        columns[i * 3 + 1] = x;
        columns[i * 3 + 2] = x + k * k;
        y[i] = 3 + 2 * k * k;
    }
    struct least_squares fit;
    struct coefficient coefficients[3];
    const struct design design = {columns, 10, 3, y, NULL};
    assert_int_equal(least_squares(&design, true, &fit, coefficients, NULL), 0);
    assert_int_equal(fit.rank, 3);
    check_digits("first", coefficients[1].value, -2, 6);
    check_digits("second", coefficients[2].value, 2, 6);
}

TEST(counts_of_nine_digits_leave_an_exact_line_exact)
{
    double x[8], y[8];
    for (size_t i = 0; i < 8; i++) {
        x[i] = power(10, i + 1);
        y[i] = 3 * x[i] + 17;
    }
    struct least_squares fit;
    struct coefficient intercept, slope;
    assert_int_equal(straight_line(x, y, 8, &fit, &intercept, &slope), 0);
    assert_true(slope.value == 3);
    check_digits("intercept", intercept.value, 17, 13);
    assert_true(fit.r_squared == 1);
}

/* What rounding leaves of exact data is no coefficient, no spread and no interval. */
TEST(exact_data_have_no_dust)
{
    static const double slopes[] = {0, 1, 3, 0.1}, intercepts[] = {0, 17, -4000, 0.1};
    double x[40], y[40];
    for (size_t count = 3; count <= 40; count++)
        for (size_t of = 0; of < 16; of++) {
            const double slope = slopes[of % 4], intercept = intercepts[of / 4];
            struct least_squares fit;
            struct coefficient base, rise;
            for (size_t i = 0; i < count; i++) {
                x[i] = (double)(i * (i + count) % 10007);
                y[i] = intercept + slope * x[i];
            }
            assert_int_equal(straight_line(x, y, count, &fit, &base, &rise), 0);
            assert_true(fit.residual_stdev == 0 && fit.residual_sum == 0);
            assert_true(rise.error == 0 && base.error == 0);
            assert_true(rise.low == rise.value && rise.high == rise.value);
            assert_true(fabs(rise.value - slope) <= 1e-13 * slope);
            assert_true(fabs(base.value - intercept) <= 1e-9 * fabs(intercept));
            assert_true(slope > 0 ? fit.r_squared == 1 : fit.total_sum == 0);
            assert_true(slope > 0 || fit.r_squared == 0);
        }
}

/* Counts of twelve digits that differ by one are not exact. */
TEST(one_count_in_a_million_millions_is_no_dust)
{
    double x[8], y[8];
    for (size_t i = 0; i < 8; i++) {
        x[i] = (double)i;
        y[i] = 1e12 + (i % 2 ? 1 : 0);
    }
    struct least_squares fit;
    struct coefficient intercept, slope;
    assert_int_equal(straight_line(x, y, 8, &fit, &intercept, &slope), 0);
    check_digits("spread", fit.residual_sum, 2 - 4. / 42, 6);
    check_digits("slope", slope.value, 2. / 42, 3);
    assert_true(slope.low < 0 && slope.high > 0);
}

TEST(too_few_rows_are_refused)
{
    double x[] = {1, 2}, y[] = {3, 5};
    struct least_squares fit;
    struct coefficient intercept, slope;
    assert_int_equal(straight_line(x, y, 0, &fit, &intercept, &slope), -EINVAL);
    assert_int_equal(straight_line(x, y, 1, &fit, &intercept, &slope), -EINVAL);
    assert_int_equal(straight_line(x, y, 2, &fit, &intercept, &slope), 0);
    check_digits("slope", slope.value, 2, 15);
    assert_true(fit.df == 0 && slope.error == INFINITY && fit.residual_stdev == INFINITY);
    assert_true(slope.low == -INFINITY && slope.high == INFINITY);
}

TEST(one_x_for_all_has_no_slope)
{
    double x[] = {5, 5, 5}, y[] = {1, 2, 3};
    struct least_squares fit;
    struct coefficient intercept, slope;
    assert_int_equal(straight_line(x, y, 3, &fit, &intercept, &slope), 0);
    assert_true(slope.aliased && slope.value == 0);
    check_digits("mean", intercept.value, 2, 15);
}

TEST(what_is_not_finite_is_refused)
{
    double columns[] = {1, 1, 1}, y[] = {1, 2, 3}, weights[] = {1, 1, 1};
    struct least_squares fit;
    struct coefficient mean;
    const struct design design = {columns, 3, 1, y, weights};
    double *const places[] = {&columns[1], &y[2], &weights[0]};
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            double kept = *places[i];
            *places[i] = wrong[j];
            assert_int_equal(least_squares(&design, true, &fit, &mean, NULL), -EINVAL);
            *places[i] = kept;
        }
    weights[0] = -1;
    assert_int_equal(least_squares(&design, true, &fit, &mean, NULL), -EINVAL);
}
