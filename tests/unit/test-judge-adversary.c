/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What somebody found who tried to deceive the judge: a lie that another way of measuring covered,
 * clean counters that rare accidents or few runs made look bad, and sentences that misled. */
#include "case.h"
#include "judging.h"

/* Every ninth run of one path jumps, its null cell as well: nothing on it outweighs that overhead.
 */
LIE(jumps_by_rdpmc, strcmp(point->path, "rdpmc") == 0 && index % 9 == 0
                        ? run->value + (UINT64_C(1) << 48)
                        : run->value)

TEST(a_path_that_is_right_does_not_excuse_one_that_is_wild)
{
    struct evidence *evidence = begin(9, "instructions:u", "instructions");
    build_all(&built, evidence, &(struct built_way){.overhead = 2});
    build_all(&built, evidence, &(struct built_way){.path = "rdpmc"});
    const struct judgement *all = judged_with(evidence, jumps_by_rdpmc, NULL);
    assert_came(all, VERDICT_NOISY, CAUSE_WRAP);
}

LIE(jumps_at_random, random_below(context, 4) == 0 ? run->value + (UINT64_C(1) << 40) : run->value)

/* Where a null cell of five runs jumps, all points are small against it; some never jump. */
TEST(points_that_are_right_by_luck_make_nothing_accurate)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct random random;
        random_seed(&random, seed);
        struct built_way way = {.processes = 1, .runs = 5};
        const struct judgement *all =
            judge_lie(seed, "instructions:u", "instructions", &way, jumps_at_random, &random);
        enum verdict verdict = all->verdict;
        if (verdict != VERDICT_NOISY && verdict != VERDICT_BIASED)
            fail_msg("seed %u: %s: %s", (unsigned)seed, verdict_names[verdict],
                     reasons_text(&all->why));
    }
}

LIE(now_and_then_one_more, run->value + (random_below(context, 100) == 0))

TEST(one_more_in_a_hundred_runs_is_no_noise_even_in_few_runs)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct random random;
        random_seed(&random, seed);
        struct built_way way = {.processes = 5, .runs = 1};
        const struct judgement *all =
            judge_lie(seed, "instructions:u", "instructions", &way, now_and_then_one_more, &random);
        /* Once in a while no run at all has one more. */
        if (all->verdict != VERDICT_EXACT)
            assert_came(all, VERDICT_ACCURATE, CAUSE_NONE);
    }
}

/* Half of the time, half of the counts, and whole ones: 3 reads 1, and 2 when extrapolated. */
TEST(extrapolated_counts_are_as_coarse_as_their_part_of_the_time)
{
    struct evidence *evidence = begin(9, "instructions:u", "instructions");
    build_all(&built, evidence, &(struct built_way){0});
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j++) {
            struct evidence_run *run = &evidence->points[i].runs[j];
            run->running = run->enabled / 2;
            run->value /= 2;
        }
    const struct judgement *all = judged();
    assert_came(all, VERDICT_ACCURATE, CAUSE_NONE);
}

LIE(rarely_a_lot_more, run->value + (random_below(context, 300) == 0 ? 20000 : 0))

TEST(rare_accidents_are_no_noise_in_a_thousand_runs)
{
    struct random random;
    random_seed(&random, 5);
    struct evidence *evidence = begin(9, "instructions:u", "instructions");
    struct built_way way = {.processes = 10, .runs = 100};
    build_ladder(&built, evidence, &way, "loop");
    build_ladder(&built, evidence, &way, "adds");
    const struct judgement *all = judged_with(evidence, rarely_a_lot_more, &random);
    assert_verdict(all, VERDICT_ACCURATE);
}

LIE(counts_n, point->n)

/* A million is nearly 2^20. */
TEST(errors_near_a_power_of_two_are_no_wrap)
{
    struct built_way way = {0};
    const struct judgement *all = judge_lie(9, "page-faults", "page-faults", &way, counts_n, NULL);
    assert_came(all, VERDICT_BIASED, CAUSE_OTHER_DEFINITION);
}

LIE(in_both_halves, run->value | run->value << 32)

/* Nor are errors that are multiples of 2^32, but any number of times it. */
TEST(counts_above_the_modulus_are_no_wrap)
{
    struct built_way way = {0};
    const struct judgement *all =
        judge_lie(9, "instructions:u", "instructions", &way, in_both_halves, NULL);
    assert_came(all, VERDICT_BIASED, CAUSE_UNKNOWN);
}

static uint64_t never_set_back(const struct point *point, const struct evidence_run *run,
                               size_t index, void *context)
{
    (void)context;
    size_t first = index;
    while (first > 0 && point->runs[first - 1].process == run->process)
        first--;
    return run->value * (index - first + 1);
}

LIE(drifts_down, run->value - run->value * (index % 20) / 4000)

TEST(a_counter_that_drifts_is_said_to)
{
    struct built_way way = {0};
    const struct judgement *all =
        judge_lie(9, "instructions:u", "instructions", &way, never_set_back, NULL);
    assert_verdict(all, VERDICT_BIASED);
    assert_figure(all, DRIFTS, 0, true);

    all = judge_lie(9, "instructions:u", "instructions", &way, drifts_down, NULL);
    assert_came(all, VERDICT_ACCURATE, CAUSE_UNKNOWN);
    assert_figure(all, DRIFTS, 0, false);
}

static uint64_t above_every_second_time(const struct point *point, const struct evidence_run *run,
                                        size_t index, void *context)
{
    (void)context;
    if (point->is_null)
        return run->value;
    return (uint64_t)(index % 2 ? point->truth.high + point->truth.high / 10 : point->truth.low);
}

TEST(a_mean_within_the_limits_is_not_said_to_be_outside)
{
    struct evidence *evidence = begin(9, "branches:u", "branches");
    build_ladder(&built, evidence, &(struct built_way){0}, "getppid");
    const struct judgement *all = judged_with(evidence, above_every_second_time, NULL);
    assert_verdict(all, VERDICT_BIASED);
    assert_figure(all, OUTSIDE_LIMITS, 1, 2200002);
}

LIE(wrong_in_ar, point->pattern == PATTERN_AR ? run->value / 2 : run->value)

LIE(wrong_with_four, point->counters == 4 ? run->value + run->value / 20 : run->value)

TEST(the_setting_that_counts_right_is_named)
{
    struct evidence *evidence = begin(9, "instructions:u", "instructions");
    build_all(&built, evidence, &(struct built_way){0});
    build_all(&built, evidence, &(struct built_way){.pattern = PATTERN_AO, .overhead = 3});
    const struct judgement *all = judged_with(evidence, wrong_in_ar, NULL);
    assert_verdict(all, VERDICT_BIASED);
    assert_text(all, PATTERNS, 0, pattern_descriptions[PATTERN_AO]);
    assert_text(all, PATTERNS, 1, pattern_descriptions[PATTERN_AR]);

    evidence = begin(9, "instructions:u", "instructions");
    build_all(&built, evidence, &(struct built_way){0});
    build_all(&built, evidence, &(struct built_way){.counters = 4});
    all = judged_with(evidence, wrong_with_four, NULL);
    assert_verdict(all, VERDICT_BIASED);
    assert_figure(all, COUNTERS, 0, 1);
    assert_figure(all, COUNTERS, 1, 4);
}

/* A third of the runs has a switch that nobody asked for. */
static void disturb(struct evidence *evidence, uint64_t adds, uint64_t faults)
{
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j += 3) {
            struct evidence_run *run = &evidence->points[i].runs[j];
            run->account.minor_faults += faults;
            run->account.involuntary += !faults;
            run->value += adds;
        }
}

TEST(runs_left_aside_are_told)
{
    struct evidence *evidence = begin(9, "instructions:u", "instructions");
    build_all(&built, evidence, &(struct built_way){0});
    disturb(evidence, 3, 0);
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_EXACT);
    assert_figure(all, DISTURBED_WRONG, 0, 35);
    assert_figure(all, DISTURBED_WRONG, 1, 882);
    assert_figure(all, DISTURBED_WRONG, 2, 882);
    assert_figure(all, DISTURBED_WRONG, 3, 3);

    evidence = begin(9, "page-faults", "page-faults");
    build_all(&built, evidence, &(struct built_way){0});
    disturb(evidence, 1, 1);
    all = judged();
    assert_verdict(all, VERDICT_EXACT);
    assert_said(all, DISTURBED_RIGHT);

    evidence = begin(9, "instructions:u", "instructions");
    build_all(&built, evidence, &(struct built_way){0});
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j += 2)
            evidence->points[i].runs[j].value = evidence->points[i].runs[j].running = 0;
    all = judged();
    assert_verdict(all, VERDICT_EXACT);
    assert_figure(all, UNSCHEDULED, 0, 50);
}

LIE(doubled, 2 * run->value)

TEST(what_cannot_be_told_apart_or_known_is_said)
{
    struct built_way way = {0}, once = {.processes = 1, .runs = 1};
    /* Its code makes two calls for every switch. */
    const struct judgement *all =
        judge_lie(1, "context-switches", "context-switches", &way, doubled, NULL);
    assert_verdict(all, VERDICT_BIASED);
    assert_figure(all, OTHER_CLASS, 6, 2);

    all = judge_lie(1, "instructions:u", "instructions", &once, doubled, NULL);
    assert_verdict(all, VERDICT_NOISY);
    assert_said(all, ONE_RUN);

    way = (struct built_way){.without_null = true, .overhead = 3};
    all = judge_lie(1, "instructions:u", "instructions", &way, NULL, NULL);
    for (size_t at = 1; at < 4; at++) /* size, low, high */
        assert_figure(all, CONSTANT, at, 3);
}

TEST(an_interface_that_takes_away_is_said_to)
{
    struct built_way way = {.overhead = -13};
    const struct judgement *all = judge_lie(1, "instructions:u", "instructions", &way, NULL, NULL);
    assert_verdict(all, VERDICT_EXACT);
    assert_figure(all, TAKES_AWAY, 1, 13);
}
