/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: may perf_event_open(2) be called at all? Everything else rests on it.
 * Facts: perf.dummy, process.seccomp; the try itself also fills what the check `pmu` judges. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/check.h"
#include "machine/core-pmu.h"
#include "machine/errno-name.h"
#include "machine/perf-try.h"
#include "machine/privilege.h"

/* How each container runtime is told to allow the call. */
static const struct {
    const char *runtime, *fix;
} allowances[] = {
    {"docker", "docker run --cap-add PERFMON ...    # Docker 23 or newer\n"
               "docker run --security-opt seccomp=unconfined ...    # older ones"},
    {"podman", "podman run --cap-add PERFMON,SYS_ADMIN ..."},
    {"kubernetes", "in the container's own securityContext: capabilities: {add: [PERFMON]}"},
    {"containerd", "ctr run --cap-add CAP_PERFMON ..."},
    {"systemd-nspawn", "systemd-nspawn --system-call-filter=perf_event_open ..."},
};

/* A generic event belongs to one core PMU, and the kernel does not say which: where there are
 * several, tries on a core of each until the event gets a counter. */
static int try_on_each_kind(const struct machine_view *view, struct perf_try *result)
{
    AUTO_NAMES struct view_names names;
    view_names(view, PMU_FOLDER, "*", &names);
    AUTO_TEXT struct text cpus = {0};
    for (size_t i = 0; i < names.count; i++) {
        if (!core_pmu(view, names.list[i], &cpus) || cpus.length == 0)
            continue;
        int error = perf_try(atoi(text_string(&cpus)), result);
        if (error || result->instructions.error || result->instructions.running_ns > 0)
            return error;
    }
    return perf_try(-1, result);
}

static void put_count(const struct machine_view *view, struct facts *facts, const char *key,
                      const struct perf_count *count)
{
    char value[32];
    snprintf(value, sizeof(value), "%llu", (unsigned long long)count->count);
    const char *found = count->error ? NULL : count->running_ns == 0 ? "unscheduled" : value;
    view_live(view, facts, key, found, count->error);
}

static void collect(const struct machine_view *view, struct facts *facts)
{
    struct perf_try result = {0};
    int error = view_recorded(view) ? 0 : try_on_each_kind(view, &result);
    if (result.killed) {
        char killed[32];
        snprintf(killed, sizeof(killed), "killed by signal %d", result.killed);
        view_live(view, facts, "perf.dummy", killed, 0);
        result.instructions.error = result.cycles.error = ECANCELED;
    } else {
        view_live(view, facts, "perf.dummy", result.dummy || error ? NULL : "open",
                  error ? -error : result.dummy);
    }
    if (error)
        result.instructions.error = result.cycles.error = -error;
    put_count(view, facts, "perf.instructions", &result.instructions);
    put_count(view, facts, "perf.cycles", &result.cycles);
}

static void fix_by_runtime(const struct facts *facts, struct advice *advice)
{
    const char *runtime = facts_get(facts, "container");
    for (size_t i = 0; runtime && i < sizeof(allowances) / sizeof(allowances[0]); i++)
        if (strcmp(allowances[i].runtime, runtime) == 0)
            advise_fix(advice, "%s", allowances[i].fix);
}

static void judge_filter(const struct facts *facts, const char *what, struct advice *advice)
{
    const char *runtime = facts_get(facts, "container");
    bool contained = runtime && strcmp(runtime, "none") != 0;
    fix_by_runtime(facts, advice);
    advise_why(advice,
               "A seccomp filter %s, so nothing can be counted here, not even page faults. It came "
               "with %s%s; the kernel itself does count.%s",
               what, contained ? "the container: " : "whatever started this process",
               contained ? runtime : "",
               advice->fix[0] ? "" : " Start assay outside that sandbox; inside, nothing helps.");
}

static void judge_refusal(const struct facts *facts, int error, struct advice *advice)
{
    long long paranoid = facts_number(facts, "perf.paranoid", -9);
    char name[16];
    advise(advice, CHECK_BAD, "refused: %s", errno_name(error, name, sizeof(name)));
    if (error == EACCES && paranoid >= 3) {
        advise_why(advice,
                   "perf_event_paranoid is %lld, which refuses every event to ordinary users: "
                   "nothing can be counted, not even page faults.",
                   paranoid);
        advise_fix(advice, "sudo sysctl kernel.perf_event_paranoid=1");
    } else if (facts_number(facts, "process.seccomp", 0) == 2 && paranoid != -9) {
        judge_filter(facts,
                     error == ENOSYS ? "pretends the call does not exist" : "refuses the call",
                     advice);
    } else if (error == ENOSYS) {
        advise_why(advice, "This kernel does not have the call: it was built without "
                           "CONFIG_PERF_EVENTS, or it is not Linux itself (gVisor, qemu-user). "
                           "Nothing can be counted, and nothing at run time changes that.");
    } else {
        fix_by_runtime(facts, advice);
        advise_why(advice,
                   "The call is refused although no seccomp filter shows: a security module "
                   "(SELinux, AppArmor, lockdown) may stand behind it; the kernel's log "
                   "says which. Nothing can be counted until it is allowed.");
    }
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *dummy = facts_get(facts, "perf.dummy");
    int error = facts_error(facts, "perf.dummy");
    if (dummy && strcmp(dummy, "open") == 0) {
        advise(advice, CHECK_OK, "allowed");
        advise_why(advice, "perf_event_open answers, so software events at least can be counted.");
    } else if (dummy) {
        advise(advice, CHECK_BAD, "%s", dummy);
        judge_filter(facts, "kills whoever makes the call", advice);
    } else if (error == ENODATA) {
        advise(advice, CHECK_ABSENT, "not recorded");
        advise_why(advice, "Whether the call is allowed was not tried on this machine.");
    } else {
        judge_refusal(facts, error, advice);
    }
}

const struct check check_perf_syscall = {
    .name = "perf-syscall",
    .title = "perf_event_open",
    .collect = collect,
    .judge = judge,
};
