/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings: each of them flips with opposite data, stays open where the data are too noisy, and is
 * not decided by events that cannot be opened, by sources, or, where it is about predictors, caches
 * and time, on an emulated machine. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "judging.h"

#define EVENTS 8
#define ROWS   8
#define STEPS  7
#define RUNS   40

/* Judgements made by hand: what the judge would sum up of counts with a known deviation. */
static struct hand {
    struct case_file file;
    struct evidence events[EVENTS];
    struct judgement list[EVENTS];
    struct judgements judgements;
    struct judged_row rows[ROWS];
    struct judged_point judged[ROWS][STEPS];
    struct point points[ROWS][STEPS];
    size_t row_count;
    struct finding findings[VALIDATE_FINDINGS];
} hand;

/* How an event counts: foretold * factor + offset, with this spread. */
struct counting {
    double factor, offset;
    double noise;        /* of the foretold count */
    int64_t overhead;    /* subtracted already */
    uint64_t zero_up_to; /* N that reads 0 */
    uint64_t from_n;     /* the ladder begins here; 0: at 1 */
};

/* Code and what is foretold of it: base + each * N. */
struct code {
    const char *specimen;
    int64_t base, each;
    struct truth
        truth_of_one; /* grade, and by how much its limits are wider: low, high of each N */
};

#define COUNTS(...)                                                                                \
    (struct counting)                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static struct judgement *add_event(const char *event, const char *kind, const char *class)
{
    size_t index = hand.judgements.count++;
    assert_in_range(index, 0, EVENTS - 1);
    hand.judgements.list = hand.list;
    hand.events[index] = (struct evidence){.event = (char *)(uintptr_t)event,
                                           .kind = (char *)(uintptr_t)kind,
                                           .class = (char *)(uintptr_t) class};
    hand.list[index] =
        (struct judgement){.evidence = &hand.events[index], .verdict = VERDICT_ACCURATE};
    hand.file.events = hand.events;
    hand.file.event_count = hand.judgements.count;
    return &hand.list[index];
}

static void fill_point(struct judged_point *judged, struct point *point, const struct code *code,
                       uint64_t n, const struct counting *counting)
{
    double foretold = (double)code->base + (double)code->each * (double)n;
    int64_t slack = (int64_t)n;
    *point =
        (struct point){.specimen = (char *)(uintptr_t)code->specimen, .n = n, .run_count = RUNS};
    point->truth.grade = code->truth_of_one.grade;
    point->truth.low = (int64_t)foretold + code->truth_of_one.low * slack;
    point->truth.high = (int64_t)foretold + code->truth_of_one.high * slack;
    bool zero = counting->zero_up_to && n <= counting->zero_up_to;
    double mean = zero ? 0 : foretold * counting->factor + counting->offset;
    double stdev = zero ? 0 : foretold * counting->noise, half = 2 * stdev / sqrt(RUNS);
    double error = mean < (double)point->truth.low    ? mean - (double)point->truth.low
                   : mean > (double)point->truth.high ? mean - (double)point->truth.high
                                                      : 0;
    *judged = (struct judged_point){.point = point,
                                    .runs = RUNS,
                                    .has_overhead = true,
                                    .overhead = counting->overhead,
                                    .mean = mean,
                                    .stdev = stdev,
                                    .low = error - half,
                                    .high = error + half,
                                    .is_zero = zero};
}

/* Rows of one event are added one after the other, before the next event. */
static void add_row(struct judgement *judgement, const struct code *code, struct counting counting)
{
    size_t index = hand.row_count++;
    assert_in_range(index, 0, ROWS - 1);
    struct judged_row *row = &hand.rows[index];
    *row = (struct judged_row){.judgement = judgement,
                               .specimen = code->specimen,
                               .path = "perf-read",
                               .core = "",
                               .points = hand.judged[index]};
    *memory_add(hand.judgements.rows, hand.judgements.row_count) = row;
    uint64_t n = counting.from_n ? counting.from_n : 1;
    for (size_t i = 0; i < STEPS && n <= 1000000; i++, n *= 10)
        fill_point(&hand.judged[index][row->point_count++], &hand.points[index][i], code, n,
                   &counting);
    for (size_t i = 0; i < row->point_count; i++)
        row->points[i].row = row;
    if (!judgement->row_count++)
        judgement->rows = row;
}

static const struct finding *find(const char *id)
{
    validate_findings(&hand.file, &hand.judgements, hand.findings);
    for (size_t i = 0; i < VALIDATE_FINDINGS; i++)
        if (strcmp(hand.findings[i].id, id) == 0)
            return &hand.findings[i];
    fail_msg("there is no finding %s", id);
    return NULL;
}

static void assert_finding(const char *id, enum finding_verdict verdict)
{
    const struct finding *finding = find(id);
    if (finding->verdict != verdict)
        fail_msg("%s: \"%s\" instead of \"%s\": %s", id, finding_verdict_names[finding->verdict],
                 finding_verdict_names[verdict], reasons_text(&finding->why));
    assert_true(finding->why.count > 0);
    assert_named(&finding->why);
    assert_true(finding->figure[0]);
    assert_string_equal(finding->paper, "aguilera-microbenchmarks");
    if (finding->has_estimate) {
        assert_true(finding->low <= finding->estimate && finding->estimate <= finding->high);
        assert_true(isfinite(finding->detectable));
    }
}

#define PROVEN  OF(TRUTH_PROVEN, 0, 0)
#define MODEL   OF(TRUTH_MODEL, 0, 0)
#define LIMITED OF(TRUTH_BOUNDED, 0, 0)

/* One test of each claim that speaks of 1 %, and whether it needs a real machine. */
static const struct within {
    const char *id, *class;
    struct code code;
    bool physical;
} withins[] = {
    /* The truth of the specimen has wide limits; the paper's prediction is N + 1. */
    {"A1", "branch-misses", {"nested", 1, 1, {TRUTH_BOUNDED, -1, 10}}, true},
    {"A2", "l1i-load-misses", {"l1i-blocks/l1i=32768,line=64/", 0, 1, LIMITED}, true},
    {"A2", "l2i-misses", {"l2i-blocks", 0, 1, MODEL}, true},
    {"A3", "cycles", {"chain", 0, 16, MODEL}, true},
    {"A4", "fp-instructions", {"fdiv-double", 0, 1, PROVEN}, false},
    {"A4", "fp-scalar-double", {"fadd-double", 0, 1, PROVEN}, false},
    {"A6", "instructions", {"nops", 4, 18, PROVEN}, false},
    {"A7", "loads", {"loads", 3, 16, PROVEN}, false},
    {"A7", "stores", {"copies", 1, 16, PROVEN}, false},
    {"A8", "l1d-load-misses", {"l1d-chase", 0, 1, LIMITED}, true},
    {"A8", "l2-misses", {"l2-chase", 0, 1, MODEL}, true},
    {"A9", "dtlb-load-misses", {"dtlb-pages", 0, 1, LIMITED}, true},
    {"A9", "itlb-load-misses", {"itlb-pages", 0, 1, LIMITED}, true},
};
#define WITHINS (sizeof(withins) / sizeof(*withins))

static void one_event(const struct within *within, const char *kind, struct counting counting)
{
    hand = (struct hand){0};
    struct judgement *judgement = add_event("event:u", kind, within->class);
    add_row(judgement, &within->code, counting);
}

TEST(test_counts_near_the_prediction_confirm_and_others_refute)
{
    static const struct {
        struct counting counting;
        enum finding_verdict verdict;
        double estimate; /* 0: any */
    } cases[] = {{{.factor = 1.002}, FINDING_HOLDS, 0.2},
                 {{.factor = 1.05}, FINDING_FAILS, 5},
                 {{.factor = 0.9}, FINDING_FAILS, 0},
                 {{.factor = 1, .noise = 0.2}, FINDING_INCONCLUSIVE, 0}};
    for (size_t i = 0; i < WITHINS; i++)
        for (size_t j = 0; j < 4; j++) {
            one_event(&withins[i], "hardware", cases[j].counting);
            assert_finding(withins[i].id, cases[j].verdict);
            const struct finding *finding = find(withins[i].id);
            if (cases[j].estimate > 0)
                assert_true(fabs(finding->estimate - cases[j].estimate) < 0.01);
            assert_true(cases[j].counting.noise == 0 || finding->detectable > 1);
        }
}

TEST(test_what_cannot_be_tested_gives_its_reason)
{
    hand = (struct hand){0};
    for (size_t i = 0; i < WITHINS; i++)
        assert_finding(withins[i].id, FINDING_UNTESTABLE);
    assert_finding("A5", FINDING_UNTESTABLE);
    assert_finding("A10", FINDING_UNTESTABLE);
    for (size_t i = 0; i < WITHINS; i++) {
        hand = (struct hand){0};
        add_event("event:u", "hardware", withins[i].class)->verdict = VERDICT_UNSUPPORTED;
        hand.events[0].error = ENOENT;
        hand.events[0].reason = (char *)(uintptr_t) "this machine has no PMU. Take another one";
        assert_finding(withins[i].id, FINDING_UNTESTABLE);
        const struct reason *why = said(&find(withins[i].id)->why, WHY_CANNOT_OPEN);
        assert_string_equal(why->values[0].text, "event:u");
        assert_string_equal(why->values[1].text, "this machine has no PMU. Take another one");
        /* sources say nothing of the machine */
        one_event(&withins[i], "source", COUNTS(.factor = 1));
        assert_finding(withins[i].id, FINDING_UNTESTABLE);
        /* an emulated one decides only what needs no real one */
        one_event(&withins[i], "hardware", COUNTS(.factor = 1));
        hand.file.emulated = true;
        assert_finding(withins[i].id, withins[i].physical ? FINDING_UNTESTABLE : FINDING_HOLDS);
        if (withins[i].physical)
            assert_non_null(said(&find(withins[i].id)->why, WHY_EMULATED));
    }
}

TEST(test_counts_that_do_not_outweigh_the_overhead_are_left_out)
{
    const struct within *loads = &withins[7];
    /* 50 more than foretold: 1 % of no count but small ones, which the overhead outweighs. */
    one_event(loads, "hardware", COUNTS(.factor = 1, .offset = 50, .overhead = 1000));
    assert_finding("A7", FINDING_HOLDS);
    one_event(loads, "hardware", COUNTS(.factor = 1, .offset = 50, .overhead = 1));
    assert_finding("A7", FINDING_FAILS);
    one_event(loads, "hardware", COUNTS(.factor = 1, .overhead = 1000000));
    assert_finding("A7", FINDING_UNTESTABLE);
}

TEST(test_the_gravest_of_several_events_decides)
{
    hand = (struct hand){0};
    struct judgement *good = add_event("good:u", "hardware", "loads");
    add_row(good, &withins[7].code, COUNTS(.factor = 1));
    struct judgement *bad = add_event("bad:u", "raw", "stores");
    add_row(bad, &withins[8].code, COUNTS(.factor = 2));
    assert_finding("A7", FINDING_FAILS);
    assert_string_equal(said(&find("A7")->why, WHY_DECIDES)->values[0].text, "bad:u");
    /* An event that cannot count in its mode is no witness. */
    bad->verdict = VERDICT_DEAD;
    bad->cause = CAUSE_MODE_NOT_APPLICABLE;
    assert_finding("A7", FINDING_HOLDS);
    assert_non_null(said(&find("A7")->why, WHY_NOT_TESTED));
}

TEST(test_additions_alone_do_not_show_that_no_ops_are_counted)
{
    hand = (struct hand){0};
    static const struct code adds = {"adds", 4, 18, PROVEN};
    struct judgement *judgement = add_event("instructions:u", "hardware", "instructions");
    add_row(judgement, &adds, COUNTS(.factor = 1));
    assert_finding("A6", FINDING_UNTESTABLE);
    /* Where no-ops are not counted, the claim falls. */
    static const struct code nops = {"nops", 4, 18, PROVEN};
    add_row(judgement, &nops, COUNTS(.factor = 2.0 / 18));
    assert_finding("A6", FINDING_FAILS);
}

TEST(test_rounding_and_single_multiplication_are_told_apart)
{
    hand = (struct hand){0};
    static const struct code divisions = {"fdiv-double", 0, 1, PROVEN};
    static const struct code rounding = {"fround-double", 0, 1, PROVEN};
    static const struct code multiplications = {"fmul-single", 0, 1, PROVEN};
    struct judgement *judgement = add_event("fp", "papi", "fp-instructions");
    add_row(judgement, &divisions, COUNTS(.factor = 1));
    add_row(judgement, &rounding, COUNTS(.factor = 2));
    add_row(judgement, &multiplications, COUNTS(.factor = 5.0 / 9));
    assert_finding("A4", FINDING_HOLDS);
    const struct reasons *why = &find("A4")->why;
    assert_int_equal(why->count, 3); /* the verdict, rounding, multiplication */
    for (size_t i = 1; i < 3; i++) {
        assert_ptr_equal(why->list[i].words, &validate_words[WHY_EXCEPTION_BREAKS]);
        const struct reason *off = said(why->list[i].values[1].reasons, WHY_READING);
        assert_true(fabs(off->values[0].number - (i == 1 ? 100 : -400 / 9.0)) < 0.01);
    }
}

/* --- square roots --- */

static const struct code roots = {"fsqrt-double", 0, 1, PROVEN};

static void count_roots(struct counting counting)
{
    hand = (struct hand){0};
    struct judgement *judgement = add_event("roots:u", "raw", "fp-sqrts");
    add_row(judgement, &roots, counting);
}

static void assert_roots(struct counting counting, enum finding_verdict verdict)
{
    count_roots(counting);
    assert_finding("A5", verdict);
}

TEST(test_square_roots_that_read_zero_up_to_a_hundred_confirm)
{
    for (uint64_t zero = 10; zero <= 100; zero *= 10) {
        assert_roots(COUNTS(.factor = 1, .zero_up_to = zero), FINDING_HOLDS);
        assert_true(find("A5")->low == (double)zero && find("A5")->high == 10. * (double)zero - 1);
    }
    assert_string_equal(find("A5")->unit, "square roots");
    /* Counted from one, and by another threshold, they refute. */
    assert_roots(COUNTS(.factor = 1), FINDING_FAILS);
    assert_true(find("A5")->estimate <= 0);
    assert_roots(COUNTS(.factor = 1, .zero_up_to = 1), FINDING_FAILS);
    assert_roots(COUNTS(.factor = 1, .zero_up_to = 10000), FINDING_FAILS);
    assert_non_null(said(&find("A5")->why, WHY_NOT_ABOUT_100));
    /* Those that scatter or start late leave it open. */
    assert_roots(COUNTS(.factor = 1, .from_n = 100), FINDING_INCONCLUSIVE);
    assert_roots(COUNTS(.factor = 1, .zero_up_to = 1), FINDING_FAILS);
    hand.judged[0][1].low = -10; /* N = 10 reads anything from 0 to 20 */
    hand.judged[0][1].high = 10;
    assert_finding("A5", FINDING_INCONCLUSIVE);
    /* A dead event shows no threshold. */
    count_roots(COUNTS(.factor = 1, .zero_up_to = 1000000));
    hand.list[0].verdict = VERDICT_DEAD;
    assert_finding("A5", FINDING_UNTESTABLE);
    assert_non_null(said(&find("A5")->why, WHY_ALWAYS_ZERO));
}

/* --- overhead --- */

static const struct code calls = {"getppid", 0, 1, PROVEN};

static void count_calls(const char *kind, struct counting counting)
{
    hand = (struct hand){0};
    struct judgement *judgement = add_event("raw_syscalls:sys_enter", kind, "syscalls");
    add_row(judgement, &calls, counting);
}

TEST(test_overhead_shows_in_small_counts_and_not_in_large_ones)
{
    static const struct {
        const char *kind;
        struct counting counting;
        enum finding_verdict verdict;
    } cases[] = {
        {"tracepoint", {.factor = 1, .overhead = 1}, FINDING_HOLDS},
        /* Large counts that are off as well hide nothing. */
        {"tracepoint", {.factor = 1.05, .overhead = 1}, FINDING_FAILS},
        /* The null cell counts 1, and a window with one call does not. */
        {"tracepoint", {.factor = 1, .offset = -1, .overhead = 1}, FINDING_FAILS},
        {"tracepoint", {.factor = 1, .noise = 0.2, .overhead = 1}, FINDING_INCONCLUSIVE},
        /* Not by sources, without any, or without small counts. */
        {"source", {.factor = 1, .overhead = 1}, FINDING_UNTESTABLE},
        {"tracepoint", {.factor = 1}, FINDING_UNTESTABLE},
        {"tracepoint", {.factor = 1, .overhead = 1, .from_n = 1000}, FINDING_UNTESTABLE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        count_calls(cases[i].kind, cases[i].counting);
        assert_finding("A10", cases[i].verdict);
        assert_true(i || fabs(find("A10")->estimate - 100) < 0.01);
    }
}

TEST(test_an_event_that_errs_for_another_cause_does_not_speak_for_overhead)
{
    count_calls("tracepoint", COUNTS(.factor = 1, .overhead = 1));
    struct judgement *leaking = add_event("instructions:u", "hardware", "instructions");
    static const struct code nops = {"nops", 4, 18, PROVEN};
    add_row(leaking, &nops, COUNTS(.factor = 1.05, .overhead = 40));
    assert_finding("A10", FINDING_FAILS);
    leaking->cause = CAUSE_KERNEL_LEAK;
    assert_finding("A10", FINDING_HOLDS);
}

/* The top of a ladder may have been reached once before the budget was spent. */
TEST(test_points_of_a_single_run_give_way_to_others)
{
    one_event(&withins[7], "hardware", COUNTS(.factor = 1));
    hand.judged[0][STEPS - 1].runs = 1;
    hand.judged[0][STEPS - 1].low = -HUGE_VAL;
    hand.judged[0][STEPS - 1].high = HUGE_VAL;
    assert_finding("A7", FINDING_HOLDS);
    count_calls("tracepoint", COUNTS(.factor = 1, .overhead = 1));
    hand.judged[0][STEPS - 1].low = -HUGE_VAL;
    hand.judged[0][STEPS - 1].high = HUGE_VAL;
    assert_finding("A10", FINDING_HOLDS);
    assert_int_equal(said(&find("A10")->why, WHY_ENDS)->values[7].count, 100000);
}

TEST(test_a_single_run_has_no_estimate)
{
    one_event(&withins[0], "hardware", COUNTS(.factor = 1));
    for (size_t i = 0; i < STEPS; i++)
        hand.judged[0][i].runs = 1;
    assert_finding("A1", FINDING_INCONCLUSIVE);
    assert_false(find("A1")->has_estimate);
}

/* --- from runs, through the judge --- */

LIE(five_percent_more, point->is_null ? run->value : run->value + (uint64_t)point->truth.low / 20)

static void judge_runs(built_lie *lie, struct finding findings[VALIDATE_FINDINGS])
{
    const struct built_way adding = {.overhead = 1};
    struct evidence *loads = begin(5, "loads:u", "loads");
    build_ladder(&built, loads, &plain, "loads");
    if (lie)
        build_lie(loads, lie, NULL);
    struct evidence *traced = build_event(&built, "calls", "tracepoint", "syscalls");
    build_ladder(&built, traced, &adding, "getppid");
    if (lie)
        build_lie(traced, lie, NULL);
    struct judgements judgements = judge_case(&built.file);
    validate_findings(&built.file, &judgements, findings);
}

TEST(test_runs_that_went_through_the_judge_flip_findings_as_well)
{
    struct finding findings[VALIDATE_FINDINGS];
    judge_runs(NULL, findings);
    assert_string_equal(findings[6].id, "A7");
    assert_int_equal(findings[6].verdict, FINDING_HOLDS);
    assert_string_equal(findings[9].id, "A10");
    assert_int_equal(findings[9].verdict, FINDING_HOLDS);
    judge_runs(five_percent_more, findings);
    assert_int_equal(findings[6].verdict, FINDING_FAILS);
    assert_int_equal(findings[9].verdict, FINDING_FAILS);
}
