/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the runs of one point to its figures: integers that stay integers, extrapolation,
 * overhead from null cells, disturbed runs, intervals. */
#include "case.h"
#include "judging.h"
#include "studies/validate/judge.h"

static const struct built_specimen *specimen_named(const char *name)
{
    const struct built_specimen *specimen = built_specimens;
    while (strcmp(specimen->name, name) != 0)
        specimen++;
    return specimen;
}

/* One null cell and one point of `adds`. */
static struct {
    struct evidence *evidence;
    struct judged_point judged;
} pair;

static struct point *start_pair(const struct built_way *way, uint64_t n)
{
    pair.evidence = begin(1, "instructions:u", "instructions");
    if (!way->without_null)
        build_null(&built, pair.evidence, way);
    return build_point(&built, pair.evidence, way, specimen_named("adds"), n);
}

static const struct judged_point *judge_pair(void)
{
    judge_point(pair.evidence, &pair.evidence->points[pair.evidence->point_count - 1],
                &pair.judged);
    return &pair.judged;
}

/* Switches, whose truth is the run's own account. */
static struct evidence *start_switches(void)
{
    return begin_ladder("context-switches", "context-switches", &plain, "ping-pong");
}

TEST(counts_above_2_to_53_are_compared_as_integers)
{
    struct point *point = start_pair(&plain, 1);
    int64_t large = (INT64_C(1) << 60) + 1;
    point->truth = (struct truth){TRUTH_PROVEN, large, large};
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value = (uint64_t)large;
    point->runs[3].value++;
    const struct judged_point *judged = judge_pair();
    assert_int_equal(judged->exact, judged->runs - 1);
    double error;
    assert_true(run_error(judged, &point->runs[3], &error));
    assert_true(error == 1);
}

TEST(a_difference_below_zero_is_a_small_negative_count)
{
    struct point *point = start_pair(&plain, 1);
    point->runs[0].value = UINT64_MAX - 1; /* -2 */
    const struct judged_point *judged = judge_pair();
    double error;
    assert_true(run_error(judged, &point->runs[0], &error));
    assert_true(error == -2 - 16);
    assert_true(judged->min == -2);
}

TEST(multiplexed_counts_are_extrapolated_to_the_nearest)
{
    wide count;
    struct evidence_run run = {.value = 1000, .enabled = 3000, .running = 1000};
    assert_true(run_is_multiplexed(&run));
    assert_true(run_count_of(&run, &count));
    assert_int_equal((int64_t)count, 3000);
    run = (struct evidence_run){.value = 5, .enabled = 3, .running = 2};
    assert_true(run_count_of(&run, &count));
    assert_int_equal((int64_t)count, 8); /* 7.5 */
    run = (struct evidence_run){.value = (uint64_t)-5, .enabled = 3, .running = 2};
    assert_true(run_count_of(&run, &count));
    assert_int_equal((int64_t)count, -8);
    /* 2^53 + 1 would be lost in a double. */
    run = (struct evidence_run){.value = (1ULL << 53) + 1, .enabled = 2, .running = 1};
    assert_true(run_count_of(&run, &count));
    assert_int_equal((int64_t)count, (INT64_C(1) << 54) + 2);
}

TEST(the_largest_numbers_neither_trap_nor_wrap)
{
    static const uint64_t extremes[] = {0, 1, UINT64_MAX, 1ULL << 63, (1ULL << 63) - 1};
    for (size_t i = 0; i < 125; i++) {
        struct evidence_run run = {
            .value = extremes[i % 5], .enabled = extremes[i / 5 % 5], .running = extremes[i / 25]};
        wide count;
        if (!run_count_of(&run, &count)) {
            assert_true(run.running == 0 && run.enabled > 0);
            continue;
        }
        assert_true(((int64_t)run.value < 0) == (count < 0) || count == 0);
    }
    struct account account = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1};
    assert_true(account_faults(&account) == INT64_MAX);
    assert_true(account_switches(&account) == INT64_MAX);
}

TEST(a_run_without_counter_time_is_no_run)
{
    struct point *point = start_pair(&plain, 10);
    for (size_t i = 0; i < 10; i++)
        point->runs[i] = (struct evidence_run){.enabled = 1000};
    const struct judged_point *judged = judge_pair();
    assert_int_equal(judged->unscheduled, 10);
    assert_int_equal(judged->runs, point->run_count - 10);
    assert_int_equal(judged->exact, judged->runs);
    assert_false(judged->is_zero);
}

TEST(overhead_is_the_median_of_the_null_cells_quiet_runs)
{
    start_pair(&(struct built_way){.overhead = 7}, 10);
    struct point *null = &pair.evidence->points[0];
    /* More than half of its runs are wrong, but disturbed. */
    for (size_t i = 0; i < 19; i++) {
        null->runs[i].value = 1000;
        null->runs[i].account.minor_faults = 1;
    }
    null->runs[19].value = 500; /* quiet, and alone */
    const struct judged_point *judged = judge_pair();
    assert_true(judged->has_overhead);
    assert_int_equal(judged->overhead, 7);
    assert_int_equal(judged->overhead_low, 7);
    assert_int_equal(judged->overhead_high, 7);
    assert_int_equal(judged->exact, judged->runs);
}

TEST(overhead_of_another_way_is_not_taken)
{
    for (int difference = 0; difference < 4; difference++) {
        start_pair(&(struct built_way){.overhead = 7}, 10);
        struct point *null = &pair.evidence->points[0];
        if (difference == 0)
            null->counters = 2;
        else if (difference == 1)
            null->pattern = PATTERN_RR;
        else if (difference == 2)
            null->cpu = 1;
        else
            null->path[0] = 'q';
        assert_false(judge_pair()->has_overhead);
    }
}

TEST(a_run_with_a_foreign_fault_is_disturbed_and_kept_apart)
{
    struct point *point = start_pair(&plain, 10);
    point->runs[5].value += 100;
    point->runs[5].account.minor_faults++;
    point->runs[6].account.involuntary++;
    const struct judged_point *judged = judge_pair();
    assert_int_equal(judged->disturbed, 2);
    assert_int_equal(judged->disturbed_exact, 1);
    assert_int_equal(judged->exact, judged->runs - 2);
    assert_true(judged->max == 124 && judged->low == 0 && judged->high == 0);
}

TEST(a_hundredfold_outweighs_and_ninety_nine_does_not)
{
    for (int64_t truth = 699; truth <= 700; truth++) {
        struct point *point = start_pair(&(struct built_way){.overhead = 7}, 10);
        point->truth = (struct truth){TRUTH_PROVEN, truth, truth};
        assert_int_equal(judge_pair()->outweighs, truth == 700);
        point->truth.grade = TRUTH_MODEL;
        assert_false(judge_pair()->outweighs);
    }
}

TEST(one_stray_in_a_hundred_does_not_spoil_the_interval)
{
    struct point *point = start_pair(&(struct built_way){.runs = 50, .relative = 0.001}, 1000);
    point->runs[17].value += 1000000;
    const struct judged_point *judged = judge_pair();
    assert_int_equal(judged->strays, 1);
    assert_true(judged->high < 0.01 * 12004);
    assert_true(judged->max > 1000000); /* kept, and shown */
    point->runs[18].value += 1000000;
    judged = judge_pair();
    assert_int_equal(judged->strays, 0);
    assert_true(judged->high > 0.01 * 12004);
}

TEST(processes_that_differ_count_as_one_value_each)
{
    struct point *point = start_pair(&(struct built_way){.processes = 4, .additive = 2}, 1000);
    assert_false(judge_pair()->processes_differ);
    double narrow = pair.judged.high - pair.judged.low;
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value += point->runs[i].process % 2 ? 30 : 0;
    assert_true(judge_pair()->processes_differ);
    assert_true(pair.judged.high - pair.judged.low > 5 * narrow);
}

TEST(one_run_has_no_interval)
{
    start_pair(&(struct built_way){.processes = 1, .runs = 1}, 10);
    const struct judged_point *judged = judge_pair();
    assert_int_equal(judged->runs, 1);
    assert_true(isinf(judged->low) && isinf(judged->high));
    assert_true(judged->stdev == 0 && judged->mean == 124);
}

TEST(switches_are_held_against_the_runs_own_account)
{
    struct evidence *evidence = start_switches();
    struct point *point = &evidence->points[2];
    for (size_t i = 0; i < point->run_count; i++) {
        point->runs[i].value += i % 3;
        point->runs[i].account.involuntary += i % 3;
    }
    struct judged_point judged;
    judge_point(evidence, point, &judged);
    assert_true(judged.against_account);
    assert_int_equal(judged.exact + judged.disturbed_exact, judged.runs);
    assert_true(judged.disturbed > 0);
    point->runs[4].value++;
    judge_point(evidence, point, &judged);
    assert_int_equal(judged.exact + judged.disturbed_exact, judged.runs - 1);
}
