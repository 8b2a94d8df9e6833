/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The handler of SIGTRAP in the process: there from the first calipers that trap to the last, and
 * before whoever had the signal. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/trap.h"
#include "syscall.h"
#include "trap-flag.h"

#define TRIED 3 /* instructions with which trapping is tried */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t users;
static bool installed;
static struct sigaction previous; /* written while the handler is not installed */

static void take(void)
{
    pthread_mutex_lock(&lock);
}

static void give(void)
{
    pthread_mutex_unlock(&lock);
}

static void prepare_forks(void)
{
    pthread_atfork(take, give, give);
}

void trap_pass_on(int number, siginfo_t *information, void *context)
{
    bool sent = information->si_code <= 0;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, information, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else if (previous.sa_handler == SIG_DFL || !sent) {
        /* The default, when this handler has returned and the signal is no longer blocked. What
         * the CPU raises cannot be ignored. */
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(SIGTRAP, &standard, NULL);
        assay_syscall3(SYS_tgkill, assay_syscall0(SYS_getpid), assay_syscall0(SYS_gettid), SIGTRAP);
    }
}

static bool is_ours(void)
{
    struct sigaction now;
    return sigaction(SIGTRAP, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
           now.sa_sigaction == on_trap;
}

static int install(void)
{
    struct sigaction action = {.sa_sigaction = on_trap,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigfillset(&action.sa_mask); /* a handler that began a region in this one would be killed */
    if (sigaction(SIGTRAP, NULL, &previous) < 0 || sigaction(SIGTRAP, &action, NULL) < 0)
        return -errno;
    installed = true;
    return 0;
}

static void restore(void)
{
    if (__atomic_load_n(&trap_heirs, __ATOMIC_ACQUIRE) > 0 || !is_ours())
        return; /* still needed; or somebody came after it, and may go on to it */
    sigaction(SIGTRAP, &previous, NULL);
    installed = false;
}

/* Sets the flag around three instructions, in a region of nobody's. */
static uint64_t try_it(void)
{
    struct assay_here *selected = assay_here;
    struct assay_here trial = {.ways = ASSAY_WAY_TRAP, .depth = 1};
    assay_here = &trial;
    __asm__ volatile(TRAP_FLAG_BELOW TRAP_FLAG_SET
                     "\n\tnop\n\tnop\n\tnop\n\t" TRAP_FLAG_CLEAR TRAP_FLAG_ABOVE
                     : "+m"(trial)
                     :
                     : "memory", "cc");
    trap_leave();
    assay_here = selected;
    return trial.trapped;
}

int trap_tracer(void)
{
    static const char path[] = "/proc/thread-self/status", key[] = "\nTracerPid:\t";
    char text[1024] = "";
    long file =
        assay_syscall4(SYS_openat, AT_FDCWD, (long)(uintptr_t)path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return 0;
    assay_syscall3(SYS_read, file, (long)(uintptr_t)text, sizeof(text) - 1);
    assay_syscall1(SYS_close, file);
    const char *found = strstr(text, key);
    return found ? atoi(found + sizeof(key) - 1) : 0;
}

static int refuse_early(char *reason, size_t size)
{
    sigset_t blocked;
    int by = trap_tracer();
    if (!TRAP_FLAG) {
        snprintf(reason, size,
                 "this CPU has no trap flag that a program may set for itself; count "
                 "instructions:u, or the whole program by assay truth --source step");
        return -EOPNOTSUPP;
    }
    if (by) {
        snprintf(reason, size,
                 "process %d (a debugger, strace) traces this one and would get every trap; run it "
                 "without",
                 by);
        return -EBUSY;
    }
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGTRAP) == 1) {
        snprintf(reason, size,
                 "this thread blocks SIGTRAP, and the operating system ends a process that traps "
                 "then; unblock it (pthread_sigmask) before calipers are opened");
        return -EBUSY;
    }
    return 0;
}

static int attach(char *reason, size_t size)
{
    int error = installed ? 0 : install();
    if (error < 0) {
        snprintf(reason, size, "no handler for SIGTRAP can be set: %s", strerror(-error));
        return error;
    }
    if (!is_ours()) {
        snprintf(reason, size,
                 "SIGTRAP got another handler since the first calipers that trap were opened; set "
                 "handlers before that");
        return -EBUSY;
    }
    uint64_t saw = try_it();
    if (saw != TRIED + TRAP_FLAG_OWN) {
        snprintf(reason, size,
                 "the trap flag does not work here: of %d instructions it saw %lld (an emulator?)",
                 TRIED, saw > TRAP_FLAG_OWN ? (long long)saw - TRAP_FLAG_OWN : 0);
        return -EOPNOTSUPP;
    }
    return 0;
}

int trap_attach(char *reason, size_t size)
{
    int error = refuse_early(reason, size);
    if (error < 0)
        return error;
    pthread_once(&once, prepare_forks);
    take();
    error = attach(reason, size);
    users += error == 0;
    if (!users && installed)
        restore();
    give();
    return error;
}

void trap_detach(void)
{
    take();
    if (users && --users == 0)
        restore();
    give();
}
