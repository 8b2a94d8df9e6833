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
}

/* What is said so; NULL: nothing is. */
static const struct reason *said(const struct hand *hand, enum error_says code)
{
    const struct reason *found = NULL;
    for (size_t i = 0; i < hand->report.advice_count && !found; i++)
        found = reasons_find(&hand->report.advice[i].why, &error_words[code]);
    return found;
}

static struct error_advice the_only(const struct hand *hand)
{
    assert_int_equal(hand->report.advice_count, 1);
    return hand->report.advice ? hand->report.advice[0] : (struct error_advice){.event = ""};
}

TEST(the_best_way_and_what_to_subtract)
{
    HAND(hand);
    best(&hand, "instructions:u", "papi-low", 134)->overall = false;
    struct error_best *told = best(&hand, "instructions:u", "perf-user", 25);
    take_advice(&hand);
    struct error_advice advice = the_only(&hand);
    assert_string_equal(said(&hand, ADVICE_SUBTRACT)->values[1].text, "perf-user");
    assert_int_equal(said(&hand, ADVICE_SUBTRACT)->values[3].count, 25);
    assert_string_equal(advice.event, "instructions:u");
    assert_int_equal(advice.mode, COUNT_USER);
    told->spread_high = 1025;
    take_advice(&hand);
    assert_true(said(&hand, ADVICE_SPREAD)->values[1].number == 1025);
    told->subtract = 0;
    told->spread_low = told->spread_high = 0;
    take_advice(&hand);
    assert_non_null(said(&hand, ADVICE_NOTHING));
}

TEST(what_was_stepped_is_advised_where_nothing_counts)
{
    HAND(hand);
    best(&hand, "step/instructions/", "perf-syscall", 9)->stepped = true;
    hand.best[0].mode = COUNT_ANY;
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
    assert_int_equal(said(&hand, ADVICE_STEPPED)->values[3].count, 9);
    assert_null(said(&hand, ADVICE_SPREAD));
    hand.best[0].spread_high = 12;
    take_advice(&hand);
    assert_non_null(said(&hand, ADVICE_BUILDS));
    assert_int_equal(the_only(&hand).mode, COUNT_USER);
    best(&hand, "instructions:u", "perf-user", 25);
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
    assert_non_null(said(&hand, ADVICE_SUBTRACT));
    /* Steps that are not aligned and windows of no path are nobody's way. */
    best(&hand, "step/instructions-raw/", "perf-read", 1)->base = "instructions-raw";
    best(&hand, "page-faults", "bare", 1)->base = "page-faults";
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
}

TEST(few_counters_where_each_adds)
{
    HAND(hand);
    best(&hand, "instructions:u", "perf-read", 12);
    struct error_by_counters *by = &hand.by_counters[hand.report.by_counters_count++];
    *by = (struct error_by_counters){.event = "instructions:u",
                                     .path = "perf-read",
                                     .mode = COUNT_USER,
                                     .pattern = PATTERN_RR,
                                     .list = (struct error_point[]){{1, 12, 12}, {4, 54, 54}},
                                     .points = 2,
                                     .slope = 14,
                                     .low = 13,
                                     .high = 15};
    take_advice(&hand);
    assert_true(said(&hand, ADVICE_COUNTERS)->values[0].number == 14);
    by->low = -1;
    take_advice(&hand);
    assert_null(said(&hand, ADVICE_COUNTERS));
    by->low = 13;
    by->pattern = PATTERN_AR; /* of another way */
    take_advice(&hand);
    assert_null(said(&hand, ADVICE_COUNTERS));
}

static void first_runs(struct hand *hand, double lazy, double bound)
{
    best(hand, "instructions:u", "perf-read", 12);
    BUILD(&hand->builder, .pattern = PATTERN_RR, .link = "lazy", .error = 12, .first = lazy);
    BUILD(&hand->builder, .pattern = PATTERN_RR, .link = "bind-now", .error = 12, .first = bound);
}

TEST(lazy_linking_is_blamed_where_it_is_the_cause)
{
    HAND(hand);
    first_runs(&hand, 1200, 0);
    take_advice(&hand);
    assert_int_equal(said(&hand, ADVICE_LAZY)->values[0].count, 1200);
    assert_string_equal(said(&hand, ADVICE_LAZY)->values[1].text, "bind-now");
    hand_start(&hand);
    first_runs(&hand, 1200, 1100);
    take_advice(&hand);
    assert_int_equal(said(&hand, ADVICE_FIRST)->values[0].count, 1100);
    assert_null(said(&hand, ADVICE_LAZY));
    hand_start(&hand);
    first_runs(&hand, 1, 0); /* 1 of 12 */
    take_advice(&hand);
    assert_null(said(&hand, ADVICE_FIRST));
    assert_null(said(&hand, ADVICE_LAZY));
}

TEST(long_regions_are_warned_of_where_they_gain)
{
    HAND(hand);
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
    assert_true(said(&hand, ADVICE_GROWS)->values[0].number == 1700);
    *slope = (struct error_slope){
        .event = "instructions:u", .path = "papi-low", .points = 7, .longest = 1000000};
    take_advice(&hand);
    assert_int_equal(said(&hand, ADVICE_CONSTANT)->values[0].count, 1000000);
    slope->low = -1;
    slope->high = 1; /* not known */
    take_advice(&hand);
    assert_null(said(&hand, ADVICE_GROWS));
    assert_null(said(&hand, ADVICE_CONSTANT));
}
