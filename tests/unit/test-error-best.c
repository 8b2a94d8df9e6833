/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best pattern of each path, and what is advised: which wins, from which runs, who wins a tie;
 * a warning only where further counters, a first call or a long region really add to it. */
#include <stdio.h>

#include "case.h"
#include "error-builder.h"
#include "error-findings.h"
#include "studies/error/study.h"

static const char *const opts[] = {"O0", "O2", NULL};
static const char *const links[] = {"lazy", "static", NULL};

static struct error_report judge(const struct error_builder *builder)
{
    struct error_report report = {0};
    error_judge_rows(&builder->file, &report);
    error_judge_best(&builder->file, &report);
    return report;
}

static const struct error_best *find(const struct error_report *report, const char *event,
                                     const char *path)
{
    for (size_t i = 0; i < report->best_count; i++)
        if (strcmp(report->best[i].event, event) == 0 && strcmp(report->best[i].path, path) == 0)
            return &report->best[i];
    fail_msg("no best of %s, %s", event, path);
    return NULL;
}

/* Error by path and pattern; -O0 adds 4, lazy 2, and more counters less, which must not count. */
static double of_path(const struct error_cell *cell, void *context)
{
    static const double direct[] = {30, 20, 10, 40}, papi[] = {130, 150, 180, 140};
    (void)context;
    return (strcmp(cell->path, "papi-low") == 0 ? papi : direct)[cell->pattern] +
           (strcmp(cell->opt, "O0") == 0 ? 4 : 0) + (strcmp(cell->link, "lazy") == 0 ? 2 : 0) -
           9 * (cell->counters - 1.0) +
           (cell->mode == COUNT_BOTH ? 500 * (PATTERN_COUNT - cell->pattern) : 0) -
           (cell->separate ? 9 : 0);
}

TEST(each_path_has_its_own_best_pattern_by_mode)
{
    static const char *const events[] = {"instructions:uk", "instructions:u", NULL};
    static const char *const paths[] = {"papi-low", "perf-read", NULL};
    static const uint32_t counters[] = {1, 2, 0};
    BUILDER(builder, 3);
    struct error_crossing crossing = {.events = events,
                                      .paths = paths,
                                      .opts = opts,
                                      .links = links,
                                      .counters = counters,
                                      .patterns = ERROR_ALL_PATTERNS};
    build_error_crossing(&builder, &crossing,
                         &(struct error_way){.processes = 5, .effect = of_path, .first = -1000});
    BUILD(&builder, .separate = true, .effect = of_path, .pattern = PATTERN_RR);
    struct error_report report = judge(&builder);
    assert_int_equal(report.best_count, 4);
    const struct error_best *direct = find(&report, "instructions:u", "perf-read");
    assert_int_equal(direct->pattern, PATTERN_RR);
    assert_int_equal(direct->mode, COUNT_USER);
    assert_string_equal(direct->base, "instructions");
    assert_true(direct->median == 12);
    assert_int_equal(direct->min, 10);
    assert_int_equal(direct->subtract, 12);
    assert_true(direct->spread_low == 10 && direct->spread_high == 16);
    assert_int_equal(direct->cells, 4);
    assert_int_equal(direct->runs, 4 * 5 * 19);
    assert_true(direct->overall);
    assert_false(direct->stepped);
    const struct error_best *papi = find(&report, "instructions:u", "papi-low");
    assert_int_equal(papi->pattern, PATTERN_AR);
    assert_false(papi->overall);
    assert_int_equal(find(&report, "instructions:uk", "perf-read")->pattern, PATTERN_RO);
    assert_int_equal(find(&report, "instructions:uk", "perf-read")->subtract, 542);
    assert_true(find(&report, "instructions:uk", "perf-read")->overall);
    /* In the order of the case, paths by name. */
    assert_string_equal(report.best[0].event, "instructions:uk");
    assert_string_equal(report.best[0].path, "papi-low");
}

TEST(stepped_rows_stand_apart_and_are_user_mode)
{
    BUILDER(builder, 3);
    CROSS(&builder, (.opts = opts, .patterns = ERROR_ALL_PATTERNS), .part = PART_STEPPED,
          .effect = of_path);
    BUILD(&builder, .part = PART_STEPPED, .specimen = "loop", .path = "other");
    struct error_report report = judge(&builder);
    assert_int_equal(report.best_count, 1);
    assert_true(report.best->stepped && report.best->overall && report.best->mode == COUNT_USER);
    assert_string_equal(report.best->base, "instructions");
    assert_true(report.best->pattern == PATTERN_RR && report.best->subtract == 10);
}

TEST(of_equal_medians_the_narrower_wins_then_the_first)
{
    BUILDER(builder, 3);
    BUILD(&builder, .error = 50, .pattern = PATTERN_RO);
    BUILD(&builder, .error = 50, .pattern = PATTERN_AO);
    struct error_cell *wide = BUILD(&builder, .error = 50, .pattern = PATTERN_AR);
    for (size_t i = 0; i < wide->runs; i++)
        wide->values[i] += (i % 2 ? 1 : -1) * (int64_t)(i % 7);
    struct error_report report = judge(&builder);
    assert_true(report.best->median == 50 && report.best->pattern == PATTERN_AO);
    /* Paths that tie: in the order of the case. */
    error_builder_start(&builder, 3);
    BUILD(&builder, .path = "perf-syscall", .error = 50);
    BUILD(&builder, .path = "perf-read", .error = 50);
    report = judge(&builder);
    assert_true(find(&report, "instructions:u", "perf-syscall")->overall);
    assert_false(find(&report, "instructions:u", "perf-read")->overall);
}

/* Page faults that no path adds are no reason to go through the path that executes most. */
TEST(paths_that_tie_are_told_apart_by_what_they_execute)
{
    static const struct {
        const char *path;
        double executes;
    } paths[] = {{"papi-high", 900}, {"perf-read", 17}, {"perf-syscall", 5}};
    for (int stepped = 0; stepped < 2; stepped++) {
        BUILDER(builder, 3);
        for (size_t i = 0; i < 3; i++)
            BUILD(&builder, .event = "page-faults", .path = paths[i].path);
        for (size_t i = 0; i < 3; i++)
            BUILD(&builder, .part = stepped ? PART_STEPPED : PART_NULL,
                  .event = stepped ? "step/instructions/" : "instructions:u", .path = paths[i].path,
                  .error = paths[i].executes);
        struct error_report report = judge(&builder);
        assert_true(find(&report, "page-faults", "perf-syscall")->overall);
        assert_false(find(&report, "page-faults", "papi-high")->overall);
        assert_false(find(&report, "page-faults", "perf-read")->overall);
    }
}

/* What one machine adds is not to be subtracted on another. */
TEST(machines_have_a_best_of_their_own)
{
    static const int64_t subtract[] = {10, 20, 70, 30};
    BUILDER(builder, 3);
    build_error_machine(&builder, "another", false);
    for (uint32_t i = 0; i < 4; i++)
        BUILD(&builder, .path = i % 2 ? "perf-user" : "perf-read", .error = (double)subtract[i],
              .machine = i / 2);
    struct error_report report = judge(&builder);
    assert_int_equal(report.best_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(report.best[i].machine == i / 2 && report.best[i].subtract == subtract[i]);
        assert_int_equal(report.best[i].overall, i == 0 || i == 3);
    }
}

TEST(an_error_below_zero_is_no_virtue)
{
    for (int turned = 0; turned < 2; turned++) {
        BUILDER(builder, 3);
        BUILD(&builder, .error = turned ? 50 : -60);
        BUILD(&builder, .error = turned ? -60 : 50, .pattern = PATTERN_RR);
        struct error_report report = judge(&builder);
        assert_int_equal(report.best->pattern, turned ? PATTERN_AR : PATTERN_RR);
    }
}

static struct error_best *hand_best(struct hand *hand, const char *event, const char *path,
                                    int64_t subtract)
{
    struct error_best *added = &hand->best[hand->report.best_count++];
    SET(*added, .event = event, .base = "instructions", .path = path, .mode = COUNT_USER,
        .pattern = PATTERN_RR, .median = (double)subtract, .subtract = subtract,
        .spread_low = (double)subtract, .spread_high = (double)subtract, .overall = true);
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
    hand_best(&hand, "instructions:u", "papi-low", 134)->overall = false;
    struct error_best *told = hand_best(&hand, "instructions:u", "perf-user", 25);
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
    hand_best(&hand, "step/instructions/", "perf-syscall", 9)->stepped = true;
    hand.best[0].mode = COUNT_ANY;
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
    assert_int_equal(said(&hand, ADVICE_STEPPED)->values[3].count, 9);
    assert_null(said(&hand, ADVICE_SPREAD));
    hand.best[0].spread_high = 12;
    take_advice(&hand);
    assert_non_null(said(&hand, ADVICE_BUILDS));
    assert_int_equal(the_only(&hand).mode, COUNT_USER);
    hand_best(&hand, "instructions:u", "perf-user", 25);
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
    assert_non_null(said(&hand, ADVICE_SUBTRACT));
    /* Steps that are not aligned and windows of no path are nobody's way. */
    hand_best(&hand, "step/instructions-raw/", "perf-read", 1)->base = "instructions-raw";
    hand_best(&hand, "page-faults", "bare", 1)->base = "page-faults";
    take_advice(&hand);
    assert_int_equal(hand.report.advice_count, 1);
}

static void first_runs(struct hand *hand, double lazy, double bound)
{
    hand_best(hand, "instructions:u", "perf-read", 12);
    BUILD(&hand->builder, .pattern = PATTERN_RR, .link = "lazy", .error = 12, .first = lazy);
    BUILD(&hand->builder, .pattern = PATTERN_RR, .link = "bind-now", .error = 12, .first = bound);
}

TEST(lazy_linking_is_blamed_where_it_is_the_cause)
{
    static const struct {
        double lazy, bound;
        int64_t said_lazy, said_first;                                     /* 0: not said */
    } cases[] = {{1200, 0, 1200, 0}, {1200, 1100, 0, 1100}, {1, 0, 0, 0}}; /* 1 of 12 */
    for (size_t i = 0; i < 3; i++) {
        HAND(hand);
        first_runs(&hand, cases[i].lazy, cases[i].bound);
        take_advice(&hand);
        const struct reason *lazy = said(&hand, ADVICE_LAZY), *first = said(&hand, ADVICE_FIRST);
        assert_int_equal(lazy ? lazy->values[0].count : 0, cases[i].said_lazy);
        assert_int_equal(first ? first->values[0].count : 0, cases[i].said_first);
    }
}

/* More counters and long regions are warned of where their interval says that they add. */
TEST(what_grows_is_warned_of)
{
    HAND(hand);
    hand_best(&hand, "instructions:u", "perf-read", 12);
    struct error_by_counters *by = &hand.by_counters[hand.report.by_counters_count++];
    SET(*by, .event = "instructions:u", .path = "perf-read", .mode = COUNT_USER,
        .pattern = PATTERN_RR, .list = (struct error_point[]){{1, 12, 12}, {4, 54, 54}},
        .points = 2, .slope = 14, .low = 13, .high = 15);
    struct error_slope *slope = &hand.slopes[hand.report.slope_count++];
    SET(*slope, .event = "instructions:u", .path = "perf-read", .points = 7, .longest = 1000000,
        .slope = 0.0017, .low = 0.0016, .high = 0.0018);
    take_advice(&hand);
    assert_true(said(&hand, ADVICE_COUNTERS)->values[0].number == 14);
    assert_true(said(&hand, ADVICE_GROWS)->values[0].number == 1700);
    by->pattern = PATTERN_AR; /* of another way */
    slope->slope = slope->low = slope->high = 0;
    slope->path = "papi-low";
    take_advice(&hand);
    assert_null(said(&hand, ADVICE_COUNTERS));
    assert_int_equal(said(&hand, ADVICE_CONSTANT)->values[0].count, 1000000);
    by->pattern = PATTERN_RR;
    by->low = slope->low = -1; /* not known */
    slope->high = 1;
    take_advice(&hand);
    assert_null(said(&hand, ADVICE_COUNTERS));
    assert_null(said(&hand, ADVICE_GROWS));
    assert_null(said(&hand, ADVICE_CONSTANT));
}
