/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` shows of a report: the answer first, a row for each event and setting, which
 * control did it, why runs and sources differ, lines that fit, and nothing that a terminal obeys.
 */
#include "case.h"
#include "output/table.h"
#include "repeat-shown.h"
#include "studies/repeat/parts.h"

/* As a reader takes it: a paragraph's further lines go on in the first. */
static bool says(const struct shown *shown, const char *words)
{
    AUTO_TEXT struct text flat = {0};
    for (const char *at = text_string(&shown->text); *at; at++) {
        bool goes_on = strncmp(at, "\n  ", 3) == 0 && at[3] != ' ';
        text_putc(&flat, goes_on ? ' ' : *at);
        at += goes_on ? 2 : 0;
    }
    return strstr(text_string(&flat), words) != NULL;
}

static void expect(const struct shown *shown, const char *words)
{
    if (!says(shown, words))
        fail_msg("'%s' is not in:\n%s", words, text_string(&shown->text));
}

static void expect_not(const struct shown *shown, const char *words)
{
    if (says(shown, words))
        fail_msg("'%s' is in:\n%s", words, text_string(&shown->text));
}

/* A line that begins with `start` is exactly this, blanks squeezed. */
static void expect_line(const struct shown *shown, const char *start, const char *wanted)
{
    const char *at = text_string(&shown->text);
    for (; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n')) {
        char squeezed[512];
        size_t length = 0, end = strcspn(at, "\n");
        for (size_t i = 0; i < end && length < sizeof(squeezed) - 1; i++)
            if (at[i] != ' ' || (length && squeezed[length - 1] != ' '))
                squeezed[length++] = at[i];
        squeezed[length] = '\0';
        if (strncmp(squeezed, start, strlen(start)) == 0) {
            assert_string_equal(squeezed, wanted);
            return;
        }
    }
    fail_msg("no line begins with '%s':\n%s", start, text_string(&shown->text));
}

static void expect_to_fit(const struct shown *shown, size_t width)
{
    for (const char *text = text_string(&shown->text); *text;) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        assert_true(length < sizeof(line));
        memcpy(line, text, length);
        line[length] = '\0';
        if (utf8_columns(line) > width)
            fail_msg("too long for %zu: %s", width, line);
        text += length + (text[length] == '\n');
    }
}

static int start_rich(void **state)
{
    static struct shown shown;
    setenv("LC_ALL", "C", 1);
    shown_build_rich(&shown);
    *state = &shown;
    return 0;
}

static int end(void **state)
{
    shown_end(*state);
    return 0;
}

TEST_WITH(the_answer_comes_first, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect(shown,
           "perl hash.pl, counted as step/instructions/: as-is it varies by 0.65 % (12 runs), "
           "controlled 12 of 12 runs identical; hash-seeds and aslr did it, both are "
           "needed.");
    assert_ptr_equal(strstr(text_string(&shown->text), "perl hash.pl, counted as"),
                     text_string(&shown->text));
}

TEST_WITH(every_event_has_a_row_for_each_setting, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect_line(shown, "step/instructions/ as-is",
                "step/instructions/ as-is 1,318,662 8,604 0.65 4 of 12");
    expect_line(shown, "controlled", "controlled 1,318,002 0 0 12 of 12");
    expect_line(shown, "qemu/instructions/ as-is",
                "qemu/instructions/ as-is 1,318,662 8,604 0.65 4 of 12");
}

TEST_WITH(what_faults_add_is_taken_out_beside_it, start_rich, end)
{
    struct shown *shown = *state;
    struct repeat_row *row = &shown->run.report.rows[0];
    row->is_adjusted = true;
    row->adjusted_cv_percent = 0.021;
    row->residual = 0.4;
    row->residual_low = -1;
    row->residual_high = 2;
    shown_put(shown, 120);
    expect_line(shown, "step/instructions/ as-is",
                "step/instructions/ as-is 1,318,662 8,604 0.65 4 of 12 0.021 +0.4 (-1 to +2)");
    shown_put(shown, 70);
    expect_line(shown, "step/instructions/ as-is",
                "step/instructions/ as-is 1,318,662 0.65 4 of 12 0.021");
}

TEST_WITH(controls_that_do_nothing_share_a_line, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 120);
    expect(shown, "Which control brings what: step/instructions/\n");
    expect_line(shown, "hash-seeds 0", "hash-seeds 0.83 84 % (-20 to 20) 0 0 % (0 to 0) brings it");
    expect_line(shown, "environment ",
                "environment 0.83 1 % (-20 to 20) 0 0 % (0 to 0) -312 moves it");
    expect(shown, "Nothing beyond chance by: argv0, directory, cpu, stack, stdin, tunables\n");
    expect_not(shown, "layout");
    shown->options.study.all = true;
    shown_put(shown, 120);
    expect_line(shown, "argv0 ", "argv0 0.83 1 % (-20 to 20) 0 0 % (0 to 0) nothing");
    expect_not(shown, "Nothing beyond chance");
    shown_put(shown, 80);
    expect_line(shown, "hash-seeds 0", "hash-seeds 0.83 84 % 0 0 % brings it");
}

TEST_WITH(a_sweep_that_matters_is_plotted, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect(shown, "- env, step/instructions/: one instruction more for each byte\n");
    expect(shown, "Across: bytes more in the environment; up: counts beyond 1,318,002\n");
    shown->run.report.sweeps[0].matters = false;
    shown_put(shown, 100);
    expect_not(shown, "Across:");
}

TEST_WITH(what_parted_runs_stands_before_what_may, start_rich, end)
{
    struct shown *shown = *state;
    struct repeat_seen parted = shown->run.report.seen[0];
    shown->run.report.seen[0] = shown->run.report.seen[1];
    shown->run.report.seen[1] = parted;
    shown_put(shown, 100);
    expect(shown, "- random: getrandom gave other bytes at call 12 of 340\n- time (may part runs): "
                  "clock_gettime is asked 3 times\n");
}

TEST_WITH(sources_stand_side_by_side_with_reasons, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 110);
    expect_line(shown, "qemu 1,319,002",
                "qemu 1,319,002 1,000 1,318,002 step -312 cpuid -300, unexplained -12");
    expect(shown, "- qemu, cpuid: strlen (libc.so.6) -300\n");
}

TEST_WITH(what_the_system_adds_has_its_interval, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect(shown, "- a page-fault adds 1.00 (0.980 to 1.02) instructions:u, by 96 runs of 3 "
                  "programs; standard deviation that is left 0.4\n");
    expect_not(shown, "too few were seen");
    shown->options.study.all = true;
    shown_put(shown, 100);
    expect(shown, "- what an interrupt adds to instructions:u is not known: too few were seen\n");
}

TEST_WITH(subjects_are_shown_only_when_all_is, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect_not(shown, "subject:loop");
    shown->options.study.all = true;
    shown_put(shown, 120);
    expect_line(shown, "subject:loop ",
                "subject:loop step/instructions/ as-is 1,318,662 8,604 0.65 4 of 12");
}

/* What a person asked for is theirs, even if it is of the kit. */
TEST(a_subject_alone_is_the_answer)
{
    struct shown shown;
    shown_start(&shown);
    repeat_build_machine(&shown.builder, "CPU", "0123");
    repeat_build_subject(&shown.builder, "loop", 1000, "M8", 3004, 64);
    repeat_build_subject(&shown.builder, "spin", 9, "M7", -1, 64);
    shown_source(&shown, 0, "step", "Nothing varies.");
    shown_source(&shown, 1, "step", "Another.");
    shown_put(&shown, 100);
    expect(&shown, "subject:loop 1000, counted as step/instructions/: as-is");
    expect_not(&shown, "subject:spin");
    /* Nobody named a command: all of them are. */
    shown.run.status = -1;
    shown_put(&shown, 100);
    expect(&shown, "2 programs: as-is they vary");
    expect(&shown, "\nsubject:spin ");
    shown_end(&shown);
}

TEST(a_suite_has_a_line_for_each_program)
{
    struct shown shown;
    shown_build_suite(&shown);
    shown.run.report.rows[2].cv_percent = 1.07;
    shown.run.report.effects[1].parts[CONTROL_ASLR].is_needed = true;
    shown.run.report.effects[1].parts[CONTROL_HASH_SEEDS].brings = true;
    shown_put(&shown, 100);
    expect(&shown, "3 programs: as-is they vary by up to 1.1 % (gzip), controlled not at all; 3 of "
                   "3 identical in every controlled run.");
    expect_line(&shown, "gzip ", "gzip 1,318,662 1.1 4 of 12 0 12 of 12 aslr, hash-seeds");
    expect_not(&shown, "Which control brings what");
    /* One execution is no repetition. */
    shown.run.report.rows[shown.run.report.effects[1].controlled].runs = 1;
    shown_put(&shown, 100);
    expect(&shown, "2 of 2 identical in every controlled run; 1 executed once only.");
    for (size_t i = 0; i < shown.run.report.row_count; i++)
        shown.run.report.rows[i].runs = 1;
    shown_put(&shown, 100);
    expect(&shown,
           "3 programs: as-is none was executed twice, controlled none was executed twice.");
    for (size_t width = 80; width <= 120; width += 20) {
        shown_put(&shown, width);
        expect_to_fit(&shown, width);
    }
    shown.options.study.all = true;
    shown_put(&shown, 120);
    expect(&shown, "Which control brings what: gzip, step/instructions/");
    shown_end(&shown);
}

TEST_WITH(machines_stand_side_by_side, start_rich, end)
{
    struct shown *shown = *state;
    const struct repeat_way as_is = {.machine = 1, .source = "step"};
    const struct repeat_way controlled = {.machine = 1, .source = "step", .controls = CONTROLS_ALL};
    uint64_t counts[12];
    for (size_t i = 0; i < 12; i++)
        counts[i] = 1318009;
    repeat_build_machine(&shown->builder, "CPU two", "fedc");
    const size_t before = shown_row(shown, &as_is, shown_varied, 12);
    shown_effect(shown, before, shown_row(shown, &controlled, counts, 12), "Nobody.");
    shown_put(shown, 120);
    expect(shown, "The same program on several machines, controlled\n");
    expect_line(shown, "CPU two step/", "CPU two step/instructions/ 1,318,009 12 of 12 +7");
}

TEST_WITH(how_the_command_ended_is_said, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect_not(shown, "The command ");
    shown->run.status = 3;
    shown_put(shown, 100);
    expect(shown, "The command ended with status 3, which is assay's status too.");
    shown->run.status = (int)STATUS_TIMEOUT + 9;
    shown->options.timeout = 10000;
    shown_put(shown, 100);
    expect(shown, "The command did not end within 10 s, and was killed by SIGKILL");
}

TEST_WITH(few_runs_are_remarked, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect_not(shown, "runs of the paper");
    shown->run.report.rows[0].runs = 6;
    shown_put(shown, 100);
    expect(shown, "With fewer than the 7 runs of the paper (here 6)");
}

TEST_WITH(executions_that_failed_have_their_reason, start_rich, end)
{
    struct shown *shown = *state;
    struct repeat_cell *cell = &shown->builder.file.cells[2];
    cell->failed = 12;
    cell->reason = repeat_built_copy("it executes another program, which qemu cannot follow");
    shown_put(shown, 100);
    expect(shown, "perl by qemu: it executes another program, which qemu cannot follow");
    expect(shown, "instructions:u: there is no hardware PMU");
}

TEST_WITH(it_fits_and_stays_short, start_rich, end)
{
    struct shown *shown = *state;
    for (size_t width = 80; width <= 160; width += 10) {
        shown_put(shown, width);
        expect_to_fit(shown, width);
    }
    size_t lines = 0;
    shown_put(shown, 100);
    for (const char *at = text_string(&shown->text); *at; at++)
        lines += *at == '\n';
    assert_true(lines <= 75);
}

TEST(anything_that_is_known_may_be_missing)
{
    struct shown shown;
    shown_build_unknown(&shown);
    for (int all = 0; all < 2; all++) {
        shown.options.study.all = all;
        shown_put(&shown, 100);
        expect_not(&shown, "nan");
        expect_not(&shown, "inf ");
    }
    shown_end(&shown);
}

TEST(where_nothing_can_be_counted_the_reason_is_the_answer)
{
    struct shown shown;
    shown_build_absent(&shown);
    shown_put(&shown, 100);
    expect(&shown, "Nothing could be counted.");
    expect(&shown, "step, qemu, valgrind: ptrace is forbidden here");
    shown_end(&shown);
}

/* Names come from people, reasons from machines. */
TEST_WITH(a_hostile_name_moves_no_cursor, start_rich, end)
{
    struct shown *shown = *state;
    struct repeat_program *program = &shown->builder.file.programs[0];
    program->name = repeat_built_copy("\033[2Jevil\n\x80");
    program->words = repeat_built_copy("\033[2Jevil\n\x80");
    snprintf(shown->run.report.effects[0].who, 100, "\033[31m");
    snprintf(shown->run.report.seen[0].evidence, 100, "\033]0;x\a");
    snprintf(shown->run.report.sweeps[0].what, 100, "\033[32m");
    snprintf(shown->run.report.alignments[0].reasons[0].words, 100, "\033[33m");
    shown->builder.file.cells[0].event[0] = repeat_built_copy("\033[34m");
    for (int all = 0; all < 2; all++) {
        shown->options.study.all = all;
        shown_put(shown, 100);
        assert_null(strchr(text_string(&shown->text), '\033'));
        assert_null(strchr(text_string(&shown->text), '\a'));
        assert_null(strstr(text_string(&shown->text), "\x80"));
    }
    expect(shown, "[2Jevil");
}

/* --- words --- */

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
