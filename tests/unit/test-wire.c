/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames: what is written comes back, and what was damaged on the way is never taken for true. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "case.h"
#include "wire/frame.h"

/* The frames gathered in a writer, without their last newline. */
static char *take_line(struct wire_writer *writer, size_t *length)
{
    char *line = strdup(text_string(&writer->pending));
    assert_non_null(line);
    *length = strlen(line);
    assert_true(*length > 0 && line[*length - 1] == '\n');
    line[--*length] = '\0';
    wire_writer_free(writer);
    return line;
}

/* Completes `body` to a line with the right checksum. */
static char *sealed(const char *body)
{
    char *line = NULL;
    assert_true(asprintf(&line, "%s %08x", body, wire_crc32(body, strlen(body))) > 0);
    return line;
}

static void assert_refused(const char *body, const char *words)
{
    struct wire_frame frame;
    struct failure failure = {0};
    AUTO_FREE char *line = sealed(body);
    assert_int_equal(wire_parse(line, strlen(line), &frame, &failure), -EBADMSG);
    if (!strstr(failure.text, words))
        fail_msg("'%s' does not mention '%s'", failure.text, words);
}

TEST(the_checksum_is_the_one_everybody_knows)
{
    assert_int_equal(wire_crc32("", 0), 0);
    assert_int_equal(wire_crc32("123456789", 9), 0xcbf43926u);
    assert_int_equal(wire_crc32("The quick brown fox jumps over the lazy dog", 43), 0x414fa339u);
}

TEST(every_byte_value_comes_back)
{
    char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    struct wire_writer writer = {.sequence = 41};
    wire_begin(&writer, "output");
    wire_put_u64(&writer, "stream", 1);
    wire_put_bytes(&writer, "bytes", bytes, sizeof(bytes));
    wire_put_string(&writer, "empty", "");
    wire_put_string(&writer, "last", "100% sure");
    assert_int_equal(wire_end(&writer), 0);
    assert_int_equal(writer.sequence, 42);

    size_t length;
    AUTO_FREE char *line = take_line(&writer, &length);
    for (size_t i = 0; i < length; i++)
        assert_true(line[i] >= 0x20 && line[i] < 0x7f);
    struct wire_frame frame;
    assert_int_equal(wire_parse(line, length, &frame, NULL), 0);
    assert_int_equal(frame.sequence, 41);
    assert_string_equal(frame.type, "output");
    assert_int_equal(frame.field_count, 4);
    const struct wire_field *field = wire_field(&frame, "bytes");
    assert_int_equal(field->length, sizeof(bytes));
    assert_memory_equal(field->value, bytes, sizeof(bytes));
    assert_string_equal(wire_get(&frame, "empty"), "");
    assert_string_equal(wire_get(&frame, "last"), "100% sure");
    assert_null(wire_get(&frame, "absent"));
    assert_null(wire_get(&frame, "bytes")); /* holds a NUL: no string */
}

#define COMES_BACK(type, put, get, number)                                                         \
    do {                                                                                           \
        struct wire_writer writer = {0};                                                           \
        struct wire_frame frame;                                                                   \
        type value = 7;                                                                            \
        size_t length;                                                                             \
        wire_begin(&writer, "t");                                                                  \
        put(&writer, "v", number);                                                                 \
        assert_int_equal(wire_end(&writer), 0);                                                    \
        AUTO_FREE char *line = take_line(&writer, &length);                                        \
        assert_int_equal(wire_parse(line, length, &frame, NULL), 0);                               \
        assert_int_equal(get(&frame, "v", &value), 0);                                             \
        assert_true(value == (number));                                                            \
    } while (0)

TEST(numbers_come_back_up_to_their_limits)
{
    static const uint64_t unsigned_values[] = {0,         9, 10, 99, 100, 12345, UINT64_MAX - 1,
                                               UINT64_MAX};
    static const int64_t signed_values[] = {0, 1, -1, -10, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof(unsigned_values) / sizeof(*unsigned_values); i++)
        COMES_BACK(uint64_t, wire_put_u64, wire_get_u64, unsigned_values[i]);
    for (size_t i = 0; i < sizeof(signed_values) / sizeof(*signed_values); i++)
        COMES_BACK(int64_t, wire_put_i64, wire_get_i64, signed_values[i]);
}

TEST(what_is_no_number_is_refused)
{
    static const char *const bad[] = TABLE(
        "", "-", "+1", "1.5", "0x10", "01", "00", "1%20", "%201", "1%00", "18446744073709551616",
        "99999999999999999999", "100000000000000000000", "-0", "1e6", "-9223372036854775809");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char body[100];
        snprintf(body, sizeof(body), "@assay 0 t v=%s", bad[i]);
        AUTO_FREE char *line = sealed(body);
        struct wire_frame frame;
        uint64_t value;
        int64_t signed_value;
        assert_int_equal(wire_parse(line, strlen(line), &frame, NULL), 0);
        assert_int_equal(wire_get_u64(&frame, "v", &value), -EBADMSG);
        assert_int_equal(wire_get_i64(&frame, "v", &signed_value), -EBADMSG);
        assert_int_equal(wire_get_u64(&frame, "w", &value), -ENOENT);
    }
    AUTO_FREE char *line = sealed("@assay 0 t v=9223372036854775808");
    struct wire_frame frame;
    int64_t value;
    assert_int_equal(wire_parse(line, strlen(line), &frame, NULL), 0);
    assert_int_equal(wire_get_i64(&frame, "v", &value), -EBADMSG);
}

/* Every other byte value at every place of a frame: refused, or (in the sentinel) chatter. */
TEST(damage_at_every_byte_is_seen)
{
    struct wire_writer writer = {.sequence = 3};
    size_t length;
    wire_begin(&writer, "samples");
    wire_put_string(&writer, "reason", "a b%c");
    wire_put_column(&writer, "v0", (const uint64_t[]){5, 5, 5, UINT64_MAX}, 1, 4);
    assert_int_equal(wire_end(&writer), 0);
    AUTO_FREE char *good = take_line(&writer, &length);
    AUTO_FREE char *line = malloc(length + 1);
    for (size_t at = 0; at < length; at++) {
        for (int other = 0; other < 256; other++) {
            if ((char)other == good[at])
                continue;
            struct wire_frame frame;
            memcpy(line, good, length + 1);
            line[at] = (char)other;
            int status = wire_parse(line, length, &frame, NULL);
            assert_int_equal(status, at < strlen(WIRE_SENTINEL " ") ? -ENOMSG : -EBADMSG);
        }
    }
}

TEST(a_frame_cut_short_or_run_into_another_is_seen)
{
    struct wire_writer writer = {0};
    size_t length;
    wire_begin(&writer, "end");
    wire_put_u64(&writer, "cell", 12);
    assert_int_equal(wire_end(&writer), 0);
    AUTO_FREE char *good = take_line(&writer, &length);
    AUTO_FREE char *line = malloc(2 * length + 1);
    struct wire_frame frame;
    for (size_t cut = 0; cut < length; cut++) {
        memcpy(line, good, length + 1);
        int status = wire_parse(line, cut, &frame, NULL);
        assert_int_equal(status, cut < strlen(WIRE_SENTINEL " ") ? -ENOMSG : -EBADMSG);
        memcpy(line, good, cut);
        memcpy(line + cut, good, length + 1);
        if (cut)
            assert_true(wire_parse(line, cut + length, &frame, NULL) < 0);
    }
}

TEST(malformed_frames_are_refused_with_a_reason)
{
    assert_refused("@assay ", "sequence");
    assert_refused("@assay x t", "sequence");
    assert_refused("@assay 1", "sequence");
    assert_refused("@assay 01 t", "sequence");
    assert_refused("@assay 18446744073709551616 t", "sequence");
    assert_refused("@assay 1 ", "type");
    assert_refused("@assay 1 Type", "type");
    assert_refused("@assay 1 t\tu", "type");
    assert_refused("@assay 1 t ", "key=value");
    assert_refused("@assay 1 t  a=1", "key=value");
    assert_refused("@assay 1 t a", "key=value");
    assert_refused("@assay 1 t =1", "key=value");
    assert_refused("@assay 1 t A=1", "key=value");
    assert_refused("@assay 1 t a=1 a=2", "twice");
    assert_refused("@assay 1 t a=%", "%XX");
    assert_refused("@assay 1 t a=%4", "%XX");
    assert_refused("@assay 1 t a=%4 b=1", "%XX");
    assert_refused("@assay 1 t a=%zz", "%XX");
    assert_refused("@assay 1 t a=\x80", "%XX");
    assert_refused("@assay 1 t a=\x7f", "%XX");
    assert_refused("@assay 1 t a=\x01", "%XX");
}

TEST(more_than_256_fields_are_refused_on_both_sides)
{
    for (int count = WIRE_MAX_FIELDS; count <= WIRE_MAX_FIELDS + 1; count++) {
        struct wire_writer writer = {0};
        AUTO_TEXT struct text body = {0};
        text_puts(&body, "@assay 0 t");
        wire_begin(&writer, "t");
        for (int i = 0; i < count; i++) {
            char key[16];
            snprintf(key, sizeof(key), "k%d", i);
            wire_put_u64(&writer, key, 1);
            text_printf(&body, " %s=1", key);
        }
        assert_int_equal(wire_end(&writer), count > WIRE_MAX_FIELDS ? -E2BIG : 0);
        wire_writer_free(&writer);
        AUTO_FREE char *line = sealed(text_string(&body));
        struct wire_frame frame;
        assert_int_equal(wire_parse(line, strlen(line), &frame, NULL),
                         count > WIRE_MAX_FIELDS ? -EBADMSG : 0);
    }
}

TEST(a_frame_too_long_is_dropped_whole)
{
    AUTO_FREE char *big = malloc(WIRE_MAX_LINE);
    memset(big, 'x', WIRE_MAX_LINE);
    int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct wire_writer writer = {.fd = sink};
    wire_begin(&writer, "first");
    assert_int_equal(wire_end(&writer), 0);
    size_t before = writer.pending.length;
    wire_begin(&writer, "t");
    wire_put_bytes(&writer, "v", big, WIRE_MAX_LINE);
    assert_int_equal(wire_end(&writer), -EMSGSIZE);
    assert_int_equal(writer.pending.length, before);
    assert_int_equal(writer.sequence, 1);

    /* "@assay 1 t v=" + value + checksum and newline: exactly the limit is allowed */
    wire_begin(&writer, "t");
    wire_put_bytes(&writer, "v", big, WIRE_MAX_LINE - 13 - 10 + 1);
    assert_int_equal(wire_end(&writer), -EMSGSIZE);
    wire_begin(&writer, "t");
    wire_put_bytes(&writer, "v", big, WIRE_MAX_LINE - 13 - 10);
    assert_int_equal(wire_end(&writer), 0);
    assert_int_equal(writer.sequence, 2);
    wire_writer_free(&writer);
    close(sink);
}

static void assert_column(const char *coded, const uint64_t *values, size_t count)
{
    struct wire_writer writer = {0};
    wire_begin(&writer, "t");
    wire_put_column(&writer, "c", values, 1, count);
    assert_int_equal(wire_end(&writer), 0);
    size_t length;
    AUTO_FREE char *line = take_line(&writer, &length);
    struct wire_frame frame;
    assert_int_equal(wire_parse(line, length, &frame, NULL), 0);
    if (coded)
        assert_string_equal(wire_get(&frame, "c"), coded);
    AUTO_FREE uint64_t *back = calloc(count + 1, sizeof(*back));
    assert_int_equal(wire_get_column(&frame, "c", back, count), 0);
    if (count)
        assert_memory_equal(back, values, count * sizeof(*values));
    assert_int_equal(wire_get_column(&frame, "c", back, count + 1), -EBADMSG);
    if (count)
        assert_int_equal(wire_get_column(&frame, "c", back, count - 1), -EBADMSG);
    assert_int_equal(wire_get_column(&frame, "d", back, count), -ENOENT);
}

TEST(columns_come_back_and_repeats_are_short)
{
    assert_column("5*3,7", (const uint64_t[]){5, 5, 5, 7}, 4);
    assert_column("", (const uint64_t[]){0}, 0);
    assert_column("0", (const uint64_t[]){0}, 1);
    assert_column("18446744073709551615*2,0,18446744073709551615",
                  (const uint64_t[]){UINT64_MAX, UINT64_MAX, 0, UINT64_MAX}, 4);
    enum { MANY = 4000 }; /* less than what makes a writer flush */
    AUTO_FREE uint64_t *values = calloc(MANY, sizeof(*values));
    uint64_t seed = 88172645463325252u;
    for (size_t i = 0; i < MANY; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        values[i] = i % 3 ? seed >> (seed % 64) : i / 100;
    }
    assert_column(NULL, values, MANY);
}

TEST(malformed_columns_are_refused)
{
    static const char *const bad[] =
        TABLE(",", "1,", ",1,2", "1,,2", "1*", "1*0", "*3", "1*2*2", "1 2", "1*-1", "1,2,x", "1*3,",
              "1;2;3", "1*4", "1*18446744073709551615", "1*18446744073709551616", "1%002,3");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct wire_frame frame = {.field_count = 1};
        uint64_t values[3];
        frame.fields[0] = (struct wire_field){"c", bad[i], strlen(bad[i])};
        assert_int_equal(wire_get_column(&frame, "c", values, 3), -EBADMSG);
    }
}

/* --- reading from a descriptor --- */
static int pipe_with(const char *content)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], content, strlen(content)), (ssize_t)strlen(content));
    close(ends[1]);
    return ends[0];
}

static void remember(void *context, const char *line)
{
    struct text *lines = context;
    text_printf(lines, "[%s]", line);
}

TEST(chatter_is_set_apart_and_the_end_is_told)
{
    AUTO_FREE char *first = sealed("@assay 0 hello version=1");
    AUTO_FREE char *second = sealed("@assay 1 ready");
    AUTO_TEXT struct text content = {0};
    AUTO_TEXT struct text chatter = {0};
    text_printf(&content, "Welcome!\n\n%s\n# @assay 1 no\n%s\n@assay 2 cut", first, second);
    int fd = pipe_with(text_string(&content));
    struct wire_reader reader = {.fd = fd, .chatter = remember, .context = &chatter};
    struct wire_frame frame;
    struct failure failure = {0};
    assert_int_equal(wire_read(&reader, -1, &frame, &failure), 1);
    assert_string_equal(frame.type, "hello");
    assert_int_equal(wire_read(&reader, -1, &frame, &failure), 1);
    assert_string_equal(frame.type, "ready");
    assert_int_equal(wire_read(&reader, -1, &frame, &failure), -EPIPE);
    assert_int_equal(wire_read(&reader, -1, &frame, &failure), -EPIPE);
    assert_string_equal(text_string(&chatter), "[Welcome!][][# @assay 1 no][@assay 2 cut]");
    wire_reader_free(&reader);
    close(fd);
}

TEST(a_gap_in_the_sequence_is_told)
{
    AUTO_FREE char *first = sealed("@assay 0 a");
    AUTO_FREE char *third = sealed("@assay 2 c");
    AUTO_TEXT struct text content = {0};
    text_printf(&content, "%s\n%s\n", first, third);
    int fd = pipe_with(text_string(&content));
    struct wire_reader reader = {.fd = fd};
    struct wire_frame frame;
    struct failure failure = {0};
    assert_int_equal(wire_read(&reader, 1000, &frame, &failure), 1);
    assert_int_equal(wire_read(&reader, 1000, &frame, &failure), -EBADMSG);
    assert_non_null(strstr(failure.text, "frame 1 was due but 2"));
    wire_reader_free(&reader);
    close(fd);
}

/* A child that sends bytes for ever; its pid must be killed and reaped. */
static pid_t flood(const char *unit, int *fd)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        while (write(ends[1], unit, strlen(unit)) > 0)
            ;
        _exit(0);
    }
    close(ends[1]);
    *fd = ends[0];
    return child;
}

/* More chatter than one call may take, always ready to be read: the end of it must not be met. */
TEST(endless_chatter_does_not_outlast_the_timeout)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    for (int line = 0; line < 8 << 20; line++)
        putc('\n', file);
    rewind(file);
    struct wire_reader reader = {.fd = fileno(file)};
    struct wire_frame frame;
    assert_int_equal(wire_read(&reader, 0, &frame, NULL), 0);
    assert_int_equal(wire_read(&reader, 0, &frame, NULL), 0);
    assert_int_equal(wire_read(&reader, -1, &frame, NULL), -EPIPE);
    wire_reader_free(&reader);
    fclose(file);
}

TEST(an_endless_line_is_refused)
{
    int fd;
    pid_t child = flood("0123456789abcdef0123456789abcdef0123456789abcdef", &fd);
    struct wire_reader reader = {.fd = fd};
    struct wire_frame frame;
    struct failure failure = {0};
    assert_int_equal(wire_read(&reader, -1, &frame, &failure), -EBADMSG);
    assert_non_null(strstr(failure.text, "longer than"));
    wire_reader_free(&reader);
    close(fd);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

TEST(a_peer_that_is_gone_is_an_error_not_a_signal)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    struct sigaction before;
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_DFL}, &before);
    struct wire_writer writer = {.fd = ends[1]};
    wire_begin(&writer, "go");
    assert_int_equal(wire_end(&writer), 0);
    assert_int_equal(wire_flush(&writer), -EPIPE);
    sigset_t pending;
    sigpending(&pending);
    assert_false(sigismember(&pending, SIGPIPE));
    sigaction(SIGPIPE, &before, NULL);
    wire_writer_free(&writer);
    close(ends[1]);
}

/* A full pipe that does not block keeps the rest for later, in order and unharmed. */
TEST(a_full_pipe_loses_nothing)
{
    enum { FRAMES = 20000 };
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    struct wire_writer writer = {.fd = ends[1]};
    struct wire_reader reader = {.fd = ends[0]};
    struct wire_frame frame;
    for (uint64_t i = 0; i < FRAMES; i++) {
        wire_begin(&writer, "n");
        wire_put_u64(&writer, "i", i);
        assert_int_equal(wire_end(&writer), 0);
    }
    assert_int_equal(wire_flush(&writer), -EAGAIN);
    for (uint64_t i = 0; i < FRAMES; i++) {
        uint64_t value = 0;
        int status = wire_flush(&writer);
        assert_true(status == 0 || status == -EAGAIN);
        assert_int_equal(wire_read(&reader, 1000, &frame, NULL), 1);
        assert_int_equal(wire_get_u64(&frame, "i", &value), 0);
        assert_int_equal(value, i);
    }
    assert_int_equal(wire_flush(&writer), 0);
    assert_int_equal(wire_read(&reader, 0, &frame, NULL), 0);
    wire_writer_free(&writer);
    wire_reader_free(&reader);
    close(ends[0]);
    close(ends[1]);
}

/* Who answers slowly must still be heard: silence means that the probe hangs. */
TEST(a_frame_does_not_wait_long_for_others)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct wire_writer writer = {.fd = ends[1]};
    struct wire_reader reader = {.fd = ends[0]};
    struct wire_frame frame;
    wire_begin(&writer, "first");
    assert_int_equal(wire_end(&writer), 0);
    assert_int_equal(wire_read(&reader, 0, &frame, NULL), 0); /* gathered, not sent */
    writer.waiting_since -= 1000;
    wire_begin(&writer, "second");
    assert_int_equal(wire_end(&writer), 0);
    assert_int_equal(wire_read(&reader, 0, &frame, NULL), 1);
    assert_int_equal(wire_read(&reader, 0, &frame, NULL), 1);
    wire_writer_free(&writer);
    wire_reader_free(&reader);
    close(ends[0]);
    close(ends[1]);
}
