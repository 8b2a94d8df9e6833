/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about the null error, Z1 to Z5: each of them flips with opposite data, stays open where
 * the data are too noisy, and says why where nothing can decide. */
#include <stdio.h>

#include "case.h"
#include "error-findings.h"

/* Cells that spread from `least` to `most`. */
static void spread(struct hand *hand, const char *event, double least, double most)
{
    hand_null(hand, event, "perf-read", PATTERN_RR, least);
    hand_null(hand, event, "perf-read", PATTERN_AO, (least + most) / 2);
    hand_null(hand, event, "papi-low", PATTERN_RR, most);
}

TEST(null_errors_spread_or_do_not)
{
    struct hand hand;
    hand_start(&hand);
    spread(&hand, "instructions:u", 12, 2500);
    spread(&hand, "instructions:uk", 74, 10000);
    const struct finding *finding =
        assert_finding(&hand, "Z1", FINDING_HOLDS, "papi-low, read-read, O2, static");
    assert_float_equal(finding->estimate, 10000.0 / 74, 1e-9);
    assert_non_null(strstr(finding->reason, "user mode: from 12"));
    assert_true(finding->low >= finding->high); /* nothing varies */
    hand_start(&hand);
    spread(&hand, "instructions:u", 12, 2500);
    spread(&hand, "instructions:uk", 2000, 2500); /* one half is enough to refute it */
    finding = assert_finding(&hand, "Z1", FINDING_FAILS, "user+kernel mode: from 2,000");
    assert_float_equal(finding->estimate, 1.25, 1e-9);
}

TEST(a_spread_of_no_error_at_all_has_a_size)
{
    struct hand hand;
    hand_start(&hand);
    spread(&hand, "instructions:u", 0, 300);
    assert_float_equal(assert_finding(&hand, "Z1", FINDING_HOLDS, NULL)->estimate, 300, 1e-9);
    hand_start(&hand);
    spread(&hand, "instructions:u", 0, 4);
    assert_finding(&hand, "Z1", FINDING_FAILS, NULL);
}

TEST(noisy_cells_leave_the_spread_open)
{
    struct hand hand;
    hand_start(&hand);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_RR, 100);
    build_error_cell(&hand.builder,
                     &(struct error_way){
                         .path = "papi-low", .error = 1000, .process_noise = 500, .processes = 4});
    const struct finding *finding = assert_finding(&hand, "Z1", FINDING_INCONCLUSIVE, NULL);
    assert_true(finding->detectable > 0);
}

TEST(one_path_or_one_process_is_no_spread)
{
    struct hand hand;
    hand_start(&hand);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_RR, 10);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_AO, 5000);
    assert_finding(&hand, "Z1", FINDING_UNTESTABLE, "two paths and two patterns");
    build_error_cell(&hand.builder,
                     &(struct error_way){.path = "papi-low", .error = 9000, .processes = 1});
    assert_finding(&hand, "Z1", FINDING_UNTESTABLE, NULL);
}

TEST(without_counters_the_user_half_is_stepped)
{
    struct hand hand;
    hand_start(&hand);
    hand_pmu_absent(&hand);
    hand_stepped(&hand, "perf-read", PATTERN_RR, 12);
    hand_stepped(&hand, "perf-read", PATTERN_AO, 14);
    hand_stepped(&hand, "papi-high", PATTERN_RR, 2600);
    /* A window without a path, and steps before they are aligned, are no way to measure. */
    hand_stepped(&hand, "bare", PATTERN_RR, 0);
    build_error_cell(&hand.builder, &(struct error_way){.part = PART_STEPPED,
                                                        .event = "step/instructions-raw/",
                                                        .path = "papi-low",
                                                        .error = 1e6});
    const struct finding *finding =
        assert_finding(&hand, "Z1", FINDING_HOLDS, "user mode, stepped: from 12");
    assert_float_equal(finding->estimate, 2600.0 / 12, 1e-9);
    assert_non_null(strstr(finding->reason,
                           "user+kernel mode is not tested, as instructions:uk cannot be opened"));
    assert_null(strstr(finding->reason, "this CPU has no"));
}

TEST(without_any_count_nothing_is_decided)
{
    static const char *const ids[] = {"Z1", "Z2", "Z3", "Z4", "Z5", "Z6", "Z7", "Z8", "Z9"};
    struct hand hand;
    hand_start(&hand);
    hand_pmu_absent(&hand);
    hand_null(&hand, "page-faults", "perf-read", PATTERN_AO, 1);
    hand_null(&hand, "page-faults", "papi-low", PATTERN_RR, 100);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        assert_finding(&hand, ids[i], FINDING_UNTESTABLE, "cannot be opened: this CPU has no");
    assert_finding(&hand, "Z10", FINDING_UNTESTABLE, "no loop was timed");
}

TEST(what_does_not_fit_a_reason_is_left_out_whole)
{
    char reason[281];
    memset(reason, 'x', sizeof(reason) - 1);
    reason[sizeof(reason) - 1] = '\0';
    struct hand hand;
    hand_start(&hand);
    static const char *const events[] = {"instructions:u", "instructions:uk"};
    static const char direct[] = "perf-with-a-name-as-long-as-a-name-may-be";
    uint32_t machine = build_error_machine(&hand.builder, reason, false);
    for (int i = 0; i < 4; i++)
        build_error_cell(&hand.builder, &(struct error_way){.machine = machine,
                                                            .event = events[i / 2],
                                                            .path = i % 2 ? "papi-low" : direct,
                                                            .error = i % 2 ? 1234567 : 12});
    build_error_absence(&hand.builder, "papi-high", 2, reason);
    /* Which of the machines decides has no room any more. */
    const struct finding *finding = assert_finding(&hand, "Z4", FINDING_HOLDS, "user+kernel mode");
    assert_true(strlen(finding->reason) > NOTE_SIZE - 110);
    assert_null(strstr(finding->reason, "; of"));
}

/* --- Z2 --- */

static void user_reads(struct hand *hand, double call, double user, double user_in_both)
{
    hand_null(hand, "instructions:uk", "perf-read", PATTERN_RR, call + 100);
    hand_null(hand, "instructions:uk", "perf-syscall", PATTERN_RR, call);
    hand_null(hand, "instructions:uk", "perf-user", PATTERN_RR, user_in_both);
    hand_null(hand, "instructions:u", "perf-user", PATTERN_RR, user);
    hand_null(hand, "instructions:uk", "perf-syscall", PATTERN_AO, 5000);
}

TEST(user_reads_cut_the_error_or_do_not)
{
    struct hand hand;
    hand_start(&hand);
    user_reads(&hand, 1698, 109, 109);
    const struct finding *finding = assert_finding(&hand, "Z2", FINDING_HOLDS, "perf-syscall");
    assert_float_equal(finding->estimate, 1698.0 / 109, 1e-9);
    assert_non_null(strstr(finding->reason, "the same"));
    hand_start(&hand);
    user_reads(&hand, 120, 109, 109);
    assert_finding(&hand, "Z2", FINDING_FAILS, NULL);
    hand_start(&hand); /* the page of the counter faults: kernel code in a user read */
    user_reads(&hand, 1698, 109, 300);
    assert_finding(&hand, "Z2", FINDING_FAILS, "not the same");
}

TEST(user_reads_of_noisy_counts_stay_open)
{
    struct hand hand;
    hand_start(&hand);
    hand_null(&hand, "instructions:u", "perf-user", PATTERN_RR, 100);
    hand_null(&hand, "instructions:uk", "perf-user", PATTERN_RR, 100);
    build_error_cell(&hand.builder, &(struct error_way){.event = "instructions:uk",
                                                        .pattern = PATTERN_RR,
                                                        .error = 200,
                                                        .process_noise = 80,
                                                        .processes = 4});
    assert_finding(&hand, "Z2", FINDING_INCONCLUSIVE, NULL);
}

TEST(user_reads_need_both_ways_and_the_kernels_share)
{
    struct hand hand;
    hand_start(&hand);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_RR, 100);
    hand_null(&hand, "instructions:u", "perf-user", PATTERN_RR, 10);
    build_error_absence(&hand.builder, "instructions:uk", 13, "only root may count the kernel.");
    assert_finding(&hand, "Z2", FINDING_UNTESTABLE, "instructions:uk cannot be opened: only root");
    hand_start(&hand);
    hand_null(&hand, "instructions:uk", "perf-read", PATTERN_RR, 100);
    assert_finding(&hand, "Z2", FINDING_UNTESTABLE, "begins with perf-user");
    build_error_failed(&hand.builder,
                       &(struct error_way){.event = "instructions:uk", .path = "perf-user"}, 22,
                       "user access is off. Write 1 to perf_user_access.");
    assert_finding(&hand, "Z2", FINDING_UNTESTABLE,
                   "perf-user could not measure instructions:uk: user access is off");
    hand_start(&hand);
    hand_null(&hand, "instructions:uk", "perf-user", PATTERN_RR, 100);
    assert_finding(&hand, "Z2", FINDING_UNTESTABLE, "no path that reads by a system call");
}

/* --- Z4 --- */

static void interfaces(struct hand *hand, double direct, double low, double high)
{
    hand_null(hand, "instructions:u", "perf-read", PATTERN_AO, direct + 50);
    hand_null(hand, "instructions:u", "perf-syscall", PATTERN_RR, direct);
    hand_null(hand, "instructions:u", "papi-low", PATTERN_AR, low);
    hand_null(hand, "instructions:u", "papi-low", PATTERN_AO, low + 70);
    hand_null(hand, "instructions:u", "papi-high", PATTERN_RR, high);
}

TEST(higher_interfaces_add_error_or_do_not)
{
    struct hand hand;
    hand_start(&hand);
    interfaces(&hand, 37, 134, 236);
    const struct finding *finding =
        assert_finding(&hand, "Z4", FINDING_HOLDS,
                       "perf-syscall read-read 37, papi-low start-read 134, "
                       "papi-high read-read 236");
    assert_float_equal(finding->estimate, 97, 1e-9); /* the smaller step */
    hand_start(&hand);
    interfaces(&hand, 37, 134, 130);
    finding = assert_finding(&hand, "Z4", FINDING_FAILS, NULL);
    assert_float_equal(finding->estimate, -4, 1e-9);
    hand_start(&hand);
    interfaces(&hand, 140, 134, 236);
    assert_finding(&hand, "Z4", FINDING_FAILS, NULL);
}

TEST(a_noisy_interface_is_open_and_an_absent_one_is_named)
{
    struct hand hand;
    hand_start(&hand);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_RR, 100);
    assert_finding(&hand, "Z4", FINDING_UNTESTABLE, "begins with papi-");
    build_error_absence(&hand.builder, "papi-high", 2, "built without PAPI. Install it.");
    build_error_cell(
        &hand.builder,
        &(struct error_way){.path = "papi-low", .error = 110, .process_noise = 30, .processes = 4});
    assert_finding(&hand, "Z4", FINDING_INCONCLUSIVE, "papi-high is not there: built without PAPI");
}

TEST(interfaces_are_stepped_where_nothing_counts)
{
    struct hand hand;
    hand_start(&hand);
    hand_pmu_absent(&hand);
    hand_stepped(&hand, "perf-syscall", PATTERN_RR, 9);
    assert_finding(&hand, "Z4", FINDING_UNTESTABLE, "papi-");
    hand_stepped(&hand, "papi-low", PATTERN_RR, 98);
    hand_stepped(&hand, "papi-high", PATTERN_RR, 700);
    const struct finding *finding = assert_finding(&hand, "Z4", FINDING_HOLDS, "stepped");
    assert_float_equal(finding->estimate, 89, 1e-9);
    assert_float_equal(finding->detectable, 0, 1e-9);
}

/* --- Z5 --- */

static void best_patterns(struct hand *hand, const char *path, double ar, double rr)
{
    hand_null(hand, "instructions:u", path, PATTERN_AR, ar);
    hand_null(hand, "instructions:u", path, PATTERN_RR, rr);
}

TEST(best_patterns_differ_or_do_not)
{
    struct hand hand;
    hand_start(&hand);
    best_patterns(&hand, "perf-read", 60, 37);
    best_patterns(&hand, "papi-low", 134, 200);
    const struct finding *finding = assert_finding(&hand, "Z5", FINDING_HOLDS,
                                                   "start-read for "
                                                   "papi-low");
    assert_float_equal(finding->estimate, 23, 1e-9); /* start-read costs perf-read that */
    hand_start(&hand);
    best_patterns(&hand, "perf-read", 60, 37);
    best_patterns(&hand, "papi-low", 200, 134);
    assert_finding(&hand, "Z5", FINDING_FAILS, "one pattern is best in all of 1 comparisons");
    /* A path that does not have the best pattern does not make it another. */
    hand_null(&hand, "instructions:u", "perf-prctl", PATTERN_AR, 10);
    hand_null(&hand, "instructions:u", "perf-prctl", PATTERN_AO, 5);
    assert_finding(&hand, "Z5", FINDING_FAILS, NULL);
}

TEST(patterns_that_tie_are_one_pattern)
{
    struct hand hand;
    hand_start(&hand);
    best_patterns(&hand, "perf-read", 37, 37);
    best_patterns(&hand, "papi-low", 134, 200);
    assert_finding(&hand, "Z5", FINDING_FAILS, NULL);
}

TEST(the_best_pattern_may_depend_on_the_mode)
{
    struct hand hand;
    hand_start(&hand);
    best_patterns(&hand, "perf-read", 60, 37);
    hand_null(&hand, "instructions:uk", "perf-read", PATTERN_AR, 600);
    hand_null(&hand, "instructions:uk", "perf-read", PATTERN_RR, 726);
    assert_finding(&hand, "Z5", FINDING_HOLDS, "in user+kernel mode (600)");
}

TEST(noisy_patterns_stay_open_and_single_ones_say_nothing)
{
    struct hand hand;
    hand_start(&hand);
    best_patterns(&hand, "perf-read", 60, 37);
    hand_null(&hand, "instructions:u", "papi-low", PATTERN_RR, 134);
    assert_finding(&hand, "Z5", FINDING_UNTESTABLE, "two patterns in common");
    build_error_cell(
        &hand.builder,
        &(struct error_way){.path = "papi-low", .error = 130, .process_noise = 30, .processes = 4});
    assert_finding(&hand, "Z5", FINDING_INCONCLUSIVE, NULL);
}

TEST(stepped_patterns_decide_for_user_mode)
{
    struct hand hand;
    hand_start(&hand);
    hand_pmu_absent(&hand);
    hand_stepped(&hand, "perf-read", PATTERN_AR, 14);
    hand_stepped(&hand, "perf-read", PATTERN_RR, 12);
    hand_stepped(&hand, "papi-low", PATTERN_AR, 90);
    hand_stepped(&hand, "papi-low", PATTERN_RR, 95);
    const struct finding *finding =
        assert_finding(&hand, "Z5", FINDING_HOLDS, "user+kernel mode is not tested");
    assert_float_equal(finding->estimate, 2, 1e-9);
}

/* --- several machines --- */

TEST(one_of_several_machines_refutes)
{
    struct hand hand;
    hand_start(&hand);
    uint32_t second = build_error_machine(&hand.builder, "another", false);
    build_error_machine(&hand.builder, "third", true);
    interfaces(&hand, 37, 134, 236);
    assert_finding(&hand, "Z4", FINDING_HOLDS, "of 3 machines 1 can tell, and built decides");
    for (int i = 0; i < 2; i++)
        build_error_cell(&hand.builder, &(struct error_way){.machine = second,
                                                            .path = i ? "papi-low" : "perf-read",
                                                            .error = i ? 20 : 30});
    const struct finding *finding =
        assert_finding(&hand, "Z4", FINDING_FAILS, "of 3 machines 2 can tell, and another decides");
    assert_float_equal(finding->estimate, -10, 1e-9);
}

TEST(levels_and_links_of_one_way_count_as_their_middle)
{
    static const double errors[] = {30, 31, 90};
    static const char *const levels[] = {"O0", "O1", "O2"};
    struct hand hand;
    hand_start(&hand);
    for (int i = 0; i < 3; i++)
        build_error_cell(&hand.builder, &(struct error_way){.opt = levels[i], .error = errors[i]});
    hand_null(&hand, "instructions:u", "papi-low", PATTERN_AR, 131);
    /* Neither more counters nor separate ones belong to it. */
    build_error_cell(&hand.builder, &(struct error_way){.counters = 4, .error = 1});
    build_error_cell(&hand.builder, &(struct error_way){.separate = true, .error = 1});
    assert_float_equal(
        assert_finding(&hand, "Z4", FINDING_HOLDS, "perf-read start-read 31")->estimate, 100, 1e-9);
}
