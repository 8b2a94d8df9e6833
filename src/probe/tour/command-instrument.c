/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs whole commands, names their words, and says what became of them. */
#include "probe/tour/instruments.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/sources/program.h"
#include "syscall.h"

/* ----------------------------------------------------------------------------------------------
 * What the driver's environment says, from /proc. A harness starts with a few fixed variables, so
 * that its stack is the same everywhere; one that runs programs of the machine needs to know where
 * those are, and whether an emulator runs them. */

#define ENVIRONMENT_MAX (1u << 20) /* bytes looked at */

static void read_environment(struct text *all)
{
    char path[64], buffer[4096];
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;
    while (fd >= 0 && all->length < ENVIRONMENT_MAX && (got = read(fd, buffer, sizeof(buffer))) > 0)
        text_append(all, buffer, (size_t)got);
}

void adopt_driver_variable(const char *name)
{
    AUTO_TEXT struct text all = {0};
    size_t length = strlen(name);
    read_environment(&all);
    if (!all.bytes || all.failed)
        return;
    for (const char *entry = all.bytes; entry < all.bytes + all.length; entry += strlen(entry) + 1)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=') {
            setenv(name, entry + length + 1, 1);
            return;
        }
}

/* ----------------------------------------------------------------------------------------------
 * Starting a command and waiting for it, as a shell does it but without one: vfork, execve, wait.
 * Between the two nothing is done that a program would not do which must not leave it behind. */

/* Every kit has it, and whatever links the harness that asks, what it runs is the same. */
static const char idle_program[] = "harness-static";

/* The program of this kit that ends at once; -ENOENT with the reason. */
static int command_find(char path[COMMAND_PATH], char *reason, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, COMMAND_PATH - sizeof(idle_program));
    if (length <= 0) {
        snprintf(reason, size, "a harness cannot find its own folder: is /proc mounted?");
        return -ENOENT;
    }
    path[length] = '\0';
    char *name = strrchr(path, '/');
    snprintf(name ? name + 1 : path, sizeof(idle_program), "%s", idle_program);
    if (access(path, X_OK) == 0)
        return 0;
    snprintf(reason, size, "the kit has no program %s that could be run: %s", idle_program,
             strerror(errno));
    return -ENOENT;
}

/* In the child, on the parent's stack: only system calls, and nothing written. */
static void __attribute__((noreturn, noinline))
become(const char *const *words, char *const *variables, int said, pid_t parent)
{
    assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (assay_syscall0(SYS_getppid) == parent &&
        assay_syscall3(SYS_dup3, said, STDERR_FILENO, 0) >= 0)
        assay_syscall3(SYS_execve, (long)words[0], (long)words, (long)variables);
    for (;;)
        assay_syscall1(SYS_exit_group, 127);
}

long command_run(const char *const *words, int said, pid_t self)
{
    int status = 0;
    pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (child == 0) /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it makes system calls only */
        become(words, environ, said, self);
    if (child < 0)
        return -errno;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return status ? COMMAND_ENDED - status : 0;
}

/* --- The instrument --- */

#define PERF_CALLS "perf-stat." /* how the tour's text names them */

/* --- can it be done here? --- */

int command_usable(char *reason, size_t size)
{
    char path[COMMAND_PATH];
    adopt_driver_variable("ASSAY_EMULATOR");
    if (program_emulated()) {
        snprintf(reason, size, "programs are run by an emulator here, whose start would be timed");
        return -ENOTSUP;
    }
    return command_find(path, reason, size);
}

int perf_stat_usable(char *reason, size_t size)
{
    int result = command_usable(reason, size);
    if (result < 0)
        return result;
    adopt_driver_variable("PATH");
    return perf_usable(reason, size);
}

/* --- before the calls --- */

static void put_words(const char **words, const char *const *from)
{
    while (*words)
        words++;
    while ((*words = *from++))
        words++;
}

static int name_files(struct job *job, struct tour_command *command)
{
    snprintf(command->output, sizeof(command->output), "%s/perf-stat", job->folder);
    snprintf(command->errors, sizeof(command->errors), "%s/command-errors", job->folder);
    command->said = open(command->errors,
                         O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (command->said < 0)
        return job_fail(job, -errno, "cannot make a file: %s", strerror(errno));
    return 0;
}

/* perf gets the event by its name, so that must mean to perf what it means to us. */
static int name_event(struct job *job, struct tour_command *command)
{
    const struct job_event *event = &job->tour.counted;
    struct failure failure = {0};
    if (job->tour.open != 1)
        return job_fail(job, -ENOTSUP, "path perf-stat counts one event at a time");
    if (event->own || event->target[0] || event->counts[0])
        return job_fail(job, -ENOTSUP, "perf cannot be given %s by its name: count another event",
                        event->name);
    if (perf_takes_event(event->name, &failure) < 0)
        return job_fail(job, -EINVAL, "%s", failure.text);
    adopt_driver_variable("PATH");
    command->perf = program_find("perf");
    if (!command->perf)
        return job_fail(job, -ENOENT, "perf is not installed, or no longer");
    program_keep_mounts();
    put_words(command->counted,
              (const char *const[]){command->perf, "stat", perf_separated, "--no-scale", "-o",
                                    command->output, "-e", event->name, "--", NULL});
    return 0;
}

void command_close(struct tour_state *state)
{
    struct tour_command *command = state->own;
    if (!command)
        return;
    if (command->said > 0)
        close(command->said);
    free(command->perf);
    free(command);
    state->own = NULL;
}

int command_open(struct tour_state *state)
{
    struct job *job = state->job;
    struct tour_command *command = state->own = calloc(1, sizeof(*command));
    if (!command)
        return job_fail(job, -ENOMEM, "out of memory");
    if (!job->folder[0])
        return job_fail(job, -ENOENT, "commands need a folder for what they say");
    int result = command_find(command->nothing, job->reason, sizeof(job->reason));
    if (result < 0)
        job->error = -result;
    if (result == 0)
        result = name_files(job, command);
    if (result == 0 && strstr(job_calls(job), PERF_CALLS))
        result = name_event(job, command);
    if (result < 0) {
        command_close(state);
        return result;
    }
    const char *const idle[] = {command->nothing, "--nothing", NULL};
    put_words(command->plain, idle);
    put_words(command->counted, idle);
    command->self = getpid();
    return 0;
}

/* --- after the calls --- */

static int check_status(struct tour_state *state)
{
    const struct tour_command *command = state->own;
    struct job *job = state->job;
    char words[PERF_WORDS];
    if (state->status >= 0)
        return 0;
    if (state->status > COMMAND_ENDED)
        return job_fail(job, (int)state->status, "it cannot be started: %s",
                        strerror((int)-state->status));
    int status = (int)(COMMAND_ENDED - state->status);
    perf_read_words(command->errors, words);
    const char *colon = words[0] ? ": " : "";
    if (WIFSIGNALED(status))
        return job_fail(job, -EIO, "it was killed by signal %d%s%s", WTERMSIG(status), colon,
                        words);
    return job_fail(job, -EIO, "it ended with status %d%s%s", WEXITSTATUS(status), colon, words);
}

int command_check(struct tour_state *state)
{
    return check_status(state);
}

int perf_stat_check(struct tour_state *state)
{
    const struct tour_command *command = state->own;
    struct perf_stat_count count;
    struct failure failure = {0};
    size_t length = 0;
    int result = check_status(state);
    if (result < 0)
        return result;
    AUTO_FREE char *bytes = perf_read_file(command->output, &length);
    if (!bytes)
        return job_fail(state->job, -errno, "perf stat left no count: %s", strerror(errno));
    result = perf_stat_read(bytes, length, state->job->tour.counted.name, &count, &failure);
    return result < 0 ? job_fail(state->job, result, "%s", failure.text) : 0;
}
