/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a report to one screen. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "case.h"
#include "commands/run.h"
#include "output/table.h"

static const struct style narrow = {.width = 80};

static json_t *parsed(const char *text)
{
    json_error_t error;
    json_t *object = json_loads(text, 0, &error);
    if (!object)
        fail_msg("%s at %d", error.text, error.position);
    return object;
}

static const char whole[] =
    "{\"machines\": [{\"doctor\": ["
    "{\"check\": \"pmu\", \"status\": \"bad\", \"fix\": \"\"},"
    "{\"check\": \"aslr\", \"status\": \"warn\", \"fix\": \"setarch -R COMMAND\\nor so\"},"
    "{\"check\": \"smt\", \"status\": \"ok\", \"fix\": \"\"}]}],"
    "\"sections\": ["
    "{\"command\": \"validate\", \"analysis\": {\"events\": ["
    "{\"event\": \"page-faults\", \"verdict\": \"exact\"},"
    "{\"event\": \"page-faults:u\", \"verdict\": \"exact\"},"
    "{\"event\": \"branches:u\", \"verdict\": \"biased\"},"
    "{\"event\": \"context-switches:u\", \"verdict\": \"dead\"},"
    "{\"event\": \"cycles\", \"verdict\": \"unsupported\"}]},"
    "\"findings\": [{\"verdict\": \"holds\"}, {\"verdict\": \"not testable here\"}]},"
    "{\"command\": \"error\", \"analysis\": {\"best\": ["
    "{\"event\": \"instructions:u\", \"mode\": \"u\", \"path\": \"perf-user\", \"pattern\": \"rr\","
    " \"subtract\": 37, \"stepped\": false, \"overall\": true},"
    "{\"event\": \"instructions:u\", \"mode\": \"u\", \"path\": \"perf-read\", \"pattern\": \"ar\","
    " \"subtract\": 90, \"stepped\": false, \"overall\": false},"
    "{\"event\": \"page-faults\", \"mode\": \"any\", \"path\": \"perf-read\", \"pattern\": \"ar\","
    " \"subtract\": 0, \"stepped\": false, \"overall\": true}]},"
    "\"findings\": [{\"verdict\": \"does not hold\"}, {\"verdict\": \"inconclusive\"}]},"
    "{\"command\": \"overhead\", \"analysis\": {\"advice\": [{\"text\": \"Read by rdpmc.\"}]}},"
    "{\"command\": \"clocks\", \"analysis\": {\"clocks\": ["
    "{\"clock\": \"tsc\", \"trust\": \"dependable\"},"
    "{\"clock\": \"monotonic-coarse\", \"trust\": \"not dependable\"}],"
    "\"advice\": [{\"text\": \"Short regions: tsc. A reading takes 10 ns.\"},"
    "{\"text\": \"No rate could be falsified here: ask another machine.\"}]}},"
    "{\"command\": \"caches\", \"results\": ["
    "{\"level\": 1, \"type\": \"data\", \"claimed_bytes\": 49152, \"measured_bytes\": 49152},"
    "{\"level\": 2, \"type\": \"unified\", \"claimed_bytes\": 2097152, \"measured_bytes\": null,"
    " \"low_bytes\": 1048576, \"high_bytes\": 1310720},"
    "{\"level\": 3, \"type\": \"unified\", \"claimed_bytes\": null, \"measured_bytes\": null},"
    "{\"level\": 1, \"type\": \"tlb\", \"claimed_bytes\": null, \"measured_bytes\": 262144}]},"
    "{\"command\": \"repeat\", \"analysis\": {\"programs\": [{\"program\": \"a\"},"
    "{\"program\": \"b\"}], \"effects\": ["
    "{\"program\": \"a\", \"event\": \"instructions:u\", \"as_is_cv_percent\": 0,"
    " \"controlled_cv_percent\": 0},"
    "{\"program\": \"a\", \"event\": \"page-faults\", \"as_is_cv_percent\": 2.5,"
    " \"controlled_cv_percent\": 0},"
    "{\"program\": \"b\", \"event\": \"page-faults\", \"as_is_cv_percent\": 29.0,"
    " \"controlled_cv_percent\": 0}]}}]}";

TEST(every_part_has_its_line)
{
    json_t *report = parsed(whole), *summary = run_summary(report);
    AUTO_TEXT struct text out = {0};
    run_summary_put(summary, &narrow, &out);
    assert_string_equal(
        text_string(&out),
        "doctor     1 bad, 1 warn, 1 ok; begin with `assay doctor aslr`\n"
        "trust      5 events: 2 exact, 1 biased, 1 dead, 1 unsupported\n"
        "           exact: page-faults[:u]\n"
        "           biased: branches:u\n"
        "           dead: context-switches:u\n"
        "adds       user mode: instructions:u +37 by perf-user read-read\n"
        "           other events: page-faults 0 by perf-read start-read\n"
        "calls      Read by rdpmc.\n"
        "clocks     short: tsc; not: monotonic-coarse\n"
        "caches     L1 48 KiB as claimed; L2 2 MiB, seen 1 MiB to 1.25 MiB; L3 not\n"
        "           claimed, not seen\n"
        "repeat     counts of 2 programs: as is up to 29 % apart (page-faults);\n"
        "           controlled the same\n"
        "findings   4 claims of papers: 1 holds here, 1 does not, 1 open, 1 not testable\n");
    json_decref(summary);
    json_decref(report);
}

TEST(parts_that_are_missing_have_none)
{
    static const char *const reports[] = {
        "{}",
        "{\"sections\": [], \"machines\": []}",
        "{\"sections\": [{\"command\": \"validate\"}]}",
        "{\"sections\": [{\"command\": \"clocks\", \"analysis\": null}]}",
        "{\"sections\": [{\"command\": 7}, 3, null, {\"command\": \"repeat\", \"analysis\": []}]}",
    };
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        json_t *report = parsed(reports[i]), *summary = run_summary(report);
        AUTO_TEXT struct text out = {0};
        assert_non_null(summary);
        assert_true(json_is_null(json_object_get(summary, "trust")));
        run_summary_put(summary, &narrow, &out);
        assert_string_equal(text_string(&out), "");
        json_decref(summary);
        json_decref(report);
    }
    /* Neither has what was never measured at all. */
    json_t *summary = run_summary(NULL);
    assert_true(json_is_null(json_object_get(summary, "paths")));
    json_decref(summary);
}

/* However much a machine has, the summary is one screen. */
TEST(a_thousand_events_fit_on_one_screen)
{
    static const char *const verdicts[] = {"exact", "accurate", "biased", "dead", "noisy"};
    json_t *report = parsed(whole), *sections = json_object_get(report, "sections");
    json_t *events =
        json_object_get(json_object_get(json_array_get(sections, 0), "analysis"), "events");
    json_t *best =
        json_object_get(json_object_get(json_array_get(sections, 1), "analysis"), "best");
    for (size_t i = 0; i < 1000; i++) {
        char event[128];
        snprintf(event, sizeof(event), "{\"event\": \"event-%zu\", \"verdict\": \"%s\"}", i,
                 verdicts[i % 5]);
        json_array_append_new(events, parsed(event));
    }
    static const char *const modes[] = {"u", "k", "uk", "any"};
    for (size_t i = 0; i < 40; i++) {
        json_t *path = json_deep_copy(json_array_get(best, 0));
        json_object_set_new(path, "mode", json_string(modes[i % 4]));
        json_array_append_new(best, path);
    }
    json_t *summary = run_summary(report);
    AUTO_TEXT struct text out = {0};
    run_summary_put(summary, &narrow, &out);
    size_t lines = 0;
    for (const char *line = text_string(&out); *line; lines++) {
        size_t length = strcspn(line, "\n");
        char copy[256];
        snprintf(copy, sizeof(copy), "%.*s", (int)length, line);
        assert_true(utf8_columns(copy) <= 80);
        line += length + 1;
    }
    /* Machine, what was left out, store, report and what is next stand around it. */
    assert_true(lines <= 24 - 7);
    assert_non_null(strstr(text_string(&out), " more\n"));
    json_decref(summary);
    json_decref(report);
}

TEST(names_from_machines_do_nothing_to_a_terminal)
{
    json_t *report =
        parsed("{\"sections\": [{\"command\": \"validate\", \"analysis\": {\"events\": ["
               "{\"event\": \"a\\u001b[2Jb\", \"verdict\": \"exact\"}]}}]}");
    json_t *summary = run_summary(report);
    AUTO_TEXT struct text out = {0};
    run_summary_put(summary, &narrow, &out);
    assert_null(strchr(text_string(&out), '\033'));
    json_decref(summary);
    json_decref(report);
}
