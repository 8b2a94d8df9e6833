/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where one verdict ends and the next begins: one percent, a hundredfold, limits, noise, and what
 * one row of an event does to the whole. */
#include <errno.h>
#include <string.h>

#include "case.h"
#include "judging.h"

/* --- one percent, and a hundredfold --- */

static enum verdict verdict_of_factor(double by, int64_t overhead)
{
    struct built_way way = {.overhead = overhead};
    struct evidence *evidence = begin(1, "event:u", "instructions");
    build_null(&built, evidence, &way);
    struct point *point = build_point(&built, evidence, &way, &built_specimens[1], 100000);
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value =
            (uint64_t)llround((double)point->truth.low * by) + (uint64_t)overhead;
    const struct judgement *all = judged();
    enum verdict verdict = all->verdict;
    if (verdict == VERDICT_BIASED)
        assert_non_null(said(&all->why, by < 1.03 ? WHY_FACTOR_ONCE : WHY_ONE_POINT));
    return verdict;
}

TEST(one_percent_is_the_border)
{
    assert_int_equal(verdict_of_factor(1.0, 0), VERDICT_EXACT);
    assert_int_equal(verdict_of_factor(1.000001, 0), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(1.0099, 0), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(1.0101, 0), VERDICT_BIASED);
    assert_int_equal(verdict_of_factor(0.9901, 0), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(0.9899, 0), VERDICT_BIASED);
}

TEST(what_does_not_outweigh_the_overhead_is_not_held_to_one_percent)
{
    /* The truth is 1,200,004. */
    assert_int_equal(verdict_of_factor(1.005, 12000), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(1.0101, 12000), VERDICT_BIASED);
    assert_int_equal(verdict_of_factor(1.005, 12001), VERDICT_UNJUDGED);
    assert_int_equal(verdict_of_factor(1.02, 30000), VERDICT_UNJUDGED);
    /* But to what the overhead could make: */
    assert_int_equal(verdict_of_factor(1.03, 30000), VERDICT_BIASED);
    assert_int_equal(verdict_of_factor(1.0, 30000), VERDICT_EXACT);
}

TEST(a_small_count_is_held_to_half_a_count)
{
    struct evidence *evidence = begin_ladder("faults", "page-faults", &plain, "pages");
    for (size_t i = 0; i < 4; i++) /* at N = 1, four of forty read 2 */
        evidence->points[1].runs[9 * i + 5].value++;
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_ACCURATE);
    for (size_t i = 0; i < 40; i++) /* all of them */
        evidence->points[1].runs[i].value = 2;
    all = judged();
    assert_verdict(all, VERDICT_BIASED);
    assert_figure(all, RIGHT_FROM, 0, 10);
    assert_figure(all, RIGHT_FROM, 1, 2);
}

TEST(without_a_null_cell_nothing_is_exact)
{
    struct built_way way = {.without_null = true};
    const struct judgement *all = judge_lie(1, "event", "syscalls", &way, NULL, NULL);
    assert_verdict(all, VERDICT_ACCURATE);
    assert_false(all->has_overhead);
    /* And an offset is not subtracted as if it were known. */
    way.overhead = 12;
    assert_says(judge_lie(1, "event", "syscalls", &way, NULL, NULL), VERDICT_BIASED, NO_NULL);
}

/* --- grades and rows --- */

static const struct judged_row *row_named(const struct judgement *judgement, const char *specimen)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        if (strcmp(judgement->rows[i].specimen, specimen) == 0)
            return &judgement->rows[i];
    return NULL;
}

TEST(one_run_of_one_row_breaks_exact)
{
    struct evidence *evidence = begin_all("instructions:u", "instructions");
    struct point *last = &evidence->points[evidence->point_count - 1];
    last->runs[39].value++;
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_ACCURATE);
    assert_int_equal(row_named(all, "adds")->verdict, VERDICT_EXACT);
    assert_int_equal(row_named(all, last->specimen)->verdict, VERDICT_ACCURATE);
    /* Unless a second account saw that something happened in it. */
    last->runs[39].account.minor_faults++;
    all = judged();
    assert_verdict(all, VERDICT_EXACT);
    assert_int_equal(all->disturbed, 1);
    assert_said(all, DISTURBED_WRONG);
}

TEST(where_every_run_is_disturbed_they_are_judged_all_the_same)
{
    struct evidence *evidence = begin_ladder("event:u", "instructions", &plain, "adds");
    for (size_t i = 1; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j++)
            evidence->points[i].runs[j].account.involuntary = 3;
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_EXACT);
    double by = 1.05;
    all = judged_with(evidence, factor, &by);
    assert_verdict(all, VERDICT_BIASED);
    assert_figure(all, DISTURBED_WRONG, 0, 100);
}

TEST(limits_bind_and_prove_nothing_more)
{
    struct evidence *evidence = begin_ladder("branches:u", "branches", &plain, "getppid");
    const struct judgement *all = judged();
    assert_says(all, VERDICT_ACCURATE, WITHIN_LIMITS);
    double by = 1.5; /* limits are 1 and 2 a call; the middle was counted */
    assert_says(judged_with(evidence, factor, &by), VERDICT_BIASED, OUTSIDE_LIMITS);
}

TEST(limits_that_are_kept_leave_exact_what_is_proven)
{
    const struct judgement *all = judge_lie(1, "branches:u", "branches", &plain, NULL, NULL);
    assert_verdict(all, VERDICT_EXACT);
    struct evidence *evidence = &built.file.events[0];
    for (size_t i = 0; i < evidence->point_count; i++)
        if (evidence->points[i].truth.grade == TRUTH_BOUNDED)
            evidence->points[i].runs[3].value = 3 * evidence->points[i].n + 10;
    all = judged();
    assert_true(all->verdict != VERDICT_EXACT);
}

TEST(counts_where_nothing_happens_break_exact_and_many_break_accurate)
{
    const struct judgement *all;
    struct evidence *evidence = begin_all("faults", "page-faults");
    for (uint64_t part = 200; part >= 50; part = part == 200 ? 50 : 0) {
        for (size_t i = 0; i < evidence->point_count; i++)
            for (size_t j = 0; strcmp(evidence->points[i].specimen, "adds") == 0 && j < 40; j++)
                evidence->points[i].runs[j].value = evidence->points[i].n / part;
        all = judged();
        assert_verdict(all, part == 200 ? VERDICT_ACCURATE : VERDICT_BIASED);
        if (part == 50)
            assert_said(all, EXCESS);
    }
}

/* Errors of the last point of `adds`, alternating around a mean; both in parts of the truth. */
static enum verdict verdict_of_spread(double mean, double deviation)
{
    struct evidence *evidence = begin_ladder("event:u", "instructions", &plain, "adds");
    struct point *point = &evidence->points[evidence->point_count - 1];
    double truth = (double)point->truth.low;
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value =
            (uint64_t)llround(truth * (1 + mean + (i % 2 ? deviation : -deviation)));
    return judged()->verdict;
}

TEST(noise_is_called_biased_only_beyond_doubt)
{
    /* Over 40 runs the usual interval is the mean ± 0.324 deviations, the strict one ± 0.70. */
    assert_int_equal(verdict_of_spread(0.002, 0.02), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_spread(0.002, 0.03), VERDICT_NOISY);  /* holds 0, leaves 1 % */
    assert_int_equal(verdict_of_spread(0.008, 0.015), VERDICT_NOISY); /* excludes 0 at 95 % only */
    assert_int_equal(verdict_of_spread(0.008, 0.010), VERDICT_BIASED);
}

TEST(a_model_of_zero_makes_nothing_accurate)
{
    struct evidence *evidence = begin_ladder("event", "page-faults", &plain, "adds");
    for (size_t i = 1; i < evidence->point_count; i++)
        evidence->points[i].truth.grade = TRUTH_MODEL;
    assert_verdict(judged(), VERDICT_UNJUDGED);
}
