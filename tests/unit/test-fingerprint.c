/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fingerprint changes exactly with what a validation depends on, and says what changed. */
#include <errno.h>
#include <string.h>

#include "case.h"
#include "machine/check.h"
#include "tree.h"

static void fill(struct facts *facts)
{
    facts_set(facts, "isa", "x86_64", 0);
    facts_set(facts, "cpu.vendor", "GenuineIntel", 0);
    facts_set(facts, "cpu.family", "6", 0);
    facts_set(facts, "cpu.model", "85", 0);
    facts_set(facts, "cpu.variant", NULL, ENOENT);
    facts_set(facts, "cpu.stepping", "7", 0);
    facts_set(facts, "cpu.model_name", "Some CPU", 0);
    facts_set(facts, "cpu.microcode", "0x1", 0);
    facts_set(facts, "kernel.release", "6.1.0", 0);
    facts_set(facts, "kernel.version", "#1 SMP", 0);
    facts_set(facts, "hypervisor", "none", 0);
}

TEST(it_is_sixteen_hexadecimal_digits_and_stable)
{
    AUTO_FACTS struct facts facts = {0};
    fill(&facts);
    char fingerprint[17];
    machine_fingerprint(&facts, fingerprint);
    assert_int_equal(strspn(fingerprint, "0123456789abcdef"), 16);
    /* Stores are found by this name: whoever changes it must bring them along. */
    assert_string_equal(fingerprint, "ca979013b59610c9");
}

TEST(every_field_counts_and_is_named)
{
    static const char *const keys[] = {
        "isa",          "cpu.vendor",     "cpu.family",    "cpu.model",      "cpu.variant",
        "cpu.stepping", "cpu.model_name", "cpu.microcode", "kernel.release", "kernel.version",
        "hypervisor",   "emulated"};
    AUTO_FACTS struct facts before = {0};
    fill(&before);
    char first[17];
    machine_fingerprint(&before, first);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        AUTO_FACTS struct facts after = {0};
        fill(&after);
        facts_set(&after, keys[i], "changed", 0);
        char second[17], text[256];
        machine_fingerprint(&after, second);
        assert_string_not_equal(first, second);
        assert_int_equal(machine_difference(&before, &after, text, sizeof(text)), 1);
        assert_non_null(strstr(text, "-> changed"));
    }
}

TEST(nothing_else_counts)
{
    static const char *const keys[] = {"load.average", "machine.id", "perf.paranoid",
                                       "os.name",      "acpi.oem",   "hypervisor.monitor",
                                       "process.euid", "cpu.online"};
    AUTO_FACTS struct facts before = {0}, after = {0};
    fill(&before);
    fill(&after);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        facts_set(&after, keys[i], "changed", 0);
    char first[17], second[17], text[256] = "untouched";
    machine_fingerprint(&before, first);
    machine_fingerprint(&after, second);
    assert_string_equal(first, second);
    assert_int_equal(machine_difference(&before, &after, text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

TEST(cycles_that_are_instructions_in_every_window_are_made_by_a_program)
{
    static const struct {
        uint64_t counts[3][2]; /* windows of instructions and cycles */
        bool lockstep;
    } machines[] = {
        {{{1018, 1018}, {4018, 4018}, {9018, 9018}}, true},   /* -icount shift=0 */
        {{{1018, 4072}, {4018, 16072}, {9018, 36072}}, true}, /* shift=2 */
        {{{1018, 1018}, {4018, 4018}, {9018, 9019}}, false},
        {{{1018, 1018}, {4018, 8036}, {9018, 18036}}, false}, /* now this power, now that */
        {{{1018, 3054}, {4018, 12054}, {9018, 27054}}, false},
        {{{1018, 1018}, {0, 0}, {9018, 9018}}, false},
    };
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        unsigned factors = (1u << LOCKSTEP_FACTORS) - 1;
        for (size_t j = 0; j < 3; j++)
            factors = lockstep_factors(factors, machines[i].counts[j][0], machines[i].counts[j][1]);
        assert_int_equal(factors != 0, machines[i].lockstep);
    }
}

/* Who may count sees that a PMU is emulated; who may not gives the machine the same name. */
TEST(what_counting_shows_of_an_emulated_pmu_has_no_part)
{
    AUTO_FACTS struct facts before = {0}, after = {0}, declared = {0};
    char first[17], second[17], text[256];
    fill(&before);
    fill(&after);
    fill(&declared);
    facts_set(&after, "perf.lockstep", "1", 0);
    facts_set(&after, "emulated", "by its counts", 0);
    machine_fingerprint(&before, first);
    machine_fingerprint(&after, second);
    assert_string_equal(first, second);
    assert_int_equal(machine_difference(&before, &after, text, sizeof(text)), 0);
    /* Unless it is known otherwise, too. */
    facts_set(&declared, "emulated", "QEMU TCG, in assay's lab", 0);
    facts_set(&after, "emulated.declared", "lab", 0);
    machine_fingerprint(&declared, first);
    machine_fingerprint(&after, second);
    assert_string_equal(first, second);
}

/* Names with commas in them: RISC-V's and POWER's. */
TEST(switching_off_a_cpu_of_the_same_kind_changes_nothing)
{
    static const struct {
        const char *cpu, *name;
    } cases[] = {{"hart : 0\nuarch : sifive,u74-mc\n\n", "sifive,u74-mc"},
                 {"cpu : POWER9 (raw), altivec supported\n\n", "POWER9 (raw), altivec supported"},
                 {"model name : Some CPU\n\n", "Some CPU"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char prints[2][17];
        for (int both = 0; both < 2; both++) {
            char cpuinfo[256];
            snprintf(cpuinfo, sizeof(cpuinfo), "%s%s", cases[i].cpu, both ? cases[i].cpu : "");
            struct tree tree = {0};
            tree_make(&tree);
            tree_put(&tree, "/proc/cpuinfo", cpuinfo);
            AUTO_FACTS struct facts facts = {0}, live = {0};
            struct machine_view view;
            assert_int_equal(view_open_recorded(&view, tree.root, &live, NULL), 0);
            machine_describe(&view, &facts);
            tree_remove(&tree);
            assert_string_equal(facts_get(&facts, "cpu.model_name"), cases[i].name);
            machine_fingerprint(&facts, prints[both]);
        }
        assert_string_equal(prints[0], prints[1]);
    }
}

TEST(absent_empty_and_shifted_values_differ)
{
    AUTO_FACTS struct facts absent = {0}, empty = {0}, shifted = {0};
    facts_set(&absent, "cpu.family", "6", 0);
    facts_set(&empty, "cpu.family", "6", 0);
    facts_set(&empty, "cpu.model", "", 0);
    facts_set(&shifted, "cpu.model", "6", 0);
    char a[17], b[17], c[17];
    machine_fingerprint(&absent, a);
    machine_fingerprint(&empty, b);
    machine_fingerprint(&shifted, c);
    assert_string_not_equal(a, b);
    assert_string_not_equal(a, c);
}

TEST(the_difference_names_both_sides_and_fits)
{
    AUTO_FACTS struct facts then = {0}, now = {0};
    fill(&then);
    fill(&now);
    facts_set(&now, "cpu.microcode", "0x2", 0);
    facts_set(&now, "kernel.release", NULL, ENOENT);
    char text[256];
    assert_int_equal(machine_difference(&then, &now, text, sizeof(text)), 2);
    assert_string_equal(text, "microcode 0x1 -> 0x2, kernel 6.1.0 -> none");
    char tiny[8];
    assert_int_equal(machine_difference(&then, &now, tiny, sizeof(tiny)), 2);
    assert_string_equal(tiny, "microco");
    assert_int_equal(machine_difference(&then, &now, NULL, 0), 2);
}
