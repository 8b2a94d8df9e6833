/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice: the best way of each event and mode with what to subtract, and a warning only where
 * further counters, a first call or a long region really add to it. */
#include <stdio.h>

#include "case.h"
#include "error-findings.h"

static struct error_best *best(struct hand *hand, const char *event, const char *path,
                               int64_t subtract)
{
    struct error_best *added = &hand->best[hand->report.best_count++];
    *added = (struct error_best){.event = event,
                                 .base = "instructions",
                                 .path = path,
                                 .mode = COUNT_USER,
                                 .pattern = PATTERN_RR,
                                 .median = (double)subtract,
                                 .subtract = subtract,
                                 .spread_low = (double)subtract,
                                 .spread_high = (double)subtract,
                                 .overall = true};
    return added;
}

static void take_advice(struct hand *hand)
{
    hand->report.rows = NULL;
    hand->report.advice = NULL;
    hand->report.advice_count = 0;
    error_judge_rows(&hand->builder.file, &hand->report);
    error_judge_advice(&hand->builder.file, &hand->report);
    for (size_t i = 0; i < hand->report.advice_count; i++) {
        const char *text = hand->report.advice[i].text;
        assert_true(text[0] && text[strlen(text) - 1] == '.');
    }
}

static bool is_said(const struct hand *hand, const char *words)
{
    for (size_t i = 0; i < hand->report.advice_count; i++)
        if (strstr(hand->report.advice[i].text, words))
            return true;
    return false;
}

static struct error_advice the_only(const struct hand *hand)
{
    assert_int_equal(hand->report.advice_count, 1);
    return hand->report.advice ? hand->report.advice[0] : (struct error_advice){.event = ""};
}

TEST(the_best_way_and_what_to_subtract)
{
    struct hand hand;
    hand_start(&hand);
    best(&hand, "instructions:u", "papi-low", 134)->overall = false;
    struct error_best *told = best(&hand, "instructions:u", "perf-user", 25);
    take_advice(&hand);
    struct error_advice advice = the_only(&hand);
    assert_string_equal(advice.text,
                        "Count instructions:u with perf-user, read-read: it adds 25; subtract "
                        "that.");
    assert_string_equal(advice.event, "instructions:u");
    assert_int_equal(advice.mode, COUNT_USER);
    told->spread_high = 1025;
    take_advice(&hand);
    assert_true(is_said(&hand, "19 of 20 runs lie between 25 and 1,025."));
    told->subtract = 0;
    told->spread_low = told->spread_high = 0;
    take_advice(&hand);
    assert_true(is_said(&hand, "it adds nothing."));
}

TEST(what_was_stepped_is_advised_where_nothing_counts)
{
    struct hand hand;
    hand_start(&hand);
    best(&hand, "step/instructions/", "perf-syscall", 9)->stepped = true;
    hand.best[0].mode = COUNT_ANY;
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
    assert_true(is_said(&hand, "No counter of instructions in user mode was read"));
    assert_true(is_said(&hand, "stepping shows exactly"));
    assert_true(is_said(&hand, "least perf-syscall, read-read, with 9; subtract that."));
    assert_false(is_said(&hand, "19 of 20 runs"));
    hand.best[0].spread_high = 12;
    take_advice(&hand);
    assert_true(is_said(&hand, "It is 9 to 12 by -O level and link mode."));
    assert_int_equal(the_only(&hand).mode, COUNT_USER);
    best(&hand, "instructions:u", "perf-user", 25);
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
    assert_true(is_said(&hand, "Count instructions:u with perf-user"));
    /* Steps that are not aligned and windows of no path are nobody's way. */
    best(&hand, "step/instructions-raw/", "perf-read", 1)->base = "instructions-raw";
    best(&hand, "page-faults", "bare", 1)->base = "page-faults";
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
}

TEST(few_counters_where_each_adds)
{
    struct hand hand;
    hand_start(&hand);
    best(&hand, "instructions:u", "perf-read", 12);
    struct error_by_counters *by = &hand.by_counters[hand.report.by_counters_count++];
    *by = (struct error_by_counters){.event = "instructions:u",
                                     .path = "perf-read",
                                     .mode = COUNT_USER,
                                     .pattern = PATTERN_RR,
                                     .points = 2,
                                     .counters = {1, 4},
                                     .medians = {12, 54},
                                     .slope = 14,
                                     .low = 13,
                                     .high = 15};
    take_advice(&hand);
    assert_true(is_said(&hand, "each further counter adds about 14"));
    by->low = -1;
    take_advice(&hand);
    assert_false(is_said(&hand, "counter"));
    by->low = 13;
    by->pattern = PATTERN_AR; /* of another way */
    take_advice(&hand);
    assert_false(is_said(&hand, "counter"));
}

static void first_runs(struct hand *hand, double lazy, double bound)
{
    best(hand, "instructions:u", "perf-read", 12);
    build_error_cell(
        &hand->builder,
        &(struct error_way){.pattern = PATTERN_RR, .link = "lazy", .error = 12, .first = lazy});
    build_error_cell(&hand->builder,
                     &(struct error_way){
                         .pattern = PATTERN_RR, .link = "bind-now", .error = 12, .first = bound});
}

TEST(lazy_linking_is_blamed_where_it_is_the_cause)
{
    struct hand hand;
    hand_start(&hand);
    first_runs(&hand, 1200, 0);
    take_advice(&hand);
    assert_true(is_said(&hand, "linked lazily the first call adds 1,200 more"));
    assert_true(is_said(&hand, "link it bind-now"));
    hand_start(&hand);
    first_runs(&hand, 1200, 1100);
    take_advice(&hand);
    assert_true(is_said(&hand, "The first run of a process adds 1,100 more"));
    assert_false(is_said(&hand, "lazily"));
    hand_start(&hand);
    first_runs(&hand, 1, 0); /* 1 of 12 */
    take_advice(&hand);
    assert_false(is_said(&hand, "first"));
}

TEST(long_regions_are_warned_of_where_they_gain)
{
    struct hand hand;
    hand_start(&hand);
    best(&hand, "instructions:u", "perf-read", 12);
    struct error_slope *slope = &hand.slopes[hand.report.slope_count++];
    *slope = (struct error_slope){.event = "instructions:u",
                                  .path = "perf-read",
                                  .points = 7,
                                  .longest = 1000000,
                                  .slope = 0.0017,
                                  .low = 0.0016,
                                  .high = 0.0018};
    take_advice(&hand);
    assert_true(is_said(&hand, "Long regions gain error: about 1,700 more for a million"));
    *slope = (struct error_slope){
        .event = "instructions:u", .path = "papi-low", .points = 7, .longest = 1000000};
    take_advice(&hand);
    assert_true(is_said(&hand, "gain no error, up to 1,000,000 iterations"));
    slope->low = -1;
    slope->high = 1; /* not known */
    take_advice(&hand);
    assert_false(is_said(&hand, "region"));
}
