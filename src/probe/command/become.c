/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a fork of the counting process to the program: a session of its own (so no terminal is
 * within its reach), its three descriptors and no other, default signals, its controls. */
#include "probe/command/become.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/command/controls.h"
#include "probe/command/launch.h"
#include "probe/command/row.h"
#include "probe/sources/program.h"

#define FIRST_FOREIGN 3
#define FED_BYTES     65536

static void __attribute__((noreturn))
give_up(const struct becoming *becoming, const struct failure *failure)
{
    if (write(becoming->said, failure, sizeof(*failure)) < 0)
        _exit(126);
    _exit(127);
}

/* Those that the C library keeps to itself too: who was started by its posix_spawn, as by make, has
 * them ignored. Of the operating system's structure, whose order differs, all is zero. */
static void default_signals(void)
{
    static const uint64_t by_default[8] = {0};
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, by_default, NULL, (NSIG - 1) / 8);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Whatever was open in the driver, or in whoever started it, ends at the exec. */
static void close_others(void)
{
#if defined(SYS_close_range) && defined(CLOSE_RANGE_CLOEXEC)
    if (syscall(SYS_close_range, FIRST_FOREIGN, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
        return;
#endif
    struct rlimit limit = {.rlim_cur = 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    const int most = limit.rlim_cur > 65536 ? 65536 : (int)limit.rlim_cur;
    for (int fd = FIRST_FOREIGN; fd < most; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static int lay_descriptors(const struct becoming *becoming, struct failure *failure)
{
    const int *outputs = becoming->visit->line->outputs;
    if ((becoming->input >= 0 && dup2(becoming->input, STDIN_FILENO) < 0) ||
        dup2(outputs[0], STDOUT_FILENO) < 0 || dup2(outputs[1], STDERR_FILENO) < 0)
        return fail_with(failure, -errno, "its descriptors cannot be laid: %s", strerror(errno));
    return 0;
}

/* Prefix and words; the program's path stands for its first word behind a prefix. */
static char **join(const struct becoming *becoming)
{
    const char *emulator[EMULATOR_WORDS];
    const char *const *prefix = becoming->launch->prefix;
    const struct execution *execution = becoming->execution;
    size_t before = 0, words = 0;
    if (!prefix && program_prefix(emulator))
        prefix = emulator;
    while (prefix && prefix[before])
        before++;
    while (execution->words[words])
        words++;
    char **joined = calloc(before + words + 1, sizeof(*joined));
    if (!joined)
        return NULL;
    for (size_t index = 0; index < before; index++)
        joined[index] = strdup(prefix[index]);
    for (size_t index = 0; index < words; index++)
        joined[before + index] = execution->words[index];
    if (before)
        joined[before] = execution->program;
    return joined;
}

static char **environment_with(const struct becoming *becoming)
{
    char *const *list = becoming->execution->environment;
    size_t count = 0;
    while (list[count])
        count++;
    char **joined = calloc(count + 2, sizeof(*joined));
    if (!joined)
        return NULL;
    memcpy(joined, list, count * sizeof(*joined));
    joined[count] = becoming->launch->kept ? strdup(becoming->launch->kept) : NULL;
    return joined;
}

/* Everything but the exec itself is done and paid for before. */
static void wait_to_go(const struct becoming *becoming)
{
    const struct failure ready = {0};
    char byte;
    if (write(becoming->said, &ready, sizeof(ready)) < 0)
        _exit(127);
    while (read(becoming->hold, &byte, 1) < 0 && errno == EINTR)
        ;
}

static uint64_t note_account(struct account *spent)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    spent->minor_faults = (uint64_t)usage.ru_minflt;
    spent->major_faults = (uint64_t)usage.ru_majflt;
    spent->voluntary = (uint64_t)usage.ru_nvcsw;
    spent->involuntary = (uint64_t)usage.ru_nivcsw;
    return row_cpu_ns(&usage);
}

void become_program(const struct becoming *becoming)
{
    const struct execution *execution = becoming->execution;
    struct failure failure = {0};
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != becoming->counting)
        _exit(127);
    default_signals();
    if (lay_descriptors(becoming, &failure) < 0 ||
        controls_apply(becoming->visit, execution, &failure) < 0)
        give_up(becoming, &failure);
    char **words = join(becoming), **environment = environment_with(becoming);
    if (!words || !environment) {
        fail_with(&failure, -ENOMEM, "out of memory");
        give_up(becoming, &failure);
    }
    const bool direct = words[0] == execution->words[0];
    const char *file = direct ? execution->program : words[0];
    close_others();
    wait_to_go(becoming);
    execution->guarded->spent_ns = note_account(&execution->guarded->spent);
    execve(file, words, environment);
    failure.code = -errno;
    places_explain(file, errno, failure.text, sizeof(failure.text));
    give_up(becoming, &failure);
}

void become_feeder(const char *file, int to)
{
    static char buffer[FED_BYTES];
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    default_signals();
    AUTO_CLOSE int from = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t got;
    while (from >= 0 && (got = read(from, buffer, sizeof(buffer))) > 0)
        for (ssize_t written = 0, more; written < got; written += more)
            if ((more = write(to, buffer + written, (size_t)(got - written))) <= 0)
                _exit(0);
    _exit(0);
}
