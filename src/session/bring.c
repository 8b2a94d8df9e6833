/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What commands need on the machine under test: asks whether a program is there, and brings files.
 * A file goes in as many frames as its length demands. The probe
 * answers once, when all is written or as soon as it cannot be; a slow line is no silence as long
 * as it takes bytes. */
#include <errno.h>
#include <string.h>

#include "base/monotonic.h"
#include "engine/peer.h"

#define PIECE      (128u << 10) /* bytes of a frame: thrice as many at the worst, within a line */
#define SENT_AHEAD (512u << 10) /* bytes that may wait to be sent */

struct bringing {
    struct session *session;
    const char *name;
    const unsigned char *bytes;
    size_t length, sent;
    bool executable, all_sent;
};

static int put_piece(struct bringing *file)
{
    struct wire_writer *writer = &file->session->writer;
    const size_t left = file->length - file->sent;
    const size_t piece = left < PIECE ? left : PIECE;
    wire_begin(writer, "file");
    wire_put_string(writer, "name", file->name);
    wire_put_u64(writer, "size", file->length);
    wire_put_u64(writer, "executable", file->executable);
    wire_put_u64(writer, "offset", file->sent);
    wire_put_bytes(writer, "bytes", piece ? (const void *)(file->bytes + file->sent) : "", piece);
    file->sent += piece;
    file->all_sent = file->sent == file->length;
    return wire_end(writer);
}

static int send_ahead(struct bringing *file, struct failure *failure)
{
    int status = 0;
    while (status == 0 && !file->all_sent && file->session->writer.pending.length < SENT_AHEAD)
        status = put_piece(file);
    if (status == 0 || status == -EPIPE) /* a peer that has gone is met by reading */
        return 0;
    return peer_lost(file->session, failure, status, "the file '%s' could not be sent: %s",
                     file->name, strerror(-status));
}

/* Sends until there is an answer. 1 with the frame. */
static int exchange(struct bringing *file, struct failure *failure)
{
    struct session *session = file->session;
    int status = peer_begin(session, failure);
    while (status == 0) {
        if (peer_stopped(session))
            return peer_lost(session, failure, -EINTR, "interrupted while bringing a file");
        status = send_ahead(file, failure);
        if (status < 0)
            return status;
        const size_t waiting = session->writer.pending.length;
        status = peer_receive(session, failure);
        if (session->writer.pending.length < waiting)
            session->heard = monotonic_ms();
    }
    return status;
}

int session_bring(struct session *session, const char *name, const void *bytes, size_t length,
                  bool executable, struct failure *failure)
{
    struct bringing file = {.session = session,
                            .name = name,
                            .bytes = bytes,
                            .length = length,
                            .executable = executable};
    if (!brought_name_is_plain(name))
        return fail_with(failure, -EINVAL,
                         "a file cannot be brought as '%.140s': its name may have letters, digits "
                         "and . _ + -, at most %d of them, no dot first",
                         name, BROUGHT_NAME - 1);
    if (length > BROUGHT_MOST_BYTES)
        return fail_with(failure, -EFBIG, "the file '%s' has %zu bytes; at most %u can be brought",
                         name, length, BROUGHT_MOST_BYTES);
    int status = exchange(&file, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "refused") == 0)
        return peer_refused(session, failure);
    const char *written = wire_get(&session->frame, "name");
    uint64_t size;
    if (strcmp(session->frame.type, "brought") != 0 || !file.all_sent || !written ||
        strcmp(written, name) != 0 || wire_get_u64(&session->frame, "size", &size) < 0 ||
        size != length)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe answered 'file' with a frame '%.40s' that does not fit",
                         session->frame.type);
    return 0;
}

int session_find(struct session *session, const char *name, struct failure *failure)
{
    int status = peer_ask(session, "find", "name", name, failure);
    if (status == 0)
        status = peer_answer(session, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "refused") == 0)
        return peer_refused(session, failure);
    if (strcmp(session->frame.type, "found") != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe answered 'find' with a frame '%.40s'", session->frame.type);
    return 0;
}
