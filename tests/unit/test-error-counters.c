/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What further counters add, and more events than counters: the planted slope lies in its interval
 * as often as stated, nothing else that differs between cells enters it; errors of extrapolated
 * counts against the truth. */
#include <math.h>

#include "case.h"
#include "error-judging.h"

static const char *const opts[] = {"O0", "O2", NULL};
static const char *const links[] = {"lazy", "static", NULL};
static const uint32_t one_to_six[] = {1, 2, 4, 6, 0};

static struct error_report judge(const struct error_builder *builder)
{
    struct error_report report = {0};
    error_judge_counters(&builder->file, &report);
    return report;
}

struct planted {
    double slope, opt, link;
};

static double planted_error(const struct error_cell *cell, void *context)
{
    const struct planted *planted = context;
    return 100 + planted->slope * cell->counters + 20 * (double)cell->machine +
           (strcmp(cell->opt, "O0") == 0 ? planted->opt : 0) +
           (strcmp(cell->link, "lazy") == 0 ? planted->link : 0);
}

/* One counter everywhere, more at -O2 and static. */
static void build_sweep(struct error_builder *builder, const struct planted *planted,
                        struct error_way way)
{
    static const uint32_t more[] = {2, 4, 6, 0};
    way.effect = planted_error;
    way.context = (void *)planted;
    build_error_crossing(builder, &(struct error_crossing){.opts = opts, .links = links}, &way);
    build_error_crossing(builder, &(struct error_crossing){.counters = more}, &way);
}

TEST(the_error_is_told_by_number_of_counters)
{
    BUILDER(builder, 3);
    const struct planted planted = {.slope = 7, .opt = 1000, .link = 2000};
    const struct error_way way = {.event = "instructions:uk", .first = 5000, .run_noise = 2};
    build_sweep(&builder, &planted, way);
    struct error_report report = judge(&builder);
    assert_int_equal(report.by_counters_count, 1);
    const struct error_by_counters *by = report.by_counters;
    assert_string_equal(by->event, "instructions:uk");
    assert_true(by->mode == COUNT_BOTH && !by->stepped && !by->separate && by->points == 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(by->list[i].counters, one_to_six[i]);
        assert_near(by->list[i].median, 100 + 7 * by->list[i].counters, 1);
        assert_true((double)by->list[i].min < by->list[i].median - 2);
    }
    assert_true(by->low < 7 && by->high > 7 && by->high - by->low < 0.5);
}

/* Of 400 intervals 95 % hold the slope: 380, with a deviation of 4.4. Processes differ more than
 * their runs: with runs as replicates half of the intervals would miss it. */
TEST(the_interval_holds_the_slope_as_often_as_stated)
{
    static const enum error_noise noises[] = {NOISE_NORMAL, NOISE_HEAVY};
    const struct planted planted = {.slope = 3};
    for (size_t noise = 0; noise < 2; noise++) {
        size_t held = 0;
        for (uint64_t seed = 0; seed < 400; seed++) {
            BUILDER(builder, 7000 + 1000 * noise + seed);
            build_sweep(&builder, &planted,
                        (struct error_way){.processes = 6,
                                           .runs = 4,
                                           .noise = noises[noise],
                                           .run_noise = 3,
                                           .process_noise = 9});
            struct error_report report = judge(&builder);
            held += report.by_counters->low < 3 && report.by_counters->high > 3;
        }
        assert_in_range(held, 364, 396);
    }
}

TEST(an_exact_slope_is_a_point)
{
    BUILDER(builder, 3);
    const struct planted planted = {.slope = 3};
    build_sweep(&builder, &planted, (struct error_way){.part = PART_STEPPED, .processes = 2});
    for (size_t i = 0; i < builder.file.cell_count; i++)
        builder.file.cells[i].mode = COUNT_ANY;
    struct error_report report = judge(&builder);
    const struct error_by_counters *by = report.by_counters;
    assert_true(by->stepped);
    assert_int_equal(by->mode, COUNT_USER);
    assert_true(by->slope == 3 && by->low == 3 && by->high == 3);
    /* Numbers of counters and values that rounding cannot solve exactly. */
    for (int error = 17; error < 1000; error += 11) {
        error_builder_start(&builder, 3);
        CROSS(&builder, (.counters = one_to_six), .error = error, .processes = 3);
        report = judge(&builder);
        by = report.by_counters;
        assert_true(by->slope == 0 && by->low == 0 && by->high == 0);
    }
}

TEST(layouts_paths_and_patterns_are_told_apart)
{
    static const char *const paths[] = {"perf-read", "perf-user", NULL};
    BUILDER(builder, 3);
    struct planted planted[] = {{.slope = 3}, {.slope = 9}};
    for (size_t separate = 0; separate < 2; separate++)
        CROSS(&builder, (.paths = paths, .counters = one_to_six, .patterns = ERROR_ALL_PATTERNS),
              .effect = planted_error, .context = &planted[separate], .separate = separate);
    struct error_report report = judge(&builder);
    assert_int_equal(report.by_counters_count, 16);
    for (size_t i = 0; i < report.by_counters_count; i++)
        assert_near(report.by_counters[i].slope, report.by_counters[i].separate ? 9 : 3, 1e-9);
}

/* The second machine adds nothing for a counter, the first three. */
TEST(machines_have_slopes_of_their_own)
{
    const struct planted planted = {.slope = 3};
    BUILDER(builder, 3);
    build_error_machine(&builder, "another", false);
    for (uint32_t counters = 1; counters < 3; counters++)
        BUILD(&builder, .counters = counters, .effect = planted_error, .context = (void *)&planted);
    for (uint32_t counters = 1; counters < 7; counters += 3)
        BUILD(&builder, .counters = counters, .machine = 1, .error = 40);
    struct error_report report = judge(&builder);
    assert_int_equal(report.by_counters_count, 2);
    assert_near(report.by_counters[0].slope, 3, 1e-9);
    assert_true(report.by_counters[1].machine == 1 && report.by_counters[1].slope == 0);
    /* One number each: there is no slope. */
    error_builder_start(&builder, 3);
    build_error_machine(&builder, "another", false);
    BUILD(&builder, .counters = 1);
    BUILD(&builder, .counters = 9, .machine = 1);
    report = judge(&builder);
    assert_int_equal(report.by_counters_count, 0);
}

TEST(too_little_for_a_slope_is_said)
{
    BUILDER(builder, 3);
    BUILD(&builder, .path = "one");
    BUILD(&builder, .path = "one", .opt = "O3", .counters = 2);
    BUILD(&builder, .path = "two", .processes = 1);
    BUILD(&builder, .path = "two", .processes = 1, .counters = 2, .error = 5);
    build_error_failed(&builder, &(struct error_way){.path = "one", .counters = 2}, -1, "refused");
    struct error_report report = judge(&builder);
    assert_int_equal(report.by_counters_count, 1);
    assert_string_equal(report.by_counters->path, "two");
    assert_true(fabs(report.by_counters->slope - 5) < 1e-9);
    assert_true(isinf(report.by_counters->low) && isinf(report.by_counters->high));
}

TEST(the_choice_of_events_is_set_against_the_event_repeated)
{
    static const struct error_way ways[] = {
        {.counters = 2, .error = 40},
        /* The same number elsewhere is no counterpart. */
        {.counters = 2, .error = 4000, .opt = "O0"},
        {.counters = 2, .error = 4000, .separate = true},
        {.counters = 1, .error = 4000},
        {.counters = 2, .error = 46, .others = "cycles:u"},
        {.counters = 2, .error = 43, .others = "branches:u"},
        {.counters = 3, .error = 43, .others = "cycles:u,branches:u"}, /* alone: no choice */
    };
    BUILDER(builder, 3);
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        struct error_way way = ways[i];
        way.first = 99;
        build_error_cell(&builder, &way);
    }
    struct error_report report = judge(&builder);
    assert_int_equal(report.choice_count, 2);
    const struct error_choice *choice = report.choices;
    assert_string_equal(choice[0].others, "branches:u");
    assert_true(choice[0].median == 43 && choice[0].plain == 40);
    assert_string_equal(choice[1].others, "cycles:u");
    assert_true(choice[1].median == 46 && choice[1].plain == 40 && choice[1].counters == 2);
    /* None of them is a point of the sweep. */
    assert_int_equal(report.by_counters_count, 1);
    assert_true(report.by_counters->points == 2 && report.by_counters->list[1].median == 40);
}

/* As PAPI: more counters mean more other events. The row that leads to the largest number is the
 * sweep; what begins like it by accident of letters is not. */
TEST(a_path_that_takes_no_event_twice_is_compared_along_one_row_of_others)
{
    static const struct {
        uint32_t counters;
        const char *others;
        double error;
    } cells[] = {
        {1, "", 10},      {2, "cycles", 20},   {2, "cyc", 800},        {2, "branches", 500},
        {2, "zero", 700}, {3, "cycles,x", 30}, {4, "cycles,x,yy", 40},
    };
    BUILDER(builder, 3);
    for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++)
        BUILD(&builder, .path = "papi-low", .counters = cells[i].counters,
              .others = cells[i].others, .error = cells[i].error);
    struct error_report report = judge(&builder);
    assert_int_equal(report.by_counters_count, 1);
    assert_int_equal(report.by_counters->points, 4);
    assert_true(fabs(report.by_counters->slope - 10) < 1e-9);
    assert_int_equal(report.choice_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(isnan(report.choices[i].plain));
    assert_true(report.choices[0].median == 500);
    error_judge_factors(&builder.file, &report);
    assert_int_equal(report.anovas->count, 4 * 20);
    assert_int_equal(
        reasons_find(&report.anovas->note, &error_words[NOTE_CHOICES])->values[0].count, 3);
}

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

static struct error_way mux_way(const char *specimen, uint32_t counters, struct plant *plant)
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

static void build_mux(struct error_builder *builder, const char *specimen, uint32_t counters,
                      struct plant plant)
{
    struct error_way one = mux_way(specimen, counters, &plant);
    build_error_cell(builder, &one);
}

TEST(test_errors_are_percents_of_the_truth)
{
    BUILDER(builder, 1);
    struct error_report report = {0};
    /* 200 000 steps in blocks of 50 000: 4 phases in 128 ms, which are two turns of 16 events */
    build_mux(&builder, "phases/period=50000/", 16, (struct plant){-25, 0.375, 128e6});
    build_mux(&builder, "phases/period=1/", 16, (struct plant){2, 0.375, 80e6});
    build_mux(&builder, "phases", 16, (struct plant){2, 0.375, 80e6});
    build_mux(&builder, "phases/period=50000/", 1, (struct plant){0.5, 1, 80e6});
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
    BUILDER(builder, 1);
    struct error_report report = {0};
    struct plant plant = {3, 1, 1e6};
    build_mux(&builder, "loop", 16, (struct plant){1, 0.5, 1e6});
    struct error_way alone = mux_way("loop", 1, &plant);
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
    BUILDER(builder, 1);
    struct error_report report = {0};
    struct plant plant = {1, 0.5, 1e6};
    /* Some runs got no counter: they are not among the values. None got one: there is no row. */
    build_mux(&builder, "loop", 16, plant);
    builder.file.cells[0].unscheduled = 5;
    builder.file.cells[0].multiplexed = RUNS;
    struct error_way none = mux_way("phases/period=9/", 16, &plant);
    build_error_failed(&builder, &none, 0, "")->unscheduled = 20;
    /* Without times the share is not known, without a truth nothing is. */
    build_mux(&builder, "phases/period=7/", 16, plant);
    struct error_cell *timeless = &builder.file.cells[2];
    timeless->enabled = timeless->running = NULL;
    build_mux(&builder, "phases/period=8/", 16, plant);
    builder.file.cells[3].has_truth = false;
    error_judge_multiplex(&builder.file, &report);
    assert_int_equal(report.multiplex_count, 2);
    assert_int_equal(report.multiplex[0].runs, RUNS);
    assert_true(isnan(report.multiplex[1].share));
    assert_true(isnan(report.multiplex[1].per_rotation));
    assert_near(report.multiplex[1].median, 1, 1e-6);
}
