/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals and distributions, against R 4.2.2; each table names the call that made it. */
#include <math.h>

#include "case.h"
#include "stats-digits.h"
#include "stats/interval.h"
#include "stats/moments.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* R: qt(share, df) */
TEST(t_quantiles_are_those_of_r)
{
    static const double rows[][3] = {
        {1e-20, 4, -131607.40128258528},      {1 - 1e-10, 19, 12.185020056869666},
        {.500001, 9, 2.5770877237522181e-06}, {.2, 3, -0.97847231236330445},
        {1e-300, 999, -54.314211115347817},   {.7, 1.5, 0.65179548260235731},
        {.975, 1, 12.706204736174694},        {.975, 9, 2.2621571627982049},
        {.9995, 3, 12.923978636687961},       {.6, 2.5, 0.28145951274854752},
        {1e-10, 5, -156.82559270889428},      {.975, 1e6, 1.9599663568141066},
        {.999999, 1, 318309.88617359026},     {1 - 1e-6, 1e8, 4.7534245892102271},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_digits("qt", t_quantile(rows[i][0], rows[i][1]), rows[i][2], 10);
}

/* R: 2 * pt(-abs(t), df) */
TEST(t_probabilities_are_those_of_r)
{
    static const double rows[][3] = {
        {2, 1, 0.29516723530086642},       {2, 10, 0.073388034770740393},
        {50, 10, 2.4743103293026876e-13},  {1e5, 3, 2.2053155808932506e-15},
        {-3, 1000, 0.0027667090442381899},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_digits("pt", t_two_sided_p(rows[i][0], rows[i][1]), rows[i][2], 11);
    assert_true(t_two_sided_p(40, 1e6) < 1e-300);
}

/* R: pf(f, df_1, df_2, lower = FALSE) */
TEST(f_probabilities_are_those_of_r)
{
    static const double rows[][4] = {
        {1.18046237440255, 4, 20, 0.34944749340219283}, {3, 2, 1000, 0.050235374015742851},
        {600, 3, 500, 3.2331821100092422e-165},         {1e-9, 2, 5, 0.99999999900000003},
        {21, 8, 1e7, 3.3871608232619838e-32},           {5000, 9, 189, 1.2670727613100825e-219},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_digits("pf", f_p(rows[i][0], rows[i][1], rows[i][2]), rows[i][3], 9);
}

/* R: qnorm(share); pchisq(value, df, lower = FALSE) */
TEST(normal_and_chi_squared_are_those_of_r)
{
    static const double normal[][2] = {{.5, 0},
                                       {.975, 1.9599639845400536},
                                       {1e-12, -7.0344838253011321},
                                       {.9999999, 5.1993375822906618}};
    for (size_t i = 0; i < LENGTH(normal); i++)
        check_digits("qnorm", normal_quantile(normal[i][0]), normal[i][1], 13);
    static const double squared[][3] = {{3.84, 1, 0.050043521248705224},
                                        {100, 10, 5.4497019829205302e-17},
                                        {1000, 30, 5.131435321572533e-191},
                                        {.1, 7, 0.99999768858120142}};
    for (size_t i = 0; i < LENGTH(squared); i++)
        check_digits("pchisq", chi_squared_p(squared[i][0], squared[i][1]), squared[i][2], 11);
}

/* R: binom.test(hits, count)$conf.int, that is qbeta(.025, hits, count - hits + 1) and
 * qbeta(.975, hits + 1, count - hits) */
TEST(shares_are_those_of_clopper_and_pearson)
{
    static const struct {
        size_t hits, count;
        double low, high;
    } rows[] = {{3, 10, 0.066739511177734467, 0.65245285005999731},
                {0, 20, 0, 0.16843347098308536},
                {20, 20, 0.83156652901691464, 1},
                {1, 1000, 2.5317487491294048e-05, 0.005558924279826627},
                {5000, 10000, 0.49015138058998048, 0.50984861941001958},
                {1, 1000000, 2.5317807663794191e-08, 5.5716306551722366e-06},
                {999999, 1000000, 0.99999442836934482, 0.99999997468219237},
                {300000, 1000000, 0.2991019119335821, 0.30089924664225376},
                {2, 1000000000, 2.4220927863573782e-10, 7.2246876488505927e-09}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct interval interval = share_interval(rows[i].hits, rows[i].count, .95);
        check_digits("low", interval.low, rows[i].low, 8);
        check_digits("high", interval.high, rows[i].high, 8);
    }
}

TEST(a_share_of_nothing_may_be_anything)
{
    struct interval interval = share_interval(0, 0, .95), impossible = share_interval(3, 2, .95);
    assert_true(interval.low == 0 && interval.high == 1);
    assert_true(impossible.low == 0 && impossible.high == 1);
}

/* R: t.test(c(2.5, 3.1, 4.7, 3.3, 2.9, 8.4, 3.0), conf.level = ...)$conf.int */
static const double seven[] = {2.5, 3.1, 4.7, 3.3, 2.9, 8.4, 3.0};

TEST(the_interval_of_a_mean_is_that_of_r)
{
    struct interval usual = t_interval(seven, 7, .95), strict = t_interval(seven, 7, .999);
    check_digits("low", usual.low, 2.0750413356675175, 12);
    check_digits("high", usual.high, 5.8963872357610532, 12);
    check_digits("low", strict.low, -0.66723178663515736, 12);
    check_digits("high", strict.high, 8.6386603580637278, 12);
}

TEST(too_few_values_say_nothing)
{
    for (size_t count = 0; count < 2; count++) {
        struct interval interval = t_interval(seven, count, .95);
        assert_true(interval.low == -INFINITY && interval.high == INFINITY);
    }
}

static double mean_of(const double *values, size_t count, void *context)
{
    ++*(size_t *)context;
    return moments_of(values, count).mean;
}

/* Means of many draws are nearly normal around the mean, with a deviation of s / sqrt(n) short of
 * the n - 1: the percentiles follow from that. */
TEST(resampling_a_mean_finds_its_normal_interval)
{
    double values[400];
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = (double)((i * 7919) % 400);
    struct moments moments = moments_of(values, 400);
    double reach = 1.96 * moments.stdev / 20;
    size_t calls = 0;
    struct interval interval;
    assert_int_equal(bootstrap_interval(values, 400, mean_of, &calls, 4000, .95, 7, &interval), 0);
    assert_int_equal(calls, 4000);
    assert_true(fabs(interval.low - (moments.mean - reach)) < reach / 15);
    assert_true(fabs(interval.high - (moments.mean + reach)) < reach / 15);
}

static double nothing(const double *values, size_t count, void *context)
{
    (void)values;
    (void)count;
    (void)context;
    return NAN;
}

TEST(a_figure_that_cannot_be_told_has_no_interval)
{
    struct interval interval;
    assert_int_equal(bootstrap_interval(seven, 7, nothing, NULL, 100, .95, 1, &interval), 0);
    assert_true(interval.low == -INFINITY && interval.high == INFINITY);
    size_t calls = 0;
    assert_int_equal(bootstrap_interval(seven, 1, mean_of, &calls, 100, .95, 1, &interval), 0);
    assert_true(interval.low == -INFINITY && interval.high == INFINITY);
}

/* GSL's own inverse would end the process for some of these. */
TEST(every_t_quantile_has_an_answer)
{
    for (int power = -300; power < 0; power += 10)
        for (int doubled = -1; doubled < 40; doubled++) {
            double share = pow(10, power), df = ldexp(1, doubled);
            double t = t_quantile(share, df);
            assert_true(t < 0 && t > -INFINITY);
            if (t > -1e140)
                check_digits("there and back", t_two_sided_p(t, df), 2 * share, 7);
        }
    assert_true(t_quantile(.5, 7) == 0);
}

/* GSL would end the process here. */
TEST(questions_without_an_answer_are_nan)
{
    assert_true(isnan(t_quantile(1.5, 3)) && isnan(t_quantile(NAN, 3)));
    assert_true(isnan(t_quantile(.5, 0)) && isnan(t_quantile(.5, NAN)));
    assert_true(t_quantile(0, 3) == -INFINITY && t_quantile(1, 3) == INFINITY);
    assert_true(isnan(t_two_sided_p(NAN, 3)) && isnan(t_two_sided_p(1, -1)));
    assert_true(isnan(f_p(NAN, 1, 1)) && isnan(f_p(1, 0, 1)) && isnan(f_p(1, 1, NAN)));
    assert_true(f_p(INFINITY, 2, 3) == 0 && f_p(-1, 2, 3) == 1);
    assert_true(isnan(normal_quantile(-1)) && normal_quantile(1) == INFINITY);
    assert_true(isnan(chi_squared_p(NAN, 1)) && isnan(chi_squared_p(1, 0)));
    assert_true(chi_squared_p(INFINITY, 1) == 0);
    check_digits("t of infinite df", t_quantile(.975, INFINITY), 1.9599639845400536, 13);
}
