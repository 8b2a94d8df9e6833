/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a machine claims of its counter of time: flags in the words of each ISA, steering, whether
 * reading it is allowed; and that none of it makes another machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "case.h"
#include "machine/check.h"
#include "tree.h"

static void describe(const char *cpuinfo, const char *live_facts, struct facts *facts)
{
    struct tree tree = {0};
    tree_make(&tree);
    tree_put(&tree, "/proc/cpuinfo", cpuinfo);
    tree_put(&tree, "/live", live_facts);
    AUTO_FACTS struct facts live = {0};
    struct machine_view view;
    struct failure failure = {0};
    assert_int_equal(view_open_recorded(&view, tree.root, &live, &failure), 0);
    machine_describe(&view, facts);
    tree_remove(&tree);
}

static void assert_flags(const char *isa, const char *cpuinfo, const char *expected)
{
    AUTO_FACTS struct facts facts = {0};
    char live[64];
    snprintf(live, sizeof(live), "isa = %s\n", isa);
    describe(cpuinfo, live, &facts);
    assert_non_null(facts_get(&facts, "clock.flags"));
    assert_string_equal(facts_get(&facts, "clock.flags"), expected);
}

TEST(flags_of_time_are_told_apart_from_all_others)
{
    assert_flags("x86_64",
                 "processor\t: 0\nflags\t\t: fpu constant_tsc tsc_deadline_timer rdtscp\n",
                 "constant_tsc rdtscp");
    assert_flags("aarch64", "processor\t: 0\nFeatures\t: fp asimd evtstrm aes\n", "evtstrm");
    assert_flags("riscv64", "hart\t\t: 0\nisa\t\t: rv64imafdc_zicntr_zicsr\n", "zicntr");
    assert_flags("x86_64", "flags\t\t: fpu\n", "");
}

TEST(a_flag_that_one_cpu_lacks_is_not_claimed)
{
    assert_flags("x86_64", "flags : tsc constant_tsc nonstop_tsc\n\nflags : tsc constant_tsc\n",
                 "tsc constant_tsc");
}

TEST(words_of_another_isa_say_nothing)
{
    AUTO_FACTS struct facts facts = {0};
    describe("flags : tsc constant_tsc\n", "isa = aarch64\n", &facts);
    assert_null(facts_get(&facts, "clock.flags"));
    assert_int_equal(facts_error(&facts, "clock.flags"), ENODATA);
}

TEST(a_recorded_machine_keeps_its_own_steering)
{
    AUTO_FACTS struct facts facts = {0};
    describe("", "isa = x86_64\nclock.steered_ppm = -7.25\nclock.ticks = forbidden\n", &facts);
    assert_string_equal(facts_get(&facts, "clock.steered_ppm"), "-7.25");
    assert_string_equal(facts_get(&facts, "clock.ticks"), "forbidden");
}

TEST(none_of_it_makes_another_machine)
{
    static const char *const keys[] = {"boot.id", "clock.flags", "clock.steered_ppm", "clock.ticks",
                                       "clock.tick_us"};
    AUTO_FACTS struct facts facts = {0};
    const struct machine_view here = {.root = ""};
    machine_describe(&here, &facts);
    char before[17], after[17];
    machine_fingerprint(&facts, before);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        facts_set(&facts, keys[i], "changed", 0);
    machine_fingerprint(&facts, after);
    assert_string_equal(before, after);
}

/* In a child, because the rest of this program reads clocks. The exit status tells what it saw. */
static int told_where_forbidden(void)
{
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) < 0)
        return 2;
    struct facts facts = {0};
    const struct machine_view here = {.root = ""};
    describe_clock(&here, &facts);
    const char *ticks = facts_get(&facts, "clock.ticks");
    return ticks && strcmp(ticks, "forbidden") == 0 ? 0 : 1;
}

TEST(forbidden_ticks_are_told_and_do_not_kill)
{
#ifdef SANITIZED_ADDRESSES
    skip_because("the address sanitizer looks at a clock whenever it gives memory");
#endif
    int mode;
    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) < 0)
        skip_because("nobody can forbid reading the counter of time here");
    pid_t child = fork();
    if (child == 0)
        _exit(told_where_forbidden());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
