/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about the null error, Z1, Z2, Z4 and Z5: each of them flips with opposite data, stays
 * open where the data are too noisy, and says why where nothing can decide. */
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

TEST(a_path_that_failed_says_why)
{
    HAND(hand);
    hand_null(&hand, "instructions:uk", "perf-read", PATTERN_RR, 100);
    build_error_failed(&hand.builder,
                       &(struct error_way){.event = "instructions:uk", .path = "perf-user"}, 22,
                       "user access is off. Write 1 to perf_user_access.");
    assert_finding(&hand, "Z2", FINDING_UNTESTABLE, FOUND_PATH_FAILED);
}

TEST(one_of_several_machines_refutes)
{
    HAND(hand);
    uint32_t second = build_error_machine(&hand.builder, "another", false);
    build_error_machine(&hand.builder, "third", true);
    hand_null(&hand, "instructions:u", "perf-read", PATTERN_AR, 37);
    hand_null(&hand, "instructions:u", "papi-low", PATTERN_AR, 134);
    const struct finding *finding = assert_finding(&hand, "Z4", FINDING_HOLDS, FOUND_MACHINES);
    const struct reason *told = reasons_find(&finding->why, &error_words[FOUND_MACHINES]);
    assert_int_equal(told->values[0].count, 3);
    assert_int_equal(told->values[1].count, 1);
    assert_string_equal(told->values[2].text, "built");
    for (int i = 0; i < 2; i++)
        BUILD(&hand.builder, .machine = second, .path = i ? "papi-low" : "perf-read",
              .error = i ? 20 : 30);
    finding = assert_finding(&hand, "Z4", FINDING_FAILS, FOUND_MACHINES);
    told = reasons_find(&finding->why, &error_words[FOUND_MACHINES]);
    assert_int_equal(told->values[1].count, 2);
    assert_string_equal(told->values[2].text, "another");
    assert_float_equal(finding->estimate, -10, 1e-9);
}
