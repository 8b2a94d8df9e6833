/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI (by way of libpfm) finds tracepoints only in a mounted debugfs, which many machines do not
 * have. This process then mounts one that nobody else sees: in a mount namespace of its own, which
 * ends with it. */
#include "probe/harness/papi-tracepoints.h"

#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/vfs.h>

static const char debugfs[] = "/sys/kernel/debug";

static bool mounted(void)
{
    struct statfs facts;
    return statfs(debugfs, &facts) == 0 && facts.f_type == DEBUGFS_MAGIC;
}

static bool asks_for_tracepoint(const struct job_event *events, uint32_t count)
{
    for (uint32_t index = 0; index < count; index++)
        if (events[index].attr.type == PERF_TYPE_TRACEPOINT)
            return true;
    return false;
}

void papi_show_tracepoints(const struct job_event *events, uint32_t count)
{
    if (!asks_for_tracepoint(events, count) || mounted() || unshare(CLONE_NEWNS) < 0)
        return;
    /* Private first: a mount must not travel to the namespace we came from. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        (void)mount("debugfs", debugfs, "debugfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}
