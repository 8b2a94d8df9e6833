/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice on overhead: said where the figures show it, not said where they do not, at most six
 * sentences for a machine. */
#include <math.h>
#include <stdio.h>

#include "case.h"
#include "overhead-findings.h"

static const char *advised(struct hand *hand, uint32_t machine, const char *words)
{
    hand->report.advice = NULL;
    overhead_judge_advice(&hand->builder.file, &hand->report);
    assert_true(hand->report.advice || !hand->report.advice_count);
    for (size_t i = 0; hand->report.advice && i < hand->report.advice_count; i++) {
        const struct overhead_advice *advice = &hand->report.advice[i];
        size_t length = strlen(advice->text);
        assert_true(length > 0 && length < sizeof(advice->text) - 1);
        assert_true(advice->text[length - 1] == '.');
        assert_null(strstr(advice->text, "nan"));
        if (advice->machine == machine && strstr(advice->text, words))
            return advice->text;
    }
    return NULL;
}

static void assert_advised(struct hand *hand, const char *words)
{
    if (!advised(hand, hand->machine, words)) {
        for (size_t i = 0; i < hand->report.advice_count; i++)
            print_error("%s\n", hand->report.advice[i].text);
        fail_msg("nobody advises \"%s\"", words);
    }
}

TEST(the_cheapest_way_to_read_is_advised)
{
    struct hand *hand = hand_new();
    hand_warm(hand, "perf-read.read", 1000);
    hand_warm(hand, "perf-syscall.read", 990);
    assert_advised(hand,
                   "Read counters by read() or by inline system calls: about 1,000 ticks, and "
                   "nothing measured here is cheaper.");
    hand_warm(hand, "papi-low.read", 2000);
    assert_advised(hand, "cheaper; PAPI_read costs 2.0 times as much as read().");
    hand_warm(hand, "assay.read", 150);
    assert_advised(hand, "Read counters with libassay: 150 ticks a read, 1,000 by read(); PAPI");
    hand_warm(hand, "perf-user.read", 100);
    assert_advised(hand, "Read counters in user code (perf-user): 100 ticks a read");
}

/* Of one process nobody knows how others differ: a reader that looks far cheaper is neither alike
 * nor to be denied. */
TEST(a_cheaper_reader_is_not_denied_for_want_of_processes)
{
    struct hand *hand = hand_new();
    hand->processes = 1;
    hand_warm(hand, "perf-read.read", 1000);
    hand_warm(hand, "perf-user.read", 30);
    for (size_t i = 0; i < hand->report.row_count; i++)
        hand->report.rows[i].low = hand->report.rows[i].high = NAN;
    assert_null(advised(hand, hand->machine, "Read counters"));
}

TEST(counters_are_left_running_where_that_saves)
{
    struct hand *hand = hand_new();
    hand_warm(hand, "perf-read.start", 2400);
    hand_warm(hand, "perf-read.stop", 2000);
    hand_warm(hand, "perf-read.read", 1000);
    assert_advised(hand, "two read() cost 2,000 ticks, start, stop and read() 5,400");
    hand = hand_new();
    hand_warm(hand, "perf-read.start", 500);
    hand_warm(hand, "perf-read.stop", 500);
    hand_warm(hand, "perf-read.read", 1000);
    assert_null(advised(hand, 0, "Let counters run"));
}

TEST(costs_that_differ_are_not_to_be_subtracted)
{
    struct hand *hand = hand_new();
    hand_warm(hand, "perf-read.read", 1066);
    struct overhead_row *row = hand_row(hand, "perf-read.read", "lazy", "papi-low.read", 0, 1100);
    assert_null(advised(hand, 0, "Do not subtract"));
    hand_levels(row, 1066, 1508);
    assert_advised(hand, "from the time of a region: it cost 1,066 to 1,508 ticks, by what ran");
    row->level_count = 1;
    row->low = 1060; /* unsure */
    row->median = row->high = 1600;
    assert_null(advised(hand, 0, "Do not subtract"));
    row->low = 1590;
    assert_advised(hand, "to 1,590 ticks, by what ran before");
}

TEST(first_calls_are_advised_against_where_they_cost)
{
    struct hand *hand = hand_new();
    hand_warm(hand, "perf-read.read", 1000);
    hand_first(hand, "perf-read.read", "lazy", 4000);
    assert_advised(hand,
                   "the first read() of a lazily linked program costs 4,000 ticks, later ones "
                   "1,000");
    hand = hand_new();
    hand_warm(hand, "perf-read.read", 1000);
    hand_first(hand, "perf-read.read", "lazy", 1100);
    assert_null(advised(hand, 0, "once before"));
}

TEST(a_page_is_populated_where_it_faults)
{
    struct hand *hand = hand_new();
    struct overhead_row *cold = hand_first(hand, "perf-user-cold.read", "static", 3000);
    cold->faults = cold->runs;
    hand_first(hand, "perf-user.read", "static", 400);
    assert_advised(hand, "MAP_POPULATE, or touch it: otherwise its first read in user code costs "
                         "3,000 ticks instead of 400");
    hand = hand_new();
    hand_first(hand, "perf-user-cold.read", "static", 405);
    hand_first(hand, "perf-user.read", "static", 400);
    assert_advised(hand, "needs no MAP_POPULATE here");
}

TEST(events_are_grouped_where_that_saves)
{
    struct hand *hand = hand_new();
    hand_warm(hand, "perf-read.read", 1000);
    hand_slope(hand, "perf-read.read", false, 150, 1);
    hand_slope(hand, "perf-read.read", true, 1000, 1);
    assert_advised(hand, "reading 8 of them costs 2,050 ticks, one by one 8,000");
    hand = hand_new();
    hand_warm(hand, "perf-read.read", 1000);
    hand_slope(hand, "perf-read.read", false, 1000, 1);
    hand_slope(hand, "perf-read.read", true, 1000, 1);
    assert_null(advised(hand, 0, "group"));
}

static void plant_everything(struct hand *hand)
{
    hand_warm(hand, "perf-read.start", 2400);
    hand_warm(hand, "perf-read.stop", 2000);
    hand_warm(hand, "perf-read.read", 1000);
    hand_warm(hand, "perf-user.read", 100);
    hand_first(hand, "perf-read.read", "lazy", 4000);
    hand_first(hand, "perf-user-cold.read", "static", 3000);
    hand_first(hand, "perf-user.read", "static", 400);
    hand_slope(hand, "perf-read.read", false, 150, 1);
    hand_slope(hand, "perf-read.read", true, 1000, 1);
    hand->peers[hand->report.peer_count++] = (struct overhead_peer){.machine = hand->machine,
                                                                    .path = "perf-stat",
                                                                    .variant = "",
                                                                    .what = "whole command",
                                                                    .cost = 3.5e6,
                                                                    .bare = 1e6,
                                                                    .ratio = 3.5,
                                                                    .low = 3,
                                                                    .high = 4};
    hand->peers[hand->report.peer_count++] =
        (struct overhead_peer){.machine = hand->machine,
                               .path = "papi-low",
                               .variant = "lazy",
                               .what = "start + stop + read",
                               .meter = hand->counts ? &hand_kernel : &hand_ticks,
                               .ratio = 1.6,
                               .low = 1.5,
                               .high = 1.7};
}

TEST(commands_libraries_and_neighbours_are_told)
{
    struct hand *hand = hand_new();
    hand->peers[0] = (struct overhead_peer){.path = "perf-stat",
                                            .variant = "",
                                            .what = "whole command",
                                            .cost = 3.5e6,
                                            .bare = 1e6,
                                            .ratio = 3.5,
                                            .low = 3,
                                            .high = 4};
    hand->peers[1] = (struct overhead_peer){.path = "papi-low",
                                            .variant = "lazy",
                                            .what = "start + stop + read",
                                            .meter = &hand_ticks,
                                            .ratio = 1.6,
                                            .low = 1.5,
                                            .high = 1.7};
    hand->report.peer_count = 2;
    hand->gauge = (struct overhead_gauge){.meter = &hand_ticks, .known = true, .share = 0.4};
    hand->report.gauge_count = 1;
    assert_advised(hand, "perf stat: it adds 2.5 ms to one that takes 1 ms.");
    hand->peers[0].meter = &hand_ticks;
    hand->peers[0].bare = 250000;
    assert_advised(hand, "it adds 3.2 million ticks to one that takes 250,000 ticks.");
    assert_advised(hand, "PAPI (start + stop + read) costs 1.6 times the bare calls");
    assert_advised(hand, "in 40 % of the passes");
    hand->peers[0].low = 0.9;
    hand->peers[1].low = 1;
    hand->gauge.share = 0.05;
    assert_null(advised(hand, 0, "perf stat"));
    assert_null(advised(hand, 0, "PAPI"));
    assert_null(advised(hand, 0, "passes"));
}

TEST(a_machine_gets_six_sentences_at_most)
{
    struct hand *hand = hand_new();
    plant_everything(hand);
    hand_emulate(hand);
    plant_everything(hand);
    assert_null(advised(hand, 0, "no such words"));
    assert_int_equal(hand->report.advice_count, 12);
    for (size_t i = 0; hand->report.advice && i < 12; i++)
        assert_int_equal(hand->report.advice[i].machine, i / 6);
    assert_advised(hand, "100 instructions a read");
}

TEST(nothing_is_advised_without_figures)
{
    struct hand *hand = hand_new();
    assert_null(advised(hand, 0, "no such words"));
    assert_int_equal(hand->report.advice_count, 0);
    hand_warm(hand, "perf-read.read", 1000); /* alone it compares with nothing */
    assert_null(advised(hand, 0, "no such words"));
    assert_int_equal(hand->report.advice_count, 0);
}
