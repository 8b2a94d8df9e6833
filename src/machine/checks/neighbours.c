/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: does somebody stand between us and the CPU?
 * Judges the description's facts hypervisor, hypervisor.monitor, emulated and container. */
#include <string.h>

#include "machine/check.h"
#include "machine/hypervisor.h"

static void judge_guest(const struct facts *facts, const char *id, struct advice *advice)
{
    const struct hypervisor *known = hypervisor_find(id);
    const struct hypervisor *monitor = hypervisor_find(facts_get(facts, "hypervisor.monitor"));
    advise(advice, CHECK_WARN, "guest of %s%s%s", known ? known->name : "an unknown hypervisor",
           monitor ? ", " : "", monitor ? monitor->name : "");
    advise_why(advice,
               "Interrupts, page-table work and instructions such as cpuid leave the guest; "
               "that time and its cache traffic land in your windows unseen, and counters, "
               "where offered, are saved and restored around it. Repeat runs and trust the "
               "smallest. Only bare metal removes this.");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *id = facts_get(facts, "hypervisor");
    const char *emulated = facts_get(facts, "emulated");
    const char *container = facts_get(facts, "container");
    if (emulated) {
        advise(advice, CHECK_BAD, "emulated: %s", emulated);
        advise_why(advice,
                   "A program interprets every instruction: counts of instructions can be "
                   "exact, but cycles, times and cache events describe the emulator, not any "
                   "CPU. Results are marked so; nothing here changes that.");
    } else if (!id) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "Nothing on this machine tells whether a hypervisor runs below.");
    } else if (strcmp(id, "none") != 0) {
        judge_guest(facts, id, advice);
    } else if (container && strcmp(container, "none") != 0) {
        advise(advice, CHECK_OK, "bare metal, in a container (%s)", container);
        advise_why(advice,
                   "No hypervisor shows. A container adds nothing to a count, but shares its "
                   "CPUs and may be refused events.");
    } else {
        advise(advice, CHECK_OK, "bare metal");
        advise_why(advice,
                   "No hypervisor shows: nobody takes the CPU away behind the kernel's back.");
    }
}

const struct check check_virtualization = {
    .name = "virtualization",
    .title = "virtualization",
    .collect = NULL, /* machine_describe has gathered what is judged here */
    .judge = judge,
};
