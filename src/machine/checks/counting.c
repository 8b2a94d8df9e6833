/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor checks of counting itself: the system call, the PMU, and who else holds its counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/event.h"
#include "machine/check.h"

/* ----------------------------------------------------------------------------------------------
 * Check `perf-syscall`: may perf_event_open(2) be called at all? Everything else rests on it.
 * Facts: perf.dummy, process.seccomp; the try itself also fills what the check `pmu` judges. */

/* How each container runtime is told to allow the call. */
static const struct {
    const char *runtime, *fix;
} allowances[] = {
    {"docker", "docker run --cap-add PERFMON ...    # Docker 23 or newer\n"
               "docker run --security-opt seccomp=unconfined ...    # older ones"},
    {"podman", "podman run --cap-add PERFMON,SYS_ADMIN ..."},
    {"kubernetes", "in the container's own securityContext: capabilities: {add: [PERFMON]}"},
    {"containerd", "ctr run --cap-add CAP_PERFMON ..."},
    {"systemd-nspawn", "systemd-nspawn --system-call-filter=perf_event_open ..."},
};

/* A generic event belongs to one core PMU, and the kernel does not say which: where there are
 * several, tries on a core of each until the event gets a counter. */
static int try_on_each_kind(const struct machine_view *view, struct perf_try *result)
{
    AUTO_NAMES struct view_names names;
    view_names(view, PMU_FOLDER, "*", &names);
    AUTO_TEXT struct text cpus = {0};
    for (size_t i = 0; i < names.count; i++) {
        if (!core_pmu(view, names.list[i], &cpus) || cpus.length == 0)
            continue;
        int error = perf_try(atoi(text_string(&cpus)), result);
        if (error || result->instructions.error || result->instructions.running_ns > 0)
            return error;
    }
    return perf_try(-1, result);
}

static void put_count(const struct machine_view *view, struct facts *facts, const char *key,
                      const struct perf_count *count)
{
    char value[32];
    snprintf(value, sizeof(value), "%llu", (unsigned long long)count->count);
    const char *found = count->error ? NULL : count->running_ns == 0 ? "unscheduled" : value;
    view_live(view, facts, key, found, count->error);
}

static void collect_perf_syscall(const struct machine_view *view, struct facts *facts)
{
    struct perf_try result = {0};
    int error = view_recorded(view) ? 0 : try_on_each_kind(view, &result);
    if (result.killed) {
        char killed[32];
        snprintf(killed, sizeof(killed), "killed by signal %d", result.killed);
        view_live(view, facts, "perf.dummy", killed, 0);
        result.instructions.error = result.cycles.error = ECANCELED;
    } else {
        view_live(view, facts, "perf.dummy", result.dummy || error ? NULL : "open",
                  error ? -error : result.dummy);
    }
    if (error)
        result.instructions.error = result.cycles.error = -error;
    put_count(view, facts, "perf.instructions", &result.instructions);
    put_count(view, facts, "perf.cycles", &result.cycles);
    view_live(view, facts, "perf.lockstep", result.lockstep ? "1" : NULL, ENOENT);
    if (facts_get(facts, "perf.lockstep") && !facts_get(facts, "emulated"))
        facts_set(facts, "emulated", "its cycles are its instructions, to the last one", 0);
}

static void fix_by_runtime(const struct facts *facts, struct advice *advice)
{
    const char *runtime = facts_get(facts, "container");
    for (size_t i = 0; runtime && i < sizeof(allowances) / sizeof(allowances[0]); i++)
        if (strcmp(allowances[i].runtime, runtime) == 0)
            advise_fix(advice, "%s", allowances[i].fix);
}

/* As whoever counts says it. */
static void judge_forbidden(const struct facts *facts, int error, bool filtered,
                            struct advice *advice)
{
    const char *runtime = facts_get(facts, "container");
    fix_by_runtime(facts, advice);
    advise_why(advice, "Nothing can be counted here, not even page faults: %s%s.",
               error == ECANCELED ? "whoever calls perf_event_open is killed, because " : "",
               event_forbidden_words(error, filtered, runtime && strcmp(runtime, "none") != 0));
}

static void judge_refusal(const struct facts *facts, int error, struct advice *advice)
{
    long long paranoid = facts_number(facts, "perf.paranoid", -9);
    char name[16];
    advise(advice, CHECK_BAD, "refused: %s", errno_name(error, name, sizeof(name)));
    if (error == EACCES && paranoid >= 3) {
        advise_why(advice,
                   "perf_event_paranoid is %lld, which refuses every event to ordinary users: "
                   "nothing can be counted, not even page faults.",
                   paranoid);
        advise_fix(advice, "sudo sysctl kernel.perf_event_paranoid=1");
    } else {
        judge_forbidden(facts, error,
                        facts_number(facts, "process.seccomp", 0) == 2 &&
                            !(error == ENOSYS && paranoid == -9),
                        advice);
    }
}

static void judge_perf_syscall(const struct facts *facts, struct advice *advice)
{
    const char *dummy = facts_get(facts, "perf.dummy");
    int error = facts_error(facts, "perf.dummy");
    if (dummy && strcmp(dummy, "open") == 0) {
        advise_plainly(advice, CHECK_OK, "allowed",
                       "perf_event_open answers, so software events at least can be counted.");
    } else if (dummy) {
        advise(advice, CHECK_BAD, "%s", dummy);
        judge_forbidden(facts, ECANCELED, true, advice);
    } else if (error == ENODATA) {
        advise_plainly(advice, CHECK_ABSENT, "not recorded",
                       "Whether the call is allowed was not tried on this machine.");
    } else {
        judge_refusal(facts, error, advice);
    }
}

const struct check check_perf_syscall = {
    "perf-syscall", "perf_event_open", collect_perf_syscall, judge_perf_syscall, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `pmu`: is there a hardware PMU, and do instructions and cycles really count? If not, why:
 * permission, a hypervisor that keeps it, or no driver. Facts: pmu.devices, pmu.core;
 * perf.instructions and perf.cycles come from the check `perf-syscall`. */

static void collect_pmu(const struct machine_view *view, struct facts *facts)
{
    AUTO_NAMES struct view_names names;
    int error = view_names(view, PMU_FOLDER, "*", &names);
    AUTO_TEXT struct text all = {0};
    AUTO_TEXT struct text core = {0};
    AUTO_TEXT struct text cpus = {0};
    for (size_t i = 0; i < names.count; i++) {
        distinct_add(&all, names.list[i]);
        if (core_pmu(view, names.list[i], &cpus))
            distinct_add(&core, names.list[i]);
    }
    facts_set(facts, "pmu.devices", error ? NULL : text_string(&all), -error);
    facts_set(facts, "pmu.core", core.length ? text_string(&core) : NULL, error ? -error : ENOENT);
}

static void judge_present(const struct facts *facts, struct advice *advice)
{
    const char *core = facts_get(facts, "pmu.core");
    const char *instructions = facts_get(facts, "perf.instructions");
    const char *cycles = facts_get(facts, "perf.cycles");
    const char *kind = facts_get(facts, "kernel.hardlockup");
    bool watched =
        facts_number(facts, "kernel.nmi_watchdog", 0) > 0 && !(kind && strcmp(kind, "perf") != 0);
    if (strcmp(instructions, "unscheduled") == 0) {
        advise(advice, CHECK_BAD, "%s: opens, but gets no counter", core ? core : "PMU");
        advise_why(advice,
                   "instructions:u opened and then never ran: every counter is taken (%sanother "
                   "profiler), or the test ran on a core type that this PMU does not cover. A zero "
                   "read that way means nothing.",
                   watched ? "the NMI watchdog, " : "");
        advise_fix(advice, "%send other profilers: pgrep -al perf",
                   watched ? "sudo sysctl kernel.nmi_watchdog=0\nand " : "");
    } else if (strcmp(instructions, "0") == 0) {
        advise(advice, CHECK_BAD, "%s: opens, but stays at zero", core ? core : "PMU");
        advise_why(advice, "instructions:u ran on a counter while a loop executed and read 0: the "
                           "PMU is there in name only, as under hypervisors that let it through "
                           "without backing it. Do not believe any hardware count here.");
    } else if (!cycles || strcmp(cycles, "0") == 0 || strcmp(cycles, "unscheduled") == 0) {
        advise(advice, CHECK_WARN, "%s: instructions, but no cycles", core ? core : "PMU");
        advise_why(advice,
                   "instructions:u counted %s in a short loop, cycles:u did not: rates per cycle "
                   "cannot be had, and the PMU is only half there.",
                   instructions);
    } else {
        advise(advice, CHECK_OK, "%s: instructions and cycles count", core ? core : "PMU");
        advise_why(advice,
                   "A short loop gave %s instructions:u and %s cycles:u, so hardware events can be "
                   "measured.",
                   instructions, cycles);
    }
}

/* The device list says what is missing; the hypervisor's row says what to ask for. */
static void judge_hypervisor(const struct facts *facts, const char *missing, struct advice *advice)
{
    const char *id = facts_get(facts, "hypervisor");
    const struct hypervisor *below = hypervisor_find(facts_get(facts, "hypervisor.monitor"));
    if (!below)
        below = hypervisor_find(id);
    if (facts_get(facts, "emulated")) {
        advise_why(advice, "%s This CPU is emulated%s%s", missing, below ? ": " : ". ",
                   below ? below->vpmu : "An emulator counts only what it was started to count.");
    } else if (below) {
        advise_why(advice, "%s This is a guest: %s", missing, below->vpmu);
    } else if (id && strcmp(id, "none") != 0) {
        advise_why(advice,
                   "%s This is a guest of a hypervisor we do not know; ask whoever runs it for a "
                   "virtual PMU, or use bare metal.",
                   missing);
    } else {
        advise_why(advice,
                   "%s This looks like bare metal, so the driver is missing or the firmware hides "
                   "the PMU; the boot log says which.",
                   missing);
        advise_fix(advice, "sudo dmesg | grep -iE 'performance events|pmu'");
    }
    if (below)
        advise_fix(advice, "%s", below->fix);
}

/* Nothing could be tried; sysfs still tells whether there is something to try. */
static void judge_out_of_reach(const struct facts *facts, const char *error, struct advice *advice)
{
    const char *core = facts_get(facts, "pmu.core");
    if (core) {
        advise(advice, CHECK_BAD, "%s, out of reach (%s)", core, error);
        advise_why(advice,
                   "There is a CPU PMU, but opening instructions:u is refused, so whether it "
                   "counts cannot be told; perf-syscall, paranoid and privileges say why.");
        return;
    }
    advise(advice, CHECK_BAD, "none in sysfs, and none to be tried (%s)", error);
    judge_hypervisor(facts,
                     "perf_event_open is refused (see perf-syscall), so nothing can be tried; but "
                     "the kernel lists no CPU PMU either.",
                     advice);
}

static void judge_missing(const struct facts *facts, const char *error, struct advice *advice)
{
    const char *devices = facts_get(facts, "pmu.devices");
    const char *isa = facts_get(facts, "isa");
    const char *hypervisor = facts_get(facts, "hypervisor");
    char missing[320];
    snprintf(missing, sizeof(missing),
             "The kernel %s, so instructions, cycles, branches and cache events fail with %s; page "
             "faults, tracepoints and breakpoints still count.",
             facts_get(facts, "pmu.core") ? "has a CPU PMU but does not open it" : "has no CPU PMU",
             error);
    advise(advice, CHECK_BAD, "none%s%s%s", devices ? " (only " : "", devices ? devices : "",
           devices ? ")" : "");
    if (isa && strncmp(isa, "riscv", 5) == 0 && hypervisor && strcmp(hypervisor, "none") == 0) {
        advise_why(advice,
                   "%s On RISC-V the firmware must offer the SBI PMU extension (OpenSBI 1.0 or "
                   "newer) and the device tree must describe it.",
                   missing);
        advise_fix(advice, "sudo dmesg | grep -iE 'sbi|pmu'");
    } else
        judge_hypervisor(facts, missing, advice);
}

static void judge_pmu(const struct facts *facts, struct advice *advice)
{
    int error = facts_error(facts, "perf.instructions");
    if (facts_get(facts, "perf.instructions")) {
        judge_present(facts, advice);
    } else if (emulated_in_user_mode(facts)) {
        /* Sysfs and the hypervisor are the host's. */
        const char *isa = facts_get(facts, "isa");
        advise_plainly(advice, CHECK_BAD, "none: qemu-user",
                       "qemu-user has no counters to offer: it runs a program of another ISA, but "
                       "no operating system below it. To count, take a whole machine of that ISA, "
                       "in hardware or emulated with a PMU.");
        if (isa && strcmp(isa, "aarch64") == 0)
            advise_fix(advice, "assay doctor --via lab:aarch64    # instead of qemu-user");
    } else if (error == ENODATA) {
        advise_plainly(advice, CHECK_ABSENT, "not recorded",
                       "Whether instructions count was not tried on this machine.");
    } else {
        char name[16];
        errno_name(error, name, sizeof(name));
        if (error == EACCES || error == EPERM || error == ENOSYS || error == ECANCELED)
            judge_out_of_reach(facts, name, advice);
        else
            judge_missing(facts, name, advice);
    }
}

const struct check check_pmu = {"pmu", "hardware PMU", collect_pmu, judge_pmu, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `nmi-watchdog`: does the NMI watchdog hold a counter?
 * Facts: kernel.nmi_watchdog, kernel.hardlockup; pmu.devices and pmu.core come from the check
 * `pmu`.
 */

/* The kinds of it that a kernel can be built with, in its configuration. */
static const struct {
    const char *option, *kind;
} detectors[] = {
    {"\nCONFIG_HARDLOCKUP_DETECTOR_PERF=y", "perf"},
    {"\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y", "buddy"},
    {"\nCONFIG_HARDLOCKUP_DETECTOR_ARCH=y", "arch"},
    {"\nCONFIG_HAVE_HARDLOCKUP_DETECTOR_ARCH=y", "arch"}, /* before 6.5 */
};

static void collect_nmi_watchdog(const struct machine_view *view, struct facts *facts)
{
    const char *release = facts_get(facts, "kernel.release");
    AUTO_TEXT struct text config = {0};
    int error = -ENOENT;
    for (int i = 0; i < 2 && error && release; i++) {
        char path[256];
        snprintf(path, sizeof(path), i ? "/lib/modules/%s/config" : "/boot/config-%s", release);
        error = view_text(view, path, &config);
    }
    const char *kind = NULL;
    for (size_t i = 0; i < sizeof(detectors) / sizeof(detectors[0]) && !kind && !error; i++)
        kind = strstr(text_string(&config), detectors[i].option) ? detectors[i].kind : NULL;
    facts_set(facts, "kernel.hardlockup", kind, error ? -error : ENOENT);
}

static void judge_nmi_watchdog(const struct facts *facts, struct advice *advice)
{
    long long setting = facts_number(facts, "kernel.nmi_watchdog", -1);
    const char *kind = facts_get(facts, "kernel.hardlockup");
    if (setting < 0) {
        advise_plainly(advice, CHECK_ABSENT, "not in this kernel",
                       "This kernel has no such watchdog, so no counter is lost to it.");
    } else if (setting == 0) {
        advise_plainly(advice, CHECK_OK, "off", "No counter is held back for it.");
    } else if (facts_get(facts, "pmu.devices") && !facts_get(facts, "pmu.core")) {
        advise_plainly(advice, CHECK_OK, "on, without a counter",
                       "There is no CPU PMU, so it watches by other means than a counter.");
    } else if (kind && strcmp(kind, "perf") != 0) {
        advise(advice, CHECK_OK, "on, without a counter (%s)", kind);
        advise_why(
            advice, "%s, so no counter is lost to it.",
            strcmp(kind, "buddy") == 0
                ? "In this kernel CPUs watch one another by their timers"
                : "This kernel's watchdog is one of the ISA's own, which takes no counter of "
                  "perf");
    } else if (kind) {
        advise_plainly(
            advice, CHECK_WARN, "on",
            "It keeps one cycle counter on every CPU for itself: groups that would just fit are "
            "multiplexed or never scheduled, and its interrupts land in your windows.");
        advise_fix(advice, "sudo sysctl kernel.nmi_watchdog=0");
    } else {
        advise_plainly(
            advice, CHECK_WARN, "on, kind unknown",
            "Of one kind it keeps a cycle counter on every CPU for itself, so that groups which "
            "would just fit are multiplexed or never scheduled; of the other (buddy) it keeps "
            "none. The kernel's configuration, which says which, cannot be read here.");
        advise_fix(advice,
                   "sudo dmesg | grep -i 'NMI watchdog'    # \"consumes one hw-PMU counter\"?\n"
                   "sudo sysctl kernel.nmi_watchdog=0");
    }
}

const struct check check_nmi_watchdog = {
    .name = "nmi-watchdog",
    .title = "NMI watchdog",
    .collect = collect_nmi_watchdog,
    .judge = judge_nmi_watchdog,
    .files = {{.key = "kernel.nmi_watchdog", .path = "/proc/sys/kernel/nmi_watchdog"}},
};
