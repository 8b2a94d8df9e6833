/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that need no description of the machine: generic, raw, breakpoints, modifiers; and names
 * that are wrong or meant to do harm. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "events/event.h"
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
    } cases[] = {{"cycles", EVENT_HARDWARE, PERF_TYPE_HARDWARE, 0},
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
                 {"rFFFFFFFFFFFFFFFF", EVENT_RAW, PERF_TYPE_RAW, UINT64_MAX}};
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
    } cases[] = {{"instructions", 0},       {"instructions:u", 0x60}, {"instructions:k", 0xa0},
                 {"instructions:uk", 0},    {"instructions:ku", 0},   {"instructions:h", 0xc0},
                 {"instructions:uh", 0x40}, {"instructions:ukh", 0},  {"instructions:G", 0x08},
                 {"instructions:H", 0x04},  {"instructions:GH", 0},   {"instructions:I", 0x10},
                 {"instructions:uD", 0x62}, {"instructions:e", 0x01}, {"r1c2:k", 0xa0},
                 {"mem:0x1000:w:u", 0x60},  {"mem:0x1000:k", 0xa0}};
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
    } cases[] = {{"mem:0x1000", 0x1000, 4, HW_BREAKPOINT_RW},
                 {"mem:4096/8", 4096, 8, HW_BREAKPOINT_RW},
                 {"mem:0x1000:w", 0x1000, 4, HW_BREAKPOINT_W},
                 {"mem:0x1000/1:rw", 0x1000, 1, HW_BREAKPOINT_RW},
                 {"mem:0x1000/2:wr:u", 0x1000, 2, HW_BREAKPOINT_RW},
                 {"mem:0xffffffffffffffff:x", UINT64_MAX, sizeof(long), HW_BREAKPOINT_X}};
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

    static const char *const malformed[] =
        TABLE("", "   ", "page\x01-faults", "\x1b[2J", "page-faults\x7f", "page-f\xc3\xa4ults",
              "page\nfaults", ":", "/", "//", "r00000000000000001", "../x/", "../../proc/self/",
              "..:x", "sched:../../id", "../events/sched:sched_switch", "sched:..", "sched:a b",
              "sched:sched_*", "uprobe:", "uprobe:/bin/true", "uprobe::main",
              "uretprobe:/bin/true:", "uprobe:bin/true:main", "uprobe:/bin/true:main+",
              "uprobe:/bin/true:+4", "uprobe:/bin/true:main+x");
    static const char *const unknown[] = {
        ":u", "::", "%s%n%s", "r", "rx", "syscalls:sys_enter:u:u", "duration_time"};
    for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++)
        refused(&nowhere, malformed[i], -EINVAL, NULL);
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
        refused(&nowhere, unknown[i], -ENOENT, NULL);
}

TEST(a_control_byte_is_named_and_not_echoed)
{
    struct event event;
    struct failure failure = {0};
    assert_int_equal(event_resolve(&nowhere, "page\x1b[31m", &event, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "0x1b"));
    assert_null(strchr(failure.text, '\x1b'));
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

/* --- what events claim to count --- */

static const struct tree_file machine_files[] = TABLE(
    {DEVICES "cpu/type", "4\n"}, {DEVICES "cpu/format/event", "config:0-7\n"},
    {DEVICES "cpu/format/umask", "config:8-15\n"},
    {DEVICES "cpu/events/instructions", "event=0xc0\n"},
    {DEVICES "cpu/events/branch-instructions", "event=0xc4\n"},
    {DEVICES "cpu/events/tsc", "event=0x1\n"}, {DEVICES "armv8_pmuv3_0/type", "8\n"},
    {DEVICES "armv8_pmuv3_0/cpus", "0\n"}, {DEVICES "armv8_pmuv3_0/format/event", "config:0-15\n"},
    {DEVICES "armv8_pmuv3_0/events/inst_retired", "event=0x8\n"}, {DEVICES "cpu_atom/type", "10\n"},
    {DEVICES "cpu_atom/cpus", "4-7\n"}, {DEVICES "msr/type", "9\n"},
    {DEVICES "msr/format/event", "config:0-63\n"}, {DEVICES "msr/events/tsc", "event=0x00\n"},
    {DEVICES "software/type", "1\n"},
    {"/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "20\n"},
    {"/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", "305\n"},
    {"/sys/kernel/tracing/events/sched/sched_switch/id", "281\n"}, {NULL, NULL});

TEST(classes_are_the_same_words_on_every_machine)
{
    static const struct {
        const char *name, *class;
    } cases[] = {{"instructions", "instructions"},
                 {"instructions:u", "instructions"},
                 {"cycles:k", "cycles"},
                 {"ref-cycles", "ref-cycles"},
                 {"branches", "branches"},
                 {"branch-misses", "branch-misses"},
                 {"L1-dcache-load-misses", "l1d-load-misses"},
                 {"dTLB-stores", "dtlb-stores"},
                 {"branch-loads", "branches"},
                 {"page-faults:uk", "page-faults"},
                 {"minor-faults", "minor-faults"},
                 {"major-faults", "major-faults"},
                 {"cs", "context-switches"},
                 {"migrations", "cpu-migrations"},
                 {"task-clock", "task-clock"},
                 {"cpu-clock", "cpu-clock"},
                 {"alignment-faults", "alignment-faults"},
                 {"dummy", NULL},
                 {"raw_syscalls:sys_enter", "syscalls"},
                 {"raw_syscalls:sys_enter:k", "syscalls"},
                 {"syscalls:sys_enter_getppid:u", "getppid-calls"},
                 {"sched:sched_switch", NULL},
                 {"msr/tsc/", "ticks"},
                 {"cpu/tsc/", NULL}, /* a core PMU's tsc would be something else */
                 {"cpu/instructions/u", "instructions"},
                 {"cpu/branch-instructions/", "branches"},
                 {"cpu/instructions,umask=1/", NULL}, /* a further term changes the meaning */
                 {"cpu/event=0xc0/", NULL},
                 {"cpu_atom/instructions/u", "instructions"},
                 {"cpu_atom/L1-dcache-loads/", "l1d-loads"},
                 {"armv8_pmuv3_0/inst_retired/u", "instructions"},
                 {"inst_retired:u", "instructions"},
                 {"software/config=2/", "page-faults"},
                 {"r1a8", NULL},
                 {"PAPI_LD_INS:u", "loads"},
                 {"PAPI_LST_INS", NULL}, /* a sum of two classes */
                 {"mem:0x1000:x", "breakpoint-exec"},
                 {"mem:0x1000:w:u", "breakpoint-write"},
                 {"mem:0x1000:r", "breakpoint-read"},
                 {"mem:0x1000", "breakpoint-access"}};
    struct recorded machine;
    recorded_begin(&machine, machine_files);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event event = resolved(&machine.view, cases[i].name);
        const char *class = event_class(&event);
        if (!cases[i].class != !class)
            print_error("%s: %s\n", cases[i].name, class ? class : "none");
        if (cases[i].class)
            assert_string_equal(class, cases[i].class);
        else
            assert_null(class);
        event_release(&event);
    }
    recorded_end(&machine);
}

TEST(libpfm_names_have_classes_by_event_and_umask)
{
    static const struct {
        const char *name, *class;
    } cases[] = {{"amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", "instructions"},
                 {"skl::BR_INST_RETIRED:CONDITIONAL:u", "cond-branches"},
                 {"skl::BR_INST_RETIRED:NEAR_CALL:u:k", "calls"},
                 {"RETIRED_INSTRUCTIONS:u:k", "instructions"},
                 {"skl::", NULL},
                 {"skl::BR_MISP_RETIRED:CONDITIONAL:u", "cond-branch-misses"},
                 {"skl::BR_MISP_RETIRED:ALL_BRANCHES", "branch-misses"},
                 {"skl::MEM_INST_RETIRED:ALL_LOADS:u", "loads"},
                 {"skl::FP_ARITH:256B_PACKED_DOUBLE", NULL},           /* one width only */
                 {"amd64_fam17h_zen2::LS_DISPATCH:LD_DISPATCH", NULL}, /* speculative */
                 {"amd64_fam17h_zen2::RETIRED_NEAR_RETURNS:u", "returns"},
                 {"arm_n1::INST_RETIRED:u", "instructions"},
                 {"arm_n1::INST_SPEC", "instructions-issued"},
                 {"arm_n1::LD_SPEC", NULL}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[64];
        strcpy(name, cases[i].name);
        struct event event = {.name = name, .kind = EVENT_PFM, .attr = {.type = PERF_TYPE_RAW}};
        const char *class = event_class(&event);
        if (cases[i].class)
            assert_string_equal(class, cases[i].class);
        else
            assert_null(class);
    }
}

/* --- events of sources --- */

static const char *const step_classes[] = {"instructions", "instructions-raw", "syscalls", NULL};
static const char *const tool_classes[] = {"loads", NULL};
static const struct event_source sources[] = {
    {"step", step_classes, 0, ""},
    {"tool", tool_classes, ENOENT, "the tool is not installed"},
    {NULL, NULL, 0, NULL},
};

static struct event_view view_with(const struct event_source *table)
{
    return (struct event_view){.root = "/nonexistent", .tracefs = -1, .sources = table};
}

static void assert_resolves(const char *name, const char *counts, const char *class)
{
    struct event_view view = view_with(sources);
    struct event event;
    struct failure failure = {0};
    assert_int_equal(event_resolve(&view, name, &event, &failure), 0);
    assert_int_equal(event.kind, EVENT_SOURCE);
    assert_string_equal(event.counts, counts);
    if (class)
        assert_string_equal(event_class(&event), class);
    else
        assert_null(event_class(&event));
    event_release(&event);
}

static void assert_refused(const struct event_source *table, const char *name, int code,
                           const char *words)
{
    struct event_view view = view_with(table);
    struct event event;
    struct failure failure = {0};
    assert_int_equal(event_resolve(&view, name, &event, &failure), code);
    if (!strstr(failure.text, words))
        fail_msg("'%s' does not say '%s'", failure.text, words);
    event_release(&event);
}

TEST(a_source_and_a_class_make_an_event)
{
    assert_string_equal(event_kind_name(EVENT_SOURCE), "source");
    assert_resolves("step/instructions/", "instructions", "instructions");
    assert_resolves("step/syscalls/u", "syscalls", "syscalls");
    assert_resolves("step/syscalls/:u", "syscalls", "syscalls");
    assert_resolves("  tool/loads/ ", "loads", "loads");
    assert_resolves("step/instructions-raw/", "instructions-raw", NULL); /* it alone sees these */
}

TEST(wrong_names_are_answered_with_the_nearest)
{
    assert_refused(sources, "step/instrutions/", -ENOENT, "did you mean instructions");
    assert_refused(sources, "step/loads/", -ENOENT,
                   "only: instructions, instructions-raw, syscalls");
    assert_refused(sources, "stp/instructions/", -ENOENT, "did you mean step");
    assert_refused(sources, "step/instructions", -EINVAL, "closing slash");
    assert_refused(sources, "step//", -ENOENT, "does not count \"\"");
    assert_refused(sources, "step/instructions/k", -EINVAL, "user code");
    assert_refused(sources, "step/instructions/uk", -EINVAL, "user code");
    assert_refused(sources, "step/instructions/x/", -EINVAL, "user code");
    assert_refused(sources, "step", -ENOENT, "no event is called");
    /* The library must not promise what only the probe can do. */
    assert_refused(NULL, "step/instructions/", -ENOENT, "no PMU \"step\"");
}

TEST(the_reason_of_a_source_that_cannot_count_is_its_own)
{
    struct event_view view = view_with(sources);
    struct event event;
    struct failure failure = {0};
    char reason[256];
    assert_int_equal(event_resolve(&view, "tool/loads/", &event, &failure), 0);
    assert_int_equal(event.source->error, ENOENT);
    event_open_reason(&view, &event, ENOENT, reason, sizeof(reason));
    assert_string_equal(reason, "the tool is not installed");
    event_release(&event);
}

static int gather(void *context, const char *name, enum event_kind kind)
{
    char *list = context;
    if (kind == EVENT_SOURCE) {
        strcat(list, name);
        strcat(list, " ");
    }
    return 0;
}

TEST(all_of_them_are_listed)
{
    struct event_view view = view_with(sources);
    char list[512] = "";
    assert_int_equal(event_list(&view, NULL, gather, list), 0);
    assert_string_equal(list,
                        "step/instructions/ step/instructions-raw/ step/syscalls/ tool/loads/ ");
    list[0] = '\0';
    assert_int_equal(event_list(&view, "*/loads/", gather, list), 0);
    assert_string_equal(list, "tool/loads/ ");
}

/* --- the nearest names --- */

TEST(distance_counts_single_edits)
{
    static const struct {
        const char *one, *other;
        size_t distance;
    } cases[] = {{"", "", 0},        {"abc", "", 3},           {"", "abc", 3},
                 {"abc", "abc", 0},  {"abc", "abd", 1},        {"abc", "ab", 1},
                 {"abc", "xabc", 1}, {"abc", "acb", 1},        {"cycels", "cycles", 1},
                 {"ABC", "abc", 0},  {"kitten", "sitting", 3}, {"page-faults", "page-fualts", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(suggest_distance(cases[i].one, cases[i].other), cases[i].distance);
        assert_int_equal(suggest_distance(cases[i].other, cases[i].one), cases[i].distance);
    }
}

static const char *sentence_for(const char *wanted, const char *const *candidates)
{
    static char sentence[512];
    struct suggestions suggestions = {.wanted = wanted};
    for (; *candidates; candidates++)
        suggest_consider(&suggestions, *candidates);
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return sentence;
}

TEST(the_best_three_come_first)
{
    static const char *const candidates[] = {"branch-loads",  "branches", "instructions",
                                             "branch-misses", "branchez", NULL};
    assert_string_equal(sentence_for("branch", candidates),
                        "; did you mean branches, branchez or branch-loads?");
    assert_string_equal(sentence_for("instructoins", candidates), "; did you mean instructions?");
}

TEST(nothing_near_suggests_nothing)
{
    static const char *const candidates[] = {"instructions", "page-faults", NULL};
    assert_string_equal(sentence_for("zzzzzzzzzz", candidates), "");
    assert_string_equal(sentence_for("x", candidates), "");
}

TEST(names_too_long_to_compare_are_left_out)
{
    char longest[4000];
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    const char *candidates[] = {longest, longest + 3900, NULL};
    assert_string_equal(sentence_for(longest, candidates), "");
    longest[3999 - 1] = '\0';
    assert_int_equal(suggest_distance(longest, "a"), strlen(longest));
}
