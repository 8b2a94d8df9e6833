/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rates and spans from planted clocks, whose true time the test knows. */
#include "case.h"
#include "lib/clock.h"

#define SECOND UINT64_C(1000000000)

/* A world of its own: every reading takes some time, and sleeping none. Times are in 1/1024 ns. */
static struct {
    uint64_t now;      /* the true time */
    uint64_t takes;    /* a reading, at most */
    double rate;       /* ticks a ns */
    uint64_t step;     /* in which ticks move */
    uint64_t offset;   /* of the ticks */
    double rate_later; /* behind this moment the counter runs like that; 0: it does not change */
    uint64_t later;
    uint64_t random;
} world;

static uint64_t draw(uint64_t below)
{
    world.random = world.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (world.random >> 33) % below;
}

static void pass(void)
{
    world.now += 1 + draw(world.takes);
}

static uint64_t ticks_now(void)
{
    double ticks = (double)world.now / 1024 * world.rate;
    if (world.rate_later > 0 && world.now > world.later)
        ticks = (double)world.later / 1024 * world.rate +
                (double)(world.now - world.later) / 1024 * world.rate_later;
    return world.offset + (uint64_t)ticks / world.step * world.step;
}

static uint64_t planted_ticks(void)
{
    pass();
    uint64_t ticks = ticks_now();
    pass();
    return ticks;
}

static uint64_t planted_ns(void)
{
    pass();
    uint64_t ns = world.now / 1024;
    pass();
    return ns;
}

/* Sleeping is real and takes no time here, so the reference moves on when it is asked. */
static uint64_t hasty_ns(void)
{
    world.now += 1024 * (SECOND / 1000000) * (draw(64) == 0 ? 5000 : 0);
    return planted_ns();
}

static const struct clock_pair pair = {planted_ticks, hasty_ns};

static void plant(double rate, uint64_t step, uint64_t offset)
{
    world.now = SECOND * 1024;
    world.takes = UINT64_C(1024) * 20;
    world.rate = rate;
    world.step = step;
    world.offset = offset;
    world.rate_later = 0;
    world.random = 7;
}

static double away(double value, double from)
{
    return value > from ? value - from : from - value;
}

/* Spans of all lengths against the true time that passed between the readings' moments. */
static void check_spans(struct running_clock *clock)
{
    for (int i = 0; i < 4000; i++) {
        uint64_t start = world.now, from = ticks_now();
        world.now += 1 + (draw(UINT64_C(1) << 31) << draw(14));
        uint64_t to = ticks_now();
        double true_ns = (double)(world.now - start) / 1024;
        struct clock_rate rate = running_clock_rate(clock, to);
        struct assay_span span;
        clock_span_of(&rate, &clock->habits, from, to, &span);
        if (away(span.ns, true_ns) > span.error_ns)
            fail_msg("%d: %f ns with an error of %f, not %f", i, span.ns, span.error_ns, true_ns);
    }
}

TEST(spans_hold_the_true_time_whatever_the_clock)
{
    static const struct {
        double rate;
        uint64_t step, offset;
    } clocks[] = {{2.3, 1, 0},         {2.599998761, 26, 12345},
                  {0.024, 1, 77},      {0.0625, 1, 0},
                  {1, 40, 0},          {4.999, 2, UINT64_MAX - 5 * SECOND},
                  {0.000032768, 1, 0}, {1.000000001, 1, UINT64_MAX - 3 * SECOND}};
    for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        struct running_clock clock;
        plant(clocks[i].rate, clocks[i].step, clocks[i].offset);
        assert_true(running_clock_start(&clock, &pair, 0));
        assert_true(clock.rates[0].low <= clocks[i].rate && clocks[i].rate <= clock.rates[0].high);
        check_spans(&clock);
    }
}

TEST(a_rate_becomes_better_known_as_time_goes_by)
{
    struct running_clock clock;
    plant(2.3, 2, 0);
    assert_true(running_clock_start(&clock, &pair, 0));
    struct clock_rate first = clock.rates[0], rate = first;
    assert_true((first.high - first.low) / first.low > 1e-7);
    for (int i = 0; i < 40; i++) {
        struct clock_rate before = rate;
        world.now += SECOND * 1024 * 10;
        rate = running_clock_rate(&clock, ticks_now());
        assert_true(rate.high - rate.low <= before.high - before.low);
        assert_true(rate.low <= 2.3 && 2.3 <= rate.high);
    }
    assert_true((rate.high - rate.low) / rate.low < 1e-9);
    assert_in_range(clock.newest, 5, 20); /* each time twice as far: not for every span */
}

TEST(a_claim_narrows_the_rate_where_it_agrees_with_what_was_seen)
{
    struct clock_rate known = {2.29999, 2.30001};
    assert_true(clock_rate_claim(&known, 2.3e9));
    assert_true(known.low > 2.299997 && known.high < 2.300003);
    assert_true(known.low < 2.3 * (1 - 0.9e-6) && known.high > 2.3 * (1 + 0.9e-6));
    static const double wrong[] = {0, -1, 2.2999e9, 2.3001e9, 1e9, __builtin_nan("")};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct clock_rate before = known;
        assert_false(clock_rate_claim(&known, wrong[i]));
        assert_true(known.low == before.low && known.high == before.high);
    }
}

TEST(a_rate_that_is_wrong_by_millionths_is_not_believed)
{
    struct running_clock clock;
    plant(2.3, 1, 0);
    assert_true(running_clock_start(&clock, &pair, 2.3e9 * (1 + 50e-6)));
    assert_true(clock.rates[0].low <= 2.3 && 2.3 <= clock.rates[0].high);
    check_spans(&clock);
    plant(2.3, 1, 0);
    assert_true(running_clock_start(&clock, &pair, 2.3e9));
    assert_true((clock.rates[0].high - clock.rates[0].low) / 2.3 < 2.001e-6);
    check_spans(&clock);
}

TEST(a_rate_that_changes_is_known_only_to_be_somewhere_in_between)
{
    struct running_clock clock;
    plant(2.3, 1, 0);
    assert_true(running_clock_start(&clock, &pair, 0));
    world.now += SECOND * 1024;
    running_clock_rate(&clock, ticks_now());
    world.later = world.now;
    world.rate_later = 2.4;
    world.now += 100 * SECOND * 1024;
    struct clock_rate rate = running_clock_rate(&clock, ticks_now());
    assert_true(rate.low <= 2.3 && rate.high > 2.39);
}

TEST(clocks_that_stand_still_or_go_backwards_have_no_rate)
{
    struct clock_rate rate;
    struct clock_anchor from = {1000, 1010, 5000}, still = {1000, 1010, 5000000};
    struct clock_anchor back = {900, 910, 5000000}, timeless = {2000, 2010, 5001};
    assert_false(clock_rate_between(&from, &still, 1, &rate));
    assert_false(clock_rate_between(&from, &back, 1, &rate));
    assert_false(clock_rate_between(&from, &timeless, 1, &rate));
    struct clock_anchor good = {1000000, 1000010, 1005000};
    assert_true(clock_rate_between(&from, &good, 1, &rate));
    assert_true(rate.low < 0.999 && rate.high > 0.998990 && rate.low < rate.high);
    /* A reference that cuts off parts of nanoseconds is wrong by less than one in a distance. */
    const struct clock_anchor sharp[2] = {{1000, 1000, 5000}, {2000, 2000, 6000}};
    assert_true(clock_rate_between(&sharp[0], &sharp[1], 0, &rate));
    assert_true(rate.low == 1000.0 / 1001 && rate.high == 1000.0 / 999);
    struct running_clock clock;
    plant(1e-12, 1, 0);
    assert_false(running_clock_start(&clock, &pair, 1e9));
}

TEST(spans_of_no_length_and_of_all_lengths)
{
    const struct clock_rate rate = {2.299999, 2.300001};
    const struct clock_habits habits = {.step = 2, .cost = 44};
    struct assay_span span;
    clock_span_of(&rate, &habits, 5, 5, &span);
    assert_true(span.ns == 0 && away(span.error_ns, 20) < 0.001);
    clock_span_of(&rate, &habits, 0, INT64_MAX, &span);
    assert_true(away(span.ns, 0x1p63 / 2.3) < span.error_ns);
    assert_true(span.error_ns > span.ns * 4e-7 && span.error_ns < span.ns * 5e-7);
    clock_span_of(&rate, &habits, UINT64_MAX - 1149, 1150, &span); /* over the end */
    assert_true(away(span.ns, 1000) < 0.01);
    clock_span_of(&rate, &habits, 1150, UINT64_MAX - 1149, &span);
    assert_true(away(span.ns, -1000) < 0.01 && span.error_ns > 0);
    /* Where the rate has no error, a double still has one. */
    const struct clock_rate exact = {1, 1};
    const struct clock_habits none = {0, 0};
    clock_span_of(&exact, &none, 0, (UINT64_C(1) << 62) + 1, &span);
    assert_true(span.error_ns >= 1 && span.error_ns < 8192);
}

TEST(steps_and_costs_are_seen_in_readings_in_a_row)
{
    struct clock_habits habits;
    static const uint64_t coarse[] = {100, 100, 100, 140, 140, 180, 260, 260};
    clock_habits_of(coarse, 8, &habits);
    assert_int_equal(habits.step, 40);
    static const uint64_t even[] = {10, 12, 16, 22, 24, 26, 28};
    clock_habits_of(even, 7, &habits);
    assert_int_equal(habits.step, 2);
    assert_int_equal(habits.cost, 6);
    static const uint64_t still[] = {9, 9, 9};
    clock_habits_of(still, 3, &habits);
    assert_int_equal(habits.step, 1);
    assert_int_equal(habits.cost, 0);
    clock_habits_of(still, 0, &habits);
    assert_int_equal(habits.step, 1);
    /* One that was interrupted is not what readings cost. */
    uint64_t readings[100] = {0};
    for (size_t i = 1; i < 100; i++)
        readings[i] = readings[i - 1] + (i == 50 ? 100000 : 44);
    clock_habits_of(readings, 100, &habits);
    assert_int_equal(habits.cost, 44);
}
