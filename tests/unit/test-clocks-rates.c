/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rates of clocks and their intervals, and which clocks are one counter in other clothes. */
#include "clocks-shapes.h"

#define SEEDS built_seeds(200)
#define FEWER built_seeds(60)

static const struct clock_rate *rate_against(const char *clock, const char *other)
{
    uint32_t own = index_of(clock), against = index_of(other);
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
        if (report.rates[own][i].known && report.rates[own][i].against == against)
            return &report.rates[own][i];
    return NULL;
}

/* Intervals of 95 % hold what was planted at least that often. */
static void assert_covers(size_t held, size_t of)
{
    print_message("# held %zu of %zu\n", held, of);
    assert_true((double)held >= 0.95 * (double)of);
}

TEST(intervals_against_the_reference_hold_the_rate)
{
    size_t held = 0;
    double widest = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        double ppm = built_uniform(&world, -300, 300);
        built_find(&world, "tsc")->ppm = ppm;
        judge_plan(1, false);
        const struct clock_rate *rate = rate_against("tsc", "monotonic-raw");
        assert_non_null(rate);
        held += rate->low <= ppm && ppm <= rate->high;
        widest = fmax(widest, rate->high - rate->low);
    }
    assert_covers(held, SEEDS);
    /* and they are worth something */
    assert_true(widest < 20);
}

static size_t plan_outside(uint32_t looks)
{
    built_clock(&world, &outside);
    size_t watch = built_watch(&world, &(struct built_watch){.kind = WATCH_OUTSIDE});
    built_visit(&world, watch, looks);
    return watch;
}

TEST(intervals_against_an_outside_clock_hold_the_rate)
{
    size_t held = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        double ppm = built_uniform(&world, -300, 300);
        built_find(&world, "tsc")->ppm = built_find(&world, "monotonic-raw")->ppm = ppm;
        size_t watch = plan_outside(5);
        built_plan(&world, 1, false);
        built_visit(&world, watch, 5);
        judge_all();
        assert_int_equal(report.reference.outside, index_of("outside"));
        const struct clock_rate *rate = rate_against("tsc", "outside");
        assert_non_null(rate);
        assert_true(rate->independent);
        held += rate->low <= ppm && ppm <= rate->high;
    }
    assert_covers(held, SEEDS);
}

/* The mean rate depends on how much was slept, and the interval knows that rates differ. */
TEST(a_rate_that_differs_when_idle_is_not_known_narrowly)
{
    size_t held = 0;
    for (uint64_t seed = 1; seed <= built_seeds(50); seed++) {
        disturbed_world(seed, 4);
        double idle = built_uniform(&world, 20000, 80000);
        built_find(&world, "tsc")->idle_ppm = idle;
        double began = world.now, slept = world.slept_ns;
        built_plan(&world, 1, false);
        double ppm = idle * (world.slept_ns - slept) / (world.now - began);
        judge_all();
        const struct clock_rate *rate = rate_against("tsc", "monotonic-raw");
        assert_non_null(rate);
        held += rate->low <= ppm && ppm <= rate->high;
        assert_true(rate->high - rate->low > idle / 20);
        assert_true(rate->fastest_ppm - rate->slowest_ppm > idle / 20);
    }
    assert_covers(held, built_seeds(50));
}

TEST(edges_of_an_rtc_tell_the_rate)
{
    size_t held = 0;
    for (uint64_t seed = 1; seed <= built_seeds(50); seed++) {
        disturbed_world(seed, 4);
        built_clock(&world, &rtc);
        double ppm = built_uniform(&world, -300, 300);
        built_find(&world, "tsc")->ppm = built_find(&world, "monotonic-raw")->ppm = ppm;
        size_t watch = built_watch(
            &world, &(struct built_watch){.kind = WATCH_EDGES, .columns = {"rtc", "tsc"}});
        built_visit(&world, watch, 2);
        built_pass(&world, 5e9);
        built_visit(&world, watch, 2);
        judge_all();
        const struct clock_rate *rate = rate_against("tsc", "rtc");
        assert_non_null(rate);
        assert_true(rate->independent);
        held += rate->low <= ppm && ppm <= rate->high;
        assert_true(rate->sure_high - rate->sure_low < 200);
    }
    assert_covers(held, built_seeds(50));
}

static struct clock_same same_of(const char *name)
{
    judge_all();
    struct clock_same same = report.same[index_of(name)];
    if (same.known || same.span_s > 0)
        assert_string_equal(world.file.clocks[same.with].name, "tsc");
    return same;
}

TEST(a_counter_in_other_clothes_is_recognized)
{
    for (uint64_t seed = 1; seed <= FEWER; seed++) {
        disturbed_world(seed, 4);
        world.suspend_share = seed % 5 == 0 ? 0.01 : 0;
        built_find(&world, "tsc")->ppm = built_uniform(&world, -20, 20);
        built_plan(&world, 1, false);
        built_pass(&world, 1e10);
        built_plan(&world, 1, false);
        struct clock_same same = same_of("monotonic-raw");
        if (!same.known || !same.same)
            fail_msg("seed %u: parted %g, bound %g, span %g", (unsigned)seed, same.parted_ns,
                     same.bound_ns, same.span_s);
        assert_true(same.parted_ns <= same.bound_ns);
    }
}

TEST(another_oscillator_is_not_taken_for_the_same)
{
    for (uint64_t seed = 1; seed <= FEWER; seed++) {
        disturbed_world(seed, 4);
        built_find(&world, "monotonic-raw")->ppm = built_uniform(&world, -20, 20);
        built_find(&world, "monotonic-raw")->wander_ppm = 0.05;
        built_find(&world, "monotonic-raw")->wander_s = 60;
        for (int i = 0; i < 4; i++) {
            built_plan(&world, 1, false);
            built_pass(&world, 1e10);
        }
        struct clock_same same = same_of("monotonic-raw");
        if (!same.known || same.same)
            fail_msg("seed %u: parted %g, bound %g, span %g", (unsigned)seed, same.parted_ns,
                     same.bound_ns, same.span_s);
    }
}

TEST(a_clock_too_coarse_to_tell_is_not_known)
{
    for (uint64_t seed = 1; seed <= built_seeds(20); seed++) {
        disturbed_world(seed, 4);
        built_plan(&world, 1, false);
        struct clock_same same = same_of("monotonic-coarse");
        assert_false(same.known);
        assert_false(same.same);
    }
}
