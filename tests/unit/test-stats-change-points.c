/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Change points: planted steps are found where they are, and noise has none more often than is
 * stated. Everything is seeded: a failure is a change of the code, never bad luck. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>

#include "stats/change-points.h"
#include "stats/random.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define MOST          512

static const struct change_search usual = {.alpha = .01, .draws = 499, .shortest = 5, .seed = 11};

/* Uniform over (0, 1). */
static double uniform(struct random *random)
{
    return ((double)(random_next(random) >> 12) + .5) / 4503599627370496.;
}

static double normal(struct random *random)
{
    return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

/* Ratio of normals: it has no variance at all. */
static double wild(struct random *random)
{
    return tan(M_PI * (uniform(random) - .5));
}

/* Mostly one number, now and then one more or many more: counts. */
static double counts(struct random *random)
{
    uint64_t kind = random_below(random, 100);
    return 1000 + (kind < 20) + (kind < 2 ? 5000 : 0);
}

typedef double noise(struct random *random);

struct step {
    size_t at;
    double level;
};

static void make_row(double *values, size_t count, noise *draw, const struct step *steps,
                     size_t step_count, struct random *random)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = draw(random);
        double level = 0;
        for (size_t j = 0; j < step_count && steps[j].at <= i; j++)
            level = steps[j].level;
        values[i] += level;
    }
}

static size_t rows_with_alarm(noise *draw, size_t rows, size_t count, double alpha)
{
    size_t alarms = 0;
    struct random random;
    random_seed(&random, 4711);
    for (size_t row = 0; row < rows; row++) {
        double values[MOST];
        struct change_point points[MOST];
        size_t found;
        make_row(values, count, draw, NULL, 0, &random);
        const struct change_search search = {alpha, 199, 5, row};
        assert_int_equal(find_change_points(values, count, &search, points, &found), 0);
        alarms += found > 0;
    }
    return alarms;
}

/* 500 rows at 5 %: 25 are expected at most; 44 would come in one of 5000 such tests. Ties and the
 * last look at each cut can only make it fewer. */
static void noise_alarms_as_often_as_stated_whatever_it_looks_like(void **state)
{
    (void)state;
    static noise *const kinds[] = {normal, wild, counts};
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        size_t alarms = rows_with_alarm(kinds[i], 500, 60, .05);
        assert_in_range(alarms, 1, 43);
    }
}

static void strict_searches_are_quiet(void **state)
{
    (void)state;
    assert_in_range(rows_with_alarm(normal, 200, 60, .005), 0, 6);
}

/* How many of the rows have exactly these steps, each found within `slack`. */
static size_t rows_recovered(noise *draw, size_t rows, size_t count, const struct step *steps,
                             size_t step_count, size_t slack)
{
    size_t recovered = 0;
    struct random random;
    random_seed(&random, 815);
    for (size_t row = 0; row < rows; row++) {
        double values[MOST];
        struct change_point points[MOST];
        size_t found;
        make_row(values, count, draw, steps, step_count, &random);
        struct change_search search = usual;
        search.seed = row;
        assert_int_equal(find_change_points(values, count, &search, points, &found), 0);
        size_t near = 0;
        for (size_t i = 0; i < found && found == step_count; i++)
            near += points[i].index + slack >= steps[i].at &&
                    points[i].index <= steps[i].at + slack && points[i].p <= usual.alpha;
        recovered += found == step_count && near == step_count;
    }
    return recovered;
}

static void planted_steps_are_recovered(void **state)
{
    (void)state;
    static const struct step one[] = {{70, 2}}, stairs[] = {{40, 3}, {90, 6}, {150, 0}},
                             excursion[] = {{100, 2}, {120, 0}};
    /* The slack is what noise of this size leaves open; of 50 rows some have one alarm too many. */
    assert_in_range(rows_recovered(normal, 50, 120, one, LENGTH(one), 4), 42, 50);
    assert_in_range(rows_recovered(normal, 50, 200, stairs, LENGTH(stairs), 3), 42, 50);
    assert_in_range(rows_recovered(normal, 50, 240, excursion, LENGTH(excursion), 4), 42, 50);
    static const struct step far[] = {{80, 6}}, jump[] = {{64, 2}};
    assert_in_range(rows_recovered(wild, 50, 160, far, LENGTH(far), 6), 42, 50);
    assert_in_range(rows_recovered(counts, 50, 128, jump, LENGTH(jump), 3), 42, 50);
}

/* Each cut is placed by its neighbourhood alone: the mean error of these is 0.5; placed by the
 * first look at the whole row it would be 0.8. */
static void noisy_steps_are_placed_as_well_as_their_neighbourhood_allows(void **state)
{
    (void)state;
    static const struct step stairs[] = {{40, 2}, {90, 4}, {150, 0}};
    struct random random;
    random_seed(&random, 815);
    double error = 0;
    size_t placed = 0;
    for (size_t row = 0; row < 200; row++) {
        double values[200];
        struct change_point points[40];
        size_t found;
        make_row(values, 200, normal, stairs, 3, &random);
        const struct change_search search = {.01, 99, 5, row};
        assert_int_equal(find_change_points(values, 200, &search, points, &found), 0);
        for (size_t i = 0; i < found && found == 3; i++, placed++)
            error += fabs((double)points[i].index - (double)stairs[i].at);
    }
    assert_in_range(placed, 500, 600);
    assert_true(error / (double)placed < .65);
}

static void steps_without_noise_are_found_to_the_place(void **state)
{
    (void)state;
    double values[60];
    for (size_t i = 0; i < 60; i++)
        values[i] = i < 20 ? 7 : i < 45 ? 9 : 8;
    struct change_point points[12];
    size_t found;
    assert_int_equal(find_change_points(values, 60, &usual, points, &found), 0);
    assert_int_equal(found, 2);
    assert_int_equal(points[0].index, 20);
    assert_int_equal(points[1].index, 45);
    assert_true(points[0].before == 7 && points[0].after == 9);
    assert_true(points[1].before == 9 && points[1].after == 8);
    assert_true(points[0].p == 1. / 500);
}

/* Excursions are looked for at few places in long rows, and then moved to the right one. */
static void an_excursion_in_a_long_row_is_found_to_the_place(void **state)
{
    (void)state;
    double values[MOST];
    for (size_t i = 0; i < MOST; i++)
        values[i] = i >= 101 && i < 133 ? 5 : 4;
    struct change_point points[MOST];
    size_t found;
    assert_int_equal(find_change_points(values, MOST, &usual, points, &found), 0);
    assert_int_equal(found, 2);
    assert_int_equal(points[0].index, 101);
    assert_int_equal(points[1].index, 133);
}

static void wild_single_values_are_no_change(void **state)
{
    (void)state;
    double values[80];
    struct random random;
    random_seed(&random, 5);
    make_row(values, 80, normal, NULL, 0, &random);
    values[31] = 1e9;
    values[32] = INFINITY;
    values[33] = -INFINITY;
    struct change_point points[16];
    size_t found;
    assert_int_equal(find_change_points(values, 80, &usual, points, &found), 0);
    assert_int_equal(found, 0);
}

static void short_and_constant_rows_have_no_change(void **state)
{
    (void)state;
    double same[50] = {0}, few[] = {1, 1, 1, 9, 9, 9};
    struct change_point points[50];
    size_t found;
    assert_int_equal(find_change_points(same, 50, &usual, points, &found), 0);
    assert_int_equal(found, 0);
    assert_int_equal(find_change_points(few, 6, &usual, points, &found), 0);
    assert_int_equal(found, 0);
    assert_int_equal(find_change_points(few, 0, &usual, points, &found), 0);
    assert_int_equal(found, 0);
    assert_int_equal(find_change_points(few, 1, &usual, points, &found), 0);
    assert_int_equal(found, 0);
}

/* Six values have 20 orders of two threes, so p is never below 0.1 here, however big the step. */
static void too_few_values_never_convince(void **state)
{
    (void)state;
    double few[] = {1, 2, 3, 1001, 1002, 1003};
    const struct change_search search = {.05, 999, 1, 1};
    struct change_point points[6];
    size_t found;
    assert_int_equal(find_change_points(few, 6, &search, points, &found), 0);
    assert_int_equal(found, 0);
}

static void one_seed_gives_one_answer(void **state)
{
    (void)state;
    double values[100];
    struct random random;
    random_seed(&random, 99);
    make_row(values, 100, normal, (const struct step[]){{50, .9}}, 1, &random);
    struct change_point one[20], again[20];
    size_t found, found_again;
    assert_int_equal(find_change_points(values, 100, &usual, one, &found), 0);
    assert_int_equal(find_change_points(values, 100, &usual, again, &found_again), 0);
    assert_int_equal(found, found_again);
    assert_in_range(found, 1, 3);
    for (size_t i = 0; i < found; i++)
        assert_true(one[i].index == again[i].index && one[i].p == again[i].p);
}

static void impossible_searches_are_refused(void **state)
{
    (void)state;
    double values[] = {1, 2, NAN, 4};
    struct change_point points[4];
    size_t found;
    assert_int_equal(find_change_points(values, 4, &usual, points, &found), -EINVAL);
    static const struct change_search wrong[] = {
        {0, 499, 5, 1}, {1, 499, 5, 1}, {NAN, 499, 5, 1}, {.01, 98, 5, 1}, {.01, 499, 0, 1}};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_int_equal(find_change_points(values, 2, &wrong[i], points, &found), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_alarms_as_often_as_stated_whatever_it_looks_like),
        cmocka_unit_test(strict_searches_are_quiet),
        cmocka_unit_test(planted_steps_are_recovered),
        cmocka_unit_test(noisy_steps_are_placed_as_well_as_their_neighbourhood_allows),
        cmocka_unit_test(steps_without_noise_are_found_to_the_place),
        cmocka_unit_test(an_excursion_in_a_long_row_is_found_to_the_place),
        cmocka_unit_test(wild_single_values_are_no_change),
        cmocka_unit_test(short_and_constant_rows_have_no_change),
        cmocka_unit_test(too_few_values_never_convince),
        cmocka_unit_test(one_seed_gives_one_answer),
        cmocka_unit_test(impossible_searches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
