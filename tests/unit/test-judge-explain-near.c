/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What looks like a cause and is none must not be accused, and what cannot be told apart is said to
 * be so. */
#include "case.h"
#include "judging.h"

static void assert_not_accused(const struct judgement *judgement, enum cause cause)
{
    for (size_t i = 0; i < judgement->explanation_count; i++)
        if (judgement->explanations[i].cause == cause) {
            print_error("%s: %s\n", cause_word(cause), reasons_text(&judgement->why));
            assert_true(judgement->explanations[i].cause != cause);
        }
}

static double count_of(const struct point *point, enum trait_kind kind, const char *name)
{
    const struct trait *trait = point_trait(point, kind, name);
    return trait ? (double)trait->count : 0;
}

/* --- classes --- */

LIE(halved, point->is_null ? run->value : run->value / 2)

TEST(a_factor_is_not_another_class)
{
    /* In the loop alone branches are half the instructions, but for the first. */
    struct evidence *evidence = begin_ladder("instructions:u", "instructions", &plain, "adds");
    build_ladder(&built, evidence, &plain, "loads");
    const struct judgement *all = judged_with(evidence, halved, NULL);
    assert_not_accused(all, CAUSE_OTHER_DEFINITION);
    assert_null(all->fits);
}

LIE(stores_instead, point->is_null ? run->value : (uint64_t)count_of(point, TRAIT_CLASS, "stores"))

TEST(classes_that_no_point_tells_apart_are_not_accused)
{
    /* Loads and stores of these two are the same. */
    struct evidence *evidence = begin_ladder("loads:u", "loads", &plain, "locked");
    build_ladder(&built, evidence, &plain, "adds");
    const struct judgement *all = judged_with(evidence, stores_instead, NULL);
    assert_verdict(all, VERDICT_EXACT);
    assert_int_equal(all->explanation_count, 0);
}

/* --- the operating system --- */

static uint64_t each_call(const struct point *point, const struct evidence_run *run, size_t index,
                          void *context)
{
    (void)index;
    double each = *(const double *)context;
    return run->value + (uint64_t)(each * count_of(point, TRAIT_CLASS, "syscalls"));
}

TEST(an_event_that_may_count_the_operating_system_leaks_nothing)
{
    double each = 200;
    const struct judgement *all =
        judge_lie(1, "instructions", "instructions", &plain, each_call, &each);
    assert_not_accused(all, CAUSE_KERNEL_LEAK);
    assert_true(all->explanation_count > 0);
}

TEST(a_few_counts_a_call_are_the_border_and_no_leak)
{
    double each = 2;
    const struct judgement *all =
        judge_lie(1, "instructions:u", "instructions", &plain, each_call, &each);
    assert_not_accused(all, CAUSE_KERNEL_LEAK);
    assert_string_equal(all->explanations[0].per, "system call");
}

/* Long runs differ more, but not by ticks: as often fewer as more. */
static uint64_t jitter_with_time(const struct point *point, const struct evidence_run *run,
                                 size_t index, void *context)
{
    (void)index;
    double spread = sqrt((double)run->enabled / 1e6);
    double more = point->is_null ? 0 : round(built_normal(context) * spread);
    return run->value + (uint64_t)(int64_t)more;
}

TEST(noise_that_grows_with_time_is_no_interrupt)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct random random;
        random_seed(&random, seed);
        struct built_way slow = {.ns_each = 1000};
        const struct judgement *all =
            judge_lie(seed, "instructions:u", "instructions", &slow, jitter_with_time, &random);
        assert_not_accused(all, CAUSE_INTERRUPT_OVERCOUNT);
    }
}

TEST(stray_faults_that_add_nothing_are_not_blamed)
{
    struct built_way way = {.stray_faults_percent = 20};
    const struct judgement *all = judge_lie(3, "instructions:u", "instructions", &way, NULL, NULL);
    assert_int_equal(all->explanation_count, 0);
}

LIE(each_fault, run->value + run->account.minor_faults)

TEST(stray_faults_tell_where_no_code_faults)
{
    builder_start(&built, 5);
    struct built_way way = {.stray_faults_percent = 10};
    struct evidence *evidence = build_event(&built, "instructions:u", "hardware", "instructions");
    build_ladder(&built, evidence, &way, "adds");
    build_ladder(&built, evidence, &way, "loads");
    const struct judgement *all = judged_with(evidence, each_fault, NULL);
    assert_int_equal(all->explanation_count, 1);
    assert_int_equal(all->explanations[0].cause, CAUSE_FAULT_OVERCOUNT);
    assert_true(fabs(all->explanations[0].size - 1) < 0.01);
}

/* --- shapes --- */

LIE(zero_at_a_power_of_two, point->n >= 100000 && !point->is_null ? 0 : run->value)

TEST(large_counts_that_are_lost_did_not_wrap)
{
    const struct judgement *all =
        judge_lie(1, "instructions:u", "instructions", &plain, zero_at_a_power_of_two, NULL);
    assert_not_accused(all, CAUSE_WRAP);
    assert_not_accused(all, CAUSE_THRESHOLD);
}

LIE(one_specimen_is_dead, strcmp(point->specimen, "adds") == 0 ? 0 : run->value)

TEST(code_that_is_not_counted_at_all_is_no_threshold)
{
    const struct judgement *all =
        judge_lie(1, "instructions:u", "instructions", &plain, one_specimen_is_dead, NULL);
    assert_not_accused(all, CAUSE_THRESHOLD);
    assert_not_accused(all, CAUSE_LOST_COUNTS);
    assert_not_accused(all, CAUSE_OPCODE_OVERCOUNT); /* nothing counts less than 0 */
}

static uint64_t shares_and_is_right(const struct point *point, const struct evidence_run *run,
                                    size_t index, void *context)
{
    (void)context;
    struct evidence_run *changed = (struct evidence_run *)run;
    if (point->is_null || index % 2)
        return run->value;
    changed->running = run->enabled / 2;
    return (uint64_t)round((double)run->value * (double)changed->running / (double)run->enabled);
}

TEST(multiplexed_runs_that_extrapolate_well_are_not_blamed)
{
    const struct judgement *all =
        judge_lie(1, "instructions:u", "instructions", &plain, shares_and_is_right, NULL);
    assert_not_accused(all, CAUSE_MULTIPLEXING);
}

/* --- opcodes --- */

LIE(branches_twice, run->value + (uint64_t)count_of(point, TRAIT_OPCODE, "jne"))

TEST(opcodes_that_always_occur_together_are_blamed_together)
{
    const struct judgement *all =
        judge_lie(1, "instructions:u", "instructions", &plain, branches_twice, NULL);
    assert_string_equal(all->explanations[0].per, "dec or jne");
    assert_text(all, OPCODE, 6, "cond-branches");
}

TEST(without_opcodes_known_none_is_blamed)
{
    struct evidence *evidence = begin(1, "instructions:u", "instructions");
    build_all(&built, evidence, &plain);
    build_lie(evidence, branches_twice, NULL);
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].trait_count; j++)
            if (evidence->points[i].traits[j].kind == TRAIT_OPCODE)
                evidence->points[i].traits[j--] =
                    evidence->points[i].traits[--evidence->points[i].trait_count];
    const struct judgement *all = judged();
    assert_string_equal(all->explanations[0].per, "cond-branches");
}
