/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the one command of the machine on its ports, or on a terminal that is connected to them, and
 * meanwhile reaps whatever else ends. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/boot/boot.h"

#define TICK_MS 20

static bool become_user(uid_t user)
{
    return user == 0 || (setgroups(0, NULL) == 0 && setgid((gid_t)user) == 0 && setuid(user) == 0);
}

static bool connect_ports(const struct boot_ports *ports, int terminal)
{
    int in = terminal >= 0 ? terminal : ports->in;
    int out = terminal >= 0 ? terminal : ports->out;
    int errors = terminal >= 0 ? terminal : ports->errors;
    setsid();
    if (terminal >= 0)
        ioctl(terminal, TIOCSCTTY, 0);
    return (in < 0 || dup2(in, 0) == 0) && (out < 0 || dup2(out, 1) == 1) &&
           (errors < 0 || dup2(errors, 2) == 2);
}

/* In the child; never returns. The errno of a failed exec goes to `news`. */
static void become(const struct boot_plan *plan, const struct boot_ports *ports, int terminal,
                   int news)
{
    setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin:/work:/kit", 0);
    setenv("HOME", "/work", 0);
    setenv("TERM", "linux", 0);
    if (connect_ports(ports, terminal) && chdir(plan->folder ? plan->folder : "/") == 0 &&
        become_user(plan->user))
        boot_exec(plan->words);
    int error = errno;
    ssize_t told = write(news, &error, sizeof(error));
    _exit(told == sizeof(error) ? 127 : 126);
}

/* Moves what there is; false at the end of `from`. */
static bool move(int from, int to)
{
    char bytes[4096];
    ssize_t got = read(from, bytes, sizeof(bytes));
    if (got <= 0)
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    for (ssize_t sent = 0, now; sent < got; sent += now)
        if ((now = write(to, bytes + sent, (size_t)(got - sent))) <= 0)
            return now < 0 && errno == EINTR;
    return true;
}

/* Between the ports and the terminal, until nobody has the terminal open any more. */
static void relay(const struct boot_ports *ports, int terminal)
{
    bool listening = true;
    for (;;) {
        struct pollfd both[2] = {{.fd = terminal, .events = POLLIN},
                                 {.fd = listening ? ports->in : -1, .events = POLLIN}};
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            return;
        if (both[0].revents && !move(terminal, ports->out))
            return;
        if (both[1].revents && !move(ports->in, terminal)) {
            listening = false;
            if (write(terminal, "\004", 1) < 0) /* end of input, as a terminal says it */
                return;
        }
    }
}

static int wait_for(pid_t child)
{
    int status;
    for (;;) {
        pid_t ended = waitpid(-1, &status, 0);
        if (ended == child)
            return status;
        if (ended < 0 && errno != EINTR)
            return -errno;
    }
}

static int open_terminal(const struct boot_plan *plan, int *ours, int *theirs)
{
    const struct winsize size = {.ws_row = (unsigned short)plan->rows,
                                 .ws_col = (unsigned short)plan->columns};
    if (plan->rows <= 0)
        return 0;
    if (openpty(ours, theirs, NULL, NULL, &size) < 0)
        return -errno;
    fcntl(*ours, F_SETFD, FD_CLOEXEC);
    fcntl(*theirs, F_SETFD, FD_CLOEXEC);
    return 0;
}

int boot_run(const struct boot_plan *plan, const struct boot_ports *ports, struct failure *failure)
{
    int news[2], ours = -1, theirs = -1, error = 0;
    int status = open_terminal(plan, &ours, &theirs);
    if (status < 0)
        return fail_with(failure, status, "no terminal for '%s': %s", plan->words[0],
                         strerror(-status));
    if (pipe2(news, O_CLOEXEC) < 0)
        return fail_with(failure, -errno, "no pipe for '%s': %s", plan->words[0], strerror(errno));
    pid_t child = fork();
    if (child == 0)
        become(plan, ports, theirs, news[1]);
    if (child < 0)
        return fail_with(failure, -errno, "no process for '%s': %s", plan->words[0],
                         strerror(errno));
    close(news[1]);
    cleanup_close(&theirs);
    bool failed = read(news[0], &error, sizeof(error)) == (ssize_t)sizeof(error);
    if (!failed && ours >= 0)
        relay(ports, ours);
    status = wait_for(child);
    return failed ? boot_exec_explain(plan, error, failure) : status;
}
