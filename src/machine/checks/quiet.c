/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: what the kernel keeps time with. A slow clock costs more than what is timed.
 * And whether programs may read it at all. Facts: clock.current, clock.available, clock.ticks. */
#include <string.h>

#include "machine/check.h"

#define FOLDER "/sys/devices/system/clocksource/clocksource0"

static const char *const counters[] = {/* read by one instruction, in user mode */
                                       "tsc", "arch_sys_counter", "riscv_clocksource", "timebase",
                                       "tod", "stable_counter",   "Constant"};
static const char *const shared[] = {/* of the host, read through a page it keeps up to date */
                                     "kvm-clock", "hyperv_clocksource_tsc_page"};

static bool one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "clock.current", FOLDER "/current_clocksource");
    view_read(view, facts, "clock.available", FOLDER "/available_clocksource");
}

static bool tsc_available(const struct facts *facts)
{
    const char *available = facts_get(facts, "clock.available");
    return available && strstr(available, "tsc") && !strstr(available, "tsc_page");
}

/* Whatever the clock is worth, who started us took it away. */
static void judge_forbidden(const char *current, struct advice *advice)
{
    advise(advice, CHECK_BAD, "%s; forbidden to programs", current ? current : "unknown");
    advise_why(
        advice,
        "Whoever started the probe forbade it to read the CPU's counter of time "
        "(PR_SET_TSC). Reading it, or a clock of the vDSO, ends a program with SIGSEGV, and "
        "programs that are linked dynamically die before they begin. The probe does without: "
        "it reads clocks by system calls, which take several times as long, and leaves out "
        "whatever counts ticks.");
    advise_fix(advice, "start it from where nobody called prctl(PR_SET_TSC, PR_TSC_SIGSEGV), which "
                       "all children inherit");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *current = facts_get(facts, "clock.current");
    const char *ticks = facts_get(facts, "clock.ticks");
    if (ticks && strcmp(ticks, "forbidden") == 0) {
        judge_forbidden(current, advice);
        return;
    }
    if (!current) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "The kernel does not say what it keeps time with.");
        return;
    }
    if (one_of(current, counters, sizeof(counters) / sizeof(counters[0]))) {
        advise(advice, CHECK_OK, "%s", current);
        advise_why(advice, "Time is read with one instruction in user mode: clocks cost little.");
        return;
    }
    bool from_host = one_of(current, shared, sizeof(shared) / sizeof(shared[0]));
    bool better = tsc_available(facts);
    advise(advice,
           from_host && !better ? CHECK_OK
           : from_host          ? CHECK_WARN
                                : CHECK_BAD,
           "%s", current);
    advise_why(advice,
               from_host ? "The host's clock is read through a shared page: cheap, but scaled and "
                           "stepped by the host, so it is not the counter that rdtsc gives.%s"
                         : "Reading the time takes a system call or a slow device access, "
                           "thousands of cycles that land inside whatever is timed.%s",
               better      ? " A plain TSC is available."
               : from_host ? ""
                           : " The kernel does not trust the TSC here; its boot log says why.");
    if (better)
        advise_fix(advice, "echo tsc | sudo tee " FOLDER "/current_clocksource");
    else if (!from_host)
        advise_fix(advice, "sudo dmesg | grep -iE 'tsc|clocksource'");
}

const struct check check_clocksource = {
    .name = "clocksource",
    .title = "clock source",
    .collect = collect,
    .judge = judge,
};
