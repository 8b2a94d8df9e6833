/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: are all cores of one kind? Each kind has a PMU of its own.
 * Facts: pmu.cpus ("cpu_core=0-11 cpu_atom=12-19"), cpu.capacities. */
#include <errno.h>
#include <string.h>

#include "machine/check.h"
#include "machine/core-pmu.h"

static void collect(const struct machine_view *view, struct facts *facts)
{
    AUTO_NAMES struct view_names names;
    int error = view_names(view, PMU_FOLDER, "*", &names);
    AUTO_TEXT struct text covers = {0};
    AUTO_TEXT struct text cpus = {0};
    for (size_t i = 0; i < names.count; i++)
        if (core_pmu(view, names.list[i], &cpus))
            text_printf(&covers, "%s%s=%s", covers.length ? " " : "", names.list[i],
                        cpus.length ? text_string(&cpus) : "all");
    facts_set(facts, "pmu.cpus", covers.length ? text_string(&covers) : NULL,
              error ? -error : ENOENT);
    view_distinct(view, facts, "cpu.capacities", "/sys/devices/system/cpu", "cpu[0-9]*",
                  "cpu_capacity");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *covers = facts_get(facts, "pmu.cpus");
    const char *capacities = facts_get(facts, "cpu.capacities");
    bool several_pmus = covers && strchr(covers, ' ');
    bool several_speeds = capacities && strchr(capacities, ',');
    if (!covers && !capacities) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "Neither a core PMU nor core capacities show.");
    } else if (several_pmus) {
        const char *fast = strstr(covers, "cpu_core=");
        const char *first = strchr(fast ? fast : covers, '=');
        advise(advice, CHECK_WARN, "%s", covers);
        advise_why(advice,
                   "An event counts on the cores of its own PMU only: a process that moves to "
                   "the other kind loses counts without notice, and the same code costs "
                   "different cycles there. Stay on one kind.");
        if (first)
            advise_fix(advice, "taskset -c %.*s COMMAND", (int)strcspn(first + 1, " "), first + 1);
    } else if (several_speeds) {
        advise(advice, CHECK_WARN, "capacities %s", capacities);
        advise_why(advice,
                   "Cores differ in speed: cycles and times depend on where a process runs. "
                   "Pin it to one of them with --cpu.");
        advise_fix(advice, "grep . /sys/devices/system/cpu/cpu*/cpu_capacity    # then taskset -c");
    } else {
        advise(advice, CHECK_OK, "one%s%s", covers ? ": " : "", covers ? covers : "");
        advise_why(advice, "All cores are alike, so it does not matter where a process runs.");
    }
}

const struct check check_core_types = {
    .name = "core-types",
    .title = "core types",
    .collect = collect,
    .judge = judge,
};
