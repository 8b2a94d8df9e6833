/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells as they arrive, whole or with a field that is wrong. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "wire/cell.h"

static inline char *words(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* The frame of a cell, without the field `key`, or with another value of it. */
static inline int send(const struct cell *cell, const char *key, const char *value,
                       struct cell *got, struct failure *failure)
{
    struct wire_writer writer = {.fd = -1}, other = {.fd = -1};
    struct wire_frame frame;
    cell_put(&writer, cell);
    writer.pending.bytes[writer.pending.length - 1] = '\0';
    assert_int_equal(wire_parse(writer.pending.bytes, writer.pending.length - 1, &frame, NULL), 0);
    wire_begin(&other, frame.type);
    for (size_t i = 0; i < frame.field_count; i++) {
        const bool meant = key && strcmp(frame.fields[i].key, key) == 0;
        if (!meant || value)
            wire_put_string(&other, frame.fields[i].key, meant ? value : frame.fields[i].value);
    }
    assert_int_equal(wire_end(&other), 0);
    other.pending.bytes[other.pending.length - 1] = '\0';
    assert_int_equal(wire_parse(other.pending.bytes, other.pending.length - 1, &frame, NULL), 0);
    int status = cell_get(&frame, got, failure);
    wire_writer_free(&writer);
    wire_writer_free(&other);
    return status;
}

/* Each change, "KEY=VALUE", or "KEY" for a field that is left out, makes it a frame that is none.
 */
static inline void expect_changes_refused(const struct cell *cell, const char *const *changes,
                                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char key[32];
        const char *value = strchr(changes[i], '=');
        struct cell got;
        struct failure why = {0};
        snprintf(key, sizeof(key), "%.*s", (int)strcspn(changes[i], "="), changes[i]);
        if (send(cell, key, value ? value + 1 : NULL, &got, &why) != -EBADMSG)
            fail_msg("%s was taken", changes[i]);
        assert_true(why.text[0]);
    }
}
