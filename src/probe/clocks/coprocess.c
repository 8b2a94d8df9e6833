/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks another program for a number. Time is taken by bare system calls: where the vDSO faults,
 * this goes on. */
#include "probe/clocks/coprocess.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "probe/clocks/trial.h"
#include "syscall.h"

#define ANSWER_BYTES 256
#define GRACE_MS     200 /* to end by itself when its input has */

#define SPOKE_TOO_MUCH                                                                             \
    "the command said more than one line for an empty line that it got, or spoke before it did"

static int64_t now_ms(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sleep_us(long microseconds)
{
    struct timespec time = {.tv_nsec = microseconds * 1000};
    assay_syscall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&time, 0);
}

/* Of a process that has ended, or is to. */
static int bury(struct coprocess *coprocess)
{
    int status = 0;
    kill(coprocess->id, SIGKILL);
    while (waitpid(coprocess->id, &status, 0) < 0 && errno == EINTR)
        ;
    coprocess->id = 0;
    return status;
}

/* Waits for its end until the deadline: false where that passed. */
static bool await_end(const struct coprocess *coprocess, int64_t deadline)
{
    for (long pause = 20;; pause = pause < 5000 ? pause * 2 : pause) {
        siginfo_t ended = {0};
        int result = waitid(P_PID, (id_t)coprocess->id, &ended, WEXITED | WNOHANG | WNOWAIT);
        if ((result == 0 && ended.si_pid) || (result < 0 && errno != EINTR))
            return true;
        if (now_ms() >= deadline)
            return false;
        sleep_us(pause);
    }
}

void coprocess_end(struct coprocess *coprocess)
{
    if (coprocess->to >= 0)
        close(coprocess->to);
    if (coprocess->from >= 0)
        close(coprocess->from);
    coprocess->to = coprocess->from = -1;
    if (!coprocess->id)
        return;
    await_end(coprocess, now_ms() + GRACE_MS);
    bury(coprocess);
}

/* Its answer is over, and no number came. */
static int report_death(struct coprocess *coprocess, struct failure *failure)
{
    if (!await_end(coprocess, coprocess->deadline))
        return fail_with(failure, -ETIMEDOUT,
                         "the command closed its output without an answer, and did not end within "
                         "%d s",
                         COPROCESS_PATIENCE_MS / 1000);
    int status = bury(coprocess);
    if (WIFSIGNALED(status))
        return fail_with(failure, -EPIPE, "the command was ended by %s (%d) instead of answering",
                         trial_signal_name(WTERMSIG(status)), WTERMSIG(status));
    return fail_with(failure, -EPIPE,
                     "the command ended with exit status %d instead of answering: it must answer "
                     "every empty line with a number",
                     WEXITSTATUS(status));
}

int coprocess_ask(struct coprocess *coprocess, struct failure *failure)
{
    struct pollfd output = {.fd = coprocess->from, .events = POLLIN};
    coprocess->deadline = now_ms() + COPROCESS_PATIENCE_MS;
    if (poll(&output, 1, 0) > 0 && (output.revents & POLLIN))
        return fail_with(failure, -EPROTO, SPOKE_TOO_MUCH);
    /* Where it is gone already, the signal of that is for this thread alone, and taken back. */
    sigset_t broken_pipe, before;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    ssize_t written = write(coprocess->to, "\n", 1);
    int error = errno;
    if (written < 0 && error == EPIPE)
        sigtimedwait(&broken_pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (written == 1)
        return 0;
    if (error == EPIPE)
        return report_death(coprocess, failure);
    return fail_with(failure, -error, "the command cannot be asked: %s", strerror(error));
}

/* Digits alone, and one newline behind them at most. */
static int take_number(const char *answer, size_t length, uint64_t *number, struct failure *failure)
{
    char quoted[64];
    size_t end = length && answer[length - 1] == '\n' ? length - 1 : length;
    bool good = end > 0;
    *number = 0;
    for (size_t at = 0; at < end && good; at++) {
        unsigned digit = (unsigned char)answer[at] - (unsigned)'0';
        good = digit <= 9 && !__builtin_mul_overflow(*number, 10u, number) &&
               !__builtin_add_overflow(*number, digit, number);
    }
    if (good)
        return 0;
    printable_copy(quoted, sizeof(quoted), answer, strnlen(answer, end));
    quoted[strcspn(quoted, "\n")] = '\0';
    return fail_with(failure, -EPROTO,
                     "the command answered '%s', which is no number: digits alone, at most "
                     "18446744073709551615",
                     quoted);
}

/* What it says next, at most until the deadline; 0: nothing more. */
static ssize_t hear_some(struct coprocess *coprocess, char *bytes, size_t size,
                         struct failure *failure)
{
    for (;;) {
        struct pollfd output = {.fd = coprocess->from, .events = POLLIN};
        int64_t left = coprocess->deadline - now_ms();
        int ready = left > 0 ? poll(&output, 1, (int)left) : 0;
        if (ready == 0)
            return fail_with(failure, -ETIMEDOUT, "the command did not answer within %d s",
                             COPROCESS_PATIENCE_MS / 1000);
        ssize_t got = ready < 0 ? -1 : read(coprocess->from, bytes, size);
        if (got >= 0)
            return got;
        if (errno != EINTR)
            return fail_with(failure, -errno, "the command cannot be heard: %s", strerror(errno));
    }
}

static int end_well(struct coprocess *coprocess, struct failure *failure)
{
    if (!await_end(coprocess, coprocess->deadline))
        return fail_with(failure, -ETIMEDOUT, "the command did not end within %d s",
                         COPROCESS_PATIENCE_MS / 1000);
    int status = bury(coprocess);
    if (WIFSIGNALED(status))
        return fail_with(failure, -EPIPE, "the command was ended by %s (%d)",
                         trial_signal_name(WTERMSIG(status)), WTERMSIG(status));
    if (WEXITSTATUS(status))
        return fail_with(failure, -EPIPE, "the command ended with exit status %d",
                         WEXITSTATUS(status));
    return 0;
}

/* Until it is silent for good or, with `stop`, says that; what does not fit is no number, and needs
 * no more of it. Returns the length of answer, which is a string. */
static ssize_t hear(struct coprocess *coprocess, char stop, char answer[ANSWER_BYTES],
                    struct failure *failure)
{
    size_t length = 0;
    while (length < ANSWER_BYTES - 1) {
        ssize_t got = hear_some(coprocess, answer + length, ANSWER_BYTES - 1 - length, failure);
        if (got < 0)
            return got;
        if (got == 0)
            break;
        length += (size_t)got;
        if (stop && memchr(answer, stop, length))
            break;
    }
    answer[length] = '\0';
    return (ssize_t)length;
}

int coprocess_hear_line(struct coprocess *coprocess, uint64_t *number, struct failure *failure)
{
    char answer[ANSWER_BYTES];
    ssize_t length = hear(coprocess, '\n', answer, failure);
    if (length < 0)
        return (int)length;
    const char *newline = memchr(answer, '\n', (size_t)length);
    if (!newline && length < ANSWER_BYTES - 1)
        return report_death(coprocess, failure);
    if (newline && newline + 1 < answer + length)
        return fail_with(failure, -EPROTO, SPOKE_TOO_MUCH);
    return take_number(answer, (size_t)length, number, failure);
}

int coprocess_hear_all(struct coprocess *coprocess, uint64_t *number, struct failure *failure)
{
    char answer[ANSWER_BYTES];
    coprocess->deadline = now_ms() + COPROCESS_PATIENCE_MS;
    ssize_t length = hear(coprocess, '\0', answer, failure);
    int result = length < 0 ? (int)length : 0;
    if (result == 0 && length < ANSWER_BYTES - 1)
        result = end_well(coprocess, failure);
    return result < 0 ? result : take_number(answer, (size_t)length, number, failure);
}
