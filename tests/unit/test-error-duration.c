/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the error grows with duration: planted slopes are found, intervals hold what they promise,
 * exact counts have none. */
#include "case.h"
#include "error-judging.h"
#include "ticking.h"

static const uint64_t LADDER[] = {1, 1000, 100000, 500000, 1000000, 0};
static const uint64_t DOWN[] = {1000000, 1000, 1, 0};
static const uint64_t ONE[] = {1000, 0};
static const uint64_t TWO[] = {1000, 1000000, 0};

static const struct ticking TICKING = {.period = 2e6, .each = 4000, .dear = 0.05};

static void judge(struct fixture *fixture)
{
    error_judge_duration(&fixture->builder.file, &fixture->report);
}

/* One ladder of loops, judged. */
static struct error_report judged(struct ticking plant, const char *event, const uint64_t *ladder,
                                  uint32_t processes, uint32_t runs, uint64_t seed)
{
    FIXTURE(fixture, seed);
    build_ticking(&fixture.builder, &plant, event, ladder, processes, runs, false);
    judge(&fixture);
    return fixture.report;
}

/* In how many of 400 seeded repetitions the interval holds the slope that is there. */
static int covered(struct ticking plant, uint32_t processes, uint32_t runs, double *width)
{
    int covers = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const struct error_slope *slope =
            judged(plant, "instructions:uk", LADDER, processes, runs, seed).slopes;
        double there = plant.leak + plant.each / plant.period;
        covers += slope->low <= there && there <= slope->high;
        *width += (slope->high - slope->low) / 400;
    }
    return covers;
}

TEST(test_intervals_cover_as_often_as_they_say)
{
    struct ticking alike = TICKING, states = TICKING, unequal = TICKING;
    states.state = 100;
    unequal.random_runs = true;
    const struct {
        struct ticking plant;
        uint32_t processes, runs;
    } cases[] = {
        {alike, 20, 20}, {alike, 10, 40}, {states, 20, 20}, {states, 10, 60}, {unequal, 10, 200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double width = 0;
        int covers = covered(cases[i].plant, cases[i].processes, cases[i].runs, &width);
        assert_in_range(covers, 368, 392); /* 92 … 98 % */
        assert_true(width < 0.001);        /* and says something: the slope is 0.002 */
    }
}

/* Processes in one of two states, no tick at all: many runs of few processes must not look like
 * many observations. */
TEST(test_states_of_processes_are_no_slope)
{
    struct ticking plant = {.period = 1e18, .each = 1, .state = 200};
    int accused = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const struct error_slope *slope =
            judged(plant, "instructions:uk", LADDER, 10, 50, seed).slopes;
        accused += slope->low > 0 || slope->high < 0;
    }
    assert_in_range(accused, 0, 24); /* 8 % */
}

TEST(test_planted_slopes_are_found)
{
    static const double leaks[] = {0.5, 0.01, -0.02};
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++) {
        struct ticking plant = TICKING;
        plant.leak = leaks[i];
        const struct error_slope *slope =
            judged(plant, "instructions:u", LADDER, 20, 20, 7 + i).slopes;
        assert_near(slope->slope, leaks[i] + 0.002, 0.0005);
        assert_true(slope->low <= leaks[i] + 0.002 && leaks[i] + 0.002 <= slope->high);
        assert_true(slope->low > 0 || slope->high < 0);
        assert_true(slope->detectable > 0 && slope->detectable < 0.001);
        assert_false(slope->exact);
        assert_int_equal(slope->points, 5);
        assert_int_equal(slope->longest, 1000000);
        assert_int_equal(slope->runs, 5 * 20 * 19); /* without first runs */
        assert_int_equal(slope->mode, COUNT_USER);
    }
}

/* What is called detectable is found in about four of five. */
TEST(test_a_detectable_slope_shows_in_four_of_five)
{
    int shown = 0;
    double leak = 0;
    struct ticking plant = {.period = 1e18, .each = 1, .state = 200};
    for (uint64_t seed = 0; seed < 300; seed++) {
        plant.leak = leak;
        const struct error_slope *slope =
            judged(plant, "instructions:uk", LADDER, 20, 5, 1000 + seed).slopes;
        shown += seed > 0 && slope->low > 0;
        if (seed == 0)
            leak = slope->detectable;
    }
    assert_in_range(shown, 200, 280);
}

TEST(test_exact_counts_have_a_point_for_an_interval)
{
    struct ticking still = {.period = 1e18, .each = 1};
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &still, "instructions:u", LADDER, 5, 20, false);
    /* the first run of a process is another matter */
    fixture.builder.file.cells[2].values[20] += 700;
    judge(&fixture);
    const struct error_slope *slope = fixture.report.slopes;
    assert_true(slope->exact);
    assert_true(slope->slope == 0 && slope->low == 0 && slope->high == 0);
    assert_true(slope->detectable == 0);
    assert_true(slope->intercept == 1600);

    slope = judged(still, "instructions:u", DOWN, 5, 20, 1).slopes;
    assert_true(slope->exact && !signbit(slope->slope)); /* nobody wants to read -0 */
    still.leak = 3;
    slope = judged(still, "instructions:u", LADDER, 5, 20, 1).slopes;
    assert_true(slope->exact && slope->slope == 3);
}

TEST(test_one_run_off_the_line_is_not_exact)
{
    struct ticking still = {.period = 1e18, .each = 1};
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &still, "instructions:u", LADDER, 5, 20, false);
    fixture.builder.file.cells[4].values[33]++;
    judge(&fixture);
    const struct error_slope *slope = &fixture.report.slopes[0];
    assert_false(slope->exact);
    assert_true(slope->low < 0 && slope->high > 0 && slope->high < 1e-6);
}

/* Every run the same, but no line goes through the N. */
TEST(test_a_constant_curve_is_no_line)
{
    struct ticking still = {.period = 1e18, .each = 1};
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &still, "instructions:u", LADDER, 5, 20, false);
    struct error_cell *middle = &fixture.builder.file.cells[2];
    for (size_t run = 0; run < middle->runs; run++)
        middle->values[run] += 50;
    judge(&fixture);
    const struct error_slope *slope = &fixture.report.slopes[0];
    assert_false(slope->exact);
    assert_true(slope->low < 0 && slope->high > 0 && slope->high < 0.001);
}

TEST(test_one_n_says_nothing)
{
    assert_int_equal(judged(TICKING, "instructions:uk", ONE, 5, 20, 1).slope_count, 0);
}

TEST(test_one_process_knows_no_interval_from_two_n)
{
    struct error_report report = judged(TICKING, "instructions:uk", TWO, 1, 200, 3);
    assert_int_equal(report.slope_count, 1);
    assert_true(isinf(report.slopes->low) && isinf(report.slopes->high));
    assert_true(isfinite(report.slopes->slope));
    report = judged(TICKING, "instructions:uk", LADDER, 1, 200, 3);
    assert_true(isfinite(report.slopes->low) && isfinite(report.slopes->high));
    assert_true(report.slopes->low < 0.002 && report.slopes->high > 0.002);
}

TEST(test_work_without_a_truth_is_no_error)
{
    struct ticking plant = TICKING;
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &plant, "instructions:uk", LADDER, 5, 20, false);
    for (size_t i = 0; i < fixture.builder.file.cell_count; i++)
        fixture.builder.file.cells[i].has_truth = false;
    judge(&fixture);
    assert_int_equal(fixture.report.slope_count, 0);
}

/* What is counted along changes the slope, so it is left to those who ask for it. */
TEST(test_slopes_are_of_one_counter_where_it_counts_alone)
{
    struct ticking plant = TICKING, along = TICKING;
    along.counting = 4000;
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &along, "instructions:k", LADDER, 10, 20, true);
    build_ticking(&fixture.builder, &plant, "instructions:k", LADDER, 10, 20, false);
    judge(&fixture);
    assert_int_equal(fixture.report.slope_count, 1);
    assert_true(fixture.report.slopes[0].high < 0.003);
}

TEST(test_patterns_and_paths_have_slopes_of_their_own)
{
    struct ticking plant = TICKING;
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &plant, "instructions:uk", LADDER, 5, 20, false);
    size_t count = fixture.builder.file.cell_count;
    build_ticking(&fixture.builder, &plant, "instructions:uk", LADDER, 5, 20, false);
    for (size_t i = count; i < 2 * count; i++)
        fixture.builder.file.cells[i].pattern = PATTERN_RR;
    build_ticking(&fixture.builder, &plant, "instructions:u", LADDER, 5, 20, false);
    judge(&fixture);
    assert_int_equal(fixture.report.slope_count, 3);
    assert_int_equal(fixture.report.slopes[0].pattern, PATTERN_AO);
    assert_int_equal(fixture.report.slopes[1].pattern, PATTERN_RR);
}

/* Levels that add a constant each share the slope, not the intercept. */
TEST(test_levels_keep_their_own_intercepts)
{
    struct ticking still = {.period = 1e18, .each = 1, .leak = 0.25};
    static const uint64_t shorter[] = {4, 1000, 0}, longer[] = {100000, 1000000, 0};
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &still, "instructions:u", shorter, 5, 20, false);
    build_ticking(&fixture.builder, &still, "instructions:u", longer, 5, 20, false);
    for (size_t i = 2; i < 4; i++) {
        struct error_cell *cell = &fixture.builder.file.cells[i];
        cell->opt[1] = '0';
        for (size_t run = 0; run < cell->runs; run++)
            cell->values[run] += 900000;
    }
    judge(&fixture);
    assert_int_equal(fixture.report.slope_count, 1);
    assert_true(fixture.report.slopes[0].exact);
    assert_true(fixture.report.slopes[0].slope == 0.25);
}

TEST(test_kernel_counts_by_size_have_mean_and_interrupts)
{
    struct ticking plant = TICKING;
    FIXTURE(fixture, 5);
    build_ticking(&fixture.builder, &plant, "instructions:k", LADDER, 20, 100, true);
    build_ticking(&fixture.builder, &plant, "instructions:uk", LADDER, 2, 10, false);
    judge(&fixture);
    assert_int_equal(fixture.report.by_size_count, 5);
    const struct error_by_size *rows = fixture.report.by_size;
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(rows[i].event, "instructions:k");
        assert_int_equal(rows[i].n, LADDER[i]);
        assert_int_equal(rows[i].runs, 20 * 99);
        assert_int_equal(rows[i].spread.min, 1600);
        assert_near(rows[i].mean, 1600 + 0.002 * (double)LADDER[i], 150);
        assert_near(rows[i].interrupts, (double)LADDER[i] / 2e6, 0.03);
    }
    assert_int_equal(rows[4].spread.q1, 1600);
    assert_true(rows[4].spread.max > 4000);

    fixture.report = judged(TICKING, "instructions:k", LADDER, 5, 20, 5);
    assert_int_equal(fixture.report.by_size_count, 5);
    assert_true(isnan(fixture.report.by_size[4].interrupts));
}

TEST(test_nothing_measured_is_nothing_said)
{
    FIXTURE(fixture, 1);
    build_error_failed(&fixture.builder,
                       &(struct error_way){.part = PART_DURATION, .event = "instructions:k"}, 13,
                       "not allowed");
    judge(&fixture);
    assert_int_equal(fixture.report.slope_count, 0);
    assert_int_equal(fixture.report.by_size_count, 0);
    assert_false(fixture.report.ticks.known);
}
