/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tries reads of counters in user code, and answers where one traps. */
#include "probe/harness/job.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/user-access.h"
#include "syscall.h"
#include "user-counter.h"

/* --- Asked when a harness describes itself, by all that reads counters in user code --- */

int user_usable(char *reason, size_t size)
{
    static const struct {
        const char *name;
        uint64_t config;
    } candidates[] = {{"instructions:u", PERF_COUNT_HW_INSTRUCTIONS},
                      {"cycles:u", PERF_COUNT_HW_CPU_CYCLES}};
    struct failure first = {0}, other = {0};
    for (size_t index = 0; index < sizeof(candidates) / sizeof(*candidates); index++) {
        struct failure *failure = index ? &other : &first; /* the first reason is the one to give */
        struct perf_event_attr attr = {.size = sizeof(attr),
                                       .type = PERF_TYPE_HARDWARE,
                                       .config = candidates[index].config,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1};
        if (user_access_request("", candidates[index].name, &attr, failure) == 0 &&
            user_access_try("", candidates[index].name, &attr, failure) == 0)
            return 0;
    }
    snprintf(reason, size, "%s", first.text);
    return first.code;
}

/* ----------------------------------------------------------------------------------------------
 * The handler of trapping counter reads: SIGILL on most ISAs, SIGSEGV on x86. It does not return
 * into the window: the process writes its answer and ends. */

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
