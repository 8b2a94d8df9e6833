/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The object of a report: what machines are called, what sections begin with, and that memory which
 * runs out anywhere leaves no half of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/reported.h"

const struct command *const command_registry[] = {NULL};

static size_t left; /* allocations that succeed; behind them memory stays out */

static void *failing(size_t size)
{
    return left && left-- ? malloc(size) : NULL;
}

static void machines_are_called_by_letters(void **state)
{
    (void)state;
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

static const char *first_sentence(const char *envelope)
{
    static char sentence[256];
    json_t *object = json_loads(envelope, 0, NULL), *lead = reported_lead(object);
    const char *told = json_string_value(json_array_get(lead, 0));
    snprintf(sentence, sizeof(sentence), "%s", told ? told : "");
    assert_true(json_array_size(lead) <= 4);
    json_decref(lead);
    json_decref(object);
    return sentence;
}

static void sections_begin_with_what_came_out(void **state)
{
    (void)state;
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
                        "Level 1 (data): 2 MiB, and the machine claims 32 KiB.");
    assert_string_equal(first_sentence("{\"command\":\"repeat\",\"analysis\":{\"programs\":["
                                       "{\"program\":\"ls\",\"event\":\"page-faults\","
                                       "\"as_is_cv_percent\":2.5},{\"program\":\"cp\"}]}}"),
                        "Left as they are, counts vary by up to 2.5 % (ls, page-faults) from run "
                        "to run, over 1 program.");
    assert_string_equal(first_sentence("{\"command\":\"repeat\",\"analysis\":{\"programs\":["
                                       "{\"program\":\"ls\",\"as_is_cv_percent\":0},"
                                       "{\"program\":\"cp\",\"as_is_cv_percent\":0}]}}"),
                        "Left as they are, 2 programs count the same in every run.");
    assert_string_equal(first_sentence("{\"command\":\"validate\",\"analysis\":{\"events\":["
                                       "{\"verdict\":\"exact\"}]}}"),
                        "Of 1 event: 1 exact.");
    assert_string_equal(first_sentence("{\"command\":\"validate\",\"analysis\":{\"events\":[]}}"),
                        "");
    /* What is not as it should be is passed over. */
    assert_string_equal(first_sentence("{\"command\":\"error\",\"analysis\":[]}"), "");
    assert_string_equal(first_sentence("{\"command\":\"unheard-of\"}"), "");
    assert_string_equal(first_sentence("[]"), "");
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

static void runs_become_sections_of_their_machines(void **state)
{
    (void)state;
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

static void memory_that_runs_out_leaves_no_half_of_it(void **state)
{
    (void)state;
    struct listed_run runs[3];
    struct reported reported = {0};
    make(&reported, runs);
    json_t *whole = reported_json(&reported, "title");
    assert_non_null(whole);
    json_object_del(whole, "made");
    bool done = false;
    json_set_alloc_funcs(failing, free);
    for (size_t allowed = 0; !done; allowed++) {
        left = allowed;
        json_t *report = reported_json(&reported, "title");
        done = left > 0;
        left = SIZE_MAX;
        if (report) {
            json_object_del(report, "made");
            assert_true(json_equal(report, whole));
        } else {
            assert_false(done);
        }
        json_decref(report);
    }
    json_set_alloc_funcs(malloc, free);
    json_decref(whole);
    free(reported.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_are_called_by_letters),
        cmocka_unit_test(sections_begin_with_what_came_out),
        cmocka_unit_test(runs_become_sections_of_their_machines),
        cmocka_unit_test(memory_that_runs_out_leaves_no_half_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
