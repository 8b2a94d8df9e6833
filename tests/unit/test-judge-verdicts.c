/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every verdict is reached by data that must reach it, and by no other: the first that applies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "judging.h"

static const struct built_way plain = {0};

static void clean_counts_are_exact(void **state)
{
    (void)state;
    struct case_builder builder;
    static const char *const classes[] = {"instructions", "loads",       "cond-branches",
                                          "syscalls",     "page-faults", "context-switches"};
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        struct judgements all = judge_lie(&builder, i, "event", classes[i], &plain, NULL, NULL);
        assert_verdict(&all.list[0], VERDICT_EXACT);
        assert_cause(&all.list[0], CAUSE_NONE);
        assert_int_equal(all.list[0].rank, 0);
        release(&builder, &all);
    }
}

static void an_overhead_in_null_cells_is_named_and_subtracted(void **state)
{
    (void)state;
    struct case_builder builder;
    struct built_way way = {.overhead = 1};
    struct judgements all = judge_lie(&builder, 2, "event", "syscalls", &way, NULL, NULL);
    assert_verdict(&all.list[0], VERDICT_EXACT);
    assert_cause(&all.list[0], CAUSE_INTERFACE_OVERHEAD);
    assert_note(&all.list[0], "adds 1 to every count");
    assert_true(all.list[0].has_overhead);
    assert_int_equal(all.list[0].overhead, 1);
    release(&builder, &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_counts_are_exact),
        cmocka_unit_test(an_overhead_in_null_cells_is_named_and_subtracted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
