/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Children by posix_spawn: as cheap as vfork, without its traps. The driver's signals are blocked
 * (it takes them from a descriptor), so a child starts with a clean mask. */
#include "probe/driver/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/harness/job.h"
#include "probe/sources/program.h"

#define LIFTED 16 /* the driver's own descriptors live from here */

int descriptor_lift(int fd)
{
    if (fd < 0)
        return fd;
    int lifted = fcntl(fd, F_DUPFD_CLOEXEC, LIFTED);
    int error = errno;
    close(fd);
    errno = error;
    return lifted;
}

int outlets_open(struct outlets *outlets, struct failure *failure)
{
    for (int index = 0; index < OUTLET_COUNT; index++)
        outlets->ours[index] = outlets->theirs[index] = -1;
    for (int index = 0; index < OUTLET_COUNT; index++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) < 0)
            return fail_with(failure, -errno, "cannot make a pipe: %s", strerror(errno));
        outlets->ours[index] = descriptor_lift(ends[0]);
        outlets->theirs[index] = descriptor_lift(ends[1]);
        if (outlets->ours[index] < 0 || outlets->theirs[index] < 0 ||
            fcntl(outlets->ours[index], F_SETFL, O_NONBLOCK) < 0)
            return fail_with(failure, -errno, "cannot make a pipe: %s", strerror(errno));
    }
    return 0;
}

void outlets_close(struct outlets *outlets)
{
    for (int index = 0; index < OUTLET_COUNT; index++) {
        cleanup_close(&outlets->ours[index]);
        cleanup_close(&outlets->theirs[index]);
    }
}

/* Handed on where they are set: PAPI outside the standard places would not be found otherwise, nor
 * a user's own definitions of its presets. */
static const char *const handed_on[] = {"LD_LIBRARY_PATH=", "PAPI_CSV_EVENT_FILE="};
_Static_assert(2 + sizeof(handed_on) / sizeof(handed_on[0]) + 1 == CHILD_VARIABLES,
               "one place each");

/* The same few variables everywhere, so that the stack of a harness does not depend on who
 * measures. */
void child_environment(char *environment[CHILD_VARIABLES])
{
    static char path[] = "PATH=/usr/bin:/bin";
    static char locale[] = "LC_ALL=C";
    size_t count = 0;
    environment[count++] = path;
    environment[count++] = locale;
    for (size_t index = 0; index < sizeof(handed_on) / sizeof(handed_on[0]); index++) {
        char **entry = environ;
        while (*entry && strncmp(*entry, handed_on[index], strlen(handed_on[index])) != 0)
            entry++;
        if (*entry)
            environment[count++] = *entry;
    }
    environment[count] = NULL;
}

pid_t child_start(const char *folder, const char *file, const char *argument, int job,
                  const struct outlets *outlets, struct failure *failure)
{
    AUTO_FREE char *program = NULL;
    char *environment[CHILD_VARIABLES];
    if (asprintf(&program, "%s/%s", folder, file) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    const char *words[EMULATOR_WORDS + 2];
    size_t count = program_prefix(words);
    words[count] = count ? program : file; /* an emulator needs the path */
    words[count + 1] = argument;
    words[count + 2] = NULL;
    child_environment(environment);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    pid_t pid = -1;
    int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, outlets->theirs[OUTLET_OUTPUT], 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, outlets->theirs[OUTLET_ERROR], 2);
    if (!error && job >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, job, JOB_FD);
    if (!error) {
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigmask(&attributes, &none);
        error = posix_spawnattr_setsigdefault(&attributes, &all);
    }
    if (!error)
        error = posix_spawn(&pid, count ? words[0] : program, &actions, &attributes,
                            (char *const *)(uintptr_t)words, environment); /* not written to */
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return fail_with(failure, -error, "cannot start %s: %s", program, strerror(error));
    return pid;
}

int child_ended(pid_t pid, int *status)
{
    /* As long as it is not waited for, its number is that of its group and of nobody else. */
    siginfo_t ended = {0};
    int result;
    do
        result = waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT);
    while (result < 0 && errno == EINTR);
    if (!(result == 0 && ended.si_pid == pid))
        return 0;
    child_kill(pid, status);
    return 1;
}

void child_kill(pid_t pid, int *status)
{
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
}

const char *signal_name(int number, char *buffer, size_t size)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
                 {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"},
                 {SIGTERM, "SIGTERM"}, {SIGSYS, "SIGSYS"},   {SIGTRAP, "SIGTRAP"}};
    for (size_t index = 0; index < sizeof(names) / sizeof(*names); index++)
        if (names[index].number == number)
            return names[index].name;
    snprintf(buffer, size, "signal %d", number);
    return buffer;
}
