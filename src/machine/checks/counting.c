/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: is there a hardware PMU, and do instructions and cycles really count? If not, why:
 * permission, a hypervisor that keeps it, or no driver. Facts: pmu.devices, pmu.core;
 * perf.instructions and perf.cycles come from the check `perf-syscall`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/check.h"
#include "machine/core-pmu.h"
#include "machine/describe.h"
#include "machine/errno-name.h"
#include "machine/hypervisor.h"

static void collect(const struct machine_view *view, struct facts *facts)
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
    if (strcmp(instructions, "unscheduled") == 0) {
        advise(advice, CHECK_BAD, "%s: opens, but gets no counter", core ? core : "PMU");
        advise_why(advice,
                   "instructions:u opened and then never ran: every counter is taken (the NMI "
                   "watchdog, another profiler), or the test ran on a core type that this PMU does "
                   "not cover. A zero read that way means nothing.");
        advise_fix(advice,
                   "sudo sysctl kernel.nmi_watchdog=0\nand end other profilers: pgrep -al perf");
    } else if (strcmp(instructions, "0") == 0) {
        advise(advice, CHECK_BAD, "%s: opens, but stays at zero", core ? core : "PMU");
        advise_why(advice,
                   "instructions:u ran on a counter while a loop executed and read 0: the PMU "
                   "is there in name only, as under hypervisors that let it through without "
                   "backing it. Do not believe any hardware count here.");
    } else if (!cycles || strcmp(cycles, "0") == 0 || strcmp(cycles, "unscheduled") == 0) {
        advise(advice, CHECK_WARN, "%s: instructions, but no cycles", core ? core : "PMU");
        advise_why(advice,
                   "instructions:u counted %s in a short loop, cycles:u did not: rates per "
                   "cycle cannot be had, and the PMU is only half there.",
                   instructions);
    } else {
        advise(advice, CHECK_OK, "%s: instructions and cycles count", core ? core : "PMU");
        advise_why(advice,
                   "A short loop gave %s instructions:u and %s cycles:u, so hardware events "
                   "can be measured.",
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
                   "%s This is a guest of a hypervisor we do not know; ask whoever runs it "
                   "for a virtual PMU, or use bare metal.",
                   missing);
    } else {
        advise_why(advice,
                   "%s This looks like bare metal, so the driver is missing or the firmware "
                   "hides the PMU; the boot log says which.",
                   missing);
        advise_fix(advice, "sudo dmesg | grep -iE 'performance events|pmu'");
    }
    if (below)
        advise_fix(advice, "%s", below->fix);
}

static void judge_riscv(const char *missing, struct advice *advice)
{
    advise_why(advice,
               "%s On RISC-V the firmware must offer the SBI PMU extension (OpenSBI 1.0 or "
               "newer) and the device tree must describe it.",
               missing);
    advise_fix(advice, "sudo dmesg | grep -iE 'sbi|pmu'");
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
             "The kernel %s, so instructions, cycles, branches and cache events fail with %s; "
             "page faults, tracepoints and breakpoints still count.",
             facts_get(facts, "pmu.core") ? "has a CPU PMU but does not open it" : "has no CPU PMU",
             error);
    advise(advice, CHECK_BAD, "none%s%s%s", devices ? " (only " : "", devices ? devices : "",
           devices ? ")" : "");
    if (isa && strncmp(isa, "riscv", 5) == 0 && hypervisor && strcmp(hypervisor, "none") == 0)
        judge_riscv(missing, advice);
    else
        judge_hypervisor(facts, missing, advice);
}

/* Sysfs and the hypervisor are the host's. */
static void judge_user_mode(const struct facts *facts, struct advice *advice)
{
    const char *isa = facts_get(facts, "isa");
    advise(advice, CHECK_BAD, "none: qemu-user");
    advise_why(advice, "qemu-user has no counters to offer: it runs a program of another ISA, but "
                       "no operating system below it. To count, take a whole machine of that ISA, "
                       "in hardware or emulated with a PMU.");
    if (isa && strcmp(isa, "aarch64") == 0)
        advise_fix(advice, "assay doctor --via lab:aarch64    # instead of qemu-user");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    int error = facts_error(facts, "perf.instructions");
    if (facts_get(facts, "perf.instructions")) {
        judge_present(facts, advice);
    } else if (emulated_in_user_mode(facts)) {
        judge_user_mode(facts, advice);
    } else if (error == ENODATA) {
        advise(advice, CHECK_ABSENT, "not recorded");
        advise_why(advice, "Whether instructions count was not tried on this machine.");
    } else {
        char name[16];
        errno_name(error, name, sizeof(name));
        if (error == EACCES || error == EPERM || error == ENOSYS || error == ECANCELED)
            judge_out_of_reach(facts, name, advice);
        else
            judge_missing(facts, name, advice);
    }
}

const struct check check_pmu = {
    .name = "pmu",
    .title = "hardware PMU",
    .collect = collect,
    .judge = judge,
};
