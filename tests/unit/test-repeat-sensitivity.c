/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sweeps: what follows the environment, the stack or random addresses is seen; noise is not. */
#include "repeat-builder.h"

/* What a program counts at a point. */
typedef double at_point(uint64_t swept);

struct plan {
    enum command_sweep sweep;
    size_t points, runs, plain; /* runs at each point, and of the setting without a sweep */
    uint64_t step;
    at_point *at;
    double drawn; /* standard deviation from point to point */
    double noise; /* from run to run */
    double outliers;
};

static uint64_t count(struct repeat_builder *builder, const struct plan *plan, double level)
{
    level += plan->noise * repeat_built_normal(builder);
    if (repeat_built_uniform(builder) < plan->outliers)
        level += 5000;
    return (uint64_t)llround(level);
}

static double period; /* that the latest was said to have */

static struct repeat_sweep swept(const struct plan *plan, uint64_t seed)
{
    WORLD(builder, seed);
    struct repeat_way way = {.controls = CONTROLS_ALL};
    size_t cell = repeat_build_cell(&builder, &way);
    for (size_t run = 0; run < plan->plain; run++)
        repeat_build_run(&builder, cell, &(uint64_t){count(&builder, plan, 1e6)});
    way.sweep = plan->sweep;
    for (size_t point = 0; point < plan->points; point++) {
        way.swept = point * plan->step;
        cell = repeat_build_cell(&builder, &way);
        for (size_t run = 0; run < plan->runs; run++) {
            double level = plan->at ? plan->at(way.swept) : 1e6;
            level += plan->drawn * repeat_built_normal(&builder);
            repeat_build_run(&builder, cell, &(uint64_t){count(&builder, plan, level)});
        }
    }
    struct repeat_report report = repeat_judged(&builder);
    assert_int_equal(report.sweep_count, plan->points ? 1 : 0);
    struct repeat_sweep sweep = report.sweeps[0];
    period = reasons_find(&sweep.what, &repeat_words[SAYS_PERIOD])
                 ? repeat_number_of(&sweep.what, SAYS_PERIOD, 2)
                 : 0;
    sweep.what = repeat_words_of(&sweep.what);
    return sweep;
}

static double line(uint64_t at)
{
    return 1e6 + 2.5 * (double)at;
}
static double teeth(uint64_t at)
{
    return 1e6 + (at % 16 < 8 ? 40 : 0);
}
static double step(uint64_t at)
{
    return 1e6 + (at >= 100 ? 300 : 0);
}

TEST(a_line_is_seen_with_its_slope)
{
    struct plan plan = {SWEEP_ENVIRONMENT, 16, 3, 12, 64, line, 0, 10, 0};
    struct repeat_sweep sweep = swept(&plan, 1);
    assert_true(sweep.matters);
    assert_true(sweep.slope_low < 2.5 && 2.5 < sweep.slope_high);
    assert_true(sweep.slope_high - sweep.slope_low < .1);
    assert_says(sweep.what, SAYS_LINE);
    assert_int_equal(sweep.points, 16);
    assert_int_equal(sweep.last, 960);
    plan.noise = 0;
    sweep = swept(&plan, 1);
    assert_true(sweep.matters && sweep.levels == 16 && !(sweep.within > 0));
}

/* Also though steps do not divide it, as a plan steps that takes every remainder in turn. */
TEST(teeth_are_seen_with_their_period_and_a_step_has_none)
{
    static const struct plan plans[] = {{SWEEP_STACK, 32, 3, 12, 4, teeth, 0, 0, 0},
                                        {SWEEP_STACK, 32, 3, 12, 4, teeth, 0, 4, 0},
                                        {SWEEP_ENVIRONMENT, 48, 2, 12, 251, teeth, 0, 3, 0},
                                        {SWEEP_ENVIRONMENT, 16, 2, 12, 16, step, 0, 5, 0}};
    for (size_t i = 0; i < 4; i++) {
        const struct repeat_sweep sweep = swept(&plans[i], i + 1);
        assert_true(sweep.matters);
        assert_float_equal(period, (plans[i].at == teeth ? 16 : 0), 0);
        if (plans[i].at == step)
            assert_says(sweep.what, SAYS_LEVELS);
        assert_true(i % 3 || sweep.levels == 2);
    }
}

TEST(noise_is_no_sensitivity)
{
    uint32_t wrong = 0;
    const uint32_t worlds = repeat_seeds(150);
    for (uint32_t seed = 1; seed <= worlds; seed++) {
        struct plan plan = {SWEEP_ENVIRONMENT, 16, 1 + seed % 3, 12, 16, NULL, 0, 20, 0};
        plan.outliers = seed % 2 ? .02 : 0;
        plan.sweep = seed % 5 ? SWEEP_ENVIRONMENT : SWEEP_ASLR;
        plan.runs = seed % 5 ? plan.runs : 1;
        if (swept(&plan, seed).matters)
            wrong++;
    }
    print_message("# %u of %u sweeps of nothing are said to matter\n", wrong, worlds);
    assert_true(wrong <= .02 * worlds);
}

TEST(equal_counts_everywhere_are_said_so)
{
    struct repeat_sweep sweep =
        swept(&(struct plan){SWEEP_ENVIRONMENT, 16, 2, 12, 16, NULL, 0, 0, 0}, 1);
    assert_false(sweep.matters);
    assert_int_equal(sweep.levels, 1);
    assert_says(sweep.what, SAYS_SAME_COUNT);
}

TEST(draws_of_addresses_are_held_against_none)
{
    struct plan plan = {SWEEP_ASLR, 16, 1, 12, 1, NULL, 300, 0, 0};
    struct repeat_sweep sweep = swept(&plan, 1);
    assert_true(sweep.matters);
    assert_true(isnan(sweep.slope));
    assert_says(sweep.what, SAYS_DRAWS);
    plan.runs = 2;
    plan.noise = 30;
    sweep = swept(&plan, 2);
    assert_true(sweep.matters);
    assert_true(sweep.within < 100);
}

TEST(without_repetition_nothing_is_said)
{
    struct repeat_sweep sweep =
        swept(&(struct plan){SWEEP_ENVIRONMENT, 16, 1, 0, 16, line, 0, 0, 0}, 1);
    assert_false(sweep.matters);
    assert_says(sweep.what, SAYS_UNREPEATED);
    for (size_t points = 0; points < 3; points++)
        for (size_t runs = 0; runs < 3; runs++)
            if (points && runs)
                swept(&(struct plan){SWEEP_STACK, points, runs, 1, 0, line, 0, 5, 0}, 1);
}
