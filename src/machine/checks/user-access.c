/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: may user code read counters itself, without a system call? The cheapest and least
 * disturbing read there is. Facts: pmu.rdpmc (x86), perf.user_access (arm64, riscv). */
#include <string.h>

#include "machine/check.h"
#include "machine/core-pmu.h"

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_distinct(view, facts, "pmu.rdpmc", PMU_FOLDER, "cpu*", "rdpmc");
    view_read(view, facts, "perf.user_access", "/proc/sys/kernel/perf_user_access");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *rdpmc = facts_get(facts, "pmu.rdpmc");
    const char *setting = rdpmc ? rdpmc : facts_get(facts, "perf.user_access");
    const char *name = rdpmc ? "rdpmc" : "perf_user_access";
    if (!setting) {
        advise(advice, CHECK_ABSENT, "no setting");
        advise_why(advice, "No CPU PMU here can be read from user code, so every read is a system "
                           "call of some hundred instructions.");
        return;
    }
    if (strchr(setting, '0')) {
        advise(advice, CHECK_WARN, "%s = %s", name, setting);
        advise_why(advice,
                   "User code may not read counters: each read must be a system call, which "
                   "adds some hundred kernel instructions and disturbs caches inside the "
                   "window.");
        if (rdpmc)
            advise_fix(advice, "echo 1 | sudo tee " PMU_FOLDER "/cpu*/rdpmc");
        else
            advise_fix(advice, "sudo sysctl kernel.perf_user_access=1");
        return;
    }
    advise(advice, CHECK_OK, "%s = %s", name, setting);
    advise_why(advice,
               "User code may read its counters with one instruction, the read that disturbs "
               "least.");
}

const struct check check_user_access = {
    .name = "user-access",
    .title = "counter reads from user code",
    .collect = collect,
    .judge = judge,
};
