/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts the program of a clock. posix_spawn(3) cannot tie a child to its parent, hence a fork. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/clocks/coprocess.h"

#define NOT_STARTED 127

/* Pipes of which either end may be closed by itself. */
struct ends {
    int input[2], output[2]; /* of the child; reading end first */
    int news[2];             /* the errno of a failed exec, or its end */
};

static void close_ends(struct ends *ends)
{
    for (int side = 0; side < 2; side++) {
        cleanup_close(&ends->input[side]);
        cleanup_close(&ends->output[side]);
        cleanup_close(&ends->news[side]);
    }
}

static int make_ends(struct ends *ends, bool listens)
{
    *ends = (struct ends){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(ends->output, O_CLOEXEC) < 0 || pipe2(ends->news, O_CLOEXEC) < 0)
        return -errno;
    if (listens)
        return pipe2(ends->input, O_CLOEXEC) < 0 ? -errno : 0;
    ends->input[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return ends->input[0] < 0 ? -errno : 0;
}

/* In the child. Returns when it went wrong. */
static int become(char *const *words, const struct ends *ends, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return EOWNERDEAD; /* it died before it could be said */
    if (dup2(ends->input[0], STDIN_FILENO) < 0 || dup2(ends->output[1], STDOUT_FILENO) < 0)
        return errno;
    execvp(words[0], words);
    return errno;
}

/* 0: the program runs, else the errno of why not. */
static int await_news(struct ends *ends)
{
    int error = 0;
    ssize_t got;
    close(ends->news[1]);
    ends->news[1] = -1;
    do
        got = read(ends->news[0], &error, sizeof(error));
    while (got < 0 && errno == EINTR);
    return got == sizeof(error) ? error : 0;
}

int coprocess_start(struct coprocess *coprocess, char *const *words, bool listens,
                    struct failure *failure)
{
    __attribute__((cleanup(close_ends))) struct ends ends;
    pid_t parent = getpid();
    *coprocess = COPROCESS_NONE;
    int result = make_ends(&ends, listens);
    if (result < 0)
        return fail_with(failure, result, "cannot make a pipe: %s", strerror(-result));
    pid_t child = fork();
    if (child < 0)
        return fail_with(failure, -errno, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        int error = become(words, &ends, parent);
        (void)!write(ends.news[1], &error, sizeof(error));
        _exit(NOT_STARTED);
    }
    *coprocess = (struct coprocess){.id = child, .to = ends.input[1], .from = ends.output[0]};
    ends.input[1] = ends.output[0] = -1;
    int error = await_news(&ends);
    if (!error)
        return 0;
    coprocess_end(coprocess);
    return fail_with(failure, -error, "the command '%.100s' cannot be run: %s", words[0],
                     strerror(error));
}
