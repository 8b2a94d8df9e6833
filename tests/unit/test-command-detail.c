/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file in which a counting process leaves details: what is written is read again, and anything
 * else is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "case.h"
#include "probe/command/detail.h"

static void put_call(struct wire_writer *writer, const char *name)
{
    wire_begin(writer, DETAIL_CALL);
    wire_put_string(writer, "name", name);
    assert_int_equal(wire_end(writer), 0);
}

static FILE *rewound(int descriptor)
{
    FILE *file = fdopen(descriptor, "r+");
    assert_non_null(file);
    rewind(file);
    return file;
}

TEST(two_writers_after_each_other_make_one_file)
{
    int descriptor = memfd_create("details", MFD_CLOEXEC);
    for (int round = 0; round < 2; round++) {
        struct wire_writer writer = detail_writer(descriptor);
        put_call(&writer, round ? "second\n one" : "first");
        assert_int_equal(detail_finish(&writer), 0);
    }
    AUTO_FILE FILE *file = rewound(descriptor);
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    struct wire_frame frame;
    assert_int_equal(detail_next(file, &line, &size, &frame, NULL), 1);
    assert_string_equal(wire_get(&frame, "name"), "first");
    assert_int_equal(detail_next(file, &line, &size, &frame, NULL), 1);
    assert_string_equal(wire_get(&frame, "name"), "second\n one");
    assert_int_equal(detail_next(file, &line, &size, &frame, NULL), 0);
}

static int read_text(const char *text, size_t length)
{
    int descriptor = memfd_create("details", MFD_CLOEXEC);
    assert_int_equal(write(descriptor, text, length), length);
    AUTO_FILE FILE *file = rewound(descriptor);
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    struct wire_frame frame;
    struct failure failure = {0};
    int result = detail_next(file, &line, &size, &frame, &failure);
    assert_true(result >= 0 || failure.text[0]);
    return result;
}

TEST(anything_else_is_refused)
{
    static const char rubbish[] = "rubbish\n";
    static const char zeros[16] = {0};
    assert_int_equal(read_text("", 0), 0);
    assert_int_equal(read_text(rubbish, strlen(rubbish)), -EBADMSG);
    assert_int_equal(read_text(rubbish, 3), -EBADMSG);
    assert_int_equal(read_text("\n", 1), -EBADMSG);
    assert_int_equal(read_text(zeros, sizeof(zeros)), -EBADMSG);
}

TEST(frames_of_other_types_and_torn_ones_are_refused)
{
    int descriptor = memfd_create("details", MFD_CLOEXEC);
    struct wire_writer writer = detail_writer(descriptor);
    wire_begin(&writer, "hello");
    assert_int_equal(wire_end(&writer), 0);
    size_t length = writer.pending.length;
    assert_int_equal(read_text(writer.pending.bytes, length), -EBADMSG);
    put_call(&writer, "read");
    assert_int_equal(read_text(writer.pending.bytes + length, writer.pending.length - length), 1);
    assert_int_equal(read_text(writer.pending.bytes + length, writer.pending.length - length - 1),
                     -EBADMSG);
    wire_writer_free(&writer);
    close(descriptor);
}
