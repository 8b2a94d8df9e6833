/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A probe that measures nothing and, on demand, misbehaves: the environment variable FAKE_MODE says
 * how. Used by the tests of transports and of the controller's end of a session. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

#include "fake-probe.h"

/* A good frame in the writer, damaged before it leaves. */
static void send_damaged(struct fake *fake, void (*damage)(char *line, size_t length))
{
    wire_begin(&fake->writer, "hello");
    wire_put_u64(&fake->writer, "version", WIRE_VERSION);
    wire_end(&fake->writer);
    damage(fake->writer.pending.bytes, fake->writer.pending.length);
    print(fake->writer.pending.bytes);
}

static void alter_byte(char *line, size_t length)
{
    line[length / 2] ^= 1;
}

static void cut_line(char *line, size_t length)
{
    line[length / 2] = '\0';
}

static void send_hello(struct fake *fake)
{
    uint64_t version = is(fake, "older") ? 0 : is(fake, "newer") ? WIRE_VERSION + 1 : WIRE_VERSION;
    wire_begin(&fake->writer, "hello");
    wire_put_u64(&fake->writer, "version", version);
    wire_put_string(&fake->writer, "assay", "0.0-fake");
    wire_put_string(&fake->writer, "build", "fake");
    wire_put_string(&fake->writer, "isa", "fake64");
    send_end(fake);
}

static void serve(struct fake *fake)
{
    struct wire_frame frame;
    while (wire_read(&fake->reader, -1, &frame, NULL) == 1) {
        if (strcmp(frame.type, "cell") == 0 && fake->cell_count < MAX_CELLS) {
            if (cell_get(&frame, &fake->cells[fake->cell_count++], NULL) < 0)
                exit(5);
        } else if (strcmp(frame.type, "visits") == 0) {
            take_visits(fake, wire_get(&frame, "list"));
        } else if (strcmp(frame.type, "go") == 0) {
            run_queue(fake);
        } else if (strcmp(frame.type, "list") == 0) {
            answer_list(fake);
        } else if (strcmp(frame.type, "try") == 0) {
            answer_try(fake, wire_get(&frame, "name"));
        } else if (strcmp(frame.type, "code") == 0) {
            answer_code(fake, wire_get(&frame, "specimen"));
        } else if (strcmp(frame.type, "look") == 0) {
            answer_look(fake, wire_get(&frame, "clocks"));
        } else if (strcmp(frame.type, "file") == 0) {
            answer_file(fake, &frame);
        } else if (strcmp(frame.type, "find") == 0) {
            answer_find(fake, wire_get(&frame, "name"));
        } else if (strcmp(frame.type, "stop") == 0) {
            send_word(fake, "stopped");
        } else if (strcmp(frame.type, "bye") == 0) {
            send_word(fake, "bye");
            exit(0);
        }
    }
}

/* Modes that never get as far as a session. */
static void misbehave_at_once(struct fake *fake)
{
    if (is(fake, "ends")) {
        fprintf(stderr, "fake: nobody at home\n");
        exit(3);
    }
    if (is(fake, "mute"))
        sleep_for_ever();
    if (is(fake, "rubbish")) {
        print("\x7f"
              "ELF\x01\xff\n{\"json\": true}\nSegmentation fault\n");
        exit(0);
    }
    while (is(fake, "floods"))
        print("All work and no play makes Jack a dull boy.\n");
    while (is(fake, "floods-errors"))
        if (write(STDERR_FILENO, "noise and noise and noise and noise\n", 36) < 0)
            exit(9);
    while (is(fake, "endless-line"))
        print("all work and no play makes Jack a dull boy, ");
    if (is(fake, "truncated")) {
        send_damaged(fake, cut_line);
        exit(0);
    }
    if (is(fake, "checksum")) {
        send_damaged(fake, alter_byte);
        sleep_for_ever();
    }
    if (is(fake, "impatient")) {
        send_word(fake, "ready");
        sleep_for_ever();
    }
}

/* Byte by byte, since what follows a line is a file. */
static bool read_line(char *line, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && read(STDIN_FILENO, line + length, 1) == 1)
        if (line[length++] == '\n') {
            line[length - 1] = '\0';
            return true;
        }
    return false;
}

/* The receiving half of a push: the files land beside this executable. */
static void receive(void)
{
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    if (length < 0)
        exit(4);
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    if (chdir(folder) < 0)
        exit(4);
    print("@assay-kit\n");
    char line[PATH_MAX];
    while (read_line(line, sizeof(line)) && strcmp(line, "end") != 0) {
        char name[256];
        unsigned mode;
        size_t size;
        if (sscanf(line, "file %255s %o %zu", name, &mode, &size) != 3)
            exit(4);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        for (char byte; size; size--)
            if (read(STDIN_FILENO, &byte, 1) != 1 || write(fd, &byte, 1) != 1)
                exit(4);
        close(fd);
    }
    /* The test wants to see that the other files have come. */
    fprintf(stderr, "fake: received, manifest %s\n", access("manifest", R_OK) ? "missing" : "here");
}

int main(int argc, char **argv)
{
    static struct fake fake;
    const char *mode = getenv("FAKE_MODE");
    fake.mode = mode ? mode : "good";
    fake.writer.fd = STDOUT_FILENO;
    fake.reader.fd = STDIN_FILENO;
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "--version") == 0)
        return print("assay-probe fake\n"), 0;
    if (strcmp(argv[1], "receive") == 0)
        receive();
    else if (is(&fake, "only-pushed"))
        return 126;
    misbehave_at_once(&fake);
    print("Welcome to the fake machine\n");
    send_hello(&fake);
    send_catalogue(&fake);
    if (is(&fake, "leaves"))
        return 0;
    serve(&fake);
    return 0;
}
