/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every doctor check on small machines made for it: at least one where it is content, one where it
 * is not, and one that lacks what it looks at. A check without the three fails the last tests. */
#include <string.h>

#include "case.h"
#include "check-examples.h"
#include "machine/check.h"
#include "tree.h"

/* Advice is a few whole sentences that fit, and a fix only where something is amiss. */
static void assert_well_said(const char *check, const struct advice *advice)
{
    size_t why = strlen(advice->why);
    if (why == 0 || why + 1 >= sizeof(advice->why) || advice->why[why - 1] != '.')
        fail_msg("%s: the why is empty, cut or no sentence: \"%s\"", check, advice->why);
    if (advice->value[0] == '\0' || strlen(advice->value) + 1 >= sizeof(advice->value))
        fail_msg("%s: the value is empty or cut", check);
    if (strlen(advice->fix) + 1 >= sizeof(advice->fix))
        fail_msg("%s: the fix is cut", check);
    if ((advice->status == CHECK_OK || advice->status == CHECK_ABSENT) && advice->fix[0])
        fail_msg("%s: nothing is amiss, yet there is a fix: %s", check, advice->fix);
}

static void assert_part(const char *what, const char *whole, const char *part)
{
    if (part && !strstr(whole, part))
        fail_msg("the %s should say \"%s\": %s", what, part, whole);
}

static void judge_tree(const struct tree *tree, const struct check *check, struct advice *advice)
{
    AUTO_FACTS struct facts live = {0};
    AUTO_FACTS struct facts facts = {0};
    struct machine_view view;
    struct failure failure = {0};
    if (view_open_recorded(&view, tree->root, &live, &failure) < 0)
        fail_msg("live facts: %s", failure.text);
    machine_collect(&view, &facts);
    check_judge(check, &facts, advice);
}

static void an_example(void **state)
{
    const struct example *example = *state;
    const struct check *check = check_find(example->check);
    assert_non_null(check);
    struct tree tree = {0};
    tree_make(&tree);
    for (const struct tree_file *file = example->files; file->path; file++)
        tree_put(&tree, file->path, file->content);
    if (example->live)
        tree_put(&tree, "/live", example->live);
    struct advice advice;
    judge_tree(&tree, check, &advice);
    tree_remove(&tree);
    if (advice.status != example->status)
        fail_msg("judged %s (%s), should be %s", check_status_names[advice.status], advice.value,
                 check_status_names[example->status]);
    assert_part("value", advice.value, example->value);
    assert_part("why", advice.why, example->why);
    assert_part("fix", advice.fix, example->fix);
    if (!example->fix)
        assert_string_equal(advice.fix, "");
    assert_well_said(example->check, &advice);
}

static bool has_example(const char *check, enum check_status status, enum check_status or_status)
{
    for (size_t i = 0; i < EXAMPLE_COUNT; i++)
        if (strcmp(examples[i].check, check) == 0 &&
            (examples[i].status == status || examples[i].status == or_status))
            return true;
    return false;
}

TEST(every_check_has_a_good_a_bad_and_an_absent_example)
{
    for (const struct check *const *check = check_registry; *check; check++) {
        const char *name = (*check)->name;
        if (!has_example(name, CHECK_OK, CHECK_OK))
            fail_msg("%s: no example in which all is well", name);
        if (!has_example(name, CHECK_WARN, CHECK_BAD))
            fail_msg("%s: no example in which something is amiss", name);
        if (!has_example(name, CHECK_ABSENT, CHECK_ABSENT))
            fail_msg("%s: no example in which there is nothing to judge", name);
    }
}

TEST(an_empty_machine_makes_every_check_absent)
{
    struct tree tree = {0};
    tree_make(&tree);
    for (const struct check *const *check = check_registry; *check; check++) {
        struct advice advice;
        judge_tree(&tree, *check, &advice);
        if (advice.status != CHECK_ABSENT)
            fail_msg("%s judges an empty machine: %s", (*check)->name, advice.value);
        assert_well_said((*check)->name, &advice);
    }
    tree_remove(&tree);
}

/* A colleague does not tell root to use sudo, nor a container to change the machine. */
TEST(commands_fit_who_reads_them)
{
    static const struct {
        const char *euid, *container, *expected;
    } cases[] = {
        {"1000", "none", "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"},
        {"0", "none", "echo 0 | tee /sys/devices/system/cpu/cpufreq/boost"},
        {"0", "docker", "on the host: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FACTS struct facts facts = {0};
        facts_set(&facts, "freq.boost", "1", 0);
        facts_set(&facts, "process.euid", cases[i].euid, 0);
        facts_set(&facts, "container", cases[i].container, 0);
        struct advice advice;
        check_judge(check_find("turbo"), &facts, &advice);
        assert_string_equal(advice.fix, cases[i].expected);
    }
    AUTO_FACTS struct facts facts = {0};
    facts_set(&facts, "perf.instructions", "unscheduled", 0);
    facts_set(&facts, "kernel.nmi_watchdog", "1", 0);
    facts_set(&facts, "process.euid", "0", 0);
    struct advice advice;
    check_judge(check_find("pmu"), &facts, &advice);
    assert_string_equal(advice.fix, "sysctl kernel.nmi_watchdog=0\n"
                                    "and end other profilers: pgrep -al perf");
}

/* Values that no kernel gives: too long, terminal escapes, huge numbers, formats. */
TEST(hostile_facts_give_printable_advice)
{
    static const char *const values[] =
        TABLE("\x1b[2J\x07%n%s%s%s\xff", "99999999999999999999999", "-9223372036854775808",
              "9223372036854775807", "=,= =,\n\r", "a b", "cpu_core= x", "");
    AUTO_FACTS struct facts known = {0};
    struct machine_view here = {.root = ""};
    machine_collect(&here, &known);
    char longer[FACTS_MAX_VALUE];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    for (size_t v = 0; v <= sizeof(values) / sizeof(values[0]); v++) {
        AUTO_FACTS struct facts hostile = {0};
        for (size_t i = 0; i < known.count; i++)
            facts_set(&hostile, known.list[i].key,
                      v < sizeof(values) / sizeof(values[0]) ? values[v] : longer, 0);
        for (const struct check *const *check = check_registry; *check; check++) {
            struct advice advice;
            check_judge(*check, &hostile, &advice);
            assert_string_not_equal(advice.value, "");
            const char *const texts[] = {advice.value, advice.why, advice.fix};
            for (size_t t = 0; t < 3; t++)
                for (const char *byte = texts[t]; *byte; byte++)
                    if ((*byte < 0x20 || *byte > 0x7e) && *byte != '\n')
                        fail_msg("%s says byte %d", (*check)->name, *byte);
        }
    }
}

/* Files of odd kinds in a tree must neither stop nor break collecting. */
TEST(odd_files_do_not_stop_collecting)
{
    struct tree tree = {0};
    tree_make(&tree);
    tree_put(&tree, SYSCTL "/osrelease", "6.1\n");
    tree_put(&tree, "/proc/cpuinfo", "no colon\n:\n : \nmodel name\t: \x1b[31m%s\nflags\t:\n");
    tree_put(&tree, "/proc/loadavg", "nan inf\n");
    tree_put(&tree, CPU "/online", "3-1,7-99999999999\n");
    tree_put(&tree, SYSCTL "/nmi_watchdog/deeper", "a folder where a file belongs\n");
    char path[128];
    snprintf(path, sizeof(path), "%s/proc/stat", tree.root);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof(path), "%s/proc/meminfo", tree.root);
    assert_int_equal(symlink("meminfo", path), 0);
    AUTO_FACTS struct facts live = {0};
    AUTO_FACTS struct facts facts = {0};
    struct machine_view view;
    assert_int_equal(view_open_recorded(&view, tree.root, &live, NULL), 0);
    machine_collect(&view, &facts);
    assert_string_equal(facts_get(&facts, "kernel.release"), "6.1");
    assert_int_equal(facts_error(&facts, "steal.ticks"), ENODEV);
    assert_int_equal(facts_error(&facts, "memory.total_kib"), ELOOP);
    assert_int_equal(facts_error(&facts, "kernel.nmi_watchdog"), EISDIR);
    assert_null(facts_get(&facts, "cpu.count"));
    for (const struct check *const *check = check_registry; *check; check++) {
        struct advice advice;
        check_judge(*check, &facts, &advice);
        assert_well_said((*check)->name, &advice);
    }
    tree_remove(&tree);
}

TEST(the_head_of_a_report_names_no_host_of_qemu_user)
{
    AUTO_FACTS struct facts facts = {0};
    AUTO_TEXT struct text line = {0};
    facts_set(&facts, "isa", "riscv64", 0);
    facts_set(&facts, "cpu.model_name", "Some Host CPU", 0);
    facts_set(&facts, "hypervisor", "kvm", 0);
    facts_set(&facts, "hypervisor.monitor", "firecracker", 0);
    machine_sentence(&facts, &line);
    assert_string_equal(text_string(&line), "Some Host CPU (riscv64); guest of KVM (Firecracker)");
    facts_set(&facts, "emulated", "qemu-user: the program's ISA is not the machine's", 0);
    line.length = 0;
    machine_sentence(&facts, &line);
    assert_string_equal(text_string(&line), "CPU of qemu-user (riscv64); emulated");
}

EXAMPLES(every_example)
{
    static char names[EXAMPLE_COUNT][96];
    for (size_t i = 0; i < EXAMPLE_COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "%s: %s", examples[i].check, examples[i].name);
        unit_example(names[i], an_example, &examples[i]);
    }
}
