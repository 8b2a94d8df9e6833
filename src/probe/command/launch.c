/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts programs for counting processes, waits for them, sees that nothing of them is left, and
 * fills their rows. */
#include "probe/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "base/words.h"

/* --- The row of a command: its columns, and what became of it, in those called run/…/ --- */

int command_fail(const struct command_visit *visit, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(visit->job->reason, sizeof(visit->job->reason), format, arguments);
    va_end(arguments);
    visit->job->error = -code;
    return code;
}

void command_remark(const struct command_visit *visit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(visit->job->reason, sizeof(visit->job->reason), format, arguments);
    va_end(arguments);
}

void command_remark_calls(const struct command_visit *visit, const char *tool, const char *call,
                          bool starved)
{
    struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY}, data = space;
    getrlimit(RLIMIT_AS, &space);
    getrlimit(RLIMIT_DATA, &data);
    if (call)
        command_remark(visit,
                       "%s lacks the system call %s, which this machine has: the program took "
                       "another path",
                       tool, call);
    else if (starved && (space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY))
        command_remark(visit,
                       "memory is limited here (ulimit -v, -d), %s needs of it for itself, and the "
                       "program was refused some: it may have taken another path",
                       tool);
}

int command_column(const struct command_visit *visit, const char *class)
{
    for (uint32_t column = 0; column < visit->cell->counters; column++)
        if (visit->events[column].counts && strcmp(visit->events[column].counts, class) == 0)
            return (int)column;
    return -1;
}

void command_put(const struct command_visit *visit, int column, uint64_t value)
{
    if (column >= 0 && (uint32_t)column < visit->job->counters)
        job_values(visit->job)[column] = value;
}

void command_put_timed(const struct command_visit *visit, int column, uint64_t value,
                       uint64_t enabled, uint64_t running)
{
    if (column < 0 || (uint32_t)column >= visit->job->counters)
        return;
    job_values(visit->job)[column] = value;
    job_enabled(visit->job)[column] = enabled;
    job_running(visit->job)[column] = running;
    visit->line->timed |= 1u << column;
}

/* A program that ends when it is asked to has ended because its time was over, whatever it says. */
static uint64_t status_of(const struct guarded *guarded, int status)
{
    if (guarded->timed_out)
        return STATUS_TIMEOUT + (guarded->killed ? SIGKILL : SIGTERM);
    if (WIFSIGNALED(status))
        return STATUS_SIGNAL + (uint64_t)WTERMSIG(status);
    return (uint64_t)WEXITSTATUS(status);
}

struct column {
    const char *name;
    uint64_t value;
    bool known;
};
#define COLUMNS 10

/* --- From the preparation of a program to the end of all that is left of it --- */

int launch_prepare(const struct command_visit *visit, struct execution *execution)
{
    execution->hold = execution->said = -1;
    execution->guarded = visit->line->guarded;
    int result = places_resolve(visit, execution);
    if (result < 0)
        return result;
    execution->environment = environment_make(&visit->cell->command, environ, visit->tunables);
    return execution->environment ? 0 : command_fail(visit, -ENOMEM, "out of memory");
}

static uint64_t take_account(struct account *account)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_CHILDREN, &usage);
    *account = (struct account){(uint64_t)usage.ru_minflt, (uint64_t)usage.ru_majflt,
                                (uint64_t)usage.ru_nvcsw, (uint64_t)usage.ru_nivcsw};
    return cpu_ns_of(&usage);
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Writes the input into a pipe, as `cat FILE |` would. Its reading end; -1 with errno. */
static int start_feeder(struct execution *execution)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    execution->feeder = fork();
    if (execution->feeder == 0) {
        close(ends[0]);
        become_feeder(execution->input, ends[1]);
    }
    close(ends[1]);
    if (execution->feeder > 0)
        return ends[0];
    execution->feeder = 0;
    close(ends[0]);
    return -1;
}

static uint64_t end_feeder(struct execution *execution, struct account *spent)
{
    struct rusage usage = {0};
    int status;
    if (execution->feeder <= 0)
        return 0;
    kill(execution->feeder, SIGKILL);
    while (wait4(execution->feeder, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    execution->feeder = 0;
    spent->minor_faults += (uint64_t)usage.ru_minflt;
    spent->major_faults += (uint64_t)usage.ru_majflt;
    spent->voluntary += (uint64_t)usage.ru_nvcsw;
    spent->involuntary += (uint64_t)usage.ru_nivcsw;
    return cpu_ns_of(&usage);
}

/* The process that waits to become the program. */
static int fork_held(const struct command_visit *visit, const struct launch *launch,
                     struct execution *execution, int input)
{
    int hold[2] = {-1, -1}, said[2] = {-1, -1};
    if (pipe2(hold, O_CLOEXEC) < 0 || pipe2(said, O_CLOEXEC) < 0)
        return command_fail(visit, -errno, "cannot make a pipe: %s", strerror(errno));
    const pid_t counting = getpid();
    execution->pid = fork();
    if (execution->pid == 0) {
        close(hold[1]);
        close(said[0]);
        become_program(
            &(struct becoming){visit, launch, execution, counting, input, hold[0], said[1]});
    }
    const int error = errno;
    close(hold[0]);
    close(said[1]);
    execution->hold = hold[1];
    execution->said = said[0];
    if (execution->pid > 0)
        return 0;
    execution->pid = 0;
    return command_fail(visit, -error, "cannot start a process: %s", strerror(error));
}

/* It says that it is ready, or why it is not: a control that was refused. */
static int hear(const struct command_visit *visit, struct execution *execution)
{
    struct failure failure = {0};
    int status;
    ssize_t got;
    do
        got = read(execution->said, &failure, sizeof(failure));
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof(failure) && failure.code == 0)
        return 1;
    if (got == 0)
        return 0;
    while (waitpid(execution->pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    execution->pid = 0;
    if (got != (ssize_t)sizeof(failure))
        return command_fail(visit, -EIO, "the process that was to become the program was lost");
    failure.text[sizeof(failure.text) - 1] = '\0';
    return command_fail(visit, failure.code, "%s", failure.text);
}

/* Would executing its file change what it may do? That of a script never does. */
static bool gives_rights(const struct execution *execution)
{
    struct stat about;
    struct statvfs system;
    if (!execution->bits || stat(execution->program, &about) < 0 ||
        (statvfs(execution->program, &system) == 0 && system.f_flag & ST_NOSUID) ||
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    return (about.st_mode & S_ISUID && about.st_uid != geteuid()) ||
           (about.st_mode & S_ISGID && about.st_mode & S_IXGRP && about.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(execution->program, "security.capability", NULL, 0) > 0);
}

/* May the memory of programs that gained rights be read all the same (fs.suid_dumpable)? Then they
 * are counted, too. */
static bool gains_are_readable(void)
{
    char digit = '0';
    AUTO_CLOSE const int fd = open("/proc/sys/fs/suid_dumpable", O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, &digit, 1) == 1 && digit == '1';
}

int launch_start(const struct command_visit *visit, const struct launch *launch,
                 struct execution *execution)
{
    const bool fed = execution->input && !control_is_on(visit, CONTROL_STDIN);
    memset(&execution->guarded->spent, 0, sizeof(execution->guarded->spent));
    execution->guarded->spent_ns = 0;
    execution->waited_ns = take_account(&execution->waited);
    /* Who is traced by somebody without the right to, or runs in an emulator, gains nothing. */
    const bool withholds = launch->prefix || (launch->traced && geteuid() != 0);
    if (withholds)
        execution->rights = gives_rights(execution) ? RIGHTS_WITHHELD : RIGHTS_PLAIN;
    else {
        const bool secret = access(execution->program, R_OK) != 0 || gives_rights(execution);
        execution->rights = secret && !gains_are_readable() ? RIGHTS_GAINED : RIGHTS_PLAIN;
    }
    int input = fed ? start_feeder(execution) : -1;
    if (fed && input < 0)
        return command_fail(visit, -errno, "cannot start a process: %s", strerror(errno));
    int result = guard_tell(visit->line, GUARD_BEGIN, 0);
    if (result < 0)
        return command_fail(visit, result, "the guard is gone");
    result = fork_held(visit, launch, execution, input);
    close_end(&input);
    if (result == 0)
        result = hear(visit, execution);
    if (result == 0)
        result = command_fail(visit, -EIO, "the process that was to become the program was lost");
    if (result < 0)
        return result;
    const int cpu = control_is_on(visit, CONTROL_CPU) ? visit->cell->cpu : -1;
    execution->tasks = tasks_watch(execution->pid, cpu);
    execution->interrupts_known = interrupts_read(cpu, &execution->interrupts) == 0;
    return launch->held ? 0 : launch_release(visit, execution);
}

int launch_release(const struct command_visit *visit, struct execution *execution)
{
    const uint64_t milliseconds = visit->cell->command.timeout;
    int result = guard_tell(visit->line, GUARD_LIMIT,
                            milliseconds ? monotonic_ns() + milliseconds * 1000000u : 0);
    if (result < 0)
        return command_fail(visit, result, "the guard is gone");
    execution->started = monotonic_ns();
    close_end(&execution->hold); /* the end of the pipe lets it go */
    result = hear(visit, execution);
    close_end(&execution->said);
    return result > 0 ? 0 : result;
}

int launch_await(struct execution *execution, int *status)
{
    pid_t ended;
    do
        ended = waitpid(execution->pid, status, __WALL);
    while (ended < 0 ? errno == EINTR : !WIFEXITED(*status) && !WIFSIGNALED(*status));
    execution->ended = monotonic_ns();
    return ended < 0 ? -errno : 0;
}

int launch_clear(const struct command_visit *visit, struct execution *execution)
{
    if (execution->cleared)
        return 0;
    if (!execution->ended)
        execution->ended = monotonic_ns();
    execution->pid = 0;
    execution->cleared = true;
    execution->waited_ns += end_feeder(execution, &execution->waited);
    if (descendants_end(&execution->left) == 0)
        return 0;
    return command_fail(visit, -EPERM,
                        "it left processes that cannot be ended: they run as another user");
}

bool launch_timed_out(const struct execution *execution)
{
    return __atomic_load_n(&execution->guarded->timed_out, __ATOMIC_ACQUIRE) != 0;
}

static void release(struct execution *execution)
{
    close_end(&execution->hold);
    close_end(&execution->said);
    tasks_free(execution->tasks);
    words_free(execution->words);
    words_free(execution->environment);
    free(execution->program);
    free(execution->input);
    free(execution->directory);
    *execution = (struct execution){.hold = -1, .said = -1};
}

static void subtract(uint64_t *from, uint64_t first, uint64_t second)
{
    const uint64_t both = first + second;
    *from = *from > both ? *from - both : 0;
}

int launch_finish(const struct command_visit *visit, struct execution *execution, int status,
                  uint64_t tasks, uint64_t processes)
{
    const struct guarded *guarded = execution->guarded;
    int result = launch_clear(visit, execution);
    if (result == 0 && (result = guard_tell(visit->line, GUARD_FINISH, 0)) < 0)
        command_fail(visit, result, "the guard is gone");
    if (result < 0) {
        launch_end(execution);
        return result;
    }
    /* Of the program alone: not what there was before it, nor what its process did before. */
    const struct account *before = &execution->waited, *spent = &guarded->spent;
    struct account account;
    uint64_t cpu_ns = take_account(&account);
    subtract(&account.minor_faults, before->minor_faults, spent->minor_faults);
    subtract(&account.major_faults, before->major_faults, spent->major_faults);
    subtract(&account.voluntary, before->voluntary, spent->voluntary);
    subtract(&account.involuntary, before->involuntary, spent->involuntary);
    subtract(&cpu_ns, execution->waited_ns, guarded->spent_ns);
    const uint64_t nanoseconds = execution->ended - execution->started;
    const bool tasks_known = tasks || tasks_count(execution->tasks, &tasks, &processes) == 0;
    uint64_t interrupts = 0;
    const bool interrupts_known =
        execution->interrupts_known && interrupts_read(visit->cell->cpu, &interrupts) == 0;
    /* Completes the row. What is not known reads 0 and has a running time of 0. */
    struct job *job = visit->job;
    const struct column columns[COLUMNS] = {
        {RUN_STATUS, status_of(guarded, status), true},
        {RUN_OUTPUT_BYTES, guarded->output_bytes, guarded->output_known},
        {RUN_OUTPUT_SUM, guarded->output_sum, guarded->output_known},
        {RUN_TASKS, tasks, tasks_known},
        {RUN_PROCESSES, processes, tasks_known},
        {RUN_LEFT, execution->left, true},
        {RUN_INTERRUPTS, interrupts - execution->interrupts, interrupts_known},
        {RUN_NANOSECONDS, nanoseconds, true},
        {RUN_CPU, cpu_ns, true},
        {RUN_RIGHTS, execution->rights, true},
    };
    for (uint32_t index = 0; index < job->counters; index++) {
        if (visit->line->timed & 1u << index)
            continue;
        bool known = true;
        for (size_t column = 0; column < COLUMNS; column++)
            if (strcmp(columns[column].name, visit->cell->events[index]) == 0) {
                known = columns[column].known;
                job_values(job)[index] = known ? columns[column].value : 0;
            }
        job_enabled(job)[index] = nanoseconds;
        job_running(job)[index] = known ? nanoseconds : 0;
    }
    job_accounts(job)[0] = account;
    __atomic_store_n(&job->runs_done, 1, __ATOMIC_RELEASE);
    release(execution);
    return 0;
}

void launch_end(struct execution *execution)
{
    struct account ignored = {0};
    end_feeder(execution, &ignored);
    descendants_end(NULL);
    release(execution);
}

/* The hard limit as well: where there is room for one byte, as programs are started, such a file
 * has one. */
void launch_forbid_cores(void)
{
    const struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
}
