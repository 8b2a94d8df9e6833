/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A write whose worst outcome is a return value. A pipe knows no MSG_NOSIGNAL, and changing how
 * the whole process treats SIGPIPE is not ours to decide, so the signal is held back for the time
 * of the call and, if the call caused it, taken off the queue. */
#include "wire/pipe.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

ssize_t pipe_write(int fd, const void *bytes, size_t length)
{
    sigset_t broken;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken, &before);

    ssize_t written;
    do
        written = write(fd, bytes, length);
    while (written < 0 && errno == EINTR);
    ssize_t result = written < 0 ? -errno : written;

    if (result == -EPIPE && !was_pending)
        sigtimedwait(&broken, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}
