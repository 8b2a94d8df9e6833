/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames, from numbers and words to the lines that go over a pipe, and back: how numbers are
 * spelled, the checksum of a line, writing, parsing, columns, and reading from a descriptor. */
#include "wire/frame.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"

/* ----------------------------------------------------------------------------------------------
 * Numbers as frames carry them: decimal digits and nothing else, no sign, no leading zero, so that
 * a number has one spelling only. Inline because a session converts millions of them. */

/* Writes value at out (room for DECIMAL_MAX bytes, not terminated) and returns the end. */
static inline char *decimal_put(char *out, uint64_t value)
{
    static const char pairs[] =
        "000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344"
        "454647484950515253545556575859606162636465666768697071727374757677787980818283848586878889"
        "90919293949596979899";
    char digits[DECIMAL_MAX];
    char *first = digits + sizeof(digits);
    while (value >= 100) {
        first -= 2;
        memcpy(first, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        first -= 2;
        memcpy(first, pairs + value * 2, 2);
    } else {
        *--first = (char)('0' + value);
    }
    size_t length = (size_t)(digits + sizeof(digits) - first);
    memcpy(out, first, length);
    return out + length;
}

/* Reads a number at *cursor and moves behind it; false when there is none or it exceeds 64 bits. */
static inline bool decimal_get(const char **cursor, const char *end, uint64_t *value)
{
    const char *digit = *cursor;
    uint64_t sum = 0;
    while (digit < end && (unsigned char)(*digit - '0') <= 9) {
        unsigned figure = (unsigned char)(*digit - '0');
        /* 18 digits cannot overflow, so only longer numbers pay for the check. */
        if (digit - *cursor >= 18 && (sum > UINT64_MAX / 10 || sum * 10 > UINT64_MAX - figure))
            return false;
        sum = sum * 10 + figure;
        digit++;
    }
    if (digit == *cursor || (**cursor == '0' && digit - *cursor > 1))
        return false;
    *cursor = digit;
    *value = sum;
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * The checksum of a frame: CRC-32 (IEEE 802.3, reflected), eight bytes a step, because every byte
 * of every sample passes here twice. */

/* A CRC is linear: the table entry of a byte is the exclusive or of the entries of its bits. So the
 * eight tables (entry of a byte followed by 0 … 7 zero bytes) grow from eight entries each. */
#define BIT(byte, bit, entry) ((((byte) >> (bit)) & 1u) ? (entry) : 0u)
#define ENTRY(byte, a, b, c, d, e, f, g, h)                                                        \
    (BIT(byte, 0, a) ^ BIT(byte, 1, b) ^ BIT(byte, 2, c) ^ BIT(byte, 3, d) ^ BIT(byte, 4, e) ^     \
     BIT(byte, 5, f) ^ BIT(byte, 6, g) ^ BIT(byte, 7, h))
#define ENTRIES_4(byte, ...)                                                                       \
    ENTRY((byte), __VA_ARGS__), ENTRY((byte) + 1u, __VA_ARGS__), ENTRY((byte) + 2u, __VA_ARGS__),  \
        ENTRY((byte) + 3u, __VA_ARGS__)
#define ENTRIES_16(byte, ...)                                                                      \
    ENTRIES_4((byte), __VA_ARGS__), ENTRIES_4((byte) + 4u, __VA_ARGS__),                           \
        ENTRIES_4((byte) + 8u, __VA_ARGS__), ENTRIES_4((byte) + 12u, __VA_ARGS__)
#define ENTRIES_64(byte, ...)                                                                      \
    ENTRIES_16((byte), __VA_ARGS__), ENTRIES_16((byte) + 16u, __VA_ARGS__),                        \
        ENTRIES_16((byte) + 32u, __VA_ARGS__), ENTRIES_16((byte) + 48u, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        ENTRIES_64(0u, __VA_ARGS__), ENTRIES_64(64u, __VA_ARGS__), ENTRIES_64(128u, __VA_ARGS__),  \
            ENTRIES_64(192u, __VA_ARGS__)                                                          \
    }

static const uint32_t tables[8][256] = {
    TABLE(0x77073096u, 0xee0e612cu, 0x076dc419u, 0x0edb8832u, 0x1db71064u, 0x3b6e20c8u, 0x76dc4190u,
          0xedb88320u),
    TABLE(0x191b3141u, 0x32366282u, 0x646cc504u, 0xc8d98a08u, 0x4ac21251u, 0x958424a2u, 0xf0794f05u,
          0x3b83984bu),
    TABLE(0x01c26a37u, 0x0384d46eu, 0x0709a8dcu, 0x0e1351b8u, 0x1c26a370u, 0x384d46e0u, 0x709a8dc0u,
          0xe1351b80u),
    TABLE(0xb8bc6765u, 0xaa09c88bu, 0x8f629757u, 0xc5b428efu, 0x5019579fu, 0xa032af3eu, 0x9b14583du,
          0xed59b63bu),
    TABLE(0x3d6029b0u, 0x7ac05360u, 0xf580a6c0u, 0x30704bc1u, 0x60e09782u, 0xc1c12f04u, 0x58f35849u,
          0xb1e6b092u),
    TABLE(0xcb5cd3a5u, 0x4dc8a10bu, 0x9b914216u, 0xec53826du, 0x03d6029bu, 0x07ac0536u, 0x0f580a6cu,
          0x1eb014d8u),
    TABLE(0xa6770bb4u, 0x979f1129u, 0xf44f2413u, 0x33ef4e67u, 0x67de9cceu, 0xcfbd399cu, 0x440b7579u,
          0x8816eaf2u),
    TABLE(0xccaa009eu, 0x4225077du, 0x844a0efau, 0xd3e51bb5u, 0x7cbb312bu, 0xf9766256u, 0x299dc2edu,
          0x533b85dau),
};

uint32_t wire_crc32(const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;
    uint32_t crc = 0xffffffffu;
    for (; length >= 8; length -= 8, byte += 8) {
        crc ^= (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
               (uint32_t)byte[3] << 24;
        crc = tables[7][crc & 0xffu] ^ tables[6][crc >> 8 & 0xffu] ^ tables[5][crc >> 16 & 0xffu] ^
              tables[4][crc >> 24] ^ tables[3][byte[4]] ^ tables[2][byte[5]] ^ tables[1][byte[6]] ^
              tables[0][byte[7]];
    }
    for (; length; length--)
        crc = crc >> 8 ^ tables[0][(crc ^ *byte++) & 0xffu];
    return ~crc;
}

/* ----------------------------------------------------------------------------------------------
 * A write whose worst outcome is a return value. A pipe knows no MSG_NOSIGNAL, and changing how the
 * whole process treats SIGPIPE is not ours to decide, so the signal is held back for the time of
 * the call and, if the call caused it, taken off the queue. */

ssize_t pipe_write(int fd, const void *bytes, size_t length)
{
    sigset_t broken;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken, &before);

    ssize_t written;
    do
        written = write(fd, bytes, length);
    while (written < 0 && errno == EINTR);
    ssize_t result = written < 0 ? -errno : written;

    if (result == -EPIPE && !was_pending)
        sigtimedwait(&broken, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * Writing frames. Nothing fails while a frame is being put together: a lack of memory, a line too
 * long and too many fields all show at wire_end, which then drops the frame whole. */

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

void wire_put_bytes(struct wire_writer *writer, const char *key, const void *bytes, size_t length)
{
    static const char figures[] = "0123456789ABCDEF";
    put_key(writer, key);
    const char *text = bytes;
    size_t plain = 0; /* length of the stretch that needs no coding */
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte > 0x20 && byte < 0x7f && byte != '%') {
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

#define KEY_MOST 32 /* bytes of a key in a format */

int wire_say(struct wire_writer *writer, const char *type, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    wire_begin(writer, type);
    while (*format) {
        char key[KEY_MOST] = "";
        size_t length = strcspn(format, "=");
        memcpy(key, format, length < KEY_MOST ? length : KEY_MOST - 1);
        format += length + strlen("=%");
        bool wide = *format == 'l' || *format == 'z';
        switch (format[wide]) {
        case 's':
            wire_put_string(writer, key, va_arg(values, const char *));
            break;
        case 'd':
            wire_put_i64(writer, key, wide ? va_arg(values, long) : va_arg(values, int));
            break;
        default:
            wire_put_u64(writer, key,
                         wide ? va_arg(values, unsigned long) : va_arg(values, unsigned));
        }
        format += strcspn(format, " ");
        format += *format == ' ';
    }
    va_end(values);
    return wire_end(writer);
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

/* ----------------------------------------------------------------------------------------------
 * From a line to a frame, in place. The line comes from the other side and may be anything: the
 * checksum is looked at first, then every byte must be where the format wants it. */

#define CHECKSUM_LENGTH 9 /* space and eight digits */

static bool is_word(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '.' ||
           byte == '_' || byte == '-';
}

/* -1 when it is no hexadecimal digit */
static int hex_figure(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

/* The end of the word at cursor: the first byte that does not belong to it. */
static char *word_end(char *cursor, const char *end)
{
    while (cursor < end && is_word((unsigned char)*cursor))
        cursor++;
    return cursor;
}

/* Decodes the value at *cursor in place, up to the next space or the end; false when malformed.
 * The terminator takes the place of that space: of the next field or of the checksum. */
static bool decode_value(char **cursor, char *end, struct wire_field *field)
{
    char *in = *cursor;
    char *out = in;
    field->value = out;
    while (in < end && *in != ' ') {
        unsigned char byte = (unsigned char)*in;
        if (byte < 0x21 || byte > 0x7e)
            return false;
        if (byte != '%') {
            *out++ = *in++;
            continue;
        }
        int high = end - in > 2 ? hex_figure(in[1]) : -1;
        int low = end - in > 2 ? hex_figure(in[2]) : -1;
        if (high < 0 || low < 0)
            return false;
        *out++ = (char)(high << 4 | low);
        in += 3;
    }
    *cursor = in;
    field->length = (size_t)(out - field->value);
    *out = '\0';
    return true;
}

static bool is_repeated(const struct wire_frame *frame, const char *key)
{
    for (size_t i = 0; i < frame->field_count; i++)
        if (strcmp(frame->fields[i].key, key) == 0)
            return true;
    return false;
}

int wire_parse(char *line, size_t length, struct wire_frame *frame, struct failure *failure)
{
    static const char start[] = WIRE_SENTINEL " ";
    const size_t start_length = sizeof(start) - 1;
    frame->sequence = 0;
    frame->type = "";
    frame->field_count = 0;
    if (length < start_length || memcmp(line, start, start_length) != 0)
        return -ENOMSG; /* not worth words: a banner is nothing wrong */
    if (length >= WIRE_MAX_LINE)
        return fail_with(failure, -EBADMSG, "the frame is longer than %u bytes", WIRE_MAX_LINE);
    if (length < start_length + CHECKSUM_LENGTH)
        return fail_with(failure, -EBADMSG, "the frame is cut off after %zu bytes", length);
    const char *tail = line + length - CHECKSUM_LENGTH;
    uint32_t stated = 0;
    bool legible = tail[0] == ' ';
    for (int i = 1; i < CHECKSUM_LENGTH; i++) {
        int figure = hex_figure(tail[i]);
        legible = legible && figure >= 0 && !(tail[i] >= 'A' && tail[i] <= 'F');
        stated = stated << 4 | ((uint32_t)figure & 15);
    }
    if (!legible && line[length - 1] == '\r')
        return fail_with(failure, -EBADMSG,
                         "the frame ends in a carriage return: a terminal sits between controller "
                         "and probe; start the transport without one (no -t)");
    if (!legible)
        return fail_with(
            failure, -EBADMSG,
            "the frame carries no checksum: it was cut off or mixed with other output");
    uint32_t actual = wire_crc32(line, length - CHECKSUM_LENGTH);
    if (actual != stated)
        return fail_with(
            failure, -EBADMSG,
            "the frame's checksum is %08x but its content gives %08x: it was altered on the way",
            stated, actual);

    char *end = line + length - CHECKSUM_LENGTH;
    const char *number = line + start_length;
    if (!decimal_get(&number, end, &frame->sequence) || number == end || *number != ' ')
        return fail_with(failure, -EBADMSG, "the frame has no sequence number");
    char *type = line + (number - line) + 1;
    char *type_end = word_end(type, end);
    if (type_end == type || (type_end < end && *type_end != ' '))
        return fail_with(failure, -EBADMSG, "the frame has no type");
    frame->type = type;
    *type_end = '\0';
    /* cursor stands on the space in front of the first field, or at the end. */
    char *cursor = type_end;
    while (cursor < end) {
        if (frame->field_count == WIRE_MAX_FIELDS)
            return fail_with(failure, -EBADMSG, "a '%s' frame has more than %d fields", frame->type,
                             WIRE_MAX_FIELDS);
        struct wire_field *field = &frame->fields[frame->field_count];
        char *key = ++cursor;
        cursor = word_end(key, end);
        if (cursor == key || cursor == end || *cursor != '=')
            return fail_with(failure, -EBADMSG, "field %zu of a '%s' frame is no key=value",
                             frame->field_count + 1, frame->type);
        *cursor++ = '\0';
        field->key = key;
        if (is_repeated(frame, key))
            return fail_with(failure, -EBADMSG, "a '%s' frame has the field '%.64s' twice",
                             frame->type, key);
        if (!decode_value(&cursor, end, field))
            return fail_with(failure, -EBADMSG,
                             "the value of '%.64s' in a '%s' frame holds a byte that should have "
                             "been written %%XX",
                             key, frame->type);
        frame->field_count++;
    }
    return 0;
}

const struct wire_field *wire_field(const struct wire_frame *frame, const char *key)
{
    for (size_t i = 0; i < frame->field_count; i++)
        if (strcmp(frame->fields[i].key, key) == 0)
            return &frame->fields[i];
    return NULL;
}

const char *wire_get(const struct wire_frame *frame, const char *key)
{
    const struct wire_field *field = wire_field(frame, key);
    if (!field || memchr(field->value, '\0', field->length))
        return NULL;
    return field->value;
}

int wire_get_u64(const struct wire_frame *frame, const char *key, uint64_t *value)
{
    const struct wire_field *field = wire_field(frame, key);
    if (!field)
        return -ENOENT;
    const char *cursor = field->value;
    const char *end = cursor + field->length;
    return decimal_get(&cursor, end, value) && cursor == end ? 0 : -EBADMSG;
}

int wire_get_i64(const struct wire_frame *frame, const char *key, int64_t *value)
{
    const struct wire_field *field = wire_field(frame, key);
    if (!field)
        return -ENOENT;
    const char *cursor = field->value;
    const char *end = cursor + field->length;
    bool negative = cursor < end && *cursor == '-';
    if (negative)
        cursor++;
    uint64_t magnitude;
    if (!decimal_get(&cursor, end, &magnitude) || cursor != end)
        return -EBADMSG;
    const uint64_t lowest = (uint64_t)INT64_MAX + 1; /* magnitude of INT64_MIN */
    if (magnitude >= lowest + (negative ? 1u : 0u) || (negative && magnitude == 0))
        return -EBADMSG;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Column coding, both ways. A session spends most of its time here: counts repeat, so a run of
 * equal values costs one entry, and the rest is plain digits. */

#define CHUNK_BYTES 4096
#define ENTRY_BYTES (2 * DECIMAL_MAX + 2) /* value, '*', repeats, ',' */

void wire_put_column(struct wire_writer *writer, const char *key, const uint64_t *values,
                     size_t stride, size_t count)
{
    wire_put_bytes(writer, key, "", 0);
    char chunk[CHUNK_BYTES];
    char *out = chunk;
    for (size_t i = 0; i < count;) {
        uint64_t value = values[i * stride];
        size_t repeats = 1;
        while (i + repeats < count && values[(i + repeats) * stride] == value)
            repeats++;
        i += repeats;

        out = decimal_put(out, value);
        if (repeats > 1) {
            *out++ = '*';
            out = decimal_put(out, repeats);
        }
        if (i < count)
            *out++ = ',';
        if (out > chunk + sizeof(chunk) - ENTRY_BYTES) {
            text_append(&writer->pending, chunk, (size_t)(out - chunk));
            out = chunk;
        }
    }
    text_append(&writer->pending, chunk, (size_t)(out - chunk));
}

int column_decode(const char *text, size_t length, uint64_t *values, size_t stride, size_t count)
{
    const char *cursor = text;
    const char *end = text + length;
    size_t filled = 0;
    if (count == 0)
        return length ? -EBADMSG : 0;
    for (;;) {
        uint64_t value;
        uint64_t repeats = 1;
        if (!decimal_get(&cursor, end, &value))
            return -EBADMSG;
        if (cursor < end && *cursor == '*') {
            cursor++;
            if (!decimal_get(&cursor, end, &repeats) || repeats == 0)
                return -EBADMSG;
        }
        if (repeats > count - filled)
            return -EBADMSG;
        for (; repeats; repeats--)
            values[filled++ * stride] = value;
        if (cursor == end)
            return filled == count ? 0 : -EBADMSG;
        if (*cursor++ != ',')
            return -EBADMSG;
    }
}

int wire_get_column(const struct wire_frame *frame, const char *key, uint64_t *values, size_t count)
{
    const struct wire_field *field = wire_field(frame, key);
    if (!field)
        return -ENOENT;
    return column_decode(field->value, field->length, values, 1, count);
}

/* ----------------------------------------------------------------------------------------------
 * From a descriptor to frames: gathers bytes into lines, hands lines that are no frames to the
 * chatter callback, and watches that no frame is missing. Memory is one line, whatever comes. */

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
            return fail_with(
                failure, -EBADMSG,
                "frame %llu was due but %llu ('%s') came: something was lost on the way",
                (unsigned long long)reader->expected, (unsigned long long)frame->sequence,
                frame->type);
        reader->expected++;
        return 1;
    }
    return 0;
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
        if (reader->ended) {
            if (reader->used > reader->parsed) {
                reader->buffer[reader->used] = '\0';
                give_chatter(reader, reader->buffer + reader->parsed);
                reader->parsed = reader->seen = reader->used;
            }
            return fail_with(failure, -EPIPE, "the other side has closed the connection");
        }
        /* A flood of chatter must not outlast the caller's patience. */
        if (filled && deadline >= 0 && monotonic_ms() >= deadline)
            return 0;
        /* Waits until the deadline for input. */
        int wait = -1;
        if (deadline >= 0) {
            int64_t left = deadline - monotonic_ms();
            wait = left <= 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
        }
        struct pollfd input = {.fd = reader->fd, .events = POLLIN};
        int ready = poll(&input, 1, wait);
        status = ready < 0 ? -errno : ready;
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
