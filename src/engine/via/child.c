/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program at our end of a transport: started with pipes on its three standard descriptors, in a
 * session of its own, with signals as a fresh program expects them; talked to, and ended. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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
#include "base/monotonic.h"
#include "base/text.h"
#include "engine/via/parts.h"
#include "engine/via/via.h"
#include "wire/frame.h"

/* ----------------------------------------------------------------------------------------------
 * Talking to a child while the transport connects: waiting for a word, sending bytes, and never
 * forgetting its standard error, on which it could block. */

#define EARLY_LIMIT (256u << 10) /* bytes without the awaited word: more is no banner */
#define TICK_MS     100          /* how often the stop flag is looked at */

static bool is_stopped(const struct via_patience *patience)
{
    return patience->stop && *patience->stop;
}

static void keep_tail(struct via_link *link, const char *bytes, size_t length)
{
    if (length > sizeof(link->tail)) {
        bytes += length - sizeof(link->tail);
        length = sizeof(link->tail);
    }
    size_t kept = sizeof(link->tail) - length;
    if (kept > link->tail_length)
        kept = link->tail_length;
    memmove(link->tail, link->tail + link->tail_length - kept, kept);
    memcpy(link->tail + kept, bytes, length);
    link->tail_length = kept + length;
}

void via_drain(struct via_link *link)
{
    char bytes[4096];
    /* A bounded number of reads: who floods must not hold up the rest. */
    for (int round = 0; round < 16 && link->errors >= 0; round++) {
        ssize_t got = read(link->errors, bytes, sizeof(bytes));
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            close(link->errors);
            link->errors = -1;
            return;
        }
        keep_tail(link, bytes, (size_t)got);
        if (link->pass_errors)
            (void)pipe_write(STDERR_FILENO, bytes, (size_t)got);
    }
}

/* Is this no text but the inside of some file? Text holds no control characters beyond those that
 * steer a terminal, and few bytes that are no character. */
static bool is_noise(const char *line, size_t length)
{
    static const char steering[] = "\a\b\t\v\f\r\033";
    char shown[VIA_TAIL + 1];
    size_t strays = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)line[i];
        if (byte == 0x7f || (byte < 0x20 && !memchr(steering, byte, sizeof(steering) - 1)))
            return true;
        strays -= byte == '?';
    }
    const size_t visible = printable_copy(shown, sizeof(shown), line, length);
    for (size_t i = 0; i < visible; i++)
        strays += shown[i] == '?';
    return strays * 4 > length;
}

/* One line of the last words behind those before it. */
static size_t add_line(char *words, size_t size, size_t used, const char *line, size_t length)
{
    if (!length || is_noise(line, length))
        return used;
    if (used && used + 1 < size)
        words[used++] = ' ';
    return used + printable_copy(words + used, size - used, line, length);
}

void via_last_words(const struct via_link *link, char *words, size_t size)
{
    size_t end = link->tail_length;
    while (end && strchr(" \r\n", link->tail[end - 1]))
        end--;
    size_t start = end;
    /* The last three lines, if they fit. */
    for (int lines = 0; start > 0 && end - start + 1 < size; start--)
        if (link->tail[start - 1] == '\n' && ++lines == 3)
            break;
    size_t used = 0;
    words[0] = '\0';
    while (start < end) {
        const char *line = link->tail + start;
        const char *stop = memchr(line, '\n', end - start);
        const size_t length = stop ? (size_t)(stop - line) : end - start;
        used = add_line(words, size, used, line, length);
        start += length + 1;
    }
}

/* Offset of the first line of early that begins with mark, or -1. */
static ssize_t find_mark(const struct text *early, const char *mark)
{
    const char *line = text_string(early);
    const char *end = line + early->length;
    const size_t length = strlen(mark);
    while (line) {
        if ((size_t)(end - line) >= length && memcmp(line, mark, length) == 0)
            return line - early->bytes;
        line = memchr(line, '\n', (size_t)(end - line));
        if (line)
            line++;
    }
    return -1;
}

/* Waits at most TICK_MS for news on the descriptors and takes what the child says on either of its
 * outputs. Returns the revents of to_probe when `writing`. */
static short listen_once(struct via_link *link, bool writing, bool *ended)
{
    struct pollfd all[3] = {{.fd = link->from_probe, .events = POLLIN},
                            {.fd = link->errors, .events = POLLIN},
                            {.fd = writing ? link->to_probe : -1, .events = POLLOUT}};
    if (poll(all, 3, TICK_MS) <= 0)
        return 0;
    if (all[1].revents)
        via_drain(link);
    if (all[0].revents) {
        char bytes[4096];
        ssize_t got = read(link->from_probe, bytes, sizeof(bytes));
        if (got > 0 && link->early.length < EARLY_LIMIT)
            text_append(&link->early, bytes, (size_t)got);
        *ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    }
    return all[2].revents;
}

/* The same, but only once the line has come whole. */
static ssize_t find_marked_line(const struct text *early, const char *mark)
{
    ssize_t at = find_mark(early, mark);
    return at >= 0 && memchr(early->bytes + at, '\n', early->length - (size_t)at) ? at : -1;
}

static enum child_news await(struct via_link *link, const char *mark,
                             ssize_t (*find)(const struct text *early, const char *mark),
                             const struct via_patience *patience)
{
    const int64_t deadline = monotonic_ms() + patience->timeout_ms;
    for (bool ended = false;;) {
        if (find(&link->early, mark) >= 0)
            return CHILD_SPOKE;
        if (ended)
            return CHILD_ENDED;
        if (is_stopped(patience))
            return CHILD_STOPPED;
        if (monotonic_ms() >= deadline || link->early.length >= EARLY_LIMIT || link->early.failed)
            return CHILD_SILENT;
        listen_once(link, false, &ended);
    }
}

enum child_news child_await(struct via_link *link, const char *mark,
                            const struct via_patience *patience)
{
    return await(link, mark, find_mark, patience);
}

enum child_news child_take_line(struct via_link *link, const char *mark, char *line, size_t size,
                                const struct via_patience *patience)
{
    enum child_news news = await(link, mark, find_marked_line, patience);
    if (news != CHILD_SPOKE)
        return news;
    struct text *early = &link->early;
    const size_t at = (size_t)find_marked_line(early, mark);
    const char *start = early->bytes + at;
    const size_t length = (size_t)((char *)memchr(start, '\n', early->length - at) - start);
    snprintf(line, size, "%.*s", (int)length, start);
    const size_t used = at + length + 1;
    early->length -= used;
    memmove(early->bytes, early->bytes + used, early->length + 1);
    return CHILD_SPOKE;
}

int child_send(struct via_link *link, const void *bytes, size_t length,
               const struct via_patience *patience)
{
    const char *next = bytes;
    int64_t deadline = monotonic_ms() + patience->timeout_ms;
    bool ended = false;
    while (length) {
        ssize_t sent = pipe_write(link->to_probe, next, length);
        if (sent > 0) {
            next += sent;
            length -= (size_t)sent;
            deadline = monotonic_ms() + patience->timeout_ms;
            continue;
        }
        if (sent != -EAGAIN)
            return (int)sent;
        if (ended)
            return -EPIPE;
        if (is_stopped(patience))
            return -EINTR;
        if (monotonic_ms() >= deadline)
            return -ETIMEDOUT;
        listen_once(link, true, &ended);
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Ending a transport: patience, then SIGTERM, then SIGKILL, to the whole group; and no zombie. */

#define GENTLE_MS 2000 /* from SIGTERM to SIGKILL: time to remove what was pushed */
#define LAST_MS                                                                                    \
    5000 /* from SIGKILL to giving up: it hangs inside the operating system, or is                 \
          * another user's */
#define CLOSE_TICK_MS 5

/* Has the process ended? Leaves it to be reaped, so that its number stays taken: only so long is it
 * safe to send signals to its group. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == pid;
}

static bool ends_within(struct via_link *link, int wait_ms)
{
    const int64_t deadline = monotonic_ms() + wait_ms;
    while (!has_ended(link->pid)) {
        if (monotonic_ms() >= deadline)
            return false;
        via_drain(link);
        poll(NULL, 0, CLOSE_TICK_MS);
    }
    return true;
}

int via_close(struct via_link *link, int patience_ms)
{
    cleanup_close(&link->to_probe);
    cleanup_close(&link->from_probe);
    link->to_probe = link->from_probe = -1;
    text_free(&link->early);
    int status = -ECHILD;
    if (link->pid > 0) {
        bool ended = ends_within(link, patience_ms);
        if (!ended) {
            kill(-link->pid, SIGTERM);
            kill(-link->pid, SIGCONT); /* a stopped process would not see it */
            ended = ends_within(link, GENTLE_MS);
        }
        /* Also when the leader ended by itself: others of its group may have stayed behind. */
        kill(-link->pid, SIGKILL);
        if (!ended && !ends_within(link, LAST_MS))
            status = -ETIMEDOUT;
        else if (waitpid(link->pid, &status, 0) < 0)
            status = -errno;
        link->pid = -1;
    }
    via_drain(link);
    cleanup_close(&link->errors);
    link->errors = -1;
    return status;
}

void via_status_text(int status, char *words, size_t size)
{
    if (status >= 0 && WIFEXITED(status))
        snprintf(words, size, "exit status %d", WEXITSTATUS(status));
    else if (status >= 0 && WIFSIGNALED(status))
        snprintf(words, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (status == -ETIMEDOUT)
        snprintf(words, size, "no end at all: it cannot be killed");
    else
        snprintf(words, size, "an unknown status");
}

/* --- starting it --- */

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
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
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
    link->pid = child;
    link->to_probe = plumbing.input[WRITE_END];
    link->from_probe = plumbing.output[READ_END];
    link->errors = plumbing.errors[READ_END];
    plumbing.input[WRITE_END] = plumbing.output[READ_END] = plumbing.errors[READ_END] = -1;
    /* Our ends only: the child's ends are open file descriptions of their own. */
    fcntl(link->to_probe, F_SETFL, O_NONBLOCK);
    fcntl(link->from_probe, F_SETFL, O_NONBLOCK);
    fcntl(link->errors, F_SETFL, O_NONBLOCK);
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
