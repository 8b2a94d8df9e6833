/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor checks of whoever else is on the CPU: below us, beside us and among us. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/check.h"

/* ----------------------------------------------------------------------------------------------
 * Check `virtualization`: does somebody stand between us and the CPU?
 * Judges the description's facts hypervisor, hypervisor.monitor, emulated and container. */

static void judge_virtualization(const struct facts *facts, struct advice *advice)
{
    const char *id = facts_get(facts, "hypervisor");
    const char *emulated = facts_get(facts, "emulated");
    const char *container = facts_get(facts, "container");
    if (emulated) {
        advise(advice, CHECK_BAD, "emulated: %s", emulated);
        advise_why(advice, "A program interprets every instruction: counts of instructions can be "
                           "exact, but cycles, times and cache events describe the emulator, not "
                           "any CPU. Results are marked so; nothing here changes that.");
    } else if (!id) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "Nothing on this machine tells whether a hypervisor runs below.");
    } else if (strcmp(id, "none") != 0) {
        const struct hypervisor *known = hypervisor_find(id);
        const struct hypervisor *monitor = hypervisor_find(facts_get(facts, "hypervisor.monitor"));
        advise(advice, CHECK_WARN, "guest of %s%s%s", known ? known->name : "an unknown hypervisor",
               monitor ? ", " : "", monitor ? monitor->name : "");
        advise_why(advice, "Interrupts, page-table work and instructions such as cpuid leave the "
                           "guest; that time and its cache traffic land in your windows unseen, "
                           "and counters, where offered, are saved and restored around it. Repeat "
                           "runs and trust the smallest. Only bare metal removes this.");
    } else if (container && strcmp(container, "none") != 0) {
        advise(advice, CHECK_OK, "bare metal, in a container (%s)", container);
        advise_why(advice, "No hypervisor shows. A container adds nothing to a count, but shares "
                           "its CPUs and may be refused events.");
    } else {
        advise_plainly(advice, CHECK_OK, "bare metal",
                       "No hypervisor shows: nobody takes the CPU away behind the kernel's back.");
    }
}

const struct check check_virtualization = {
    .name = "virtualization",
    .title = "virtualization",
    .collect = NULL, /* machine_describe has gathered what is judged here */
    .judge = judge_virtualization,
};

/* ----------------------------------------------------------------------------------------------
 * Check `steal`: how often did the CPU belong to somebody else when we wanted it?
 * Facts: steal.ticks, steal.wanted_ticks (busy and stolen), since boot. */

/* Shares of the time we wanted to run. */
#define WARN_SHARE 0.005
#define BAD_SHARE  0.05

static void collect_steal(const struct machine_view *view, struct facts *facts)
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

static void judge_steal(const struct facts *facts, struct advice *advice)
{
    long long ticks = facts_number(facts, "steal.ticks", -1);
    long long wanted = facts_number(facts, "steal.wanted_ticks", -1);
    if (ticks < 0 || wanted < ticks) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "The kernel does not account for stolen time.");
        return;
    }
    double share = wanted > 0 ? (double)ticks / (double)wanted : 0.0;
    enum check_status status = share < WARN_SHARE  ? CHECK_OK
                               : share < BAD_SHARE ? CHECK_WARN
                                                   : CHECK_BAD;
    advise(advice, status, "%.1f %% of the time wanted", 100.0 * share);
    if (status == CHECK_OK)
        advise_why(
            advice,
            "Since boot the host took next to nothing of the time this machine wanted to run.");
    else
        advise_why(advice,
                   "Since boot, %.1f %% of the time this machine wanted to run went to others on "
                   "the same host: windows hit by that are longer and find colder caches. Many "
                   "short runs and their smallest value suffer least; only a dedicated host or "
                   "pinned CPUs, asked of whoever runs the host, remove it.",
                   100.0 * share);
}

const struct check check_steal = {"steal", "stolen time", collect_steal, judge_steal, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `load`: is the machine busy with something else?
 * Facts: load.average (one minute), cpu.isolated. */

/* Runnable processes for each CPU. */
#define WARN_LOAD 0.3
#define BAD_LOAD  1.0

static void collect_load(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text average = {0};
    int error = view_text(view, "/proc/loadavg", &average);
    char minute[32];
    if (!error && sscanf(text_string(&average), "%31s", minute) == 1)
        facts_set(facts, "load.average", minute, 0);
    else
        facts_set(facts, "load.average", NULL, error ? -error : EINVAL);
    view_read(view, facts, "cpu.isolated", "/sys/devices/system/cpu/isolated");
}

static void judge_load(const struct facts *facts, struct advice *advice)
{
    const char *average = facts_get(facts, "load.average");
    const char *isolated = facts_get(facts, "cpu.isolated");
    long long cpus = facts_number(facts, "cpu.count", 0);
    char *end = NULL;
    double load = average ? strtod(average, &end) : -1.0;
    if (!average || end == average || !(load >= 0.0) || cpus < 1) {
        advise_plainly(advice, CHECK_ABSENT, "unknown", "The kernel does not say how busy it is.");
        return;
    }
    double each = load / (double)cpus;
    enum check_status status = each < WARN_LOAD  ? CHECK_OK
                               : each < BAD_LOAD ? CHECK_WARN
                                                 : CHECK_BAD;
    bool kept = isolated && isolated[0] && strcmp(isolated, "(null)") != 0;
    advise(advice, status, "%.2f on %lld CPU%s%s%s", load, cpus, cpus == 1 ? "" : "s",
           kept ? ", isolated: " : "", kept ? isolated : "");
    if (status == CHECK_OK) {
        advise_why(advice, "Hardly anybody else wants the CPUs.%s",
                   kept ? " The isolated ones are the quietest: pin there with --cpu." : "");
        return;
    }
    advise_why(advice,
               "On average %.2f processes wanted to run over the last minute: measured ones are "
               "switched out, migrate and find their caches used by others.%s",
               load,
               kept ? " Pin to an isolated CPU with --cpu." : " See who it is, and wait or pin.");
    advise_fix(advice, "ps -eo pid,pcpu,comm --sort=-pcpu | head");
}

const struct check check_load = {"load", "other load", collect_load, judge_load, {{0}}};
