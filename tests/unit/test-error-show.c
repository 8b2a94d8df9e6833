/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` shows and draws of runs that no recorded store has: hostile names, several
 * machines, one interrupted run, a run that is very large. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "error-builder.h"
#include "figure-values.h"
#include "output/field.h"
#include "studies/error/parts.h"

#define MOST_BYTES 400000u

static struct study_options options;

struct shown {
    struct error_builder builder;
    struct error_run run;
    struct text text;
    json_t *figures, *results, *analysis;
};

static void start(struct shown *shown)
{
    *shown = (struct shown){0};
    error_builder_start(&shown->builder, 7);
}

/* For people in full, for programs, and drawn: all of it sound and clean. */
static void show(struct shown *shown)
{
    const struct style style = {.width = 80};
    static struct facts facts;
    options.all = true;
    facts_set(&facts, "isa", "x86_64", 0);
    shown->run = (struct error_run){.studying = {.options = &options,
                                                 .given = &options,
                                                 .facts = &facts,
                                                 .complete = true,
                                                 .seconds = 1.5},
                                    .file = shown->builder.file};
    shown->run.report = error_judge(&shown->run.file, 1);
    error_put_report(&shown->run, &style, &shown->text);
    assert_false(shown->text.failed);
    assert_null(strpbrk(text_string(&shown->text), "\033\007\xff"));
    shown->figures = error_figures(&shown->run);
    assert_figures_are_sound(shown->figures);
    assert_figures_fit_their_axes(shown->figures);
    shown->results = field_list_json(&error_results, &shown->run, &shown->run);
    shown->analysis = fields_json(&error_analysis, &shown->run, &shown->run);
    assert_int_equal(json_array_size(shown->results), shown->run.report.row_count);
}

static void release(struct shown *shown)
{
    json_decref(shown->figures);
    json_decref(shown->results);
    json_decref(shown->analysis);
    text_free(&shown->text);
}

/* 30 or 100 by path, 10 more each pattern, 4 each further counter. */
static double by_way(const struct error_cell *cell, void *context)
{
    (void)context;
    return (strcmp(cell->path, "papi-low") == 0 ? 100 : 30) + 10 * (double)cell->pattern +
           4 * (double)(cell->counters - 1);
}

TEST(hostile_names_move_no_cursor_and_make_sound_figures)
{
    static const char *const paths[] = {"\033[2Jread", "\xff\xfe", "</script>", NULL};
    static const char *const events[] = {"a b", "A-b", "instructions:u", "", NULL};
    static const char *const links[] = {"\033]0;x\007", "lazy", NULL};
    static const uint32_t counters[] = {1, 2, 0};
    struct shown shown;
    start(&shown);
    struct error_crossing crossing = {.events = events,
                                      .paths = paths,
                                      .links = links,
                                      .counters = counters,
                                      .patterns = ERROR_ALL_PATTERNS};
    struct error_way way = {.effect = by_way, .first = 5, .processes = 2, .runs = 2};
    build_error_crossing(&shown.builder, &crossing, &way);
    way.part = PART_STEPPED;
    crossing.events = NULL;
    build_error_crossing(&shown.builder, &crossing, &way);
    build_error_absence(&shown.builder, "\033[31mevent", 2, "because\033[0m");
    BUILD(&shown.builder, .part = PART_TOOL, .path = "\033[1mtool", .specimen = "\033[1mnull",
          .has_truth = true, .event = "\033[1mfaults");
    show(&shown); /* ids differ, and all is valid */
    assert_non_null(strstr(text_string(&shown.text), "\\x1b[2Jread"));
    assert_true(figure_is_there(shown.figures, "by-counters-a-b"));
    assert_true(figure_is_there(shown.figures, "by-counters-a-b-2"));
    release(&shown);
}

TEST(nothing_measured_is_nothing_drawn)
{
    struct shown shown;
    start(&shown);
    build_error_absence(&shown.builder, "instructions:u", 2, "no counters");
    show(&shown);
    assert_int_equal(json_array_size(shown.figures), 0);
    assert_non_null(strstr(text_string(&shown.text), "instructions:u: no counters"));
    release(&shown);
}

TEST(several_machines_are_told_apart)
{
    static const char *const paths[] = {"perf-read", "papi-low", NULL};
    struct shown shown;
    start(&shown);
    for (uint32_t machine = 0; machine < 2; machine++)
        CROSS(&shown.builder, (.paths = paths, .patterns = ERROR_ALL_PATTERNS),
              .machine = machine ? build_error_machine(&shown.builder, "another", false) : 0,
              .effect = by_way, .processes = 3, .runs = 3);
    show(&shown);
    const json_t *boxes = figure_called(shown.figures, "null-by-path-instructions");
    assert_int_equal(figure_rows(boxes), 2 * 2 * 4);
    figure_row_with(boxes, "machine", "built", NULL, NULL);
    figure_row_with(boxes, "machine", "another", NULL, NULL);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(shown.results, 0), "machine")), "built");
    release(&shown);
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
    struct shown shown;
    start(&shown);
    BUILD(&shown.builder, .error = 100, .run_noise = 5, .draw = interrupted_once);
    show(&shown);
    const json_t *boxes = figure_called(shown.figures, "null-by-path-instructions");
    const json_t *density = figure_cell(boxes, 0, "density");
    double from = json_number_value(json_array_get(density, 0));
    double step = json_number_value(json_array_get(density, 1));
    assert_true(figure_real(boxes, 0, "max") > 1e6);
    assert_true(figure_real(boxes, 0, "p99") < 150);
    assert_true(from > 0 && from + 64 * step < 200);
    release(&shown);
}

TEST(a_large_run_stays_small)
{
    static const char *const paths[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", NULL};
    static const char *const opts[] = {"O0", "O1", "O2", "O3", NULL};
    static const char *const links[] = {"static", "lazy", "bind-now", NULL};
    static const char *const events[] = {"instructions:u", "instructions:uk", "cycles:uk",
                                         "msr/tsc/", NULL};
    static const uint32_t counters[] = {1, 2, 4, 0};
    struct shown shown;
    start(&shown);
    CROSS(&shown.builder,
          (.events = events, .paths = paths, .opts = opts, .links = links, .counters = counters,
           .patterns = ERROR_ALL_PATTERNS),
          .effect = by_way, .processes = 4, .runs = 10, .run_noise = 40);
    show(&shown);
    char *text = json_dumps(shown.figures, JSON_COMPACT);
    assert_non_null(text);
    if (strlen(text) > MOST_BYTES)
        fail_msg("%zu bytes of figures", strlen(text));
    free(text);
    release(&shown);
}
