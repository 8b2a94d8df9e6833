/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report: what machines are called, whose its sections are, and the one screen that `run` makes
 * of it. What studies say in it, goldens have. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "commands/reported.h"
#include "output/field.h"
#include "studies/error/parts.h"
#include "studies/validate/parts.h"

TEST(machines_are_called_by_letters)
{
    static const struct {
        size_t number;
        const char *label;
    } known[] = {{0, "A"}, {25, "Z"}, {26, "AA"}, {27, "AB"}, {701, "ZZ"}, {702, "AAA"}};
    char label[8];
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        report_label(known[i].number, label);
        assert_string_equal(label, known[i].label);
    }
    report_label(SIZE_MAX, label);
    assert_true(strlen(label) < sizeof(label));
}

/* Two runs of one machine and one of another, whose stores are gone. */
TEST(runs_become_sections_of_their_machines)
{
    static char name[] = "/nowhere/run.sqlite", command[] = "error", one[] = "0123456789abcdef",
                other[] = "fedcba9876543210", reason[] = "it is gone", argv[] = "[]";
    static const char *const labels[] = {"A", "B", "A"}, *const ids[] = {"error-1", "error-2",
                                                                         "error-3"};
    struct listed_run runs[3];
    struct reported_run list[3] = {0};
    struct reported reported = {.list = list, .count = 3};
    struct report report;
    for (size_t i = 0; i < 3; i++) {
        runs[i] = (struct listed_run){
            .name = name, .command = command, .argv = argv, .fingerprint = i == 1 ? other : one};
        list[i].run = &runs[i];
        list[i].reason = i == 2 ? reason : NULL;
    }
    report_make(&reported, NULL, &report);
    assert_int_equal(report.machine_count, 2);
    assert_int_equal(report.section_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(report.sections[i].machine, labels[i]);
        assert_string_equal(report.sections[i].id, ids[i]);
    }
    assert_string_equal(report.sections[2].reason, "it is gone");
    report_release(&report);
}

/* --- one screen --- */

static const struct style narrow = {.width = 80};

/* A report of one study that keeps this. */
static struct report report_of(const char *command, const void *kept)
{
    struct finish *finish = memory_new(1, sizeof(*finish));
    finish->run = kept;
    struct report report = {0};
    *memory_add(report.sections, report.section_count) =
        (struct report_section){.command = command, .finish = finish};
    return report;
}

static void add_event(struct validating *run, enum verdict verdict, const char *name)
{
    struct evidence *evidence = memory_new(1, sizeof(*evidence));
    evidence->event = memory_copy(name);
    *memory_add(run->judgements.list, run->judgements.count) =
        (struct judgement){.evidence = evidence, .verdict = verdict};
}

TEST(events_of_one_verdict_share_a_line)
{
    struct validating run = {0};
    add_event(&run, VERDICT_EXACT, "page-faults");
    add_event(&run, VERDICT_EXACT, "page-faults:u");
    add_event(&run, VERDICT_BIASED, "branches:u");
    add_event(&run, VERDICT_DEAD, "a\033[2Jb");
    add_event(&run, VERDICT_UNSUPPORTED, "cycles");
    const struct report report = report_of("validate", &run);
    AUTO_TEXT struct text out = {0};
    report_put_summary(&report, &narrow, &out);
    assert_null(strchr(text_string(&out), '\033'));
    assert_non_null(strstr(text_string(&out),
                           "trust      5 events: 2 exact, 1 biased, 1 dead, 1 unsupported\n"
                           "           exact: page-faults[:u]\n"
                           "           biased: branches:u\n"));
}

TEST(parts_that_are_missing_have_none)
{
    const struct report report = {0};
    json_t *summary = fields_json(&report_summary_table, &report, &report);
    AUTO_TEXT struct text out = {0};
    report_put_summary(&report, &narrow, &out);
    assert_string_equal(text_string(&out), "");
    assert_true(json_is_null(json_object_get(summary, "trust")));
    assert_true(json_is_null(json_object_get(summary, "paths")));
    json_decref(summary);
}

static void check_lines(const struct report *report, size_t most)
{
    AUTO_TEXT struct text out = {0};
    size_t lines = 0;
    report_put_summary(report, &narrow, &out);
    for (const char *line = text_string(&out); *line; lines++) {
        const char *copy = memory_format("%.*s", (int)strcspn(line, "\n"), line);
        assert_true(utf8_columns(copy) <= 80);
        line += strlen(copy) + 1;
    }
    assert_in_range(lines, 1, most);
}

TEST(a_thousand_events_fit_on_one_screen)
{
    static const enum verdict verdicts[] = {VERDICT_EXACT, VERDICT_ACCURATE, VERDICT_BIASED,
                                            VERDICT_DEAD, VERDICT_NOISY};
    struct validating events = {0};
    struct error_run paths = {0};
    for (unsigned i = 0; i < 1000; i++)
        add_event(&events, verdicts[i % 5], memory_format("event-%u", i));
    for (unsigned i = 0; i < 40; i++)
        *memory_add(paths.report.best, paths.report.best_count) =
            (struct error_best){.event = "instructions:u",
                                .mode = (enum count_mode)(i % COUNT_MODES),
                                .path = "perf-user",
                                .overall = true,
                                .subtract = 37};
    const struct report one = report_of("validate", &events), other = report_of("error", &paths);
    check_lines(&one, 5);
    check_lines(&other, 3);
}
