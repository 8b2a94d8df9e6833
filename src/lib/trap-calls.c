/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * System calls inside a region that traps, two kinds of which would end in death:
 *  - Who blocks SIGTRAP is killed at the next trap, and libc blocks all signals now and then
 *    (starting threads and programs). The call is answered here instead: all is done but for
 *    SIGTRAP, which is blocked when the outermost region has ended.
 *  - Who makes a task hands it the flag down, but not the region. What is new goes on without. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/trap.h"
#include "syscall.h"
#include "trap-context.h"
#include "trap-place.h"

#define BIT(number) (1ull << ((number)-1))

/* By way of the operating system, which notices what cannot be read or written. Everything is
 * blocked while the handler runs, so that blocking changes nothing. */
static long try_mask(const uint64_t *set, uint64_t *old)
{
    return assay_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, (long)(uintptr_t)set, (long)(uintptr_t)old,
                          sizeof(*set));
}

bool trap_readable(const void *address)
{
    return try_mask(address, NULL) == 0;
}

static uint64_t changed(uint64_t mask, uint64_t how, uint64_t set)
{
    return how == SIG_BLOCK ? mask | set : how == SIG_UNBLOCK ? mask & ~set : set;
}

static long answer_mask(void *context, uint64_t how, const uint64_t *set, uint64_t *old)
{
    struct trap_thread *thread = &trap_thread;
    uint64_t *mask = trap_context_mask(context);
    uint64_t before = *mask | (thread->blocked ? BIT(SIGTRAP) : 0), after = before;
    if (set) {
        long error = try_mask(set, NULL);
        if (error < 0)
            return error;
        after = changed(before, how, *set) & ~(BIT(SIGKILL) | BIT(SIGSTOP));
    }
    if (old) {
        long error = try_mask(NULL, old);
        if (error < 0)
            return error;
        *old = before;
    }
    thread->blocked = after & BIT(SIGTRAP);
    *mask = after & ~BIT(SIGTRAP);
    return 0;
}

static bool makes_a_task(const struct trap_call *call, bool *shares)
{
    *shares = false;
    if (call->number == SYS_clone)
        *shares = call->arguments[0] & CLONE_VM;
#ifdef SYS_vfork
    if (call->number == SYS_vfork)
        *shares = true;
    if (call->number == SYS_vfork || call->number == SYS_fork)
        return true;
#endif
#ifdef SYS_clone3
    if (call->number == SYS_clone3) {
        /* The first word of its arguments are the flags; were they not readable, nothing is
         * made. */
        uint64_t flags = 0, *from = (uint64_t *)(uintptr_t)call->arguments[0];
        if (trap_readable(from))
            flags = *from;
        *shares = flags & CLONE_VM;
        return true;
    }
#endif
    return call->number == SYS_clone;
}

void trap_call_begins(struct assay_here *here, void *context)
{
    struct trap_thread *thread = &trap_thread;
    struct trap_call call;
    thread->caller = 0;
    if (!trap_context_call(context, &call))
        return;
    if (makes_a_task(&call, &thread->shares)) {
        thread->caller = assay_syscall0(SYS_gettid);
        if (thread->shares)
            __atomic_fetch_add(&trap_heirs, 1, __ATOMIC_RELAXED);
    } else if (call.number == SYS_rt_sigprocmask && call.arguments[3] == sizeof(uint64_t) &&
               (!call.arguments[1] || call.arguments[0] <= SIG_SETMASK)) {
        trap_context_answer(context, answer_mask(context, call.arguments[0],
                                                 (const uint64_t *)(uintptr_t)call.arguments[1],
                                                 (uint64_t *)(uintptr_t)call.arguments[2]));
        here->trapped++;
        thread->next = trap_place(context);
    }
}

/* Behind such a call: who made it, or whom it made where that one has the maker's thread-local
 * memory, its own copy or (vfork) the very same, which is then left as it is. */
bool trap_call_made(void *context)
{
    struct trap_thread *thread = &trap_thread;
    bool maker = assay_syscall0(SYS_gettid) == thread->caller;
    bool nobody = maker && trap_context_failed(context);
    if (thread->shares && (!maker || nobody))
        __atomic_fetch_sub(&trap_heirs, 1, __ATOMIC_RELAXED);
    if (!maker && !thread->shares)
        *thread = (struct trap_thread){0};
    return maker;
}
