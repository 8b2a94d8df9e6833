/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ending a transport: patience, then SIGTERM, then SIGKILL, to the whole group; and no zombie. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "engine/via.h"

#define GENTLE_MS 2000 /* from SIGTERM to SIGKILL: time to remove what was pushed */
#define LAST_MS                                                                                    \
    5000 /* from SIGKILL to giving up: it hangs inside the operating system, or is                 \
          * another user's */
#define TICK_MS 5

/* Has the process ended? Leaves it to be reaped, so that its number stays taken: only so long is it
 * safe to send signals to its group. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == pid;
}

static bool ends_within(struct via_link *link, int wait_ms)
{
    const int64_t deadline = monotonic_ms() + wait_ms;
    while (!has_ended(link->pid)) {
        if (monotonic_ms() >= deadline)
            return false;
        via_drain(link);
        poll(NULL, 0, TICK_MS);
    }
    return true;
}

int via_close(struct via_link *link, int patience_ms)
{
    cleanup_close(&link->to_probe);
    cleanup_close(&link->from_probe);
    link->to_probe = link->from_probe = -1;
    text_free(&link->early);
    int status = -ECHILD;
    if (link->pid > 0) {
        bool ended = ends_within(link, patience_ms);
        if (!ended) {
            kill(-link->pid, SIGTERM);
            kill(-link->pid, SIGCONT); /* a stopped process would not see it */
            ended = ends_within(link, GENTLE_MS);
        }
        /* Also when the leader ended by itself: others of its group may have stayed behind. */
        kill(-link->pid, SIGKILL);
        if (!ended && !ends_within(link, LAST_MS))
            status = -ETIMEDOUT;
        else if (waitpid(link->pid, &status, 0) < 0)
            status = -errno;
        link->pid = -1;
    }
    via_drain(link);
    cleanup_close(&link->errors);
    link->errors = -1;
    return status;
}

void via_status_text(int status, char *words, size_t size)
{
    if (status >= 0 && WIFEXITED(status))
        snprintf(words, size, "exit status %d", WEXITSTATUS(status));
    else if (status >= 0 && WIFSIGNALED(status))
        snprintf(words, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (status == -ETIMEDOUT)
        snprintf(words, size, "no end at all: it cannot be killed");
    else
        snprintf(words, size, "an unknown status");
}
