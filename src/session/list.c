/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions about events: which there are, and whether a name can be opened. */
#include <errno.h>
#include <string.h>

#include "engine/peer.h"

#define MAX_EVENTS 1000000u /* tracepoints are some thousands */
#define MAX_ERRNO  4095

/* The event of the frame; its strings live as long as the frame. */
static int take_event(struct session *session, struct listed_event *event, struct failure *failure)
{
    uint64_t openable;
    uint64_t error;
    int status;
    if ((status = peer_string(session, "name", &event->name, failure)) < 0 ||
        (status = peer_string(session, "kind", &event->kind, failure)) < 0 ||
        (status = peer_string(session, "class", &event->class, failure)) < 0 ||
        (status = peer_number(session, "openable", 1, &openable, failure)) < 0 ||
        (status = peer_number(session, "error", MAX_ERRNO, &error, failure)) < 0 ||
        (status = peer_string(session, "reason", &event->reason, failure)) < 0)
        return status;
    if (!*event->class)
        event->class = NULL;
    event->matching = 1;
    event->openable = openable != 0;
    event->error = (int)error;
    return 0;
}

static int unexpected(struct session *session, const char *question, struct failure *failure)
{
    return peer_lost(session, failure, -EBADMSG, "the probe answered '%s' with a frame '%.40s'",
                     question, session->frame.type);
}

int session_list_events(struct session *session, const char *glob, session_event_each *each,
                        void *context, struct failure *failure)
{
    int verdict = 0; /* of the callback; once it has had enough the rest is only read */
    uint64_t matching;
    int status = peer_ask(session, "list", "glob", glob ? glob : "", failure);
    if (status == 0)
        status = peer_answer(session, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "matching") != 0)
        return unexpected(session, "list", failure);
    status = peer_number(session, "count", MAX_EVENTS, &matching, failure);
    if (status < 0)
        return status;
    for (unsigned count = 0;; count++) {
        status = peer_answer(session, failure);
        if (status < 0)
            return status;
        if (strcmp(session->frame.type, "listed") == 0)
            return verdict;
        if (strcmp(session->frame.type, "event") != 0)
            return unexpected(session, "list", failure);
        if (count == MAX_EVENTS)
            return peer_lost(session, failure, -E2BIG, "the probe's list of events does not end");
        struct listed_event event;
        status = take_event(session, &event, failure);
        if (status < 0)
            return status;
        event.matching = matching;
        if (verdict == 0)
            verdict = each(context, &event);
    }
}

int session_try_event(struct session *session, const char *name, struct listed_event *event,
                      struct failure *failure)
{
    int status = peer_ask(session, "try", "name", name, failure);
    if (status == 0)
        status = peer_answer(session, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "event") == 0)
        return take_event(session, event, failure);
    if (strcmp(session->frame.type, "refused") != 0)
        return unexpected(session, "try", failure);
    return peer_refused(session, failure);
}
