/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How `make bench` compares: in balanced order, and not what cannot be true. */
#include "../../bench/balance.h"
#include "case.h"

#define KINDS 5

static size_t follows[KINDS][KINDS], before = KINDS;

static void visit(size_t way)
{
    if (before < KINDS)
        follows[before][way]++;
    before = way;
}

#define VISIT(number)                                                                              \
    static void visit_##number(void)                                                               \
    {                                                                                              \
        visit(number);                                                                             \
    }
VISIT(0)
VISIT(1)
VISIT(2)
VISIT(3)
VISIT(4)

static const struct way visits[KINDS] = {{"0", visit_0, 0, 0},
                                         {"1", visit_1, 0, 0},
                                         {"2", visit_2, 0, 0},
                                         {"3", visit_3, 0, 0},
                                         {"4", visit_4, 0, 0}};

TEST(every_way_follows_every_way_equally_often)
{
    for (size_t count = 1; count <= KINDS; count++) {
        for (size_t block = 0; block < 3; block++) {
            for (size_t way = 0; way < count; way++) {
                for (size_t other = 0; other < count; other++)
                    follows[way][other] = 0;
            }
            before = (count - 1 + block) % count; /* as if a block went before */
            balance_block(visits, count, block);
            for (size_t way = 0; way < count; way++) {
                for (size_t other = 0; other < count; other++)
                    assert_int_equal(follows[way][other], BALANCE_ROUNDS);
            }
        }
    }
}

/* Way 0 is the clock, 1 is ours and contains 2. */
static bool possible(double ours, double bare, double noise)
{
    static const struct way ways[] = {
        {"the clock", NULL, 0, 0}, {"ours", NULL, 0, 2}, {"the bare call", NULL, 1.05, 0}};
    for (size_t block = 0; block < BALANCE_BLOCKS; block++) {
        double sign = block % 2 ? noise : -noise;
        balance_ns[0][block] = 30;
        balance_ns[1][block] = 30 + ours + sign;
        balance_ns[2][block] = 30 + bare - sign;
    }
    return balance_report("# balance", ways, 3);
}

TEST(a_way_that_costs_less_than_what_it_contains_is_refused)
{
    assert_false(possible(811, 1121, 0));
    assert_false(possible(811, 1121, 40));
    assert_true(possible(811, 1121, 400)); /* too noisy to contradict anything */
    assert_true(possible(1000, 1000, 0));
    assert_true(possible(990, 1000, 0)); /* as much as the place of code can make */
    assert_true(possible(1500, 1000, 0));
}

TEST(ratios_have_the_clock_taken_off)
{
    possible(1010, 1000, 0);
    struct balance_ratio ratio = balance_ratio(1, 2);
    assert_float_equal(ratio.middle, 1.01, 1e-9);
    assert_float_equal(ratio.low, 1.01, 1e-9);
    assert_float_equal(balance_cost(1), 1010, 1e-9);
    possible(1000, 1000, 10);
    ratio = balance_ratio(1, 2);
    assert_float_equal(ratio.low, 990.0 / 1010, 1e-9);
    assert_float_equal(ratio.high, 1010.0 / 990, 1e-9);
}
