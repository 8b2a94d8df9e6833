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
#include <sys/syscall.h>

#include "syscall.h"
#include "trap-context.h"
#include "trap-flag.h"
#include "trap-place.h"

__thread struct trap_thread trap_thread;
int trap_heirs;

/* The thread has no region, so it did not set the flag: it may have inherited it. */
static bool is_heir(int code)
{
    if (!trap_flag_made(code, NULL))
        return false;
    int heirs = __atomic_load_n(&trap_heirs, __ATOMIC_RELAXED);
    while (heirs > 0) {
        if (__atomic_compare_exchange_n(&trap_heirs, &heirs, heirs - 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

void on_trap(int number, siginfo_t *information, void *context)
{
    struct assay_here *here = assay_here;
    struct trap_thread *thread = &trap_thread;
    /* The last traps of an outermost region come when its depth is 0 again. */
    if (!(here->ways & ASSAY_WAY_TRAP) || (!here->depth && !thread->next)) {
        if (is_heir(information->si_code))
            trap_context_clear(context);
        else
            trap_pass_on(number, information, context);
        return;
    }
    const unsigned char *next = trap_place(context);
    if (!trap_flag_made(information->si_code, thread->next)) {
        if (information->si_code > 0 && information->si_code != TRAP_HWBKPT) {
            here->trapped++; /* int3 and int1 are instructions, too */
            thread->next = next;
        }
        trap_pass_on(number, information, context);
        return;
    }
    if (thread->caller && !trap_call_made(context)) {
        trap_context_clear(context);
        return;
    }
    here->trapped += trap_flag_stands_for(thread->next, next);
    thread->next = next;
    trap_call_begins(here, context);
}

/* Code may clear the flag: popf with flags from before the region, or a jump out of the handler of
 * a signal. Then nobody knows how much was not counted, in a region that ends without the flag and
 * in all around one that began without. Constant where nothing of that happened. */
void trap_look(const struct assay_here *here, struct assay_frame *frame)
{
    const unsigned lost = ASSAY_SAW_DISTURBED | ASSAY_NOT_MEASURED;
    if (!trap_is_set())
        frame->noticed |= lost;
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
