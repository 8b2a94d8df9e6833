/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice: every use gets a clock that is fit for it, with its figures; what is wrong is named with
 * recommended for nothing; where nothing could be falsified, the way to do so. */
#include <math.h>
#include <string.h>
/* cmocka needs those before string.h before it. */

#include "base/memory.h"
#include "clocks-shapes.h"

static void begin(uint64_t seed)
{
    built_begin(&world, seed, 2);
    built_usual_clocks(&world);
    world.jitter = 0.3;
}

static void judged(void)
{
    built_plan(&world, 1, true);
    judge_all();
    assert_in_range(report.advice_count, 1, 7);
}

/* The clock advised for it; -1: none is. */
static int32_t advised(enum clocks_purpose purpose)
{
    for (size_t i = 0; i < report.advice_count; i++)
        if (report.advice[i].purpose == purpose)
            return report.advice[i].clock;
    return -1;
}

static bool is_advised(enum clocks_saying code)
{
    for (size_t i = 0; i < report.advice_count; i++)
        if (says(&report.advice[i].text, code))
            return true;
    return false;
}

TEST(every_use_gets_a_clock)
{
    begin(1);
    judged();
    assert_int_equal(advised(PURPOSE_SHORT), clocks_index(&world.file, "tsc"));
    assert_int_equal(advised(PURPOSE_LONG), clocks_index(&world.file, "monotonic"));
    assert_true(advised(PURPOSE_ACROSS) >= 0 && advised(PURPOSE_CPU_TIME) >= 0);
    static const enum clocks_saying codes[] = {CLOCKS_WITHOUT_RATE, CLOCKS_NEVER_FARTHER,
                                               CLOCKS_NONE_FALSIFIABLE, CLOCKS_SLEEPS_LATE};
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
        assert_true(is_advised(codes[i]));
}

/* A counter that jumps between CPUs is the quickest, and of no use. */
TEST(what_is_wrong_is_recommended_for_nothing)
{
    begin(2);
    built_find(&world, "tsc")->cpu_offset_ns = 1e6;
    judged();
    const int32_t tsc = clocks_index(&world.file, "tsc");
    assert_true(advised(PURPOSE_SHORT) >= 0);
    assert_int_not_equal(advised(PURPOSE_SHORT), tsc);
    assert_int_not_equal(advised(PURPOSE_ACROSS), tsc);
}

TEST(an_independent_reference_needs_no_other)
{
    begin(3);
    struct clock_known *raw = &world.file.clocks[clocks_index(&world.file, "monotonic-raw")];
    raw->hardware = memory_copy("hpet");
    judged();
    assert_int_equal(report.verdicts[clocks_index(&world.file, "tsc")].trust, TRUST_DEPENDABLE);
    assert_false(is_advised(CLOCKS_NONE_FALSIFIABLE));
}

TEST(with_one_cpu_nothing_is_said_across_cpus)
{
    built_begin(&world, 4, 1);
    built_usual_clocks(&world);
    judged();
    assert_int_equal(advised(PURPOSE_ACROSS), -1);
}

TEST(suspension_asks_for_a_clock_that_goes_on)
{
    begin(5);
    world.suspend_share = 0.1;
    judged();
    assert_int_equal(advised(PURPOSE_LONG), clocks_index(&world.file, "boottime"));
}

TEST(nothing_watched_is_nothing_advised)
{
    begin(6);
    judge_all();
    assert_int_equal(report.advice_count, 0);
}
