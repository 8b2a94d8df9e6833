/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do ticks explain the user+kernel slope? Where they do it is said, where they do not as well, and
 * where nothing can be known the reason. */
#include "case.h"
#include "error-judging.h"
#include "ticking.h"

static const uint64_t LADDER[] = {1, 1000, 250000, 1000000, 0};
static const uint64_t ONE[] = {1000000, 0};
static const uint64_t SHORT[] = {1, 10, 0};

static const struct ticking TICKING = {.period = 1.3e6, .each = 3500, .dear = 0.05};

static void add(struct fixture *fixture, struct ticking ticking, const char *event,
                const uint64_t *ladder, uint32_t processes, bool interrupts)
{
    build_ticking(&fixture->builder, &ticking, event, ladder, processes, 50, interrupts);
}

/* Judges, gives the result and frees everything. */
static struct error_ticks judge(struct fixture *fixture)
{
    error_judge_duration(&fixture->builder.file, &fixture->report);
    struct error_ticks ticks = fixture->report.ticks;
    return ticks;
}

static bool holds(double low, double value, double high)
{
    return low <= value && value <= high;
}

TEST(test_ticks_explain_a_slope_made_of_ticks)
{
    int agrees = 0, each = 0, rate = 0, predicted = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        FIXTURE(fixture, seed);
        add(&fixture, TICKING, "instructions:k", LADDER, 10, true);
        add(&fixture, TICKING, "instructions:uk", LADDER, 10, true);
        struct error_ticks ticks = judge(&fixture);
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

TEST(test_growth_beyond_ticks_disagrees)
{
    struct ticking leaking = TICKING;
    leaking.leak = 0.001;
    FIXTURE(fixture, 1);
    add(&fixture, TICKING, "instructions:k", LADDER, 20, true);
    add(&fixture, leaking, "instructions:uk", LADDER, 20, true);
    struct error_ticks ticks = judge(&fixture);
    assert_true(ticks.known);
    assert_false(ticks.agrees);
    assert_true(ticks.measured_low > ticks.predicted_high);
}

/* Counting interrupts costs something in each: like is compared with like, and where there is
 * nothing alike it is said. */
TEST(test_cells_that_count_interrupts_are_compared_first)
{
    struct ticking counted = TICKING;
    counted.counting = 1500;
    FIXTURE(fixture, 2);
    add(&fixture, counted, "instructions:k", LADDER, 20, true);
    add(&fixture, counted, "instructions:uk", LADDER, 20, false);
    struct error_ticks unlike = judge(&fixture);
    assert_true(unlike.known);
    assert_false(unlike.agrees);
    assert_true(says(&unlike.why, TICKS_UNLIKE));

    fixture_start(&fixture, 2);
    add(&fixture, counted, "instructions:k", LADDER, 20, true);
    add(&fixture, counted, "instructions:uk", LADDER, 20, false);
    add(&fixture, counted, "instructions:uk", LADDER, 20, true);
    struct error_ticks alike = judge(&fixture);
    assert_true(alike.known && alike.agrees);
    assert_int_equal(alike.why.count, 0);
}

/* A run that was cut short has cells that one process measured. */
TEST(test_lonely_processes_are_left_out)
{
    static const uint64_t last[] = {10, 0};
    FIXTURE(fixture, 6);
    add(&fixture, TICKING, "instructions:k", LADDER, 10, true);
    add(&fixture, TICKING, "instructions:k", last, 1, true);
    add(&fixture, TICKING, "instructions:uk", LADDER, 10, true);
    struct error_ticks ticks = judge(&fixture);
    assert_true(ticks.known && ticks.agrees);
    assert_int_equal(ticks.why.count, 0);
}

TEST(test_another_machine_is_another_timer)
{
    struct ticking slower = TICKING;
    slower.period /= 10;
    FIXTURE(fixture, 3);
    add(&fixture, TICKING, "instructions:k", LADDER, 10, true);
    add(&fixture, TICKING, "instructions:uk", LADDER, 10, true);
    size_t first = fixture.builder.file.cell_count;
    uint32_t other = build_error_machine(&fixture.builder, "another", false);
    add(&fixture, slower, "instructions:k", LADDER, 10, true);
    add(&fixture, slower, "instructions:uk", LADDER, 10, true);
    for (size_t i = first; i < fixture.builder.file.cell_count; i++)
        fixture.builder.file.cells[i].machine = other;
    struct error_ticks ticks = judge(&fixture);
    assert_true(ticks.known && ticks.agrees);
    assert_true(holds(ticks.rate_low, 1 / 1.3e6, ticks.rate_high));
}

TEST(test_what_cannot_be_known_has_a_reason)
{
    const struct {
        const char *kernel;
        const uint64_t *ladder;
        uint32_t processes;
        bool interrupts;
        const char *both;
        enum error_says why;
    } cases[] = {
        {"instructions:k", LADDER, 5, false, "instructions:uk", TICKS_NO_CELL},
        {"cycles:k", LADDER, 5, true, "instructions:uk", TICKS_NO_CELL},
        {"instructions:k", ONE, 5, true, "instructions:uk", TICKS_ONE_N},
        {"instructions:k", SHORT, 5, true, "instructions:uk", TICKS_NONE},
        {"instructions:k", LADDER, 1, true, "instructions:uk", TICKS_LONELY},
        {"instructions:k", LADDER, 5, true, "instructions:u", TICKS_BOTH_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FIXTURE(fixture, 4);
        add(&fixture, TICKING, cases[i].kernel, cases[i].ladder, cases[i].processes,
            cases[i].interrupts);
        add(&fixture, TICKING, cases[i].both, LADDER, 5, false);
        struct error_ticks ticks = judge(&fixture);
        assert_false(ticks.known);
        assert_false(ticks.agrees);
        assert_true(says(&ticks.why, cases[i].why));
    }
}

/* The weighted mean of one N may differ from it by rounding, which is no distance. */
TEST(test_one_length_has_no_slope_however_it_rounds)
{
    for (uint32_t processes = 2; processes <= 40; processes++) {
        FIXTURE(fixture, 6);
        add(&fixture, TICKING, "instructions:k", LADDER, 5, true);
        add(&fixture, TICKING, "instructions:uk", ONE, processes, true);
        struct error_ticks ticks = judge(&fixture);
        assert_false(ticks.known);
        assert_true(says(&ticks.why, TICKS_BOTH_ONE_N));
    }
}

/* A single interrupt in all runs says nothing of interrupts. */
TEST(test_one_interrupt_is_too_few)
{
    struct ticking still = {.period = 1e18, .each = 1};
    FIXTURE(fixture, 5);
    add(&fixture, still, "instructions:k", LADDER, 5, true);
    add(&fixture, still, "instructions:uk", LADDER, 5, true);
    fixture.builder.file.cells[3].interrupts[60] = 1;
    fixture.builder.file.cells[3].values[60] += 3000;
    struct error_ticks ticks = judge(&fixture);
    assert_false(ticks.known);
    assert_true(says(&ticks.why, TICKS_FEW));
}
