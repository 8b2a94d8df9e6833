/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: can tracepoints be named? Their numbers stand in tracefs.
 * Facts: tracefs.supported, tracefs.mount, tracefs.readable. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/check.h"
#include "machine/privilege.h"

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

static void collect(const struct machine_view *view, struct facts *facts)
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

static void judge_unmounted(const struct facts *facts, struct advice *advice)
{
    if (privilege_held(facts, PRIVILEGE_SYS_ADMIN)) {
        advise(advice, CHECK_OK, "not mounted, reachable");
        advise_why(advice, "Tracefs is not mounted, but this process may look into it through a "
                           "private mount that nobody else sees: tracepoints can be named.");
        return;
    }
    advise(advice, CHECK_WARN, "not mounted");
    advise_why(advice,
               "Tracepoints are opened by a number that stands in tracefs; without it events "
               "such as syscalls:sys_enter_read cannot be named.");
    advise_fix(advice, MOUNT);
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *mount = facts_get(facts, "tracefs.mount");
    if (!mount && facts_number(facts, "tracefs.supported", 0) == 0) {
        advise(advice, CHECK_ABSENT, "not in this kernel");
        advise_why(advice, "This kernel shows no tracefs, so there are no tracepoints to count.");
    } else if (!mount) {
        judge_unmounted(facts, advice);
    } else if (facts_get(facts, "tracefs.readable")) {
        advise(advice, CHECK_OK, "%s, readable", mount);
        advise_why(advice, "Tracepoints can be named.");
    } else if (facts_error(facts, "tracefs.readable") == ENODATA) {
        advise(advice, CHECK_ABSENT, "%s, not tried", mount);
        advise_why(advice, "Whether this user may read it was not recorded.");
    } else {
        advise(advice, CHECK_WARN, "%s, closed to this user", mount);
        advise_why(advice, "The numbers of tracepoints cannot be read, so events such as "
                           "syscalls:sys_enter_read cannot be named, though the kernel would count "
                           "them.");
        if (strncmp(mount, DEBUGFS, strlen(DEBUGFS)) == 0) /* itself closed: no way through it */
            advise_fix(advice, MOUNT);
        else
            advise_fix(advice, "sudo mount -o remount,mode=750,gid=$(id -g) %s", mount);
    }
}

const struct check check_tracefs = {
    .name = "tracefs",
    .title = "tracefs",
    .collect = collect,
    .judge = judge,
};
