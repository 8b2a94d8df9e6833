/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moves frames both ways at once. Writing never blocks: a probe that is busy sending samples does
 * not read, and a controller that only wrote would wait for it for ever. */
#include "engine/peer.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/monotonic.h"
#include "base/printable.h"

#define TICK_MS 100

bool peer_stopped(const struct session *session)
{
    return session->stop && *session->stop;
}

int peer_begin(struct session *session, struct failure *failure)
{
    if (session->over)
        return fail_with(failure, -EPIPE, "the session with the probe is over");
    session->heard = monotonic_ms();
    return 0;
}

/* Sends what waits. A peer that no longer listens may have said why: its last frames are still to
 * be read, so that is no failure here; reading meets the end soon enough. */
static int flush_some(struct session *session, struct failure *failure)
{
    int status = wire_flush(&session->writer);
    if (status == 0 || status == -EAGAIN)
        return 0;
    if (status != -EPIPE)
        return peer_lost(session, failure, status, "sending to the probe failed: %s",
                         strerror(-status));
    text_clear(&session->writer.pending);
    session->writer.frame_start = 0;
    return 0;
}

static int wait_for_news(struct session *session, struct failure *failure)
{
    const bool writing = session->writer.pending.length > 0;
    struct pollfd all[3] = {{.fd = session->link.from_probe, .events = POLLIN},
                            {.fd = session->link.errors, .events = POLLIN},
                            {.fd = writing ? session->link.to_probe : -1, .events = POLLOUT}};
    if (poll(all, 3, TICK_MS) <= 0)
        return 0;
    if (all[1].revents)
        via_drain(&session->link);
    return all[2].revents ? flush_some(session, failure) : 0;
}

static int explain_read(struct session *session, int status, const struct failure *cause,
                        struct failure *failure)
{
    if (status == -EPIPE && !session->catalogue.version)
        return peer_lost(session, failure, -EPIPE, "no probe said hello: the connection closed");
    if (status == -EPIPE)
        return peer_lost(session, failure, -EPIPE, "the probe has gone");
    if (status == -EBADMSG)
        return peer_lost(session, failure, -EBADMSG, "what came from the probe is damaged: %s",
                         cause->text);
    return peer_lost(session, failure, status, "%s",
                     *cause->text ? cause->text : strerror(-status));
}

/* 1 with a frame that is the caller's business, 0 for `alive`, or negative errno. */
static int take_frame(struct session *session, struct failure *failure)
{
    session->heard = monotonic_ms();
    if (strcmp(session->frame.type, "alive") == 0)
        return 0;
    if (strcmp(session->frame.type, "error") == 0) {
        char reason[300];
        peer_words(session, "reason", reason, sizeof(reason));
        return peer_lost(session, failure, -EPROTO, "the probe gave up: %s",
                         *reason ? reason : "it did not say why");
    }
    return 1;
}

int peer_receive(struct session *session, struct failure *failure)
{
    struct failure cause = {0};
    int status = session->writer.pending.length ? flush_some(session, failure) : 0;
    if (status < 0)
        return status;
    status = wire_read(&session->reader, 0, &session->frame, &cause);
    if (status == 1)
        return take_frame(session, failure);
    if (status < 0 && status != -EINTR)
        return explain_read(session, status, &cause, failure);
    if (monotonic_ms() - session->heard > session->silence_ms)
        return peer_lost(session, failure, -ETIMEDOUT,
                         "the probe hangs: it has been silent for %d ms", session->silence_ms);
    return wait_for_news(session, failure);
}

int peer_number(struct session *session, const char *key, uint64_t highest, uint64_t *value,
                struct failure *failure)
{
    if (wire_get_u64(&session->frame, key, value) == 0 && *value <= highest)
        return 0;
    return peer_lost(session, failure, -EBADMSG,
                     "'%s' in the probe's frame '%.40s' is missing or no number up to %llu", key,
                     session->frame.type, (unsigned long long)highest);
}

void peer_words(struct session *session, const char *key, char *words, size_t size)
{
    const struct wire_field *field = wire_field(&session->frame, key);
    printable_copy(words, size, field ? field->value : "", field ? field->length : 0);
}

int peer_string(struct session *session, const char *key, const char **value,
                struct failure *failure)
{
    *value = wire_get(&session->frame, key);
    if (*value)
        return 0;
    return peer_lost(session, failure, -EBADMSG,
                     "'%s' in the probe's frame '%.40s' is missing or no text", key,
                     session->frame.type);
}
