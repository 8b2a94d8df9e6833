/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A look at the other machine's clocks, stamped with ours: when the question went out, and when the
 * answer was in. What lies between bounds how far the two can be told apart, so nothing is done
 * there that could be done before or after. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "engine/peer.h"

#define NS_IN_S UINT64_C(1000000000)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * NS_IN_S + (uint64_t)now.tv_nsec;
}

/* Sends what still waits, so that the question goes out at once and by a write of its own. */
static int send_earlier(struct session *session, struct failure *failure)
{
    int status = peer_begin(session, failure);
    while (status == 0 && session->writer.pending.length) {
        if (peer_stopped(session))
            return peer_lost(session, failure, -EINTR, "interrupted");
        status = peer_receive(session, failure);
        if (status == 1)
            return peer_lost(session, failure, -EBADMSG,
                             "the probe sent a frame '%.40s' that nobody asked for",
                             session->frame.type);
    }
    return status;
}

static int put_question(struct session *session, const char *const *clocks, size_t count,
                        struct failure *failure)
{
    AUTO_TEXT struct text names = {0};
    struct external_clock plain;
    if (count < 1 || count > CELL_MAX_COUNTERS)
        return fail_with(failure, -EINVAL, "a look is at 1 to %d clocks, not at %zu",
                         CELL_MAX_COUNTERS, count);
    for (size_t i = 0; i < count; i++) {
        int status = external_clock_parse(clocks[i], &plain, failure);
        if (status < 0)
            return status;
        if (status == 1)
            return fail_with(failure, -EINVAL,
                             "the clock '%s' is not the probe's own: only a process made for it "
                             "reads that, never the probe itself",
                             plain.name);
        text_printf(&names, "%s%s", i ? "," : "", clocks[i]);
    }
    if (names.failed)
        return fail_with(failure, -ENOMEM, "no memory for a look at clocks");
    return peer_ask(session, "look", "clocks", text_string(&names), failure);
}

/* The question waits in the writer; the next thing is its write, the last one the read of the end
 * of its answer. */
static int exchange(struct session *session, uint64_t *sent, uint64_t *received,
                    struct failure *failure)
{
    session->reader.now = now_ns;
    session->reader.read_at = 0;
    *sent = now_ns();
    int status = peer_answer(session, failure);
    *received = session->reader.read_at;
    session->reader.now = NULL;
    if (status == 1 && *received < *sent) /* it was here already */
        return peer_lost(session, failure, -EBADMSG,
                         "the probe answered 'look' before it was asked");
    return status;
}

int session_look(struct session *session, const char *const *clocks, size_t count,
                 uint64_t *readings, uint64_t *sent, uint64_t *received, struct failure *failure)
{
    int status = send_earlier(session, failure);
    if (status == 0)
        status = put_question(session, clocks, count, failure);
    if (status == 0)
        status = exchange(session, sent, received, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "refused") == 0)
        return peer_refused(session, failure);
    if (strcmp(session->frame.type, "looked") != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe answered 'look' with a frame '%.40s'", session->frame.type);
    if (wire_get_column(&session->frame, "readings", readings, count) < 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe's look at %zu clocks does not have as many readings", count);
    return 0;
}
