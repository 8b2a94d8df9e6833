/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a machine claims of its caches, read from small recorded trees: each cache becomes facts
 * under its own name, and what is no cache or no number becomes none. */
#include "case.h"
#include "machine/check.h"
#include "tree.h"

#define CACHE "/sys/devices/system/cpu/cpu0/cache/"
#define HUGE  "/sys/kernel/mm/transparent_hugepage/"

static void describe(const struct tree_file *files, struct facts *facts)
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
    static const struct tree_file files[] = {{CACHE "index0/level", "1\n"},
                                             {CACHE "index0/type", "Data\n"},
                                             {CACHE "index0/size", "48K\n"},
                                             {CACHE "index0/coherency_line_size", "64\n"},
                                             {CACHE "index0/ways_of_associativity", "12\n"},
                                             {CACHE "index0/shared_cpu_list", "0-1\n"},
                                             {CACHE "index1/level", "1\n"},
                                             {CACHE "index1/type", "Instruction\n"},
                                             {CACHE "index1/size", "32K\n"},
                                             {CACHE "index2/level", "3\n"},
                                             {CACHE "index2/type", "Unified\n"},
                                             {CACHE "index2/size", "36M\n"},
                                             {HUGE "enabled", "always [madvise] never\n"},
                                             {HUGE "hpage_pmd_size", "2097152\n"},
                                             {NULL, NULL}};
    AUTO_FACTS struct facts facts = {0};
    describe(files, &facts);
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
    describe(files, &facts);
    /* A recorded machine is never completed from this one. */
    assert_null(facts_get(&facts, "cache.l1d.bytes"));
    assert_int_equal(facts_error(&facts, "cache.l1d.bytes"), ENODATA);
    assert_null(facts_get(&facts, "cache.l0.bytes"));
    assert_null(facts_get(&facts, "memory.huge_pages"));
}
