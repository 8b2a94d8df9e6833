/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One question to the probe, and its answer. */
#include <errno.h>
#include <string.h>

#include "engine/peer.h"

#define MAX_ERRNO 4095

int peer_answer(struct session *session, struct failure *failure)
{
    int status = 0;
    while (status == 0) {
        if (peer_stopped(session))
            return peer_lost(session, failure, -EINTR, "interrupted");
        status = peer_receive(session, failure);
    }
    return status;
}

int peer_ask(struct session *session, const char *type, const char *key, const char *value,
             struct failure *failure)
{
    int status = peer_begin(session, failure);
    if (status < 0)
        return status;
    wire_begin(&session->writer, type);
    wire_put_string(&session->writer, key, value);
    status = wire_end(&session->writer);
    if (status == -EMSGSIZE)
        return fail_with(failure, -EINVAL, "'%.60s…' is too long to be sent to the probe", value);
    if (status < 0 && status != -EPIPE)
        return peer_lost(session, failure, status, "asking the probe failed: %s",
                         strerror(-status));
    return 0;
}

int peer_refused(struct session *session, struct failure *failure)
{
    uint64_t error;
    char reason[sizeof(failure->text)];
    int status = peer_number(session, "error", MAX_ERRNO, &error, failure);
    if (status < 0)
        return status;
    peer_words(session, "reason", reason, sizeof(reason));
    return fail_with(failure, error ? -(int)error : -EINVAL, "%s",
                     *reason ? reason : "the probe does not take this name, and does not say why");
}
