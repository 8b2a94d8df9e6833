/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Receives files as `file NAME MODE SIZE` lines followed by their bytes. Lines are read byte by
 * byte, because nothing beyond `end` may be taken. */
#include "probe/driver/receive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define LINE_BYTES   512
#define MAX_FILE     (256ull << 20)
#define MAX_FILES    256
#define BUFFER_BYTES 65536

static int read_exactly(int fd, char *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, buffer + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EPIPE;
        done += (size_t)got;
    }
    return 0;
}

static int read_line(int fd, char line[LINE_BYTES])
{
    for (size_t length = 0; length < LINE_BYTES; length++) {
        int result = read_exactly(fd, line + length, 1);
        if (result < 0)
            return result;
        if (line[length] == '\n') {
            line[length] = '\0';
            return 0;
        }
    }
    return -EBADMSG;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = write(fd, bytes + done, size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        done += (size_t)put;
    }
    return 0;
}

static int copy_bytes(int from, int to, uint64_t size)
{
    static char buffer[BUFFER_BYTES];
    while (size) {
        size_t part = size < sizeof(buffer) ? (size_t)size : sizeof(buffer);
        int result = read_exactly(from, buffer, part);
        if (result == 0)
            result = write_all(to, buffer, part);
        if (result < 0)
            return result;
        size -= part;
    }
    return 0;
}

/* A plain name: nothing can be written outside the folder or over the running probe. */
static bool name_is_plain(const char *name)
{
    return name[0] != '.' && strcmp(name, "assay-probe") != 0 && !strchr(name, '/');
}

static int receive_file(int input, int folder, const char *line, struct failure *failure)
{
    char name[256];
    unsigned mode;
    unsigned long long size;
    int end = 0;
    if (sscanf(line, "file %255s %o %llu%n", name, &mode, &size, &end) != 3 || line[end] ||
        !name_is_plain(name) || size > MAX_FILE)
        return fail_with(failure, -EBADMSG, "not a file of a kit: %.100s", line);
    AUTO_CLOSE int file =
        openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return fail_with(failure, -errno, "cannot write %s of the kit: %s", name, strerror(errno));
    int result = copy_bytes(input, file, size);
    if (result == 0 && fchmod(file, mode & 0700) < 0)
        result = -errno;
    if (result < 0)
        return fail_with(failure, result, "receiving %s of the kit failed: %s", name,
                         result == -EPIPE ? "the sender is gone" : strerror(-result));
    return 0;
}

int receive_kit(int input, int output, const char *folder, struct failure *failure)
{
    static const char greeting[] = "@assay-kit\n";
    char line[LINE_BYTES];
    AUTO_CLOSE int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return fail_with(failure, -errno, "cannot open %s: %s", folder, strerror(errno));
    int result = write_all(output, greeting, sizeof(greeting) - 1);
    for (unsigned files = 0; result == 0; files++) {
        result = read_line(input, line);
        if (result < 0)
            return fail_with(failure, result, "the kit was not received whole");
        if (strcmp(line, "end") == 0)
            return 0;
        if (files == MAX_FILES)
            return fail_with(failure, -EBADMSG, "a kit has at most %d files", MAX_FILES);
        result = receive_file(input, directory, line, failure);
    }
    return result;
}
