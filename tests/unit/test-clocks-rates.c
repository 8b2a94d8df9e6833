/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rates of clocks and their intervals, and which clocks are one counter in other clothes. */
#include "clocks-shapes.h"

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

/* Against the reference; an outside clock, seen before and after; and edges of an RTC, 5 s apart.
 */
static const struct {
    const char *against;
    const struct built_clock *more; /* of the world, that the others are compared with */
    struct built_watch watch;
    uint32_t looks, seeds;
    double widest; /* of the interval, ppm: what it is worth */
} references[] = {
    {"monotonic-raw", NULL, {0}, 0, 200, 20},
    {"outside", &outside, {.kind = WATCH_OUTSIDE}, 5, 200, INFINITY},
    {"rtc", &rtc, {.kind = WATCH_EDGES, .columns = {"rtc", "tsc"}}, 2, 50, 200},
};

TEST(intervals_hold_the_rate)
{
    for (size_t i = 0; i < 3; i++) {
        const bool edges = references[i].watch.kind == WATCH_EDGES;
        size_t held = 0;
        for (uint64_t seed = 1; seed <= built_seeds(references[i].seeds); seed++) {
            size_t watch = 0;
            disturbed_world(seed, 4);
            double ppm = built_uniform(&world, -300, 300);
            built_find(&world, "tsc")->ppm = ppm;
            if (references[i].more) {
                built_find(&world, "monotonic-raw")->ppm = ppm;
                built_clock(&world, references[i].more);
                watch = shapes_watch(references[i].watch, 1, references[i].looks);
            }
            if (edges)
                built_pass(&world, 5e9);
            else
                built_plan(&world, 1, false);
            if (references[i].more)
                built_visit(&world, watch, references[i].looks);
            judge_all();
            const struct clock_rate *rate = rate_against("tsc", references[i].against);
            assert_non_null(rate);
            assert_int_equal(rate->independent, references[i].more != NULL);
            held += rate->low <= ppm && ppm <= rate->high;
            assert_true((edges ? rate->sure_high - rate->sure_low : rate->high - rate->low) <
                        references[i].widest);
        }
        assert_covers(held, built_seeds(references[i].seeds));
    }
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

static struct clock_same same_of(const char *name)
{
    judge_all();
    struct clock_same same = report.same[index_of(name)];
    if (same.known || same.span_s > 0)
        assert_string_equal(world.file.clocks[same.with].name, "tsc");
    return same;
}

/* A counter in other clothes; another oscillator, which is not taken for the same; and a clock too
 * coarse to tell. */
TEST(the_same_counter_is_told_from_another)
{
    for (uint64_t seed = 1; seed <= FEWER; seed++) {
        for (int other = 0; other < 2; other++) {
            disturbed_world(seed, 4);
            struct built_clock *clock = built_find(&world, other ? "monotonic-raw" : "tsc");
            world.suspend_share = !other && seed % 5 == 0 ? 0.01 : 0;
            clock->ppm = built_uniform(&world, -20, 20);
            clock->wander_ppm = other ? 0.05 : 0;
            clock->wander_s = 60;
            for (int i = 0; i < (other ? 4 : 2); i++) {
                built_pass(&world, 1e10);
                built_plan(&world, 1, false);
            }
            const struct clock_same same = same_of("monotonic-raw");
            if (!same.known || same.same == other)
                fail_msg("seed %u: parted %g, bound %g, span %g", (unsigned)seed, same.parted_ns,
                         same.bound_ns, same.span_s);
            assert_true(other || same.parted_ns <= same.bound_ns);
        }
        disturbed_world(seed, 4);
        built_plan(&world, 1, false);
        const struct clock_same coarse = same_of("monotonic-coarse");
        assert_false(coarse.known || coarse.same);
    }
}
