/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: may we step through a child? Stepping gives the truth that counts are held against.
 * Fact: kernel.ptrace_scope. */
#include "machine/check.h"
#include "machine/privilege.h"

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "kernel.ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope");
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long scope = facts_number(facts, "kernel.ptrace_scope", -1);
    if (scope < 0) {
        advise(advice, CHECK_ABSENT, "no Yama");
        advise_why(advice,
                   "This kernel adds no limit of its own to ptrace: children can be stepped.");
    } else if (scope <= 1) {
        advise(advice, CHECK_OK, "%lld", scope);
        advise_why(advice,
                   "A parent may step through its children, which is all that exact counting "
                   "by stepping needs.");
    } else if (scope == 2 && privilege_held(facts, PRIVILEGE_SYS_PTRACE)) {
        advise(advice, CHECK_OK, "2, lifted by CAP_SYS_PTRACE");
        advise_why(advice, "Only privileged processes may step; this one is.");
    } else if (scope == 2) {
        advise(advice, CHECK_WARN, "2");
        advise_why(advice, "Only privileged processes may step through others, so counts cannot be "
                           "held against a stepped truth as this user.");
        advise_fix(advice, "sudo sysctl kernel.yama.ptrace_scope=1");
    } else {
        advise(advice, CHECK_BAD, "%lld", scope);
        advise_why(advice, "Nobody may step through a process, not even root, until the next boot: "
                           "no count here can be held against a stepped truth. Remove the setting "
                           "from sysctl.d and boot again.");
    }
}

const struct check check_ptrace_scope = {
    .name = "ptrace-scope",
    .title = "ptrace scope (Yama)",
    .collect = collect,
    .judge = judge,
};
