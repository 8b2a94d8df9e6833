/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames: the lines that probe and controller exchange (docs/protocol.md). One frame a line:
 *
 *     @assay SEQUENCE TYPE key=value key=value ... CRC32
 *
 * Values are percent-encoded, so a line holds no control byte and no space within a value.
 * Sequence numbers count from 0 on each side; the checksum covers everything before it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"
#include "base/text.h"

#define WIRE_VERSION    1
#define WIRE_SENTINEL   "@assay"
#define WIRE_MAX_LINE   (1u << 20) /* bytes, newline included: longer lines are refused */
#define WIRE_MAX_FIELDS 256
#define WIRE_MAX_COLUMN 65536u /* values in one column */

#define DECIMAL_MAX 20 /* digits of 2^64 - 1 */

uint32_t wire_crc32(const void *bytes, size_t length);

/* --- writing: wire_begin, any wire_put_*, wire_end; then wire_flush sends what has gathered --- */
struct wire_writer {
    int fd;
    uint64_t sequence;
    size_t frame_start; /* offset of the open frame in `pending` */
    size_t field_count; /* of the open frame */
    struct text pending;
    int64_t waiting_since; /* monotonic ms; of the first byte in pending */
};

void wire_begin(struct wire_writer *writer, const char *type);
void wire_put_string(struct wire_writer *writer, const char *key, const char *value);
void wire_put_bytes(struct wire_writer *writer, const char *key, const void *bytes, size_t length);
void wire_put_u64(struct wire_writer *writer, const char *key, uint64_t value);
void wire_put_i64(struct wire_writer *writer, const char *key, int64_t value);

/* count values, `stride` elements apart, run-length coded: "5*3,7" is 5 5 5 7. */
void wire_put_column(struct wire_writer *writer, const char *key, const uint64_t *values,
                     size_t stride, size_t count);

/* A whole frame: format has a word for each field, "key=%s", with %s, %d, %u, %ld, %lu or %zu, and
 * one space between two. What wire_end returns. */
int wire_say(struct wire_writer *writer, const char *type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Closes the frame; flushes when more than 64 KiB wait, or earlier frames for more than half a
 * second, so that slow answers are signs of life. 0 or negative errno (-EPIPE: peer gone). -ENOMEM,
 * -EMSGSIZE (line too long) and -E2BIG (too many fields): the frame was dropped whole and its
 * sequence number is still free. */
int wire_end(struct wire_writer *writer);
/* Sends what waits. On a non-blocking descriptor -EAGAIN means that some still waits; wire_end
 * does not report that. A peer that is gone gives -EPIPE, never SIGPIPE. */
int wire_flush(struct wire_writer *writer);
void wire_writer_free(struct wire_writer *writer);

/* To a peer that may be gone: as write(2), interrupted calls begun again, but -1 is a negative
 * errno and a closed pipe gives -EPIPE without the signal, whatever the process has done about
 * SIGPIPE. */
ssize_t pipe_write(int fd, const void *bytes, size_t length);

/* --- parsing --- */
struct wire_field {
    const char *key;
    const char *value; /* decoded, terminated; may hold NUL bytes, hence length */
    size_t length;
};

struct wire_frame {
    uint64_t sequence;
    const char *type;
    size_t field_count;
    struct wire_field fields[WIRE_MAX_FIELDS];
};

/* Parses one line in place (no newline; `line` is modified and must outlive the frame).
 * -ENOMSG: the line does not start with the sentinel (chatter); -EBADMSG: damaged; text says how.
 */
int wire_parse(char *line, size_t length, struct wire_frame *frame, struct failure *failure);

const struct wire_field *wire_field(const struct wire_frame *frame, const char *key);
/* NULL when the key is absent, or when the value holds a NUL byte: bytes come from wire_field. */
const char *wire_get(const struct wire_frame *frame, const char *key);
/* -ENOENT absent, -EBADMSG not a number of that kind. */
int wire_get_u64(const struct wire_frame *frame, const char *key, uint64_t *value);
int wire_get_i64(const struct wire_frame *frame, const char *key, int64_t *value);
/* Exactly count values, or -EBADMSG. */
int wire_get_column(const struct wire_frame *frame, const char *key, uint64_t *values,
                    size_t count);
/* Decodes exactly count values into values[0], values[stride], …; -EBADMSG when the text holds
 * anything else. */
int column_decode(const char *text, size_t length, uint64_t *values, size_t stride, size_t count);

/* --- reading lines from a descriptor --- */
struct wire_reader {
    int fd;
    uint64_t expected; /* sequence number of the next frame */
    char *buffer;
    size_t used;   /* bytes in the buffer */
    size_t parsed; /* bytes of it already handed out as lines */
    size_t seen;   /* bytes of it known to hold no further newline; parsed <= seen <= used */
    bool ended;    /* end of file seen */
    /* Called with every line that is no frame (banners, a console's noise); may be NULL. */
    void (*chatter)(void *context, const char *line);
    void *context;
    /* Asked right after every read, for who must know when something came; NULL: nobody. */
    uint64_t (*now)(void);
    uint64_t read_at; /* what it said last */
};

/* Hands the reader bytes that were read elsewhere and come before those of the descriptor. 0,
 * -ENOMEM, or -EMSGSIZE when they do not fit its buffer (WIRE_MAX_LINE). */
int wire_feed(struct wire_reader *reader, const void *bytes, size_t length);

/* Waits at most timeout_ms (-1: forever) for the next frame. Returns 1 with a frame, 0 on timeout,
 * -EPIPE at end of file (an unfinished last line is chatter), -EBADMSG for a damaged frame or a
 * gap in the sequence, -EINTR when a signal came. The frame is valid until the next call. */
int wire_read(struct wire_reader *reader, int timeout_ms, struct wire_frame *frame,
              struct failure *failure);
void wire_reader_free(struct wire_reader *reader);
