/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts and ends the second task. */
#include "specimens/partner.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syscall.h"

#define STACK_BYTES ((size_t)64 * 1024)

struct start {
    partner_function *function;
    void *argument;
    pid_t parent;
};

/* The specimen's process may be killed: then nobody is left to end this one. */
static int begin(void *argument)
{
    struct start start = *(struct start *)argument;
    assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (assay_syscall0(SYS_getppid) != start.parent)
        return 1;
    return start.function(start.argument);
}

static int set_policy(pid_t task, int policy)
{
    struct sched_param parameters = {.sched_priority = policy == SCHED_FIFO ? 1 : 0};
    return sched_setscheduler(task, policy, &parameters) < 0 ? -errno : 0;
}

static int refuse_fifo(int result, struct failure *failure)
{
    return fail_with(failure, result,
                     "it needs real-time scheduling (SCHED_FIFO), which is refused here: %s. Run "
                     "as root, with CAP_SYS_NICE, or with `ulimit -r 1`",
                     strerror(-result));
}

static int leave_at_once(void *argument)
{
    (void)argument;
    return 0;
}

int partner_possible(struct failure *failure)
{
    struct partner partner;
    int result = partner_start(&partner, leave_at_once, NULL, false, failure);
    if (result == 0)
        partner_stop(&partner);
    return result;
}

int partner_fifo_allowed(struct failure *failure)
{
    if (partner_possible(failure) < 0)
        return -ENOSYS;
    int before = sched_getscheduler(0);
    int result = set_policy(0, SCHED_FIFO);
    if (result < 0)
        return refuse_fifo(result, failure);
    set_policy(0, before < 0 ? SCHED_OTHER : before);
    return 0;
}

static int stay_here(struct partner *partner, struct failure *failure)
{
    unsigned cpu = 0;
    struct affinity here;
    int result = affinity_get(&partner->before);
    if (result == 0)
        result = (int)assay_syscall3(SYS_getcpu, (long)&cpu, 0, 0);
    affinity_single(&here, cpu);
    if (result == 0)
        result = affinity_set(&here);
    if (result < 0)
        return fail_with(failure, result, "the thread cannot be kept on its CPU: %s",
                         strerror(-result));
    return 0;
}

static int make_stack(struct partner *partner, struct failure *failure)
{
    partner->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (partner->stack != MAP_FAILED)
        return 0;
    partner->stack = NULL;
    return fail_with(failure, -errno, "no memory for a second task: %s", strerror(errno));
}

static int start_second(struct partner *partner, struct start *start, struct failure *failure)
{
    partner->pid = clone(begin, (char *)partner->stack + STACK_BYTES,
                         CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, start);
    if (partner->pid > 0)
        return 0;
    int result = -errno;
    partner->pid = 0;
    return fail_with(failure, result, "no second task can be started: %s", strerror(-result));
}

static int take_turns(struct partner *partner, struct failure *failure)
{
    int result = set_policy(0, SCHED_FIFO);
    if (result == 0)
        result = set_policy(partner->pid, SCHED_FIFO);
    return result < 0 ? refuse_fifo(result, failure) : 0;
}

int partner_start(struct partner *partner, partner_function *function, void *argument, bool fifo,
                  struct failure *failure)
{
    /* On the partner's side read at its first turn, before which this function may return. */
    static struct start start;
    start = (struct start){function, argument, getpid()};
    *partner = (struct partner){.policy = sched_getscheduler(0)};
    int result = stay_here(partner, failure);
    if (result < 0)
        return result;
    result = make_stack(partner, failure);
    if (result == 0)
        result = start_second(partner, &start, failure);
    if (result == 0 && fifo)
        result = take_turns(partner, failure);
    if (result < 0)
        partner_stop(partner);
    return result;
}

void partner_stop(struct partner *partner)
{
    if (partner->pid) {
        kill(partner->pid, SIGKILL);
        while (waitpid(partner->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    partner->pid = 0;
    if (partner->stack)
        munmap(partner->stack, STACK_BYTES);
    partner->stack = NULL;
    if (sched_getscheduler(0) != partner->policy)
        set_policy(0, partner->policy < 0 ? SCHED_OTHER : partner->policy);
    affinity_set(&partner->before);
}
