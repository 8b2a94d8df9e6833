/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Facts as a list and as text: what is written is read again, and what is no facts is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "case.h"
#include "machine/check.h"
#include "machine/facts.h"
#include "tree.h"

static int read_bytes(struct facts *facts, const char *bytes, size_t length,
                      struct failure *failure)
{
    AUTO_FILE FILE *file = fmemopen((void *)(uintptr_t)bytes, length ? length : 1, "r");
    if (length == 0)
        fgetc(file);
    return facts_read(facts, file, failure);
}

static int read_string(struct facts *facts, const char *string, struct failure *failure)
{
    return read_bytes(facts, string, strlen(string), failure);
}

TEST(setting_replaces_and_keeps_the_order)
{
    AUTO_FACTS struct facts facts = {0};
    assert_int_equal(facts_set(&facts, "b", "1", 0), 0);
    assert_int_equal(facts_set(&facts, "a", "2", 0), 0);
    assert_int_equal(facts_set(&facts, "b", NULL, EACCES), 0);
    assert_int_equal(facts.count, 2);
    assert_string_equal(facts.list[0].key, "b");
    assert_null(facts_get(&facts, "b"));
    assert_int_equal(facts_error(&facts, "b"), EACCES);
    assert_int_equal(facts_setf(&facts, "b", "%d%%", 7), 0);
    assert_string_equal(facts_get(&facts, "b"), "7%");
    assert_int_equal(facts_error(&facts, "b"), 0);
    assert_int_equal(facts_error(&facts, "unknown"), ENODATA);
}

TEST(numbers_are_whole_or_not_at_all)
{
    AUTO_FACTS struct facts facts = {0};
    static const struct {
        const char *value;
        long long number;
    } cases[] = {{"2", 2},  {"-1", -1}, {" 516 ", 516}, {"", -9},
                 {"x", -9}, {"2x", -9}, {"2 3", -9},    {"99999999999999999999", -9}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        facts_set(&facts, "n", cases[i].value, 0);
        assert_int_equal(facts_number(&facts, "n", -9), cases[i].number);
    }
    assert_int_equal(facts_number(&facts, "none", 5), 5);
}

TEST(malformed_keys_are_refused)
{
    AUTO_FACTS struct facts facts = {0};
    char longer[FACTS_MAX_KEY + 2];
    memset(longer, 'k', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    const char *const keys[] = {"", "a b", "a\nb", "a=b", "\xc3\xa4", "a/b", longer};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_int_equal(facts_set(&facts, keys[i], "x", 0), -EINVAL);
    longer[FACTS_MAX_KEY] = '\0';
    assert_int_equal(facts_set(&facts, longer, "x", 0), 0);
}

TEST(the_list_and_its_values_do_not_grow_without_end)
{
    AUTO_FACTS struct facts facts = {0};
    char key[16];
    for (unsigned i = 0; i < FACTS_MAX; i++) {
        snprintf(key, sizeof(key), "k%u", i);
        assert_int_equal(facts_set(&facts, key, "x", 0), 0);
    }
    assert_int_equal(facts_set(&facts, "one-more", "x", 0), -E2BIG);
    assert_int_equal(facts_set(&facts, "k7", "still", 0), 0);
    AUTO_FREE char *value = malloc((size_t)3 * FACTS_MAX_VALUE);
    memset(value, 'v', 3 * FACTS_MAX_VALUE - 1);
    value[3 * FACTS_MAX_VALUE - 1] = '\0';
    assert_int_equal(facts_set(&facts, "k7", value, 0), 0);
    assert_int_equal(strlen(facts_get(&facts, "k7")), FACTS_MAX_VALUE);
}

TEST(text_form_round_trips)
{
    AUTO_FACTS struct facts facts = {0};
    facts_set(&facts, "plain", "tsc kvm-clock", 0);
    facts_set(&facts, "empty", "", 0);
    facts_set(&facts, "lines", "one\ntwo\\n\r\\", 0);
    facts_set(&facts, "spaces", "  = ! # ", 0);
    facts_set(&facts, "bytes", "\xff\x1b[31m", 0);
    facts_set(&facts, "absent", NULL, ENOSYS);
    facts_set(&facts, "strange", NULL, 3999);

    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    assert_int_equal(facts_write(&facts, out), 0);
    fclose(out);

    AUTO_FACTS struct facts again = {0};
    struct failure failure = {0};
    assert_int_equal(read_bytes(&again, written, size, &failure), 0);
    assert_int_equal(again.count, facts.count);
    for (size_t i = 0; i < facts.count; i++) {
        assert_string_equal(again.list[i].key, facts.list[i].key);
        assert_int_equal(again.list[i].error, facts.list[i].error);
        if (facts.list[i].value)
            assert_string_equal(again.list[i].value, facts.list[i].value);
        else
            assert_null(again.list[i].value);
    }
    assert_non_null(strstr(written, "absent ! ENOSYS\n"));
    free(written);
}

TEST(comments_blank_lines_and_a_cut_last_line_are_read)
{
    AUTO_FACTS struct facts facts = {0};
    assert_int_equal(read_string(&facts, "# recorded\n\na = 1\nb =\nc = 3", NULL), 0);
    assert_int_equal(facts.count, 3);
    assert_string_equal(facts_get(&facts, "b"), "");
    assert_string_equal(facts_get(&facts, "c"), "3");
    AUTO_FACTS struct facts none = {0};
    assert_int_equal(read_bytes(&none, "", 0, NULL), 0);
    assert_int_equal(none.count, 0);
}

TEST(what_is_not_facts_is_refused_with_its_line)
{
    static const struct {
        const char *text, *said;
    } cases[] =
        TABLE({"a = 1\nnonsense\n", "line 2"},
              {"\x7f"
               "ELF\x02\x01\n",
               "line 1"},
              {"a= 1\n", "expected"}, {"a =1\n", "expected"}, {" = 1\n", "a key is"},
              {"a\tb = 1\n", "a key is"}, {"a = \\x\n", "backslash"}, {"a = \\", "backslash"},
              {"a = 1\na = 2\n", "twice"}, {"a ! NOTHING\n", "errno"}, {"a ! E0\n", "errno"},
              {"a ! E99999999999999999999\n", "errno"}, {"a ! \n", "errno"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FACTS struct facts facts = {0};
        struct failure failure = {0};
        assert_int_equal(read_string(&facts, cases[i].text, &failure), -EBADMSG);
        assert_non_null(strstr(failure.text, cases[i].said));
    }
}

TEST(endless_lines_nul_bytes_and_endless_files_are_refused)
{
    struct failure failure = {0};
    AUTO_FACTS struct facts facts = {0};
    assert_int_equal(read_bytes(&facts, "a = x\0y\n", 8, &failure), -EBADMSG);

    size_t size = 1u << 20;
    AUTO_FREE char *endless = malloc(size + 1);
    memset(endless, 'a', size);
    endless[size] = '\0';
    assert_int_equal(read_bytes(&facts, endless, size, &failure), -EBADMSG);
    assert_non_null(strstr(failure.text, "too long"));

    struct text many = {0};
    for (unsigned i = 0; i <= FACTS_MAX; i++)
        text_printf(&many, "key%u = 1\n", i);
    AUTO_FACTS struct facts full = {0};
    assert_int_equal(read_bytes(&full, many.bytes, many.length, &failure), -EBADMSG);
    text_free(&many);
}

TEST(a_full_disk_is_reported)
{
    AUTO_FACTS struct facts facts = {0};
    facts_set(&facts, "a", "1", 0);
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip_because("no /dev/full in this sandbox");
    assert_int_equal(facts_write(&facts, full), -ENOSPC);
    fclose(full);
}

/* --- what a machine claims of its caches, read from small recorded trees --- */

#define CACHE "/sys/devices/system/cpu/cpu0/cache/"
#define HUGE  "/sys/kernel/mm/transparent_hugepage/"

static void describe_tree(const struct tree_file *files, struct facts *facts)
{
    struct tree tree = {0};
    struct failure failure = {0};
    AUTO_FACTS struct facts live = {0};
    struct machine_view view;
    tree_make(&tree);
    for (; files->path; files++)
        tree_put(&tree, files->path, files->content);
    assert_int_equal(view_open_recorded(&view, tree.root, &live, &failure), 0);
    describe_caches(&view, facts);
    tree_remove(&tree);
}

TEST(each_cache_is_told_under_its_name)
{
    static const struct tree_file files[] =
        TABLE({CACHE "index0/level", "1\n"}, {CACHE "index0/type", "Data\n"},
              {CACHE "index0/size", "48K\n"}, {CACHE "index0/coherency_line_size", "64\n"},
              {CACHE "index0/ways_of_associativity", "12\n"},
              {CACHE "index0/shared_cpu_list", "0-1\n"}, {CACHE "index1/level", "1\n"},
              {CACHE "index1/type", "Instruction\n"}, {CACHE "index1/size", "32K\n"},
              {CACHE "index2/level", "3\n"}, {CACHE "index2/type", "Unified\n"},
              {CACHE "index2/size", "36M\n"}, {HUGE "enabled", "always [madvise] never\n"},
              {HUGE "hpage_pmd_size", "2097152\n"}, {NULL, NULL});
    AUTO_FACTS struct facts facts = {0};
    describe_tree(files, &facts);
    assert_int_equal(facts_number(&facts, "cache.l1d.bytes", 0), 49152);
    assert_int_equal(facts_number(&facts, "cache.l1d.line_bytes", 0), 64);
    assert_int_equal(facts_number(&facts, "cache.l1d.ways", 0), 12);
    assert_string_equal(facts_get(&facts, "cache.l1d.cpus"), "0-1");
    assert_int_equal(facts_number(&facts, "cache.l1i.bytes", 0), 32768);
    assert_int_equal(facts_number(&facts, "cache.l3.bytes", 0), 36 * 1024 * 1024);
    assert_null(facts_get(&facts, "cache.l2.bytes"));
    assert_string_equal(facts_get(&facts, "memory.huge_pages"), "madvise");
    assert_int_equal(facts_number(&facts, "memory.huge_page_bytes", 0), 2097152);
}

TEST(what_is_no_cache_is_not_told)
{
    static const struct tree_file files[] = {{CACHE "index0/level", "1\n"},
                                             {CACHE "index0/type", "Data\n"},
                                             {CACHE "index0/size", "much\n"},
                                             {CACHE "index1/level", "0\n"},
                                             {CACHE "index1/type", "Unified\n"},
                                             {CACHE "index1/size", "1M\n"},
                                             {HUGE "enabled", "always madvise never\n"},
                                             {NULL, NULL}};
    AUTO_FACTS struct facts facts = {0};
    describe_tree(files, &facts);
    /* A recorded machine is never completed from this one. */
    assert_null(facts_get(&facts, "cache.l1d.bytes"));
    assert_int_equal(facts_error(&facts, "cache.l1d.bytes"), ENODATA);
    assert_null(facts_get(&facts, "cache.l0.bytes"));
    assert_null(facts_get(&facts, "memory.huge_pages"));
}

/* --- what a machine claims of its counter of time --- */

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
