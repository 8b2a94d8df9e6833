/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The object of a report: what machines are called, what sections begin with, and that memory which
 * runs out anywhere leaves no half of it. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "commands/reported.h"
#include "engine/command.h"

TEST(machines_are_called_by_letters)
{
    static const struct {
        size_t number;
        const char *label;
    } known[] = {{0, "A"}, {25, "Z"}, {26, "AA"}, {27, "AB"}, {701, "ZZ"}, {702, "AAA"}};
    char label[8];
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        reported_machine_label(known[i].number, label);
        assert_string_equal(label, known[i].label);
    }
    reported_machine_label(SIZE_MAX, label);
    assert_true(strlen(label) < sizeof(label));
}

static const char *sentence_at(const char *envelope, size_t index)
{
    static char sentence[256];
    json_t *object = json_loads(envelope, 0, NULL), *lead = reported_lead(object);
    const char *told = json_string_value(json_array_get(lead, index));
    snprintf(sentence, sizeof(sentence), "%s", told ? told : "");
    assert_true(json_array_size(lead) <= 4);
    json_decref(lead);
    json_decref(object);
    return sentence;
}

static const char *first_sentence(const char *envelope)
{
    return sentence_at(envelope, 0);
}

TEST(sections_begin_with_what_came_out)
{
    assert_string_equal(first_sentence("{\"command\":\"validate\",\"analysis\":{\"events\":["
                                       "{\"verdict\":\"dead\"},{\"verdict\":\"exact\"},"
                                       "{\"verdict\":\"exact\"}]}}"),
                        "Of 3 events: 2 exact, 1 dead.");
    assert_string_equal(first_sentence("{\"command\":\"clocks\",\"analysis\":{\"advice\":["
                                       "{\"text\":\"a\"},{\"text\":\"b\"},{\"text\":\"c\"},"
                                       "{\"text\":\"d\"},{\"text\":\"e\"}]}}"),
                        "a");
    assert_string_equal(first_sentence("{\"command\":\"caches\",\"results\":[{\"level\":1,\"type\":"
                                       "\"data\",\"claimed_bytes\":32768,\"measured_bytes\":"
                                       "2097152}]}"),
                        "L1 data: 2 MiB, not the 32 KiB that the machine claims.");
    assert_string_equal(first_sentence("{\"command\":\"caches\",\"results\":[{\"level\":1,\"type\":"
                                       "\"data\",\"claimed_bytes\":49152,\"measured_bytes\":null,"
                                       "\"low_bytes\":45056,\"high_bytes\":53248}]}"),
                        "L1 data: between 44 KiB and 52 KiB, where the 48 KiB lie that the machine "
                        "claims.");
    assert_string_equal(first_sentence("{\"command\":\"caches\",\"results\":[{\"level\":3,\"type\":"
                                       "\"unified\",\"claimed_bytes\":1048576,"
                                       "\"measured_bytes\":null}]}"),
                        "L3 unified: no size could be measured; the machine claims 1 MiB.");
    /* A program whose instructions never vary is not steady while its page faults do. */
    assert_string_equal(first_sentence("{\"command\":\"repeat\",\"analysis\":{\"programs\":["
                                       "{\"program\":\"ls\",\"event\":\"instructions:u\","
                                       "\"as_is_cv_percent\":0}],\"effects\":["
                                       "{\"program\":\"ls\",\"event\":\"instructions:u\","
                                       "\"as_is_cv_percent\":0},"
                                       "{\"program\":\"ls\",\"event\":\"page-faults\","
                                       "\"as_is_cv_percent\":2.5},{\"program\":\"cp\"}]}}"),
                        "Left as they are, counts of 1 program vary by up to 2.5 % from run to run "
                        "(page-faults of ls).");
    assert_string_equal(first_sentence("{\"command\":\"repeat\",\"analysis\":{\"effects\":["
                                       "{\"program\":\"ls\",\"as_is_cv_percent\":0},"
                                       "{\"program\":\"ls\",\"as_is_cv_percent\":0},"
                                       "{\"program\":\"cp\",\"as_is_cv_percent\":0}]}}"),
                        "Left as they are, every count of 2 programs is the same in every run.");
    assert_string_equal(
        first_sentence("{\"command\":\"measure\",\"results\":["
                       "{\"error\":0,\"error_min\":0,\"error_max\":0},"
                       "{\"event\":\"page-faults\",\"specimen\":\"pages\",\"n\":1000,\"path\":"
                       "\"perf-read\",\"pattern\":\"ar\",\"median\":1012,\"truth\":1000,\"error\":"
                       "12,\"error_min\":10,\"error_max\":20}]}"),
        "Of 2 cells that can be held against a truth 1 is exact; farthest off: 1,012 page-faults "
        "on pages, N 1,000, through perf-read, start-read; right is 1,000.");
    assert_string_equal(
        first_sentence("{\"command\":\"stat\",\"analysis\":{\"program\":\"ls\"},\"results\":["
                       "{\"event\":\"cycles:u\",\"corrected\":null},{\"event\":\"page-faults\","
                       "\"corrected\":123456,\"uncertainty\":2.5,\"unit\":\"counts\"}]}"),
        "ls: 123,456 ± 2.5 page-faults.");
    assert_string_equal(
        first_sentence("{\"command\":\"truth\",\"results\":[{\"program\":\"true\",\"source\":"
                       "\"step\",\"classes\":{\"instructions\":98765}}]}"),
        "true executes 98,765 instructions, by step.");
    assert_string_equal(first_sentence("{\"command\":\"measure\",\"results\":[]}"), "");
    assert_string_equal(first_sentence("{\"command\":\"validate\",\"analysis\":{\"events\":["
                                       "{\"verdict\":\"exact\"}]}}"),
                        "Of 1 event: 1 exact.");
    /* A note that ends a sentence of its own, and one that does not. */
    assert_string_equal(sentence_at("{\"command\":\"validate\",\"analysis\":{\"events\":["
                                    "{\"event\":\"a\",\"verdict\":\"dead\","
                                    "\"note\":\"it is.\"}]}}",
                                    1),
                        "a is dead: it is.");
    assert_string_equal(sentence_at("{\"command\":\"validate\",\"analysis\":{\"events\":["
                                    "{\"event\":\"a\",\"verdict\":\"dead\","
                                    "\"note\":\"it is\"}]}}",
                                    1),
                        "a is dead: it is.");
    assert_string_equal(first_sentence("{\"command\":\"validate\",\"analysis\":{\"events\":[]}}"),
                        "");
    /* What is not as it should be is passed over. */
    assert_string_equal(first_sentence("{\"command\":\"error\",\"analysis\":[]}"), "");
    assert_string_equal(first_sentence("{\"command\":\"unheard-of\"}"), "");
    assert_string_equal(first_sentence("[]"), "");
}

TEST(a_note_behind_a_colon_begins_small)
{
    static const char *const notes[][2] = {{"Zero in user mode.", "zero in user mode."},
                                           {"PMU is not there.", "PMU is not there."}};
    for (size_t i = 0; i < 2; i++) {
        json_t *envelope =
            json_pack("{s:s, s:{s:[{s:s, s:s, s:s}]}}", "command", "validate", "analysis", "events",
                      "event", "x", "verdict", "dead", "note", notes[i][0]);
        json_t *lead = reported_lead(envelope);
        const char *told = json_string_value(json_array_get(lead, 1));
        assert_non_null(strstr(told, notes[i][1]));
        json_decref(lead);
        json_decref(envelope);
    }
}

/* Two runs of one machine and one of another, whose stores are gone. */
static void make(struct reported *reported, struct listed_run runs[3])
{
    static char name[] = "/nowhere/run.sqlite", command[] = "error", one[] = "0123456789abcdef",
                other[] = "fedcba9876543210", reason[] = "it is gone", argv[] = "[]";
    reported->list = calloc(3, sizeof(*reported->list));
    assert_non_null(reported->list);
    reported->count = 3;
    for (size_t i = 0; i < 3; i++) {
        runs[i] = (struct listed_run){
            .name = name, .command = command, .argv = argv, .fingerprint = i == 1 ? other : one};
        reported->list[i].run = &runs[i];
        reported->list[i].reason = i == 2 ? reason : NULL;
    }
}

TEST(runs_become_sections_of_their_machines)
{
    struct listed_run runs[3];
    struct reported reported = {0};
    make(&reported, runs);
    json_t *report = reported_json(&reported, NULL);
    const json_t *sections = json_object_get(report, "sections");
    static const char *const labels[] = {"A", "B", "A"}, *const ids[] = {"error-1", "error-2",
                                                                         "error-3"};
    assert_int_equal(json_array_size(json_object_get(report, "machines")), 2);
    for (size_t i = 0; i < 3; i++) {
        const json_t *section = json_array_get(sections, i);
        assert_string_equal(json_string_value(json_object_get(section, "machine")), labels[i]);
        assert_string_equal(json_string_value(json_object_get(section, "id")), ids[i]);
    }
    assert_string_equal(json_string_value(json_object_get(json_array_get(sections, 2), "reason")),
                        "it is gone");
    json_decref(report);
    free(reported.list);
}
