/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` shows of things that no recorded store has: names that a terminal would obey,
 * narrow places, and every part of the report at once. Wording is for the goldens. */
#include "output/table.h"
#include "repeat-builder.h"
#include "studies/repeat/parts.h"

struct shown {
    struct repeat_builder builder;
    struct repeat_options options;
    struct facts facts;
    struct repeating run;
    struct text text;
};

/* Faults that a counter of the CPU has too many, by two events of one class. */
static void build_faults(struct repeat_builder *builder, size_t machine, size_t program)
{
    const struct repeat_way way = {.machine = machine,
                                   .program = program,
                                   .controls = CONTROLS_ALL,
                                   .events = {"instructions:u", "INST_RETIRED:u"}};
    const size_t cell = repeat_build_cell(builder, &way);
    for (uint64_t run = 0; run < 12; run++)
        repeat_build_run(builder, cell, (uint64_t[]){3004 + run, 3005 + run})
            ->account.minor_faults = run;
}

/* A program that a hash seed moves and the environment shifts, on two machines, by two sources that
 * differ, watched, swept; and a subject. */
static void build(struct shown *shown, const char *name)
{
    static const char *const sources[] = {"step", "qemu"};
    struct repeat_builder *builder = &shown->builder;
    const struct repeat_planted planted = {.varies[CONTROL_HASH_SEEDS] = 3000,
                                           .shifts[CONTROL_ENVIRONMENT] = -300};
    memset(shown, 0, sizeof(*shown));
    repeat_build_start(builder, 7);
    repeat_build_program(builder, name, name);
    repeat_build_subject(builder, "loop", 1000, "M8", 3004, 64);
    repeat_build_absence(builder, "valgrind", name, 1);
    for (size_t machine = 0; machine < 2; machine++) {
        repeat_build_machine(builder, name, machine ? "a" : "b");
        for (size_t source = 0; source < 2; source++) {
            struct repeat_way way = {.machine = machine, .source = sources[source], .raw = true};
            repeat_build_settings(builder, &way, &planted, true);
            way.controls = CONTROLS_ALL;
            way.detail = DETAIL_CODE;
            const size_t code = repeat_build_cell(builder, &way);
            repeat_build_function(builder, code, "/lib/libc.so.6", name, 100 + source, 0);
        }
        struct repeat_way way = {.machine = machine, .source = "step", .controls = CONTROLS_ALL};
        way.sweep = SWEEP_ENVIRONMENT;
        for (way.swept = 0; way.swept < 4096; way.swept += 512)
            repeat_build_same(builder, repeat_build_cell(builder, &way), 1000000 + way.swept, 2);
        way = (struct repeat_way){.machine = machine, .source = "step", .detail = DETAIL_CALLS};
        const size_t calls = repeat_build_cell(builder, &way);
        for (uint64_t run = 0; run < 2; run++) {
            repeat_build_run(builder, calls, (uint64_t[]){9, 9});
            repeat_build_call(builder, calls, 0, "read", name, 9, 9, run);
        }
        build_faults(builder, machine, 1);
    }
    shown->run = (struct repeating){.file = builder->file,
                                    .status = 3,
                                    .studying = {.options = &shown->options.study,
                                                 .given = &shown->options.study,
                                                 .facts = &shown->facts,
                                                 .stored = "/somewhere/run.sqlite"}};
    repeat_judge(&shown->run.file, 1, &shown->run.report);
}

static const char *put(struct shown *shown, size_t width, bool all)
{
    const struct style style = {.width = width};
    shown->options.study.all = all;
    text_clear(&shown->text);
    repeat_put_report(&shown->run, &style, &shown->text);
    return text_string(&shown->text);
}

static void end(struct shown *shown)
{
    repeat_build_end(&shown->builder);
    text_free(&shown->text);
}

TEST(every_part_is_shown_and_lines_fit)
{
    static const char *const parts[] = {"Which control brings what",
                                        "What the count depends on",
                                        "Why it is not the same",
                                        "Sources side by side",
                                        "What the operating system",
                                        "The proper counter",
                                        "on several machines",
                                        "Findings of the paper",
                                        "Could not be measured",
                                        "hash-seeds",
                                        "status 3"};
    struct shown shown;
    build(&shown, "perl");
    const char *all = put(&shown, 160, true);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (!strstr(all, parts[i]))
            fail_msg("'%s' is not in:\n%s", parts[i], all);
    for (size_t width = 80; width <= 160; width += 20)
        for (const char *at = put(&shown, width, false); *at; at += strcspn(at, "\n") + 1) {
            AUTO_TEXT struct text line = {0};
            text_append(&line, at, strcspn(at, "\n"));
            if (utf8_columns(text_string(&line)) > width)
                fail_msg("too long for %zu: %s", width, text_string(&line));
        }
    json_t *figures = repeat_figures(&shown.run), *figure;
    size_t i;
    assert_true(json_array_size(figures) >= 9);
    json_array_foreach(figures, i, figure)
        assert_true(json_array_size(json_object_get(figure, "rows")) > 0);
    json_decref(figures);
    end(&shown);
}

/* Names come from people, reasons from machines. */
TEST(a_hostile_name_moves_no_cursor)
{
    struct shown shown;
    build(&shown, "\033[2Jevil\n\a\x80");
    for (int all = 0; all < 2; all++) {
        const char *text = put(&shown, 100, all);
        assert_null(strpbrk(text, "\033\a\x80"));
        assert_non_null(strstr(text, "[2Jevil"));
    }
    json_t *analysis = fields_json(&repeat_analysis, &shown.run, &shown.run);
    assert_non_null(json_object_get(analysis, "effects"));
    json_decref(analysis);
    end(&shown);
}

TEST(where_nothing_can_be_counted_the_reason_is_the_answer)
{
    struct shown shown;
    build(&shown, "perl");
    shown.run.file.cell_count = shown.run.file.program_count = 0;
    repeat_judge(&shown.run.file, 1, &shown.run.report);
    assert_non_null(strstr(put(&shown, 100, false), "Nothing could be counted."));
    end(&shown);
}

TEST(percents_have_digits_that_say_something)
{
    static const struct {
        double percent;
        const char *words;
    } percents[] = {{0, "0"},   {0.834, "0.83"}, {1.07, "1.1"},     {0.00123, "0.0012"},
                    {NAN, "-"}, {123.4, "123"},  {4.2e-9, "4e-09"}, {22, "22"}};
    for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++)
        assert_string_equal(REPEAT_PERCENT(percents[i].percent), percents[i].words);
}
