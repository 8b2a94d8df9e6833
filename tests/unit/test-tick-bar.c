/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bars of ticks on planted machines: a counter that moves in steps, ends of regions that cost what
 * is drawn from a distribution, and states that change. Ten thousand regions each, whose content is
 * bracketed by two readings of the same counter; the truth is what these show. */
#include <math.h>
#include <stdio.h>

#include "case.h"
#include "lib/calipers.h"

#define TRIALS     10000
#define NEIGHBOURS 8 /* behind each */

static uint64_t random_state;

static double draw(void) /* 0 to 1, neither of them */
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(random_state >> 12) + 0.5) / 0x1p52;
}

static double normal(void)
{
    return sqrt(-2 * log(draw())) * cos(6.283185307179586 * draw());
}

/* Scatter around 0, of about 1. */
static double gaussian(uint64_t now)
{
    (void)now;
    return normal();
}

static double constant(uint64_t now)
{
    (void)now;
    return 0;
}

static double three_values(uint64_t now)
{
    (void)now;
    double at = draw();
    return at < 0.2 ? -1 : at < 0.75 ? 0 : 1;
}

static double two_humps(uint64_t now)
{
    (void)now;
    return (draw() < 0.65 ? -3 : 3) + normal();
}

static double skewed(uint64_t now)
{
    (void)now;
    return -log(draw());
}

static double heavy_tails(uint64_t now) /* Student's t with 5 degrees of freedom */
{
    (void)now;
    double squares = 0;
    for (int i = 0; i < 5; i++) {
        double one = normal();
        squares += one * one;
    }
    return normal() / sqrt(squares / 5);
}

/* Another thread on the same core, for a while each time. */
static double flipping(uint64_t now)
{
    bool shared = now / 7000000 % 4 == 3;
    return shared ? 6 + 4 * normal() : normal();
}

/* Slowly more and less. */
static double drifting(uint64_t now)
{
    return 3 * sin((double)now / 3e8) + normal();
}

struct world {
    const char *name;
    double (*scatter)(uint64_t now);
    double size; /* ticks of the scatter's unit */
    uint64_t step;
    bool coarse; /* a step is more than the scatter, so that limits lie between few values */
};

static const struct world worlds[] = TABLE(
    {"gaussian, a fine counter", gaussian, 8, 1, false},
    {"gaussian, as wide as a step", gaussian, 2, 2, false},
    {"gaussian, much narrower than a step", gaussian, 2, 26, true},
    {"no scatter at all", constant, 1, 2, true},
    {"no scatter, a coarse counter", constant, 1, 40, true},
    {"three values", three_values, 2, 2, true},
    {"three values, a fine counter", three_values, 5, 1, false},
    {"two humps", two_humps, 4, 1, false}, {"two humps, a coarse counter", two_humps, 4, 10, true},
    {"skewed", skewed, 6, 2, false}, {"heavy tails", heavy_tails, 4, 1, false},
    {"flipping states", flipping, 3, 2, false}, {"drifting", drifting, 4, 2, false});

static double now; /* ticks, and parts of them */

static uint64_t show(const struct world *world)
{
    return (uint64_t)now / world->step * world->step;
}

/* A region around two readings, with so much between these. One with content is not as warm as
 * those that are measured in a row: its ends take longer, by a fifth of a step. */
static void measure(const struct world *world, double content, uint64_t readings[4])
{
    double colder = content > 0 ? 0.1 * (double)world->step : 0;
    now += 50 + 100 * draw(); /* whatever the program does outside */
    readings[0] = show(world);
    now += 54 + colder + world->size * world->scatter((uint64_t)now) / 2;
    readings[1] = show(world);
    now += 46 + content;
    readings[2] = show(world);
    now += 54 + colder + world->size * world->scatter((uint64_t)now) / 2;
    readings[3] = show(world);
}

static double mean_inside(const struct tick_nulls *nulls)
{
    double sum = 0;
    for (size_t i = 0; i < nulls->count; i++)
        sum += nulls->inside[i];
    return sum / (double)nulls->count;
}

struct outcome {
    double covered, width, allowed;
};

static struct outcome try_world(const struct world *world, uint64_t seed)
{
    struct tick_nulls nulls = {0};
    struct tick_bar bar;
    struct outcome outcome = {0, 0, 0};
    uint64_t readings[4], null[4];
    random_state = seed;
    now = 1e9;
    for (int i = 0; i < TICK_NULLS; i++) {
        measure(world, 0, null);
        tick_nulls_add(&nulls, null);
    }
    for (int trial = 0; trial < TRIALS; trial++) {
        measure(world, 2000 * draw(), readings);
        for (int i = 0; i < NEIGHBOURS; i++) {
            measure(world, 0, null);
            tick_nulls_add(&nulls, null);
        }
        assert_true(tick_bar_of(&nulls, &bar));
        double truth = (double)(readings[2] - readings[1]) + mean_inside(&nulls);
        double raw = (double)(readings[3] - readings[0]);
        outcome.covered += raw - bar.high <= truth && truth <= raw - bar.low;
        double up = bar.high - bar.middle, down = bar.middle - bar.low;
        outcome.width += up > down ? up : down;
        double least = world->coarse ? 1.36 * (double)world->step : 0;
        outcome.allowed += 2 * bar.quartiles > least ? 2 * bar.quartiles : least;
    }
    outcome.covered /= TRIALS;
    return outcome;
}

TEST(bars_hold_the_truth_as_often_as_they_say_and_are_no_wider_than_they_must)
{
    bool well = true;
    for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct outcome outcome = try_world(&worlds[i], seed);
            bool good = outcome.covered >= 0.93 && outcome.width <= outcome.allowed &&
                        (outcome.covered <= 0.97 || worlds[i].coarse);
            if (!good)
                print_message("# %s, seed %d: %.2f %%, %.2f of the width allowed\n", worlds[i].name,
                              (int)seed, 100 * outcome.covered, outcome.width / outcome.allowed);
            well &= good;
        }
    }
    assert_true(well);
}

static void fill(struct tick_nulls *nulls, size_t count, uint64_t whole, uint64_t inside)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t from = 1000000 + 2000 * i;
        const uint64_t readings[4] = {from, from + 30, from + 30 + inside, from + whole};
        tick_nulls_add(nulls, readings);
    }
}

TEST(a_few_regions_make_no_bar)
{
    struct tick_nulls nulls = {0};
    struct tick_bar bar;
    assert_false(tick_bar_of(&nulls, &bar));
    fill(&nulls, TICK_FEW - 1, 154, 46);
    assert_false(tick_bar_of(&nulls, &bar));
    fill(&nulls, 1, 154, 46);
    assert_true(tick_bar_of(&nulls, &bar));
}

TEST(where_all_are_the_same_a_step_remains)
{
    struct tick_nulls nulls = {0};
    struct tick_bar bar;
    fill(&nulls, TICK_NULLS, 154, 46);
    assert_true(tick_bar_of(&nulls, &bar));
    assert_true(bar.step == 2);
    assert_true(bar.middle == 154 - 46 - 46);
    assert_true(fabs(bar.quartiles - 2 * 0.5858) < 0.01);
    assert_true(fabs(bar.high - bar.middle - 2.7) < 0.01 &&
                fabs(bar.middle - bar.low - 2.7) < 0.01);
}

TEST(the_newest_regions_count)
{
    struct tick_nulls nulls = {0};
    struct tick_bar bar;
    fill(&nulls, TICK_NULLS, 154, 46);
    fill(&nulls, TICK_NULLS, 180, 60);
    fill(&nulls, 1, 155, 47); /* odd, as when a thread comes to another CPU */
    fill(&nulls, TICK_NULLS + 1, 180, 60);
    assert_int_equal(nulls.count, TICK_NULLS);
    assert_true(tick_bar_of(&nulls, &bar));
    assert_true(bar.middle == 180 - 60 - 60 && bar.step == 20);
}

TEST(an_interrupted_region_is_not_taken_until_all_are_like_it)
{
    struct tick_nulls nulls = {0};
    struct tick_bar bar;
    fill(&nulls, TICK_NULLS, 154, 46);
    assert_true(tick_bar_of(&nulls, &bar));
    fill(&nulls, 16, 50000, 46);
    assert_true(tick_bar_of(&nulls, &bar) && bar.high < 70);
    fill(&nulls, 1, 154, 46);
    fill(&nulls, 16, 50000, 46);
    assert_true(tick_bar_of(&nulls, &bar) && bar.high < 70);
    fill(&nulls, TICK_NULLS, 50000, 46);
    assert_true(tick_bar_of(&nulls, &bar) && bar.middle == 50000 - 46 - 46);
}
