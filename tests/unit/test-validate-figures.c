/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay validate`, of planted judgements: which rows they have, and that these hold
 * the numbers of the judgement. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "case.h"
#include "figure-shown.h"
#include "judging.h"
#include "studies/validate/parts.h"

struct shown {
    struct case_builder builder;
    struct validating validating;
    json_t *figures;
};

static void show(struct shown *shown)
{
    shown->validating.judgements = judged(&shown->builder);
    shown->figures = validate_figures(&shown->validating);
    assert_figures_are_sound(shown->figures);
}

static void end(struct shown *shown)
{
    json_decref(shown->figures);
}

/* An exact event, one that reports one and a half times, one that is dead, one that does not open.
 */
static void show_four(struct shown *shown)
{
    static const struct built_way way = {.overhead = 3, .most_n = 1000};
    double much = 1.5;
    builder_start(&shown->builder, 5);
    build_all(&shown->builder, build_event(&shown->builder, "right", "hardware", "instructions"),
              &way);
    struct evidence *evidence = build_event(&shown->builder, "much", "hardware", "loads");
    build_ladder(&shown->builder, evidence, &plain, "loads");
    build_lie(evidence, factor, &much);
    evidence = build_event(&shown->builder, "dead", "hardware", "stores");
    build_ladder(&shown->builder, evidence, &plain, "stores");
    build_lie(evidence, zeros, NULL);
    build_refused(&shown->builder, "refused", "hardware", "cycles", ENOENT, "no such counter");
    show(shown);
}

static size_t row_count(const json_t *figure)
{
    return json_array_size(json_object_get(figure, "rows"));
}

static const char *cell_text(const json_t *figure, size_t row, const char *key)
{
    const char *text = json_string_value(figure_cell(figure, row, key));
    return text ? text : "";
}

static double cell_number(const json_t *figure, size_t row, const char *key)
{
    const json_t *value = figure_cell(figure, row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The first row with this event and N; ends the test where there is none. */
static size_t row_of(const json_t *figure, const char *event, double n)
{
    for (size_t i = 0; i < row_count(figure); i++)
        if (strcmp(cell_text(figure, i, "event"), event) == 0 &&
            (isnan(n) || cell_number(figure, i, "n") == n))
            return i;
    fail_msg("no row of %s", event);
    return 0;
}

TEST(test_counts_stand_against_predictions)
{
    struct shown shown = {0};
    show_four(&shown);
    const json_t *figure = figure_called(shown.figures, "reported-against-predicted");
    size_t right = row_of(figure, "right", 1000), much = row_of(figure, "much", 1000);
    assert_true(cell_number(figure, right, "predicted") == 2001);
    assert_true(cell_number(figure, right, "reported") == 2001);
    assert_string_equal(cell_text(figure, right, "verdict"), "exact");
    assert_true(cell_number(figure, much, "predicted") == 3001);
    assert_true(fabs(cell_number(figure, much, "percent") - 50) < 0.1);
    assert_string_equal(cell_text(figure, much, "verdict"), "biased");
    /* What is wrong comes first. */
    assert_string_not_equal(cell_text(figure, 0, "verdict"), "exact");
    end(&shown);
}

TEST(test_fits_are_drawn_where_they_leave_the_identity)
{
    struct shown shown = {0};
    show_four(&shown);
    const json_t *lines =
        json_object_get(figure_called(shown.figures, "reported-against-predicted"), "lines");
    size_t i, fits = 0, identities = 0;
    json_t *line;
    json_array_foreach(lines, i, line)
    {
        double slope = json_number_value(json_object_get(line, "slope"));
        assert_null(strstr(figure_word(line, "name"), "right"));
        assert_null(strstr(figure_word(line, "name"), "dead"));
        fits += strstr(figure_word(line, "name"), "much") && fabs(slope - 1.5) < 0.01;
        identities += strcmp(figure_word(line, "name"), "as predicted") == 0 && slope == 1;
    }
    assert_int_equal(fits, 1);
    assert_int_equal(identities, 1);
    const json_t *notes =
        json_object_get(figure_called(shown.figures, "reported-against-predicted"), "notes");
    assert_int_equal(json_array_size(notes), 1);
    assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "are fits of ladders"));
    end(&shown);
}

TEST(test_differences_are_those_of_wrong_ladders)
{
    struct shown shown = {0};
    show_four(&shown);
    const json_t *figure = figure_called(shown.figures, "difference-by-n");
    for (size_t i = 0; i < row_count(figure); i++)
        assert_string_equal(cell_text(figure, i, "event"), "much");
    size_t much = row_of(figure, "much", 1000);
    assert_true(cell_number(figure, much, "low") <= cell_number(figure, much, "percent"));
    assert_true(cell_number(figure, much, "percent") <= cell_number(figure, much, "high"));
    end(&shown);
}

TEST(test_verdicts_are_counted_and_named)
{
    struct shown shown = {0};
    show_four(&shown);
    const json_t *figure = figure_called(shown.figures, "verdicts");
    assert_int_equal(row_count(figure), 4);
    assert_string_equal(cell_text(figure, 0, "verdict"), "exact");
    assert_string_equal(cell_text(figure, 3, "verdict"), "unsupported");
    assert_string_equal(cell_text(figure, 3, "names"), "refused");
    assert_true(cell_number(figure, 3, "events") == 1);
    assert_non_null(strstr(figure_word(figure, "caption"), "Of 4 events 1 can be believed"));
    end(&shown);
}

TEST(test_a_field_for_every_specimen)
{
    struct shown shown = {0};
    show_four(&shown);
    const json_t *figure = figure_called(shown.figures, "verdicts-by-specimen");
    size_t specimens = 0;
    for (const struct built_specimen *at = built_specimens; at->name; at++)
        specimens++;
    assert_int_equal(row_count(figure), specimens + 2);
    size_t dead = row_of(figure, "dead", NAN);
    assert_string_equal(cell_text(figure, dead, "specimen"), "stores");
    assert_string_equal(cell_text(figure, dead, "verdict"), "dead");
    assert_true(cell_number(figure, dead, "percent") == -100);
    end(&shown);
}

TEST(test_overhead_is_that_of_the_null_cell)
{
    struct shown shown = {0};
    show_four(&shown);
    const json_t *figure = figure_called(shown.figures, "overhead-by-event");
    assert_int_equal(row_count(figure), 1);
    assert_string_equal(cell_text(figure, 0, "event"), "right");
    assert_true(cell_number(figure, 0, "overhead") == 3);
    assert_non_null(strstr(figure_word(figure, "caption"), "Of 3 events and paths 1 adds"));
    end(&shown);
}

TEST(test_a_figure_holds_a_thousand_rows)
{
    struct shown shown = {0};
    static const struct built_way brief = {.runs = 2, .processes = 1};
    builder_start(&shown.builder, 5);
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof(name), "event-%d", i);
        build_ladder(&shown.builder, build_event(&shown.builder, name, "hardware", "loads"), &brief,
                     "loads");
    }
    show(&shown);
    const json_t *figure = figure_called(shown.figures, "reported-against-predicted");
    assert_int_equal(row_count(figure), 1000);
    assert_non_null(strstr(json_string_value(json_array_get(json_object_get(figure, "notes"), 0)),
                           "400 more points"));
    end(&shown);
}

TEST(test_nothing_gives_no_figure)
{
    struct shown shown = {0};
    builder_start(&shown.builder, 1);
    show(&shown);
    assert_int_equal(json_array_size(shown.figures), 0);
    end(&shown);
}

/* What does not open has a verdict, and nothing else. */
TEST(test_a_machine_without_counters)
{
    struct shown shown = {0};
    builder_start(&shown.builder, 1);
    build_refused(&shown.builder, "refused", "hardware", "cycles", ENOENT, "no such counter");
    show(&shown);
    assert_int_equal(json_array_size(shown.figures), 1);
    figure_called(shown.figures, "verdicts");
    end(&shown);
}
