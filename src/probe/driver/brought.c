/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes brought files: under another name first, so that a file of that name is always whole, and
 * one that is being executed is replaced and not written to. Names are plain: nothing can be
 * written outside the folder. */
#include "probe/driver/brought.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/driver/child.h"
#include "probe/driver/folder.h"
#include "probe/sources/program.h"

#define ARRIVING ".arriving"
#define ALL_MOST (4ull * BROUGHT_MOST_BYTES)

/* Says that the file cannot be had; the pieces that follow are dropped. */
static int refuse(struct brought *brought, struct wire_writer *writer, int error,
                  const char *reason)
{
    AUTO_TEXT struct text sentence = {0};
    text_printf(&sentence, "the file '%.*s' cannot be brought: %s", BROUGHT_NAME, brought->name,
                reason);
    brought->refused = true;
    if (brought->fd >= 0)
        close(brought->fd);
    brought->fd = -1;
    wire_begin(writer, "refused");
    wire_put_i64(writer, "error", error);
    wire_put_string(writer, "reason", text_string(&sentence));
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

static int path_of(const struct brought *brought, const char *name, char **path)
{
    return asprintf(path, "%s/%s", brought->folder, name) < 0 ? -ENOMEM : 0;
}

static int open_arriving(struct brought *brought)
{
    AUTO_FREE char *path = NULL;
    if (path_of(brought, ARRIVING, &path) < 0)
        return -ENOMEM;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                  brought->executable ? 0755 : 0644);
    if (fd < 0)
        return -errno;
    /* whatever the umask, or the mode of one that was broken off */
    if (fchmod(fd, brought->executable ? 0755 : 0644) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    brought->fd = descriptor_lift(fd);
    return brought->fd < 0 ? -errno : 0;
}

static int begin(struct brought *brought, struct wire_writer *writer)
{
    struct failure why = {0};
    if (!brought_name_is_plain(brought->name))
        return refuse(brought, writer, EINVAL, "its name is none that a brought file may have");
    if (brought->files >= BROUGHT_MOST_FILES || brought->size > ALL_MOST - brought->bytes)
        return refuse(brought, writer, EFBIG, "too much was brought already");
    brought->files++;
    int result = brought->folder ? 0 : folder_make(&brought->folder, &why);
    if (result < 0)
        return refuse(brought, writer, -result, why.text);
    result = open_arriving(brought);
    return result < 0 ? refuse(brought, writer, -result, strerror(-result)) : 0;
}

static int write_piece(struct brought *brought, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = write(brought->fd, bytes + done, length - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        done += (size_t)put;
    }
    brought->written += length;
    brought->bytes += length;
    return 0;
}

/* All of it is there: gives it its name, and says so. */
static int settle(struct brought *brought, struct wire_writer *writer)
{
    AUTO_FREE char *from = NULL, *to = NULL;
    int fd = brought->fd;
    brought->fd = -1;
    if (close(fd) < 0)
        return refuse(brought, writer, errno, strerror(errno));
    if (path_of(brought, ARRIVING, &from) < 0 || path_of(brought, brought->name, &to) < 0)
        return refuse(brought, writer, ENOMEM, "out of memory");
    if (rename(from, to) < 0)
        return refuse(brought, writer, errno, strerror(errno));
    wire_begin(writer, "brought");
    wire_put_string(writer, "name", brought->name);
    wire_put_u64(writer, "size", brought->size);
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

/* The frame's fields, checked against the file that is arriving. */
static int read_piece(struct brought *brought, const struct wire_frame *frame, uint64_t *offset,
                      const struct wire_field **bytes, struct failure *failure)
{
    const char *name = wire_get(frame, "name");
    uint64_t size, executable;
    *bytes = wire_field(frame, "bytes");
    if (!name || !*bytes || wire_get_u64(frame, "size", &size) < 0 ||
        wire_get_u64(frame, "executable", &executable) < 0 || executable > 1 ||
        wire_get_u64(frame, "offset", offset) < 0 || size > BROUGHT_MOST_BYTES || *offset > size ||
        (*bytes)->length > size - *offset || (!(*bytes)->length && size))
        return fail_with(failure, -EBADMSG, "file: a piece of it makes no sense");
    if (*offset == 0) {
        snprintf(brought->name, sizeof(brought->name), "%s", name);
        if (strlen(name) >= BROUGHT_NAME)
            brought->name[0] = '.'; /* is none: begin() says so */
        brought->size = size;
        brought->written = 0;
        brought->executable = executable == 1;
        brought->refused = false;
        return 0;
    }
    if (brought->refused)
        return 0;
    if (brought->fd < 0 || *offset != brought->written || size != brought->size ||
        strcmp(name, brought->name) != 0)
        return fail_with(failure, -EBADMSG, "file: a piece of it is not the next one");
    return 0;
}

int brought_take(struct brought *brought, struct wire_writer *writer,
                 const struct wire_frame *frame, struct failure *failure)
{
    const struct wire_field *bytes;
    uint64_t offset = 0;
    if (brought->fd >= 0 && wire_get_u64(frame, "offset", &offset) == 0 && offset == 0) {
        close(brought->fd); /* whoever brings the next file has given this one up */
        brought->fd = -1;
    }
    int result = read_piece(brought, frame, &offset, &bytes, failure);
    if (result == 0 && offset == 0)
        result = begin(brought, writer);
    if (result < 0 || brought->refused)
        return result;
    result = write_piece(brought, bytes->value, bytes->length);
    if (result < 0)
        return refuse(brought, writer, -result, strerror(-result));
    return brought->written == brought->size ? settle(brought, writer) : 0;
}

int find_answer(struct wire_writer *writer, const char *name)
{
    AUTO_FREE char *path = name && !strchr(name, '/') ? program_find(name) : NULL;
    const bool there = name && *name && (path || (strchr(name, '/') && access(name, F_OK) == 0));
    AUTO_TEXT struct text reason = {0};
    text_printf(&reason, "there is no %s '%.200s' on this machine",
                name && strchr(name, '/') ? "file" : "program", name ? name : "");
    wire_begin(writer, there ? "found" : "refused");
    if (!there) {
        wire_put_i64(writer, "error", ENOENT);
        wire_put_string(writer, "reason", text_string(&reason));
    }
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

void brought_free(struct brought *brought)
{
    if (brought->fd >= 0)
        close(brought->fd);
    if (brought->folder)
        folder_remove(brought->folder);
    free(brought->folder);
    *brought = (struct brought){.fd = -1};
}
