/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Standard input of a command that is executed on this machine: assay's own. The program opens it
 * by assay's number in /proc, so that it reads the very pipe, terminal or file. What cannot be
 * opened a second time as it stands (a socket, a named pipe, a file of which a part was read) is
 * passed on by a process through a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/cleanup.h"
#include "engine/command-line.h"
#include "studies/stat/study.h"

#define PASSED_BYTES 65536

/* Opened again, is it the same, from the same place? */
static bool opens_again(void)
{
    struct stat about;
    struct statfs system;
    if (fstat(STDIN_FILENO, &about) < 0)
        return true; /* whatever it is, opening it says so */
    if (S_ISFIFO(about.st_mode))
        return fstatfs(STDIN_FILENO, &system) == 0 && system.f_type == PIPEFS_MAGIC;
    if (S_ISREG(about.st_mode))
        return lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 && access("/proc/self/fd/0", R_OK) == 0;
    return !S_ISSOCK(about.st_mode) && access("/proc/self/fd/0", R_OK) == 0;
}

static void __attribute__((noreturn)) pass_on(int to, pid_t assay)
{
    static char bytes[PASSED_BYTES];
    ssize_t got;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    if (getppid() != assay)
        _exit(0);
    for (int fd = STDERR_FILENO + 1; fd < to; fd++)
        close(fd);
    while ((got = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
        for (ssize_t at = 0, more; at < got; at += more)
            if ((more = write(to, bytes + at, (size_t)(got - at))) <= 0)
                _exit(0);
    _exit(0);
}

static int start_relay(struct stat_run *run, struct failure *failure)
{
    int ends[2];
    const pid_t assay = getpid();
    if (pipe2(ends, O_CLOEXEC) < 0)
        return fail_with(failure, -errno, "cannot make a pipe: %s", strerror(errno));
    run->relayed = ends[0];
    run->relay = fork();
    if (run->relay == 0)
        pass_on(ends[1], assay);
    const int error = errno;
    close(ends[1]);
    if (run->relay > 0)
        return 0;
    run->relay = 0;
    return fail_with(failure, -error, "cannot start a process: %s", strerror(error));
}

int stat_take_input(struct stat_run *run, struct failure *failure)
{
    const struct stat_options *options = run->options;
    const bool here = strcmp(options->common.via, "local") == 0;
    int error =
        command_line_input(run->session, options->common.via, options->input, &run->input, failure);
    if (error == 0 && options->input)
        run->controls |= CONTROL_BIT(CONTROL_STDIN);
    if (error < 0 || options->input || options->controlled)
        return error;
    run->no_input = !here;
    if (!here)
        return 0;
    if (!opens_again())
        error = start_relay(run, failure);
    if (error < 0)
        return error;
    if (asprintf(&run->input, "/proc/%d/fd/%d", (int)getpid(),
                 run->relay ? run->relayed : STDIN_FILENO) < 0) {
        run->input = NULL;
        return fail_with(failure, -ENOMEM, "out of memory");
    }
    /* Opened as a file, not fed through a pipe by the probe. */
    run->controls |= CONTROL_BIT(CONTROL_STDIN);
    return 0;
}

void stat_end_input(struct stat_run *run)
{
    if (run->relay > 0) {
        kill(run->relay, SIGKILL);
        while (waitpid(run->relay, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    run->relay = 0;
    cleanup_close(&run->relayed);
    run->relayed = -1;
}
