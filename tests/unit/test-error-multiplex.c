/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More events than counters: errors of extrapolated counts against the truth, steady and phased,
 * beside the same code counted alone. */
#include "case.h"
#include "error-judging.h"

enum { N = 100000, EACH = 400, RUNS = 11, MIDDLE = 5 };

/* The error of the run is `percent` of the truth, a little less or more each time; the counter ran
 * a part of the time. */
struct plant {
    double percent, share, enabled;
};

static double draw(struct error_cell *cell, size_t process, size_t run, size_t index,
                   struct random *random, void *context)
{
    (void)process, (void)random;
    const struct plant *plant = context;
    cell->enabled[index] = plant->enabled;
    cell->running[index] = plant->enabled * plant->share;
    return (plant->percent + ((double)run - MIDDLE) * 0.1) / 100 * (double)cell->truth;
}

static struct error_way way(const char *specimen, uint32_t counters, struct plant *plant)
{
    return (struct error_way){.part = PART_MULTIPLEX,
                              .specimen = specimen,
                              .counters = counters,
                              .separate = counters > 1,
                              .n = N,
                              .has_truth = true,
                              .truth = (int64_t)N * EACH,
                              .processes = 1,
                              .runs = RUNS,
                              .times = true,
                              .draw = draw,
                              .context = plant};
}

static void build(struct error_builder *builder, const char *specimen, uint32_t counters,
                  struct plant plant)
{
    struct error_way one = way(specimen, counters, &plant);
    build_error_cell(builder, &one);
}

TEST(test_errors_are_percents_of_the_truth)
{
    struct error_builder builder;
    struct error_report report = {0};
    error_builder_start(&builder, 1);
    /* 200 000 steps in blocks of 50 000: 4 phases in 128 ms, which are two turns of 16 events */
    build(&builder, "phases/period=50000/", 16, (struct plant){-25, 0.375, 128e6});
    build(&builder, "phases/period=1/", 16, (struct plant){2, 0.375, 80e6});
    build(&builder, "phases", 16, (struct plant){2, 0.375, 80e6});
    build(&builder, "phases/period=50000/", 1, (struct plant){0.5, 1, 80e6});
    error_judge_multiplex(&builder.file, &report);
    assert_int_equal(report.multiplex_count, 3);
    const struct error_multiplex *phased = &report.multiplex[0], *steady = &report.multiplex[1];
    assert_true(phased->phased);
    assert_int_equal(phased->counters, 16);
    assert_int_equal(phased->runs, RUNS);
    assert_near(phased->share, 0.375, 1e-9);
    assert_near(phased->median, -25, 1e-6);
    assert_near(phased->low, -25.5, 1e-6);
    assert_near(phased->high, -24.5, 1e-6);
    assert_near(phased->per_rotation, 2, 1e-9);
    assert_near(phased->single, 0.5, 1e-6);
    assert_false(steady->phased);
    assert_true(isnan(steady->per_rotation));
    assert_true(isnan(steady->single)); /* never counted alone */
    assert_near(steady->median, 2, 1e-6);
    assert_false(report.multiplex[2].phased);
}

/* The loop counted alone belongs to duration. */
TEST(test_the_loop_has_its_control_among_durations)
{
    struct error_builder builder;
    struct error_report report = {0};
    struct plant plant = {3, 1, 1e6};
    error_builder_start(&builder, 1);
    build(&builder, "loop", 16, (struct plant){1, 0.5, 1e6});
    struct error_way alone = way("loop", 1, &plant);
    alone.part = PART_DURATION;
    build_error_cell(&builder, &alone);
    plant.percent = 9;
    alone.n = 10; /* another length is another matter */
    build_error_cell(&builder, &alone);
    error_judge_multiplex(&builder.file, &report);
    assert_int_equal(report.multiplex_count, 1);
    assert_near(report.multiplex[0].single, 3, 1e-6);
}

TEST(test_runs_without_a_counter_do_not_count)
{
    struct error_builder builder;
    struct error_report report = {0};
    struct plant plant = {1, 0.5, 1e6};
    error_builder_start(&builder, 1);
    /* Some runs got no counter: they are not among the values. None got one: there is no row. */
    build(&builder, "loop", 16, plant);
    builder.file.cells[0].unscheduled = 5;
    builder.file.cells[0].multiplexed = RUNS;
    struct error_way none = way("phases/period=9/", 16, &plant);
    build_error_failed(&builder, &none, 0, "")->unscheduled = 20;
    /* Without times the share is not known, without a truth nothing is. */
    build(&builder, "phases/period=7/", 16, plant);
    struct error_cell *timeless = &builder.file.cells[2];
    timeless->enabled = timeless->running = NULL;
    build(&builder, "phases/period=8/", 16, plant);
    builder.file.cells[3].has_truth = false;
    error_judge_multiplex(&builder.file, &report);
    assert_int_equal(report.multiplex_count, 2);
    assert_int_equal(report.multiplex[0].runs, RUNS);
    assert_true(isnan(report.multiplex[1].share));
    assert_true(isnan(report.multiplex[1].per_rotation));
    assert_near(report.multiplex[1].median, 1, 1e-6);
}
