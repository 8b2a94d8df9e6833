/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a command and waiting for it, as a shell does it but without one: vfork, execve, wait.
 * Between the two nothing is done that a program would not do which must not leave it behind. */
#include "probe/tour/command-instrument.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syscall.h"

/* Every kit has it, and whatever links the harness that asks, what it runs is the same. */
static const char idle_program[] = "harness-static";

int command_find(char path[COMMAND_PATH], char *reason, size_t size)
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
