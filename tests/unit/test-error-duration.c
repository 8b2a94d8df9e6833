/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the error grows with duration: planted slopes are found, intervals hold what they promise,
 * exact counts have none; and do ticks explain it? */
#include "case.h"
#include "error-judging.h"
#include "ticking.h"

static const uint64_t LADDER[] = {1, 1000, 100000, 500000, 1000000, 0};
static const uint64_t DOWN[] = {1000000, 1000, 1, 0};
static const uint64_t ONE[] = {1000, 0};
static const uint64_t TWO[] = {1000, 1000000, 0};

static struct ticking TICKING = {.period = 2e6, .each = 4000, .dear = 0.05};

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
    double there = plant.leak + plant.each / plant.period;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const struct error_slope *slope =
            judged(plant, "instructions:uk", LADDER, processes, runs, seed).slopes;
        assert_true(!slope->exact && slope->points == 5 && slope->longest == 1000000);
        if (!plant.random_runs) /* without first runs */
            assert_int_equal(slope->runs, 5 * processes * (runs - 1));
        covers += slope->low <= there && there <= slope->high;
        *width += (slope->high - slope->low) / 400;
    }
    return covers;
}

/* Processes in one of two states: many runs of few must not look like many observations. */
TEST(intervals_cover_as_often_as_they_say)
{
    static const struct {
        double state, leak, each;
        bool unequal;
        uint32_t processes, runs;
    } cases[] = {{0, 0, 4000, false, 20, 20},     {0, 0, 4000, false, 10, 40},
                 {100, 0, 4000, false, 20, 20},   {100, 0, 4000, false, 10, 60},
                 {0, 0, 4000, true, 10, 200},     {200, 0, 0, false, 10, 50}, /* no slope */
                 {100, 0.5, 4000, false, 20, 20}, {100, -0.02, 4000, false, 20, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ticking plant = TICKING;
        double width = 0;
        plant.state = cases[i].state;
        plant.leak = cases[i].leak;
        plant.each = cases[i].each;
        plant.random_runs = cases[i].unequal;
        int covers = covered(plant, cases[i].processes, cases[i].runs, &width);
        assert_in_range(covers, 368, 394); /* 92 … 98 % */
        assert_true(width < 0.001);        /* and says something: the slope is 0.002 */
    }
}

/* What is called detectable is found in about four of five. */
TEST(a_detectable_slope_shows_in_four_of_five)
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

TEST(exact_counts_have_a_point_for_an_interval)
{
    struct ticking still = {.period = 1e18, .each = 1};
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &still, "instructions:u", LADDER, 5, 20, false);
    /* the first run of a process is another matter */
    fixture.builder.file.cells[2].values[20] += 700;
    judge(&fixture);
    const struct error_slope *slope = fixture.report.slopes;
    assert_true(slope->exact && slope->detectable == 0 && slope->intercept == 1600);
    assert_true(slope->slope == 0 && slope->low == 0 && slope->high == 0);
    /* One run off the line is enough for an interval. */
    fixture.builder.file.cells[4].values[33]++;
    fixture.report = (struct error_report){0};
    judge(&fixture);
    slope = fixture.report.slopes;
    assert_false(slope->exact);
    assert_true(slope->low < 0 && slope->high > 0 && slope->high < 1e-6);

    slope = judged(still, "instructions:u", DOWN, 5, 20, 1).slopes;
    assert_true(slope->exact && !signbit(slope->slope)); /* nobody wants to read -0 */
    still.leak = 3;
    slope = judged(still, "instructions:u", LADDER, 5, 20, 1).slopes;
    assert_true(slope->exact && slope->slope == 3);
}

TEST(one_process_knows_no_interval_from_two_n)
{
    struct error_report report = judged(TICKING, "instructions:uk", TWO, 1, 200, 3);
    assert_true(isinf(report.slopes->low) && isinf(report.slopes->high));
    assert_true(isfinite(report.slopes->slope));
    report = judged(TICKING, "instructions:uk", LADDER, 1, 200, 3);
    assert_true(report.slopes->low < 0.002 && report.slopes->high > 0.002);
    assert_true(isfinite(report.slopes->low) && isfinite(report.slopes->high));
    assert_int_equal(judged(TICKING, "instructions:uk", ONE, 5, 20, 1).slope_count, 0);
}

/* What is counted along changes the slope, so it is left to those who ask for it. */
TEST(slopes_are_of_one_counter_where_it_counts_alone)
{
    struct ticking along = TICKING;
    along.counting = 4000;
    FIXTURE(fixture, 1);
    build_ticking(&fixture.builder, &along, "instructions:k", LADDER, 10, 20, true);
    build_ticking(&fixture.builder, &TICKING, "instructions:k", LADDER, 10, 20, false);
    judge(&fixture);
    assert_int_equal(fixture.report.slope_count, 1);
    assert_true(fixture.report.slopes[0].high < 0.003);
}

TEST(patterns_and_events_have_slopes_of_their_own)
{
    FIXTURE(fixture, 1);
    for (int i = 0; i < 3; i++)
        build_ticking(&fixture.builder, &TICKING, i < 2 ? "instructions:uk" : "instructions:u",
                      LADDER, 5, 20, false);
    for (size_t i = 5; i < 10; i++)
        fixture.builder.file.cells[i].pattern = PATTERN_RR;
    judge(&fixture);
    assert_int_equal(fixture.report.slope_count, 3);
    assert_int_equal(fixture.report.slopes[1].pattern, PATTERN_RR);
}

/* Levels that add a constant each share the slope, not the intercept. */
TEST(levels_keep_their_own_intercepts)
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

TEST(kernel_counts_by_size_have_mean_and_interrupts)
{
    FIXTURE(fixture, 5);
    build_ticking(&fixture.builder, &TICKING, "instructions:k", LADDER, 20, 100, true);
    build_ticking(&fixture.builder, &TICKING, "instructions:uk", LADDER, 2, 10, false);
    judge(&fixture);
    assert_int_equal(fixture.report.by_size_count, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct error_by_size *row = &fixture.report.by_size[i];
        assert_string_equal(row->event, "instructions:k");
        assert_true(row->n == LADDER[i] && row->runs == 20 * 99 && row->spread.min == 1600);
        assert_near(row->mean, 1600 + 0.002 * (double)LADDER[i], 150);
        assert_near(row->interrupts, (double)LADDER[i] / 2e6, 0.03);
    }
    fixture.report = judged(TICKING, "instructions:k", LADDER, 5, 20, 5);
    assert_true(isnan(fixture.report.by_size[4].interrupts));
}

static const uint64_t TICK_LADDER[] = {1, 1000, 250000, 1000000, 0};
static const uint64_t TICK_ONE[] = {1000000, 0};
static const uint64_t TICK_SHORT[] = {1, 10, 0};

static const struct ticking TICKS = {.period = 1.3e6, .each = 3500, .dear = 0.05};

static void add(struct fixture *fixture, struct ticking ticking, const char *event,
                const uint64_t *ladder, uint32_t processes, bool interrupts)
{
    build_ticking(&fixture->builder, &ticking, event, ladder, processes, 50, interrupts);
}

/* Judges, gives the result and frees everything. */
static struct error_ticks judge_ticks(struct fixture *fixture)
{
    error_judge_duration(&fixture->builder.file, &fixture->report);
    struct error_ticks ticks = fixture->report.ticks;
    return ticks;
}

static bool holds(double low, double value, double high)
{
    return low <= value && value <= high;
}

TEST(ticks_explain_a_slope_made_of_ticks)
{
    int agrees = 0, each = 0, rate = 0, predicted = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        FIXTURE(fixture, seed);
        add(&fixture, TICKS, "instructions:k", TICK_LADDER, 10, true);
        add(&fixture, TICKS, "instructions:uk", TICK_LADDER, 10, true);
        struct error_ticks ticks = judge_ticks(&fixture);
        assert_true(ticks.known);
        assert_int_equal(ticks.why.count, 0);
        agrees += ticks.agrees;
        each += holds(ticks.each_low, 3500, ticks.each_high);
        rate += holds(ticks.rate_low, 1 / 1.3e6, ticks.rate_high);
        predicted += holds(ticks.predicted_low, 3500 / 1.3e6, ticks.predicted_high);
        assert_true(ticks.predicted_low > 0.5 * 3500 / 1.3e6);
    }
    assert_in_range(agrees, 288, 300); /* 96 % */
    assert_in_range(each, 276, 294);   /* 92 … 98 % */
    assert_in_range(rate, 276, 296);
    assert_in_range(predicted, 276, 294);
}

TEST(growth_beyond_ticks_disagrees)
{
    struct ticking leaking = TICKS;
    leaking.leak = 0.001;
    FIXTURE(fixture, 1);
    add(&fixture, TICKS, "instructions:k", TICK_LADDER, 20, true);
    add(&fixture, leaking, "instructions:uk", TICK_LADDER, 20, true);
    struct error_ticks ticks = judge_ticks(&fixture);
    assert_true(ticks.known && !ticks.agrees && ticks.measured_low > ticks.predicted_high);
}

/* Counting interrupts costs something in each: like is compared with like, and where there is
 * nothing alike it is said. */
TEST(cells_that_count_interrupts_are_compared_first)
{
    struct ticking counted = TICKS;
    counted.counting = 1500;
    for (int alike = 0; alike < 2; alike++) {
        FIXTURE(fixture, 2);
        add(&fixture, counted, "instructions:k", TICK_LADDER, 20, true);
        add(&fixture, counted, "instructions:uk", TICK_LADDER, 20, false);
        if (alike)
            add(&fixture, counted, "instructions:uk", TICK_LADDER, 20, true);
        struct error_ticks ticks = judge_ticks(&fixture);
        assert_true(ticks.known && ticks.agrees == alike);
        assert_int_equal(says(&ticks.why, TICKS_UNLIKE), !alike);
    }
}

/* A run that was cut short has cells that one process measured. */
TEST(lonely_processes_are_left_out)
{
    static const uint64_t last[] = {10, 0};
    FIXTURE(fixture, 6);
    add(&fixture, TICKS, "instructions:k", TICK_LADDER, 10, true);
    add(&fixture, TICKS, "instructions:k", last, 1, true);
    add(&fixture, TICKS, "instructions:uk", TICK_LADDER, 10, true);
    struct error_ticks ticks = judge_ticks(&fixture);
    assert_true(ticks.known && ticks.agrees);
    assert_int_equal(ticks.why.count, 0);
}

TEST(another_machine_is_another_timer)
{
    struct ticking slower = TICKS;
    slower.period /= 10;
    FIXTURE(fixture, 3);
    build_error_machine(&fixture.builder, "another", false);
    for (uint32_t machine = 0; machine < 2; machine++) {
        size_t first = fixture.builder.file.cell_count;
        add(&fixture, machine ? slower : TICKS, "instructions:k", TICK_LADDER, 10, true);
        add(&fixture, machine ? slower : TICKS, "instructions:uk", TICK_LADDER, 10, true);
        for (size_t i = first; i < fixture.builder.file.cell_count; i++)
            fixture.builder.file.cells[i].machine = machine;
    }
    struct error_ticks ticks = judge_ticks(&fixture);
    assert_true(ticks.known && ticks.agrees);
    assert_true(holds(ticks.rate_low, 1 / 1.3e6, ticks.rate_high));
}

TEST(what_cannot_be_known_has_a_reason)
{
    const struct {
        const char *kernel;
        const uint64_t *ladder;
        uint32_t processes;
        bool interrupts;
        const char *both;
        enum error_says why;
    } cases[] = {
        {"instructions:k", TICK_LADDER, 5, false, "instructions:uk", TICKS_NO_CELL},
        {"cycles:k", TICK_LADDER, 5, true, "instructions:uk", TICKS_NO_CELL},
        {"instructions:k", TICK_ONE, 5, true, "instructions:uk", TICKS_ONE_N},
        {"instructions:k", TICK_SHORT, 5, true, "instructions:uk", TICKS_NONE},
        {"instructions:k", TICK_LADDER, 1, true, "instructions:uk", TICKS_LONELY},
        {"instructions:k", TICK_LADDER, 5, true, "instructions:u", TICKS_BOTH_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FIXTURE(fixture, 4);
        add(&fixture, TICKS, cases[i].kernel, cases[i].ladder, cases[i].processes,
            cases[i].interrupts);
        add(&fixture, TICKS, cases[i].both, TICK_LADDER, 5, false);
        struct error_ticks ticks = judge_ticks(&fixture);
        assert_false(ticks.known);
        assert_false(ticks.agrees);
        assert_true(says(&ticks.why, cases[i].why));
    }
}

/* The weighted mean of one N may differ from it by rounding, which is no distance. */
TEST(one_length_has_no_slope_however_it_rounds)
{
    for (uint32_t processes = 2; processes <= 40; processes++) {
        FIXTURE(fixture, 6);
        add(&fixture, TICKS, "instructions:k", TICK_LADDER, 5, true);
        add(&fixture, TICKS, "instructions:uk", TICK_ONE, processes, true);
        struct error_ticks ticks = judge_ticks(&fixture);
        assert_false(ticks.known);
        assert_true(says(&ticks.why, TICKS_BOTH_ONE_N));
    }
}

/* A single interrupt in all runs says nothing of interrupts. */
TEST(one_interrupt_is_too_few)
{
    struct ticking still = {.period = 1e18, .each = 1};
    FIXTURE(fixture, 5);
    add(&fixture, still, "instructions:k", TICK_LADDER, 5, true);
    add(&fixture, still, "instructions:uk", TICK_LADDER, 5, true);
    fixture.builder.file.cells[3].interrupts[60] = 1;
    fixture.builder.file.cells[3].values[60] += 3000;
    struct error_ticks ticks = judge_ticks(&fixture);
    assert_false(ticks.known);
    assert_true(says(&ticks.why, TICKS_FEW));
}
