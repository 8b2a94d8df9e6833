/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Harnesses inside a counting process: copies of the visit's job, a fork, and what came of it. */
#include "probe/sources/trial.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/driver/child.h"
#include "probe/sources/program.h"

#define COMMAND_WORDS 64

int trial_make(struct trial *trial, const struct source_visit *visit)
{
    struct failure failure = {0};
    const struct job *asked = visit->job;
    trial->visit = visit;
    if (!trial->workspace.job)
        trial->workspace = (struct workspace){.fd = -1};
    int result = workspace_job(&trial->workspace, asked->runs, asked->counters, &failure);
    if (result < 0)
        return source_fail(visit, result, "%s", failure.text);
    struct job *job = trial->workspace.job;
    memcpy(job->folder, asked->folder, sizeof(job->folder));
    memcpy(job->path, asked->path, sizeof(job->path));
    memcpy(job->opt, asked->opt, sizeof(job->opt));
    memcpy(job->specimen, asked->specimen, sizeof(job->specimen));
    job->pattern = asked->pattern;
    job->separate = asked->separate;
    job->cpu = asked->cpu;
    job->n = asked->n;
    memcpy(job->events, asked->events, sizeof(job->events));
    return 0;
}

/* In the child: becomes the harness, or says why not. */
static void __attribute__((noreturn))
become(const struct trial *trial, const char *const *words, bool traced)
{
    int job = trial->workspace.fd;
    char *environment[CHILD_VARIABLES];
    child_environment(environment);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (trial->is_grandchild) /* it ends when its parent does, which is this process */
        trial->workspace.job->driver = getpid();
    if (trial->errors > 0)
        dup2(trial->errors, STDERR_FILENO);
    if (trial->settled)
        personality(
            ADDR_NO_RANDOMIZE); /* where a filter forbids it, counts may differ and say so */
    if (dup2(job, JOB_FD) == JOB_FD && (!traced || ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0))
        execve(words[0], (char *const *)(uintptr_t)words, environment);
    fprintf(stderr, "%s cannot be started: %s\n", words[0], strerror(errno));
    _exit(127);
}

int trial_start(struct trial *trial, const char *const *command, bool traced)
{
    const char *words[COMMAND_WORDS + 2], *prefix[EMULATOR_WORDS];
    size_t count = 0;
    if (!command && program_prefix(prefix))
        command = prefix;
    for (; command && command[count]; count++) {
        if (count == COMMAND_WORDS)
            return source_fail(trial->visit, -E2BIG, "the command of the source is too long");
        words[count] = command[count];
    }
    words[count++] = trial->visit->harness;
    words[count] = NULL;
    pid_t pid = fork();
    if (pid < 0)
        return source_fail(trial->visit, -errno, "cannot start a process: %s", strerror(errno));
    if (pid == 0)
        become(trial, words, traced);
    trial->pid = pid;
    return 0;
}

int trial_judge(const struct trial *trial, int status)
{
    struct job *job = trial->workspace.job;
    uint32_t state = __atomic_load_n(&job->state, __ATOMIC_ACQUIRE);
    job->reason[sizeof(job->reason) - 1] = '\0';
    if (state == JOB_DONE && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (state == JOB_FAILED && WIFEXITED(status))
        return source_fail(trial->visit, job->error > 0 ? -job->error : -EIO, "%s", job->reason);
    char name[32];
    if (WIFSIGNALED(status))
        return source_fail(trial->visit, -EIO, "the harness was killed by %s",
                           signal_name(WTERMSIG(status), name, sizeof(name)));
    return source_fail(trial->visit, -EIO, "the harness ended with status %d before it was done",
                       WEXITSTATUS(status));
}

int trial_await(struct trial *trial)
{
    int status = 0;
    while (waitpid(trial->pid, &status, 0) < 0)
        if (errno != EINTR)
            return source_fail(trial->visit, -errno, "the harness was lost: %s", strerror(errno));
    trial->pid = 0;
    return trial_judge(trial, status);
}

void trial_end(struct trial *trial)
{
    int status;
    if (trial->pid <= 0)
        return;
    kill(trial->pid, SIGKILL);
    while (waitpid(trial->pid, &status, 0) < 0 && errno == EINTR)
        ;
    trial->pid = 0;
}

void trial_free(struct trial *trial)
{
    trial_end(trial);
    workspace_free(&trial->workspace);
}
