/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Column coding, both ways. A session spends most of its time here: counts repeat, so a run of
 * equal values costs one entry, and the rest is plain digits. */
#include "wire/column.h"

#include <errno.h>

#include "wire/decimal.h"
#include "wire/frame.h"

#define CHUNK_BYTES 4096
#define ENTRY_BYTES (2 * DECIMAL_MAX + 2) /* value, '*', repeats, ',' */

void wire_put_column(struct wire_writer *writer, const char *key, const uint64_t *values,
                     size_t stride, size_t count)
{
    wire_put_bytes(writer, key, NULL, 0);
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
