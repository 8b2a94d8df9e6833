/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay clocks`: rows are what the report says, captions what the rows say, and
 * nothing that is missing is drawn. */
#include "case.h"
#include "clocks-shown.h"
#include "figure-values.h"
#include "output/figure.h"
#include "rich-shown.h"

static json_t *figures_of(const struct shown *shown)
{
    return figures_checked(clocks_figures(&shown->run));
}

TEST_WITH(every_clock_has_its_trust, build_rich, release_rich)
{
    struct shown *shown = *state;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-trust");
    assert_int_equal(figure_rows(figure), 7);
    const size_t coarse =
        figure_row_with(figure, "clock", "monotonic-coarse", "trust", "not dependable");
    assert_string_equal(json_string_value(figure_cell(figure, coarse, "fault")), "coarse-steps");
    expect_near(figure_real(figure, coarse, "resolution_ns"), 4e6, 0);
    figure_expect_caption(
        figure, "Of 7 clocks: 2 cpu-time only, 1 not dependable, 4 not falsifiable here.");
    json_decref(figures);
}

TEST_WITH(a_sleep_is_a_dot_beside_what_was_asked_for, build_rich, release_rich)
{
    struct shown *shown = *state;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-sleeps");
    const json_t *line = json_array_get(json_object_get(figure, "lines"), 0);
    assert_int_equal(figure_rows(figure), 7 * 15);
    const size_t first = figure_row_with(figure, "clock", "thread-cputime", NULL, NULL);
    expect_near(figure_real(figure, first, "requested_ms"), 20, 0);
    expect_near(figure_real(figure, first, "measured_ms"), 0.024, 1e-9);
    expect_near(json_number_value(json_object_get(line, "slope")), 1, 0);
    expect_near(json_number_value(json_object_get(line, "from")), 20, 0);
    expect_near(json_number_value(json_object_get(line, "to")), 160, 0);
    figure_expect_caption(figure, "3 of 6 clocks stay within 1 % of the reference");
    figure_expect_caption(figure, "task-clock shows 0.09 % of one, thread-cputime shows 0.12 %");
    figure_expect_caption(figure, "here tsc stays within 2 ppm of the reference.");
    json_decref(figures);
}

TEST_WITH(errors_of_sleeps_are_told_by_sort, build_rich, release_rich)
{
    struct shown *shown = *state;
    shown->run.report.granularities[SHOWN_COARSE].coarse = true;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-sleep-errors");
    const size_t tsc = figure_row_with(figure, "clock", "tsc", "sort", "the CPU's counter");
    expect_near(figure_real(figure, tsc, "off_ppm"), 2, 1e-6);
    assert_int_equal(figure_rows(figure), 6 * 15); /* without the reference */
    figure_row_with(figure, "clock", "monotonic-coarse", "sort", "clocks in coarse steps");
    figure_expect_caption(figure, "the operating system's clocks by up to +1.0 ppm, clocks in "
                                  "coarse steps by up to -200,000 ppm, CPU time by up to -999,000 "
                                  "ppm, the CPU's counter by up to +2.0 ppm.");
    json_decref(figures);
}

TEST_WITH(a_counter_that_stands_still_is_told_as_the_paper_did, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct clocks_report *report = &shown->run.report;
    for (size_t i = 0; i < report->point_count; i++)
        if (report->points[i].clock == SHOWN_TSC)
            report->points[i].measured_ms *= 0.25;
    json_t *figures = figures_of(shown);
    figure_expect_caption(figure_called(figures, "clocks-sleeps"),
                          "here tsc is off, too: at worst it shows 25 % of a sleep");
    json_decref(figures);
}

TEST_WITH(agreement_is_not_the_last_word, build_rich, release_rich)
{
    struct shown *shown = *state;
    shown_verdict(shown, SHOWN_TSC, TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE, "it is slow");
    shown->run.file.emulated = true;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-sleeps");
    figure_expect_caption(figure, "and yet it is not dependable for another reason.");
    figure_expect_caption(figure, "it says nothing of hardware");
    json_decref(figures);
}

/* The shortest and the longest sleep of each length stay. */
TEST_WITH(of_many_sleeps_some_are_drawn, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct clocks_report *report = &shown->run.report;
    for (size_t i = 0; i < 3000; i++)
        SHOWN_ADD(report->points, report->point_count,
                  {SHOWN_TSC, 20, i == 1234 ? 900 : 20 + 1e-4 * (double)i, 20.001});
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-sleeps");
    double longest = 0;
    assert_true(figure_rows(figure) > 100);
    assert_true(figure_rows(figure) <= FIGURE_MOST_ROWS);
    for (size_t i = 0; i < figure_rows(figure); i++)
        longest = fmax(longest, figure_real(figure, i, "measured_ms"));
    expect_near(longest, 900, 0);
    assert_int_equal(json_array_size(json_object_get(figure, "notes")), 1);
    json_decref(figures);
}

TEST_WITH(a_sleep_that_a_clock_missed_has_no_dot, build_rich, release_rich)
{
    struct shown *shown = *state;
    shown->run.report.points[0].measured_ms = 0;
    shown->run.report.points[1].measured_ms = NAN;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-sleeps");
    assert_int_equal(figure_rows(figure), 7 * 15 - 2);
    assert_int_equal(json_array_size(json_object_get(figure, "notes")), 1);
    json_decref(figures);
}

/* No place on a log axis is no reason to call a clock right. */
TEST_WITH(a_clock_that_stood_still_once_is_not_within_a_percent, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct clocks_report *report = &shown->run.report;
    size_t tsc = 0;
    while (report->points[tsc].clock != SHOWN_TSC)
        tsc++;
    report->points[tsc].measured_ms = 0;
    json_t *figures = figures_of(shown);
    const json_t *sleeps = figure_called(figures, "clocks-sleeps"),
                 *errors = figure_called(figures, "clocks-sleep-errors");
    assert_int_equal(figure_rows(sleeps), 7 * 15 - 1);
    figure_expect_caption(sleeps, "2 of 6 clocks stay within 1 % of the reference");
    figure_expect_caption(sleeps, "tsc is off, too: at worst it shows 0 % of a sleep");
    assert_int_equal(figure_rows(errors), 6 * 15);
    figure_expect_caption(errors, "the CPU's counter by up to -1,000,000 ppm");
    json_decref(figures);
}

/* Whatever lengths it had, an interval of a clock is one field. */
TEST_WITH(an_interval_of_a_clock_is_one_field, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct clocks_report *report = &shown->run.report;
    report->rows[1].workload = report->rows[0].workload;
    report->rows[1].requested_us = 50000;
    report->rows[1].ratio_max = 1.01;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-intervals");
    const size_t sleep = figure_row_with(figure, "clock", "tsc", "interval", "sleep");
    expect_near(figure_real(figure, sleep, "digits"), 2, 1e-6);
    expect_near(figure_real(figure, sleep, "lengths"), 2, 0);
    expect_near(figure_real(figure, sleep, "runs"), 40, 0);
    const size_t coarse = figure_row_with(figure, "clock", "monotonic-coarse", "interval", "sleep");
    expect_near(figure_real(figure, coarse, "digits"), 0.7, 1e-9);
    figure_row_with(figure, "clock", "rdtscp", "interval", "compute, 2 threads");
    for (size_t i = 0; i < figure_rows(figure); i++)
        assert_string_not_equal(json_string_value(figure_cell(figure, i, "clock")),
                                "monotonic-raw");
    figure_expect_caption(figure, "the farthest off is monotonic-coarse over sleep, 0.8 times");
    figure_expect_caption(figure, "CPU time stands still");
    figure_expect_caption(figure, "nothing that was read here is independent of the reference");
    json_decref(figures);
}

TEST_WITH(an_independent_reference_counts, build_rich, release_rich)
{
    struct shown *shown = *state;
    for (size_t i = 0; i < shown->run.report.row_count; i++)
        shown->run.report.rows[i].independent = true;
    json_t *figures = figures_of(shown);
    assert_null(strstr(figure_word(figure_called(figures, "clocks-intervals"), "caption"),
                       "independent of the reference"));
    json_decref(figures);
}

TEST_WITH(a_reading_has_a_cost_and_a_resolution, build_rich, release_rich)
{
    struct shown *shown = *state;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-reading");
    const size_t cost = figure_row_with(figure, "clock", "tsc", "what", "a reading");
    assert_int_equal(figure_rows(figure), 14);
    expect_near(figure_real(figure, cost, "ns"), 9.6, 0);
    expect_near(figure_real(figure, cost, "low"), 9.6 * 24 / 25, 1e-9);
    const size_t step = figure_row_with(figure, "clock", "monotonic-coarse", "what", "resolution");
    expect_near(figure_real(figure, step, "ns"), 4e6, 0);
    figure_expect_caption(figure, "Cheapest to read is monotonic-coarse (5.4 ns)");
    figure_expect_caption(figure, "dearest thread-cputime (528 ns), 98 times as much");
    json_decref(figures);
}

TEST_WITH(offsets_have_what_no_trip_contradicts, build_rich, release_rich)
{
    struct shown *shown = *state;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-offsets");
    assert_int_equal(figure_rows(figure), 1);
    expect_near(figure_real(figure, 0, "offset_ns"), 3, 0);
    expect_near(figure_real(figure, 0, "low"), -59, 0);
    figure_expect_caption(figure, "nobody is ahead by more than 65 ns (tsc).");
    json_decref(figures);
}

TEST_WITH(cpus_that_disagree_are_told, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct clock_pair *pair = &shown->run.report.pairs[0];
    pair->low = 400;
    pair->high = 500;
    pair->offset = 450;
    SHOWN_ADD(shown->run.report.pairs, shown->run.report.pair_count,
              {.clock = SHOWN_RDTSCP, .cpu = 0, .partner = 1, .trips = 9, .low = 7, .high = -7});
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-offsets");
    figure_expect_caption(figure, "In 2 of 2 rows the CPUs disagree for certain, in 1 by an offset "
                                  "that is not constant; most: tsc, CPUs 0 and 1, by at least 400");
    figure_row_with(figure, "clock", "rdtscp", "constant", "not constant");
    json_decref(figures);
}

TEST_WITH(of_too_many_pairs_the_farthest_are_shown, build_rich, release_rich)
{
    struct shown *shown = *state;
    for (int32_t i = 0; i < 2000; i++)
        SHOWN_ADD(shown->run.report.pairs, shown->run.report.pair_count,
                  {.clock = SHOWN_TSC, .partner = i, .low = i, .high = i + 2, .offset = i + 1});
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-offsets");
    assert_int_equal(figure_rows(figure), FIGURE_MOST_ROWS);
    expect_near(figure_real(figure, 0, "low"), 1999, 0);
    assert_int_equal(json_array_size(json_object_get(figure, "notes")), 1);
    json_decref(figures);
}

TEST_WITH(rates_have_their_interval_and_what_they_are_held_against, build_rich, release_rich)
{
    struct shown *shown = *state;
    shown->run.report.rates[SHOWN_TSC][1] = (struct clock_rate){.known = true,
                                                                .against = SHOWN_MONOTONIC,
                                                                .independent = true,
                                                                .ppm = -32,
                                                                .low = -33,
                                                                .high = -31};
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-rates");
    const size_t row = figure_row_with(figure, "clock", "tsc", "against", "monotonic");
    expect_near(figure_real(figure, row, "ppm"), -32, 0);
    expect_near(figure_real(figure, row, "low"), -33, 0);
    figure_expect_caption(figure, "farthest is tsc against monotonic, -32 ppm");
    assert_null(strstr(figure_word(figure, "caption"), "proves nothing"));
    json_decref(figures);
}

/* A rate that was calibrated by the very counter it is held against. */
TEST_WITH(a_rate_that_nobody_claims_needs_another_counter, build_rich, release_rich)
{
    struct shown *shown = *state;
    shown->run.report.rates[SHOWN_TSC][0].against_claim = false;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "clocks-rates");
    assert_int_equal(figure_rows(figure), 6);
    figure_expect_caption(figure, "6 of 6 are off for certain");
    figure_expect_caption(figure, "proves nothing");
    json_decref(figures);
}

TEST(what_is_not_known_is_not_drawn)
{
    struct shown shown;
    shown_build_unknown(&shown);
    json_t *figures = figures_of(&shown);
    assert_true(json_array_size(figures) > 3);
    json_decref(figures);
    shown_end(&shown);
}

TEST(nothing_measured_makes_no_figure)
{
    struct shown shown;
    shown_build_absent(&shown);
    json_t *figures = figures_of(&shown);
    assert_int_equal(json_array_size(figures), 0);
    json_decref(figures);
    shown_end(&shown);
}
