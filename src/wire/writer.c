/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing frames. Nothing fails while a frame is being put together: a lack of memory, a line too
 * long and too many fields all show at wire_end, which then drops the frame whole. */
#include <errno.h>
#include <string.h>

#include "base/monotonic.h"
#include "wire/decimal.h"
#include "wire/frame.h"
#include "wire/pipe.h"

#define FLUSH_BYTES    (64u << 10)
#define FLUSH_MS       500
#define CHECKSUM_BYTES 10 /* space, eight digits, newline */

void wire_begin(struct wire_writer *writer, const char *type)
{
    if (writer->pending.length == 0)
        writer->waiting_since = monotonic_ms();
    writer->frame_start = writer->pending.length;
    writer->field_count = 0;
    char digits[DECIMAL_MAX];
    text_puts(&writer->pending, WIRE_SENTINEL " ");
    text_append(&writer->pending, digits, (size_t)(decimal_put(digits, writer->sequence) - digits));
    text_putc(&writer->pending, ' ');
    text_puts(&writer->pending, type);
}

static void put_key(struct wire_writer *writer, const char *key)
{
    writer->field_count++;
    text_putc(&writer->pending, ' ');
    text_puts(&writer->pending, key);
    text_putc(&writer->pending, '=');
}

static bool is_plain(unsigned char byte)
{
    return byte > 0x20 && byte < 0x7f && byte != '%';
}

void wire_put_bytes(struct wire_writer *writer, const char *key, const void *bytes, size_t length)
{
    static const char figures[] = "0123456789ABCDEF";
    put_key(writer, key);
    const char *text = bytes;
    size_t plain = 0; /* length of the stretch that needs no coding */
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (is_plain(byte)) {
            plain++;
            continue;
        }
        text_append(&writer->pending, text + i - plain, plain);
        plain = 0;
        char coded[3] = {'%', figures[byte >> 4], figures[byte & 15]};
        text_append(&writer->pending, coded, sizeof(coded));
    }
    if (plain)
        text_append(&writer->pending, text + length - plain, plain);
}

void wire_put_string(struct wire_writer *writer, const char *key, const char *value)
{
    wire_put_bytes(writer, key, value, strlen(value));
}

void wire_put_u64(struct wire_writer *writer, const char *key, uint64_t value)
{
    char digits[DECIMAL_MAX];
    put_key(writer, key);
    text_append(&writer->pending, digits, (size_t)(decimal_put(digits, value) - digits));
}

void wire_put_i64(struct wire_writer *writer, const char *key, int64_t value)
{
    char digits[DECIMAL_MAX + 1];
    char *out = digits;
    uint64_t magnitude = (uint64_t)value;
    if (value < 0) {
        *out++ = '-';
        magnitude = 0 - magnitude;
    }
    put_key(writer, key);
    text_append(&writer->pending, digits, (size_t)(decimal_put(out, magnitude) - digits));
}

static int drop_frame(struct wire_writer *writer, int code)
{
    struct text *pending = &writer->pending;
    pending->length = writer->frame_start;
    pending->failed = false;
    if (pending->bytes)
        pending->bytes[pending->length] = '\0';
    return code;
}

int wire_end(struct wire_writer *writer)
{
    struct text *pending = &writer->pending;
    if (pending->failed)
        return drop_frame(writer, -ENOMEM);
    size_t length = pending->length - writer->frame_start;
    if (length + CHECKSUM_BYTES > WIRE_MAX_LINE)
        return drop_frame(writer, -EMSGSIZE);
    if (writer->field_count > WIRE_MAX_FIELDS)
        return drop_frame(writer, -E2BIG);

    static const char figures[] = "0123456789abcdef";
    uint32_t crc = wire_crc32(pending->bytes + writer->frame_start, length);
    char tail[CHECKSUM_BYTES] = {' '};
    for (int i = 0; i < 8; i++)
        tail[1 + i] = figures[crc >> (28 - 4 * i) & 15];
    tail[CHECKSUM_BYTES - 1] = '\n';
    text_append(pending, tail, sizeof(tail));
    if (pending->failed)
        return drop_frame(writer, -ENOMEM);
    const bool others_wait = writer->frame_start > 0;
    writer->sequence++;
    writer->frame_start = pending->length;

    const bool overdue = others_wait && monotonic_ms() - writer->waiting_since >= FLUSH_MS;
    if (pending->length <= FLUSH_BYTES && !overdue)
        return 0;
    int status = wire_flush(writer);
    return status == -EAGAIN ? 0 : status;
}

int wire_flush(struct wire_writer *writer)
{
    struct text *pending = &writer->pending;
    size_t sent = 0;
    int status = 0;
    while (sent < pending->length) {
        ssize_t written = pipe_write(writer->fd, pending->bytes + sent, pending->length - sent);
        if (written < 0) {
            status = (int)written;
            break;
        }
        sent += (size_t)written;
    }
    if (sent) {
        memmove(pending->bytes, pending->bytes + sent, pending->length - sent + 1);
        pending->length -= sent;
        writer->frame_start -= sent;
    }
    return status;
}

void wire_writer_free(struct wire_writer *writer)
{
    text_free(&writer->pending);
    writer->frame_start = 0;
}
