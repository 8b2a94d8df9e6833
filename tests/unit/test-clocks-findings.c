/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The findings K1 to K4: each holds on data that show it, fails on opposite ones, stays open where
 * data say too little, and is not testable where the reference is the counter itself, where there
 * is no counter, and on machines that a program makes. */
#include "base/memory.h"
#include "clocks-shapes.h"

enum { K1, K2, K3, K4 };

/* A machine whose operating system counts by another oscillator: the reference is independent. */
static void begin(uint64_t seed, const char *hardware)
{
    disturbed_world(seed, 3);
    static const char *const of_the_system[] = {"boottime", "realtime", "monotonic",
                                                "monotonic-raw"};
    for (size_t i = 0; i < 4; i++) {
        world.file.clocks[index_of(of_the_system[i])].hardware = memory_copy(hardware);
    }
}

/* A plan of the world, judged; the finding of that number. */
static struct finding found(size_t which)
{
    judge_plan(2, true);
    return report.findings[which];
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

/* The reference is an HPET in odd seeds; in even ones it is made of the same counter, where that
 * must make no difference. */
static const struct planted {
    size_t which;
    struct built_clock lie; /* of the counter */
    bool either;            /* also against itself */
    enum finding_verdict verdict;
    double low, high; /* of the estimate; both 0: any */
    enum clocks_saying code;
} planted[] = {
    {K1, {.ppm = 5000}, true, FINDING_FAILS, 1.0049, 1.0051, CLOCKS_SHOWS},
    /* right on average, but not each */
    {K1, {.scatter_ns = 1e6}, false, FINDING_FAILS, 0, 0, CLOCKS_SOME_OFF},
    /* off by the tolerance */
    {K1, {.ppm = 500}, false, FINDING_INCONCLUSIVE, 0, 0, CLOCKS_SHOWS},
    /* as the paper's machines did: it stops while the CPU idles, or runs slower */
    {K2, {.stops_in_sleep = true}, true, FINDING_HOLDS, -1, .1, CLOCKS_SPREAD},
    {K2, {.idle_ppm = -200000}, false, FINDING_FAILS, .79, .81, CLOCKS_LOW_BUT_EVEN},
    {K3, {.glitch_share = 1e-3, .glitch_ns = 1e4}, true, FINDING_FAILS, 700, 1100, CLOCKS_BELOW},
    {K3, {.wrap_bits = 32}, true, FINDING_HOLDS, 0, 0, CLOCKS_WRAP_IS_NO_STEP},
    {K4, {.cpu_offset_ns = 2e4}, true, FINDING_FAILS, 50000, 110000, CLOCKS_TRIPS_BACK},
    {K4, {.cpu_offset_ns = -2e4}, true, FINDING_FAILS, -110000, -50000, CLOCKS_TRIPS_BACK},
    /* every CPU agrees with every other, but not with the world */
    {K4, {.ppm = 3000}, false, FINDING_FAILS, 0, 0, CLOCKS_SHOWS},
};

TEST(what_the_counter_does_decides)
{
    for (size_t i = 0; i < sizeof(planted) / sizeof(*planted); i++)
        for (uint64_t seed = 1; seed <= built_seeds(planted[i].either ? 2 : 1); seed++) {
            const struct planted *plant = &planted[i];
            begin(seed, seed % 2 ? "hpet" : "tsc");
            lie("tsc", &plant->lie);
            struct finding finding = found(plant->which);
            assert_verdict(&finding, plant->verdict);
            assert_true(says(&finding.why, plant->code));
            if (plant->low != 0 || plant->high != 0)
                assert_true(finding.estimate >= plant->low && finding.estimate <= plant->high);
        }
}

TEST(k3_states_what_could_have_stayed_unseen)
{
    begin(1, "tsc");
    WATCHED(1, 100, .kind = WATCH_ROW, .length = 1000, .columns = {"tsc", "monotonic"});
    judge_all();
    struct finding finding = report.findings[K3];
    assert_verdict(&finding, FINDING_HOLDS);
    assert_true(finding.estimate == 0 && finding.low == 0);
    double readings = (double)report.monotonic[clocks_index(&world.file, "tsc")].readings;
    assert_true(fabs(finding.high - 3e6 / readings) < .1);

    begin(1, "tsc");
    WATCHED(1, 5, .kind = WATCH_ROW, .length = 100, .columns = {"tsc", "monotonic"});
    judge_all();
    finding = report.findings[K3];
    assert_verdict(&finding, FINDING_INCONCLUSIVE);
}

TEST(with_one_cpu_or_trips_that_take_too_long_k4_is_not_decided)
{
    built_begin(&world, 1, 1);
    built_usual_clocks(&world);
    struct finding finding = found(K4);
    assert_verdict(&finding, FINDING_UNTESTABLE);
    assert_true(says(&finding.why, CLOCKS_ONE_CPU));
    begin(1, "hpet");
    world.trip_ns = 5e4;
    finding = found(K4);
    assert_verdict(&finding, FINDING_INCONCLUSIVE);
}

TEST(nothing_is_decided_on_an_emulated_machine_or_without_a_counter)
{
    for (size_t which = K1; which <= K4; which++) {
        begin(1, "hpet");
        world.file.emulated = true;
        lie("tsc", &(struct built_clock){.glitch_share = 1e-3, .glitch_ns = 1e6});
        struct finding finding = found(which);
        assert_verdict(&finding, FINDING_UNTESTABLE);
        assert_true(says(&finding.why, CLOCKS_EMULATED));
        built_begin(&world, 1, 2);
        built_clock(&world, &(struct built_clock){.name = "monotonic", .hz = 1000000000});
        *memory_add(world.file.absences, world.file.absence_count) =
            (struct clock_absence){memory_copy("tsc"), memory_copy("reading it is forbidden"), 0};
        finding = found(which);
        assert_verdict(&finding, FINDING_UNTESTABLE);
        assert_true(says(&finding.why, CLOCKS_MACHINE_SAYS));
    }
}

/* --- a clock of another machine --- */

static void begin_outside(uint64_t seed)
{
    begin(seed, "tsc");
    built_clock(&world, &outside);
}

static struct finding seen_from_outside(size_t which)
{
    size_t watch = built_watch(
        &world, &(struct built_watch){.kind = WATCH_OUTSIDE, .columns = {"monotonic-raw", "tsc"}});
    for (int i = 0; i < 12; i++) {
        if (i % 6 == 2)
            built_plan(&world, 2, i == 2);
        built_pass(&world, 2e8);
        built_visit(&world, watch, 20);
    }
    judge_all();
    return report.findings[which];
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
