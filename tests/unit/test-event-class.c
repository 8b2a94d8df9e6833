/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What events claim to count. */
#include "case.h"
#include "recorded.h"

static const struct recorded_file machine_files[] = {
    {DEVICES "cpu/type", "4\n"},
    {DEVICES "cpu/format/event", "config:0-7\n"},
    {DEVICES "cpu/format/umask", "config:8-15\n"},
    {DEVICES "cpu/events/instructions", "event=0xc0\n"},
    {DEVICES "cpu/events/branch-instructions", "event=0xc4\n"},
    {DEVICES "cpu/events/tsc", "event=0x1\n"},
    {DEVICES "armv8_pmuv3_0/type", "8\n"},
    {DEVICES "armv8_pmuv3_0/cpus", "0\n"},
    {DEVICES "armv8_pmuv3_0/format/event", "config:0-15\n"},
    {DEVICES "armv8_pmuv3_0/events/inst_retired", "event=0x8\n"},
    {DEVICES "cpu_atom/type", "10\n"},
    {DEVICES "cpu_atom/cpus", "4-7\n"},
    {DEVICES "msr/type", "9\n"},
    {DEVICES "msr/format/event", "config:0-63\n"},
    {DEVICES "msr/events/tsc", "event=0x00\n"},
    {DEVICES "software/type", "1\n"},
    {"/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "20\n"},
    {"/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", "305\n"},
    {"/sys/kernel/tracing/events/sched/sched_switch/id", "281\n"},
    {NULL, NULL},
};

TEST(classes_are_the_same_words_on_every_machine)
{
    static const struct {
        const char *name, *class;
    } cases[] = {
        {"instructions", "instructions"},
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
        {"mem:0x1000", "breakpoint-access"},
    };
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
    } cases[] = {
        {"amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", "instructions"},
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
        {"arm_n1::LD_SPEC", NULL},
    };
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
