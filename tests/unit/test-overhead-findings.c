/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about overhead, W1 to W7: each of them flips with opposite data, stays open where the
 * data are too noisy, too few or on two levels, and says why where nothing can decide. */
#include "case.h"
#include "overhead-findings.h"

#define ANYTHING SAYS_NOTHING_MEASURED

struct decided {
    const char *name, *id;
    enum finding_verdict verdict;
    double estimate; /* 0: any */
    enum overhead_says says;
    double numbers[4]; /* of that clause, in order; 0: any */
    const char *plan;
};

static const struct finding *find(struct hand *hand, const char *id)
{
    overhead_judge_findings(&hand->builder.file, &hand->report);
    for (size_t i = 0; i < OVERHEAD_FINDINGS; i++)
        if (strcmp(hand->report.findings[i].id, id) == 0)
            return &hand->report.findings[i];
    fail_msg("there is no finding %s", id);
    return NULL;
}

static const struct finding *assert_decided(struct hand *hand, const struct decided *decided)
{
    const struct finding *finding = find(hand, decided->id);
    const struct reason *said = reasons_find(&finding->why, &overhead_words[decided->says]);
    if (finding->verdict != decided->verdict || (decided->says != ANYTHING && !said))
        fail_msg("%s: \"%s\" instead of \"%s\", or not %s: %s", decided->id,
                 finding_verdict_names[finding->verdict], finding_verdict_names[decided->verdict],
                 overhead_words[decided->says].code, reasons_text(&finding->why));
    if (said && decided->says != ANYTHING)
        assert_numbers(said, decided->numbers);
    if (decided->estimate != 0)
        assert_near(finding->estimate, decided->estimate, 0.01 * decided->estimate);
    assert_whole(&finding->why);
    assert_true(finding->figure[0] && strlen(finding->figure) < sizeof(finding->figure) - 1);
    assert_true(finding->unit[0]);
    assert_string_equal(finding->paper, "weaver-overhead");
    if (decided->verdict == FINDING_UNTESTABLE)
        assert_false(finding->has_estimate);
    if (finding->has_estimate) {
        assert_true(finding->low <= finding->estimate && finding->estimate <= finding->high);
        assert_true(isfinite(finding->detectable) && finding->detectable >= 0);
    }
    return finding;
}

static void decides(void **state)
{
    const struct decided *decided = *state;
    assert_decided(hand_plan(decided->plan), decided);
}

#define PLAIN "warm perf-read.start 2400; warm perf-read.stop 2000; warm perf-read.read 1000;"
#define USER  PLAIN "warm perf-user.read "
/* Of other circumstances, and a summary of them all. */
#define OTHERS(call)                                                                               \
    "row " call " lazy - 0 50000; summary; row " call " lazy - 0 50000; runs 1;"                   \
    "row " call " lazy timer.nothing 0 9999; events 8;"                                            \
    "row " call " lazy timer.nothing 0 7777; reads 32;"
#define WILD(call, cost) "row " call " lazy timer.gauge 0 " cost "; limits -5000 9000;"

#define FIRSTS(lazy, fixed, bound)                                                                 \
    "first perf-read.read lazy " lazy "; first perf-read.read static " fixed                       \
    "; first perf-read.read bind-now " bound ";"
#define LATER                                                                                      \
    "first perf-syscall.read lazy 3000; row perf-read.read lazy perf-read.read 2 1900;"            \
    "warm perf-read.read 1500;"

#define COLD_PAGE(user) "first perf-user-cold.read static " user ";"
#define BESIDE          "first perf-read.read static 3000; warm perf-read.read 1000;"
#define MAPPED(populated, touched)                                                                 \
    "warm perf-user.read " populated "; warm perf-user-touched.read " touched                      \
    "; first perf-user.read static 400; first perf-user-touched.read static 400;" BESIDE

#define THREE(start, stop, read)                                                                   \
    "warm perf-read.start " start "; warm perf-read.stop " stop "; warm perf-read.read " read      \
    "; warm perf-syscall.start " start "; warm perf-syscall.stop " stop                            \
    "; warm perf-syscall.read " read ";"
/* A process that starts, reads and stops, each for the first time. */
#define FIRST_THREE(path, link, start, stop, read)                                                 \
    "first " path ".start " link " " start "; row " path ".read " link " " path ".start 1 " read   \
    "; row " path ".stop " link " " path ".read 1 " stop ";"
#define USUAL THREE("2400", "2000", "1000")
#define LAZY_AND_STATIC                                                                            \
    FIRST_THREE("perf-read", "lazy", "7000", "2600", "3500")                                       \
    FIRST_THREE("perf-read", "static", "6000", "2550", "2600")
/* Pages of a library that are mapped now or then: one level of first reads is above start. */
#define TWO_LEVELS                                                                                 \
    "first perf-read.start lazy 7000; row perf-read.read lazy perf-read.start 1 4000;"             \
    "levels 3500 14000; row perf-read.stop lazy perf-read.read 1 2600;"

#define GROWTH(group, power)                                                                       \
    "warm perf-read.read 1000; group perf-read.read " group " 1; separate perf-read.read 1000 1;"  \
    "group perf-read.start " group " " power "; separate perf-read.start 1000 1;"

#define HOLDS FINDING_HOLDS
#define FAILS FINDING_FAILS
#define OPEN  FINDING_INCONCLUSIVE
#define MUTE  FINDING_UNTESTABLE
/* clang-format off */
static const struct decided list[] = {
    {"plain_code_costs_several_times", "W1", HOLDS, 27, SAYS_PLAIN_REGION, {5400, 200}, USER "100"},
    {"one_read_is_compared", "W1", HOLDS, 27, SAYS_ONE_READ, {10}, USER "100"},
    {"plain_code_costs_little_more", "W1", FAILS, 5400.0 / 3800, ANYTHING, {0}, USER "1900"},
    {"intervals_that_hold_twice", "W1", OPEN, 0, ANYTHING, {0}, "spread 0.2;" USER "1250"},
    {"few_processes", "W1", OPEN, 0, SAYS_FEW_PROCESSES, {0}, "processes 3;" USER "100"},
    {"no_user_reads", "W1", MUTE, 0, SAYS_CALL_ABSENT, {0}, PLAIN "no-user-reads"},
    {"plain_code_is_told_alone", "W1", MUTE, 0, SAYS_REGION_ALONE, {5400}, PLAIN "no-user-reads"},
    {"ratios_after_the_same_predecessors", "W1", HOLDS, 27, ANYTHING, {0},
     OTHERS("perf-read.start") OTHERS("perf-read.stop") OTHERS("perf-read.read")
     OTHERS("perf-user.read") USER "100; row perf-user.read lazy papi-low.read 0 100000;"
     "row perf-read.read lazy perf-read.start 0 1"},
    {"levels_that_say_the_same", "W1", HOLDS, 0, ANYTHING, {0},
     USER "100; levels-of perf-user.read 90 110"},
    {"levels_that_disagree", "W1", OPEN, 0, SAYS_MODES_DISAGREE, {180, 4000},
     USER "100; levels-of perf-user.read 90 2000"},
    {"levels_of_the_divisor", "W1", OPEN, 0, SAYS_MODES_DISAGREE, {600, 3800},
     USER "1900; levels-of perf-user.read 300 1900"},
    {"levels_that_go_up", "W1", OPEN, 0, SAYS_MODES_DISAGREE, {5400, 12000},
     USER "1900; levels-of perf-read.start 2400 9000"},
    {"levels_that_go_down", "W1", OPEN, 0, SAYS_MODES_DISAGREE, {4000, 5400},
     USER "1200; levels-of perf-read.start 1000 2400"},
     
    {"lazy_linking_costs_at_first", "W2", HOLDS, 4.0 / 3, SAYS_LAZY_FIRST, {4000, 3000, 1000},
     FIRSTS("4000", "3300", "3200") LATER},
    {"the_other_way", "W2", HOLDS, 0, SAYS_OTHER_FIRST, {3300},
     FIRSTS("4000", "3300", "3200") LATER},
    {"the_lookup", "W2", HOLDS, 0, SAYS_BOUND_FIRST, {3200, 800},
     FIRSTS("4000", "3300", "3200") LATER},
    {"the_second_call", "W2", HOLDS, 0, SAYS_SECOND_LAZY, {1900, 1500},
     FIRSTS("4000", "3300", "3200") LATER},
    {"the_first_start", "W2", HOLDS, 0, SAYS_FIRST_START, {7000, 6000},
     FIRSTS("4000", "3300", "3200") LATER
     "first perf-read.start lazy 7000; first perf-read.start static 6000"},
    {"lazy_linking_costs_little", "W2", FAILS, 0, ANYTHING, {0},
     FIRSTS("3100", "3050", "2950") LATER},
    {"noisy_first_calls", "W2", OPEN, 0, ANYTHING, {0},
     "spread 0.1;" FIRSTS("3700", "3050", "2950") LATER},
    {"a_page_fault_in_the_library_is_no_lookup", "W2", HOLDS, 0, SAYS_LIBRARY_FAULTS, {0},
     FIRSTS("14800", "1660", "14200") "faults"},
    {"nothing_was_called_before_a_first_call", "W2", HOLDS, 0, ANYTHING, {0},
     "row perf-read.read lazy perf-read.start 1 2000; runs 1000; row perf-read.read lazy - 1 2500;"
     "summary; runs 2000;" FIRSTS("4000", "3300", "3200") LATER},
    {"nothing_beside_lazy", "W2", MUTE, 0, SAYS_LAZY_ALONE, {0}, "first perf-read.read lazy 4000"},
    {"no_lazy_first_call", "W2", MUTE, 0, SAYS_NO_LAZY, {0}, "warm perf-read.read 1000"},
     
    {"a_cold_page_is_no_better", "W3", HOLDS, 3500.0 / 3000, SAYS_FAULT, {0},
     COLD_PAGE("3500") "faults;" BESIDE},
    {"a_later_read_is_told", "W3", HOLDS, 0, SAYS_LATER_READ, {1000},
     COLD_PAGE("3500") "faults;" BESIDE},
    {"a_cold_page_is_cheaper", "W3", FAILS, 0, SAYS_CHEAP_FAULT, {0},
     COLD_PAGE("1500") "faults;" BESIDE},
    {"a_noisy_cold_page", "W3", OPEN, 0, ANYTHING, {0},
     "spread 0.2;" COLD_PAGE("2400") "faults;" BESIDE},
    {"a_page_that_is_mapped_already", "W3", FAILS, 0, SAYS_NO_FAULT, {0}, COLD_PAGE("400") BESIDE},
    {"dear_without_a_fault", "W3", FAILS, 0, SAYS_NOT_FOR_FAULTS, {0}, COLD_PAGE("3500") BESIDE},
     
    {"a_mapped_page_is_far_below", "W4", HOLDS, 400.0 / 3000, SAYS_MAPPED, {400, 3000},
     MAPPED("100", "110")},
    {"one_way_that_does_not_help", "W4", FAILS, 0.8, SAYS_MAPPED, {800, 1000},
     MAPPED("100", "800")},
    {"noisy_mapped_pages", "W4", OPEN, 0, ANYTHING, {0}, "spread 0.2;" MAPPED("100", "500")},
     
    {"calls_rise_again", "W5", HOLDS, 0, SAYS_RISES, {0},
     "again perf-user.read 3 1; again perf-read.read 1 1"},
    {"calls_save_nothing", "W5", HOLDS, 0, SAYS_SAVES_NOTHING, {0},
     "again perf-user.read 3 1; again perf-read.read 2 1"},
    {"calls_simply_fall", "W5", FAILS, 1370.0 / 3000, SAYS_FALLS, {0},
     "again perf-user.read 3 1; again perf-read.read 0 1"},
    {"user_reads_do_not_fall", "W5", FAILS, 0, ANYTHING, {0},
     "again perf-user.read 2 1; again perf-read.read 1 1"},
    {"a_cheap_first_read_is_no_rise_of_others", "W5", HOLDS, 0, SAYS_SAVES_NOTHING, {0},
     "again perf-read.read 4 1"},
    {"levels_of_processes_do_not_matter", "W5", FAILS, 0, SAYS_FALLS, {0},
     "again perf-read.read 0 1.5"},
    {"two_processes_are_few", "W5", OPEN, 0, SAYS_FEW_PROCESSES, {0},
     "processes 2; again perf-read.read 0 1"},
    {"noisy_reads_in_a_row", "W5", OPEN, 0, ANYTHING, {0},
     "spread 0.3; again perf-user.read 3 1; again perf-read.read 0 1"},
    {"calls_decide_without_user_reads", "W5", FAILS, 0, SAYS_USER_UNTESTED, {0},
     "no-user-reads; again perf-read.read 0 1"},
    {"no_reads_in_a_row", "W5", MUTE, 0, SAYS_CALL_UNMEASURED, {0},
     "no-user-reads; warm perf-read.read 1000"},
    {"caches_of_an_emulated_machine", "W5", MUTE, 0, SAYS_NO_CACHES, {0},
     "emulated; again perf-user.read 3 1; again perf-read.read 1 1"},
    {"caches_without_times", "W5", MUTE, 0, SAYS_NO_TIMES, {0},
     "in-instructions; again perf-read.read 1 1"},
     
    {"start_is_the_dearest", "W6", HOLDS, 1.2, SAYS_THREE_KINDS, {2400, 2000, 1000},
     USUAL LAZY_AND_STATIC},
    {"variants_are_compared", "W6", HOLDS, 1.2, SAYS_VARIANTS, {1.1667, 1.0196, 1.346},
     USUAL LAZY_AND_STATIC},
    {"stop_is_dearer", "W6", FAILS, 0, SAYS_START_NOT_DEAREST, {0}, THREE("2000", "2400", "1000")},
    {"noisy_kinds", "W6", OPEN, 0, ANYTHING, {0}, "spread 0.2;" THREE("2200", "2000", "1000")},
    {"one_variant_refutes", "W6", FAILS, 0, SAYS_THREE_KINDS, {7000, 2600, 9500},
     USUAL FIRST_THREE("perf-read", "lazy", "7000", "2600", "9500")
     FIRST_THREE("perf-read", "static", "6000", "2550", "2600")},
    {"the_inline_variant_refutes", "W6", FAILS, 0, SAYS_THREE_KINDS, {6000, 6600, 2600},
     FIRST_THREE("perf-read", "lazy", "7000", "2600", "3500")
     FIRST_THREE("perf-syscall", "static", "6000", "6600", "2600")},
    {"open_first_calls_do_not_unsettle_later_ones", "W6", HOLDS, 0, SAYS_FIRST_OPEN, {0},
     USUAL FIRST_THREE("perf-read", "static", "6000", "2550", "2600") TWO_LEVELS},
    {"open_first_calls_alone", "W6", OPEN, 0, SAYS_MODES_DISAGREE, {3500, 14000}, TWO_LEVELS},
    {"a_page_fault_of_another_call", "W6", HOLDS, 0, SAYS_FIRST_FAULTS, {14000, 2000},
     THREE("1800", "1700", "1500") FIRST_THREE("perf-read", "static", "2800", "2010", "1600")
     "first perf-read.start lazy 2000; row perf-read.read lazy " "perf-read.start 1 14000; faults;"
     "row perf-read.stop lazy perf-read.read 1 2000"},
    {"stop_depends_more", "W6", FAILS, 0, SAYS_VARIANTS, {1.1667, 1.8039},
     USUAL FIRST_THREE("perf-read", "lazy", "7000", "4600", "3500")
     FIRST_THREE("perf-read", "static", "6000", "2550", "2600")},
    {"start_depends_even_less", "W6", FAILS, 0, SAYS_VARIANTS, {1.0167, 1.2, 1.346},
     USUAL FIRST_THREE("perf-read", "lazy", "6100", "3000", "3500")
     FIRST_THREE("perf-read", "static", "6000", "2500", "2600")},
    {"warm_variants_alike", "W6", OPEN, 0, SAYS_TOO_CLOSE, {0}, USUAL},
    {"one_variant_is_half_a_test", "W6", HOLDS, 0, SAYS_ONE_VARIANT, {0},
     FIRST_THREE("perf-read", "lazy", "7000", "2600", "3500")},
    {"a_library_that_stops_and_reads", "W6", HOLDS, 0, SAYS_PAPI_STOP, {4400, 3900},
     USUAL LAZY_AND_STATIC
     "warm papi-low.start 3900; warm papi-low.stop 4400; warm papi-low.read 2000"},
     
    {"cost_grows_linearly", "W7", HOLDS, 0, SAYS_LINEAR, {1000, 8000, 8}, GROWTH("100", "1.02")},
    {"each_further_event", "W7", HOLDS, 0, SAYS_EACH_FURTHER, {100, 1000}, GROWTH("100", "1.02")},
    {"cost_grows_faster", "W7", FAILS, 1.8, SAYS_FASTER, {1000}, GROWTH("100", "1.8")},
    {"growth_that_is_not_known", "W7", OPEN, 0, SAYS_MAYBE_LINEAR, {0},
     "spread 0.03;" GROWTH("100", "1.2")},
    {"a_group_may_grow_more_slowly", "W7", HOLDS, 0, ANYTHING, {0}, GROWTH("100", "0.3")},
    {"separate_events_may_not", "W7", FAILS, 0, SAYS_SLOWER, {0},
     GROWTH("100", "0.3") "separate perf-read.stop 1000 0.3"},
    {"a_line_that_meets_every_point", "W7", HOLDS, 0, ANYTHING, {0},
     GROWTH("100", "1") "separate perf-read.stop 100 1.2; straight 0.02"},
    {"a_line_that_misses_one", "W7", FAILS, 0, ANYTHING, {0},
     GROWTH("100", "1") "separate perf-read.stop 100 1.2; straight 0.2"},
    {"a_group_grows_faster", "W7", FAILS, 1.5, SAYS_EACH_FURTHER, {1500}, GROWTH("1500", "1")},
    {"a_group_grows_alike", "W7", OPEN, 0, ANYTHING, {0}, GROWTH("980", "1")},
    {"half_was_not_asked", "W7", OPEN, 0, SAYS_NOT_BOTH, {0},
     "warm perf-read.read 1000; group perf-read.read 100 1"},
    {"a_group_that_grows_not_at_all", "W7", HOLDS, 0, ANYTHING, {0},
     "warm perf-read.read 1000; group perf-read.read 0 1; separate perf-read.read 1000 1"},
    {"reads_in_user_code_share_nothing", "W7", HOLDS, 0, ANYTHING, {0},
     GROWTH("100", "1") "group perf-user.read 26 1; separate perf-user.read 26 1"},
    {"growth_needs_several_events", "W7", MUTE, 0, SAYS_NO_SWEEP, {0},
     "warm perf-read.read 1000; group perf-read.read 900 2; by-reads; group papi-low.read 900 2"},
};
/* clang-format on */

EXAMPLES(findings)
{
    for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
        unit_example(list[i].name, decides, &list[i]);
}

/* --- what a table does not say --- */

/* An interrupt in one process of few: one interval of several has no meaning. */
TEST(one_wild_interval_of_several_is_no_doubt)
{
    struct hand *hand =
        hand_plan("spread 0;" USER
                  "1000; row timer.gauge lazy timer.nothing 0 500;" WILD("perf-read.start", "2400")
                      WILD("perf-read.stop", "2000") WILD("perf-read.read", "1000")
                          WILD("perf-user.read", "1000"));
    assert_near(
        assert_decided(hand, &(struct decided){.id = "W1", .verdict = HOLDS, .says = ANYTHING})
            ->low,
        2.7, 1e-9);
}

TEST(no_interval_is_narrower_than_a_step_of_the_meter)
{
    struct hand *hand = hand_plan("spread 0; step 26;" USER "52");
    const struct finding *finding = find(hand, "W1");
    assert_int_equal(finding->verdict, HOLDS);
    assert_true(finding->high > finding->estimate * 65 / 52);
}

TEST(something_else_between_reads_ends_the_row)
{
    struct hand *hand = hand_plan("again perf-read.read 0 1");
    for (size_t i = 0; i < hand->report.figure_count; i++)
        if (hand->figures[i].position > 2)
            hand->figures[i].predecessor = -1;
    assert_int_equal(find(hand, "W5")->verdict, MUTE);
}

#define EVERYTHING                                                                                 \
    USUAL "warm perf-user.read 60; warm perf-user-touched.read 60;" LAZY_AND_STATIC                \
          "first perf-read.read static 1000; first perf-read.read lazy 3000;" COLD_PAGE(           \
              "1500") "faults;" GROWTH("100", "1")

TEST(times_of_an_emulated_machine_decide_nothing)
{
    struct hand *hand = hand_plan("emulated; in-ticks;" EVERYTHING);
    for (char id[] = "W1"; id[1] <= '7'; id[1]++)
        assert_decided(
            hand, &(struct decided){.id = id,
                                    .verdict = MUTE,
                                    .says = id[1] == '5' ? SAYS_NO_CACHES : SAYS_UNIT_UNMETERED});
}

TEST(user_instructions_alone_are_no_cost)
{
    struct hand *hand = hand_plan("emulated;" USUAL "warm perf-user.read 60");
    size_t kept = 0;
    for (size_t i = 0; i < hand->report.row_count; i++)
        if (hand->rows[i].meter == &hand_user)
            hand->rows[kept++] = hand->rows[i];
    hand->report.row_count = kept;
    assert_int_equal(find(hand, "W1")->verdict, MUTE);
    assert_int_equal(find(hand, "W6")->verdict, MUTE);
}

/* --- machines --- */

TEST(one_machine_refutes_and_all_are_told)
{
    struct hand *hand =
        hand_plan(USUAL "warm perf-user.read 100; machine odd;" USUAL
                        "warm perf-user.read 2000; machine even;" USUAL "warm perf-user.read 100");
    const struct finding *finding = find(hand, "W1");
    assert_int_equal(finding->verdict, FAILS);
    const struct reason *first = &finding->why.list[0];
    assert_ptr_equal(first->words, &overhead_words[SAYS_WHICH_MACHINE]);
    assert_string_equal(first->values[0].text, "odd");
    assert_string_equal(first->values[3].text, "holds on 2, does not hold on 1");
    hand = hand_plan(USUAL LAZY_AND_STATIC
                     "emulated;" USUAL FIRST_THREE("perf-read", "lazy", "7000", "2600", "3500")
                         FIRST_THREE("perf-syscall", "static", "6000", "6600", "2600"));
    finding = find(hand, "W6"); /* not on all in the same unit */
    assert_int_equal(finding->verdict, FAILS);
    assert_string_equal(finding->why.list[0].values[0].text, "emulated");
    assert_ptr_equal(finding->why.list[1].words, &overhead_words[SAYS_EMULATED]);
}

TEST(nothing_at_all_is_said_to_be_nothing)
{
    struct hand *hand = hand_new();
    for (char id[] = "W1"; id[1] <= '7'; id[1]++)
        assert_decided(hand, &(struct decided){.id = id, .verdict = MUTE, .says = ANYTHING});
    hand->builder.file.machine_count = 0;
    assert_non_null(reasons_find(&find(hand, "W1")->why, &overhead_words[SAYS_NOTHING_MEASURED]));
    hand->builder.file.machine_count = 1;
}
