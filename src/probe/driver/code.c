/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers `code`: one frame that says where the code stands and how often its branches are taken,
 * then its bytes in pieces that fit a line. The kit holds the same specimens as its harnesses,
 * built from the same objects, so what is read here is what runs there. */
#include "probe/driver/code.h"

#include <errno.h>
#include <string.h>

#include "specimens/specimen.h"

#define PIECE 16384u /* bytes of code in one frame */

static int refuse(struct wire_writer *writer, int error, const char *reason)
{
    wire_begin(writer, "refused");
    wire_put_i64(writer, "error", error);
    wire_put_string(writer, "reason", reason);
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

static void put_hex(struct wire_writer *writer, const char *key, const char *begin, size_t length)
{
    AUTO_TEXT struct text digits = {0};
    for (size_t i = 0; i < length; i++)
        text_printf(&digits, "%02x", (unsigned)(unsigned char)begin[i]);
    wire_put_string(writer, key, text_string(&digits));
}

/* "base:each,base:each" */
static void put_trips(struct wire_writer *writer, const struct specimen *specimen)
{
    AUTO_TEXT struct text trips = {0};
    for (size_t i = 0; specimen->trips && i < specimen->trip_count; i++)
        text_printf(&trips, "%s%lld:%lld", i ? "," : "", (long long)specimen->trips[i].base,
                    (long long)specimen->trips[i].each);
    wire_put_string(writer, "trips", text_string(&trips));
}

static int send_head(struct wire_writer *writer, const struct specimen *specimen, size_t length)
{
    bool called = specimen->form == SPECIMEN_CALLED;
    wire_begin(writer, "code");
    wire_put_u64(writer, "address", (uint64_t)(uintptr_t)specimen->text_begin);
    wire_put_u64(writer, "length", length);
    wire_put_u64(writer, "call_address", called ? (uint64_t)(uintptr_t)specimen_call_text : 0);
    put_hex(writer, "call", specimen_call_text,
            called ? (size_t)(specimen_call_text_end - specimen_call_text) : 0);
    wire_put_u64(writer, "min_n", specimen->min_n);
    put_trips(writer, specimen);
    return wire_end(writer);
}

int code_send(struct wire_writer *writer, const char *name)
{
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    struct failure failure = {0};
    int result = specimen_parse(name ? name : "", &specimen, &parameters, &failure);
    if (result < 0)
        return refuse(writer, -result, failure.text);
    if (!specimen->trips && specimen->form != SPECIMEN_NULL)
        return refuse(writer, ENOTSUP,
                      "its code is made by the compiler or at run time, and not there to be read");
    size_t length = (size_t)(specimen->text_end - specimen->text_begin);
    result = send_head(writer, specimen, length);
    for (size_t at = 0; result == 0 && at < length; at += PIECE) {
        wire_begin(writer, "bytes");
        wire_put_u64(writer, "offset", at);
        put_hex(writer, "code", specimen->text_begin + at,
                length - at < PIECE ? length - at : PIECE);
        result = wire_end(writer);
    }
    return result < 0 ? result : wire_flush(writer);
}
