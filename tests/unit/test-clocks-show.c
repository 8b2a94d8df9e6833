/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is shown of clocks where no recorded run can tell: hostile names, narrow places, machines on
 * which nothing could be read. What is said of others is in tests/goldens. */
#include <math.h>
#include <string.h>
/* cmocka needs those before string.h before it. */

#include "base/memory.h"
#include "case.h"
#include "clocks-builder.h"
#include "studies/clocks/parts.h"

struct shown {
    struct built_world world;
    struct clocks_options options;
    struct clocks_run run;
    struct text text;
};

static void put(struct shown *shown, size_t width)
{
    const struct style style = {.width = width};
    text_clear(&shown->text);
    clocks_put_report(&shown->run, &style, &shown->text);
}

static void judge(struct shown *shown)
{
    static const struct facts facts;
    shown->run = (struct clocks_run){.studying = {.options = &shown->options.study,
                                                  .given = &shown->options.study,
                                                  .facts = &facts,
                                                  .complete = true},
                                     .file = shown->world.file};
    clocks_judge(&shown->run.file, 1, &shown->run.report);
}

static int start(void **state)
{
    struct shown *shown = memory_new(1, sizeof(*shown));
    built_begin(&shown->world, 3, 2);
    built_usual_clocks(&shown->world);
    built_find(&shown->world, "monotonic-raw")->stops_in_sleep = true;
    built_plan(&shown->world, 1, true);
    judge(shown);
    *state = shown;
    return 0;
}

static int end(void **state)
{
    struct shown *shown = *state;
    text_free(&shown->text);
    return 0;
}

/* Names come from people, reasons from machines. */
TEST_WITH(a_hostile_name_moves_no_cursor, start, end)
{
    struct shown *shown = *state;
    struct clock_known *clock = &shown->run.file.clocks[shown->run.report.rows[0].clock];
    clock->name = memory_copy("\033[2Jevil\n\x80");
    clock->external = true;
    shown->run.file.clocksource = memory_copy("\033]0;x\a");
    clocks_judge(&shown->run.file, 1, &shown->run.report);
    for (int all = 0; all < 2; all++) {
        shown->options.study.all = all;
        put(shown, 100);
        assert_null(strpbrk(text_string(&shown->text), "\033\a"));
        assert_null(strstr(text_string(&shown->text), "\x80"));
        assert_non_null(strstr(text_string(&shown->text), "[2Jevil"));
        assert_null(strstr(text_string(&shown->text), "nan"));
    }
    json_t *json = fields_json(&clocks_analysis, &shown->run, &shown->run);
    char *said = json_dumps(json, 0);
    assert_non_null(said);
    free(said);
    json_decref(json);
}

TEST_WITH(narrow_places_are_not_left, start, end)
{
    struct shown *shown = *state;
    static const size_t widths[] = {80, 100, 132};
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
        put(shown, widths[i]);
        for (char *at = shown->text.bytes; *at; at += *at == '\n') {
            char *line_end = at + strcspn(at, "\n");
            const char kept = *line_end;
            *line_end = '\0';
            assert_true(utf8_columns(at) <= widths[i]);
            *line_end = kept;
            at = line_end;
        }
    }
}

TEST(where_nothing_can_be_read_the_reason_is_the_answer)
{
    struct shown shown = {0};
    built_begin(&shown.world, 1, 1);
    built_usual_clocks(&shown.world);
    struct clock_absence absence = {.what = memory_copy("tsc"),
                                    .reason = memory_copy("reading it is forbidden here")};
    shown.world.file.absences = &absence;
    shown.world.file.absence_count = 1;
    judge(&shown);
    put(&shown, 100);
    assert_non_null(strstr(text_string(&shown.text), "No clock was read."));
    assert_non_null(strstr(text_string(&shown.text), "tsc: reading it is forbidden here"));
    json_decref(clocks_figures(&shown.run));
    text_free(&shown.text);
}

TEST(figures_tell_what_they_know)
{
    static const struct {
        double value;
        const char *ratio, *ppm;
    } all[] = {{1.0000021, "1.000002", "+1.0"},
               {0.0003, "0.0003", "0.0"},
               {3.4, "3.4", "+3.4"},
               {-120, "-120", "-120"},
               {NAN, "-", "-"},
               {12345, "1.234e+04", "+12,300"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        char words[NUMBER_SIZE];
        clocks_ratio(all[i].value, words, sizeof(words));
        assert_string_equal(words, all[i].ratio);
        clocks_ppm(all[i].value, words, sizeof(words));
        assert_string_equal(words, all[i].ppm);
    }
}
