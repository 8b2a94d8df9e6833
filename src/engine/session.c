/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two ends of a session: from a transport to a probe that is ready, and bye. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "session/chatter.h"
#include "engine/peer.h"

#define SILENCE_MS  15000 /* the probe says `alive` every second */
#define GOODBYE_MS  2000
#define SHORTEST_MS 1000 /* for hello, when connecting has used up the time */

static int silence_limit(const char *via)
{
    const char *given = getenv("ASSAY_SILENCE_MS");
    long limit = given ? strtol(given, NULL, 10) : 0;
    return limit > 0 && limit < 3600000 ? (int)limit : via_silence_ms(via, SILENCE_MS);
}

/* Everything the transport read while connecting is the session's to read first. */
static int hand_over(struct session *session, struct failure *failure)
{
    session->reader.fd = session->link.from_probe;
    session->reader.chatter = chatter_keep;
    session->reader.context = &session->chatter;
    session->writer.fd = session->link.to_probe;
    int status =
        wire_feed(&session->reader, text_string(&session->link.early), session->link.early.length);
    text_free(&session->link.early);
    return status < 0 ? fail_with(failure, status, "no memory for a session") : 0;
}

static int connect_and_greet(struct session *session, const char *via, int timeout_ms,
                             struct failure *failure)
{
    const int64_t start = monotonic_ms();
    timeout_ms = via_patience_ms(via, timeout_ms);
    int status =
        via_open(via, &(struct via_patience){.timeout_ms = timeout_ms, .stop = session->stop},
                 &session->link, failure);
    if (status < 0)
        return status;
    session->over = false;
    status = hand_over(session, failure);
    if (status < 0)
        return status;
    const int64_t left = timeout_ms - (monotonic_ms() - start);
    return catalogue_read(session, left < SHORTEST_MS ? SHORTEST_MS : (int)left, failure);
}

int session_open(struct session **session, const char *via, int hello_timeout_ms,
                 const volatile int *stop, struct failure *failure)
{
    *session = NULL;
    struct session *opened = calloc(1, sizeof(*opened));
    if (!opened)
        return fail_with(failure, -ENOMEM, "no memory for a session");
    opened->over = true; /* until there is a transport to say bye to */
    opened->link = (struct via_link){.pid = -1, .to_probe = -1, .from_probe = -1, .errors = -1};
    opened->stop = stop;
    opened->silence_ms = silence_limit(via);
    int status = connect_and_greet(opened, via, hello_timeout_ms, failure);
    if (status < 0) {
        opened->over = true;
        session_close(opened);
        return status;
    }
    *session = opened;
    return 0;
}

const struct catalogue *session_catalogue(const struct session *session)
{
    return &session->catalogue;
}

/* Says bye and waits for the answer, at most GOODBYE_MS. */
static void say_bye(struct session *session)
{
    wire_begin(&session->writer, "bye");
    if (wire_end(&session->writer) < 0 || peer_begin(session, NULL) < 0)
        return;
    const int64_t deadline = monotonic_ms() + GOODBYE_MS;
    while (monotonic_ms() < deadline) {
        int status = peer_receive(session, NULL);
        if (status < 0 || (status == 1 && strcmp(session->frame.type, "bye") == 0))
            return;
    }
}

void session_close(struct session *session)
{
    if (!session)
        return;
    bool friendly = !session->over;
    if (friendly)
        say_bye(session);
    via_close(&session->link, friendly ? GOODBYE_MS : 0);
    wire_writer_free(&session->writer);
    wire_reader_free(&session->reader);
    batch_storage_free(&session->storage);
    catalogue_release(&session->catalogue);
    free(session);
}
