/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay error`: what was planted stands in the rows, in the units of its axis and
 * under the paper's number; what was not measured has no figure. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "error-builder.h"
#include "figure-values.h"
#include "studies/error/parts.h"

#define MOST_BYTES 400000u

static struct study_options options;

struct drawn {
    struct error_builder builder;
    struct error_run run;
    json_t *figures;
};

static void draw(struct drawn *drawn)
{
    drawn->run = (struct error_run){.studying = {.options = &options}, .file = drawn->builder.file};
    drawn->run.report = error_judge(&drawn->run.file, 1);
    drawn->figures = error_figures(&drawn->run);
    assert_figures_are_sound(drawn->figures);
    assert_figures_fit_their_axes(drawn->figures);
}

static void erase(struct drawn *drawn)
{
    json_decref(drawn->figures);
}

static const char *text_in(const json_t *figure, size_t row, const char *key)
{
    const char *text = json_string_value(figure_cell(figure, row, key));
    return text ? text : "";
}

/* --- what is planted --- */

/* 30 or 100 by path, 10 more each pattern, 4 each further counter, 7 at -O0. */
static double by_way(const struct error_cell *cell, void *context)
{
    (void)context;
    return (strcmp(cell->path, "papi-low") == 0 ? 100 : 30) + 10 * (double)cell->pattern +
           4 * (double)(cell->counters - 1) + (strcmp(cell->opt, "O0") == 0 ? 7 : 0);
}

static void build_nulls(struct error_builder *builder, uint32_t machine)
{
    static const char *const paths[] = {"perf-read", "papi-low", NULL};
    static const char *const opts[] = {"O0", "O2", "O3", NULL};
    static const char *const events[] = {"instructions:u", "instructions:uk", NULL};
    static const uint32_t counters[] = {1, 2, 4, 0};
    struct error_crossing crossing = {.events = events,
                                      .paths = paths,
                                      .opts = opts,
                                      .counters = counters,
                                      .patterns = ERROR_ALL_PATTERNS};
    build_error_crossing(
        builder, &crossing,
        &(struct error_way){
            .machine = machine, .effect = by_way, .processes = 3, .runs = 3, .first = 500});
}

static void start(struct drawn *drawn)
{
    *drawn = (struct drawn){0};
    error_builder_start(&drawn->builder, 7);
}

TEST(boxes_hold_usual_runs_and_the_overview_all)
{
    struct drawn drawn;
    start(&drawn);
    build_nulls(&drawn.builder, 0);
    draw(&drawn);
    const json_t *boxes = figure_called(drawn.figures, "null-by-path-instructions");
    assert_string_equal(figure_word(boxes, "kind"), "boxes");
    assert_string_equal(figure_word(json_object_get(boxes, "x"), "label"), "instructions");
    assert_string_equal(figure_word(boxes, "paper"), "Zaparanuks et al. 2009, Figure 6");
    assert_int_equal(figure_rows(boxes), 2 * 2 * 4);
    assert_null(figure_cell(boxes, 0, "machine"));
    size_t row = figure_row_with(boxes, "path", "papi-low", "pattern", "read-read");
    assert_string_equal(text_in(boxes, row, "event"), "instructions:u");
    assert_string_equal(text_in(boxes, row, "mode"), "user");
    assert_true(figure_real(boxes, row, "runs") == 3 * 3 * 2); /* builds, processes, later runs */
    assert_true(figure_real(boxes, row, "min") == 120);
    assert_true(figure_real(boxes, row, "median") == 120);
    assert_true(figure_real(boxes, row, "max") == 127);
    figure_expect_caption(boxes,
                          "least is added by perf-read start-read (median 30), most by papi-low "
                          "read-stop (130)");
    const json_t *all = figure_called(drawn.figures, "null-overview");
    assert_int_equal(figure_rows(all), 2);
    assert_true(figure_real(all, 0, "runs") == 2 * 3 * 3 * 4 * 9);
    assert_true(figure_real(all, 0, "min") == 30);
    assert_true(figure_real(all, 0, "max") == 100 + 30 + 12 + 7 + 500);
    assert_true(json_array_size(figure_cell(all, 0, "samples")) > 0);
    figure_expect_caption(all, "Of 648 empty windows of instructions:u, half counted ");
    erase(&drawn);
}

/* 1,000,000 more in one of many runs. */
static double interrupted_once(struct error_cell *cell, size_t process, size_t run, size_t index,
                               struct random *random, void *context)
{
    (void)cell, (void)process, (void)run, (void)random, (void)context;
    return index == 77 ? 1e6 : 0;
}

TEST(one_interrupted_run_does_not_flatten_a_violin)
{
    struct drawn drawn;
    start(&drawn);
    build_error_cell(&drawn.builder,
                     &(struct error_way){.error = 100, .run_noise = 5, .draw = interrupted_once});
    draw(&drawn);
    const json_t *boxes = figure_called(drawn.figures, "null-by-path-instructions");
    const json_t *density = figure_cell(boxes, 0, "density");
    double from = json_number_value(json_array_get(density, 0));
    double step = json_number_value(json_array_get(density, 1));
    assert_true(figure_real(boxes, 0, "max") > 1e6);
    assert_true(figure_real(boxes, 0, "p99") < 150);
    assert_true(from > 0 && from + 64 * step < 200);
    erase(&drawn);
}

TEST(the_best_pattern_stands_beside_the_papers)
{
    struct drawn drawn;
    start(&drawn);
    build_nulls(&drawn.builder, 0);
    draw(&drawn);
    const json_t *best = figure_called(drawn.figures, "best-pattern");
    assert_string_equal(figure_word(best, "paper"), "Zaparanuks et al. 2009, Table 3");
    assert_int_equal(figure_rows(best), 4 + 12);
    size_t ours = figure_row_with(best, "path", "papi-low", "mode", "user and kernel");
    assert_string_equal(text_in(best, ours, "pattern"), "start-read");
    assert_string_equal(text_in(best, ours, "of"), "here, counted");
    assert_true(figure_real(best, ours, "median") == 100);
    size_t theirs = figure_row_with(best, "path", "pm", "mode", "user and kernel");
    assert_true(figure_real(best, theirs, "median") == 726);
    assert_string_equal(text_in(best, theirs, "of"), "the paper");
    figure_expect_caption(best,
                          "instructions:u: perf-read start-read adds least, 30 by the median");
    erase(&drawn);
}

TEST(counters_and_builds_show_what_they_add)
{
    struct drawn drawn;
    start(&drawn);
    build_nulls(&drawn.builder, 0);
    draw(&drawn);
    const json_t *counters = figure_called(drawn.figures, "by-counters-instructions-uk");
    assert_string_equal(figure_word(counters, "paper"), "Zaparanuks et al. 2009, Figure 5");
    assert_int_equal(figure_rows(counters), 2 * 4 * 3);
    size_t row = figure_row_with(counters, "path", "perf-read", "pattern", "start-stop");
    for (size_t i = 0; i < 3; i++) {
        assert_true(figure_real(counters, row + i, "counters") == (double)(1u << i));
        assert_true(figure_real(counters, row + i, "median") == 40 + 4 * (double)((1u << i) - 1));
    }
    figure_expect_caption(counters, "Each further counter adds 4 through");
    const json_t *builds = figure_called(drawn.figures, "by-build-instructions-u");
    assert_string_equal(figure_word(builds, "kind"), "matrix");
    assert_int_equal(figure_rows(builds), 2 * 4 * 3);
    row = figure_row_with(builds, "build", "O0 static", "way", "papi-low read-read");
    assert_true(figure_real(builds, row, "beyond") == 7);
    assert_true(figure_real(builds, row, "median") == 127);
    row = figure_row_with(builds, "build", "O3 static", "way", "papi-low read-read");
    assert_true(figure_real(builds, row, "beyond") == 0);
    figure_expect_caption(builds, "at most 7 instructions");
    erase(&drawn);
}

TEST(factors_have_their_share)
{
    struct drawn drawn;
    start(&drawn);
    build_nulls(&drawn.builder, 0);
    draw(&drawn);
    const struct error_report *report = &drawn.run.report;
    const json_t *factors = figure_called(drawn.figures, "factors");
    assert_int_equal(figure_rows(factors), report->effect_count);
    for (size_t i = 0; i < report->effect_count; i++) {
        const char *name = report->effects[i].name, *told = text_in(factors, i, "factor");
        if (strcmp(name, "opt") == 0)
            assert_string_equal(told, "-O level");
        else if (strstr(name, " x "))
            assert_non_null(strstr(told, " × "));
        else
            assert_string_equal(told, strcmp(name, "link") == 0 ? "link mode" : name);
        assert_true(figure_real(factors, i, "share") == 100 * report->effects[i].share_within);
        assert_string_equal(text_in(factors, i, "matters"),
                            report->effects[i].matters ? "matters" : "does not matter");
    }
    erase(&drawn);
}

/* One process a cell leaves nothing to compare with: then no factor is said not to matter. */
TEST(factors_that_cannot_be_tested_are_not_judged)
{
    static const char *const paths[] = {"perf-read", "papi-low", NULL};
    struct error_crossing crossing = {
        .events = (const char *const[]){"instructions:uk", NULL},
        .paths = paths,
        .opts = (const char *const[]){"O2", NULL},
        .counters = (const uint32_t[]){1, 0},
        .patterns = ERROR_ALL_PATTERNS,
    };
    struct drawn drawn;
    start(&drawn);
    build_error_crossing(
        &drawn.builder, &crossing,
        &(struct error_way){.effect = by_way, .processes = 1, .runs = 3, .run_noise = 3});
    draw(&drawn);
    const json_t *factors = figure_called(drawn.figures, "factors");
    assert_true(figure_rows(factors) > 0);
    for (size_t i = 0; i < figure_rows(factors); i++)
        assert_string_equal(text_in(factors, i, "matters"), "not judged");
    figure_expect_caption(factors, "Not judged, for want of cells with several processes: "
                                   "instructions:uk.");
    erase(&drawn);
}

/* --- loops --- */

/* `*context` too many an iteration. */
static double by_length(const struct error_cell *cell, void *context)
{
    return *(const double *)context * (double)cell->n;
}

static void build_loops(struct error_builder *builder, const char *event, double leak)
{
    for (uint64_t n = 1; n <= 1000000; n *= 100)
        build_error_cell(builder, &(struct error_way){.part = PART_DURATION,
                                                      .event = event,
                                                      .specimen = "loop",
                                                      .n = n,
                                                      .has_truth = true,
                                                      .truth = 0,
                                                      .error = 20,
                                                      .run_noise = leak > 0 ? 1 : 0,
                                                      .effect = by_length,
                                                      .context = &leak,
                                                      .times = true});
}

TEST(loops_show_what_an_iteration_adds)
{
    struct drawn drawn;
    start(&drawn);
    build_loops(&drawn.builder, "instructions:uk", 0.01);
    build_loops(&drawn.builder, "instructions:u", 0);
    build_loops(&drawn.builder, "instructions:k", 0.02);
    draw(&drawn);
    const json_t *slope = figure_called(drawn.figures, "slope-instructions-uk");
    assert_string_equal(figure_word(slope, "paper"), "Zaparanuks et al. 2009, Figure 7");
    assert_int_equal(figure_rows(slope), 1);
    assert_true(fabs(figure_real(slope, 0, "slope") - 0.01) < 1e-4);
    figure_expect_caption(slope, "10,000 in a loop of 1,000,000.");
    assert_true(figure_real(slope, 0, "low") <= 0.01 && figure_real(slope, 0, "high") >= 0.0099);
    const json_t *by_n = figure_called(drawn.figures, "by-n-instructions-uk");
    assert_int_equal(figure_rows(by_n), 4);
    assert_true(figure_real(by_n, 3, "n") == 1000000);
    assert_true(fabs(figure_real(by_n, 3, "median") - 10020) < 5);
    const json_t *fit = json_array_get(json_object_get(by_n, "lines"), 0);
    assert_string_equal(figure_word(fit, "series"), text_in(by_n, 0, "way"));
    assert_true(json_number_value(json_object_get(fit, "to")) == 1000000);
    /* What never deviates is a table, and no bar of height 0. */
    assert_false(figure_is_there(drawn.figures, "slope-instructions-u"));
    const json_t *none = figure_called(drawn.figures, "no-slope");
    assert_string_equal(figure_word(none, "paper"), "Zaparanuks et al. 2009, Figure 8");
    assert_string_equal(text_in(none, 0, "event"), "instructions:u");
    assert_true(figure_real(none, 0, "added") == 20);
    const json_t *sizes = figure_called(drawn.figures, "kernel-by-size");
    assert_string_equal(figure_word(sizes, "paper"), "Zaparanuks et al. 2009, Figure 9");
    assert_int_equal(figure_rows(sizes), 4);
    assert_string_equal(text_in(sizes, 3, "n"), "1,000,000");
    assert_true(fabs(figure_real(sizes, 3, "median") - 20020) < 5);
    erase(&drawn);
}

/* --- places --- */

static void build_places(struct error_builder *builder, uint32_t machine)
{
    static const char *const opts[] = {"O0", "O2"};
    for (int64_t offset = 0; offset <= 128; offset++)
        build_error_cell(builder, &(struct error_way){.part = PART_PLACEMENT,
                                                      .machine = machine,
                                                      .event = "clock/ticks/",
                                                      .class = "ticks",
                                                      .kind = "source",
                                                      .path = "clock",
                                                      .specimen = "placed",
                                                      .placed = true,
                                                      .offset = offset,
                                                      .n = 1000,
                                                      .error = offset % 64 > 55 ? 2000 : 1000,
                                                      .processes = 6,
                                                      .runs = 2,
                                                      .times = true});
    for (unsigned i = 0; i < 8; i++)
        build_error_cell(builder, &(struct error_way){.part = PART_PLACEMENT,
                                                      .machine = machine,
                                                      .event = "clock/ticks/",
                                                      .class = "ticks",
                                                      .kind = "source",
                                                      .path = "clock",
                                                      .specimen = "loop",
                                                      .pattern = (enum pattern)(i / 2),
                                                      .opt = opts[i % 2],
                                                      .n = 1000,
                                                      .error = i % 3 ? 1000 : 3000,
                                                      .processes = 6,
                                                      .runs = 2,
                                                      .times = true});
}

TEST(places_lie_where_they_were)
{
    struct drawn drawn;
    start(&drawn);
    build_places(&drawn.builder, 0);
    draw(&drawn);
    const json_t *line = figure_called(drawn.figures, "places-clock-ticks");
    assert_string_equal(figure_word(json_object_get(line, "y"), "label"), "ticks an iteration");
    assert_int_equal(figure_rows(line), 64);
    for (size_t i = 0; i < 64; i++) {
        assert_true(figure_real(line, i, "offset") == (double)i);
        assert_true(figure_real(line, i, "fastest") == (i > 55 ? 2 : 1));
    }
    figure_expect_caption(line, "1 to 2 ticks an iteration, by a factor of 2.00");
    assert_int_equal(figure_rows(figure_called(drawn.figures, "places-in-page-clock-ticks")), 65);
    const json_t *windows = figure_called(drawn.figures, "windows-clock-ticks");
    assert_string_equal(figure_word(windows, "paper"), "Zaparanuks et al. 2009, Figure 12");
    assert_int_equal(figure_rows(windows), 8);
    assert_true(figure_real(windows, 0, "fastest") == 3);
    assert_true(figure_real(windows, 1, "fastest") == 1);
    assert_string_equal(text_in(windows, 1, "opt"), "O2");
    erase(&drawn);
}

TEST(places_of_an_emulated_machine_mean_nothing)
{
    struct drawn drawn;
    start(&drawn);
    build_places(&drawn.builder, build_error_machine(&drawn.builder, "emulated", true));
    draw(&drawn);
    assert_int_equal(json_array_size(drawn.figures), 0);
    erase(&drawn);
}

/* --- against what is known --- */

static double part_of_the_time(struct error_cell *cell, size_t process, size_t run, size_t index,
                               struct random *random, void *context)
{
    (void)process, (void)run, (void)random, (void)context;
    cell->running[index] = cell->enabled[index] / 4;
    return 0;
}

TEST(counted_stands_against_known)
{
    struct drawn drawn;
    start(&drawn);
    for (int i = 0; i < PATTERN_COUNT; i++)
        build_error_stepped_pair(&drawn.builder, &(struct error_way){.pattern = (enum pattern)i},
                                 10 + i, i == 3 ? 6 : 1);
    build_error_cell(&drawn.builder, &(struct error_way){.part = PART_MULTIPLEX,
                                                         .specimen = "phases/period=100/",
                                                         .counters = 8,
                                                         .separate = true,
                                                         .n = 1000,
                                                         .has_truth = true,
                                                         .truth = 1000,
                                                         .error = -800,
                                                         .times = true,
                                                         .draw = part_of_the_time});
    build_error_cell(
        &drawn.builder,
        &(struct error_way){
            .part = PART_TOOL, .path = "perf-stat", .has_truth = true, .truth = 5, .error = 70000});
    draw(&drawn);
    const json_t *stepped = figure_called(drawn.figures, "measured-against-stepped");
    assert_int_equal(figure_rows(stepped), 4);
    size_t row = figure_row_with(stepped, "pattern", "read-stop", NULL, NULL);
    assert_true(figure_real(stepped, row, "stepped") == 13);
    assert_true(figure_real(stepped, row, "measured") == 19);
    assert_string_equal(text_in(stepped, row, "verdict"), "differs");
    row = figure_row_with(stepped, "pattern", "start-read", NULL, NULL);
    assert_string_equal(text_in(stepped, row, "verdict"), "agrees");
    figure_expect_caption(stepped, "In 3 of 4 cells");
    const json_t *multiplex = figure_called(drawn.figures, "multiplexing");
    assert_true(figure_real(multiplex, 0, "median") == -80);
    assert_true(figure_real(multiplex, 0, "share") == 25);
    assert_string_equal(text_in(multiplex, 0, "kind"), "in phases");
    figure_expect_caption(multiplex, "off by -80 % at worst");
    const json_t *tools = figure_called(drawn.figures, "whole-commands");
    assert_true(figure_real(tools, 0, "median") == 70000);
    erase(&drawn);
}

/* --- all together --- */

TEST(nothing_measured_is_nothing_drawn)
{
    struct drawn drawn;
    start(&drawn);
    build_error_absence(&drawn.builder, "instructions:u", ENOENT, "no counters");
    draw(&drawn);
    assert_int_equal(json_array_size(drawn.figures), 0);
    erase(&drawn);
}

TEST(several_machines_are_told_apart)
{
    struct drawn drawn;
    start(&drawn);
    build_nulls(&drawn.builder, 0);
    build_nulls(&drawn.builder, build_error_machine(&drawn.builder, "another", false));
    draw(&drawn);
    const json_t *boxes = figure_called(drawn.figures, "null-by-path-instructions");
    assert_int_equal(figure_rows(boxes), 2 * 2 * 2 * 4);
    figure_row_with(boxes, "machine", "built", NULL, NULL);
    figure_row_with(boxes, "machine", "another", NULL, NULL);
    const json_t *overview = figure_called(drawn.figures, "null-overview");
    figure_expect_caption(overview, " on built, half");
    figure_expect_caption(overview, " on another, half");
    erase(&drawn);
}

TEST(hostile_names_make_sound_figures)
{
    static const char *const paths[] = {"\033[2Jread", "\xff\xfe", "</script>", NULL};
    static const char *const events[] = {"a b", "A-b", "instructions:u", "", NULL};
    static const uint32_t counters[] = {1, 2, 0};
    struct drawn drawn;
    start(&drawn);
    struct error_crossing crossing = {
        .events = events, .paths = paths, .counters = counters, .patterns = ERROR_ALL_PATTERNS};
    build_error_crossing(&drawn.builder, &crossing,
                         &(struct error_way){.effect = by_way, .processes = 2, .runs = 2});
    build_loops(&drawn.builder, "\033]0;x\007", 0.5);
    draw(&drawn); /* ids differ, and all is valid */
    assert_true(figure_is_there(drawn.figures, "by-counters-a-b"));
    assert_true(figure_is_there(drawn.figures, "by-counters-a-b-2"));
    erase(&drawn);
}

TEST(a_large_run_stays_small)
{
    static const char *const paths[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", NULL};
    static const char *const opts[] = {"O0", "O1", "O2", "O3", NULL};
    static const char *const links[] = {"static", "lazy", "bind-now", NULL};
    static const char *const events[] = {"instructions:u", "instructions:uk", "cycles:uk",
                                         "msr/tsc/", NULL};
    static const uint32_t counters[] = {1, 2, 4, 0};
    struct drawn drawn;
    start(&drawn);
    struct error_crossing crossing = {.events = events,
                                      .paths = paths,
                                      .opts = opts,
                                      .links = links,
                                      .counters = counters,
                                      .patterns = ERROR_ALL_PATTERNS};
    build_error_crossing(
        &drawn.builder, &crossing,
        &(struct error_way){.effect = by_way, .processes = 4, .runs = 10, .run_noise = 40});
    draw(&drawn);
    char *text = json_dumps(drawn.figures, JSON_COMPACT);
    assert_non_null(text);
    if (strlen(text) > MOST_BYTES)
        fail_msg("%zu bytes of figures", strlen(text));
    free(text);
    erase(&drawn);
}
