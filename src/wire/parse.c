/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a line to a frame, in place. The line comes from the other side and may be anything: the
 * checksum is looked at first, then every byte must be where the format wants it. */
#include <errno.h>
#include <string.h>

#include "wire/decimal.h"
#include "wire/frame.h"

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

static int check_sum(const char *line, size_t length, struct failure *failure)
{
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
        return fail_with(failure, -EBADMSG,
                         "the frame's checksum is %08x but its content gives %08x: it was altered "
                         "on the way",
                         stated, actual);
    return 0;
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

/* cursor stands on the space in front of the first field, or at the end. */
static int parse_fields(char *cursor, char *end, struct wire_frame *frame, struct failure *failure)
{
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
    int status = check_sum(line, length, failure);
    if (status < 0)
        return status;

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
    return parse_fields(type_end, end, frame, failure);
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
