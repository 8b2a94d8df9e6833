/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A byte to a partner and back, again and again: both sleep and are woken. The partner is a process
 * of its own, so that no clock of ours counts its time. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/harness/elapsed.h"
#include "probe/watch/workload.h"
#include "syscall.h"

/* Gives every byte back until nobody can send one any more. Others' pipes were inherited, so that
 * their end is not seen as the end of file alone: hence the signal. */
static void answer(int from, int to, pid_t parent)
{
    char byte;
    assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (assay_syscall0(SYS_getppid) != parent)
        return;
    while (assay_syscall3(SYS_read, from, (long)&byte, 1) == 1 &&
           assay_syscall3(SYS_write, to, (long)&byte, 1) == 1)
        ;
}

static int start(struct work *work, struct failure *failure)
{
    int there[2] = {-1, -1}, back[2] = {-1, -1};
    pid_t parent = getpid(), pid = -1;
    if (pipe2(there, O_CLOEXEC) == 0 && pipe2(back, O_CLOEXEC) == 0)
        pid = fork();
    int error = errno;
    if (pid == 0) {
        close(there[1]);
        close(back[0]);
        answer(there[0], back[1], parent);
        assay_syscall1(SYS_exit_group, 0);
    }
    cleanup_close(&there[0]);
    cleanup_close(&back[1]);
    if (pid < 0) {
        cleanup_close(&there[1]);
        cleanup_close(&back[0]);
        return fail_with(failure, -error, "no partner for the workload pipe can be started: %s",
                         strerror(error));
    }
    *work = (struct work){.to = there[1], .from = back[0], .partner = pid};
    return 0;
}

int pipe_prepare(struct work *works, size_t count, struct failure *failure)
{
    int result = 0;
    signal(SIGPIPE, SIG_IGN); /* a partner that is gone is an error of ours, not our end */
    for (size_t index = 0; index < count && result == 0; index++)
        result = start(&works[index], failure);
    if (result < 0)
        pipe_release(works, count);
    return result;
}

static int exchange(const struct work *work)
{
    char byte = 'b';
    long result = assay_syscall3(SYS_write, work->to, (long)&byte, 1);
    if (result == 1)
        result = assay_syscall3(SYS_read, work->from, (long)&byte, 1);
    return result == 1 ? 0 : result < 0 ? (int)result : -EPIPE;
}

int pipe_work(struct work *work, uint64_t microseconds)
{
    uint64_t began = elapsed_clock();
    int result;
    do
        result = exchange(work);
    while (result == 0 && elapsed_clock() - began < microseconds * 1000u);
    return result;
}

void pipe_release(struct work *works, size_t count)
{
    for (size_t index = 0; index < count; index++) {
        struct work *work = &works[index];
        if (!work->partner)
            continue;
        close(work->to);
        close(work->from);
        kill(work->partner, SIGKILL);
        while (waitpid(work->partner, NULL, 0) < 0 && errno == EINTR)
            ;
        work->partner = 0;
    }
}
