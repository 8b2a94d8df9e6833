/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trials in a child, and the sentence about a first reading that did not end well. */
#include "probe/clocks/trial.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/clocks/clock.h"

static const struct {
    int number;
    const char *name;
} deadly[] = {{SIGSEGV, "SIGSEGV"}, {SIGILL, "SIGILL"},   {SIGBUS, "SIGBUS"},
              {SIGSYS, "SIGSYS"},   {SIGTRAP, "SIGTRAP"}, {SIGFPE, "SIGFPE"},
              {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGKILL, "SIGKILL"}};

const char *trial_signal_name(int number)
{
    for (size_t index = 0; index < sizeof(deadly) / sizeof(*deadly); index++)
        if (deadly[index].number == number)
            return deadly[index].name;
    return "a signal";
}

/* Whatever handler, mask or wish for a core file the parent has is not the child's. */
static void forget_parents_ways(void)
{
    struct rlimit nothing = {0, 0};
    sigset_t none;
    for (size_t index = 0; index < sizeof(deadly) / sizeof(*deadly); index++)
        signal(deadly[index].number, SIG_DFL);
    setrlimit(RLIMIT_CORE, &nothing);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    alarm(TRIAL_SECONDS);
}

int trial(int (*attempt)(void *context), void *context)
{
    pid_t child = fork();
    if (child < 0)
        return errno;
    if (child == 0) {
        forget_parents_ways();
        _exit(attempt(context) & 0xff);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int read_once(void *context)
{
    struct clock_reader *reader = context;
    reader->clock->read(reader);
    return reader->error;
}

static bool reads_ticks(const struct clock *clock)
{
    return strcmp(clock->way, "instruction") == 0 || strcmp(clock->way, "vdso") == 0;
}

int clock_try(struct clock_reader *reader, char *reason, size_t size)
{
    int ended = trial(read_once, reader);
    if (ended == 0)
        return 0;
    if (ended > 0)
        return clock_says(reason, size, -ended, "a first reading failed: %s", strerror(ended));
    if (ended == -SIGALRM)
        return clock_says(reason, size, -ETIMEDOUT, "a first reading did not end within %u s",
                          TRIAL_SECONDS);
    const char *name = trial_signal_name(-ended);
    if (!reads_ticks(reader->clock))
        return clock_says(reason, size, -EFAULT, "a first reading ended its process by %s", name);
    if (!clock_ticks_allowed())
        return clock_says(reason, size, -EPERM,
                          "user code may not read the CPU's counter of time here (PR_SET_TSC), and "
                          "who does is ended by %s: take monotonic-syscall, for which the "
                          "operating system reads it",
                          name);
    return clock_says(reason, size, -EPERM,
                      "a first reading ended its process by %s, as a sandbox or an operating "
                      "system does that keeps the CPU's counter of time to itself: take "
                      "monotonic-syscall, for which the operating system reads it",
                      name);
}
