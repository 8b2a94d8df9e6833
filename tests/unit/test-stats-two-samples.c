/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two samples against each other: published examples, all splits counted one by one, and how often
 * samples of one distribution are told apart. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "case.h"
#include "stats-digits.h"
#include "stats/random.h"
#include "stats/two-samples.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define SAMPLES(left, right)                                                                       \
    (&(const struct two_samples){(left), (right), LENGTH(left), LENGTH(right)})

/* Permeability of membranes, Hollander and Wolfe, Table 4.1; also in R's help of wilcox.test. */
static const double early[] = {1.15, .88, .90, .74, 1.21};
static const double term[] = {.80, .83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, .73, 1.46};

TEST(hollander_and_wolfe_agree)
{
    struct rank_test test;
    assert_int_equal(rank_test(SAMPLES(early, term), &test), 0);
    assert_true(test.exact);
    check_digits("p", test.p, 764. / 3003, 14); /* twice .1272, their one-sided p */
    check_digits("least p", test.least_p, 2. / 3003, 14);
    struct shift shift;
    assert_int_equal(shift_between(SAMPLES(early, term), .95, &shift), 0);
    check_digits("shift", shift.estimate, .305, 14);
    check_digits("low", shift.interval.low, -.15, 12);
    check_digits("high", shift.interval.high, .76, 14);
    assert_int_equal(shift_between(SAMPLES(term, early), .95, &shift), 0);
    check_digits("the other way round", shift.estimate, -.305, 14);
    check_digits("the other way round", shift.interval.low, -.76, 14);
}

/* Counted by listing every choice of values. */
TEST(ties_are_counted_split_by_split)
{
    static const double low[] = {1, 2, 2, 3, 3, 3}, high[] = {2, 3, 4, 4, 5};
    static const double ones[] = {1, 1, 1}, twos[] = {2, 2, 2};
    struct rank_test test;
    assert_int_equal(rank_test(SAMPLES(low, high), &test), 0);
    check_digits("p", test.p, 50. / 462, 13);
    check_digits("least p", test.least_p, 4. / 462, 13);
    assert_int_equal(rank_test(SAMPLES(ones, twos), &test), 0);
    check_digits("p", test.p, .1, 14);
    check_digits("least p", test.least_p, .1, 14);
}

TEST(values_that_never_vary_are_never_told_apart)
{
    static const double few[] = {7, 7}, more[] = {7, 7, 7};
    double many[60];
    for (size_t i = 0; i < LENGTH(many); i++)
        many[i] = 7;
    struct rank_test test;
    assert_int_equal(rank_test(SAMPLES(few, more), &test), 0);
    assert_true(test.p == 1 && test.least_p == 1);
    assert_int_equal(rank_test(SAMPLES(few, many), &test), 0);
    assert_true(test.p == 1 && test.least_p == 1 && !test.exact);
    struct dominance dominance;
    assert_int_equal(dominance_of(SAMPLES(few, more), .95, &dominance), 0);
    assert_true(dominance.delta == 0 && dominance.interval.low < 0 && dominance.interval.high > 0);
}

/* Both ways of counting where they meet. */
TEST(the_approximation_is_near_the_exact_count)
{
    double left[25], right[26];
    for (size_t i = 0; i < LENGTH(left); i++)
        left[i] = (double)(2 * i);
    for (size_t i = 0; i < LENGTH(right); i++)
        right[i] = (double)(2 * i) + 15;
    struct two_samples samples = {left, right, 25, 25};
    struct rank_test exact, near;
    assert_int_equal(rank_test(&samples, &exact), 0);
    samples.right_count = 26;
    right[25] = 31; /* in the middle: it changes little */
    assert_int_equal(rank_test(&samples, &near), 0);
    assert_true(exact.exact && !near.exact);
    assert_true(fabs(log(near.p / exact.p)) < .4);
}

/* The R package effsize states them for these two rows: its own test of cliff.delta. */
TEST(cliffs_delta_is_that_of_effsize)
{
    static const double treatment[] = {10, 10, 20, 20, 20, 30, 30, 30, 40, 50};
    static const double control[] = {10, 20, 30, 40, 40, 50};
    struct dominance dominance;
    assert_int_equal(dominance_of(SAMPLES(control, treatment), .95, &dominance), 0);
    check_digits("delta", dominance.delta, -.25, 15);
    check_digits("low", dominance.interval.low, -.7265846, 7);
    check_digits("high", dominance.interval.high, .3890062, 7);
    static const double apart[] = {120, 130, 140, 150, 150, 160};
    assert_int_equal(dominance_of(SAMPLES(treatment, apart), .95, &dominance), 0);
    assert_true(dominance.delta == 1 && dominance.interval.high == 1);
    assert_true(dominance.interval.low > .2 && dominance.interval.low < .3);
}

TEST(few_values_have_no_interval)
{
    static const double three[] = {1, 2, 3}, other[] = {4, 5, 6}, one[] = {1};
    struct shift shift;
    assert_int_equal(shift_between(SAMPLES(three, other), .95, &shift), 0);
    assert_true(shift.estimate == 3 && isinf(shift.interval.low) && isinf(shift.interval.high));
    struct dominance dominance;
    assert_int_equal(dominance_of(SAMPLES(one, other), .95, &dominance), 0);
    assert_true(dominance.delta == 1 && dominance.interval.low == -1);
    static const double odd[] = {1, NAN};
    struct rank_test test;
    assert_int_equal(rank_test(SAMPLES(three, odd), &test), -EINVAL);
    assert_int_equal(shift_between(SAMPLES(three, odd), .95, &shift), -EINVAL);
    assert_int_equal(dominance_of(SAMPLES(three, odd), .95, &dominance), -EINVAL);
    assert_int_equal(rank_test(&(struct two_samples){three, three, 3, 0}, &test), -EINVAL);
}

/* 45 values and 10 whose 450 differences are the whole numbers from -44 to 405: what ends the
 * interval says which of them it is. Hollander and Wolfe (4.41): 225 - 1.96 * sqrt(450 * 56 / 12) =
 * 135.2. */
TEST(many_values_have_the_interval_of_the_normal_approximation)
{
    double left[45], right[10];
    for (size_t i = 0; i < LENGTH(left); i++)
        left[i] = (double)i;
    for (size_t i = 0; i < LENGTH(right); i++)
        right[i] = 45 * (double)i;
    struct shift shift;
    assert_int_equal(shift_between(SAMPLES(left, right), .95, &shift), 0);
    check_digits("shift", shift.estimate, 180.5, 14);
    check_digits("the 135th", shift.interval.low, -45 + 135, 14);
    check_digits("the 316th", shift.interval.high, -45 + 316, 14);
}

/* R: p.adjust(c(.01, .04, .03, .005), "holm") */
TEST(holms_procedure_is_that_of_r)
{
    struct one_test tests[] = {{.p = .01}, {.p = .04}, {.p = .03}, {.p = .005}};
    static const double adjusted[] = {.03, .06, .06, .02};
    size_t family;
    assert_int_equal(adjust_tests(tests, LENGTH(tests), .05, &family), 0);
    assert_int_equal(family, 4);
    for (size_t i = 0; i < LENGTH(tests); i++)
        check_digits("holm", tests[i].adjusted, adjusted[i], 14);
}

/* What cannot succeed takes nothing from what can. */
TEST(tests_without_a_chance_are_left_out)
{
    struct one_test tests[40] = {{.p = .004, .least_p = .001}, {.p = .03, .least_p = .001}};
    for (size_t i = 2; i < LENGTH(tests); i++)
        tests[i] = (struct one_test){.p = .1, .least_p = .1};
    size_t family;
    assert_int_equal(adjust_tests(tests, LENGTH(tests), .05, &family), 0);
    assert_int_equal(family, 2);
    check_digits("first", tests[0].adjusted, .008, 14);
    check_digits("second", tests[1].adjusted, .03, 14);
    assert_true(tests[2].adjusted == 1);
    assert_int_equal(adjust_tests(NULL, 0, .05, &family), 0);
    assert_int_equal(family, 0);
}

/* --- how often clean samples are told apart --- */

static void draw(struct random *random, double *values, size_t count, uint64_t levels)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (double)random_below(random, levels);
}

TEST(clean_samples_are_rarely_told_apart)
{
    static const struct {
        size_t left, right;
        uint64_t levels;
    } rows[] = {{20, 20, 1u << 30}, {20, 20, 3}, {40, 30, 5}, {5, 8, 1u << 30}};
    struct random random;
    random_seed(&random, 11);
    for (size_t row = 0; row < LENGTH(rows); row++) {
        size_t told = 0, covered = 0;
        for (size_t i = 0; i < 1000; i++) {
            double left[40], right[40];
            draw(&random, left, rows[row].left, rows[row].levels);
            draw(&random, right, rows[row].right, rows[row].levels);
            const struct two_samples samples = {left, right, rows[row].left, rows[row].right};
            struct rank_test test;
            struct shift shift;
            assert_int_equal(rank_test(&samples, &test), 0);
            assert_int_equal(shift_between(&samples, .95, &shift), 0);
            told += test.p <= .05;
            covered += shift.interval.low <= 0 && shift.interval.high >= 0;
        }
        print_message("# %zu and %zu of %llu levels: %.1f %% told apart, %.1f %% covered\n",
                      rows[row].left, rows[row].right, (unsigned long long)rows[row].levels,
                      (double)told / 10, (double)covered / 10);
        assert_true(told <= 70);
        assert_true(covered >= 935);
    }
}

/* Twelve pairs of two against two: none can tell by itself. */
TEST(many_small_pairs_tell_together)
{
    struct random random;
    random_seed(&random, 12);
    size_t told = 0;
    for (size_t i = 0; i < 2000; i++) {
        struct stratified sums = {0}, shifted = {0};
        for (size_t pair = 0; pair < 12; pair++) {
            double left[2], right[2];
            struct rank_test test;
            draw(&random, left, 2, 1000);
            draw(&random, right, 2, 1000);
            assert_int_equal(rank_test(SAMPLES(left, right), &test), 0);
            stratified_add(&sums, &test, 2, 2);
            right[0] += 2000;
            right[1] += 2000;
            assert_int_equal(rank_test(SAMPLES(left, right), &test), 0);
            stratified_add(&shifted, &test, 2, 2);
        }
        const struct dominance clean = stratified_dominance(&sums, .95),
                               apart = stratified_dominance(&shifted, .95);
        const bool holds_nothing = clean.interval.low <= 0 && clean.interval.high >= 0;
        told += stratified_p(&sums) <= .05;
        assert_true(holds_nothing == (stratified_p(&sums) > .05));
        assert_true(stratified_p(&shifted) < 1e-6);
        assert_true(apart.delta > 1 - 1e-9 && apart.interval.low > .5 && apart.interval.high >= 1);
    }
    print_message("# %.1f %% of clean rows told apart\n", (double)told / 20);
    assert_true(told <= 130);
    assert_true(stratified_p(&(struct stratified){0}) == 1);
}

/* Where no split could tell, the interval must not either. */
TEST(pairs_that_cannot_tell_leave_nothing_possible)
{
    static const double left[] = {1, 2}, right[] = {3, 4};
    struct stratified sums = {0};
    struct rank_test test;
    assert_int_equal(rank_test(SAMPLES(left, right), &test), 0);
    for (size_t i = 0; i < 2; i++)
        stratified_add(&sums, &test, 2, 2);
    const struct dominance dominance = stratified_dominance(&sums, .95);
    assert_true(stratified_p(&sums) > .05);
    assert_true(dominance.delta >= 1 && dominance.interval.low <= 0);
    const struct dominance nothing = stratified_dominance(&(struct stratified){0}, .95);
    assert_true(nothing.interval.low <= -1 && nothing.interval.high >= 1);
}
