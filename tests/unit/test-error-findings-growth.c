/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about what makes the error grow, Z3 and Z6 to Z10: number of counters, factors, duration
 * and placement. Each of them flips with opposite figures, stays open where they are too wide, and
 * says why where nothing can decide. */
#include <stdio.h>

#include "case.h"
#include "error-findings.h"

/* Something of the event must have been measured for its class to be known. */
static void hand_events_start(struct hand *hand)
{
    hand_start(hand);
    static const char *const events[] = {"instructions:u", "instructions:uk", "instructions:k",
                                         "cycles:u", "clock/ticks/"};
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        BUILD(&hand->builder, .event = events[i], .part = PART_DURATION, .specimen = "loop",
              .n = 1);
    hand_stepped(hand, "perf-read", PATTERN_RR, 12);
}

#define HAND_OF_EVENTS(name)                                                                       \
    struct hand name;                                                                              \
    hand_events_start(&(name))

/* --- Z3 --- */

static void by_counters(struct hand *hand, const char *event, const char *path, double slope,
                        double half)
{
    struct error_by_counters *by = &hand->by_counters[hand->report.by_counters_count++];
    *by = (struct error_by_counters){.event = event,
                                     .path = path,
                                     .mode = strstr(event, ":uk") ? COUNT_BOTH : COUNT_USER,
                                     .pattern = PATTERN_RR,
                                     .stepped = strncmp(event, "step", 4) == 0,
                                     .list = memory_new(2, sizeof(*by->list)),
                                     .points = 2,
                                     .slope = slope,
                                     .low = slope - half,
                                     .high = slope + half};
    by->list[0] = (struct error_point){.counters = 1, .median = 573};
    by->list[1] = (struct error_point){.counters = 4, .median = 573 + 3 * slope};
}

TEST(counters_add_error_or_do_not)
{
    HAND_OF_EVENTS(hand);
    by_counters(&hand, "instructions:uk", "perf-read", 112, 5);
    by_counters(&hand, "instructions:u", "perf-read", 0, 0);
    const struct finding *finding = assert_finding(&hand, "Z3", FINDING_HOLDS, FOUND_COUNTERS);
    assert_float_equal(finding->estimate, 112, 1e-9);
    by_counters(&hand, "instructions:u", "perf-syscall", 20, 1);
    finding = assert_finding(&hand, "Z3", FINDING_FAILS, FOUND_COUNTERS);
    assert_float_equal(finding->estimate, 20, 1e-9);
    hand_events_start(&hand);
    by_counters(&hand, "instructions:uk", "perf-read", 0, 0.5);
    by_counters(&hand, "instructions:u", "perf-read", 0, 0);
    assert_finding(&hand, "Z3", FINDING_FAILS, ANYTHING);
    hand_events_start(&hand);
    by_counters(&hand, "instructions:uk", "perf-read", 112, 150);
    assert_true(assert_finding(&hand, "Z3", FINDING_INCONCLUSIVE, ANYTHING)->detectable > 112);
}

TEST(stepping_decides_the_user_half_of_more_counters)
{
    HAND(hand);
    hand_stepped(&hand, "perf-read", PATTERN_RR, 12);
    hand_pmu_absent(&hand);
    by_counters(&hand, "step/instructions/", "papi-low", 12, 0);
    assert_finding(&hand, "Z3", FINDING_UNTESTABLE, FOUND_ONE_NUMBER);
    by_counters(&hand, "step/instructions/", "perf-read", 0, 0);
    assert_finding(&hand, "Z3", FINDING_HOLDS, FOUND_MODE_UNTESTED);
    assert_finding(&hand, "Z3", FINDING_HOLDS, FOUND_OWN_CODE);
    by_counters(&hand, "step/instructions/", "perf-prctl", 2, 0);
    assert_finding(&hand, "Z3", FINDING_FAILS, ANYTHING);
}

/* Other patterns, counters opened apart and other events are not what the claim is about. */
TEST(only_read_read_of_grouped_instructions_counts)
{
    HAND_OF_EVENTS(hand);
    by_counters(&hand, "instructions:uk", "perf-read", 0, 0);
    hand.by_counters[0].pattern = PATTERN_AO;
    by_counters(&hand, "instructions:u", "perf-read", 50, 0);
    hand.by_counters[1].separate = true;
    by_counters(&hand, "cycles:u", "perf-read", 50, 0);
    by_counters(&hand, "instructions:u", "perf-user", 14, 0);
    assert_finding(&hand, "Z3", FINDING_UNTESTABLE, ANYTHING);
}

/* --- Z6 --- */

/* What the finding says of a factor; verdict NULL: that it was not tested. */
static const struct reason *assert_factor(const struct finding *finding, const char *factor,
                                          const char *verdict)
{
    for (size_t i = 0; i < finding->why.count; i++) {
        const struct reason *reason = &finding->why.list[i];
        if (verdict && reason->words == &error_words[FOUND_FACTOR] &&
            strcmp(reason->values[0].text, factor) == 0 &&
            strcmp(reason->values[1].text, verdict) == 0)
            return reason;
        if (!verdict && reason->words == &error_words[FOUND_NOT_TESTED] &&
            strstr(reason->values[0].text, factor))
            return reason;
    }
    fail_msg("%s does not say that %s %s", reasons_text(&finding->why), factor,
             verdict ? verdict : "was not tested");
    return NULL;
}

static void effect(struct hand *hand, uint32_t factors, double size, double p)
{
    struct error_anova *anova = &hand->anovas[hand->report.anova_count - 1];
    struct error_effect *added = &hand->effects[hand->report.effect_count++];
    bool of_all = factors == 1u << FACTOR_PATH || factors == 1u << FACTOR_MACHINE;
    double share = of_all ? size : size * anova->total_sum / anova->within_sum;
    anova->effect_count++;
    *added =
        (struct error_effect){.event = anova->event,
                              .stepped = anova->stepped,
                              .factors = factors,
                              .name = "pattern x opt",
                              .df = 3,
                              .range = 7,
                              .sum_sq = size * anova->total_sum,
                              .effect_size = size,
                              .share_within = share,
                              .f = anova->no_variance ? HUGE_VAL : size * 1000 / 3 / 0.1,
                              .p = p,
                              .significant = p < ERROR_EFFECT_P,
                              .matters = p < ERROR_EFFECT_P && share >= ERROR_EFFECT_THRESHOLD};
}

static void anova(struct hand *hand, const char *event, bool stepped)
{
    hand->anovas[hand->report.anova_count++] =
        (struct error_anova){.event = event,
                             .stepped = stepped,
                             .count = 1010,
                             .residual_df = 1000,
                             .residual_sum = 10,
                             .total_sum = 100,
                             .within_sum = 50,
                             .no_variance = stepped,
                             .effects = &hand->effects[hand->report.effect_count]};
}

static void usual_effects(struct hand *hand, double counters, double opt)
{
    effect(hand, 1u << FACTOR_PATH, 0.5, 0);
    effect(hand, 1u << FACTOR_PATTERN, 0.2, 0);
    effect(hand, 1u << FACTOR_COUNTERS, counters, counters >= 0.01 ? 0 : 0.5);
    effect(hand, 1u << FACTOR_OPT, opt, opt >= 0.001 ? 0 : 0.5);
}

TEST(factors_matter_or_do_not)
{
    HAND_OF_EVENTS(hand);
    anova(&hand, "instructions:uk", false);
    usual_effects(&hand, 0.05, 0.002); /* the level is significant, and nobody need care */
    const struct finding *finding = assert_finding(&hand, "Z6", FINDING_HOLDS, FOUND_NOT_TESTED);
    assert_float_equal(finding->estimate, 0.4, 1e-9);
    assert_true(finding->low < finding->estimate && finding->high > finding->estimate);
    assert_true(finding->detectable > 0.1 && finding->detectable < 2);
    assert_factor(finding, "machine", NULL);
    assert_factor(finding, "optimisation level", "does not matter");
    /* It matters together with the pattern. */
    effect(&hand, 1u << FACTOR_OPT | 1u << FACTOR_PATTERN, 0.03, 0);
    finding = assert_finding(&hand, "Z6", FINDING_FAILS, FOUND_FACTOR);
    assert_float_equal(finding->estimate, 6, 1e-9);
    assert_string_equal(assert_factor(finding, "optimisation level", "matters")->values[6].text,
                        "pattern x opt");
    hand_events_start(&hand);
    anova(&hand, "instructions:uk", false);
    usual_effects(&hand, 0.001, 0.0001);
    assert_factor(assert_finding(&hand, "Z6", FINDING_FAILS, ANYTHING), "number of counters",
                  "does not matter");
    hand_events_start(&hand);
    anova(&hand, "instructions:uk", false);
    usual_effects(&hand, 0.05, 0.0001);
    effect(&hand, 1u << FACTOR_MACHINE, 0.001, 0.2);
    assert_factor(assert_finding(&hand, "Z6", FINDING_FAILS, ANYTHING), "machine",
                  "does not matter");
}

/* An interface that adds thousands does not make other factors small. */
TEST(a_path_that_makes_nearly_all_variance_hides_no_factor)
{
    HAND_OF_EVENTS(hand);
    anova(&hand, "instructions:u", false);
    hand.anovas[0].within_sum = 2;
    effect(&hand, 1u << FACTOR_PATH, 0.98, 0);
    effect(&hand, 1u << FACTOR_PATTERN, 0.009, 0);
    effect(&hand, 1u << FACTOR_OPT, 0.00001, 0);
    const struct finding *finding = assert_finding(&hand, "Z6", FINDING_HOLDS, FOUND_FACTOR);
    assert_float_equal(assert_factor(finding, "pattern", "matters")->values[2].number, 45, 1e-9);
    hand.report.effect_count = 2;
    hand.anovas[0].effect_count = 2;
    effect(&hand, 1u << FACTOR_OPT, 0.005, 0);
    finding = assert_finding(&hand, "Z6", FINDING_FAILS, FOUND_FACTOR);
    assert_factor(finding, "optimisation level", "matters");
}

TEST(too_few_data_leave_a_factor_open)
{
    HAND_OF_EVENTS(hand);
    anova(&hand, "instructions:u", false);
    effect(&hand, 1u << FACTOR_PATH, 0.5, 0);
    effect(&hand, 1u << FACTOR_PATTERN, 0.1, 0.02);
    assert_factor(assert_finding(&hand, "Z6", FINDING_INCONCLUSIVE, ANYTHING), "pattern",
                  "may matter");
}

/* Counters varied in user mode only, beside user+kernel mode without them; kernel-only counts are
 * not what the claim is about. */
TEST(counters_are_refuted_only_where_they_were_varied)
{
    HAND_OF_EVENTS(hand);
    anova(&hand, "instructions:u", false);
    usual_effects(&hand, 0, 0.0001);
    anova(&hand, "instructions:uk", false);
    effect(&hand, 1u << FACTOR_PATH, 0.5, 0);
    anova(&hand, "instructions:k", false);
    effect(&hand, 1u << FACTOR_PATH | 1u << FACTOR_PATTERN, 0.5, 0);
    effect(&hand, 1u << FACTOR_OPT, 0.5, 0);
    const struct finding *finding = assert_finding(&hand, "Z6", FINDING_HOLDS, FOUND_FACTOR);
    assert_string_equal(assert_factor(finding, "pattern", "matters")->values[5].text,
                        "instructions:u");
    assert_factor(finding, "number of counters in user+kernel mode", NULL);
}

TEST(one_level_of_everything_tests_no_factor)
{
    HAND_OF_EVENTS(hand);
    anova(&hand, "instructions:u", false);
    effect(&hand, 1u << FACTOR_OPT, 0.5, 0);
    anova(&hand, "cycles:u", false);
    effect(&hand, 1u << FACTOR_PATH, 0.5, 0);
    assert_finding(&hand, "Z6", FINDING_UNTESTABLE, FOUND_ONE_LEVEL);
}

TEST(stepped_factors_decide_what_user_mode_can)
{
    HAND(hand);
    hand_stepped(&hand, "perf-read", PATTERN_RR, 12);
    anova(&hand, "step/instructions/", true);
    usual_effects(&hand, 0, 0.0001);
    const struct finding *finding = assert_finding(&hand, "Z6", FINDING_HOLDS, FOUND_NOT_TESTED);
    assert_factor(finding, "number of counters in user+kernel mode", NULL);
    assert_true(finding->low >= finding->high);
    hand.effects[3].share_within = 0.4;
    hand.effects[3].matters = hand.effects[3].significant = true;
    assert_finding(&hand, "Z6", FINDING_FAILS, FOUND_FACTOR);
}

/* --- Z7, Z8, Z9 --- */

static void slope(struct hand *hand, const char *event, const char *path, double value, double half)
{
    const char *mode = strrchr(event, ':');
    hand->slopes[hand->report.slope_count++] = (struct error_slope){
        .event = event,
        .path = path,
        .mode = strcmp(mode, ":uk") == 0  ? COUNT_BOTH
                : strcmp(mode, ":k") == 0 ? COUNT_KERNEL
                                          : COUNT_USER,
        .runs = 1000,
        .points = 7,
        .longest = 1000000,
        .slope = value,
        .low = value - half,
        .high = value + half,
        .detectable = half * 1.43,
    };
}

/* Slopes by event and path, from N +- half, until the first without a path. */
#define GROWTH(name, id, verdict, says, estimate, ...)                                             \
    {                                                                                              \
        name, #id, FINDING_##verdict, FOUND_##says, estimate,                                      \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define SLOPE(event, ...)                                                                          \
    {                                                                                              \
        "instructions:" event, __VA_ARGS__                                                         \
    }
#define U(...)  SLOPE("u", __VA_ARGS__)
#define K(...)  SLOPE("k", __VA_ARGS__)
#define UK(...) SLOPE("uk", __VA_ARGS__)
static const struct growth {
    const char *name, *id;
    enum finding_verdict verdict;
    enum error_says says;
    double estimate; /* NaN: not asked */
    struct {
        const char *event, *path;
        double slope, half;
    } slopes[4];
} growths[] = {
    GROWTH("the paths of one machine are one slope", Z7, HOLDS, SLOPES, 0.0018,
           UK("perf-read", 0.0016, 0.0004), UK("papi-low", 0.0020, 0.0004)),
    GROWTH("surely more, but not twofold, is the same", Z7, HOLDS, SLOPES, NAN,
           UK("perf-read", 0.0016, 0.0004), UK("perf-syscall", 0.0030, 0.0001)),
    GROWTH("a path with a slope of its own refutes it", Z7, FAILS, SLOPES, NAN,
           UK("perf-read", 0.0016, 0.0004), UK("perf-user", 0.0001, 0.0001)),
    GROWTH("a CPU without ticks refutes it", Z7, FAILS, ONE_SLOPE, 0, UK("perf-read", 0, 1e-6)),
    GROWTH("a wide interval leaves it open", Z7, INCONCLUSIVE, HIDDEN, 0.001,
           UK("perf-read", 0.001, 0.002)),
    GROWTH("an interval without end is no estimate", Z7, INCONCLUSIVE, ONE_SLOPE, NAN,
           UK("papi-low", 0, HUGE_VAL)),
    GROWTH("user errors stay", Z8, HOLDS, FURTHEST, 4e-7, U("perf-read", 0, 0),
           U("perf-user", 4e-7, 1e-6)),
    GROWTH("one wide interval leaves user errors open", Z8, INCONCLUSIVE, FURTHEST, 0,
           U("perf-read", 0, 0), U("papi-low", 0, 1e-3)),
    GROWTH("kernel instructions that leak in refute it", Z8, FAILS, FURTHEST, 0.001,
           U("perf-read", 0, 0), U("perf-prctl", 0.001, 1e-4)),
    GROWTH("no interval of user errors is no estimate", Z8, INCONCLUSIVE, FURTHEST, NAN,
           U("papi-low", 0, HUGE_VAL)),
    GROWTH("kernel counts grow", Z9, HOLDS, BOTH_UNTESTED, 0.00204,
           K("perf-read", 0.00204, 0.0001)),
    GROWTH("both grow alike", Z9, HOLDS, BOTH, NAN, K("perf-read", 0.00204, 0.0001),
           UK("perf-read", 0.0020, 0.0002)),
    GROWTH("they grow by another slope", Z9, FAILS, BOTH, NAN, K("perf-read", 0.00204, 0.0001),
           UK("perf-read", 0.004, 0)),
    GROWTH("neither grows", Z9, FAILS, BOTH, 0, K("perf-read", 0, 0), UK("perf-read", 0, 0)),
    GROWTH("kernel counts are open", Z9, INCONCLUSIVE, BOTH, NAN, K("perf-read", 0, 1),
           UK("perf-read", 0, 0)),
};

static void grows(void **state)
{
    const struct growth *growth = *state;
    HAND_OF_EVENTS(hand);
    for (size_t i = 0; i < 4 && growth->slopes[i].path; i++)
        slope(&hand, growth->slopes[i].event, growth->slopes[i].path, growth->slopes[i].slope,
              growth->slopes[i].half);
    const struct finding *finding =
        assert_finding(&hand, growth->id, growth->verdict, growth->says);
    if (!isnan(growth->estimate))
        assert_float_equal(finding->estimate, growth->estimate, 1e-9);
    assert_int_equal(finding->has_estimate, isfinite(growth->slopes[0].half));
}

EXAMPLES(findings_of_growth)
{
    for (size_t i = 0; i < sizeof(growths) / sizeof(*growths); i++)
        unit_example(growths[i].name, grows, &growths[i]);
}

TEST(what_interrupts_explain_is_said_with_the_slopes)
{
    HAND_OF_EVENTS(hand);
    slope(&hand, "instructions:uk", "perf-read", 0.0016, 0.0004);
    hand.report.ticks =
        (struct error_ticks){.known = true, .predicted = 0.0017, .each = 3400, .agrees = true};
    assert_finding(&hand, "Z7", FINDING_HOLDS, FOUND_INTERRUPTS);
}

/* A loop of one length has no slope, steps are no counter,
 * and other events are not asked. */
TEST(slopes_that_say_nothing_are_left_out)
{
    HAND_OF_EVENTS(hand);
    slope(&hand, "cycles:u", "perf-read", 0, 0);
    slope(&hand, "instructions:u", "perf-read", 0, 0);
    hand.slopes[1].points = 1;
    slope(&hand, "instructions:u", "perf-read", 0, 0);
    hand.slopes[2].event = "step/instructions/";
    hand_null(&hand, "cycles:u", "perf-read", PATTERN_RR, 1);
    assert_finding(&hand, "Z8", FINDING_UNTESTABLE, FOUND_NOT_MEASURED);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_RR, 1);
    assert_finding(&hand, "Z8", FINDING_UNTESTABLE, FOUND_ONE_LENGTH);
}

/* What an interrupt costs is the machine's: only the paths of one are compared. */
TEST(slopes_of_several_machines_are_judged_apart)
{
    HAND_OF_EVENTS(hand);
    uint32_t second = build_error_machine(&hand.builder, "another", true);
    slope(&hand, "instructions:uk", "perf-read", 0.001, 0.0001);
    slope(&hand, "instructions:uk", "perf-read", 0.004, 0.0001);
    hand.slopes[1].machine = second;
    hand.report.ticks.known = true; /* of whichever machine */
    const struct finding *finding = assert_finding(&hand, "Z7", FINDING_HOLDS, FOUND_MACHINES);
    assert_false(says(&finding->why, FOUND_INTERRUPTS));
    hand.slopes[1].machine = 0;
    assert_finding(&hand, "Z7", FINDING_FAILS, FOUND_SLOPES);
    hand.slopes[1].machine = second;
    hand.slopes[1].slope = hand.slopes[1].low = hand.slopes[1].high = 0;
    assert_finding(&hand, "Z7", FINDING_FAILS, FOUND_MACHINES);
}

/* --- Z10 --- */

static struct error_placement *placement(struct hand *hand, const char *event, double factor,
                                         double half)
{
    struct error_placement *added = &hand->placements[hand->report.placement_count++];
    *added = (struct error_placement){.event = event,
                                      .is_time = true,
                                      .places = 64,
                                      .least = 1,
                                      .most = factor,
                                      .factor = factor,
                                      .factor_low = factor - half,
                                      .factor_high = factor + half};
    return added;
}

TEST(placement_matters_or_does_not)
{
    HAND_OF_EVENTS(hand);
    struct error_placement *ticks = placement(&hand, "clock/ticks/", 2, 0.1);
    assert_float_equal(assert_finding(&hand, "Z10", FINDING_HOLDS, FOUND_NO_WINDOWS)->estimate, 2,
                       1e-9);
    ticks->has_windows = true;
    ticks->windows.factor = 2;
    ticks->windows.by_pattern = ticks->windows.by_opt = 0.2;
    ticks->windows.by_both = 0.6;
    assert_finding(&hand, "Z10", FINDING_HOLDS, FOUND_WINDOWS);
    ticks->windows.by_opt = 0.9;
    assert_finding(&hand, "Z10", FINDING_FAILS, FOUND_WINDOWS);
    ticks->windows.factor = 1.01; /* nothing to explain */
    assert_finding(&hand, "Z10", FINDING_HOLDS, FOUND_ALIKE_WINDOWS);
    /* Cycles are what the claim is about. */
    placement(&hand, "cycles:u", 1.02, 0.01);
    assert_finding(&hand, "Z10", FINDING_FAILS, FOUND_PLACES);
    hand.placements[1].places = 5; /* of which all may be quick by chance */
    assert_finding(&hand, "Z10", FINDING_INCONCLUSIVE, FOUND_FEW_PLACES);
    hand.placements[1].places = 64;
    hand.placements[1].factor_high = 1.8;
    assert_finding(&hand, "Z10", FINDING_INCONCLUSIVE, ANYTHING);
}

TEST(placement_is_not_judged_by_counts_or_emulated_time)
{
    HAND_OF_EVENTS(hand);
    placement(&hand, "instructions:u", 2, 0)->is_time = false;
    assert_finding(&hand, "Z10", FINDING_UNTESTABLE, FOUND_NO_PLACES);
    placement(&hand, "cycles:u", 2, 0);
    assert_finding(&hand, "Z10", FINDING_HOLDS, ANYTHING);
    hand.builder.file.machines[0].emulated = true;
    assert_finding(&hand, "Z10", FINDING_UNTESTABLE, FOUND_EMULATED);
    build_error_machine(&hand.builder, "real", false);
    assert_finding(&hand, "Z10", FINDING_UNTESTABLE, ANYTHING);
    placement(&hand, "clock/ticks/", 2, 0)->machine = 1;
    assert_finding(&hand, "Z10", FINDING_HOLDS, FOUND_MACHINES);
    /* Counts of it are as good as any. */
    slope(&hand, "instructions:u", "perf-read", 0, 0);
    assert_finding(&hand, "Z8", FINDING_HOLDS, ANYTHING);
}
