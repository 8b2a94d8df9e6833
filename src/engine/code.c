/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks for the instructions of a specimen, and brings files. Nothing is believed: sizes are
 * limited, pieces must come in order, digits must be digits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/peer.h"

/* ----------------------------------------------------------------------------------------------
 * What commands need on the machine under test: asks whether a program is there, and brings files.
 * A file goes in as many frames as its length demands. The probe answers once, when all is written
 * or as soon as it cannot be; a slow line is no silence as long as it takes bytes. */

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

/* --- instructions --- */

#define MAX_CODE  (16u << 20) /* bytes */
#define MAX_TRIPS 100000u

static int broken(struct session *session, struct failure *failure)
{
    return peer_lost(session, failure, -EBADMSG,
                     "the probe's answer to 'code' is damaged: frame '%.40s'", session->frame.type);
}

static int digit(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* Hexadecimal digits of `key` into at most `room` bytes; how many, or negative errno. */
static ssize_t take_hex(struct session *session, const char *key, uint8_t *bytes, size_t room,
                        struct failure *failure)
{
    const char *digits;
    int status = peer_string(session, key, &digits, failure);
    if (status < 0)
        return status;
    size_t count = strlen(digits);
    if (count % 2 || count / 2 > room)
        return broken(session, failure);
    for (size_t i = 0; i < count / 2; i++) {
        int high = digit(digits[2 * i]);
        int low = digit(digits[2 * i + 1]);
        if (high < 0 || low < 0)
            return broken(session, failure);
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return (ssize_t)(count / 2);
}

static bool take_integer(const char **cursor, char end, int64_t *value)
{
    char *rest;
    errno = 0;
    if (**cursor != '-' && digit(**cursor) < 0)
        return false;
    *value = strtoll(*cursor, &rest, 10);
    if (rest == *cursor || errno || (*rest != end && *rest))
        return false;
    *cursor = *rest ? rest + 1 : rest;
    return *rest == end || end == ',';
}

/* "base:each,base:each" */
static int take_trips(struct session *session, struct sent_code *code, struct failure *failure)
{
    const char *list;
    int status = peer_string(session, "trips", &list, failure);
    if (status < 0 || !*list)
        return status;
    size_t count = 1;
    for (const char *comma = list; (comma = strchr(comma, ',')); comma++)
        count++;
    code->trips = count > MAX_TRIPS ? NULL : calloc(count, sizeof(*code->trips));
    if (!code->trips)
        return broken(session, failure);
    for (const char *cursor = list; code->trip_count < count; code->trip_count++) {
        struct sent_trip *trip = &code->trips[code->trip_count];
        if (!take_integer(&cursor, ':', &trip->base) || !take_integer(&cursor, ',', &trip->each))
            return broken(session, failure);
    }
    return 0;
}

static int take_head(struct session *session, struct sent_code *code, struct failure *failure)
{
    uint64_t length;
    int status;
    if ((status = peer_number(session, "address", UINT64_MAX, &code->address, failure)) < 0 ||
        (status = peer_number(session, "length", MAX_CODE, &length, failure)) < 0 ||
        (status = peer_number(session, "call_address", UINT64_MAX, &code->call_address, failure)) <
            0 ||
        (status = peer_number(session, "min_n", UINT64_MAX, &code->min_n, failure)) < 0)
        return status;
    ssize_t call = take_hex(session, "call", code->call, sizeof(code->call), failure);
    if (call < 0)
        return (int)call;
    code->call_length = (size_t)call;
    code->length = (size_t)length;
    code->bytes = memory_malloc(code->length + 1);
    return take_trips(session, code, failure);
}

static int take_pieces(struct session *session, struct sent_code *code, struct failure *failure)
{
    for (size_t got = 0; got < code->length;) {
        uint64_t offset;
        int status = peer_answer(session, failure);
        if (status < 0)
            return status;
        if (strcmp(session->frame.type, "bytes") != 0)
            return broken(session, failure);
        status = peer_number(session, "offset", MAX_CODE, &offset, failure);
        if (status < 0)
            return status;
        ssize_t more = take_hex(session, "code", code->bytes + got, code->length - got, failure);
        if (more < 0)
            return (int)more;
        if (offset != got || !more)
            return broken(session, failure);
        got += (size_t)more;
    }
    return 0;
}

int session_code(struct session *session, const char *specimen, struct sent_code *code,
                 struct failure *failure)
{
    *code = (struct sent_code){0};
    int status = peer_ask(session, "code", "specimen", specimen, failure);
    if (status == 0)
        status = peer_answer(session, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "refused") == 0)
        return peer_refused(session, failure);
    if (strcmp(session->frame.type, "code") != 0)
        return broken(session, failure);
    status = take_head(session, code, failure);
    if (status == 0)
        status = take_pieces(session, code, failure);
    if (status < 0)
        sent_code_release(code);
    return status;
}

void sent_code_release(struct sent_code *code)
{
    free(code->bytes);
    free(code->trips);
    *code = (struct sent_code){0};
}
