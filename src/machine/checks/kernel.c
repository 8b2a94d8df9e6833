/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: who measures, and what that unlocks.
 * Facts: process.euid, process.capabilities (hexadecimal, effective), process.seccomp. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/check.h"
#include "machine/privilege.h"

/* Lines of /proc/self/status, and which word of each is wanted. */
static const struct {
    const char *line, *key, *format;
} wanted[] = {
    {"\nUid:", "process.euid", "%*s %31s"},
    {"\nCapEff:", "process.capabilities", "%31s"},
    {"\nSeccomp:", "process.seccomp", "%31s"},
};

static void collect(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text status = {0};
    int error = view_text(view, "/proc/self/status", &status);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const char *line = strstr(text_string(&status), wanted[i].line);
        char word[32];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the formats stand in the table above */
        int found = line ? sscanf(line + strlen(wanted[i].line), wanted[i].format, word) : 0;
#pragma GCC diagnostic pop
        facts_set(facts, wanted[i].key, found == 1 ? word : NULL, error ? -error : ENOENT);
    }
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *euid = facts_get(facts, "process.euid");
    const char *capabilities = facts_get(facts, "process.capabilities");
    const char *namespace = facts_get(facts, "process.user_namespace");
    if (!euid || !capabilities) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(advice, "/proc/self/status does not say who measures.");
        return;
    }
    const char *who = strcmp(euid, "0") == 0 ? "root" : "uid ";
    const char *number = strcmp(euid, "0") == 0 ? "" : euid;
    if (privilege_perf(facts)) {
        advise(advice, CHECK_OK, "%s%s with %s", who, number,
               privilege_held(facts, PRIVILEGE_PERFMON) ? "CAP_PERFMON" : "CAP_SYS_ADMIN");
        advise_why(advice,
                   "Kernel mode, whole CPUs and PMUs such as msr are open to this process.");
        return;
    }
    bool mapped = namespace && strcmp(namespace, "own") == 0;
    advise(advice, CHECK_WARN, "%s%s without CAP_PERFMON%s", who, number,
           mapped ? " (a user namespace's root does not count)" : "");
    advise_why(advice,
               "Without CAP_PERFMON the kernel keeps back what paranoid says, whole CPUs and "
               "PMUs such as msr; tracefs is usually closed too. User mode of own processes "
               "is counted just as exactly.");
    if (mapped)
        advise_fix(advice, "start it as the machine's own root, outside any user namespace; there "
                           "the capability PERFMON is enough");
    else if (strcmp(euid, "0") == 0)
        advise_fix(advice, "start the container or service with the capability PERFMON");
    else
        advise_fix(advice, "assay doctor --via 'exec:sudo'    # and the same for measuring");
}

const struct check check_privileges = {
    .name = "privileges",
    .title = "privileges",
    .collect = collect,
    .judge = judge,
};
