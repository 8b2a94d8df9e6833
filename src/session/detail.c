/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Details of an execution as they arrive: what was executed (frames `ran`), and its system calls
 * (frames `call`). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/peer.h"

static int take_bytes(struct session *session, struct sent_ran *ran, struct failure *failure)
{
    const struct wire_field *bytes = wire_field(&session->frame, "bytes");
    if (!bytes || !bytes->length || bytes->length > DETAIL_MOST_STRETCH)
        return peer_lost(session, failure, -EBADMSG,
                         "'bytes' in the probe's frame 'ran' must be 1 to %u", DETAIL_MOST_STRETCH);
    ran->bytes = (const uint8_t *)bytes->value;
    ran->length = bytes->length;
    return 0;
}

static int take_ran(struct session *session, struct sent_ran *ran, struct failure *failure)
{
    uint64_t instructions;
    int status;
    if ((status = peer_string(session, "object", &ran->object, failure)) < 0 ||
        (status = peer_string(session, "function", &ran->function, failure)) < 0 ||
        (status = peer_number(session, "address", UINT64_MAX, &ran->address, failure)) < 0 ||
        (status = take_bytes(session, ran, failure)) < 0 ||
        (status = peer_number(session, "instructions", ran->length, &instructions, failure)) < 0 ||
        (status = peer_number(session, "executions", UINT64_MAX, &ran->executions, failure)) < 0 ||
        (status = peer_number(session, "repetitions", UINT64_MAX, &ran->repetitions, failure)) < 0)
        return status;
    ran->instructions = (uint32_t)instructions;
    if (!ran->instructions || !ran->executions || (ran->repetitions && ran->instructions != 1))
        return peer_lost(session, failure, -EBADMSG,
                         "the probe says that %u instructions were executed %llu times, and one of "
                         "them repeated %llu times, which cannot be",
                         ran->instructions, (unsigned long long)ran->executions,
                         (unsigned long long)ran->repetitions);
    return 0;
}

int detail_take_ran(struct session *session, const struct visit *visit,
                    const struct session_sink *sink, bool *sink_failed, struct failure *failure)
{
    struct sent_ran ran = {.cell = visit->cell, .process = visit->process};
    int status = take_ran(session, &ran, failure);
    if (status < 0 || !sink->ran)
        return status;
    status = sink->ran(sink->context, &ran, failure);
    *sink_failed = status < 0;
    return status;
}

static int take_call(struct session *session, uint64_t calls, struct sent_call *call,
                     struct failure *failure)
{
    uint64_t task;
    int status;
    if ((status = peer_number(session, "position", UINT64_MAX, &call->position, failure)) < 0 ||
        (status = peer_number(session, "task", UINT32_MAX, &task, failure)) < 0 ||
        (status = peer_string(session, "name", &call->name, failure)) < 0 ||
        (status = peer_number(session, "asked", UINT64_MAX, &call->asked, failure)) < 0 ||
        (status = peer_number(session, "sum", UINT64_MAX, &call->sum, failure)) < 0 ||
        (status = peer_string(session, "what", &call->what, failure)) < 0)
        return status;
    call->task = (uint32_t)task;
    if (wire_get_i64(&session->frame, "result", &call->result) < 0)
        return peer_lost(session, failure, -EBADMSG,
                         "'result' in the probe's frame 'call' is no number");
    if (call->position != calls || !*call->name)
        return peer_lost(
            session, failure, -EBADMSG,
            "the probe sent system call %llu ('%.40s') of a command where the next was "
            "%llu",
            (unsigned long long)call->position, call->name, (unsigned long long)calls);
    return 0;
}

int detail_take_call(struct session *session, const struct visit *visit, uint64_t calls,
                     const struct session_sink *sink, bool *sink_failed, struct failure *failure)
{
    struct sent_call call = {.cell = visit->cell, .process = visit->process};
    int status = take_call(session, calls, &call, failure);
    if (status < 0 || !sink->call)
        return status;
    status = sink->call(sink->context, &call, failure);
    *sink_failed = status < 0;
    return status;
}
