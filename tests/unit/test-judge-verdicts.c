/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every verdict is reached by data that must reach it, and by no other: the first that applies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "judging.h"

static const struct built_way plain = {0};

static void clean_counts_are_exact(void **state)
{
    (void)state;
    struct case_builder builder;
    static const char *const classes[] = {"instructions", "loads",       "cond-branches",
                                          "syscalls",     "page-faults", "context-switches"};
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        struct judgements all = judge_lie(&builder, i, "event", classes[i], &plain, NULL, NULL);
        assert_verdict(&all.list[0], VERDICT_EXACT);
        assert_cause(&all.list[0], CAUSE_NONE);
        assert_int_equal(all.list[0].rank, 0);
        release(&builder, &all);
    }
}

static void an_overhead_in_null_cells_is_named_and_subtracted(void **state)
{
    (void)state;
    struct case_builder builder;
    struct built_way way = {.overhead = 1};
    struct judgements all = judge_lie(&builder, 2, "event", "syscalls", &way, NULL, NULL);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    assert_cause(&all.list[0], CAUSE_INTERFACE_OVERHEAD);
    assert_note(&all.list[0], "adds 1 to every count");
    assert_true(all.list[0].has_overhead);
    assert_int_equal(all.list[0].overhead, 1);
    release(&builder, &all);
}

static uint64_t zeros(const struct point *point, const struct evidence_run *run, size_t index,
                      void *context)
{
    (void)point, (void)run, (void)index, (void)context;
    return 0;
}

/* context: the factor. */
static uint64_t factor(const struct point *point, const struct evidence_run *run, size_t index,
                       void *context)
{
    (void)index;
    return point->is_null ? run->value : (uint64_t)((double)run->value * *(double *)context + 0.5);
}

/* --- cannot be opened, no counter, nothing to judge by --- */

static void what_cannot_be_opened_is_unsupported_for_its_reason(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    build_refused(&builder, "cycles:u", "hardware", "cycles", ENOENT, "no PMU here");
    build_refused(&builder, "msr/tsc/", "pmu", "ticks", EACCES, "paranoid");
    build_refused(&builder, "faults", "software", "page-faults", EPERM, "seccomp");
    build_refused(&builder, "odd", "software", NULL, EINVAL, "");
    struct judgements all = judged(&builder);
    static const enum cause causes[] = {CAUSE_NONE, CAUSE_PERMISSION, CAUSE_PERMISSION, CAUSE_NONE};
    for (size_t i = 0; i < all.count; i++) {
        assert_verdict(&all.list[i], VERDICT_UNSUPPORTED);
        assert_cause(&all.list[i], causes[i]);
        assert_int_equal(all.list[i].rank, 0);
    }
    assert_note(&all.list[0], "no PMU here");
    assert_note(&all.list[3], "Invalid argument");
    release(&builder, &all);
}

static void a_counter_that_never_ran_is_unscheduled(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "cycles:u", "hardware", "instructions");
    build_ladder(&builder, evidence, &plain, "adds");
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j++) {
            evidence->points[i].runs[j].running = 0;
            evidence->points[i].runs[j].value = 0;
        }
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNSCHEDULED);
    assert_int_equal(all.list[0].rows[0].verdict, VERDICT_UNSCHEDULED);
    judgements_release(&all);
    /* One run that got it is enough to be judged: dead, for it reads 0. */
    evidence->points[3].runs[0].running = evidence->points[3].runs[0].enabled;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_DEAD);
    release(&builder, &all);
}

static void without_a_prediction_nothing_is_judged_and_the_note_says_why(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    build_event(&builder, "dummy", "software", NULL);
    build_event(&builder, "cpu-clock", "software", "cpu-clock");
    struct evidence *evidence = build_event(&builder, "stalls:u", "hardware", "frontend-stalls");
    build_ladder(&builder, evidence, &plain, "adds"); /* which has no such truth */
    evidence = build_event(&builder, "broken:u", "hardware", "instructions");
    struct point *point = evidence_add_point(evidence);
    assert_non_null(point);
    built_describe(&plain, point);
    point->specimen = built_copy("adds");
    point->failed = 2;
    point->failure_reason = built_copy("killed by SIGILL");
    evidence = build_event(&builder, "instructions", "hardware", "instructions");
    evidence->reason = built_copy("it also counts what nobody predicts");
    evidence = build_event(&builder, "page-faults", "software", "page-faults");
    evidence->reason = built_copy("");
    struct judgements all = judged(&builder);
    static const char *const words[] = {
        "not known",        "No specimen here predicts cpu-clock",  "predicts frontend-stalls",
        "killed by SIGILL", "It also counts what nobody predicts.", "Was not measured"};
    for (size_t i = 0; i < all.count; i++) {
        assert_verdict(&all.list[i], VERDICT_UNJUDGED);
        assert_cause(&all.list[i], CAUSE_NONE);
        assert_note(&all.list[i], words[i]);
    }
    release(&builder, &all);
}

static void code_whose_turn_never_came_is_not_said_to_predict_nothing(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "faults", "software", "page-faults");
    build_ladder(&builder, evidence, &plain, "pages");
    for (size_t i = 0; i < evidence->point_count; i++)
        if (!evidence->points[i].is_null)
            evidence->points[i].run_count = 0;
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNJUDGED);
    assert_int_equal(all.list[0].row_count, 1);
    assert_non_null(strstr(all.list[0].rows[0].note, "Was not measured"));
    release(&builder, &all);
}

static void only_zeros_predicted_prove_nothing(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "faults", "software", "page-faults");
    build_ladder(&builder, evidence, &plain, "adds");
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNJUDGED);
    assert_note(&all.list[0], "Predicts zero");
    release(&builder, &all);
}

static void a_model_makes_accurate_at_best_and_else_states_the_ratio(void **state)
{
    (void)state;
    for (int off = 0; off < 2; off++) {
        struct case_builder builder;
        builder_start(&builder, 1);
        struct evidence *evidence = build_event(&builder, "cycles:u", "hardware", "instructions");
        build_ladder(&builder, evidence, &plain, "adds");
        for (size_t i = 1; i < evidence->point_count; i++)
            evidence->points[i].truth.grade = TRUTH_MODEL;
        double ratio = 1.31;
        if (off)
            build_lie(evidence, factor, &ratio);
        struct judgements all = judged(&builder);
        assert_verdict(&all.list[0], off ? VERDICT_UNJUDGED : VERDICT_ACCURATE);
        if (off)
            assert_note(&all.list[0], "Reads 1.31 of what the model says");
        judgements_release(&all);
        /* Not even zeros are dead by a model. */
        build_lie(evidence, zeros, NULL);
        all = judged(&builder);
        assert_verdict(&all.list[0], VERDICT_UNJUDGED);
        release(&builder, &all);
    }
}

/* --- dead --- */

static void zeros_are_dead_however_they_come(void **state)
{
    (void)state;
    struct case_builder builder;
    struct judgements all =
        judge_lie(&builder, 1, "instructions:u", "instructions", &plain, zeros, NULL);
    assert_verdict(&all.list[0], VERDICT_DEAD);
    assert_cause(&all.list[0], CAUSE_UNKNOWN);
    assert_note(&all.list[0], "Reads 0");
    /* A single count anywhere, and it is not. */
    builder.file.events[0].points[5].runs[7].value = 1;
    judgements_release(&all);
    all = judged(&builder);
    assert_true(all.list[0].verdict != VERDICT_DEAD);
    assert_true(all.list[0].verdict != VERDICT_EXACT && all.list[0].verdict != VERDICT_ACCURATE);
    release(&builder, &all);
}

static void a_lower_limit_above_zero_makes_dead_too(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "branches:u", "hardware", "branches");
    build_ladder(&builder, evidence, &plain, "getppid");
    build_lie(evidence, zeros, NULL);
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_DEAD);
    judgements_release(&all);
    for (size_t i = 1; i < evidence->point_count; i++)
        evidence->points[i].truth.low = 0;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNJUDGED);
    assert_note(&all.list[0], "allow for zero");
    release(&builder, &all);
}

/* --- one percent, and a hundredfold --- */

static enum verdict verdict_of_factor(double by, int64_t overhead)
{
    struct case_builder builder;
    struct built_way way = {.overhead = overhead};
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_null(&builder, evidence, &way);
    struct point *point = build_point(&builder, evidence, &way, &built_specimens[1], 100000);
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value =
            (uint64_t)llround((double)point->truth.low * by) + (uint64_t)overhead;
    struct judgements all = judged(&builder);
    enum verdict verdict = all.list[0].verdict;
    if (verdict == VERDICT_BIASED)
        assert_note(&all.list[0], by < 1.03 ? "of the truth" : "where 1,200,004 was predicted");
    release(&builder, &all);
    return verdict;
}

static void one_percent_is_the_border(void **state)
{
    (void)state;
    assert_int_equal(verdict_of_factor(1.0, 0), VERDICT_EXACT);
    assert_int_equal(verdict_of_factor(1.000001, 0), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(1.0099, 0), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(1.0101, 0), VERDICT_BIASED);
    assert_int_equal(verdict_of_factor(0.9901, 0), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(0.9899, 0), VERDICT_BIASED);
}

static void what_does_not_outweigh_the_overhead_is_not_held_to_one_percent(void **state)
{
    (void)state;
    /* The truth is 1,200,004. */
    assert_int_equal(verdict_of_factor(1.005, 12000), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_factor(1.0101, 12000), VERDICT_BIASED);
    assert_int_equal(verdict_of_factor(1.005, 12001), VERDICT_UNJUDGED);
    assert_int_equal(verdict_of_factor(1.02, 30000), VERDICT_UNJUDGED);
    /* But to what the overhead could make: */
    assert_int_equal(verdict_of_factor(1.03, 30000), VERDICT_BIASED);
    assert_int_equal(verdict_of_factor(1.0, 30000), VERDICT_EXACT);
}

static void a_small_count_is_held_to_half_a_count(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "faults", "software", "page-faults");
    build_ladder(&builder, evidence, &plain, "pages");
    for (size_t i = 0; i < 4; i++) /* at N = 1, four of forty read 2 */
        evidence->points[1].runs[9 * i + 5].value++;
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_ACCURATE);
    judgements_release(&all);
    for (size_t i = 0; i < 40; i++) /* all of them */
        evidence->points[1].runs[i].value = 2;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_BIASED);
    assert_note(&all.list[0], "Right from N = 10, off below it: reads 2 of 1");
    release(&builder, &all);
}

static void without_a_null_cell_nothing_is_exact(void **state)
{
    (void)state;
    struct case_builder builder;
    struct built_way way = {.without_null = true};
    struct judgements all = judge_lie(&builder, 1, "event", "syscalls", &way, NULL, NULL);
    assert_verdict(&all.list[0], VERDICT_ACCURATE);
    assert_false(all.list[0].has_overhead);
    release(&builder, &all);
    /* And an offset is not subtracted as if it were known. */
    way.overhead = 12;
    all = judge_lie(&builder, 1, "event", "syscalls", &way, NULL, NULL);
    assert_verdict(&all.list[0], VERDICT_BIASED);
    assert_note(&all.list[0], "No null cell");
    release(&builder, &all);
}

/* --- grades and rows --- */

static struct judged_row *row_named(struct judgement *judgement, const char *specimen)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        if (strcmp(judgement->rows[i].specimen, specimen) == 0)
            return &judgement->rows[i];
    return NULL;
}

static void one_run_of_one_row_breaks_exact(void **state)
{
    (void)state;
    struct case_builder builder;
    struct judgements all =
        judge_lie(&builder, 1, "instructions:u", "instructions", &plain, NULL, NULL);
    judgements_release(&all);
    struct evidence *evidence = &builder.file.events[0];
    struct point *last = &evidence->points[evidence->point_count - 1];
    last->runs[39].value++;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_ACCURATE);
    assert_int_equal(row_named(&all.list[0], "adds")->verdict, VERDICT_EXACT);
    assert_int_equal(row_named(&all.list[0], last->specimen)->verdict, VERDICT_ACCURATE);
    judgements_release(&all);
    /* Unless a second account saw that something happened in it. */
    last->runs[39].account.minor_faults++;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    assert_int_equal(all.list[0].disturbed, 1);
    assert_note(&all.list[0], "disturbed");
    release(&builder, &all);
}

static void where_every_run_is_disturbed_they_are_judged_all_the_same(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_ladder(&builder, evidence, &plain, "adds");
    for (size_t i = 1; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j++)
            evidence->points[i].runs[j].account.involuntary = 3;
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    judgements_release(&all);
    double by = 1.05;
    build_lie(evidence, factor, &by);
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_BIASED);
    assert_note(&all.list[0], "100.0 % of the runs were disturbed");
    release(&builder, &all);
}

static void limits_bind_and_prove_nothing_more(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "branches:u", "hardware", "branches");
    build_ladder(&builder, evidence, &plain, "getppid");
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_ACCURATE);
    assert_note(&all.list[0], "within the limits");
    judgements_release(&all);
    double by = 1.5; /* limits are 1 and 2 a call; the middle was counted */
    build_lie(evidence, factor, &by);
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_BIASED);
    assert_note(&all.list[0], "outside its limits");
    release(&builder, &all);
}

static void limits_that_are_kept_leave_exact_what_is_proven(void **state)
{
    (void)state;
    struct case_builder builder;
    struct judgements all = judge_lie(&builder, 1, "branches:u", "branches", &plain, NULL, NULL);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    judgements_release(&all);
    struct evidence *evidence = &builder.file.events[0];
    for (size_t i = 0; i < evidence->point_count; i++)
        if (evidence->points[i].truth.grade == TRUTH_BOUNDED)
            evidence->points[i].runs[3].value = 3 * evidence->points[i].n + 10;
    all = judged(&builder);
    assert_true(all.list[0].verdict != VERDICT_EXACT);
    release(&builder, &all);
}

static void counts_where_nothing_happens_break_exact_and_many_break_accurate(void **state)
{
    (void)state;
    struct case_builder builder;
    struct judgements all = judge_lie(&builder, 1, "faults", "page-faults", &plain, NULL, NULL);
    judgements_release(&all);
    struct evidence *evidence = &builder.file.events[0];
    for (uint64_t part = 200; part >= 50; part = part == 200 ? 50 : 0) {
        for (size_t i = 0; i < evidence->point_count; i++)
            for (size_t j = 0; strcmp(evidence->points[i].specimen, "adds") == 0 && j < 40; j++)
                evidence->points[i].runs[j].value = evidence->points[i].n / part;
        all = judged(&builder);
        assert_verdict(&all.list[0], part == 200 ? VERDICT_ACCURATE : VERDICT_BIASED);
        if (part == 50)
            assert_note(&all.list[0], "where there is nothing to count");
        judgements_release(&all);
    }
    builder_end(&builder);
}

/* --- precedence --- */

static void spread(struct point *point, int64_t by)
{
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value += (uint64_t)(i % 2 ? by : -by);
}

static void the_first_that_applies(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_ladder(&builder, evidence, &plain, "adds");
    build_ladder(&builder, evidence, &plain, "loads");
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    judgements_release(&all);

    for (size_t i = 0; i < 40; i++) /* biased comes after exact and accurate */
        evidence->points[5].runs[i].value *= 2;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_BIASED);
    judgements_release(&all);

    spread(&evidence->points[12], 30000); /* noisy before biased and exact */
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_NOISY);
    assert_cause(&all.list[0], CAUSE_UNKNOWN);
    assert_note(&all.list[0], "loads");
    judgements_release(&all);

    build_lie(evidence, zeros, NULL); /* dead before noisy */
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_DEAD);
    judgements_release(&all);

    for (size_t i = 0; i < evidence->point_count; i++) /* unjudged before dead */
        evidence->points[i].truth.grade = TRUTH_NONE;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNJUDGED);
    judgements_release(&all);

    for (size_t i = 0; i < evidence->point_count; i++) /* unscheduled before unjudged */
        for (size_t j = 0; j < evidence->points[i].run_count; j++)
            evidence->points[i].runs[j].running = 0;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNSCHEDULED);
    judgements_release(&all);

    for (size_t i = 0; i < evidence->point_count; i++) /* unsupported before all */
        evidence->points[i].run_count = 0;
    evidence->error = EOPNOTSUPP;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNSUPPORTED);
    release(&builder, &all);
}

/* --- little, nothing, too much --- */

static void nothing_to_judge_is_no_failure(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct judgements all = judged(&builder);
    assert_int_equal(all.count, 0);
    judgements_release(&all);
    struct evidence *evidence = build_event(&builder, "event", "software", "page-faults");
    build_null(&builder, evidence, &plain); /* and nothing else */
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNJUDGED);
    release(&builder, &all);
}

static void a_single_run_may_be_exact_but_is_never_accurate(void **state)
{
    (void)state;
    for (uint64_t wrong = 0; wrong < 2; wrong++) {
        struct case_builder builder;
        builder_start(&builder, 1);
        struct built_way way = {.processes = 1, .runs = 1};
        struct evidence *evidence = build_event(&builder, "event", "software", "page-faults");
        build_ladder(&builder, evidence, &way, "pages");
        for (size_t i = 0; i < evidence->point_count; i++)
            evidence->points[i].runs[0].value += wrong * evidence->points[i].n / 1000;
        struct judgements all = judged(&builder);
        assert_verdict(&all.list[0], wrong ? VERDICT_NOISY : VERDICT_EXACT);
        release(&builder, &all);
    }
}

static void a_single_n_can_be_judged_and_has_no_line(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event", "software", "page-faults");
    build_null(&builder, evidence, &plain);
    build_point(&builder, evidence, &plain, &built_specimens[6], 1000);
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    assert_false(all.list[0].rows[0].fit.known);
    release(&builder, &all);
}

static void extreme_numbers_come_to_some_verdict_but_a_good_one(void **state)
{
    (void)state;
    static const int64_t truths[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    static const uint64_t values[] = {0, 1, UINT64_MAX, 1ULL << 63, (1ULL << 63) - 1};
    struct random random;
    random_seed(&random, 1);
    for (int round = 0; round < 300; round++) {
        struct case_builder builder;
        builder_start(&builder, (uint64_t)round);
        struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
        build_ladder(&builder, evidence, &plain, "adds");
        for (size_t i = 0; i < evidence->point_count; i++) {
            struct point *point = &evidence->points[i];
            int64_t low = truths[random_below(&random, 5)], high = truths[random_below(&random, 5)];
            enum truth_grade grade = (enum truth_grade)random_below(&random, 4);
            if (!point->is_null)
                point->truth = (struct truth){grade, low, grade == TRUTH_BOUNDED ? high : low};
            point->n = values[random_below(&random, 5)];
            point->faults = truths[random_below(&random, 5)];
            for (size_t j = 0; j < point->run_count; j++) {
                struct evidence_run *run = &point->runs[j];
                run->value = values[random_below(&random, 5)];
                run->enabled = values[random_below(&random, 5)];
                run->running = values[random_below(&random, 5)];
                run->account.minor_faults = values[random_below(&random, 5)];
                run->account.voluntary = values[random_below(&random, 5)];
                run->process = (uint32_t)random_next(&random);
            }
        }
        struct judgements all = judged(&builder);
        assert_true(all.list[0].verdict != VERDICT_EXACT);
        assert_true(strlen(all.list[0].note) > 0);
        release(&builder, &all);
    }
}

static void a_long_name_is_cut_and_not_overrun(void **state)
{
    (void)state;
    struct case_builder builder;
    struct judgements all =
        judge_lie(&builder, 1, "instructions:u", "instructions", &plain, zeros, NULL);
    judgements_release(&all);
    struct evidence *evidence = &builder.file.events[0];
    free(evidence->reason);
    evidence->reason = malloc(5000);
    assert_non_null(evidence->reason);
    memset(evidence->reason, 'x', 4999);
    evidence->reason[4999] = '\0';
    evidence->error = ENOENT;
    for (size_t i = 0; i < evidence->point_count; i++)
        evidence->points[i].run_count = 0;
    all = judged(&builder);
    assert_int_equal(strlen(all.list[0].note), NOTE_SIZE - 1);
    release(&builder, &all);
}

static void the_line_through_a_ladder_states_offset_and_factor(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_ladder(&builder, evidence, &(struct built_way){.overhead = 9}, "adds");
    for (size_t i = 1; i < evidence->point_count; i++)
        for (size_t j = 0; j < 40; j++)
            evidence->points[i].runs[j].value = (uint64_t)(3 * evidence->points[i].truth.low + 14);
    struct judgements all = judged(&builder);
    const struct judged_fit *fit = &all.list[0].rows[0].fit;
    assert_true(fit->known);
    assert_true(fabs(fit->slope - 3) < 1e-9 && fabs(fit->intercept - 5) < 1e-3);
    assert_true(fit->slope_low <= 3 + 1e-9 && fit->slope_high >= 3 - 1e-9);
    assert_true(fit->r_squared > 0.999999);
    /* By rising N, however they were planned. */
    const struct judged_row *row = &all.list[0].rows[0];
    for (size_t i = 1; i < row->point_count; i++)
        assert_true(row->points[i - 1].point->n < row->points[i].point->n);
    release(&builder, &all);
}

/* context: counts for every interrupt. */
static uint64_t counts_interrupts(const struct point *point, const struct evidence_run *run,
                                  size_t index, void *context)
{
    (void)point, (void)index;
    return run->value + *(uint64_t *)context * run->interrupts;
}

static void what_explains_an_error_is_its_cause_however_small_it_is(void **state)
{
    (void)state;
    for (uint64_t each = 1; each <= 100000; each *= 100000) {
        struct case_builder builder;
        struct built_way way = {.ns_each = 100};
        struct judgements all = judge_lie(&builder, 1, "instructions:u", "instructions", &way,
                                          counts_interrupts, &each);
        assert_verdict(&all.list[0], each == 1 ? VERDICT_ACCURATE : VERDICT_BIASED);
        /* So many are no miscount: the handler itself is counted. */
        assert_cause(&all.list[0], each == 1 ? CAUSE_INTERRUPT_OVERCOUNT : CAUSE_KERNEL_LEAK);
        assert_true(all.list[0].explanation_count > 0);
        release(&builder, &all);
    }
}

static void a_late_counter_is_told_by_its_first_runs(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_all(&builder, evidence, &(struct built_way){.processes = 1, .runs = 100});
    for (size_t i = 1; i < evidence->point_count; i++)
        evidence->points[i].runs[0].value = 0;
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_BIASED);
    assert_cause(&all.list[0], CAUSE_LOST_COUNTS);
    assert_note(&all.list[0], "first run of a process");
    release(&builder, &all);
}

static void the_document_explains_every_verdict_and_cause(void **state)
{
    (void)state;
    char path[4096], name[80], text[32768];
    const char *source = getenv("ASSAY_SOURCE");
    assert_non_null(source);
    snprintf(path, sizeof(path), "%s/docs/verdicts.md", source);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    for (int i = 0; i < VERDICT_COUNT + CAUSE_COUNT; i++) {
        const char *word = i < VERDICT_COUNT ? verdict_names[i] : cause_names[i - VERDICT_COUNT];
        snprintf(name, sizeof(name), "| `%s` | ", word ? word : "unknown");
        if (!strstr(text, name))
            fail_msg("docs/verdicts.md has no row for %s", name);
    }
}

/* Errors of the last point of `adds`, alternating around a mean; both in parts of the truth. */
static enum verdict verdict_of_spread(double mean, double deviation)
{
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_ladder(&builder, evidence, &plain, "adds");
    struct point *point = &evidence->points[evidence->point_count - 1];
    double truth = (double)point->truth.low;
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value =
            (uint64_t)llround(truth * (1 + mean + (i % 2 ? deviation : -deviation)));
    struct judgements all = judged(&builder);
    enum verdict verdict = all.list[0].verdict;
    release(&builder, &all);
    return verdict;
}

static void noise_is_called_biased_only_beyond_doubt(void **state)
{
    (void)state;
    /* Over 40 runs the usual interval is the mean ± 0.324 deviations, the strict one ± 0.70. */
    assert_int_equal(verdict_of_spread(0.002, 0.02), VERDICT_ACCURATE);
    assert_int_equal(verdict_of_spread(0.002, 0.03), VERDICT_NOISY);  /* holds 0, leaves 1 % */
    assert_int_equal(verdict_of_spread(0.008, 0.015), VERDICT_NOISY); /* excludes 0 at 95 % only */
    assert_int_equal(verdict_of_spread(0.008, 0.010), VERDICT_BIASED);
}

static void one_row_that_is_noisy_makes_the_event_so(void **state)
{
    (void)state;
    struct case_builder builder;
    struct judgements all =
        judge_lie(&builder, 1, "instructions:u", "instructions", &plain, NULL, NULL);
    judgements_release(&all);
    struct evidence *evidence = &builder.file.events[0];
    spread(&evidence->points[evidence->point_count - 1], 600000);
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_NOISY);
    release(&builder, &all);
}

static void a_row_of_zeros_is_dead_beside_others_that_live(void **state)
{
    (void)state;
    struct case_builder builder;
    struct judgements all =
        judge_lie(&builder, 1, "instructions:u", "instructions", &plain, NULL, NULL);
    judgements_release(&all);
    struct evidence *evidence = &builder.file.events[0];
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; strcmp(evidence->points[i].specimen, "loads") == 0 && j < 40; j++)
            evidence->points[i].runs[j].value = 0;
    all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_BIASED);
    assert_int_equal(row_named(&all.list[0], "loads")->verdict, VERDICT_DEAD);
    assert_int_equal(row_named(&all.list[0], "adds")->verdict, VERDICT_EXACT);
    release(&builder, &all);
}

static void garbage_on_a_steady_overhead_is_noise(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct built_way way = {.overhead = 1000, .most_n = 100};
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "loads");
    build_ladder(&builder, evidence, &way, "loads");
    for (size_t i = 1; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j++)
            evidence->points[i].runs[j].value = 500 + random_below(&builder.random, 1500);
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_NOISY);
    release(&builder, &all);
}

static void a_model_of_zero_makes_nothing_accurate(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event", "software", "page-faults");
    build_ladder(&builder, evidence, &plain, "adds");
    for (size_t i = 1; i < evidence->point_count; i++)
        evidence->points[i].truth.grade = TRUTH_MODEL;
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_UNJUDGED);
    release(&builder, &all);
}

static void ladders_of_different_ways_are_rows_of_their_own(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_ladder(&builder, evidence, &plain, "adds");
    build_ladder(&builder, evidence, &(struct built_way){.counters = 2}, "adds");
    build_ladder(&builder, evidence, &(struct built_way){.pattern = PATTERN_RR}, "adds");
    build_ladder(&builder, evidence, &(struct built_way){.path = "papi-low"}, "adds");
    build_ladder(&builder, evidence, &(struct built_way){.core = "big"}, "adds");
    build_ladder(&builder, evidence, &plain, "loads");
    struct judgements all = judged(&builder);
    assert_int_equal(all.list[0].row_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(all.list[0].rows[i].point_count, BUILT_LADDER);
    release(&builder, &all);
}

static void what_was_measured_is_judged_even_if_it_was_once_refused(void **state)
{
    (void)state;
    struct case_builder builder;
    builder_start(&builder, 1);
    struct evidence *evidence = build_event(&builder, "event:u", "hardware", "instructions");
    build_ladder(&builder, evidence, &plain, "adds");
    evidence->error = EBUSY;
    struct judgements all = judged(&builder);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    release(&builder, &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_counts_are_exact),
        cmocka_unit_test(an_overhead_in_null_cells_is_named_and_subtracted),
        cmocka_unit_test(what_cannot_be_opened_is_unsupported_for_its_reason),
        cmocka_unit_test(a_counter_that_never_ran_is_unscheduled),
        cmocka_unit_test(without_a_prediction_nothing_is_judged_and_the_note_says_why),
        cmocka_unit_test(code_whose_turn_never_came_is_not_said_to_predict_nothing),
        cmocka_unit_test(only_zeros_predicted_prove_nothing),
        cmocka_unit_test(a_model_makes_accurate_at_best_and_else_states_the_ratio),
        cmocka_unit_test(zeros_are_dead_however_they_come),
        cmocka_unit_test(a_lower_limit_above_zero_makes_dead_too),
        cmocka_unit_test(one_percent_is_the_border),
        cmocka_unit_test(what_does_not_outweigh_the_overhead_is_not_held_to_one_percent),
        cmocka_unit_test(a_small_count_is_held_to_half_a_count),
        cmocka_unit_test(without_a_null_cell_nothing_is_exact),
        cmocka_unit_test(one_run_of_one_row_breaks_exact),
        cmocka_unit_test(where_every_run_is_disturbed_they_are_judged_all_the_same),
        cmocka_unit_test(limits_bind_and_prove_nothing_more),
        cmocka_unit_test(limits_that_are_kept_leave_exact_what_is_proven),
        cmocka_unit_test(counts_where_nothing_happens_break_exact_and_many_break_accurate),
        cmocka_unit_test(the_first_that_applies),
        cmocka_unit_test(nothing_to_judge_is_no_failure),
        cmocka_unit_test(a_single_run_may_be_exact_but_is_never_accurate),
        cmocka_unit_test(a_single_n_can_be_judged_and_has_no_line),
        cmocka_unit_test(extreme_numbers_come_to_some_verdict_but_a_good_one),
        cmocka_unit_test(a_long_name_is_cut_and_not_overrun),
        cmocka_unit_test(the_line_through_a_ladder_states_offset_and_factor),
        cmocka_unit_test(what_explains_an_error_is_its_cause_however_small_it_is),
        cmocka_unit_test(a_late_counter_is_told_by_its_first_runs),
        cmocka_unit_test(the_document_explains_every_verdict_and_cause),
        cmocka_unit_test(noise_is_called_biased_only_beyond_doubt),
        cmocka_unit_test(one_row_that_is_noisy_makes_the_event_so),
        cmocka_unit_test(a_row_of_zeros_is_dead_beside_others_that_live),
        cmocka_unit_test(garbage_on_a_steady_overhead_is_noise),
        cmocka_unit_test(a_model_of_zero_makes_nothing_accurate),
        cmocka_unit_test(ladders_of_different_ways_are_rows_of_their_own),
        cmocka_unit_test(what_was_measured_is_judged_even_if_it_was_once_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
