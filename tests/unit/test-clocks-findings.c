/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The findings K1 to K4: each holds on data that show it, fails on opposite ones, stays open where
 * data say too little, and is not testable where the reference is the counter itself, where there
 * is no counter, and on machines that a program makes. */
#include <math.h>
#include <string.h>
/* cmocka needs those before string.h before it. */

#include "base/memory.h"
#include "case.h"
#include "clocks-shapes.h"

enum { K1, K2, K3, K4 };

/* A machine whose operating system counts by another oscillator: the reference is independent. */
static void begin(uint64_t seed, const char *hardware)
{
    built_begin(&world, seed, 3);
    built_usual_clocks(&world);
    built_disturb(&world);
    static const char *const of_the_system[] = {"boottime", "realtime", "monotonic",
                                                "monotonic-raw"};
    for (size_t i = 0; i < 4; i++) {
        struct clock_known *clock = &world.file.clocks[clocks_index(&world.file, of_the_system[i])];
        clock->hardware = memory_copy(hardware);
    }
}

static void judged(void)
{
    clocks_judge(&world.file, 1, &report);
}

/* A plan of the world, judged; the finding of that number. */
static struct finding found(size_t which)
{
    built_plan(&world, 2, true);
    judged();
    struct finding finding = report.findings[which];
    return finding;
}

static void assert_verdict(const struct finding *finding, enum finding_verdict verdict)
{
    if (finding->verdict != verdict)
        fail_msg("%s %s: %s", finding->id, finding_verdict_names[finding->verdict],
                 reasons_text(&finding->why));
    assert_true(finding->why.count > 0);
    assert_true(!finding->has_estimate ||
                (finding->low <= finding->estimate && finding->estimate <= finding->high));
}

TEST(a_good_counter_and_an_independent_reference_decide_all)
{
    static const enum finding_verdict expected[] = {FINDING_HOLDS, FINDING_FAILS, FINDING_HOLDS,
                                                    FINDING_HOLDS};
    for (uint64_t seed = 1; seed <= built_seeds(3); seed++)
        for (size_t which = K1; which <= K4; which++) {
            begin(seed, "hpet");
            struct finding finding = found(which);
            assert_verdict(&finding, expected[which]);
            assert_true(finding.has_estimate);
        }
}

TEST(agreement_with_itself_decides_nothing)
{
    for (uint64_t seed = 1; seed <= built_seeds(2); seed++)
        for (size_t which = K1; which <= K4; which++) {
            begin(seed, seed % 2 ? "tsc" : "kvm-clock");
            struct finding finding = found(which);
            assert_verdict(&finding, which <= K2 ? FINDING_UNTESTABLE : FINDING_HOLDS);
            if (which <= K2) {
                assert_false(finding.has_estimate);
                assert_true(says(&finding.why, CLOCKS_SAME_COUNTER));
            }
        }
}

TEST(a_wrong_rate_refutes_k1_even_against_itself)
{
    for (uint64_t seed = 1; seed <= built_seeds(2); seed++) {
        begin(seed, seed % 2 ? "hpet" : "tsc");
        built_find(&world, "tsc")->ppm = 5000;
        struct finding finding = found(K1);
        assert_verdict(&finding, FINDING_FAILS);
        assert_float_equal(finding.estimate, 1.005, 1e-4);
    }
}

/* The rate that is meant to be wrong is right on average. */
TEST(computations_that_are_off_by_themselves_refute_k1)
{
    for (uint64_t seed = 1; seed <= built_seeds(2); seed++) {
        begin(seed, "hpet");
        built_find(&world, "tsc")->scatter_ns = 1e6;
        struct finding finding = found(K1);
        assert_verdict(&finding, FINDING_FAILS);
    }
}

TEST(a_rate_off_by_the_tolerance_is_left_open)
{
    begin(1, "hpet");
    built_find(&world, "tsc")->ppm = 500;
    struct finding finding = found(K1);
    assert_verdict(&finding, FINDING_INCONCLUSIVE);
}

/* As the paper's machines did: the counter stops while the CPU idles, more or less. */
TEST(a_counter_that_stops_over_sleep_makes_k2_hold)
{
    for (uint64_t seed = 1; seed <= built_seeds(2); seed++) {
        begin(seed, seed % 2 ? "hpet" : "tsc");
        built_find(&world, "tsc")->stops_in_sleep = true;
        struct finding finding = found(K2);
        assert_verdict(&finding, FINDING_HOLDS);
        assert_true(finding.estimate < 0.1);
    }
}

TEST(a_counter_that_is_slow_evenly_over_sleep_does_not_scatter)
{
    begin(1, "hpet");
    built_find(&world, "tsc")->idle_ppm = -200000;
    struct finding finding = found(K2);
    assert_verdict(&finding, FINDING_FAILS);
    assert_float_equal(finding.estimate, .8, .01);
    assert_true(says(&finding.why, CLOCKS_LOW_BUT_EVEN));
}

TEST(a_step_back_refutes_k3)
{
    for (uint64_t seed = 1; seed <= built_seeds(2); seed++) {
        begin(seed, "tsc");
        built_find(&world, "tsc")->glitch_share = 1e-3;
        built_find(&world, "tsc")->glitch_ns = 1e4;
        struct finding finding = found(K3);
        assert_verdict(&finding, FINDING_FAILS);
        assert_true(finding.low <= 1100 && 700 <= finding.high);
    }
}

TEST(k3_states_what_could_have_stayed_unseen)
{
    begin(1, "tsc");
    shapes_watch(
        (struct built_watch){.kind = WATCH_ROW, .length = 1000, .columns = {"tsc", "monotonic"}}, 1,
        100);
    judged();
    struct finding finding = report.findings[K3];
    assert_verdict(&finding, FINDING_HOLDS);
    assert_true(finding.estimate == 0 && finding.low == 0);
    double readings = (double)report.monotonic[clocks_index(&world.file, "tsc")].readings;
    assert_true(fabs(finding.high - 3e6 / readings) < .1);

    begin(1, "tsc");
    shapes_watch(
        (struct built_watch){.kind = WATCH_ROW, .length = 100, .columns = {"tsc", "monotonic"}}, 1,
        5);
    judged();
    finding = report.findings[K3];
    assert_verdict(&finding, FINDING_INCONCLUSIVE);
}

TEST(wraps_do_not_refute_k3)
{
    begin(2, "tsc");
    built_find(&world, "tsc")->wrap_bits = 32;
    struct finding finding = found(K3);
    assert_verdict(&finding, FINDING_HOLDS);
    assert_int_equal(
        reasons_find(&finding.why, &clocks_words[CLOCKS_WRAP_IS_NO_STEP])->values[0].count, 32);
}

TEST(cpus_that_are_apart_refute_k4)
{
    for (uint64_t seed = 1; seed <= built_seeds(2); seed++) {
        begin(seed, seed % 2 ? "hpet" : "tsc");
        built_find(&world, "tsc")->cpu_offset_ns = seed % 3 ? 2e4 : -2e4;
        struct finding finding = found(K4);
        assert_verdict(&finding, FINDING_FAILS);
        assert_true(fabs(finding.estimate) > 50000);
    }
}

/* Every CPU agrees with every other, but not with the world. */
TEST(intervals_of_threads_that_are_off_refute_k4)
{
    begin(1, "hpet");
    built_find(&world, "tsc")->ppm = 3000;
    struct finding finding = found(K4);
    assert_verdict(&finding, FINDING_FAILS);
}

TEST(with_one_cpu_k4_cannot_be_tested)
{
    built_begin(&world, 1, 1);
    built_usual_clocks(&world);
    struct finding finding = found(K4);
    assert_verdict(&finding, FINDING_UNTESTABLE);
    assert_true(says(&finding.why, CLOCKS_ONE_CPU));
}

TEST(trips_that_take_too_long_leave_k4_open)
{
    begin(1, "hpet");
    world.trip_ns = 5e4;
    struct finding finding = found(K4);
    assert_verdict(&finding, FINDING_INCONCLUSIVE);
}

TEST(nothing_is_decided_on_an_emulated_machine)
{
    for (size_t which = K1; which <= K4; which++) {
        begin(1, "hpet");
        world.file.emulated = true;
        built_find(&world, "tsc")->glitch_share = 1e-3;
        built_find(&world, "tsc")->glitch_ns = 1e6;
        struct finding finding = found(which);
        assert_verdict(&finding, FINDING_UNTESTABLE);
        assert_true(says(&finding.why, CLOCKS_EMULATED));
    }
}

TEST(without_a_counter_the_reason_is_given)
{
    for (size_t which = K1; which <= K4; which++) {
        built_begin(&world, 1, 2);
        built_clock(&world, &(struct built_clock){.name = "monotonic", .hz = 1000000000});
        struct clock_absence *absence = memory_add(world.file.absences, world.file.absence_count);
        *absence =
            (struct clock_absence){memory_copy("tsc"), memory_copy("reading it is forbidden"), 0};
        struct finding finding = found(which);
        assert_verdict(&finding, FINDING_UNTESTABLE);
        assert_true(says(&finding.why, CLOCKS_MACHINE_SAYS));
    }
}

/* --- a clock of another machine --- */

static void begin_outside(uint64_t seed)
{
    begin(seed, "tsc");
    built_clock(&world, &(struct built_clock){.name = "outside",
                                              .hardware = "outside",
                                              .way = "controller",
                                              .hz = 1000000000,
                                              .of = BUILT_OUTSIDE_MACHINE});
}

static struct finding seen_from_outside(size_t which)
{
    size_t outside = built_watch(
&world, &(struct built_watch){.kind = WATCH_OUTSIDE, .columns = {"monotonic-raw", "tsc"}});
    for (int i = 0; i < 12; i++) {
        if (i % 6 == 2)
            built_plan(&world, 2, i == 2);
        built_pass(&world, 2e8);
        built_visit(&world, outside, 20);
    }
    judged();
    struct finding finding = report.findings[which];
    return finding;
}

TEST(a_clock_outside_decides_where_nothing_inside_can)
{
    for (uint64_t seed = 1; seed <= built_seeds(2); seed++) {
        begin_outside(seed);
        struct finding finding = seen_from_outside(K1);
        assert_verdict(&finding, FINDING_HOLDS);
        assert_float_equal(finding.estimate, 1, 1e-4);
        begin_outside(seed);
        finding = seen_from_outside(K2);
        assert_verdict(&finding, FINDING_FAILS);
        assert_float_equal(finding.estimate, 1, 1e-3);
    }
}

/* All clocks of the machine stop in sleep, so they agree: only the other machine sees it. */
TEST(what_stops_for_all_clocks_is_open_from_outside)
{
    static const char *const all[] = {"boottime", "realtime", "monotonic", "monotonic-raw", "tsc"};
    for (size_t which = K1; which <= K2; which++) {
        begin_outside(1);
        for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
            built_find(&world, all[i])->idle_ppm = -300000;
        struct finding finding = seen_from_outside(which);
        assert_verdict(&finding, FINDING_INCONCLUSIVE);
        assert_true(finding.estimate < .97);
    }
}
