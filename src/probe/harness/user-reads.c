/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The handler of trapping counter reads: SIGILL on most ISAs, SIGSEGV on x86. It does not return
 * into the window: the process writes its answer and ends. */
#include "probe/harness/user-reads.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "syscall.h"
#include "trap-place.h"
#include "user-counter.h"

/* Handlers take no argument of ours. */
static struct job *watched;
static uint32_t current_run;

static void on_trap(int number, siginfo_t *information, void *context)
{
    const void *place = trap_place(context);
    (void)information;
    if (!place || !user_counter_instruction(place)) {
        signal(number, SIG_DFL); /* not ours: it comes again, and ends the process */
        return;
    }
    job_fail(watched, -EACCES,
             "run %u: the instruction that reads a counter trapped: reads from user code were "
             "switched off while the visit ran. Switch them on again (`assay doctor`, user-access)",
             current_run);
    __atomic_store_n(&watched->state, JOB_FAILED, __ATOMIC_RELEASE);
    assay_syscall1(SYS_exit_group, 1);
}

int user_trap_watch(struct job *job)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    watched = job;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGILL, &action, NULL) < 0 || sigaction(SIGSEGV, &action, NULL) < 0)
        return job_fail(job, -errno, "signal handlers cannot be set: %s", strerror(errno));
    return 0;
}

void user_trap_run(uint32_t run)
{
    current_run = run;
}
