/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay repeat`: rows are what the report says, captions what the rows say, and
 * nothing that is missing is drawn. */
#include "case.h"
#include "figure-values.h"
#include "repeat-shown.h"

#include "output/figure.h"
#include "rich-shown.h"

static json_t *figures_of(struct shown *shown)
{
    shown->run.file = shown->builder.file;
    return figures_checked(repeat_figures(&shown->run));
}

TEST_WITH(variation_goes_from_as_is_to_controlled, build_rich, release_rich)
{
    struct shown *shown = *state;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-variation");
    assert_int_equal(figure_rows(figure), 3);
    const size_t perl = figure_row_with(figure, "program", "perl", "source", "step");
    const struct repeat_row *as_is = &shown->run.report.rows[0];
    expect_near(figure_real(figure, perl, "before"), as_is->cv_percent, 1e-12);
    expect_near(figure_real(figure, perl, "controlled_percent"), 0, 0);
    /* At the end of the axis, which reaches below what the paper was left with. */
    expect_near(figure_real(figure, perl, "after"), 1e-4, 1e-12);
    expect_near(figure_real(figure, perl, "controlled_alike"), 12, 0);
    figure_expect_caption(figure, "Counts of instructions vary by up to 0.6");
    figure_expect_caption(figure, "and not at all when controlled; 3 of 3 are then identical");
    json_decref(figures);
}

TEST_WITH(what_is_left_is_told, build_rich, release_rich)
{
    struct shown *shown = *state;
    shown->run.report.rows[1].cv_percent = 0.25;
    shown->run.report.rows[1].distinct = 4;
    json_t *figures = figures_of(shown);
    figure_expect_caption(figure_called(figures, "repeat-variation"),
                          "by up to 0.25 % (perl, step/instructions/) when controlled; 2 of 3");
    json_decref(figures);
}

TEST_WITH(where_nothing_varies_there_is_nothing_to_draw, build_rich, release_rich)
{
    struct shown *shown = *state;
    for (size_t i = 0; i < shown->run.report.row_count; i++)
        shown->run.report.rows[i].cv_percent = 0;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-variation");
    assert_string_equal(figure_word(figure, "kind"), "table");
    figure_expect_caption(figure, "instructions vary not at all as they are and not at all when");
    json_decref(figures);
}

/* They go as the instructions do. */
TEST_WITH(counts_with_repetitions_are_left_out, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct repeat_cell *cells = shown->builder.file.cells;
    for (size_t i = 0; i < shown->builder.file.cell_count; i++)
        if (cells[i].program == 0 && strcmp(cells[i].source, "step") == 0) {
            cells[i].class[0] = repeat_built_copy("instructions-raw");
        }
    json_t *figures = figures_of(shown);
    assert_int_equal(figure_rows(figure_called(figures, "repeat-variation")), 2);
    assert_false(figure_is_there(figures, "repeat-environment"));
    json_decref(figures);
}

TEST(three_programs_of_a_source_make_boxes)
{
    struct shown shown;
    shown_build_suite(&shown);
    json_t *figures = figures_of(&shown);
    const json_t *figure = figure_called(figures, "repeat-spread");
    assert_int_equal(figure_rows(figure), 2);
    const size_t controlled = figure_row_with(figure, "source", "step", "setting", "controlled");
    expect_near(figure_real(figure, controlled, "max"), 0, 0);
    const size_t as_is = figure_row_with(figure, "source", "step", "setting", "as-is");
    expect_near(figure_real(figure, as_is, "median"), shown.run.report.rows[0].stdev, 1e-6);
    json_decref(figures);
    shown_end(&shown);
}

TEST_WITH(two_programs_make_none, build_rich, release_rich)
{
    json_t *figures = figures_of(*state);
    assert_false(figure_is_there(figures, "repeat-spread"));
    json_decref(figures);
}

TEST_WITH(each_control_has_a_field, build_rich, release_rich)
{
    struct shown *shown = *state;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-control-alone");
    const size_t seeds = figure_row_with(figure, "program", "perl", "control", "hash-seeds");
    expect_near(figure_real(figure, seeds, "percent"), 84, 1e-9);
    const size_t moved = figure_row_with(figure, "program", "perl", "control", "environment");
    expect_near(figure_real(figure, moved, "shift"), -312, 0);
    /* The layout was not measured for perl. */
    assert_int_equal(figure_rows(figure), 2 * CONTROL_COUNT - 1);
    figure_expect_caption(figure, "most of what can be had: hash-seeds (perl).");
    figure_expect_caption(figure_called(figures, "repeat-control-without"), "Needed: aslr (perl).");
    json_decref(figures);
}

/* One that made it grow tenfold leaves the others their colours. */
TEST_WITH(a_share_beyond_all_is_drawn_as_all, build_rich, release_rich)
{
    struct shown *shown = *state;
    shown->run.report.effects[0].parts[CONTROL_CPU].only_part = -9;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-control-alone");
    const size_t cpu = figure_row_with(figure, "program", "perl", "control", "cpu");
    expect_near(figure_real(figure, cpu, "drawn"), -100, 0);
    expect_near(figure_real(figure, cpu, "percent"), -900, 1e-9);
    json_decref(figures);
}

TEST_WITH(a_sweep_is_a_line_of_points, build_rich, release_rich)
{
    struct shown *shown = *state;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-environment");
    assert_int_equal(figure_rows(figure), 8);
    expect_near(figure_real(figure, 7, "swept"), 3584, 0);
    expect_near(figure_real(figure, 7, "beyond"), 3584, 0);
    expect_near(figure_real(figure, 7, "count"), 1321586, 0);
    figure_expect_caption(figure, "In 1 of 1 lines points differ");
    assert_string_equal(figure_word(json_object_get(figure, "y"), "scale"), "linear");
    figure_expect_caption(figure, "perl, step/instructions/: one instruction more for each byte.");
    assert_false(figure_is_there(figures, "repeat-stack"));
    assert_false(figure_is_there(figures, "repeat-addresses"));
    json_decref(figures);
}

TEST_WITH(sweeps_that_matter_have_room_first, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct repeat_report *report = &shown->run.report;
    const uint64_t count = 5;
    const size_t kept = report->sweep_count;
    report->sweeps[0].matters = false;
    for (uint64_t draw = 0; draw < FIGURE_MOST_ROWS; draw++) {
        const struct repeat_way way = {
            .source = "qemu", .sweep = SWEEP_ENVIRONMENT, .swept = draw + 1};
        shown_row(shown, &way, &count, 1);
    }
    SHOWN_ADD(report->sweeps, report->sweep_count,
              {.source = "qemu",
               .event = "qemu/instructions/",
               .sweep = SWEEP_ENVIRONMENT,
               .lowest = 5,
               .highest = 5,
               .matters = true});
    assert_int_equal(report->sweep_count, kept + 1);
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-environment");
    assert_int_equal(figure_rows(figure), FIGURE_MOST_ROWS);
    assert_string_equal(json_string_value(figure_cell(figure, 0, "source")), "qemu");
    assert_int_equal(json_array_size(json_object_get(figure, "notes")), 1);
    json_decref(figures);
}

TEST_WITH(causes_stand_in_a_table, build_rich, release_rich)
{
    json_t *figures = figures_of(*state);
    const json_t *figure = figure_called(figures, "repeat-causes");
    figure_row_with(figure, "cause", "random", "parted", "yes");
    figure_row_with(figure, "cause", "time", "parted", "no");
    figure_expect_caption(figure, "2, of which two executions really parted at 1.");
    json_decref(figures);
}

TEST_WITH(sources_are_held_against_each_other, build_rich, release_rich)
{
    json_t *figures = figures_of(*state);
    const json_t *figure = figure_called(figures, "repeat-sources");
    expect_near(figure_real(figure, 0, "difference"), -312, 0);
    figure_expect_caption(figure, "0 of 1 agree to the instruction; farthest apart are qemu and "
                                  "step on perl: -312, mostly by cpuid.");
    const json_t *repetitions = figure_called(figures, "repeat-repetitions");
    expect_near(figure_real(repetitions, 0, "excess"), 100 * 1000 / 1318002.0, 1e-9);
    figure_expect_caption(repetitions, "Most of the programs: perl by qemu, 0.076 %.");
    json_decref(figures);
}

TEST_WITH(a_source_held_against_two_repeats_once, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct repeat_report *report = &shown->run.report;
    SHOWN_ADD(report->alignments, report->alignment_count,
              {.source = "qemu", .against = "truth", .repetitions = 1000, .aligned = 1318002});
    json_t *figures = figures_of(shown);
    assert_int_equal(figure_rows(figure_called(figures, "repeat-repetitions")), 1);
    assert_int_equal(figure_rows(figure_called(figures, "repeat-sources")), 2);
    json_decref(figures);
}

TEST_WITH(machines_are_held_against_their_mean, build_rich, release_rich)
{
    struct shown *shown = *state;
    static const uint64_t more[] = {1318012, 1318012};
    const size_t machine = repeat_build_machine(&shown->builder, "CPU two (x86_64)", "fedcba");
    const struct repeat_way as_is = {.machine = machine, .source = "step"};
    const struct repeat_way controlled = {
        .machine = machine, .source = "step", .controls = CONTROLS_ALL};
    const size_t before = shown_row(shown, &as_is, more, 2);
    shown_effect(shown, before, shown_row(shown, &controlled, more, 2), "nothing varies");
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-machines");
    assert_int_equal(figure_rows(figure), 2);
    const size_t one = figure_row_with(figure, "machine", "CPU one (x86_64)", "program", "perl");
    const size_t two = figure_row_with(figure, "machine", "CPU two (x86_64)", "program", "perl");
    expect_near(figure_real(figure, one, "deviation"), -5, 1e-9);
    expect_near(figure_real(figure, two, "deviation"), 5, 1e-9);
    figure_expect_caption(figure, "0 of 1 programs count the same on every machine; farthest apart "
                                  "is perl");
    json_decref(figures);
}

TEST_WITH(one_machine_is_not_compared, build_rich, release_rich)
{
    json_t *figures = figures_of(*state);
    assert_false(figure_is_there(figures, "repeat-machines"));
    json_decref(figures);
}

TEST_WITH(what_the_system_adds_has_its_interval, build_rich, release_rich)
{
    json_t *figures = figures_of(*state);
    const json_t *figure = figure_called(figures, "repeat-contributions");
    assert_int_equal(figure_rows(figure), 1);
    expect_near(figure_real(figure, 0, "low"), 0.98, 0);
    figure_expect_caption(figure, "instructions:u grow by 1 with each page-fault");
    assert_int_equal(figure_rows(figure_called(figures, "repeat-ranking")), 1);
    assert_false(figure_is_there(figures, "repeat-adjusted"));
    json_decref(figures);
}

TEST_WITH(adjusted_counts_have_both_deviations, build_rich, release_rich)
{
    struct shown *shown = *state;
    struct repeat_row *row = &shown->run.report.rows[0];
    row->is_adjusted = true;
    row->adjusted_mean = 1318001;
    row->adjusted_stdev = 0.5;
    row->residual = 0.1;
    row->residual_low = -1;
    row->residual_high = 1;
    json_t *figures = figures_of(shown);
    const json_t *figure = figure_called(figures, "repeat-adjusted");
    assert_int_equal(figure_rows(figure), 1);
    assert_string_equal(json_string_value(figure_cell(figure, 0, "setting")), "as-is");
    expect_near(figure_real(figure, 0, "adjusted_stdev"), 0.5, 0);
    figure_expect_caption(figure, "1 of 1 vary less. What is left beside the truth or an exact "
                                  "source may be nothing in 1 of the 1");
    json_decref(figures);
}

TEST(what_is_not_known_is_not_drawn)
{
    struct shown shown;
    shown_build_unknown(&shown);
    json_t *figures = figures_of(&shown);
    assert_false(figure_is_there(figures, "repeat-environment"));
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
