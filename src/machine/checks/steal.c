/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: how often did the CPU belong to somebody else when we wanted it?
 * Facts: steal.ticks, steal.wanted_ticks (busy and stolen), since boot. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/check.h"

/* Shares of the time we wanted to run. */
#define WARN_SHARE 0.005
#define BAD_SHARE  0.05

static void collect(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text stat = {0};
    int error = view_text(view, "/proc/stat", &stat);
    unsigned long long user, nice, system, irq, softirq, steal;
    if (!error && sscanf(text_string(&stat), "cpu %llu %llu %llu %*u %*u %llu %llu %llu", &user,
                         &nice, &system, &irq, &softirq, &steal) == 6) {
        facts_setf(facts, "steal.ticks", "%llu", steal);
        facts_setf(facts, "steal.wanted_ticks", "%llu",
                   user + nice + system + irq + softirq + steal);
    } else {
        facts_set(facts, "steal.ticks", NULL, error ? -error : EINVAL);
        facts_set(facts, "steal.wanted_ticks", NULL, error ? -error : EINVAL);
    }
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long ticks = facts_number(facts, "steal.ticks", -1);
    long long wanted = facts_number(facts, "steal.wanted_ticks", -1);
    if (ticks < 0 || wanted < ticks) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "The kernel does not account for stolen time.");
        return;
    }
    double share = wanted > 0 ? (double)ticks / (double)wanted : 0.0;
    enum check_status status = share < WARN_SHARE  ? CHECK_OK
                               : share < BAD_SHARE ? CHECK_WARN
                                                   : CHECK_BAD;
    advise(advice, status, "%.1f %% of the time wanted", 100.0 * share);
    if (status == CHECK_OK)
        advise_why(advice,
                   "Since boot the host took next to nothing of the time this machine wanted "
                   "to run.");
    else
        advise_why(advice,
                   "Since boot, %.1f %% of the time this machine wanted to run went to others on "
                   "the same host: windows hit by that are longer and find colder "
                   "caches. Many short runs and their smallest value suffer least; only a "
                   "dedicated host or pinned CPUs, asked of whoever runs the host, remove it.",
                   100.0 * share);
}

const struct check check_steal = {
    .name = "steal",
    .title = "stolen time",
    .collect = collect,
    .judge = judge,
};
