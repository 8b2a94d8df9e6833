/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work and system calls in turn: blocks are as long as the period, work comes first, and what is
 * executed in all does not depend on it. */
#include <string.h>

#include "called.h"
#include "case.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const struct specimen *phases(void)
{
    const struct specimen *specimen = specimen_find("phases");
    assert_non_null(specimen);
    return specimen;
}

static void prepare(struct specimen_state *state, uint64_t n, uint64_t period)
{
    struct failure failure = {0};
    *state = (struct specimen_state){.n = n, .parameters.period = period};
    if (specimen_prepare(phases(), state, &failure) < 0)
        fail_msg("%s", failure.text);
}

static struct steps stepped(struct specimen_state *state)
{
    struct called called = {state, specimen_entry(phases(), state)};
    struct steps steps;
    assert_int_equal(
        step(called_run, &called, (uintptr_t)called_opens, (uintptr_t)called_closed, &steps), 0);
    return steps;
}

TEST(what_is_executed_does_not_depend_on_the_period)
{
    static const uint64_t periods[] = {0, 1, 2, 3, 4, 6, 12};
    if (!step_possible())
        skip_because("this machine cannot single-step");
    for (size_t index = 0; index < COUNT(periods); index++) {
        struct specimen_state state;
        prepare(&state, 12, periods[index]);
        struct steps steps = stepped(&state);
        assert_int_equal(steps.instructions, called_truth(phases(), "instructions", 12));
        assert_int_equal(steps.system_calls, called_truth(phases(), "syscalls", 12));
    }
}

/* Cut off after an even number of steps, it has made the calls of the blocks that it came by. */
TEST(blocks_are_as_long_as_the_period)
{
    static const uint64_t periods[] = {1, 2, 3};
    if (!step_possible())
        skip_because("this machine cannot single-step");
    for (size_t index = 0; index < COUNT(periods); index++)
        for (uint64_t half = 1; half <= 2 * periods[index] + 1; half++) {
            struct specimen_state state;
            uint64_t calls = 0;
            for (uint64_t at = 0; at < 2 * half; at++)
                calls += at / periods[index] % 2;
            prepare(&state, periods[index], periods[index]);
            state.n = half;
            assert_int_equal(stepped(&state).system_calls, calls);
        }
}

static void check_refusal(uint64_t n, uint64_t period)
{
    struct specimen_state state = {.n = n, .parameters.period = period};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(phases(), &state, &failure), -EINVAL);
    if (!strstr(failure.text, "is no multiple of period="))
        fail_msg("N = %llu, period=%llu: %s", (unsigned long long)n, (unsigned long long)period,
                 failure.text);
}

TEST(blocks_that_would_not_be_whole_are_refused)
{
    check_refusal(10, 3);
    check_refusal(10, 11);
    check_refusal(1000000000, 1000000001);
    check_refusal(1, UINT64_MAX);
    check_refusal(2, UINT64_C(1) << 63);
}
