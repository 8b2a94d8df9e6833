/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about kinds of calls and numbers of events, W6 and W7, and what all findings about
 * overhead share: emulated machines, several machines, reasons that are whole. */
#include <stdio.h>

#include "case.h"
#include "overhead-findings.h"

/* --- W6 --- */

struct variant_costs {
    double start, stop, read;
};

/* A process that starts, reads and stops, each for the first time. */
static void first_three(struct hand *hand, const char *path, const char *link,
                        struct variant_costs costs)
{
    char start[64], stop[64], read[64];
    snprintf(start, sizeof(start), "%s.start", path);
    snprintf(stop, sizeof(stop), "%s.stop", path);
    snprintf(read, sizeof(read), "%s.read", path);
    hand_first(hand, start, link, costs.start);
    hand_row(hand, read, link, start, 1, costs.read);
    hand_row(hand, stop, link, read, 1, costs.stop);
}

static void three_kinds(struct hand *hand, double start, double stop, double read)
{
    static const char *const paths[] = {"perf-read", "perf-syscall"};
    char name[64];
    for (size_t i = 0; i < 2; i++) {
        const struct {
            const char *kind;
            double cost;
        } kinds[] = {{"start", start}, {"stop", stop}, {"read", read}};
        for (size_t kind = 0; kind < 3; kind++) {
            snprintf(name, sizeof(name), "%s.%s", paths[i], kinds[kind].kind);
            hand_warm(hand, name, kinds[kind].cost);
        }
    }
}

TEST(start_is_the_dearest_or_is_not)
{
    struct hand *hand = hand_new();
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 3500});
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2550, 2600});
    const struct finding *finding =
        assert_finding(hand, "W6", FINDING_HOLDS, "start 2,400, stop 2,000, read 1,000 ticks");
    assert_float_equal(finding->estimate, 1.2, 1e-9);
    assert_non_null(strstr(finding->reason, "1.17 for start, 1.02 for stop, 1.35 for read"));
    hand = hand_new();
    three_kinds(hand, 2000, 2400, 1000);
    assert_finding(hand, "W6", FINDING_FAILS, "start is not the dearest");
    hand = hand_new();
    hand->spread = 0.2;
    three_kinds(hand, 2200, 2000, 1000);
    assert_finding(hand, "W6", FINDING_INCONCLUSIVE, NULL);
}

/* One variant in which it is not refutes it. */
TEST(every_variant_is_asked)
{
    struct hand *hand = hand_new();
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 9500});
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2550, 2600});
    assert_finding(hand, "W6", FINDING_FAILS, "libc, lazy, first calls");
    hand = hand_new();
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 3500});
    first_three(hand, "perf-syscall", "static", (struct variant_costs){6000, 6600, 2600});
    assert_finding(hand, "W6", FINDING_FAILS, "inline, first calls");
}

/* Pages of a library that are mapped now or then: one level of first reads is above start. */
TEST(open_first_calls_do_not_unsettle_later_ones)
{
    struct hand *hand = hand_new();
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2550, 2600});
    hand_first(hand, "perf-read.start", "lazy", 7000);
    hand_levels(hand_row(hand, "perf-read.read", "lazy", "perf-read.start", 1, 4000), 3500, 14000);
    hand_row(hand, "perf-read.stop", "lazy", "perf-read.read", 1, 2600);
    assert_finding(hand, "W6", FINDING_HOLDS, "first calls (libc, lazy) leave that open");
    hand = hand_new(); /* alone they leave it open, and say which levels */
    hand_first(hand, "perf-read.start", "lazy", 7000);
    hand_levels(hand_row(hand, "perf-read.read", "lazy", "perf-read.start", 1, 4000), 3500, 14000);
    hand_row(hand, "perf-read.stop", "lazy", "perf-read.read", 1, 2600);
    assert_finding(hand, "W6", FINDING_INCONCLUSIVE,
                   "costs now 3,500, now 14,000 ticks, and its levels disagree");
}

TEST(a_page_fault_of_another_call_does_not_make_it_dearer_than_start)
{
    struct hand *hand = hand_new();
    three_kinds(hand, 1800, 1700, 1500);
    first_three(hand, "perf-read", "static", (struct variant_costs){2800, 2010, 1600});
    hand_first(hand, "perf-read.start", "lazy", 2000);
    struct overhead_row *read =
        hand_row(hand, "perf-read.read", "lazy", "perf-read.start", 1, 14000);
    read->faults = read->runs;
    hand_row(hand, "perf-read.stop", "lazy", "perf-read.read", 1, 2000);
    assert_finding(hand, "W6", FINDING_HOLDS,
                   "the first read takes a page fault (libc, lazy) and costs 14,000, start 2,000");
}

TEST(stop_depends_least_on_the_variant_or_does_not)
{
    struct hand *hand = hand_new();
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 4600, 3500});
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2550, 2600});
    const struct finding *finding =
        assert_finding(hand, "W6", FINDING_FAILS, "1.17 for start, 1.80 for stop");
    assert_true(finding->estimate < 1);
    hand = hand_new(); /* start depends on it even less */
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){6100, 3000, 3500});
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2500, 2600});
    assert_finding(hand, "W6", FINDING_FAILS, "1.02 for start, 1.20 for stop, 1.35 for read");
    hand = hand_new(); /* warm variants alike: nothing to tell apart */
    three_kinds(hand, 2400, 2000, 1000);
    assert_finding(hand, "W6", FINDING_INCONCLUSIVE, "too close to tell");
}

TEST(one_variant_does_not_test_the_half_about_variants)
{
    struct hand *hand = hand_new();
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 3500});
    assert_finding(hand, "W6", FINDING_HOLDS, "the half about variants is not tested");
}

TEST(a_library_that_stops_and_reads_at_once_does_not_decide)
{
    struct hand *hand = hand_new();
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 3500});
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2550, 2600});
    hand_warm(hand, "papi-low.start", 3900);
    hand_warm(hand, "papi-low.stop", 4400);
    hand_warm(hand, "papi-low.read", 2000);
    assert_finding(hand, "W6", FINDING_HOLDS, "PAPI's stop, which also reads, costs more");
}

/* --- W7 --- */

static void growth(struct hand *hand, double group, double separate, double power)
{
    hand_warm(hand, "perf-read.read", 1000); /* so that something was timed */
    hand_slope(hand, "perf-read.read", false, group, 1);
    hand_slope(hand, "perf-read.read", true, separate, 1);
    hand_slope(hand, "perf-read.start", false, group, power);
    hand_slope(hand, "perf-read.start", true, separate, 1);
}

TEST(cost_grows_linearly_with_events_or_does_not)
{
    struct hand *hand = hand_new();
    growth(hand, 100, 1000, 1.02);
    const struct finding *finding = assert_finding(
        hand, "W7", FINDING_HOLDS, "perf-read.read of separate events grows linearly");
    assert_non_null(strstr(finding->reason, "each further event adds 100 to"));
    assert_string_equal(finding->unit, "power of the number of events");
    hand = hand_new();
    growth(hand, 100, 1000, 1.8);
    finding = assert_finding(hand, "W7", FINDING_FAILS,
                             "perf-read.start of a group grows faster than linearly: 1,000 ticks "
                             "with one event");
    assert_float_equal(finding->estimate, 1.8, 1e-9);
    hand = hand_new();
    hand->spread = 0.03;
    growth(hand, 100, 1000, 1.2);
    assert_finding(hand, "W7", FINDING_INCONCLUSIVE, "may grow linearly or not");
}

/* That is what the claim says of those that share a call; of separate ones it is the contrary. */
TEST(a_group_may_grow_more_slowly_than_linearly)
{
    struct hand *hand = hand_new();
    growth(hand, 100, 1000, 0.3);
    assert_finding(hand, "W7", FINDING_HOLDS, NULL);
    hand_slope(hand, "perf-read.stop", true, 1000, 0.3);
    assert_finding(hand, "W7", FINDING_FAILS,
                   "perf-read.stop of separate events grows more slowly than linearly");
}

/* A line that meets every point is one, whatever power the noise of the first point makes. */
TEST(a_line_that_meets_every_point_is_straight)
{
    struct hand *hand = hand_new();
    growth(hand, 100, 1000, 1);
    struct overhead_slope *slope = hand_slope(hand, "perf-read.stop", true, 100, 1.2);
    slope->straight = true;
    slope->miss = 0.02;
    assert_finding(hand, "W7", FINDING_HOLDS, NULL);
    slope->miss = 0.2;
    assert_finding(hand, "W7", FINDING_FAILS, NULL);
}

TEST(a_group_grows_slower_or_does_not)
{
    struct hand *hand = hand_new();
    growth(hand, 1500, 1000, 1);
    const struct finding *finding = assert_finding(hand, "W7", FINDING_FAILS, "adds 1,500 to");
    assert_float_equal(finding->estimate, 1.5, 1e-9);
    assert_string_equal(finding->unit, "times");
    hand = hand_new();
    growth(hand, 980, 1000, 1);
    assert_finding(hand, "W7", FINDING_INCONCLUSIVE, NULL);
    hand = hand_new(); /* half of the claim was not asked */
    hand_warm(hand, "perf-read.read", 1000);
    hand_slope(hand, "perf-read.read", false, 100, 1);
    assert_finding(hand, "W7", FINDING_INCONCLUSIVE, "were not both measured");
    hand = hand_new(); /* a group that grows not at all grows slower */
    hand_warm(hand, "perf-read.read", 1000);
    hand_slope(hand, "perf-read.read", false, 0, 1);
    hand_slope(hand, "perf-read.read", true, 1000, 1);
    assert_finding(hand, "W7", FINDING_HOLDS, NULL);
}

TEST(reads_in_user_code_share_nothing)
{
    struct hand *hand = hand_new();
    growth(hand, 100, 1000, 1);
    hand_slope(hand, "perf-user.read", false, 26, 1);
    hand_slope(hand, "perf-user.read", true, 26, 1);
    assert_finding(hand, "W7", FINDING_HOLDS, NULL);
}

TEST(growth_needs_several_events)
{
    struct hand *hand = hand_new();
    hand_warm(hand, "perf-read.read", 1000);
    struct overhead_slope *reads = hand_slope(hand, "perf-read.read", false, 900, 2);
    reads->by_reads = true;
    struct overhead_slope *library = hand_slope(hand, "papi-low.read", false, 900, 2);
    library->points = 4;
    assert_finding(hand, "W7", FINDING_UNTESTABLE, "several events were not measured");
}

/* --- emulated machines --- */

TEST(emulated_machines_are_judged_by_instructions)
{
    struct hand *hand = hand_new();
    hand_emulate(hand);
    three_kinds(hand, 2400, 2000, 1000);
    hand_warm(hand, "perf-user.read", 60);
    hand_warm(hand, "perf-user-touched.read", 60);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 3500});
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2550, 2600});
    hand_first(hand, "perf-read.read", "static", 1000);
    hand_first(hand, "perf-read.read", "lazy", 3000);
    struct overhead_row *cold = hand_first(hand, "perf-user-cold.read", "static", 1500);
    cold->faults = cold->runs;
    growth(hand, 100, 1000, 1);
    static const char *const ids[] = {"W1", "W2", "W3", "W4", "W6", "W7"};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        assert_finding(hand, ids[i], FINDING_HOLDS, "instructions");
    assert_non_null(strstr(hand_find(hand, "W1")->reason,
                           "in instructions of user and kernel code, as the machine is emulated"));
    assert_float_equal(hand_find(hand, "W1")->estimate, 45, 1e-9);
}

TEST(times_of_an_emulated_machine_decide_nothing)
{
    struct hand *hand = hand_new();
    hand_emulate(hand);
    hand->counts = false;
    three_kinds(hand, 2400, 2000, 1000);
    hand_warm(hand, "perf-user.read", 60);
    growth(hand, 100, 1000, 1);
    for (size_t i = 0; i < OVERHEAD_FINDINGS; i++) {
        char id[3] = {'W', (char)('1' + i), '\0'};
        assert_finding(hand, id, FINDING_UNTESTABLE,
                       i == 4 ? "emulated" : "no call was metered in instructions");
    }
}

TEST(user_instructions_alone_are_no_cost)
{
    struct hand *hand = hand_new();
    hand_emulate(hand);
    three_kinds(hand, 2400, 2000, 1000);
    hand_warm(hand, "perf-user.read", 60);
    size_t kept = 0;
    for (size_t i = 0; i < hand->report.row_count; i++)
        if (hand->rows[i].meter == &hand_user)
            hand->rows[kept++] = hand->rows[i];
    hand->report.row_count = kept;
    assert_finding(hand, "W1", FINDING_UNTESTABLE, NULL);
    assert_finding(hand, "W6", FINDING_UNTESTABLE, NULL);
}

/* --- machines --- */

TEST(one_machine_refutes_and_all_are_told)
{
    struct hand *hand = hand_new();
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            hand->machine = build_overhead_machine(&hand->builder, i == 1 ? "odd" : "even", false);
        three_kinds(hand, 2400, 2000, 1000);
        hand_warm(hand, "perf-user.read", i == 1 ? 2000 : 100);
    }
    assert_finding(
        hand, "W1", FINDING_FAILS,
        "on odd, Linux 6.1.0, one of 3 machines (holds on 2, does not hold on 1); start, stop");
    hand = hand_new(); /* not on all the same: and the longest reason leaves it in */
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 3500});
    first_three(hand, "perf-read", "static", (struct variant_costs){6000, 2550, 2600});
    hand_emulate(hand);
    three_kinds(hand, 2400, 2000, 1000);
    first_three(hand, "perf-read", "lazy", (struct variant_costs){7000, 2600, 3500});
    first_three(hand, "perf-syscall", "static", (struct variant_costs){6000, 6600, 2600});
    assert_finding(hand, "W6", FINDING_FAILS,
                   "on emulated, Linux 6.1.0, one of 2 machines (holds on 1, does not hold on 1); "
                   "in instructions");
}

TEST(nothing_at_all_is_said_to_be_nothing)
{
    struct hand *hand = hand_new();
    for (size_t i = 0; i < OVERHEAD_FINDINGS; i++) {
        char id[3] = {'W', (char)('1' + i), '\0'};
        assert_finding(hand, id, FINDING_UNTESTABLE, NULL);
    }
    hand->builder.file.machine_count = 0;
    assert_finding(hand, "W1", FINDING_UNTESTABLE, "nothing was measured");
    hand->builder.file.machine_count = 1;
}

/* --- reasons --- */

TEST(reasons_of_any_length_end_with_a_word)
{
    char words[4000] = "it ";
    while (strlen(words) + 12 < sizeof(words))
        strcat(words, "interfered ");
    for (size_t length = 1; length < 900; length += 7) {
        struct hand *hand = hand_new();
        char reason[1000];
        snprintf(reason, sizeof(reason), "%.*s", (int)length, words);
        hand_warm(hand, "perf-read.start", 2400);
        hand_warm(hand, "perf-read.stop", 2000);
        hand_warm(hand, "perf-read.read", 1000);
        build_overhead_absence(&hand->builder, "perf-user.read", 95, reason);
        const struct finding *finding = assert_finding(hand, "W1", FINDING_UNTESTABLE,
                                                       "perf-user.read cannot be called here: ");
        const char *rest = strstr(finding->reason, "here: ") + strlen("here: ");
        const char *end = strstr(rest, "; ");
        size_t told = end ? (size_t)(end - rest) : strlen(rest);
        bool whole = told <= strlen(reason) && strncmp(rest, reason, told) == 0;
        bool cut = told > 4 && strncmp(rest + told - 4, " ...", 4) == 0 &&
                   strncmp(rest, reason, told - 4) == 0 && reason[told - 4] == ' ';
        assert_true(cut || (whole && strspn(reason + told, " ") == strlen(reason + told)));
    }
}

TEST(failed_processes_give_their_reason)
{
    struct hand *hand = hand_new();
    three_kinds(hand, 2400, 2000, 1000);
    build_overhead_failed(&hand->builder,
                          &(struct overhead_way){.calls = "timer.nothing,perf-user.read"}, 13,
                          "user access is switched off. Write 1 to perf_user_access.");
    assert_finding(hand, "W1", FINDING_UNTESTABLE,
                   "perf-user.read failed: user access is switched off; ");
}
