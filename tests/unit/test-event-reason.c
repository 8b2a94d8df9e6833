/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why an event cannot be opened, on machines that refuse it for different reasons. */
#include "case.h"
#include "recorded.h"

#define STATUS(seccomp, capabilities)                                                              \
    "Name:\ttest\nSeccomp:\t" seccomp "\nCapEff:\t" capabilities "\nSeccomp_filters:\t0\n"
#define ORDINARY "0000000000000000"
#define ROOT     "000001ffffffffff"
#define PERFMON  "0000004000000000"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

struct reason_case {
    const char *what;
    const struct tree_file files[6];
    const char *event;
    int error;
    const char *words[4];
    const char *never; /* a word that would mislead here */
};

static const struct reason_case cases[] = {
    {"a VM that does not say which",
     {{"/proc/cpuinfo", "flags\t: fpu vme hypervisor lahf_lm\n"}},
     "instructions:u",
     ENOENT,
     {"virtual machine", "hypervisor", "pmu=on", "Software events"},
     "firmware"},
    {"VMware",
     {{"/proc/cpuinfo", "flags\t: fpu hypervisor\n"},
      {"/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n"}},
     "cycles",
     ENOENT,
     {"VMware", "vpmc.enable"},
     "QEMU"},
    {"Firecracker, to root",
     {{"/proc/cpuinfo", "flags\t: fpu hypervisor\n"},
      {"/sys/firmware/acpi/tables/DSDT",
       "DSDTllllrcFIRECKFCVMDSDT and more than fits a small buffer"
       " of the firmware's own language"}},
     "cycles",
     ENOENT,
     {"on Firecracker", "offers no counters, whatever is set"},
     "To change that"},
    {"Hyper-V",
     {{"/proc/cpuinfo", "flags\t: fpu hypervisor\n"},
      {"/sys/class/dmi/id/product_name", "Virtual Machine\n"},
      {"/sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n"}},
     "L1-dcache-loads",
     ENOENT,
     {"Hyper-V", "Set-VMProcessor"},
     NULL},
    {"a vendor's real machine is no VM",
     {{"/proc/cpuinfo", "flags\t: fpu\n"},
      {"/sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n"}},
     "instructions",
     ENOENT,
     {"driver", "dmesg"},
     "Hyper-V"},
    {"an Arm guest that only its firmware names",
     {{"/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n"},
      {"/sys/class/dmi/id/product_name", "KVM Virtual Machine\n"},
      {"/sys/class/dmi/id/sys_vendor", "QEMU\n"}},
     "instructions",
     ENOENT,
     {"virtual machine on KVM", "pmu=on"},
     "dmesg"},
    {"an Arm guest on a board that exists in no hardware",
     {{"/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n"},
      {"/proc/device-tree/compatible", "linux,dummy-virt"}},
     "instructions",
     ENOENT,
     {"virtual machine", "-icount shift=0", "pmu=off"},
     "dmesg"},
    {"bare metal without a PMU driver",
     {{"/proc/cpuinfo", "flags\t: fpu vme\n"}},
     "instructions",
     ENOENT,
     {"driver", "dmesg"},
     "virtual machine"},
    {"a PMU that lacks the event",
     {{DEVICES "cpu/type", "4\n"}, {"/proc/cpuinfo", "flags\t: hypervisor\n"}},
     "node-loads",
     ENOENT,
     {"no such event"},
     "hypervisor"},
    {"an ordinary user where there is no PMU either",
     {{PARANOID, "2\n"},
      {DEVICES "software/type", "1\n"},
      {"/proc/cpuinfo", "flags\t: fpu hypervisor\n"},
      {"/proc/self/status", STATUS("0", ORDINARY)}},
     "instructions",
     EACCES,
     {"does not pass a PMU on", "perf_event_paranoid is 2"},
     "(:u)"},
    {"an ordinary user at level 2",
     {{PARANOID, "2\n"}, {"/proc/self/status", STATUS("0", ORDINARY)}},
     "instructions:k",
     EACCES,
     {"perf_event_paranoid is 2", ":u", "sysctl kernel.perf_event_paranoid=1", "cap_perfmon"},
     NULL},
    {"an ordinary user and a PMU without modes",
     {{PARANOID, "2\n"},
      {DEVICES "msr/type", "9\n"},
      {DEVICES "msr/format/event", "config:0-63\n"},
      {"/proc/self/status", STATUS("0", ORDINARY)}},
     "msr/event=0/",
     EACCES,
     {"perf_event_paranoid is 2"},
     ":u"},
    {"an ordinary user and an Arm PMU's alias written bare",
     {{PARANOID, "2\n"},
      {DEVICES "armv8_pmuv3_0/type", "8\n"},
      {DEVICES "armv8_pmuv3_0/cpus", "0-3\n"},
      {DEVICES "armv8_pmuv3_0/format/event", "config:0-15\n"},
      {DEVICES "armv8_pmuv3_0/events/inst_retired", "event=0x0008\n"}},
     "inst_retired",
     EACCES,
     {"perf_event_paranoid is 2", "(:u)"},
     NULL},
    {"what happens in the kernel cannot be counted in user mode",
     {{PARANOID, "2\n"}, {"/proc/self/status", STATUS("0", ORDINARY)}},
     "context-switches",
     EACCES,
     {"perf_event_paranoid is 2", "paranoid=1", "zero"},
     "(:u)"},
    {"but a system call's own can",
     {{PARANOID, "2\n"}, {"/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", "51\n"}},
     "syscalls:sys_enter_getppid",
     EACCES,
     {"perf_event_paranoid is 2", "(:u)"},
     "zero"},
    {"a rootless container's root",
     {{PARANOID, "2\n"},
      {"/proc/self/status", STATUS("0", ROOT)},
      {"/proc/self/uid_map", "         0       1000          1\n"}},
     "instructions",
     EACCES,
     {"perf_event_paranoid is 2", "user namespace", "host"},
     "security module"},
    {"a machine of the lab, which sudo does not outlive",
     {{PARANOID, "3\n"},
      {"/etc/os-release", "ID=assay-lab\nPRETTY_NAME=\"assay lab\"\n"},
      {"/proc/self/status", STATUS("0", ORDINARY)}},
     "instructions:u",
     EACCES,
     {"perf_event_paranoid is 3", "--via lab:aarch64,paranoid=2", "user=nobody"},
     "sudo"},
    {"a distribution's level 4",
     {{PARANOID, "4\n"}, {"/proc/self/status", STATUS("0", ORDINARY)}},
     "instructions:u",
     EACCES,
     {"perf_event_paranoid is 4", "every event", "perf_event_paranoid=2"},
     NULL},
    {"capable, yet denied",
     {{PARANOID, "2\n"},
      {"/proc/self/status", STATUS("0", PERFMON)},
      {"/proc/self/uid_map", "         0          0 4294967295\n"}},
     "instructions",
     EACCES,
     {"security module"},
     "sysctl"},
    {"seccomp in a container",
     {{"/proc/self/status", STATUS("2", ROOT)}, {"/.dockerenv", ""}},
     "page-faults",
     EPERM,
     {"seccomp", "container", "PERFMON"},
     NULL},
    {"seccomp elsewhere",
     {{PARANOID, "2\n"}, {"/proc/self/status", STATUS("2", ROOT)}},
     "page-faults",
     ENOSYS,
     {"seccomp", "sandbox"},
     "CONFIG_PERF_EVENTS"},
    {"seccomp on a machine that was made from a container's image",
     {{"/proc/self/status", STATUS("2", ROOT)},
      {"/.dockerenv", ""},
      {"/proc/self/ns/pid", "-> pid:[4026531836]"}},
     "page-faults",
     EPERM,
     {"seccomp", "whatever started this process"},
     "the container's"},
    {"seccomp in a container without a marker",
     {{"/proc/self/status", STATUS("2", ROOT)}, {"/proc/self/ns/pid", "-> pid:[4026532001]"}},
     "page-faults",
     EPERM,
     {"the container's seccomp profile"},
     "whatever started"},
    {"seccomp that denies root",
     {{PARANOID, "2\n"},
      {"/proc/self/status", STATUS("2", PERFMON)},
      {"/proc/self/uid_map", "         0          0 4294967295\n"}},
     "page-faults",
     EACCES,
     {"seccomp"},
     "security module"},
    {"seccomp, and an operating system without the call",
     {{"/proc/self/status", STATUS("2", ROOT)}},
     "page-faults",
     ENOSYS,
     {"CONFIG_PERF_EVENTS"},
     "seccomp"},
    {"no such system call",
     {{"/proc/self/status", STATUS("0", ROOT)}},
     "page-faults",
     ENOSYS,
     {"CONFIG_PERF_EVENTS", "gVisor"},
     "seccomp"},
    {"a kernel address", {{NULL, NULL}}, "mem:0x1000:w", EPERM, {"breakpoint", "root"}, NULL},
    {"a PMU that refuses modes",
     {{DEVICES "msr/type", "9\n"}, {DEVICES "msr/format/event", "config:0-63\n"}},
     "msr/event=0/u",
     EINVAL,
     {"modes", "leave the modifiers out"},
     NULL},
    {"a core PMU that refuses the fields, not the modes",
     {{DEVICES "cpu_core/type", "8\n"},
      {DEVICES "cpu_core/cpus", "0-3\n"},
      {DEVICES "cpu_core/format/event", "config:0-7\n"}},
     "cpu_core/event=0xff/u",
     EINVAL,
     {"combination of fields"},
     "cannot tell processor modes"},
    {"an uncore PMU",
     {{DEVICES "uncore/type", "14\n"}, {DEVICES "uncore/format/event", "config:0-7\n"}},
     "uncore/event=1/",
     EINVAL,
     {"whole CPUs"},
     "modifiers"},
    {"reserved bits", {{NULL, NULL}}, "rffffffff", EINVAL, {"reserved bits"}, NULL},
    {"an odd address", {{NULL, NULL}}, "mem:0x1001:w", EINVAL, {"multiple"}, NULL},
    {"no slot", {{NULL, NULL}}, "mem:0x1000:w", ENOSPC, {"breakpoint registers", "4"}, NULL},
    {"no counter", {{NULL, NULL}}, "instructions", ENOSPC, {"no counter left"}, "breakpoint"},
    {"busy", {{NULL, NULL}}, "instructions", EBUSY, {"another profiler"}, "watchdog"},
    {"busy, with a watchdog",
     {{"/proc/sys/kernel/nmi_watchdog", "1\n"}},
     "instructions",
     EBUSY,
     {"nmi_watchdog=0", "another profiler"},
     NULL},
    {"busy, without a watchdog",
     {{"/proc/sys/kernel/nmi_watchdog", "0\n"}},
     "instructions",
     EBUSY,
     {"another profiler"},
     "watchdog"},
    {"descriptors", {{NULL, NULL}}, "instructions", EMFILE, {"this process", "ulimit -n"}, NULL},
    {"no device",
     {{"/proc/cpuinfo", "flags\t: hypervisor\n"}},
     "instructions",
     ENODEV,
     {"virtual machine"},
     NULL},
    {"cannot", {{DEVICES "cpu/type", "4\n"}}, "cycles:I", EOPNOTSUPP, {"without modifiers"}, NULL},
    {"an errno nobody expects", {{NULL, NULL}}, "page-faults", EXDEV, {"perf_event_open"}, NULL},
};

TEST(each_errno_is_explained_by_the_machine_s_situation)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct reason_case *one = &cases[i];
        struct recorded machine;
        char reason[1024];
        recorded_begin(&machine, one->files);
        struct event event = resolved(&machine.view, one->event);
        event_open_reason(&machine.view, &event, one->error, reason, sizeof(reason));
        for (size_t w = 0; w < 4 && one->words[w]; w++) {
            if (!strstr(reason, one->words[w]))
                print_error("%s: no \"%s\" in: %s\n", one->what, one->words[w], reason);
            assert_non_null(strstr(reason, one->words[w]));
        }
        if (one->never && strstr(reason, one->never))
            print_error("%s: \"%s\" in: %s\n", one->what, one->never, reason);
        assert_true(!one->never || !strstr(reason, one->never));
        assert_true(strlen(reason) < 500); /* what a probe can hand on */
        event_release(&event);
        recorded_end(&machine);
    }
}

/* Whoever opened the view may know more than files tell every user. */
TEST(what_is_known_of_the_hypervisor_is_said_as_doctor_says_it)
{
    static const struct tree_file guest[] = {{"/proc/cpuinfo", "flags\t: fpu hypervisor\n"},
                                             {NULL, NULL}};
    static const struct {
        const char *name, *vpmu, *fix, *said;
    } guests[] = {
        {"KVM", "KVM passes them on when started so.", "QEMU: pmu=on\nlibvirt: state='on'",
         "virtual machine on KVM whose hypervisor does not pass a PMU on. KVM passes them on when "
         "started so. To change that: QEMU: pmu=on; or libvirt: state='on'. Software events"},
        {"microVM", "its monitor offers none.", "",
         "a virtual machine whose hypervisor does not pass a PMU on. Its monitor offers none. "
         "Software events"},
    };
    for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++) {
        struct recorded machine;
        char reason[1024];
        recorded_begin(&machine, guest);
        machine.view.hypervisor = guests[i].name;
        machine.view.vpmu = guests[i].vpmu;
        machine.view.vpmu_fix = guests[i].fix;
        struct event event = resolved(&machine.view, "instructions:u");
        event_open_reason(&machine.view, &event, ENOENT, reason, sizeof(reason));
        if (!strstr(reason, guests[i].said))
            fail_msg("%s", reason);
        event_release(&event);
        recorded_end(&machine);
    }
}

TEST(uprobes_need_a_capability_whatever_the_level)
{
    struct event_view view = {.root = "/nonexistent", .tracefs = -1};
    struct event event = {.kind = EVENT_UPROBE};
    char reason[1024];
    event_open_reason(&view, &event, EACCES, reason, sizeof(reason));
    assert_non_null(strstr(reason, "CAP_PERFMON"));
    event_open_reason(&view, &event, EINVAL, reason, sizeof(reason));
    assert_non_null(strstr(reason, "instruction"));
}
