/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` shows of a report: every part where there is something, a line with the reason
 * where there is nothing, columns that fit, and JSON without a number that does not exist. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "error-builder.h"
#include "output/table.h"
#include "studies/error/parts.h"

static struct study_options options;

static double by_way(const struct error_cell *cell, void *context)
{
    (void)context;
    return (strcmp(cell->path, "papi-low") == 0 ? 100 : 30) + 10 * (double)cell->pattern +
           4 * (double)(cell->counters - 1);
}

/* A machine with counters: measured and stepped windows, a loop, places. */
static void build_rich(struct error_builder *builder)
{
    static const char *const paths[] = {"perf-read", "papi-low", NULL};
    static const char *const opts[] = {"O0", "O2", NULL};
    static const char *const links[] = {"static", "lazy", NULL};
    static const char *const events[] = {"instructions:u", "instructions:uk", "msr/tsc/", NULL};
    static const uint32_t counters[] = {1, 2, 4, 0};
    error_builder_start(builder, 7);
    struct error_way way = {.effect = by_way, .runs = 3, .run_noise = 1, .first = 700};
    struct error_crossing crossing = {.events = events,
                                      .paths = paths,
                                      .opts = opts,
                                      .links = links,
                                      .counters = counters,
                                      .patterns = ERROR_ALL_PATTERNS};
    build_error_crossing(builder, &crossing, &way);
    static const char *const stepped[] = {"step/instructions/", NULL};
    crossing.events = stepped;
    way.part = PART_STEPPED;
    way.run_noise = 0;
    way.processes = 2;
    build_error_crossing(builder, &crossing, &way);
    for (uint64_t n = 1; n <= 1000000; n *= 100)
        build_error_cell(builder, &(struct error_way){.part = PART_DURATION,
                                                      .specimen = "loop",
                                                      .n = n,
                                                      .has_truth = true,
                                                      .truth = (int64_t)(1 + 3 * n),
                                                      .error = 30});
    for (int64_t offset = 0; offset < 64; offset++)
        build_error_cell(builder, &(struct error_way){.part = PART_PLACEMENT,
                                                      .event = "clock/ticks/",
                                                      .kind = "source",
                                                      .path = "clock",
                                                      .specimen = "placed",
                                                      .placed = true,
                                                      .offset = offset,
                                                      .n = 1000,
                                                      .error = offset > 55 ? 2000 : 1000,
                                                      .processes = 4,
                                                      .times = true});
}

static void build_poor(struct error_builder *builder)
{
    error_builder_start(builder, 7);
    build_error_absence(builder, "instructions:u", ENOENT, "this machine has no counters");
    build_error_absence(builder, "cycles:u", ENOENT, "this machine has no counters");
}

struct shown {
    struct error_builder builder;
    struct error_run run;
    struct facts facts;
    struct text text;
};

static void judge_and_put(struct shown *shown, void (*build)(struct error_builder *), size_t width)
{
    const struct style style = {.width = width};
    build(&shown->builder);
    shown->run = (struct error_run){.studying = {.options = &options,
                                                 .given = &options,
                                                 .seed = 5,
                                                 .facts = &shown->facts,
                                                 .complete = true,
                                                 .seconds = 1.5}};
    shown->run.file = shown->builder.file;
    assert_int_equal(facts_set(&shown->facts, "isa", "x86_64", 0), 0);
    shown->run.report = error_judge(&shown->run.file, 1);
    error_put_report(&shown->run, &style, &shown->text);
    assert_false(shown->text.failed);
}

static void release(struct shown *shown)
{
    facts_free(&shown->facts);
    text_free(&shown->text);
}

static void expect(const struct shown *shown, const char *words)
{
    if (!strstr(text_string(&shown->text), words))
        fail_msg("'%s' is not in:\n%s", words, text_string(&shown->text));
}

/* Commands to copy and names of files may be longer than a line. */
static void expect_to_fit(const struct shown *shown, size_t width)
{
    const char *text = text_string(&shown->text);
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        assert_true(length < sizeof(line));
        memcpy(line, text, length);
        line[length] = '\0';
        if (utf8_columns(line) > width && !strstr(line, "fix: "))
            fail_msg("too long for %zu: %s", width, line);
        text += length + 1;
    }
}

TEST(every_part_is_shown)
{
    struct shown shown = {0};
    judge_and_put(&shown, build_rich, 80);
    static const char *const parts[] = {
        "measurements in",
        "What to do",
        "Table 3",
        "Null error of instructions:u\n",
        "Null error of instructions:uk, best pattern of each path\n",
        "Which factors matter",
        "What each further counter adds",
        "Measured against stepped",
        "What each iteration of a loop adds",
        "The same loop at other places",
        "More events than counters",
        "Whole commands under perf stat",
        "seed 5",
    };
    const char *last = text_string(&shown.text);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        expect(&shown, parts[i]);
        const char *at = strstr(text_string(&shown.text), parts[i]);
        assert_true(i == 0 || at >= last || strstr(parts[i], "Null error"));
        last = at;
    }
    release(&shown);
}

TEST(lines_fit_every_width)
{
    for (size_t width = 80; width <= 200; width += 40) {
        struct shown shown = {0};
        judge_and_put(&shown, build_rich, width);
        expect_to_fit(&shown, width);
        release(&shown);
    }
}

/* Findings and counters take a line each; who wants reasons and every number asks for all. */
TEST(reasons_and_numbers_come_with_all)
{
    static const char *const only_with_all[] = {"median by number", "decides, the",
                                                "Null error of instructions:uk\n"};
    for (int all = 0; all < 2; all++) {
        struct shown shown = {0};
        options.all = all;
        judge_and_put(&shown, build_rich, 80);
        options.all = false;
        const char *text = text_string(&shown.text);
        for (size_t i = 0; i < sizeof(only_with_all) / sizeof(*only_with_all); i++)
            if ((strstr(text, only_with_all[i]) != NULL) != (all != 0))
                fail_msg("--all %d and '%s':\n%s", all, only_with_all[i], text);
        expect(&shown, all ? "\nZ8 the error in user mode" : "\nZ8 holds, ");
        release(&shown);
    }
}

TEST(without_utf_8_all_is_ascii)
{
    void (*const builds[])(struct error_builder *) = {build_rich, build_poor};
    for (int i = 0; i < 4; i++) {
        struct shown shown = {0};
        options.all = i & 1;
        judge_and_put(&shown, builds[i / 2], 80);
        options.all = false;
        for (const char *at = text_string(&shown.text); *at; at++)
            if ((unsigned char)*at > 127)
                fail_msg("not ASCII: %.80s", at);
        release(&shown);
    }
}

TEST(a_machine_without_counters_says_why)
{
    struct shown shown = {0};
    judge_and_put(&shown, build_poor, 80);
    expect(&shown, "this machine has no counters");
    expect(&shown, "instructions:u, cycles:u: this machine has no counters");
    expect_to_fit(&shown, 80);
    release(&shown);
}

static void build_hostile(struct error_builder *builder)
{
    static const char *const paths[] = {"\033[2Jread", "\xff\xfe", NULL};
    static const char *const links[] = {"\033]0;x\007", "lazy", NULL};
    static const uint32_t counters[] = {1, 2, 0};
    error_builder_start(builder, 3);
    for (int stepped = 0; stepped < 2; stepped++) {
        struct error_way way = {.part = stepped ? PART_STEPPED : PART_NULL,
                                .effect = by_way,
                                .first = 5,
                                .runs = 3,
                                .error = stepped};
        struct error_crossing crossing = {
            .paths = paths, .links = links, .counters = counters, .patterns = ERROR_ALL_PATTERNS};
        build_error_crossing(builder, &crossing, &way);
    }
    build_error_absence(builder, "\033[31mevent", ENOENT, "because\033[0m");
    build_error_cell(builder, &(struct error_way){.part = PART_TOOL,
                                                  .path = "\033[1mtool",
                                                  .specimen = "\033[1mnull",
                                                  .event = "\033[1mfaults"});
}

TEST(a_hostile_store_moves_no_cursor)
{
    for (int all = 0; all < 2; all++) {
        struct shown shown = {0};
        options.all = all;
        judge_and_put(&shown, build_hostile, 80);
        options.all = false;
        assert_null(strchr(text_string(&shown.text), '\033'));
        assert_null(strchr(text_string(&shown.text), 0xff));
        assert_null(strchr(text_string(&shown.text), '\007'));
        expect(&shown, "\\x1b[2Jread");
        json_t *results = error_results_json(&shown.run);
        assert_int_equal(json_array_size(results), shown.run.report.row_count);
        json_decref(results);
        release(&shown);
    }
}

TEST(rows_have_their_factors_in_json)
{
    struct shown shown = {0};
    judge_and_put(&shown, build_rich, 80);
    json_t *results = error_results_json(&shown.run);
    assert_int_equal(json_array_size(results), shown.run.report.row_count);
    json_t *row = json_array_get(results, 0);
    static const char *const keys[] = {
        "event", "path",      "pattern", "counters", "opt",    "link",   "specimen", "n",
        "runs",  "processes", "min",     "q1",       "median", "q3",     "max",      "stepped",
        "mode",  "part",      "truth",   "first",    "later",  "others", "separate"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        assert_non_null(json_object_get(row, keys[i]));
    assert_int_equal(json_integer_value(json_object_get(row, "processes")), 20);
    assert_string_equal(json_string_value(json_object_get(row, "mode")), "u");
    json_decref(results);
    release(&shown);
}

/* No number in it is infinite or no number: Jansson would refuse, and the key would be missing. */
static void expect_reasons(const json_t *value)
{
    const char *key;
    json_t *member;
    for (size_t i = 0; i < json_array_size(value); i++)
        expect_reasons(json_array_get(value, i));
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        char reason[80];
        snprintf(reason, sizeof(reason), "%s_reason", key);
        if (json_is_null(member) && strcmp(key, "others") != 0 && strcmp(key, "note") != 0 &&
            strcmp(key, "store") != 0 && !json_string_value(json_object_get(value, reason)))
            fail_msg("%s is null without a reason", key);
        expect_reasons(member);
    }
}

TEST(numbers_that_do_not_exist_have_a_reason)
{
    void (*const builds[])(struct error_builder *) = {build_rich, build_poor};
    for (size_t i = 0; i < 2; i++) {
        struct shown shown = {0};
        judge_and_put(&shown, builds[i], 80);
        struct error_report *report = &shown.run.report;
        if (report->effect_count)
            report->effects[0].f = INFINITY;
        json_t *analysis = error_analysis_json(&shown.run);
        json_t *results = error_results_json(&shown.run);
        expect_reasons(analysis);
        expect_reasons(results);
        static const char *const keys[] = {
            "measurements", "cells",     "seconds",      "best",   "table3",   "anova",
            "models",       "slopes",    "by_size",      "ticks",  "counters", "choices",
            "stepped",      "placement", "multiplexing", "advice", "doctor"};
        for (size_t j = 0; j < sizeof(keys) / sizeof(*keys); j++)
            assert_non_null(json_object_get(analysis, keys[j]));
        assert_int_equal(json_array_size(json_object_get(analysis, "table3")), 12);
        json_decref(analysis);
        json_decref(results);
        release(&shown);
    }
}
