/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` shows of a report: every part in its place, levels apart, predecessors that
 * matter and no others, machines by version, columns that fit, and nothing that a terminal obeys.
 */
#include "case.h"
#include "output/table.h"
#include "overhead-shown.h"

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

/* The line that begins with `start` holds all of `words`, in this order. */
static void expect_line(const struct shown *shown, const char *start, const char *words)
{
    char sought[128], line[512];
    snprintf(sought, sizeof(sought), "\n%s", start);
    const char *at = strstr(text_string(&shown->text), sought);
    if (!at) {
        fail_msg("no line begins with '%s':\n%s", start, text_string(&shown->text));
        return;
    }
    size_t length = strcspn(at + 1, "\n");
    assert_true(length < sizeof(line));
    memcpy(line, at + 1, length);
    line[length] = '\0';
    char copy[256];
    snprintf(copy, sizeof(copy), "%s", words);
    const char *reached = line + strlen(start);
    for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|")) {
        reached = strstr(reached, word);
        if (!reached) {
            fail_msg("'%s' is not in '%s', or not in its place", word, line);
            return;
        }
        reached += strlen(word);
    }
}

static void expect_to_fit(const struct shown *shown, size_t width)
{
    const char *text = text_string(&shown->text);
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        assert_true(length < sizeof(line));
        memcpy(line, text, length);
        line[length] = '\0';
        if (utf8_columns(line) > width)
            fail_msg("too long for %zu: %s", width, line);
        text += length + 1;
    }
}

TEST(every_part_stands_in_its_place)
{
    static const char *const parts[] = {
        "123,456 calls in 3,210 processes, 1.5 s; metered in ticks",
        "What to do",
        "What a call costs, in ticks",
        "What the call before changes, in ticks",
        "The first calls of a process, in ticks",
        "More events, in ticks",
        "Other interfaces against bare calls, in ticks",
        "Metering",
        "Findings of the paper on overhead",
        "Could not be measured",
        "seed 5, 1.5 s, samples in /somewhere/run.sqlite",
    };
    struct shown shown;
    shown_build_rich(&shown);
    shown_put(&shown, 80);
    const char *last = text_string(&shown.text);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        expect(&shown, parts[i]);
        const char *at = strstr(text_string(&shown.text), parts[i]);
        assert_true(at >= last);
        last = at;
    }
    expect(&shown, "costs 34 (32 to 36) ticks");
    expect(&shown, "steps of 26");
    expect(&shown, "12 % of 4,000 passes");
    expect(&shown, "another thread shares the core");
    expect(&shown, "- Read with one call");
    expect(&shown, "likwid: its access daemon is not here");
    expect(&shown, "W1 holds, 8.5 (8 to 9) times");
    shown_end(&shown);
}

TEST(figures_stand_behind_their_call)
{
    struct shown shown;
    shown_build_rich(&shown);
    shown_put(&shown, 80);
    expect_line(&shown, "perf-read.read  ", "-|7,072|2,900|-|1.25");
    expect_line(&shown, "perf-read.start ", "group|2,450|14,000 at 8|n^1.70|450 (440 to 460)");
    expect_line(&shown, "perf-read.read, static", "papi-low.read|1,960|1,508|1.30");
    expect_line(&shown, "papi-low ", "start + stop + read|10,348|5,900|1.75 (1.70 to 1.80)");
    expect(&shown, "Far above the rest: 2 % of the calls; 75 % of these");
    expect_not(&shown, "again and again in a fresh process");
    shown_end(&shown);
}

TEST(a_first_event_that_stands_apart_is_called_a_step)
{
    struct shown shown;
    shown_build_rich(&shown);
    struct overhead_slope *slope = &shown.run.report.slopes[0];
    slope->first_apart = true;
    slope->rest_slope = 40;
    slope->rest_low = 38;
    slope->rest_high = 42;
    shown_put(&shown, 80);
    expect_line(&shown, "perf-read.start ", "group|2,450|14,000 at 8|stepped|40 (38 to 42)");
    shown_end(&shown);
}

/* A kind is named once; what is like another variant has no box unless all are asked for. */
TEST(variants_that_are_alike_share_a_box)
{
    for (int all = 0; all < 2; all++) {
        struct shown shown;
        shown_build_rich(&shown);
        shown.options.study.all = all;
        shown_put(&shown, 80);
        expect_line(&shown, "start perf-read static", "2,444");
        expect_line(&shown, "      perf-read lazy", all ? "2,450" : "1,800");
        expect_line(&shown, "read  perf-syscall", "1,490"); /* the cheapest */
        expect_line(&shown, "      perf-read static", "1,508");
        if (all)
            expect_not(&shown, "have no line");
        else
            expect(&shown, "have no line");
        shown_end(&shown);
    }
}

/* Link modes stand beside each other, or each cell in its line with what was called before. */
TEST(first_calls_take_a_line_a_call)
{
    for (int all = 0; all < 2; all++) {
        struct shown shown;
        shown_build_rich(&shown);
        struct overhead_report *report = &shown.run.report;
        for (size_t i = 0; i < 2; i++) {
            SHOWN_ADD(report->cold, report->cold_count, {0});
            report->cold[i + 1] = report->cold[0];
            report->cold[i + 1].variant = report->cold[i + 1].link = "static";
            report->cold[i + 1].row_length = 0;
        }
        report->cold[1].first = 3333; /* after a start */
        report->cold[1].opening = false;
        report->cold[1].predecessor = (int32_t)shown_operation(&shown, "perf-read.start");
        report->cold[2].first = 6296;
        shown.options.study.all = all;
        shown_put(&shown, 80);
        if (all) {
            expect_line(&shown, "perf-read.read, lazy", "7,072|2,900|-|1.25|4,100 to 4,250");
            expect(&shown, "4,100 to 4,250 (after perf-read.start)");
            expect_line(&shown, "perf-read.read, static  6,296", "4,250");
            expect(&shown, "again and again in a fresh process");
            expect(&shown, "4  7,072   2,900  2,800  0.40 (0.38 to 0.42)");
        } else {
            expect_line(&shown, "perf-read.read  6,296", "7,072|2,900|-|1.25");
            expect_not(&shown, "3,333");
        }
        shown_end(&shown);
    }
}

/* Without --all: neither reads metered together, nor libraries beside bare calls, nor first calls
 * that cost little more than others, nor more of a reason than decides. */
TEST(what_is_no_news_comes_with_all)
{
    for (int all = 0; all < 2; all++) {
        struct shown shown;
        shown_build_rich(&shown);
        struct overhead_report *report = &shown.run.report;
        SHOWN_ADD(report->slopes, report->slope_count, {0});
        report->slopes[report->slope_count - 1] = report->slopes[0];
        report->slopes[report->slope_count - 1].operation =
            shown_operation(&shown, "papi-low.start");
        for (size_t i = 1; i < 3; i++) {
            SHOWN_ADD(report->cold, report->cold_count, {0});
            report->cold[i] = report->cold[0];
            report->cold[i].row_length = 0;
            report->cold[i].warm = 1000;
        }
        report->cold[1].operation = shown_operation(&shown, "perf-read.start");
        report->cold[1].first = 1999;
        report->cold[2].operation = shown_operation(&shown, "perf-syscall.start");
        report->cold[2].first = 2001;
        report->findings[0].verdict = FINDING_FAILS;
        snprintf(report->findings[0].reason, sizeof(report->findings[0].reason),
                 "1.5 is much; the rest is long");
        skips_add(&shown.run.studying.skips, "thing", "it is refused. Ask somebody", 2);
        shown.options.study.all = all;
        shown_put(&shown, 80);
        expect(&shown, "1.5 is much");
        expect(&shown, "thing: it is refused");
        expect(&shown, "2,001");
        void (*const look)(const struct shown *, const char *) = all ? expect : expect_not;
        look(&shown, "Reads in a row, in ticks");
        look(&shown, "papi-low.start");
        look(&shown, "1,999");
        look(&shown, "the rest is long");
        look(&shown, "Ask somebody");
        shown_end(&shown);
    }
}

TEST(levels_are_told_apart)
{
    struct shown shown;
    shown_build_rich(&shown);
    shown_put(&shown, 80);
    expect(&shown, "perf-read.read, static: 1,014 in 40 % of processes, 1,508 in 60 %");
    shown_end(&shown);

    shown_build_rich(&shown);
    struct overhead_row *row = &shown.run.report.rows[3];
    row->levels_kind = LEVELS_BY_CALL;
    row->levels[0].share = 0.25;
    row->levels[1].share = 0.75;
    shown_put(&shown, 80);
    expect(&shown, "1,014 in 25 % of calls, 1,508 in 75 %");
    shown_end(&shown);

    shown_build_rich(&shown);
    shown.run.report.rows[3].level_count = 1;
    shown_put(&shown, 80);
    expect_not(&shown, "More than one level");
    shown_end(&shown);
}

/* Within 5 %, within the interval, within a step of the meter: no difference. */
TEST(only_predecessors_that_matter_are_shown)
{
    struct shown shown;
    shown_build_rich(&shown);
    shown_put(&shown, 80);
    expect(&shown, "1 of 2 pairs");
    shown_end(&shown);

    static const struct {
        double median, low, high;
    } harmless[] = {{1570, 1560, 1580}, {1960, 1500, 2000}, {1525, 1524, 1526}};
    for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
        shown_build_rich(&shown);
        struct overhead_row *row = &shown.run.report.rows[7];
        row->median = harmless[i].median;
        row->low = harmless[i].low;
        row->high = harmless[i].high;
        shown_put(&shown, 80);
        expect(&shown, "Nothing: in none of 2 pairs");
        shown_end(&shown);
    }

    /* Of a call that takes two steps one more is no news, however sure. */
    shown_build_rich(&shown);
    shown.run.report.rows[3].median = 52;
    shown.run.report.rows[7].median = 78;
    shown.run.report.rows[7].low = shown.run.report.rows[7].high = 78;
    shown.run.report.rows[8].median = 52;
    shown_put(&shown, 80);
    expect(&shown, "Nothing: in none of 2 pairs");
    shown_end(&shown);
}

TEST(machines_stand_in_the_order_of_their_versions)
{
    struct shown shown;
    shown_build_machines(&shown);
    shown_put(&shown, 80);
    expect(&shown, "Machines side by side, in instructions, user and kernel");
    expect_line(&shown, "call", "6.1.0-27|6.12.9|apart");
    expect_line(&shown, "perf-read.start ", "1,320|1,220|1.08");
    expect_line(&shown, "perf-read.read ", "720|620|1.16");
    expect(&shown, "emulated: what is executed is counted exactly");
    expect_not(&shown, "of the kernel");
    expect(&shown, "of each machine come with --all");
    shown_end(&shown);

    shown_build_machines(&shown);
    shown.options.study.all = true;
    shown_put(&shown, 80);
    expect(&shown, "Machines side by side, in instructions of the kernel");
    shown_end(&shown);
}

/* Versions that are the same tell nothing apart. */
TEST(machines_without_room_for_versions_are_numbered)
{
    struct shown shown;
    shown_build_machines(&shown);
    strcpy(shown.run.file.machines[0].os, "6.1");
    strcpy(shown.run.file.machines[1].os, "6.1");
    shown_put(&shown, 80);
    expect_line(&shown, "call", "machine 1|machine 2|apart");
    expect(&shown, "machine 2 is cortex-a72 (aarch64), Linux 6.1");
    shown_end(&shown);

    /* Nor do names that leave no room. */
    shown_build_machines(&shown);
    shown_put(&shown, 35);
    expect_line(&shown, "call", "machine 1|machine 2|apart");
    expect_line(&shown, "perf-read.start ", "1,320|1,220|1.08");
    expect(&shown, "machine 1 is cortex-a72 (aarch64), Linux 6.1.0-27");
    shown_end(&shown);
}

/* What all versions end with tells nothing; nor do figures far apart tell that machines are alike.
 */
TEST(titles_are_short_and_doubt_is_said)
{
    struct shown shown;
    shown_build_machines(&shown);
    struct overhead_machine *machines = shown.run.file.machines;
    machines[0].os = memory_copy("6.12.9-arm64");
    machines[1].os = memory_copy("6.1.0-27-arm64");
    for (size_t i = 0; i < shown.run.report.machine_row_count; i++)
        shown.run.report.machines[i].differs = false;
    shown_put(&shown, 80);
    expect_line(&shown, "call", "6.1.0-27  |6.12.9  |apart");
    expect_line(&shown, "perf-read.start ", "1,320|1,220|unsure");
    shown_end(&shown);
}

TEST(one_machine_shows_user_and_kernel)
{
    struct shown shown;
    shown_start(&shown);
    shown_machine(&shown, "cortex-a72 (aarch64)", "6.1", true);
    shown_add_machine_row(&shown, 0, "read", "static", &shown_kernel, false, 600);
    shown_add_machine_row(&shown, 0, "read", "static", &shown_user, false, 12);
    shown_add_machine_row(&shown, 0, "read", "static", &shown_user, true, 612);
    shown_put(&shown, 80);
    expect_line(&shown, "call", "user|kernel|together");
    expect_line(&shown, "perf-read.read, static", "12|600|612");
    expect(&shown, "instructions (emulated)");
    expect_not(&shown, "apart");
    expect_not(&shown, "at least that many");
    shown_end(&shown);
}

/* Meters stand still while the operating system switches counters of the CPU. */
TEST(what_meters_do_not_see_is_said)
{
    static const struct {
        const char *counted;
        bool hidden;
    } cases[] = {{"instructions:u", true}, {"page-faults", false}, {"cpu-clock", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct shown shown;
        shown_start(&shown);
        shown_machine(&shown, "cortex-a72 (aarch64)", "6.1", true);
        shown_row(&shown, "perf-read.start", "static", NULL, &shown_kernel, 600)->counted =
            cases[i].counted;
        shown_add_machine_row(&shown, 0, "start", "static", &shown_kernel, false, 600);
        shown_put(&shown, 80);
        if (cases[i].hidden)
            expect(&shown, "at least that many");
        else
            expect_not(&shown, "at least that many");
        shown_end(&shown);
    }
}

/* One process is no median. */
TEST(few_first_calls_are_not_shown)
{
    struct shown shown;
    shown_build_rich(&shown);
    shown.run.report.cold[0].processes = 4;
    shown_put(&shown, 80);
    expect(&shown, "Too few fresh processes were measured to tell");
    expect_not(&shown, "7,072");
    expect_not(&shown, "a figure");
    shown_end(&shown);
}

TEST(an_empty_report_says_so)
{
    struct shown shown;
    shown_start(&shown);
    shown_put(&shown, 80);
    expect(&shown, "No call was metered");
    expect_not(&shown, "What a call costs");
    expect_to_fit(&shown, 80);
    shown_end(&shown);
}

TEST(absences_are_grouped_by_their_reason)
{
    struct shown shown;
    shown_build_absent(&shown);
    shown_put(&shown, 80);
    expect(&shown, "No call was metered");
    expect(&shown, "perf-read, perf-syscall, assay: perf_event_open is refused");
    expect_not(&shown, "samples in");
    shown_end(&shown);
}

TEST(what_is_missing_can_be_resumed)
{
    struct shown shown;
    shown_build_rich(&shown);
    shown.run.studying.complete = false;
    shown_put(&shown, 80);
    expect(&shown, "assay overhead --resume");
    expect(&shown, "--store\n/somewhere/run.sqlite`");
    shown_end(&shown);
}

TEST(lines_fit_every_width)
{
    void (*const builds[])(struct shown *) = {shown_build_rich, shown_build_machines,
                                              shown_build_absent};
    for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++)
        for (size_t width = 80; width <= 200; width += 60) {
            struct shown shown;
            builds[i](&shown);
            shown.options.study.all = width == 140;
            shown_put(&shown, width);
            expect_to_fit(&shown, width);
            shown_end(&shown);
        }
}

/* A narrow terminal gets plots that fit and words that wrap; tables keep their columns. */
TEST(narrow_terminals_get_narrow_plots)
{
    struct shown shown;
    shown_build_rich(&shown);
    shown_put(&shown, 40);
    expect_line(&shown, "start perf-re", "2,444");
    const char *plot = strstr(text_string(&shown.text), "\nstart perf-re");
    assert_true(strcspn(plot + 1, "\n") <= 40);
    shown_end(&shown);
}

TEST(without_utf_8_all_is_ascii)
{
    struct shown shown;
    shown_build_rich(&shown);
    shown.options.study.all = true;
    shown_put(&shown, 80);
    for (const char *at = text_string(&shown.text); *at; at++)
        if ((unsigned char)*at > 127)
            fail_msg("not ASCII: %.80s", at);
    shown_end(&shown);
}

TEST(a_hostile_store_moves_no_cursor)
{
    static const char evil[] = "\033[2Jx\007\xff";
    for (int all = 0; all < 2; all++) {
        struct shown shown;
        shown_build_rich(&shown);
        shown.options.study.all = all;
        shown_machine(&shown, evil, evil, true);
        struct overhead_report *report = &shown.run.report;
        struct overhead_meter meter = {.event = (char *)(uintptr_t)evil,
                                       .mode = (char *)(uintptr_t)evil,
                                       .unit = METER_EVENTS};
        char name[64];
        snprintf(name, sizeof(name), "%s.%s", evil, evil);
        shown_row(&shown, name, evil, NULL, &meter, 100)->machine = 1;
        shown_row(&shown, name, evil, name, &meter, 300)->machine = 1;
        report->timers[0].meter = report->gauges[0].meter = report->cold[0].meter = &meter;
        report->slopes[0].meter = report->peers[0].meter = &meter;
        report->cold[0].variant = report->cold[0].link = report->slopes[0].variant = evil;
        report->peers[0].path = report->peers[0].variant = report->peers[0].what = evil;
        snprintf(report->advice[0].text, sizeof(report->advice[0].text), "%s", evil);
        snprintf(report->gauges[0].why, sizeof(report->gauges[0].why), "%s", evil);
        shown_add_machine_row(&shown, 1, evil, evil, &meter, false, 3);
        skips_add(&shown.run.studying.skips, evil, evil, 0);
        shown.run.studying.stored = evil;
        shown_put(&shown, 80);
        assert_null(strchr(text_string(&shown.text), '\033'));
        assert_null(strchr(text_string(&shown.text), '\007'));
        assert_null(strchr(text_string(&shown.text), 0xff));
        expect(&shown, "\\x1b[2J");
        shown_end(&shown);
    }
}
