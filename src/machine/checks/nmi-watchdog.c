/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: does the NMI watchdog hold a counter?
 * Facts: kernel.nmi_watchdog; pmu.devices and pmu.core come from the check `pmu`. */
#include "machine/check.h"

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "kernel.nmi_watchdog", "/proc/sys/kernel/nmi_watchdog");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long setting = facts_number(facts, "kernel.nmi_watchdog", -1);
    if (setting < 0) {
        advise(advice, CHECK_ABSENT, "not in this kernel");
        advise_why(advice, "This kernel has no such watchdog, so no counter is lost to it.");
    } else if (setting == 0) {
        advise(advice, CHECK_OK, "off");
        advise_why(advice, "No counter is held back for it.");
    } else if (facts_get(facts, "pmu.devices") && !facts_get(facts, "pmu.core")) {
        advise(advice, CHECK_OK, "on, without a counter");
        advise_why(advice, "There is no CPU PMU, so it watches by other means than a counter.");
    } else {
        advise(advice, CHECK_WARN, "on");
        advise_why(advice,
                   "It keeps one cycle counter on every CPU for itself: groups that would "
                   "just fit are multiplexed or never scheduled, and its interrupts land in "
                   "your windows.");
        advise_fix(advice, "sudo sysctl kernel.nmi_watchdog=0");
    }
}

const struct check check_nmi_watchdog = {
    .name = "nmi-watchdog",
    .title = "NMI watchdog",
    .collect = collect,
    .judge = judge,
};
