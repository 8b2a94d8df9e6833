/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Counting by trapping after every instruction: the handler of SIGTRAP, and the end of trapping.
 * At every trap the CPU shows the instruction that comes next; that is the one whose trap comes
 * next (trap-flag.h says what a trap stands for). The operating system clears the flag while a
 * handler runs, of this signal or another: what handlers execute does not count. */
#define ASSAY_NO_INLINE
#include "lib/trap.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "syscall.h"
#include "trap-context.h"
#include "trap-flag.h"
#include "trap-place.h"

__thread struct trap_thread trap_thread;
int trap_heirs;

/* The thread has no region, so it did not set the flag: it may have inherited it. */
static bool is_heir(int code, const void *context)
{
    if (!trap_flag_made(code, NULL, trap_context_set(context)))
        return false;
    int heirs = __atomic_load_n(&trap_heirs, __ATOMIC_RELAXED);
    while (heirs > 0) {
        if (__atomic_compare_exchange_n(&trap_heirs, &heirs, heirs - 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* --- is every trap seen, and does every trap get the program on? --- */

static void look_at_account(struct trap_thread *thread)
{
    struct rusage usage = {.ru_nvcsw = 0};
    assay_syscall2(SYS_getrusage, RUSAGE_THREAD, (long)(uintptr_t)&usage);
    thread->switches = usage.ru_nvcsw;
    thread->faults = usage.ru_minflt + usage.ru_majflt;
}

/* Who traces the thread gets its traps first and need not pass them on. It stops the thread for
 * that, and an instruction that neither calls the system nor faults does not leave the CPU by
 * itself. Where it does, only a tracer that is still there is seen. */
static bool was_stopped(struct trap_thread *thread)
{
    const long switches = thread->switches, faults = thread->faults;
    look_at_account(thread);
    if (thread->next && thread->switches == switches)
        return false;
    bool stopped = thread->next && thread->faults == faults && !trap_flag_calls(thread->next);
    if (!stopped)
        stopped = trap_tracer() > 0;
    look_at_account(thread);
    return stopped;
}

/* A jump may lead where nothing can be read: the signal of that is the program's, not the handler's
 * own. */
static bool is_readable(const unsigned char *next, const unsigned char *begun)
{
    return ((uintptr_t)next ^ (uintptr_t)begun) >> 12 == 0 || (intptr_t)next < 0 ||
           trap_readable((const void *)((uintptr_t)next & ~(uintptr_t)7));
}

/* Every signal aborts a restartable sequence; it would be tried again and again. */
static bool was_aborted(const unsigned char *next, const unsigned char *begun)
{
    uint32_t signature = 0;
    const unsigned char *before = next - TRAP_ABORT_BYTES;
    if ((intptr_t)before <= 0 || !is_readable(next, begun) || !is_readable(before, next))
        return false;
    memcpy(&signature, before, sizeof(signature));
    return signature == TRAP_ABORT_SIGNATURE;
}

static enum trap_lost find_loss(struct trap_thread *thread, const unsigned char *next,
                                const void *context)
{
    const uint64_t before = thread->left;
    thread->left = trap_context_left(context);
    bool stays = thread->next == next && !trap_flag_may_stay(next, thread->left != before);
    thread->stuck = stays ? thread->stuck + 1 : 0;
    if (thread->stuck >= TRAP_STUCK_MOST)
        return TRAP_LOST_STUCK;
    if (was_aborted(next, thread->next))
        return TRAP_LOST_SEQUENCE;
    return was_stopped(thread) ? TRAP_LOST_STOPPED : TRAP_LOST_NOTHING;
}

/* --- the handler --- */

/* The instruction whose trap comes next, if any does. */
static void go_on_at(struct assay_here *here, const unsigned char *next, void *context)
{
    struct trap_thread *thread = &trap_thread;
    bool known = trap_context_set(context) && is_readable(next, thread->next);
    thread->next = known ? next : NULL;
    thread->caller = 0;
    if (known)
        trap_call_begins(here, context);
}

/* int3 and int1 are instructions, too. Some hypervisors (KVM on AMD CPUs) show int1 as if it had
 * not been executed: a handler that returns would get it again for ever. Where one left it so, the
 * program goes on behind it, as CPUs do. */
static void on_own_trap(struct assay_here *here, int number, siginfo_t *information, void *context)
{
    struct trap_thread *thread = &trap_thread;
    const unsigned char *next = trap_place(context);
    bool executed = information->si_code == SI_KERNEL || information->si_code == TRAP_BRKPT;
    bool stays = executed && next == thread->next;
    if (!trap_context_set(context)) { /* code cleared it: nothing is counted any more */
        trap_pass_on(number, information, context);
        return;
    }
    here->trapped += executed;
    trap_pass_on(number, information, context);
    if (stays && trap_place(context) == next)
        trap_context_skip(context, trap_flag_breakpoint(next));
    if (executed || trap_place(context) != next)
        go_on_at(here, trap_place(context), context);
    look_at_account(thread);
}

void on_trap(int number, siginfo_t *information, void *context)
{
    struct assay_here *here = assay_here;
    struct trap_thread *thread = &trap_thread;
    /* The last traps of an outermost region come when its depth is 0 again. */
    if (!(here->ways & ASSAY_WAY_TRAP) || (!here->depth && !thread->next)) {
        if (is_heir(information->si_code, context))
            trap_context_clear(context);
        else
            trap_pass_on(number, information, context);
        return;
    }
    const unsigned char *next = trap_place(context);
    if (!trap_flag_made(information->si_code, thread->next, trap_context_set(context))) {
        on_own_trap(here, number, information, context);
        return;
    }
    if (thread->caller && !trap_call_made(context)) {
        trap_context_clear(context);
        return;
    }
    enum trap_lost lost = find_loss(thread, next, context);
    if (lost) { /* the program goes on without, and the region's end notices */
        thread->lost = lost;
        trap_context_clear(context);
    }
    if (!thread->stuck)
        here->trapped += trap_flag_stands_for(thread->next, next);
    go_on_at(here, next, context);
}

/* Code may clear the flag: popf with flags from before the region, or a jump out of the handler of
 * a signal; and so does the handler when it gives up. Then nobody knows how much was not counted,
 * in a region that ends without the flag and in all around one that began without. Nor where no
 * trap came since the region's last reading: somebody else got it. (In this order: a trap that came
 * has seen to it that the flag is clear if those before did not come.) Constant where nothing of
 * that happened. */
void trap_look(struct assay_here *here, struct assay_frame *frame)
{
    const unsigned lost = ASSAY_SAW_DISTURBED | ASSAY_NOT_MEASURED | ASSAY_SAW_LOST_TRAPS;
    const bool unseen = *(const volatile uint64_t *)&here->trapped == frame->ended[WORD_TRAP];
    if (!trap_is_set() | unseen) {
        enum trap_lost why = trap_thread.lost;
        if (!why)
            why = unseen && trap_is_set() ? TRAP_LOST_STOPPED : TRAP_LOST_CLEARED;
        ((struct assay_calipers *)(void *)here)->trap_lost = why;
        frame->noticed |= lost;
    }
    if (here->depth > 1 && !trap_was_set(frame->flags))
        frame[-1].noticed |= lost;
}

void trap_leave(void)
{
    __asm__ volatile(TRAP_FLAG_BELOW TRAP_FLAG_CLEAR TRAP_FLAG_ABOVE : : : "memory", "cc");
    struct trap_thread *thread = &trap_thread;
    bool blocked = thread->blocked;
    *thread = (struct trap_thread){0};
    if (blocked) {
        uint64_t mask = 1ull << (SIGTRAP - 1);
        assay_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, (long)(uintptr_t)&mask, 0, sizeof(mask));
    }
}
