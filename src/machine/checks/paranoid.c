/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: how much the kernel lets ordinary users count.
 * Fact: perf.paranoid. */
#include <string.h>

#include "machine/check.h"
#include "machine/privilege.h"

#define FILE_NAME "/proc/sys/kernel/perf_event_paranoid"

/* By level, 3 standing for all above it (a patch of some distributions; without it they mean 2). */
static const struct {
    enum check_status status;
    const char *why;
} levels[] = {
    {CHECK_OK, "Everything may be counted, whole CPUs too; only raw tracepoint data is kept back."},
    {CHECK_OK, "Own processes may be counted in user and kernel mode; whole CPUs may not."},
    {CHECK_WARN,
     "Only the user mode of own processes may be counted: every event is refused that is named "
     "with :k, with :uk or without a mode, so what happens in the kernel stays unseen: its share "
     "of a count, context switches, most tracepoints."},
    {CHECK_BAD, "Every event is refused to ordinary users: nothing can be counted."},
};

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "perf.paranoid", FILE_NAME);
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long level = facts_number(facts, "perf.paranoid", -9);
    if (level == -9) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice,
                   "%s cannot be read: the kernel may have no perf events at all (see "
                   "perf-syscall).",
                   FILE_NAME);
    } else if (level < 0) {
        advise(advice, CHECK_OK, "%lld", level);
        advise_why(advice, "Nothing is kept back: every user may count everything.");
    } else if (privilege_perf(facts)) {
        advise(advice, CHECK_OK, "%lld, lifted by privileges", level);
        advise_why(advice,
                   "Level %lld binds ordinary users; this process may count user and kernel "
                   "mode all the same.",
                   level);
    } else {
        const char *dummy = facts_get(facts, "perf.dummy");
        bool patched = !dummy || strcmp(dummy, "open") != 0;
        long long row = level > 2 ? (patched ? 3 : 2) : level;
        advise(advice, levels[row].status, "%lld", level);
        advise_why(advice, "%s", levels[row].why);
        if (levels[row].status != CHECK_OK)
            advise_fix(advice, "sudo sysctl kernel.perf_event_paranoid=1");
    }
}

const struct check check_paranoid = {
    .name = "paranoid",
    .title = "perf_event_paranoid",
    .collect = collect,
    .judge = judge,
};
