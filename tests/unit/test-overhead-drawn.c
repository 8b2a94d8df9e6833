/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay overhead`: what was planted stands in the rows, in the unit of its meter
 * and under the paper's number; what was not measured has no figure. */
#include <math.h>

#include "case.h"
#include "figure-values.h"
#include "overhead-builder.h"
#include "overhead-shown.h"

#define MOST_BYTES 400000u

static json_t *figures_of(const struct overhead_run *run)
{
    json_t *figures = overhead_figures(run);
    assert_figures_are_sound(figures);
    assert_figures_fit_their_axes(figures);
    return figures;
}

static const char *text_in(const json_t *figure, size_t row, const char *key)
{
    const char *text = json_string_value(figure_cell(figure, row, key));
    return text ? text : "";
}

TEST(warm_calls_are_boxes_the_cheapest_first)
{
    static const struct {
        const char *id, *paper;
        size_t rows;
        double medians[4];
    } wanted[] = {
        {"calls-start-ticks", "Weaver 2015, Figure 1b", 2, {2444, 2450}},
        {"calls-stop-ticks", "Weaver 2015, Figure 1c", 1, {1976}},
        {"calls-read-ticks", "Weaver 2015, Figure 1a", 4, {1490, 1508, 1800, 2028}},
    };
    struct shown shown;
    shown_build_rich(&shown);
    json_t *figures = figures_of(&shown.run);
    for (size_t i = 0; i < 3; i++) {
        const json_t *calls = figure_called(figures, wanted[i].id);
        assert_string_equal(figure_word(calls, "kind"), "boxes");
        assert_string_equal(figure_word(calls, "paper"), wanted[i].paper);
        assert_string_equal(figure_word(json_object_get(calls, "x"), "label"), "ticks");
        assert_int_equal(figure_rows(calls), wanted[i].rows);
        assert_null(figure_cell(calls, 0, "machine"));
        for (size_t j = 0; j < wanted[i].rows; j++) {
            expect_near(figure_real(calls, j, "median"), wanted[i].medians[j], 0);
            expect_near(figure_real(calls, j, "q1"), wanted[i].medians[j] * 0.97, 0);
            expect_near(figure_real(calls, j, "p99"), wanted[i].medians[j] * 1.5, 0);
        }
    }
    const json_t *reads = figure_called(figures, "calls-read-ticks");
    assert_string_equal(text_in(reads, 1, "levels"), "1,014 (40 %), 1,508 (60 %)");
    figure_expect_caption(reads, "The cheapest read is perf-syscall.read with 1,490 ticks, the "
                                 "dearest papi-low.read, static with 2,028.");
    json_decref(figures);
    shown_end(&shown);
}

TEST(levels_are_told_each)
{
    struct shown shown;
    shown_build_rich(&shown);
    json_t *figures = figures_of(&shown.run);
    const json_t *levels = figure_called(figures, "levels-ticks");
    assert_int_equal(figure_rows(levels), 2);
    expect_near(figure_real(levels, 0, "median"), 1014, 0);
    expect_near(figure_real(levels, 1, "median"), 1508, 0);
    expect_near(figure_real(levels, 1, "share"), 60, 1e-9);
    assert_string_equal(text_in(levels, 0, "by"), "process");
    figure_expect_caption(levels, "The costs of 1 call fall into heaps");
    json_decref(figures);
    shown_end(&shown);
}

TEST(first_calls_stand_against_later_ones)
{
    struct shown shown;
    shown_build_rich(&shown);
    json_t *figures = figures_of(&shown.run);
    const json_t *first = figure_called(figures, "first-calls-ticks");
    assert_string_equal(figure_word(first, "kind"), "dumbbells");
    assert_int_equal(figure_rows(first), 1);
    expect_near(figure_real(first, 0, "first"), 7072, 0);
    expect_near(figure_real(first, 0, "later"), 2900, 0); /* the second, as none is warm */
    expect_near(figure_real(first, 0, "faults"), 1.25, 0);
    figure_expect_caption(first, "The first perf-read.read, lazy costs 2.4 times a later one "
                                 "(7,072 against 2,900 ticks)");
    const json_t *again = figure_called(figures, "again-ticks");
    assert_string_equal(figure_word(again, "paper"), "Weaver 2015, Figure 5");
    assert_int_equal(figure_rows(again), 4);
    expect_near(figure_real(again, 0, "number"), 1, 0);
    expect_near(figure_real(again, 3, "number"), 4, 0);
    expect_near(figure_real(again, 3, "median"), 2700, 0);
    figure_expect_caption(again, "from 7,072 to 2,800 ticks, and it still falls");
    json_decref(figures);
    shown_end(&shown);
}

/* Of several cells of one call the one in which nothing of its instrument came before. */
TEST(the_opening_call_is_the_first)
{
    struct shown shown;
    shown_build_rich(&shown);
    struct overhead_report *report = &shown.run.report;
    struct overhead_cold later = report->cold[0];
    later.opening = false;
    later.first = 4000;
    later.predecessor = (int32_t)shown_operation(&shown, "perf-read.start");
    SHOWN_ADD(report->cold, report->cold_count, {0});
    report->cold[1] = report->cold[0];
    report->cold[0] = later;
    SHOWN_ADD(report->cold, report->cold_count, {0}); /* too few processes to say anything */
    report->cold[2] = later;
    report->cold[2].variant = "static";
    report->cold[2].processes = 4;
    json_t *figures = figures_of(&shown.run);
    const json_t *first = figure_called(figures, "first-calls-ticks");
    assert_int_equal(figure_rows(first), 1);
    expect_near(figure_real(first, 0, "first"), 7072, 0);
    json_decref(figures);
    shown_end(&shown);
}

TEST(what_stood_before_is_in_percent_of_usual)
{
    struct shown shown;
    shown_build_rich(&shown);
    json_t *figures = figures_of(&shown.run);
    const json_t *pairs = figure_called(figures, "predecessors-ticks");
    assert_string_equal(figure_word(pairs, "kind"), "matrix");
    assert_int_equal(figure_rows(pairs), 2);
    size_t row = figure_row_with(pairs, "before", "papi-low.read", NULL, NULL);
    assert_string_equal(text_in(pairs, row, "call"), "perf-read.read, static");
    expect_near(figure_real(pairs, row, "percent"), 30, 0); /* 1960 of 1508, to a tenth */
    figure_row_with(pairs, "before", "nothing", NULL, NULL);
    figure_expect_caption(pairs, "perf-read.read, static straight after papi-low.read: +30 %");
    json_decref(figures);
    shown_end(&shown);
}

TEST(sweeps_have_points_and_their_line)
{
    struct shown shown;
    shown_build_rich(&shown);
    json_t *figures = figures_of(&shown.run);
    const json_t *events = figure_called(figures, "more-events-start-ticks");
    assert_string_equal(figure_word(events, "paper"), "Weaver 2015, Figure 8");
    assert_int_equal(figure_rows(events), 4);
    expect_near(figure_real(events, 3, "count"), 8, 0);
    expect_near(figure_real(events, 3, "cost"), 14000, 0);
    assert_string_equal(text_in(events, 3, "shape"), "bent");
    const json_t *line = json_array_get(json_object_get(events, "lines"), 0);
    expect_near(json_number_value(json_object_get(line, "intercept")), 2000, 0);
    expect_near(json_number_value(json_object_get(line, "slope")), 450, 0);
    expect_near(json_number_value(json_object_get(line, "to")), 8, 0);
    assert_string_equal(figure_word(line, "series"), text_in(events, 0, "way"));
    /* Reads in a row are metered together; what each costs is drawn. */
    const json_t *reads = figure_called(figures, "reads-in-a-row-ticks");
    assert_int_equal(figure_rows(reads), 2);
    expect_near(figure_real(reads, 1, "cost"), 47000.0 / 32, 1e-9);
    expect_near(figure_real(reads, 1, "median"), 47000, 0);
    figure_expect_caption(reads, "1 of 1 grow as a straight line. Each further read adds 1,490");
    json_decref(figures);
    shown_end(&shown);
}

TEST(peers_are_in_units_of_bare_calls)
{
    struct shown shown;
    shown_build_rich(&shown);
    json_t *figures = figures_of(&shown.run);
    const json_t *peers = figure_called(figures, "peers");
    assert_int_equal(figure_rows(peers), 1);
    expect_near(figure_real(peers, 0, "ratio"), 1.754, 0);
    assert_string_equal(text_in(peers, 0, "bare_path"), "perf-read");
    figure_expect_caption(peers, "The dearest is papi-low for start + stop + read: 1.75 times what "
                                 "perf-read takes");
    const json_t *metering = figure_called(figures, "metering");
    expect_near(figure_real(metering, 0, "cost"), 34, 0);
    expect_near(figure_real(metering, 0, "disturbed"), 12.5, 0);
    json_decref(figures);
    shown_end(&shown);
}

TEST(machines_stand_side_by_side)
{
    struct shown shown;
    shown_build_machines(&shown);
    json_t *figures = figures_of(&shown.run);
    const json_t *machines = figure_called(figures, "machines-instructions");
    assert_int_equal(figure_rows(machines), 2 * 2 * 2); /* both modes together alone */
    size_t row = figure_row_with(machines, "machine", "Linux 6.1.0-27", "kind", "read");
    assert_string_equal(text_in(machines, row, "mode"), "user and kernel");
    expect_near(figure_real(machines, row, "median"), 720, 0);
    expect_near(figure_real(machines, row, "ratio"), 1.25, 0);
    figure_expect_caption(machines, "4 of 4 calls cost more or less than on the first machine");
    figure_expect_caption(machines, "on Linux 6.1.0-27, 1.25 times as many instructions as on "
                                    "Linux 6.12.9");
    json_decref(figures);
    shown_end(&shown);
}

TEST(one_machine_shows_its_modes)
{
    struct shown shown;
    shown_start(&shown);
    shown_machine(&shown, "one", "6.1.0", true);
    shown_add_machine_row(&shown, 0, "read", "static", &shown_user, false, 20);
    shown_add_machine_row(&shown, 0, "read", "static", &shown_kernel, false, 600);
    shown_add_machine_row(&shown, 0, "read", "static", &shown_user, true, 620);
    json_t *figures = figures_of(&shown.run);
    assert_false(figure_is_there(figures, "machines-instructions"));
    const json_t *executed = figure_called(figures, "executed-instructions");
    assert_int_equal(figure_rows(executed), 2);
    assert_string_equal(text_in(executed, 0, "mode"), "user");
    expect_near(figure_real(executed, 1, "median"), 600, 0);
    json_decref(figures);
    shown_end(&shown);
}

TEST(nothing_measured_is_nothing_drawn)
{
    struct shown shown;
    shown_build_absent(&shown);
    json_t *figures = figures_of(&shown.run);
    assert_int_equal(json_array_size(figures), 0);
    json_decref(figures);
    shown_end(&shown);
}

/* --- from the calls themselves --- */

static double ordered(const json_t *list, size_t i)
{
    return json_number_value(json_array_get(list, i));
}

/* Two heaps of calls are two hills of the violin, and what is drawn stays small. */
TEST(violins_are_of_the_calls)
{
    struct overhead_builder builder;
    struct overhead_options options = {0};
    overhead_builder_start(&builder, 11);
    static const char *const operations[] = {"timer.nothing", "timer.gauge", "perf-read.read",
                                             "papi-low.read"};
    char *calls = overhead_built_circuit(operations, 4);
    build_overhead_tour(&builder, &(struct overhead_way){.calls = calls,
                                                         .run_noise = 0.02,
                                                         .processes = 40,
                                                         .passes = 40,
                                                         .call_level_share = 0.5,
                                                         .call_level_factor = 1.6});
    memory_give_back(calls);
    struct overhead_run run = {.studying = {.options = &options.study, .given = &options.study},
                               .file = builder.file};
    overhead_judge(&run.file, &run.report);
    json_t *figures = figures_of(&run);
    const json_t *figure = figure_called(figures, "calls-read-ticks");
    size_t row = figure_row_with(figure, "path", "perf-read", NULL, NULL);
    const json_t *density = figure_cell(figure, row, "density");
    size_t points = json_array_size(density) - 2;
    double from = ordered(density, 0), step = ordered(density, 1);
    assert_true(points > 10 && step > 0);
    /* The hills stand where the levels are, the valley between them. */
    const json_t *levels = figure_called(figures, "levels-ticks");
    size_t first = figure_row_with(levels, "path", "perf-read", NULL, NULL);
    size_t low = (size_t)((figure_real(levels, first, "median") - from) / step);
    size_t high = (size_t)((figure_real(levels, first + 1, "median") - from) / step);
    assert_true(low < high && high < points);
    double valley = ordered(density, 2 + (low + high) / 2);
    assert_true(ordered(density, 2 + low) > 3 * valley);
    assert_true(ordered(density, 2 + high) > 3 * valley);
    const json_t *samples = figure_cell(figure, row, "samples");
    double least = INFINITY;
    for (size_t i = 0; i < json_array_size(samples); i++)
        least = fmin(least, ordered(samples, i));
    assert_true(json_array_size(samples) <= 100);
    expect_near(least, figure_real(figure, row, "min"), 1e-9);
    char *text = json_dumps(figures, JSON_COMPACT);
    assert_true(text && strlen(text) < MOST_BYTES);
    free(text);
    json_decref(figures);
}

TEST(hostile_names_make_sound_figures)
{
    static struct overhead_meter hostile = {.event = (char *)(uintptr_t) "\033[2J</script>",
                                            .mode = (char *)(uintptr_t) "",
                                            .unit = METER_EVENTS};
    struct shown shown;
    shown_build_rich(&shown);
    shown_machine(&shown, "\033]0;x\007", "\xff\xfe", false);
    shown_row(&shown, "\033[1mread.read", "\xff", NULL, &hostile, -3);
    shown_row(&shown, "\033[1mread.read", "\xff", "perf-read.read", &hostile, 7);
    json_t *figures = figures_of(&shown.run);
    assert_true(figure_is_there(figures, "calls-read-2j-script"));
    json_decref(figures);
    shown_end(&shown);
}
