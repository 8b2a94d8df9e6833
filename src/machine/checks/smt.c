/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: do two hardware threads share a core?
 * Facts: smt.active, smt.control. */
#include <string.h>

#include "machine/check.h"

#define FOLDER "/sys/devices/system/cpu/smt"

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "smt.active", FOLDER "/active");
    view_read(view, facts, "smt.control", FOLDER "/control");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long active = facts_number(facts, "smt.active", -1);
    const char *control = facts_get(facts, "smt.control");
    const char *hypervisor = facts_get(facts, "hypervisor");
    if (active < 0) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "The kernel does not say whether threads share a core.");
    } else if (active == 0) {
        bool guest = hypervisor && strcmp(hypervisor, "none") != 0;
        advise(advice, CHECK_OK, "off%s%s%s", control ? " (" : "", control ? control : "",
               control ? ")" : "");
        advise_why(advice, guest
                               ? "No two CPUs of this guest share a core as far as it is told; the "
                                 "host may still run somebody else on the sibling thread."
                               : "Every CPU has its core to itself.");
    } else {
        advise(advice, CHECK_WARN, "on");
        advise_why(advice,
                   "A busy sibling thread takes half of the caches and of the issue slots, and "
                   "on some CPUs half of the counters: cycles and cache misses move with "
                   "what the neighbour does. Leave the sibling idle, or switch it off.");
        advise_fix(advice, "echo off | sudo tee " FOLDER "/control");
    }
}

const struct check check_smt = {
    .name = "smt",
    .title = "hardware threads (SMT)",
    .collect = collect,
    .judge = judge,
};
