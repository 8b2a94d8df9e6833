/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drains pipes. Whoever shows the output may be slow: then the program waits, as it would before a
 * slow terminal, but the guard never does. */
#include "probe/command/drain.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define SUM_BASE  0xcbf29ce484222325ull /* FNV-1a */
#define SUM_PRIME 0x100000001b3ull
#define AGAIN_MS  200 /* between looks whether to give up on the reader of what is shown */

void drain_reset(struct drain *drain)
{
    drain->held = drain->passed = 0;
    drain->bytes = 0;
    drain->sum = SUM_BASE;
}

static void count(struct drain *drain, const char *bytes, size_t length)
{
    uint64_t sum = drain->sum;
    for (size_t index = 0; index < length; index++)
        sum = (sum ^ (unsigned char)bytes[index]) * SUM_PRIME;
    drain->sum = sum;
    drain->bytes += length;
}

uint64_t drain_sum(const struct drain *drain)
{
    return (drain->sum ^ drain->sum >> 32) & 0xffffffffu;
}

int drain_awaits(const struct drain *drain, short *events)
{
    *events = drain->held ? POLLOUT : POLLIN;
    return drain->to < 0 ? -1 : drain->held ? drain->to : drain->from;
}

static void pass_on(struct drain *drain)
{
    const ssize_t written =
        write(drain->to, drain->pending + drain->passed, drain->held - drain->passed);
    if (written < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (written < 0) /* nobody reads: it is dropped from now on */
        drain->to = -1;
    drain->passed += written > 0 ? (size_t)written : 0;
    if (drain->passed >= drain->held || drain->to < 0)
        drain->held = drain->passed = 0;
}

/* One piece, and how long it is; 0: there is none now. What is not shown is read all at once: a
 * program that waits for room wakes once, to a pipe that is empty. */
static size_t take(struct drain *drain)
{
    static char dropped[DRAIN_ROOM];
    const bool shown = drain->to >= 0;
    char *bytes = shown ? drain->pending : dropped;
    const ssize_t got = read(drain->from, bytes, shown ? DRAIN_PASSED : DRAIN_ROOM);
    if (got <= 0)
        return 0;
    count(drain, bytes, (size_t)got);
    drain->held = shown ? (size_t)got : 0;
    return (size_t)got;
}

size_t drain_go_on(struct drain *drain)
{
    if (!drain->held)
        return take(drain);
    pass_on(drain);
    return 0;
}

/* Whoever wants an end of it all sends what the guard has blocked. */
static bool is_told_to_end(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1 ||
            sigismember(&pending, SIGQUIT) == 1);
}

void drain_finish(struct drain *drain)
{
    do {
        while (drain->held) {
            struct pollfd end = {.fd = drain->to, .events = POLLOUT};
            if (poll(&end, 1, AGAIN_MS) > 0)
                pass_on(drain);
            else if (is_told_to_end())
                drain->to = -1, drain->held = 0;
        }
    } while (take(drain));
}
