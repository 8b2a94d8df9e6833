/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: do addresses change from process to process?
 * Facts: kernel.randomize_va_space, process.personality. */
#include <stdlib.h>
#include <sys/personality.h>

#include "machine/check.h"

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "kernel.randomize_va_space", "/proc/sys/kernel/randomize_va_space");
    view_read(view, facts, "process.personality", "/proc/self/personality");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long setting = facts_number(facts, "kernel.randomize_va_space", -1);
    const char *personality = facts_get(facts, "process.personality");
    if (setting < 0) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "The kernel does not say whether it randomizes addresses.");
    } else if (setting == 0) {
        advise(advice, CHECK_OK, "off");
        advise_why(advice, "Every process gets the same addresses, so placement does not vary.");
    } else if (personality && strtoul(personality, NULL, 16) & ADDR_NO_RANDOMIZE) {
        advise(advice, CHECK_OK, "%lld, off for this process", setting);
        advise_why(advice,
                   "The process was started without randomization; its children inherit that.");
    } else {
        advise(advice, CHECK_WARN, "%lld", setting);
        advise_why(advice,
                   "Stack, heap and libraries lie elsewhere in every process: cache and branch "
                   "conflicts, and a few page faults, change from run to run. Measure over "
                   "many processes, or fix the addresses for the command alone; no need to "
                   "switch it off for the whole machine.");
        advise_fix(advice, "setarch -R COMMAND");
    }
}

const struct check check_aslr = {
    .name = "aslr",
    .title = "address randomization (ASLR)",
    .collect = collect,
    .judge = judge,
};
