/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: does the clock frequency follow the load while we measure?
 * Facts: freq.governor, freq.driver. */
#include <string.h>

#include "machine/check.h"

#define CPUS "/sys/devices/system/cpu"

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_distinct(view, facts, "freq.governor", CPUS, "cpu[0-9]*", "cpufreq/scaling_governor");
    view_distinct(view, facts, "freq.driver", CPUS, "cpu[0-9]*", "cpufreq/scaling_driver");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *governor = facts_get(facts, "freq.governor");
    const char *driver = facts_get(facts, "freq.driver");
    const char *hypervisor = facts_get(facts, "hypervisor");
    if (!governor) {
        bool guest = hypervisor && strcmp(hypervisor, "none") != 0;
        advise(advice, CHECK_ABSENT, "no frequency control");
        advise_why(advice, guest ? "The host sets the frequency and does not show it; times may "
                                   "drift with it, counts of instructions do not."
                                 : "The kernel does not control the frequency here; firmware may.");
        return;
    }
    const char *by = driver ? driver : "unknown driver";
    if (strcmp(governor, "performance") == 0 || strcmp(governor, "userspace") == 0) {
        advise(advice, CHECK_OK, "%s (%s)", governor, by);
        advise_why(advice, "The frequency does not follow the load, so times and cycles compare.");
        return;
    }
    advise(advice, CHECK_WARN, "%s (%s)", governor, by);
    advise_why(advice,
               "The frequency follows the load: early runs are slower in time, and cycles of "
               "code that waits for memory change from run to run. Instruction counts do "
               "not mind.");
    advise_fix(advice, "echo performance | sudo tee " CPUS "/cpu*/cpufreq/scaling_governor");
}

const struct check check_governor = {
    .name = "governor",
    .title = "frequency governor",
    .collect = collect,
    .judge = judge,
};
