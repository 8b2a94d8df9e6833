/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks for the instructions of a specimen. Nothing is believed: sizes are limited, pieces must come
 * in order, digits must be digits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/peer.h"

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
    code->bytes = malloc(code->length + 1);
    if (!code->bytes)
        return peer_lost(session, failure, -ENOMEM, "no memory for a specimen's code");
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
