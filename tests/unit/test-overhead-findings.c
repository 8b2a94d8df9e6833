/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about reads in user code and first calls, W1 to W5: each of them flips with opposite
 * data, stays open where the data are too noisy, too few or on two levels, and says why where
 * nothing can decide. */
#include <stdio.h>

#include "case.h"
#include "overhead-findings.h"

/* --- W1 --- */

static void plain_code(struct hand *hand, double user)
{
    hand_warm(hand, "perf-read.start", 2400);
    hand_warm(hand, "perf-read.stop", 2000);
    hand_warm(hand, "perf-read.read", 1000);
    hand_warm(hand, "perf-user.read", user);
}

TEST(plain_code_costs_several_times_a_user_read_or_does_not)
{
    struct hand *hand = hand_new();
    plain_code(hand, 100);
    const struct finding *finding = assert_finding(
        hand, "W1", FINDING_HOLDS, "start, stop and read() of a lazy program cost 5,400 ticks");
    assert_float_equal(finding->estimate, 27, 1e-9);
    assert_non_null(strstr(finding->reason, "two reads in user code, which tell as much, 200"));
    assert_non_null(strstr(finding->reason, "one read() costs 10 times"));
    hand = hand_new();
    plain_code(hand, 1900);
    finding = assert_finding(hand, "W1", FINDING_FAILS, NULL);
    assert_float_equal(finding->estimate, 5400.0 / 3800, 1e-9);
}

TEST(intervals_that_hold_twice_leave_plain_code_open)
{
    struct hand *hand = hand_new();
    hand->spread = 0.2;
    plain_code(hand, 1250);
    const struct finding *finding = assert_finding(hand, "W1", FINDING_INCONCLUSIVE, NULL);
    assert_true(finding->low < 2 && finding->high > 2 && finding->detectable > 0);
}

TEST(few_processes_leave_it_open)
{
    struct hand *hand = hand_new();
    hand->processes = 3;
    plain_code(hand, 100);
    assert_finding(hand, "W1", FINDING_INCONCLUSIVE, "too few processes");
}

TEST(plain_code_is_told_where_no_user_read_is)
{
    struct hand *hand = hand_new();
    hand_warm(hand, "perf-read.start", 2400);
    hand_warm(hand, "perf-read.stop", 2000);
    hand_warm(hand, "perf-read.read", 1000);
    hand_no_user_reads(hand);
    const struct finding *finding =
        assert_finding(hand, "W1", FINDING_UNTESTABLE,
                       "perf-user.read cannot be called here: this CPU has no counters; ");
    assert_non_null(strstr(finding->reason, "cost 5,400 ticks together"));
    assert_null(strstr(finding->reason, "Ask the host"));
}

/* A predecessor that only one of them has says nothing of the other. */
TEST(ratios_are_taken_after_the_same_predecessors)
{
    static const char *const others[] = {"perf-read.start", "perf-read.stop", "perf-read.read",
                                         "perf-user.read"};
    struct hand *hand = hand_new();
    for (size_t i = 0; i < 4; i++) { /* of other circumstances, and a summary of them all */
        hand_row(hand, others[i], "lazy", NULL, 0, 50000)->all_predecessors = true;
        hand_row(hand, others[i], "lazy", NULL, 0, 50000)->processes = 1; /* the very first call */
        hand_row(hand, others[i], "lazy", "timer.nothing", 0, 9999)->events = 8;
        hand_row(hand, others[i], "lazy", "timer.nothing", 0, 7777)->reads = 32;
    }
    plain_code(hand, 100);
    hand_row(hand, "perf-user.read", "lazy", "papi-low.read", 0, 100000);
    hand_row(hand, "perf-read.read", "lazy", "perf-read.start", 0, 1);
    assert_float_equal(assert_finding(hand, "W1", FINDING_HOLDS, NULL)->estimate, 27, 1e-9);
}

/* An interrupt in one process of few: one interval of several has no meaning. */
TEST(one_wild_interval_of_several_is_no_doubt)
{
    struct hand *hand = hand_new();
    hand->spread = 0;
    plain_code(hand, 1000);
    hand_row(hand, "timer.gauge", "lazy", "timer.nothing", 0, 500);
    static const char *const calls[] = {"perf-read.start", "perf-read.stop", "perf-read.read",
                                        "perf-user.read"};
    for (size_t i = 0; i < 4; i++) {
        struct overhead_row *row = hand_row(hand, calls[i], "lazy", "timer.gauge", 0,
                                            i == 0   ? 2400
                                            : i == 1 ? 2000
                                                     : 1000);
        row->low = -5000;
        row->high = 9000;
    }
    const struct finding *finding = assert_finding(hand, "W1", FINDING_HOLDS, NULL);
    assert_float_equal(finding->low, 2.7, 1e-9);
}

TEST(levels_that_disagree_leave_it_open)
{
    struct hand *hand = hand_new();
    plain_code(hand, 100);
    for (size_t i = 0; i < hand->report.row_count; i++)
        if (hand->rows[i].operation == build_overhead_operation(&hand->builder, "perf-user.read"))
            hand_levels(&hand->rows[i], 90, 110);
    assert_finding(hand, "W1", FINDING_HOLDS, NULL); /* either says the same */
    for (size_t i = 0; i < hand->report.row_count; i++)
        if (hand->rows[i].level_count > 1)
            hand_levels(&hand->rows[i], 90, 2000);
    assert_finding(hand, "W1", FINDING_INCONCLUSIVE, "levels disagree");
}

static void plant_levels(struct hand *hand, const char *operation, double lower, double upper)
{
    for (size_t i = 0; i < hand->report.row_count; i++)
        if (hand->rows[i].operation == build_overhead_operation(&hand->builder, operation))
            hand_levels(&hand->rows[i], lower, upper);
}

/* Either side of a ratio, up or down. */
TEST(levels_of_either_call_count)
{
    struct hand *hand = hand_new();
    plain_code(hand, 1900);
    assert_finding(hand, "W1", FINDING_FAILS, NULL);
    plant_levels(hand, "perf-user.read", 300, 1900);
    assert_finding(hand, "W1", FINDING_INCONCLUSIVE, "costs now 600, now 3,800 ticks");
    hand = hand_new();
    plain_code(hand, 1900);
    plant_levels(hand, "perf-read.start", 2400, 9000);
    assert_finding(hand, "W1", FINDING_INCONCLUSIVE, "costs now 5,400, now 12,000 ticks");
    hand = hand_new();
    plain_code(hand, 1200);
    assert_finding(hand, "W1", FINDING_HOLDS, NULL);
    plant_levels(hand, "perf-read.start", 1000, 2400);
    assert_finding(hand, "W1", FINDING_INCONCLUSIVE, "costs now 4,000, now 5,400 ticks");
}

TEST(no_interval_is_narrower_than_a_step_of_the_meter)
{
    struct hand *hand = hand_new();
    hand->spread = 0;
    plain_code(hand, 52);
    hand->timer = (struct overhead_timer){.meter = &hand_ticks, .known = true, .resolution = 26};
    hand->report.timer_count = 1;
    const struct finding *finding = assert_finding(hand, "W1", FINDING_HOLDS, NULL);
    assert_true(finding->high > finding->estimate * 65 / 52);
}

/* --- W2 --- */

static void first_reads(struct hand *hand, double lazy, double fixed, double inlined)
{
    hand_first(hand, "perf-read.read", "lazy", lazy);
    hand_first(hand, "perf-read.read", "static", fixed);
    hand_first(hand, "perf-read.read", "bind-now", fixed - 100);
    hand_first(hand, "perf-syscall.read", "lazy", inlined);
    hand_row(hand, "perf-read.read", "lazy", "perf-read.read", 2, 1900);
    hand_warm(hand, "perf-read.read", 1500);
}

TEST(lazy_linking_costs_at_first_or_does_not)
{
    struct hand *hand = hand_new();
    first_reads(hand, 4000, 3300, 3000);
    hand_first(hand, "perf-read.start", "lazy", 7000);
    hand_first(hand, "perf-read.start", "static", 6000);
    const struct finding *finding = assert_finding(
        hand, "W2", FINDING_HOLDS, "costs 4,000 ticks, with an inline system call 3,000");
    assert_float_equal(finding->estimate, 4.0 / 3, 1e-9);
    assert_non_null(strstr(finding->reason, "1,000 more"));
    assert_non_null(strstr(finding->reason, "with static linking 3,300"));
    assert_non_null(strstr(finding->reason, "with binding at start 3,200, so looking the function "
                                            "up costs 800;"));
    assert_non_null(strstr(finding->reason, "the second lazy call costs 1,900"));
    assert_non_null(strstr(finding->reason, "calls long after 1,500"));
    assert_non_null(strstr(finding->reason, "the first start: 7,000 against 6,000"));
    hand = hand_new();
    first_reads(hand, 3100, 3050, 3000);
    assert_finding(hand, "W2", FINDING_FAILS, NULL);
    hand = hand_new();
    hand->spread = 0.1;
    first_reads(hand, 3700, 3050, 3000);
    assert_finding(hand, "W2", FINDING_INCONCLUSIVE, NULL);
}

/* Then binding at start does not help: the code of the library is touched first. */
TEST(a_page_fault_in_the_library_is_no_lookup)
{
    struct hand *hand = hand_new();
    hand_first(hand, "perf-read.read", "lazy", 14800);
    hand_first(hand, "perf-read.read", "static", 1660);
    struct overhead_row *bound = hand_first(hand, "perf-read.read", "bind-now", 14200);
    bound->faults = bound->runs;
    assert_finding(hand, "W2", FINDING_HOLDS,
                   "costs 600 and a page fault in the library makes the rest");
}

/* In a tour that starts first, the first read is not the first call of the process. */
TEST(a_first_call_is_one_before_which_nothing_was_called)
{
    struct hand *hand = hand_new();
    hand_row(hand, "perf-read.read", "lazy", "perf-read.start", 1, 2000)->runs = 1000;
    struct overhead_row *summary = hand_row(hand, "perf-read.read", "lazy", NULL, 1, 2500);
    summary->all_predecessors = true;
    summary->runs = 2000;
    first_reads(hand, 4000, 3300, 3000);
    assert_finding(hand, "W2", FINDING_HOLDS, NULL);
}

TEST(lazy_linking_needs_something_beside_it)
{
    struct hand *hand = hand_new();
    hand_first(hand, "perf-read.read", "lazy", 4000);
    assert_finding(hand, "W2", FINDING_UNTESTABLE, "were not measured beside");
    hand = hand_new();
    hand_warm(hand, "perf-read.read", 1000);
    assert_finding(hand, "W2", FINDING_UNTESTABLE, "no first call of a lazily linked program");
}

/* --- W3 --- */

static void cold_page(struct hand *hand, double user, double call, bool faults)
{
    struct overhead_row *row = hand_first(hand, "perf-user-cold.read", "static", user);
    row->faults = faults ? row->runs : 0;
    hand_first(hand, "perf-read.read", "static", call);
    hand_warm(hand, "perf-read.read", 1000);
}

TEST(a_cold_page_makes_user_reads_no_better_or_does_not)
{
    struct hand *hand = hand_new();
    cold_page(hand, 3500, 3000, true);
    const struct finding *finding =
        assert_finding(hand, "W3", FINDING_HOLDS, "it takes a page fault");
    assert_float_equal(finding->estimate, 3500.0 / 3000, 1e-9);
    assert_non_null(strstr(finding->reason, "a later read() costs 1,000"));
    hand = hand_new();
    cold_page(hand, 1500, 3000, true);
    assert_finding(hand, "W3", FINDING_FAILS, "cheaper nevertheless");
    hand = hand_new();
    hand->spread = 0.2;
    cold_page(hand, 2400, 3000, true);
    assert_finding(hand, "W3", FINDING_INCONCLUSIVE, NULL);
}

TEST(without_a_page_fault_its_cause_is_not_there)
{
    struct hand *hand = hand_new();
    cold_page(hand, 400, 3000, false);
    assert_finding(hand, "W3", FINDING_FAILS, "maps the page at mmap() already");
    hand = hand_new();
    cold_page(hand, 3500, 3000, false);
    assert_finding(hand, "W3", FINDING_FAILS, "not for the reason given");
}

/* --- W4 --- */

static void mapped_page(struct hand *hand, double populated, double touched, double first)
{
    hand_warm(hand, "perf-user.read", populated);
    hand_warm(hand, "perf-user-touched.read", touched);
    hand_warm(hand, "perf-read.read", 1000);
    hand_first(hand, "perf-user.read", "static", first);
    hand_first(hand, "perf-user-touched.read", "static", first);
    hand_first(hand, "perf-read.read", "static", 3000);
}

TEST(a_mapped_page_brings_user_reads_far_below_or_does_not)
{
    struct hand *hand = hand_new();
    mapped_page(hand, 100, 110, 400);
    const struct finding *finding = assert_finding(hand, "W4", FINDING_HOLDS, "first reads: 400");
    assert_float_equal(finding->estimate, 400.0 / 3000, 1e-9);
    assert_non_null(strstr(finding->reason, "page touched before, later reads: 110"));
    hand = hand_new(); /* one of the ways that does not help refutes it */
    mapped_page(hand, 100, 800, 400);
    finding = assert_finding(hand, "W4", FINDING_FAILS, "page touched before, later reads: 800");
    assert_float_equal(finding->estimate, 0.8, 1e-9);
    hand = hand_new();
    hand->spread = 0.2;
    mapped_page(hand, 100, 500, 400);
    assert_finding(hand, "W4", FINDING_INCONCLUSIVE, NULL);
}

/* --- W5 --- */

static const double falling[6] = {3000, 1500, 1400, 1390, 1380, 1370};
static const double rising[6] = {3000, 1500, 1400, 1390, 1700, 1800};
static const double even[6] = {1000, 1000, 1000, 1000, 1000, 1000};
static const double user_falling[6] = {400, 100, 90, 90, 90, 90};

TEST(repeated_user_reads_get_cheaper_and_calls_do_not_simply)
{
    struct hand *hand = hand_new();
    hand_reads(hand, "perf-user.read", user_falling, 1);
    hand_reads(hand, "perf-read.read", rising, 1);
    const struct finding *finding = assert_finding(hand, "W5", FINDING_HOLDS, "dearer again");
    assert_non_null(strstr(finding->reason, "reads in user code: the first costs "));
    assert_non_null(strstr(finding->reason, "number 17 to 32 "));
    hand = hand_new();
    hand_reads(hand, "perf-user.read", user_falling, 1);
    hand_reads(hand, "perf-read.read", even, 1);
    assert_finding(hand, "W5", FINDING_HOLDS, "saves nothing");
    hand = hand_new();
    hand_reads(hand, "perf-user.read", user_falling, 1);
    hand_reads(hand, "perf-read.read", falling, 1);
    finding = assert_finding(hand, "W5", FINDING_FAILS, "simply get cheaper, and stays so");
    assert_float_equal(finding->estimate, 1370.0 / 3000, 0.01);
    hand = hand_new();
    hand_reads(hand, "perf-user.read", even, 1);
    hand_reads(hand, "perf-read.read", rising, 1);
    assert_finding(hand, "W5", FINDING_FAILS, NULL);
}

/* What comes after the first is compared with what comes after the first. */
TEST(a_first_read_that_is_cheap_is_no_rise_of_the_others)
{
    static const double cheap_first[6] = {1000, 1500, 1400, 1390, 1380, 1370};
    struct hand *hand = hand_new();
    hand_reads(hand, "perf-read.read", cheap_first, 1);
    assert_finding(hand, "W5", FINDING_HOLDS, "saves nothing");
}

/* Whole processes on another level say the same of repeating as the others. */
TEST(levels_of_processes_do_not_matter_within_them)
{
    struct hand *hand = hand_new();
    hand_reads(hand, "perf-read.read", falling, 1.5);
    assert_finding(hand, "W5", FINDING_FAILS, "and stays so");
}

TEST(two_reads_and_two_processes_are_no_row)
{
    struct hand *hand = hand_new();
    hand_reads(hand, "perf-read.read", falling, 1);
    for (size_t i = 0; i < hand->report.figure_count; i++)
        if (hand->figures[i].position > 2) /* something else was called between */
            hand->figures[i].predecessor = -1;
    assert_finding(hand, "W5", FINDING_UNTESTABLE, NULL);
    hand = hand_new();
    hand->processes = 2;
    hand_reads(hand, "perf-read.read", falling, 1);
    assert_finding(hand, "W5", FINDING_INCONCLUSIVE, "too few processes");
}

TEST(noisy_reads_in_a_row_stay_open)
{
    struct hand *hand = hand_new();
    hand->spread = 0.3;
    hand_reads(hand, "perf-user.read", user_falling, 1);
    hand_reads(hand, "perf-read.read", falling, 1);
    assert_finding(hand, "W5", FINDING_INCONCLUSIVE, NULL);
}

TEST(without_user_reads_the_calls_decide_and_the_other_half_is_named)
{
    struct hand *hand = hand_new();
    hand_no_user_reads(hand);
    hand_reads(hand, "perf-read.read", falling, 1);
    assert_finding(hand, "W5", FINDING_FAILS,
                   "the half about user code is not tested: perf-user.read cannot be called here: "
                   "this CPU has no counters");
    hand = hand_new();
    hand_no_user_reads(hand);
    hand_warm(hand, "perf-read.read", 1000);
    assert_finding(hand, "W5", FINDING_UNTESTABLE, "perf-read.read was not measured");
}

TEST(caches_of_an_emulated_machine_are_not_judged)
{
    struct hand *hand = hand_new();
    hand_emulate(hand);
    hand_reads(hand, "perf-user.read", user_falling, 1);
    hand_reads(hand, "perf-read.read", rising, 1);
    assert_finding(hand, "W5", FINDING_UNTESTABLE, "this machine is emulated");
    hand = hand_new();
    hand->counts = true;
    hand_reads(hand, "perf-read.read", rising, 1);
    assert_finding(hand, "W5", FINDING_UNTESTABLE, "no call was timed");
}
