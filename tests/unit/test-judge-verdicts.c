/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every verdict is reached by data that must reach it, and by no other: the first that applies. */
#include <errno.h>
#include <string.h>

#include "case.h"
#include "judging.h"
#include "studies/validate/judge.h"

TEST(clean_counts_are_exact)
{
    static const char *const classes[] = {"instructions", "loads",       "cond-branches",
                                          "syscalls",     "page-faults", "context-switches"};
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        const struct judgement *all = judge_lie(i, "event", classes[i], &plain, NULL, NULL);
        assert_came(all, VERDICT_EXACT, CAUSE_NONE);
        assert_int_equal(all->rank, 0);
    }
}

TEST(an_overhead_in_null_cells_is_named_and_subtracted)
{
    struct built_way way = {.overhead = 1};
    const struct judgement *all = judge_lie(2, "event", "syscalls", &way, NULL, NULL);
    assert_came(all, VERDICT_EXACT, CAUSE_INTERFACE_OVERHEAD);
    assert_figure(all, ADDS, 1, 1);
    assert_true(all->has_overhead);
    assert_int_equal(all->overhead, 1);
}

/* --- cannot be opened, no counter, nothing to judge by --- */

TEST(what_cannot_be_opened_is_unsupported_for_its_reason)
{
    builder_start(&built, 1);
    build_refused(&built, "cycles:u", "hardware", "cycles", ENOENT, "no PMU here");
    build_refused(&built, "msr/tsc/", "pmu", "ticks", EACCES, "paranoid");
    build_refused(&built, "faults", "software", "page-faults", EPERM, "seccomp");
    build_refused(&built, "odd", "software", NULL, EINVAL, "");
    const struct judgement *all = judged();
    static const enum cause causes[] = {CAUSE_NONE, CAUSE_PERMISSION, CAUSE_PERMISSION, CAUSE_NONE};
    for (size_t i = 0; i < built.file.event_count; i++) {
        assert_came(&all[i], VERDICT_UNSUPPORTED, causes[i]);
        assert_int_equal(all[i].rank, 0);
    }
    assert_text(all, REFUSED, 0, "no PMU here");
    assert_text(&all[3], REFUSED, 0, strerror(EINVAL));
}

TEST(a_counter_that_never_ran_is_unscheduled)
{
    struct evidence *evidence = begin_ladder("cycles:u", "instructions", &plain, "adds");
    EACH_RUN(evidence, point, run)
    run->running = run->value = 0;
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_UNSCHEDULED);
    assert_int_equal(all->rows[0].verdict, VERDICT_UNSCHEDULED);
    /* One run that got it is enough to be judged: dead, for it reads 0. */
    evidence->points[3].runs[0].running = evidence->points[3].runs[0].enabled;
    assert_verdict(judged(), VERDICT_DEAD);
}

TEST(without_a_prediction_nothing_is_judged_and_the_note_says_why)
{
    builder_start(&built, 1);
    build_event(&built, "dummy", "software", NULL);
    build_event(&built, "cpu-clock", "software", "cpu-clock");
    struct evidence *evidence = build_event(&built, "stalls:u", "hardware", "frontend-stalls");
    build_ladder(&built, evidence, &plain, "adds"); /* which has no such truth */
    evidence = build_event(&built, "broken:u", "hardware", "instructions");
    struct point *point = evidence_add_point(evidence);
    assert_non_null(point);
    built_describe(&plain, point);
    point->specimen = memory_copy("adds");
    point->failed = 2;
    point->failure_reason = memory_copy("killed by SIGILL");
    evidence = build_event(&built, "instructions", "hardware", "instructions");
    evidence->reason = memory_copy("it also counts what nobody predicts");
    evidence = build_event(&built, "page-faults", "software", "page-faults");
    evidence->reason = memory_copy("");
    const struct judgement *all = judged();
    static const enum validate_why codes[] = {WHY_UNKNOWN_CLASS, WHY_NO_SPECIMEN, WHY_NONE_PREDICTS,
                                              WHY_FAILED,        WHY_NOT_JUDGED,  WHY_NO_TURN};
    for (size_t i = 0; i < built.file.event_count; i++) {
        assert_came(&all[i], VERDICT_UNJUDGED, CAUSE_NONE);
        assert_non_null(said(&all[i].why, codes[i]));
    }
}

TEST(code_whose_turn_never_came_is_not_said_to_predict_nothing)
{
    struct evidence *evidence = begin_ladder("faults", "page-faults", &plain, "pages");
    for (size_t i = 0; i < evidence->point_count; i++)
        if (!evidence->points[i].is_null)
            evidence->points[i].run_count = 0;
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_UNJUDGED);
    assert_int_equal(all->row_count, 1);
    assert_non_null(said(&all->rows[0].why, WHY_NO_TURN));
}

TEST(only_zeros_predicted_prove_nothing)
{
    (void)begin_ladder("faults", "page-faults", &plain, "adds");
    assert_says(judged(), VERDICT_UNJUDGED, ZERO);
}

TEST(a_model_proves_nothing_and_states_the_ratio)
{
    for (int off = 0; off < 2; off++) {
        struct evidence *evidence = begin(1, "cycles:u", "instructions");
        build_ladder(&built, evidence, &plain, "adds");
        for (size_t i = 1; i < evidence->point_count; i++)
            evidence->points[i].truth.grade = TRUTH_MODEL;
        double ratio = 1.31;
        const struct judgement *all = off ? judged_with(evidence, factor, &ratio) : judged();
        assert_verdict(all, VERDICT_UNJUDGED);
        if (off)
            assert_figure(all, OFF_MODEL, 0, 1.31);
        else
            assert_said(all, EQUALS_MODEL);
        /* Not even zeros are dead by a model. */
        assert_verdict(judged_with(evidence, zeros, NULL), VERDICT_UNJUDGED);
    }
}

/* --- evidence for and against --- */

/* Limits of so many percent on both sides of the truth, from this point on. */
static void bound(struct evidence *evidence, size_t from, int64_t percent)
{
    for (size_t i = from; i < evidence->point_count; i++) {
        struct truth *truth = &evidence->points[i].truth;
        const int64_t room = truth->low * percent / 100;
        *truth = (struct truth){TRUTH_BOUNDED, truth->low - room, truth->high + room};
    }
}

TEST(limits_that_let_through_what_is_wrong_make_nothing_accurate)
{
    bound(begin_ladder(INSTRUCTIONS, &plain, "adds"), 1, 50);
    assert_says(judged(), VERDICT_UNJUDGED, WIDE_LIMITS);
    bound(begin_ladder(INSTRUCTIONS, &plain, "adds"), 1, 1);
    assert_verdict(judged(), VERDICT_ACCURATE);
    /* Outside of them is wrong all the same. */
    struct evidence *evidence = begin_ladder(INSTRUCTIONS, &plain, "adds");
    double ratio = 3;
    bound(evidence, 1, 50);
    assert_verdict(judged_with(evidence, factor, &ratio), VERDICT_BIASED);
}

LIE(far_off_in_calls, strcmp(point->specimen, "stores") == 0 ? run->value * 228 : run->value)
LIE(off_in_calls, strcmp(point->specimen, "stores") == 0 ? run->value * 3 / 2 : run->value)

TEST(a_model_far_off_is_not_outvoted_by_one_bounded_row)
{
    static const struct {
        built_lie *lie;
        enum verdict verdict;
    } cases[] = {{NULL, VERDICT_ACCURATE},
                 {off_in_calls, VERDICT_ACCURATE}, /* so wrong may be the model */
                 {far_off_in_calls, VERDICT_UNJUDGED}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int proven = 0; proven < 2; proven++) {
            struct evidence *evidence = begin(1, INSTRUCTIONS);
            build_ladder(&built, evidence, &plain, "adds");
            if (!proven)
                bound(evidence, 1, 1);
            const size_t first = evidence->point_count;
            build_ladder(&built, evidence, &plain, "stores");
            for (size_t j = first; j < evidence->point_count; j++)
                evidence->points[j].truth.grade = TRUTH_MODEL;
            const struct judgement *all =
                cases[i].lie ? judged_with(evidence, cases[i].lie, NULL) : judged();
            assert_verdict(all, proven && cases[i].verdict == VERDICT_ACCURATE ? VERDICT_EXACT
                                                                               : cases[i].verdict);
            if (cases[i].verdict == VERDICT_UNJUDGED) {
                assert_text(all, AGAINST_MODEL, 0, "stores");
                assert_figure(all, AGAINST_MODEL, 2, 228);
            }
        }
}

/* --- how far it reaches --- */

TEST(a_verdict_says_in_which_windows_it_was_found)
{
    struct evidence *evidence = begin_ladder(INSTRUCTIONS, &plain, "adds");
    const struct judgement *all = judged();
    assert_int_equal(all->limits.longest_ns, 1001000);
    assert_int_equal(all->limits.longest_n, 1000000);
    assert_false(all->limits.calls || all->limits.switches);
    build_ladder(&built, evidence, &plain, "ping-pong");
    all = judged();
    assert_true(all->limits.calls && all->limits.switches);
    assert_false(all->limits.migrations);
    /* What is not trusted reaches nowhere. */
    double ratio = 2;
    all = judged_with(evidence, factor, &ratio);
    assert_int_equal(all->limits.longest_ns, 0);
    assert_false(all->limits.calls);
}

LIE(off_by_hundreds, run->value + (strcmp(point->specimen, "fldcw") == 0 ? 400 : 0))

TEST(a_cause_that_was_not_looked_for_is_not_said_to_be_unknown_alone)
{
    /* Of the code that deviates one N, and no code that enters the operating system. */
    struct evidence *evidence = begin_ladder(INSTRUCTIONS, &plain, "adds");
    build_point(&built, evidence, &plain, &built_specimens[4], 1000);
    const struct judgement *all = judged_with(evidence, off_by_hundreds, NULL);
    assert_cause(all, CAUSE_UNKNOWN);
    assert_said(all, UNDIAGNOSED);
    assert_non_null(strstr(told(all, WHY_UNDIAGNOSED, 0)->text, "more N of fldcw"));
    assert_non_null(strstr(told(all, WHY_UNDIAGNOSED, 0)->text, "system calls"));
    /* All was looked at. */
    evidence = begin_all(INSTRUCTIONS);
    all = judged_with(evidence, off_by_hundreds, NULL);
    assert_cause(all, CAUSE_UNKNOWN);
    assert_not_said(all, UNDIAGNOSED);
}

TEST(one_quiet_run_that_is_off_is_said)
{
    struct evidence *evidence = begin_ladder(INSTRUCTIONS, &plain, "adds");
    struct point *point = &evidence->points[6];
    point->runs[7].value += 30000;
    const struct judgement *all = judged();
    assert_came(all, VERDICT_ACCURATE, CAUSE_NONE);
    assert_figure(all, STRAYED, 0, 1);
    assert_figure(all, STRAYED, 2, 30000);
    /* However small a part of the count it is. */
    point->runs[7].value -= 29990;
    all = judged();
    assert_came(all, VERDICT_ACCURATE, CAUSE_NONE);
    assert_figure(all, STRAYED, 2, 10);
    /* What disturbed it was seen: that is told otherwise. */
    point->runs[7].account.involuntary = 1;
    all = judged();
    assert_verdict(all, VERDICT_EXACT);
    assert_not_said(all, STRAYED);
    assert_said(all, DISTURBED_WRONG);
}

/* context: how long a window must be, ns. */
LIE(off_in_long_windows, run->value + (run->enabled > *(uint64_t *)context ? 3000 : 0))

TEST(an_error_that_only_long_windows_show_is_found_and_said)
{
    static const double noises[] = {0, 20};
    for (size_t i = 0; i < sizeof(noises) / sizeof(*noises); i++)
        for (int lies = 0; lies < 2; lies++) {
            const struct built_way way = {.additive = noises[i], .overhead = 100};
            const struct built_way few = {
                .additive = noises[i], .overhead = 100, .runs = 3, .ns_each = 3};
            struct evidence *evidence = begin_ladder(INSTRUCTIONS, &way, "adds");
            for (uint64_t n = 10000000; n <= 100000000; n *= 10)
                build_point(&built, evidence, &few, &built_specimens[1], n);
            uint64_t from = 20000000; /* ns: windows of 30 and of 300 ms are longer */
            const struct judgement *all =
                lies ? judged_with(evidence, off_in_long_windows, &from) : judged();
            assert_came(all, lies || noises[i] > 0 ? VERDICT_ACCURATE : VERDICT_EXACT,
                        lies ? CAUSE_UNKNOWN : CAUSE_INTERFACE_OVERHEAD);
            assert_int_equal(all->limits.longest_ns, lies ? 1001000 : 300001000);
            if (!lies)
                continue;
            assert_true(fabs(figure_told(all, WHY_LONG_WINDOWS, 1) - 3000) < 100);
            assert_true(fabs(figure_told(all, WHY_LONG_WINDOWS, 0) - 1001000) < 1);
            assert_true(fabs(figure_told(all, WHY_LONG_WINDOWS, 2) - 30001000) < 1);
        }
}

/* --- dead --- */

TEST(zeros_are_dead_however_they_come)
{
    const struct judgement *all =
        judge_lie(1, "instructions:u", "instructions", &plain, zeros, NULL);
    assert_came(all, VERDICT_DEAD, CAUSE_UNKNOWN);
    assert_said(all, DEAD);
    /* A single count anywhere, and it is not. */
    built.file.events[0].points[5].runs[7].value = 1;
    all = judged();
    assert_true(all->verdict != VERDICT_DEAD);
    assert_true(all->verdict != VERDICT_EXACT && all->verdict != VERDICT_ACCURATE);
}

TEST(a_lower_limit_above_zero_makes_dead_too)
{
    struct evidence *evidence = begin_ladder("branches:u", "branches", &plain, "getppid");
    const struct judgement *all = judged_with(evidence, zeros, NULL);
    assert_verdict(all, VERDICT_DEAD);
    for (size_t i = 1; i < evidence->point_count; i++)
        evidence->points[i].truth.low = 0;
    assert_says(judged(), VERDICT_UNJUDGED, WEAK_LIMITS);
}

/* --- precedence --- */

TEST(the_first_that_applies)
{
    struct evidence *evidence = begin_ladder("event:u", "instructions", &plain, "adds");
    build_ladder(&built, evidence, &plain, "loads");
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_EXACT);

    for (size_t i = 0; i < 40; i++) /* biased comes after exact and accurate */
        evidence->points[5].runs[i].value *= 2;
    all = judged();
    assert_verdict(all, VERDICT_BIASED);

    spread(&evidence->points[12], 30000); /* noisy before biased and exact */
    all = judged();
    assert_came(all, VERDICT_NOISY, CAUSE_UNKNOWN);
    assert_text(all, OF_SPECIMEN, 0, "loads");

    build_lie(evidence, zeros, NULL); /* dead before noisy */
    all = judged();
    assert_verdict(all, VERDICT_DEAD);

    for (size_t i = 0; i < evidence->point_count; i++) /* unjudged before dead */
        evidence->points[i].truth.grade = TRUTH_NONE;
    all = judged();
    assert_verdict(all, VERDICT_UNJUDGED);

    for (size_t i = 0; i < evidence->point_count; i++) /* unscheduled before unjudged */
        for (size_t j = 0; j < evidence->points[i].run_count; j++)
            evidence->points[i].runs[j].running = 0;
    all = judged();
    assert_verdict(all, VERDICT_UNSCHEDULED);

    for (size_t i = 0; i < evidence->point_count; i++) /* unsupported before all */
        evidence->points[i].run_count = 0;
    evidence->error = EOPNOTSUPP;
    assert_verdict(judged(), VERDICT_UNSUPPORTED);
}

/* --- little, nothing, too much --- */

TEST(nothing_to_judge_is_no_failure)
{
    builder_start(&built, 1);
    (void)judged();
    struct evidence *evidence = build_event(&built, "event", "software", "page-faults");
    build_null(&built, evidence, &plain); /* and nothing else */
    assert_verdict(judged(), VERDICT_UNJUDGED);
}

TEST(a_single_run_may_be_exact_but_is_never_accurate)
{
    for (uint64_t wrong = 0; wrong < 2; wrong++) {
        struct built_way way = {.processes = 1, .runs = 1};
        struct evidence *evidence = begin_ladder("event", "page-faults", &way, "pages");
        for (size_t i = 0; i < evidence->point_count; i++)
            evidence->points[i].runs[0].value += wrong * evidence->points[i].n / 1000;
        const struct judgement *all = judged();
        assert_verdict(all, wrong ? VERDICT_NOISY : VERDICT_EXACT);
    }
}

TEST(a_single_n_can_be_judged_and_has_no_line)
{
    builder_start(&built, 1);
    struct evidence *evidence = build_event(&built, "event", "software", "page-faults");
    build_null(&built, evidence, &plain);
    build_point(&built, evidence, &plain, &built_specimens[6], 1000);
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_EXACT);
    assert_false(all->rows[0].fit.known);
}

TEST(extreme_numbers_come_to_some_verdict_but_a_good_one)
{
    static const int64_t truths[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    static const uint64_t values[] = {0, 1, UINT64_MAX, 1ULL << 63, (1ULL << 63) - 1};
    struct random random;
    random_seed(&random, 1);
    for (int round = 0; round < 300; round++) {
        struct evidence *evidence = begin((uint64_t)round, "event:u", "instructions");
        build_ladder(&built, evidence, &plain, "adds");
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
        const struct judgement *all = judged();
        assert_true(all->verdict != VERDICT_EXACT);
        assert_true(all->why.count > 0);
    }
}

TEST(the_line_through_a_ladder_states_offset_and_factor)
{
    struct evidence *evidence = begin(1, "event:u", "instructions");
    build_ladder(&built, evidence, &(struct built_way){.overhead = 9}, "adds");
    for (size_t i = 1; i < evidence->point_count; i++)
        for (size_t j = 0; j < 40; j++)
            evidence->points[i].runs[j].value = (uint64_t)(3 * evidence->points[i].truth.low + 14);
    const struct judgement *all = judged();
    const struct judged_fit *fit = &all->rows[0].fit;
    assert_true(fit->known);
    assert_true(fabs(fit->slope - 3) < 1e-9 && fabs(fit->intercept - 5) < 1e-3);
    assert_true(fit->slope_low <= 3 + 1e-9 && fit->slope_high >= 3 - 1e-9);
    assert_true(fit->r_squared > 0.999999);
    /* By rising N, however they were planned. */
    const struct judged_row *row = &all->rows[0];
    for (size_t i = 1; i < row->point_count; i++)
        assert_true(row->points[i - 1].point->n < row->points[i].point->n);
}

/* context: counts for every interrupt. */
LIE(counts_interrupts, run->value + *(uint64_t *)context * run->interrupts)

TEST(what_explains_an_error_is_its_cause_however_small_it_is)
{
    for (uint64_t each = 1; each <= 100000; each *= 100000) {
        struct built_way way = {.ns_each = 100};
        const struct judgement *all =
            judge_lie(1, "instructions:u", "instructions", &way, counts_interrupts, &each);
        assert_verdict(all, each == 1 ? VERDICT_ACCURATE : VERDICT_BIASED);
        /* So many are no miscount: the handler itself is counted. */
        assert_cause(all, each == 1 ? CAUSE_INTERRUPT_OVERCOUNT : CAUSE_KERNEL_LEAK);
        assert_true(all->explanation_count > 0);
    }
}

TEST(a_late_counter_is_told_by_its_first_runs)
{
    struct evidence *evidence = begin(1, "event:u", "instructions");
    build_all(&built, evidence, &(struct built_way){.processes = 1, .runs = 100});
    for (size_t i = 1; i < evidence->point_count; i++)
        evidence->points[i].runs[0].value = 0;
    const struct judgement *all = judged();
    assert_came(all, VERDICT_BIASED, CAUSE_LOST_COUNTS);
    assert_said(all, FIRST_RUN);
}

TEST(the_document_explains_every_verdict_and_cause)
{
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

TEST(every_sentence_has_a_code_of_its_own)
{
    for (size_t i = 0; i < WHY_COUNT; i++) {
        const struct reason_words *words = &validate_words[i];
        assert_non_null(words->code);
        assert_non_null(words->words);
        assert_int_equal(strspn(words->code, "abcdefghijklmnopqrstuvwxyz0123456789-"),
                         strlen(words->code));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(words->code, validate_words[j].code);
    }
}
