/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What sources have in common, and what the driver does with them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/sources/program.h"
#include "probe/sources/source.h"

/* --- What sources call: the reason of a failure, rows of counts --- */

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

/* --- Sources that are only a name: the path of the same name counts, inside the window --- */

/* The CPU's counter of time, read in user code. */
static const char *const clock_classes[] = {"ticks", NULL};

const struct source source_clock = {
    .name = "clock",
    .summary = "the CPU's counter of time at both ends of the window, in ticks",
    .classes = clock_classes,
    .runs = 100,
};

/* The CPU's trap flag, set inside the process. */
static const char *const trap_classes[] = {"instructions", "instructions-raw", NULL};

const struct source source_trap = {
    .name = "trap",
    .summary = "the CPU traps after every instruction of the window, inside the process",
    .classes = trap_classes,
    .runs = 10,
};

/* --- Asks every source whether it can count here --- */

#define REASON_BYTES 1024

/* The paths that go with it decide, where the source itself has nothing against it. */
static int ask_paths(const struct source *source, const struct offers *offers, char *reason,
                     size_t size)
{
    for (size_t index = 0; index < offers->count; index++)
        if (offer_goes_with(&offers->list[index], source->name))
            return 0;
    for (size_t index = 0; index < offers->absence_count; index++) {
        const struct absence *absence = &offers->absences[index];
        if (strcmp(absence->kind, "path") == 0 && strcmp(absence->name, source->name) == 0) {
            snprintf(reason, size, "%s", absence->reason);
            return absence->error ? -absence->error : -ENOENT;
        }
    }
    snprintf(reason, size, "this kit has no path that goes with it");
    return -ENOENT;
}

int sources_collect(struct sources *sources, const struct probe_kit *kit,
                    const struct offers *offers, struct failure *failure)
{
    size_t count = 0;
    while (source_registry[count])
        count++;
    sources->list = calloc(count + 1, sizeof(*sources->list));
    if (!sources->list)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (; sources->count < count; sources->count++) {
        const struct source *source = source_registry[sources->count];
        struct event_source *entry = &sources->list[sources->count];
        char reason[REASON_BYTES] = "";
        int result = ask_paths(source, offers, reason, sizeof(reason));
        if (result == 0 && source->usable)
            result = source->usable(kit->folder, reason, sizeof(reason));
        *entry = (struct event_source){.name = source->name,
                                       .classes = source->classes,
                                       .error = result < 0 ? -result : 0,
                                       .reason = strdup(reason)};
        if (!entry->reason)
            return fail_with(failure, -ENOMEM, "out of memory");
    }
    return 0;
}

void sources_free(struct sources *sources)
{
    for (size_t index = 0; index < sources->count; index++)
        free((char *)(uintptr_t)sources->list[index].reason);
    free(sources->list);
    *sources = (struct sources){0};
}

/* --- The tools, and which of them can be used here --- */

/* The path whose windows hold the specimen and nothing else. */
static const char held[] = "bare";

static const struct tool *const tools[] = {&tool_perf_stat, NULL};

/* The harness that a tool runs; NULL: this kit, or this machine, has none. */
static const struct offer *find_harness(const struct offers *offers, const struct probe_kit *kit,
                                        const struct tool *tool)
{
    for (size_t index = 0; index < offers->count; index++) {
        const struct offer *offer = &offers->list[index];
        if (strcmp(offer->path, held) == 0 && strcmp(offer->opt, tool->opt) == 0 &&
            strcmp(kit->harnesses[offer->harness].link, tool->link) == 0)
            return offer;
    }
    return NULL;
}

static int offer_tool(struct offers *offers, const struct probe_kit *kit, const struct tool *tool)
{
    char reason[REASON_BYTES] = "this kit has no harness that it could run";
    const struct offer *harness = find_harness(offers, kit, tool);
    int usable = harness ? tool->source.usable(kit->folder, reason, sizeof(reason)) : -ENOENT;
    if (usable < 0)
        return offers_add_absence(offers, "path", tool->source.name, -usable, reason);
    return offers_add(offers, tool->source.name, tool->opt, tool->pattern, "perf_event", tool->note,
                      harness->harness);
}

int tools_offer(struct offers *offers, const struct probe_kit *kit, struct failure *failure)
{
    for (size_t index = 0; tools[index]; index++)
        if (offer_tool(offers, kit, tools[index]) < 0)
            return fail_with(failure, -ENOMEM, "out of memory");
    return 0;
}

const struct source *tool_source(const char *path)
{
    for (size_t index = 0; tools[index]; index++)
        if (strcmp(tools[index]->source.name, path) == 0)
            return &tools[index]->source;
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * Counting processes. A fork and not a program of its own: the driver has one thread and little
 * memory, and everything about the visit is there already. */

static void __attribute__((noreturn))
count(const struct source *source, const struct source_visit *visit, const struct outlets *outlets,
      pid_t driver)
{
    struct job *job = visit->job;
    /* The driver's signals are blocked and its pipes must not be touched. */
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

/* Harnesses inside a counting process: copies of the visit's job, a fork, and what came of it. */

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
