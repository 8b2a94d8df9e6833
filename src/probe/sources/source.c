/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forks counting processes. A fork and not a program of its own: the driver has one thread and
 * little memory, and everything about the visit is there already. */
#include "probe/sources/counting.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int source_fail(const struct source_visit *visit, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(visit->job->reason, sizeof(visit->job->reason), format, arguments);
    va_end(arguments);
    visit->job->error = -code;
    return code;
}

const struct source *source_find(const char *name)
{
    for (size_t index = 0; source_registry[index]; index++)
        if (strcmp(source_registry[index]->name, name) == 0)
            return source_registry[index];
    return NULL;
}

void source_row_timed(const struct source_visit *visit, uint32_t run, uint64_t enabled,
                      uint64_t running)
{
    struct job *job = visit->job;
    for (uint32_t index = 0; index < job->counters; index++) {
        size_t row = (size_t)run * job->counters + index;
        job_enabled(job)[row] = enabled;
        job_running(job)[row] = running;
    }
    __atomic_store_n(&job->runs_done, run + 1, __ATOMIC_RELEASE);
}

void source_row_done(const struct source_visit *visit, uint32_t run, uint64_t nanoseconds)
{
    source_row_timed(visit, run, nanoseconds, nanoseconds);
}

/* The driver's signals are blocked and its pipes must not be touched. */
static void leave_driver(const struct outlets *outlets)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(outlets->theirs[OUTLET_OUTPUT], STDOUT_FILENO) < 0 ||
        dup2(outlets->theirs[OUTLET_ERROR], STDERR_FILENO) < 0)
        _exit(1);
}

static void __attribute__((noreturn))
count(const struct source *source, const struct source_visit *visit, const struct outlets *outlets,
      pid_t driver)
{
    struct job *job = visit->job;
    leave_driver(outlets);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != driver)
        _exit(1);
    memset(job_accounts(job), 0, job->runs * sizeof(struct account));
    __atomic_store_n(&job->state, JOB_RUNNING, __ATOMIC_RELEASE);
    int result = source->count(visit);
    if (result == 0 && job->runs_done != job->runs)
        result = source_fail(visit, -EIO, "source %s counted %u of %u runs", source->name,
                             job->runs_done, job->runs);
    __atomic_store_n(&job->state, result < 0 ? JOB_FAILED : JOB_DONE, __ATOMIC_RELEASE);
    _exit(result < 0);
}

pid_t counting_start(const struct source *source, const struct source_visit *visit,
                     const struct outlets *outlets, struct failure *failure)
{
    pid_t driver = getpid();
    pid_t pid = fork();
    if (pid < 0)
        return fail_with(failure, -errno, "cannot start a process that counts: %s",
                         strerror(errno));
    if (pid == 0)
        count(source, visit, outlets, driver);
    setpgid(pid, pid); /* both sides, so that it is done whoever comes first */
    return pid;
}
