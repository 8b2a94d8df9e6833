/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the judge of repetition: how much counts vary, and which runs are no part of that. */
#include "repeat-builder.h"

static struct repeat_row only_row(struct repeat_builder *builder)
{
    struct repeat_report report;
    repeat_judge(&builder->file, 1, &report);
    assert_int_equal(report.row_count, 1);
    struct repeat_row row = report.rows[0];
    return row;
}

static size_t one_cell(struct repeat_builder *builder)
{
    repeat_build_start(builder, 1);
    repeat_build_machine(builder, "one", "1");
    repeat_build_program(builder, "true", "/bin/true");
    return repeat_build_cell(builder, &(struct repeat_way){0});
}

TEST(counts_become_mean_deviation_and_median)
{
    AUTO_BUILDER builder;
    size_t cell = one_cell(&builder);
    static const uint64_t counts[] = {100, 104, 98, 102, 96};
    for (size_t i = 0; i < 5; i++)
        repeat_build_run(&builder, cell, &counts[i]);
    struct repeat_row row = only_row(&builder);
    assert_int_equal(row.runs, 5);
    assert_int_equal(row.apart, 0);
    assert_int_equal(row.min, 96);
    assert_int_equal(row.max, 104);
    assert_int_equal(row.distinct, 5);
    assert_float_equal(row.mean, 100, 1e-9);
    assert_float_equal(row.usual, 100, 1e-9);
    assert_float_equal(row.stdev, sqrt(10), 1e-9);
    assert_float_equal(row.cv_percent, sqrt(10), 1e-9);
}

TEST(runs_that_ended_otherwise_are_set_apart)
{
    AUTO_BUILDER builder;
    size_t cell = one_cell(&builder);
    repeat_build_same(&builder, cell, 500, 6);
    repeat_build_run(&builder, cell, &(uint64_t){9})->status = STATUS_SIGNAL + 11;
    repeat_build_run(&builder, cell, &(uint64_t){10})->status = 1;
    repeat_build_run(&builder, cell, &(uint64_t){700})->output_sum = 99;
    repeat_build_run(&builder, cell, &(uint64_t){250});
    builder.file.cells[cell].scheduled[9] = .5;
    struct repeat_row row = only_row(&builder);
    assert_int_equal(row.runs, 6);
    assert_int_equal(row.apart, 4);
    assert_int_equal(row.distinct, 1);
    assert_true(!(row.stdev > 0) && !(row.stdev < 0));
}

TEST(a_run_that_did_not_end_in_its_time_counts_for_nothing)
{
    for (size_t ended = 0; ended < 8; ended++) {
        AUTO_BUILDER builder;
        size_t cell = one_cell(&builder);
        repeat_build_same(&builder, cell, 500, ended);
        /* Each was ended somewhere, by the same signal. */
        for (uint64_t run = ended; run < 8; run++)
            repeat_build_run(&builder, cell, &(uint64_t){9000 + run})->status = STATUS_TIMEOUT + 9;
        struct repeat_row row = only_row(&builder);
        /* Few that ended are no sample of all: they would be those that were fast. */
        assert_int_equal(row.runs, ended >= 4 ? ended : 0);
        assert_int_equal(row.apart, 8 - row.runs);
        assert_true(row.max <= 500);
    }
}

TEST(a_program_that_does_not_end_is_told_by_that)
{
    struct repeat_report report;
    MACHINE(builder, 1);
    repeat_build_program(&builder, "yes", "yes");
    for (uint32_t controlled = 0; controlled < 2; controlled++) {
        const struct repeat_way way = {.controls = controlled ? CONTROLS_ALL : 0};
        size_t cell = repeat_build_cell(&builder, &way);
        for (uint64_t run = 0; run < 7; run++) {
            struct repeat_run *made = repeat_build_run(&builder, cell, &(uint64_t){9000 + run});
            made->status = STATUS_TIMEOUT + 15;
            made->output_bytes = made->output_sum = run;
        }
    }
    repeat_judge(&builder.file, 1, &report);
    assert_int_equal(report.effect_count, 1);
    assert_says(report.effects[0].who, SAYS_TIMED_OUT);
    /* Nor does what it had written by then say anything. */
    assert_int_equal(report.seen_count, 0);
    assert_int_equal(report.findings[0].verdict, FINDING_UNTESTABLE);
}

TEST(outputs_that_always_differ_set_nothing_apart)
{
    AUTO_BUILDER builder;
    size_t cell = one_cell(&builder);
    for (uint64_t i = 0; i < 9; i++)
        repeat_build_run(&builder, cell, &(uint64_t){500 + i})->output_sum = i / 2;
    struct repeat_row row = only_row(&builder);
    assert_int_equal(row.runs, 9);
    assert_int_equal(row.apart, 0);
}

TEST(large_counts_keep_their_last_bit)
{
    AUTO_BUILDER builder;
    size_t cell = one_cell(&builder);
    repeat_build_same(&builder, cell, UINT64_MAX, 4);
    repeat_build_same(&builder, cell, UINT64_MAX - 1, 4);
    struct repeat_row row = only_row(&builder);
    assert_int_equal(row.distinct, 2);
    assert_true(row.min == UINT64_MAX - 1 && row.max == UINT64_MAX);
    assert_true(fabs(row.stdev - sqrt(2. / 7)) < 1e-9);
    repeat_build_run(&builder, cell, &(uint64_t){0});
    row = only_row(&builder);
    assert_true(row.min == 0 && row.max == UINT64_MAX && isfinite(row.stdev));
}

TEST(few_runs_and_zeros_have_no_figures_instead_of_wrong_ones)
{
    AUTO_BUILDER builder;
    size_t cell = one_cell(&builder);
    struct repeat_row row = only_row(&builder);
    assert_int_equal(row.runs, 0);
    assert_true(isnan(row.mean) && isnan(row.stdev) && isnan(row.cv_percent) && isnan(row.usual));
    repeat_build_same(&builder, cell, 0, 1);
    row = only_row(&builder);
    assert_true(!(row.mean > 0) && isnan(row.stdev) && isnan(row.cv_percent));
    repeat_build_same(&builder, cell, 0, 5);
    row = only_row(&builder);
    assert_true(!isnan(row.stdev) && !(row.stdev > 0) && isnan(row.cv_percent));
    assert_int_equal(row.distinct, 1);
}
