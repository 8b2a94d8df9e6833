/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of the paths that open no counter: bare and clock, which take nothing to open,
 * and trap, whose signal handler counts. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/ticks.h"
#include "probe/harness/job.h"
#include "probe/harness/path.h"
#include "trap-flag.h"
#include "user-counter.h"

/* --- The time a run took: whole runs, because nothing else ever has the counter --- */

static int elapsed_arm(struct instrument *instrument)
{
    instrument->opened = elapsed_clock();
    return 0;
}

static void elapsed_write(struct instrument *instrument, uint32_t run)
{
    job_row_timed(instrument->job, run, elapsed_clock() - instrument->opened);
}

static void nothing_close(struct instrument *instrument)
{
    (void)instrument;
}

/* ----------------------------------------------------------------------------------------------
 * bare: nothing is opened, nothing is read. The counts come from whoever executes the window
 * (src/probe/sources), who may put them into the rows while it is open. */

static int bare_open(struct instrument *instrument)
{
    struct job *job = instrument->job;
    memset(job_values(job), 0, (size_t)job->runs * job->counters * sizeof(uint64_t));
    return 0;
}

static int bare_release(struct instrument *instrument, uint32_t run)
{
    elapsed_write(instrument, run);
    return 0;
}

const struct path_operations bare_operations = {
    .open = bare_open,
    .arm = elapsed_arm,
    .release = bare_release,
    .close = nothing_close,
};

/* ----------------------------------------------------------------------------------------------
 * clock: nothing is opened; the count is the difference of two readings of the tick counter. */

/* A window that reads it where that is forbidden would end with a signal. */
static int clock_usable(char *reason, size_t size)
{
    if (!ticks_forbidden())
        return 0;
    snprintf(reason, size, "%s", TICKS_FORBIDDEN);
    return -EPERM;
}

static int clock_open(struct instrument *instrument)
{
    (void)instrument;
    return 0;
}

static int clock_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    for (uint32_t index = 0; index < job->counters; index++)
        job_values(job)[(size_t)run * job->counters + index] =
            instrument->after[0] - instrument->before[0];
    elapsed_write(instrument, run);
    return 0;
}

const struct path_operations clock_operations = {
    .usable = clock_usable,
    .open = clock_open,
    .arm = elapsed_arm,
    .release = clock_release,
    .close = nothing_close,
};

/* ----------------------------------------------------------------------------------------------
 * trap: the handler that counts the traps (trap-flag.h says what a trap stands for). At every trap
 * the CPU shows the instruction that comes next; that is the one whose trap comes next. What a
 * handler of another signal executes is not counted: the flag is off there. */

#define STACK_BYTES (64u << 10)

/* Handlers take no argument of ours. */
static struct {
    struct job *job;           /* NULL: nobody to tell */
    uint64_t traps;            /* as they came */
    uint64_t instructions;     /* what they stand for */
    const unsigned char *next; /* the instruction that was about to begin at the last trap */
    uint64_t left;             /* repetitions of it, if it repeats */
    unsigned stuck;            /* traps in a row after which it had not been executed */
} seen;

static void __attribute__((noreturn)) give_up(const char *why)
{
    if (seen.job) {
        job_fail(seen.job, -EIO, "%s", why);
        __atomic_store_n(&seen.job->state, JOB_FAILED, __ATOMIC_RELEASE);
    }
    assay_syscall1(SYS_exit_group, 1);
    __builtin_unreachable();
}

static void on_trap(int number, siginfo_t *information, void *context)
{
    (void)number;
    const unsigned char *next = trap_place(context);
    bool foreign =
        !trap_flag_made(information->si_code, seen.next, trap_context_set(context)) || !next;
    uint64_t left = trap_context_left(context);
    bool stays = seen.next == next && !trap_flag_may_stay(next, left != seen.left);
    seen.left = left;
    seen.stuck = stays ? seen.stuck + 1 : 0;
    bool stuck = seen.stuck >= TRAP_STUCK_MOST;
    if ((foreign || stuck) && !seen.job) {
        trap_context_clear(context); /* only asked whether it works: it does not */
        return;
    }
    if (foreign)
        give_up("a trap came that the trap flag did not make: something else (a debugger, a "
                "breakpoint) is in this process");
    if (stuck)
        give_up("an instruction was not executed while the trap flag was set: the hypervisor or "
                "the CPU is at fault. Source step counts the same");
    seen.traps++;
    seen.instructions += trap_flag_stands_for(seen.next, next);
    seen.next = next;
}

static int watch(void)
{
    static unsigned char
        stack[STACK_BYTES]; /* its own: a specimen may do anything with its stack */
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    if (sigaltstack(&alternate, NULL) < 0 || sigaction(SIGTRAP, &action, NULL) < 0)
        return -errno;
    return 0;
}

static void forget(void)
{
    seen.traps = seen.instructions = 0;
    seen.next = NULL;
}

/* The flag is set here once around three instructions. */
static int trap_usable(char *reason, size_t size)
{
    if (!TRAP_FLAG) {
        snprintf(reason, size,
                 "this CPU has no trap flag that a program may set for itself; source step counts "
                 "the same");
        return -EOPNOTSUPP;
    }
    int result = watch();
    if (result < 0) {
        snprintf(reason, size, "no handler for SIGTRAP can be set: %s", strerror(-result));
        return result;
    }
    forget();
    __asm__ volatile(TRAP_FLAG_SET "\n\tnop\n\tnop\n\tnop\n\t" TRAP_FLAG_CLEAR
                     :
                     :
                     : "memory", "cc");
    signal(SIGTRAP, SIG_DFL);
    if (seen.instructions == TRAP_FLAG_OWN + 3)
        return 0;
    snprintf(reason, size,
             "the trap flag does not work here: of three instructions it saw %lld (an emulator?)",
             (long long)seen.instructions - TRAP_FLAG_OWN);
    return -EOPNOTSUPP;
}

static int trap_open(struct instrument *instrument)
{
    int result = watch();
    if (result < 0)
        return job_fail(instrument->job, result, "no handler for SIGTRAP can be set: %s",
                        strerror(-result));
    seen.job = instrument->job;
    return 0;
}

static int trap_arm(struct instrument *instrument)
{
    forget();
    return elapsed_arm(instrument);
}

static int trap_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    if ((uintptr_t)seen.next != job->closed || (int64_t)seen.traps < TRAP_FLAG_OWN)
        return job_fail(job, -EIO,
                        "run %u: the last trap did not come from the closing of the window: the "
                        "specimen cleared the trap flag, or the CPU lost it",
                        run);
    for (uint32_t index = 0; index < job->counters; index++) {
        bool raw = strcmp(job->events[index].counts, "instructions-raw") == 0;
        job_values(job)[(size_t)run * job->counters + index] =
            (raw ? seen.traps : seen.instructions) - TRAP_FLAG_OWN;
    }
    elapsed_write(instrument, run);
    return 0;
}

static void trap_close(struct instrument *instrument)
{
    (void)instrument;
    signal(SIGTRAP, SIG_DFL);
}

const struct path_operations trap_operations = {
    .usable = trap_usable,
    .open = trap_open,
    .arm = trap_arm,
    .release = trap_release,
    .close = trap_close,
};
