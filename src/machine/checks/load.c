/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: is the machine busy with something else?
 * Facts: load.average (one minute), cpu.isolated. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/check.h"

/* Runnable processes for each CPU. */
#define WARN_LOAD 0.3
#define BAD_LOAD  1.0

static void collect(const struct machine_view *view, struct facts *facts)
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

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *average = facts_get(facts, "load.average");
    const char *isolated = facts_get(facts, "cpu.isolated");
    long long cpus = facts_number(facts, "cpu.count", 0);
    char *end = NULL;
    double load = average ? strtod(average, &end) : -1.0;
    if (!average || end == average || !(load >= 0.0) || cpus < 1) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "The kernel does not say how busy it is.");
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
               "On average %.2f processes wanted to run over the last minute: measured ones "
               "are switched out, migrate and find their caches used by others.%s",
               load,
               kept ? " Pin to an isolated CPU with --cpu." : " See who it is, and wait or pin.");
    advise_fix(advice, "ps -eo pid,pcpu,comm --sort=-pcpu | head");
}

const struct check check_load = {
    .name = "load",
    .title = "other load",
    .collect = collect,
    .judge = judge,
};
