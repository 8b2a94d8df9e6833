/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: is there memory for the pages that user reads and sampling map?
 * Fact: perf.mlock_kib. */
#include "machine/check.h"
#include "machine/privilege.h"

#define COUNTERS 32 /* the most events we open at once; each maps one page for user reads */

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "perf.mlock_kib", "/proc/sys/kernel/perf_event_mlock_kb");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long kib = facts_number(facts, "perf.mlock_kib", -1);
    long long page_kib = facts_number(facts, "memory.page_bytes", 4096) / 1024;
    long long cpus = facts_number(facts, "cpu.count", 1);
    if (kib < 0 || page_kib < 1 || cpus < 1 || kib > 1ll << 40 || cpus > 1 << 20) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "The kernel states no limit for mapped counters.");
        return;
    }
    long long pages = kib * cpus / page_kib; /* the kernel multiplies by the CPUs online */
    advise(advice, CHECK_OK, "%lld KiB a CPU", kib);
    if (privilege_held(facts, PRIVILEGE_IPC_LOCK) || facts_number(facts, "perf.paranoid", 2) < 0) {
        advise_why(advice, "The limit does not bind this process.");
    } else if (pages >= COUNTERS) {
        advise_why(advice, "Enough for %lld counters mapped for user reads at once.", pages);
    } else {
        advise(advice, pages > 1 ? CHECK_WARN : CHECK_BAD, "%lld KiB a CPU", kib);
        advise_why(advice,
                   "A counter that user code reads needs one page of %lld KiB; the limit "
                   "allows %lld at once, shared by all processes of this user. Beyond it each "
                   "takes from what the process may lock (ulimit -l); when that is used up, "
                   "mapping fails with EPERM and reads must be system calls.",
                   page_kib, pages);
        advise_fix(advice, "sudo sysctl kernel.perf_event_mlock_kb=%lld", 512 + page_kib);
    }
}

const struct check check_perf_mlock = {
    .name = "perf-mlock",
    .title = "perf_event_mlock_kb",
    .collect = collect,
    .judge = judge,
};
