/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a count is worth: states and exact scaling. */
#include <math.h>

#include "case.h"
#include "lib/calipers.h"

TEST(states_follow_from_the_two_times)
{
    static const struct {
        struct counter_report report;
        enum assay_state expected;
    } cases[] = {
        {{5, 100, 100}, ASSAY_COUNTED},   {{0, 100, 100}, ASSAY_COUNTED},
        {{0, 0, 0}, ASSAY_COUNTED},       {{5, 100, 99}, ASSAY_MULTIPLEXED},
        {{5, 100, 1}, ASSAY_MULTIPLEXED}, {{0, 100, 0}, ASSAY_UNSCHEDULED},
        {{0, 1, 0}, ASSAY_UNSCHEDULED},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(counter_state(&cases[i].report), cases[i].expected);
}

static double scaled(uint64_t count, uint64_t enabled, uint64_t running)
{
    return counter_scale(&(struct counter_report){count, enabled, running});
}

TEST(scaling_keeps_every_digit_a_double_holds)
{
    assert_true(scaled(1000, 100, 100) == 1000.0);
    assert_true(scaled(1000, 200, 100) == 2000.0);
    assert_true(scaled(1, 3, 2) == 1.5);
    assert_true(scaled(0, 100, 50) == 0.0);
    assert_true(scaled(7, 100, 0) == 0.0);
    /* The product has 93 bits: in 64 it would wrap, in doubles lose its last digits. */
    assert_true(scaled(3000000000000001, 3000000000000, 1000000000000) == 9000000000000003.0);
    assert_true(scaled(UINT64_MAX, UINT64_MAX, UINT64_MAX) == 18446744073709551615.0);
    assert_true(scaled(UINT64_MAX, UINT64_MAX, UINT64_MAX / 2) > 3.6e19);
    assert_true(fabs(scaled(UINT64_MAX, UINT64_MAX, 1) - 0x1p128) < 0x1p80);
}

TEST(every_state_has_a_word)
{
    assert_string_equal(assay_state_name(ASSAY_COUNTED), "counted");
    assert_string_equal(assay_state_name(ASSAY_MULTIPLEXED), "multiplexed");
    assert_string_equal(assay_state_name(ASSAY_UNSCHEDULED), "unscheduled");
    assert_string_equal(assay_state_name(ASSAY_UNSUPPORTED), "unsupported");
    assert_string_equal(assay_state_name((enum assay_state)77), "unknown");
}
