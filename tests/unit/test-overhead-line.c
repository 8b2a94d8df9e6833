/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines through costs by a count: planted slopes are in their intervals as often as these say,
 * whether a process measured one count or all; bent costs are not called straight, noisy straight
 * ones not bent; costs without noise have intervals without width. */
#include "case.h"
#include "studies/overhead/study.h"

#include <math.h>
#include <stdio.h>
/* cmocka needs the four above before it. */

#include "overhead-builder.h"

static const uint32_t counts[] = {1, 2, 3, 4, 6, 8};
enum { COUNTS = sizeof(counts) / sizeof(*counts), PROCESSES = 30, CASES = 2000 };

/* What is planted: base + slope · count^exponent, and how processes differ. */
struct planted {
    double base, slope, exponent;
    double noise;    /* standard deviation, in ticks */
    double relative; /* of the cost besides: dear calls scatter more */
    double level;    /* so much dearer, in ticks, is a process in three */
    bool paired;     /* each process measured every count */
    uint32_t processes;
};

static double planted_cost(const struct planted *planted, uint32_t count)
{
    return planted->base + planted->slope * pow(count, planted->exponent);
}

static struct line fit(const struct planted *planted, struct random *random)
{
    struct line_value values[COUNTS * PROCESSES];
    size_t filled = 0;
    for (uint32_t process = 0; process < planted->processes; process++) {
        double common = overhead_built_normal(random);
        for (size_t i = 0; i < COUNTS; i++) {
            double cost = planted_cost(planted, counts[i]);
            double own = planted->paired ? common : overhead_built_normal(random);
            cost += planted->noise * own + planted->relative * cost * overhead_built_normal(random);
            cost += random_below(random, 3) == 0 ? planted->level : 0;
            values[filled++] = (struct line_value){
                counts[i], planted->paired ? process : (uint64_t)process * COUNTS + i, cost};
        }
    }
    struct line line = line_fit(values, filled);
    return line;
}

struct rates {
    double held, straight;
};

static struct rates rates_of(const struct planted planted, uint64_t seed)
{
    struct rates rates = {0};
    struct random random;
    random_seed(&random, seed);
    for (int i = 0; i < CASES; i++) {
        struct line line = fit(&planted, &random);
        rates.held += (line.low <= planted.slope && planted.slope <= line.high) / (double)CASES;
        rates.straight += line.straight / (double)CASES;
    }
    return rates;
}

#define PLANTED(...) ((struct planted){__VA_ARGS__})

TEST(intervals_hold_the_planted_slope_as_often_as_they_say)
{
    static const struct planted cases[] = {
        {.base = 1800, .slope = 120, .exponent = 1, .noise = 60, .processes = 30},
        {.base = 1800, .slope = 900, .exponent = 1, .relative = 0.08, .processes = 30},
        {.base = 1800, .slope = 120, .exponent = 1, .level = 400, .processes = 30},
        {.base = 900, .slope = 300, .exponent = 1, .noise = 100, .processes = 6},
        {60, 1900, 1, .noise = 200, .relative = 0.02, .paired = true, .processes = 30},
        {.base = 1800, .exponent = 1, .noise = 80, .relative = 0.03, .processes = 30}, /* none */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct rates rates = rates_of(cases[i], 7 + i);
        assert_true(rates.held >= 0.93 && rates.held <= 0.97 && rates.straight >= 0.99);
    }
}

TEST(only_what_bends_is_not_straight)
{
    assert_true(rates_of(PLANTED(1600, 900, 1.4, .relative = 0.08, .processes = 30), 50).straight <=
                0.01);
    assert_true(rates_of(PLANTED(200, 2000, 0.5, .relative = 0.05, .processes = 30), 51).straight <=
                0.01);
    /* Misses points by far, but by chance. */
    assert_true(rates_of(PLANTED(1000, 20, 1, .relative = 0.4, .processes = 4), 55).straight >=
                0.95);
    /* Bends for certain, but the line misses no point by a twentieth. */
    assert_true(rates_of(PLANTED(9000, 10, 2, .noise = 5, .processes = 30), 56).straight > 0.999);
}

TEST(exponents_hold_the_planted_one)
{
    /* Above the cost of one: slope · (count - 1)^1.4, as the exponent is defined. */
    struct random random;
    random_seed(&random, 60);
    size_t held = 0, known = 0;
    for (int i = 0; i < CASES; i++) {
        struct line_value values[COUNTS * PROCESSES];
        size_t filled = 0;
        for (uint32_t process = 0; process < PROCESSES; process++)
            for (size_t j = 0; j < COUNTS; j++, filled++)
                values[filled] = (struct line_value){counts[j], filled,
                                                     2500 + 900 * pow(counts[j] - 1, 1.4) +
                                                         150 * overhead_built_normal(&random)};
        struct line line = line_fit(values, filled);
        known += isnan(line.exponent) ? 0 : 1;
        held += (size_t)(line.exponent_low <= 1.4 && 1.4 <= line.exponent_high);
    }
    assert_int_equal(known, CASES);
    assert_in_range(held, CASES * 93 / 100, CASES * 97 / 100);
}

TEST(costs_without_noise_have_intervals_without_width)
{
    struct random random;
    random_seed(&random, 1);
    for (uint32_t processes = 1; processes <= 3; processes += 2)
        for (int paired = 0; paired < 2; paired++) {
            struct line line =
                fit(&PLANTED(17.3, 177.7, 1, .paired = paired, .processes = processes), &random);
            assert_true(line.exact && line.straight && line.exponent == 1);
            assert_true(fabs(line.slope - 177.7) < 1e-9 && fabs(line.base - 17.3) < 1e-9);
            assert_true(line.low == line.slope && line.high == line.slope);
            assert_true(line.exponent_low == 1 && line.exponent_high == 1);
            assert_true(line.paired == (paired && processes > 1));
        }
    struct line line = fit(&PLANTED(17, 0, 1, .processes = 3), &random);
    assert_true(line.slope == 0 && line.low == 0 && line.high == 0 && line.straight);
    assert_true(isnan(line.exponent));
}

TEST(exact_costs_that_bend_are_bent)
{
    static const double costs[] = {2500, 3400, 6200, 14000, 39000};
    for (uint32_t processes = 1; processes <= 5; processes += 4) {
        struct line_value values[25];
        size_t filled = 0;
        for (uint32_t process = 0; process < processes; process++)
            for (uint32_t i = 0; i < 5; i++, filled++)
                values[filled] = (struct line_value){1u << i, filled, costs[i]};
        struct line line = line_fit(values, filled);
        assert_false(line.straight);
        assert_true(line.miss > 0.1);
        assert_true(line.exponent > 1.3 && line.exponent < 1.6);
        assert_true(line.exponent_low > 1);
        assert_true(processes == 1 || line.exact);
    }
}

TEST(what_spoils_the_dearest_count_bends_no_line)
{
    /* 32 calls take so long that every span of them is interrupted once. */
    struct line_value values[12];
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t count = 1u << i / 2;
        values[i] = (struct line_value){count, i % 2, 1606.0 * count + (count == 32 ? 2818 : 0)};
    }
    struct line line = line_fit(values, 12);
    assert_true(line.straight && line.exact && line.paired);
    assert_true(line.slope > 1606 && line.slope < 1650);
    assert_true(fabs(line.base) < 50);
    /* One process has nothing but the misfit to say how sure that is. */
    for (uint32_t i = 0; i < 6; i++)
        values[i] = (struct line_value){1u << i, 0, 1606.0 * (1u << i) + (i == 5 ? 2818 : 0)};
    line = line_fit(values, 6);
    assert_false(line.exact);
    assert_true(line.high - line.slope > 30 && line.high - line.slope < 100);
}

TEST(two_counts_have_a_slope_and_nothing_against_a_line)
{
    struct line_value lonely[] = {{1, 0, 100}, {8, 1, 800}};
    struct line line = line_fit(lonely, 2);
    assert_true(fabs(line.slope - 100) < 1e-9);
    assert_true(isinf(line.low) && isinf(line.high) && !line.exact && line.straight);
    struct line_value pairs[] = {{8, 1, 830}, {1, 0, 100}, {1, 1, 130}, {8, 0, 790}};
    line = line_fit(pairs, 4);
    assert_true(line.paired && line.processes == 2);
    assert_true(line.low < 99 && line.high > 100 && isfinite(line.low));
    assert_true(isnan(line.exponent) && line.straight);
}

TEST(a_lonely_process_borrows_what_others_differ_by)
{
    struct line_value values[] = {{1, 0, 100}, {2, 1, 198}, {2, 2, 202}, {9, 3, 895}, {9, 4, 905}};
    struct line line = line_fit(values, 5);
    assert_false(line.paired || line.exact);
    assert_true(fabs(line.slope - 100) < 1e-9);
    /* The lonely one is the cheapest and weighs most. */
    double reach = line.high - line.slope;
    assert_true(reach > 4.5 && reach < 6);
}
