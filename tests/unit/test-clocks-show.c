/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay clocks` shows of a report: the answer first, every clock in its row, who is whom in
 * other clothes, columns that fit, and nothing that a terminal obeys. */
#include "case.h"
#include "clocks-shown.h"
#include "output/table.h"
#include "studies/clocks/parts.h"

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
           "- Not falsifiable here: tsc, rdtscp, monotonic-raw, monotonic: nothing was wrong, "
           "but nothing here is independent that could have shown it.");
    expect(shown, "- CPU time only: task-clock, thread-cputime:");
    expect(shown, "- Not dependable: monotonic-coarse (coarse-steps).");
    expect_not(shown, "Dependable:");
    const char *text = text_string(&shown->text);
    assert_true(strstr(text, "Not falsifiable here:") < strstr(text, "clock  "));
}

/* Cheap before dear within a trust, and cost apart from resolution. */
TEST_WITH(every_clock_has_a_row, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 110);
    expect_line(shown, "tsc ",
                "tsc not falsifiable here 25 9.6 ns 10 ns 1.000002 sleep <62 ns +0.3 +-0.2");
    expect_line(shown, "monotonic-coarse ",
                "monotonic-coarse not dependable 14 5.4 ns 4 ms 0.8 sleep <62 ns +0.3 +-0.2");
    expect_line(shown, "thread-cputime ",
                "thread-cputime cpu-time only 1,374 528 ns 1 ns 0.0012 sleep <62 ns +0.3 +-0.2");
    expect_not(shown, "\ncpu ");
}

TEST_WITH(a_narrow_place_has_the_trust_above_its_clocks, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 80);
    expect_line(shown, "tsc ", "tsc 9.6 ns 10 ns 1.000002 sleep <62 ns +0.3 +-0.2");
    expect(shown, "\nnot falsifiable here\n");
    expect_to_fit(shown, 80);
    shown->run.report.rows[0].handover = true;
    shown_put(shown, 80);
    expect_line(shown, "tsc ", "tsc 9.6 ns 10 ns 1.000002 sleep, handed <62 ns +0.3 +-0.2");
    shown_put(shown, 70);
    expect_line(shown, "tsc ", "tsc 9.6 ns 10 ns 1.000002 sleep, handed <62 ns +0.3");
}

/* A fault that no shown clock has is worth a place beside them. */
TEST_WITH(a_clock_at_fault_is_plotted, start_rich, end)
{
    struct shown *shown = *state;
    struct clock_verdict *verdicts = shown->run.report.verdicts;
    verdicts[SHOWN_COARSE].fault = FAULT_WRONG_RATE;
    shown_put(shown, 100);
    expect(shown, "+ monotonic-coarse  ");
    expect(shown, "- Not dependable: monotonic-coarse (wrong-rate).");
    verdicts[SHOWN_TSC].trust = verdicts[SHOWN_RDTSCP].trust = TRUST_NOT_DEPENDABLE;
    verdicts[SHOWN_TSC].fault = verdicts[SHOWN_RDTSCP].fault = FAULT_WRONG_RATE;
    shown_put(shown, 100);
    expect_not(shown, "+ monotonic-coarse  ");
    expect(shown, "- Not dependable: monotonic-coarse, tsc, rdtscp (wrong-rate).");
}

TEST_WITH(a_persons_own_clock_comes_first, start_rich, end)
{
    struct shown *shown = *state;
    shown->run.file.clocks[SHOWN_COARSE].external = true;
    for (size_t width = 80; width <= 120; width += 40) {
        shown_put(shown, width);
        const char *text = text_string(&shown->text);
        const char *own = strstr(text, width == 80 ? "\n monotonic-coarse" : "\nmonotonic-coarse");
        const char *other = strstr(text, width == 80 ? "\n tsc " : "\ntsc ");
        assert_non_null(own);
        assert_non_null(other);
        assert_true(own < other);
    }
    expect(shown, "o monotonic-coarse  x tsc  ");
    shown_put(shown, 80);
    expect(shown, "\nYOUR OWN\nnot dependable\n monotonic-coarse ");
    expect(shown, "\nTHE MACHINE'S\nnot falsifiable here\n tsc ");
}

TEST_WITH(others_in_the_same_clothes_are_named, start_rich, end)
{
    struct shown *shown = *state;
    struct clock_same *same = shown->run.report.same;
    shown_put(shown, 100);
    expect(shown,
           "- monotonic-raw is tsc in other clothes: never parted by more than 31 ns in 97 s\n");
    /* One that was compared and is another wears its own. */
    same[SHOWN_COARSE] = (struct clock_same){.known = true, .with = SHOWN_TSC, .parted_ns = 4e6};
    shown->options.study.all = true;
    shown_put(shown, 100);
    expect(shown,
           "- monotonic-raw is tsc in other clothes: never parted by more than 31 ns in 97 s "
           "(two oscillators would have to agree to 0.32 ppb)");
}

TEST_WITH(of_two_copies_of_each_other_one_is_named, start_rich, end)
{
    struct shown *shown = *state;
    struct clock_same *same = shown->run.report.same;
    same[SHOWN_TSC] = (struct clock_same){.known = true, .same = true, .with = SHOWN_RAW};
    same[SHOWN_MONOTONIC] = (struct clock_same){.known = true, .same = true, .with = SHOWN_TSC};
    shown_put(shown, 100);
    expect(shown, "- monotonic, monotonic-raw are tsc in other clothes");
    expect_not(shown, "tsc is monotonic-raw");
}

TEST_WITH(a_reason_stands_by_each_clock_that_is_not_fine, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect(shown,
           "- monotonic-coarse: it moves in steps of 4 ms, so 20 ms come out between 16 and 24\n");
    expect_not(shown, "right over computation, 0.0012 over sleep");
    expect_not(shown, "nothing was wrong\n");
    /* A clock that claims to go on, and does not, needs one. */
    shown->run.file.clocks[SHOWN_THREAD].role = ROLE_WALL;
    shown_put(shown, 100);
    expect(shown, "- thread-cputime: right over computation, 0.0012 over sleep");
}

TEST_WITH(claims_stand_beside_the_reference, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect(shown,
           "- Reference: monotonic-raw, which is made of the tsc: a clock of another make could "
           "falsify it\n");
    expect(shown, "- Claimed: clocksource tsc (available: tsc acpi_pm); flags of the CPU: "
                  "constant_tsc nonstop_tsc; tsc claims 2595 MHz\n");
    shown->run.file.clocks[SHOWN_TSC].hz = shown->run.file.clocks[SHOWN_RDTSCP].hz = 0;
    shown_put(shown, 100);
    expect(shown, "; nobody says how fast tsc runs\n");
}

/* The paper's figure has clocks that differ, not copies of one. */
TEST_WITH(the_plot_shows_clocks_that_differ, start_rich, end)
{
    struct shown *shown = *state;
    struct clocks_report *report = &shown->run.report;
    report->same[SHOWN_MONOTONIC] =
        (struct clock_same){.known = true, .same = true, .with = SHOWN_TSC};
    shown_put(shown, 100);
    expect(shown, "\no tsc  x task-clock  . as asked for\n");
}

TEST_WITH(workloads_have_the_naive_order_beside_them, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect_line(shown, "tsc naive ", "tsc naive monotonic task-clock over");
    expect_line(shown, "1.000002 0.999000 ", "1.000002 0.999000 1.000001 0.5004 sleep");
    expect_line(shown, "1.000001 0.999000 ",
                "1.000001 0.999000 0.999999 0.999850 compute; compute, 2 threads; compute, moved");
}

/* One that goes otherwise than all others has a line of its own. */
TEST_WITH(intervals_that_go_alike_share_a_line, start_rich, end)
{
    struct shown *shown = *state;
    struct clock_row *moved = &shown->run.report.rows[3];
    moved->ratio_max = 1.5;
    moved->ratio_median = 1.4;
    shown_put(shown, 140);
    expect_line(shown, "1.5 0.999000 ", "1.5 0.999000 0.999999 0.999850 compute, moved");
}

TEST_WITH(what_the_machine_did_is_told, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 100);
    expect(shown,
           "The host took no time. 3 of 612 intervals were preempted. Sleeps ended 58 us late, at "
           "most 3.1 ms. Idle states change no clock.");
    struct clocks_disturbances *seen = &shown->run.report.disturbances;
    seen->stolen_ns = 12.5e6;
    seen->stolen_intervals = 4;
    seen->suspended_ns = 3e9;
    seen->suspended_intervals = 1;
    seen->awake_median_ns = 4e3;
    shown_put(shown, 100);
    expect(shown,
           "The host took 12 ms of 97 s, in 4 intervals. The machine was suspended for 3 s, in 1 "
           "intervals.");
    expect(shown, "Sleeps ended 58 us late (4 us with CPUs held awake), at most 3.1 ms.");
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

TEST_WITH(all_shows_every_row_and_pair, start_rich, end)
{
    struct shown *shown = *state;
    shown_put(shown, 120);
    expect_not(shown, "backwards");
    shown->options.study.all = true;
    shown_put(shown, 120);
    expect_line(shown, "tsc compute, moved",
                "tsc compute, moved 20 20 1.000001 1.000000 1.000001 1.000001 20 ns 900 ns");
    expect_line(shown, "tsc 0 1 ", "tsc 0 1 2000 0 3 -59 65");
    expect(shown, "- tsc, rdtscp, monotonic-raw, monotonic: nothing was wrong");
}

TEST(nothing_that_is_known_of_a_clock_may_be_missing)
{
    struct shown shown;
    shown_build_unknown(&shown);
    shown_put(&shown, 100);
    expect(&shown, "Whether the host took time is not known.");
    expect_not(&shown, "nan");
    expect_not(&shown, "inf ");
    shown.options.study.all = true;
    shown_put(&shown, 100);
    expect_not(&shown, "nan");
    shown_end(&shown);
}

TEST(where_nothing_can_be_read_the_reason_is_the_answer)
{
    struct shown shown;
    shown_build_absent(&shown);
    shown_put(&shown, 100);
    expect(&shown, "No clock was read.");
    expect(&shown, "tsc, rdtscp, monotonic: reading the timestamp counter is forbidden here");
    shown_end(&shown);
}

/* Names come from people, reasons from machines. */
TEST_WITH(a_hostile_name_moves_no_cursor, start_rich, end)
{
    struct shown *shown = *state;
    struct clock_known *clock = &shown->run.file.clocks[SHOWN_COARSE];
    clock->name = memory_copy("\033[2Jevil\n\x80");
    clock->external = true;
    shown->run.file.clocksource = memory_copy("\033]0;x\a");
    snprintf(shown->run.report.verdicts[SHOWN_COARSE].why, 100, "\033[31m");
    snprintf(shown->run.report.reference.why, 100, "\033[32m");
    shown->options.study.all = true;
    shown_put(shown, 100);
    assert_null(strchr(text_string(&shown->text), '\033'));
    assert_null(strchr(text_string(&shown->text), '\a'));
    assert_null(strstr(text_string(&shown->text), "\x80"));
    expect(shown, "[2Jevil");
}

TEST_WITH(a_plain_terminal_gets_plain_signs, start_rich, end)
{
    struct shown *shown = *state;
    snprintf(shown->run.report.verdicts[SHOWN_COARSE].why, 100, "off by 3 \u00b5s or 4 \u00b5s");
    shown_put(shown, 100);
    expect(shown, "- monotonic-coarse: off by 3 us or 4 us\n");
    for (const char *at = text_string(&shown->text); *at; at++)
        assert_true((unsigned char)*at < 0x80);
}

/* --- words --- */

TEST(times_have_the_unit_that_reads_well)
{
    static const struct {
        double ns;
        const char *words;
    } times[] = {{0, "0 ns"},      {0.4, "0.40 ns"},   {9.6, "9.6 ns"},  {31, "31 ns"},
                 {528, "528 ns"},  {999.6, "1 us"},    {1800, "1.8 us"}, {4e6, "4 ms"},
                 {97.3e9, "97 s"}, {-2500, "-2.5 us"}, {NAN, "-"},       {123.4e9, "123 s"}};
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        assert_string_equal(TIME(times[i].ns), times[i].words);
    }
}

TEST(ratios_tell_how_far_from_one)
{
    static const struct {
        double ratio;
        const char *words;
    } ratios[] = {{1, "1.000000"}, {1.0000021, "1.000002"}, {0.0012, "0.0012"}, {3.4, "3.4"},
                  {0, "0.0000"},   {-0.5, "-0.5"},          {1e-7, "1.0e-07"},  {NAN, "-"},
                  {1e9, "1.0e+09"}};
    for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++) {
        char words[NUMBER_SIZE];
        clocks_ratio(ratios[i].ratio, words, sizeof(words));
        assert_string_equal(words, ratios[i].words);
    }
}

TEST(rates_have_bounds_or_are_multiples)
{
    static const struct {
        double ppm, low, high;
        bool bounds;
        const char *words;
    } rates[] = {{0.31, 0.2, 0.6, true, "+0.3 +-0.3"},   {0, -0.001, 0.001, true, "0.0 +-0.1"},
                 {0.31, 0.2, 0.6, false, "+0.3"},        {-14, -234, 100, true, "-14 +-220"},
                 {-918e3, -95e4, -8e5, true, "x0.0820"}, {5, NAN, NAN, true, "+5.0"}};
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        const struct clock_rate rate = {
            .known = true, .ppm = rates[i].ppm, .low = rates[i].low, .high = rates[i].high};
        AUTO_TEXT struct text words = {0};
        clocks_put_rate(&rate, rates[i].bounds, &words);
        assert_string_equal(text_string(&words), rates[i].words);
    }
}

TEST(rates_have_a_sign)
{
    static const struct {
        double ppm;
        const char *words;
    } rates[] = {{0, "0.0"},      {0.31, "+0.3"}, {-0.31, "-0.3"},
                 {200.4, "+200"}, {0.012, "0.0"}, {-1e5, "-100,000"},
                 {9.96, "+10"},   {12.34, "+12"}, {NAN, "-"}};
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        char words[NUMBER_SIZE];
        clocks_ppm(rates[i].ppm, words, sizeof(words));
        assert_string_equal(words, rates[i].words);
    }
}
