/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts the program at our end of a transport: pipes on its three standard descriptors, a session
 * of its own, signals as a fresh program expects them. */
#include "engine/via-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { READ_END, WRITE_END };

/* The pipes of a child being started. `news` carries the errno of a failed exec and closes by
 * itself when exec succeeds. */
struct plumbing {
    int input[2], output[2], errors[2], news[2];
    const int *inherited; /* stay open in the child */
    size_t inherited_count;
    bool without_ticks; /* the child may not read the CPU's counter of time */
};

static void close_pair(int pair[2])
{
    cleanup_close(&pair[READ_END]);
    cleanup_close(&pair[WRITE_END]);
    pair[READ_END] = pair[WRITE_END] = -1;
}

static void plumbing_close(struct plumbing *plumbing)
{
    close_pair(plumbing->input);
    close_pair(plumbing->output);
    close_pair(plumbing->errors);
    close_pair(plumbing->news);
}

static int plumbing_open(struct plumbing *plumbing)
{
    *plumbing = (struct plumbing){
        .input = {-1, -1}, .output = {-1, -1}, .errors = {-1, -1}, .news = {-1, -1}};
    if (pipe2(plumbing->input, O_CLOEXEC) == 0 && pipe2(plumbing->output, O_CLOEXEC) == 0 &&
        pipe2(plumbing->errors, O_CLOEXEC) == 0 && pipe2(plumbing->news, O_CLOEXEC) == 0)
        return 0;
    int error = errno;
    plumbing_close(plumbing);
    return -error;
}

/* In the child: descriptors that happen to be 0, 1 or 2 must move out of the way before the
 * standard ones are put in their place. */
static bool connect_standard(const struct plumbing *plumbing)
{
    int ends[3] = {plumbing->input[READ_END], plumbing->output[WRITE_END],
                   plumbing->errors[WRITE_END]};
    for (int i = 0; i < 3; i++) {
        ends[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
        if (ends[i] < 0)
            return false;
    }
    for (int i = 0; i < 3; i++)
        if (dup2(ends[i], i) < 0)
            return false;
    return true;
}

static void forget_signal_settings(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* As execvp looks for a program, but what the operating system does not know how to run is not
 * given to a shell: a program for another machine would be taken for a script. Returns only with
 * errno. */
static void run_found(const char *const *argv)
{
    char *const *words = (char *const *)(uintptr_t)argv;
    if (strchr(argv[0], '/')) {
        execv(argv[0], words);
        return;
    }
    const char *folders = getenv("PATH");
    int error = ENOENT;
    for (const char *folder = folders ? folders : "/bin:/usr/bin"; folder;) {
        char path[PATH_MAX];
        errno = ENOENT;
        const int length = (int)strcspn(folder, ":");
        const int whole =
            snprintf(path, sizeof(path), "%.*s%s%s", length, folder, length ? "/" : "", argv[0]);
        if (*argv[0] && whole > 0 && (size_t)whole < sizeof(path))
            execv(path, words);
        if (errno == EACCES) /* another folder may hold one that can be run */
            error = errno;
        else if (errno != ENOENT && errno != ENOTDIR)
            return;
        folder = folder[length] ? folder + length + 1 : NULL;
    }
    errno = error;
}

/* In the child; never returns. A session of its own keeps the terminal's keys away from it, and
 * makes a program that wants to ask for a password say so instead of waiting unseen. */
static void become(const char *const *argv, const struct plumbing *plumbing, pid_t parent)
{
    int news = fcntl(plumbing->news[WRITE_END], F_DUPFD_CLOEXEC, 3);
    setsid();
    forget_signal_settings();
    /* Should the controller be killed, nobody else would end this program. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    if (news >= 0 && connect_standard(plumbing)) {
#ifdef SYS_close_range
        syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
#endif
        for (size_t i = 0; i < plumbing->inherited_count; i++)
            fcntl(plumbing->inherited[i], F_SETFD, 0);
        /* Last: from here to exec nothing may look at a clock. */
        if (!plumbing->without_ticks || prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0)
            run_found(argv);
    }
    int error = errno;
    ssize_t told = write(news, &error, sizeof(error));
    _exit(told == sizeof(error) ? 127 : 126);
}

/* 0, or the errno with which the child could not become the program. */
static int exec_result(int news)
{
    int error = 0;
    ssize_t got;
    do
        got = read(news, &error, sizeof(error));
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(error) ? error : 0;
}

static void keep_our_ends(struct via_link *link, struct plumbing *plumbing, pid_t child)
{
    link->pid = child;
    link->to_probe = plumbing->input[WRITE_END];
    link->from_probe = plumbing->output[READ_END];
    link->errors = plumbing->errors[READ_END];
    plumbing->input[WRITE_END] = plumbing->output[READ_END] = plumbing->errors[READ_END] = -1;
    /* Our ends only: the child's ends are open file descriptions of their own. */
    fcntl(link->to_probe, F_SETFL, O_NONBLOCK);
    fcntl(link->from_probe, F_SETFL, O_NONBLOCK);
    fcntl(link->errors, F_SETFL, O_NONBLOCK);
}

bool child_verbose(void)
{
    const char *verbose = getenv("ASSAY_VERBOSE");
    return verbose && *verbose && strcmp(verbose, "0") != 0;
}

bool child_without_ticks(void)
{
    const char *ticks = getenv("ASSAY_TICKS");
    return ticks && strcmp(ticks, "forbidden") == 0;
}

static int start(struct via_link *link, const char *const *argv, const struct plumbing *wishes,
                 struct failure *failure)
{
    *link = (struct via_link){.to_probe = -1, .from_probe = -1, .errors = -1};
    link->pass_errors = child_verbose();
    struct plumbing plumbing;
    int status = plumbing_open(&plumbing);
    if (status < 0)
        return fail_with(failure, status, "no pipe to talk to '%s': %s", argv[0],
                         strerror(-status));
    plumbing.inherited = wishes->inherited;
    plumbing.inherited_count = wishes->inherited_count;
    plumbing.without_ticks = wishes->without_ticks;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        become(argv, &plumbing, parent);
    if (child < 0) {
        status = -errno;
        plumbing_close(&plumbing);
        return fail_with(failure, status, "no process for '%s': %s", argv[0], strerror(-status));
    }
    cleanup_close(&plumbing.news[WRITE_END]);
    plumbing.news[WRITE_END] = -1;
    int error = exec_result(plumbing.news[READ_END]);
    if (error) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        plumbing_close(&plumbing);
        return fail_with(failure, -error, "cannot run '%s': %s%s", argv[0], strerror(error),
                         error == ENOEXEC ? ": it is a program for another machine, or a script "
                                            "whose first line does not say #! and its shell"
                                          : "");
    }
    keep_our_ends(link, &plumbing, child);
    plumbing_close(&plumbing);
    return 0;
}

int child_start(struct via_link *link, const char *const *argv, struct failure *failure)
{
    return start(link, argv, &(struct plumbing){0}, failure);
}

int child_start_here(struct via_link *link, const char *const *argv, const int *inherited,
                     size_t inherited_count, struct failure *failure)
{
    return start(link, argv,
                 &(struct plumbing){.inherited = inherited,
                                    .inherited_count = inherited_count,
                                    .without_ticks = child_without_ticks()},
                 failure);
}

int child_start_with(struct via_link *link, const char *const *argv, const int *inherited,
                     size_t inherited_count, struct failure *failure)
{
    return start(link, argv,
                 &(struct plumbing){.inherited = inherited, .inherited_count = inherited_count},
                 failure);
}
