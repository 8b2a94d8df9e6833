/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice on overhead: said where the figures show it, not said where they do not, at most six
 * sentences for a machine. */
#include "case.h"
#include "overhead-findings.h"

/* What is advised on the machine, as that code; NULL: nothing of the kind. */
static const struct reason *advised(struct hand *hand, enum overhead_says says)
{
    hand->report.advice = NULL;
    overhead_judge_advice(&hand->builder.file, &hand->report);
    for (size_t i = 0; i < hand->report.advice_count; i++) {
        const struct overhead_advice *advice = &hand->report.advice[i];
        assert_whole(&advice->text);
        if (advice->machine == hand->machine && advice->text.list[0].words == &overhead_words[says])
            return &advice->text.list[0];
    }
    return NULL;
}

struct advising {
    const char *name;
    enum overhead_says says;
    double numbers[4]; /* of it, in order; all 0: nobody says it */
    const char *plan;
};

static void advises(void **state)
{
    const struct advising *advising = *state;
    const struct reason *reason = advised(hand_plan(advising->plan), advising->says);
    if ((reason != NULL) != (advising->numbers[0] != 0))
        fail_msg("%s", overhead_words[advising->says].code);
    if (reason)
        assert_numbers(reason, advising->numbers);
}

#define READ "warm perf-read.read 1000;"
/* clang-format off */
static const struct advising list[] = {
    {"nothing_is_cheaper", SAYS_READ_BY_CALL, {1000}, READ "warm perf-syscall.read 990"},
    {"papi_is_dearer", SAYS_READ_BY_CALL, {1000, 2}, READ "warm papi-low.read 2000"},
    {"libassay_is_cheaper", SAYS_READ_ANOTHER_WAY, {150, 1000, 2},
     READ "warm papi-low.read 2000; warm assay.read 150"},
    {"user_code_is_cheapest", SAYS_READ_ANOTHER_WAY, {100, 1000},
     READ "warm assay.read 150; warm perf-user.read 100"},
    {"counters_are_left_running", SAYS_LET_THEM_RUN, {2000, 5400},
     READ "warm perf-read.start 2400; warm perf-read.stop 2000"},
    {"unless_that_saves_nothing", SAYS_LET_THEM_RUN, {0},
     READ "warm perf-read.start 500; warm perf-read.stop 500"},
    {"costs_alike_may_be_subtracted", SAYS_DO_NOT_SUBTRACT, {0},
     "warm perf-read.read 1066; row perf-read.read lazy papi-low.read 0 1100"},
    {"costs_on_levels_may_not", SAYS_DO_NOT_SUBTRACT, {1066, 1508},
     "warm perf-read.read 1066; row perf-read.read lazy papi-low.read 0 1100; levels 1066 1508"},
    {"unsure_costs_may", SAYS_DO_NOT_SUBTRACT, {0},
     "warm perf-read.read 1066; row perf-read.read lazy papi-low.read 0 1600; limits 1060 1600"},
    {"costs_that_differ_may_not", SAYS_DO_NOT_SUBTRACT, {1077, 1590},
     "warm perf-read.read 1066; row perf-read.read lazy papi-low.read 0 1600; limits 1590 1600"},
    {"first_calls_that_cost", SAYS_CALL_ONCE, {4000, 1000}, READ "first perf-read.read lazy 4000"},
    {"first_calls_that_cost_little", SAYS_CALL_ONCE, {0}, READ "first perf-read.read lazy 1100"},
    {"a_page_that_faults", SAYS_MAP_THE_PAGE, {3000, 400},
     "first perf-user-cold.read static 3000; faults; first perf-user.read static 400"},
    {"a_page_that_does_not_fault", SAYS_MAP_THE_PAGE, {0},
     "first perf-user-cold.read static 405; first perf-user.read static 400"},
    {"events_are_grouped", SAYS_OPEN_A_GROUP, {8, 2050, 8000},
     READ "group perf-read.read 150 1; separate perf-read.read 1000 1"},
    {"unless_it_costs_the_same", SAYS_OPEN_A_GROUP, {0},
     READ "group perf-read.read 1000 1; separate perf-read.read 1000 1"},
    /* Of one process nobody knows how others differ. */
    {"a_cheaper_reader_of_few_processes", SAYS_READ_ANOTHER_WAY, {0},
     "processes 1;" READ "warm perf-user.read 30"},
    {"is_not_denied_either", SAYS_READ_BY_CALL, {0}, "processes 1;" READ "warm perf-user.read 30"},
};
/* clang-format on */

EXAMPLES(advice)
{
    for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
        unit_example(list[i].name, advises, &list[i]);
}

/* A command and a library beside bare calls, and a core that is not ours. */
static void plant_peers(struct hand *hand)
{
    struct overhead_peer *peers = &hand->peers[hand->report.peer_count];
    hand->report.peer_count += 2;
    peers[0] = (struct overhead_peer){.path = "perf-stat", .what = "whole command", .low = 3};
    peers[0].cost = 3.5e6;
    peers[0].bare = 250000;
    peers[1] =
        (struct overhead_peer){.path = "papi-low", .what = "start + stop + read", .low = 1.5};
    peers[1].ratio = 1.6;
    peers[0].machine = peers[1].machine = hand->machine;
    peers[0].meter = &hand_ticks;
    peers[1].meter = hand->counts ? &hand_kernel : &hand_ticks;
}

TEST(commands_libraries_and_neighbours_are_told)
{
    struct hand *hand = hand_new();
    plant_peers(hand);
    hand->gauge = (struct overhead_gauge){.meter = &hand_ticks, .known = true, .share = 0.4};
    hand->report.gauge_count = 1;
    assert_numbers(advised(hand, SAYS_SHORT_COMMANDS), (const double[4]){3250000, 250000});
    hand->peers[0].bare = 1e6;
    assert_numbers(advised(hand, SAYS_SHORT_COMMANDS), (const double[4]){2.5, 1}); /* million */
    assert_numbers(advised(hand, SAYS_PAPI_REGION), (const double[4]){1.6});
    assert_numbers(advised(hand, SAYS_TAKE_THE_MEDIAN), (const double[4]){40});
    hand->peers[0].low = 0.9;
    hand->peers[1].low = 1;
    hand->gauge.share = 0.05;
    assert_null(advised(hand, SAYS_SHORT_COMMANDS));
    assert_null(advised(hand, SAYS_PAPI_REGION));
    assert_null(advised(hand, SAYS_TAKE_THE_MEDIAN));
}

TEST(a_machine_gets_six_sentences_at_most)
{
    static const char plan[] =
        READ "warm perf-read.start 2400; warm perf-read.stop 2000; warm perf-user.read 100;"
             "first perf-read.read lazy 4000; first perf-user-cold.read static 3000;"
             "first perf-user.read static 400; group perf-read.read 150 1;"
             "separate perf-read.read 1000 1;";
    AUTO_TEXT struct text twice = {0};
    text_printf(&twice, "%semulated;%s", plan, plan);
    struct hand *hand = hand_plan(text_string(&twice));
    for (hand->machine = 0; hand->machine < 2; hand->machine++)
        plant_peers(hand);
    hand->machine = 1;
    assert_numbers(advised(hand, SAYS_READ_ANOTHER_WAY), (const double[4]){100});
    assert_int_equal(hand->report.advice_count, 12);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(hand->report.advice[i].machine, i / 6);
}
