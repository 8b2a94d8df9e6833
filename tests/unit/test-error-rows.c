/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the judge of measurement error: quantiles of all, first and later runs, and the stepped
 * count of the same window. */
#include <stdio.h>

#include "case.h"
#include "error-builder.h"
#include "stats/moments.h"
#include "studies/error/study.h"

static struct error_report judge(const struct error_builder *builder)
{
    struct error_report report = {0};
    error_judge_rows(&builder->file, &report);
    error_judge_stepped(&builder->file, &report);
    return report;
}

static void check_spread(struct error_spread spread, int64_t min, int64_t q1, int64_t median,
                         int64_t q3, int64_t max)
{
    assert_int_equal(spread.min, min);
    assert_int_equal(spread.q1, q1);
    assert_int_equal(spread.median, median);
    assert_int_equal(spread.q3, q3);
    assert_int_equal(spread.max, max);
}

/* Run r of process p errs by 100 p + r. */
static double staircase(struct error_cell *cell, size_t process, size_t run, size_t index,
                        struct random *random, void *context)
{
    (void)cell, (void)index, (void)random, (void)context;
    return 100 * (double)process + (double)run;
}

TEST(first_and_later_runs_are_kept_apart)
{
    BUILDER(builder, 1);
    BUILD(&builder, .processes = 3, .runs = 5, .first = 1000, .has_truth = true, .truth = 50,
          .draw = staircase);
    struct error_report report = judge(&builder);
    assert_int_equal(report.row_count, 1);
    const struct error_row *row = report.rows;
    check_spread(row->first, 1000, 1000, 1100, 1200, 1200);
    check_spread(row->later, 1, 3, 102, 201, 204);
    check_spread(row->error, 1, 4, 104, 204, 1200);
    assert_int_equal(report.measurements, 15);
    assert_int_equal(report.least_processes, 3);
    double medians[3];
    assert_int_equal(error_process_medians(row->cell, medians), 3);
    assert_true(medians[0] == 2.5 && medians[1] == 102.5 && medians[2] == 202.5);
}

TEST(cells_without_runs_have_no_row)
{
    BUILDER(builder, 1);
    build_error_failed(&builder, &(struct error_way){0}, -1, "refused");
    BUILD(&builder, .processes = 21);
    BUILD(&builder, .part = PART_STEPPED, .processes = 2);
    BUILD(&builder, .part = PART_DURATION, .processes = 3);
    /* A process whose runs got no counter is not one that measured. */
    BUILD(&builder, .processes = 20)->begins[1] = 0;
    struct error_report report = judge(&builder);
    assert_true(report.row_count == 4 && report.cells_measured == 4);
    assert_int_equal(report.least_processes, 19);
    assert_int_equal(report.measurements, 20 * (21 + 2 + 3 + 20));
}

TEST(values_that_overflow_the_difference_are_the_largest_error)
{
    BUILDER(builder, 1);
    struct error_cell *cell =
        BUILD(&builder, .processes = 1, .runs = 2, .has_truth = true, .truth = -10);
    cell->values[0] = INT64_MAX;
    cell->values[1] = INT64_MIN;
    struct error_report report = judge(&builder);
    assert_true(report.rows->error.max == INT64_MAX);
    assert_true(report.rows->error.min == INT64_MIN + 10);
}

TEST(a_measured_row_knows_the_stepped_count_of_its_window)
{
    static const char *const names[][2] = {
        {"papi-low", "perf-read"}, {"O0", "O3"}, {"lazy", "static"}};
    BUILDER(builder, 1);
    for (unsigned i = 0; i < 64; i++) {
        const struct error_way way = {.path = names[0][i & 1],
                                      .opt = names[1][i >> 1 & 1],
                                      .link = names[2][i >> 2 & 1],
                                      .counters = 1 + (i >> 3 & 1),
                                      .pattern = (enum pattern)(i >> 4),
                                      .first = 500,
                                      .processes = 3,
                                      .runs = 3};
        build_error_stepped_pair(&builder, &way, 100 + (double)i, 2);
    }
    struct error_report report = judge(&builder);
    size_t linked = 0;
    for (size_t i = 0; i < report.row_count; i++) {
        const struct error_row *row = &report.rows[i];
        assert_int_equal(row->has_stepped, row->cell->part == PART_NULL);
        if (!row->has_stepped)
            continue;
        assert_int_equal(row->stepped, 100 + linked++);
        assert_true(row->stepped_first == row->stepped + 500 && !row->stepped_varies);
    }
    assert_int_equal(linked, 64);
    assert_true(report.stepped.comparable == 64 && report.stepped.equal == 64);
    assert_true(report.stepped.edge == 2 && report.stepped.list[5].agreeing == 6);
}

/* One of these differs from the stepped cell in what must agree, and must not be linked to it; the
 * choice of further events does not change the window's own code. */
TEST(another_window_or_event_is_not_compared_with_the_stepped_one)
{
    static const struct error_way others[] = {{.event = "instructions:uk"},
                                              {.event = "instructions:k"},
                                              {.event = "cycles:u"},
                                              {.path = "perf-user"},
                                              {.pattern = PATTERN_RR},
                                              {.counters = 2},
                                              {.separate = true},
                                              {.opt = "O0"},
                                              {.link = "lazy"},
                                              {.machine = 1},
                                              {.n = 3},
                                              {.specimen = "another"},
                                              {.part = PART_DURATION, .specimen = "loop", .n = 5},
                                              {.others = "cycles:u"}};
    enum { COUNT = sizeof(others) / sizeof(*others) };
    BUILDER(builder, 1);
    build_error_machine(&builder, "another", false);
    BUILD(&builder, .part = PART_STEPPED, .error = 5);
    BUILD(&builder, .part = PART_STEPPED, .event = "step/instructions-raw/", .path = "perf-user");
    for (size_t i = 0; i < COUNT; i++)
        build_error_cell(&builder, &others[i]);
    struct error_report report = judge(&builder);
    for (size_t i = 0; i < COUNT; i++)
        if (report.rows[2 + i].has_stepped != (i == COUNT - 1))
            fail_msg("cell %zu", i);
}

TEST(steps_that_vary_are_said_to)
{
    for (size_t index = 0; index < 9; index++) {
        BUILDER(builder, 1);
        BUILD(&builder, .part = PART_STEPPED, .processes = 3, .runs = 3, .error = 5);
        builder.file.cells[0].values[index] += 3;
        BUILD(&builder, .error = 5);
        struct error_report report = judge(&builder);
        assert_true(report.rows[1].stepped_varies);
        assert_true(report.rows[1].stepped == 5 && report.rows[1].stepped_first == 5);
    }
}

/* Most cells show an edge of 1, two disagree, and one run in twenty of all is disturbed. */
TEST(the_edge_is_the_most_frequent_difference)
{
    static const char *const paths[] = {"a", "b", "c", "d", "e"};
    static const int edges[] = {1, 1, 1, -4, 0};
    BUILDER(builder, 4);
    for (size_t i = 0; i < 5; i++) {
        const struct error_way way = {
            .path = paths[i], .noise = NOISE_RARE, .run_noise = 50, .first = 10};
        build_error_stepped_pair(&builder, &way, 30 + (double)i, edges[i]);
    }
    struct error_report report = judge(&builder);
    assert_true(report.stepped.comparable == 5 && report.stepped.edge == 1);
    assert_int_equal(report.stepped.equal, 3);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(report.stepped.list[i].difference, edges[i]);
    assert_int_equal(report.stepped.list[0].runs, 380);
    assert_in_range(report.stepped.list[0].agreeing, 340, 379);
}

TEST(the_nearest_of_equally_frequent_edges_is_taken)
{
    static const char *const paths[] = {"a", "b", "c", "d"};
    static const double edges[] = {-9, -2, 2, 4};
    BUILDER(builder, 4);
    for (size_t i = 0; i < 4; i++)
        build_error_stepped_pair(&builder, &(struct error_way){.path = paths[i]}, 30, edges[i]);
    struct error_report report = judge(&builder);
    assert_true(report.stepped.edge == 2 && report.stepped.equal == 1);
}

/* Two CPUs, of which one counts the last instruction of a window and one does not. */
TEST(each_machine_has_an_edge_of_its_own)
{
    static const char *const paths[] = {"a", "b", "c"};
    BUILDER(builder, 4);
    build_error_machine(&builder, "another", false);
    for (uint32_t i = 0; i < 5; i++)
        build_error_stepped_pair(
            &builder, &(struct error_way){.path = paths[i / 2], .machine = i % 2}, 30 + i, i % 2);
    struct error_report report = judge(&builder);
    assert_true(report.stepped.comparable == 5 && report.stepped.equal == 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(report.stepped.list[i].edge, report.stepped.list[i].row->cell->machine);
}
