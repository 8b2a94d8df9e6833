/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small machines for test-checks.c: what each holds and what its check must say. Every check needs
 * one where all is well, one where something is amiss, and one without what it looks at. */
#pragma once

#include "machine/check.h"
#include "tree.h"

#define CPU     "/sys/devices/system/cpu"
#define PMU     "/sys/bus/event_source/devices"
#define SYSCTL  "/proc/sys/kernel"
#define CLOCK   "/sys/devices/system/clocksource/clocksource0"
#define METAL   "processor : 0\nvendor_id : GenuineIntel\nflags : fpu tsc\n"
#define GUEST   "processor : 0\nvendor_id : GenuineIntel\nflags : fpu hypervisor tsc\n"
#define ROOT_IS "Name:\tassay-probe\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n"
#define USER_IS                                                                                    \
    "Name:\tassay-probe\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nSeccomp:\t0\n"
#define CAGED_IS "Name:\tassay-probe\nUid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\nSeccomp:\t2\n"

struct example {
    const char *check, *name;
    enum check_status status;
    const char *value; /* part of the value */
    const char *why;   /* part of the why; NULL: any */
    const char *fix;   /* part of the fix; NULL: there must be none */
    struct tree_file files[8];
    const char *live; /* content of ROOT/live; NULL: no such file */
};

/* As a table it can be read. */
/* clang-format off */
static const struct example examples[] = {
    /* --- perf-syscall --- */
    {"perf-syscall", "allowed", CHECK_OK, "allowed", NULL, NULL, {{0}}, "perf.dummy = open\n"},
    {"perf-syscall", "refused by a container's filter", CHECK_BAD, "EPERM", "docker",
     "--cap-add PERFMON", {{"/proc/self/status", CAGED_IS}, {SYSCTL "/perf_event_paranoid", "2\n"},
     {"/.dockerenv", ""}}, "perf.dummy ! EPERM\nprocess.pid_namespace = own\n"},
    {"perf-syscall", "refused in a pod", CHECK_BAD, "EPERM", "kubernetes", "container's own",
     {{"/proc/self/status", CAGED_IS}, {SYSCTL "/perf_event_paranoid", "2\n"},
     {"/proc/1/cgroup", "0::/kubepods/pod1\n"}}, "perf.dummy ! EPERM\nprocess.pid_namespace = own\n"},
    {"perf-syscall", "denied to exist by a filter", CHECK_BAD, "ENOSYS", "seccomp", NULL,
     {{"/proc/self/status", CAGED_IS}, {SYSCTL "/perf_event_paranoid", "2\n"}},
     "perf.dummy ! ENOSYS\nprocess.pid_namespace = first\n"},
    {"perf-syscall", "not in the kernel", CHECK_BAD, "ENOSYS", "CONFIG_PERF_EVENTS", NULL,
     {{"/proc/self/status", USER_IS}}, "perf.dummy ! ENOSYS\n"},
    {"perf-syscall", "refused by paranoid 4", CHECK_BAD, "EACCES", "is 4", "paranoid=1",
     {{"/proc/self/status", USER_IS}, {SYSCTL "/perf_event_paranoid", "4\n"}},
     "perf.dummy ! EACCES\n"},
    {"perf-syscall", "refused by a security module", CHECK_BAD, "EPERM", "SELinux", NULL,
     {{"/proc/self/status", ROOT_IS}, {SYSCTL "/perf_event_paranoid", "2\n"}},
     "perf.dummy ! EPERM\n"},
    {"perf-syscall", "killed for asking", CHECK_BAD, "signal 31", "kills", NULL,
     {{"/proc/self/status", CAGED_IS}}, "perf.dummy = killed by signal 31\n"},
    {"perf-syscall", "not recorded", CHECK_ABSENT, "not recorded", NULL, NULL, {{0}}, NULL},

    /* --- pmu --- */
    {"pmu", "counts", CHECK_OK, "cpu: instructions and cycles", "500123", NULL, {{PMU "/cpu/type",
     "4\n"}}, "perf.instructions = 500123\nperf.cycles = 210000\n"},
    {"pmu", "KVM without a virtual PMU", CHECK_BAD, "only breakpoint,software", "KVM", "pmu=on",
     {{PMU "/software/type", "1\n"}, {PMU "/breakpoint/type", "5\n"}},
     "perf.instructions ! ENOENT\nperf.cycles ! ENOENT\ncpuid.hypervisor = KVMKVMKVM\n"},
    {"pmu", "VMware without a virtual PMU", CHECK_BAD, "none", "VMware", "vpmc.enable",
     {{PMU "/software/type", "1\n"}},
     "perf.instructions ! ENOENT\ncpuid.hypervisor = VMwareVMware\n"},
    {"pmu", "Xen without a virtual PMU", CHECK_BAD, "none", "Xen", "vpmu=on",
     {{PMU "/software/type", "1\n"}, {"/sys/hypervisor/type", "xen\n"}, {"/proc/cpuinfo", GUEST}},
     "perf.instructions ! ENOENT\n"},
    {"pmu", "Hyper-V without a virtual PMU", CHECK_BAD, "none", "Hyper-V", "-Perfmon",
     {{PMU "/software/type", "1\n"}},
     "perf.instructions ! ENOENT\ncpuid.hypervisor = Microsoft Hv\n"},
    {"pmu", "KVM that poses as Hyper-V", CHECK_BAD, "none", "KVM passes", "pmu=on",
     {{PMU "/software/type", "1\n"}},
     "perf.instructions ! ENOENT\ncpuid.hypervisor = Microsoft Hv,KVMKVMKVM\n"},
    {"pmu", "Firecracker offers none", CHECK_BAD, "none", "Firecracker offers no", NULL,
     {{PMU "/software/type", "1\n"}, {"/sys/firmware/acpi/tables/DSDT", "DSDT0123..FIRECKFCVM"}},
     "perf.instructions ! ENOENT\ncpuid.hypervisor = KVMKVMKVM\n"},
    {"pmu", "a cloud's virtual machine", CHECK_BAD, "none", "EC2", ".metal", {{PMU "/software/type",
     "1\n"}, {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"}},
     "perf.instructions ! ENOENT\ncpuid.hypervisor = KVMKVMKVM\n"},
    {"pmu", "an unknown hypervisor", CHECK_BAD, "none", "do not know", NULL, {{PMU "/software/type",
     "1\n"}, {"/proc/cpuinfo", GUEST}}, "perf.instructions ! ENOENT\n"},
    {"pmu", "bare metal without a driver", CHECK_BAD, "none", "bare metal", "dmesg",
     {{PMU "/software/type", "1\n"}, {"/proc/cpuinfo", METAL}},
     "perf.instructions ! ENOENT\ncpuid.hypervisor = \n"},
    {"pmu", "riscv without firmware support", CHECK_BAD, "none", "SBI", "dmesg",
     {{PMU "/software/type", "1\n"}, {"/proc/cpuinfo", "hart : 0\nisa : rv64imafdc\n"}},
     "isa = riscv64\nperf.instructions ! ENOENT\n"},
    {"pmu", "there, but refused", CHECK_BAD, "cpu, out of reach (EACCES)", "paranoid", NULL,
     {{PMU "/cpu/type", "4\n"}}, "perf.instructions ! EACCES\n"},
    {"pmu", "refused, and none in sysfs", CHECK_BAD, "none in sysfs", "no CPU PMU either", "pmu=on",
     {{PMU "/software/type", "1\n"}}, "perf.instructions ! EPERM\ncpuid.hypervisor = KVMKVMKVM\n"},
    {"pmu", "opens but reads zero", CHECK_BAD, "stays at zero", "in name only", NULL,
     {{PMU "/cpu/type", "4\n"}}, "perf.instructions = 0\nperf.cycles = 0\n"},
    {"pmu", "opens but gets no counter", CHECK_BAD, "no counter", "never ran", "nmi_watchdog=0",
     {{PMU "/cpu/type", "4\n"}}, "perf.instructions = unscheduled\nperf.cycles = unscheduled\n"},
    {"pmu", "instructions but no cycles", CHECK_WARN, "no cycles", "half", NULL, {{PMU "/cpu/type",
     "4\n"}}, "perf.instructions = 500123\nperf.cycles ! ENOENT\n"},
    {"pmu", "not recorded", CHECK_ABSENT, "not recorded", NULL, NULL, {{0}}, NULL},

    /* --- paranoid --- */
    {"paranoid", "-1", CHECK_OK, "-1", NULL, NULL, {{SYSCTL "/perf_event_paranoid", "-1\n"},
     {"/proc/self/status", USER_IS}}, NULL},
    {"paranoid", "1 for a user", CHECK_OK, "1", "kernel mode", NULL,
     {{SYSCTL "/perf_event_paranoid", "1\n"}, {"/proc/self/status", USER_IS}}, NULL},
    {"paranoid", "2 for root", CHECK_OK, "lifted", NULL, NULL, {{SYSCTL "/perf_event_paranoid",
     "2\n"}, {"/proc/self/status", ROOT_IS}}, NULL},
    {"paranoid", "2 for a user", CHECK_WARN, "2", "without a mode", "paranoid=1",
     {{SYSCTL "/perf_event_paranoid", "2\n"}, {"/proc/self/status", USER_IS}}, NULL},
    {"paranoid", "2 for a container's root", CHECK_WARN, "2", ":k", "paranoid=1",
     {{SYSCTL "/perf_event_paranoid", "2\n"}, {"/proc/self/status", ROOT_IS}},
     "process.user_namespace = own\n"},
    {"paranoid", "2 in a container", CHECK_WARN, "2", NULL, "on the host: sudo sysctl",
     {{SYSCTL "/perf_event_paranoid", "2\n"}, {"/proc/self/status", CAGED_IS}, {"/.dockerenv", ""}},
     "process.pid_namespace = own\n"},
    {"paranoid", "4 for a user", CHECK_BAD, "4", "nothing", "paranoid=1",
     {{SYSCTL "/perf_event_paranoid", "4\n"}, {"/proc/self/status", USER_IS}}, NULL},
    {"paranoid", "4 on a kernel that knows no such level", CHECK_WARN, "4", ":k", "paranoid=1",
     {{SYSCTL "/perf_event_paranoid", "4\n"}, {"/proc/self/status", USER_IS}},
     "perf.dummy = open\n"},
    {"paranoid", "not there", CHECK_ABSENT, "unknown", NULL, NULL, {{0}}, NULL},
    {"paranoid", "no number", CHECK_ABSENT, "unknown", NULL, NULL, {{SYSCTL "/perf_event_paranoid",
     "two\n"}}, NULL},

    /* --- privileges --- */
    {"privileges", "root", CHECK_OK, "root with CAP_PERFMON", NULL, NULL, {{"/proc/self/status",
     ROOT_IS}}, NULL},
    {"privileges", "root of an older kernel", CHECK_OK, "CAP_SYS_ADMIN", NULL, NULL,
     {{"/proc/self/status", "Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t0000003fffffffff\n"}}, NULL},
    {"privileges", "an ordinary user", CHECK_WARN, "uid 1000", "paranoid", "exec:sudo",
     {{"/proc/self/status", USER_IS}}, NULL},
    {"privileges", "a container's root", CHECK_WARN, "root without CAP_PERFMON", NULL, "PERFMON",
     {{"/proc/self/status", CAGED_IS}}, NULL},
    {"privileges", "root of a user namespace", CHECK_WARN, "user namespace", NULL, "own root",
     {{"/proc/self/status", ROOT_IS}}, "process.user_namespace = own\n"},
    {"privileges", "nothing said", CHECK_ABSENT, "unknown", NULL, NULL, {{"/proc/self/status",
     "Name:\tx\n"}}, NULL},

    /* --- user-access --- */
    {"user-access", "rdpmc 1", CHECK_OK, "rdpmc = 1", NULL, NULL, {{PMU "/cpu/rdpmc", "1\n"}},
     NULL},
    {"user-access", "rdpmc 2", CHECK_OK, "rdpmc = 2", NULL, NULL, {{PMU "/cpu/rdpmc", "2\n"}},
     NULL},
    {"user-access", "rdpmc 0", CHECK_WARN, "rdpmc = 0", "system call", "rdpmc", {{PMU "/cpu/rdpmc",
     "0\n"}}, NULL},
    {"user-access", "rdpmc 0 on one core type", CHECK_WARN, "rdpmc = 0,1", NULL, "rdpmc",
     {{PMU "/cpu_atom/rdpmc", "0\n"}, {PMU "/cpu_core/rdpmc", "1\n"}}, NULL},
    {"user-access", "arm64 on", CHECK_OK, "perf_user_access = 1", NULL, NULL,
     {{SYSCTL "/perf_user_access", "1\n"}}, NULL},
    {"user-access", "arm64 off", CHECK_WARN, "perf_user_access = 0", NULL, "perf_user_access=1",
     {{SYSCTL "/perf_user_access", "0\n"}}, NULL},
    {"user-access", "no PMU", CHECK_ABSENT, "no setting", NULL, NULL, {{PMU "/software/type",
     "1\n"}}, NULL},

    /* --- nmi-watchdog --- */
    {"nmi-watchdog", "off", CHECK_OK, "off", NULL, NULL, {{SYSCTL "/nmi_watchdog", "0\n"}}, NULL},
    {"nmi-watchdog", "on", CHECK_WARN, "on", "counter", "nmi_watchdog=0", {{SYSCTL "/nmi_watchdog",
     "1\n"}, {PMU "/cpu/type", "4\n"}}, NULL},
    {"nmi-watchdog", "on, where sysfs is hidden", CHECK_WARN, "on", "counter", "nmi_watchdog=0",
     {{SYSCTL "/nmi_watchdog", "1\n"}}, NULL},
    {"nmi-watchdog", "on, without a PMU to take from", CHECK_OK, "without a counter", "no CPU PMU",
     NULL, {{SYSCTL "/nmi_watchdog", "1\n"}, {PMU "/software/type", "1\n"}}, NULL},
    {"nmi-watchdog", "not there", CHECK_ABSENT, "not in this kernel", NULL, NULL, {{0}}, NULL},

    /* --- tracefs --- */
    {"tracefs", "readable", CHECK_OK, "/sys/kernel/tracing", NULL, NULL, {{"/proc/self/mounts",
     "proc /proc proc rw 0 0\ntracefs /sys/kernel/tracing tracefs rw 0 0\n"}},
     "tracefs.readable = 1\n"},
    {"tracefs", "closed", CHECK_WARN, "closed", NULL, "remount", {{"/proc/self/mounts",
     "tracefs /sys/kernel/tracing tracefs rw 0 0\n"}}, "tracefs.readable ! EACCES\n"},
    {"tracefs", "mounted inside debugfs, which is closed", CHECK_WARN, "closed", NULL,
     "mount -t tracefs", {{"/proc/self/mounts",
     "tracefs /sys/kernel/debug/tracing tracefs rw 0 0\n"}}, "tracefs.readable ! EACCES\n"},
    {"tracefs", "not mounted, for a user", CHECK_WARN, "not mounted", NULL, "mount -t tracefs",
     {{"/proc/self/mounts", "proc /proc proc rw 0 0\n"}, {"/proc/filesystems", "nodev\ttracefs\n"},
     {"/proc/self/status", USER_IS}}, NULL},
    {"tracefs", "not mounted, for root", CHECK_OK, "reachable", NULL, NULL, {{"/proc/self/mounts",
     "proc /proc proc rw 0 0\n"}, {"/proc/filesystems", "nodev\ttracefs\n"}, {"/proc/self/status",
     ROOT_IS}}, NULL},
    {"tracefs", "not in the kernel", CHECK_ABSENT, "not in this kernel", NULL, NULL,
     {{"/proc/self/mounts", "proc /proc proc rw 0 0\n"}, {"/proc/filesystems", "nodev\tproc\n"}},
     NULL},

    /* --- perf-mlock --- */
    {"perf-mlock", "the default", CHECK_OK, "516 KiB", "129 counters", NULL,
     {{SYSCTL "/perf_event_mlock_kb", "516\n"}, {CPU "/online", "0\n"}, {"/proc/self/status",
     USER_IS}}, "memory.page_bytes = 4096\n"},
    {"perf-mlock", "small", CHECK_WARN, "16 KiB", "allows 8 at once, shared by all processes of "
     "this user. Beyond it each takes from what the process may lock", "mlock_kb=516",
     {{SYSCTL "/perf_event_mlock_kb", "16\n"}, {CPU "/online", "0-1\n"}, {"/proc/self/status",
     USER_IS}}, "memory.page_bytes = 4096\n"},
    {"perf-mlock", "large pages on one CPU", CHECK_WARN, "576 KiB", "64 KiB", "mlock_kb=576",
     {{SYSCTL "/perf_event_mlock_kb", "576\n"}, {CPU "/online", "0\n"}, {"/proc/self/status",
     USER_IS}}, "memory.page_bytes = 65536\n"},
    {"perf-mlock", "none", CHECK_BAD, "0 KiB", NULL, "mlock_kb=516",
     {{SYSCTL "/perf_event_mlock_kb", "0\n"}, {CPU "/online", "0\n"}, {"/proc/self/status",
     USER_IS}}, "memory.page_bytes = 4096\n"},
    {"perf-mlock", "none, for root", CHECK_OK, "0 KiB", "does not bind", NULL,
     {{SYSCTL "/perf_event_mlock_kb", "0\n"}, {"/proc/self/status", ROOT_IS}}, NULL},
    {"perf-mlock", "not there", CHECK_ABSENT, "unknown", NULL, NULL, {{0}}, NULL},

    /* --- virtualization --- */
    {"virtualization", "bare metal", CHECK_OK, "bare metal", NULL, NULL, {{"/proc/cpuinfo", METAL}},
     "cpuid.hypervisor = \n"},
    {"virtualization", "a container on bare metal", CHECK_OK, "container (podman)", NULL, NULL,
     {{"/proc/cpuinfo", METAL}, {"/run/.containerenv", ""}},
     "cpuid.hypervisor = \nprocess.pid_namespace = own\n"},
    {"virtualization", "made from a container image", CHECK_OK, "bare metal", "nobody takes", NULL,
     {{"/proc/cpuinfo", METAL}, {"/.dockerenv", ""}},
     "cpuid.hypervisor = \nprocess.pid_namespace = first\n"},
    {"virtualization", "a cloud's bare metal", CHECK_OK, "bare metal", NULL, NULL,
     {{"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd40\n"},
     {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"}, {"/sys/class/dmi/id/product_name",
     "c7g.metal\n"}}, "isa = aarch64\ncpuid.hypervisor ! EOPNOTSUPP\n"},
    {"virtualization", "a guest", CHECK_WARN, "guest of KVM", "cpuid", NULL, {{"/proc/cpuinfo",
     GUEST}}, "cpuid.hypervisor = KVMKVMKVM\n"},
    {"virtualization", "an arm64 guest by device tree", CHECK_WARN, "virtual machine", NULL, NULL,
     {{"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd08\n"},
     {"/proc/device-tree/compatible", "linux,dummy-virt"}},
     "isa = aarch64\ncpuid.hypervisor ! EOPNOTSUPP\n"},
    {"virtualization", "emulated x86", CHECK_BAD, "QEMU TCG", "interprets", NULL, {{"/proc/cpuinfo",
     GUEST}}, "cpuid.hypervisor = TCGTCGTCGTCG\n"},
    {"virtualization", "emulated arm64 by part number", CHECK_BAD, "part number", NULL, NULL,
     {{"/proc/cpuinfo", "CPU implementer : 0x00\nCPU part : 0x051\n"}}, "isa = aarch64\n"},
    {"virtualization", "emulated arm64 by DMI", CHECK_BAD, "DMI", NULL, NULL,
     {{"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd08\n"},
     {"/sys/class/dmi/id/sys_vendor", "QEMU\n"}, {"/sys/class/dmi/id/product_name",
     "QEMU Virtual Machine\n"}}, "isa = aarch64\ncpuid.hypervisor ! EOPNOTSUPP\n"},
    {"virtualization", "QEMU on macOS' hypervisor", CHECK_WARN, "guest of QEMU", NULL, NULL,
     {{"/proc/cpuinfo", "CPU implementer : 0x61\nCPU part : 0x000\n"},
     {"/sys/class/dmi/id/sys_vendor", "QEMU\n"}, {"/sys/class/dmi/id/product_name",
     "QEMU Virtual Machine\n"}}, "isa = aarch64\ncpuid.hypervisor ! EOPNOTSUPP\n"},
    {"virtualization", "emulated riscv by architecture id", CHECK_BAD, "architecture id", NULL,
     NULL, {{"/proc/cpuinfo", "mvendorid : 0x0\nmarchid : 0x70200\nmimpid : 0x70200\n"},
     {"/proc/device-tree/model", "riscv-virtio,qemu"}}, "isa = riscv64\n"},
    {"virtualization", "a foreign program under qemu-user", CHECK_BAD, "qemu-user", NULL, NULL,
     {{"/proc/cpuinfo", METAL}}, "isa = aarch64\n"},
    {"virtualization", "declared emulated", CHECK_BAD, "ASSAY_EMULATED", NULL, NULL,
     {{"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd08\n"}},
     "isa = aarch64\nemulated.declared = 1\n"},
    {"virtualization", "nothing to tell by", CHECK_ABSENT, "unknown", NULL, NULL, {{0}}, NULL},

    /* --- steal --- */
    {"steal", "none", CHECK_OK, "0.0 %", NULL, NULL, {{"/proc/stat",
     "cpu  100 0 100 9000 0 0 0 0 0 0\n"}}, NULL},
    {"steal", "nothing ran yet", CHECK_OK, "0.0 %", NULL, NULL, {{"/proc/stat",
     "cpu  0 0 0 0 0 0 0 0 0 0\n"}}, NULL},
    {"steal", "a little", CHECK_WARN, "2.0 %", "2.0 %", NULL, {{"/proc/stat",
     "cpu  49 0 49 9000 0 0 0 2 0 0\n"}}, NULL},
    {"steal", "a lot, though mostly idle", CHECK_BAD, "50.0 %", NULL, NULL, {{"/proc/stat",
     "cpu  20 10 10 90000 0 5 5 50 0 0\n"}}, NULL},
    {"steal", "an old kernel", CHECK_ABSENT, "unknown", NULL, NULL, {{"/proc/stat",
     "cpu  100 0 100 9000\n"}}, NULL},

    /* --- load --- */
    {"load", "idle", CHECK_OK, "0.10 on 4 CPUs", NULL, NULL, {{"/proc/loadavg",
     "0.10 0.20 0.30 1/100 4711\n"}, {CPU "/online", "0-3\n"}}, NULL},
    {"load", "idle with isolated CPUs", CHECK_OK, "isolated: 2-3", "--cpu", NULL, {{"/proc/loadavg",
     "0.10 0.20 0.30 1/100 4711\n"}, {CPU "/online", "0-3\n"}, {CPU "/isolated", "2-3\n"}}, NULL},
    {"load", "half busy", CHECK_WARN, "2.00 on 4 CPUs", "2.00", "ps -eo", {{"/proc/loadavg",
     "2.00 2.00 2.00 3/100 4711\n"}, {CPU "/online", "0-1,4-5\n"}}, NULL},
    {"load", "overrun", CHECK_BAD, "9.50 on 1 CPU", NULL, "ps -eo", {{"/proc/loadavg",
     "9.50 2.00 2.00 3/100 4711\n"}, {CPU "/online", "0\n"}}, NULL},
    {"load", "not there", CHECK_ABSENT, "unknown", NULL, NULL, {{CPU "/online", "0\n"}}, NULL},

    /* --- core-types --- */
    {"core-types", "one PMU", CHECK_OK, "one: cpu=all", NULL, NULL, {{PMU "/cpu/type", "4\n"}},
     NULL},
    {"core-types", "alike without a PMU", CHECK_OK, "one", NULL, NULL, {{CPU "/cpu0/cpu_capacity",
     "1024\n"}, {CPU "/cpu1/cpu_capacity", "1024\n"}}, NULL},
    {"core-types", "hybrid x86", CHECK_WARN, "cpu_atom=12-19 cpu_core=0-11", "loses counts",
     "taskset -c 0-11 ", {{PMU "/cpu_core/cpus", "0-11\n"}, {PMU "/cpu_atom/cpus", "12-19\n"},
     {PMU "/uncore_imc/cpumask", "0\n"}}, NULL},
    {"core-types", "big and little without PMUs", CHECK_WARN, "446,1024", NULL, "cpu_capacity",
     {{CPU "/cpu0/cpu_capacity", "446\n"}, {CPU "/cpu1/cpu_capacity", "1024\n"}}, NULL},
    {"core-types", "not there", CHECK_ABSENT, "unknown", NULL, NULL, {{0}}, NULL},

    /* --- governor --- */
    {"governor", "performance", CHECK_OK, "performance (acpi-cpufreq)", NULL, NULL,
     {{CPU "/cpu0/cpufreq/scaling_governor", "performance\n"}, {CPU "/cpu0/cpufreq/scaling_driver",
     "acpi-cpufreq\n"}}, NULL},
    {"governor", "powersave", CHECK_WARN, "powersave (intel_pstate)", "follows the load",
     "echo performance", {{CPU "/cpu0/cpufreq/scaling_governor", "powersave\n"},
     {CPU "/cpu0/cpufreq/scaling_driver", "intel_pstate\n"}}, NULL},
    {"governor", "mixed", CHECK_WARN, "performance,schedutil", NULL, "echo performance",
     {{CPU "/cpu0/cpufreq/scaling_governor", "performance\n"},
     {CPU "/cpu1/cpufreq/scaling_governor", "schedutil\n"}}, NULL},
    {"governor", "a guest has none", CHECK_ABSENT, "no frequency control", "host", NULL,
     {{"/proc/cpuinfo", GUEST}}, "cpuid.hypervisor = KVMKVMKVM\n"},
    {"governor", "bare metal has none", CHECK_ABSENT, "no frequency control", "firmware", NULL,
     {{"/proc/cpuinfo", METAL}}, "cpuid.hypervisor = \n"},

    /* --- turbo --- */
    {"turbo", "off on Intel", CHECK_OK, "off", NULL, NULL, {{CPU "/intel_pstate/no_turbo", "1\n"}},
     NULL},
    {"turbo", "on on Intel", CHECK_WARN, "on", "heat", "no_turbo", {{CPU "/intel_pstate/no_turbo",
     "0\n"}}, NULL},
    {"turbo", "off elsewhere", CHECK_OK, "off", NULL, NULL, {{CPU "/cpufreq/boost", "0\n"}}, NULL},
    {"turbo", "on elsewhere", CHECK_WARN, "on", NULL, "cpufreq/boost", {{CPU "/cpufreq/boost",
     "1\n"}}, NULL},
    {"turbo", "no switch", CHECK_ABSENT, "no setting", NULL, NULL, {{0}}, NULL},

    /* --- smt --- */
    {"smt", "off", CHECK_OK, "off (notsupported)", NULL, NULL, {{CPU "/smt/active", "0\n"},
     {CPU "/smt/control", "notsupported\n"}}, NULL},
    {"smt", "off as a guest sees it", CHECK_OK, "off", "host may", NULL, {{CPU "/smt/active",
     "0\n"}}, "cpuid.hypervisor = KVMKVMKVM\n"},
    {"smt", "on", CHECK_WARN, "on", "sibling", "echo off", {{CPU "/smt/active", "1\n"},
     {CPU "/smt/control", "on\n"}}, NULL},
    {"smt", "not there", CHECK_ABSENT, "unknown", NULL, NULL, {{0}}, NULL},

    /* --- idle-states --- */
    {"idle-states", "shallow", CHECK_OK, "at most 2 us", "C1:2", NULL,
     {{CPU "/cpuidle/current_driver", "intel_idle\n"}, {CPU "/cpu0/cpuidle/state0/name", "POLL\n"},
     {CPU "/cpu0/cpuidle/state0/latency", "0\n"}, {CPU "/cpu0/cpuidle/state1/name", "C1\n"},
     {CPU "/cpu0/cpuidle/state1/latency", "2\n"}}, NULL},
    {"idle-states", "deep", CHECK_WARN, "up to 133 us", "C6:133", "idle-set",
     {{CPU "/cpuidle/current_driver", "intel_idle\n"}, {CPU "/cpu0/cpuidle/state0/name", "POLL\n"},
     {CPU "/cpu0/cpuidle/state0/latency", "0\n"}, {CPU "/cpu0/cpuidle/state2/name", "C6\n"},
     {CPU "/cpu0/cpuidle/state2/latency", "133\n"}, {CPU "/cpu0/cpuidle/state2/disable", "0\n"}},
     NULL},
    {"idle-states", "deep but switched off", CHECK_OK, "at most 0 us", NULL, NULL,
     {{CPU "/cpuidle/current_driver", "intel_idle\n"}, {CPU "/cpu0/cpuidle/state0/name", "POLL\n"},
     {CPU "/cpu0/cpuidle/state0/latency", "0\n"}, {CPU "/cpu0/cpuidle/state2/name", "C6\n"},
     {CPU "/cpu0/cpuidle/state2/latency", "133\n"}, {CPU "/cpu0/cpuidle/state2/disable", "1\n"}},
     NULL},
    {"idle-states", "a guest that polls", CHECK_OK, "haltpoll", "host", NULL,
     {{CPU "/cpuidle/current_driver", "haltpoll\n"}}, NULL},
    {"idle-states", "no driver", CHECK_OK, "none", NULL, NULL, {{CPU "/cpuidle/current_driver",
     "none\n"}}, NULL},
    {"idle-states", "not there", CHECK_ABSENT, "no cpuidle", NULL, NULL, {{0}}, NULL},

    /* --- clocksource --- */
    {"clocksource", "tsc", CHECK_OK, "tsc", NULL, NULL, {{CLOCK "/current_clocksource", "tsc\n"},
     {CLOCK "/available_clocksource", "tsc hpet \n"}}, NULL},
    {"clocksource", "arm64", CHECK_OK, "arch_sys_counter", NULL, NULL,
     {{CLOCK "/current_clocksource", "arch_sys_counter\n"}}, NULL},
    {"clocksource", "kvm-clock alone", CHECK_OK, "kvm-clock", "host", NULL,
     {{CLOCK "/current_clocksource", "kvm-clock\n"}, {CLOCK "/available_clocksource",
     "kvm-clock acpi_pm \n"}}, NULL},
    {"clocksource", "kvm-clock where there is a tsc", CHECK_WARN, "kvm-clock", "TSC", "echo tsc",
     {{CLOCK "/current_clocksource", "kvm-clock\n"}, {CLOCK "/available_clocksource",
     "kvm-clock tsc \n"}}, NULL},
    {"clocksource", "hpet after tsc was given up", CHECK_BAD, "hpet", "does not trust", "dmesg",
     {{CLOCK "/current_clocksource", "hpet\n"}, {CLOCK "/available_clocksource",
     "hpet acpi_pm \n"}}, NULL},
    {"clocksource", "hpet although there is a tsc", CHECK_BAD, "hpet", NULL, "echo tsc",
     {{CLOCK "/current_clocksource", "hpet\n"}, {CLOCK "/available_clocksource", "tsc hpet \n"}},
     NULL},
    {"clocksource", "not there", CHECK_ABSENT, "unknown", NULL, NULL, {{0}}, NULL},

    /* --- aslr --- */
    {"aslr", "off", CHECK_OK, "off", NULL, NULL, {{SYSCTL "/randomize_va_space", "0\n"}}, NULL},
    {"aslr", "off for this process", CHECK_OK, "off for this process", NULL, NULL,
     {{SYSCTL "/randomize_va_space", "2\n"}, {"/proc/self/personality", "00040000\n"}}, NULL},
    {"aslr", "on", CHECK_WARN, "2", "every process", "setarch -R", {{SYSCTL "/randomize_va_space",
     "2\n"}, {"/proc/self/personality", "00000000\n"}}, NULL},
    {"aslr", "not there", CHECK_ABSENT, "unknown", NULL, NULL, {{0}}, NULL},

    /* --- ptrace-scope --- */
    {"ptrace-scope", "children", CHECK_OK, "1", NULL, NULL, {{SYSCTL "/yama/ptrace_scope", "1\n"},
     {"/proc/self/status", USER_IS}}, NULL},
    {"ptrace-scope", "privileged only, for root", CHECK_OK, "lifted", NULL, NULL,
     {{SYSCTL "/yama/ptrace_scope", "2\n"}, {"/proc/self/status", ROOT_IS}}, NULL},
    {"ptrace-scope", "privileged only, for a user", CHECK_WARN, "2", NULL, "ptrace_scope=1",
     {{SYSCTL "/yama/ptrace_scope", "2\n"}, {"/proc/self/status", USER_IS}}, NULL},
    {"ptrace-scope", "nobody", CHECK_BAD, "3", "next boot", NULL, {{SYSCTL "/yama/ptrace_scope",
     "3\n"}, {"/proc/self/status", ROOT_IS}}, NULL},
    {"ptrace-scope", "no Yama", CHECK_ABSENT, "no Yama", NULL, NULL, {{0}}, NULL},
};
/* clang-format on */
#define EXAMPLE_COUNT (sizeof(examples) / sizeof(examples[0]))
