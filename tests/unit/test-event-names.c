/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that need no description of the machine: generic, raw, breakpoints, modifiers; and names
 * that are wrong or meant to do harm. */
#include <linux/hw_breakpoint.h>

#include "case.h"
#include "recorded.h"

/* No PMU, no tracefs: an empty machine. */
static const struct event_view nowhere = {
    .root = "/nonexistent", .tracefs = -1, .tracefs_error = ENOENT};

TEST(generic_names_give_perf_s_numbers)
{
    static const struct {
        const char *name;
        enum event_kind kind;
        uint32_t type;
        uint64_t config;
    } cases[] = {
        {"cycles", EVENT_HARDWARE, PERF_TYPE_HARDWARE, 0},
        {"cpu-cycles", EVENT_HARDWARE, PERF_TYPE_HARDWARE, 0},
        {"instructions", EVENT_HARDWARE, PERF_TYPE_HARDWARE, 1},
        {"branches", EVENT_HARDWARE, PERF_TYPE_HARDWARE, 4},
        {"branch-misses", EVENT_HARDWARE, PERF_TYPE_HARDWARE, 5},
        {"ref-cycles", EVENT_HARDWARE, PERF_TYPE_HARDWARE, 9},
        {"page-faults", EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, 2},
        {"faults", EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, 2},
        {"cs", EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, 3},
        {"cpu-migrations", EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, 4},
        {"cgroup-switches", EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, 11},
        {"L1-dcache-loads", EVENT_CACHE, PERF_TYPE_HW_CACHE, 0},
        {"L1-dcache-store-misses", EVENT_CACHE, PERF_TYPE_HW_CACHE, 0x10100},
        {"LLC-prefetch-misses", EVENT_CACHE, PERF_TYPE_HW_CACHE, 0x10202},
        {"iTLB-load-misses", EVENT_CACHE, PERF_TYPE_HW_CACHE, 0x10004},
        {"branch-load-misses", EVENT_CACHE, PERF_TYPE_HW_CACHE, 0x10005},
        {"node-loads", EVENT_CACHE, PERF_TYPE_HW_CACHE, 6},
        {"r1a8", EVENT_RAW, PERF_TYPE_RAW, 0x1a8},
        {"rFFFFFFFFFFFFFFFF", EVENT_RAW, PERF_TYPE_RAW, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event event = resolved(&nowhere, cases[i].name);
        assert_int_equal(event.kind, cases[i].kind);
        assert_int_equal(event.attr.type, cases[i].type);
        assert_int_equal(event.attr.config, cases[i].config);
        assert_int_equal(event.attr.size, sizeof(event.attr));
        event_release(&event);
    }
}

/* Bits in the order user kernel hv idle host guest pinned exclusive. */
static unsigned exclusions(const struct perf_event_attr *attr)
{
    return (unsigned)(attr->exclude_user << 7 | attr->exclude_kernel << 6 | attr->exclude_hv << 5 |
                      attr->exclude_idle << 4 | attr->exclude_host << 3 | attr->exclude_guest << 2 |
                      attr->pinned << 1 | attr->exclusive);
}

TEST(modifiers_exclude_the_modes_not_named)
{
    static const struct {
        const char *name;
        unsigned bits;
    } cases[] = {
        {"instructions", 0},       {"instructions:u", 0x60}, {"instructions:k", 0xa0},
        {"instructions:uk", 0},    {"instructions:ku", 0},   {"instructions:h", 0xc0},
        {"instructions:uh", 0x40}, {"instructions:ukh", 0},  {"instructions:G", 0x08},
        {"instructions:H", 0x04},  {"instructions:GH", 0},   {"instructions:I", 0x10},
        {"instructions:uD", 0x62}, {"instructions:e", 0x01}, {"r1c2:k", 0xa0},
        {"mem:0x1000:w:u", 0x60},  {"mem:0x1000:k", 0xa0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event event = resolved(&nowhere, cases[i].name);
        if (exclusions(&event.attr) != cases[i].bits)
            print_error("%s\n", cases[i].name);
        assert_int_equal(exclusions(&event.attr), cases[i].bits);
        event_release(&event);
    }
}

TEST(sampling_modifiers_are_refused_by_name)
{
    refused(&nowhere, "instructions:p", -EINVAL, WORDS("\"p\"", "precise", "leave it out"));
    refused(&nowhere, "instructions:upp", -EINVAL, WORDS("\"p\"", "precise"));
    refused(&nowhere, "instructions:P", -EINVAL, WORDS("\"P\"", "precise"));
    refused(&nowhere, "instructions:S", -EINVAL, WORDS("\"S\"", "sampling"));
    refused(&nowhere, "instructions:W", -EINVAL, WORDS("\"W\"", "separate"));
    refused(&nowhere, "instructions:uu", -EINVAL, WORDS("twice"));
    refused(&nowhere, "instructions:", -EINVAL, WORDS("modifiers"));
    refused(&nowhere, "instructions:z", -EINVAL, WORDS("\"z\"", "no modifier"));
    refused(&nowhere, "instructions:u:k", -EINVAL, WORDS("no modifier"));
}

TEST(breakpoints_say_where_how_long_and_which_access)
{
    static const struct {
        const char *name;
        uint64_t address, length;
        uint32_t access;
    } cases[] = {
        {"mem:0x1000", 0x1000, 4, HW_BREAKPOINT_RW},
        {"mem:4096/8", 4096, 8, HW_BREAKPOINT_RW},
        {"mem:0x1000:w", 0x1000, 4, HW_BREAKPOINT_W},
        {"mem:0x1000/1:rw", 0x1000, 1, HW_BREAKPOINT_RW},
        {"mem:0x1000/2:wr:u", 0x1000, 2, HW_BREAKPOINT_RW},
        {"mem:0xffffffffffffffff:x", UINT64_MAX, sizeof(long), HW_BREAKPOINT_X},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event event = resolved(&nowhere, cases[i].name);
        assert_int_equal(event.kind, EVENT_BREAKPOINT);
        assert_int_equal(event.attr.type, PERF_TYPE_BREAKPOINT);
        assert_int_equal(event.attr.bp_addr, cases[i].address);
        assert_int_equal(event.attr.bp_len, cases[i].length);
        assert_int_equal(event.attr.bp_type, cases[i].access);
        event_release(&event);
    }
}

TEST(broken_breakpoints_are_refused)
{
    static const char *const names[] = {
        "mem:",          "mem:x",          "mem:0x",         "mem:-1",
        "mem:0x1000/",   "mem:0x1000/0",   "mem:0x1000/9",   "mem:0x1000/4/4",
        "mem:0x1000:rr", "mem:0x1000:rwx", "mem:0x1000:q",   "mem:0x1000:w:q",
        "mem:0x1000:w:", "mem:0x1000:",    "mem:0x1000::u",  "mem:0x10000000000000000",
        "mem: 0x1000",   "mem:+5",         "mem:0x1000:u:w", "mem:0x1000/0x8g",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        refused(&nowhere, names[i], -EINVAL, NULL);
}

TEST(surrounding_white_space_is_not_part_of_a_name)
{
    struct event event;
    assert_int_equal(event_resolve(&nowhere, " \tpage-faults:u \n", &event, NULL), 0);
    assert_string_equal(event.name, "page-faults:u");
    event_release(&event);
}

TEST(hostile_names_get_an_error_and_nothing_else)
{
    char longest[100000];
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    refused(&nowhere, longest, -EINVAL, WORDS("longer than"));
    longest[512] = '\0';
    refused(&nowhere, longest, -EINVAL, WORDS("longer than"));
    longest[511] = '\0';
    refused(&nowhere, longest, -ENOENT, NULL);
    memcpy(longest, "mem:", 4);
    refused(&nowhere, longest, -EINVAL, NULL);
    memset(longest, ':', 511);
    refused(&nowhere, longest, -ENOENT, NULL);
    memset(longest, '/', 511);
    refused(&nowhere, longest, -EINVAL, NULL);

    static const struct {
        const char *name;
        int code;
    } cases[] = {
        {"", -EINVAL},
        {"   ", -EINVAL},
        {"page\x01-faults", -EINVAL},
        {"\x1b[2J", -EINVAL},
        {"page-faults\x7f", -EINVAL},
        {"page-f\xc3\xa4ults", -EINVAL},
        {"page\nfaults", -EINVAL},
        {":", -EINVAL},
        {":u", -ENOENT},
        {"::", -ENOENT},
        {"/", -EINVAL},
        {"//", -EINVAL},
        {"%s%n%s", -ENOENT},
        {"r", -ENOENT},
        {"rx", -ENOENT},
        {"r00000000000000001", -EINVAL},
        {"../x/", -EINVAL},
        {"../../proc/self/", -EINVAL},
        {"..:x", -EINVAL},
        {"sched:../../id", -EINVAL},
        {"../events/sched:sched_switch", -EINVAL},
        {"sched:..", -EINVAL},
        {"sched:a b", -EINVAL},
        {"sched:sched_*", -EINVAL},
        {"syscalls:sys_enter:u:u", -ENOENT},
        {"duration_time", -ENOENT},
        {"uprobe:", -EINVAL},
        {"uprobe:/bin/true", -EINVAL},
        {"uprobe::main", -EINVAL},
        {"uretprobe:/bin/true:", -EINVAL},
        {"uprobe:bin/true:main", -EINVAL},
        {"uprobe:/bin/true:main+", -EINVAL},
        {"uprobe:/bin/true:+4", -EINVAL},
        {"uprobe:/bin/true:main+x", -EINVAL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(&nowhere, cases[i].name, cases[i].code, NULL);
}

TEST(a_control_byte_is_named_and_not_echoed)
{
    struct event event;
    struct failure failure = {0};
    assert_int_equal(event_resolve(&nowhere, "page\x1b[31m", &event, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "0x1b"));
    assert_null(strchr(failure.text, '\x1b'));
}

TEST(libpfm_names_without_libpfm_say_so)
{
    refused(&nowhere, "skl::INST_RETIRED:ANY_P", -ENOENT, WORDS("libpfm4", "built without"));
}

TEST(every_kind_has_a_name)
{
    assert_string_equal(event_kind_name(EVENT_HARDWARE), "hardware");
    assert_string_equal(event_kind_name(EVENT_PFM), "pfm");
    assert_string_equal(event_kind_name((enum event_kind)99), "unknown");
}

/* A table that knows one name, to see when it is asked. */
static int known_to_table(const char *name, struct event *event, struct failure *failure)
{
    if (strcmp(name, "x::Y") != 0 && strcmp(name, "A:B") != 0)
        return fail_with(failure, -ENOENT, "the table has no %s", name);
    event->kind = EVENT_PFM;
    event->attr.config = 77;
    return 0;
}

TEST(a_plugged_in_table_is_asked_for_what_no_form_knows)
{
    static const struct event_resolver table = {"table", known_to_table, NULL};
    struct event_view view = nowhere;
    view.resolver = &table;
    struct event event = resolved(&view, "x::Y");
    assert_int_equal(event.attr.config, 77);
    event_release(&event);
    event = resolved(&view, "A:B");
    assert_int_equal(event.kind, EVENT_PFM);
    event_release(&event);
    refused(&view, "x::Z", -ENOENT, WORDS("the table has no x::Z"));
    refused(&view, "page-faultz", -ENOENT, WORDS("page-faults"));
}
