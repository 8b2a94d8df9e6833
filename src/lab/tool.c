/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One program at a time: its output through a pipe, in a group of its own so that all of it can be
 * ended, which it is also should the controller be killed. */
#include "lab/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "base/text.h"

#define SAID_MAX (1u << 20)
#define TICK_MS  100
#define GUARD_MS 2000 /* from asking to killing */

char *tool_path(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? strdup(name) : NULL;
    for (const char *start = path ? path : "/usr/bin:/bin"; *start;) {
        size_t length = strcspn(start, ":");
        AUTO_TEXT struct text candidate = {0};
        text_append(&candidate, start, length);
        text_printf(&candidate, "/%s", name);
        if (length && access(text_string(&candidate), X_OK) == 0)
            return text_take(&candidate);
        start += length + (start[length] == ':');
    }
    return NULL;
}

/* Waits until one of the signals comes or the time is over. */
static void hear(const sigset_t *signals, int wait_ms)
{
    sigtimedwait(
        signals, NULL,
        &(struct timespec){.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L});
}

/* In the child; never returns. Leads the group and waits for the program, which may have children
 * of its own (dpkg-deb has): should the controller be killed, all of them end. What it inherited of
 * the controller, the lab's lock above all, stays held until then. */
static void guard(const struct tool *tool, const char *program, int output, pid_t parent)
{
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGUSR1);
    sigaddset(&heard, SIGCHLD);
    sigprocmask(SIG_BLOCK, &heard, NULL);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGTERM, SIG_IGN); /* meant for the program */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    if (getppid() != parent)
        _exit(127);
    pid_t own = getpid();
    pid_t child = fork();
    if (child == 0) {
        /* In the child's child; never returns. */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        setenv("LC_ALL", "C", 1);
        if (getppid() == own && nothing >= 0 && (!tool->folder || chdir(tool->folder) == 0) &&
            dup2(nothing, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2)
            execv(program, (char *const *)(uintptr_t)tool->argv);
        _exit(127);
    }

    close(output);
    int status = 127 << 8;
    while (child > 0 && waitpid(child, &status, WNOHANG) == 0 && getppid() == parent)
        hear(&heard, GUARD_MS);
    if (getppid() != parent) {
        kill(0, SIGTERM);
        hear(&heard, GUARD_MS);
        kill(0, SIGKILL);
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Hands over the whole lines of `pending` and keeps the rest. */
static void hand_lines(const struct tool *tool, struct text *pending, struct text *said)
{
    char *start = pending->bytes;
    char *end;
    while (start && (end = strchr(start, '\n'))) {
        *end = '\0';
        bool taken = tool->line && tool->line(tool->context, start);
        if (!taken && said->length < SAID_MAX)
            text_printf(said, "%s\n", start);
        start = end + 1;
    }
    if (!start)
        return;
    size_t rest = pending->length - (size_t)(start - pending->bytes);
    memmove(pending->bytes, start, rest + 1);
    pending->length = rest;
}

/* Reads until the output ends; -EINTR when stopped, -ETIMEDOUT when it takes too long. */
static int listen(const struct tool *tool, int output, struct text *said)
{
    AUTO_TEXT struct text pending = {0};
    const int64_t deadline = monotonic_ms() + tool->limit_ms;
    for (;;) {
        struct pollfd wait = {.fd = output, .events = POLLIN};
        if (tool->stop && *tool->stop)
            return -EINTR;
        if (tool->limit_ms && monotonic_ms() > deadline)
            return -ETIMEDOUT;
        if (poll(&wait, 1, TICK_MS) <= 0)
            continue;
        char bytes[4096];
        ssize_t got = read(output, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got; i++)
            if (bytes[i] == '\0')
                bytes[i] = '?';
        text_append(&pending, bytes, (size_t)got);
        hand_lines(tool, &pending, said);
        if (pending.length > SAID_MAX)
            text_clear(&pending);
    }
    if (pending.length) {
        text_putc(&pending, '\n');
        hand_lines(tool, &pending, said);
    }
    return 0;
}

static int end_of(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tool_run(const struct tool *tool, struct text *said, struct failure *failure)
{
    AUTO_FREE char *program = tool_path(tool->argv[0]);
    int ends[2];
    if (!program)
        return fail_with(failure, -ENOENT, "there is no program %s on this machine", tool->argv[0]);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return fail_with(failure, -errno, "no pipe for %s: %s", program, strerror(errno));
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        guard(tool, program, ends[1], parent);
    int error = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return fail_with(failure, -error, "no process for %s: %s", program, strerror(error));
    }
    int status = listen(tool, ends[0], said);
    close(ends[0]);
    if (status < 0) {
        kill(-child, SIGTERM);
        kill(child, SIGTERM);
        for (int tick = 0; tick < 20; tick++) {
            siginfo_t info = {0};
            if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid)
                break;
            poll(NULL, 0, TICK_MS);
        }
        kill(-child, SIGKILL);
    }

    int ended = end_of(child);
    if (status == -EINTR)
        return fail_with(failure, -EINTR, "interrupted while %s was running", tool->argv[0]);
    if (status == -ETIMEDOUT)
        return fail_with(failure, status, "%s did not end within %d s", tool->argv[0],
                         tool->limit_ms / 1000);
    return ended;
}

void tool_complaint(const struct text *said, char *words, size_t size)
{
    const char *all = text_string(said);
    const char *chosen = strncmp(all, "E: ", 3) == 0 ? all : strstr(all, "\nE: ");
    if (chosen)
        chosen += chosen[0] == '\n';
    else
        for (const char *line = all; *line; line += strcspn(line, "\n"), line += *line == '\n')
            chosen = line;
    printable_copy(words, size, chosen ? chosen : "", chosen ? strcspn(chosen, "\n") : 0);
}
