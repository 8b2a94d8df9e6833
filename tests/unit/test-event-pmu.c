/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events of PMUs that sysfs describes, on three machines we do not have: an x86 server with an
 * uncore PMU, an Arm board, a hybrid desktop. */
#include "case.h"
#include "recorded.h"

static const struct tree_file server[] = TABLE(
    {DEVICES "cpu/type", "4\n"}, {DEVICES "cpu/format/event", "config:0-7,32-35\n"},
    {DEVICES "cpu/format/umask", "config:8-15\n"}, {DEVICES "cpu/format/inv", "config:23\n"},
    {DEVICES "cpu/format/cmask", "config:24-31\n"}, {DEVICES "cpu/format/ldlat", "config1:0-15\n"},
    {DEVICES "cpu/format/all", "config2:0-63\n"}, {DEVICES "cpu/format/third", "config3:0-7\n"},
    {DEVICES "cpu/format/broken", "config9:0-7\n"}, {DEVICES "cpu/format/reversed", "config:7-0\n"},
    {DEVICES "cpu/format/beyond", "config:60-64\n"},
    {DEVICES "cpu/events/cpu-cycles", "event=0x3c\n"},
    {DEVICES "cpu/events/instructions", "event=0xc0\n"},
    {DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
    {DEVICES "cpu/events/chained", "mem-loads\n"}, {DEVICES "cpu/events/itself", "itself\n"},
    {DEVICES "cpu/events/open", "event=0x1,umask=?\n"}, {DEVICES "uncore_imc_0/type", "14\n"},
    {DEVICES "uncore_imc_0/cpumask", "0\n"}, {DEVICES "uncore_imc_0/format/event", "config:0-7\n"},
    {DEVICES "uncore_imc_0/events/cas_count_read", "event=0x04\n"},
    {DEVICES "uncore_imc_0/events/cas_count_read.scale", "6.1e-5\n"},
    {DEVICES "uncore_imc_0/events/cas_count_read.unit", "MiB\n"},
    {DEVICES "nonsense/type", "many\n"}, {NULL, NULL});

static const struct tree_file arm[] = {
    {DEVICES "armv8_pmuv3_0/type", "8\n"},
    {DEVICES "armv8_pmuv3_0/cpus", "0-3\n"},
    {DEVICES "armv8_pmuv3_0/format/event", "config:0-15\n"},
    {DEVICES "armv8_pmuv3_0/format/long", "config1:0\n"},
    {DEVICES "armv8_pmuv3_0/format/rdpmc", "config1:1\n"},
    {DEVICES "armv8_pmuv3_0/events/inst_retired", "event=0x0008\n"},
    {DEVICES "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n"},
    {NULL, NULL},
};

static const struct tree_file hybrid[] =
    TABLE({DEVICES "cpu_core/type", "4\n"}, {DEVICES "cpu_core/cpus", "0-11\n"},
          {DEVICES "cpu_core/format/event", "config:0-7\n"},
          {DEVICES "cpu_core/format/umask", "config:8-15\n"},
          {DEVICES "cpu_core/events/slots", "event=0x00,umask=0x4\n"},
          {DEVICES "cpu_core/events/mem-loads", "event=0xcd\n"}, {DEVICES "cpu_atom/type", "10\n"},
          {DEVICES "cpu_atom/cpus", "12-19\n"}, {DEVICES "cpu_atom/format/event", "config:0-7\n"},
          {DEVICES "cpu_atom/events/mem-stores", "event=0xd0\n"},
          {DEVICES "cpu_atom/events/mem-loads", "event=0xd0\n"}, {NULL, NULL});

struct expected {
    const char *name;
    uint32_t type;
    uint64_t config, config1, config2;
};

static void expect_all(const struct event_view *view, const struct expected *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct event event = resolved(view, cases[i].name);
        if (event.attr.config != cases[i].config)
            print_error("%s: config %#llx\n", cases[i].name, (unsigned long long)event.attr.config);
        assert_int_equal(event.kind, EVENT_PMU);
        assert_int_equal(event.attr.type, cases[i].type);
        assert_int_equal(event.attr.config, cases[i].config);
        assert_int_equal(event.attr.config1, cases[i].config1);
        assert_int_equal(event.attr.config2, cases[i].config2);
        event_release(&event);
    }
}

TEST(terms_fill_the_fields_sysfs_describes)
{
    static const struct expected cases[] = {
        {"cpu/event=0xc0/", 4, 0xc0, 0, 0},
        {"cpu/event=192,umask=2/", 4, 0x2c0, 0, 0},
        {"cpu/event=0x1d0/", 4, 0x1000000d0, 0, 0}, /* the field continues at bit 32 */
        {"cpu/event=0xfff/", 4, 0xf000000ff, 0, 0},
        {"cpu/event=0xc0,inv,cmask=0x10/", 4, 0x108000c0, 0, 0},
        {"cpu/inv=0/", 4, 0, 0, 0},
        {"cpu/event=1,event=2/", 4, 2, 0, 0},
        {"cpu/config=0x1234,config1=5,config2=0xffffffffffffffff/", 4, 0x1234, 5, UINT64_MAX},
        {"cpu/ldlat=7,all=9/", 4, 0, 7, 9},
        {"cpu/r1a8/", 4, 0x1a8, 0, 0},
        {"cpu/instructions/", 4, 0xc0, 0, 0},
        /* no alias of that name: the generic event, in words that every kernel takes */
        {"cpu/cycles/", PERF_TYPE_HARDWARE, 0, 0, 0},
        {"cpu/LLC-loads/", PERF_TYPE_HW_CACHE, 2, 0, 0},
        {"cpu/mem-loads/", 4, 0x1cd, 3, 0},
        {"cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30, 0},
        {"cpu//", 4, 0, 0, 0},
        {"mem-loads", 4, 0x1cd, 3, 0}, /* a core PMU's alias needs no slashes */
        {"mem-loads:u", 4, 0x1cd, 3, 0},
        {"uncore_imc_0/cas_count_read/", 14, 4, 0, 0},
    };
    struct recorded machine;
    recorded_begin(&machine, server);
    expect_all(&machine.view, cases, sizeof(cases) / sizeof(cases[0]));
    recorded_end(&machine);
}

TEST(wrong_terms_say_what_is_wrong)
{
    struct recorded machine;
    recorded_begin(&machine, server);
    const struct event_view *view = &machine.view;
    refused(view, "cpu/event=0x1000/", -EINVAL, WORDS("does not fit", "12 bits"));
    refused(view, "cpu/umask=0x100/", -EINVAL, WORDS("8 bits"));
    refused(view, "cpu/inv=2/", -EINVAL, WORDS("1 bits"));
    refused(view, "cpu/event=0x10000000000000000/", -EINVAL, WORDS("64-bit"));
    refused(view, "cpu/event=abc/", -EINVAL, WORDS("number"));
    refused(view, "cpu/event=0x0x1/", -EINVAL, WORDS("number"));
    refused(view, "cpu/event=/", -EINVAL, WORDS("empty"));
    refused(view, "cpu/=1/", -EINVAL, WORDS("empty"));
    refused(view, "cpu/event=1,/", -EINVAL, WORDS("empty"));
    refused(view, "cpu/config/", -EINVAL, WORDS("needs a value"));
    refused(view, "cpu/event=1", -EINVAL, WORDS("closing slash"));
    refused(view, "cpu/event=1/z", -EINVAL, WORDS("no modifier"));
    refused(view, "cpu/event=1/u/", -EINVAL, WORDS("no modifier"));
    refused(view, "cpu/period=1000/", -EINVAL, WORDS("period", "counts"));
    refused(view, "cpu/broken=1/", -EINVAL, WORDS("cannot be understood"));
    refused(view, "cpu/reversed=1/", -EINVAL, WORDS("cannot be understood"));
    refused(view, "cpu/beyond=1/", -EINVAL, WORDS("cannot be understood"));
    refused(view, "cpu/open/", -EINVAL, WORDS("umask", "open"));
    refused(view, "cpu/evnt=1/", -ENOENT, WORDS("evnt", "event"));
    refused(view, "cpu/instruction/", -ENOENT, WORDS("did you mean instructions"));
    refused(view, "cpu/../type/", -ENOENT, NULL);
    refused(view, "cpu/..=1/", -ENOENT, NULL);
    refused(view, "cpu/cas_count_read.scale/", -ENOENT, NULL);
    refused(view, "uncore_imc_0/cas_count_read.scale/", -ENOENT, NULL);
    refused(view, "cas_count_read", -ENOENT, WORDS("uncore_imc_0/cas_count_read/"));
    refused(view, "cpus/event=1/", -ENOENT, WORDS("no PMU", "did you mean cpu"));
    refused(view, "nonsense/x/", -ENOENT, NULL);
    refused(view, "cpu/chained/", -ENOENT, NULL); /* an alias of an alias would never end */
    refused(view, "cpu/itself/", -ENOENT, NULL);
    recorded_end(&machine);
}

TEST(config3_is_set_or_refused_but_never_dropped)
{
    struct recorded machine;
    recorded_begin(&machine, server);
#ifdef PERF_ATTR_SIZE_VER8
    struct event event = resolved(&machine.view, "cpu/third=5/");
    assert_int_equal(event.attr.config3, 5);
    event_release(&event);
#else
    refused(&machine.view, "cpu/third=5/", -EINVAL, WORDS("config3"));
    refused(&machine.view, "cpu/config3=5/", -EINVAL, WORDS("config3"));
#endif
    recorded_end(&machine);
}

TEST(an_arm_pmu_is_a_core_pmu_by_its_cpus)
{
    static const struct expected cases[] = {
        {"armv8_pmuv3_0/inst_retired/", 8, 0x8, 0, 0},
        {"armv8_pmuv3_0/inst_retired,long,rdpmc/", 8, 0x8, 3, 0},
        {"armv8_pmuv3_0/event=0xffff/", 8, 0xffff, 0, 0},
        {"cpu_cycles", 8, 0x11, 0, 0},
    };
    struct recorded machine;
    recorded_begin(&machine, arm);
    expect_all(&machine.view, cases, sizeof(cases) / sizeof(cases[0]));
    refused(&machine.view, "cpu/instructions/", -ENOENT, WORDS("armv8_pmuv3_0"));
    recorded_end(&machine);
}

TEST(hybrid_core_types_are_named_in_the_upper_half_of_config)
{
    static const struct expected cases[] = {
        {"cpu_core/instructions/", PERF_TYPE_HARDWARE, 0x400000001, 0, 0},
        {"cpu_atom/instructions/u", PERF_TYPE_HARDWARE, 0xa00000001, 0, 0},
        {"cpu_atom/L1-dcache-load-misses/", PERF_TYPE_HW_CACHE, 0xa00010000, 0, 0},
        {"cpu_core/slots/", 4, 0x400, 0, 0},
        {"slots", 4, 0x400, 0, 0},
        {"mem-stores", 10, 0xd0, 0, 0},
        {"mem-loads", 4, 0xcd, 0, 0}, /* on the cores that bare "instructions" counts on */
    };
    struct recorded machine;
    recorded_begin(&machine, hybrid);
    expect_all(&machine.view, cases, sizeof(cases) / sizeof(cases[0]));
    struct event event = resolved(&machine.view, "instructions");
    assert_int_equal(event.attr.type, PERF_TYPE_HARDWARE);
    assert_int_equal(event.attr.config, 1); /* the operating system chooses the core type */
    event_release(&event);
    refused(&machine.view, "cpu_atom/instructions,umask=1/", -ENOENT, NULL);
    refused(&machine.view, "cpu_core/instructions,umask=1/", -EINVAL, WORDS("alone"));
    refused(&machine.view, "cpu_core/page-faults/", -ENOENT, NULL);
    recorded_end(&machine);
}

struct listed {
    char names[4096];
};

static int collect(void *context, const char *name, enum event_kind kind)
{
    struct listed *listed = context;
    size_t used = strlen(listed->names);
    snprintf(listed->names + used, sizeof(listed->names) - used, "%s=%s ", name,
             event_kind_name(kind));
    return 0;
}

static int stop_at_once(void *context, const char *name, enum event_kind kind)
{
    (void)name;
    (void)kind;
    ++*(int *)context;
    return 42;
}

TEST(lists_hold_generic_names_and_aliases_without_their_units)
{
    struct recorded machine;
    recorded_begin(&machine, server);
    struct listed all = {0}, some = {0};
    assert_int_equal(event_list(&machine.view, NULL, collect, &all), 0);
    assert_non_null(strstr(all.names, "instructions=hardware "));
    assert_non_null(strstr(all.names, "page-faults=software "));
    assert_non_null(strstr(all.names, "dTLB-store-misses=cache "));
    assert_non_null(strstr(all.names, "cpu/mem-loads/=pmu "));
    assert_null(strstr(all.names, ".scale"));
    assert_null(strstr(all.names, " faults="));
    assert_int_equal(event_list(&machine.view, "uncore*", collect, &some), 0);
    assert_string_equal(some.names, "uncore_imc_0/cas_count_read/=pmu ");
    int calls = 0;
    assert_int_equal(event_list(&machine.view, "", stop_at_once, &calls), 42);
    assert_int_equal(calls, 1);
    recorded_end(&machine);
}
