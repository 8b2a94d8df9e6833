/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor checks of the kernel's settings: who may count, read, map, trace and step, and where
 * things lie in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>

#include "base/cleanup.h"
#include "machine/check.h"

/* ----------------------------------------------------------------------------------------------
 * Check `paranoid`: how much the kernel lets ordinary users count.
 * Fact: perf.paranoid. */

#define PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"

/* By level, 3 standing for all above it (a patch of some distributions; without it they mean 2). */
static const struct {
    enum check_status status;
    const char *why;
} levels[] = {
    {CHECK_OK, "Everything may be counted, whole CPUs too; only raw tracepoint data is kept back."},
    {CHECK_OK, "Own processes may be counted in user and kernel mode; whole CPUs may not."},
    {CHECK_WARN, "Only the user mode of own processes may be counted: every event is refused that "
                 "is named with :k, with :uk or without a mode, so what happens in the kernel "
                 "stays unseen: its share of a count, context switches, most tracepoints."},
    {CHECK_BAD, "Every event is refused to ordinary users: nothing can be counted."},
};

static void judge_paranoid(const struct facts *facts, struct advice *advice)
{
    long long level = facts_number(facts, "perf.paranoid", -9);
    if (level == -9) {
        advise(advice, CHECK_ABSENT, "unknown");
        advise_why(
            advice,
            "%s cannot be read: the kernel may have no perf events at all (see perf-syscall).",
            PARANOID_FILE);
    } else if (level < 0) {
        advise(advice, CHECK_OK, "%lld", level);
        advise_why(advice, "Nothing is kept back: every user may count everything.");
    } else if (privilege_perf(facts)) {
        advise(advice, CHECK_OK, "%lld, lifted by privileges", level);
        advise_why(advice,
                   "Level %lld binds ordinary users; this process may count user and kernel mode "
                   "all the same.",
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
    .judge = judge_paranoid,
    .files = {{.key = "perf.paranoid", .path = PARANOID_FILE}},
};

/* ----------------------------------------------------------------------------------------------
 * Check `privileges`: who measures, and what that unlocks.
 * Facts: process.euid, process.capabilities (hexadecimal, effective), process.seccomp. */

/* Lines of /proc/self/status, and which word of each is wanted. */
static const struct {
    const char *line, *key, *format;
} wanted[] = {
    {"\nUid:", "process.euid", "%*s %31s"},
    {"\nCapEff:", "process.capabilities", "%31s"},
    {"\nSeccomp:", "process.seccomp", "%31s"},
};

static void collect_privileges(const struct machine_view *view, struct facts *facts)
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

static void judge_privileges(const struct facts *facts, struct advice *advice)
{
    const char *euid = facts_get(facts, "process.euid");
    const char *capabilities = facts_get(facts, "process.capabilities");
    const char *namespace = facts_get(facts, "process.user_namespace");
    if (!euid || !capabilities) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "/proc/self/status does not say who measures.");
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
    advise_why(advice, "Without CAP_PERFMON the kernel keeps back what paranoid says, whole CPUs "
                       "and PMUs such as msr; tracefs is usually closed too. User mode of own "
                       "processes is counted just as exactly.");
    if (mapped)
        advise_fix(advice, "start it as the machine's own root, outside any user namespace; there "
                           "the capability PERFMON is enough");
    else if (strcmp(euid, "0") == 0)
        advise_fix(advice, "start the container or service with the capability PERFMON");
    else
        advise_fix(advice, "assay doctor --via 'exec:sudo'    # and the same for measuring");
}

const struct check check_privileges = {
    "privileges", "privileges", collect_privileges, judge_privileges, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `user-access`: may user code read counters itself, without a system call? The cheapest and
 * least disturbing read there is. Facts: pmu.rdpmc (x86), perf.user_access (arm64, riscv). */

static void judge_user_access(const struct facts *facts, struct advice *advice)
{
    const char *rdpmc = facts_get(facts, "pmu.rdpmc");
    const char *setting = rdpmc ? rdpmc : facts_get(facts, "perf.user_access");
    const char *name = rdpmc ? "rdpmc" : "perf_user_access";
    if (!setting) {
        advise_plainly(advice, CHECK_ABSENT, "no setting",
                       "No CPU PMU here can be read from user code, so every read is a system call "
                       "of some hundred instructions.");
        return;
    }
    if (strchr(setting, '0')) {
        advise(advice, CHECK_WARN, "%s = %s", name, setting);
        advise_why(advice,
                   "User code may not read counters: each read must be a system call, which adds "
                   "some hundred kernel instructions and disturbs caches inside the window.");
        if (rdpmc)
            advise_fix(advice, "echo 1 | sudo tee " PMU_FOLDER "/cpu*/rdpmc");
        else
            advise_fix(advice, "sudo sysctl kernel.perf_user_access=1");
        return;
    }
    advise(advice, CHECK_OK, "%s = %s", name, setting);
    advise_why(
        advice,
        "User code may read its counters with one instruction, the read that disturbs least.");
}

const struct check check_user_access = {
    .name = "user-access",
    .title = "counter reads from user code",
    .judge = judge_user_access,
    .files = {{"pmu.rdpmc", PMU_FOLDER, "cpu*", "rdpmc"},
              {.key = "perf.user_access", .path = "/proc/sys/kernel/perf_user_access"}},
};

/* ----------------------------------------------------------------------------------------------
 * Check `tracefs`: can tracepoints be named? Their numbers stand in tracefs.
 * Facts: tracefs.supported, tracefs.mount, tracefs.readable. */

#define MOUNT   "sudo mount -t tracefs -o mode=750,gid=$(id -g) tracefs /sys/kernel/tracing"
#define DEBUGFS "/sys/kernel/debug/"

/* Any tracepoint's number will do; this one is in every kernel that has tracepoints. */
static int try_reading(const char *mount)
{
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/events/sched/sched_switch/id", mount) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : 0;
}

static void find_mount(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text mounts = {0};
    int error = view_text(view, "/proc/self/mounts", &mounts);
    char *save = NULL;
    for (char *line = error ? NULL : strtok_r(mounts.bytes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char place[256], type[32];
        if (sscanf(line, "%*s %255s %31s", place, type) == 2 && strcmp(type, "tracefs") == 0) {
            facts_set(facts, "tracefs.mount", place, 0);
            return;
        }
    }
    facts_set(facts, "tracefs.mount", NULL, error ? -error : ENOENT);
}

static void collect_tracefs(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text kinds = {0};
    int error = view_text(view, "/proc/filesystems", &kinds);
    const char *supported = strstr(text_string(&kinds), "tracefs") ? "1" : "0";
    facts_set(facts, "tracefs.supported", error ? NULL : supported, -error);
    find_mount(view, facts);
    const char *mount = facts_get(facts, "tracefs.mount");
    int readable = mount && !view_recorded(view) ? try_reading(mount) : -ENOENT;
    view_live(view, facts, "tracefs.readable", readable < 0 ? NULL : "1", -readable);
}

static void judge_tracefs(const struct facts *facts, struct advice *advice)
{
    const char *mount = facts_get(facts, "tracefs.mount");
    const char *euid = facts_get(facts, "process.euid");
    const int error = facts_error(facts, "tracefs.readable");
    char name[16];
    if (!mount && facts_number(facts, "tracefs.supported", 0) == 0) {
        advise_plainly(advice, CHECK_ABSENT, "not in this kernel",
                       "This kernel shows no tracefs, so there are no tracepoints to count.");
    } else if (!mount) {
        if (privilege_held(facts, PRIVILEGE_SYS_ADMIN)) {
            advise_plainly(advice, CHECK_OK, "not mounted, reachable",
                           "Tracefs is not mounted, but this process may look into it through a "
                           "private mount that nobody else sees: tracepoints can be named.");
        } else {
            advise_plainly(advice, CHECK_WARN, "not mounted",
                           "Tracepoints are opened by a number that stands in tracefs; without it "
                           "events such as syscalls:sys_enter_read cannot be named.");
            advise_fix(advice, MOUNT);
        }
    } else if (facts_get(facts, "tracefs.readable")) {
        advise(advice, CHECK_OK, "%s, readable", mount);
        advise_why(advice, "Tracepoints can be named.");
    } else if (error == ENODATA) {
        advise(advice, CHECK_ABSENT, "%s, not tried", mount);
        advise_why(advice, "Whether this user may read it was not recorded.");
    } else if (error != EACCES && error != EPERM) {
        advise(advice, CHECK_WARN, "%s, without tracepoints", mount);
        advise_why(advice,
                   "It is mounted and lists no tracepoints (%s): a container hides them, or the "
                   "kernel was built without. Events such as syscalls:sys_enter_read cannot be "
                   "named.",
                   errno_name(error, name, sizeof(name)));
    } else if ((euid && strcmp(euid, "0") == 0) || privilege_held(facts, PRIVILEGE_SYS_ADMIN)) {
        advise(advice, CHECK_WARN, "%s, closed even to root", mount);
        advise_why(advice,
                   "Lockdown, a security module or a user namespace keeps the numbers of "
                   "tracepoints from root (%s), so events such as syscalls:sys_enter_read cannot "
                   "be named, though the kernel would count them.",
                   errno_name(error, name, sizeof(name)));
    } else {
        advise(advice, CHECK_WARN, "%s, closed to this user", mount);
        advise_why(advice,
                   "The numbers of tracepoints cannot be read, so events such as "
                   "syscalls:sys_enter_read cannot be named, though the kernel would count them.");
        if (strncmp(mount, DEBUGFS, strlen(DEBUGFS)) == 0) /* itself closed: no way through it */
            advise_fix(advice, MOUNT);
        else
            advise_fix(advice, "sudo mount -o remount,mode=750,gid=$(id -g) %s", mount);
    }
}

const struct check check_tracefs = {"tracefs", "tracefs", collect_tracefs, judge_tracefs, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `perf-mlock`: is there memory for the pages that user reads and sampling map?
 * Fact: perf.mlock_kib. */

#define COUNTERS 32 /* the most events we open at once; each maps one page for user reads */

static void judge_perf_mlock(const struct facts *facts, struct advice *advice)
{
    long long kib = facts_number(facts, "perf.mlock_kib", -1);
    long long page_kib = facts_number(facts, "memory.page_bytes", 4096) / 1024;
    long long cpus = facts_number(facts, "cpu.count", 1);
    if (kib < 0 || page_kib < 1 || cpus < 1 || kib > 1ll << 40 || cpus > 1 << 20) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "The kernel states no limit for mapped counters.");
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
                   "A counter that user code reads needs one page of %lld KiB; the limit allows "
                   "%lld at once, shared by all processes of this user. Beyond it each takes from "
                   "what the process may lock (ulimit -l); when that is used up, mapping fails "
                   "with EPERM and reads must be system calls.",
                   page_kib, pages);
        advise_fix(advice, "sudo sysctl kernel.perf_event_mlock_kb=%lld", 512 + page_kib);
    }
}

const struct check check_perf_mlock = {
    .name = "perf-mlock",
    .title = "perf_event_mlock_kb",
    .judge = judge_perf_mlock,
    .files = {{.key = "perf.mlock_kib", .path = "/proc/sys/kernel/perf_event_mlock_kb"}},
};

/* ----------------------------------------------------------------------------------------------
 * Check `aslr`: do addresses change from process to process?
 * Facts: kernel.randomize_va_space, process.personality. */

static void judge_aslr(const struct facts *facts, struct advice *advice)
{
    long long setting = facts_number(facts, "kernel.randomize_va_space", -1);
    const char *personality = facts_get(facts, "process.personality");
    if (setting < 0) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "The kernel does not say whether it randomizes addresses.");
    } else if (setting == 0) {
        advise_plainly(advice, CHECK_OK, "off",
                       "Every process gets the same addresses, so placement does not vary.");
    } else if (personality && strtoul(personality, NULL, 16) & ADDR_NO_RANDOMIZE) {
        advise(advice, CHECK_OK, "%lld, off for this process", setting);
        advise_why(advice,
                   "The process was started without randomization; its children inherit that.");
    } else {
        advise(advice, CHECK_WARN, "%lld", setting);
        advise_why(
            advice,
            "Stack, heap and libraries lie elsewhere in every process: cache and branch conflicts, "
            "and a few page faults, change from run to run. Measure over many processes, or fix "
            "the addresses for the command alone; no need to switch it off for the whole machine.");
        advise_fix(advice, "setarch -R COMMAND");
    }
}

const struct check check_aslr = {
    .name = "aslr",
    .title = "address randomization (ASLR)",
    .judge = judge_aslr,
    .files = {{.key = "kernel.randomize_va_space", .path = "/proc/sys/kernel/randomize_va_space"},
              {.key = "process.personality", .path = "/proc/self/personality"}},
};

/* ----------------------------------------------------------------------------------------------
 * Check `ptrace-scope`: may we step through a child? Stepping gives the truth that counts are held
 * against. Fact: kernel.ptrace_scope. */

static void judge_ptrace_scope(const struct facts *facts, struct advice *advice)
{
    long long scope = facts_number(facts, "kernel.ptrace_scope", -1);
    if (scope < 0) {
        advise_plainly(advice, CHECK_ABSENT, "no Yama",
                       "This kernel adds no limit of its own to ptrace: children can be stepped.");
    } else if (scope <= 1) {
        advise(advice, CHECK_OK, "%lld", scope);
        advise_why(advice, "A parent may step through its children, which is all that exact "
                           "counting by stepping needs.");
    } else if (scope == 2 && privilege_held(facts, PRIVILEGE_SYS_PTRACE)) {
        advise_plainly(advice, CHECK_OK, "2, lifted by CAP_SYS_PTRACE",
                       "Only privileged processes may step; this one is.");
    } else if (scope == 2) {
        advise_plainly(advice, CHECK_WARN, "2",
                       "Only privileged processes may step through others, so counts cannot be "
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
    .judge = judge_ptrace_scope,
    .files = {{.key = "kernel.ptrace_scope", .path = "/proc/sys/kernel/yama/ptrace_scope"}},
};
