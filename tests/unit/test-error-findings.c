/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings Z1 to Z10: each of them flips with opposite data, stays open where they are too noisy,
 * and says why where nothing can decide. */
#include <stdio.h>

#include "case.h"
#include "error-findings.h"

#define CELL(event_, path_, pattern_, error_, ...)                                                 \
    {                                                                                              \
        .event = (event_), .path = (path_), .pattern = PATTERN_##pattern_,                         \
        .error = (error_)__VA_OPT__(, ) __VA_ARGS__                                                \
    }
#define U(...)  CELL("instructions:u", __VA_ARGS__)
#define UK(...) CELL("instructions:uk", __VA_ARGS__)
#define STEPPED(...)                                                                               \
    CELL("step/instructions/", __VA_ARGS__, .part = PART_STEPPED, .processes = 2, .runs = 2)
#define NOISY(noise) .process_noise = (noise), .processes = 4

#define WITHOUT(absent, name, id, verdict, says, estimate, ...)                                    \
    {                                                                                              \
        name, #id, FINDING_##verdict, says, estimate, absent,                                      \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define WITH(...) WITHOUT(NULL, __VA_ARGS__)

static const struct example {
    const char *name, *id;
    enum finding_verdict verdict;
    enum error_says says;
    double estimate;    /* 0: not asked */
    const char *absent; /* an event or path; NULL: none */
    struct error_way cells[6];
} examples[] = {
    WITH("both halves of the spread hold", Z1, HOLDS, FOUND_SPREAD, 10000.0 / 74,
         U("perf-read", RR, 12), U("perf-read", AO, 1256), U("papi-low", RR, 2500),
         UK("perf-read", RR, 74), UK("perf-read", AO, 5037), UK("papi-low", RR, 10000)),
    WITH("one half is enough to refute it", Z1, FAILS, FOUND_SPREAD, 1.25, U("perf-read", RR, 12),
         U("perf-read", AO, 1256), U("papi-low", RR, 2500), UK("perf-read", RR, 2000),
         UK("perf-read", AO, 2250), UK("papi-low", RR, 2500)),
    WITH("a spread from no error at all has a size", Z1, HOLDS, ANYTHING, 300,
         U("perf-read", RR, 0), U("perf-read", AO, 150), U("papi-low", RR, 300)),
    WITH("a small one from none is small", Z1, FAILS, ANYTHING, 4, U("perf-read", RR, 0),
         U("perf-read", AO, 2), U("papi-low", RR, 4)),
    WITH("noisy cells leave the spread open", Z1, INCONCLUSIVE, ANYTHING, 0,
         U("perf-read", RR, 100), U("papi-low", AR, 1000, NOISY(500))),
    WITH("one path is no spread", Z1, UNTESTABLE, FOUND_FEW_WAYS, 0, U("perf-read", RR, 10),
         U("perf-read", AO, 5000)),
    WITH("one process is no spread", Z1, UNTESTABLE, FOUND_FEW_WAYS, 0, U("perf-read", RR, 10),
         U("perf-read", AO, 5000), U("papi-low", AR, 9000, .processes = 1)),
    /* A window without a path, and steps before they are aligned, are no way to measure. */
    WITHOUT("instructions:uk", "without counters the user half is stepped", Z1, HOLDS,
            FOUND_MODE_UNTESTED, 2600.0 / 12, STEPPED("perf-read", RR, 12),
            STEPPED("perf-read", AO, 14), STEPPED("papi-high", RR, 2600), STEPPED("bare", RR, 0),
            CELL("step/instructions-raw/", "papi-low", AR, 1e6, .part = PART_STEPPED)),
    /* --- Z2 --- */
    WITH("a user read cuts the error", Z2, HOLDS, FOUND_READS, 1698.0 / 109,
         UK("perf-read", RR, 1798), UK("perf-syscall", RR, 1698), UK("perf-user", RR, 109),
         U("perf-user", RR, 109), UK("perf-syscall", AO, 5000)),
    WITH("a user read that saves little does not", Z2, FAILS, FOUND_READS, 120.0 / 109,
         UK("perf-syscall", RR, 120), UK("perf-user", RR, 109), U("perf-user", RR, 109)),
    WITH("kernel code in a user read refutes it", Z2, FAILS, FOUND_USER_MODE, 0,
         UK("perf-syscall", RR, 1698), UK("perf-user", RR, 300), U("perf-user", RR, 109)),
    WITH("user reads of noisy counts stay open", Z2, INCONCLUSIVE, ANYTHING, 0,
         U("perf-user", RR, 100), UK("perf-user", RR, 100), UK("perf-read", RR, 200, NOISY(80))),
    WITHOUT("instructions:uk", "user reads need the kernel's share", Z2, UNTESTABLE, FOUND_REFUSED,
            0, U("perf-read", RR, 100), U("perf-user", RR, 10)),
    WITH("user reads need a path", Z2, UNTESTABLE, FOUND_NO_PATH, 0, UK("perf-read", RR, 100)),
    WITH("user reads need a system call beside them", Z2, UNTESTABLE, FOUND_NO_CALL, 0,
         UK("perf-user", RR, 100)),
    /* --- Z4: the smaller step decides --- */
    WITH("higher interfaces add error", Z4, HOLDS, FOUND_INTERFACES, 97, U("perf-read", AO, 87),
         U("perf-syscall", RR, 37), U("papi-low", AR, 134), U("papi-low", AO, 204),
         U("papi-high", RR, 236)),
    WITH("a higher interface that adds none refutes it", Z4, FAILS, ANYTHING, -4,
         U("perf-syscall", RR, 37), U("papi-low", AR, 134), U("papi-high", RR, 130)),
    WITH("a lower one that adds none refutes it", Z4, FAILS, ANYTHING, -6,
         U("perf-syscall", RR, 140), U("papi-low", AR, 134), U("papi-high", RR, 236)),
    WITH("one interface alone says nothing", Z4, UNTESTABLE, FOUND_NO_PATH, 0,
         U("perf-read", RR, 100)),
    WITHOUT("papi-high", "a noisy interface is open and an absent one is named", Z4, INCONCLUSIVE,
            FOUND_NOT_TESTED, 0, U("perf-read", RR, 100), U("papi-low", AR, 110, NOISY(30))),
    WITHOUT("instructions:u", "interfaces are stepped where nothing counts", Z4, HOLDS,
            FOUND_INTERFACES, 89, STEPPED("perf-syscall", RR, 9), STEPPED("papi-low", RR, 98),
            STEPPED("papi-high", RR, 700)),
    /* Neither more counters nor separate ones belong to a way. */
    WITH("levels and links of one way count as their middle", Z4, HOLDS, ANYTHING, 100,
         U("perf-read", AR, 30, .opt = "O0"), U("perf-read", AR, 31, .opt = "O1"),
         U("perf-read", AR, 90), U("papi-low", AR, 131), U("perf-read", AR, 1, .counters = 4),
         U("perf-read", AR, 1, .separate = true)),
    /* --- Z5 --- */
    WITH("best patterns differ", Z5, HOLDS, FOUND_PATTERNS, 23, U("perf-read", AR, 60),
         U("perf-read", RR, 37), U("papi-low", AR, 134), U("papi-low", RR, 200)),
    /* A path that does not have the best pattern does not make it another. */
    WITH("best patterns are the same", Z5, FAILS, FOUND_SAME_PATTERN, 0, U("perf-read", AR, 60),
         U("perf-read", RR, 37), U("papi-low", AR, 200), U("papi-low", RR, 134),
         U("perf-prctl", AR, 10), U("perf-prctl", AO, 5)),
    WITH("patterns that tie are one pattern", Z5, FAILS, FOUND_SAME_PATTERN, 0,
         U("perf-read", AR, 37), U("perf-read", RR, 37), U("papi-low", AR, 134),
         U("papi-low", RR, 200)),
    WITH("the best pattern may depend on the mode", Z5, HOLDS, FOUND_PATTERNS, 23,
         U("perf-read", AR, 60), U("perf-read", RR, 37), UK("perf-read", AR, 600),
         UK("perf-read", RR, 726)),
    WITH("single patterns say nothing", Z5, UNTESTABLE, FOUND_ONE_PATTERN, 0,
         U("perf-read", AR, 60), U("perf-read", RR, 37), U("papi-low", RR, 134)),
    WITH("noisy patterns stay open", Z5, INCONCLUSIVE, FOUND_PATTERNS_OPEN, 0,
         U("perf-read", AR, 60), U("perf-read", RR, 37), U("papi-low", RR, 134),
         U("papi-low", AR, 130, NOISY(30))),
    WITHOUT("instructions:uk", "stepped patterns decide for user mode", Z5, HOLDS,
            FOUND_MODE_UNTESTED, 2, STEPPED("perf-read", AR, 14), STEPPED("perf-read", RR, 12),
            STEPPED("papi-low", AR, 90), STEPPED("papi-low", RR, 95)),
};

static void is_judged(void **state)
{
    const struct example *example = *state;
    HAND(hand);
    for (size_t i = 0; i < 6 && example->cells[i].path; i++)
        build_error_cell(&hand.builder, &example->cells[i]);
    if (example->absent)
        build_error_absence(&hand.builder, example->absent, 2, "not on this machine.");
    const struct finding *finding =
        assert_finding(&hand, example->id, example->verdict, example->says);
    if (example->estimate < 0 || example->estimate > 0)
        assert_float_equal(finding->estimate, example->estimate, 1e-9);
    if (example->verdict == FINDING_INCONCLUSIVE)
        assert_true(finding->detectable > 0);
}

EXAMPLES(findings_of_null_errors)
{
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
        unit_example(examples[i].name, is_judged, &examples[i]);
}

TEST(without_any_count_nothing_is_decided)
{
    static const char *const ids[] = {"Z1", "Z2", "Z3", "Z4", "Z5", "Z6", "Z7", "Z8", "Z9"};
    HAND(hand);
    hand_pmu_absent(&hand);
    hand_null(&hand, "page-faults", "perf-read", PATTERN_AO, 1);
    hand_null(&hand, "page-faults", "papi-low", PATTERN_RR, 100);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        assert_finding(&hand, ids[i], FINDING_UNTESTABLE,
                       i ? FOUND_REFUSED : FOUND_NO_INSTRUCTIONS);
    assert_finding(&hand, "Z10", FINDING_UNTESTABLE, FOUND_NO_PLACES);
}

TEST(one_of_several_machines_refutes)
{
    HAND(hand);
    uint32_t second = build_error_machine(&hand.builder, "another", false);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_AR, 37);
    hand_null(&hand, "instructions:u", "papi-low", PATTERN_AR, 134);
    assert_finding(&hand, "Z4", FINDING_HOLDS, FOUND_MACHINES);
    BUILD(&hand.builder, .machine = second, .path = "papi-low", .error = 20);
    BUILD(&hand.builder, .machine = second, .path = "perf-read", .error = 30);
    const struct finding *finding = assert_finding(&hand, "Z4", FINDING_FAILS, FOUND_MACHINES);
    const struct reason *told = reasons_find(&finding->why, &error_words[FOUND_MACHINES]);
    assert_string_equal(told->values[2].text, "another");
    assert_float_equal(finding->estimate, -10, 1e-9);
}

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
    SET(*by, .event = event, .path = path, .mode = strstr(event, ":uk") ? COUNT_BOTH : COUNT_USER,
        .pattern = PATTERN_RR, .stepped = strncmp(event, "step", 4) == 0,
        .list = memory_new(2, sizeof(*by->list)), .points = 2, .slope = slope, .low = slope - half,
        .high = slope + half);
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
    SET(*added, .event = anova->event, .stepped = anova->stepped, .factors = factors,
        .name = "pattern x opt", .df = 3, .range = 7, .sum_sq = size * anova->total_sum,
        .effect_size = size, .share_within = share,
        .f = anova->no_variance ? HUGE_VAL : size * 1000 / 3 / 0.1, .p = p,
        .significant = p < ERROR_EFFECT_P,
        .matters = p < ERROR_EFFECT_P && share >= ERROR_EFFECT_THRESHOLD);
}

static void anova(struct hand *hand, const char *event, bool stepped)
{
    const size_t next = hand->report.anova_count++;
    SET(hand->anovas[next], .event = event, .stepped = stepped, .count = 1010, .residual_df = 1000,
        .residual_sum = 10, .total_sum = 100, .within_sum = 50, .no_variance = stepped,
        .effects = &hand->effects[hand->report.effect_count]);
}

static void usual_effects(struct hand *hand, double counters, double opt)
{
    effect(hand, 1u << FACTOR_PATH, 0.5, 0);
    effect(hand, 1u << FACTOR_PATTERN, 0.2, 0);
    effect(hand, 1u << FACTOR_COUNTERS, counters, counters >= 0.01 ? 0 : 0.5);
    effect(hand, 1u << FACTOR_OPT, opt, opt >= 0.001 ? 0 : 0.5);
}

/* The usual effects in user+kernel mode, and one more (0: none), judged. */
static const struct finding *judged_effects(struct hand *hand, double counters, double opt,
                                            uint32_t factors, double size, double p,
                                            enum finding_verdict verdict)
{
    hand_events_start(hand);
    anova(hand, "instructions:uk", false);
    usual_effects(hand, counters, opt);
    if (factors)
        effect(hand, factors, size, p);
    return assert_finding(hand, "Z6", verdict, ANYTHING);
}

TEST(factors_matter_or_do_not)
{
    struct hand hand;
    /* The level is significant, and nobody need care. */
    const struct finding *finding = judged_effects(&hand, 0.05, 0.002, 0, 0, 0, FINDING_HOLDS);
    assert_float_equal(finding->estimate, 0.4, 1e-9);
    assert_true(finding->low < finding->estimate && finding->high > finding->estimate);
    assert_true(finding->detectable > 0.1 && finding->detectable < 2);
    assert_factor(finding, "machine", NULL);
    assert_factor(finding, "optimisation level", "does not matter");
    /* It matters together with the pattern. */
    finding = judged_effects(&hand, 0.05, 0.002, 1u << FACTOR_OPT | 1u << FACTOR_PATTERN, 0.03, 0,
                             FINDING_FAILS);
    assert_float_equal(finding->estimate, 6, 1e-9);
    assert_string_equal(assert_factor(finding, "optimisation level", "matters")->values[6].text,
                        "pattern x opt");
    assert_factor(judged_effects(&hand, 0.001, 0.0001, 0, 0, 0, FINDING_FAILS),
                  "number of counters", "does not matter");
    assert_factor(
        judged_effects(&hand, 0.05, 0.0001, 1u << FACTOR_MACHINE, 0.001, 0.2, FINDING_FAILS),
        "machine", "does not matter");
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

TEST(too_few_data_leave_a_factor_open_and_one_level_untested)
{
    HAND_OF_EVENTS(hand);
    anova(&hand, "instructions:u", false);
    effect(&hand, 1u << FACTOR_PATH, 0.5, 0);
    effect(&hand, 1u << FACTOR_PATTERN, 0.1, 0.02);
    assert_factor(assert_finding(&hand, "Z6", FINDING_INCONCLUSIVE, ANYTHING), "pattern",
                  "may matter");
    hand_events_start(&hand);
    anova(&hand, "instructions:u", false);
    effect(&hand, 1u << FACTOR_OPT, 0.5, 0);
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
#define SU(...)  SLOPE("u", __VA_ARGS__)
#define SK(...)  SLOPE("k", __VA_ARGS__)
#define SUK(...) SLOPE("uk", __VA_ARGS__)
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
           SUK("perf-read", 0.0016, 0.0004), SUK("papi-low", 0.0020, 0.0004)),
    GROWTH("surely more, but not twofold, is the same", Z7, HOLDS, SLOPES, NAN,
           SUK("perf-read", 0.0016, 0.0004), SUK("perf-syscall", 0.0030, 0.0001)),
    GROWTH("a path with a slope of its own refutes it", Z7, FAILS, SLOPES, NAN,
           SUK("perf-read", 0.0016, 0.0004), SUK("perf-user", 0.0001, 0.0001)),
    GROWTH("a CPU without ticks refutes it", Z7, FAILS, ONE_SLOPE, 0, SUK("perf-read", 0, 1e-6)),
    GROWTH("a wide interval leaves it open", Z7, INCONCLUSIVE, HIDDEN, 0.001,
           SUK("perf-read", 0.001, 0.002)),
    GROWTH("an interval without end is no estimate", Z7, INCONCLUSIVE, ONE_SLOPE, NAN,
           SUK("papi-low", 0, HUGE_VAL)),
    GROWTH("user errors stay", Z8, HOLDS, FURTHEST, 4e-7, SU("perf-read", 0, 0),
           SU("perf-user", 4e-7, 1e-6)),
    GROWTH("one wide interval leaves user errors open", Z8, INCONCLUSIVE, FURTHEST, 0,
           SU("perf-read", 0, 0), SU("papi-low", 0, 1e-3)),
    GROWTH("kernel instructions that leak in refute it", Z8, FAILS, FURTHEST, 0.001,
           SU("perf-read", 0, 0), SU("perf-prctl", 0.001, 1e-4)),
    GROWTH("no interval of user errors is no estimate", Z8, INCONCLUSIVE, FURTHEST, NAN,
           SU("papi-low", 0, HUGE_VAL)),
    GROWTH("kernel counts grow", Z9, HOLDS, BOTH_UNTESTED, 0.00204,
           SK("perf-read", 0.00204, 0.0001)),
    GROWTH("both grow alike", Z9, HOLDS, BOTH, NAN, SK("perf-read", 0.00204, 0.0001),
           SUK("perf-read", 0.0020, 0.0002)),
    GROWTH("they grow by another slope", Z9, FAILS, BOTH, NAN, SK("perf-read", 0.00204, 0.0001),
           SUK("perf-read", 0.004, 0)),
    GROWTH("neither grows", Z9, FAILS, BOTH, 0, SK("perf-read", 0, 0), SUK("perf-read", 0, 0)),
    GROWTH("kernel counts are open", Z9, INCONCLUSIVE, BOTH, NAN, SK("perf-read", 0, 1),
           SUK("perf-read", 0, 0)),
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
    SET(*added, .event = event, .is_time = true, .places = 64, .least = 1, .most = factor,
        .factor = factor, .factor_low = factor - half, .factor_high = factor + half);
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
    hand.builder.file.machines[0].emulated = true;
    assert_finding(&hand, "Z10", FINDING_UNTESTABLE, FOUND_EMULATED);
    build_error_machine(&hand.builder, "real", false);
    placement(&hand, "clock/ticks/", 2, 0)->machine = 1;
    assert_finding(&hand, "Z10", FINDING_HOLDS, FOUND_MACHINES);
    /* Counts of it are as good as any. */
    slope(&hand, "instructions:u", "perf-read", 0, 0);
    assert_finding(&hand, "Z8", FINDING_HOLDS, ANYTHING);
}
