/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a descriptor to frames: gathers bytes into lines, hands lines that are no frames to the
 * chatter callback, and watches that no frame is missing. Memory is one line, whatever comes. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "wire/frame.h"

static void give_chatter(struct wire_reader *reader, const char *line)
{
    if (reader->chatter)
        reader->chatter(reader->context, line);
}

/* The next whole line of the buffer, terminated, or NULL. */
static char *next_line(struct wire_reader *reader, size_t *length)
{
    if (reader->seen == reader->used)
        return NULL;
    char *newline = memchr(reader->buffer + reader->seen, '\n', reader->used - reader->seen);
    if (!newline) {
        reader->seen = reader->used;
        return NULL;
    }
    char *line = reader->buffer + reader->parsed;
    *newline = '\0';
    *length = (size_t)(newline - line);
    reader->parsed = reader->seen = (size_t)(newline + 1 - reader->buffer);
    return line;
}

/* 1 with a frame, 0 when the buffer holds no further one, or negative errno. */
static int next_frame(struct wire_reader *reader, struct wire_frame *frame, struct failure *failure)
{
    size_t length;
    char *line;
    while ((line = next_line(reader, &length))) {
        int status = wire_parse(line, length, frame, failure);
        if (status == -ENOMSG) {
            give_chatter(reader, line);
            continue;
        }
        if (status < 0)
            return status;
        if (frame->sequence != reader->expected)
            return fail_with(failure, -EBADMSG,
                             "frame %llu was due but %llu ('%s') came: something was lost on the "
                             "way",
                             (unsigned long long)reader->expected,
                             (unsigned long long)frame->sequence, frame->type);
        reader->expected++;
        return 1;
    }
    return 0;
}

/* Waits until the deadline for input. 1 when there is some, 0 when not, or negative errno. */
static int wait_for_input(const struct wire_reader *reader, int64_t deadline)
{
    int wait = -1;
    if (deadline >= 0) {
        int64_t left = deadline - monotonic_ms();
        wait = left <= 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
    }
    struct pollfd input = {.fd = reader->fd, .events = POLLIN};
    int ready = poll(&input, 1, wait);
    return ready < 0 ? -errno : ready;
}

/* Makes room and reads once; perhaps nothing was there after all. 0 or negative errno. */
static int fill(struct wire_reader *reader, struct failure *failure)
{
    if (reader->parsed) {
        memmove(reader->buffer, reader->buffer + reader->parsed, reader->used - reader->parsed);
        reader->used -= reader->parsed;
        reader->seen -= reader->parsed;
        reader->parsed = 0;
    }
    if (reader->used == WIRE_MAX_LINE)
        return fail_with(failure, -EBADMSG,
                         "the other side sent a line longer than %u bytes: no probe does that",
                         WIRE_MAX_LINE);
    ssize_t got = read(reader->fd, reader->buffer + reader->used, WIRE_MAX_LINE - reader->used);
    const int error = errno;
    if (reader->now)
        reader->read_at = reader->now();
    errno = error;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got < 0)
        return fail_with(failure, -errno, "reading from the other side failed: %s",
                         strerror(errno));
    if (got == 0)
        reader->ended = true;
    reader->used += (size_t)got;
    return 0;
}

static int meet_end(struct wire_reader *reader, struct failure *failure)
{
    if (reader->used > reader->parsed) {
        reader->buffer[reader->used] = '\0';
        give_chatter(reader, reader->buffer + reader->parsed);
        reader->parsed = reader->seen = reader->used;
    }
    return fail_with(failure, -EPIPE, "the other side has closed the connection");
}

static bool has_buffer(struct wire_reader *reader)
{
    /* one byte more, to terminate a last line that has no newline */
    return reader->buffer || (reader->buffer = malloc(WIRE_MAX_LINE + 1));
}

int wire_feed(struct wire_reader *reader, const void *bytes, size_t length)
{
    if (!has_buffer(reader))
        return -ENOMEM;
    if (length > WIRE_MAX_LINE - reader->used)
        return -EMSGSIZE;
    if (length)
        memcpy(reader->buffer + reader->used, bytes, length);
    reader->used += length;
    return 0;
}

int wire_read(struct wire_reader *reader, int timeout_ms, struct wire_frame *frame,
              struct failure *failure)
{
    if (!has_buffer(reader))
        return fail_with(failure, -ENOMEM, "no memory to read frames");
    int64_t deadline = timeout_ms < 0 ? -1 : monotonic_ms() + timeout_ms;
    for (bool filled = false;; filled = true) {
        int status = next_frame(reader, frame, failure);
        if (status)
            return status;
        if (reader->ended)
            return meet_end(reader, failure);
        /* A flood of chatter must not outlast the caller's patience. */
        if (filled && deadline >= 0 && monotonic_ms() >= deadline)
            return 0;
        status = wait_for_input(reader, deadline);
        if (status <= 0)
            return status;
        status = fill(reader, failure);
        if (status < 0)
            return status;
    }
}

void wire_reader_free(struct wire_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
    reader->used = reader->parsed = reader->seen = 0;
}
